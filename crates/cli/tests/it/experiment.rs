//! `millpond lab run` of each experiment in miniature, on servers of its own: every case has its figures, in JSON and in
//! the report, and the plots are well-formed. What the figures are is not looked at: they mean nothing at this size.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Runs an experiment, its report into `folder`; the objects of its JSON.
fn run(name: &str, folder: &Path) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.args(["lab", "run", name, "--scale", "test", "--format", "json", "--out"]).arg(folder);
    let output = command.output().expect("the binary starts");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{name}: {}{text}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap(), text);
    text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

/// The report has a row for each case, and `plots` plots that are drawn.
fn check_report(name: &str, folder: &Path, cases: &[Value], plots: usize) {
    let read =
        |file: String| std::fs::read_to_string(folder.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (markdown, html) = (read(format!("{name}.md")), read(format!("{name}.html")));
    for case in cases {
        assert_eq!(case["experiment"], name);
        let case = case["case"].as_str().unwrap();
        assert!(markdown.contains(&format!("\n| {case} |")), "{case} in {markdown}");
        assert!(html.contains(case), "{case} in {html}");
    }
    assert!(markdown.contains(&format!("millpond lab run {name} --scale test")), "{markdown}");
    for number in 1..=plots {
        let file = format!("{name}-{number}.svg");
        assert!(markdown.contains(&format!("({file})")), "{markdown}");
        check_xml(&read(file));
    }
    assert!(!folder.join(format!("{name}-{}.svg", plots + 1)).exists());
    assert_eq!(html.matches("<svg").count(), plots);
}

/// Every element that begins ends, in its order, and it is a picture.
fn check_xml(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut elements = 0;
    let mut rest = text;
    while let Some(begin) = rest.find('<') {
        assert!(!rest[..begin].contains('>'), "a lost '>' in {}", &rest[..begin]);
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
    check_cases(&cases, &names.each_ref().map(String::as_str), &figures);
    for case in &cases {
        assert!(case["seconds"].as_f64().unwrap() >= 1.0 && case["log_writes"].as_f64().unwrap() > 0.0, "{case}");
        assert!(case["waits"].is_string());
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
