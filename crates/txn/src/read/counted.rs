//! Row locks that are counted at the tree of their rows, with the waits for them, for `sys.dm_db_index_operational_stats`.
//!
//! What always holds: a request is counted whether it is granted, had already or refused. Waits are those that the task had meanwhile:
//! of threads of one plan each may count what another one waited for.

use std::sync::atomic::Ordering::Relaxed;

use millpond_access::tree::Tree;
use millpond_storage::ask::Ask;

use crate::lock::{Got, KeyHash, LockError, LockMode, LockOwner};
use crate::read::reader::place_of;

/// Locks a row of a tree as [`LockOwner::lock_row`] does.
#[inline]
pub(crate) fn lock_row(
    locks: &LockOwner,
    ask: &Ask<'_>,
    tree: &Tree,
    key: KeyHash,
    mode: LockMode,
    timeout_ms: Option<u32>,
) -> Result<Got, LockError> {
    let (waits, activity) = (&ask.task.waits, &tree.activity);
    let before = waits.locks.load(Relaxed);
    let before_us = waits.locks_us.load(Relaxed);
    let got = locks.lock_row(ask, place_of(tree), key, mode, timeout_ms);
    activity.row_locks.fetch_add(1, Relaxed);
    let waited = waits.locks.load(Relaxed).saturating_sub(before);
    if waited > 0 {
        activity.row_lock_waits.fetch_add(waited, Relaxed);
        activity.row_lock_wait_us.fetch_add(waits.locks_us.load(Relaxed).saturating_sub(before_us), Relaxed);
    }
    got
}
