//! From a logical plan to one that runs, and running it.
//!
//! Of DataFusion's rules only those that pay are used: unused columns are dropped, and the two halves of an aggregate
//! become one, since there is one partition. Everything else is done by [`millpond_rewrite::normal`] and [`crate::lower`].
//!
//! Operators that collect (hash join, sort …) hold what they collected, so a plan that has any is reset after each run.
//! Operators that only pass on hold nothing but metrics, which grow by each run; they are reset now and then.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::task::{Context, Poll, Waker};

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, displayable};
use futures::StreamExt;
use millpond_catalog::expr::ExprType;
use millpond_catalog::rel::Rel;
use millpond_engine::account::profile::Profile;
use millpond_engine::context::RunContext;
use millpond_engine::memory::Workspace;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_spill::within_memory;
use millpond_storage::instance::Instance;
use millpond_storage::wait::{WaitGuard, WaitType};
use millpond_types::{SqlType, Value};
use parking_lot::Mutex;
use tokio::task::block_in_place;

use crate::OnRecords;
use crate::aggregate::string_agg;
use crate::expression::convert::ColumnReader;
use crate::lower::{alternatives, shared, table};
use crate::lowering::Lowering;
use crate::operator::row_width;
use crate::physical::bitmaps::with_bitmaps;
use crate::physical::merge::with_merges;
use crate::physical::parallel::Spread;
use crate::physical::planning::{Needs, Planning};
use crate::physical::width::LargeRows;
use crate::physical::{planning, width};
use crate::run::cell::RunCell;
use crate::run::failure;
use crate::run::failure::planned;
use crate::run::measure::{Measured, MeasuredPlan};
use crate::run::wait::block_on_unless;
use crate::run::workers::Workers;
use crate::scan::encode::EncodeExec;
use crate::scan::leaf::LeafExec;
use crate::scan::rowwise::{OnRow, RowPlan};

/// Runs after which the metrics of a plan without state are thrown away: a few kilobytes at most.
const RUNS_PER_RESET: u32 = 64;

/// Operators of DataFusion that hold nothing between runs but metrics.
const WITHOUT_STATE: [&str; 2] = ["FilterExec", "ProjectionExec"];
/// Operators of ours, which hold nothing at all.
const WITHOUT_METRICS: [&str; 11] = [
    "LeafExec",
    "BuildExec",
    "ConcatExec",
    "EncodeExec",
    "WatchExec",
    "TopExec",
    "RecurseExec",
    "ExpandExec",
    "OrElseExec",
    "SeriesExec",
    "TextExec",
];

/// A plan that can run.
pub(crate) enum Runnable {
    Rows(RowPlan),
    Stream(StreamPlan),
}

impl Runnable {
    /// The plan of a relation in normal form.
    pub(crate) fn new(rel: &Rel, lowering: &Lowering<'_>) -> SqlResult<Runnable> {
        if lowering.options.row_plans
            && (lowering.options.records.is_none() || lowering.outer.is_some())
            && !alternatives::are_better(lowering, rel)
            && let Some(rows) = table::rowwise(lowering, rel)?
        {
            return Ok(Runnable::Rows(rows));
        }
        StreamPlan::new(lowering.root(rel)?, &rel.types(), lowering).map(Runnable::Stream)
    }

    /// The plan as text, an operator per line.
    pub(crate) fn describe(&self) -> String {
        match self {
            Runnable::Rows(plan) => plan.describe(),
            Runnable::Stream(plan) => displayable(plan.plan.lock().as_ref()).indent(false).to_string(),
        }
    }

    /// Runs a plan of records.
    pub(crate) fn run_records(&self, context: &RunContext, on_records: OnRecords<'_>) -> SqlResult<()> {
        let Runnable::Stream(plan) = self else { return Err(failure::internal("a plan of rows was to give records")) };
        plan.run(context, &mut |batch| {
            let records = batch.column(0).as_binary_opt::<i32>();
            let records = records.ok_or_else(|| failure::internal("a plan of records gave others"))?;
            on_records(&mut records.iter().map(Option::unwrap_or_default))
        })
    }

