//! From a logical plan to one that runs, and running it.
//!
//! Of DataFusion's rules only those that pay are used: unused columns are dropped, and the two halves of an aggregate
//! become one, since there is one partition. Everything else is done by [`super::normal`] and [`super::lower`].
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

use datafusion::arrow::array::RecordBatch;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, SessionState, SessionStateBuilder, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use datafusion::physical_optimizer::combine_partial_final_agg::CombinePartialFinalAggregate;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::{ExecutionPlan, displayable};
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};
use datafusion::prelude::SessionConfig;
use futures::StreamExt;
use millpond_types::{SqlType, Value};
use parking_lot::Mutex;

use super::convert::ColumnReader;
use super::lower::{Lowering, planned};
use super::node::OwnPlanner;
use super::rowwise::{OnRow, RowPlan};
use super::{CompileOptions, failure};
use crate::context::RunContext;
use crate::error::SqlResult;
use crate::expr::ExprType;
use crate::message;
use crate::rel::Rel;

/// Runs after which the metrics of a plan without state are thrown away: a few kilobytes at most.
const RUNS_PER_RESET: u32 = 64;

/// Operators that hold nothing between runs but metrics.
const WITHOUT_STATE: [&str; 6] = ["LeafExec", "ConcatExec", "WatchExec", "TopExec", "FilterExec", "ProjectionExec"];
/// Operators of ours, which hold nothing at all.
const WITHOUT_METRICS: [&str; 4] = ["LeafExec", "ConcatExec", "WatchExec", "TopExec"];

/// Makes physical plans.
pub(super) struct Planner {
    state: SessionState,
    physical: DefaultPhysicalPlanner,
    task: Arc<TaskContext>,
}

impl Planner {
    pub(super) fn new(batch_rows: usize, runtime: &Arc<RuntimeEnv>) -> Planner {
        let mut config = SessionConfig::new()
            .with_target_partitions(1)
            .with_batch_size(batch_rows)
            .with_create_default_catalog_and_schema(false)
            .with_information_schema(false);
        // All types are equal by construction (A2, L1); the comparison costs more than the rest of planning.
        config.options_mut().execution.skip_physical_aggregate_schema_check = true;
        let task = TaskContext::new(
            None,
            String::new(),
            config.clone(),
            Default::default(),
            Default::default(),
            Default::default(),
            Default::default(),
            Arc::clone(runtime),
        );
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(Arc::clone(runtime))
            .with_optimizer_rules(Vec::new())
            .with_physical_optimizer_rules(vec![Arc::new(CombinePartialFinalAggregate::new())])
            .build();
        let physical = DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(OwnPlanner)]);
        Planner { state, physical, task: Arc::new(task) }
    }

    pub(super) fn batch_rows(&self) -> usize {
        self.state.config().batch_size()
    }

    fn plan(&self, logical: LogicalPlan) -> SqlResult<Arc<dyn ExecutionPlan>> {
        let logical = planned(OptimizeProjections::new().rewrite(logical, &self.state))?.data;
        planned(block_on(self.physical.create_physical_plan(&logical, &self.state)))
    }
}

/// A plan that can run.
pub(super) enum Runnable {
    Rows(RowPlan),
    Stream(StreamPlan),
}

impl Runnable {
    /// The plan of a relation in normal form.
    pub(super) fn new(rel: &Rel, lowering: &Lowering<'_>) -> SqlResult<Runnable> {
        if lowering.options.row_plans
            && let Some(rows) = lowering.rowwise(rel)?
        {
            return Ok(Runnable::Rows(rows));
        }
        StreamPlan::new(lowering.root(rel)?, &rel.types(), lowering.options).map(Runnable::Stream)
    }

    /// The plan as text, an operator per line.
    pub(super) fn describe(&self) -> String {
        match self {
            Runnable::Rows(plan) => plan.describe(),
            Runnable::Stream(plan) => displayable(plan.plan.lock().as_ref()).indent(false).to_string(),
        }
    }

    /// Runs the plan for the context that its cell holds.
    pub(super) fn run(&self, context: &RunContext, on_row: OnRow<'_>) -> SqlResult<()> {
        match self {
            Runnable::Rows(plan) => plan.run(context, on_row),
            Runnable::Stream(plan) => plan.run(context, on_row),
        }
    }
}

/// A plan of DataFusion's operators and ours.
pub(super) struct StreamPlan {
    /// As it was made, or as it was last reset.
    plan: Mutex<Arc<dyn ExecutionPlan>>,
    reuse: Reuse,
    runs: AtomicU32,
    /// No run has left anything behind. A run that panicked has.
    tidy: AtomicBool,
    types: Vec<SqlType>,
    task: Arc<TaskContext>,
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
    fn new(logical: LogicalPlan, types: &[ExprType], options: &CompileOptions) -> SqlResult<StreamPlan> {
        let planner = options.workspace.planner(options.batch_rows);
        let plan = planner.plan(logical)?;
        let reuse = reuse(&plan);
        let types = types.iter().map(|ty| ty.sql).collect();
        let task = Arc::clone(&planner.task);
        let plan = Mutex::new(plan);
        Ok(StreamPlan { plan, reuse, runs: AtomicU32::new(0), tidy: AtomicBool::new(true), types, task })
    }

    /// The operators.
    pub(super) fn current(&self) -> Arc<dyn ExecutionPlan> {
        Arc::clone(&self.plan.lock())
    }

    fn run(&self, context: &RunContext, on_row: OnRow<'_>) -> SqlResult<()> {
        if !self.tidy.swap(false, Relaxed) {
            planned(self.tidy())?;
            self.tidy.store(false, Relaxed);
        }
        let result = self.stream(context, on_row);
        planned(self.tidy())?;
        result
    }

    fn stream(&self, context: &RunContext, on_row: OnRow<'_>) -> SqlResult<()> {
        let plan = Arc::clone(&self.plan.lock());
        let mut stream = planned(plan.execute(0, Arc::clone(&self.task)))?;
        let mut row = Vec::with_capacity(self.types.len());
        while let Some(batch) = next(&mut stream) {
            let batch = planned(batch)?;
            if context.task.is_cancelled() {
                return Err(message::cancelled());
            }
            if self.give(&batch, &mut row, on_row)?.is_break() {
                break;
            }
        }
        Ok(())
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

/// The next batch. Our operators are always ready (A4), so the first poll nearly always answers.
fn next(stream: &mut SendableRecordBatchStream) -> Option<datafusion::error::Result<RecordBatch>> {
    match stream.poll_next_unpin(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(batch) => batch,
        Poll::Pending => block_on(stream.next()),
    }
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
    let mut future: Pin<&mut F> = pin!(future);
    if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return output;
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        std::thread::park();
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
}
