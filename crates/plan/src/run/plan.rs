//! From a logical plan to one that runs, and running it.
//!
//! Of DataFusion's rules only those that pay are used: unused columns are dropped, and the two halves of an aggregate
//! become one, since there is one partition. Everything else is done by [`crate::lower::normal`] and [`crate::lower`].
//!
//! Operators that collect (hash join, sort …) hold what they collected, so a plan that has any is reset after each run.
//! Operators that only pass on hold nothing but metrics, which grow by each run; they are reset now and then.

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, SessionState, SessionStateBuilder, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use datafusion::physical_optimizer::combine_partial_final_agg::CombinePartialFinalAggregate;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, displayable};
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};
use datafusion::prelude::SessionConfig;
use futures::StreamExt;
use millpond_catalog::expr::ExprType;
use millpond_catalog::rel::Rel;
use millpond_engine::context::RunContext;
use millpond_engine::memory::Workspace;
use millpond_engine::profile::Profile;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_spill::within_memory;
use millpond_storage::instance::Instance;
use millpond_storage::wait::{WaitGuard, WaitType};
use millpond_types::{SqlType, Value};
use parking_lot::Mutex;

use crate::OnRecords;
use crate::aggregate::string_agg;
use crate::expression::convert::ColumnReader;
use crate::lower::node::OwnPlanner;
use crate::lower::{Lowering, planned};
use crate::operator::width::{self, LargeRows};
use crate::run::cell::RunCell;
use crate::run::failure;
use crate::run::measure::{Measured, MeasuredPlan};
use crate::run::parallel::Spread;
use crate::run::planning::{self, Needs, Planning};
use crate::run::workers::Workers;
use crate::scan::encode::EncodeExec;
use crate::scan::rowwise::{OnRow, RowPlan};

/// Runs after which the metrics of a plan without state are thrown away: a few kilobytes at most.
const RUNS_PER_RESET: u32 = 64;

/// How often a thread that waits for workers looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(10);

/// Memory that a sort keeps for the merge of what it has put aside.
const MERGE_BYTES: usize = 1 << 20;

/// Operators of DataFusion that hold nothing between runs but metrics.
const WITHOUT_STATE: [&str; 2] = ["FilterExec", "ProjectionExec"];
/// Operators of ours, which hold nothing at all.
const WITHOUT_METRICS: [&str; 9] = [
    "LeafExec",
    "ConcatExec",
    "EncodeExec",
    "WatchExec",
    "TopExec",
    "RecurseExec",
    "ExpandExec",
    "OrElseExec",
    "SeriesExec",
];

/// Makes physical plans.
pub(crate) struct Planner {
    state: SessionState,
    physical: DefaultPhysicalPlanner,
    task: Arc<TaskContext>,
}

impl Planner {
    pub(crate) fn new(batch_rows: usize, runtime: &Arc<RuntimeEnv>) -> Planner {
        let mut config = SessionConfig::new()
            .with_target_partitions(1)
            .with_batch_size(batch_rows)
            .with_create_default_catalog_and_schema(false)
            .with_information_schema(false);
        // What a merge of sorted runs may count on beside the rows being sorted.
        config.options_mut().execution.sort_spill_reservation_bytes = MERGE_BYTES;
        // All types are equal by construction (A2, L1); the comparison costs more than the rest of planning.
        config.options_mut().execution.skip_physical_aggregate_schema_check = true;
        let task = task_of(config.clone(), Arc::clone(runtime));
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(Arc::clone(runtime))
            .with_optimizer_rules(Vec::new())
            .with_physical_optimizer_rules(vec![Arc::new(CombinePartialFinalAggregate::new())])
            .build();
        let physical = DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(OwnPlanner)]);
        Planner { state, physical, task }
    }

    pub(crate) fn batch_rows(&self) -> usize {
        self.state.config().batch_size()
    }

    fn plan(&self, logical: LogicalPlan) -> SqlResult<Arc<dyn ExecutionPlan>> {
        let logical = planned(OptimizeProjections::new().rewrite(logical, &self.state))?.data;
        planned(block_on(self.physical.create_physical_plan(&logical, &self.state)))
    }
}

