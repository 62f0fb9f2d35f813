//! What plans are made and run with: planners, and for each run its grant of the engine's memory and its place to spill.
//!
//! W2: what is spilled lies in tempdb, as the session's internal objects; nothing is written to other files. The memory
//! itself is [`millpond_engine::memory`].

use std::any::Any;
use std::sync::Arc;

use datafusion::config::SpillCompression;
use datafusion::execution::TaskContext;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::physical_plan::ExecutionPlan;
use millpond_access::AccessError;
use millpond_engine::context::RunContext;
use millpond_engine::memory::{Granted, REQUIRED_BYTES, Request, Workspace};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_spill::SpillSpace;
use millpond_storage::contract::PAGE_BYTES;
use millpond_storage::settings::options::OptionId;
use parking_lot::Mutex;

use crate::operator::compress::compression_for;
use crate::physical::planner::Planner;
use crate::physical::width::LargeRows;
use crate::run::failure;
use crate::run::task::task_of;

/// So many large rows a statement holds while it runs: those that two operators work at, two runs of a merge.
const ROWS_AT_ONCE: usize = 8;

/// What plans are made and run with, beside the memory of the engine: one for each engine, made for its first plan.
pub(crate) struct Planning {
    /// What plans are made with, and what those run with whose operators do not spill.
    runtime: Arc<RuntimeEnv>,
    /// Planners by their batch size; made when the first plan is.
    planners: Mutex<Vec<Arc<Planner>>>,
}

impl Planning {
    /// That of an engine's memory.
    ///
    /// # Errors
    /// The runtime environment refuses its configuration.
    pub(crate) fn of(workspace: &Workspace) -> SqlResult<Arc<Planning>> {
        let kept = match workspace.kept_by_plans.get() {
            Some(kept) => Arc::clone(kept),
            None => {
                let made: Arc<dyn Any + Send + Sync> = Arc::new(Planning::new(workspace)?);
                Arc::clone(workspace.kept_by_plans.get_or_init(|| made))
            }
        };
        Ok(kept.downcast().expect("plans alone keep something there"))
    }

    fn new(workspace: &Workspace) -> SqlResult<Planning> {
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(workspace.grants.common_pool())
            .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
            .build_arc()
            .map_err(failure::to_sql)?;
        Ok(Planning { runtime, planners: Mutex::default() })
    }

    /// The planner for batches of that many rows.
    pub(crate) fn planner(&self, batch_rows: usize) -> Arc<Planner> {
        let mut planners = self.planners.lock();
        if let Some(known) = planners.iter().find(|planner| planner.batch_rows() == batch_rows) {
            return Arc::clone(known);
        }
        let planner = Arc::new(Planner::new(batch_rows, &self.runtime));
        planners.push(Arc::clone(&planner));
        planner
    }

    /// The task of a run with that work.
    pub(crate) fn task(&self, base: &TaskContext, work: &Work, batch_rows: usize) -> SqlResult<Arc<TaskContext>> {
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

/// Memory and a place to spill for one run of a plan that may need them.
///
/// # Errors
/// 8645, [`message::cancelled`].
pub(crate) fn begin(workspace: &Workspace, context: &RunContext, needs: Needs, large: LargeRows) -> SqlResult<Work> {
    context.work.note_needs(needs.sorts, needs.hashes);
    let clock = || context.engine.clock_us();
    let ideal_bytes = ideal_bytes(context) + large.bytes;
    context.work.note_ideal(ideal_bytes);
    let granted = workspace.grants.begin(&Request {
        task: &context.task,
        ideal_bytes,
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

/// What a run would like to hold: all pages of its tables. Statements of few pages do not queue.
fn ideal_bytes(context: &RunContext) -> usize {
    context.page_estimates(&context.row_estimates()).iter().sum::<u64>() as usize * PAGE_BYTES
}

/// What the operators of a plan need memory for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// A worktable.
    pub(crate) sorts: bool,
    /// A workfile.
    pub(crate) hashes: bool,
}

impl Needs {
    /// Of all operators of a plan.
    pub(crate) fn of(plan: &Arc<dyn ExecutionPlan>) -> Needs {
        let own = match plan.name() {
            "SpillSortExec" | "SortExec" | "WindowExec" | "SpoolExec" | "SortMergeJoinExec" => {
                Needs { sorts: true, hashes: false }
            }
            "SpillJoinExec" | "SpillAggregateExec" | "AggregateExec" => Needs { sorts: false, hashes: true },
            _ => Needs::default(),
        };
        let inputs = plan.children().into_iter().map(Needs::of);
        inputs.fold(own, |a, b| Needs { sorts: a.sorts || b.sorts, hashes: a.hashes || b.hashes })
    }
}

/// The grant of one run, and its place to spill.
pub(crate) struct Work {
    granted: Granted,
    space: Arc<SpillSpace>,
    compression: SpillCompression,
    session: Arc<millpond_engine::session_shared::SessionShared>,
    account: Arc<millpond_engine::account::work::WorkAccount>,
}

impl Work {
    fn new(granted: Granted, context: &RunContext) -> Work {
        let ctx = context.engine.txns().spill_ctx(context.task.session);
        let account = Arc::clone(&context.work);
        let space = SpillSpace::new(ctx, Arc::clone(&context.task), Arc::clone(&account.spills));
        let compression = compression_for(context.engine.instance().tempdb_bytes_per_s());
        Work { granted, space, compression, session: Arc::clone(&context.session), account }
    }

    /// The error of the run: the cause, when it was that something could not be spilled.
    pub(crate) fn cause(&self, error: SqlError) -> SqlError {
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

    use super::*;

    #[test]
    fn a_workspace_refuses_beyond_its_limit_and_takes_back_what_is_freed() {
        let workspace = Workspace::new(32 << 20);
        let task = Arc::new(millpond_storage::ask::Task::default());
        let request =
            Request { task: &task, ideal_bytes: 0, required_bytes: 0, is_inner: false, wait_s: -1, now_us: &|| 0 };
        let granted = workspace.grants.begin(&request).expect("no other grant is held");
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
