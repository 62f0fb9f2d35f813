//! Records that the threads of a plan store themselves, each its own, instead of handing them to the session's thread.
//!
//! The caller that runs the plan gives a [`ParallelInserter`] for the run; each partition of the plan's top takes an
//! [`InserterPartition`] of it, which is dropped when the partition has ended: all are when the run is over, whatever happened.

use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;

/// Stores the records of a run.
pub trait ParallelInserter: Send + Sync {
    /// For the records of one partition.
    fn part(&self) -> Box<dyn InserterPartition>;
}

/// Stores the records of one partition.
pub trait InserterPartition: Send {
    /// Stores some records.
    fn add(&mut self, context: &RunContext, records: &mut dyn ExactSizeIterator<Item = &[u8]>) -> SqlResult<()>;

    /// The partition has no more records. Not called where the run ends early.
    fn end(self: Box<Self>, context: &RunContext) -> SqlResult<()>;
}
