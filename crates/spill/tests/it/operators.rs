//! Sorts and aggregates over a tempdb.

use std::sync::Arc;

use datafusion::arrow::compute::SortOptions;
use datafusion::physical_expr::aggregate::AggregateExprBuilder;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalExprRef, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::sorts::sort::SortExec;
use millpond_spill::within_memory;

use crate::rig::*;

fn rows(count: i64) -> Vec<Row> {
    (0..count).map(|at| (Some(mixed(at) % (count / 2)), at, Some(format!("{:-<60}", mixed(at))))).collect()
}

fn sort(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let by = |name: &str, index| {
        let options = SortOptions { descending: index == 0, nulls_first: true };
        PhysicalSortExpr { expr: Arc::new(Column::new(name, index)), options }
    };
    let order = LexOrdering::new(vec![by("key", 0), by("number", 1)]).expect("two keys");
    Arc::new(SortExec::new(order, input))
}

fn groups(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let schema = input.schema();
    let column = |name: &str, index| Arc::new(Column::new(name, index)) as PhysicalExprRef;
    let largest =
        AggregateExprBuilder::new(datafusion::functions_aggregate::min_max::max_udaf(), vec![column("text", 2)])
            .schema(Arc::clone(&schema))
            .alias("largest")
            .build()
            .expect("max");
    let by = PhysicalGroupBy::new_single(vec![(column("key", 0), "key".to_owned())]);
    let one = AggregateExec::try_new(AggregateMode::Single, by, vec![Arc::new(largest)], vec![None], input, schema);
    Arc::new(one.expect("an aggregate"))
}

fn assert_same(plan: &Arc<dyn ExecutionPlan>, is_ordered: bool) {
    let tempdb = tempdb(1 << 30);
    let run = |grant_bytes| {
        let space = tempdb.space();
        let plan = within_memory(Arc::clone(plan).reset_state().expect("a plan")).expect("a plan");
        let mut rows = rows_of(&plan, &task(&space, grant_bytes)).expect("it runs");
        if !is_ordered {
            rows.sort_unstable();
        }
        (rows, space.account().written_bytes())
    };
    let (expected, none) = run(1 << 30);
    assert_eq!(none, 0);
    for megabytes in [1, 2, 5] {
        let (rows, written) = run(megabytes << 20);
        assert!(rows == expected, "with {megabytes} MB");
        assert!(written > 1 << 20, "{written} bytes with {megabytes} MB");
    }
    assert_nothing_left(&tempdb);
}

#[test]
fn a_sort_gives_the_same_order_from_tempdb() {
    assert_same(&sort(leaf("", &rows(100_000), 1000)), true);
}

#[test]
fn groups_are_the_same_from_tempdb() {
    assert_same(&groups(leaf("", &rows(100_000), 1000)), false);
}

#[test]
fn groups_that_are_sorted_share_the_memory() {
    let largest = groups(leaf("", &rows(100_000), 1000));
    let by = PhysicalSortExpr { expr: Arc::new(Column::new("key", 0)), options: SortOptions::default() };
    let order = LexOrdering::new(vec![by]).expect("one key");
    assert_same(&(Arc::new(SortExec::new(order, largest)) as Arc<dyn ExecutionPlan>), true);
}
