//! What makes physical plans, and what they run with.

use std::sync::Arc;

use datafusion::config::ConfigNonZeroUsize;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionState, SessionStateBuilder, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use datafusion::physical_optimizer::combine_partial_final_agg::CombinePartialFinalAggregate;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};
use datafusion::prelude::SessionConfig;
use millpond_message::error::SqlResult;

use crate::lowering::node::OwnPlanner;
use crate::run::failure::planned;
use crate::run::task::task_of;
use crate::run::wait::block_on;

/// Memory that a sort keeps for the merge of its spilled runs.
const MERGE_BYTES: usize = 1 << 20;

/// Makes physical plans.
pub(crate) struct Planner {
    pub(crate) state: SessionState,
    physical: DefaultPhysicalPlanner,
    pub(crate) task: Arc<TaskContext>,
}

impl Planner {
    pub(crate) fn new(batch_rows: usize, runtime: &Arc<RuntimeEnv>) -> Planner {
        let mut config = SessionConfig::new()
            .with_target_partitions(1)
            .with_batch_size(batch_rows)
            .with_create_default_catalog_and_schema(false)
            .with_information_schema(false);
        // What a merge of sorted runs may count on beside the rows being sorted.
        config.options_mut().execution.sort_spill_reservation_bytes = MERGE_BYTES;
        // Each batch that an exchange spills is a file of its own. Threads that write at once open a file each, and the reader waits at the
        // oldest as long as it is open, though what it was told of lies in another: with full channels, nobody goes on
        // (apache/datafusion#24883, there in 55.2).
        config.options_mut().execution.max_spill_file_size_bytes =
            ConfigNonZeroUsize::try_new(1).expect("one is not zero");
        // All types are equal by construction (A2, L1); the comparison costs more than the rest of planning.
        config.options_mut().execution.skip_physical_aggregate_schema_check = true;
        let task = task_of(config.clone(), Arc::clone(runtime));
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(Arc::clone(runtime))
            .with_optimizer_rules(Vec::new())
            .with_physical_optimizer_rules(vec![Arc::new(CombinePartialFinalAggregate::new())])
            .build();
        let physical = DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(OwnPlanner)]);
        Planner { state, physical, task }
    }

    pub(crate) fn batch_rows(&self) -> usize {
        self.state.config().batch_size()
    }

    /// The plan without the columns that nothing uses.
    pub(crate) fn pruned(&self, logical: LogicalPlan) -> SqlResult<LogicalPlan> {
        Ok(planned(OptimizeProjections::new().rewrite(logical, &self.state))?.data)
    }

    pub(crate) fn plan(&self, logical: LogicalPlan) -> SqlResult<Arc<dyn ExecutionPlan>> {
        let logical = self.pruned(logical)?;
        planned(block_on(self.physical.create_physical_plan(&logical, &self.state)))
    }
}
