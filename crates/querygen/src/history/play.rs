//! Random transactions of sessions on threads, each history on lists and registers of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_device::chance::Dice;
use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use super::check::check;
use super::{Anomaly, Level, Op, Transaction};
use crate::seat::{ask_quickly, open, sit};

/// Transactions of a long history.
pub const LONG: u64 = 200;
/// Lists and registers of one history.
const KEYS: u64 = 8;
/// Registers have other keys than lists.
const REGISTERS: u64 = 1000;

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub struct Dose {
    /// The first seed; each history has its own.
    pub seed: u64,
    /// So many transactions at least.
    pub transactions: u64,
    /// So many in one history: [`LONG`], or few for many histories, which begin from nothing.
    pub per_history: u64,
    /// From so many sessions …
    pub sessions_min: u64,
    /// … to so many.
    pub sessions_max: u64,
}

/// What histories showed.
#[derive(Debug, Default)]
pub struct Account {
    /// Histories.
    pub histories: u64,
    /// Transactions that ended.
    pub transactions: u64,
    /// Of these, so many were committed.
    pub committed: u64,
    /// Histories in which an anomaly was, and the first one.
    pub anomalies: BTreeMap<Anomaly, (u64, String)>,
}

impl Account {
    /// Anomalies that the level forbids, each with its first example.
    #[must_use]
    pub fn forbidden(&self, level: Level) -> Vec<String> {
        let found = self.anomalies.iter().filter(|(anomaly, _)| level.forbids().contains(anomaly));
        found
            .map(|(anomaly, (count, words))| format!("FOUND {anomaly:?} at {level:?}, {count} times\n  {words}"))
            .collect()
    }

    /// In a line.
    #[must_use]
    pub fn words(&self) -> String {
        let shown: Vec<String> =
            self.anomalies.iter().map(|(anomaly, (count, _))| format!("{anomaly:?} {count}")).collect();
        format!(
            "{} histories of {} transactions, {} committed; histories that show: {}",
            self.histories,
            self.transactions,
            self.committed,
            shown.join(", ")
        )
    }
}

fn must(session: &mut Session, text: &str) {
    let said = ask_quickly(session, text);
    assert!(said.errors.is_empty(), "{text}: {}", said.said());
}

/// Histories at a level until the dose is taken.
///
/// # Panics
/// When the engine refuses what it should not, or panics.
#[must_use]
pub fn run(level: Level, dose: Dose) -> Account {
    let engine = open(None);
    let mut maker = sit(&engine);
    must(&mut maker, "create database shop");
    let versions = if level == Level::ReadCommittedSnapshot { "on" } else { "off" };
    must(&mut maker, &format!("alter database shop set read_committed_snapshot {versions}"));
    must(&mut maker, "alter database shop set allow_snapshot_isolation on alter database shop set recovery simple");
    must(&mut maker, "use shop create table lists (k int primary key, v varchar(8000) not null)");
    must(&mut maker, "create table registers (k int primary key, v bigint not null)");
    let mut account = Account::default();
    let mut seed = dose.seed;
    while account.transactions < dose.transactions {
        must(&mut maker, "delete lists delete registers");
        for key in 0..KEYS {
            must(&mut maker, &format!("insert registers values ({key}, 0)"));
            if key % 2 == 0 {
                must(&mut maker, &format!("insert lists values ({key}, '')"));
            }
        }
        let history = history(&engine, &mut maker, level, dose, seed);
        account.histories += 1;
        account.transactions += history.len() as u64;
        account.committed += history.iter().filter(|transaction| transaction.is_committed).count() as u64;
        for (anomaly, words) in check(&history) {
            account.anomalies.entry(anomaly).or_insert((0, format!("seed {seed}\n  {words}"))).0 += 1;
        }
        seed += 1;
    }
    account
}

/// One history; a last transaction reads all lists, so that their order is known.
fn history(engine: &Arc<Engine>, maker: &mut Session, level: Level, dose: Dose, seed: u64) -> Vec<Transaction> {
    let mut dice = Dice::new(seed);
    let sessions = dose.sessions_min + dice.below(dose.sessions_max.saturating_sub(dose.sessions_min) + 1);
    let (values, left) = (AtomicU64::new(1), AtomicU64::new(dose.per_history));
    let mut all: Vec<Transaction> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..sessions)
            .map(|_| {
                let (dice, values, left) = (Dice::new(dice.roll()), &values, &left);
                let work = move || Player { session: sit(engine), dice, values }.play(level, left);
                std::thread::Builder::new().stack_size(millpond_query::STACK_BYTES).spawn_scoped(scope, work)
            })
            .map(|thread| thread.expect("a thread starts"))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no session panics")).collect()
    });
    let said = ask_quickly(maker, "select k, v from lists order by k");
    let ops = rows(&said.sets).into_iter().map(|(key, list)| Op::Read(key, list)).collect();
    all.push(Transaction { ops, is_committed: true });
    all
}

