//! Rows hash-partitioned by their keys.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::{interleave_record_batch, take_record_batch};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::hash_utils::{RandomState, create_hashes};
use datafusion::error::Result;
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::physical_expr::PhysicalExprRef;

use crate::grant::part_of_grant;

/// Parts of a hash partitioning, a power of two: many where there is memory, so that a part fits later on however many
/// rows there are; few where there is little, as each write of a part is no larger than what is held of it.
const PARTS: RangeInclusive<usize> = 16..=128;
/// What is worth holding of a part.
const PART_BYTES: usize = 128 << 10;
/// Hashes tried before a key is taken to be too frequent: 16⁴ at least.
pub(crate) const LEVELS_MAX: u32 = 4;
/// Rows are partitioned when there are so many bytes of them, so that each part gets some dozen kilobytes at a time;
/// with little memory fewer.
const FLUSH_BYTES: RangeInclusive<usize> = 256 << 10..=4 << 20;
/// As a part of the grant.
const GRANT_PARTS: usize = 32;
/// Or so many rows.
const FLUSH_ROWS: usize = 1 << 16;
/// What a batch may have beside its rows.
const SLACK_BYTES: usize = 64 << 10;

/// How many parts there are with the memory that there is now.
pub(crate) fn parts_within(memory: &dyn MemoryPool) -> usize {
    let parts = part_of_grant(memory, PART_BYTES, PARTS);
    1 << parts.ilog2()
}

/// Rows of a batch that have so many bytes on average are partitioned one by one.
const LARGE_ROW_BYTES: usize = 64 << 10;

/// Rows of one part.
pub(crate) struct PartRows {
    pub(crate) part: usize,
    pub(crate) rows: RecordBatch,
}

/// Collects rows until there are enough to partition them. A large row that comes alone ([`row_by_row`]) goes to its part at
/// once, as it is.
pub(crate) struct HashPartitioner {
    keys: Vec<PhysicalExprRef>,
    random: RandomState,
    parts: usize,
    flush_bytes: usize,
    pending: Vec<RecordBatch>,
    pending_bytes: usize,
    pending_rows: usize,
}

impl HashPartitioner {
    /// To so many parts ([`parts_within`]). `seed` chooses the hash. It is none of those by which other operators
    /// partition rows, or all would come to one part.
    pub(crate) fn new(keys: Vec<PhysicalExprRef>, seed: u64, parts: usize, memory: &dyn MemoryPool) -> HashPartitioner {
        let random = RandomState::with_seed(seed);
        let flush_bytes = part_of_grant(memory, GRANT_PARTS, FLUSH_BYTES);
        HashPartitioner { keys, random, parts, flush_bytes, pending: Vec::new(), pending_bytes: 0, pending_rows: 0 }
    }

    /// What it holds before it partitions, at most about.
    pub(crate) fn flush_bytes(&self) -> usize {
        self.flush_bytes
    }

    /// Takes rows; when there are enough of them, all are partitioned.
    pub(crate) fn add(&mut self, batch: RecordBatch) -> Result<Vec<PartRows>> {
        let bytes = bytes_of(&batch);
        if batch.num_rows() == 1 && bytes >= LARGE_ROW_BYTES {
            let mut partitioned = self.flush()?;
            let part = self.parts_of(&batch)?[0];
            partitioned.push(PartRows { part, rows: own_rows(batch)? });
            return Ok(partitioned);
        }
        self.pending_bytes += bytes;
        self.pending_rows += batch.num_rows();
        self.pending.push(batch);
        let is_enough = self.pending_bytes >= self.flush_bytes || self.pending_rows >= FLUSH_ROWS;
        if is_enough { self.flush() } else { Ok(Vec::new()) }
    }

    /// Partitions what there is.
    pub(crate) fn flush(&mut self) -> Result<Vec<PartRows>> {
        let mut places: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.parts];
        for (at, batch) in self.pending.iter().enumerate() {
            for (row, part) in self.parts_of(batch)?.into_iter().enumerate() {
                places[part].push((at, row));
            }
        }
        let batches: Vec<&RecordBatch> = self.pending.iter().collect();
        let partitioned = places.iter().enumerate().filter(|(_, places)| !places.is_empty());
        let partitioned =
            partitioned.map(|(part, places)| Ok(PartRows { part, rows: interleave_record_batch(&batches, places)? }));
        let partitioned = partitioned.collect::<Result<Vec<PartRows>>>()?;
        (self.pending_bytes, self.pending_rows) = (0, 0);
        self.pending.clear();
        Ok(partitioned)
    }

    fn parts_of(&self, batch: &RecordBatch) -> Result<Vec<usize>> {
        let values = self.keys.iter().map(|key| key.evaluate(batch)?.into_array(batch.num_rows()));
        let values = values.collect::<Result<Vec<_>>>()?;
        let mut hashes = vec![0; batch.num_rows()];
        create_hashes(&values, &self.random, &mut hashes)?;
        // The upper bits: a hash table takes the lower ones.
        Ok(hashes.into_iter().map(|hash| (hash >> (64 - self.parts.ilog2())) as usize).collect())
    }
}

/// The batch, or where its rows are large each of them in buffers of its own, and what is held of the whole batch beside it:
/// an operator that keeps rows can then spill some before the next one is copied.
pub(crate) fn row_by_row(batch: RecordBatch) -> Pieces {
    let (rows, bytes) = (batch.num_rows(), bytes_of(&batch));
    let is_large = rows > 1 && bytes >= LARGE_ROW_BYTES * rows;
    let (rows, bytes) = if is_large { (0..rows, bytes) } else { (0..1, 0) };
    Pieces { batch: Some(batch), rows, bytes }
}

/// See [`row_by_row`].
pub(crate) struct Pieces {
    /// None once it was given whole.
    batch: Option<RecordBatch>,
    rows: Range<usize>,
    bytes: usize,
}

impl Pieces {
    /// How many are left.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Of the whole batch, which is held until the last piece is asked for; none where the batch is the piece.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Iterator for Pieces {
    type Item = Result<(RecordBatch, usize)>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        if self.bytes == 0 {
            return self.batch.take().map(|batch| Ok((batch, 0)));
        }
        let rows = take_record_batch(self.batch.as_ref()?, &UInt32Array::from(vec![row as u32]));
        Some(rows.map(|rows| (rows, self.bytes)).map_err(Into::into))
    }
}

/// A batch of arrays; it may have rows without columns.
pub(crate) fn batch_of(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

/// Bytes of a batch's own rows: one may be a part of a larger one, whose buffers it shares.
pub(crate) fn bytes_of(batch: &RecordBatch) -> usize {
    let of_column =
        |column: &ArrayRef| column.to_data().get_slice_memory_size().unwrap_or(column.get_array_memory_size());
    batch.columns().iter().map(of_column).sum()
}

/// The batch's rows in buffers of their own, if those that it has are much larger: what holds many parts of one large
/// batch is otherwise charged for all of it with each.
pub(crate) fn own_rows(batch: RecordBatch) -> Result<RecordBatch> {
    if batch.get_array_memory_size() <= 2 * bytes_of(&batch) + SLACK_BYTES {
        return Ok(batch);
    }
    let all: UInt32Array = (0..batch.num_rows() as u32).collect();
    Ok(take_record_batch(&batch, &all)?)
}
