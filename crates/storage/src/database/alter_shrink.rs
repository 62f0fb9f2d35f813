//! DBCC SHRINKFILE and SHRINKDATABASE: free space at the end of a data file goes back to its medium. No page moves.
//!
//! ```text
//!   space gives nothing there any more ──▶ maps, size in the header (log) ──▶ checkpoint ──▶ device shorter
//! ```
//!
//! What always holds: no log that a start redoes speaks of pages after the end, and a file that a crash left longer than its header
//! says is as after a growth that was interrupted: the start takes it as it is.

use crate::ask::Ask;
use crate::contract::{DbId, PAGE_BYTES, WriteReason};
use crate::database::checkpoint::run_checkpoint_locked;
use crate::database::databases::Databases;
use crate::database::file_change::AlterFileError;
use crate::database::snapshot_files::snapshots_of;
use crate::file::file_header::FileKind;
use crate::pace::Pace;

/// Gives back the free space at the end of a file, but for its first `least_pages`; returns its size from then on. What cannot become
/// shorter keeps its size: a log, files of tempdb, those of a database that has snapshots, which read in them.
///
/// # Errors
/// [`AlterFileError`]; the file is then no smaller, or what is free at its end is used when it grows again.
pub fn shrink_file(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    name: &str,
    least_pages: u32,
) -> Result<u32, AlterFileError> {
    let _altering = databases.altering.lock();
    let file = databases.find_file(db, name)?;
    if db == DbId::TEMPDB || file.kind() == FileKind::Log || !snapshots_of(databases, db).is_empty() {
        return Ok(file.size_pages());
    }
    let database = databases.durable_database(db)?;
    Databases::check_files_are_own(&database)?;
    let _no_backup = database.file_work.begin_change().ok_or(AlterFileError::Serialized)?;
    let _one = {
        let _blocked = databases.services.clock.block();
        database.lock_checkpoint()
    };
    let (handle, space) = (database.handle()?, database.space()?);
    space.supply.cut_file(ask, handle, &file, least_pages, |pages| -> Result<(), AlterFileError> {
        run_checkpoint_locked(ask, &databases.services, &database, WriteReason::Checkpoint, &Pace::at_once())?;
        // A medium that refuses keeps the file as long as it is; what is there is used when the file grows.
        let _ = file.device().set_len(u64::from(pages) * PAGE_BYTES as u64);
        Ok(())
    })?;
    Ok(file.size_pages())
}
