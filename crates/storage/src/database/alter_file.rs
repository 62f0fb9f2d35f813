//! ALTER DATABASE … ADD FILE and MODIFY FILE (`alter_remove` has REMOVE FILE).
//!
//! What always holds: one change at a time; a change is stored before its success is reported, so that a restart has
//! it; a refused change leaves files, maps and settings as they were. Files of open databases move at once
//! (`alter_move`), those of closed ones are looked for at their new place later. master and model keep the files they
//! have; they can be resized, renamed and moved.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_device::DeviceError;

use crate::ask::Ask;
use crate::contract::{DbId, FileId};
use crate::database::databases::Databases;
use crate::database::file_change::{AlterFileError, FileChange, FileChanged, of_open};
use crate::database::files::FilePlan;
use crate::database::plan::{default_file, same_name};
use crate::database::{alter_durable, alter_move};
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::file::growth::{Growth, round_down, round_up};
use crate::services::{RAM_PREFIX, StorageServices};
use crate::settings::tempdb::{
    DeviceKind, FILES_MAX, NAME_CHARS_MAX, TempFileConfig, TempFileSpec, TempdbConfigError, check_new_file,
    default_path,
};
use crate::space::GrowthError;
use crate::tempdb::create::{Replace, attach, make, prepare, resolve};
use crate::tempdb::log_file::LogFile;
use crate::wal::DatabaseHandle;

/// ADD FILE, ADD LOG FILE: the file takes part at once; returns its number.
///
/// # Errors
/// [`AlterFileError`].
pub fn add_file(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    config: &TempFileConfig,
) -> Result<FileId, AlterFileError> {
    let _altering = databases.altering.lock();
    databases.check_may_change(db)?;
    let files = databases.services.volume.files(db);
    // A file whose removal could not be stored is made again by the next start.
    let listed = if db == DbId::TEMPDB { databases.settings.tempdb_files() } else { Vec::new() };
    let names = files.iter().map(|file| file.name()).chain(listed.iter().map(|spec| spec.name.clone()));
    if names.into_iter().any(|name| same_name(&name, &config.name)) {
        return Err(AlterFileError::NameInUse { name: config.name.clone() });
    }
    let is_listed = |id: &u16| listed.iter().any(|spec| spec.file_id == *id);
    // A file that is gone keeps its number as long as pages of it are in use.
    let free_id = (3..=u16::MAX).find(|id| !databases.services.volume.is_in_use(db, FileId(*id)) && !is_listed(id));
    let file_id = free_id.filter(|_| files.len() < FILES_MAX).ok_or(AlterFileError::TooManyFiles)?;
    let spec = spec_of_new(&databases.services, config, file_id);
    check_new_file(&spec)?;
    if db != DbId::TEMPDB {
        let path = place_of_new(&databases.services, &spec, config);
        let (id, kind, limits) = (spec.id(), spec.kind(), spec.limits());
        let plan = FilePlan { id, kind, name: spec.name, path, size_pages: spec.size_pages, limits };
        alter_durable::add_durable_file(databases, ask, db, &plan)?;
        return Ok(id);
    }
    if let Some(path) = listed_place(&databases.services, &listed, &spec) {
        return Err(AlterFileError::FileExists { path });
    }
    let prepared = prepare(&*databases.services.media, databases.services.dir.as_deref(), &spec, Replace::Nothing)
        .map_err(of_open)?;
    let file = make(ask, &databases.services, prepared).map_err(of_open)?;
    if let Err(error) = take_in(databases, ask, &file, &spec) {
        databases.services.throw_away(&file);
        return Err(error);
    }
    Ok(file.id())
}

/// The place of a new file of tempdb, if a file of the list has it, there or not.
fn listed_place(services: &StorageServices, listed: &[TempFileSpec], new: &TempFileSpec) -> Option<PathBuf> {
    let place = |spec: &TempFileSpec| spec.path.as_ref().map(|path| resolve(services.dir.as_deref(), path));
    place(new).filter(|new| listed.iter().any(|spec| place(spec).as_ref() == Some(new)))
}

