//! Rows that a plan gives, computed once for all who read them: in memory, and in tempdb where they are many.
//!
//! ```text
//!   open(plan) ──▶ the first who reads runs it to its end ──▶ Stored ──▶ each reader, from the first row on
//! ```
//! What always holds: the plan runs at most once between `open` and `close`, and not at all where nobody reads; rows come in the
//! plan's order; after `close` nothing of the run is held but what readers still have. Any of the readers drives the run: the
//! one who came first may not be asked for rows before another one has given all of its own.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::DataFusionError;
use datafusion::error::Result;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::future::{BoxFuture, FutureExt, Shared};
use futures::stream::{self, TryStreamExt};
use parking_lot::Mutex;

use crate::run_writer::Format;
use crate::stored::Stored;

/// What is spilled counts as a worktable's.
const WHAT: &str = "SpoolSpill";

/// The rows of a plan, for several readers.
#[derive(Debug, Default)]
pub struct Spool(Mutex<Option<Opened>>);

/// A spool in one run.
#[derive(Clone)]
struct Opened {
    schema: SchemaRef,
    rows: Shared<BoxFuture<'static, std::result::Result<Stored, Arc<DataFusionError>>>>,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opened")
    }
}

impl Spool {
    /// Begins a run, in which the plan, of one partition, gives the rows.
    pub fn open(&self, plan: &Arc<dyn ExecutionPlan>, task: &Arc<TaskContext>) {
        let (plan, schema, task) = (Arc::clone(plan), plan.schema(), Arc::clone(task));
        let rows = async move { computed(&plan, &task).await.map_err(Arc::new) };
        *self.0.lock() = Some(Opened { schema, rows: rows.boxed().shared() });
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
        let Opened { schema, rows } =
            opened.ok_or_else(|| DataFusionError::Internal("a spool was read that is not open".to_owned()))?;
        let rows = rows.map(|rows| rows.map_err(DataFusionError::Shared)?.into_stream());
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream::once(rows).try_flatten())))
    }
}

async fn computed(plan: &Arc<dyn ExecutionPlan>, task: &Arc<TaskContext>) -> Result<Stored> {
    let input = plan.execute(0, Arc::clone(task))?;
    let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
    let format = Arc::new(Format::new(WHAT, plan.schema(), task, metrics));
    let memory = MemoryConsumer::new("Spool").with_can_spill(true).register(task.memory_pool());
    Stored::all_of(input, &format, task.runtime_env(), memory).await
}
