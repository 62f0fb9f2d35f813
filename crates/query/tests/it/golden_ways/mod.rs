//! Golden scripts: `golden/*.sql` holds batches, each followed by what the engine says to it, as comments.
//!
//! ```text
//! -- differs temporary: it asks sys.tables
//! select 1 as a
//! go
//! --> [a:int]
//! --> 1
//! --> (1 rows affected)
//! ```
//! Each script runs in a session of its own, in several ways, a test each, that must not change what it says: the statement's
//! road through the engine, and what its tables are. The first way is exact; where a way may change the order of rows, the
//! lines of a batch's answer are compared sorted. A script that a way changes for a good reason declares it at its top,
//! `-- differs WAY: why`; a declaration that is not true any more fails too. `-- may differ WAY: why` is for what chance
//! decides, such as the rows that TOP takes without an order.
//!
//! `MILLPOND_BLESS=1 cargo test -p millpond-query` writes the answers of the first way down anew;
//! `MILLPOND_GOLDEN=name` takes one script alone.

mod caught;
mod lexer;
mod literals;
mod restarts;
mod tables;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use millpond_engine::engine::Engine;
use millpond_engine::memory::Tuning;
use millpond_query::session::Session;

use crate::harness::{difference, engine, run, session};

const ANSWER: &str = "--> ";
const DIFFERS: &str = "-- differs ";
const MAY_DIFFER: &str = "-- may differ ";
/// The way whose answers are those of the scripts.
const EXACT: &str = "as-is";

/// A way to run a script.
struct Way {
    name: &'static str,
    /// Sets the engine up.
    prepare: fn(&Engine),
    /// The batch that runs in place of one of the script's.
    rewrite: fn(&tables::Script, &str) -> String,
    /// Rows may come in another order.
    reorders: bool,
    /// The batch that each session begins with.
    begin: &'static str,
    /// The server ends and starts again between batches.
    restarts: bool,
}

/// The first way: the others are like it but for what they say.
const AS_IS: Way = Way { name: EXACT, prepare: |_| (), rewrite: same, reorders: false, begin: "", restarts: false };

#[test]
fn golden_scripts_as_is() {
    check(&AS_IS);
}

#[test]
fn golden_scripts_plans() {
    check(&Way { name: "plans", prepare: without_direct_statements, ..AS_IS });
}

#[test]
fn golden_scripts_threads() {
    check(&Way { name: "threads", prepare: two_threads, reorders: true, ..AS_IS });
}

#[test]
fn golden_scripts_spills() {
    check(&Way { name: "spills", prepare: tiny_memory, reorders: true, ..AS_IS });
}

#[test]
fn golden_scripts_parameters() {
    check(&Way { name: "parameters", rewrite: |_, batch| literals::as_variables(batch), reorders: true, ..AS_IS });
}

#[test]
fn golden_scripts_clustered() {
    check(&Way { name: "clustered", rewrite: tables::clustered, reorders: true, ..AS_IS });
}

#[test]
fn golden_scripts_secondary() {
    check(&Way { name: "secondary", rewrite: tables::secondary, reorders: true, ..AS_IS });
}

#[test]
fn golden_scripts_temporary() {
    check(&Way { name: "temporary", rewrite: tables::temporary, reorders: true, ..AS_IS });
}

#[test]
fn golden_scripts_variables() {
    check(&Way { name: "variables", rewrite: tables::variables, reorders: true, ..AS_IS });
}

#[test]
fn golden_scripts_snapshot() {
    let begin = "set transaction isolation level snapshot";
    check(&Way { name: "snapshot", begin, rewrite: with_snapshots, reorders: true, ..AS_IS });
}

#[test]
fn golden_scripts_restarts() {
    check(&Way { name: "restarts", restarts: true, reorders: true, ..AS_IS });
}

fn same(_: &tables::Script, batch: &str) -> String {
    batch.to_owned()
}

