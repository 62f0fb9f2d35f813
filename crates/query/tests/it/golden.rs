//! Golden scripts: `golden/*.sql` holds batches, each followed by what the engine says to it, as comments.
//!
//! ```text
//! select 1 as a
//! go
//! --> [a:int]
//! --> 1
//! --> (1 rows affected)
//! ```
//! Each script runs in a session of its own, twice: with the short cut for direct statements and without it, and both
//! must say the same; but one that begins with `-- direct statements only` shows what differs.
//! `MILLPOND_BLESS=1 cargo test -p millpond-query` writes the answers down anew;
//! `MILLPOND_GOLDEN=name` takes one script alone.

use std::fmt::Write;
use std::path::Path;

use crate::harness::{difference, engine, run, session};

const ANSWER: &str = "--> ";

#[test]
fn golden_scripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    let mut scripts: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.sort();
    if let Some(only) = std::env::var_os("MILLPOND_GOLDEN") {
        scripts.retain(|path| path.file_stem() == Some(&only));
    }
    assert!(!scripts.is_empty());
    let mut wrong = Vec::new();
    for path in scripts {
        for direct in [true, false] {
            let script = std::fs::read_to_string(&path).unwrap();
            if !direct && script.starts_with("-- direct statements only") {
                continue;
            }
            let told = tell(&script, direct);
            if told == script {
                continue;
            }
            if direct && std::env::var_os("MILLPOND_BLESS").is_some() {
                std::fs::write(&path, &told).unwrap();
                continue;
            }
            wrong.push(format!("{} (direct statements {direct}):\n{}", path.display(), difference(&script, &told)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The script with the engine's answers in place of those written down.
fn tell(script: &str, direct: bool) -> String {
    let engine = engine();
    engine.instance().settings().set_option("direct statements", i64::from(direct)).unwrap();
    engine.instance().reconfigure(true).unwrap();
    let mut session = session(&engine);
    let (mut out, mut batch) = (String::new(), String::new());
    for line in script.lines().filter(|line| !line.starts_with(ANSWER.trim_end())) {
        let _ = writeln!(out, "{line}");
        if !line.trim().eq_ignore_ascii_case("go") {
            let _ = writeln!(batch, "{line}");
            continue;
        }
        for answer in run(&mut session, &batch).lines() {
            let _ = writeln!(out, "{}", format!("{ANSWER}{answer}").trim_end());
        }
        batch.clear();
    }
    out
}
