//! How long batches and calls take, by ranges of time: SQL Server's own, of its object "Batch Resp Statistics".
//!
//! What always holds: a request is counted once, in one range, when it has ended, and its time is in the total of that range. Knows
//! nothing of what ran.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Where ranges end, each before the next begins; the last one has no end.
pub const BOUNDS_MS: [u64; 16] =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];
/// How many there are.
pub const RANGES: usize = BOUNDS_MS.len() + 1;

/// Counts since the start.
#[derive(Debug, Default)]
pub struct BatchTimes {
    ranges: [Range; RANGES],
}

#[derive(Debug, Default)]
struct Range {
    count: AtomicU64,
    total_us: AtomicU64,
}

impl BatchTimes {
    /// A request has ended that took so long.
    pub fn add(&self, elapsed_us: u64) {
        let range = &self.ranges[BOUNDS_MS.partition_point(|bound_ms| bound_ms * 1000 <= elapsed_us)];
        range.count.fetch_add(1, Relaxed);
        range.total_us.fetch_add(elapsed_us, Relaxed);
    }

    /// Requests of each range, and their microseconds together.
    #[must_use]
    pub fn report(&self) -> [(u64, u64); RANGES] {
        std::array::from_fn(|at| (self.ranges[at].count.load(Relaxed), self.ranges[at].total_us.load(Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_begins_where_the_one_before_it_ends() {
        let times = BatchTimes::default();
        for us in [0, 999, 1_000, 1_999, 2_000, 99_999_999, 100_000_000, u64::from(u32::MAX)] {
            times.add(us);
        }
        let report = times.report();
        assert_eq!(report[..3], [(2, 999), (2, 2_999), (1, 2_000)]);
        assert_eq!(report[RANGES - 2..], [(1, 99_999_999), (2, 100_000_000 + u64::from(u32::MAX))]);
        assert_eq!(report.iter().map(|(count, _)| count).sum::<u64>(), 8);
    }
}
