//! What changed against the time before: figures whose rates differ most.
//!
//! What always holds: a rate is compared where both spans are known. A difference counts from a factor of [`FACTOR_MIN`] on, and from
//! an amount on that somebody would notice.

use millpond_history::figure::Figure;

use crate::data::{Report, sum_of};

/// The least factor between two rates that is shown.
pub const FACTOR_MIN: f64 = 1.5;
/// Figures shown at most.
const SHOWN_MAX: usize = 15;

/// A figure that changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Which.
    pub figure: Figure,
    /// What it grew in a second, or its average.
    pub now: f64,
    /// The same before.
    pub before: f64,
}

impl Change {
    /// How many times as much it is now; infinite where there was nothing.
    #[must_use]
    pub fn factor(&self) -> f64 {
        if self.before > 0.0 { self.now / self.before } else { f64::INFINITY }
    }

    fn size(&self) -> f64 {
        let (less, more) = (self.now.min(self.before), self.now.max(self.before));
        // Nothing is taken for the least that is noticed, so that a small number after none is not the largest change.
        more / less.max(noticed(self.figure))
    }
}

/// The rate, or level, below which nobody would notice a figure.
#[must_use]
pub fn noticed(figure: Figure) -> f64 {
    let name = figure.name();
    match figure.is_total() {
        // A twentieth of a request that waits, of a processor.
        true if name.ends_with("_us") => 50_000.0,
        true if name.ends_with("_ms") => 50.0,
        true if name.ends_with("_bytes") => 1e6,
        true if name.ends_with("reads") || name.ends_with("writes") => 10.0,
        true => 0.1,
        false if name.ends_with("_bytes") => 16e6,
        false if name.ends_with("_pages") => 2048.0,
        false if name.ends_with("_s") => 300.0,
        false => 1.0,
    }
}

/// What changed, most first.
#[must_use]
pub fn changes(report: &Report) -> Vec<Change> {
    let now = report.whole();
    let before = sum_of(report.before.intervals(), report.from_us, report.to_us);
    let of = |figure: &Figure| {
        let change = Change { figure: *figure, now: now.rate(*figure)?, before: before.rate(*figure)? };
        let is_seen = (change.now - change.before).abs() >= noticed(*figure) && change.size() >= FACTOR_MIN;
        is_seen.then_some(change)
    };
    let mut changes: Vec<_> = Figure::ALL.iter().filter_map(of).collect();
    changes.sort_by(|a, b| b.size().total_cmp(&a.size()));
    changes.truncate(SHOWN_MAX);
    changes
}

#[cfg(test)]
mod tests {
    use millpond_history::series::Interval;

    use super::*;
    use crate::data::Before;

    fn interval(batches_per_s: f64, deadlocks: f64) -> Interval {
        let mut interval = Interval::new(0, 100_000_000);
        interval.covered_us = 100_000_000;
        interval.set(Figure::batches, batches_per_s * 100.0);
        interval.set(Figure::deadlocks, deadlocks);
        interval.set(Figure::memory_pool_bytes, 1e9);
        interval
    }

    #[test]
    fn changes_are_those_that_somebody_would_notice() {
        let mut report = Report {
            source: String::new(),
            from_us: 0,
            to_us: 100_000_000,
            step_s: 100,
            intervals: vec![interval(900.0, 2.0)],
            before: Before::DayBefore(vec![interval(300.0, 0.0)]),
            statements: vec![],
            waits: vec![],
            files: vec![],
            notes: vec![],
        };
        let found = changes(&report);
        assert_eq!(found, [Change { figure: Figure::batches, now: 900.0, before: 300.0 }]);
        assert!((found[0].factor() - 3.0).abs() < 1e-9);
        report.intervals = vec![interval(310.0, 0.0)];
        assert_eq!(changes(&report), []);
        report.before = Before::Unknown;
        assert_eq!(changes(&report), [], "nothing to compare with");
    }
}
