//! Spilled batches that come back in any order, each by its number.
//!
//! What always holds: each batch is a run of its own, so what is read is that batch alone.

use std::ops::RangeInclusive;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::ipc::reader::StreamDecoder;
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion::execution::{SpillFile, TaskContext};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use futures::{FutureExt, StreamExt};

use crate::grant::part_of_grant;
use crate::run_writer::{Format, RunWriter};

/// Bytes that are worth a run of their own, and bytes that are worth no more.
const BATCH_BYTES: RangeInclusive<usize> = 64 << 10..=4 << 20;
/// As a part of the grant.
const GRANT_PARTS: usize = 8;

/// Batches of one schema.
pub struct SpilledBatches {
    format: Format,
    task: Arc<TaskContext>,
    runs: Vec<Arc<dyn SpillFile>>,
}

impl std::fmt::Debug for SpilledBatches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SpilledBatches({} batches)", self.runs.len())
    }
}

impl SpilledBatches {
    /// An empty one in the files of the task. They are those of a [`SpillSpace`](crate::SpillSpace), which can be read
    /// whenever they are asked; `what` is counted as a sort's when it begins with "Sort".
    #[must_use]
    pub fn new(what: &'static str, schema: SchemaRef, task: &Arc<TaskContext>) -> SpilledBatches {
        let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
        let format = Format::new(what, schema, task, metrics);
        SpilledBatches { format, task: Arc::clone(task), runs: Vec::new() }
    }

    /// Bytes of a batch of which so many at once are an eighth of the task's memory.
    #[must_use]
    pub fn batch_bytes(task: &TaskContext, at_once: usize) -> usize {
        part_of_grant(&**task.memory_pool(), GRANT_PARTS * at_once.max(1), BATCH_BYTES)
    }

    /// Spills a batch; its number is how many there were before it.
    ///
    /// # Errors
    /// Those of the files.
    pub fn push(&mut self, batch: RecordBatch) -> Result<()> {
        let mut run = RunWriter::default();
        run.append(&self.format, &self.task.runtime_env(), batch)?;
        self.runs.extend(run.finish()?);
        Ok(())
    }

    /// The batch of that number.
    ///
    /// # Errors
    /// Those of the files; an internal one when there is no such batch, or when the files let their reader wait.
    pub fn read(&self, number: usize) -> Result<RecordBatch> {
        let run = self.runs.get(number).ok_or_else(|| internal_datafusion_err!("no batch {number} was spilled"))?;
        let (mut chunks, mut decoder) = (run.read_stream()?, StreamDecoder::new());
        loop {
            let chunk = chunks.next().now_or_never();
            let chunk = chunk.ok_or_else(|| internal_datafusion_err!("a file of spilled batches is not ready"))?;
            let chunk =
                chunk.ok_or_else(|| internal_datafusion_err!("a file of spilled batches ends before its batch"))??;
            let mut bytes = Buffer::from(chunk);
            while !bytes.is_empty() {
                if let Some(batch) = decoder.decode(&mut bytes)? {
                    return Ok(batch);
                }
            }
        }
    }
}
