//! A relation ready to run: as a direct statement where it has such a shape, else as a plan made at its first run.
//!
//! ```text
//!   run ──▶ direct statement, or where it would find very many rows the plan for these sizes and ranges of values ──▶ rows
//!      └──RECOMPILE──▶ a runner for this execution alone, over the relation with the values of variables as literals
//! ```
//! What always holds: a kept plan holds no value of any run; several are kept only where estimates of a condition differ much by the
//! value of a variable, each for a range of rows (`millpond_seek::Peeked`).

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{JoinMethods, QueryHints, Rel};
use millpond_catalog::run::Run;
use millpond_engine::account::missing_indexes::MissingUse;
use millpond_engine::context::{RunContext, TableBinding};
use millpond_engine::scoped;
use millpond_message::error::{SqlError, SqlResult};
use millpond_plan::{self as plan, CompileOptions, Compiled};
use millpond_rewrite::settled::settled;
use millpond_seek::{Guide, Relied, Sensitive};
use millpond_showplan::{Operator, Scope, TableSize};
use millpond_types::{RowLayout, Value};
use parking_lot::Mutex;

use crate::{Direct, build, missing};

/// Rows of a statement's tables from which on its rows come as records.
const RECORDS_MIN: u64 = 10_000;

/// Hints leave no plan.
const NO_PLAN: i32 = 8622;
/// Plans that are kept for ranges of values.
const PLANS_MAX: usize = 9;

/// How long another session that shows a plan waits for its place.
const PLAN_WAIT: Duration = Duration::from_millis(20);

/// A relation with its way of running.
pub struct Runner {
    rel: Rel,
    direct: Option<Direct>,
    /// What the short cut relies on; mostly nothing.
    relied: Vec<Relied>,
    /// Conditions by which an index leads to few rows or to very many; mostly none.
    skewed: Vec<Sensitive>,
    /// The one that ran last first.
    planned: Mutex<Vec<Planned>>,
    /// What OPTION says; MAXDOP is 1 for what one thread must do.
    hints: QueryHints,
    /// What the last execution ran under RECOMPILE.
    once: Mutex<Option<Arc<Runner>>>,
    /// The layout of the table that the rows are for, if its records can be made of arrays.
    records: Option<Arc<RowLayout>>,
    /// The plan misses indexes.
    misses: AtomicBool,
}

/// A plan, and what it was made for.
struct Planned {
    /// How large the tables were.
    sizes: Vec<u32>,
    tables: Vec<TableSize>,
    /// What the relation costs, by these sizes, and how many threads the plan has.
    cost: f64,
    degree: usize,
    makes_records: bool,
    relied: Vec<Relied>,
    /// Conditions for whose values of variables it was made.
    sensitive: Vec<Sensitive>,
    /// Indexes that it misses.
    missing: Vec<Arc<MissingUse>>,
    plan: Arc<Compiled>,
}

impl Planned {
    /// Whether it is good for sizes, and what it relied on as it was.
    fn is_current(&self, wanted: &Wanted, ctx: &RunContext) -> bool {
        self.sizes == wanted.sizes
            && self.makes_records == wanted.makes_records
            && !self.relied.iter().any(|relied| relied.is_stale(&ctx.tables))
    }

    fn as_shown(&self) -> ShownPlan {
        ShownPlan { plan: Arc::clone(&self.plan), missing: self.missing.clone(), tables: self.tables.clone() }
    }
}

/// What a plan must be made for.
struct Wanted {
    sizes: Vec<u32>,
    makes_records: bool,
}

/// A relation whose way of running is known, its plan made.
pub enum Ready<'r> {
    /// Without a plan.
    Direct(&'r Direct),
    /// By a plan.
    Plan(Arc<Compiled>),
    /// By what was made for this execution.
    Once(Arc<Runner>),
}

impl Ready<'_> {
    /// Runs; `on_row` sees each row, may stop the run, and its error ends it.
    ///
    /// # Errors
    /// The run's first error or that of `on_row`.
    pub fn run(
        self,
        ctx: &Arc<RunContext>,
        on_row: &mut dyn FnMut(&[Value]) -> SqlResult<ControlFlow<()>>,
    ) -> SqlResult<()> {
        let plan = match self {
            Ready::Direct(direct) => return direct.run(ctx, on_row),
            Ready::Once(runner) => return runner.run(ctx, on_row),
            Ready::Plan(plan) => plan,
        };
        let mut failed: Option<SqlError> = None;
        plan.run(Arc::clone(ctx), &mut |row| match on_row(row) {
            Ok(flow) => flow,
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        })?;
        failed.map_or(Ok(()), Err)
    }
}

