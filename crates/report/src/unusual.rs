//! What was unusual against the same hours of the day before, by one rule:
//!
//! ```text
//!   an interval's rate differs from the median of the rates within half an hour of the same time of the day before
//!   by more than 5 × 1.4826 × MAD, by more than a quarter of the median, and by more than anybody would notice
//! ```
//! MAD is the median of the distances from the median; times 1.4826 it is the standard deviation of normal values, and a few wild
//! ones do not change it.
//!
//! What always holds: nothing is unusual where fewer than [`KNOWN_MIN`] rates of the day before are known. Intervals one after the
//! other, of one figure and to one side, are one finding.

use millpond_history::figure::Figure;
use millpond_history::series::Interval;

use crate::compare::noticed;
use crate::data::{Before, DAY_US, Report};

/// The rule in words.
pub const RULE: &str = "An interval is unusual where its rate differs from the median of the rates within half an hour of the same \
time of the day before by more than 5 × 1.4826 × MAD (the median distance from that median), by more than a quarter of it, and by \
more than an amount that somebody would notice.";

/// Rates of the day before that must be known.
pub const KNOWN_MIN: usize = 5;
const AROUND_US: i64 = 1_800_000_000;
const DEVIATIONS: f64 = 5.0 * 1.4826;
const LEAST_PART: f64 = 0.25;
const FINDINGS_MAX: usize = 30;

/// What is looked at.
const LOOKED_AT: [Figure; 22] = [
    Figure::batches,
    Figure::transactions,
    Figure::errors,
    Figure::deadlocks,
    Figure::logical_reads,
    Figure::physical_reads,
    Figure::file_read_bytes,
    Figure::file_write_bytes,
    Figure::written_spill_bytes,
    Figure::log_bytes,
    Figure::wait_processor_us,
    Figure::wait_lock_us,
    Figure::wait_latch_us,
    Figure::wait_page_io_us,
    Figure::wait_log_us,
    Figure::wait_memory_grant_us,
    Figure::cpu_user_ms,
    Figure::sessions,
    Figure::requests,
    Figure::tempdb_user_pages,
    Figure::tempdb_internal_pages,
    Figure::tempdb_version_pages,
];

/// A finding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unusual {
    /// Which figure.
    pub figure: Figure,
    /// From when, microseconds of UTC since 1970.
    pub begin_us: i64,
    /// Until when.
    pub end_us: i64,
    /// The rate that lies farthest from what is usual.
    pub value: f64,
    /// What was usual then.
    pub usual: f64,
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { f64::midpoint(values[middle - 1], values[middle]) } else { values[middle] }
}

/// What was usual around a time, and the distance from where on a rate is not.
fn usual(day_before: &[Interval], figure: Figure, at_us: i64) -> Option<(f64, f64)> {
    let center_us = at_us - DAY_US;
    let is_near = |interval: &&Interval| (interval.begin_us.midpoint(interval.end_us) - center_us).abs() <= AROUND_US;
    let mut rates: Vec<f64> = day_before.iter().filter(is_near).filter_map(|interval| interval.rate(figure)).collect();
    if rates.len() < KNOWN_MIN {
        return None;
    }
    let center = median(&mut rates);
    let mut distances: Vec<f64> = rates.iter().map(|rate| (rate - center).abs()).collect();
    let spread = median(&mut distances) * DEVIATIONS;
    Some((center, spread.max(center * LEAST_PART).max(noticed(figure))))
}

/// What was unusual, by time; those that lasted longest where there are many.
#[must_use]
pub fn unusual(report: &Report) -> Vec<Unusual> {
    let Before::DayBefore(day_before) = &report.before else { return Vec::new() };
    let mut found: Vec<Unusual> = Vec::new();
    for figure in LOOKED_AT {
        let mut open: Option<Unusual> = None;
        for interval in &report.intervals {
            let Some(value) = interval.rate(figure) else { continue };
            let middle_us = interval.begin_us.midpoint(interval.end_us);
            let Some((usual, limit)) = usual(day_before, figure, middle_us) else { continue };
            if (value - usual).abs() <= limit {
                found.extend(open.take());
                continue;
            }
            match &mut open {
                Some(known) if (known.value > known.usual) == (value > usual) => {
                    known.end_us = interval.end_us;
                    if (value - usual).abs() > (known.value - known.usual).abs() {
                        (known.value, known.usual) = (value, usual);
                    }
                }
                _ => {
                    found.extend(open.take());
                    let (begin_us, end_us) = (interval.begin_us, interval.end_us);
                    open = Some(Unusual { figure, begin_us, end_us, value, usual });
                }
            }
        }
        found.extend(open);
    }
    found.sort_by_key(|finding| std::cmp::Reverse(finding.end_us - finding.begin_us));
    found.truncate(FINDINGS_MAX);
    found.sort_by_key(|finding| (finding.begin_us, finding.figure));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_US: i64 = 60_000_000;

    fn interval(minute: i64, batches_per_s: f64) -> Interval {
        let mut interval = Interval::new(minute * MINUTE_US, (minute + 1) * MINUTE_US);
        interval.covered_us = MINUTE_US.unsigned_abs();
        interval.set(Figure::batches, batches_per_s * 60.0);
        interval
    }

    fn report(now: &[f64], before: &[f64]) -> Report {
        let day = DAY_US / MINUTE_US;
        let of = |first: i64, rates: &[f64]| {
            let numbered = (first..).zip(rates);
            numbered.map(|(minute, rate)| interval(minute, *rate)).collect::<Vec<_>>()
        };
        Report {
            source: String::new(),
            from_us: DAY_US,
            to_us: DAY_US + now.len() as i64 * MINUTE_US,
            step_s: 60,
            intervals: of(day, now),
            before: Before::DayBefore(of(0, before)),
            statements: vec![],
            waits: vec![],
            files: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn what_differs_much_is_one_finding_while_it_lasts() {
        let before: Vec<f64> = (0..60).map(|minute| 100.0 + f64::from(minute % 5)).collect();
        let mut now = before.clone();
        now[20] = 400.0;
        now[21] = 900.0;
        now[40] = 2.0;
        let found = unusual(&report(&now, &before));
        let day_us = DAY_US;
        let expected = [(20, 22, 900.0), (40, 41, 2.0)];
        let shown: Vec<_> = found
            .iter()
            .map(|it| ((it.begin_us - day_us) / MINUTE_US, (it.end_us - day_us) / MINUTE_US, it.value.round()))
            .collect();
        assert_eq!(shown, expected);
        assert!(found.iter().all(|it| it.figure == Figure::batches && (it.usual - 102.0).abs() < 1.0));
    }

    #[test]
    fn a_wild_day_before_makes_little_unusual_and_an_unknown_one_nothing() {
        let wild: Vec<f64> = (0..60).map(|minute| if minute % 2 == 0 { 10.0 } else { 1000.0 }).collect();
        let mut now = wild.clone();
        now[30] = 1500.0;
        assert_eq!(unusual(&report(&now, &wild)), []);
        assert_eq!(unusual(&report(&now, &[100.0; 4])), [], "too few are known");
        let mut other = report(&now, &[100.0; 60]);
        other.before = Before::JustBefore(vec![]);
        assert_eq!(unusual(&other), []);
    }
}
