//! Numbers and ranks of rows.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array};
use datafusion::arrow::datatypes::Int64Type;

use super::call::Evaluate;
use super::chunk::Chunk;
use crate::error::{SqlError, SqlResult};

/// ROW_NUMBER
#[derive(Default)]
pub(super) struct RowNumber {
    /// Rows of the last partition so far.
    seen: i64,
}

impl Evaluate for RowNumber {
    fn evaluate(&mut self, chunk: &Chunk<'_>, _args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let mut numbers = Vec::with_capacity(chunk.rows);
        for (index, partition) in chunk.partitions().enumerate() {
            if index > 0 || !chunk.continues_partition {
                self.seen = 0;
            }
            let rows = partition.len() as i64;
            numbers.extend(self.seen + 1..=self.seen + rows);
            self.seen += rows;
        }
        Ok(Arc::new(Int64Array::from(numbers)))
    }
}

/// RANK
#[derive(Default)]
pub(super) struct Rank {
    /// Rows of the last partition so far.
    seen: i64,
    rank: i64,
}

impl Evaluate for Rank {
    fn evaluate(&mut self, chunk: &Chunk<'_>, _args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let mut ranks = Vec::with_capacity(chunk.rows);
        chunk.each_row(|place| {
            if chunk.begins_partition(place) {
                self.seen = 0;
            }
            if chunk.begins_peers(place) {
                self.rank = self.seen + 1;
            }
            self.seen += 1;
            ranks.push(self.rank);
            Ok(())
        })?;
        Ok(Arc::new(Int64Array::from(ranks)))
    }
}

/// DENSE_RANK
#[derive(Default)]
pub(super) struct DenseRank {
    rank: i64,
}

impl Evaluate for DenseRank {
    fn evaluate(&mut self, chunk: &Chunk<'_>, _args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let mut ranks = Vec::with_capacity(chunk.rows);
        chunk.each_row(|place| {
            if chunk.begins_partition(place) {
                self.rank = 0;
            }
            if chunk.begins_peers(place) {
                self.rank += 1;
            }
            ranks.push(self.rank);
            Ok(())
        })?;
        Ok(Arc::new(Int64Array::from(ranks)))
    }
}

/// NTILE: the first parts are one row longer when the partition cannot be divided evenly.
pub(super) struct Ntile;

impl Evaluate for Ntile {
    fn evaluate(&mut self, chunk: &Chunk<'_>, args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let counts = args[0].as_primitive::<Int64Type>();
        let mut tiles = Vec::with_capacity(chunk.rows);
        for partition in chunk.partitions() {
            let first = partition.start;
            let parts = if counts.is_valid(first) { u64::try_from(counts.value(first)).unwrap_or(0) } else { 0 };
            if parts == 0 {
                return Err(no_tiles());
            }
            let rows = partition.len() as u64;
            let (short, longer) = (rows / parts, rows % parts);
            for place in 0..rows {
                chunk.watch(place as usize)?;
                let in_longer = longer * (short + 1);
                let tile =
                    if place < in_longer { place / (short + 1) } else { longer + (place - in_longer) / short.max(1) };
                tiles.push(tile as i64 + 1);
            }
        }
        Ok(Arc::new(Int64Array::from(tiles)))
    }
}

/// 4116
fn no_tiles() -> SqlError {
    let text = "The function 'ntile' takes only a positive int or bigint expression as its input.";
    SqlError::new(4116, 16, 1, text)
}

/// PERCENT_RANK: the share of the other rows that rank before.
pub(super) struct PercentRank;

impl Evaluate for PercentRank {
    fn evaluate(&mut self, chunk: &Chunk<'_>, _args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let mut shares = Vec::with_capacity(chunk.rows);
        chunk.each_row(|place| {
            let others = place.partition.len() - 1;
            let before = place.peers.start - place.partition.start;
            shares.push(if others == 0 { 0.0 } else { before as f64 / others as f64 });
            Ok(())
        })?;
        Ok(Arc::new(Float64Array::from(shares)))
    }
}

/// CUME_DIST: the share of the rows that rank no later.
pub(super) struct CumeDist;

impl Evaluate for CumeDist {
    fn evaluate(&mut self, chunk: &Chunk<'_>, _args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let mut shares = Vec::with_capacity(chunk.rows);
        chunk.each_row(|place| {
            let so_far = place.peers.end - place.partition.start;
            shares.push(so_far as f64 / place.partition.len() as f64);
            Ok(())
        })?;
        Ok(Arc::new(Float64Array::from(shares)))
    }
}
