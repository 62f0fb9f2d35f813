//! What is the same of all joins: each can be made again of another type and over other inputs, and with its sides
//! swapped.

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PartitionMode};

use crate::instead::Spills;

pub(super) type Plan = Arc<dyn ExecutionPlan>;

/// A join of DataFusion's, which holds its left side.
pub(crate) trait Join: Spills {
    /// What a row of the left side takes beside its values.
    const ROW_BYTES: usize;
    /// Pairs of rows that it may look at before it looks up. One that is watched in its filter may look at any number.
    const PAIRS_MAX: usize;
    /// What its rows are called when they are spilled.
    const WHAT: &'static str;

    fn kind(&self) -> JoinType;

    /// Columns of its result, of those that its type gives.
    fn projection(&self) -> Option<Vec<usize>>;

    /// The same join as one of that type, with those columns, over inputs of one partition each.
    ///
    /// # Errors
    /// It has no such columns.
    fn made(&self, kind: JoinType, projection: Option<Vec<usize>>, sides: [Plan; 2]) -> Result<Arc<Self>>;

    /// The same join over other inputs of one partition each: what is known of its rows is not asked again.
    ///
    /// # Errors
    /// None that DataFusion documents.
    fn over(self: &Arc<Self>, sides: [Plan; 2]) -> Result<Plan> {
        let same: Plan = Arc::clone(self) as _;
        same.replace_children(sides.into(), ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep))
    }

    /// The same rows by a join that holds the right side.
    ///
    /// # Errors
    /// None that DataFusion documents.
    fn swapped(&self) -> Result<Plan>;
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

    fn made(&self, kind: JoinType, projection: Option<Vec<usize>>, sides: [Plan; 2]) -> Result<Arc<Self>> {
        let join = self.builder().with_type(kind).with_projection(projection).with_new_children(sides.into())?;
        let join = join.recompute_properties().reset_state().with_partition_mode(PartitionMode::CollectLeft);
        join.build().map(Arc::new)
    }

    /// It may have had several.
    fn over(self: &Arc<Self>, sides: [Plan; 2]) -> Result<Plan> {
        Ok(self.made(self.kind(), self.projection(), sides)?)
    }

    fn swapped(&self) -> Result<Plan> {
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

    fn made(&self, kind: JoinType, projection: Option<Vec<usize>>, sides: [Plan; 2]) -> Result<Arc<Self>> {
        let [left, right] = sides;
        NestedLoopJoinExec::try_new(left, right, self.filter().cloned(), &kind, projection).map(Arc::new)
    }

    fn swapped(&self) -> Result<Plan> {
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
    fn made(&self, _: JoinType, _: Option<Vec<usize>>, sides: [Plan; 2]) -> Result<Arc<Self>> {
        let [left, right] = sides;
        Ok(Arc::new(CrossJoinExec::new(left, right)))
    }

    fn swapped(&self) -> Result<Plan> {
        self.swap_inputs()
    }
}
