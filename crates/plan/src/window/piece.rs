//! Rows of one batch, with what the window reads of them.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::compute::{concat, partition};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;

/// What a row of a chunk takes beside itself: the arguments of a call put together, and its results.
const CALL_BYTES: usize = 2 * size_of::<i128>();

/// Rows of one batch. Rows are counted over all of the input.
pub(crate) struct Piece {
    pub(crate) first: usize,
    pub(crate) batch: RecordBatch,
    pub(crate) args: Vec<ArrayRef>,
    /// Rows where partitions begin.
    pub(crate) partitions: Vec<usize>,
    /// Rows where groups begin that are equal in order.
    pub(crate) peers: Vec<usize>,
    /// What it takes until it is handed on.
    pub(crate) bytes: usize,
}

impl Piece {
    pub(crate) fn new(
        first: usize,
        batch: RecordBatch,
        args: Vec<ArrayRef>,
        partitions: Vec<usize>,
        peers: Vec<usize>,
    ) -> Result<Piece> {
        let mut bytes = batch.num_rows() * CALL_BYTES * args.len().max(1);
        for array in batch.columns().iter().chain(&args) {
            bytes += array.to_data().get_slice_memory_size()?;
        }
        Ok(Piece { first, batch, args, partitions, peers, bytes })
    }

    pub fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The row after its last.
    pub(crate) fn end(&self) -> usize {
        self.first + self.rows()
    }

    /// The rows before row `at`, and those from there on, where there are any.
    pub(crate) fn split(self, at: usize) -> Result<(Option<Piece>, Option<Piece>)> {
        if at <= self.first {
            return Ok((None, Some(self)));
        }
        if at >= self.end() {
            return Ok((Some(self), None));
        }
        let part = |from: usize, to: usize| {
            let starts = |all: &[usize]| all.iter().copied().filter(|row| (from..to).contains(row)).collect();
            let (offset, rows) = (from - self.first, to - from);
            let args = self.args.iter().map(|arg| arg.slice(offset, rows)).collect();
            let batch = self.batch.slice(offset, rows);
            Piece::new(from, batch, args, starts(&self.partitions), starts(&self.peers))
        };
        Ok((Some(part(self.first, at)?), Some(part(at, self.end())?)))
    }
}

/// The values of expressions for all rows of a batch.
pub fn values_of(exprs: &[Arc<dyn PhysicalExpr>], batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
    exprs.iter().map(|expr| expr.evaluate(batch)?.into_array(batch.num_rows())).collect()
}

/// The places of rows whose keys differ from those of the row before; `last` are the keys of the row before the first.
pub(crate) fn starts(keys: &[ArrayRef], last: Option<&[ArrayRef]>) -> Result<Vec<usize>> {
    if keys.is_empty() {
        return Ok(if last.is_none() { vec![0] } else { Vec::new() });
    }
    let mut starts: Vec<usize> = partition(keys)?.ranges().into_iter().map(|range| range.start).collect();
    if let Some(last) = last {
        let pair = |(last, key): (&ArrayRef, &ArrayRef)| Ok(concat(&[last, &key.slice(0, 1)])?);
        let pairs = last.iter().zip(keys).map(pair).collect::<Result<Vec<ArrayRef>>>()?;
        if partition(&pairs)?.len() == 1 {
            starts.remove(0);
        }
    }
    Ok(starts)
}

/// One argument of all pieces.
pub(crate) fn together(pieces: &[Piece], arg: usize) -> Result<ArrayRef> {
    if let [piece] = pieces {
        return Ok(Arc::clone(&piece.args[arg]));
    }
    let parts: Vec<&dyn Array> = pieces.iter().map(|piece| piece.args[arg].as_ref()).collect();
    Ok(concat(&parts)?)
}
