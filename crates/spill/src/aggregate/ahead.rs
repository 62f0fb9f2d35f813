//! Groups made ahead: rows of the input become states, fewer than there were where that is worth a table (A3).

use std::ops::RangeInclusive;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryPool, MemoryReservation};

use super::shape::Shape;
use super::table::Table;
use crate::grant::part_of_grant;

/// A table of more groups is slower than none, since it leaves the processor's caches.
const GROUPS_MAX: usize = 1 << 16;
/// Bytes of a table at most.
const BYTES_MAX: usize = 8 << 20;
/// Groups that a table has in any case, whatever memory there is.
const GROUPS_MIN: usize = 1 << 10;
/// What they take as long as they are few, about. States of some aggregates grow with their rows, as texts that are joined do:
/// those are given out like those of many groups.
pub(super) const FEW_BYTES_MAX: usize = 4 << 20;
/// Bytes of a table however few groups it has: its states are one array of each kind, made beside it and then
/// partitioned.
const HELD_BYTES: RangeInclusive<usize> = FEW_BYTES_MAX..=256 << 20;
/// As a part of the grant.
const HELD_PARTS: usize = 4;
/// Rows that go without a table before one is tried again: what it costs is a sixteenth at most.
const ROWS_WITHOUT: usize = 1 << 20;

pub(super) struct Ahead {
    shape: Arc<Shape>,
    table: Table,
    reservation: MemoryReservation,
    memory: Arc<dyn MemoryPool>,
    /// Rows that go without a table from now on.
    rows_without: usize,
}

impl Ahead {
    pub(super) fn new(shape: Arc<Shape>, memory: Arc<dyn MemoryPool>, reservation: MemoryReservation) -> Result<Ahead> {
        let table = Table::new(&shape)?;
        Ok(Ahead { shape, table, reservation, memory, rows_without: 0 })
    }

    /// Takes rows of the input; gives states when there are enough of them.
    pub(super) fn add(&mut self, rows: &RecordBatch) -> Result<Option<RecordBatch>> {
        if self.rows_without > 0 {
            self.rows_without = self.rows_without.saturating_sub(rows.num_rows());
            return self.table.states_of_rows(&self.shape, rows).map(Some);
        }
        self.table.add_rows(&self.shape, rows)?;
        if self.may_grow() {
            return Ok(None);
        }
        if self.table.groups() > self.table.rows() / 2 {
            self.rows_without = ROWS_WITHOUT;
        }
        self.take_states().map(Some)
    }

    fn may_grow(&self) -> bool {
        let (groups, bytes) = (self.table.groups(), self.table.bytes());
        let is_large = bytes > BYTES_MAX && (groups >= GROUPS_MIN || bytes > self.held_bytes_max());
        if groups >= GROUPS_MAX || is_large {
            return false;
        }
        if self.reservation.try_resize(bytes).is_ok() {
            return true;
        }
        let is_little = groups < GROUPS_MIN && bytes <= FEW_BYTES_MAX;
        if is_little {
            self.reservation.resize(bytes);
        }
        is_little
    }

    fn held_bytes_max(&self) -> usize {
        part_of_grant(&*self.memory, HELD_PARTS, HELD_BYTES)
    }

    /// The states of all groups so far, which the taker accounts for: a table that is left alone from now on (A3) holds nothing.
    pub(super) fn take_states(&mut self) -> Result<RecordBatch> {
        let states = self.table.take_states(&self.shape);
        self.reservation.resize(self.table.bytes());
        states
    }

    /// The results, if no states were given before.
    pub(super) fn take_results(&mut self) -> Result<RecordBatch> {
        self.table.take_results(&self.shape)
    }
}
