//! `millpond lab`: what it lists and refuses, and the scripts that it runs: the five procedures of `examples/tpcc` on a
//! small warehouse, after which all twelve conditions hold, and a broken one is found.
//!
//! The scripts run on temporary tables of the same columns: names `dbo.x` become `#x`, constraints are left out, and the
//! 2,100 delivered orders of a district are 2.

use std::fmt::Write;
use std::process::Command;

use crate::command::script;

const SCHEMA: &str = include_str!("../../../../examples/tpcc/schema.sql");
const PROCEDURES: &str = include_str!("../../../../examples/tpcc/procedures.sql");
const CONSISTENCY: &str = include_str!("../../../../examples/tpcc/consistency.sql");
const LOAD: &str = include_str!("../tpcc/load.sql");
const CALLS: &str = include_str!("../tpcc/calls.sql");

fn lab(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.arg("lab").args(arguments).env_remove("SQLCMDPASSWORD").env_remove("MSSQL_SA_PASSWORD");
    let output = command.output().expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The script on temporary tables.
fn temporary(script: &str) -> String {
    let is_constraint = |line: &&str| line.trim_start().starts_with("constraint ");
    let lines: Vec<&str> = script.lines().filter(|line| !is_constraint(line)).collect();
    lines.join("\n").replace(",\n);", "\n);").replace("dbo.", "#").replace("2100 + c", "2 + c") + "\n"
}

/// The conditions, each followed by a line that says which is broken.
fn conditions() -> String {
    let mut out = String::new();
    for (number, query) in (1..).zip(temporary(CONSISTENCY).split("\nGO").filter(|text| text.contains("condition "))) {
        let _ = writeln!(out, "{query}\nif @@rowcount <> 0 print 'condition {number} is broken';\nGO");
    }
    out
}

fn lines_with<'a>(text: &'a str, words: &[&str]) -> Vec<&'a str> {
    text.lines().map(str::trim).filter(|line| words.iter().any(|word| line.starts_with(word))).collect()
}

#[test]
fn it_lists_its_workloads_and_wants_a_password() {
    let (code, out, err) = lab(&["list"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let names: Vec<&str> = out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let experiments =
        ["extension", "controller", "ram-drive", "select-into", "tempdb-placement", "allocation", "peers"];
    assert_eq!(names, [&["tpcc", "tpch", "keyed"][..], &experiments].concat());
    let (code, _, err) = lab(&["run", "tpcc", "--server", "localhost:1"]);
    assert_eq!((code, err.as_str()), (Some(1), "millpond: no password for 'sa': give --password\n"));
    assert_eq!(lab(&["run", "tpcc", "--server", "a:1", "--data-dir", "b"]).0, Some(2));
}

#[test]
fn the_procedures_do_what_the_standard_says() {
    let all = [&temporary(SCHEMA), "GO\n", LOAD, &temporary(PROCEDURES), CALLS].concat();
    let said = script(&["-W", "-h", "-1"], &all);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    let words =
        ["new ", "mistaken", "payment ", "order status", "delivery", "stock ", "open ", "next ", "balance ", "line "];
    let expected = [
        "new order: 0",
        "mistaken order: 1",
        "payment by number: 0",
        "payment by name: 0",
        "order status: 0",
        "delivery: 0",
        "stock level: 0",
        "open transactions: 0",
        "next order 5, d_ytd 97.34",
        "balance -22.34, deliveries 0, 2 3 1 2 1 12.34|data",
        "stock 41 9 2 0",
        "line 1 31.50 d2",
        "line 2 42.00 d2",
        "line 3 52.50 d2",
        "line 4 63.00 d2",
        "line 5 73.50 d2",
    ];
    assert_eq!(lines_with(&said.out, &words), expected);
    // Of the item and the stock of line 2 and 3 alone both are originals.
    assert_eq!(said.out.lines().filter(|line| line.trim_end().contains(" B 10.50 ")).count(), 3, "{}", said.out);
}

#[test]
fn all_conditions_hold_afterwards_and_a_broken_one_is_found() {
    let break_two = "update #warehouse set w_ytd = w_ytd + 1;\nprint 'from here on';\nGO\n";
    let checks = conditions();
    let all = [&temporary(SCHEMA), "GO\n", LOAD, &temporary(PROCEDURES), CALLS, &checks, break_two, &checks].concat();
    let said = script(&[], &all);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    let found = lines_with(&said.out, &["condition", "from here on", "Msg"]);
    assert_eq!(found, ["from here on", "condition 1 is broken", "condition 8 is broken"], "{}", said.out);
}
