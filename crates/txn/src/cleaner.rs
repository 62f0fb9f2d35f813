//! The ghost cleaner: removes deleted rows when no snapshot needs them, frees large values, and lets old versions go.
//!
//! A deletion leaves a ghost and its key here when it is committed. What does not fit into the list is not lost: a ghost
//! goes also when its page has no room for another row, and a tree that had too many of them is gone over as a whole. The
//! list is gone with a crash: scans say which ghosts of before they meet, and REORGANIZE goes over its tree.
//!
//! What always holds: a ghost is removed only when its transaction is below the horizon, no session has its key locked,
//! and no range is locked in its tree.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use millpond_access::AccessError;
use millpond_access::tree::{Change, Direction, KeyRange, LeafRow, RowTag, Tree, Writer, Xsn};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::check;
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::wal::{self, DatabaseHandle, Mtr};
use parking_lot::MutexGuard;

use crate::lock::{KeyHash, RangeStripe, Resource};
use crate::manager::TxnManager;
use crate::read::reader::place_of;
use crate::values;
use millpond_access::tree;

/// How often it looks, unless many ghosts come sooner.
const ROUND: Duration = Duration::from_millis(250);

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

/// Starts the thread that cleans as long as the manager lives.
pub(crate) fn start(manager: &Arc<TxnManager>) {
    let weak = Arc::downgrade(manager);
    let (has_work, is_over) = (Arc::clone(&manager.cleaner().has_work), Arc::clone(&manager.cleaner().is_over));
    let run = move || {
        let (task, io) = (Task::new(SessionId(0)), IoCount::default());
        loop {
            std::thread::park_timeout(ROUND);
            if weak.strong_count() > 0 && !has_work.load(Ordering::Relaxed) {
                continue;
            }
            let over = is_over.lock();
            let Some(manager) = weak.upgrade().filter(|_| !*over) else { return };
            clean(&manager, &Ask::new(&task, &io));
            // Before the lock: after `stop` this thread holds no reference to the manager.
            drop(manager);
            drop(over);
        }
    };
    // Without the thread ghosts go when their pages are full, and versions when new ones need room.
    if let Ok(thread) = std::thread::Builder::new().name("ghost cleaner".to_owned()).spawn(run) {
        let _ = manager.cleaner().thread.set(thread.thread().clone());
    }
}

/// Waits for the end of the cleaner's round; there is no other one. Whoever drops the manager then drops it here and now.
pub fn stop(manager: &TxnManager) {
    *manager.cleaner().is_over.lock() = true;
}

/// One round of the ghost cleaner: removes what is not needed any more. Runs by itself four times a second, and
/// when many ghosts have come.
pub fn clean(manager: &TxnManager, ask: &Ask<'_>) {
    manager.cleaner().has_work.store(false, Ordering::Relaxed);
    let horizon = manager.sequence().update_horizon();
    manager.versions().clean(ask, horizon);
    values::free_values(manager, ask, horizon);
    while let Some(ghost) = manager.cleaner().next_ghost(horizon) {
        if let Some(tree) = ghost.tree.upgrade() {
            purge(manager, ask, &tree, &ghost.key, horizon);
        }
    }
    while let Some(tree) = manager.cleaner().next_tree(horizon) {
        if let Some(tree) = tree.upgrade() {
            purge_all(manager, ask, &tree, horizon);
        }
    }
    if !manager.cleaner().is_empty() || !manager.versions().is_empty() {
        manager.cleaner().note_end();
    }
}

/// Keeps the cleaner's thread from beginning a round; `None` while it is in one.
pub fn at_rest(manager: &TxnManager) -> Option<MutexGuard<'_, bool>> {
    manager.cleaner().is_over.try_lock()
}

/// Whether deleted rows or large values of a database wait to be removed.
pub fn waits_in(manager: &TxnManager, db: DbId) -> bool {
    manager.cleaner().waits_in(db)
}

/// Ghosts that were removed since the start.
#[must_use]
pub fn removed_ghosts(manager: &TxnManager) -> u64 {
    manager.cleaner().removed.load(Ordering::Relaxed)
}

fn purge(manager: &TxnManager, ask: &Ask<'_>, tree: &Arc<Tree>, key: &[u8], horizon: Xsn) {
    check!(
        horizon <= manager.sequence().horizon(),
        "N3: ghosts go below {}, and the horizon is {}",
        horizon.0,
        manager.sequence().horizon().0
    );
    let place = place_of(tree);
    let (stripe, lock) = (RangeStripe::of(place), Resource::key(place.db, place.hobt, KeyHash::of(key)));
    let mut is_removed = false;
    // What fails now is tried when the page is full.
    let _ = tree::modify::change_entry::<AccessError>(tree, ask, &mut Purge, key, &mut |found: Option<LeafRow<'_>>| {
        let is_old = found.is_some_and(|row| row.is_ghost && row.tag.is_some_and(|tag| tag.xsn < horizon));
        is_removed = is_old && manager.ranges().is_empty(stripe) && !manager.locks().is_locked(&lock);
        Ok(if is_removed { Change::Remove } else { Change::Keep })
    });
    manager.cleaner().removed.fetch_add(is_removed.into(), Ordering::Relaxed);
}

/// Removes the ghosts of a whole tree that nobody needs any more.
pub fn remove_ghosts(manager: &TxnManager, ask: &Ask<'_>, tree: &Arc<Tree>) {
    purge_all(manager, ask, tree, manager.sequence().update_horizon());
}

/// The same, of those below the horizon.
fn purge_all(manager: &TxnManager, ask: &Ask<'_>, tree: &Arc<Tree>, horizon: Xsn) {
    let mut cursor = tree::cursor::open(tree, KeyRange::all(), Direction::Forward);
    loop {
        let mut keys: Vec<Vec<u8>> = Vec::new();
        let more = cursor.next_page(ask, &mut |row| {
            if row.is_ghost {
                keys.push(row.key.to_vec());
            }
            std::ops::ControlFlow::Continue(())
        });
        keys.iter().for_each(|key| purge(manager, ask, tree, key, horizon));
        if !matches!(more, Ok(true)) {
            return;
        }
    }
}

/// To be called before a database (or all of them: `None`) is closed: values that wait are freed, as far as no
/// session can be reading them. What is left is said in the log to be leaked, so that the next start looks for it.
pub fn settle_values(manager: &TxnManager, ask: &Ask<'_>, db: Option<DbId>) {
    clean(manager, ask);
    for value in manager.cleaner().take_values(db) {
        if let Some(log) = value.log {
            log.note_leak();
        }
    }
}
