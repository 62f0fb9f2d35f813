//! What statements have cost since they were first bound, and modules since they were first called: the counters
//! under `sys.dm_exec_query_stats`, `sys.dm_exec_procedure_stats` and those of functions and triggers.
//!
//! What always holds: only executions that ended well are counted; all counters of a statement are of the same
//! executions, but a reader may see one of them half counted. A statement is known by its text's number and its place.

use std::collections::HashMap;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64};
use std::sync::{Arc, OnceLock};

use millpond_catalog::ModuleKind;
use millpond_tsql::shape::shape_hash;
use parking_lot::Mutex;

use crate::account::bottleneck::{Bottleneck, Spent};
use crate::account::kept_plan::{BoundWith, KeptPlan, KeptStatement, Left, LeftPlans, PlanPlace};
use crate::account::missing_indexes::MissingIndexes;

/// Statements that are known; when there are more, all are forgotten and counted anew.
const STATEMENTS_MAX: usize = 8192;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// The place of a whole text: what is counted there are calls of a module.
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
    /// The counters of a module's calls.
    #[must_use]
    pub fn of_module(
        kind: ModuleKind,
        (text_id, text): (u64, Arc<str>),
        object: i32,
        database: u16,
        created_us: i64,
    ) -> StatementStats {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let stats = StatementStats::new((text_id, text), (WHOLE_TEXT, end), object, database, created_us);
        StatementStats { module: Some(kind), ..stats }
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
            module: None,
            database,
            created_us,
            last_us: 0.into(),
            executions: 0.into(),
            worker_us: Measure::default(),
            elapsed_us: Measure::default(),
            logical_reads: Measure::default(),
            physical_reads: Measure::default(),
            logical_writes: Measure::default(),
            rows: Measure::default(),
            grant_kb: Measure::default(),
            used_grant_kb: Measure::default(),
            ideal_grant_kb: Measure::default(),
            threads: Measure::default(),
            more_threads: Measure::default(),
            spilled_pages: Measure::default(),
            tempdb_wait_us: Measure::default(),
            data_wait_us: Measure::default(),
            memory_wait_us: Measure::default(),
            last_bottleneck: 0.into(),
            has_rare: false.into(),
            generation: 0.into(),
            plan: Mutex::default(),
            left: Mutex::default(),
            left_plans: Arc::default(),
            hash: OnceLock::new(),
        }
    }

    /// The statement in its text.
    #[must_use]
    pub fn shown_text(&self) -> &str {
        self.text.get(self.start as usize..self.end as usize).unwrap_or_default().trim()
    }

    /// `query_hash`: of the statement's shape, whatever its literals are. Hashes of plans are the same.
    pub fn query_hash(&self) -> u64 {
        *self.hash.get_or_init(|| shape_hash(self.shown_text()))
    }

    /// A session has bound the statement and keeps its plan there.
    pub fn set_plan(&self, place: PlanPlace) {
        self.generation.fetch_add(1, Relaxed);
        let before = self.plan.lock().replace(place);
        drop(before);
    }

    /// How many plans it had: one for each time that a session has bound it.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation.load(Relaxed).max(1)
    }

    /// What the statement was bound with by the session that has bound it last.
    #[must_use]
    pub fn bound_with(&self) -> Option<BoundWith> {
        self.plan.lock().as_ref().map(|place| place.with().clone())
    }

    /// That plan is at its end: leaves it as text for who asks later, if it was the last one, has run, and there is room.
    pub fn leave<P: KeptPlan>(&self, plan: &P) {
        if self.executions.load(Relaxed) == 0 {
            return;
        }
        let with = self.plan.lock().as_ref().filter(|place| place.is_at(plan)).map(|place| place.with().clone());
        let Some(with) = with.filter(|_| self.left_plans.has_room(self.last_us.load(Relaxed) / MICROS_PER_SECOND))
        else {
            return;
        };
        let place = (self.text_id, self.start);
        let statement = KeptStatement { text: self.shown_text(), place, last: None, live: None };
        let Some(element) = plan.element(&statement, &with, Left::ID) else { return };
        let before = self.left.lock().replace(Left::new(element, Arc::clone(&self.left_plans)));
        drop(before);
    }

    /// The statement as that session keeps it, if it was the last one that has bound it.
    #[must_use]
    pub fn plan_of(&self, session: u16) -> Option<(Arc<dyn KeptPlan>, BoundWith)> {
        self.plan.lock().as_ref().filter(|place| place.is_of(session)).and_then(PlanPlace::find)
    }

    fn plan(&self) -> Option<(Arc<dyn KeptPlan>, BoundWith)> {
        self.plan.lock().as_ref().and_then(PlanPlace::find)
    }

    /// The statement as that session keeps it or has left it, as an element of a plan's document; none while it has no plan.
    /// `with_figures`: with what the last execution took, if it is still kept.
    #[must_use]
    pub fn element(&self, id: u32, with_figures: bool) -> Option<String> {
        let Some((plan, bound)) = self.plan() else { return self.left.lock().as_ref().map(|left| left.element(id)) };
        let has_run = with_figures && self.executions.load(Relaxed) > 0;
        let last = |measure: &Measure| measure.last.load(Relaxed);
        let spent = || Spent { elapsed_us: last(&self.elapsed_us), cpu_us: last(&self.worker_us), ..Spent::default() };
        let statement = KeptStatement {
            text: self.shown_text(),
            place: (self.text_id, self.start),
            last: has_run.then(|| (last(&self.rows), spent())),
            live: None,
        };
        plan.element(&statement, &bound, id)
    }

    /// What bound the last execution.
    #[must_use]
    pub fn last_bottleneck(&self) -> Bottleneck {
        Bottleneck::ALL[usize::from(self.last_bottleneck.load(Relaxed))]
    }

    /// The degree of parallelism, of all executions together, the last, the least and the most.
    #[must_use]
    pub fn degree(&self) -> [u64; 4] {
        let executions = self.executions.load(Relaxed);
        let [total, last, min, max] = self.more_threads.read();
        if executions == 0 { [0; 4] } else { [total + executions, last + 1, min + 1, max + 1] }
    }

    /// Whether it is a module's calls that are counted.
    #[must_use]
    pub fn is_of_module(&self) -> bool {
        self.module.is_some()
    }
}

