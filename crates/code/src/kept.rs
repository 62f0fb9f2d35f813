//! A bound statement as other sessions see it: the plan that its session keeps, and what its operators have done so far where it
//! runs and keeps account of them.
//!
//! What always holds: operators are numbered as the plan's XML numbers them, and nothing is bound, planned or measured in order to be
//! shown. What a table was asked for is an operator's where no other one reads that table.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};

use millpond_bind::Variables;
use millpond_catalog::TableDef;
use millpond_catalog::run::facts::Settings;
use millpond_engine::account::kept_plan::{BoundWith, KeptPlan, KeptStatement};
use millpond_engine::account::live::{LiveOperator, LiveRun, LiveTable, TableReads};
use millpond_engine::account::live_statements::{LiveLook, LiveStatement};
use millpond_engine::account::profile::{Figures, Profile};
use millpond_engine::account::query_store::place::CapturedPlace;
use millpond_engine::account::running_statement::RunningText;
use millpond_engine::context::{RunContext, TableBinding};
use millpond_engine::rows::TableRows;
use millpond_showplan::{Operator, Scope, object_name};
use millpond_storage::ask::IoCount;

use crate::code::Bound;
use crate::plan_rows::shown_as_kept;
use crate::showplan_xml::argument::Argument;
use crate::showplan_xml::operator::rows_below;
use crate::showplan_xml::{Estimates, Heading, Ran, estimates, kind, simple};

impl KeptPlan for Bound {
    fn element(&self, statement: &KeptStatement<'_>, bound: &BoundWith, id: u32) -> Option<String> {
        let mut plan = match statement.live {
            Some((run, _)) => shown_live(run, self)?,
            None => shown_as_kept(&Scope::new(bound.variables.names()), &self.code)?,
        };
        if let Some((rows, _)) = &statement.last {
            plan = plan.measured(Some(Figures { rows: *rows, executions: 1, ..Figures::default() }));
        }
        let (last, live) = (statement.last.as_ref(), statement.live.as_ref());
        let ran = last.map(|(_, spent)| spent).or(live.map(|(_, spent)| spent)).map(|spent| Ran { spent, work: None });
        let expected = live.map(|(run, _)| run.estimated);
        let heading = Heading {
            text: statement.text,
            kind: kind(&self.code),
            id,
            place: Some(statement.place),
            settings: Some(&bound.settings),
            estimates: expected.map_or_else(Estimates::default, |(rows, cost)| Estimates { rows, cost }),
            is_kept: true,
        };
        Some(simple(&heading, Some(&plan), ran.as_ref(), None))
    }

    fn operators(&self, run: &LiveRun) -> Option<Vec<LiveOperator>> {
        let plan = shown_live(run, self)?;
        let mut all = Vec::new();
        add(run, &plan, run.estimated.0, &mut all);
        for at in 0..all.len() {
            let reads = all[at].reads.map(|(table, _)| table);
            let is_it = |other: &&LiveOperator| other.reads.map(|(table, _)| table) == reads;
            all[at].reads_alone = reads.is_some() && all.iter().filter(is_it).count() == 1;
        }
        Some(all)
    }

    fn captured(&self) -> &CapturedPlace {
        &self.captured
    }
}

/// A bound statement as who shows its plan later finds it.
#[must_use]
pub fn weakly(bound: &Arc<Bound>) -> Weak<dyn KeptPlan> {
    let bound: Arc<dyn KeptPlan> = Arc::clone(bound) as Arc<dyn KeptPlan>;
    Arc::downgrade(&bound)
}

/// The context runs that statement and keeps account of its operators: others may look on from now, but where its text may not be
/// shown.
pub fn begin(ctx: &RunContext, variables: &Arc<Variables>, bound: &Arc<Bound>) {
    let (Some(profile), Some((text, start, end))) = (&ctx.profile, ctx.session.statement.now()) else { return };
    let expected = estimates(ctx, &bound.code);
    let live = Watched {
        profile: Arc::downgrade(profile),
        plan: weakly(bound),
        variables: Arc::downgrade(variables),
        settings: Arc::clone(&ctx.facts.settings),
        schema: ctx.facts.default_schema.0,
        tables: Arc::downgrade(&ctx.tables),
        before: ctx.tables.iter().map(reads_of).zip(ctx.row_estimates()).collect(),
        estimated: (expected.rows, expected.cost),
        begun_us: ctx.engine.clock_us(),
        text,
        place: (start, end),
    };
    ctx.session.live.begin(Arc::new(live));
}

