//! Runs of a transaction's own ghosts, so that a scan which has walked over one once jumps over it from then on: a queue that
//! is taken from in one transaction costs each row as much as the first.
//!
//! ```text
//!   entries   g g g g g g g g g g g g A g g g …      g: deleted by this transaction, A: a row
//!   runs      [ from ──────────── to )              a scan that meets a ghost in it goes on at `to`
//! ```
//!
//! What always holds:
//! - G1: between `from` and `to` there are ghosts of the transaction and nothing else. A scan adds a ghost to a run under
//!   the latch of the ghost's page, and only when nothing was inserted into the tree since it read the entry before.
//! - G2: an insert is noted here under the exclusive latch of its page, before its row is there: it divides the run that it
//!   falls into. An insert sees by the count in `lock::range` whether there are runs at all.
//! - G3: what undoes deletions of the transaction, all or some, ends its runs first; so does its end.
//! - G4: so does a tree that the transaction makes: a rebuilt one has the number of the one before, and other keys.

use std::collections::BTreeMap;
use std::ops::Bound;

use millpond_access::tree::Direction;
use millpond_storage::contract::DbId;
use parking_lot::Mutex;

/// So many ghosts in a row are walked over before they are worth to be remembered, and to be jumped over.
pub(crate) const RUN_MIN: u32 = 32;
/// Runs of one tree that are remembered.
const RUNS_MAX: usize = 4096;

#[derive(Debug)]
struct Run {
    /// The first key after it.
    to: Vec<u8>,
    /// About how many ghosts it has.
    ghosts: u32,
}

#[derive(Debug, Default)]
struct Runs {
    /// By their first keys.
    by_key: BTreeMap<Vec<u8>, Run>,
    /// Inserts of any session into the tree since this was made.
    inserts: u64,
    /// G3
    is_over: bool,
}

impl Runs {
    /// The first key of the run that a key lies in.
    fn of(&self, key: &[u8]) -> Option<Vec<u8>> {
        let before = self.by_key.range::<[u8], _>((Bound::Unbounded, Bound::Included(key)));
        let (from, run) = before.last()?;
        (key < run.to.as_slice()).then(|| from.clone())
    }
}

/// Those of one transaction in one tree.
#[derive(Debug)]
pub(crate) struct GhostRuns {
    db: DbId,
    hobt: u64,
    runs: Mutex<Runs>,
}

/// The run that a scan stands at the end of.
#[derive(Debug)]
pub(crate) struct Walk {
    from: Vec<u8>,
    to: Vec<u8>,
    /// As it was when the last entry was read.
    inserts: u64,
}

/// What comes after a ghost.
pub(crate) enum After {
    /// The next entry.
    Next,
    /// What lies after the run, seen in the direction of the scan: from this key on, or before it.
    Jump(Vec<u8>),
    /// The runs are over: their transaction has gone back, or ended.
    Over,
}

impl GhostRuns {
    pub(crate) fn new(db: DbId, hobt: u64) -> GhostRuns {
        GhostRuns { db, hobt, runs: Mutex::default() }
    }

    pub(crate) fn is_of(&self, db: DbId, hobt: u64) -> bool {
        (self.db, self.hobt) == (db, hobt)
    }

    /// G2
    pub(crate) fn note_insert(&self, key: &[u8]) {
        let runs = &mut *self.runs.lock();
        runs.inserts += 1;
        let Some(from) = runs.of(key) else { return };
        let run = runs.by_key.get_mut(&from).expect("found above");
        let rest = Run { to: std::mem::replace(&mut run.to, key.to_vec()), ghosts: run.ghosts };
        if from == key {
            runs.by_key.remove(&from);
        }
        let after = next(key);
        if after < rest.to {
            runs.by_key.insert(after, rest);
        }
    }

    /// G3
    pub(crate) fn end(&self) {
        let runs = &mut *self.runs.lock();
        runs.by_key.clear();
        runs.is_over = true;
    }

