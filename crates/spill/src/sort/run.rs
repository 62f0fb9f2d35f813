//! One run of one partition of a sort.

use std::ops::RangeInclusive;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::row::Rows;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, SpillFile, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::{BaselineMetrics, SpillMetrics};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{self, Stream, StreamExt, TryStreamExt};

use super::blocks::{Blocks, ENTRY_BYTES};
use super::first::First;
use super::keys::Keys;
use super::merge::merged;
use crate::grant::{goes_on, is_granted, part_of_grant};
use crate::hash_partition::{bytes_of, own_rows};
use crate::instead::Start;
use crate::run_writer::{Format, RunWriter};

/// Bytes of a run's batch, about: a merge holds one of each run. With little memory it is a smaller one.
const RUN_BATCH_BYTES: RangeInclusive<usize> = 32 << 10..=256 << 10;
/// As a part of the grant.
const GRANT_PARTS: usize = 64;
/// What a sort that leaves room to others takes of the grant.
const MODEST_PARTS: usize = 4;
/// What reading a run takes beside its batches: a chunk, and one that is read ahead.
const READ_BYTES: usize = 1 << 20;
/// Runs that are merged at once, whatever memory there is.
const MERGED_MIN: usize = 2;

/// A sorted run.
struct SortedRun {
    file: Option<Arc<dyn SpillFile>>,
    /// Of its largest batch.
    batch_bytes: usize,
}

impl SortedRun {
    /// What a merge takes for it: a batch, its keys, and one that was begun before.
    fn merge_bytes(&self) -> usize {
        3 * self.batch_bytes + READ_BYTES
    }
}

/// A sort in progress.
struct Sort {
    keys: Arc<Keys>,
    format: Format,
    task: Arc<TaskContext>,
    reservation: MemoryReservation,
    batch_rows: usize,
    output: BaselineMetrics,
    blocks: Blocks,
    /// There where only the first rows are wanted.
    first: Option<First>,
    /// Bytes of the rows in blocks.
    row_bytes: usize,
    runs: Vec<SortedRun>,
    /// What it holds at most, but for what a merge takes in any case.
    bytes_max: usize,
}

/// The rows of a partition.
pub(super) fn stream(sort: &SortExec, start: &Start<'_>) -> Result<SendableRecordBatchStream> {
    let Start { partition, task, metrics, leaves_room } = *start;
    let schema = sort.schema();
    let input = start.rows_of(sort.input())?;
    let consumer = MemoryConsumer::new(format!("SpillSort[{partition}]")).with_can_spill(true);
    let running = Sort {
        keys: Arc::new(Keys::of(sort)?),
        format: Format::new("SortSpill", Arc::clone(&schema), task, SpillMetrics::new(metrics, partition)),
        task: Arc::clone(task),
        reservation: consumer.register(task.memory_pool()),
        batch_rows: task.session_config().batch_size(),
        output: BaselineMetrics::new(metrics, partition),
        blocks: Blocks::default(),
        first: sort.fetch().map(First::new),
        row_bytes: 0,
        runs: Vec::new(),
        bytes_max: match leaves_room {
            true => part_of_grant(&**task.memory_pool(), MODEST_PARTS, 0..=usize::MAX),
            false => usize::MAX,
        },
    };
    let rows = stream::once(running.begin(input)).try_flatten();
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
}

