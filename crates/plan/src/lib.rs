//! Relations run by DataFusion. The only place that names it.
//!
//! ```text
//!   Rel ──rewrite──▶ Rel ──lower──▶ LogicalPlan ──physical──▶ ExecutionPlan ──physical::plan──▶ rows of Values
//!                     │                                              │                              ▲
//!                     └──── no operators ──▶ RowPlan ────────────────┼──────────scan::rowwise───────┘
//!                                                both read of each run, through RunCell: context, outer row
//! ```
//! The folders, each standing on those before it: `run` (what a plan reads of its run),
//! `expression` (functions over arrays), `operator`, `scan`, `lowering` (a plan under construction),
//! `aggregate` and `window` (accumulators and their operators), `lower` (each kind of relation), `physical`.
//!
//! A1: a plan holds no value of any run; variables, tables, time and outer rows are read from its `RunCell`.
//! A2: every expression is fully typed by the binder; DataFusion guesses no coercion.
//! A3: an error of ours comes out exactly as it went in (`failure`).
//! A4: a plan of one thread has one partition and no exchange, and needs no tokio runtime. A parallel plan (`parallel`)
//! has workers of its own for each run (`workers`), and none of them is left when the run is over.
//! A5: what does not fit into the grant of a run lies in tempdb (`workspace`).

mod aggregate;
mod expression;
mod lower;
mod lowering;
mod operator;
mod physical;
pub mod run;
mod scan;
mod window;

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_catalog::expr::ExprType;
use millpond_catalog::rel::{JoinMethods, Rel};
use millpond_engine::context::RunContext;
use millpond_engine::memory::Workspace;
use millpond_message::error::SqlResult;
use millpond_storage::ask::Task;
use millpond_types::{RowLayout, Value};
use physical::plan::Runnable;
use run::cell::RunCell;

use crate::lowering::Lowering;
use millpond_seek::Guide;
use millpond_showplan::{Operator, Scope};

pub use physical::degree::{cost, rows, scan_cost};
pub use run::insert::{InserterPartition, ParallelInserter};
pub use scan::encode::is_encodable;

/// What a plan is compiled for.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The engine's workspace memory.
    pub workspace: Arc<Workspace>,
    /// Rows that operators hand on at once.
    pub batch_rows: usize,
    /// Plans without operators skip DataFusion. Off only where both ways are compared.
    pub row_plans: bool,
    /// About how many rows the statement's tables have, by their bindings; nothing is known of further ones.
    pub table_rows: Vec<u64>,
    /// About how many pages they have.
    pub table_pages: Vec<u64>,
    /// For each of the tables the first one that is the same, read in the same way; nothing is known of further ones.
    pub alike: Vec<usize>,
    /// Threads that may run the plan.
    pub degree: usize,
    /// Pages from which on a table is scanned by several of them.
    pub least_pages: u64,
    /// The rows are to be records of this layout.
    pub records: Option<Arc<RowLayout>>,
    /// The session's options ask for a look at every value that is computed.
    pub by_value: bool,
    /// Overflows of sums are NULL.
    pub null_on_error: bool,
    /// The task that asks for the plan: once it is cancelled, planning stops.
    pub asker: Option<Arc<Task>>,
    /// The statistics of the tables.
    pub guide: Arc<Guide>,
    /// How joins may be run, as OPTION says; the words of joins restrict it further.
    pub joins: JoinMethods,
    /// About so many rows are to come early, though all are wanted.
    pub first_rows: Option<f64>,
}

impl CompileOptions {
    /// Whether the table of a binding is scanned by several threads, where there are several.
    fn is_large(&self, binding: usize) -> bool {
        self.table_pages.get(binding).is_some_and(|&pages| pages >= self.least_pages)
    }

    /// Whether the plan is still wanted.
    fn check(&self) -> SqlResult<()> {
        match self.asker.as_ref().is_some_and(|task| task.is_cancelled()) {
            true => Err(millpond_message::cancelled()),
            false => Ok(()),
        }
    }

