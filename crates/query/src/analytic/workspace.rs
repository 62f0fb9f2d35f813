//! Workspace: the memory that sorts, hash joins and aggregates of all statements of an engine hold, and where they put
//! aside what does not fit.
//!
//! W1: operators that can put things aside hold no more than their statement's grant (`grant`); the others no more than
//! what all have together. W2: what is put aside lies in tempdb, as the session's internal objects; nothing is written
//! to other files.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use datafusion::config::SpillCompression;
use datafusion::execution::TaskContext;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::physical_plan::ExecutionPlan;
use millpond_access::AccessError;
use millpond_spill::SpillSpace;
use millpond_storage::contract::PAGE_BYTES;
use millpond_storage::instance::Instance;
use millpond_storage::options::OptionId;
use millpond_types::{Charge, Memory};
use parking_lot::{Mutex, RwLock};

use super::compress::compression_for;
use super::failure;
use super::grant::{Granted, Grants, GrantsReport, Held, REQUIRED_BYTES, Request};
use super::plan::{Planner, task_of};
use super::width::LargeRows;
use crate::context::RunContext;
use crate::error::{SqlError, SqlResult};
use crate::message::{self, Place};

/// What statements may hold of the server's memory, in quarters; the rest is left to pages.
const SHARE_QUARTERS: u64 = 3;
/// So many large rows a statement holds while it runs: those that two operators work at, two runs of a merge.
const ROWS_AT_ONCE: usize = 8;

/// The memory for the operators of all statements of one engine.
pub struct Workspace {
    grants: Arc<Grants>,
    /// What plans are made with, and what those run with whose operators put nothing aside.
    runtime: Arc<RuntimeEnv>,
    /// Planners by their batch size; made when the first plan is.
    planners: Mutex<Vec<Arc<Planner>>>,
    tuning: RwLock<Tuning>,
    values: Arc<ValueUse>,
}

/// What decides when a plan takes the roads of large data. Tests make it small, so that a table of three rows is scanned in
/// several batches, by several threads, and spilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Rows that operators hand on at once.
    pub batch_rows: usize,
    /// Pages from which on a table is scanned by several threads.
    pub pages_of_parallel_scan: u64,
    /// Operators that can spill do so as soon as they hold anything.
    pub spills_always: bool,
}

/// Two reads of read-ahead: below, a scan is over before another thread has begun.
const PAGES_OF_PARALLEL_SCAN: u64 = 128;

impl Default for Tuning {
    fn default() -> Self {
        Tuning { batch_rows: 4096, pages_of_parallel_scan: PAGES_OF_PARALLEL_SCAN, spills_always: false }
    }
}

impl Workspace {
    /// A workspace of at most `limit_bytes`; nothing is allocated before it is used.
    ///
    /// # Errors
    /// The runtime environment refuses its configuration.
    pub fn new(limit_bytes: usize) -> SqlResult<Arc<Workspace>> {
        Workspace::of(Grants::new(limit_bytes, None))
    }

    /// The workspace of a server: its memory is lent by the buffer pool.
    ///
    /// # Errors
    /// As [`Workspace::new`].
    pub fn over(instance: &Arc<Instance>) -> SqlResult<Arc<Workspace>> {
        Workspace::of(Grants::new(share_of(instance.memory_max_bytes()), Some(Arc::clone(instance))))
    }

    fn of(grants: Arc<Grants>) -> SqlResult<Arc<Workspace>> {
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(grants.common_pool())
            .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
            .build_arc()
            .map_err(failure::to_sql)?;
        Ok(Arc::new(Workspace {
            grants,
            runtime,
            planners: Mutex::default(),
            tuning: RwLock::default(),
            values: Arc::default(),
        }))
    }

    /// Changes the limit; statements that hold more put it aside when they need more.
    pub fn set_limit_bytes(&self, limit_bytes: usize) {
        self.grants.set_limit_bytes(limit_bytes);
    }

    /// Changes when plans take the roads of large data. Holds for plans that are compiled from now on.
    pub fn set_tuning(&self, tuning: Tuning) {
        self.grants.set_spills_always(tuning.spills_always);
        *self.tuning.write() = tuning;
    }

