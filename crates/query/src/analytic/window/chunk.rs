//! A part of the sorted input on which calls are evaluated, and the frames of its rows.

use std::ops::Range;

use crate::analytic::cell::RunCell;
use crate::error::SqlResult;
use crate::rel::{FrameEdge, WindowFrame};

/// Rows between two looks at cancellation: a few milliseconds at the slowest call.
const ROWS_PER_LOOK: usize = 16_384;

/// Rows of the input, in order.
pub(super) struct Chunk<'a> {
    pub(super) rows: usize,
    /// First rows of the partitions, then `rows`.
    pub(super) partitions: Vec<usize>,
    /// First rows of the groups that are equal in order, then `rows`.
    pub(super) peers: Vec<usize>,
    /// The first partition began in an earlier chunk.
    pub(super) continues_partition: bool,
    /// The first group of peers began in an earlier chunk.
    pub(super) continues_peers: bool,
    pub(super) cell: &'a RunCell,
}

/// A row with its surroundings.
pub(super) struct Place {
    pub(super) row: usize,
    pub(super) partition: Range<usize>,
    pub(super) peers: Range<usize>,
    /// The partition is the chunk's first.
    pub(super) is_first: bool,
}

impl Chunk<'_> {
    /// The partitions' rows.
    pub(super) fn partitions(&self) -> impl Iterator<Item = Range<usize>> {
        self.partitions.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// Whether the row is the first of its partition, not only of the chunk's part of it.
    pub(super) fn begins_partition(&self, place: &Place) -> bool {
        place.row == place.partition.start && !(place.is_first && self.continues_partition)
    }

    /// Whether the row is the first of its peers, not only of the chunk's part of them.
    pub(super) fn begins_peers(&self, place: &Place) -> bool {
        place.row == place.peers.start && !(place.row == 0 && self.continues_peers)
    }

    /// Looks at cancellation now and then.
    pub(super) fn watch(&self, row: usize) -> SqlResult<()> {
        if row % ROWS_PER_LOOK == ROWS_PER_LOOK - 1 { self.cell.check_cancelled() } else { Ok(()) }
    }

    /// Calls `visit` for each row in order.
    pub(super) fn each_row(&self, mut visit: impl FnMut(&Place) -> SqlResult<()>) -> SqlResult<()> {
        let mut peers = self.peers.windows(2).map(|pair| pair[0]..pair[1]);
        let mut place = Place { row: 0, partition: 0..0, peers: 0..0, is_first: true };
        for (index, partition) in self.partitions().enumerate() {
            place.is_first = index == 0;
            place.partition = partition.clone();
            for row in partition {
                self.watch(row)?;
                if row >= place.peers.end
                    && let Some(next) = peers.next()
                {
                    place.peers = next;
                }
                place.row = row;
                visit(&place)?;
            }
        }
        Ok(())
    }
}

impl Place {
    /// The rows of the chunk that a frame has for the row.
    pub(super) fn frame(&self, frame: &WindowFrame) -> Range<usize> {
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
