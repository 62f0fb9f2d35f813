//! An execution on its way into a store: what is noted when it begins, and what it has cost when it ends.
//!
//! What always holds: an execution is captured once, by the store that was on when it began. A plan is rendered when a statement has been
//! bound and runs for the first time since, with no lock held; later executions find it by the place in the bound statement.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_bind::Variables;
use millpond_catalog::run::facts::Settings;
use millpond_storage::ask::{Task, TypeWaits};
use millpond_storage::contract::{DbId, PAGE_BYTES};

use crate::account::bottleneck::Spent;
use crate::account::kept_plan::{BoundWith, KeptPlan, KeptStatement, document};
use crate::account::query_store::contents::Sought;
use crate::account::query_store::context_settings::ContextSettings;
use crate::account::query_store::entries::{Compiled, Execution, ExecutionKind, ShownPlan};
use crate::account::query_store::measures::{METRICS, Metric};
use crate::account::query_store::place::CapturedAs;
use crate::account::query_store::store::QueryStore;
use crate::account::query_store::waits::category_of;
use crate::account::statement_stats::StatementStats;
use crate::account::work::WorkAccount;
use crate::context::RunContext;
use crate::engine::Engine;
use crate::metadata::is_encrypted_module;

/// A statement as it is bound.
pub struct BoundStatement {
    /// Its plan.
    pub plan: Arc<dyn KeptPlan>,
    /// The variables of its text.
    pub variables: Arc<Variables>,
    /// The module that it stands in, or 0.
    pub object: i32,
}

/// What the end of an execution knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Took<'a> {
    pub spent: Spent,
    pub logical_reads: u64,
    pub physical_reads: u64,
    pub rows: u64,
    pub work: Option<&'a WorkAccount>,
}

/// An execution that is captured.
pub struct Capturing {
    engine: Arc<Engine>,
    store: Arc<QueryStore>,
    database: DbId,
    of: BoundStatement,
    settings: ContextSettings,
    bound_for: Arc<Settings>,
    dirtied: u64,
    log_bytes: u64,
    waits: Option<Vec<TypeWaits>>,
}

impl std::fmt::Debug for Capturing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capturing").field("database", &self.database).finish_non_exhaustive()
    }
}

impl Capturing {
    /// Begins, if the store of the session's database captures.
    #[must_use]
    pub fn begin(ctx: &RunContext, of: BoundStatement) -> Option<Box<Capturing>> {
        let database = ctx.facts.database;
        let store = ctx.engine.databases().capturing_store(database)?;
        if ctx.engine.txns().is_read_only(database) {
            return None;
        }
        let captures_waits = store.with(|contents| contents.options.captures_waits);
        Some(Box::new(Capturing {
            engine: Arc::clone(&ctx.engine),
            store,
            database,
            of,
            settings: ContextSettings::of(&ctx.facts),
            bound_for: Arc::clone(&ctx.facts.settings),
            dirtied: ctx.task.io.pages_dirtied.load(Relaxed),
            log_bytes: ctx.task.log_bytes.load(Relaxed),
            waits: captures_waits.then(|| ctx.task.waits_by_type.report()),
        }))
    }

    /// The execution is over.
    pub(crate) fn end(&self, stats: &StatementStats, task: &Task, took: &Took<'_>, kind: ExecutionKind) {
        let execution = self.execution(task, took, kind);
        let place = self.of.plan.captured();
        let is_known = |known: &CapturedAs| {
            known.store == self.store.number && known.settings == self.settings && known.object == self.of.object
        };
        if let Some(known) = place.get().filter(is_known)
            && self.store.add(known.plan, &execution)
        {
            return;
        }
        let encrypted = self.of.object != 0 && is_encrypted_module(&self.engine, self.database, self.of.object);
        let sought = Sought { text: stats.shown_text(), encrypted, settings: self.settings, object: self.of.object };
        if !self.store.wants(&sought, &execution) {
            return;
        }
        let shown = self.shown(stats);
        let has_plan = shown.xml.is_some();
        let plan = self.store.keep(&sought, shown, compiled(stats), &execution);
        if let (Some(plan), true) = (plan, has_plan) {
            place.set(CapturedAs { store: self.store.number, settings: self.settings, object: self.of.object, plan });
        }
    }

