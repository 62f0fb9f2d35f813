//! Merge joins: two inputs in the order of their keys are read side by side, and nothing is kept but the rows of one key.
//!
//! ```text
//!   hash join, k = k     ──▶    merge join, k = k                       hinted, or where both inputs are in order
//!    ├─ a  (scan by k)           ├─ a                                    and the hash table would be spilled
//!    └─ b                        └─ sort by k ─ b
//! ```
//! What always holds: an input that is not sorted comes by one scan of one partition, in the order of the index that it reads
//! ([`order_of`]); what divides scans leaves it alone ([`keeps_order`]). Keys of one side and the other are compared in one order.
//!
//! It does not know of orders that aggregates, windows and sorts below a join leave.

use std::any::Any;
use std::sync::Arc;

use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::JoinType;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{HashJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;

use crate::operator::batch::nullable;
use crate::operator::build::{BuildExec, is_mappable};
use crate::operator::flow::{WatchExec, with_inputs};
use crate::physical::width::widest_row_bytes;
use crate::scan::leaf::LeafExec;

type Plan = Arc<dyn ExecutionPlan>;
/// Columns that are equal in each row.
type Equal = Vec<usize>;
type Key = (Arc<dyn PhysicalExpr>, Arc<dyn PhysicalExpr>);

/// What a row takes in a hash table beside its values.
const ROW_BYTES: f64 = 24.0;

/// The order that keys are merged in: as that of trees, NULL first.
const ASCENDING: SortOptions = SortOptions { descending: false, nulls_first: true };

/// The plan with merge joins where hints want them, and where inputs are in order whose hash table would take more than `hash_bytes_max`.
pub(crate) fn with_merges(plan: Plan, hash_bytes_max: usize) -> Result<Plan> {
    let merge = |plan: Plan| {
        let Some(watch) = plan.downcast_ref::<WatchExec>() else { return Ok(Transformed::no(plan)) };
        let methods = watch.methods;
        let input = Arc::clone(plan.children()[0]);
        // Its columns may have been picked.
        let (join, above) = match input.downcast_ref::<ProjectionExec>() {
            Some(_) => (Arc::clone(input.children()[0]), Some(&input)),
            None => (Arc::clone(&input), None),
        };
        let Some(hash_join) = join.downcast_ref::<HashJoinExec>().filter(|join| methods.merges && !join.null_aware)
        else {
            return Ok(Transformed::no(plan));
        };
        let Some(merged) = merged(hash_join, methods.are_merges(), hash_bytes_max)? else {
            return Ok(Transformed::no(plan));
        };
        let merged = match above {
            Some(above) => with_inputs(Arc::clone(above), vec![merged])?,
            None => merged,
        };
        with_inputs(Arc::clone(&plan), vec![merged]).map(Transformed::yes)
    };
    plan.transform_up(merge).data()
}

/// The merge join of the same rows. Where it need not be there is one only if both inputs are in order.
fn merged(join: &HashJoinExec, must: bool, hash_bytes_max: usize) -> Result<Option<Plan>> {
    let [left, right] = [join.left(), join.right()].map(without_build);
    let (mut keys, ordered) = in_order(join.on(), (&left, &right));
    if !must {
        let rows = join.left().downcast_ref::<BuildExec>().map_or(0.0, |build| build.rows);
        let is_spilled = rows.is_finite() && rows * row_bytes(&left) > hash_bytes_max as f64;
        if !is_spilled || ordered != (true, true) {
            return Ok(None);
        }
    }
    if keys.is_empty() {
        keys = join.on().to_vec();
    }
    let (left_keys, right_keys): (Vec<_>, Vec<_>) = keys.iter().cloned().unzip();
    let left = if ordered.0 { left } else { sorted(left, left_keys) };
    let right = if ordered.1 { right } else { sorted(right, right_keys) };
    let options = vec![ASCENDING; keys.len()];
    let (kind, nulls) = (*join.join_type(), join.null_equality());
    let filter = join.filter().map(of_padded_rows);
    let merged = SortMergeJoinExec::try_new(left, right, keys, filter, kind, options, nulls)?;
    Ok(Some(Arc::new(merged)))
}

/// The filter with NULL allowed in all columns: an outer merge join asks it of rows that it has padded.
fn of_padded_rows(filter: &JoinFilter) -> JoinFilter {
    let fields = filter.schema().fields().iter().map(nullable).collect::<Vec<_>>();
    let schema = Schema::new_with_metadata(fields, filter.schema().metadata().clone());
    JoinFilter::new(Arc::clone(filter.expression()), filter.column_indices().to_vec(), Arc::new(schema))
}

fn without_build(plan: &Plan) -> Plan {
    plan.downcast_ref::<BuildExec>().map_or_else(|| Arc::clone(plan), |build| Arc::clone(build.input()))
}

fn sorted(input: Plan, keys: Vec<Arc<dyn PhysicalExpr>>) -> Plan {
    let keys = keys.into_iter().map(|expr| PhysicalSortExpr { expr, options: ASCENDING });
    let order = LexOrdering::new(keys.collect::<Vec<_>>()).expect("a join by keys has some");
    Arc::new(SortExec::new(order, input))
}

/// The keys as the order of an input has them, and which inputs are in that order.
fn in_order(on: &[Key], (left, right): (&Plan, &Plan)) -> (Vec<Key>, (bool, bool)) {
    let by_left = along(on, &order_of(left), |(key, _)| key);
    let by_right = along(on, &order_of(right), |(_, key)| key);
    match (by_left, by_right) {
        (Some(left), Some(right)) => {
            let is_same = left.iter().zip(&right).all(|(one, other)| one.0.eq(&other.0) && one.1.eq(&other.1));
            (left, (true, is_same))
        }
        (Some(left), None) => (left, (true, false)),
        (None, Some(right)) => (right, (false, true)),
        (None, None) => (Vec::new(), (false, false)),
    }
}

/// All keys in the order of an input's columns; none where its rows are not in an order of them alone.
fn along(on: &[Key], order: &[Equal], side: fn(&Key) -> &Arc<dyn PhysicalExpr>) -> Option<Vec<Key>> {
    let is_of = |key: &&Key, equal: &Equal| column_of(side(key)).is_some_and(|column| equal.contains(&column));
    let find = |equal: &Equal| on.iter().find(|key| is_of(key, equal)).cloned();
    if order.len() < on.len() {
        return None;
    }
    let keys = order[..on.len()].iter().map(find).collect::<Option<Vec<Key>>>()?;
    // Two keys of one column are not both found.
    let is_whole = on.iter().all(|key| keys.iter().any(|found| found.0.eq(&key.0) && found.1.eq(&key.1)));
    is_whole.then_some(keys)
}

fn column_of(expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    let any: &dyn Any = expr.as_ref();
    any.downcast_ref::<Column>().map(Column::index)
}

/// The columns in whose order the rows of a plan are, the least first, those that are NULL before all.
fn order_of(plan: &Plan) -> Vec<Equal> {
    let any: &dyn Any = plan.as_ref();
    if let Some(leaf) = any.downcast_ref::<LeafExec>() {
        let is_plain = |column: &usize| {
            let data_type = leaf.schema().field(*column).data_type().clone();
            is_mappable(&data_type) || matches!(data_type, DataType::Date32)
        };
        return leaf.order().into_iter().take_while(is_plain).map(|column| vec![column]).collect();
    }
    let input = || plan.children().first().map_or_else(Vec::new, |input| order_of(input));
    if any.is::<WatchExec>() || any.is::<BuildExec>() {
        return input();
    }
    if let Some(filter) = any.downcast_ref::<FilterExec>() {
        let order = input();
        let Some(picked) = filter.projection() else { return order };
        return passed_on(&order, |column| picked.iter().position(|picked| *picked == column));
    }
    if let Some(projection) = any.downcast_ref::<ProjectionExec>() {
        let place = |column| projection.expr().iter().position(|made| column_of(&made.expr) == Some(column));
        return passed_on(&input(), place);
    }
    match any.downcast_ref::<SortMergeJoinExec>() {
        // Each row of the left side is met in its turn.
        Some(join) if join.join_type() == JoinType::Left => input(),
        Some(join) if join.join_type() == JoinType::Inner => with_right_keys(join, input()),
        _ => Vec::new(),
    }
}

/// The order of an inner join's rows: keys of the right side are equal to those of the left one.
fn with_right_keys(join: &SortMergeJoinExec, mut order: Vec<Equal>) -> Vec<Equal> {
    let width = join.left().schema().fields().len();
    for (left, right) in join.on() {
        let (Some(left), Some(right)) = (column_of(left), column_of(right)) else { continue };
        order.iter_mut().filter(|equal| equal.contains(&left)).for_each(|equal| equal.push(width + right));
    }
    order
}

/// As far as all columns before are there too.
fn passed_on(order: &[Equal], place: impl Fn(usize) -> Option<usize>) -> Vec<Equal> {
    let one = |equal: &Equal| equal.iter().filter_map(|column| place(*column)).collect::<Equal>();
    order.iter().map(one).take_while(|equal| !equal.is_empty()).collect()
}

/// What a row of a plan takes in a hash table, about: itself, its copy when all are put together, and its place.
fn row_bytes(plan: &Plan) -> f64 {
    2.0 * widest_row_bytes(plan) as f64 + ROW_BYTES
}

/// Whether an input of an operator must come in the order that it has: what is merged and not sorted.
pub(crate) fn keeps_order(plan: &Plan, input: &Plan) -> bool {
    plan.is::<SortMergeJoinExec>() && !input.is::<SortExec>()
}

/// Whether no two rows have the same values in these columns, because an index of the table that they are of says so.
pub(crate) fn is_unique(plan: &Plan, columns: &[usize]) -> bool {
    let any: &dyn Any = plan.as_ref();
    if let Some(leaf) = any.downcast_ref::<LeafExec>() {
        return leaf.has_unique(columns);
    }
    if let Some(join) = any.downcast_ref::<SortMergeJoinExec>().filter(|join| join.join_type() == JoinType::Inner) {
        // Each row of the left side once, where the right one has its key once.
        let (width, on) = (join.left().schema().fields().len(), join.on());
        let in_left = |column: usize| match column.checked_sub(width) {
            None => Some(column),
            Some(right) => on.iter().find(|(_, key)| column_of(key) == Some(right)).and_then(|(key, _)| column_of(key)),
        };
        let keys = on.iter().map(|(_, key)| column_of(key)).collect::<Option<Vec<usize>>>();
        let columns = columns.iter().map(|column| in_left(*column)).collect::<Option<Vec<usize>>>();
        return keys
            .zip(columns)
            .is_some_and(|(keys, columns)| is_unique(join.right(), &keys) && is_unique(join.left(), &columns));
    }
    let inputs = plan.children();
    let [input] = inputs.as_slice() else { return false };
    if let Some(projection) = any.downcast_ref::<ProjectionExec>() {
        let below = columns.iter().map(|column| column_of(&projection.expr().get(*column)?.expr));
        return below.collect::<Option<Vec<usize>>>().is_some_and(|below| is_unique(input, &below));
    }
    if let Some(picked) = any.downcast_ref::<FilterExec>().and_then(|filter| filter.projection().clone()) {
        let below = columns.iter().map(|column| picked.get(*column).copied());
        return below.collect::<Option<Vec<usize>>>().is_some_and(|below| is_unique(input, &below));
    }
    let passes = [
        "WatchExec",
        "FilterExec",
        "BuildExec",
        "SortExec",
        "SpillSortExec",
        "CoalescePartitionsExec",
        "SortPreservingMergeExec",
    ];
    passes.contains(&plan.name()) && is_unique(input, columns)
}
