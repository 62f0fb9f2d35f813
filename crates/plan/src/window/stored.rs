//! A partition, or a group of equals in order, that does not fit in memory: spilled in blocks while it comes, and given
//! block by block when its end is known.
//!
//! ```text
//!   pieces ──block full──▶ batches of rows            ──next()──▶ a block of rows and its place among the others
//!                     └──▶ batches of arguments       ──Args::at──▶ any block, for calls that look elsewhere
//! ```
//! T1: arguments have the blocks of the rows. Calls with the same arguments share their batches.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use millpond_spill::SpilledBatches;

use crate::window::args::SpilledArgs;
use crate::window::piece::{Piece, together};

/// Rows of a block, at most.
const BLOCK_ROWS: usize = if cfg!(test) { 5 } else { 1 << 16 };

/// Rows that wait for the end of their partition, or of their peers.
pub(crate) struct Stored {
    rows: SpilledBatches,
    /// First rows of the blocks, then the row after the last.
    ends: Vec<usize>,
    /// First row of each block that begins a group of peers.
    peers: Vec<Option<usize>>,
    /// For each call with arguments, and needing more than the chunk's: which of `args`.
    of_call: Vec<Option<usize>>,
    /// The places of arguments, and where they are.
    args: Vec<(Vec<usize>, SpilledArgs)>,
    filling: Vec<Piece>,
    filling_bytes: usize,
    block_bytes: usize,
    /// Where the partition began.
    partition: usize,
    /// The next block to be given; none while rows come.
    next: Option<usize>,
}

/// A block of the rows.
pub(crate) struct StoredBlock {
    pub(crate) batch: RecordBatch,
    pub(crate) first: usize,
    /// Whether its first row begins a group of peers.
    pub(crate) begins_peers: bool,
    /// Where the last group of peers of its rows ends.
    pub(crate) peers_end: usize,
    /// The partition, or what there is of it.
    pub(crate) partition: std::ops::Range<usize>,
}

impl Stored {
    /// Rows of that kind from row `first` on, of a partition that began at row `partition`. `calls`: the places of each
    /// call's arguments.
    pub(crate) fn new(
        like: &Piece,
        first: usize,
        partition: usize,
        calls: &[Vec<usize>],
        task: &Arc<TaskContext>,
    ) -> Stored {
        let rows = SpilledBatches::new("SortedRowsOfWindow", like.batch.schema(), task);
        let mut args: Vec<(Vec<usize>, SpilledArgs)> = Vec::new();
        let of_call = calls.iter().map(|call| {
            let known = args.iter().position(|(places, _)| places == call);
            known.or_else(|| {
                let arrays: Vec<ArrayRef> = call.iter().map(|arg| Arc::clone(&like.args[*arg])).collect();
                let batches = SpilledBatches::new("SortedArgumentsOfWindow", schema_of(&arrays), task);
                (!call.is_empty()).then(|| {
                    args.push((call.clone(), SpilledArgs::new(batches, first)));
                    args.len() - 1
                })
            })
        });
        let of_call = of_call.collect();
        // A block of rows, and of each call those where rows come, where they leave, and where others are looked at.
        let block_bytes = SpilledBatches::batch_bytes(task, 1 + 3 * calls.len());
        let (filling, peers) = (Vec::new(), Vec::new());
        Stored {
            rows,
            ends: vec![first],
            peers,
            of_call,
            args,
            filling,
            filling_bytes: 0,
            block_bytes,
            partition,
            next: None,
        }
    }

    /// What it holds in memory while rows come, and while calls look at it.
    pub(crate) fn held_bytes(&self) -> usize {
        match self.next {
            None => 2 * self.filling_bytes,
            Some(_) => self.block_bytes * (1 + 3 * self.of_call.len()),
        }
    }

    /// Whether all rows are there.
    pub(crate) fn is_whole(&self) -> bool {
        self.next.is_some()
    }

    /// Takes the next rows.
    pub(crate) fn add(&mut self, piece: Piece) -> Result<()> {
        let mut rest = Some(piece);
        while let Some(piece) = rest {
            let filled = self.filling.iter().map(Piece::rows).sum::<usize>();
            let at = piece.first + BLOCK_ROWS - filled;
            let (taken, after) = piece.split(at)?;
            self.filling_bytes += taken.as_ref().map_or(0, |taken| taken.bytes);
            self.filling.extend(taken);
            rest = after;
            if rest.is_some() || self.filling_bytes >= self.block_bytes {
                self.spill()?;
            }
        }
        Ok(())
    }

    /// There are no more rows.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.spill()?;
        self.next = Some(0);
        Ok(())
    }

    /// Makes a block of what there is, if there is anything.
    fn spill(&mut self) -> Result<()> {
        let pieces = std::mem::take(&mut self.filling);
        self.filling_bytes = 0;
        let Some(last) = pieces.last() else { return Ok(()) };
        self.ends.push(last.end());
        for (places, spilled) in &mut self.args {
            let arrays = places.iter().map(|arg| together(&pieces, *arg)).collect::<Result<Vec<ArrayRef>>>()?;
            spilled.push(RecordBatch::try_new(schema_of(&arrays), arrays)?)?;
        }
        self.peers.push(pieces.iter().find_map(|piece| piece.peers.first().copied()));
        let batches: Vec<&RecordBatch> = pieces.iter().map(|piece| &piece.batch).collect();
        self.rows.push(concat_batches(&batches[0].schema(), batches)?)
    }

    /// The next block; none: there are no more.
    pub(crate) fn next(&mut self) -> Result<Option<StoredBlock>> {
        let number = self.next.ok_or_else(|| internal_datafusion_err!("a partition is read before its end"))?;
        if number == self.peers.len() {
            return Ok(None);
        }
        self.next = Some(number + 1);
        let (first, end) = (self.ends[number], self.ends[self.ends.len() - 1]);
        Ok(Some(StoredBlock {
            batch: self.rows.read(number)?,
            first,
            begins_peers: self.peers[number] == Some(first),
            peers_end: self.peers[number + 1..].iter().find_map(|start| *start).unwrap_or(end),
            partition: self.partition..end,
        }))
    }

    /// The arguments of a call that were spilled.
    pub(crate) fn args_of(&self, call: usize) -> Option<&SpilledArgs> {
        self.of_call[call].map(|args| &self.args[args].1)
    }
}

fn schema_of(arrays: &[ArrayRef]) -> Arc<Schema> {
    let field = |(place, array): (usize, &ArrayRef)| Field::new(place.to_string(), array.data_type().clone(), true);
    Arc::new(Schema::new(arrays.iter().enumerate().map(field).collect::<Vec<Field>>()))
}
