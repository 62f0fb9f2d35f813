//! An operator of this crate in the place of one of DataFusion's: it is planned, shown and optimised as that one, and runs
//! in its own way.

use std::fmt::{self, Debug};
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};

/// An operator that can be run in another way.
pub trait Spills: ExecutionPlan + Sized {
    /// What the other way is called.
    const NAME: &'static str;

    /// What the partitions of one run share.
    type Shared: Default + Debug + Send + Sync;

    /// The same operator once more.
    ///
    /// # Errors
    /// It cannot be made.
    fn again(&self) -> Result<Arc<Self>>;

    /// Whether it can run this one.
    ///
    /// # Errors
    /// What is asked of the plan fails.
    fn can_run(&self) -> Result<bool>;

    /// What is known of its rows: mostly no order, and none before all of the input was read.
    fn properties_of(&self) -> Arc<PlanProperties> {
        Arc::new(PlanProperties::new(
            EquivalenceProperties::new(self.schema()),
            self.properties().output_partitioning().clone(),
            EmissionType::Final,
            Boundedness::Bounded,
        ))
    }

    /// The rows of a partition.
    ///
    /// # Errors
    /// Those of the inputs when they begin.
    fn run(self: &Arc<Self>, start: &Start<'_>, shared: &Arc<Self::Shared>) -> Result<SendableRecordBatchStream>;
}

/// A run of one partition, as it begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Whose rows.
    pub partition: usize,
    /// What it runs with.
    pub task: &'a Arc<TaskContext>,
    /// Where it counts.
    pub metrics: &'a ExecutionPlanMetricsSet,
    /// See [`SpillExec::leaving_memory`].
    pub leaves_room: bool,
}

impl Start<'_> {
    /// The rows of that partition of an input.
    ///
    /// # Errors
    /// Those of the input when it begins.
    pub(crate) fn rows_of(&self, input: &Arc<dyn ExecutionPlan>) -> Result<SendableRecordBatchStream> {
        input.execute(self.partition, Arc::clone(self.task))
    }
}

/// The operator that runs in the place of a `P`, within its memory.
#[derive(Debug)]
pub struct SpillExec<P: Spills> {
    of: Arc<P>,
    /// Of the present run.
    shared: Arc<P::Shared>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
    leaves_room: bool,
}

impl<P: Spills> SpillExec<P> {
    fn of_plan(of: Arc<P>, properties: Arc<PlanProperties>) -> SpillExec<P> {
        let (shared, metrics) = (Arc::default(), ExecutionPlanMetricsSet::new());
        SpillExec { of, shared, metrics, properties, leaves_room: false }
    }

    /// The same, but for an operator that holds what it makes of its rows and cannot spill it: most of the grant is its
    /// own. Sorts heed it, which otherwise hold as much as they can until their last row is given.
    #[must_use]
    pub fn leaving_memory(&self) -> SpillExec<P> {
        SpillExec { leaves_room: true, ..SpillExec::of_plan(Arc::clone(&self.of), Arc::clone(&self.properties)) }
    }

    /// The operator as DataFusion knows it.
    #[must_use]
    pub fn of(&self) -> &Arc<P> {
        &self.of
    }
}

/// The plan with a [`SpillExec`] for every `P` that it can run.
///
/// # Errors
/// Those of [`Spills::can_run`], and of the plan's operators when they are put together again.
pub(crate) fn instead_of<P: Spills>(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(at_top::<P>).data()
}

/// As [`instead_of`], for the plan's first operator alone.
fn at_top<P: Spills>(plan: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some(of) = plan.downcast_ref::<P>() else { return Ok(Transformed::no(plan)) };
    if !of.can_run()? {
        return Ok(Transformed::no(plan));
    }
    let (of, properties) = (of.again()?, of.properties_of());
    Ok(Transformed::yes(Arc::new(SpillExec::of_plan(of, properties)) as Arc<dyn ExecutionPlan>))
}

impl<P: Spills> DisplayAs for SpillExec<P> {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", P::NAME)?;
        self.of.fmt_as(format, f)
    }
}

impl<P: Spills> ExecutionPlan for SpillExec<P> {
    fn name(&self) -> &str {
        P::NAME
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.of.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.of.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let of: Arc<dyn ExecutionPlan> = self.of.clone();
        let same = at_top::<P>(of.replace_children(children, options)?).data()?;
        Ok(match same.downcast_ref::<SpillExec<P>>() {
            Some(spilling) if self.leaves_room => Arc::new(spilling.leaving_memory()),
            _ => same,
        })
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    /// Nothing is kept between runs but metrics: what runs is made anew each time.
    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        let fresh = SpillExec::of_plan(Arc::clone(&self.of), Arc::clone(&self.properties));
        Ok(Arc::new(SpillExec { leaves_room: self.leaves_room, ..fresh }))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (task, metrics, leaves_room) = (&task, &self.metrics, self.leaves_room);
        self.of.run(&Start { partition, task, metrics, leaves_room }, &self.shared)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
