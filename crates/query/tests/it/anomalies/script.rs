//! A script: who does what in which order, and by what an anomaly is known.
//!
//! ```text
//! -- What the anomaly is.
//! --
//! -- | read uncommitted           | allowed   |      the table: one line for each level
//! -- …
//! -- | serializable               | prevented |
//! -- anomaly: first has 1 | 101                     it happened; several lines: any of them
//! -- setup:                                         before all
//! create table …
//! -- 1:                                             session 1
//! update …
//! -- 2 first:                                       session 2; the answer is called `first`
//! select …
//! -- end:                                           after all, by somebody else; the answer is called `end`
//! select …
//! ```
//! Each session is in a transaction when the steps begin. Terms of an anomaly are joined by `and`: `NAME has ROW`,
//! `NAME lacks ROW`, `NUMBER commits`. Lines that start with `-->` are no part of the script: transcripts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The line before all transcripts has this in common with those of them.
const TOLD: &str = "-->";

/// A script without its transcripts.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// The text as it stands in the file.
    pub head: String,
    /// Which level does what, in the order of the file.
    pub table: Vec<(String, Verdict)>,
    pub setup: String,
    pub steps: Vec<Step>,
    /// A query for the end.
    pub end: Option<String>,
    anomalies: Vec<Vec<Term>>,
}

/// A batch of one session.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub session: usize,
    /// What its answer is called.
    pub name: Option<String>,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Allowed,
    Prevented,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Verdict::Allowed { "allowed" } else { "prevented" })
    }
}

#[derive(Debug)]
enum Term {
    Has(String, String),
    Lacks(String, String),
    Commits(usize),
}

/// What came of a play.
#[derive(Debug, Default)]
pub(super) struct Seen {
    answers: BTreeMap<String, Vec<String>>,
    /// Sessions whose COMMIT was done.
    pub committed: BTreeSet<usize>,
}

impl Seen {
    /// Keeps an answer under its name.
    pub(super) fn note(&mut self, name: &str, said: &str) {
        self.answers.insert(name.to_owned(), said.lines().map(str::to_owned).collect());
    }

    fn has(&self, name: &str, row: &str) -> bool {
        self.answers.get(name).is_some_and(|rows| rows.iter().any(|line| line == row))
    }
}

impl Script {
    pub(super) fn parse(text: &str) -> Result<Script, String> {
        let mut script = Script::default();
        let mut parts: Vec<(String, String)> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with(TOLD)) {
            script.head += line;
            script.head.push('\n');
            let comment = line.strip_prefix("--").map(str::trim);
            if let Some(row) = comment.and_then(|comment| comment.strip_prefix('|')) {
                script.table.push(table_row(row)?);
            } else if let Some(terms) = comment.and_then(|comment| comment.strip_prefix("anomaly:")) {
                script
                    .anomalies
                    .push(terms.split(" and ").map(|term| parse_term(term.trim())).collect::<Result<_, _>>()?);
            } else if let Some(head) = comment.and_then(part_head) {
                parts.push((head.to_owned(), String::new()));
            } else if comment.is_none()
                && let Some((_, body)) = parts.last_mut()
            {
                *body += line;
                body.push('\n');
            }
        }
        for (head, body) in parts {
            script.part(&head, body.trim().to_owned())?;
        }
        script.check()
    }

    fn part(&mut self, head: &str, body: String) -> Result<(), String> {
        match head {
            "setup" => self.setup = body,
            "end" => self.end = Some(body),
            _ => {
                let (session, name) =
                    head.split_once(' ').map_or((head, None), |(session, name)| (session, Some(name)));
                let session = session.parse().map_err(|_| format!("whose step is {head:?}?"))?;
                self.steps.push(Step { session, name: name.map(str::to_owned), text: body });
            }
        }
        Ok(())
    }

    /// A term about an answer that nobody gives could never be true.
    fn check(self) -> Result<Script, String> {
        if self.anomalies.is_empty() {
            return Err("by what is the anomaly known?".to_owned());
        }
        for term in self.anomalies.iter().flatten() {
            let is_known = match term {
                Term::Has(name, _) | Term::Lacks(name, _) => {
                    name == "end" && self.end.is_some()
                        || self.steps.iter().any(|step| step.name.as_ref() == Some(name))
                }
                Term::Commits(number) => self.steps.iter().any(|step| step.session == *number && step.commits()),
            };
            if !is_known {
                return Err(format!("no step is meant by {term:?}"));
            }
        }
        Ok(self)
    }

    /// How many sessions it has.
    pub(super) fn sessions(&self) -> usize {
        self.steps.iter().map(|step| step.session).max().unwrap_or(0)
    }

    pub(super) fn verdict(&self, seen: &Seen) -> Verdict {
        let is_true = |term: &Term| match term {
            Term::Has(name, row) => seen.has(name, row),
            Term::Lacks(name, row) => !seen.has(name, row),
            Term::Commits(number) => seen.committed.contains(number),
        };
        let happened = self.anomalies.iter().any(|terms| terms.iter().all(is_true));
        if happened { Verdict::Allowed } else { Verdict::Prevented }
    }
}

impl Step {
    pub(super) fn commits(&self) -> bool {
        self.text.eq_ignore_ascii_case("commit")
    }
}

/// `1`, `2 first`, `setup` or `end` before a colon that ends the line.
fn part_head(comment: &str) -> Option<&str> {
    let head = comment.strip_suffix(':')?;
    let first = head.split(' ').next()?;
    (first == "setup" || first == "end" || first.parse::<usize>().is_ok()).then_some(head)
}

fn table_row(row: &str) -> Result<(String, Verdict), String> {
    let mut cells = row.split('|').map(str::trim);
    let name = cells.next().unwrap_or_default().to_owned();
    match cells.next() {
        Some("allowed") => Ok((name, Verdict::Allowed)),
        Some("prevented") => Ok((name, Verdict::Prevented)),
        other => Err(format!("{name} is neither allowed nor prevented: {other:?}")),
    }
}

fn parse_term(term: &str) -> Result<Term, String> {
    if let Some((name, row)) = term.split_once(" has ") {
        return Ok(Term::Has(name.to_owned(), row.to_owned()));
    }
    if let Some((name, row)) = term.split_once(" lacks ") {
        return Ok(Term::Lacks(name.to_owned(), row.to_owned()));
    }
    let number = term.strip_suffix(" commits").and_then(|number| number.parse().ok());
    number.map(Term::Commits).ok_or_else(|| format!("what is {term:?}?"))
}