fn spec_of_new(services: &StorageServices, config: &TempFileConfig, file_id: u16) -> TempFileSpec {
    // An instance without a directory has no place for a file that is given none.
    let in_memory = config.device == DeviceKind::Ram || config.path.is_none() && services.dir.as_deref().is_none();
    let default = || PathBuf::from(default_path(file_id, config.log));
    TempFileSpec {
        file_id,
        name: config.name.clone(),
        path: if in_memory { config.path.clone() } else { Some(config.path.clone().unwrap_or_else(default)) },
        device: if in_memory { DeviceKind::Ram } else { DeviceKind::File },
        size_pages: round_up(config.size_pages),
        max_pages: config.max_pages.map(round_down),
        growth: Growth::from(config.growth).rounded().into(),
        tier: config.tier,
        log: config.log,
    }
}

/// Where a new file of a durable database lies: in the data directory under its name, when no path is given.
fn place_of_new(services: &StorageServices, spec: &TempFileSpec, config: &TempFileConfig) -> PathBuf {
    let file = config.path.clone().unwrap_or_else(|| PathBuf::from(default_file(&spec.name, spec.id(), spec.kind())));
    match (&config.path, services.dir.as_deref()) {
        (None, None) => PathBuf::from(format!("{RAM_PREFIX}{}", file.display())),
        _ => services.resolve(&file),
    }
}

/// Makes a new file part of tempdb.
fn take_in(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &Arc<StorageFile>,
    spec: &TempFileSpec,
) -> Result<(), AlterFileError> {
    databases.services.volume.add(file.clone());
    attach(ask, &databases.services.pool, file)?;
    databases.settings.change_tempdb(|files| {
        files.push(spec.clone());
        let same = files.iter().filter(|other| other.file_id == spec.file_id || same_name(&other.name, &spec.name));
        assert!(same.count() == 1, "number or name of file '{}' is given twice", spec.name);
        files.sort_by_key(|spec| spec.file_id);
    })?;
    match file.kind() {
        FileKind::Data => databases.tempdb.space.supply.add_file(file),
        FileKind::Log => databases.tempdb.undo_log.add_medium(Arc::new(LogFile::new(file.clone()))),
    }
    Ok(())
}

/// MODIFY FILE: changes one property.
///
/// # Errors
/// [`AlterFileError`].
pub fn modify_file(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    name: &str,
    change: FileChange,
) -> Result<FileChanged, AlterFileError> {
    let _altering = databases.altering.lock();
    if let (FileChange::Medium(medium), true) = (&change, is_closed(databases, db)) {
        alter_move::place_closed_file(databases, db, name, medium)?;
        return Ok(FileChanged::AtNextStart);
    }
    let file = databases.find_file(db, name)?;
    if let (FileChange::Size { .. } | FileChange::Medium(_), true) = (&change, databases.has_left(&file)) {
        return Err(AlterFileError::Emptied { name: file.name() });
    }
    match change {
        FileChange::Name(new) => rename(databases, ask, &file, &new)?,
        FileChange::Size { pages } => resize(databases, ask, &file, round_up(pages))?,
        FileChange::MaxSize { pages } => limit(databases, ask, &file, pages.map(round_down))?,
        FileChange::Growth(growth) => set_growth(databases, ask, &file, growth.rounded())?,
        FileChange::Medium(medium) => return alter_move::move_file(databases, ask, &file, medium),
    }
    Ok(FileChanged::Now)
}

fn rename(databases: &Databases, ask: &Ask<'_>, file: &StorageFile, new: &str) -> Result<(), AlterFileError> {
    if !(1..=NAME_CHARS_MAX).contains(&new.chars().count()) {
        return Err(TempdbConfigError::Name(new.into()).into());
    }
    let others = databases.services.volume.files(file.db()).into_iter().filter(|other| other.id() != file.id());
    if others.into_iter().any(|other| same_name(&other.name(), new)) {
        return Err(AlterFileError::NameInUse { name: new.into() });
    }
    store(databases, ask, file, |file| file.set_name(new), |spec| spec.name = new.into())
}

