//! Queries and changes that PostgreSQL and DuckDB answer too, and what to make of three answers.
//!
//! A case is a finding when Millpond's rows are not those of a peer; with both peers, when they agree with each other.
//! Where they do not, the case is counted as disputed. Rows are compared as bags; numbers by value.

pub mod dialect;
pub mod make;
pub mod peer;

use std::collections::BTreeMap;
use std::fmt::Write;

use self::dialect::Dialect;
use self::make::{Query, Table};
use self::peer::Peer;
use crate::node::Family;
use crate::world::{Outcome, Settings, World};

/// So many smaller cases are tried at most.
const TRIES_MAX: usize = 2000;

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Cases {
    /// The first seed; each is three tables.
    pub seed: u64,
    /// So many statements.
    pub cases: u64,
    /// So many for the same tables.
    pub per_schema: u64,
}

/// What it showed.
#[derive(Debug, Default)]
pub struct Account {
    /// Statements that were asked.
    pub cases: u64,
    /// Answers that are those of the peers.
    pub good: u64,
    /// Of these, those with rows.
    pub with_rows: u64,
    /// Peers differ from each other.
    pub disputed: u64,
    /// A peer does not answer: how many, by what it says.
    pub unanswered: BTreeMap<String, u64>,
    /// Errors of Millpond where the peers have rows: how many, a statement.
    pub refused: BTreeMap<i32, (u64, String)>,
    /// Wrong answers as scripts.
    pub found: Vec<String>,
}

impl Account {
    /// In lines.
    #[must_use]
    pub fn words(&self) -> String {
        let mut out = format!(
            "{} statements: {} good ({} with rows), {} findings, {} disputed by the peers",
            self.cases,
            self.good,
            self.with_rows,
            self.found.len(),
            self.disputed
        );
        for (said, count) in &self.unanswered {
            let _ = write!(out, "\nnot answered by a peer, {count} times: {said}");
        }
        for (number, (count, text)) in &self.refused {
            let _ = write!(out, "\nerror {number} where the peers have rows, {count} times: {text}");
        }
        out
    }
}

type Rows = Vec<Vec<String>>;

enum Verdict {
    Good { has_rows: bool },
    Disputed,
    Unanswered(String),
    Refused(i32, String),
    Found(String),
}

impl Cases {
    /// Asks all; `report` gets findings and progress.
    pub fn run(self, peers: &mut [Peer], report: &mut dyn FnMut(&str)) -> Account {
        let mut account = Account::default();
        let mut seed = self.seed;
        while account.cases < self.cases {
            let settings = Settings::ALL[(seed % Settings::ALL.len() as u64) as usize];
            let tables = make::tables(seed);
            let mut world = ready(settings, &tables, peers);
            for number in 0..self.per_schema.min(self.cases - account.cases) {
                let query = make::query(&tables, seed << 20 | number);
                account.cases += 1;
                match verdict(&mut world, peers, &query) {
                    Verdict::Good { has_rows } => {
                        account.good += 1;
                        account.with_rows += u64::from(has_rows);
                    }
                    Verdict::Disputed => account.disputed += 1,
                    Verdict::Unanswered(said) => {
                        // Numbers and names in it differ from case to case.
                        let said: String = said.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
                        *account.unanswered.entry(said).or_default() += 1;
                        if peers.iter().any(|peer| peer.is_gone) {
                            report(&format!("a peer is gone, seed {seed}, statement {number}: {}", query.node.plain()));
                            world = ready(settings, &tables, peers);
                        }
                    }
                    Verdict::Refused(error, text) => {
                        let entry = account.refused.entry(error).or_insert_with(|| (0, text.clone()));
                        entry.0 += 1;
                        if text.len() < entry.1.len() {
                            entry.1 = text;
                        }
                    }
                    Verdict::Found(_) => {
                        let script = reduced(settings, tables.clone(), query, peers, seed, number);
                        report(&script);
                        account.found.push(script);
                        world = ready(settings, &tables, peers);
                    }
                }
            }
            seed += 1;
            if seed.is_multiple_of(50) {
                report(&format!("before seed {seed}: {}", account.words()));
            }
        }
        account
    }
}

/// The tables in an engine and in the peers.
fn ready(settings: Settings, tables: &[Table], peers: &mut [Peer]) -> World {
    let mut world = World::new(settings);
    for peer in peers.iter_mut().filter(|peer| peer.is_gone) {
        // One that does not start answers nothing, which is counted.
        let _ = peer.again();
    }
    for table in tables {
        for batch in table.script(true) {
            world.run(&batch);
        }
        for peer in &mut *peers {
            for batch in table.script(false) {
                // A peer without its tables answers no statement over them, which is counted.
                let _ = peer.ask(&batch);
            }
        }
    }
    world
}

fn shown(query: &Query) -> Option<String> {
    query.changes.as_ref().map(|table| format!("select * from {table}"))
}

/// Millpond's answer: rows of the query, or of the changed table before the change is undone.
fn own_answer(world: &mut World, query: &Query) -> Outcome {
    let text = Dialect::TransactSql.spoken(&query.node.plain());
    match shown(query) {
        None => world.run(&text),
        Some(select) => {
            world.run("begin transaction");
            let changed = world.run(&text);
            let outcome = if changed.error() == 0 && changed.panic.is_none() && !changed.is_late {
                world.run(&select)
            } else {
                changed
            };
            if outcome.panic.is_none() {
                world.run("if @@trancount > 0 rollback");
            }
            outcome
        }
    }
}

