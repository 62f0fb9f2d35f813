//! The history of a server: what a killed one leaves, what its views and its file say, reports of both.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::serve::{PASSWORD, Served};

const PATIENCE: Duration = Duration::from_secs(120);

fn start(dir: &Path, more: &[&str]) -> Served {
    let dir = dir.to_str().expect("UTF-8");
    let mut options = vec!["--listen", "127.0.0.1:0", "--data", dir];
    options.extend(more);
    Served::start(&options, &[])
}

/// The answer to a question of one value.
fn answer(server: &Served, text: &str) -> String {
    let query = format!("set nocount on; {text}");
    let said = server.sql("127.0.0.1", &["-U", "sa", "-b", "-Q", &query], "");
    assert_eq!(said.code, 0, "{said:?}");
    said.out.trim().to_owned()
}

fn until(server: &Served, text: &str) {
    let begun = Instant::now();
    while answer(server, text) != "1" {
        assert!(begun.elapsed() < PATIENCE, "never: {text}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Samples until then are in the file.
fn until_recorded(server: &Served) {
    let now = answer(server, "select convert(varchar(27), sysutcdatetime(), 121)");
    until(server, &format!("select count(*) from sys.dm_millpond_history_state where newest_time_utc > '{now}'"));
}

fn report(options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.arg("report").args(options).env("SQLCMDPASSWORD", PASSWORD).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

fn json(options: &[&str]) -> Value {
    let mut all = options.to_vec();
    all.extend(["--format", "json"]);
    let output = report(&all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn refused(options: &[&str]) -> String {
    let output = report(options);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    String::from_utf8(output.stderr).expect("UTF-8")
}

fn sum(report: &Value, column: &str) -> u64 {
    let intervals = report["intervals"].as_array().expect("a table");
    intervals.iter().filter_map(|interval| interval[column].as_u64()).sum()
}

#[test]
fn a_server_that_is_killed_leaves_what_it_did() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().to_str().expect("UTF-8");
    let server = start(dir.path(), &[]);
    answer(
        &server,
        "create table hostile (id int); insert hostile values (1); select count(*) from hostile as [<script>]",
    );
    until_recorded(&server);
    let beside = json(&["--data", path]);
    // SIGKILL.
    drop(server);
    let after = json(&["--data", path]);
    assert!(sum(&beside, "batches") >= 2 && sum(&after, "batches") >= sum(&beside, "batches"), "{after}");
    assert_eq!((sum(&after, "starts"), sum(&after, "crashes")), (1, 0), "nobody has started since");
    let statements = after["statements"].as_array().expect("a table");
    let texts: Vec<_> = statements.iter().filter_map(|row| row["statement_text"].as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("[<script>]")), "{texts:?}");
    let page = dir.path().join("page.html");
    let output = report(&["--data", path, "--output", page.to_str().expect("UTF-8")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(&page).expect("it is there");
    assert!(page.contains("[&lt;script&gt;]") && !page.contains("<script"), "{page}");

    let server = start(dir.path(), &[]);
    until_recorded(&server);
    assert_eq!(
        answer(&server, "select concat(sum(starts), ' ', sum(crashes)) from sys.dm_millpond_history(null, null, null)"),
        "2 1"
    );
    // A start that ends in order is no crash.
    answer(&server, "shutdown with nowait");
    let begun = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", server.port())).is_ok() {
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(server);
    let server = start(dir.path(), &[]);
    until_recorded(&server);
    let counted = json(&["--data", path]);
    assert_eq!(sum(&counted, "starts"), 3, "{counted}");
}

#[test]
fn the_file_and_the_views_say_the_same_of_times_that_are_over() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().to_str().expect("UTF-8");
    let server = start(dir.path(), &[]);
    let from = answer(&server, "select convert(varchar(19), sysutcdatetime(), 126)");
    until(
        &server,
        &format!(
            "select count(*) from sys.dm_millpond_history_state where newest_time_utc > dateadd(second, 4, '{from}')"
        ),
    );
    let to = answer(&server, &format!("select convert(varchar(19), dateadd(second, 3, '{from}'), 126)"));
    let address = format!("127.0.0.1,{}", server.port());
    let span = ["--from", from.as_str(), "--to", to.as_str(), "--step", "1"];
    let of = |place: &[&str]| json(&[place, &span[..]].concat());
    let (file, views) = (of(&["--data", path]), of(&["-S", &address, "-U", "sa", "-C"]));
    let rows = |report: &Value, table: &str| report[table].as_array().expect("a table").len();
    assert!(rows(&file, "intervals") >= 2, "{file}");
    for column in ["begin_time_utc", "covered_s", "starts", "batches", "logical_reads", "log_bytes", "requests_ended"] {
        let values = |report: &Value| {
            let intervals = report["intervals"].as_array().expect("a table");
            intervals.iter().map(|interval| interval[column].clone()).collect::<Vec<_>>()
        };
        assert_eq!(values(&file), values(&views), "{column}");
    }
    for table in ["statements", "waits", "files"] {
        let sorted = |report: &Value| {
            let mut rows: Vec<_> = report[table].as_array().expect("a table").iter().map(Value::to_string).collect();
            rows.sort();
            rows
        };
        assert_eq!(sorted(&file), sorted(&views), "{table}");
    }
    let message = refused(&["-S", &address, "-U", "sa", "-C", "--from", "2000-01-01", "--to", "2000-01-02"]);
    assert!(message.contains("nothing is recorded from 2000-01-01 00:00:00"), "{message}");
}

#[test]
fn nothing_is_recorded_where_nobody_wants_it_and_a_damaged_file_is_set_aside() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().to_str().expect("UTF-8");
    let ring = dir.path().join("history.ring");
    let server = start(dir.path(), &["--no-history"]);
    assert_eq!(answer(&server, "select convert(int, is_recording) from sys.dm_millpond_history_state"), "0");
    assert!(!ring.exists());
    drop(server);
    let message = refused(&["--data", path]);
    assert!(message.contains("there is no history.ring"), "{message}");
    std::fs::write(&ring, "no ring ".repeat(1000)).expect("it is written");
    let message = refused(&["--data", path]);
    assert!(message.contains("history.ring is damaged"), "{message}");
    let server = start(dir.path(), &[]);
    until_recorded(&server);
    assert_eq!(std::fs::read(dir.path().join("history.ring.damaged")).expect("it is there").len(), 8000);
    let message = refused(&["--data", path, "--from", "now", "--to", "-1h"]);
    assert!(message.contains("ends before it begins"), "{message}");
    let output = report(&["--data", path, "--from", "yesterday"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(report(&[]).status.code(), Some(2), "a folder or a server");
}
