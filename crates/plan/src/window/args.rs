//! The arguments of a call, for all rows that it may look at.
//!
//! ```text
//!   rows that fit:        one block, the chunk's own
//!   rows that do not:     own block of the chunk   │ all blocks of the partition, spilled, read one at a time
//! ```
//! G1: a call holds a block or two of what was spilled, however many rows its partition has.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, UInt64Array, new_null_array};
use datafusion::arrow::compute::{interleave, take};
use datafusion::arrow::error::ArrowError;
use datafusion::error::Result;
use millpond_message::error::{SqlError, SqlResult};
use millpond_spill::SpilledBatches;

use crate::run::failure;

/// Arguments of rows that follow each other.
#[derive(Clone)]
pub(crate) struct Block {
    /// The first row, counted over all of the input.
    pub(crate) first: usize,
    pub(crate) rows: usize,
    pub(crate) columns: Vec<ArrayRef>,
}

impl Block {
    pub(crate) fn covers(&self, row: usize) -> bool {
        (self.first..self.end()).contains(&row)
    }

    pub(crate) fn end(&self) -> usize {
        self.first + self.rows
    }

    /// The first argument of some of its rows.
    fn column(&self, rows: &Range<usize>) -> ArrayRef {
        self.columns[0].slice(rows.start - self.first, rows.len())
    }
}

/// Blocks that were spilled: those of all rows that wait for the end of a partition or of its peers.
#[derive(Debug)]
pub(crate) struct SpilledArgs {
    batches: SpilledBatches,
    /// First rows of the blocks, then the row after the last.
    ends: Vec<usize>,
    /// For each block, how many rows before it have a first argument that is not NULL; then how many have in all.
    given: Vec<usize>,
}

impl SpilledArgs {
    pub(crate) fn new(batches: SpilledBatches, first: usize) -> SpilledArgs {
        SpilledArgs { batches, ends: vec![first], given: vec![0] }
    }

    /// Spills the arguments of the next rows; there is one at least.
    pub(crate) fn push(&mut self, args: RecordBatch) -> Result<()> {
        let (rows, nulls) = (args.num_rows(), args.column(0).null_count());
        self.ends.push(self.ends[self.ends.len() - 1] + rows);
        self.given.push(self.given[self.given.len() - 1] + rows - nulls);
        self.batches.push(args)
    }

    fn number_of(&self, row: usize) -> usize {
        self.ends.partition_point(|first| *first <= row) - 1
    }

    fn read(&self, number: usize) -> SqlResult<Block> {
        let batch = self.batches.read(number).map_err(failure::to_sql)?;
        Ok(Block { first: self.ends[number], rows: batch.num_rows(), columns: batch.columns().to_vec() })
    }
}

/// An array and a place in it.
type At = (usize, usize);

/// What a call is given.
pub(crate) struct Args<'a> {
    /// Arguments of the chunk's rows.
    pub(crate) own: Block,
    /// Those of all rows that wait with the chunk, of which it is a block; none: there are no others.
    pub(crate) spilled: Option<&'a SpilledArgs>,
}

/// An error of Arrow's.
pub(crate) fn arrow(error: ArrowError) -> SqlError {
    failure::to_sql(error.into())
}

