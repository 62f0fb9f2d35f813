//! A plan for one thread as a plan for several.
//!
//! ```text
//!   leaf ─▶ filter, UNION ALL … as it is, in every partition        sort     each partition, then merged
//!   aggregate                partial ─▶ exchange by group ─▶ final  hash join  both sides exchanged by key
//!   anything else            over its inputs gathered: in one partition
//!   merge join               sorts in every partition, merged by one thread; what is in order stays in one partition
//! ```
//! X1: a part of the plan is in several partitions only if all its expressions may be evaluated by several threads: none
//! runs an inner plan, none has a value of its own for each row. X2: rows that must meet are exchanged by the values that
//! the operator compares. X3: only tables that are worth it are scanned by several threads.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::Volatility;
use datafusion::physical_expr::{Distribution, Partitioning, PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use crate::aggregate::expand::ExpandExec;
use crate::aggregate::pick::ANY;
use crate::expression::function::{Function, Shown};
use crate::operator::build::BuildExec;
use crate::operator::flow::{ConcatExec, WatchExec, with_inputs};
use crate::physical::bitmaps::build_of;
use crate::physical::merge::keeps_order;
use crate::scan::encode::EncodeExec;
use crate::scan::leaf::LeafExec;
use millpond_spill::{FirstOfEachExec, may_share};

/// Aggregates whose parts can be made one.
const DIVISIBLE: [&str; 17] = [
    "count",
    "min",
    "max",
    "MIN",
    "MAX",
    ANY,
    "SUM",
    "SUM DISTINCT",
    "AVG",
    "AVG DISTINCT",
    "VAR",
    "VARP",
    "STDEV",
    "STDEVP",
    "STRING_AGG",
    "APPROX_COUNT_DISTINCT",
    "CHECKSUM_AGG",
];

/// Rows of a build side that one thread collects sooner than all exchange the other side's.
const FEW_ROWS: f64 = 100_000.0;

type Plan = Arc<dyn ExecutionPlan>;

/// How a plan is spread.
pub(crate) struct Spread<'a> {
    /// Threads.
    pub(crate) degree: usize,
    /// Whether the table of a binding is worth several threads (X3).
    pub(crate) is_large: &'a dyn Fn(usize) -> bool,
}

impl Spread<'_> {
    /// The plan with one partition at its top; none when nothing of it is in several.
    pub(crate) fn plan(&self, plan: &Plan) -> Result<Option<Plan>> {
        let spread = self.spread(Arc::clone(plan))?;
        let gathered = gathered(spread);
        Ok((!Arc::ptr_eq(&gathered, plan)).then_some(gathered))
    }

    /// The plan, perhaps in several partitions.
    fn spread(&self, plan: Plan) -> Result<Plan> {
        let any: &dyn Any = plan.as_ref();
        if let Some(leaf) = any.downcast_ref::<LeafExec>() {
            return Ok(match leaf.table() {
                Some(binding) if (self.is_large)(binding) => Arc::new(leaf.divided(self.degree)),
                _ => plan,
            });
        }
        let spread = |child: &Plan| {
            if keeps_order(&plan, child) { Ok(Arc::clone(child)) } else { self.spread(Arc::clone(child)) }
        };
        let inputs = plan.children().into_iter().map(spread).collect::<Result<Vec<_>>>()?;
        let is_same = inputs.iter().zip(plan.children()).all(|(new, old)| Arc::ptr_eq(new, old));
        if is_same {
            return Ok(plan);
        }
        if !inputs.iter().any(is_spread) || !may_be_shared(&plan)? {
            return with_inputs(plan, inputs.into_iter().map(gathered).collect());
        }
        if passes_on(any)
            || any.is::<ConcatExec>()
            || any.is::<EncodeExec>()
            || any.is::<ExpandExec>()
            || any.is::<FirstOfEachExec>()
        {
            return with_inputs(plan, inputs);
        }
        if let Some(aggregate) = any.downcast_ref::<AggregateExec>() {
            return self.aggregate(aggregate, inputs);
        }
        if let Some(sort) = any.downcast_ref::<SortExec>() {
            return Ok(sorted(sort, inputs));
        }
        if let Some(join) = any.downcast_ref::<HashJoinExec>() {
            return self.hash_join(join, inputs);
        }
        self.by_requirement(plan, inputs)
    }

    /// Groups in two steps, or, where values must be seen once, all rows of a group by one thread.
    fn aggregate(&self, aggregate: &AggregateExec, mut inputs: Vec<Plan>) -> Result<Plan> {
        let input = inputs.pop().expect("an aggregate has an input");
        let (groups, calls) = (aggregate.group_expr(), aggregate.aggr_expr());
        let is_plain = *aggregate.mode() == AggregateMode::Single
            && groups.is_single()
            && aggregate.limit_options().is_none()
            && calls.iter().all(|call| call.order_bys().is_empty() && DIVISIBLE.contains(&call.fun().name()));
        if !is_plain {
            return aggregate_over(aggregate, gathered(input));
        }
        let is_distinct = calls.iter().any(|call| call.is_distinct() || call.fun().name().ends_with(" DISTINCT"));
        let with = |mode, groups: datafusion::physical_plan::aggregates::PhysicalGroupBy, input| {
            let (calls, filters) = (calls.to_vec(), aggregate.filter_expr().to_vec());
            let made = AggregateExec::try_new(mode, groups, calls, filters, input, aggregate.input_schema())?;
            Ok(Arc::new(made) as Plan)
        };
        if is_distinct {
            if groups.is_empty() {
                return aggregate_over(aggregate, gathered(input));
            }
            let input = self.exchanged(input, groups.input_exprs())?;
            return with(AggregateMode::SinglePartitioned, groups.clone(), input);
        }
        let partial = with(AggregateMode::Partial, groups.clone(), input)?;
        let whole = groups.as_final();
        if groups.is_empty() {
            return with(AggregateMode::Final, whole, gathered(partial));
        }
        let exchanged = self.exchanged(partial, groups.output_exprs())?;
        with(AggregateMode::FinalPartitioned, whole, exchanged)
    }

    /// Both sides by their keys; a side that is in one partition is built once if it is the left one.
    fn hash_join(&self, join: &HashJoinExec, mut inputs: Vec<Plan>) -> Result<Plan> {
        let right = inputs.pop().expect("a join has two inputs");
        let left = inputs.pop().expect("a join has two inputs");
        if join.null_aware {
            return join.builder().with_new_children(vec![gathered(left), gathered(right)])?.build_exec();
        }
        // Of what is not surely small each thread holds, and spills, a part of its own; what is about small is collected once
        // where the join can still spill it when it is not.
        let is_few = build_of(&left).is_some_and(|build| build.rows <= FEW_ROWS) && may_share(*join.join_type());
        if is_few || !is_spread(&left) && is_scan(&left) {
            let collected = join.builder().with_partition_mode(PartitionMode::CollectLeft);
            return collected.with_new_children(vec![gathered(left), right])?.build_exec();
        }
        let (left_keys, right_keys) = join.on().iter().cloned().unzip();
        let sides = vec![self.exchanged(left, left_keys)?, self.exchanged(right, right_keys)?];
        join.builder().with_partition_mode(PartitionMode::Partitioned).with_new_children(sides)?.build_exec()
    }

    /// An operator that says itself which rows must meet; one that says nothing has all of them.
    fn by_requirement(&self, plan: Plan, inputs: Vec<Plan>) -> Result<Plan> {
        let wanted = plan.input_distribution_requirements().into_per_child();
        let by_key = wanted.iter().all(|wanted| matches!(wanted, Distribution::KeyPartitioned(_)));
        let inputs = inputs
            .into_iter()
            .zip(wanted)
            .map(|(input, wanted)| match wanted {
                Distribution::KeyPartitioned(keys) if by_key => self.exchanged(input, keys),
                _ => Ok(gathered(input)),
            })
            .collect::<Result<Vec<_>>>()?;
        with_inputs(plan, inputs)
    }

    /// Rows with equal keys in one partition.
    fn exchanged(&self, input: Plan, keys: Vec<Arc<dyn PhysicalExpr>>) -> Result<Plan> {
        Ok(Arc::new(RepartitionExec::try_new(input, Partitioning::Hash(keys, self.degree))?))
    }
}