/// A statement that runs.
struct Watched {
    profile: Weak<Profile>,
    plan: Weak<dyn KeptPlan>,
    variables: Weak<Variables>,
    settings: Arc<Settings>,
    schema: i32,
    tables: Weak<[TableBinding]>,
    /// What had been read of each table when it began, and about how many rows it had.
    before: Vec<(TableReads, u64)>,
    estimated: (f64, f64),
    begun_us: u64,
    text: RunningText,
    place: (u32, u32),
}

impl LiveStatement for Watched {
    fn is_running(&self) -> bool {
        self.profile.strong_count() > 0
    }

    fn look(&self) -> Option<LiveLook> {
        let (profile, plan, variables) = (self.profile.upgrade()?, self.plan.upgrade()?, self.variables.upgrade()?);
        let bound =
            BoundWith { variables: Arc::clone(&variables), settings: Arc::clone(&self.settings), schema: self.schema };
        let one = |(table, (before, rows)): (&TableBinding, &(TableReads, u64))| LiveTable {
            def: Arc::clone(&table.def),
            object: match &table.rows {
                TableRows::Heap(heap) => heap.object_id().0.cast_signed(),
                TableRows::Trees(_) => table.def.id.0,
            },
            rows: *rows,
            reads: reads_of(table).since(*before),
        };
        let tables = self.tables.upgrade();
        let tables = tables.map_or_else(Vec::new, |tables| tables.iter().zip(&self.before).map(one).collect());
        let (text, place) = (self.text.clone(), self.place);
        let run = LiveRun {
            profile: Some(profile),
            variables,
            tables,
            estimated: self.estimated,
            begun_us: self.begun_us,
            text,
            place,
        };
        Some(LiveLook { plan, bound, run })
    }
}

fn reads_of(table: &TableBinding) -> TableReads {
    let load = |io: &IoCount| {
        [&io.logical_reads, &io.physical_reads, &io.read_ahead_reads, &io.pages_dirtied].map(|of| of.load(Relaxed))
    };
    let [asked, read, ahead, _] = load(&table.io.large);
    TableReads { scans: table.io.rows.scans.load(Relaxed), pages: load(&table.io.rows), large: [asked, read, ahead] }
}

/// The plan that runs, with what its operators have done so far.
fn shown_live(run: &LiveRun, bound: &Bound) -> Option<Operator> {
    let scope = Scope::new(run.variables.names());
    let scope = match &run.profile {
        Some(profile) => scope.while_it_runs(Arc::clone(profile)),
        None => scope.counting(),
    };
    shown_as_kept(&scope, &bound.code)
}

fn add(run: &LiveRun, operator: &Operator, rows: f64, all: &mut Vec<LiveOperator>) {
    let reads = table_of(run, operator);
    let is_whole = !operator.argument.contains("WHERE:(") && !operator.argument.contains("SEEK:(");
    let of_table = reads.filter(|_| is_whole).map(|(table, _)| run.tables[table].rows as f64);
    all.push(LiveOperator {
        physical: operator.physical.clone(),
        figures: operator.figures,
        total_us: total(operator, |own| own.elapsed_us).zip(total(operator, |own| own.cpu_us)),
        estimated_rows: (rows > 0.0).then_some(rows).or(of_table),
        reads,
        reads_alone: false,
    });
    for input in &operator.inputs {
        add(run, input, rows_below(operator, rows, input), all);
    }
}

/// The table, and the index of it, that an operator reads. One that occurs twice is not distinguished.
fn table_of(run: &LiveRun, operator: &Operator) -> Option<(usize, usize)> {
    if !operator.inputs.is_empty() || !["Scan", "Seek", "Lookup"].iter().any(|end| operator.physical.ends_with(end)) {
        return None;
    }
    let argument = Argument::of(&operator.argument);
    let object = format!("OBJECT:({})", argument.part("OBJECT")?);
    let mut found = run.tables.iter().enumerate().filter_map(|(at, table)| Some((at, index_of(&table.def, &object)?)));
    found.next().filter(|_| found.next().is_none())
}

/// The place of the index, or of the rows, that the text names.
fn index_of(def: &TableDef, object: &str) -> Option<usize> {
    if def.indexes.is_empty() {
        return (object_name(def, None) == object).then_some(0);
    }
    def.indexes.iter().position(|index| object_name(def, Some(index)) == object)
}

fn total(operator: &Operator, pick: fn(&Figures) -> Option<u64>) -> Option<u64> {
    let own = operator.figures.as_ref().and_then(pick);
    operator.inputs.iter().map(|input| total(input, pick)).fold(own, |sum, one| match (sum, one) {
        (Some(sum), Some(one)) => Some(sum.saturating_add(one)),
        (sum, one) => sum.or(one),
    })
}