fn peer_answer(peer: &mut Peer, query: &Query) -> Result<Rows, String> {
    let text = query.node.plain();
    let rows = match shown(query) {
        None => peer.ask(&text)?,
        Some(select) => {
            peer.ask("«begin»")?;
            let rows = peer.ask(&text).and_then(|_| peer.ask(&select));
            peer.ask("rollback")?;
            rows?
        }
    };
    let fold = |row: Vec<Option<String>>| {
        row.into_iter().zip(&query.families).map(|(value, family)| folded(value.as_deref(), *family)).collect()
    };
    let mut rows: Rows = rows.into_iter().map(fold).collect();
    rows.sort();
    Ok(rows)
}

/// A value as a text that is the same for equal values, whichever database wrote it.
fn folded(value: Option<&str>, family: Family) -> String {
    let Some(value) = value else { return "NULL".into() };
    match family {
        Family::Text => format!("'{value}'"),
        Family::Float => value.parse::<f64>().map_or_else(|_| value.into(), |number| format!("{:.6}", number + 0.0)),
        Family::Int | Family::Decimal => {
            let text = if value.contains('.') { value.trim_end_matches('0').trim_end_matches('.') } else { value };
            if text == "-0" { "0".into() } else { text.into() }
        }
        _ => value.into(),
    }
}

fn own_rows(outcome: &Outcome, query: &Query) -> Rows {
    let fold = |row: &Vec<String>| {
        let value = |(value, family): (&String, &Family)| match value.as_str() {
            "NULL" => folded(None, *family),
            text => folded(Some(text.trim_matches('\'')), *family),
        };
        row.iter().zip(&query.families).map(value).collect()
    };
    let mut rows: Rows = outcome.sets.last().map(|rows| rows.iter().map(fold).collect()).unwrap_or_default();
    rows.sort();
    rows
}

fn verdict(world: &mut World, peers: &mut [Peer], query: &Query) -> Verdict {
    let outcome = own_answer(world, query);
    if outcome.panic.is_some() || [8630, 8624, 3624].contains(&outcome.error()) {
        return Verdict::Found(outcome.words());
    }
    let mut answers = Vec::new();
    for peer in peers {
        match peer_answer(peer, query) {
            Ok(rows) => answers.push((peer.dialect, rows)),
            Err(said) => return Verdict::Unanswered(format!("{:?}: {said}", peer.dialect)),
        }
    }
    if outcome.error() != 0 || outcome.is_late {
        return Verdict::Refused(outcome.error(), format!("{}\n    {}", outcome.words(), query.node.plain()));
    }
    if answers.windows(2).any(|pair| pair[0].1 != pair[1].1) {
        return Verdict::Disputed;
    }
    let own = own_rows(&outcome, query);
    match answers.iter().find(|(_, rows)| *rows != own) {
        None => Verdict::Good { has_rows: !own.is_empty() },
        Some((dialect, rows)) => Verdict::Found(format!("Millpond: {}\n{dialect:?}: {}", lines(&own), lines(rows))),
    }
}

fn lines(rows: &Rows) -> String {
    let some: Vec<String> = rows.iter().take(20).map(|row| row.join(" | ")).collect();
    format!("{} rows: {}{}", rows.len(), some.join("; "), if rows.len() > 20 { "; …" } else { "" })
}

/// The smallest case found that still is one, as a script.
fn reduced(
    settings: Settings,
    mut tables: Vec<Table>,
    mut query: Query,
    peers: &mut [Peer],
    seed: u64,
    number: u64,
) -> String {
    let mut tries = 0;
    let mut asked = |tables: &[Table], query: &Query, peers: &mut [Peer]| {
        tries += 1;
        let mut world = ready(settings, tables, peers);
        let found = verdict(&mut world, peers, query);
        (if let Verdict::Found(words) = found { Some(words) } else { None }, tries >= TRIES_MAX)
    };
    let mut words = asked(&tables, &query, peers).0.unwrap_or_else(|| "it did not show again".into());
    'again: loop {
        let fewer_rows = tables.iter().enumerate().flat_map(|(at, table)| {
            let halves = [table.rows.len() / 2, 1];
            halves
                .into_iter()
                .filter(|size| *size > 0)
                .flat_map(move |size| (0..table.rows.len()).step_by(size).map(move |from| (at, from, from + size)))
        });
        for (at, from, to) in fewer_rows.collect::<Vec<_>>() {
            let mut smaller = tables.clone();
            let to = to.min(smaller[at].rows.len());
            smaller[at].rows.drain(from..to);
            let (shown, is_over) = asked(&smaller, &query, peers);
            if let Some(shown) = shown {
                (tables, words) = (smaller, shown);
                continue 'again;
            }
            if is_over {
                break 'again;
            }
        }
        for node in query.node.smaller() {
            let smaller = Query { node, ..query.clone() };
            let (shown, is_over) = asked(&tables, &smaller, peers);
            if let Some(shown) = shown {
                (query, words) = (smaller, shown);
                continue 'again;
            }
            if is_over {
                break 'again;
            }
        }
        break;
    }
    let mut out = format!("-- FOUND, seed {seed}, statement {number}\n{}\ngo\n", settings.words());
    for batch in tables.iter().flat_map(|table| table.script(true)) {
        let _ = writeln!(out, "{batch}\ngo");
    }
    let _ = writeln!(
        out,
        "{}\ngo\n--> {}",
        Dialect::TransactSql.spoken(&query.node.plain()),
        words.replace('\n', "\n--> ")
    );
    out
}
