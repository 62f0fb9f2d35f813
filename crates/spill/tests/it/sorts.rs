//! A [`SpillSortExec`] against a sort in memory.

use std::sync::Arc;

use datafusion::arrow::compute::SortOptions;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode::Recompute;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::sorts::sort::SortExec;
use futures::StreamExt;
use futures::executor::block_on;
use millpond_spill::{GrantPool, SpillSortExec, spilling_sorts};

use crate::rig::*;

/// By the key alone, descending, NULLs first: rows with equal keys are distinguished by what they do not order by.
fn by_key(rows: &[Row]) -> Arc<dyn ExecutionPlan> {
    first_by_key(rows, None)
}

/// As [`by_key`], of the first rows alone.
fn first_by_key(rows: &[Row], first: Option<usize>) -> Arc<dyn ExecutionPlan> {
    let options = SortOptions { descending: true, nulls_first: true };
    let key = PhysicalSortExpr { expr: Arc::new(Column::new("key", 0)), options };
    let sort = SortExec::new(LexOrdering::new(vec![key]).expect("a key"), leaf("", rows, 1000)).with_fetch(first);
    let plan = spilling_sorts(Arc::new(sort)).expect("a plan");
    assert_eq!(plan.name(), "SpillSortExec");
    plan
}

fn rows(count: i64) -> Vec<Row> {
    let key = |at: i64| (mixed(at) % 50 != 7).then(|| mixed(at) % 1000 - 500);
    (0..count).map(|at| (key(at), at, Some(format!("{:.<40}", mixed(at) % 77)))).collect()
}

/// What the sort makes of the rows, by the standard library's stable sort.
fn expected(mut rows: Vec<Row>) -> Vec<String> {
    rows.sort_by_key(|row| std::cmp::Reverse((row.0.is_none(), row.0)));
    let text = |row: &Row| {
        let key = row.0.map_or("NULL".to_owned(), |key| key.to_string());
        format!("{key}|{}|{}", row.1, row.2.as_deref().unwrap_or("NULL"))
    };
    rows.iter().map(text).collect()
}

#[test]
fn rows_with_equal_keys_stay_in_their_order_whatever_memory_there_is() {
    let rows = rows(300_000);
    let (plan, expected) = (by_key(&rows), expected(rows));
    let tempdb = tempdb(1 << 30);
    let written = |grant_bytes: usize| {
        let space = tempdb.space();
        let plan = Arc::clone(&plan).reset_state().expect("a plan");
        let found = rows_of(&plan, &task(&space, grant_bytes)).expect("it runs");
        assert!(found == expected, "with {grant_bytes} bytes");
        space.account().written_bytes()
    };
    assert_eq!(written(1 << 30), 0);
    let once = written(16 << 20);
    let often = written(1 << 20);
    assert!(once > 10 << 20, "{once} bytes");
    assert!(often > once / 2 * 3, "{often} bytes: several passes");
    assert_nothing_left(&tempdb);
}

#[test]
fn a_sort_that_leaves_memory_holds_a_quarter_of_the_grant() {
    let rows = rows(300_000);
    let (plan, expected) = (by_key(&rows), expected(rows));
    let modest = plan.downcast_ref::<SpillSortExec>().expect("it is one").leaving_memory();
    let modest = Arc::new(modest) as Arc<dyn ExecutionPlan>;
    let tempdb = tempdb(1 << 30);
    let held_bytes = |plan: &Arc<dyn ExecutionPlan>| {
        let pool = GrantPool::of_bytes(24 << 20);
        let found = rows_of(plan, &task_of(&tempdb.space(), Arc::clone(&pool))).expect("it runs");
        assert!(found == expected);
        pool.report().max_used_bytes
    };
    let (most, little) = (held_bytes(&plan), held_bytes(&modest));
    assert!(most > 16 << 20 && little < 8 << 20, "{most} and {little} bytes");
    let again = modest.reset_state().expect("a plan");
    let (inputs, options) = (again.children().into_iter().cloned().collect(), ReplaceChildrenOptions::new(Recompute));
    let again = Arc::clone(&again).replace_children(inputs, options).expect("a plan");
    assert!(held_bytes(&again) < 8 << 20, "it is so in another run too");
}

#[test]
fn no_rows_and_few_rows() {
    let tempdb = tempdb(1 << 30);
    for count in [0, 1, 2, 999, 1000, 1001] {
        let rows = rows(count);
        let found = rows_of(&by_key(&rows), &task(&tempdb.space(), 1 << 20)).expect("it runs");
        assert_eq!(found, expected(rows), "{count} rows");
    }
    assert_nothing_left(&tempdb);
}

#[test]
fn the_first_rows_are_those_of_a_sort_of_all_and_no_more_are_kept() {
    let rows = rows(300_000);
    let all = expected(rows.clone());
    let tempdb = tempdb(1 << 30);
    let written = |first: usize, grant_bytes: usize| {
        let (space, plan) = (tempdb.space(), first_by_key(&rows, Some(first)));
        let found = rows_of(&plan, &task(&space, grant_bytes)).expect("it runs");
        assert!(found == all[..first], "{first} rows with {grant_bytes} bytes");
        space.account().written_bytes()
    };
    assert_eq!(written(20_000, 1 << 30), 0);
    assert_eq!(written(20_000, 24 << 20), 0, "two times the first rows are held at most");
    let (first, most) = (written(20_000, 3 << 20), written(300_000, 3 << 20));
    assert!(first < most / 2, "{first} and {most} bytes");
    assert_nothing_left(&tempdb);
}

#[test]
fn few_first_rows_are_found_in_every_run() {
    let rows: Vec<Row> = (0..50_000).map(|at| (Some(mixed(at) % 9 * 100_000 + at), at, None)).collect();
    let (plan, all, tempdb) = (first_by_key(&rows, Some(100)), expected(rows), tempdb(1 << 30));
    let mut again = Arc::clone(&plan);
    for _ in 0..3 {
        assert_eq!(rows_of(&again, &task(&tempdb.space(), 16 << 20)).expect("it runs"), all[..100]);
        again = again.reset_state().expect("a plan");
    }
}

#[test]
fn large_rows_come_in_batches_of_few() {
    let text = |at: i64| if at % 8 == 0 { "x".repeat(700 << 10) } else { "small".to_owned() };
    let rows: Vec<Row> = (0..160).map(|at| (Some(mixed(at)), at, Some(text(at)))).collect();
    let (plan, expected, tempdb) = (by_key(&rows), expected(rows), tempdb(1 << 30));
    for grant_bytes in [1 << 30, 8 << 20] {
        let task = task(&tempdb.space(), grant_bytes);
        let mut stream = plan.execute(0, task).expect("it begins");
        let mut found = Vec::new();
        while let Some(batch) = block_on(stream.next()).transpose().expect("it runs") {
            assert!(batch.get_array_memory_size() < 2 << 20, "{} bytes", batch.get_array_memory_size());
            found.extend(texts_of(&batch));
        }
        assert!(found == expected, "with {grant_bytes} bytes");
    }
    assert_nothing_left(&tempdb);
}
