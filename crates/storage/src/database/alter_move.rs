//! Files move to another place while their database is used.
//!
//! ```text
//!   durable   list: spare = new ─▶ new file made ─▶ copied ─▶ gate closed: rest, sync, list: path = new, spare = old
//!             ─▶ gate opened ─▶ old file deleted ─▶ list: no spare
//!   tempdb    new file made ─▶ copied ─▶ gate closed: rest, list: path = new ─▶ gate opened ─▶ old file deleted
//! ```
//!
//! What always holds: the list names one place of each file, and what lies there is whole. At any other place that a crash
//! may leave, the list names a spare, which the next start deletes if it carries the database's mark. When the list cannot
//! be stored, the new place is deleted, so that it cannot be taken for the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, EXTENT_PAGES, FileId, PAGE_BYTES, WriteReason};
use crate::database::databases::Databases;
use crate::database::file_change::{AlterFileError, FileChanged, of_open};
use crate::database::files::{FileOwner, delete_remains};
use crate::file::file_header::FileKind;
use crate::file::switchable_file::{MoveError, MovePlan};
use crate::file::{Medium, StorageFile};
use crate::open_error::problem_of_opening;
use crate::settings::databases::StoredFile;
use crate::settings::tempdb::DeviceKind;
use crate::settings::{Settings, SettingsError};
use crate::tempdb::create::{NewPlace, Replace, prepare, resolve};

/// FILENAME: moves an open file. A database that is not open has its files looked for there from now on.
pub(crate) fn move_file(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &Arc<StorageFile>,
    medium: Medium,
) -> Result<FileChanged, AlterFileError> {
    if file.db() == DbId::TEMPDB {
        move_temporary(databases, ask, file, medium)?;
        return Ok(FileChanged::Moved);
    }
    match medium {
        Medium::Ram => Err(AlterFileError::FilesAreFixed(file.db())),
        Medium::File(path) => {
            databases.durable_database(file.db())?;
            move_durable(databases, ask, file, &path)?;
            Ok(FileChanged::Moved)
        }
    }
}

/// The place where a closed file is looked for when its database is opened next.
pub(crate) fn place_closed_file(
    databases: &Databases,
    db: DbId,
    name: &str,
    medium: &Medium,
) -> Result<(), AlterFileError> {
    assert!(databases.services.volume.files(db).is_empty(), "{db} is open, and its files are looked for elsewhere");
    let entry = databases.settings.stored_databases().into_iter().find(|entry| entry.id() == db);
    let entry = entry.ok_or(AlterFileError::NoDatabase(db))?;
    let is_named = |file: &&StoredFile| crate::database::plan::same_name(&file.name, name);
    let no_file = || AlterFileError::NoFile { name: name.into() };
    let id = entry.files.iter().find(is_named).ok_or_else(no_file)?.id();
    let Medium::File(path) = medium else { return Err(AlterFileError::FilesAreFixed(db)) };
    let path = databases.services.stored_path(&check_durable_place(databases, (db, id), path)?);
    Ok(change_stored_file(databases, (db, id), |stored| stored.path = path)?)
}

fn move_temporary(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &Arc<StorageFile>,
    medium: Medium,
) -> Result<(), AlterFileError> {
    let path = match medium {
        Medium::Ram => None,
        Medium::File(path) => Some(check_path(databases, file, path)?),
    };
    let resolved = path.as_ref().map(|path| resolve(databases.services.dir.as_deref(), path));
    if file.path() == resolved {
        return Ok(());
    }
    let mut specs = databases.settings.tempdb_files();
    let spec = specs.iter_mut().find(|spec| spec.id() == file.id()).expect("open files of tempdb are in the list");
    spec.device = if path.is_some() { DeviceKind::File } else { DeviceKind::Ram };
    spec.path = path;
    let (media, dir) = (&*databases.services.media, databases.services.dir.as_deref());
    let prepared = prepare(media, dir, spec, Replace::TempdbFile).map_err(of_open)?;
    let new = prepared.open_empty(&databases.services).map_err(of_open)?;
    let store = || {
        databases.settings.change_tempdb(|files| {
            for stored in files.iter_mut().filter(|stored| stored.id() == file.id()) {
                (stored.device, stored.path) = (spec.device, spec.path.clone());
            }
        })
    };
    let (old_medium, old_name) = (file.medium(), file.device().name());
    carry(databases, ask, file, &new, false, store)?;
    assert!(file.medium() == new.medium, "'{}' moved, and is not at its new place", file.name());
    if !file.is_ram() {
        // A file that lay in memory had its mark in the pool only. A mark that cannot be written is missed by the
        // next start, which knows the place as its own all the same.
        let _ = file.write_header(ask);
    }
    databases.services.forget_place(&old_medium, &old_name);
    Ok(())
}

