//! Groups of a [`SpillAggregateExec`] against those of DataFusion's own aggregate with memory for all.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::functions_aggregate::{count, min_max, sum};
use datafusion::logical_expr::AggregateUDF;
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::projection::ProjectionExec;
use millpond_spill::spilling_aggregates;

use crate::rig::*;

const PLENTY_BYTES: usize = 1 << 30;

type Plan = Arc<dyn ExecutionPlan>;

fn column(plan: &Plan, name: &str) -> PhysicalExprRef {
    Arc::new(Column::new_with_schema(name, &plan.schema()).expect("a column"))
}

pub fn call(function: Arc<AggregateUDF>, input: &Plan, of: &str) -> Arc<AggregateFunctionExpr> {
    let named = format!("{}({of})", function.name());
    let call = AggregateExprBuilder::new(function, vec![column(input, of)]).schema(input.schema()).alias(named);
    Arc::new(call.build().expect("a call"))
}

fn aggregate(mode: AggregateMode, by: PhysicalGroupBy, over: &Plan, input: Plan) -> Plan {
    let calls = vec![
        call(count::count_udaf(), over, "number"),
        call(min_max::max_udaf(), over, "text"),
        call(sum::sum_udaf(), over, "number"),
    ];
    let filters = vec![None; calls.len()];
    Arc::new(AggregateExec::try_new(mode, by, calls, filters, input, over.schema()).expect("an aggregate"))
}

/// In one step and in two.
fn plans(rows: &Plan, keys: &[&str]) -> [Plan; 2] {
    let keys: Vec<_> = keys.iter().map(|name| (column(rows, name), (*name).to_owned())).collect();
    let by = PhysicalGroupBy::new_single(keys);
    let partial = aggregate(AggregateMode::Partial, by.clone(), rows, Arc::clone(rows));
    let last = aggregate(AggregateMode::FinalPartitioned, by.as_final(), rows, partial);
    [aggregate(AggregateMode::Single, by, rows, Arc::clone(rows)), last]
}

/// Runs both ways with that much memory each; the least that was spilled with the last, bytes.
fn assert_same(rows: &[Row], keys: &[&str], grants_bytes: &[usize]) -> u64 {
    assert_same_of(leaf("", rows, 1000), keys, grants_bytes)
}

fn assert_same_of(rows: Plan, keys: &[&str], grants_bytes: &[usize]) -> u64 {
    let tempdb = tempdb(1 << 30);
    let mut spilled_bytes = u64::MAX;
    for plan in plans(&rows, keys) {
        let expected = set_of(&plan, &task(&tempdb.space(), PLENTY_BYTES)).expect("it runs");
        let own = spilling_aggregates(plan).expect("a plan");
        assert_eq!(own.name(), "SpillAggregateExec");
        let run = |&grant_bytes: &usize| {
            let space = tempdb.space();
            let plan = Arc::clone(&own).reset_state().expect("a plan");
            let found = set_of(&plan, &task(&space, grant_bytes)).expect("it runs");
            assert!(found == expected, "{} groups of {} with {grant_bytes} bytes", found.len(), expected.len());
            space.account().written_bytes()
        };
        assert_eq!(run(&PLENTY_BYTES), 0);
        spilled_bytes = grants_bytes.iter().map(run).fold(0, |_, last| last).min(spilled_bytes);
    }
    assert_nothing_left(&tempdb);
    spilled_bytes
}

fn rows(count: i64, key: impl Fn(i64) -> i64) -> Vec<Row> {
    let key = |at: i64| (at % 97 != 5).then(|| key(at));
    (0..count).map(|at| (key(at), at, Some(format!("{:-<20}", mixed(at) % 1000)))).collect()
}

#[test]
fn few_groups_are_never_spilled() {
    let rows = rows(300_000, |at| mixed(at) % 1000);
    assert_eq!(assert_same(&rows, &["key"], &[4 << 20]), 0);
}

#[test]
fn as_many_groups_as_rows() {
    let rows = rows(400_000, |at| at);
    assert!(assert_same(&rows, &["key"], &[32 << 20, 8 << 20, 2 << 20]) > 10 << 20);
}

#[test]
fn groups_whose_rows_lie_far_apart() {
    let rows = rows(600_000, |at| at % 100_000);
    assert!(assert_same(&rows, &["key"], &[8 << 20, 1 << 20]) > 4 << 20);
}

#[test]
fn keys_of_several_columns_and_texts() {
    let rows = rows(200_000, |at| at % 301);
    assert!(assert_same(&rows, &["text", "key"], &[2 << 20]) > 4 << 20);
}

/// Two rows of each group beside each other keep the small table in use after its states were taken; then the same groups
/// come once more, the last ones first. DataFusion's table of keys of several columns still knew where the groups had been
/// before, in places that it had no more: it read beyond its end.
#[test]
fn groups_of_several_columns_that_come_again_the_last_ones_first() {
    let group = |at: i64| if at < 80_000 { at / 2 } else { (159_999 - at) / 2 };
    let row = |at| (Some(group(at)), group(at) % 7, Some(format!("{:-<20}", mixed(at) % 1000)));
    let rows: Vec<Row> = (0..160_000).map(row).collect();
    assert!(assert_same(&rows, &["key", "number"], &[2 << 20]) > 1 << 20);
}

/// DataFusion takes a constant among the keys for an order, and holds all groups then.
#[test]
fn groups_by_a_constant_and_more() {
    let rows = leaf("", &rows(100_000, |at| at), 1000);
    let columns = ["key", "number", "text"].map(|name| (column(&rows, name), name.to_owned()));
    let zero: PhysicalExprRef = Arc::new(Literal::new(ScalarValue::from(0_i64)));
    let exprs: Vec<_> = columns.into_iter().chain([(zero, "zero".to_owned())]).collect();
    let with_zero: Plan = Arc::new(ProjectionExec::try_new(exprs, rows).expect("a projection"));
    assert!(assert_same_of(with_zero, &["key", "zero"], &[2 << 20]) > 1 << 20);
}

#[test]
fn no_rows_are_no_groups() {
    assert_eq!(assert_same(&[], &["key"], &[]), 0);
}

/// Rows without groups, and such as have an order to keep, stay DataFusion's.
#[test]
fn others_stay_as_they_are() {
    let rows = leaf("", &rows(10, |at| at), 10);
    let all = aggregate(AggregateMode::Single, PhysicalGroupBy::new_single(Vec::new()), &rows, Arc::clone(&rows));
    assert_eq!(spilling_aggregates(all).expect("a plan").name(), "AggregateExec");
}
