//! One run of one partition of an aggregate.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::{BaselineMetrics, SpillMetrics};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{self, StreamExt};

use super::ahead::Ahead;
use super::parts::{Finished, Parts, Room};
use super::shape::Shape;
use crate::instead::Start;
use crate::run_writer::Format;

/// The rows of a partition.
pub(super) fn stream(aggregate: &AggregateExec, start: &Start<'_>) -> Result<SendableRecordBatchStream> {
    let Start { partition, task, metrics, .. } = *start;
    let shape = Arc::new(Shape::of(aggregate)?);
    let schema = Arc::clone(&shape.result_schema);
    let run = AggregateRun {
        input: start.rows_of(aggregate.input())?,
        phase: Phase::new(shape, task, partition, SpillMetrics::new(metrics, partition))?,
        ready: VecDeque::new(),
        batch_rows: task.session_config().batch_size(),
        output: BaselineMetrics::new(metrics, partition),
    };
    let rows = stream::try_unfold(run, |mut run| async move { Ok(run.next().await?.map(|batch| (batch, run))) });
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
}

struct AggregateRun {
    input: SendableRecordBatchStream,
    phase: Phase,
    ready: VecDeque<RecordBatch>,
    batch_rows: usize,
    output: BaselineMetrics,
}

/// How far a run is.
enum Phase {
    /// Rows come in. Parts: none as long as all groups are in one table, and none where states are the result.
    Taking { ahead: Box<Ahead>, parts: Option<Parts>, room: Arc<Room> },
    /// Parts become results, the last one first divided.
    Giving(Vec<(Parts, usize)>),
}

impl Phase {
    fn new(shape: Arc<Shape>, task: &TaskContext, partition: usize, metrics: SpillMetrics) -> Result<Phase> {
        let reservation = MemoryConsumer::new(format!("SpillAggregate[{partition}]"))
            .with_can_spill(true)
            .register(task.memory_pool());
        let format = Format::new("HashAggregateSpill", Arc::clone(&shape.state_schema), task, metrics);
        let room = Room {
            shape: Arc::clone(&shape),
            format: Arc::new(format),
            runtime: task.runtime_env(),
            reservation: reservation.new_empty(),
        };
        let memory = Arc::clone(task.memory_pool());
        Ok(Phase::Taking {
            ahead: Box::new(Ahead::new(shape, memory, reservation)?),
            parts: None,
            room: Arc::new(room),
        })
    }
}

impl AggregateRun {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                self.output.record_output(batch.num_rows());
                return Ok(Some(batch));
            }
            match &mut self.phase {
                Phase::Taking { .. } => match self.input.next().await.transpose()? {
                    Some(rows) => self.take(&rows)?,
                    None => self.close()?,
                },
                Phase::Giving(parts) => match AggregateRun::finish_next(parts).await? {
                    Some(results) => self.put(results),
                    None => return Ok(None),
                },
            }
        }
    }

    /// Takes rows of the input.
    fn take(&mut self, rows: &RecordBatch) -> Result<()> {
        let time = self.output.elapsed_compute().clone();
        let _running = time.timer();
        let Phase::Taking { ahead, parts, room } = &mut self.phase else { return Ok(()) };
        let Some(states) = ahead.add(rows)? else { return Ok(()) };
        if room.shape.gives_states {
            self.put(states);
            return Ok(());
        }
        parts.get_or_insert_with(|| Parts::new(Arc::clone(room), 0)).add(states)
    }

    /// The input has ended.
    fn close(&mut self) -> Result<()> {
        let time = self.output.elapsed_compute().clone();
        let _running = time.timer();
        let Phase::Taking { ahead, parts, .. } = &mut self.phase else { return Ok(()) };
        let mut next = Vec::new();
        match parts.take() {
            None => {
                let results = ahead.take_results()?;
                self.put(results);
            }
            Some(mut parts) => {
                parts.add(ahead.take_states()?)?;
                parts.close()?;
                next.push((parts, 0));
            }
        }
        self.phase = Phase::Giving(next);
        Ok(())
    }

    /// The results of the next part; `None`: there are no more.
    async fn finish_next(levels: &mut Vec<(Parts, usize)>) -> Result<Option<RecordBatch>, DataFusionError> {
        while let Some((parts, next)) = levels.last_mut() {
            if *next == parts.len() {
                levels.pop();
                continue;
            }
            *next += 1;
            match parts.finish(*next - 1).await? {
                Finished::Results(results) => return Ok(Some(results)),
                Finished::Divided(parts) => levels.push((parts, 0)),
            }
        }
        Ok(None)
    }

    /// Hands on a batch in pieces of the usual size.
    fn put(&mut self, batch: RecordBatch) {
        let rows = batch.num_rows();
        let piece = |from: usize| batch.slice(from, self.batch_rows.min(rows - from));
        self.ready.extend((0..rows).step_by(self.batch_rows.max(1)).map(piece));
    }
}
