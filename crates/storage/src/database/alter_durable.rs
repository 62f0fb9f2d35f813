//! Files of durable databases are added, changed and removed.
//!
//! ```text
//!   add      file made, synced ──▶ list ──▶ its header and maps into the log ──▶ log or space uses it
//!   remove   space or log lets go of it ──▶ checkpoint ──▶ list ──▶ deleted
//!   change   header page, through the log ──▶ list (names and places)
//! ```
//!
//! What always holds: the list names every file that space or log uses. A file that a crash left outside the list carries
//! the database's mark and gives way when a file is to be made there. The log says all that a new data file has: a restore of log
//! backups makes it of that.

use std::path::PathBuf;
use std::sync::Arc;

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, PageId, PageKind, WriteReason};
use crate::database::Database;
use crate::database::boot_page::BootFacts;
use crate::database::checkpoint::run_checkpoint;
use crate::database::databases::Databases;
use crate::database::file_change::AlterFileError;
use crate::database::files::{FileOwner, FilePlan, delete_remains, make_file, sync_all};
use crate::database::snapshot_files::snapshots_of;
use crate::extension::key_of;
use crate::file::StorageFile;
use crate::file::file_header::{FileHeader, FileKind, HEADER_PAGE};
use crate::open_error::FileFailure;
use crate::page::header::LogPos;
use crate::pool::Durability;
use crate::settings::SettingsError;
use crate::settings::databases::{StoredDatabase, StoredFile};
use crate::space::map_init::make_maps;
use crate::space::map_pages::MapPages;
use crate::space::state::InUse;

/// Makes a planned file part of the database.
pub(crate) fn add_durable_file(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    plan: &FilePlan,
) -> Result<(), AlterFileError> {
    let database = databases.durable_database(db)?;
    let _no_backup = database.file_work.begin_change().ok_or(AlterFileError::Serialized)?;
    let owner = FileOwner { db, guid: database.guid() };
    if !databases.services.has_directory(&plan.path) {
        return Err(AlterFileError::NoDirectory { path: plan.path.clone() });
    }
    let is_known = |path: &PathBuf| databases.services.volume.files(db).iter().any(|f| f.path().as_ref() == Some(path));
    if databases.services.exists(&plan.path) && !is_known(&plan.path) {
        delete_remains(&databases.services, &plan.path, owner);
    }
    if databases.services.exists(&plan.path) {
        return Err(AlterFileError::FileExists { path: plan.path.clone() });
    }
    let file = make_durable_file(databases, ask, owner, &database, plan)?;
    if let Err(error) = use_durable_file(databases, ask, &database, &file, plan) {
        databases.services.throw_away(&file);
        return Err(error);
    }
    Ok(())
}

fn make_durable_file(
    databases: &Databases,
    ask: &Ask<'_>,
    owner: FileOwner,
    database: &Database,
    plan: &FilePlan,
) -> Result<Arc<StorageFile>, AlterFileError> {
    let boot: BootFacts = database.boot();
    let failure = |reason| FileFailure { path: plan.path.clone(), reason };
    let file = make_file(ask, &databases.services, owner, &database.name(), plan, &boot).map_err(failure)?;
    sync_all(std::slice::from_ref(&file))?;
    databases.services.sync_dirs(std::iter::once(plan.path.as_path())).map_err(|error| failure(error.into()))?;
    file.device().pass_cache();
    Ok(file)
}

fn use_durable_file(
    databases: &Databases,
    ask: &Ask<'_>,
    database: &Database,
    file: &Arc<StorageFile>,
    plan: &FilePlan,
) -> Result<(), AlterFileError> {
    let db = database.id();
    let stored = StoredFile {
        file_id: plan.id.0,
        name: plan.name.clone(),
        path: databases.services.stored_path(&plan.path),
        log: plan.kind == FileKind::Log,
        spare: None,
    };
    databases.services.volume.add(file.clone());
    change_entry(databases, db, |entry| entry.files.push(stored))?;
    assert!(
        databases
            .entry(db)
            .is_some_and(|entry| entry.files.iter().filter(|other| other.id() == file.id()).count() == 1),
        "{db}: the list names file {} once, before space or log uses it",
        file.id()
    );
    let used = match (file.kind(), database.log()?) {
        (FileKind::Data, _) => {
            databases.services.pool.attach_file(db, file.id(), Durability::Durable);
            databases.services.pool.tier().adopt(
                &databases.services.pool.buffers().files,
                db,
                file.id(),
                key_of(&file.guid()),
                LogPos(0),
                false,
            );
            log_new_file(ask, database, file).and_then(|()| {
                database.space()?.supply.add_file(file);
                Ok(())
            })
        }
        (FileKind::Log, Some(log)) => log.space.add_file(file.clone()).map_err(AlterFileError::from),
        (FileKind::Log, None) => Ok(()),
    };
    if used.is_err() {
        change_entry(databases, db, |entry| entry.files.retain(|other| other.file_id != plan.id.0))?;
    }
    used
}