/// Rows of keys and lists.
fn rows(sets: &[Vec<Vec<String>>]) -> Vec<(u64, Vec<u64>)> {
    let row = |row: &Vec<String>| Some((row.first()?.parse().ok()?, list(row.get(1)?)));
    sets.last().map_or_else(Vec::new, |set| set.iter().filter_map(row).collect())
}

fn list(text: &str) -> Vec<u64> {
    text.split(',').filter_map(|value| value.trim().parse().ok()).collect()
}

struct Player<'v> {
    session: Session,
    dice: Dice,
    values: &'v AtomicU64,
}

impl Player<'_> {
    fn play(mut self, level: Level, left: &AtomicU64) -> Vec<Transaction> {
        let first = format!("use shop set lock_timeout 2000 set transaction isolation level {}", level.sql());
        must(&mut self.session, &first);
        let mut done = Vec::new();
        while left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok() {
            done.push(self.transaction());
        }
        done
    }

    fn transaction(&mut self) -> Transaction {
        must(&mut self.session, "begin transaction");
        let mut ops = Vec::new();
        let mut is_good = true;
        for _ in 0..1 + self.dice.below(5) {
            let (op, is_done) = self.op();
            // What was refused may have been done and undone: others may not have seen it.
            ops.extend(op);
            if !is_done {
                is_good = false;
                break;
            }
            if self.dice.chance(40) {
                std::thread::sleep(std::time::Duration::from_micros(self.dice.below(300)));
            }
        }
        let is_committed = is_good && !self.dice.chance(8) && {
            let said = ask_quickly(&mut self.session, "commit");
            said.errors.is_empty()
        };
        if !is_committed {
            must(&mut self.session, "if @@trancount > 0 rollback");
        }
        Transaction { ops, is_committed }
    }

    /// A random operation, and whether it was done.
    fn op(&mut self) -> (Option<Op>, bool) {
        let key = self.dice.below(KEYS);
        match self.dice.below(10) {
            0..3 => {
                let value = self.values.fetch_add(1, Relaxed);
                let text = format!(
                    "set nocount on update lists set v = v + ',{value}' where k = {key} \
                     if @@rowcount = 0 insert lists values ({key}, ',{value}')"
                );
                let said = ask_quickly(&mut self.session, &text);
                (Some(Op::Append(key, value)), said.errors.is_empty())
            }
            3..6 => {
                let said = ask_quickly(&mut self.session, &format!("select k, v from lists where k = {key}"));
                if !said.errors.is_empty() {
                    return (None, false);
                }
                let op = match rows(&said.sets).pop() {
                    Some((key, list)) => Op::Read(key, list),
                    None => Op::Scan(key, key, Vec::new()),
                };
                (Some(op), true)
            }
            6 => {
                let value = self.values.fetch_add(1, Relaxed);
                let text = format!("update registers set v = {value} output deleted.v where k = {key}");
                let said = ask_quickly(&mut self.session, &text);
                let seen = said.sets.last().and_then(|set| set.first()?.first()?.parse().ok());
                (Some(Op::Write(REGISTERS + key, value, seen)), said.errors.is_empty())
            }
            7 => {
                let said = ask_quickly(&mut self.session, &format!("select v from registers where k = {key}"));
                let seen = said.sets.last().and_then(|set| set.first()?.first()?.parse().ok());
                (seen.map(|seen| Op::Look(REGISTERS + key, seen)), said.errors.is_empty())
            }
            _ => {
                let to = (key + self.dice.below(4)).min(KEYS - 1);
                let text = format!("select k, v from lists where k between {key} and {to}");
                let said = ask_quickly(&mut self.session, &text);
                let is_done = said.errors.is_empty();
                (is_done.then(|| Op::Scan(key, to, rows(&said.sets))), is_done)
            }
        }
    }
}
