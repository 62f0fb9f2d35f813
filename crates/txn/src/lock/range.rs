//! How many key-range locks there are, by parts of all trees: inserts and purges look here before they look for locks.
//!
//! What always holds: a range lock is counted before its owner reads the range again under the latch of the page (R1).
//! An insert looks under the exclusive latch of the page that it inserts into. So either the insert sees the count, or
//! the reader sees the row.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::resource::RowPlace;

const STRIPES: usize = 256;

#[derive(Debug, Default)]
struct Stripe {
    count: AtomicU64,
    /// Raised by every new range lock.
    epoch: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct Ranges(Vec<Stripe>);

impl Default for Ranges {
    fn default() -> Ranges {
        Ranges((0..STRIPES).map(|_| Stripe::default()).collect())
    }
}

/// A part of all trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RangeStripe(u8);

impl RangeStripe {
    #[inline]
    pub(crate) fn of(place: RowPlace) -> RangeStripe {
        let tree = place.hobt ^ u64::from(place.db.0) << 48;
        RangeStripe((super::resource::hash_bytes(&tree.to_le_bytes()) >> 32) as u8)
    }
}

impl Ranges {
    pub(crate) fn enter(&self, stripe: RangeStripe) {
        let stripe = &self.0[usize::from(stripe.0)];
        stripe.epoch.fetch_add(1, SeqCst);
        stripe.count.fetch_add(1, SeqCst);
    }

    pub(crate) fn leave(&self, stripe: RangeStripe) {
        let before = self.0[usize::from(stripe.0)].count.fetch_sub(1, SeqCst);
        assert!(before > 0, "R1: a range lock goes that nobody counted");
    }

    #[inline]
    pub(crate) fn is_empty(&self, stripe: RangeStripe) -> bool {
        self.0[usize::from(stripe.0)].count.load(SeqCst) == 0
    }

    /// What changes with every new range lock.
    pub(crate) fn epoch(&self, stripe: RangeStripe) -> u64 {
        self.0[usize::from(stripe.0)].epoch.load(SeqCst)
    }
}