/// Puts the header and the maps of a new file, which has them, into the log.
fn log_new_file(ask: &Ask<'_>, database: &Database, file: &StorageFile) -> Result<(), AlterFileError> {
    let handle = database.handle()?;
    let page = PageId { db: file.db(), file: file.id(), page: HEADER_PAGE };
    let header = FileHeader { size_pages: file.size_pages(), ..file.header() };
    check!(file.kind() == FileKind::Data, "{}: the pages of log file {} are logged", file.db(), file.id());
    handle.create_map(ask, page, PageKind::FileHeader, &mut |bytes| header.put(bytes))?;
    make_maps(ask, handle, (file.db(), file.id()), 0, header.size_pages)?;
    if let Some(log) = &handle.log {
        log.make_durable(ask, log.end_lsn())?;
    }
    Ok(())
}

/// Removes an empty file that is not one of the first two.
pub(crate) fn remove_durable_file(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    file: &Arc<StorageFile>,
) -> Result<(), AlterFileError> {
    let database = databases.durable_database(db)?;
    let _no_backup = database.file_work.begin_change().ok_or(AlterFileError::Serialized)?;
    let has = |entry: &StoredDatabase| entry.files.iter().any(|stored| stored.id() == file.id());
    if snapshots_of(databases, db).iter().any(has) {
        return Err(AlterFileError::OfSource { name: file.name() });
    }
    assert!(file.id().0 > 2, "{db} loses one of its first two files");
    let not_empty = || AlterFileError::NotEmpty { name: file.name() };
    match (file.kind(), database.log()?) {
        (FileKind::Log, Some(log)) => log.space.remove_file(file.id()).map_err(|_| not_empty())?,
        (FileKind::Log, None) => {}
        (FileKind::Data, _) => database.space()?.remove_file(file.id()).map_err(|in_use| match in_use {
            InUse::Primary => AlterFileError::Primary { name: file.name() },
            InUse::NotEmpty => not_empty(),
        })?,
    }
    // From here on recovery does not need its pages.
    run_checkpoint(ask, &databases.services, &database, WriteReason::Checkpoint)?;
    assert!(!file.is_growing(), "{db}: file {} goes, and is growing", file.id());
    change_entry(databases, db, |entry| entry.files.retain(|other| other.file_id != file.id().0))?;
    databases.services.throw_away(file);
    Ok(())
}

/// Makes a change of a file's header that holds after a restart too.
pub(crate) fn store_durable(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &StorageFile,
    change: impl FnOnce(&StorageFile),
) -> Result<(), AlterFileError> {
    let database = databases.durable_database(file.db())?;
    let before = file.header();
    change(file);
    assert!(
        {
            let now = file.header();
            (now.db, now.file, now.file_guid) == (before.db, before.file, before.file_guid)
        },
        "a change of its header makes another file of {}",
        before.name
    );
    let stored = match file.kind() {
        FileKind::Data => log_header(ask, &database, file),
        FileKind::Log => file
            .write_header(ask)
            .and_then(|()| file.device().sync())
            .map_err(|source| AlterFileError::Enlarge { name: before.name.clone(), source }),
    };
    if stored.is_err() {
        file.take_header(&before);
        return stored;
    }
    let name = file.name();
    if name != before.name {
        change_entry(databases, file.db(), |entry| {
            let own = entry.files.iter_mut().filter(|other| other.id() == file.id());
            own.for_each(|other| other.name.clone_from(&name));
        })?;
    }
    Ok(())
}

fn log_header(ask: &Ask<'_>, database: &Database, file: &StorageFile) -> Result<(), AlterFileError> {
    let handle = database.handle()?;
    let page = PageId { db: file.db(), file: file.id(), page: HEADER_PAGE };
    handle.update_map(ask, page, &mut |bytes| {
        // What the maps reach to is the space's business.
        let size_pages = FileHeader::parse(bytes).map_or(file.size_pages(), |header| header.size_pages);
        FileHeader { size_pages, ..file.header() }.put(bytes);
    })?;
    if let Some(log) = &handle.log {
        log.make_durable(ask, log.end_lsn())?;
    }
    Ok(())
}

fn change_entry(
    databases: &Databases,
    db: DbId,
    change: impl FnOnce(&mut StoredDatabase),
) -> Result<(), SettingsError> {
    assert!(databases.altering.is_locked(), "{db}: two change the list of its files");
    assert!(databases.entry(db).is_some(), "{db} has files and no entry");
    databases.settings.change_databases(|list| {
        if let Some(entry) = list.iter_mut().find(|entry| entry.id() == db) {
            change(entry);
        }
    })
}
