//! The anomalies of the hermitage list, one script each in `anomalies/*.sql`, played at every level.
//!
//! What always holds: a level that is to prevent an anomaly prevents it. That is the table at the head of a script,
//! written by hand; the transcripts below it are what the engine does, step by step, and
//! `MILLPOND_BLESS=1 cargo test --workspace --test it anomalies` writes them down anew. A script is played with the
//! short cut for direct statements and without it, and both must say the same.

mod script;
mod stage;

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;

use crate::harness::{difference, engine, run, session};
use script::{Script, Verdict};
use stage::Stage;

/// A level: what it is called, the options of its database, and what a session sets.
struct Level {
    name: &'static str,
    row_versions: &'static str,
    snapshots: &'static str,
    isolation: &'static str,
}

const fn by_locks(isolation: &'static str) -> Level {
    Level { name: isolation, row_versions: "off", snapshots: "off", isolation }
}

const LEVELS: [Level; 6] = [
    by_locks("read uncommitted"),
    Level { name: "read committed by locks", ..by_locks("read committed") },
    Level { name: "read committed by versions", row_versions: "on", ..by_locks("read committed") },
    by_locks("repeatable read"),
    Level { snapshots: "on", ..by_locks("snapshot") },
    by_locks("serializable"),
];

#[test]
fn anomalies() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/anomalies");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scripts: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "sql")).collect();
    scripts.sort();
    assert!(!scripts.is_empty());
    let mut wrong = Vec::new();
    for path in scripts {
        let mut text = std::fs::read_to_string(&path).unwrap();
        let script = Script::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for direct in [true, false] {
            let (told, broken) = play(&script, direct);
            wrong.extend(broken.into_iter().map(|broken| format!("{} ({direct}): {broken}", path.display())));
            if told == text {
                continue;
            }
            if direct && std::env::var_os("MILLPOND_BLESS").is_some() {
                std::fs::write(&path, &told).unwrap();
                text = told;
                continue;
            }
            wrong.push(format!("{} (direct statements {direct}):\n{}", path.display(), difference(&text, &told)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The script with a transcript of each level, and what its table says otherwise.
fn play(script: &Script, direct: bool) -> (String, Vec<String>) {
    let (mut told, mut broken) = (script.head.clone(), Vec::new());
    for (level, (name, expected)) in LEVELS.iter().zip(&script.table) {
        assert_eq!(level.name, name, "the table names the levels in their order");
        let (transcript, verdict) = play_at(script, level, direct);
        if verdict != *expected {
            broken.push(format!("{name} is to be {expected}, but was {verdict}:\n{transcript}"));
        }
        let _ = writeln!(told, "-->\n--> level: {name}: {verdict}");
        for line in transcript.lines() {
            let _ = writeln!(told, "--> {line}");
        }
    }
    assert_eq!(script.table.len(), LEVELS.len(), "the table has every level");
    (told, broken)
}

fn play_at(script: &Script, level: &Level, direct: bool) -> (String, Verdict) {
    let engine = database(level, &script.setup, direct);
    let opening = format!("use db set transaction isolation level {} begin transaction", level.isolation);
    let mut stage = Stage::new(&engine, script.sessions(), &opening);
    for step in &script.steps {
        stage.act(step);
    }
    let (mut transcript, mut seen) = stage.end();
    if let Some(query) = &script.end {
        let mut reader = session(&engine);
        assert_eq!(run(&mut reader, "use db"), "");
        let said = run(&mut reader, query);
        transcript.push_str("end: ");
        stage::write_step(&mut transcript, query, &said);
        seen.note("end", &said);
    }
    (transcript, script.verdict(&seen))
}

/// An engine with the database of the level, made ready by the script.
fn database(level: &Level, setup: &str, direct: bool) -> Arc<Engine> {
    let engine = engine();
    engine.instance().settings().set_option("direct statements", i64::from(direct)).unwrap();
    engine.instance().reconfigure(true).unwrap();
    let mut maker = session(&engine);
    let Level { row_versions, snapshots, .. } = level;
    let options = format!(
        "alter database db set read_committed_snapshot {row_versions} \
         alter database db set allow_snapshot_isolation {snapshots}"
    );
    for text in ["create database db", &options, "use db", &format!("set nocount on {setup}")] {
        assert_eq!(run(&mut maker, text), "", "{text}");
    }
    engine
}