fn move_durable(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &Arc<StorageFile>,
    path: &Path,
) -> Result<(), AlterFileError> {
    let key = (file.db(), file.id());
    let resolved = check_durable_place(databases, key, path)?;
    let database = databases.durable_database(file.db())?;
    if file.path().as_ref() == Some(&resolved) || Path::new(&*file.device().name()) == resolved {
        return Ok(());
    }
    let is_open = |open: &Arc<StorageFile>| open.path().as_ref() == Some(&resolved);
    if databases.services.exists(&resolved) && !databases.services.volume.all().iter().any(is_open) {
        delete_remains(&databases.services, &resolved, FileOwner { db: file.db(), guid: database.guid() });
    }
    if databases.services.exists(&resolved) {
        return Err(AlterFileError::FileExists { path: resolved });
    }
    let (old_path, new_path) = (stored_place(&databases.settings, key)?, databases.services.stored_path(&resolved));
    assert!(
        databases.services.resolve(&old_path) != databases.services.resolve(&new_path),
        "a file moves to where it is: {}",
        old_path.display()
    );
    change_stored_file(databases, key, |stored| stored.spare = Some(new_path.clone()))?;
    let moved = copy_durable(databases, ask, file, &resolved, (&old_path, &new_path));
    if moved.is_ok() {
        assert!(
            stored_place(&databases.settings, key).is_ok_and(|place| place == new_path),
            "the old place {} goes, and the list names it",
            old_path.display()
        );
        databases.services.remove(&databases.services.resolve(&old_path));
        // Not durable yet, the old file may come back with a power failure: then it is a spare.
        let _ = databases.services.sync_dirs(std::iter::once(&*databases.services.resolve(&old_path)));
    }
    let forgotten = change_stored_file(databases, key, |stored| stored.spare = None);
    moved?;
    Ok(forgotten?)
}

fn copy_durable(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &Arc<StorageFile>,
    resolved: &Path,
    (old_path, new_path): (&PathBuf, &PathBuf),
) -> Result<(), AlterFileError> {
    let key = (file.db(), file.id());
    let refused = |error| AlterFileError::Create { path: resolved.to_path_buf(), reason: problem_of_opening(error) };
    let device = databases.services.create(resolved).map_err(refused)?;
    if let Err(error) = databases.services.sync_dirs(std::iter::once(resolved)) {
        databases.services.remove(resolved);
        return Err(refused(error));
    }
    device.pass_cache();
    let new = NewPlace { medium: databases.services.medium_of(resolved), device };
    let store = || {
        change_stored_file(databases, key, |stored| {
            (stored.path, stored.spare) = (new_path.clone(), Some(old_path.clone()));
        })
    };
    let moved = carry(databases, ask, file, &new, true, store);
    if moved.is_err() {
        // The list may say either if storing it failed half way: then the old place is said again.
        let _ = change_stored_file(databases, key, |stored| {
            (stored.path, stored.spare) = (old_path.clone(), Some(new_path.clone()));
        });
    }
    moved
}

/// Copies a file to its new place and switches to it; a new place that is not taken is deleted.
fn carry(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &Arc<StorageFile>,
    new: &NewPlace,
    is_durable: bool,
    store: impl FnOnce() -> Result<(), SettingsError>,
) -> Result<(), AlterFileError> {
    let plan = MovePlan {
        to: new.device.clone(),
        ranges: &|bytes| ranges_to_copy(databases, file, bytes),
        is_durable,
        is_cancelled: &|| ask.task.is_cancelled(),
        wrote: &|_, bytes| file.charge(ask, WriteReason::Move, bytes),
        tries_again: false,
    };
    assert!(new.device.len_bytes() == 0, "'{}' moves to a place where something is", file.name());
    let (place, left) = (new.medium.clone(), file.path());
    let moved = file.device().move_to(&plan, || {
        store()?;
        file.set_medium(place);
        Ok(())
    });
    let error = match moved {
        Ok(old) => {
            // Its room is free at once, also while a process has it open; it is not read any more.
            let _ = old.set_len(0);
            databases.services.volume.leave(left, old.meter().reading());
            return Ok(());
        }
        Err(MoveError::Device(source)) => AlterFileError::Move { name: file.name(), source },
        Err(MoveError::Cancelled) => AlterFileError::Cancelled { name: file.name() },
        Err(MoveError::Commit(error)) => AlterFileError::Settings(error),
    };
    assert!(file.medium() != new.medium, "'{}' lies at a place that is deleted", file.name());
    databases.services.forget_place(&new.medium, new.device.name());
    Err(error)
}