    /// When plans take the roads of large data.
    #[must_use]
    pub fn tuning(&self) -> Tuning {
        *self.tuning.read()
    }

    /// `max server memory` has changed.
    pub(crate) fn set_server_memory(&self, bytes: u64) {
        self.set_limit_bytes(share_of(bytes));
    }

    /// The limit.
    #[must_use]
    pub fn limit_bytes(&self) -> usize {
        self.grants.limit_bytes()
    }

    /// What all running statements hold now.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.grants.used_bytes().saturating_sub(self.value_bytes())
    }

    /// What long values, messages and texts that are compiled hold of it now.
    #[must_use]
    pub fn value_bytes(&self) -> usize {
        self.values.used.load(Relaxed)
    }

    /// The most that they ever held.
    #[must_use]
    pub fn value_bytes_peak(&self) -> usize {
        self.values.peak.load(Relaxed)
    }

    /// How often something was charged: a long value is each time that it is made or copied.
    #[must_use]
    pub fn value_charges(&self) -> usize {
        self.values.charges.load(Relaxed)
    }

    /// Memory of something that has no grant, for as long as the charge lives.
    ///
    /// # Errors
    /// 701 when there is not so much.
    pub fn charge(&self, bytes: usize) -> SqlResult<Box<dyn Charge>> {
        let held = self.grants.hold(bytes).ok_or_else(message::out_of_memory)?;
        let before = self.values.used.fetch_add(bytes, Relaxed);
        self.values.peak.fetch_max(before + bytes, Relaxed);
        self.values.charges.fetch_add(1, Relaxed);
        Ok(Box::new(ChargedValue { _held: held, values: Arc::clone(&self.values), bytes }))
    }

    /// Who has memory and who waits for some.
    pub(crate) fn report(&self) -> GrantsReport {
        self.grants.report()
    }

    /// Gives memory back to the pages that was kept for the next statement, when none has used it for a while. To be called
    /// now and then.
    pub fn give_back_idle(&self) {
        self.grants.give_back_idle();
    }

    /// The planner for batches of that many rows.
    pub(super) fn planner(&self, batch_rows: usize) -> Arc<Planner> {
        let mut planners = self.planners.lock();
        if let Some(known) = planners.iter().find(|planner| planner.batch_rows() == batch_rows) {
            return Arc::clone(known);
        }
        let planner = Arc::new(Planner::new(batch_rows, &self.runtime));
        planners.push(Arc::clone(&planner));
        planner
    }

    /// Memory and a place to spill for one run of a plan that may need them.
    ///
    /// # Errors
    /// 8645, [`message::cancelled`].
    pub(super) fn begin(&self, context: &RunContext, needs: Needs, large: LargeRows) -> SqlResult<Work> {
        context.work.note_needs(needs.sorts, needs.hashes);
        let clock = || context.engine.clock_us();
        let granted = self.grants.begin(&Request {
            task: &context.task,
            ideal_bytes: ideal_bytes(context) + large.bytes,
            required_bytes: REQUIRED_BYTES.max(ROWS_AT_ONCE * large.row_bytes),
            is_inner: context.session.enter_work() > 0,
            wait_s: context.engine.instance().settings().running(OptionId::QueryWaitS),
            now_us: &clock,
        });
        match granted {
            Ok(granted) => Ok(Work::new(granted, context)),
            Err(refusal) => {
                context.session.leave_work();
                Err(refusal)
            }
        }
    }

    /// The task of a run with that work.
    pub(super) fn task(&self, base: &TaskContext, work: &Work, batch_rows: usize) -> SqlResult<Arc<TaskContext>> {
        let runtime = RuntimeEnv {
            memory_pool: Arc::clone(work.granted.pool()) as Arc<dyn MemoryPool>,
            disk_manager: work.space.disk_manager().map_err(failure::to_sql)?,
            ..RuntimeEnv::clone(&self.runtime)
        };
        let mut config = base.session_config().clone().with_batch_size(batch_rows);
        config.options_mut().execution.spill_compression = work.compression;
        Ok(task_of(config, Arc::new(runtime)))
    }
}

/// What has no grant, in bytes.
#[derive(Debug, Default)]
struct ValueUse {
    used: AtomicUsize,
    peak: AtomicUsize,
    charges: AtomicUsize,
}