impl Measure {
    pub(crate) fn add(&self, value: u64) {
        // Most measures of most executions are 0, and what adds nothing needs no locked instruction.
        if value != 0 {
            self.total.fetch_add(value, Relaxed);
        }
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
    /// What the module is whose calls are counted; none of a statement.
    pub module: Option<ModuleKind>,
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
    /// Pages made dirty.
    pub logical_writes: Measure,
    /// Rows.
    pub rows: Measure,
    /// Memory granted to its operators, KB.
    pub grant_kb: Measure,
    /// What they held at most, KB.
    pub used_grant_kb: Measure,
    /// What they would have liked to hold, KB.
    pub ideal_grant_kb: Measure,
    /// Threads of parallel plans; 0 without one.
    pub threads: Measure,
    /// The same beyond the first one.
    pub more_threads: Measure,
    /// Pages that they spilled to tempdb.
    pub spilled_pages: Measure,
    /// Waits for tempdb's files, of all threads, µs.
    pub tempdb_wait_us: Measure,
    /// Waits for files of other databases.
    pub data_wait_us: Measure,
    /// Waits for memory.
    pub memory_wait_us: Measure,
    pub(crate) last_bottleneck: AtomicU8,
    /// An execution had a wait, a physical read, a grant or a spill: until then nothing is added to those measures.
    pub(crate) has_rare: AtomicBool,
    /// How often it was bound.
    generation: AtomicU64,
    plan: Mutex<Option<PlanPlace>>,
    /// What the plan was when the session let go of it.
    left: Mutex<Option<Left>>,
    left_plans: Arc<LeftPlans>,
    hash: OnceLock<u64>,
}

impl StatementStats {
    /// What most statements never have. Executions before the first that had some of it are counted as such without.
    #[cold]
    pub(crate) fn add_rare(&self, values: [u64; 10], earlier: u64) {
        let measures = [
            &self.tempdb_wait_us,
            &self.data_wait_us,
            &self.memory_wait_us,
            &self.physical_reads,
            &self.grant_kb,
            &self.used_grant_kb,
            &self.ideal_grant_kb,
            &self.threads,
            &self.more_threads,
            &self.spilled_pages,
        ];
        if !self.has_rare.swap(true, AcqRel) && earlier > 0 {
            measures.iter().for_each(|measure| measure.add(0));
        }
        measures.iter().zip(values).for_each(|(measure, value)| measure.add(value));
    }
}

/// The statements of an engine.
#[derive(Debug, Default)]
pub struct Statements {
    /// Indexes that their plans missed.
    pub missing_indexes: MissingIndexes,
    by_place: Mutex<HashMap<(u64, u32), Arc<StatementStats>>>,
    left_plans: Arc<LeftPlans>,
}

impl Statements {
    /// The counters of a statement; `make` makes them when it is not known.
    #[must_use]
    pub fn of(&self, text_id: u64, start: u32, make: impl FnOnce() -> StatementStats) -> Arc<StatementStats> {
        let mut statements = self.by_place.lock();
        if statements.len() >= STATEMENTS_MAX {
            statements.clear();
        }
        let left_plans = || Arc::clone(&self.left_plans);
        let make = || Arc::new(StatementStats { left_plans: left_plans(), ..make() });
        Arc::clone(statements.entry((text_id, start)).or_insert_with(make))
    }

    /// The one at that place of a text, if it is known.
    #[must_use]
    pub fn find(&self, text_id: u64, start: u32) -> Option<Arc<StatementStats>> {
        self.by_place.lock().get(&(text_id, start)).cloned()
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
