#![doc = include_str!("../README.md")]
//!
//! ```text
//!   sort, aggregate, SpillJoinExec ──try_grow──▶ GrantPool: so much, else spill something
//!        │ spill
//!        ▼
//!   SpillFactory ──▶ RunFile ──▶ access::Run ──▶ pages of tempdb: in memory first, in its files when memory is needed
//! ```
//!
//! It knows Arrow and DataFusion's operators, no SQL, no sessions and no names.
#![deny(unsafe_code)]

mod aggregate;
mod cut;
mod file;
mod grant;
mod hash_partition;
mod hold;
mod instead;
mod join;
mod run_writer;
mod sort;
mod space;
mod spilled_batches;
mod spool;
mod stored;
mod tempdb;

pub use aggregate::{SpillAggregateExec, spilling_aggregates};
pub use file::SpillError;
pub use grant::{GrantPool, GrantReport, OutOfMemory, Reserve, is_granted};
pub use instead::{SpillExec, Spills, Start};
pub use join::{SpillCrossJoinExec, SpillJoinExec, SpillNestedLoopExec, may_share, spilling_joins};
pub use sort::{FirstOfEachExec, FirstRows, SpillSortExec, spilling_sorts};
pub use space::{SpillAccount, SpillCount, SpillSpace};
pub use spilled_batches::SpilledBatches;
pub use spool::Spool;
use std::sync::Arc;

use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
pub use tempdb::{SpillConfig, SpillTempdb, TempFile};

/// The plan with the operators of this crate wherever they can do the work of DataFusion's.
///
/// # Errors
/// None of its own; those of the plan's operators when they are put together again.
pub fn within_memory(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    spilling_joins(plan).and_then(spilling_aggregates).and_then(spilling_sorts)
}
