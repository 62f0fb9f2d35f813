//! A hash join that puts its inputs aside when the build side does not fit.
//!
//! ```text
//!   build rows ──fits──▶ HashJoinExec ◀── probe rows
//!        │ does not
//!        ▼
//!   128 parts by hash of the keys   128 parts of the probe side by the same hash; of both what does not fit is put aside
//!        └────────── pair by pair ───────────┘
//!           fits ──▶ HashJoinExec    does not ──▶ 128 parts by another hash, … ; one key too often ──▶ blocks
//! ```
//!
//! What always holds:
//! - J1: rows with equal keys are in the same pair, so each pair is a join of its own, of whatever type; the join itself is
//!   always DataFusion's.
//! - J2: of a pair whose build side does not get smaller by hashing, inner joins and those that keep the build side's rows
//!   take the build side in blocks and read the probe side once for each. The others hold it, whatever it takes.
//! - J3: the result has no order.

mod once;
mod run;

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, SpillMetrics};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use crate::instead::{SpillExec, Spills, instead_of};

/// A hash join within its memory.
pub type SpillJoinExec = SpillExec<HashJoinExec>;

/// The plan with joins that can spill instead of hash joins that cannot.
///
/// # Errors
/// None of its own; those of the plan's operators when they are put together again.
pub fn spilling_joins(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    instead_of::<HashJoinExec>(plan)
}

impl Spills for HashJoinExec {
    const NAME: &'static str = "SpillJoinExec";

    fn again(&self) -> Result<Arc<Self>> {
        self.builder().build().map(Arc::new)
    }

    /// Whether each partition of the join is a join of its own.
    fn can_run(&self) -> Result<bool> {
        let parts = |side: &Arc<dyn ExecutionPlan>| side.output_partitioning().partition_count();
        let is_apart = match self.partition_mode() {
            PartitionMode::Partitioned => parts(self.left()) == parts(self.right()),
            PartitionMode::CollectLeft => parts(self.left()) == 1 && parts(self.right()) == 1,
            PartitionMode::Auto => false,
        };
        Ok(is_apart && !self.null_aware)
    }

    fn run(
        &self,
        partition: usize,
        task: &Arc<TaskContext>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<SendableRecordBatchStream> {
        let side = match self.partition_mode() {
            PartitionMode::CollectLeft => 0,
            _ => partition,
        };
        let build = self.left().execute(side, Arc::clone(task))?;
        let probe = self.right().execute(partition, Arc::clone(task))?;
        let spills = SpillMetrics::new(metrics, partition);
        let output = BaselineMetrics::new(metrics, partition);
        Ok(run::JoinRun::new(self.again()?, Arc::clone(task), partition, spills).stream(build, probe, output))
    }
}

/// Whether each block of the build side gives its part of the result by itself (J2).
fn may_go_in_blocks(join_type: JoinType) -> bool {
    use JoinType::{Inner, Left, LeftAnti, LeftMark, LeftSemi};
    matches!(join_type, Inner | Left | LeftSemi | LeftAnti | LeftMark)
}
