//! Ranges of keys, and in which order they are read. It knows no pages.

use millpond_storage::check;
use std::ops::Bound;

/// Keys from one bound to the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// Lower bound.
    pub low: Bound<Vec<u8>>,
    /// Upper bound.
    pub high: Bound<Vec<u8>>,
}

impl KeyRange {
    /// All keys.
    #[must_use]
    pub fn all() -> KeyRange {
        KeyRange { low: Bound::Unbounded, high: Bound::Unbounded }
    }

    /// The keys that begin with `prefix`.
    #[must_use]
    pub fn prefix(prefix: &[u8]) -> KeyRange {
        let mut after = prefix.to_vec();
        while after.last() == Some(&u8::MAX) {
            after.pop();
            check!(after.len() < prefix.len(), "what lies after a prefix is no longer than it");
        }
        let high = match after.last_mut() {
            Some(last) => {
                *last += 1;
                Bound::Excluded(after)
            }
            None => Bound::Unbounded,
        };
        KeyRange { low: Bound::Included(prefix.to_vec()), high }
    }

    /// Whether keys from `key` on may belong to it.
    pub(super) fn goes_to(&self, key: &[u8]) -> bool {
        match &self.high {
            Bound::Included(high) => key <= high.as_slice(),
            Bound::Excluded(high) => key < high.as_slice(),
            Bound::Unbounded => true,
        }
    }
}

/// Which end of a range comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Ascending.
    Forward,
    /// Descending.
    Backward,
}
