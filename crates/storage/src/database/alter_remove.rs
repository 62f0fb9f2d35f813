//! REMOVE FILE and DBCC SHRINKFILE (…, EMPTYFILE).
//!
//! ```text
//!   tempdb   closed ─▶ places in other files ─▶ copied ─▶ gate closed: rest, list: without it ─▶ old file deleted
//! ```
//!
//! What always holds: a data file of tempdb goes with pages in use, which keep their numbers and lie in other files from then on
//! (`remap`, `space::departure`); while there is no room for them it is waited until they are fewer. A file that does not
//! go gives space as before. A file of a durable database goes when it is empty.

use std::sync::Arc;

use crate::ask::Ask;
use crate::contract::{DbId, WriteReason};
use crate::database::alter_durable;
use crate::database::databases::Databases;
use crate::database::file_change::AlterFileError;
use crate::file::file_header::FileKind;
use crate::file::switchable_file::{MoveError, MovePlan};
use crate::file::{ChargedElsewhere, StorageFile};
use crate::settings::SettingsError;
use crate::space::SpaceError;
use crate::tempdb::undo_log::LogError;

/// How often a file that is to go is looked at.
const REMOVE_STEP_US: u64 = 10_000;
/// How many looks there are from one search for room to the next.
const SEARCH_LOOKS: u32 = 50;

/// REMOVE FILE: nothing more is allocated in the file from now on; it goes and is deleted. Pages of a file of tempdb that
/// are in use move to other files; if these have no room, the file has `patience_us` to become empty or they to have
/// room. One that does not go then gives space again.
///
/// # Errors
/// [`AlterFileError`].
pub fn remove_file(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    name: &str,
    patience_us: u64,
) -> Result<(), AlterFileError> {
    if db != DbId::TEMPDB {
        let _altering = databases.altering.lock();
        let file = find_removable(databases, db, name)?;
        return alter_durable::remove_durable_file(databases, ask, db, &file);
    }
    with_patience(databases, ask, name, patience_us, |searches| {
        let _altering = databases.altering.lock();
        let file = find_removable(databases, db, name)?;
        remove_temporary(databases, ask, &file, searches)
    })
}

/// DBCC SHRINKFILE (…, EMPTYFILE): nothing more is allocated in the file, and what is in use moves to other files of
/// tempdb, as [`remove_file`] does; says whether it can be removed now. A file of a durable database that is
/// not empty gives space as before.
///
/// # Errors
/// [`AlterFileError`].
pub fn empty_file(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    name: &str,
    patience_us: u64,
) -> Result<bool, AlterFileError> {
    if db != DbId::TEMPDB {
        let _altering = databases.altering.lock();
        let file = find_removable(databases, db, name)?;
        let database = databases.durable_database(db)?;
        let _no_backup = database.file_work.begin_change().ok_or(AlterFileError::Serialized)?;
        let is_empty = close(databases, &file)?;
        if let (false, FileKind::Data) = (is_empty, file.kind()) {
            let _ = databases.space(db)?.supply.close_file(file.id(), false);
        }
        return Ok(is_empty);
    }
    with_patience(databases, ask, name, patience_us, |searches| {
        let _altering = databases.altering.lock();
        let file = find_removable(databases, db, name)?;
        if file.kind() == FileKind::Log {
            empty_log(databases, ask, &file)?;
        } else if !close(databases, &file)? && !databases.has_left(&file) {
            move_out(databases, ask, &file, searches, || Ok(()))?;
        }
        Ok(true)
    })
}

/// Tries until there is room or the time is over; `attempt` gets whether to look for it this time.
fn with_patience<R>(
    databases: &Databases,
    ask: &Ask<'_>,
    name: &str,
    patience_us: u64,
    mut attempt: impl FnMut(bool) -> Result<R, AlterFileError>,
) -> Result<R, AlterFileError> {
    let end_us = databases.services.clock.now_us().saturating_add(patience_us);
    for look in 0u32.. {
        match attempt(look.is_multiple_of(SEARCH_LOOKS)) {
            Err(AlterFileError::NotEmpty { .. })
                if !ask.task.is_cancelled() && databases.services.clock.now_us() < end_us => {}
            Err(error) => {
                if let Ok(file) = databases.find_file(DbId::TEMPDB, name) {
                    // The primary file was never closed.
                    let _ = databases.tempdb.space.supply.close_file(file.id(), false);
                }
                return Err(error);
            }
            Ok(result) => return Ok(result),
        }
        databases.services.clock.rest_until_us(databases.services.clock.now_us() + REMOVE_STEP_US);
    }
    unreachable!("patience ends before 2^32 looks of 10 ms")
}

