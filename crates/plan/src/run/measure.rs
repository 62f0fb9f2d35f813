//! Plans whose operators keep account: each one inside another operator that looks at what goes in and out.
//!
//! ```text
//!   SortExec ◀── FilterExec ◀── LeafExec       a plan
//!   [SortExec] ◀── [FilterExec] ◀── [LeafExec]       the same with a MeasuredExec around each
//! ```
//! What always holds: a plan is measured in a copy of its own, made for one statement; plans that are not measured are as
//! they were and cost nothing. Time in an operator is that of the threads that poll it, without the time in its inputs
//! and inner plans; what an exchange does in tasks of its own is asked of its metrics. Memory and files are known because
//! each operator has a task of its own, over the memory pool and the files of its run.

use std::any::Any;
use std::cell::Cell;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::{fmt, io};

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::disk_manager::{DiskManager, DiskManagerBuilder};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{
    RecordBatchStream, SendableRecordBatchStream, SpillFile, SpillWriter, TaskContext, TempFileFactory,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties};
use futures::{Stream, StreamExt};
use millpond_catalog::clock::thread_cpu_ns;
use millpond_engine::account::profile::{Figures, OperatorAccount, Profile};
use millpond_storage::instance::Instance;
use parking_lot::Mutex;

use crate::run::task::task_of;

/// Something that is measured for one profile at a time: a plan's copy, or an account.
#[derive(Debug)]
pub(crate) struct Measured<T>(Mutex<Option<(Weak<Profile>, T)>>);

impl<T> Default for Measured<T> {
    fn default() -> Measured<T> {
        Measured(Mutex::default())
    }
}

impl<T: Clone> Measured<T> {
    /// What there is for this profile, made anew when it was for another one.
    pub(crate) fn of(&self, profile: &Arc<Profile>, make: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut known = self.0.lock();
        if let Some((of, known)) = &*known
            && std::ptr::eq(of.as_ptr(), Arc::as_ptr(profile))
        {
            return Ok(known.clone());
        }
        let made = make()?;
        *known = Some((Arc::downgrade(profile), made.clone()));
        Ok(made)
    }

    /// What there is for this profile, for who looks on while it runs.
    pub(crate) fn known(&self, profile: &Arc<Profile>) -> Option<T> {
        let known = self.0.lock();
        let (of, known) = known.as_ref()?;
        std::ptr::eq(of.as_ptr(), Arc::as_ptr(profile)).then(|| known.clone())
    }
}

/// A plan that is measured, and the task of its present run.
#[derive(Clone, Debug)]
pub(crate) struct MeasuredPlan {
    plan: Arc<dyn ExecutionPlan>,
    task: Arc<RunTask>,
}

/// The task as the run began with it: each operator makes its own of it.
#[derive(Debug, Default)]
struct RunTask(Mutex<Option<Arc<TaskContext>>>);

impl MeasuredPlan {
    /// A copy of `plan` by the clock of that instance.
    pub(crate) fn new(plan: &Arc<dyn ExecutionPlan>, instance: &Arc<Instance>) -> Result<MeasuredPlan> {
        let task = Arc::default();
        Ok(MeasuredPlan { plan: measured(plan, instance, &task)?, task })
    }

    /// The operators.
    pub(crate) fn plan(&self) -> &Arc<dyn ExecutionPlan> {
        &self.plan
    }

    /// Fresh operators for a run with that task; their accounts go on. The task is kept until [`MeasuredPlan::end`].
    pub(crate) fn begin(&self, task: &Arc<TaskContext>) -> Result<Arc<dyn ExecutionPlan>> {
        *self.task.0.lock() = Some(Arc::clone(task));
        datafusion::physical_plan::execution_plan::reset_plan_states(Arc::clone(&self.plan))
    }

    /// The run of those operators is over.
    pub(crate) fn end(&self, ran: &Arc<dyn ExecutionPlan>) {
        *self.task.0.lock() = None;
        add_exchange_times(ran);
    }
}

fn measured(
    plan: &Arc<dyn ExecutionPlan>,
    instance: &Arc<Instance>,
    task: &Arc<RunTask>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let inputs =
        plan.children().into_iter().map(|input| measured(input, instance, task)).collect::<Result<Vec<_>>>()?;
    let inner = match inputs.is_empty() {
        true => Arc::clone(plan),
        false => Arc::clone(plan).replace_children(inputs, recomputed())?,
    };
    let (account, instance, task) = (Arc::default(), Arc::clone(instance), Arc::clone(task));
    Ok(Arc::new(MeasuredExec { inner, account, instance, task }))
}