    /// Whether several threads make the records of a plan of records.
    pub(crate) fn has_many_makers(&self) -> bool {
        let Runnable::Stream(plan) = self else { return false };
        let top = plan.current();
        let makers = top.children().into_iter().next().filter(|below| below.name() == "EncodeExec");
        makers.is_some_and(|encode| encode.output_partitioning().partition_count() > 1)
    }

    /// Runs the plan for the context that its cell holds.
    pub(crate) fn run(&self, context: &RunContext, on_row: OnRow<'_>) -> SqlResult<()> {
        match self {
            Runnable::Rows(plan) => match &context.profile {
                Some(profile) => plan.run_measured(context, profile, on_row),
                None => plan.run(context, on_row),
            },
            Runnable::Stream(plan) => {
                let mut row = Vec::with_capacity(plan.types.len());
                plan.run(context, &mut |batch| plan.give(batch, &mut row, on_row))
            }
        }
    }
}

/// The receiver of batches.
type OnBatch<'a> = &'a mut dyn FnMut(&RecordBatch) -> SqlResult<ControlFlow<()>>;

/// A plan of DataFusion's operators and ours.
pub(crate) struct StreamPlan {
    /// As it was made, or as it was last reset.
    plan: Mutex<Arc<dyn ExecutionPlan>>,
    reuse: Reuse,
    runs: AtomicU32,
    /// No run has left anything behind. A run that panicked has.
    tidy: AtomicBool,
    types: Vec<SqlType>,
    task: Arc<TaskContext>,
    /// Threads that run it.
    degree: usize,
    pub(super) cell: Arc<RunCell>,
    workspace: Arc<Workspace>,
    needs: Needs,
    /// Rows that operators hand on at once.
    batch_rows: usize,
    /// Its tables may have values beyond their rows.
    has_large: bool,
    /// The same plan for a statement whose operators are measured.
    measured: Measured<MeasuredPlan>,
}

/// What must happen between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reuse {
    /// Nothing.
    AsItIs,
    /// Metrics are thrown away now and then.
    DropMetrics,
    /// The state of operators is thrown away.
    Reset,
}

impl StreamPlan {
    fn new(logical: LogicalPlan, types: &[ExprType], lowering: &Lowering<'_>) -> SqlResult<StreamPlan> {
        let options = lowering.options;
        options.check()?;
        let planner = Planning::of(&options.workspace)?.planner(options.batch_rows);
        let logical = shared::with_spools(lowering, logical, &|plan| planner.pruned(plan))?;
        let mut plan = planner.plan(logical)?;
        options.check()?;
        if let (Some(layout), true) = (&options.records, lowering.outer.is_none()) {
            plan = Arc::new(planned(EncodeExec::new(plan, layout, &lowering.cell))?);
        }
        plan = planned(with_merges(plan, options.workspace.limit_bytes()))?;
        let mut degree = 1;
        let is_large = |binding| options.is_large(binding);
        // A plan that runs for each row of another one is run by the thread that has the row.
        if options.degree > 1 && lowering.runs_once() {
            let spread = Spread { degree: options.degree, is_large: &is_large };
            if let Some(parallel) = planned(spread.plan(&plan))? {
                (plan, degree) = (parallel, options.degree);
            }
        }
        // One that runs for one row after the other would know the keys of the one before.
        if lowering.runs_once() {
            plan = planned(with_bitmaps(&plan, &lowering.cell, &is_large))?;
        }
        let plan =
            planned(width::without_collecting(plan).and_then(within_memory).and_then(string_agg::with_sort_memory))?;
        let has_large = width::has_large_values(&plan);
        let reuse = reuse(&plan);
        let types = types.iter().map(|ty| ty.sql).collect();
        let task = Arc::clone(&planner.task);
        let needs = Needs::of(&plan);
        let batch_rows = row_width::batch_rows(width::widest_row_bytes(&plan), options.batch_rows);
        let plan = Mutex::new(plan);
        let workspace = Arc::clone(&options.workspace);
        let (runs, tidy, cell) = (AtomicU32::new(0), AtomicBool::new(true), Arc::clone(&lowering.cell));
        Ok(StreamPlan {
            plan,
            reuse,
            runs,
            tidy,
            types,
            task,
            degree,
            cell,
            workspace,
            needs,
            batch_rows,
            has_large,
            measured: Measured::default(),
        })
    }

