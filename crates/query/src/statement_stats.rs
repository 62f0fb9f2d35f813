//! What statements have cost since they were first bound, and procedures since they were first called: the counters
//! behind `sys.dm_exec_query_stats` and `sys.dm_exec_procedure_stats`.
//!
//! What always holds: only executions that ended well are counted; all counters of a statement are of the same
//! executions, but a reader may see one of them half counted. A statement is known by its text's number and its place.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use millpond_storage::ask::IoCount;
use parking_lot::Mutex;

/// Statements that are known; when there are more, all are forgotten and counted anew.
const STATEMENTS_MAX: usize = 8192;

/// An execution at least this long has its CPU time measured the next time: a shorter one hardly waits, and its elapsed
/// time is taken for it.
const CPU_MEASURED_FROM_US: u64 = 100;

/// The place of a whole text: what is counted there are calls of a procedure.
pub const WHOLE_TEXT: u32 = u32::MAX;

/// Total, last, least and most of one measure.
#[derive(Debug)]
pub struct Measure {
    /// Sum.
    pub total: AtomicU64,
    /// Of the last execution.
    pub last: AtomicU64,
    /// Least.
    pub min: AtomicU64,
    /// Most.
    pub max: AtomicU64,
}

impl Default for Measure {
    fn default() -> Measure {
        Measure { total: 0.into(), last: 0.into(), min: u64::MAX.into(), max: 0.into() }
    }
}

impl StatementStats {
    /// The counters of a procedure's calls.
    #[must_use]
    pub fn of_procedure(text_id: u64, text: Arc<str>, object: i32, database: u16, created_us: i64) -> StatementStats {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        StatementStats::new((text_id, text), (WHOLE_TEXT, end), object, database, created_us)
    }

    /// Of a text by its number, from `start` to `end`; nothing is counted yet.
    #[must_use]
    pub fn new(
        (text_id, text): (u64, Arc<str>),
        (start, end): (u32, u32),
        object: i32,
        database: u16,
        created_us: i64,
    ) -> StatementStats {
        StatementStats {
            text_id,
            text,
            start,
            end,
            object,
            database,
            created_us,
            last_us: 0.into(),
            executions: 0.into(),
            worker_us: Measure::default(),
            elapsed_us: Measure::default(),
            logical_reads: Measure::default(),
            physical_reads: Measure::default(),
            rows: Measure::default(),
        }
    }

    /// Whether it is a procedure's calls that are counted.
    #[must_use]
    pub fn is_procedure(&self) -> bool {
        self.start == WHOLE_TEXT
    }
}

impl Measure {
    fn add(&self, value: u64) {
        self.total.fetch_add(value, Relaxed);
        self.last.store(value, Relaxed);
        // Most executions change neither.
        if value < self.min.load(Relaxed) {
            self.min.fetch_min(value, Relaxed);
        }
        if value > self.max.load(Relaxed) {
            self.max.fetch_max(value, Relaxed);
        }
    }

    /// Total, last, least, most; zeros before the first execution.
    #[must_use]
    pub fn read(&self) -> [u64; 4] {
        let min = self.min.load(Relaxed);
        let min = if min == u64::MAX { 0 } else { min };
        [self.total.load(Relaxed), self.last.load(Relaxed), min, self.max.load(Relaxed)]
    }
}

/// One statement.
#[derive(Debug)]
pub struct StatementStats {
    /// Number of its text.
    pub text_id: u64,
    /// Its text: a batch's, or the module's.
    pub text: Arc<str>,
    /// First byte in the text, or [`WHOLE_TEXT`].
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
    /// Module, or 0.
    pub object: i32,
    /// Database that was current.
    pub database: u16,
    /// First bound, local time, microseconds since 1970.
    pub created_us: i64,
    /// Began last, likewise.
    pub last_us: AtomicI64,
    /// Executions that ended.
    pub executions: AtomicU64,
    /// CPU time, µs.
    pub worker_us: Measure,
    /// Elapsed time, µs.
    pub elapsed_us: Measure,
    /// Pages read from the pool.
    pub logical_reads: Measure,
    /// Pages read from files.
    pub physical_reads: Measure,
    /// Rows.
    pub rows: Measure,
}

/// An execution under way.
#[derive(Debug)]
pub struct Running {
    stats: Arc<StatementStats>,
    start: Instant,
    cpu_us: Option<u64>,
    logical_reads: u64,
    physical_reads: u64,
}

impl Running {
    /// Begins to count; `io` counts for the session.
    #[must_use]
    pub fn begin(stats: &Arc<StatementStats>, io: &IoCount) -> Running {
        let measures = stats.elapsed_us.last.load(Relaxed) >= CPU_MEASURED_FROM_US;
        Running {
            stats: Arc::clone(stats),
            start: Instant::now(),
            cpu_us: measures.then(crate::clock::thread_cpu_us),
            logical_reads: io.logical_reads.load(Relaxed),
            physical_reads: io.physical_reads.load(Relaxed),
        }
    }

    /// The execution ended well, now.
    pub fn end(self, io: &IoCount, rows: u64, now_us: i64) {
        let elapsed_us = u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        let worker_us = self.cpu_us.map_or(elapsed_us, |before| crate::clock::thread_cpu_us().saturating_sub(before));
        let stats = &self.stats;
        stats.last_us.store(now_us.saturating_sub_unsigned(elapsed_us), Relaxed);
        stats.executions.fetch_add(1, Relaxed);
        stats.elapsed_us.add(elapsed_us);
        stats.worker_us.add(worker_us);
        stats.logical_reads.add(io.logical_reads.load(Relaxed).saturating_sub(self.logical_reads));
        stats.physical_reads.add(io.physical_reads.load(Relaxed).saturating_sub(self.physical_reads));
        stats.rows.add(rows);
    }
}

/// The statements of an engine.
#[derive(Debug, Default)]
pub struct Statements {
    by_place: Mutex<HashMap<(u64, u32), Arc<StatementStats>>>,
}

impl Statements {
    /// The counters of a statement; `make` makes them when it is not known.
    #[must_use]
    pub fn of(&self, text_id: u64, start: u32, make: impl FnOnce() -> StatementStats) -> Arc<StatementStats> {
        let mut statements = self.by_place.lock();
        if statements.len() >= STATEMENTS_MAX {
            statements.clear();
        }
        Arc::clone(statements.entry((text_id, start)).or_insert_with(|| Arc::new(make())))
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<StatementStats>> {
        self.by_place.lock().values().cloned().collect()
    }

    /// Forgets all: those still in use count on, unseen.
    pub fn clear(&self) {
        self.by_place.lock().clear();
    }
}