    /// G1: a scan meets an own ghost; called under the latch of its page. `walk` is the run that ends at the entry before,
    /// if that was an own ghost too.
    pub(crate) fn pass(&self, key: &[u8], direction: Direction, walk: &mut Option<Walk>) -> After {
        let runs = &mut *self.runs.lock();
        if runs.is_over {
            return After::Over;
        }
        let joined = walk.take().filter(|walk| {
            let is_kept = runs.by_key.get(&walk.from).is_some_and(|run| run.to == walk.to);
            is_kept && (walk.inserts == runs.inserts || walk.holds(key))
        });
        let met = runs.of(key);
        let (from, ghosts_before) = match (joined, met) {
            (Some(walk), Some(met)) if met != walk.from => (join(runs, &walk.from, &met, direction), 0),
            (_, Some(met)) => (met, 0),
            (Some(walk), None) => (extend(runs, walk.from, key, direction), 1),
            (None, None) if runs.by_key.len() < RUNS_MAX => {
                runs.by_key.insert(key.to_vec(), Run { to: next(key), ghosts: 0 });
                (key.to_vec(), 1)
            }
            (None, None) => return After::Next,
        };
        let run = runs.by_key.get_mut(&from).expect("there since above");
        run.ghosts = run.ghosts.saturating_add(ghosts_before);
        let is_worth_it = ghosts_before == 0 && run.ghosts >= RUN_MIN;
        let after = match direction {
            Direction::Forward if is_worth_it => After::Jump(run.to.clone()),
            Direction::Backward if is_worth_it => After::Jump(from.clone()),
            _ => After::Next,
        };
        *walk = Some(Walk { to: run.to.clone(), from, inserts: runs.inserts });
        after
    }
}

impl Walk {
    fn holds(&self, key: &[u8]) -> bool {
        self.from.as_slice() <= key && key < self.to.as_slice()
    }
}

/// The least key above `key`.
fn next(key: &[u8]) -> Vec<u8> {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    next
}

/// A run and the one that a scan met after it become one; its first key.
fn join(runs: &mut Runs, walked: &[u8], met: &[u8], direction: Direction) -> Vec<u8> {
    let (low, high) = match direction {
        Direction::Forward => (walked, met),
        Direction::Backward => (met, walked),
    };
    let high = runs.by_key.remove(high).expect("it was found");
    let low_run = runs.by_key.get_mut(low).expect("it was found");
    low_run.to = high.to;
    low_run.ghosts = low_run.ghosts.saturating_add(high.ghosts);
    low.to_vec()
}

/// A run gets one more ghost; its first key.
fn extend(runs: &mut Runs, from: Vec<u8>, key: &[u8], direction: Direction) -> Vec<u8> {
    match direction {
        Direction::Forward => {
            runs.by_key.get_mut(&from).expect("it was found").to = next(key);
            from
        }
        Direction::Backward => {
            let run = runs.by_key.remove(&from).expect("it was found");
            runs.by_key.insert(key.to_vec(), run);
            key.to_vec()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> GhostRuns {
        GhostRuns::new(DbId(5), 7)
    }

    fn walk(runs: &GhostRuns, keys: impl Iterator<Item = u8>, direction: Direction) {
        let mut at = None;
        for key in keys {
            runs.pass(&[key], direction, &mut at);
        }
    }

    fn all(runs: &GhostRuns) -> Vec<(Vec<u8>, Vec<u8>)> {
        runs.runs.lock().by_key.iter().map(|(from, run)| (from.clone(), run.to.clone())).collect()
    }

    #[test]
    fn a_scan_that_comes_again_jumps_over_what_was_walked_over() {
        for direction in [Direction::Forward, Direction::Backward] {
            let runs = runs();
            match direction {
                Direction::Forward => walk(&runs, 10..100, direction),
                Direction::Backward => walk(&runs, (10..100).rev(), direction),
            }
            assert_eq!(all(&runs), [(vec![10], vec![99, 0])]);
            let after = runs.pass(&[50], direction, &mut None);
            let end = if direction == Direction::Forward { vec![99, 0] } else { vec![10] };
            assert!(matches!(after, After::Jump(to) if to == end));
        }
    }

    #[test]
    fn an_insert_divides_a_run_and_no_scan_walks_over_it() {
        let runs = runs();
        walk(&runs, 10..100, Direction::Forward);
        runs.note_insert(&[50, 7]);
        assert_eq!(all(&runs), [(vec![10], vec![50, 7]), (vec![50, 7, 0], vec![99, 0])]);
        runs.note_insert(&[10]);
        assert_eq!(all(&runs)[0], (vec![10, 0], vec![50, 7]));
        // Between two entries that a scan reads there was an insert: what lies after is another run.
        let mut at = None;
        runs.pass(&[200], Direction::Forward, &mut at);
        runs.note_insert(&[201]);
        runs.pass(&[202], Direction::Forward, &mut at);
        assert_eq!(all(&runs)[2..], [(vec![200], vec![200, 0]), (vec![202], vec![202, 0])]);
        // Without one they are joined when a scan comes from the one to the other.
        let mut at = None;
        runs.pass(&[200], Direction::Forward, &mut at);
        runs.pass(&[202], Direction::Forward, &mut at);
        assert_eq!(all(&runs)[2..], [(vec![200], vec![202, 0])]);
    }

    #[test]
    fn runs_that_are_over_lead_nowhere() {
        let runs = runs();
        walk(&runs, 10..100, Direction::Forward);
        runs.end();
        assert!(matches!(runs.pass(&[50], Direction::Forward, &mut None), After::Over));
    }
}