#[derive(Debug)]
struct ChargedValue {
    _held: Held,
    values: Arc<ValueUse>,
    bytes: usize,
}

impl Charge for ChargedValue {}

impl Drop for ChargedValue {
    fn drop(&mut self) {
        self.values.used.fetch_sub(self.bytes, Relaxed);
    }
}

impl Memory for Workspace {
    fn has_room(&self, bytes: usize) -> bool {
        self.grants.has_room(bytes)
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workspace({} of {} bytes)", self.used_bytes(), self.limit_bytes())
    }
}

fn share_of(memory_bytes: u64) -> usize {
    (memory_bytes / 4 * SHARE_QUARTERS) as usize
}

/// What a run would like to hold: all pages of its tables. Statements of few pages do not queue.
fn ideal_bytes(context: &RunContext) -> usize {
    context.page_estimates(&context.row_estimates()).iter().sum::<u64>() as usize * PAGE_BYTES
}

/// What the operators of a plan need memory for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// A worktable.
    pub(super) sorts: bool,
    /// A workfile.
    pub(super) hashes: bool,
}

impl Needs {
    /// Of all operators of a plan.
    pub(super) fn of(plan: &Arc<dyn ExecutionPlan>) -> Needs {
        let own = match plan.name() {
            "SpillSortExec" | "SortExec" | "WindowExec" => Needs { sorts: true, hashes: false },
            "SpillJoinExec" | "SpillAggregateExec" | "AggregateExec" => Needs { sorts: false, hashes: true },
            _ => Needs::default(),
        };
        let inputs = plan.children().into_iter().map(Needs::of);
        inputs.fold(own, |a, b| Needs { sorts: a.sorts || b.sorts, hashes: a.hashes || b.hashes })
    }
}

/// The memory of one run, and what it has put aside.
pub(super) struct Work {
    granted: Granted,
    space: Arc<SpillSpace>,
    compression: SpillCompression,
    session: Arc<crate::session_shared::SessionShared>,
    account: Arc<crate::work::WorkAccount>,
}

impl Work {
    fn new(granted: Granted, context: &RunContext) -> Work {
        let ctx = context.engine.txns().spill_ctx(context.task.session);
        let account = Arc::clone(&context.work);
        let space = SpillSpace::new(ctx, Arc::clone(&context.task), Arc::clone(&account.spills));
        let compression = compression_for(context.engine.instance().tempdb_bytes_per_s());
        Work { granted, space, compression, session: Arc::clone(&context.session), account }
    }

    /// The error of the run: the cause, when it was that something could not be put aside.
    pub(super) fn cause(&self, error: SqlError) -> SqlError {
        let Some(cause) = self.space.take_failure() else { return error };
        if matches!(cause, AccessError::Cancelled) {
            return message::cancelled();
        }
        message::of_access(cause, Place { schema: "dbo", object: "SORT temporary run storage", database: "tempdb" })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.account.note(&self.granted.pool().report());
        self.session.leave_work();
    }
}

#[cfg(test)]
mod tests {
    use datafusion::execution::memory_pool::MemoryConsumer;

    use super::super::grant::Request;
    use super::*;

    #[test]
    fn a_workspace_refuses_beyond_its_limit_and_takes_back_what_is_freed() {
        let workspace = Workspace::new(32 << 20).expect("valid configuration");
        let task = Arc::new(millpond_storage::ask::Task::default());
        let request =
            Request { task: &task, ideal_bytes: 0, required_bytes: 0, is_inner: false, wait_s: -1, now_us: &|| 0 };
        let granted = workspace.grants.begin(&request).expect("nobody else");
        let pool = Arc::clone(granted.pool()) as Arc<dyn MemoryPool>;
        let first = MemoryConsumer::new("first").register(&pool);
        let second = MemoryConsumer::new("second").register(&pool);
        first.try_grow(20 << 20).expect("within the limit");
        let refusal = second.try_grow(21 << 20).expect_err("beyond the limit");
        assert_eq!(failure::to_sql(refusal).number, 701);
        drop(first);
        second.try_grow(20 << 20).expect("the first one's memory is free again");
        assert_eq!(workspace.used_bytes(), 20 << 20);
    }
}
