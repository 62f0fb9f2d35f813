//! The lists of the ghost cleaner: which rows and trees wait for their ghosts to go, and which large values to be freed.

use millpond_storage::check;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::Thread;

use millpond_access::tree::{Tree, Xsn};
use millpond_storage::contract::DbId;
use parking_lot::Mutex;

use crate::version::loose_value::WaitingValue;

/// Ghosts that are remembered by their key.
const GHOSTS_MAX: usize = 100_000;
/// Each time that so many more wait, the cleaner is woken: a session that deletes a queue's first row again and again
/// passes over the ghosts of those that it deleted before.
const GHOSTS_WAKE: usize = 128;
#[derive(Debug)]
pub(crate) struct Ghost {
    pub tree: Weak<Tree>,
    pub key: Box<[u8]>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// With the transaction that deleted them, in order of its end, or 0 where it ended before the database was opened.
    ghosts: VecDeque<(Xsn, Ghost)>,
    /// Trees with more ghosts than fit.
    trees: VecDeque<(Xsn, Weak<Tree>)>,
    /// Large values, with the transaction that let them go.
    values: VecDeque<(Xsn, WaitingValue)>,
}

/// What waits to be removed.
#[derive(Debug, Default)]
pub(crate) struct Cleaner {
    waiting: Mutex<Waiting>,
    pub removed: AtomicU64,
    /// Whether a transaction changed anything since everything was clean; the thread wakes the manager for that only.
    pub has_work: Arc<AtomicBool>,
    /// Held while the thread has the manager; true when it is to have it no more.
    pub is_over: Arc<Mutex<bool>>,
    /// The thread, once there is one.
    pub thread: OnceLock<Thread>,
}

impl Cleaner {
    /// The deletions of a transaction that committed.
    pub(crate) fn add(&self, xsn: Xsn, ghosts: Vec<Ghost>) {
        check!(ghosts.is_empty() || xsn != Xsn(0), "N1: ghosts are left by a transaction without a number");
        if self.note(xsn, ghosts)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }

    /// Puts deletions into the list; whether there are so many that they should go soon.
    fn note(&self, xsn: Xsn, ghosts: Vec<Ghost>) -> bool {
        let waiting = &mut *self.waiting.lock();
        let before = waiting.ghosts.len();
        for ghost in ghosts {
            if waiting.ghosts.len() < GHOSTS_MAX {
                waiting.ghosts.push_back((xsn, ghost));
            } else if !waiting.trees.back().is_some_and(|(_, tree)| tree.ptr_eq(&ghost.tree)) {
                waiting.trees.push_back((xsn, ghost.tree));
            }
        }
        check!(waiting.ghosts.len() <= GHOSTS_MAX, "{} ghosts wait, {GHOSTS_MAX} may", waiting.ghosts.len());
        before / GHOSTS_WAKE < waiting.ghosts.len() / GHOSTS_WAKE
    }

    /// Ghosts of a time before their database was opened, which a scan has met: as many as there is room for.
    pub(crate) fn add_met(&self, tree: &Arc<Tree>, keys: impl Iterator<Item = Box<[u8]>>) {
        let waiting = &mut *self.waiting.lock();
        let room = GHOSTS_MAX.saturating_sub(waiting.ghosts.len());
        let ghosts = keys.take(room).map(|key| (Xsn(0), Ghost { tree: Arc::downgrade(tree), key }));
        waiting.ghosts.extend(ghosts);
        self.note_end();
    }

    /// A transaction with changes ended.
    pub(crate) fn note_end(&self) {
        if !self.has_work.load(Ordering::Relaxed) {
            self.has_work.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        let waiting = self.waiting.lock();
        waiting.ghosts.is_empty() && waiting.trees.is_empty() && waiting.values.is_empty()
    }

    /// Whether something of a database waits.
    pub(crate) fn waits_in(&self, db: DbId) -> bool {
        let waiting = self.waiting.lock();
        let is_of = |tree: &Weak<Tree>| tree.upgrade().is_some_and(|tree| tree.ctx().handle.db == db);
        waiting.values.iter().any(|(_, value)| value.db == db)
            || waiting.trees.iter().any(|(_, tree)| is_of(tree))
            || waiting.ghosts.iter().any(|(_, ghost)| is_of(&ghost.tree))
    }

    pub(crate) fn next_ghost(&self, horizon: Xsn) -> Option<Ghost> {
        let waiting = &mut *self.waiting.lock();
        let is_ready = waiting.ghosts.front().is_some_and(|(xsn, _)| *xsn < horizon);
        is_ready.then(|| waiting.ghosts.pop_front().expect("looked at above").1)
    }

    /// A value that the transaction `xsn` let go.
    pub(crate) fn add_value(&self, xsn: Xsn, value: WaitingValue) {
        check!(xsn != Xsn(0), "L2: a value is let go by a transaction without a number");
        self.waiting.lock().values.push_back((xsn, value));
        self.note_end();
    }

    pub(crate) fn next_value(&self, horizon: Xsn) -> Option<WaitingValue> {
        let waiting = &mut *self.waiting.lock();
        let is_ready = waiting.values.front().is_some_and(|(xsn, _)| *xsn < horizon);
        is_ready.then(|| waiting.values.pop_front().expect("looked at above").1)
    }

    /// Takes all values of a database, or of all.
    pub(crate) fn take_values(&self, db: Option<DbId>) -> Vec<WaitingValue> {
        let waiting = &mut *self.waiting.lock();
        let all = std::mem::take(&mut waiting.values);
        let (taken, kept): (VecDeque<_>, _) =
            all.into_iter().partition(|(_, value)| db.is_none_or(|db| db == value.db));
        waiting.values = kept;
        taken.into_iter().map(|(_, value)| value).collect()
    }

    /// What `pick` makes of the values that wait.
    pub(crate) fn values<T>(&self, pick: impl Fn(&WaitingValue) -> Option<T>) -> Vec<T> {
        self.waiting.lock().values.iter().filter_map(|(_, value)| pick(value)).collect()
    }

    pub(crate) fn next_tree(&self, horizon: Xsn) -> Option<Weak<Tree>> {
        let waiting = &mut *self.waiting.lock();
        let is_ready = waiting.trees.front().is_some_and(|(xsn, _)| *xsn < horizon);
        is_ready.then(|| waiting.trees.pop_front().expect("looked at above").1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ghosts(count: usize) -> Vec<Ghost> {
        (0..count).map(|_| Ghost { tree: Weak::new(), key: Box::default() }).collect()
    }

    #[test]
    fn the_cleaner_is_woken_each_time_that_many_more_ghosts_wait() {
        let cleaner = Cleaner::default();
        let woken = (1..=3 * GHOSTS_WAKE).filter(|_| cleaner.note(Xsn(1), ghosts(1))).count();
        assert_eq!(woken, 3);
        assert!(!cleaner.note(Xsn(2), ghosts(GHOSTS_WAKE - 1)));
        assert!(cleaner.note(Xsn(3), ghosts(1)));
        while cleaner.next_ghost(Xsn(4)).is_some() {}
        assert!(cleaner.note(Xsn(4), ghosts(5 * GHOSTS_WAKE)));
    }
}
