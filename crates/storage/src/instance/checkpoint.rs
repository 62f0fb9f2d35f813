//! Checkpoints of an instance, the end of recovery, and shutdown.

use std::time::Duration;

use crate::ask::Ask;
use crate::contract::{DbId, PageId, WriteReason};
use crate::database::DatabaseState;
use crate::database::checkpoint::{run_checkpoint, run_checkpoint_over};
use crate::instance::Instance;
use crate::pace::Pace;
use crate::space::{ClaimReport, Reclaimed, SpaceError};
use crate::wal::checkpoint::CheckpointError;

impl Instance {
    /// CHECKPOINT: the dirty pages of a durable database are written while work goes on, and recovery begins later in its
    /// log. tempdb has nothing that a restart would need, so nothing is written there; nor for a database that is not
    /// open.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn checkpoint(&self, ask: &Ask<'_>, db: DbId) -> Result<(), CheckpointError> {
        let Some(database) = self.database(db) else { return Ok(()) };
        run_checkpoint(ask, &self.ground, &database, WriteReason::Checkpoint)
    }

    /// CHECKPOINT n: as [`Instance::checkpoint`], with its writes spread evenly over `duration`. When the
    /// task is cancelled or somebody else wants a checkpoint meanwhile, the rest is written at once.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn checkpoint_over(&self, ask: &Ask<'_>, db: DbId, duration: Duration) -> Result<(), CheckpointError> {
        let Some(database) = self.database(db) else { return Ok(()) };
        let pace = Pace::over(&*self.ground.clock, duration, database.checkpoint_waiters());
        run_checkpoint_over(ask, &self.ground, &database, WriteReason::Checkpoint, &pace)
    }

    /// The transactions of [`crate::database::Database::take_losers`] are undone: the database may be used from now on.
    ///
    /// # Errors
    /// [`CheckpointError`]; the database is online all the same, and recovery would begin where it did.
    pub fn finish_recovery(&self, ask: &Ask<'_>, db: DbId) -> Result<(), CheckpointError> {
        let Some(database) = self.database(db) else { return Ok(()) };
        if database.state() == DatabaseState::Recovering {
            assert!(!database.has_losers(), "{db} is used, and has transactions to undo");
            database.set_state(DatabaseState::Online);
        }
        run_checkpoint(ask, &self.ground, &database, WriteReason::Recovery)
    }

    /// Frees space of a durable database that no IAM chain beginning at `live` claims: what a crash left behind. Called
    /// after a start for which [`crate::database::Database::was_clean`] is false, before anybody else allocates.
    ///
    /// # Errors
    /// [`SpaceError`]; nothing is freed when a chain cannot be read.
    pub fn reclaim_orphans(&self, ask: &Ask<'_>, db: DbId, live: &[PageId]) -> Result<Reclaimed, SpaceError> {
        let Some(database) = self.database(db) else { return Ok(Reclaimed::default()) };
        let (Ok(space), Ok(handle)) = (database.space(), database.handle()) else { return Ok(Reclaimed::default()) };
        let reclaimed = space.reclaim_orphans(ask, handle, live)?;
        if let Some(log) = &handle.log {
            log.set_may_leak(false);
        }
        Ok(reclaimed)
    }

    /// Compares what the IAM chains claim that begin at `live` with the maps of a durable database (DBCC CHECKALLOC).
    /// Nobody allocates meanwhile.
    ///
    /// # Errors
    /// [`SpaceError`] when a chain cannot be read.
    pub fn check_claims(&self, ask: &Ask<'_>, db: DbId, live: &[PageId]) -> Result<ClaimReport, SpaceError> {
        let Some(database) = self.database(db) else { return Ok(ClaimReport::default()) };
        let (Ok(space), Ok(handle)) = (database.space(), database.handle()) else { return Ok(ClaimReport::default()) };
        space.check_claims(ask, handle, live)
    }

    /// Suspends automatic checkpoints, or resumes them (trace flag 3505); the option 'automatic checkpoints' does so too.
    pub fn suspend_checkpoints(&self, on: bool) {
        self.checkpointer.suspend(on);
    }

    /// SHUTDOWN; with `clean`, all databases are checkpointed and their logs closed, so that the next start has nothing
    /// to do; whoever still works gets errors. The files close when the instance is dropped.
    ///
    /// # Errors
    /// The first failure; the other databases are tried all the same.
    pub fn shutdown(&self, ask: &Ask<'_>, clean: bool) -> Result<(), CheckpointError> {
        if !clean {
            return Ok(());
        }
        let close = |db: DbId| -> Result<(), CheckpointError> {
            self.checkpoint(ask, db)?;
            let database = self.database(db);
            if let Some(Ok(Some(log))) = database.as_ref().map(|database| database.log()) {
                log.close(ask)?;
            }
            Ok(())
        };
        let results: Vec<_> = self.all_databases().iter().map(|database| close(database.id())).collect();
        let is_kept = self.close_extension(ask).map_err(CheckpointError::from);
        results.into_iter().chain([is_kept]).collect()
    }
}