/// What a plan runs with. Its functions are in the plan, none are looked up by name.
pub(crate) fn task_of(config: SessionConfig, runtime: Arc<RuntimeEnv>) -> Arc<TaskContext> {
    let (none, nobody) = (None, String::new());
    let (scalars, lambdas, aggregates, windows) = Default::default();
    Arc::new(TaskContext::new(none, nobody, config, scalars, lambdas, aggregates, windows, runtime))
}

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
            && let Some(rows) = lowering.rowwise(rel)?
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
    cell: Arc<RunCell>,
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
        let mut plan = planner.plan(logical)?;
        options.check()?;
        if let (Some(layout), true) = (&options.records, lowering.outer.is_none()) {
            plan = Arc::new(planned(EncodeExec::new(plan, layout, &lowering.cell))?);
        }
        let mut degree = 1;
        // An inner plan is run by the thread that has its outer row.
        if options.degree > 1 && lowering.outer.is_none() {
            let is_large =
                |binding| options.table_pages.get(binding).is_some_and(|&pages| pages >= options.least_pages);
            let spread = Spread { degree: options.degree, is_large: &is_large };
            if let Some(parallel) = planned(spread.plan(&plan))? {
                (plan, degree) = (parallel, options.degree);
            }
        }
        let plan = planned(width::without_collecting(plan).and_then(within_memory).and_then(string_agg::with_room))?;
        let has_large = width::has_large_values(&plan);
        let reuse = reuse(&plan);
        let types = types.iter().map(|ty| ty.sql).collect();
        let task = Arc::clone(&planner.task);
        let needs = Needs::of(&plan);
        let batch_rows = width::batch_rows(width::widest_row_bytes(&plan), options.batch_rows);
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

    /// The operators as they are measured for a statement.
    pub(crate) fn measured(
        &self,
        profile: &Arc<Profile>,
        instance: &Arc<Instance>,
    ) -> datafusion::error::Result<MeasuredPlan> {
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
        let is_held = self.reuse == Reuse::Reset || large.row_bytes >= width::LARGE_BYTES_MAX;
        let work = if is_held { Some(planning::begin(&self.workspace, context, self.needs, large)?) } else { None };
        let task = match &work {
            Some(work) => Planning::of(&self.workspace)?.task(&self.task, work, batch_rows)?,
            None => Arc::clone(&self.task),
        };
        let result = match &context.profile {
            None => self.stream(context, &self.current(), task, on_batch),
            Some(profile) => {
                let measured = planned(self.measured(profile, context.engine.instance()))?;
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
        // Dropped behind the stream, and then nothing of the run is left on other threads.
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
    /// parallel plan the workers are waited for, and not even these by who was cancelled: an operator may be long at work
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
        block_on_unless(stream.next(), || context.task.is_cancelled()).ok_or_else(message::cancelled)
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
        }
        self.tidy.store(true, Relaxed);
        Ok(())
    }
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

/// Wakes a thread that waits in [`block_on`].
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread. Unlike an executor's, it may be called inside itself: an inner query runs while
/// its outer one is polled.
fn block_on<F: Future>(future: F) -> F::Output {
    block_on_unless(future, || false).expect("nobody gives up")
}

/// The same, but none when `gives_up` says so, which is asked now and then.
fn block_on_unless<F: Future>(future: F, gives_up: impl Fn() -> bool) -> Option<F::Output> {
    let mut future: Pin<&mut F> = pin!(future);
    if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return Some(output);
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        if gives_up() {
            return None;
        }
        std::thread::park_timeout(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn who_gives_up_does_not_wait_for_a_future_that_never_comes() {
        let looks = std::cell::Cell::new(0);
        let gives_up = || looks.replace(looks.get() + 1) == 3;
        assert_eq!(block_on_unless(std::future::pending::<()>(), gives_up), None);
        assert_eq!(block_on_unless(async { 5 }, || true), Some(5), "what is there is taken");
    }
}
