//! A checkpoint of one database.
//!
//! What always holds: one checkpoint of a database at a time; recovery begins later only when its data files are durable.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use parking_lot::MutexGuard;

use crate::ask::Ask;
use crate::check;
use crate::contract::{IoFailure, PageNo, WriteReason};
use crate::database::Database;
use crate::file::file_header::FileKind;
use crate::pace::Pace;
use crate::services::StorageServices;
use crate::wal::checkpoint::{self, CheckpointError};

/// Takes a checkpoint of a database; nothing to do for one without a log.
///
/// # Errors
/// [`CheckpointError`].
pub fn run_checkpoint(
    ask: &Ask<'_>,
    services: &StorageServices,
    database: &Database,
    reason: WriteReason,
) -> Result<(), CheckpointError> {
    run_checkpoint_over(ask, services, database, reason, &Pace::at_once())
}

/// As [`run_checkpoint`], with its writes spread by `pace`.
///
/// # Errors
/// [`CheckpointError`].
pub fn run_checkpoint_over(
    ask: &Ask<'_>,
    services: &StorageServices,
    database: &Database,
    reason: WriteReason,
    pace: &Pace<'_>,
) -> Result<(), CheckpointError> {
    let _one = {
        // The task that runs one may be writing to an emulated device.
        let _blocked = services.clock.block();
        database.lock_checkpoint()
    };
    run_checkpoint_locked(ask, services, database, reason, pace)
}

/// How long a wait for a checkpoint goes on without a look at whether it is to end.
const LOOK_AFTER: Duration = Duration::from_millis(20);

/// As [`Database::lock_checkpoint`]; `None` when the asker is cancelled before.
pub(crate) fn lock_checkpoint_unless_cancelled<'d>(
    ask: &Ask<'_>,
    database: &'d Database,
) -> Option<MutexGuard<'d, ()>> {
    database.checkpoint_waiters.fetch_add(1, Relaxed);
    let held = loop {
        match database.checkpointing.try_lock_for(LOOK_AFTER) {
            None if ask.task.is_cancelled() => break None,
            None => {}
            held => break held,
        }
    };
    database.checkpoint_waiters.fetch_sub(1, Relaxed);
    check!(held.is_none() || database.is_checkpointing(), "{}: a checkpoint's lock is held by nobody", database.id());
    held
}

/// As [`run_checkpoint_over`], for a caller that sees to it that no other runs.
///
/// # Errors
/// [`CheckpointError`].
pub fn run_checkpoint_locked(
    ask: &Ask<'_>,
    services: &StorageServices,
    database: &Database,
    reason: WriteReason,
    pace: &Pace<'_>,
) -> Result<(), CheckpointError> {
    let Ok(handle) = database.handle() else { return Ok(()) };
    assert!(database.is_checkpointing(), "two checkpoints of {} at a time", database.id());
    checkpoint::run(ask, handle, reason, pace, &mut || sync_data(services, database))?;
    Ok(())
}

/// As [`run_checkpoint_locked`], before a copy of the log from the checkpoint on: little of it is older.
///
/// # Errors
/// [`CheckpointError`].
pub fn run_checkpoint_for_copy(
    ask: &Ask<'_>,
    services: &StorageServices,
    database: &Database,
) -> Result<(), CheckpointError> {
    assert!(database.is_checkpointing(), "two checkpoints of {} at a time", database.id());
    let Ok(handle) = database.handle() else { return Ok(()) };
    checkpoint::run_in_fresh_part(ask, handle, &mut || sync_data(services, database))?;
    Ok(())
}

fn sync_data(services: &StorageServices, database: &Database) -> Result<(), IoFailure> {
    for file in services.volume.files(database.id()).iter().filter(|file| file.kind() == FileKind::Data) {
        file.device().sync().map_err(|error| file.failure(PageNo(0), error))?;
    }
    Ok(())
}
