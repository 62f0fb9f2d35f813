//! A part of the sorted input on which calls are evaluated, and the frames of its rows. Rows are counted over all of the
//! input, so that a row has one number however the input is cut.

use std::ops::Range;
use std::sync::Arc;

use millpond_catalog::rel::{FrameEdge, WindowFrame};
use millpond_message::error::SqlResult;

use crate::run::cell::RunCell;

/// Rows between two looks at cancellation: a few milliseconds at the slowest call.
const ROWS_PER_LOOK: usize = 16_384;

/// Rows of the input, in order.
pub(crate) struct Chunk {
    /// Whose values are wanted.
    pub(crate) rows: Range<usize>,
    /// First rows of the partitions, the first of which may have begun before the chunk; then the end of the last one as
    /// far as it is known.
    pub(crate) partitions: Vec<usize>,
    /// The same of the groups that are equal in order.
    pub(crate) peers: Vec<usize>,
    pub(crate) cell: Arc<RunCell>,
}

/// A row with its surroundings.
pub(crate) struct RowPosition {
    pub(crate) row: usize,
    pub(crate) partition: Range<usize>,
    pub(crate) peers: Range<usize>,
}

impl Chunk {
    /// The partitions' rows, also those outside the chunk.
    pub(crate) fn partitions(&self) -> impl Iterator<Item = Range<usize>> {
        self.partitions.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// The chunk's rows of a partition.
    pub(crate) fn own(&self, partition: &Range<usize>) -> Range<usize> {
        partition.start.max(self.rows.start)..partition.end.min(self.rows.end)
    }

    /// Looks at cancellation now and then.
    pub(crate) fn watch(&self, row: usize) -> SqlResult<()> {
        if row % ROWS_PER_LOOK == ROWS_PER_LOOK - 1 { self.cell.check_cancelled() } else { Ok(()) }
    }

    /// Calls `visit` for each row in order.
    pub(crate) fn each_row(&self, mut visit: impl FnMut(&RowPosition) -> SqlResult<()>) -> SqlResult<()> {
        let mut peers = self.peers.windows(2).map(|pair| pair[0]..pair[1]);
        let mut place = RowPosition { row: 0, partition: 0..0, peers: 0..0 };
        for partition in self.partitions() {
            for row in self.own(&partition) {
                self.watch(row)?;
                if row >= place.peers.end
                    && let Some(next) = peers.next()
                {
                    place.peers = next;
                }
                place.row = row;
                place.partition.clone_from(&partition);
                visit(&place)?;
            }
        }
        Ok(())
    }
}

impl RowPosition {
    /// Whether the row is the first of its partition.
    pub(crate) fn begins_partition(&self) -> bool {
        self.row == self.partition.start
    }

    /// Whether no row before it is equal in order.
    pub(crate) fn begins_peers(&self) -> bool {
        self.row == self.peers.start
    }

    /// The rows that a frame has for the row.
    pub(crate) fn frame(&self, frame: &WindowFrame) -> Range<usize> {
        let start = match frame.start {
            FrameEdge::Partition => self.partition.start,
            FrameEdge::Peers => self.peers.start,
            FrameEdge::Rows(by) => self.moved(self.row, by),
        };
        let end = match frame.end {
            FrameEdge::Partition => self.partition.end,
            FrameEdge::Peers => self.peers.end,
            FrameEdge::Rows(by) => self.moved(self.row + 1, by),
        };
        start..end.max(start)
    }

    fn moved(&self, row: usize, by: i64) -> usize {
        let distance = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
        let moved = if by < 0 { row.saturating_sub(distance) } else { row.saturating_add(distance) };
        moved.clamp(self.partition.start, self.partition.end)
    }
}