/// A file that is not one of the first two.
fn find_removable(databases: &Databases, db: DbId, name: &str) -> Result<Arc<StorageFile>, AlterFileError> {
    databases.check_may_change(db)?;
    let file = databases.find_file(db, name)?;
    match file.id().0 <= 2 {
        true => Err(AlterFileError::Primary { name: file.name() }),
        false => Ok(file),
    }
}

/// Nothing more is allocated in the file; says whether nothing of it is in use.
fn close(databases: &Databases, file: &StorageFile) -> Result<bool, AlterFileError> {
    if file.kind() == FileKind::Log {
        return Ok(false);
    }
    assert!(file.id().0 > 2, "{} loses one of its first two files", file.db());
    let closed = databases.space(file.db())?.supply.close_file(file.id(), true);
    closed.map_err(|_| AlterFileError::Primary { name: file.name() })
}

fn remove_temporary(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &Arc<StorageFile>,
    searches: bool,
) -> Result<(), AlterFileError> {
    let not_empty = || AlterFileError::NotEmpty { name: file.name() };
    let store = || databases.settings.change_tempdb(|files| files.retain(|spec| spec.id() != file.id()));
    if file.kind() == FileKind::Log {
        empty_log(databases, ask, file)?;
        if let Err(error) = store() {
            databases.tempdb.undo_log.keep_file(file.id());
            return Err(error.into());
        }
        assert!(
            databases.settings.tempdb_files().iter().all(|spec| spec.id() != file.id()),
            "'{}' goes, and the next start would look for it",
            file.name()
        );
        databases.tempdb.undo_log.forget_file(file.id());
        databases.services.throw_away(file);
        return Ok(());
    }
    let (is_empty, has_left) = (close(databases, file)?, databases.has_left(file));
    if is_empty && !has_left {
        databases.tempdb.space.remove_file(file.id()).map_err(|_| not_empty())?;
        let stored = store();
        databases.services.throw_away(file);
        return Ok(stored?);
    }
    let (medium, device) = (file.medium(), file.device().name());
    match has_left {
        true => store()?,
        false => move_out(databases, ask, file, searches, store)?,
    }
    assert!(databases.has_left(file), "'{}' goes, and its pages lie nowhere else", file.name());
    databases.services.volume.retire(file);
    // From here on the file is gone, whatever becomes of the maps of its last free extents.
    let _ = databases.tempdb.space.let_file_go(ask, &databases.services.pool, file.id());
    databases.services.forget_place(&medium, &device);
    Ok(())
}

fn empty_log(databases: &Databases, ask: &Ask<'_>, file: &StorageFile) -> Result<(), AlterFileError> {
    databases.tempdb.undo_log.empty_file(ask, file.id()).map_err(|error| match error {
        LogError::Io(failure) => AlterFileError::Pool(failure.into()),
        _ => AlterFileError::NotEmpty { name: file.name() },
    })
}

/// Moves what is in use of a closed data file into other files; `store` notes it while the file is not used.
fn move_out(
    databases: &Databases,
    ask: &Ask<'_>,
    file: &Arc<StorageFile>,
    searches: bool,
    store: impl FnOnce() -> Result<(), SettingsError>,
) -> Result<(), AlterFileError> {
    let not_empty = || AlterFileError::NotEmpty { name: file.name() };
    if !searches {
        return Err(not_empty());
    }
    let (space, pool) = (&databases.tempdb.space, &databases.services.pool);
    let remap = space.remap_file(ask, pool, file.id()).map_err(|error| match error {
        SpaceError::Full { .. } => not_empty(),
        SpaceError::Pool(error) => error.into(),
        SpaceError::Log(error) => error.into(),
    })?;
    let ranges = |_| remap.ranges();
    let plan = MovePlan {
        to: remap.clone(),
        ranges: &ranges,
        is_durable: false,
        is_cancelled: &|| ask.task.is_cancelled(),
        wrote: &|offset_bytes, bytes| remap.charge(ask, WriteReason::Move, offset_bytes, bytes),
        tries_again: true,
    };
    let moved = file.device().move_to(&plan, || {
        store()?;
        assert!(databases.has_left(file), "'{}' has no places in other files", file.name());
        file.set_elsewhere(remap.clone());
        Ok(())
    });
    let error = match moved {
        Ok(old) => {
            // Its room is free at once, also while a process has it open; it is not read any more.
            let _ = old.set_len(0);
            databases.services.volume.leave(file.path(), old.meter().reading());
            return Ok(());
        }
        Err(MoveError::Device(source)) => AlterFileError::Move { name: file.name(), source },
        Err(MoveError::Cancelled) => AlterFileError::Cancelled { name: file.name() },
        Err(MoveError::Commit(error)) => AlterFileError::Settings(error),
    };
    // The error to report is that of the move.
    let _ = space.forget_remap(ask, pool, file.id());
    Err(error)
}
