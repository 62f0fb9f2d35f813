//! What is the same of all joins: each can be made again of another type and over other inputs, and with its sides
//! swapped.

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PartitionMode};

use crate::instead::Spills;

/// A join of DataFusion's, which holds its left side.
pub(crate) trait Join: Spills {
    /// What a row of the left side takes beside its values.
    const ROW_BYTES: usize;
    /// Pairs of rows that it may look at before it looks up. One that is watched in its filter may look at any number.
    const PAIRS_MAX: usize;
    /// What its rows are called when they are put aside.
    const WHAT: &'static str;

    fn kind(&self) -> JoinType;

    /// Columns of its result, of those that its type gives.
    fn projection(&self) -> Option<Vec<usize>>;

    /// The same join as one of that type, with those columns, over inputs of one partition each.
    ///
    /// # Errors
    /// It has no such columns.
    fn made(
        &self,
        kind: JoinType,
        projection: Option<Vec<usize>>,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<Self>>;

    /// The same join over inputs of one partition each.
    ///
    /// # Errors
    /// None that DataFusion documents.
    fn over(
        self: &Arc<Self>,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<dyn ExecutionPlan>>;

    /// The same rows by a join that holds the right side.
    ///
    /// # Errors
    /// None that DataFusion documents.
    fn swapped(&self) -> Result<Arc<dyn ExecutionPlan>>;
}

impl Join for HashJoinExec {
    const ROW_BYTES: usize = 24;
    const PAIRS_MAX: usize = 1 << 18;
    const WHAT: &'static str = "HashJoinSpill";

    fn kind(&self) -> JoinType {
        *self.join_type()
    }

    fn projection(&self) -> Option<Vec<usize>> {
        self.projection.as_deref().map(<[usize]>::to_vec)
    }

    fn made(
        &self,
        kind: JoinType,
        projection: Option<Vec<usize>>,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<Self>> {
        let join = self.builder().with_type(kind).with_projection(projection).with_new_children(vec![left, right])?;
        let join = join.recompute_properties().reset_state().with_partition_mode(PartitionMode::CollectLeft);
        join.build().map(Arc::new)
    }

    fn over(
        self: &Arc<Self>,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.made(self.kind(), self.projection(), left, right)?)
    }

    fn swapped(&self) -> Result<Arc<dyn ExecutionPlan>> {
        self.swap_inputs(PartitionMode::CollectLeft)
    }
}

impl Join for NestedLoopJoinExec {
    const ROW_BYTES: usize = 1;
    const PAIRS_MAX: usize = usize::MAX;
    const WHAT: &'static str = "LoopSpill";

    fn kind(&self) -> JoinType {
        *self.join_type()
    }

    fn projection(&self) -> Option<Vec<usize>> {
        self.projection().as_deref().map(<[usize]>::to_vec)
    }

    fn made(
        &self,
        kind: JoinType,
        projection: Option<Vec<usize>>,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<Self>> {
        NestedLoopJoinExec::try_new(left, right, self.filter().cloned(), &kind, projection).map(Arc::new)
    }

    fn over(
        self: &Arc<Self>,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        over(self, left, right)
    }

    fn swapped(&self) -> Result<Arc<dyn ExecutionPlan>> {
        self.swap_inputs()
    }
}

impl Join for CrossJoinExec {
    const ROW_BYTES: usize = 1;
    const PAIRS_MAX: usize = usize::MAX;
    const WHAT: &'static str = "LoopSpill";

    fn kind(&self) -> JoinType {
        JoinType::Inner
    }

    fn projection(&self) -> Option<Vec<usize>> {
        None
    }

    /// It is of one type and has all columns.
    fn made(
        &self,
        _: JoinType,
        _: Option<Vec<usize>>,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<Self>> {
        Ok(Arc::new(CrossJoinExec::new(left, right)))
    }

    fn over(
        self: &Arc<Self>,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        over(self, left, right)
    }

    fn swapped(&self) -> Result<Arc<dyn ExecutionPlan>> {
        self.swap_inputs()
    }
}

/// A join of one partition over other inputs of one partition: what is known of its rows is not asked again.
fn over<J: Join>(
    join: &Arc<J>,
    left: Arc<dyn ExecutionPlan>,
    right: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let same: Arc<dyn ExecutionPlan> = Arc::clone(join) as _;
    same.replace_children(vec![left, right], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep))
}
