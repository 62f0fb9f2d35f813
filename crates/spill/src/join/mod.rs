//! Joins that spill their inputs when the side that they hold does not fit.
//!
//! ```text
//!   left rows ──fit──▶ DataFusion's join ◀── right rows
//!        │ do not
//!        ▼
//!   hash join:  parts by hash of the keys   as many of the right side by the same hash; what does not fit is spilled
//!        └────────── pair by pair ───────────┘
//!           fits ──▶ HashJoinExec    does not ──▶ parts by another hash, … ; one key too often ──▶ blocks
//!   nested loops, cross join  ──▶ blocks
//! ```
//!
//! Where the right side has several partitions and the left one is to be collected for all of them, that is done once
//! ([`shared`]).
//!
//! What always holds:
//! - J1: rows with equal keys are in the same pair, so each pair is a join of its own, of whatever type; the join itself is
//!   always DataFusion's.
//! - J2: what does not get smaller by hashing goes in blocks ([`blocks`]), of one side or the other by the type of the join:
//!   no type holds more than its memory.
//! - J3: the result has no order.
//! - J4: DataFusion's nested loop never spills itself, since it then answers wrongly: what it is given fits, and
//!   it cannot read it twice.

mod blocks;
mod hash;
mod nested;
mod once;
mod run;
mod shape;
mod shared;

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec};

use crate::instead::{SpillExec, instead_of};

pub use shared::may_share;

/// A hash join within its memory.
pub type SpillJoinExec = SpillExec<HashJoinExec>;

/// A nested loop within its memory.
pub type SpillNestedLoopExec = SpillExec<NestedLoopJoinExec>;

/// A cross join within its memory.
pub type SpillCrossJoinExec = SpillExec<CrossJoinExec>;

/// The plan with joins that can spill instead of joins that cannot.
///
/// # Errors
/// None of its own; those of the plan's operators when they are put together again.
pub fn spilling_joins(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let plan = instead_of::<HashJoinExec>(plan)?;
    instead_of::<NestedLoopJoinExec>(plan).and_then(instead_of::<CrossJoinExec>)
}
