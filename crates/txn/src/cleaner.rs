//! The ghost cleaner: removes deleted rows when no snapshot needs them, and lets old versions go.
//!
//! A deletion leaves a ghost and its key here when it is committed. What does not fit into the list is not lost: a ghost
//! goes also when its page has no room for somebody else, and a tree that had too many of them is gone over as a whole.
//!
//! What always holds: a ghost is removed only when its transaction is below the horizon, nobody has its key locked, and
//! no range is locked in its tree.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use millpond_access::AccessError;
use millpond_access::tree::{Change, Direction, KeyRange, LeafRow, RowTag, Tree, Writer, Xsn};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::wal::{self, DatabaseHandle, Mtr};
use parking_lot::Mutex;

use crate::lock::{KeyHash, RangeStripe, Resource};
use crate::manager::TxnManager;
use crate::reader::place_of;

/// Ghosts that are remembered by their key.
const GHOSTS_MAX: usize = 100_000;
/// How often it looks.
const ROUND: Duration = Duration::from_millis(250);

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
    removed: AtomicU64,
    /// Whether a transaction changed anything since everything was clean; the thread wakes the manager for that only.
    has_work: Arc<AtomicBool>,
}

/// A system action: redone, never undone.
struct Purge;

impl Writer for Purge {
    fn begin<'a>(
        &mut self,
        db: &'a DatabaseHandle,
        ask: &Ask<'a>,
        reserve_bytes: usize,
    ) -> Result<Mtr<'a>, wal::LogError> {
        Mtr::begin(db, ask, reserve_bytes)
    }

    fn commit(&mut self, mtr: Mtr<'_>) {
        mtr.commit();
    }

    fn may_purge(&self, _: &RowTag) -> bool {
        false
    }
}

impl Cleaner {
    /// Runs as long as the manager lives.
    pub(crate) fn start(manager: &Arc<TxnManager>) {
        let weak = Arc::downgrade(manager);
        let has_work = Arc::clone(&manager.cleaner().has_work);
        let run = move || {
            let (task, io) = (Task::new(SessionId(0)), IoCount::default());
            loop {
                std::thread::park_timeout(ROUND);
                if weak.strong_count() > 0 && !has_work.load(Ordering::Relaxed) {
                    continue;
                }
                let Some(manager) = weak.upgrade() else { return };
                manager.clean(&Ask::new(&task, &io));
            }
        };
        // Without the thread ghosts go when their pages are full, and versions when new ones need room.
        let _ = std::thread::Builder::new().name("ghost cleaner".to_owned()).spawn(run);
    }

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

    fn is_empty(&self) -> bool {
        let waiting = self.waiting.lock();
        waiting.ghosts.is_empty() && waiting.trees.is_empty()
    }

    fn next_ghost(&self, horizon: Xsn) -> Option<Ghost> {
        let waiting = &mut *self.waiting.lock();
        let is_ready = waiting.ghosts.front().is_some_and(|(xsn, _)| *xsn < horizon);
        is_ready.then(|| waiting.ghosts.pop_front().expect("looked at above").1)
    }

    fn next_tree(&self, horizon: Xsn) -> Option<Weak<Tree>> {
        let waiting = &mut *self.waiting.lock();
        let is_ready = waiting.trees.front().is_some_and(|(xsn, _)| *xsn < horizon);
        is_ready.then(|| waiting.trees.pop_front().expect("looked at above").1)
    }
}

impl TxnManager {
    /// One round of the ghost cleaner: removes what nobody needs any more. Runs by itself four times a second.
    pub fn clean(&self, ask: &Ask<'_>) {
        self.cleaner().has_work.store(false, Ordering::Relaxed);
        let horizon = self.sequence().update_horizon();
        self.versions().clean(ask, horizon);
        while let Some(ghost) = self.cleaner().next_ghost(horizon) {
            if let Some(tree) = ghost.tree.upgrade() {
                self.purge(ask, &tree, &ghost.key, horizon);
            }
        }
        while let Some(tree) = self.cleaner().next_tree(horizon) {
            if let Some(tree) = tree.upgrade() {
                self.purge_all(ask, &tree, horizon);
            }
        }
        if !self.cleaner().is_empty() || !self.versions().is_empty() {
            self.cleaner().note_end();
        }
    }

    /// Ghosts that were removed since the start.
    #[must_use]
    pub fn removed_ghosts(&self) -> u64 {
        self.cleaner().removed.load(Ordering::Relaxed)
    }

    fn purge(&self, ask: &Ask<'_>, tree: &Arc<Tree>, key: &[u8], horizon: Xsn) {
        let place = place_of(tree);
        let (stripe, lock) = (RangeStripe::of(place), Resource::key(place.db, place.hobt, KeyHash::of(key)));
        let mut is_removed = false;
        // What fails now is tried when the page is full.
        let _ = tree.modify::<AccessError>(ask, &mut Purge, key, &mut |found: Option<LeafRow<'_>>| {
            let is_old = found.is_some_and(|row| row.is_ghost && row.tag.is_some_and(|tag| tag.xsn < horizon));
            is_removed = is_old && self.ranges().is_empty(stripe) && !self.locks().is_locked(&lock);
            Ok(if is_removed { Change::Remove } else { Change::Keep })
        });
        self.cleaner().removed.fetch_add(is_removed.into(), Ordering::Relaxed);
    }

    /// Removes the ghosts of a whole tree.
    fn purge_all(&self, ask: &Ask<'_>, tree: &Arc<Tree>, horizon: Xsn) {
        let mut cursor = tree.cursor(KeyRange::all(), Direction::Forward);
        loop {
            let mut keys: Vec<Vec<u8>> = Vec::new();
            let more = cursor.next_page(ask, &mut |row| {
                if row.is_ghost {
                    keys.push(row.key.to_vec());
                }
                std::ops::ControlFlow::Continue(())
            });
            keys.iter().for_each(|key| self.purge(ask, tree, key, horizon));
            if !matches!(more, Ok(true)) {
                return;
            }
        }
    }
}
