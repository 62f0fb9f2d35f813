//! Pages that left a cache, newest first, and how deep one lies that is read again.
//!
//! ```text
//!   places   0 1 2 3 4 5 6 7 8 …            a page goes to the end; one that comes back leaves its place empty
//!   page     a . c d . f g h
//!   taken    1 0 1 1 0 1 1 1                depth of d: the taken places behind its own, which are 3
//! ```
//!
//! What always holds:
//!
//! * G1: `places` has each page that is remembered once, and the bit of its place, and no other, is set.
//! * G2: no more than [`GHOSTS_MAX`] pages are remembered, and there are no more than twice as many places: 850 KB at most with the
//!   table of places, and nothing before the first page leaves.
//!
//! When the places end the empty ones are squeezed out. It knows no threads.

use std::collections::HashMap;

use crate::Origin;
use crate::curve::{Curve, DEEPEST_EIGHTHS, STEPS_EIGHTHS, step_pages};

/// Pages that are remembered at most.
pub const GHOSTS_MAX: usize = 16 * 1024;
const PLACES_MAX: usize = 2 * GHOSTS_MAX;

/// Which pages are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// A power of two: one of so many.
    one_of: u64,
}

impl Sampling {
    /// All pages of a small cache; of a larger one as many as a list of [`GHOSTS_MAX`] takes.
    #[must_use]
    pub fn of(pages: u64) -> Sampling {
        let deepest = pages.saturating_mul(DEEPEST_EIGHTHS) / 8;
        let one_of = deepest.div_ceil(GHOSTS_MAX as u64).max(1).next_power_of_two();
        Sampling { one_of }
    }

    /// What [`Sampling::has`] takes.
    #[must_use]
    pub fn mask(self) -> u64 {
        self.one_of - 1
    }

    /// Whether a page is followed under a mask. Neighbours are not chosen together, and one page is chosen always or never.
    #[inline]
    #[must_use]
    pub fn has(mask: u64, page: u64) -> bool {
        // The high half of a product by the golden ratio depends on all bits of the number.
        let hash = page.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> 32) & mask == 0
    }
}

/// The list.
#[derive(Debug)]
pub struct GhostList {
    pages: u64,
    /// Pages of them that the cache has lent: one that lies no deeper would have stayed without.
    lent: u64,
    sampling: Sampling,
    since_us: u64,
    /// Page → its place.
    places: HashMap<u64, u32>,
    /// The page that had a place last.
    by_place: Vec<u64>,
    /// A bit for each place.
    taken: Vec<u64>,
    /// No place before this one is taken.
    oldest: usize,
    read: u64,
    from_extension: u64,
    saved: [u64; STEPS_EIGHTHS.len()],
}

impl GhostList {
    /// Of a cache of so many pages, from a time on.
    #[must_use]
    pub fn new(pages: u64, since_us: u64) -> GhostList {
        GhostList {
            pages,
            lent: 0,
            sampling: Sampling::of(pages),
            since_us,
            places: HashMap::new(),
            by_place: Vec::new(),
            taken: Vec::new(),
            oldest: 0,
            read: 0,
            from_extension: 0,
            saved: [0; STEPS_EIGHTHS.len()],
        }
    }

    /// Pages of the cache.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// The cache may have so many pages at the moment; what it has less than its size is lent.
    pub fn set_resident_max(&mut self, pages: u64) {
        self.lent = self.pages.saturating_sub(pages);
    }

    /// Which pages are to be told of.
    #[must_use]
    pub fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// Pages that are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// A page left the cache.
    pub fn leave(&mut self, page: u64) {
        self.free(page);
        if self.places.len() == GHOSTS_MAX {
            self.forget_oldest();
        }
        if self.by_place.len() == PLACES_MAX {
            self.squeeze();
        }
        self.put(page);
    }

    /// Takes the newest place.
    fn put(&mut self, page: u64) {
        let place = self.by_place.len();
        self.by_place.push(page);
        if place / 64 == self.taken.len() {
            self.taken.push(0);
        }
        self.taken[place / 64] |= 1 << (place % 64);
        self.places.insert(page, place as u32);
    }

    /// A page was read into the cache: counts how much more of it would have kept the page.
    pub fn come(&mut self, page: u64, origin: Origin) {
        self.read += 1;
        self.from_extension += u64::from(origin == Origin::Extension);
        let Some(place) = self.places.remove(&page) else { return };
        self.clear(place as usize);
        // The page that had to leave for this one is behind it already, and stands for its own place.
        let depth = self.taken_from(place as usize).saturating_mul(self.sampling.one_of).max(1);
        let needed = depth.saturating_sub(self.lent);
        if let Some(step) = (0..STEPS_EIGHTHS.len()).find(|&step| needed <= step_pages(self.pages, step)) {
            self.saved[step] += 1;
        }
    }

    /// A page is to be forgotten without a count.
    pub fn free(&mut self, page: u64) {
        if let Some(place) = self.places.remove(&page) {
            self.clear(place as usize);
        }
    }

    /// Forgets all pages that are gone.
    pub fn free_all(&mut self, is_gone: impl Fn(u64) -> bool) {
        let gone: Vec<u64> = self.places.keys().copied().filter(|page| is_gone(*page)).collect();
        gone.into_iter().for_each(|page| self.free(page));
    }

    /// What was counted, scaled to all pages.
    #[must_use]
    pub fn curve(&self) -> Curve {
        let scale = self.sampling.one_of;
        Curve {
            since_us: self.since_us,
            pages: self.pages,
            sampled_one_of: scale,
            read_pages: self.read * scale,
            extension_pages: self.from_extension * scale,
            lost_events: 0,
            saved: self.saved.map(|count| count * scale),
        }
    }

    fn clear(&mut self, place: usize) {
        self.taken[place / 64] &= !(1 << (place % 64));
    }

    fn is_taken(&self, place: usize) -> bool {
        self.taken[place / 64] & 1 << (place % 64) != 0
    }

    /// Taken places from one on: 512 words at most.
    fn taken_from(&self, place: usize) -> u64 {
        let first = (self.taken[place / 64] >> (place % 64)).count_ones();
        let rest: u32 = self.taken[place / 64 + 1..].iter().map(|word| word.count_ones()).sum();
        u64::from(first + rest)
    }

    fn forget_oldest(&mut self) {
        while self.oldest < self.by_place.len() && !self.is_taken(self.oldest) {
            self.oldest += 1;
        }
        if let Some(&page) = self.by_place.get(self.oldest) {
            self.free(page);
        }
    }

    /// Moves all pages together, in their order.
    fn squeeze(&mut self) {
        let kept: Vec<u64> =
            (0..self.by_place.len()).filter(|&place| self.is_taken(place)).map(|place| self.by_place[place]).collect();
        self.by_place.clear();
        self.taken.clear();
        self.places.clear();
        self.oldest = 0;
        kept.into_iter().for_each(|page| self.put(page));
    }
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