fn resize(databases: &Databases, ask: &Ask<'_>, file: &Arc<StorageFile>, pages: u32) -> Result<(), AlterFileError> {
    let (name, current_pages) = (file.name(), file.size_pages());
    if file.is_growing() {
        return Err(AlterFileError::IsGrowing { name });
    }
    if pages <= current_pages {
        return Err(AlterFileError::SizeNotLarger { name, current_pages });
    }
    if let Some(max_pages) = file.limits().max_pages.filter(|max_pages| pages > *max_pages) {
        return Err(AlterFileError::SizeAboveMax { name, max_pages });
    }
    let enlarge = |source| AlterFileError::Enlarge { name: name.clone(), source };
    let grown = match file.kind() {
        FileKind::Log => {
            let grown = file.grow_to(pages).map_err(enlarge)?;
            if let Some(log) = handle(databases, file.db())?.log {
                log.space.extend_file(file.id())?;
            }
            grown
        }
        FileKind::Data => {
            let handle = handle(databases, file.db())?;
            databases.space(file.db())?.supply.grow_file(ask, &handle, file, pages).map_err(|e| match e {
                GrowthError::Device(source) => enlarge(source),
                GrowthError::Maps(error) => error.into(),
            })?
        }
    };
    assert!(
        grown > current_pages && grown <= file.size_pages(),
        "'{name}' grew from {current_pages} pages to {grown}, and has {}",
        file.size_pages()
    );
    store(databases, ask, file, |file| file.set_configured_pages(grown), |spec| spec.size_pages = grown)?;
    if grown < pages {
        let wanted_bytes = u64::from(pages - grown) * 8192;
        return Err(enlarge(DeviceError::NoSpace { device: file.device().name(), wanted_bytes }));
    }
    Ok(())
}

fn handle(databases: &Databases, db: DbId) -> Result<DatabaseHandle, AlterFileError> {
    let database = databases.database(db).ok_or(AlterFileError::NoDatabase(db))?;
    Ok(database.handle()?.clone())
}

fn limit(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &StorageFile,
    max_pages: Option<u32>,
) -> Result<(), AlterFileError> {
    if max_pages.is_some_and(|max| max < file.size_pages()) {
        return Err(TempdbConfigError::MaxBelowSize(file.name()).into());
    }
    let limits = crate::file::growth::Limits { max_pages, ..file.limits() };
    store(databases, ask, file, |file| file.set_limits(limits), |spec| spec.max_pages = max_pages)
}

fn set_growth(databases: &Databases, ask: &Ask<'_>, file: &StorageFile, growth: Growth) -> Result<(), AlterFileError> {
    let limits = crate::file::growth::Limits { growth, ..file.limits() };
    if let (Growth::Pages(pages), Some(max)) = (growth, limits.max_pages)
        && pages > max
    {
        return Err(TempdbConfigError::GrowthAboveMax(file.name()).into());
    }
    store(databases, ask, file, |file| file.set_limits(limits), |spec| spec.growth = growth.into())
}

fn is_closed(databases: &Databases, db: DbId) -> bool {
    databases.database(db).is_some_and(|database| database.handle().is_err())
}

/// Makes a change that holds after a restart too: in the settings for tempdb, in the file's header for the others.
fn store(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &StorageFile,
    now: impl FnOnce(&StorageFile),
    next: impl FnOnce(&mut TempFileSpec),
) -> Result<(), AlterFileError> {
    assert!(databases.altering.is_locked(), "two change the files of {}", file.db());
    if file.db() == DbId::TEMPDB {
        databases.settings.change_tempdb(|files| {
            if let Some(spec) = files.iter_mut().find(|spec| spec.id() == file.id()) {
                next(spec);
            }
        })?;
        now(file);
        return Ok(());
    }
    alter_durable::store_durable(databases, ask, file, now)
}