    /// The operators.
    pub(crate) fn current(&self) -> Arc<dyn ExecutionPlan> {
        Arc::clone(&self.plan.lock())
    }

    /// What its operators count by themselves is of one run: it is reset after each.
    pub(crate) fn counts_runs(&self) -> bool {
        self.reuse == Reuse::Reset
    }

    /// The operators as they are measured for a statement; without an instance those that run, if they do.
    pub(crate) fn measured(&self, profile: &Arc<Profile>, instance: Option<&Arc<Instance>>) -> Option<MeasuredPlan> {
        match instance {
            Some(instance) => self.measure(profile, instance).ok(),
            None => self.measured.known(profile),
        }
    }

    fn measure(&self, profile: &Arc<Profile>, instance: &Arc<Instance>) -> datafusion::error::Result<MeasuredPlan> {
        self.measured.of(profile, || MeasuredPlan::new(&self.current(), instance))
    }

    fn run(&self, context: &RunContext, on_batch: OnBatch<'_>) -> SqlResult<()> {
        if !self.tidy.swap(false, Relaxed) {
            planned(self.tidy())?;
            self.tidy.store(false, Relaxed);
        }
        let large = if self.has_large { LargeRows::of(context, &self.current()) } else { LargeRows::default() };
        let batch_rows = width::rows_of_large(large.row_bytes, self.batch_rows);
        // Operators without state hold no rows, but what they hand on may be much.
        let is_held = self.reuse == Reuse::Reset || large.row_bytes >= row_width::LARGE_BYTES_MAX;
        let work = if is_held { Some(planning::begin(&self.workspace, context, self.needs, large)?) } else { None };
        let task = match &work {
            Some(work) => Planning::of(&self.workspace)?.task(&self.task, work, batch_rows)?,
            None => Arc::clone(&self.task),
        };
        let result = match &context.profile {
            None => self.stream(context, &self.current(), task, on_batch),
            Some(profile) => {
                let measured = planned(self.measure(profile, context.engine.instance()))?;
                let plan = planned(measured.begin(&task))?;
                let result = self.stream(context, &plan, task, on_batch);
                measured.end(&plan);
                result
            }
        };
        planned(self.tidy())?;
        result.map_err(|error| work.map_or(error.clone(), |work| work.cause(error)))
    }