fn recomputed() -> ReplaceChildrenOptions {
    ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute)
}

/// An operator, measured.
pub(crate) struct MeasuredExec {
    inner: Arc<dyn ExecutionPlan>,
    account: Arc<OperatorAccount>,
    instance: Arc<Instance>,
    task: Arc<RunTask>,
}

impl MeasuredExec {
    /// The operator.
    pub(crate) fn inner(&self) -> &Arc<dyn ExecutionPlan> {
        &self.inner
    }

    /// What it has done.
    pub(crate) fn figures(&self) -> Figures {
        let is_parallel = self.inner.output_partitioning().partition_count() > 1;
        Figures { is_parallel, ..self.account.figures() }
    }

    fn around(&self, inner: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let (account, instance, task) = (Arc::clone(&self.account), Arc::clone(&self.instance), Arc::clone(&self.task));
        Arc::new(MeasuredExec { inner, account, instance, task })
    }

    /// The run's task with the memory and the files of this operator on its account.
    fn own_task(&self, given: Arc<TaskContext>) -> Arc<TaskContext> {
        let task = self.task.0.lock().clone().unwrap_or(given);
        let base = task.runtime_env();
        // Plans whose operators hold nothing have nowhere to put it.
        if !base.disk_manager.tmp_files_enabled() {
            return task;
        }
        let files = AccountFiles { disk: Arc::clone(&base.disk_manager), account: Arc::clone(&self.account) };
        let Ok(disk) = DiskManagerBuilder::default().with_temp_file_factory(Arc::new(files)).build() else {
            return task;
        };
        let pool = AccountPool { pool: Arc::clone(&base.memory_pool), account: Arc::clone(&self.account) };
        let runtime =
            RuntimeEnv { memory_pool: Arc::new(pool), disk_manager: Arc::new(disk), ..RuntimeEnv::clone(&base) };
        task_of(task.session_config().clone(), Arc::new(runtime))
    }
}

impl fmt::Debug for MeasuredExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MeasuredExec of {:?}", self.inner)
    }
}

impl DisplayAs for MeasuredExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_as(format, f)
    }
}

impl ExecutionPlan for MeasuredExec {
    fn name(&self) -> &str {
        "MeasuredExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inner.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.inner.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.around(Arc::clone(&self.inner).replace_children(children, options)?))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, recomputed())
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.around(Arc::clone(&self.inner).reset_state()?))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.account.begin(self.instance.now_us());
        let task = self.own_task(task);
        let stream = timed(&self.account, &*self.instance, || self.inner.execute(partition, task))?;
        let (account, instance) = (Arc::clone(&self.account), Arc::clone(&self.instance));
        Ok(Box::pin(MeasuredStream { stream: Some(stream), account, instance }))
    }
}

/// By which time in operators is measured.
pub(crate) trait Time {
    /// Microseconds since some point in time.
    fn now_us(&self) -> u64;
}

impl Time for Instance {
    fn now_us(&self) -> u64 {
        self.clock().now_us()
    }
}

thread_local! {
    /// Microseconds, and nanoseconds of CPU time, that this thread has spent below the operator that it is in.
    static BELOW: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    /// Values that expressions of the operator that this thread is in have computed one at a time.
    static BY_ROW: Cell<u64> = const { Cell::new(0) };
}

/// An expression of the present operator computed so many values one at a time.
pub(crate) fn note_values_by_row(values: usize) {
    BY_ROW.set(BY_ROW.get() + values as u64);
}

/// Does something inside an operator: its time, without that of operators inside of it, is on the account.
pub(crate) fn timed<T>(account: &OperatorAccount, time: &(impl Time + ?Sized), work: impl FnOnce() -> T) -> T {
    let (above, above_by_row) = (BELOW.take(), BY_ROW.take());
    let (start_us, start_ns) = (time.now_us(), thread_cpu_ns());
    let done = work();
    let elapsed_us = time.now_us().saturating_sub(start_us);
    let cpu_ns = thread_cpu_ns().saturating_sub(start_ns);
    let below = BELOW.get();
    account.add_time(elapsed_us.saturating_sub(below.0), cpu_ns.saturating_sub(below.1));
    account.add_values_by_row(BY_ROW.replace(above_by_row));
    BELOW.set((above.0 + elapsed_us, above.1 + cpu_ns));
    done
}

struct MeasuredStream {
    /// None once it has ended: what it held is given back inside the operator.
    stream: Option<SendableRecordBatchStream>,
    account: Arc<OperatorAccount>,
    instance: Arc<Instance>,
}