/// A plan that is shown, the indexes that it misses, and how large its tables were when it was made.
struct ShownPlan {
    plan: Arc<Compiled>,
    missing: Vec<Arc<MissingUse>>,
    tables: Vec<TableSize>,
}

impl ShownPlan {
    fn show(self, scope: &Scope) -> Operator {
        scope.note_sizes(self.tables);
        Operator { missing: self.missing, ..self.plan.show(scope) }
    }
}

impl Runner {
    /// Chooses the way: directly where that is allowed (the option 'direct statements') and the relation has such a
    /// shape.
    pub fn new(rel: Rel, ctx: &RunContext) -> Runner {
        // It is one for all values.
        let guide = Guide::of(ctx).at(vec![Value::Null; ctx.variables.len()]);
        let direct = if ctx.engine.direct_statements() { Direct::of(&rel, &guide) } else { None };
        let (relied, hints) = (guide.take_relied(), QueryHints::default());
        let skewed = if direct.is_some() { guide.peeked().take_sensitive() } else { Vec::new() };
        Runner { direct, relied, skewed, hints, ..Runner::by_plan(rel) }
    }

    /// By a plan in any case.
    pub fn by_plan(rel: Rel) -> Runner {
        Runner {
            rel,
            direct: None,
            relied: Vec::new(),
            skewed: Vec::new(),
            planned: Mutex::default(),
            hints: QueryHints::default().on_one_thread(true),
            once: Mutex::default(),
            records: None,
            misses: AtomicBool::new(false),
        }
    }

    /// As hints say. What they say of joins is heeded by plans alone. Without MAXDOP as many threads as the instance is configured for.
    pub fn with_hints(self, hints: &QueryHints) -> Runner {
        let is_by_plan = hints.are_of_joins() && weighs(&self.rel);
        let rel = if hints.force_order { self.rel.in_written_order() } else { self.rel };
        let (direct, relied) = if is_by_plan { (None, Vec::new()) } else { (self.direct, self.relied) };
        Runner { rel, direct, relied, hints: hints.clone(), ..self }
    }

    /// As FAST says, if OPTION does: a direct statement where one gives its first rows early. For who sends rows as they come.
    pub fn for_first_rows(self, ctx: &RunContext) -> Runner {
        let Some(rows) = self.hints.first_rows else { return self };
        let is_by_plan = self.hints.are_of_joins() && weighs(&self.rel);
        if is_by_plan || !ctx.engine.direct_statements() {
            return self;
        }
        let guide = Guide::of(ctx).at(vec![Value::Null; ctx.variables.len()]);
        match build::for_first_rows(&self.rel, &guide, Some(rows)) {
            Some(direct) => Runner { direct: Some(direct), relied: guide.take_relied(), skewed: Vec::new(), ..self },
            None => self,
        }
    }

    /// For a table that has just these rows.
    pub fn into_records(self, layout: &RowLayout) -> Runner {
        let records = plan::is_encodable(layout).then(|| Arc::new(layout.clone()));
        Runner { records, ..self }
    }

    /// Whether the rows come as records: of few rows values are made faster than a plan of arrays begins.
    pub fn makes_records(&self, ctx: &RunContext) -> bool {
        let has_operators = || self.direct.is_none() && weighs(&self.rel);
        self.records.is_some() && (has_operators() || ctx.row_estimates().iter().sum::<u64>() >= RECORDS_MIN)
    }

    /// Runs; `on_records` sees some records at a time, may stop the run, and its error ends it.
    ///
    /// # Errors
    /// The run's first error or that of `on_records`.
    pub fn run_records(&self, ctx: &Arc<RunContext>, on_records: plan::OnRecords<'_>) -> SqlResult<()> {
        let plan = self.plan_for(ctx, self.records.clone())?;
        self.count_missing(ctx);
        plan.run_records(Arc::clone(ctx), on_records)
    }