    /// The usual options.
    #[must_use]
    pub fn new(workspace: Arc<Workspace>) -> CompileOptions {
        let tuning = workspace.tuning();
        CompileOptions {
            workspace,
            batch_rows: tuning.batch_rows,
            row_plans: true,
            table_rows: Vec::new(),
            table_pages: Vec::new(),
            alike: Vec::new(),
            degree: 1,
            least_pages: tuning.pages_of_parallel_scan,
            records: None,
            by_value: false,
            null_on_error: false,
            asker: None,
            guide: Arc::new(Guide::none()),
            joins: JoinMethods::ALL,
            first_rows: None,
        }
    }
}

/// A plan, ready to run any number of times, one run at a time. It belongs to one session.
pub struct Compiled {
    runnable: Runnable,
    cell: Arc<RunCell>,
    types: Vec<ExprType>,
}

/// Makes the plan of a relation.
///
/// # Errors
/// 8622 when hints leave no way to run a join; 8630 when the relation contradicts itself; the binder makes none that does.
pub fn compile(rel: &Rel, options: &CompileOptions) -> SqlResult<Compiled> {
    let types = rel.types();
    let cell = Arc::new(RunCell::default());
    let rel = lower::totals::joined(&Lowering::new(options, Arc::clone(&cell), None), rel.clone());
    let rel = millpond_rewrite::normal::normalise(rel);
    let batch_rows = physical::width::rows_of_computed(&rel, options.batch_rows);
    let options = CompileOptions { batch_rows, ..options.clone() };
    let mut lowering = Lowering::new(&options, Arc::clone(&cell), None);
    lowering.shared = lower::shared::of(&lowering, &rel);
    lowering.closed.add_families(lower::totals::families(&lowering, &rel));
    let runnable = Runnable::new(&rel, &lowering)?;
    Ok(Compiled { runnable, cell, types })
}

impl Compiled {
    /// Types of the columns.
    #[must_use]
    pub fn types(&self) -> &[ExprType] {
        &self.types
    }

    /// The plan's operators, one per line, each below the one that reads it.
    #[must_use]
    pub fn describe(&self) -> String {
        self.runnable.describe()
    }

    /// The plan as it is shown to users.
    pub fn show(&self, scope: &Scope) -> Operator {
        self.runnable.show(scope, &[])
    }

    /// Runs the plan; `on_row` gets each row and may stop it.
    ///
    /// # Errors
    /// The first error of an operator, as the function or scan made it; 701 when workspace memory is used up;
    /// [`millpond_message::cancelled`] when the task was cancelled.
    pub fn run(&self, ctx: Arc<RunContext>, on_row: &mut dyn FnMut(&[Value]) -> ControlFlow<()>) -> SqlResult<()> {
        let _running = self.cell.enter(Arc::clone(&ctx))?;
        self.runnable.run(&ctx, on_row)
    }

    /// Runs a plan that was compiled for records; `on_records` gets some of them at a time and may stop it.
    ///
    /// # Errors
    /// As [`Compiled::run`], and the first error of `on_records`.
    pub fn run_records(&self, ctx: Arc<RunContext>, on_records: OnRecords<'_>) -> SqlResult<()> {
        let _running = self.cell.enter(Arc::clone(&ctx))?;
        self.runnable.run_records(&ctx, on_records)
    }

    /// Whether several threads make the records, so that they may store them too.
    pub fn has_many_makers(&self) -> bool {
        self.runnable.has_many_makers()
    }

    /// Runs a plan of [`Compiled::has_many_makers`], whose threads store the records that they make.
    ///
    /// # Errors
    /// As [`Compiled::run`], and the first error of the inserter's parts.
    pub fn run_inserting(&self, ctx: Arc<RunContext>, inserter: Arc<dyn ParallelInserter>) -> SqlResult<()> {
        let _running = self.cell.enter(Arc::clone(&ctx))?;
        self.cell.insert_with(inserter);
        self.runnable.run_records(&ctx, &mut |_| Err(run::failure::internal("records came that were to be stored")))
    }
}

/// The receiver of records.
pub type OnRecords<'a> = &'a mut dyn FnMut(&mut dyn ExactSizeIterator<Item = &[u8]>) -> SqlResult<ControlFlow<()>>;
