//! One measure of the executions of a plan: sum, last, least, most, and how far they lie apart.
//!
//! What always holds: a tally of `n` values has seen each of them once; `n` itself is kept beside it, once for all measures of the same
//! executions. The deviation is that of all of them, not of a sample.

/// What is measured of an execution, in the order in which executions and records have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Metric {
    /// Elapsed time, µs.
    Duration = 0,
    /// CPU time of all threads, µs.
    Cpu = 1,
    /// Pages of 8 KB asked for.
    LogicalReads = 2,
    /// Pages that became dirty.
    LogicalWrites = 3,
    /// Pages read from files.
    PhysicalReads = 4,
    /// Threads that the plan may have.
    Dop = 5,
    /// The most memory that one of its plans held, in pages of 8 KB.
    Memory = 6,
    /// Rows.
    Rows = 7,
    /// Bytes of records in logs.
    LogBytes = 8,
    /// Pages of 8 KB that its operators spilled to tempdb.
    Tempdb = 9,
}

/// How many there are.
pub const METRICS: usize = 10;

/// Of one measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Sum.
    pub total: u64,
    /// The last value.
    pub last: u64,
    /// Least.
    pub min: u64,
    /// Most.
    pub max: u64,
    /// Sum of the squares of their distances from the average.
    pub squares: f64,
}

impl Tally {
    /// Adds a value to `count` others.
    pub(super) fn add(&mut self, value: u64, count: u64) {
        let before = self.average(count);
        self.min = if count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.last = value;
        self.total = self.total.saturating_add(value);
        let value = value as f64;
        self.squares += (value - before) * (value - self.average(count + 1));
    }

    /// The average of `count` values; 0 of none.
    #[must_use]
    pub fn average(&self, count: u64) -> f64 {
        if count == 0 { 0.0 } else { self.total as f64 / count as f64 }
    }

    /// Their standard deviation; 0 of none.
    #[must_use]
    pub fn deviation(&self, count: u64) -> f64 {
        if count == 0 { 0.0 } else { (self.squares / count as f64).max(0.0).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_knows_its_values() {
        let mut tally = Tally::default();
        for (count, value) in [2u64, 4, 4, 4, 5, 5, 7, 9].into_iter().enumerate() {
            tally.add(value, count as u64);
        }
        assert_eq!((tally.total, tally.last, tally.min, tally.max), (40, 9, 2, 9));
        assert!((tally.average(8) - 5.0).abs() < 1e-9 && (tally.deviation(8) - 2.0).abs() < 1e-9);
        assert!((Tally::default().deviation(0)).abs() < 1e-9);
        let mut large = Tally::default();
        large.add(u64::MAX, 0);
        large.add(u64::MAX, 1);
        assert!(large.total == u64::MAX && large.deviation(2).is_finite());
    }
}
