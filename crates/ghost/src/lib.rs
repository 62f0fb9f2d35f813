//! What a larger cache would have hit: pages that left memory, remembered by their numbers alone.
//!
//! ```text
//!   page is evicted ──▶ newest │ g g g g g g g g g g g g g │ oldest ──▶ forgotten
//!                                        ▲
//!   page is read again ──────────────────┘  as deep as it lies, so many more frames would have kept it
//! ```
//!
//! [`Ghosts`] is what a cache calls; [`list::GhostList`] is the list under its lock; [`curve::Curve`] is what was found.
//!
//! What always holds: a hit in the cache calls nothing here; what is called never waits, and loses its event where another
//! thread has the list. Memory is bounded by [`list::GHOSTS_MAX`], whatever the cache has: of a large one a part of the pages is
//! followed, chosen by a hash of their numbers, and stands for the others (spatially hashed sampling, after SHARDS: Waldspurger
//! et al., FAST 2015). A page that was freed is forgotten, and one that is made anew is no miss.
//!
//! It lies below everything, because the buffer pool feeds it and the advisor reads it: neither is to know the other. It knows no pages,
//! no pool and no policy; depths are those of a cache that drops what was used least recently, which no policy here is exactly.

pub mod curve;
pub mod list;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use parking_lot::Mutex;

use crate::curve::Curve;
use crate::list::{GhostList, Sampling};

/// Who brings a page into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Its file.
    File,
    /// The extension, which had kept it.
    Extension,
}

/// The ghosts of a cache, for all of its threads.
#[derive(Debug)]
pub struct Ghosts {
    list: Mutex<GhostList>,
    /// [`Sampling::mask`] of the list, to be asked without its lock.
    mask: AtomicU64,
    /// Entries of the list when it was last changed: nothing is looked for in an empty one.
    len: AtomicU64,
    lost: AtomicU64,
}

impl Ghosts {
    /// Of a cache of so many pages, from a time on.
    #[must_use]
    pub fn new(pages: u64, now_us: u64) -> Ghosts {
        let list = GhostList::new(pages, now_us);
        let mask = AtomicU64::new(list.sampling().mask());
        Ghosts { list: Mutex::new(list), mask, len: AtomicU64::new(0), lost: AtomicU64::new(0) }
    }

    /// The cache is to have another size: what was found of the old one says nothing of it, and all begins anew.
    pub fn begin(&self, pages: u64, now_us: u64) {
        let mut list = self.list.lock();
        if list.pages() != pages {
            *list = GhostList::new(pages, now_us);
            self.mask.store(list.sampling().mask(), Relaxed);
            self.len.store(0, Relaxed);
            self.lost.store(0, Relaxed);
        }
    }

    /// So many pages are the cache's at the moment: it has lent what it has less than its size.
    pub fn set_resident_max(&self, pages: u64) {
        self.list.lock().set_resident_max(pages);
    }

    /// A page left memory to make room for another.
    #[inline]
    pub fn leave(&self, page: u64) {
        self.change(page, |list| list.leave(page));
    }

    /// A page was read into memory.
    #[inline]
    pub fn come(&self, page: u64, origin: Origin) {
        self.change(page, |list| list.come(page, origin));
    }

    /// A page that was not in memory was freed, or is made anew without a read.
    #[inline]
    pub fn free(&self, page: u64) {
        if self.len.load(Relaxed) > 0 {
            self.change(page, |list| list.free(page));
        }
    }

    /// Pages are gone with their file. This one waits for the list, because it comes once for many pages.
    pub fn free_all(&self, is_gone: impl Fn(u64) -> bool) {
        let mut list = self.list.lock();
        list.free_all(is_gone);
        self.len.store(list.len() as u64, Relaxed);
    }

    /// What was found since [`Curve::since_us`].
    #[must_use]
    pub fn curve(&self) -> Curve {
        Curve { lost_events: self.lost.load(Relaxed), ..self.list.lock().curve() }
    }

    #[inline]
    fn change(&self, page: u64, change: impl FnOnce(&mut GhostList)) {
        if !Sampling::has(self.mask.load(Relaxed), page) {
            return;
        }
        let Some(mut list) = self.list.try_lock() else {
            self.lost.fetch_add(1, Relaxed);
            return;
        };
        change(&mut list);
        self.len.store(list.len() as u64, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_size_begins_anew_and_the_same_size_goes_on() {
        let ghosts = Ghosts::new(100, 5);
        ghosts.leave(1);
        ghosts.come(1, Origin::File);
        ghosts.begin(100, 6);
        ghosts.set_resident_max(20);
        assert_eq!((ghosts.curve().since_us, ghosts.curve().read_pages), (5, 1));
        ghosts.begin(200, 7);
        assert_eq!((ghosts.curve().since_us, ghosts.curve().read_pages, ghosts.curve().pages), (7, 0, 200));
    }

    #[test]
    fn nothing_waits_for_the_list_and_what_is_lost_is_counted() {
        let ghosts = Ghosts::new(100, 0);
        let held = ghosts.list.lock();
        ghosts.leave(1);
        ghosts.come(1, Origin::File);
        drop(held);
        let curve = ghosts.curve();
        assert_eq!((curve.lost_events, curve.read_pages), (2, 0));
    }

    #[test]
    fn threads_lose_events_and_never_invent_them() {
        let ghosts = Ghosts::new(64, 0);
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let ghosts = &ghosts;
                scope.spawn(move || {
                    for round in 0..5_000 {
                        let page = (thread << 32) | (round % 90);
                        ghosts.leave(page);
                        ghosts.come(page, Origin::File);
                    }
                });
            }
            for _ in 0..100 {
                let curve = ghosts.curve();
                assert!(curve.points().iter().all(|point| point.hits <= curve.read_pages));
            }
        });
        let curve = ghosts.curve();
        // Of 40,000 events each one is counted or lost.
        assert!(curve.read_pages <= 20_000 && curve.read_pages + curve.lost_events >= 20_000, "{curve:?}");
    }
}
