//! `millpond lab run` of each experiment in miniature, on servers of its own: every case has its figures, in JSON and in
//! the report, and the plots are well-formed. What the figures are is not looked at: they mean nothing at this size.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Runs an experiment once, its report into `folder`; the objects of its JSON.
fn run(name: &str, folder: &Path) -> Vec<Value> {
    run_with(name, folder, &["--quick"])
}

fn run_with(name: &str, folder: &Path, more: &[&str]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.args(["lab", "run", name, "--scale", "test", "--format", "json", "--out"]).arg(folder).args(more);
    let output = command.output().expect("the binary starts");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{name}: {}{text}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap(), text);
    text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

/// The report opens with the article beside ours, has a row for each case, and `plots` plots that are drawn.
fn check_report(name: &str, folder: &Path, cases: &[Value], plots: usize) {
    let read =
        |file: String| std::fs::read_to_string(folder.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (markdown, html) = (read(format!("{name}.md")), read(format!("{name}.html")));
    check_xml(html.strip_prefix("<!DOCTYPE html>\n").expect("it is HTML"));
    for case in cases {
        assert_eq!(case["experiment"], name);
        let case = case["case"].as_str().unwrap();
        assert!(markdown.contains(&format!("\n| {case} |")), "{case} in {markdown}");
        assert!(html.contains(&format!(">{case}</td>")), "{case} in {html}");
    }
    let begin = markdown.split("\n\n").take(3).collect::<Vec<_>>().join("\n\n");
    assert!(begin.contains("\n|  | article | ours | ours : article |\n"), "{begin}");
    assert!(markdown.contains("\nWhat differs: ") && html.contains("<p>What differs: "), "{markdown}");
    assert!(markdown.contains(&format!("millpond lab run {name} --scale test")), "{markdown}");
    assert!(markdown.contains(" UTC by millpond ") && markdown.contains(" processors ("), "{markdown}");
    for number in 1..=plots {
        let file = format!("{name}-{number}.svg");
        assert!(markdown.contains(&format!("({file})")), "{markdown}");
        check_xml(&read(file));
    }
    assert!(!folder.join(format!("{name}-{}.svg", plots + 1)).exists());
    assert_eq!(html.matches("<svg viewBox=").count(), plots, "plots have no size of their own in a page");
    check_record(name, folder, cases);
}

/// The record and the raw figures have a place for every repetition of every case.
fn check_record(name: &str, folder: &Path, cases: &[Value]) {
    let record = std::fs::read_to_string(folder.join(format!("{name}.result.json"))).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let repetitions = record["repetitions"].as_u64().unwrap();
    let recorded: Vec<&str> =
        record["cases"].as_array().unwrap().iter().map(|case| case["case"].as_str().unwrap()).collect();
    assert_eq!(recorded, cases.iter().map(|case| case["case"].as_str().unwrap()).collect::<Vec<_>>());
    for case in record["cases"].as_array().unwrap() {
        for (figure, values) in case["figures"].as_object().unwrap() {
            assert_eq!(values.as_array().unwrap().len() as u64, repetitions, "{figure} of {case}");
        }
    }
    assert!(record["effects"].as_object().is_some_and(|effects| !effects.is_empty()), "{record}");
    let csv = std::fs::read_to_string(folder.join(format!("{name}.raw.csv"))).unwrap();
    assert_eq!(csv.lines().count() as u64, 1 + repetitions * cases.len() as u64, "{csv}");
}

/// Every element that begins ends, in its order, and there are pictures.
fn check_xml(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut elements = 0;
    let mut rest = text;
    while let Some(begin) = rest.find('<') {
        // Styles have combinators.
        let is_style = open.last() == Some(&"style");
        assert!(is_style || !rest[..begin].contains('>'), "a lost '>' in {}", &rest[..begin]);
        let end = begin + rest[begin..].find('>').expect("a tag ends");
        let tag = &rest[begin + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.trim()));
        } else if !tag.starts_with(['?', '!']) {
            elements += 1;
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            if !tag.ends_with('/') {
                open.push(tag.split_whitespace().next().expect("a name"));
            }
        }
    }
    assert!(open.is_empty(), "not ended: {open:?}");
    assert!(text.contains("<svg") && elements > 20, "{elements} elements");
}

/// Those cases in that order, each with these figures as numbers.
fn check_cases(cases: &[Value], names: &[&str], figures: &[&str]) {
    let found: Vec<&str> = cases.iter().map(|case| case["case"].as_str().unwrap()).collect();
    assert_eq!(found, names);
    for (case, figure) in cases.iter().flat_map(|case| figures.iter().map(move |figure| (case, figure))) {
        assert!(case[*figure].is_number(), "{figure} of {case}");
    }
}