/// Of a data file of tempdb only what is allocated is worth copying, of any other file all.
fn ranges_to_copy(databases: &Databases, file: &StorageFile, bytes: u64) -> Vec<std::ops::Range<u64>> {
    if file.db() != DbId::TEMPDB || file.kind() == FileKind::Log {
        return std::iter::once(0..bytes).collect();
    }
    let extent_bytes = u64::from(EXTENT_PAGES) * PAGE_BYTES as u64;
    let extents = databases.tempdb.space.supply.allocated_extents().into_iter().filter(|(id, _)| *id == file.id());
    let range = |extent: u32| u64::from(extent) * extent_bytes..(u64::from(extent) + 1) * extent_bytes;
    let ranges: Vec<_> = extents.flat_map(|(_, extents)| extents).map(|extent| range(extent.0)).collect();
    check!(
        ranges.iter().all(|range| range.end <= file.device().len_bytes()),
        "an extent of '{}' lies after its end",
        file.name()
    );
    ranges
}

/// Where a file of a durable database may go: its directory exists, and no file is listed there.
fn check_durable_place(databases: &Databases, key: (DbId, FileId), path: &Path) -> Result<PathBuf, AlterFileError> {
    let resolved = databases.services.resolve(path);
    if !databases.services.has_directory(&resolved)
        || databases.services.media.is_dir(&resolved) && databases.services.exists(&resolved)
    {
        return Err(AlterFileError::NoDirectory { path: resolved });
    }
    let services = &databases.services;
    let identity = services.identity(&resolved);
    let mut others = databases.settings.stored_databases().into_iter().flat_map(|entry| {
        let db = entry.id();
        entry.files.into_iter().map(move |other| ((db, other.id()), other.path))
    });
    let is_it = |path: &Path| services.identity(&services.resolve(path)) == identity;
    let is_taken = others.any(|(other, path)| other != key && is_it(&path))
        || databases.settings.tempdb_files().iter().any(|spec| spec.path.as_deref().is_some_and(is_it));
    if is_taken { Err(AlterFileError::FileExists { path: resolved }) } else { Ok(resolved) }
}

fn stored_place(settings: &Settings, (db, id): (DbId, FileId)) -> Result<PathBuf, AlterFileError> {
    let entry = settings.stored_databases().into_iter().find(|entry| entry.id() == db);
    let file = entry.and_then(|entry| entry.files.into_iter().find(|file| file.id() == id));
    Ok(file.ok_or(AlterFileError::NoDatabase(db))?.path)
}

fn change_stored_file(
    databases: &Databases,
    (db, id): (DbId, FileId),
    change: impl FnOnce(&mut StoredFile),
) -> Result<(), SettingsError> {
    databases.settings.change_databases(|list| {
        let files = list.iter_mut().filter(|entry| entry.id() == db).flat_map(|entry| &mut entry.files);
        if let Some(file) = files.into_iter().find(|file| file.id() == id) {
            change(file);
        }
    })
}

/// A place for a file of tempdb: its directory must exist, and no other file of tempdb may be going there.
pub(crate) fn check_path(databases: &Databases, file: &StorageFile, path: PathBuf) -> Result<PathBuf, AlterFileError> {
    let resolved = resolve(databases.services.dir.as_deref(), &path);
    if !resolved.parent().is_some_and(|dir| databases.services.media.is_dir(dir)) || resolved.is_dir() {
        return Err(AlterFileError::NoDirectory { path: resolved });
    }
    let others = databases.settings.tempdb_files().into_iter().filter(|spec| spec.id() != file.id());
    let mut taken = others.filter_map(|spec| spec.path).map(|other| resolve(databases.services.dir.as_deref(), &other));
    if taken.any(|other| other == resolved) {
        return Err(AlterFileError::FileExists { path: resolved });
    }
    Ok(path)
}