impl Stream for MeasuredStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let MeasuredStream { stream, account, instance } = &mut *self;
        let Some(stream) = stream else { return Poll::Ready(None) };
        let polled = timed(account, &**instance, || stream.poll_next_unpin(cx));
        if let Poll::Ready(Some(Ok(batch))) = &polled {
            account.add_rows(batch.num_rows() as u64, instance.now_us());
        }
        polled
    }
}

impl RecordBatchStream for MeasuredStream {
    fn schema(&self) -> SchemaRef {
        self.stream.as_ref().expect("it is there until the stream is dropped").schema()
    }
}

impl Drop for MeasuredStream {
    fn drop(&mut self) {
        let stream = self.stream.take();
        timed(&self.account, &*self.instance, || drop(stream));
        self.account.close(self.instance.now_us());
    }
}

/// An exchange distributes rows in tasks of its own, which are not polled through it.
fn add_exchange_times(plan: &Arc<dyn ExecutionPlan>) {
    let any: &dyn Any = plan.as_ref();
    if let Some(measured) = any.downcast_ref::<MeasuredExec>() {
        let inner: &dyn Any = measured.inner.as_ref();
        let metrics = if inner.is::<RepartitionExec>() { measured.inner.metrics() } else { None };
        if let Some(time) = metrics.and_then(|metrics| metrics.sum_by_name("repartition_time")) {
            let ns = time.as_usize() as u64;
            measured.account.add_time(ns / 1000, ns);
        }
    }
    plan.children().into_iter().for_each(add_exchange_times);
}

/// The run's memory pool; what an operator takes of it is on its account too.
struct AccountPool {
    pool: Arc<dyn MemoryPool>,
    account: Arc<OperatorAccount>,
}

impl fmt::Debug for AccountPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.fmt(f)
    }
}

impl fmt::Display for AccountPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.pool, f)
    }
}

impl MemoryPool for AccountPool {
    fn name(&self) -> &str {
        self.pool.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.pool.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.pool.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.pool.grow(reservation, additional);
        self.account.hold(additional as u64);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.pool.shrink(reservation, shrink);
        self.account.release(shrink as u64);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.pool.try_grow(reservation, additional)?;
        self.account.hold(additional as u64);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.pool.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.pool.memory_limit()
    }
}

/// The run's files; what an operator writes to them is on its account too.
struct AccountFiles {
    disk: Arc<DiskManager>,
    account: Arc<OperatorAccount>,
}

impl TempFileFactory for AccountFiles {
    fn create_temp_file(&self, description: &str) -> Result<Arc<dyn SpillFile>> {
        let file = self.disk.create_tmp_file(description)?;
        Ok(Arc::new(AccountFile { file, account: Arc::clone(&self.account) }))
    }
}

struct AccountFile {
    file: Arc<dyn SpillFile>,
    account: Arc<OperatorAccount>,
}

impl SpillFile for AccountFile {
    fn size(&self) -> Option<u64> {
        self.file.size()
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        self.file.read_stream()
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        Ok(Box::new(AccountWriter { writer: self.file.open_writer()?, account: Arc::clone(&self.account) }))
    }
}

struct AccountWriter {
    writer: Box<dyn SpillWriter>,
    account: Arc<OperatorAccount>,
}

impl io::Write for AccountWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.account.add_spilled(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl SpillWriter for AccountWriter {
    fn finish(&mut self) -> Result<()> {
        self.writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use millpond_device::clock::{Clock, ManualClock};

    use super::*;

    impl Time for ManualClock {
        fn now_us(&self) -> u64 {
            Clock::now_us(self)
        }
    }

    #[test]
    fn time_below_an_operator_is_not_its_own_on_whatever_thread() {
        let clock = ManualClock::default();
        let [upper, lower, inner] = std::array::from_fn(|_| OperatorAccount::default());
        timed(&upper, &clock, || {
            clock.advance_us(1);
            timed(&lower, &clock, || {
                clock.advance_us(10);
                timed(&inner, &clock, || clock.advance_us(100));
                clock.advance_us(10);
            });
            timed(&inner, &clock, || clock.advance_us(200));
            // Another thread is in no operator's poll.
            std::thread::scope(|scope| {
                scope.spawn(|| timed(&inner, &clock, || ()));
            });
            clock.advance_us(1);
        });
        let us = |account: &OperatorAccount| account.figures().elapsed_us.expect("taken");
        assert_eq!([us(&upper), us(&lower), us(&inner)], [2, 20, 300]);
    }
}
