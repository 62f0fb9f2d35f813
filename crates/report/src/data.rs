//! What a report is made of: intervals, and what statements, waits and files did in them.
//!
//! What always holds: it is the same whether it was read from a file or from a server's views.

use std::collections::BTreeMap;

use millpond_history::sample::{FILE_COUNTERS, STATEMENT_COUNTERS, WAIT_COUNTERS};
use millpond_history::series::Interval;

/// Microseconds of a day.
pub const DAY_US: i64 = 86_400_000_000;
/// How much of a span must be known to compare with it, in percent.
const KNOWN_PERCENT: u64 = 50;

/// What one statement, type of waits or file did in an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<W, const N: usize> {
    /// Begin of the interval, microseconds of UTC since 1970.
    pub begin_us: i64,
    /// Its end.
    pub end_us: i64,
    /// What.
    pub of: W,
    /// Its counters.
    pub counters: [u64; N],
}

/// A statement.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statement {
    /// Hash of its shape.
    pub query_hash: u64,
    /// Its database.
    pub database: Option<String>,
    /// Its module, or 0.
    pub object_id: i32,
    /// Its text, as far as it is kept.
    pub text: Option<String>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// Its database.
    pub database: Option<String>,
    /// Its logical name.
    pub name: Option<String>,
    /// Where it is.
    pub path: Option<String>,
}

/// What a span is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Before {
    /// The same hours of the day before.
    DayBefore(Vec<Interval>),
    /// The time of the same length just before.
    JustBefore(Vec<Interval>),
    /// Too little is known of either.
    Unknown,
}

impl Before {
    /// The day before, if enough of it is known, else the time just before.
    #[must_use]
    pub fn choose(day_before: Vec<Interval>, just_before: Vec<Interval>, span_us: i64) -> Before {
        let is_known = |intervals: &[Interval]| {
            let covered_us: u64 = intervals.iter().map(|interval| interval.covered_us).sum();
            covered_us > 0 && covered_us.saturating_mul(100) >= span_us.unsigned_abs().saturating_mul(KNOWN_PERCENT)
        };
        match () {
            () if is_known(&day_before) => Before::DayBefore(day_before),
            () if is_known(&just_before) => Before::JustBefore(just_before),
            () => Before::Unknown,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Before::DayBefore(_) => "the same hours of the day before",
            Before::JustBefore(_) => "the time of the same length before",
            Before::Unknown => "nothing: too little is recorded of the time before",
        }
    }

    /// Its intervals.
    #[must_use]
    pub fn intervals(&self) -> &[Interval] {
        match self {
            Before::DayBefore(intervals) | Before::JustBefore(intervals) => intervals,
            Before::Unknown => &[],
        }
    }
}

/// All that a report shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The server or folder, for people.
    pub source: String,
    /// Begin, microseconds of UTC since 1970.
    pub from_us: i64,
    /// End.
    pub to_us: i64,
    /// Seconds of an interval.
    pub step_s: u64,
    /// Intervals by time.
    pub intervals: Vec<Interval>,
    /// What they are compared with.
    pub before: Before,
    /// Statements.
    pub statements: Vec<Row<Statement, { STATEMENT_COUNTERS.len() }>>,
    /// Types of waits.
    pub waits: Vec<Row<String, { WAIT_COUNTERS.len() }>>,
    /// Files.
    pub files: Vec<Row<File, { FILE_COUNTERS.len() }>>,
    /// What a reader is to know of the data.
    pub notes: Vec<String>,
}

/// What each has done in all intervals together, those with most first, by the counter at `place`.
#[must_use]
pub fn sums<K: Ord, W: Clone, const N: usize>(
    rows: &[Row<W, N>],
    key: impl Fn(&W) -> K,
    place: usize,
) -> Vec<(W, [u64; N])> {
    let mut by_key: BTreeMap<K, (W, [u64; N])> = BTreeMap::new();
    for row in rows {
        let sum = by_key.entry(key(&row.of)).or_insert_with(|| (row.of.clone(), [0; N]));
        sum.0 = row.of.clone();
        sum.1.iter_mut().zip(row.counters).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }
    let mut all: Vec<_> = by_key.into_values().collect();
    all.sort_by_key(|(_, counters)| std::cmp::Reverse(counters[place]));
    all
}

impl Report {
    /// All intervals as one.
    #[must_use]
    pub fn whole(&self) -> Interval {
        sum_of(&self.intervals, self.from_us, self.to_us)
    }
}

/// Intervals as one, from a begin to an end.
pub(crate) fn sum_of(intervals: &[Interval], from_us: i64, to_us: i64) -> Interval {
    let mut whole = Interval::new(from_us, to_us);
    intervals.iter().for_each(|interval| whole.add(interval));
    whole
}
