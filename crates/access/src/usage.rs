//! The account of an owner of pages: what it took, what it gave back, and the quotas that bound it.
//!
//! What always holds: pages are taken from every quota before they are asked of the database, and from all of them or
//! from none; no owner exceeds a quota, and one that is refused leaves the others room. Whole extents count; IAM pages
//! do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_storage::contract::EXTENT_PAGES;
use parking_lot::RwLock;

use crate::error::AccessError;

/// A bound on the pages that one or several owners have together.
#[derive(Debug)]
pub struct SpaceQuota {
    name: String,
    limit_pages: AtomicU64,
    used_pages: AtomicU64,
    peak_pages: AtomicU64,
    refusals: AtomicU64,
}

impl SpaceQuota {
    /// A quota that bounds nothing yet; errors say its name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Arc<SpaceQuota> {
        Arc::new(SpaceQuota {
            name: name.into(),
            limit_pages: AtomicU64::new(u64::MAX),
            used_pages: AtomicU64::new(0),
            peak_pages: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Changes the bound, `None` for no bound. An owner that has more already keeps it, and gets no more.
    pub fn set_limit_pages(&self, limit: Option<u64>) {
        self.limit_pages.store(limit.unwrap_or(u64::MAX), Relaxed);
    }

    /// The bound.
    #[must_use]
    pub fn limit_pages(&self) -> Option<u64> {
        Some(self.limit_pages.load(Relaxed)).filter(|limit| *limit != u64::MAX)
    }

    /// Pages in use.
    #[must_use]
    pub fn used_pages(&self) -> u64 {
        self.used_pages.load(Relaxed)
    }

    /// Most pages that were in use at once.
    #[must_use]
    pub fn peak_pages(&self) -> u64 {
        self.peak_pages.load(Relaxed)
    }

    /// Requests that were refused.
    #[must_use]
    pub fn refusals(&self) -> u64 {
        self.refusals.load(Relaxed)
    }

    /// The peak and the refusals count from now on.
    pub fn reset_statistics(&self) {
        self.peak_pages.store(self.used_pages(), Relaxed);
        self.refusals.store(0, Relaxed);
    }

    fn take(&self, pages: u64) -> bool {
        let limit = self.limit_pages.load(Relaxed);
        let room = |used: u64| used.checked_add(pages).filter(|after| *after <= limit);
        self.used_pages.fetch_update(Relaxed, Relaxed, room).is_ok()
    }

    /// What was taken stays taken: it counts for the peak.
    fn note_peak(&self) {
        self.peak_pages.fetch_max(self.used_pages(), Relaxed);
    }

    fn give(&self, pages: u64) {
        let before = self.used_pages.fetch_sub(pages, Relaxed);
        assert!(before >= pages, "quota '{}': {pages} pages are given back of {before}", self.name);
    }
}

/// Pages that heaps and trees took and gave back; their owner reads it.
#[derive(Debug, Default)]
pub struct SpaceUse {
    /// Pages allocated: whole extents; IAM pages do not count.
    pub alloc_pages: AtomicU64,
    /// Pages given back.
    pub dealloc_pages: AtomicU64,
    quotas: RwLock<Vec<Arc<SpaceQuota>>>,
}

impl SpaceUse {
    /// An account under quotas.
    #[must_use]
    pub fn under(quotas: Vec<Arc<SpaceQuota>>) -> SpaceUse {
        SpaceUse { quotas: RwLock::new(quotas), ..SpaceUse::default() }
    }

    /// Puts the account under other quotas; what it holds now counts there.
    pub fn move_under(&self, quotas: Vec<Arc<SpaceQuota>>) {
        let held = &mut *self.quotas.write();
        let (taken, given) = (self.alloc_pages.load(Relaxed), self.dealloc_pages.load(Relaxed));
        assert!(taken >= given, "{given} pages were given back, {taken} taken");
        let pages = taken - given;
        held.iter().for_each(|quota| quota.give(pages));
        quotas.iter().for_each(|quota| {
            let used = quota.used_pages.fetch_add(pages, Relaxed) + pages;
            quota.peak_pages.fetch_max(used, Relaxed);
        });
        *held = quotas;
    }

    /// Has `allocate` take up to `extents` extents, fewer where a quota leaves no more; it says how many it got.
    ///
    /// # Errors
    /// [`AccessError::QuotaExceeded`] when not even one is left, and `allocate`'s own.
    pub(crate) fn grow<T>(
        &self,
        extents: u32,
        allocate: impl FnOnce(u32) -> Result<(u32, T), AccessError>,
    ) -> Result<T, AccessError> {
        let quotas = self.quotas.read();
        // One extent at a time near the bound, so that all of the quota can be used.
        let granted = [extents, 1].into_iter().find(|&extents| take_all(&quotas, extents).is_ok());
        let granted = match granted {
            Some(granted) => granted,
            None => return Err(refusal(&quotas)),
        };
        let result = allocate(granted);
        let got = result.as_ref().map_or(0, |(got, _)| *got);
        assert!(got <= granted, "{got} extents were taken, {granted} granted");
        give_all(&quotas, granted - got);
        self.alloc_pages.fetch_add(pages_of(got), Relaxed);
        result.map(|(_, value)| value)
    }

    /// Notes that extents went back.
    pub(crate) fn shrink(&self, extents: usize) {
        let quotas = self.quotas.read();
        self.dealloc_pages.fetch_add(pages_of(extents as u32), Relaxed);
        give_all(&quotas, extents as u32);
    }
}

fn pages_of(extents: u32) -> u64 {
    u64::from(extents) * u64::from(EXTENT_PAGES)
}

/// Takes from all quotas or from none; the one that has no room is the error.
fn take_all(quotas: &[Arc<SpaceQuota>], extents: u32) -> Result<(), usize> {
    let full = quotas.iter().position(|quota| !quota.take(pages_of(extents)));
    match full {
        None => {
            quotas.iter().for_each(|quota| quota.note_peak());
            Ok(())
        }
        Some(full) => {
            give_all(&quotas[..full], extents);
            Err(full)
        }
    }
}

fn give_all(quotas: &[Arc<SpaceQuota>], extents: u32) {
    quotas.iter().for_each(|quota| quota.give(pages_of(extents)));
}

#[cold]
fn refusal(quotas: &[Arc<SpaceQuota>]) -> AccessError {
    let is_full = |quota: &&Arc<SpaceQuota>| {
        quota.limit_pages().is_some_and(|limit| quota.used_pages() + u64::from(EXTENT_PAGES) > limit)
    };
    // Another owner may have given room back meanwhile; the refusal stands and names the narrowest then.
    let quota = quotas.iter().find(is_full).or_else(|| quotas.iter().min_by_key(|quota| quota.limit_pages()));
    let quota = quota.expect("without quotas nothing is refused");
    quota.refusals.fetch_add(1, Relaxed);
    AccessError::QuotaExceeded { quota: quota.name().to_owned(), limit_pages: quota.limit_pages().unwrap_or(u64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(usage: &SpaceUse, extents: u32) -> Result<u32, AccessError> {
        usage.grow(extents, |granted| Ok((granted, granted)))
    }

    #[test]
    fn owners_of_one_quota_share_it_to_the_last_extent() {
        let group = SpaceQuota::new("group");
        group.set_limit_pages(Some(80));
        let (a, b) = (SpaceUse::under(vec![group.clone()]), SpaceUse::under(vec![group.clone()]));
        assert_eq!(take(&a, 8).unwrap(), 8);
        assert_eq!(take(&b, 8).unwrap(), 1, "one at a time near the bound");
        assert_eq!(take(&b, 8).unwrap(), 1);
        let refused = take(&b, 1).unwrap_err();
        assert!(matches!(refused, AccessError::QuotaExceeded { ref quota, limit_pages: 80 } if quota == "group"));
        assert_eq!((group.used_pages(), group.refusals()), (80, 1));
        a.shrink(8);
        assert_eq!(take(&b, 4).unwrap(), 4);
        assert_eq!((group.used_pages(), group.peak_pages()), (48, 80));
        group.reset_statistics();
        assert_eq!((group.peak_pages(), group.refusals()), (48, 0));
    }

    #[test]
    fn a_refusal_by_one_quota_takes_nothing_from_the_others() {
        let (group, session) = (SpaceQuota::new("group"), SpaceQuota::new("session"));
        session.set_limit_pages(Some(8));
        let usage = SpaceUse::under(vec![group.clone(), session.clone()]);
        assert_eq!(take(&usage, 4).unwrap(), 1);
        assert!(take(&usage, 4).is_err());
        assert_eq!((group.used_pages(), session.used_pages()), (8, 8));
        assert_eq!((group.peak_pages(), session.peak_pages()), (8, 8));
        assert_eq!((group.refusals(), session.refusals()), (0, 1));
    }

    #[test]
    fn an_allocation_that_fails_leaves_the_quota_as_it_was() {
        let group = SpaceQuota::new("group");
        let usage = SpaceUse::under(vec![group.clone()]);
        let failed: Result<(), _> = usage.grow(3, |_| Err(AccessError::Cancelled));
        assert!(failed.is_err());
        assert_eq!(usage.grow(3, |_| Ok((2, ()))).ok(), Some(()));
        assert_eq!((group.used_pages(), usage.alloc_pages.load(Relaxed)), (16, 16));
    }

    #[test]
    fn an_account_that_moves_takes_its_pages_along() {
        let (old, new) = (SpaceQuota::new("old"), SpaceQuota::new("new"));
        let usage = SpaceUse::under(vec![old.clone()]);
        take(&usage, 2).unwrap();
        new.set_limit_pages(Some(8));
        usage.move_under(vec![new.clone()]);
        assert_eq!((old.used_pages(), new.used_pages(), new.peak_pages()), (0, 16, 16));
        assert!(take(&usage, 1).is_err(), "it keeps what it has and gets no more");
        usage.shrink(2);
        assert!(take(&usage, 1).is_ok());
    }
}
