//! Sessions against each other: random changes of definitions and rows by many sessions that vanish at every point, and a
//! model of the catalog beside them.
//!
//! ```text
//!   seed ─▶ act: what a session does next ─▶ play: one batch at a time, no waiting ─▶ engine
//!                    ▲                          │ commit                                │
//!                    └────────── model ◀────────┘        look: both as lines ◀──────────┘
//! ```
//!
//! What always holds: a case is a list of acts that can be played again; the same acts give the same answers, but for
//! the numbers that identity columns give.

pub mod act;
mod answers;
pub mod crowd;
pub mod definition;
mod draw;
mod keys;
pub mod look;
mod make;
pub mod model;
pub mod play;
pub mod random;
pub mod read;
pub mod step;

use std::collections::BTreeMap;
use std::fmt::Write;

use millpond_device::chance::Dice;

use act::Act;
use play::{Finding, Stage};
use random::random_act;

/// So many shorter cases are tried at most.
const TRIES_MAX: usize = 400;

/// What to play.
#[derive(Clone, Debug)]
pub struct Cases {
    /// The first seed; each is a case.
    pub seed: u64,
    /// So many cases.
    pub cases: u64,
    /// From so many sessions …
    pub sessions_min: u64,
    /// … to so many.
    pub sessions_max: u64,
    /// Acts of a case.
    pub acts: u64,
    /// Whether findings are made smaller.
    pub is_reduced: bool,
}

/// What the cases showed.
#[derive(Debug, Default)]
pub struct Account {
    /// Cases that were played.
    pub cases: u64,
    /// Acts in all.
    pub acts: u64,
    /// Steps that changed something.
    pub done: u64,
    /// Steps that were refused.
    pub refused: u64,
    /// Of these, for something that another's open transaction has.
    pub made_way: u64,
    /// Transactions that were committed.
    pub commits: u64,
    /// Findings by class: how many, and the first one as a script.
    pub found: BTreeMap<String, (u64, String)>,
}

impl Account {
    /// In lines.
    #[must_use]
    pub fn words(&self) -> String {
        let mut out = format!(
            "{} cases, {} acts: {} steps done, {} refused ({} made way for others), {} commits, {} kinds of findings",
            self.cases,
            self.acts,
            self.done,
            self.refused,
            self.made_way,
            self.commits,
            self.found.len()
        );
        for (class, (count, _)) in &self.found {
            let _ = write!(out, "\nFOUND {count}: {class}");
        }
        out
    }
}

/// The sessions of a case and the options of its database, by its seed.
fn setting(dice: &mut Dice, sessions_min: u64, sessions_max: u64) -> (usize, String) {
    let span = sessions_max.saturating_sub(sessions_min) + 1;
    let sessions = (sessions_min + dice.below(span)).max(1) as usize;
    let versions = if dice.chance(40) { "on" } else { "off" };
    let recovery = if dice.chance(50) { "simple" } else { "full" };
    let options = format!(
        "alter database shop set recovery {recovery} alter database shop set allow_snapshot_isolation on \
         alter database shop set read_committed_snapshot {versions}"
    );
    (sessions, options)
}

/// Plays a list of acts.
fn replay(sessions: usize, options: &str, acts: &[Act]) -> Option<Finding> {
    let mut stage = match Stage::new(sessions, options) {
        Ok(stage) => stage,
        Err(finding) => return Some(finding),
    };
    acts.iter().find_map(|act| stage.act(act).err())
}

/// A shorter list of acts that shows the same.
fn reduce(sessions: usize, options: &str, acts: Vec<Act>, finding: &Finding) -> Vec<Act> {
    let (mut acts, mut tries) = (acts, 0);
    let mut size = acts.len().div_ceil(2);
    while size > 0 && tries < TRIES_MAX {
        let (mut at, mut is_shorter) = (0, false);
        while at < acts.len() && tries < TRIES_MAX {
            let mut fewer = acts.clone();
            fewer.drain(at..(at + size).min(acts.len()));
            tries += 1;
            if replay(sessions, options, &fewer).is_some_and(|shown| shown.class == finding.class) {
                (acts, is_shorter) = (fewer, true);
            } else {
                at += size;
            }
        }
        if !is_shorter || size > 1 {
            size /= 2;
        }
    }
    acts
}

impl Cases {
    /// Plays them; `report` gets findings and progress.
    pub fn run(&self, report: &mut dyn FnMut(&str)) -> Account {
        let mut account = Account::default();
        for seed in self.seed..self.seed + self.cases {
            self.case(seed, &mut account, report);
            account.cases += 1;
            if account.cases.is_multiple_of(50) {
                report(&format!("after seed {seed}: {}", account.words()));
            }
        }
        account
    }

    fn case(&self, seed: u64, account: &mut Account, report: &mut dyn FnMut(&str)) {
        let mut dice = Dice::new(seed);
        let (sessions, options) = setting(&mut dice, self.sessions_min, self.sessions_max);
        let mut acts = Vec::new();
        let mut found = None;
        match Stage::new(sessions, &options) {
            Ok(mut stage) => {
                for at in 0..=self.acts {
                    let is_last = at == self.acts;
                    let act = if is_last {
                        Act::Restart { clean: seed.is_multiple_of(2) }
                    } else {
                        random_act(&mut dice, &stage, sessions)
                    };
                    acts.push(act.clone());
                    found = stage.act(&act).err();
                    if found.is_some() {
                        break;
                    }
                }
                account.acts += acts.len() as u64;
                account.done += stage.done;
                account.refused += stage.refused;
                account.made_way += stage.made_way;
                account.commits += stage.commits;
            }
            Err(finding) => found = Some(finding),
        }
        let Some(finding) = found else { return };
        if let Some((count, _)) = account.found.get_mut(&finding.class) {
            *count += 1;
            return;
        }
        let acts = if self.is_reduced { reduce(sessions, &options, acts, &finding) } else { acts };
        let finding = replay(sessions, &options, &acts).unwrap_or(finding);
        let script = acts.iter().fold(format!("{options}\n"), |script, act| format!("{script}{}\n", act.words()));
        let script =
            format!("FOUND {} (seed {seed}, {sessions} sessions)\n{script}=> {}", finding.class, finding.words);
        report(&script);
        account.found.insert(finding.class, (1, script));
    }
}
