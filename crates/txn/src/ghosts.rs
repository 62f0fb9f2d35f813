//! The list of the ghost cleaner: which rows and trees wait for their ghosts to go.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use millpond_access::tree::{Tree, Xsn};
use parking_lot::Mutex;

/// Ghosts that are remembered by their key.
const GHOSTS_MAX: usize = 100_000;
#[derive(Debug)]
pub(crate) struct Ghost {
    pub tree: Weak<Tree>,
    pub key: Box<[u8]>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// With the transaction that deleted them, in order of its end.
    ghosts: VecDeque<(Xsn, Ghost)>,
    /// Trees with more ghosts than fit.
    trees: VecDeque<(Xsn, Weak<Tree>)>,
}

/// What waits to be removed.
#[derive(Debug, Default)]
pub(crate) struct Cleaner {
    waiting: Mutex<Waiting>,
    pub removed: AtomicU64,
    /// Whether a transaction changed anything since everything was clean; the thread wakes the manager for that only.
    pub has_work: Arc<AtomicBool>,
}

impl Cleaner {
    /// The deletions of a transaction that committed.
    pub(crate) fn add(&self, xsn: Xsn, ghosts: Vec<Ghost>) {
        let waiting = &mut *self.waiting.lock();
        for ghost in ghosts {
            if waiting.ghosts.len() < GHOSTS_MAX {
                waiting.ghosts.push_back((xsn, ghost));
            } else if !waiting.trees.back().is_some_and(|(_, tree)| tree.ptr_eq(&ghost.tree)) {
                waiting.trees.push_back((xsn, ghost.tree));
            }
        }
    }

    /// A transaction with changes ended.
    pub(crate) fn note_end(&self) {
        if !self.has_work.load(Ordering::Relaxed) {
            self.has_work.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        let waiting = self.waiting.lock();
        waiting.ghosts.is_empty() && waiting.trees.is_empty()
    }

    pub(crate) fn next_ghost(&self, horizon: Xsn) -> Option<Ghost> {
        let waiting = &mut *self.waiting.lock();
        let is_ready = waiting.ghosts.front().is_some_and(|(xsn, _)| *xsn < horizon);
        is_ready.then(|| waiting.ghosts.pop_front().expect("looked at above").1)
    }

    pub(crate) fn next_tree(&self, horizon: Xsn) -> Option<Weak<Tree>> {
        let waiting = &mut *self.waiting.lock();
        let is_ready = waiting.trees.front().is_some_and(|(xsn, _)| *xsn < horizon);
        is_ready.then(|| waiting.trees.pop_front().expect("looked at above").1)
    }
}
