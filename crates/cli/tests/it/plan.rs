//! `millpond plan`: plans of statements that run, that would run, and that were saved.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A table of 5,000 rows, each of which has another of 7 groups.
const ROWS: &str = "create table lily (id int primary key, pond int, pad char(50))\n\
    insert lily select value, value % 7, 'x' from generate_series(1, 5000)\n";

fn plan(options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.arg("plan").args(options).stdin(Stdio::null()).output().expect("the binary runs")
}

fn text(options: &[&str]) -> String {
    let output = plan(options);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn json(options: &[&str]) -> Value {
    let mut all = options.to_vec();
    all.extend(["--format", "json"]);
    serde_json::from_str(&text(&all)).expect("JSON")
}

fn refused(options: &[&str], code: i32) -> String {
    let output = plan(options);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0));
    String::from_utf8(output.stderr).expect("UTF-8")
}

fn utf8(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The operators of the last statement.
fn last(plan: &Value) -> &Vec<Value> {
    let statements = plan["statements"].as_array().expect("statements");
    statements.last().expect("one")["operators"].as_array().expect("operators")
}

#[test]
fn operators_have_rows_times_and_costs_that_add_up() {
    let script = format!("{ROWS}select pond, count(*) from lily group by pond");
    let plan = json(&["-Q", &script]);
    let operators = last(&plan);
    let scan = operators.last().expect("a scan");
    assert_eq!((scan["rows"].as_f64(), scan["estimated_rows"].as_f64()), (Some(5000.0), Some(5000.0)), "{scan}");
    assert!(scan["object"].as_str().is_some_and(|object| object.contains("[lily]")), "{scan}");
    assert_eq!(operators[0]["rows"].as_f64(), Some(7.0), "{}", operators[0]);
    let statement = plan["statements"].as_array().and_then(|all| all.last()).expect("a statement");
    assert_eq!(statement["cost"], operators[0]["subtree_cost"], "{statement}");
    // Some 40 pages at 0.00074 each.
    assert!(scan["subtree_cost"].as_f64().is_some_and(|cost| (0.02..0.2).contains(&cost)), "{scan}");
    for operator in operators {
        assert!(operator["own_cost"].as_f64().is_some_and(|own| own >= 0.0), "{operator}");
        if let Some(parent) = operator["parent"].as_u64() {
            let above = operators[usize::try_from(parent).expect("small")]["subtree_cost"].as_f64();
            assert!(above >= operator["subtree_cost"].as_f64(), "{operator}");
        }
    }
}

#[test]
fn what_is_estimated_does_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let here = ["--data", utf8(&data), "-d", "pond"];
    let made = Command::new(env!("CARGO_BIN_EXE_millpond"))
        .args(["sql", "--data", utf8(&data), "-b", "-Q"])
        .arg(format!("create database pond\ngo\nuse pond\ngo\n{ROWS}"))
        .output()
        .expect("the binary runs");
    assert!(made.status.success(), "{made:?}");
    let delete = [&here[..], &["-Q", "delete lily where pond = 3"]].concat();
    let expected = json(&[&delete[..], &["--estimated"]].concat());
    assert_eq!(last(&expected)[0]["rows"], Value::Null);
    let count = |script: &str| json(&[&here[..], &["-Q", script]].concat());
    let rows = |plan: &Value| last(plan).last().expect("a scan")["rows"].as_f64();
    assert_eq!(rows(&count("select sum(id) from lily")), Some(5000.0));
    // Scripts that were saved turn it off at their end, and what comes then does not run either.
    let script = "set showplan_xml on\ngo\nselect 1\ngo\nset showplan_xml off\ngo\ndelete lily\n";
    json(&[&here[..], &["-Q", script, "--estimated"]].concat());
    assert_eq!(rows(&count("select sum(id) from lily")), Some(5000.0));
    let ran = json(&delete);
    assert_eq!(last(&ran)[0]["rows"].as_f64(), Some(714.0), "{ran}");
    assert_eq!(rows(&count("select sum(id) from lily")), Some(4286.0));
}

#[test]
fn a_plan_is_saved_and_shown_again_and_is_a_page_that_stands_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let [saved, page] = ["slow.sqlplan", "slow.html"].map(|name| folder.path().join(name));
    let script = format!("{ROWS}go\nselect a.id from lily a join lily b on b.pond = a.id where a.pad = '<b>'\ngo 2\n");
    let file = folder.path().join("script.sql");
    std::fs::write(&file, script).expect("a file");
    assert_eq!(text(&["-i", utf8(&file), "--format", "xml", "-o", utf8(&saved)]), "");
    // Each of the batches is a document of its own; a file of one is what people save.
    let documents = std::fs::read_to_string(&saved).expect("written");
    let (_, one) = documents.rsplit_once("<ShowPlanXML").expect("documents");
    std::fs::write(&saved, format!("<ShowPlanXML{one}")).expect("a file");
    let again = json(&[utf8(&saved)]);
    let names: Vec<&str> = last(&again).iter().filter_map(|operator| operator["physical"].as_str()).collect();
    assert!(names.iter().any(|name| name.contains("Scan")), "{names:?}");
    let tree = text(&[utf8(&saved)]);
    assert!(tree.contains("◀ longest") || tree.contains("◀ costliest"), "{tree}");
    assert!(tree.lines().any(|line| line.contains("└─ ")), "{tree}");
    text(&[utf8(&saved), "--html", "-o", utf8(&page)]);
    let html = std::fs::read_to_string(&page).expect("written");
    assert!(html.contains("planView(") && html.ends_with("</html>\n") && !html.contains("<b>'"), "{html}");
}

#[test]
fn plans_before_an_error_are_shown() {
    let output = plan(&["-Q", "select 1 as one select 1/0 as none"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (shown, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(shown.contains("select 1 as one") && said.contains("Msg 8134"), "{output:?}");
}

#[test]
fn what_has_no_plan_is_refused() {
    assert!(refused(&["-Q", "declare @a int"], 1).contains("none of the statements has a plan"));
    assert!(refused(&["-Q", "select * from nothing"], 1).contains("Msg 208, line 1"));
    assert!(refused(&["-Q", "select 1\ngo x\n"], 1).contains("line 2"));
    assert!(refused(&["/nowhere/at.sqlplan"], 1).contains("/nowhere/at.sqlplan"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.sqlplan");
    std::fs::write(&file, "<html></html>").expect("a file");
    assert!(refused(&[utf8(&file)], 1).contains("ShowPlanXML"));
    assert!(refused(&["-S", "127.0.0.1,1", "-P", "x", "-Q", "select 1"], 1).contains("127.0.0.1"));
    refused(&[], 2);
    refused(&[utf8(&file), "-Q", "select 1"], 2);
}