impl Sort {
    /// Takes all rows, then gives them in order.
    async fn begin(mut self, mut input: SendableRecordBatchStream) -> Result<SendableRecordBatchStream> {
        while let Some(batch) = input.next().await.transpose()? {
            if batch.num_rows() > 0 {
                self.take(batch)?;
            }
        }
        drop(input);
        let rows = if self.runs.is_empty() { self.sorted(self.batch_rows) } else { self.merged().await? };
        let Sort { reservation, output, format, first, .. } = self;
        let rows = match first {
            Some(first) => first.cut(rows),
            None => rows,
        };
        let schema = Arc::clone(&format.schema);
        let counted = rows.inspect_ok(move |batch| {
            // Held as long as rows are given.
            let _held = &reservation;
            output.record_output(batch.num_rows());
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, counted)))
    }

    fn take(&mut self, batch: RecordBatch) -> Result<()> {
        let time = self.output.elapsed_compute().clone();
        let _running = time.timer();
        let batch = own_rows(batch)?;
        let keys = self.keys.of_rows(&batch)?;
        let Some((batch, keys)) = First::wanted(self.first.as_ref(), batch, keys, &self.keys)? else { return Ok(()) };
        self.hold(batch, keys)?;
        match self.first.as_ref().is_some_and(|first| first.is_enough(self.blocks.rows())) {
            true => self.let_go(),
            false => Ok(()),
        }
    }

    /// S4
    fn let_go(&mut self) -> Result<()> {
        let blocks = std::mem::take(&mut self.blocks);
        self.reservation.free();
        self.row_bytes = 0;
        let Some(mut first) = self.first.take() else { return Ok(()) };
        let mut left = first.rows;
        for batch in blocks.sorted(self.batch_rows) {
            let batch = first.next_of(batch?, &mut left, &self.keys)?;
            let keys = self.keys.of_rows(&batch)?;
            self.hold(batch, keys)?;
            if left == 0 {
                break;
            }
        }
        self.first = Some(first);
        Ok(())
    }

    fn hold(&mut self, batch: RecordBatch, keys: Rows) -> Result<()> {
        let row_bytes = bytes_of(&batch);
        let needed = row_bytes + keys.size() + batch.num_rows() * ENTRY_BYTES;
        if !self.reserve(self.reservation.size() + needed)? {
            self.spill()?;
            self.reservation.grow(needed);
        }
        self.row_bytes += row_bytes;
        self.blocks.add(batch, keys);
        Ok(())
    }

    /// Whether it may hold so many bytes; then it does.
    fn reserve(&self, bytes: usize) -> Result<bool> {
        Ok(bytes <= self.bytes_max && is_granted(self.reservation.try_resize(bytes))?)
    }

    /// What is in memory, in order.
    fn sorted(&mut self, batch_rows: usize) -> SendableRecordBatchStream {
        let memory = self.reservation.new_empty();
        let sorted = std::mem::take(&mut self.blocks).sorted(batch_rows);
        let sorted = sorted.map(move |batch| goes_on(&memory).and(batch));
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.format.schema), stream::iter(sorted)))
    }

    /// Makes a run of what is in memory.
    fn spill(&mut self) -> Result<()> {
        let blocks = std::mem::take(&mut self.blocks);
        if blocks.is_empty() {
            return Ok(());
        }
        let row_bytes = (self.row_bytes / blocks.rows()).max(1);
        let mut writer = SortedRunWriter::default();
        let mut left = self.first.as_ref().map_or(usize::MAX, |first| first.rows);
        let batch_bytes = part_of_grant(&**self.task.memory_pool(), GRANT_PARTS, RUN_BATCH_BYTES);
        for batch in blocks.sorted((batch_bytes / row_bytes).clamp(1, self.batch_rows)) {
            goes_on(&self.reservation)?;
            let batch = match &mut self.first {
                Some(first) => first.next_of(batch?, &mut left, &self.keys)?,
                None => batch?,
            };
            writer.write(&self.format, &self.task, batch)?;
            if left == 0 {
                break;
            }
        }
        self.runs.push(writer.finish()?);
        self.row_bytes = 0;
        self.reservation.free();
        Ok(())
    }

    /// Merges runs until all that are left can be merged at once, and merges those.
    async fn merged(&mut self) -> Result<SendableRecordBatchStream> {
        let last_bytes = self.reservation.size();
        // What is in memory stays there if that leaves room for a merge.
        let mut count = self.reserve_merge(last_bytes)?;
        if !self.blocks.is_empty() && count < self.runs.len() {
            self.spill()?;
            count = self.reserve_merge(0)?;
        }
        while count < self.runs.len() {
            self.merge_in_groups(count).await?;
            count = self.reserve_merge(0)?;
        }
        let mut streams = self.read(&self.runs)?;
        if !self.blocks.is_empty() {
            streams.push(self.sorted(self.batch_rows));
        }
        Ok(self.as_stream(merged(streams, Arc::clone(&self.keys), self.batch_rows, self.reservation.new_empty())))
    }

    /// Reserves, beside `held`, what a merge of as many runs as possible takes; how many those are.
    fn reserve_merge(&mut self, held: usize) -> Result<usize> {
        let mut bytes = held;
        for (count, run) in self.runs.iter().enumerate() {
            bytes += run.merge_bytes();
            if self.reserve(bytes)? {
                continue;
            }
            if count >= MERGED_MIN {
                return Ok(count);
            }
            self.reservation.resize(bytes);
        }
        Ok(self.runs.len())
    }

    /// Each `count` runs become one (S1: neighbours).
    async fn merge_in_groups(&mut self, count: usize) -> Result<()> {
        let runs = std::mem::take(&mut self.runs);
        for group in runs.chunks(count) {
            let mut rows = std::pin::pin!(merged(
                self.read(group)?,
                Arc::clone(&self.keys),
                self.batch_rows,
                self.reservation.new_empty()
            ));
            let mut writer = SortedRunWriter::default();
            while let Some(batch) = rows.next().await.transpose()? {
                writer.write(&self.format, &self.task, batch)?;
            }
            self.runs.push(writer.finish()?);
        }
        Ok(())
    }

    fn read(&self, runs: &[SortedRun]) -> Result<Vec<SendableRecordBatchStream>> {
        let runtime = self.task.runtime_env();
        runs.iter().map(|run| self.format.read(&runtime, run.file.clone())).collect()
    }

    fn as_stream(&self, rows: impl Stream<Item = Result<RecordBatch>> + Send + 'static) -> SendableRecordBatchStream {
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.format.schema), rows))
    }
}

/// Writes a run.
#[derive(Default)]
struct SortedRunWriter {
    writer: RunWriter,
    batch_bytes: usize,
}

impl SortedRunWriter {
    fn write(&mut self, format: &Format, task: &TaskContext, batch: RecordBatch) -> Result<()> {
        self.batch_bytes = self.batch_bytes.max(self.writer.append(format, &task.runtime_env(), batch)?);
        Ok(())
    }

    fn finish(self) -> Result<SortedRun> {
        Ok(SortedRun { file: self.writer.finish()?, batch_bytes: self.batch_bytes })
    }
}
