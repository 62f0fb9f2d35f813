//! Errors of the golden scripts inside of a TRY. A batch whose answer is one error alone runs once more before it runs as written: as
//! a dynamic text in a transaction and a TRY. What CATCH then knows of the error is what the script has of it, and the transaction is
//! doomed if the table of messages says that an error of the number rolls it back.
//!
//! Numbers, severities, states, lines and texts are those that the scripts have by hand; the table has by hand what each ends.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use millpond_message::table::{Ends, row};
use millpond_query::session::Session;

use super::{ANSWER, scripts};
use crate::harness::{engine, run, session};

/// Numbers that scripts have, at least: those that people meet.
const NUMBERS_MIN: usize = 400;
/// Errors that come of the transaction or of the dynamic text around a batch, whatever it does.
const OF_THE_SURROUNDINGS: [i32; 15] =
    [226, 266, 574, 1205, 3021, 3902, 3903, 3951, 3998, 5015, 6115, 8920, 15_002, 15_289, 15_530];
/// Of a text that makes a temporary table twice: it is found before anything runs, and dooms nothing.
const MADE_TWICE: (i32, i32) = (2714, 1);
/// The least severity that ends the connection, which no TRY sees.
const SEVERITY_FATAL: i32 = 20;

/// An error as a script has it.
#[derive(Debug, PartialEq, Eq)]
struct Told<'a> {
    number: i32,
    severity: i32,
    state: i32,
    line: i32,
    text: &'a str,
}

/// `Msg 208, Level 16, State 1, Line 1: text`, with the procedure after the line where there is one.
fn told(line: &str) -> Option<Told<'_>> {
    let (head, text) = line.strip_prefix("Msg ")?.split_once(": ")?;
    let mut parts = head.split(", ");
    let number = parts.next()?.parse().ok()?;
    let severity = parts.next()?.strip_prefix("Level ")?.parse().ok()?;
    let state = parts.next()?.strip_prefix("State ")?.parse().ok()?;
    let (mut of_line, mut line) = (parts.next()?, None);
    if let Some(procedure) = of_line.strip_prefix("Procedure ") {
        of_line = parts.next().unwrap_or(procedure);
    }
    if let Some(number) = of_line.strip_prefix("Line ") {
        line = number.parse().ok();
    }
    Some(Told { number, severity, state, line: line?, text })
}

/// The one error that an answer is.
fn only_error(answer: &[&str]) -> Option<String> {
    let (first, rest) = answer.split_first()?;
    let is_alone = rest.iter().all(|line| *line == "# The statement has been terminated.");
    (is_alone && told(first).is_some()).then(|| (*first).to_owned())
}

/// What a CATCH knows of the error of a batch: as the script would have it, and the state of the transaction where the error is of no
/// module (in a trigger each dooms it).
fn caught(session: &mut Session, batch: &str) -> Option<(String, Option<i32>)> {
    let text = batch.replace('\'', "''");
    let answer = run(
        session,
        &format!(
            "begin transaction begin try exec (N'{text}') end try begin catch \
             select case when error_procedure() is null then xact_state() end as x, concat('Msg ', error_number(), ', Level ', error_severity(), ', State ', error_state(), \
             ', Line ', error_line(), ': ', error_message()) as e end catch if @@trancount > 0 rollback"
        ),
    );
    let line = answer.lines().find(|line| line.contains(" | Msg "))?;
    let (state, error) = line.split_once(" | ")?;
    Some((error.to_owned(), state.parse().ok()))
}

#[test]
fn what_the_golden_scripts_refuse_is_caught_as_it_is() {
    let (mut seen, mut wrong) = (BTreeSet::new(), String::new());
    let mut contradicts: BTreeMap<i32, String> = BTreeMap::new();
    for path in scripts() {
        let script = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let engine = engine();
        let mut one = session(&engine);
        let mut batch = String::new();
        let mut lines = script.lines().peekable();
        while let Some(line) = lines.next() {
            if !line.trim().eq_ignore_ascii_case("go") {
                let _ = writeln!(batch, "{line}");
                continue;
            }
            let mut answer = Vec::new();
            while let Some(line) = lines.next_if(|line| line.starts_with(ANSWER.trim_end())) {
                answer.push(line.strip_prefix(ANSWER).unwrap_or_default());
            }
            if let Some(error) = only_error(&answer) {
                let wanted = told(&error).expect("it was read before");
                let is_seen =
                    wanted.severity < SEVERITY_FATAL && run(&mut one, "select @@trancount as n").contains("\n0\n");
                let is_strict = !run(&mut one, "select @@options & 16384 as n").contains("\n0\n");
                if is_seen && let Some((got, state)) = caught(&mut one, &batch) {
                    let got = told(&got).expect("it is written in that form");
                    if OF_THE_SURROUNDINGS.contains(&got.number) {
                        // The batch cannot be in a transaction.
                    } else if got != wanted {
                        let _ = writeln!(wrong, "{name}: {}\n wanted {wanted:?}\n got    {got:?}", batch.trim_end());
                    } else {
                        seen.insert(wanted.number);
                        let row = row(wanted.number).filter(|_| (wanted.number, wanted.state) != MADE_TWICE);
                        let dooms = is_strict || row.is_some_and(|row| row.ends >= Ends::Transaction);
                        if state.is_some_and(|state| dooms != (state == -1)) {
                            let text = format!("{name}: {} leaves {state:?}: {}", wanted.number, batch.trim_end());
                            contradicts.entry(wanted.number).or_insert(text);
                        }
                    }
                }
            }
            run(&mut one, &batch);
            batch.clear();
        }
    }
    let contradicts: Vec<&str> = contradicts.values().map(String::as_str).collect();
    assert!(wrong.is_empty() && contradicts.is_empty(), "{wrong}\n{}", contradicts.join("\n"));
    let is_whole = std::env::var_os("MILLPOND_GOLDEN").is_none();
    println!("{} numbers", seen.len());
    assert!(!is_whole || seen.len() >= NUMBERS_MIN, "{} numbers", seen.len());
}
