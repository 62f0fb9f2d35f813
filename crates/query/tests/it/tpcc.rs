//! TPC-C's five procedures over tables of a database, with the short cut for direct statements and without it: both say
//! the same, and what they leave behind is consistent.

use millpond_tsql::batch::split_script;

use crate::harness::{engine, run, session};

const SCHEMA: &str = include_str!("../../../../examples/tpcc/schema.sql");
const INDEXES: &str = include_str!("../../../../examples/tpcc/indexes.sql");
const PROCEDURES: &str = include_str!("../../../../examples/tpcc/procedures.sql");
const LOAD: &str = include_str!("../../../cli/tests/tpcc/load.sql");
const CALLS: &str = include_str!("../../../cli/tests/tpcc/calls.sql");

/// Runs the batches of a script; what they say.
fn script(session: &mut millpond_query::session::Session, text: &str) -> String {
    split_script(text).into_iter().map(|batch| run(session, &batch.text)).collect()
}

/// Everything that the calls say.
fn calls(direct: bool) -> String {
    let engine = engine();
    engine.instance().settings().set_option("direct statements", i64::from(direct)).unwrap();
    engine.instance().reconfigure(true).unwrap();
    let mut session = session(&engine);
    assert_eq!(script(&mut session, "create database tpcc\ngo\nuse tpcc\ngo\n"), "");
    assert_eq!(script(&mut session, SCHEMA), "");
    assert_eq!(script(&mut session, &LOAD.replace('#', "")), "");
    assert_eq!(script(&mut session, INDEXES), "");
    assert_eq!(script(&mut session, PROCEDURES), "");
    let told = script(&mut session, &CALLS.replace("#tpcc", "tpcc").replace('#', ""));
    without_times(&told)
}

/// Rows with a moment of today lose it.
fn without_times(told: &str) -> String {
    let today = |cell: &str| cell.len() >= 19 && cell.as_bytes()[4] == b'-' && cell.as_bytes()[10] == b' ';
    let line = |line: &str| {
        line.split(" | ").map(|cell| if today(cell) { "now" } else { cell }).collect::<Vec<_>>().join(" | ")
    };
    told.lines().map(|text| line(text) + "\n").collect()
}

#[test]
fn the_procedures_run_both_ways() {
    let told = calls(true);
    for expected in [
        "# new order: 0",
        "# mistaken order: 1",
        "# payment by number: 0",
        "# payment by name: 0",
        "# order status: 0",
        "# delivery: 0",
        "# stock level: 0",
        "# open transactions: 0",
        "next order 5, d_ytd 97.34",
    ] {
        assert!(told.lines().any(|line| line == expected), "{expected}: {told}");
    }
    assert!(!told.contains("Msg "), "{told}");
    assert_eq!(told, calls(false));
}
