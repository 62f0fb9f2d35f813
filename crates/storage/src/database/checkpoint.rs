//! A checkpoint of one database.
//!
//! What always holds: one checkpoint of a database at a time; recovery begins later only when its data files are durable.

use crate::ask::Ask;
use crate::contract::{PageNo, WriteReason};
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
    checkpoint::run(ask, handle, reason, pace, &mut || {
        for file in services.volume.files(database.id()).iter().filter(|file| file.kind() == FileKind::Data) {
            file.device().sync().map_err(|error| file.failure(PageNo(0), error))?;
        }
        Ok(())
    })?;
    Ok(())
}
