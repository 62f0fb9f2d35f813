//! What was done with a tree since it was opened: how many statements used it and how, and what became of its entries.
//!
//! What always holds: counters only grow, and taking one waits for nothing. They end with the tree: an index that is built anew, and a
//! database that is opened again, begin at zero. A rollback takes nothing back.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a statement does with an index; each kind is counted once for a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeUse {
    /// Looks for keys or a range of them.
    Seek,
    /// Reads all of it.
    Scan,
    /// Looks for rows that another index has found.
    Lookup,
    /// Changes entries.
    Update,
}

impl TreeUse {
    /// All of them, in the order of their numbers.
    pub const ALL: [TreeUse; 4] = [TreeUse::Seek, TreeUse::Scan, TreeUse::Lookup, TreeUse::Update];
}

/// Statements that have used a tree in one way.
#[derive(Debug, Default)]
pub struct Used {
    /// How many.
    pub statements: AtomicU64,
    /// When the last one began, by the clock of the server in microseconds since its start.
    pub last_us: AtomicU64,
}

/// The counters of a tree, on a cache line of their own: readers that count change nothing that others read.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct TreeActivity {
    used: [Used; TreeUse::ALL.len()],
    /// Scans that were begun, of all entries or of a range.
    pub range_scans: AtomicU64,
    /// Keys that were looked up.
    pub singleton_lookups: AtomicU64,
    /// Entries that were changed where they are. Those that came and went the tree counts itself
    /// ([`super::Tree::arrivals`]).
    pub updates: AtomicU64,
    /// Locks of rows that were asked for.
    pub row_locks: AtomicU64,
    /// How often a row's lock was waited for.
    pub row_lock_waits: AtomicU64,
    /// How long, in microseconds.
    pub row_lock_wait_us: AtomicU64,
    /// Leaves that came by splits, the first below a new root too.
    pub leaf_splits: AtomicU64,
    /// The same of pages above the leaves.
    pub interior_splits: AtomicU64,
}

impl TreeActivity {
    /// A statement that began at `begun_us` uses the tree.
    pub fn note(&self, how: TreeUse, begun_us: u64) {
        let used = self.of(how);
        used.statements.fetch_add(1, Relaxed);
        used.last_us.store(begun_us, Relaxed);
    }

    /// A page of that level has become two.
    pub(crate) fn note_split(&self, level: u8) {
        let splits = if level == 0 { &self.leaf_splits } else { &self.interior_splits };
        splits.fetch_add(1, Relaxed);
    }

    /// The statements that have used the tree so.
    #[must_use]
    pub fn of(&self, how: TreeUse) -> &Used {
        &self.used[how as usize]
    }
}