    fn execution(&self, task: &Task, took: &Took<'_>, kind: ExecutionKind) -> Execution {
        let (used, spilled) =
            took.work.map_or((0, 0), |work| (work.used_bytes.load(Relaxed), work.spills.written_bytes()));
        let pages = |bytes: u64| bytes.div_ceil(PAGE_BYTES as u64);
        let mut values = [0; METRICS];
        for (metric, value) in [
            (Metric::Duration, took.spent.elapsed_us),
            (Metric::Cpu, took.spent.cpu_us),
            (Metric::LogicalReads, took.logical_reads),
            (Metric::LogicalWrites, task.io.pages_dirtied.load(Relaxed).saturating_sub(self.dirtied)),
            (Metric::PhysicalReads, took.physical_reads),
            (Metric::Memory, pages(used)),
            (Metric::Rows, took.rows),
            (Metric::LogBytes, task.log_bytes.load(Relaxed).saturating_sub(self.log_bytes)),
            (Metric::Tempdb, pages(spilled)),
        ] {
            values[metric as usize] = value;
        }
        let waits = self.waits.as_ref().map_or_else(Vec::new, |before| waited(before, &task.waits_by_type.report()));
        Execution { kind, ended_us: self.engine.now_us().0, values, waits }
    }

    /// The plan as `sys.dm_exec_query_plan` shows it.
    fn shown(&self, stats: &StatementStats) -> ShownPlan {
        let statement =
            KeptStatement { text: stats.shown_text(), place: (stats.text_id, stats.start), last: None, live: None };
        let (variables, settings) = (Arc::clone(&self.of.variables), Arc::clone(&self.bound_for));
        let bound = BoundWith { variables, settings, schema: self.settings.schema };
        let element = self.of.plan.element(&statement, &bound, 1);
        let database = self.engine.instance().database(self.database);
        let level = database.map_or(0, |database| database.options().compatibility_level);
        let Some(element) = element else { return ShownPlan { hash: 0, xml: None, dop: 1, level } };
        let operators = element.find("<QueryPlan").map_or("", |at| &element[at..]);
        let is_parallel = operators.contains("Parallel=\"1\"") || operators.contains("Parallel=\"true\"");
        let dop = if is_parallel { self.engine.max_degree(None) } else { 1 };
        let dop = u32::try_from(dop).unwrap_or(u32::MAX);
        ShownPlan { hash: plan_hash(operators), xml: Some(Arc::from(document(&element))), dop, level }
    }
}

/// FNV-1a of the operators as they are shown: the same for the same plan in every version that shows it so.
fn plan_hash(operators: &str) -> u64 {
    operators.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

fn compiled(stats: &StatementStats) -> Compiled {
    let units = |at: u32| {
        let before = stats.text.get(..at as usize).map_or(0, |text| text.encode_utf16().count());
        u32::try_from(before * 2).unwrap_or(u32::MAX)
    };
    let hash = stats.query_hash();
    Compiled { hash, text_id: stats.text_id, start: units(stats.start), end: units(stats.end) }
}

/// What was waited for between two reports, by category.
fn waited(before: &[TypeWaits], after: &[TypeWaits]) -> Vec<(u8, u64)> {
    let mut waits: Vec<(u8, u64)> = Vec::new();
    for row in after {
        let known = before.iter().find(|known| known.number == row.number);
        let us = row.wait_us.saturating_sub(known.map_or(0, |known| known.wait_us));
        if us == 0 {
            continue;
        }
        let category = category_of(row.number);
        match waits.iter_mut().find(|(known, _)| *known == category) {
            Some((_, sum)) => *sum += us,
            None => waits.push((category, us)),
        }
    }
    waits
}
