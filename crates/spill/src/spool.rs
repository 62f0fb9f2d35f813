//! Rows that a plan gives, computed once for all who read them: in memory, and in tempdb where they are many.
//!
//! ```text
//!   open(plan) ──▶ the first who reads runs it to its end ──▶ Stored ──▶ each reader, from the first row on
//! ```
//! What always holds: the plan runs at most once between `open` and `close`, and not at all where nobody reads; rows come in the
//! plan's order; after `close` nothing of the run is held but what readers still have.

use std::sync::Arc;

use datafusion::common::DataFusionError;
use datafusion::error::Result;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::lock::Mutex;
use futures::stream::{self, TryStreamExt};

use crate::run_writer::Format;
use crate::stored::Stored;

/// What is spilled counts as a worktable's.
const WHAT: &str = "SpoolSpill";

/// The rows of a plan, for several readers.
#[derive(Debug, Default)]
pub struct Spool(parking_lot::Mutex<Option<Arc<Opened>>>);

/// A spool in one run.
struct Opened {
    plan: Arc<dyn ExecutionPlan>,
    task: Arc<TaskContext>,
    rows: Mutex<Option<std::result::Result<Stored, Arc<DataFusionError>>>>,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opened")
    }
}

impl Spool {
    /// Begins a run, in which the plan, of one partition, gives the rows.
    pub fn open(&self, plan: &Arc<dyn ExecutionPlan>, task: &Arc<TaskContext>) {
        let opened = Opened { plan: Arc::clone(plan), task: Arc::clone(task), rows: Mutex::default() };
        *self.0.lock() = Some(Arc::new(opened));
    }

    /// Ends it.
    pub fn close(&self) {
        *self.0.lock() = None;
    }

    /// All rows.
    ///
    /// # Errors
    /// The spool is not open. The stream's errors are the plan's, and those of spilling.
    pub fn read(&self) -> Result<SendableRecordBatchStream> {
        let opened = self.0.lock().clone();
        let opened = opened.ok_or_else(|| DataFusionError::Internal("a spool was read that is not open".to_owned()))?;
        let schema = opened.plan.schema();
        let rows = stream::once(async move { opened.rows().await?.into_stream() }).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

impl Opened {
    /// The rows; who comes first computes them.
    async fn rows(&self) -> Result<Stored> {
        let mut rows = self.rows.lock().await;
        if rows.is_none() {
            *rows = Some(self.computed().await.map_err(Arc::new));
        }
        match &*rows {
            Some(Ok(stored)) => Ok(stored.clone()),
            Some(Err(error)) => Err(DataFusionError::Shared(Arc::clone(error))),
            None => unreachable!("computed above"),
        }
    }

    async fn computed(&self) -> Result<Stored> {
        let input = self.plan.execute(0, Arc::clone(&self.task))?;
        let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
        let format = Arc::new(Format::new(WHAT, self.plan.schema(), &self.task, metrics));
        let memory = MemoryConsumer::new("Spool").with_can_spill(true).register(self.task.memory_pool());
        Stored::all_of(input, &format, self.task.runtime_env(), memory).await
    }
}
