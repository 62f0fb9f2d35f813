//! How many entries a tree has: exact for trees that were made since the start, else sampled when somebody first asks.
//!
//! Every change of an entry counts when it is made, and again when it is undone: entries of open transactions are counted.
//! After a crash nothing is known, and nothing is read before it is asked for.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use millpond_storage::ask::Ask;

use super::handle::Tree;
use super::node;
use super::statistics::StatisticsMode;
use crate::error::AccessError;

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

    fn get(&self) -> Option<u64> {
        let base = self.base.load(Relaxed);
        (base != UNKNOWN).then(|| (base + self.delta.load(Relaxed)).max(0).cast_unsigned())
    }
}

impl Tree {
    /// Entries, ghosts left out. Reads the tree, or a sample of a large one, when they were not counted since the start.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn entry_count(&self, ask: &Ask<'_>) -> Result<u64, AccessError> {
        if let Some(known) = self.entries.get() {
            return Ok(known);
        }
        let statistics = self.statistics(ask, StatisticsMode::Sampled)?;
        let leaf = statistics.levels.first().copied().unwrap_or_default();
        let seen = leaf.records - leaf.ghosts;
        let all = match leaf.pages_read {
            0 => 0,
            read if read < leaf.pages => (seen as f64 * leaf.pages as f64 / read as f64) as u64,
            _ => seen,
        };
        self.entries.set(all);
        Ok(all)
    }

    /// About how many entries there are, from what is known or from a few pages.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn entry_estimate(&self, ask: &Ask<'_>) -> Result<u64, AccessError> {
        if let Some(known) = self.entries.get() {
            return Ok(known);
        }
        let pages = self.space(ask)?.used;
        let (first, _) = self.leaf_shared(ask, super::handle::Target::First)?;
        let each = u64::from(node::count(&first));
        Ok(pages * each.max(1))
    }

    /// Changes of the number of entries since the tree was opened, growth less shrinkage; for telling whether it is what
    /// it was.
    #[must_use]
    pub fn entry_growth(&self) -> i64 {
        self.entries.delta.load(Relaxed)
    }
}
