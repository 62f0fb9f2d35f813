//! Records that the threads of a plan store themselves, each its own, instead of handing them to the session's thread.
//!
//! Who runs the plan gives a [`Placer`] for the run; the partitions of the plan's top take a part of it each. A part is
//! gone when its partition has ended, and so all parts are when the run is over, whatever happened.

use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;

/// Stores the records of a run.
pub trait Placer: Send + Sync {
    /// For the records of one partition.
    fn part(&self) -> Box<dyn PlacePart>;
}

/// Stores the records of one partition.
pub trait PlacePart: Send {
    /// Stores some records.
    fn add(&mut self, context: &RunContext, records: &mut dyn ExactSizeIterator<Item = &[u8]>) -> SqlResult<()>;

    /// The partition has no more records. Not called where the run ends early.
    fn end(self: Box<Self>, context: &RunContext) -> SqlResult<()>;
}