    /// The plan that makes the records of [`Runner::run_records`], if several threads make them. The next call may have
    /// another one.
    ///
    /// # Errors
    /// What the making of a plan says.
    pub fn plan_of_many_makers(&self, ctx: &RunContext) -> SqlResult<Option<Arc<Compiled>>> {
        let plan = self.plan_for(ctx, self.records.clone())?;
        let is_run = plan.has_many_makers();
        if is_run {
            self.count_missing(ctx);
        }
        Ok(is_run.then_some(plan))
    }

    /// Whether the way is to be chosen again. A plan sees to that itself.
    #[inline]
    pub fn is_stale(&self) -> bool {
        self.relied.iter().any(|relied| relied.is_stale(&[]))
    }

    /// The relation.
    pub fn rel(&self) -> &Rel {
        &self.rel
    }

    /// How many plans are kept.
    pub fn plans(&self) -> usize {
        self.planned.lock().len()
    }

    /// The short cut, if there is one.
    pub fn direct(&self) -> Option<&Direct> {
        self.direct.as_ref()
    }

    /// Runs; `on_row` sees each row, may stop the run, and its error ends it.
    ///
    /// # Errors
    /// The run's first error or that of `on_row`.
    pub fn run(
        &self,
        ctx: &Arc<RunContext>,
        on_row: &mut dyn FnMut(&[Value]) -> SqlResult<ControlFlow<()>>,
    ) -> SqlResult<()> {
        self.ready(ctx)?.run(ctx, on_row)
    }

