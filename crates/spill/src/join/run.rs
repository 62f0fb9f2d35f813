//! What a run of one partition of a join has wherever it is, of whatever kind the join is: its memory, and DataFusion's
//! join over two streams.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::{BaselineMetrics, SpillMetrics};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::once::OnceExec;
use super::shape::Join;
use crate::hash_partition::{bytes_of, own_rows};
use crate::instead::Start;
use crate::run_writer::Format;
use crate::stored::{Stored, reserve};

pub(super) struct JoinRun<J> {
    pub(super) join: Arc<J>,
    pub(super) task: Arc<TaskContext>,
    pub(super) left_format: Arc<Format>,
    pub(super) right_format: Arc<Format>,
    /// What a block or a pair takes; what DataFusion's join takes is on its own account.
    pub(super) reservation: MemoryReservation,
}

/// As many rows of a stream as there was memory for.
pub(super) struct Block {
    pub(super) batches: Vec<RecordBatch>,
    pub(super) rows: usize,
    /// Whether the stream has ended.
    pub(super) is_last: bool,
}

impl<J: Join> JoinRun<J> {
    pub(super) fn new(join: Arc<J>, start: &Start<'_>) -> Arc<JoinRun<J>> {
        let (task, partition) = (start.task, start.partition);
        let consumer = MemoryConsumer::new(format!("SpillJoin[{partition}]")).with_can_spill(true);
        let metrics = SpillMetrics::new(start.metrics, partition);
        let format =
            |side: &Arc<dyn ExecutionPlan>| Arc::new(Format::new(J::WHAT, side.schema(), task, metrics.clone()));
        let [left_format, right_format] = [join.children()[0], join.children()[1]].map(format);
        let reservation = consumer.register(task.memory_pool());
        Arc::new(JoinRun { join, task: Arc::clone(task), left_format, right_format, reservation })
    }

    /// The rows of a stream until the memory for them is used up, one batch at least.
    pub(super) async fn next_block(&self, rows: &mut SendableRecordBatchStream) -> Result<Block> {
        let mut block = Block { batches: Vec::new(), rows: 0, is_last: false };
        while let Some(batch) = rows.next().await.transpose()? {
            if batch.num_rows() == 0 {
                continue;
            }
            let batch = own_rows(batch)?;
            let fits = reserve(&self.reservation, needed_bytes::<J>(bytes_of(&batch), batch.num_rows()))?;
            block.rows += batch.num_rows();
            block.batches.push(batch);
            if !fits {
                return Ok(block);
            }
        }
        block.is_last = true;
        Ok(block)
    }

    /// The join of two streams; the left one's rows are its own to account for.
    pub(super) fn whole(
        &self,
        left: SendableRecordBatchStream,
        right: SendableRecordBatchStream,
    ) -> Result<SendableRecordBatchStream> {
        self.execute(self.join.over([OnceExec::of(left), OnceExec::of(right)])?)
    }

    /// Begins a join of this run; what was reserved for its left side is the join's to account for.
    pub(super) fn execute(&self, join: Arc<dyn ExecutionPlan>) -> Result<SendableRecordBatchStream> {
        self.reservation.free();
        join.execute(0, Arc::clone(&self.task))
    }

    /// Rows of the other side that a join without keys may meet with one row at once: it makes a row of each.
    pub(super) fn rows_at_once(&self) -> usize {
        // A batch is mostly somewhat longer than it should be.
        2 * self.task.session_config().batch_size()
    }

    /// All rows of a stream, to be read more than once.
    pub(super) async fn stored(&self, rows: SendableRecordBatchStream, format: &Arc<Format>) -> Result<Stored> {
        Stored::all_of(rows, format, self.task.runtime_env(), self.reservation.new_empty()).await
    }
}

/// What rows take on the left side: themselves, their copy when all are put together, and what the join keeps of each.
pub(super) fn needed_bytes<J: Join>(bytes: usize, rows: usize) -> usize {
    2 * bytes + rows * J::ROW_BYTES
}

/// The rows of a block, and then those that are left of the stream.
pub(super) fn before(block: Block, rest: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let schema = rest.schema();
    let all = stream::iter(block.batches.into_iter().map(Ok)).chain(rest);
    Box::pin(RecordBatchStreamAdapter::new(schema, all))
}

/// The rows of a stream, so many at a time at most.
pub(super) fn in_pieces(rows: SendableRecordBatchStream, rows_max: usize) -> SendableRecordBatchStream {
    let schema = rows.schema();
    let pieces = rows.map_ok(move |batch| {
        let rows = batch.num_rows();
        let piece = move |from| Ok(batch.slice(from, rows_max.min(rows - from)));
        stream::iter((0..rows).step_by(rows_max).map(piece))
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, pieces.try_flatten()))
}

/// Rows that something which still runs will give, counted.
pub(super) fn counted(
    schema: SchemaRef,
    begin: impl Future<Output = Result<SendableRecordBatchStream>> + Send + 'static,
    output: BaselineMetrics,
) -> SendableRecordBatchStream {
    let rows = stream::once(begin).try_flatten();
    let counted = rows.inspect_ok(move |batch| output.record_output(batch.num_rows()));
    Box::pin(RecordBatchStreamAdapter::new(schema, counted))
}