/// The databases that a batch makes, by lines of their own, allow SNAPSHOT.
fn with_snapshots(_: &tables::Script, batch: &str) -> String {
    const CREATE: &str = "create database ";
    let line = |line: &str| {
        let is_whole = line.to_ascii_lowercase().starts_with(CREATE)
            && line.trim_end_matches([' ', ';']).matches(' ').count() == 2;
        if !is_whole {
            return line.to_owned();
        }
        let name = line[CREATE.len()..].trim_end_matches([' ', ';']);
        format!("create database {name} alter database {name} set allow_snapshot_isolation on")
    };
    batch.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn set_option(engine: &Engine, name: &str, value: i64) {
    for (name, value) in [("show advanced options", 1), (name, value), ("show advanced options", 0)] {
        engine.instance().settings().set_option(name, value).expect("an option of that name");
        engine.instance().reconfigure(true).expect("a value that it allows");
    }
}

fn without_direct_statements(engine: &Engine) {
    set_option(engine, "direct statements", 0);
}

/// Two threads scan tables of one page, a few rows at a time.
fn two_threads(engine: &Engine) {
    without_direct_statements(engine);
    set_option(engine, "cost threshold for parallelism", 0);
    set_option(engine, "max degree of parallelism", 2);
    engine.workspace().set_tuning(Tuning { batch_rows: 2, pages_of_parallel_scan: 0, ..Tuning::default() });
}

/// Operators that can spill do, with a few rows at a time.
fn tiny_memory(engine: &Engine) {
    without_direct_statements(engine);
    engine.workspace().set_tuning(Tuning { batch_rows: 2, spills_always: true, ..Tuning::default() });
}

/// Runs all scripts in a way.
fn check(way: &Way) {
    let mut wrong = Vec::new();
    for path in scripts() {
        let script = std::fs::read_to_string(&path).unwrap();
        let told = tell(&script, way);
        if std::env::var_os("MILLPOND_BLESS").is_some() {
            if way.name == EXACT {
                std::fs::write(&path, &told).unwrap();
            }
            continue;
        }
        let (expected, got) = if way.reorders { (sorted(&script), sorted(&told)) } else { (script.clone(), told) };
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let (is_declared, is_open) = (declares(DIFFERS, &script, way), declares(MAY_DIFFER, &script, way));
        if is_open {
            continue;
        }
        if is_declared && expected == got {
            wrong.push(format!("{name}: `{DIFFERS}{}` is not true", way.name));
        } else if !is_declared && expected != got {
            wrong.push(format!("{name}, {}:\n{}", way.name, difference(&expected, &got)));
        }
    }
    assert!(wrong.is_empty(), "{} scripts say something else:\n{}", wrong.len(), wrong.join("\n"));
}

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    let mut scripts: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.sort();
    if let Some(only) = std::env::var_os("MILLPOND_GOLDEN") {
        scripts.retain(|path| path.file_stem() == Some(&only));
    }
    assert!(!scripts.is_empty());
    scripts
}

/// Whether the script declares in that word that it says something else in this way.
fn declares(word: &str, script: &str, way: &Way) -> bool {
    let declared = |line: &str| line.strip_prefix(word)?.split_once(':').map(|(names, _)| names.to_owned());
    script.lines().filter_map(declared).any(|names| names.split([',', ' ']).any(|name| name == way.name))
}

/// The script with the lines of each answer sorted.
fn sorted(script: &str) -> String {
    let (mut lines, mut answer) = (Vec::new(), Vec::new());
    for line in script.lines().chain([""]) {
        if line.starts_with(ANSWER.trim_end()) {
            answer.push(line);
            continue;
        }
        answer.sort_unstable();
        lines.append(&mut answer);
        lines.push(line);
    }
    lines.join("\n")
}

/// Who answers the batches of a script.
enum Server {
    /// A session keeps its engine.
    Lasting(Box<Session>),
    Restarting(Box<restarts::Server>),
}

impl Server {
    fn new(script: &str, way: &Way) -> Server {
        if way.restarts {
            let batches = script.lines().filter(|line| line.trim().eq_ignore_ascii_case("go")).count();
            return Server::Restarting(Box::new(restarts::Server::new(script, batches)));
        }
        let engine = engine();
        (way.prepare)(&engine);
        let mut session = session(&engine);
        if !way.begin.is_empty() {
            assert_eq!(run(&mut session, way.begin), "");
        }
        Server::Lasting(Box::new(session))
    }

    fn run(&mut self, batch: &str) -> String {
        match self {
            Server::Lasting(session) => run(session, batch),
            Server::Restarting(server) => server.run(batch),
        }
    }
}

/// The script with the engine's answers in place of those written down.
fn tell(script: &str, way: &Way) -> String {
    let mut server = Server::new(script, way);
    let facts = tables::Script::new(script);
    let (mut out, mut batch) = (String::new(), String::new());
    for line in script.lines().filter(|line| !line.starts_with(ANSWER.trim_end())) {
        let _ = writeln!(out, "{line}");
        if line.starts_with(DIFFERS) || line.starts_with(MAY_DIFFER) {
            continue;
        }
        if !line.trim().eq_ignore_ascii_case("go") {
            let _ = writeln!(batch, "{line}");
            continue;
        }
        for answer in server.run(&(way.rewrite)(&facts, &batch)).lines() {
            let _ = writeln!(out, "{}", format!("{ANSWER}{answer}").trim_end());
        }
        batch.clear();
    }
    let is_no_code = |line: &str| line.trim().is_empty() || line.starts_with("--");
    assert!(batch.lines().all(is_no_code), "behind the last GO nothing is run, and there stands:\n{batch}");
    out
}