#[test]
fn the_extension() {
    let folder = tempfile::tempdir().unwrap();
    let cases = run("extension", folder.path());
    let names = [
        "in-memory, updates",
        "ssd, updates",
        "none, updates",
        "clean, updates",
        "write-back, updates",
        "write-back, updates after a restart",
        "none, 80 % reads",
        "clean, 80 % reads",
        "write-back, 80 % reads",
        "clean, updates after scans",
        "write-back, updates after scans",
        "none, scans",
        "write-back, scans",
    ];
    check_cases(&cases, &names, &["first_seconds", "seconds", "last_seconds", "memory_percent", "extension_percent"]);
    check_report("extension", folder.path(), &cases, 3);
}

#[test]
fn the_cache_of_a_controller() {
    let folder = tempfile::tempdir().unwrap();
    let cases = run("controller", folder.path());
    let names = [100, 75, 25, 0].map(|reads| format!("reads/writes {reads}/{}, 2 users", 100 - reads));
    let figures = [
        "seconds",
        "new_orders_per_minute",
        "data_reads",
        "data_writes",
        "log_writes",
        "log_ms_per_write",
        "arm_busy_with_reads_percent",
        "arm_busy_with_writes_percent",
    ];
    let (server, disk) = cases.split_at(names.len());
    check_cases(server, &names.each_ref().map(String::as_str), &figures);
    for case in server {
        assert!(case["seconds"].as_f64().unwrap() >= 1.0 && case["log_writes"].as_f64().unwrap() > 0.0, "{case}");
        assert!(case["waits"].is_string());
    }
    // The disk alone: three ways to write, two ratios, three splits.
    assert_eq!(disk.len(), 3 * 2 * 3);
    for case in disk {
        let figure = |name: &str| case[name].as_f64().unwrap_or_else(|| panic!("{name} of {case}"));
        assert!(figure("reads_per_second") > 0.0 && figure("arm_ms_per_page_written") > 0.0, "{case}");
    }
    check_report("controller", folder.path(), &cases, 3);
}

#[test]
fn a_ram_drive() {
    let folder = tempfile::tempdir().unwrap();
    let cases = run("ram-drive", folder.path());
    let names = [
        "disk, old, 1",
        "disk, old, 10",
        "disk, new, 1",
        "disk, new, 10",
        "RAM, old, 1",
        "RAM, old, 10",
        "RAM, new, 1",
        "RAM, new, 10",
    ];
    check_cases(&cases, &names, &["seconds", "inserts_per_second", "written_mb", "bytes_written_per_byte"]);
    assert!(cases.iter().all(|case| case["inserts_per_second"].as_f64().unwrap() > 0.0), "{cases:?}");
    check_report("ram-drive", folder.path(), &cases, 1);
}

#[test]
fn select_into() {
    let folder = tempfile::tempdir().unwrap();
    let cases = run("select-into", folder.path());
    let loads = ["1 file, eager", "1 file, new", "40 files, eager", "40 files, new"];
    let single = [
        "SELECT INTO, serial",
        "SELECT INTO",
        "INSERT",
        "INSERT TABLOCK, serial",
        "INSERT TABLOCK",
        "variable in tempdb",
        "variable in memory",
    ];
    assert_eq!(cases.len(), loads.len() + single.len());
    check_cases(&cases[..4], &loads, &["files", "seconds", "transactions_per_minute", "written_mb", "ms_per_write"]);
    check_cases(&cases[4..], &single, &["seconds", "rows_per_second"]);
    assert!(cases[0]["written_mb"].as_f64().unwrap() > 0.0, "eager writes write");
    check_report("select-into", folder.path(), &cases, 2);
}

#[test]
fn the_placement_of_tempdb() {
    let folder = tempfile::tempdir().unwrap();
    let cases = run("tempdb-placement", folder.path());
    let names = ["card, small, 1", "card, tenfold, 1", "array, 4 links, small, 1", "array, 4 links, tenfold, 1"];
    let queries = ["groups", "regions", "order", "notes", "join"].map(|query| format!("{query}_seconds"));
    let figures =
        [&queries.each_ref().map(String::as_str)[..], &["seconds", "spilled_mb", "read_mb", "written_mb"]].concat();
    check_cases(&cases[..4], &names, &figures);
    let added = ["before a second card", "after it was added"];
    check_cases(&cases[4..], &added, &["seconds", "read_mb_s", "written_mb_s"]);
    // What did not fit was spilled, went out to the files in large pieces, and came back.
    assert!(cases[..4].iter().all(|case| case["bound_by_tempdb"].is_string()), "{cases:?}");
    for tenfold in [&cases[1], &cases[3]] {
        let figure = |name: &str| tenfold[name].as_f64().unwrap();
        assert!(figure("spilled_mb") > 0.0 && figure("written_mb") > 0.0, "{tenfold}");
        assert!(figure("read_mb") > 0.0 && figure("kb_per_read") > 8.0 && figure("kb_per_write") > 8.0, "{tenfold}");
        assert!(figure("spill_percent_of_writes") > 50.0, "{tenfold}");
    }
    assert!(cases[5]["added_file_mb"].as_f64().unwrap() > 0.5, "{}", cases[5]);
    check_report("tempdb-placement", folder.path(), &cases, 3);
}

