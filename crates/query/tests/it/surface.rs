//! SQL Server's surface as lists of names, each with a statement that uses it: what answers and what is refused is written
//! into docs/surface.md, which this test compares (`MILLPOND_BLESS=1` writes it anew).
//!
//! A name works when its statement ends without an error; what it answers is the business of other tests. Each statement
//! has an engine's database of its own, and is given up with its session.

use std::fmt::Write;
use std::sync::Arc;

use millpond_engine::engine::Engine;

use crate::harness::{engine, run, session};

const FUNCTIONS: &str = include_str!("surface/functions.txt");
const PROCEDURES: &str = include_str!("surface/procedures.txt");
const STATEMENTS: &str = include_str!("surface/statements.txt");
const VIEWS: &str = include_str!("surface/views.txt");

const OPENING: &str = "# SQL Server's surface

Each name below was tried by a statement that uses it: `cargo test --workspace --test it surface` compares this file with
what the server says, and writes it anew under `MILLPOND_BLESS=1`. *Works* says that the statement ends without an error;
[compatibility.md](compatibility.md) says what is known to differ. Names of services that this server does not have
(availability groups, replication, broker, full-text and the like) are left out.
";

/// Characters of a line of the document.
const WIDTH_MAX: usize = 118;

/// The number of the first error that a text gives; none when it works.
fn error_of(engine: &Arc<Engine>, text: &str) -> Option<i32> {
    let mut session = session(engine);
    for text in [
        "drop database if exists snap, surface",
        "create database surface",
        "use surface",
        "create table dbo.parent (id int not null primary key, name varchar(40) null)
         insert dbo.parent values (1, 'a'), (2, 'b')
         create sequence dbo.seq1 as int start with 1
         create table dbo.child (id int identity primary key, parent int not null) insert dbo.child values (1), (2)
         create table dbo.texty (id int, txt text) insert dbo.texty values (1, 'a')
         create table dbo.ct (id int primary key) insert dbo.ct values (1)
         create partition function pf1 (int) as range left for values (1, 100)",
    ] {
        let said = run(&mut session, text);
        assert!(!said.contains("Msg "), "{text}: {said}");
    }
    let said = run(&mut session, text);
    run(&mut session, "if @@trancount > 0 rollback set showplan_text off");
    run(&mut session, "use master");
    let number = |line: &str| line.strip_prefix("Msg ")?.split(',').next()?.parse().ok();
    said.lines().find_map(number)
}

/// What a name is, and its statement.
struct Tried<'a> {
    name: &'a str,
    text: String,
    /// The error that says that it is not there; none: each error does.
    absent: Option<i32>,
}

fn section(out: &mut String, engine: &Arc<Engine>, title: &str, names: &[Tried<'_>]) {
    let (mut works, mut refused) = (Vec::new(), Vec::new());
    for one in names {
        match error_of(engine, &one.text) {
            Some(number) if one.absent.is_none_or(|absent| absent == number || number == 40517) => {
                refused.push(format!("{} ({number})", one.name));
            }
            _ => works.push(one.name.to_owned()),
        }
    }
    let _ = writeln!(out, "\n## {title}: {} of {}\n", works.len(), names.len());
    for (word, list) in [("Works", works), ("Refused", refused)] {
        if !list.is_empty() {
            let _ = writeln!(out, "{}\n", wrapped(&format!("{word}: {}.", list.join("; "))));
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
}

/// A list in lines that are read easily.
fn wrapped(text: &str) -> String {
    let (mut out, mut width) = (String::new(), 0);
    for item in text.split_inclusive("; ") {
        if width > 0 && width + item.trim_end().chars().count() > WIDTH_MAX {
            out.truncate(out.trim_end().len());
            out.push('\n');
            width = 0;
        }
        out.push_str(item);
        width += item.chars().count();
    }
    out
}

fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.split_once('|'))
}

#[test]
fn the_surface_is_what_its_document_says() {
    let engine = engine();
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("rows.txt"), "8\tx\n").expect("a file in it");
    let folder_text = folder.path().display().to_string();
    let of = |name, text, absent| Tried { name, text, absent };
    let statements: Vec<_> =
        pairs(STATEMENTS).map(|(name, text)| of(name, text.replace("$DIR", &folder_text), None)).collect();
    // An expression, or after a `!` a statement.
    let whole = |text: &str| text.strip_prefix('!').map_or_else(|| format!("select {text}"), str::to_owned);
    let functions: Vec<_> = pairs(FUNCTIONS).map(|(name, text)| of(name, whole(text), None)).collect();
    // A function has its arguments behind its name.
    let bare = |from: &'static str| from.split('(').next().unwrap_or(from);
    let views: Vec<_> =
        VIEWS.lines().map(|from| of(bare(from), format!("select top (0) * from {from}"), Some(208))).collect();
    // A procedure that misses its arguments is there.
    let procedures: Vec<_> = PROCEDURES.lines().map(|name| of(name, format!("exec {name}"), Some(2812))).collect();
    let mut out = OPENING.to_owned();
    section(&mut out, &engine, "Statements and clauses", &statements);
    section(&mut out, &engine, "Functions", &functions);
    section(&mut out, &engine, "Views", &views);
    section(&mut out, &engine, "Procedures", &procedures);
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/surface.md");
    if std::env::var_os("MILLPOND_BLESS").is_some() {
        std::fs::write(&path, &out).expect("the document can be written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    for (known, now) in known.lines().zip(out.lines()) {
        assert_eq!(known, now, "docs/surface.md is out of date: MILLPOND_BLESS=1 writes it anew");
    }
    assert_eq!(known.lines().count(), out.lines().count(), "docs/surface.md is out of date");
}