    /// Makes ready what [`Runner::run`] runs: what can be said of a plan is said before the columns of its rows are sent.
    ///
    /// # Errors
    /// What the making of a plan says.
    #[inline]
    pub fn ready(&self, ctx: &RunContext) -> SqlResult<Ready<'_>> {
        match &self.direct {
            Some(direct) if self.skewed.is_empty() && !self.hints.recompile => Ok(Ready::Direct(direct)),
            _ => self.ready_by_plan(ctx),
        }
    }

    fn ready_by_plan(&self, ctx: &RunContext) -> SqlResult<Ready<'_>> {
        if let Some(once) = self.for_this_run(ctx) {
            if once.direct.is_none() {
                once.plan(ctx)?;
            }
            return Ok(Ready::Once(once));
        }
        if let Some(direct) = &self.direct {
            let values = self.values(ctx);
            if !self.skewed.iter().any(|condition| condition.finds_many(&values)) {
                return Ok(Ready::Direct(direct));
            }
        }
        let plan = self.plan(ctx)?;
        self.count_missing(ctx);
        Ok(Ready::Plan(plan))
    }

    /// The same for one execution, which RECOMPILE asks for: with the values of variables as literals. Large values stay where they
    /// are. [`Runner::run`] and [`Runner::ready`] see to it themselves; who takes records asks for it first.
    pub fn for_this_run(&self, ctx: &RunContext) -> Option<Arc<Runner>> {
        if !self.hints.recompile {
            return None;
        }
        let value = |expr: &BoundExpr, slot: usize, _: usize| {
            let value = ctx.variables.get(slot).filter(|_| !expr.ty.sql.is_max())?;
            Some(BoundExpr { kind: Kind::Literal(value.clone()), ty: expr.ty })
        };
        let rel = settled(self.rel.clone().with_variables(0, &value), ctx);
        let hints = QueryHints { recompile: false, guesses: None, ..self.hints.clone() };
        let made = Runner { records: self.records.clone(), ..Runner::new(rel, ctx) }.with_hints(&hints);
        let made = made.for_first_rows(ctx);
        let made = Arc::new(made);
        *self.once.lock() = Some(Arc::clone(&made));
        Some(made)
    }

    /// What runs, as plans are shown; what ran, where that is to be shown.
    ///
    /// # Errors
    /// What the making of a plan says.
    pub fn show(&self, ctx: &RunContext, scope: &Scope) -> SqlResult<Operator> {
        // Before a run variables have no values.
        let ran = scope.profiled().and_then(|_| self.once.lock().clone());
        if let Some(ran) = ran {
            return ran.show(ctx, scope);
        }
        let shown = self.shown(ctx, scope)?;
        if shown.expected.is_some() {
            return Ok(shown);
        }
        // What has no operators does not weigh its tables.
        let expected = self.estimates(ctx).0;
        Ok(shown.expecting(Some(expected)))
    }

    fn shown(&self, ctx: &RunContext, scope: &Scope) -> SqlResult<Operator> {
        let by_plan = scope.profiled().is_some_and(|(profile, _)| !profile.is_direct());
        let ran = if by_plan { self.planned.lock().first().map(Planned::as_shown) } else { None };
        match (ran, &self.direct) {
            (Some(ran), _) => Ok(ran.show(scope)),
            (None, Some(direct)) => {
                scope.note_sizes(table_sizes(ctx));
                Ok(direct.show(scope))
            }
            (None, None) => {
                let plan = self.plan(ctx)?;
                let missing = self.missing();
                Ok(ShownPlan { plan, missing, tables: table_sizes(ctx) }.show(scope))
            }
        }
    }

    /// An execution of the plan begins.
    #[inline]
    fn count_missing(&self, ctx: &RunContext) {
        if self.misses.load(Relaxed) {
            let begun_us = if ctx.begun_us > 0 { ctx.begun_us } else { ctx.engine.clock_us() };
            self.missing().iter().for_each(|missing| missing.count(begun_us));
        }
    }

    fn missing(&self) -> Vec<Arc<MissingUse>> {
        self.planned.lock().first().map_or_else(Vec::new, |planned| planned.missing.clone())
    }

    /// The same of the plan that was made last, for who may make none: another session. None before the first was made.
    pub fn show_kept(&self, scope: &Scope) -> Option<Operator> {
        if let Some(ran) = self.once.try_lock_for(PLAN_WAIT)?.clone() {
            return ran.show_kept(scope);
        }
        // A plan that is being made is none yet.
        let made = || self.planned.try_lock_for(PLAN_WAIT)?.first().map(Planned::as_shown);
        match &self.direct {
            // It may run by a plan all the same.
            Some(direct) => match scope.profiled().filter(|(profile, _)| !profile.is_direct()).and_then(|_| made()) {
                Some(ran) => Some(ran.show(scope)),
                None => Some(direct.show(scope)),
            },
            None => made().map(|ran| ran.show(scope)),
        }
    }

    /// About how many rows it gives, and what that costs, in the units of `cost threshold for parallelism`.
    pub fn estimates(&self, ctx: &RunContext) -> (f64, f64) {
        let rows = ctx.row_estimates();
        let values = || self.values(ctx).into_owned();
        let guide = if self.direct.is_some() { Guide::that_looks(ctx) } else { Guide::of_plan(ctx).at(values()) };
        let options = CompileOptions {
            table_pages: ctx.page_estimates(&rows),
            table_rows: rows,
            guide: Arc::new(guide),
            joins: self.hints.methods,
            ..CompileOptions::new(Arc::clone(ctx.engine.workspace()))
        };
        (plan::rows(&self.rel, &options), plan::cost(&self.rel, &options))
    }

    fn plan(&self, ctx: &RunContext) -> SqlResult<Arc<Compiled>> {
        self.plan_for(ctx, None)
    }

    fn plan_for(&self, ctx: &RunContext, records: Option<Arc<RowLayout>>) -> SqlResult<Arc<Compiled>> {
        let rows = if records.is_some() || weighs(&self.rel) { ctx.row_estimates() } else { Vec::new() };
        let sizes: Vec<u32> = rows.iter().map(|rows| rows.checked_ilog2().map_or(0, |log| 1 + log / 3)).collect();
        let most = if rows.is_empty() { 1 } else { self.most_threads(ctx) };
        let degree = |cost: f64| if cost > ctx.engine.parallel_cost() { most } else { 1 };
        let wanted = Wanted { sizes, makes_records: records.is_some() };
        let values = self.values(ctx);
        let mut planned = self.planned.lock();
        planned.retain(|known| known.degree == degree(known.cost) && known.is_current(&wanted, ctx));
        if let Some(at) = planned.iter().position(|known| known.sensitive.iter().all(|one| one.is_for(&values))) {
            if at > 0 {
                planned.swap(0, at);
                self.misses.store(!planned[0].missing.is_empty(), Relaxed);
            }
            return Ok(Arc::clone(&planned[0].plan));
        }
        let workspace = Arc::clone(ctx.engine.workspace());
        let dialect = Dialect::of(&ctx.facts);
        let mut options = CompileOptions {
            table_pages: ctx.page_estimates(&rows),
            table_rows: rows,
            guide: Arc::new(Guide::of_plan(ctx).at(values.into_owned())),
            joins: self.hints.methods,
            first_rows: self.hints.first_rows.map(|rows| rows as f64),
            alike: alike(&ctx.tables),
            records,
            by_value: dialect.by_value(),
            null_on_error: dialect.null_on_error(),
            asker: Some(Arc::clone(&ctx.task)),
            ..CompileOptions::new(workspace)
        };
        let has_large = options.table_pages.iter().any(|&pages| pages >= options.least_pages);
        let cost = if most > 1 && has_large { plan::cost(&self.rel, &options) } else { 0.0 };
        options.degree = degree(cost);
        let made = match plan::compile(&self.rel, &options) {
            Err(error) if error.number == NO_PLAN && self.hints.gives_way => {
                options.joins = JoinMethods::ALL;
                plan::compile(&self.rel, &options)
            }
            // FORCESEEK may ask for loops that nothing else speaks for.
            Err(error) if error.number == NO_PLAN && options.joins.loops && !options.joins.are_loops() => {
                options.joins = JoinMethods::LOOPS;
                plan::compile(&self.rel, &options)
            }
            made => made,
        };
        let plan = Arc::new(made?);
        ctx.engine.counters.plans.fetch_add(1, Relaxed);
        let (degree, relied) = (options.degree, options.guide.take_relied());
        let sensitive = options.guide.peeked().take_sensitive();
        let missing = missing::noted(ctx, &self.rel, &plan, &options.guide);
        self.misses.store(!missing.is_empty(), Relaxed);
        let Wanted { sizes, makes_records } = wanted;
        let kept = Arc::clone(&plan);
        let tables = table_sizes(ctx);
        let new = Planned { sizes, tables, cost, degree, makes_records, relied, sensitive, missing, plan: kept };
        planned.insert(0, new);
        planned.truncate(PLANS_MAX);
        Ok(plan)
    }

    /// The values of variables that a plan is to be made for.
    fn values<'c>(&self, ctx: &'c RunContext) -> Cow<'c, [Value]> {
        let values = ctx.variables().as_slice();
        self.hints.guesses.as_ref().map_or(Cow::Borrowed(values), |guesses| Cow::Owned(guesses.instead_of(values)))
    }

    /// Threads that the statement may have. Functions of the user run in their session's thread.
    fn most_threads(&self, ctx: &RunContext) -> usize {
        if ctx.calls_functions || !ctx.sequences.is_empty() {
            return 1;
        }
        ctx.engine.max_degree(self.hints.max_degree.or_else(|| scoped::max_degree(ctx)))
    }
}

