//! How many entries a tree has: exact for trees that were made since the start, else sampled when somebody first asks.
//!
//! Every change of an entry counts when it is made, and again when it is undone: entries of open transactions are counted.
//! After a crash nothing is known, and nothing is read before it is asked for.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

const UNKNOWN: i64 = i64::MIN;

/// Entries at some moment, and how many more there are since.
#[derive(Debug)]
pub(crate) struct EntryCount {
    base: AtomicI64,
    delta: AtomicI64,
}

impl EntryCount {
    pub(crate) fn unknown() -> EntryCount {
        EntryCount { base: AtomicI64::new(UNKNOWN), delta: AtomicI64::new(0) }
    }

    #[inline]
    pub(crate) fn add(&self, more: i64) {
        self.delta.fetch_add(more, Relaxed);
    }

    /// So many there are now.
    pub(crate) fn set(&self, entries: u64) {
        self.base.store(entries.cast_signed() - self.delta.load(Relaxed), Relaxed);
    }

    pub(crate) fn get(&self) -> Option<u64> {
        let base = self.base.load(Relaxed);
        (base != UNKNOWN).then(|| (base + self.delta.load(Relaxed)).max(0).cast_unsigned())
    }

    /// Growth less shrinkage since the tree was opened.
    pub(crate) fn growth(&self) -> i64 {
        self.delta.load(Relaxed)
    }
}
