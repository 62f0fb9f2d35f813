//! Where the keys of a bitmap lie in an index that begins with their column: a scan then reads these ranges and passes by what
//! lies between them.
//!
//! ```text
//!   keys of the build side    3 4 5      9          → ranges of the index    [3 … 5] [9]
//!   a range of the scan         [4 … 20]            → is read as             [4 … 5] [9]
//! ```
//! What always holds: a row that is passed by has a key that the bitmap lacks, or none: the bitmap would drop it.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ops::Bound;

use millpond_catalog::{KeyBounds, TableDef};

use crate::range::between;

/// Entries of an index for each range of it that is read alone: a page or two, about as many as are read in the time that
/// it takes to find one.
pub const ENTRIES_PER_RANGE: u64 = 256;

/// The ranges in the order of the index.
pub struct KeyRanges(Vec<KeyBounds>);

impl KeyRanges {
    /// Those of an index of so many entries, which begins with a column of whole numbers; `runs_of` gives the runs of its keys, so many at
    /// most, each by its first and its last number.
    pub fn of(runs_of: impl Fn(usize) -> Vec<(i64, i64)>, def: &TableDef, index: usize, entries: u64) -> KeyRanges {
        let most = usize::try_from(entries / ENTRIES_PER_RANGE).unwrap_or(usize::MAX).max(1);
        let runs = runs_of(most);
        let mut ranges: Vec<KeyBounds> = runs.into_iter().filter_map(|run| between(def, index, run)).collect();
        if def.indexes[index].key[0].descending {
            ranges.reverse();
        }
        KeyRanges(ranges)
    }

    /// What of a range lies in them, in the order of the index.
    pub fn within(&self, range: &KeyBounds) -> VecDeque<KeyBounds> {
        let from = self.0.partition_point(|own| is_before(&own.1, &range.0));
        self.0[from..].iter().map_while(|own| common(own, range)).collect()
    }
}

/// What lies in both of two ranges; none where nothing does.
pub fn common(one: &KeyBounds, other: &KeyBounds) -> Option<KeyBounds> {
    if is_before(&one.1, &other.0) || is_before(&other.1, &one.0) {
        return None;
    }
    let low = narrower(&one.0, &other.0, Ordering::Greater);
    Some((low.clone(), narrower(&one.1, &other.1, Ordering::Less).clone()))
}

/// Whether nothing lies both below one bound and above the other.
fn is_before(high: &Bound<Vec<u8>>, low: &Bound<Vec<u8>>) -> bool {
    match (high, low) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(high), Bound::Included(low)) => high < low,
        (Bound::Included(high) | Bound::Excluded(high), Bound::Included(low) | Bound::Excluded(low)) => high <= low,
    }
}

/// The one of two bounds of the same end that lets less pass: the higher one of two lower bounds, which lies `inwards` of the other.
fn narrower<'b>(a: &'b Bound<Vec<u8>>, b: &'b Bound<Vec<u8>>, inwards: Ordering) -> &'b Bound<Vec<u8>> {
    match (a, b) {
        (Bound::Unbounded, _) => b,
        (_, Bound::Unbounded) => a,
        (Bound::Included(at) | Bound::Excluded(at), Bound::Included(other) | Bound::Excluded(other)) => {
            match at.cmp(other) {
                Ordering::Equal if matches!(a, Bound::Excluded(_)) => a,
                order if order == inwards => a,
                _ => b,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(low: u8, high: u8) -> KeyBounds {
        (Bound::Included(vec![low]), Bound::Excluded(vec![high]))
    }

    #[test]
    fn a_range_is_read_where_both_lie() {
        let ranges = KeyRanges(vec![bounds(3, 6), bounds(9, 10), bounds(20, 30)]);
        let within = |low, high| ranges.within(&bounds(low, high)).into_iter().collect::<Vec<_>>();
        assert_eq!(within(4, 25), [bounds(4, 6), bounds(9, 10), bounds(20, 25)]);
        assert_eq!(within(6, 9), []);
        assert_eq!(within(30, 40), []);
        assert_eq!(within(0, 3), []);
        assert_eq!(within(29, 40), [bounds(29, 30)]);
        let all: Vec<_> = ranges.within(&(Bound::Unbounded, Bound::Unbounded)).into();
        assert_eq!(all, ranges.0);
        let open = (Bound::Excluded(vec![3]), Bound::Included(vec![9]));
        let cut: Vec<_> = ranges.within(&open).into();
        let first = (Bound::Excluded(vec![3]), Bound::Excluded(vec![6]));
        assert_eq!(cut, [first, (Bound::Included(vec![9]), Bound::Included(vec![9]))]);
    }
}
