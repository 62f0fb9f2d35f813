//! Which extents of one file are free, in memory: the summary of its GAM pages that searches look at.
//!
//! What always holds: `free` is the number of set bits; bits after the end are 0. The search goes forward from the
//! last extent it gave and wraps at the end; it looks at 64 extents at a time. Not thread-safe: its owner locks.

use crate::check;
use crate::contract::ExtentNo;

/// Free extents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtentMap {
    /// Bit 1: free.
    words: Vec<u64>,
    extents: u32,
    free: u32,
    /// Where the search goes on.
    hint: u32,
}

impl ExtentMap {
    /// Extents, free or not.
    #[must_use]
    pub fn extents(&self) -> u32 {
        self.extents
    }

    /// Free extents.
    #[must_use]
    pub fn free(&self) -> u32 {
        self.free
    }

    /// Adds extents at the end, none of them free yet.
    pub fn extend_to(&mut self, extents: u32) {
        assert!(extents >= self.extents, "a map of {} extents is extended to {extents}", self.extents);
        self.extents = extents;
        self.words.resize(extents.div_ceil(64) as usize, 0);
        check!(self.ends_free_of_bits(), "an extent after the {extents} of the file is free");
    }

    /// Takes extents at the end away; what is free of them is not given any more.
    pub fn cut_to(&mut self, extents: u32) {
        assert!(extents <= self.extents, "a map of {} extents is cut to {extents}", self.extents);
        for extent in extents..self.extents {
            self.take(ExtentNo(extent));
        }
        self.extents = extents;
        self.words.truncate(extents.div_ceil(64) as usize);
        self.hint = self.hint.min(extents);
        check!(self.ends_free_of_bits() && self.is_counted(), "a map is cut to {extents} extents");
    }

    /// Whether the extent is free.
    #[must_use]
    pub fn is_free(&self, extent: ExtentNo) -> bool {
        self.words.get(extent.0 as usize / 64).is_some_and(|word| word & 1 << (extent.0 % 64) != 0)
    }

    /// Takes an extent if it is free.
    pub fn take(&mut self, extent: ExtentNo) -> bool {
        let is_free = self.is_free(extent);
        check!(!is_free || extent.0 < self.extents, "extent {extent} is free after the end");
        if is_free {
            self.words[extent.0 as usize / 64] &= !(1 << (extent.0 % 64));
            assert!(self.free > 0, "extent {extent} is free, and none is counted");
            self.free -= 1;
        }
        is_free
    }

    /// Gives an extent back.
    ///
    /// # Panics
    /// When it is free already or after the end: the caller frees what it does not own.
    pub fn give(&mut self, extent: ExtentNo) {
        assert!(extent.0 < self.extents, "extent {extent} lies after the end");
        let (word, bit) = (&mut self.words[extent.0 as usize / 64], 1 << (extent.0 % 64));
        assert!(*word & bit == 0, "extent {extent} is freed twice");
        *word |= bit;
        self.free += 1;
        assert!(self.free <= self.extents, "{} extents are free of {}", self.free, self.extents);
        check!(self.is_counted(), "{} free extents are counted", self.free);
    }

    /// Takes the next free extent, forward from the last one.
    pub fn take_next(&mut self) -> Option<ExtentNo> {
        if self.free == 0 {
            return None;
        }
        let found = self.first_free(self.hint).or_else(|| self.first_free(0)).expect("free > 0");
        assert!(found.0 < self.extents && self.take(found), "extent {found} of {} is free, and is not", self.extents);
        self.hint = found.0 + 1;
        check!(self.is_counted(), "{} free extents are counted", self.free);
        Some(found)
    }

    /// Whether `free` is the number of set bits.
    fn is_counted(&self) -> bool {
        self.words.iter().map(|word| word.count_ones()).sum::<u32>() == self.free
    }

    /// Whether bits after the end are 0.
    fn ends_free_of_bits(&self) -> bool {
        let rest = self.extents % 64;
        rest == 0 || self.words.last().is_none_or(|last| last >> rest == 0)
    }

    fn first_free(&self, from: u32) -> Option<ExtentNo> {
        let mut mask = u64::MAX << (from % 64);
        for (at, word) in self.words.iter().enumerate().skip(from as usize / 64) {
            let bits = word & mask;
            if bits != 0 {
                return Some(ExtentNo(at as u32 * 64 + bits.trailing_zeros()));
            }
            mask = u64::MAX;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_search_goes_forward_and_wraps() {
        let mut map = ExtentMap::default();
        map.extend_to(200);
        (0..200).for_each(|n| map.give(ExtentNo(n)));
        assert_eq!([map.take_next(), map.take_next()], [Some(ExtentNo(0)), Some(ExtentNo(1))]);
        map.give(ExtentNo(0));
        assert_eq!(map.take_next(), Some(ExtentNo(2)), "what was given back is not taken first");
        let rest: Vec<_> = std::iter::from_fn(|| map.take_next()).collect();
        assert_eq!((rest.len(), rest.last()), (198, Some(&ExtentNo(0))), "but when the search comes round");
    }

    #[test]
    fn a_map_that_was_cut_can_be_extended_again() {
        let mut map = ExtentMap::default();
        map.extend_to(130);
        (0..130).for_each(|extent| map.give(ExtentNo(extent)));
        (0..100).for_each(|extent| assert_eq!(map.take_next(), Some(ExtentNo(extent))));
        map.cut_to(70);
        assert_eq!((map.extents(), map.free(), map.take_next()), (70, 0, None));
        map.extend_to(80);
        map.give(ExtentNo(75));
        assert!(!map.is_free(ExtentNo(70)) && !map.is_free(ExtentNo(100)));
        assert_eq!(map.take_next(), Some(ExtentNo(75)));
    }

    #[test]
    #[should_panic(expected = "freed twice")]
    fn freeing_twice_is_a_broken_assumption() {
        let mut map = ExtentMap::default();
        map.extend_to(1);
        map.give(ExtentNo(0));
        map.give(ExtentNo(0));
    }

    proptest! {
        #[test]
        fn it_behaves_like_a_set(ops in proptest::collection::vec((0..4_u8, 0..300_u32), 1..300)) {
            let mut map = ExtentMap::default();
            let mut set = BTreeSet::new();
            for (op, n) in ops {
                match op {
                    0 => map.extend_to(map.extents().max(n)),
                    1 if n < map.extents() && !set.contains(&n) => { map.give(ExtentNo(n)); set.insert(n); }
                    2 => prop_assert_eq!(map.take(ExtentNo(n)), set.remove(&n)),
                    3 => {
                        let found = map.take_next();
                        prop_assert_eq!(found.is_some(), !set.is_empty());
                        prop_assert!(found.is_none_or(|e| set.remove(&e.0)));
                    }
                    _ => {}
                }
                prop_assert_eq!(map.free() as usize, set.len());
                prop_assert!(set.iter().all(|n| map.is_free(ExtentNo(*n))));
            }
        }
    }
}
