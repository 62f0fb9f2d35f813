//! How many key-range locks there are, by parts of all trees: inserts and purges look here before they look for locks. The
//! same word counts the runs of ghosts (`ghost_runs`) that inserts have to divide.
//!
//! What always holds: a range lock is counted before its owner reads the range again under the latch of the page (R1).
//! An insert looks under the exclusive latch of the page that it inserts into. So either the insert sees the count, or
//! the reader sees the row.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use parking_lot::Mutex;

use crate::version::ghost_runs::GhostRuns;

use super::resource::RowPlace;

const STRIPES: usize = 256;

/// One in the upper half of the count.
const GHOST_RUNS: u64 = 1 << 32;

#[derive(Debug, Default)]
struct Stripe {
    /// Range locks in the lower half, transactions' runs of ghosts in the upper one.
    count: AtomicU64,
    /// Raised by every new range lock.
    epoch: AtomicU64,
    ghost_runs: Mutex<Vec<Arc<GhostRuns>>>,
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
        assert!(before as u32 > 0, "R1: a range lock goes that was not counted");
    }

    /// Whether no range is locked.
    #[inline]
    pub(crate) fn is_empty(&self, stripe: RangeStripe) -> bool {
        self.0[usize::from(stripe.0)].count.load(SeqCst) as u32 == 0
    }

    /// Whether no range is locked and no runs of ghosts are remembered: an insert has nothing to look for.
    #[inline]
    pub(crate) fn is_quiet(&self, stripe: RangeStripe) -> bool {
        self.0[usize::from(stripe.0)].count.load(SeqCst) == 0
    }

    /// Inserts see these runs from now on.
    pub(crate) fn remember(&self, stripe: RangeStripe, runs: &Arc<GhostRuns>) {
        let stripe = &self.0[usize::from(stripe.0)];
        stripe.ghost_runs.lock().push(Arc::clone(runs));
        stripe.count.fetch_add(GHOST_RUNS, SeqCst);
    }

    pub(crate) fn forget(&self, stripe: RangeStripe, runs: &Arc<GhostRuns>) {
        let stripe = &self.0[usize::from(stripe.0)];
        let mut all = stripe.ghost_runs.lock();
        let before = all.len();
        all.retain(|other| !Arc::ptr_eq(other, runs));
        assert!(all.len() + 1 == before, "runs of ghosts go that are not remembered");
        stripe.count.fetch_sub(GHOST_RUNS, SeqCst);
    }

    /// A row comes to a tree; called under the latch of its page when the stripe is not quiet.
    #[cold]
    pub(crate) fn note_insert(&self, stripe: RangeStripe, place: RowPlace, key: &[u8]) {
        let all = self.0[usize::from(stripe.0)].ghost_runs.lock();
        all.iter().filter(|runs| runs.is_of(place.db, place.hobt)).for_each(|runs| runs.note_insert(key));
    }

    /// What changes with every new range lock.
    pub(crate) fn epoch(&self, stripe: RangeStripe) -> u64 {
        self.0[usize::from(stripe.0)].epoch.load(SeqCst)
    }
}