/// How large a statement's tables are.
fn table_sizes(ctx: &RunContext) -> Vec<TableSize> {
    let rows = ctx.row_estimates();
    let pages = ctx.page_estimates(&rows);
    let size = |((table, rows), pages): ((&TableBinding, u64), u64)| TableSize {
        database: table.def.database,
        table: table.def.id,
        rows,
        pages,
    };
    ctx.tables.iter().zip(rows).zip(pages).map(size).collect()
}

/// For each of a statement's tables the first one that is the same, read in the same way.
fn alike(tables: &[TableBinding]) -> Vec<usize> {
    let is_same =
        |one: &TableBinding, other: &TableBinding| Arc::ptr_eq(&one.def, &other.def) && one.hint == other.hint;
    let first =
        |table: &TableBinding| tables.iter().position(|other| is_same(table, other)).expect("it is one of them");
    tables.iter().map(first).collect()
}

/// Whether a relation may cost more than the rows of its tables, so that their sizes matter to the plan.
fn weighs(rel: &Rel) -> bool {
    match rel {
        Rel::Filter { input, predicate } => has_query(predicate) || has_choice(predicate) || weighs(input),
        Rel::Project { input, exprs } => exprs.iter().any(has_query) || weighs(input),
        Rel::Top { input, .. } => weighs(input),
        Rel::Table { .. } | Rel::View { .. } | Rel::Function(..) | Rel::Call(..) => false,
        Rel::Values { .. } | Rel::Unfold { .. } => false,
        _ => true,
    }
}

/// Whether alternatives are among what a predicate asks: each may have an index.
fn has_choice(predicate: &BoundExpr) -> bool {
    match &predicate.kind {
        Kind::And(left, right) => has_choice(left) || has_choice(right),
        Kind::Not(operand) => matches!(operand.kind, Kind::And(..)),
        kind => matches!(kind, Kind::Or(..)),
    }
}

/// Whether a query is inside of an expression.
fn has_query(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |node| found |= matches!(node.kind, Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..)));
    found
}
