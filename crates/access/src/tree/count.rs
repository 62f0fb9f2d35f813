//! How many entries a tree has: exact for trees that were made since the start, else sampled when it is first asked for.
//!
//! Every change of an entry counts when it is made, and again when it is undone: entries of open transactions are counted.
//! After a crash nothing is known, and nothing is read before it is asked for.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

const UNKNOWN: i64 = i64::MIN;

/// Entries at some point in time, and how many came and went since.
#[derive(Debug)]
pub(crate) struct EntryCount {
    base: AtomicI64,
    added: AtomicI64,
    removed: AtomicI64,
}

impl EntryCount {
    pub(crate) fn unknown() -> EntryCount {
        EntryCount { base: AtomicI64::new(UNKNOWN), added: AtomicI64::new(0), removed: AtomicI64::new(0) }
    }

    #[inline]
    pub(crate) fn add(&self, more: i64) {
        if more >= 0 {
            self.added.fetch_add(more, Relaxed);
        } else {
            self.removed.fetch_sub(more, Relaxed);
        }
    }

    /// So many there are now.
    pub(crate) fn set(&self, entries: u64) {
        self.base.store(entries.cast_signed() - self.growth(), Relaxed);
    }

    pub(crate) fn get(&self) -> Option<u64> {
        let base = self.base.load(Relaxed);
        (base != UNKNOWN).then(|| (base + self.growth()).max(0).cast_unsigned())
    }

    /// Entries that came, and entries that went, since the tree was opened.
    pub(crate) fn arrivals(&self) -> (u64, u64) {
        (self.added.load(Relaxed).cast_unsigned(), self.removed.load(Relaxed).cast_unsigned())
    }

    /// Growth less shrinkage since the tree was opened.
    fn growth(&self) -> i64 {
        self.added.load(Relaxed) - self.removed.load(Relaxed)
    }
}