fn is_spread(plan: &Plan) -> bool {
    plan.output_partitioning().partition_count() > 1
}

/// Whether an operator makes of each row one at most, whichever partition that is in.
fn passes_on(any: &dyn Any) -> bool {
    any.is::<FilterExec>() || any.is::<ProjectionExec>() || any.is::<WatchExec>() || any.is::<BuildExec>()
}

/// Whether it is rows of a table that was not worth several threads, and nothing that could make more of them.
fn is_scan(plan: &Plan) -> bool {
    let any: &dyn Any = plan.as_ref();
    any.is::<LeafExec>() || passes_on(any) && plan.children().into_iter().all(is_scan)
}

/// The plan's rows in one partition.
fn gathered(plan: Plan) -> Plan {
    if is_spread(&plan) { Arc::new(CoalescePartitionsExec::new(plan)) } else { plan }
}

fn aggregate_over(aggregate: &AggregateExec, input: Plan) -> Result<Plan> {
    let same: Plan = Arc::new(aggregate.clone());
    with_inputs(same, vec![input])
}

fn sorted(sort: &SortExec, mut inputs: Vec<Plan>) -> Plan {
    let input = inputs.pop().expect("a sort has an input");
    let each = SortExec::new(sort.expr().clone(), input).with_fetch(sort.fetch()).with_preserve_partitioning(true);
    Arc::new(SortPreservingMergeExec::new(sort.expr().clone(), Arc::new(each)).with_fetch(sort.fetch()))
}

/// X1
fn may_be_shared(plan: &Plan) -> Result<bool> {
    let mut is_shared = true;
    let mut look = |node: &Arc<dyn PhysicalExpr>| {
        is_shared &= !runs_alone(node);
        Ok(TreeNodeRecursion::Continue)
    };
    plan.apply_expressions(&mut |expr| expr.apply(&mut look))?;
    // Operators of ours keep their expressions to themselves.
    let any: &dyn Any = plan.as_ref();
    if let Some(expand) = any.downcast_ref::<ExpandExec>() {
        expand.groups.iter().try_for_each(|group| group.apply(&mut look).map(drop))?;
    }
    Ok(is_shared)
}

/// Whether a call runs an inner plan or gives each row a value of its own.
fn runs_alone(expr: &Arc<dyn PhysicalExpr>) -> bool {
    let any: &dyn Any = expr.as_ref();
    let Some(call) = any.downcast_ref::<ScalarFunctionExpr>() else { return false };
    let inner: &dyn Any = call.fun().inner().as_ref();
    let shown = inner.downcast_ref::<Function>().map(|function| &function.shown);
    call.fun().signature().volatility == Volatility::Volatile
        || matches!(shown, Some(Shown::Query(_) | Shown::Outer(_)))
}