    fn stream(
        &self,
        context: &RunContext,
        plan: &Arc<dyn ExecutionPlan>,
        task: Arc<TaskContext>,
        on_batch: OnBatch<'_>,
    ) -> SqlResult<()> {
        if self.degree > 1 {
            context.work.note_threads(self.degree);
        }
        // Dropped after the stream; then no other thread works for the run any more.
        let workers =
            if self.degree > 1 { Some(Workers::start(self.degree, &context.session, &self.cell)?) } else { None };
        let _inside = workers.as_ref().map(Workers::enter);
        let mut stream = planned(plan.execute(0, task))?;
        while let Some(batch) = self.next(&mut stream, context)? {
            let batch = planned(batch)?;
            if context.task.is_cancelled() {
                return Err(message::cancelled());
            }
            if on_batch(&batch)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The next batch. On one thread our operators are always ready (A4), so the first poll nearly always answers; in a
    /// parallel plan this waits for the workers, but not once the statement is cancelled: an operator may be long at work
    /// before it looks up.
    fn next(
        &self,
        stream: &mut SendableRecordBatchStream,
        context: &RunContext,
    ) -> SqlResult<Option<datafusion::error::Result<RecordBatch>>> {
        if let Poll::Ready(batch) = stream.poll_next_unpin(&mut Context::from_waker(Waker::noop())) {
            return Ok(batch);
        }
        let waits = context.engine.instance().waits();
        let _waiting = (self.degree > 1).then(|| WaitGuard::begin(waits, &*context.task, WaitType::CXPACKET, None));
        // This may be a thread of the plan around it, whose spool the threads of that one fill.
        block_in_place(|| block_on_unless(stream.next(), || context.task.is_cancelled())).ok_or_else(message::cancelled)
    }

    /// Hands on the rows of a batch.
    fn give(&self, batch: &RecordBatch, row: &mut Vec<Value>, on_row: OnRow<'_>) -> SqlResult<ControlFlow<()>> {
        if batch.num_columns() < self.types.len() {
            return Err(failure::internal("the plan has fewer columns than the relation"));
        }
        let readers = batch
            .columns()
            .iter()
            .zip(&self.types)
            .map(|(column, sql)| ColumnReader::new(column, sql))
            .collect::<SqlResult<Vec<ColumnReader<'_>>>>()?;
        for index in 0..batch.num_rows() {
            row.clear();
            row.extend(readers.iter().map(|reader| reader.value(index)));
            if on_row(row).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Forgets what the last run left: as soon as it is over, since operators hold on to what they collected.
    fn tidy(&self) -> datafusion::error::Result<()> {
        let runs = self.runs.fetch_add(1, Relaxed);
        let reset = match self.reuse {
            Reuse::AsItIs => false,
            Reuse::DropMetrics => runs % RUNS_PER_RESET == RUNS_PER_RESET - 1,
            Reuse::Reset => true,
        };
        if reset {
            let mut plan = self.plan.lock();
            *plan = reset_plan_states(Arc::clone(&plan))?;
            forget_counts(&plan);
        }
        self.tidy.store(true, Relaxed);
        Ok(())
    }
}

/// Leaves count the rows of one run.
fn forget_counts(plan: &Arc<dyn ExecutionPlan>) {
    let any: &dyn Any = plan.as_ref();
    if let Some(leaf) = any.downcast_ref::<LeafExec>() {
        leaf.leaf.given.store(0, Relaxed);
    }
    plan.children().into_iter().for_each(forget_counts);
}

fn reuse(plan: &Arc<dyn ExecutionPlan>) -> Reuse {
    let own = match plan.name() {
        name if WITHOUT_METRICS.contains(&name) => Reuse::AsItIs,
        name if WITHOUT_STATE.contains(&name) => Reuse::DropMetrics,
        _ => Reuse::Reset,
    };
    plan.children().into_iter().map(reuse).fold(own, |a, b| match (a, b) {
        (Reuse::Reset, _) | (_, Reuse::Reset) => Reuse::Reset,
        (Reuse::DropMetrics, _) | (_, Reuse::DropMetrics) => Reuse::DropMetrics,
        _ => Reuse::AsItIs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::wait::block_on;

    #[test]
    fn waiting_for_a_future_may_nest_and_wakes_from_another_thread() {
        let (sender, receiver) = futures::channel::oneshot::channel();
        let thread = std::thread::spawn(move || {
            std::thread::yield_now();
            sender.send(7).expect("the receiver waits");
        });
        assert_eq!(block_on(async { block_on(async { 1 }) + receiver.await.expect("sent") }), 8);
        thread.join().expect("no panic");
    }

    #[test]
    fn a_cancelled_wait_does_not_wait_for_a_future_that_never_comes() {
        let looks = std::cell::Cell::new(0);
        let gives_up = || looks.replace(looks.get() + 1) == 3;
        assert_eq!(block_on_unless(std::future::pending::<()>(), gives_up), None);
        assert_eq!(block_on_unless(async { 5 }, || true), Some(5), "what is there is taken");
    }
}