#[test]
fn files_of_tempdb_and_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let cases = run("allocation", folder.path());
    let names = [
        "1 file, 1 session",
        "1 file, 2 sessions",
        "2 files, 1 session",
        "2 files, 2 sessions",
        "user database, mixed extents on",
        "user database, mixed extents off",
    ];
    let figures =
        ["sessions", "tables_per_second", "page_latch_wait_ms", "extent_cache_waits", "looks", "seen_waiting_for_pfs"];
    check_cases(&cases, &names, &figures);
    assert!(cases.iter().all(|case| case["tables_per_second"].as_f64().unwrap() > 0.0), "{cases:?}");
    assert!(cases[4..].iter().all(|case| case["pages_of_a_table_of_one_row"].as_f64().unwrap() >= 2.0), "{cases:?}");
    check_report("allocation", folder.path(), &cases, 3);
}

/// Beside whatever peers are installed; all find the same, or it is an error.
#[test]
fn peers_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let cases = run("peers", folder.path());
    let names = ["loop, 1 connection", "loop, 10 connections", "SELECT INTO", "sort that spills"];
    check_cases(
        &cases[..4],
        &names.map(|name| format!("Millpond, {name}")).each_ref().map(String::as_str),
        &["rows_per_second"],
    );
    assert!(
        cases[4]["case"] == "Millpond, TPC-C" && cases[4]["new_orders_per_second"].as_f64().unwrap() > 0.0,
        "{}",
        cases[4]
    );
    for peer in ["PostgreSQL", "DuckDB"] {
        let own: Vec<&Value> = cases.iter().filter(|case| case["case"].as_str().unwrap().starts_with(peer)).collect();
        let is_left_out = own.len() == 1 && own[0]["left_out"].is_string();
        let is_measured = own.len() >= 3 && own.iter().all(|case| case["version"].as_str().unwrap().starts_with(peer));
        assert!(is_left_out || is_measured, "{own:?}");
    }
    check_report("peers", folder.path(), &cases, 1);
}

/// Runs the comparison of two results; its exit code, output and errors.
fn compare(arguments: &[&str], results: [&Path; 2]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    let output = command.args(["lab", "compare"]).args(arguments).args(results).output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Two results of one experiment, as they are run and written, and what cannot be compared.
#[test]
fn results_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (folder.path().join("before"), folder.path().join("after"));
    let cases = run_with("ram-drive", &before, &["--repetitions", "2"]);
    assert!(cases.iter().all(|case| case["repetitions"] == 2), "{cases:?}");
    check_report("ram-drive", &before, &cases, 1);
    run_with("ram-drive", &after, &["--repetitions", "2"]);

    let (code, out, err) = compare(&[], [&before, &after]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(
        out.starts_with("ram-drive at scale test\n\nA  ") && out.contains("With 2 and 2 repetitions the least p is"),
        "{out}"
    );
    assert!(out.lines().any(|line| line.starts_with("RAM, new, 10 ") && line.contains("inserts per second")), "{out}");
    let (code, out, _) = compare(&["--format", "json"], [&before.join("ram-drive.result.json"), &after]);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &value[0]["experiment"], &value[0]["missing"]),
        (Some(0), &Value::from("ram-drive"), &serde_json::json!([]))
    );
    let itself: Value = serde_json::from_str(&compare(&["--format", "json"], [&before, &before]).1).unwrap();
    let figures = itself[0]["figures"].as_array().unwrap();
    assert!(
        figures
            .iter()
            .all(|figure| figure["verdict"] != "differs" && figure["ratio"].as_f64().is_none_or(|ratio| ratio == 1.0))
    );

    let other = folder.path().join("other.result.json");
    let record = std::fs::read_to_string(after.join("ram-drive.result.json")).unwrap();
    for (text, said) in [
        (record.replace("\"ram-drive\"", "\"other\""), "they are of different experiments: ram-drive and other"),
        (record[..record.len() / 2].to_owned(), "it is damaged: EOF"),
        (record.replace("\"scale\": \"test\"", "\"scale\": \"full\""), "at scale test and"),
        (String::new(), "it is damaged"),
        ("[]".to_owned(), "it has no 'format'"),
    ] {
        std::fs::write(&other, text).unwrap();
        let (code, out, err) = compare(&[], [&before, &other]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.starts_with("millpond: ") && err.contains(said), "{said} in {err}");
    }
    let (code, _, err) = compare(&[], [&before, &folder.path().join("nothing")]);
    assert!(code == Some(1) && err.contains("nothing: "), "{err}");
    let (code, _, err) = compare(&[], [&before, folder.path()]);
    assert!(code == Some(1) && err.contains("other.result.json"), "the damaged one is named: {err}");
}
