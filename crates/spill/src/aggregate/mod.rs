//! Grouping by hash that spills groups when they do not fit.
//!
//! ```text
//!   rows ──▶ one small table ──few groups──▶ results
//!                 │ it is full: its states
//!                 ▼
//!            16 to 128 parts by hash of the keys: states in memory ──memory is used up──▶ runs
//!                 │ all rows seen
//!                 ▼
//!            part by part: one table, its results     one that does not fit ──▶ parts by another hash, …
//! ```
//!
//! What always holds:
//! - A1: states of equal keys are in the same part and stay in the order in which they came, so that an aggregate that
//!   depends on the order sees it.
//! - A2: a table of many groups is never built while rows come in: states wait for their part's turn, when its table is
//!   small enough for the processor's caches. They are made fewer meanwhile where that pays.
//! - A3: where nearly every row is a group of its own, rows become states without a table in between.
//! - A4: the result has no order; but groups that fit into the first table come in the order of their first rows.

mod ahead;
mod parts;
mod run;
mod shape;
mod table;

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use crate::instead::{SpillExec, Spills, Start, instead_of};

/// A hash aggregate within its memory.
pub type SpillAggregateExec = SpillExec<AggregateExec>;

/// The plan with [`SpillAggregateExec`] for every aggregate that has groups.
///
/// # Errors
/// None of its own; those of the plan's operators when they are put together again.
pub fn spilling_aggregates(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    instead_of::<AggregateExec>(plan)
}

impl Spills for AggregateExec {
    const NAME: &'static str = "SpillAggregateExec";
    type Shared = ();

    fn again(&self) -> Result<Arc<Self>> {
        Ok(Arc::new(self.clone()))
    }

    /// Whether there are groups, of one kind, that do not come one after the other, and all aggregates can be kept for many groups at
    /// once. Rows that some of the keys order, constants among them, are taken as rows in no order: DataFusion's own way holds
    /// them, and fails where it has no memory.
    fn can_run(&self) -> Result<bool> {
        let groups = self.group_expr();
        Ok(groups.is_single()
            && !groups.is_empty()
            && *self.input_order_mode() != InputOrderMode::Sorted
            && self.limit_options().is_none()
            && self.filter_expr().iter().all(Option::is_none)
            && self
                .aggr_expr()
                .iter()
                .all(|call| call.order_bys().is_empty() && !call.is_distinct() && call.groups_accumulator_supported()))
    }

    fn run(self: &Arc<Self>, start: &Start<'_>, _: &Arc<()>) -> Result<SendableRecordBatchStream> {
        run::stream(self, start)
    }
}
