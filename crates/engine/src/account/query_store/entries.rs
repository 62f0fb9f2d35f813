//! What a store has: texts, settings, queries, plans, intervals, and the runs of each plan in each interval.
//!
//! ```text
//!   text ◀── query ◀── plan ◀── runs ──▶ interval
//!   settings ◀──┘
//! ```
//! What always holds: numbers begin with 1 and are not given twice. Times are microseconds of UTC since 1970. Each entry has a slot:
//! the number under which it is written into the database.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::account::query_store::context_settings::ContextSettings;
use crate::account::query_store::measures::{METRICS, Tally};

/// Under what an entry is written.
pub(super) type SlotNo = u32;

/// How an execution ended; the number is `execution_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ExecutionKind {
    /// Well.
    Regular = 0,
    /// Its client wanted no more of it.
    Aborted = 3,
    /// With an error.
    Exception = 4,
}

impl ExecutionKind {
    pub(super) const ALL: [ExecutionKind; 3] =
        [ExecutionKind::Regular, ExecutionKind::Aborted, ExecutionKind::Exception];

    /// As views show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ExecutionKind::Regular => "Regular",
            ExecutionKind::Aborted => "Aborted",
            ExecutionKind::Exception => "Exception",
        }
    }
}

/// One execution.
#[derive(Clone, Debug)]
pub struct Execution {
    /// How it ended.
    pub kind: ExecutionKind,
    /// When, µs of UTC since 1970.
    pub ended_us: i64,
    /// By [`Metric`](super::measures::Metric).
    pub values: [u64; METRICS],
    /// Time by category of waits, µs; each category once.
    pub waits: Vec<(u8, u64)>,
}

/// Text of a statement.
#[derive(Clone, Debug)]
pub struct StoredText {
    /// `query_text_id`
    pub id: i64,
    /// The text.
    pub text: Arc<str>,
    /// The text of a module WITH ENCRYPTION: views do not show it.
    pub encrypted: bool,
    /// Queries that have it.
    pub(super) uses: u32,
    pub(super) slot: SlotNo,
}

/// Settings with their number.
#[derive(Clone, Copy, Debug)]
pub struct StoredSettings {
    /// `context_settings_id`
    pub id: i64,
    /// The settings.
    pub settings: ContextSettings,
    pub(super) slot: SlotNo,
}

/// Where a query was last bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// The hash that the server's other views have of it.
    pub hash: u64,
    /// Number of the text that it stands in; 0 once the server was started anew.
    pub text_id: u64,
    /// Its place in that text, in bytes of UTF-16.
    pub start: u32,
    /// The end of it.
    pub end: u32,
}

/// A query.
#[derive(Clone, Debug)]
pub struct StoredQuery {
    /// `query_id`
    pub id: i64,
    /// Its text.
    pub text: i64,
    /// Its settings.
    pub settings: i64,
    /// The module that it stands in, or 0.
    pub object: i32,
    /// Where it was last bound.
    pub compiled: Compiled,
    /// Bound first, µs.
    pub first_compile_us: i64,
    /// Bound last, µs.
    pub last_compile_us: i64,
    /// Run last, µs; 0: never.
    pub last_execution_us: i64,
    /// How often it was bound.
    pub compiles: u64,
    /// CPU time of all its runs that are known, µs: what is removed first is what costs least.
    pub cpu_us: u64,
    /// Its plans.
    pub plans: Vec<i64>,
    pub(super) slot: SlotNo,
}

/// A plan as it is shown.
#[derive(Clone, Debug)]
pub struct ShownPlan {
    /// Hash of its operators; 0 where there is none to show.
    pub hash: u64,
    /// The document.
    pub xml: Option<Arc<str>>,
    /// Threads that it may have.
    pub dop: u32,
    /// Compatibility level of the database.
    pub level: u8,
}

/// A plan of a query.
#[derive(Clone, Debug)]
pub struct StoredPlan {
    /// `plan_id`
    pub id: i64,
    /// Its query.
    pub query: i64,
    /// The plan.
    pub shown: ShownPlan,
    /// sp_query_store_force_plan said so.
    pub forced: bool,
    /// Made first, µs.
    pub first_compile_us: i64,
    /// Made last, µs.
    pub last_compile_us: i64,
    /// Run last, µs; 0: never.
    pub last_execution_us: i64,
    /// How often it was made.
    pub compiles: u64,
    pub(super) slot: SlotNo,
}

/// A time in which runs are added up.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// `runtime_stats_interval_id`
    pub id: i64,
    /// Its begin, µs.
    pub start_us: i64,
    /// Its end, µs; not of it any more.
    pub end_us: i64,
    pub(super) slot: SlotNo,
}

/// Plan, interval, and how the executions ended.
pub type RunKey = (i64, i64, ExecutionKind);

/// The executions of a plan in an interval that ended alike.
#[derive(Clone, Debug)]
pub struct Runs {
    /// `runtime_stats_id`
    pub id: i64,
    /// How many.
    pub count: u64,
    /// The end of the first, µs.
    pub first_us: i64,
    /// The end of the last, µs.
    pub last_us: i64,
    /// By [`Metric`](super::measures::Metric).
    pub tallies: [Tally; METRICS],
    /// By category of waits, µs, with the number of each row.
    pub waits: BTreeMap<u8, (i64, Tally)>,
    pub(super) slot: SlotNo,
}

impl Runs {
    pub(super) fn new(id: i64, first_us: i64, slot: SlotNo) -> Runs {
        let tallies = [Tally::default(); METRICS];
        Runs { id, count: 0, first_us, last_us: first_us, tallies, waits: BTreeMap::new(), slot }
    }

    /// One more; `dop` are the threads of its plan. `number` gives a number to a category that has none yet.
    pub(super) fn add(&mut self, execution: &Execution, dop: u32, mut number: impl FnMut() -> i64) {
        let mut values = execution.values;
        values[super::measures::Metric::Dop as usize] = u64::from(dop);
        for (tally, value) in self.tallies.iter_mut().zip(values) {
            tally.add(value, self.count);
        }
        for (category, _) in &execution.waits {
            let count = self.count;
            // Those before it did not wait so.
            self.waits.entry(*category).or_insert_with(|| (number(), zeros(count)));
        }
        for (category, (_, tally)) in &mut self.waits {
            let waited = execution.waits.iter().find(|(known, _)| known == category);
            tally.add(waited.map_or(0, |(_, us)| *us), self.count);
        }
        self.count += 1;
        self.last_us = self.last_us.max(execution.ended_us);
        self.first_us = self.first_us.min(execution.ended_us);
    }
}

/// So many values that are nothing.
fn zeros(count: u64) -> Tally {
    let mut tally = Tally::default();
    if count > 0 {
        tally.add(0, 0);
    }
    tally
}
