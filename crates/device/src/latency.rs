//! How long requests took, counted by ranges of time.
//!
//! What always holds: each request is in one range, and ranges only grow. Ranges are those that disks, flash and memory differ by: 1, 2
//! and 5 of each power of ten.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where ranges end, microseconds: a request that took as long is in the range that ends there. The last range has no end.
pub const ENDS_US: [u64; 14] =
    [50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000];
/// Ranges, with the one without end.
pub const RANGES: usize = ENDS_US.len() + 1;

/// Requests by range, at one point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latencies(pub [u64; RANGES]);

impl AddAssign for Latencies {
    fn add_assign(&mut self, other: Latencies) {
        self.0.iter_mut().zip(other.0).for_each(|(own, others)| *own += others);
    }
}

/// Adds those of several kinds of requests, each to its own.
pub fn add_each<const KINDS: usize>(own: &mut [Latencies; KINDS], others: [Latencies; KINDS]) {
    own.iter_mut().zip(others).for_each(|(own, other)| *own += other);
}

impl Latencies {
    /// Counts a request.
    pub fn count(&mut self, took_us: u64) {
        self.0[range_of(took_us)] += 1;
    }
}

/// The same where several threads count.
#[derive(Debug, Default)]
pub struct LatencyMeter([AtomicU64; RANGES]);

impl LatencyMeter {
    /// Counts a request.
    pub fn count(&self, took_us: u64) {
        self.0[range_of(took_us)].fetch_add(1, Relaxed);
    }

    /// What is counted now.
    #[must_use]
    pub fn reading(&self) -> Latencies {
        Latencies(std::array::from_fn(|range| self.0[range].load(Relaxed)))
    }
}

fn range_of(took_us: u64) -> usize {
    ENDS_US.partition_point(|end_us| *end_us < took_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_its_end_and_not_its_begin() {
        assert_eq!([range_of(0), range_of(50), range_of(51), range_of(100)], [0, 0, 1, 1]);
        assert_eq!([range_of(1_000_000), range_of(1_000_001), range_of(u64::MAX)], [13, 14, 14]);
        assert!(ENDS_US.is_sorted());
    }

    #[test]
    fn counts_of_two_meters_add_up() {
        let (one, mut other) = (LatencyMeter::default(), Latencies::default());
        one.count(70);
        one.count(70);
        other.count(70);
        other.count(u64::MAX);
        other += one.reading();
        assert_eq!((other.0[1], other.0[RANGES - 1], other.0.iter().sum::<u64>()), (3, 1, 4));
    }
}
