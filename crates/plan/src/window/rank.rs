//! Numbers and ranks of rows.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array};
use datafusion::arrow::datatypes::Int64Type;
use millpond_message::error::{SqlError, SqlResult};

use crate::window::args::Args;
use crate::window::chunk::Chunk;
use crate::window::evaluate::Evaluate;

/// ROW_NUMBER
pub(crate) struct RowNumber;

impl Evaluate for RowNumber {
    fn evaluate(&mut self, chunk: &Chunk, _args: &Args<'_>) -> SqlResult<ArrayRef> {
        let mut numbers = Vec::with_capacity(chunk.rows.len());
        for partition in chunk.partitions() {
            numbers.extend(chunk.own(&partition).map(|row| (row - partition.start) as i64 + 1));
        }
        Ok(Arc::new(Int64Array::from(numbers)))
    }
}

/// RANK
pub(crate) struct Rank;

impl Evaluate for Rank {
    fn evaluate(&mut self, chunk: &Chunk, _args: &Args<'_>) -> SqlResult<ArrayRef> {
        let mut ranks = Vec::with_capacity(chunk.rows.len());
        chunk.each_row(|place| {
            ranks.push((place.peers.start - place.partition.start) as i64 + 1);
            Ok(())
        })?;
        Ok(Arc::new(Int64Array::from(ranks)))
    }
}

/// DENSE_RANK
#[derive(Default)]
pub(crate) struct DenseRank {
    rank: i64,
}

impl Evaluate for DenseRank {
    fn evaluate(&mut self, chunk: &Chunk, _args: &Args<'_>) -> SqlResult<ArrayRef> {
        let mut ranks = Vec::with_capacity(chunk.rows.len());
        chunk.each_row(|place| {
            if place.begins_partition() {
                self.rank = 0;
            }
            if place.begins_peers() {
                self.rank += 1;
            }
            ranks.push(self.rank);
            Ok(())
        })?;
        Ok(Arc::new(Int64Array::from(ranks)))
    }
}

/// NTILE: the first parts are one row longer when the partition cannot be divided evenly.
#[derive(Default)]
pub(crate) struct Ntile {
    /// Of the last partition.
    parts: usize,
}

impl Evaluate for Ntile {
    fn evaluate(&mut self, chunk: &Chunk, args: &Args<'_>) -> SqlResult<ArrayRef> {
        let counts = args.own.columns[0].as_primitive::<Int64Type>();
        let mut tiles = Vec::with_capacity(chunk.rows.len());
        chunk.each_row(|place| {
            if place.begins_partition() {
                let own = place.row - chunk.rows.start;
                let parts = counts.is_valid(own).then(|| usize::try_from(counts.value(own)).unwrap_or(0));
                self.parts = parts.filter(|parts| *parts > 0).ok_or_else(no_tiles)?;
            }
            let (short, longer) = (place.partition.len() / self.parts, place.partition.len() % self.parts);
            let (at, in_longer) = (place.row - place.partition.start, longer * (short + 1));
            let tile = if at < in_longer { at / (short + 1) } else { longer + (at - in_longer) / short.max(1) };
            tiles.push(tile as i64 + 1);
            Ok(())
        })?;
        Ok(Arc::new(Int64Array::from(tiles)))
    }
}

/// 4116
fn no_tiles() -> SqlError {
    SqlError::of(4116, 1, &[])
}

/// PERCENT_RANK: the share of the other rows that rank before.
pub(crate) struct PercentRank;

impl Evaluate for PercentRank {
    fn evaluate(&mut self, chunk: &Chunk, _args: &Args<'_>) -> SqlResult<ArrayRef> {
        let mut shares = Vec::with_capacity(chunk.rows.len());
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
pub(crate) struct CumeDist;

impl Evaluate for CumeDist {
    fn evaluate(&mut self, chunk: &Chunk, _args: &Args<'_>) -> SqlResult<ArrayRef> {
        let mut shares = Vec::with_capacity(chunk.rows.len());
        chunk.each_row(|place| {
            let so_far = place.peers.end - place.partition.start;
            shares.push(so_far as f64 / place.partition.len() as f64);
            Ok(())
        })?;
        Ok(Arc::new(Float64Array::from(shares)))
    }
}
