//! An external merge sort.
//!
//! ```text
//!   rows ──▶ blocks of 65,536, sorted as they come ──memory is used up──▶ merged into a run
//!                  │ all rows seen
//!                  ▼
//!            no run: blocks merged           runs: merged, with the blocks as the last of them
//! ```
//!
//! What always holds:
//! - S1: rows with equal keys stay in the order in which they came: blocks, runs and groups of runs are merged in theirs.
//! - S2: nothing is sorted for longer than a block takes: merging goes on batch by batch, so a statement can be cancelled.
//! - S3: as many runs are merged at once as there is memory for, two at least; more go in several passes.
//! - S4: where only the first rows are wanted, what comes after them as far as that is known is let go.

mod blocks;
mod each;
mod first;
mod keys;
mod merge;
mod run;
mod tournament;

pub use each::{FirstOfEachExec, FirstRows};

use std::ops::RangeInclusive;
use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, PlanProperties};

use crate::grant::part_of_grant;
use crate::instead::{SpillExec, Spills, Start, instead_of};

/// Batches of rows that DataFusion's sort of the first rows may hold, which cannot spill,
const BATCHES_HELD: RangeInclusive<usize> = 1..=16;
/// one for so many bytes of the grant: a batch of large rows has half of them.
const HELD_BATCH_BYTES: usize = 2 << 20;

/// A sort of all rows within its memory.
pub type SpillSortExec = SpillExec<SortExec>;

/// The plan with [`SpillSortExec`] for every sort.
///
/// # Errors
/// None of its own; those of the plan's operators when they are put together again.
pub fn spilling_sorts(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    instead_of::<SortExec>(plan)
}

impl Spills for SortExec {
    const NAME: &'static str = "SpillSortExec";
    type Shared = ();

    fn again(&self) -> Result<Arc<Self>> {
        Ok(Arc::new(self.clone()))
    }

    /// Whether there is something to do.
    fn can_run(&self) -> Result<bool> {
        let in_order = self.input().equivalence_properties().ordering_satisfy(self.expr().clone())?;
        Ok(!in_order && keys::can_order(self)?)
    }

    fn properties_of(&self) -> Arc<PlanProperties> {
        Arc::clone(self.properties())
    }

    fn run(self: &Arc<Self>, start: &Start<'_>, _: &Arc<()>) -> Result<SendableRecordBatchStream> {
        match self.fetch() {
            // Rows that are held are few: a heap of them is faster. What it knows of its rows is of one run alone.
            Some(rows) if rows <= rows_held(start.task) => {
                Arc::clone(self).reset_state()?.execute(start.partition, Arc::clone(start.task))
            }
            _ => run::stream(self, start),
        }
    }
}

/// Rows that a heap may hold.
fn rows_held(task: &TaskContext) -> usize {
    part_of_grant(&**task.memory_pool(), HELD_BATCH_BYTES, BATCHES_HELD) * task.session_config().batch_size()
}
