//! Rows in memory, in sorted blocks.

use std::cmp::Ordering;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::interleave_record_batch;
use datafusion::arrow::row::Rows;
use datafusion::error::Result;

use super::keys::Prefix;
use super::tournament::{Heads, Tournament};
use crate::cut::{FULL_BYTES, RowBytes};

/// Rows of a block: its entries stay in a processor's cache while they are sorted.
const BLOCK_ROWS: usize = 1 << 16;

/// A row: the begin of its key, and where it is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    prefix: Prefix,
    batch: u32,
    row: u32,
}

/// Bytes that a row takes beside its batch and its key.
pub(super) const ENTRY_BYTES: usize = size_of::<Entry>();

#[derive(Default)]
pub(super) struct Blocks {
    batches: Vec<RecordBatch>,
    row_bytes: Vec<RowBytes>,
    keys: Vec<Rows>,
    blocks: Vec<Vec<Entry>>,
    /// The block that rows come into.
    open: Vec<Entry>,
    rows: usize,
}

impl Blocks {
    pub(super) fn add(&mut self, batch: RecordBatch, keys: Rows) {
        let at = self.batches.len() as u32;
        let entry = |(row, key): (usize, datafusion::arrow::row::Row<'_>)| Entry {
            prefix: Prefix::of(key.as_ref()),
            batch: at,
            row: row as u32,
        };
        self.open.extend(keys.iter().enumerate().map(entry));
        self.rows += batch.num_rows();
        self.row_bytes.push(RowBytes::of(&batch));
        self.batches.push(batch);
        self.keys.push(keys);
        if self.open.len() >= BLOCK_ROWS {
            self.close();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    fn close(&mut self) {
        let mut block = std::mem::take(&mut self.open);
        // A row's place breaks ties: rows with equal keys stay in their order (S1).
        block.sort_unstable_by(|a, b| compare(&self.keys, a, b).then((a.batch, a.row).cmp(&(b.batch, b.row))));
        self.blocks.push(block);
    }

    /// The rows in order, in batches of so many, or fewer where they are large.
    pub(super) fn sorted(mut self, batch_rows: usize) -> Sorted {
        if !self.open.is_empty() {
            self.close();
        }
        let heads = BlockHeads { keys: self.keys, next: vec![0; self.blocks.len()], blocks: self.blocks };
        let tournament = (heads.count() > 0).then(|| Tournament::of(&heads));
        let Blocks { batches, row_bytes, .. } = self;
        Sorted { batches, row_bytes, heads, tournament, batch_rows: batch_rows.max(1) }
    }
}

fn compare(keys: &[Rows], a: &Entry, b: &Entry) -> Ordering {
    let key = |entry: &Entry| keys[entry.batch as usize].row(entry.row as usize);
    a.prefix.cmp(&b.prefix).then_with(|| key(a).cmp(&key(b)))
}

struct BlockHeads {
    keys: Vec<Rows>,
    blocks: Vec<Vec<Entry>>,
    next: Vec<usize>,
}

impl BlockHeads {
    fn head(&self, block: usize) -> Option<&Entry> {
        self.blocks[block].get(self.next[block])
    }
}

impl Heads for BlockHeads {
    fn count(&self) -> usize {
        self.blocks.len()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        match (self.head(a), self.head(b)) {
            (Some(a), Some(b)) => compare(&self.keys, a, b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }
}

/// Gives batches in order.
pub(super) struct Sorted {
    batches: Vec<RecordBatch>,
    row_bytes: Vec<RowBytes>,
    heads: BlockHeads,
    tournament: Option<Tournament>,
    batch_rows: usize,
}

impl Iterator for Sorted {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        let tournament = self.tournament.as_mut()?;
        let (mut places, mut bytes) = (Vec::with_capacity(self.batch_rows), 0);
        while places.len() < self.batch_rows
            && bytes < FULL_BYTES
            && let Some(entry) = self.heads.head(tournament.winner())
        {
            let (batch, row) = (entry.batch as usize, entry.row as usize);
            bytes += self.row_bytes[batch].of_row(&self.batches[batch], row);
            places.push((batch, row));
            self.heads.next[tournament.winner()] += 1;
            tournament.replay(&self.heads);
        }
        if places.is_empty() {
            return None;
        }
        Some(gathered(&self.batches, &mut places))
    }
}

/// The rows at these places. Only the batches that they are of are looked at: of rows that are expected to be wide and are not
/// there are thousands of batches, and as many calls.
fn gathered(batches: &[RecordBatch], places: &mut [(usize, usize)]) -> Result<RecordBatch> {
    let mut used: Vec<usize> = places.iter().map(|(batch, _)| *batch).collect();
    used.sort_unstable();
    used.dedup();
    for (batch, _) in places.iter_mut() {
        *batch = used.partition_point(|known| *known < *batch);
    }
    let batches: Vec<&RecordBatch> = used.into_iter().map(|batch| &batches[batch]).collect();
    Ok(interleave_record_batch(&batches, places)?)
}