impl Args<'_> {
    /// The block that has the row; a call without arguments has one block of all rows.
    pub(crate) fn at(&self, row: usize) -> SqlResult<Block> {
        if self.own.columns.is_empty() {
            return Ok(Block { first: 0, rows: usize::MAX, columns: Vec::new() });
        }
        match self.spilled {
            _ if self.own.covers(row) => Ok(self.own.clone()),
            Some(spilled) => spilled.read(spilled.number_of(row)),
            None => Err(failure::internal("a row that a call may not look at")),
        }
    }

    /// Rows of a partition whose first argument is not NULL.
    pub(crate) fn given_in(&self, partition: &Range<usize>) -> usize {
        match self.spilled {
            Some(spilled) => spilled.given[spilled.given.len() - 1],
            None => partition.len() - self.own.column(partition).null_count(),
        }
    }

    /// From each row the nearest one whose first argument is not NULL, itself or one before it, or else after it; it may be of
    /// another partition.
    pub(crate) fn nearest_given(&self, rows: &[Option<usize>], backwards: bool) -> SqlResult<Vec<Option<usize>>> {
        let mut wanted: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, row) in rows.iter().enumerate() {
            if let Some(row) = *row {
                wanted.entry(self.spilled.map_or(0, |spilled| spilled.number_of(row))).or_default().push((at, row));
            }
        }
        let mut ranks = vec![None; rows.len()];
        for (number, wanted) in wanted {
            let block = self.at(self.spilled.map_or(self.own.first, |spilled| spilled.ends[number]))?;
            let mut before = self.spilled.map_or(0, |spilled| spilled.given[number]);
            let ranks_of_block: Vec<Option<usize>> = (0..block.rows)
                .map(|row| {
                    let is_given = block.columns[0].is_valid(row);
                    let rank = if is_given || !backwards { Some(before) } else { before.checked_sub(1) };
                    before += usize::from(is_given);
                    rank
                })
                .collect();
            wanted.into_iter().for_each(|(at, row)| ranks[at] = ranks_of_block[row - block.first]);
        }
        self.given_at(&ranks)
    }

    /// The rows that have so many before them whose first argument is not NULL, and themselves one that is not.
    pub(crate) fn given_at(&self, ranks: &[Option<usize>]) -> SqlResult<Vec<Option<usize>>> {
        let blocks = self.spilled.map_or(&[0][..], |spilled| &spilled.given[..spilled.given.len() - 1]);
        let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, rank) in ranks.iter().enumerate() {
            if let Some(rank) = *rank {
                wanted.entry(blocks.partition_point(|before| *before <= rank) - 1).or_default().push(at);
            }
        }
        let mut found = vec![None; ranks.len()];
        for (number, wanted) in wanted {
            let block = self.at(self.spilled.map_or(self.own.first, |spilled| spilled.ends[number]))?;
            let given: Vec<usize> = (0..block.rows).filter(|row| block.columns[0].is_valid(*row)).collect();
            for at in wanted {
                let place = ranks[at].and_then(|rank| given.get(rank - blocks[number]));
                found[at] = place.map(|row| block.first + row);
            }
        }
        Ok(found)
    }

    /// The first argument of a row for each of the chunk's; none: the default of the chunk's own row, or NULL.
    pub(crate) fn pick(&self, places: &[Option<usize>], defaults: Option<&ArrayRef>) -> SqlResult<ArrayRef> {
        let is_own = |place: &Option<usize>| place.is_none_or(|place| self.own.covers(place));
        if defaults.is_none() && places.iter().all(is_own) {
            let rows: UInt64Array = places.iter().map(|place| place.map(|row| (row - self.own.first) as u64)).collect();
            return take(&self.own.columns[0], &rows, None).map_err(arrow);
        }
        let null = new_null_array(self.own.columns[0].data_type(), 1);
        let (parts, at) = self.parts_of(places)?;
        let mut arrays: Vec<&dyn Array> = vec![&null, defaults.unwrap_or(&null)];
        arrays.extend(parts.iter().map(AsRef::as_ref));
        let missing = |row: usize| if defaults.is_some() { (1, row) } else { (0, 0) };
        let from = at.into_iter().enumerate().map(|(row, at)| at.map_or(missing(row), |(part, at)| (2 + part, at)));
        interleave(&arrays, &from.collect::<Vec<_>>()).map_err(arrow)
    }

    /// The first arguments of those rows, block by block no more than them (G1), and where each is.
    fn parts_of(&self, places: &[Option<usize>]) -> SqlResult<(Vec<ArrayRef>, Vec<Option<At>>)> {
        let Some(spilled) = self.spilled else {
            let at = places.iter().map(|place| place.map(|row| (0, row - self.own.first)));
            return Ok((vec![Arc::clone(&self.own.columns[0])], at.collect()));
        };
        let mut wanted: BTreeMap<usize, Vec<(usize, u64)>> = BTreeMap::new();
        for (at, place) in places.iter().enumerate() {
            if let Some(row) = *place {
                let number = spilled.number_of(row);
                wanted.entry(number).or_default().push((at, (row - spilled.ends[number]) as u64));
            }
        }
        let (mut parts, mut found) = (Vec::new(), vec![None; places.len()]);
        for (number, wanted) in wanted {
            let rows: UInt64Array = wanted.iter().map(|(_, row)| *row).collect();
            for (index, (at, _)) in wanted.iter().enumerate() {
                found[*at] = Some((parts.len(), index));
            }
            parts.push(take(&self.at(spilled.ends[number])?.columns[0], &rows, None).map_err(arrow)?);
        }
        Ok((parts, found))
    }
}
