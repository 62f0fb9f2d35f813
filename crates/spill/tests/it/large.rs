//! Rows of megabytes: what operators allocate at once, counted by the allocator, is what they were granted, and a few rows
//! where that is little. Pages of tempdb are no part of it.

use std::sync::Arc;

use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_expr::expressions::{BinaryExpr, Column};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::projection::ProjectionExec;
use futures::StreamExt;
use futures::executor::block_on;
use millpond_spill::{SpillConfig, SpillTempdb, TempFile, within_memory};

use crate::aggregates::call;
use crate::alloc::peak_bytes;
use crate::rig::*;

const MB: usize = 1 << 20;
const ROW_BYTES: usize = 2 * MB;

type Plan = Arc<dyn ExecutionPlan>;

/// Rows one at a time, each with a text of its own of 2 MB that is made when it is asked for.
fn large_rows(count: i64) -> Plan {
    let text = |at: i64| format!("{at:<9}{}", "x".repeat(ROW_BYTES / 2 - 9));
    let rows: Vec<Row> = (0..count).map(|at| (Some(at % 5), at, Some(text(at)))).collect();
    let leaf = leaf("", &rows, 1);
    let column =
        |name: &str| -> PhysicalExprRef { Arc::new(Column::new_with_schema(name, &leaf.schema()).expect("a column")) };
    let twice = Arc::new(BinaryExpr::new(column("text"), Operator::StringConcat, column("text")));
    let columns: Vec<(PhysicalExprRef, String)> =
        vec![(column("key"), "key".into()), (column("number"), "number".into()), (twice, "text".into())];
    Arc::new(ProjectionExec::try_new(columns, leaf).expect("a projection"))
}

fn grouped(keys: &[&str], texts: &[&str]) -> Plan {
    let rows = large_rows(40);
    let column = |name: &&str| -> (PhysicalExprRef, String) {
        (Arc::new(Column::new_with_schema(name, &rows.schema()).expect("a column")), (*name).to_owned())
    };
    let by = PhysicalGroupBy::new_single(keys.iter().map(column).collect());
    let max = datafusion::functions_aggregate::min_max::max_udaf;
    let calls: Vec<_> = texts.iter().map(|text| call(max(), &rows, text)).collect();
    let (filters, schema) = (vec![None; calls.len()], rows.schema());
    let aggregate = AggregateExec::try_new(AggregateMode::Single, by, calls, filters, rows, schema);
    within_memory(Arc::new(aggregate.expect("an aggregate"))).expect("a plan")
}

/// Rows and the most that was allocated at once.
fn run(plan: &Plan, grant_bytes: usize) -> (usize, usize) {
    // Nothing is written to its file, which lies in memory too.
    let files = vec![TempFile::Ram { max_bytes: 1 << 30 }];
    let tempdb = SpillTempdb::open(SpillConfig { memory_bytes: 256 << 20, files }).expect("in memory");
    let task = task(&tempdb.space(), grant_bytes);
    let counted = peak_bytes(|| {
        let mut rows = 0;
        let mut stream = plan.execute(0, task).expect("it begins");
        while let Some(batch) = block_on(stream.next()).transpose().expect("it runs") {
            rows += batch.num_rows();
        }
        rows
    });
    assert_nothing_left(&tempdb);
    counted
}

#[test]
fn groups_of_large_rows_stay_within_their_grant() {
    // A table of few groups and two rows have room whatever the grant; beyond that only what takes no row.
    let few = 6 * MB + 4 * MB + 2 * ROW_BYTES;
    for (keys, texts, groups) in [
        (&["text"][..], &[][..], 40),
        (&["text", "key"], &[], 40),
        (&["number"], &["text"], 40),
        (&["key"], &["text"], 5),
    ] {
        for (grant_bytes, most) in [(4 * MB, few), (24 * MB, 25 * MB), (48 * MB, 49 * MB)] {
            let (rows, peak) = run(&grouped(keys, texts), grant_bytes);
            assert_eq!(rows, groups, "{keys:?}");
            assert!(peak <= most, "{keys:?} within {grant_bytes} bytes: {peak} are more than {most}");
        }
    }
}
