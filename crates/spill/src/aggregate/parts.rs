//! States partitioned by the hash of their keys, in memory as long as there is any.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::runtime_env::RuntimeEnv;
use futures::stream::StreamExt;

use super::ahead::FEW_BYTES_MAX;
use super::shape::Shape;
use super::table::Table;
use crate::hash_partition::{HashPartitioner, LEVELS_MAX, PartRows, parts_within, row_by_row};
use crate::hold::Hold;
use crate::run_writer::Format;

/// Chooses the hashes of aggregates.
const SEED: u64 = 0x5153_6A33;
/// States held before it is tried whether they can be made fewer.
const TRY_BYTES: usize = 32 << 20;
/// Groups of a table in any case, before its part is partitioned once more.
const GROUPS_MIN: usize = 1 << 10;

/// What all levels of one run share.
pub(super) struct Room {
    pub(super) shape: Arc<Shape>,
    pub(super) format: Arc<Format>,
    pub(super) runtime: Arc<RuntimeEnv>,
    /// Holds nothing; those of the levels are made from it.
    pub(super) reservation: MemoryReservation,
}

/// States of groups, those whose hashes agree in their first bits in the same part.
pub(super) struct Parts {
    room: Arc<Room>,
    level: u32,
    partitioner: HashPartitioner,
    hold: Hold,
    /// When so much is held it is tried whether it can be made less.
    try_bytes: usize,
}

/// What became of a part.
pub(super) enum Finished {
    Results(RecordBatch),
    /// It did not fit: its groups in parts of their own.
    Divided(Parts),
}

impl Parts {
    pub(super) fn new(room: Arc<Room>, level: u32) -> Parts {
        let memory = &*room.runtime.memory_pool;
        let parts = parts_within(memory);
        let partitioner = HashPartitioner::new(room.shape.state_keys(), SEED + u64::from(level), parts, memory);
        let hold = Hold::new(parts, Arc::clone(&room.format), Arc::clone(&room.runtime), room.reservation.new_empty());
        Parts { room, level, partitioner, hold, try_bytes: TRY_BYTES }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.hold.parts()
    }

    pub(super) fn add(&mut self, states: RecordBatch) -> Result<()> {
        let pieces = row_by_row(states);
        if pieces.len() > 1 {
            // The batch is on no account yet, and its first row is copied beside it.
            self.hold(Vec::new(), pieces.bytes())?;
        }
        for piece in pieces {
            let (states, beside_bytes) = piece?;
            let partitioned = self.partitioner.add(states)?;
            self.hold(partitioned, beside_bytes)?;
        }
        Ok(())
    }

    fn hold(&mut self, partitioned: Vec<PartRows>, beside_bytes: usize) -> Result<()> {
        partitioned.into_iter().for_each(|piece| self.hold.put(piece));
        if self.hold.held_bytes() >= self.try_bytes {
            self.make_fewer()?;
        }
        self.hold.claim(self.partitioner.flush_bytes() + beside_bytes)
    }

    /// Makes states of equal groups one, if a part of them shows that this is worth it (A2).
    fn make_fewer(&mut self) -> Result<()> {
        let largest = self.hold.largest(0).unwrap_or(0);
        let before = self.hold.part_bytes(largest);
        self.merge(largest)?;
        if self.hold.part_bytes(largest) <= before / 2 {
            for part in (0..self.len()).filter(|part| *part != largest) {
                self.merge(part)?;
            }
        }
        self.try_bytes = TRY_BYTES.max(2 * self.hold.held_bytes());
        Ok(())
    }

    /// The states of a part that are in memory, one for each group.
    fn merge(&mut self, part: usize) -> Result<()> {
        let mut table = Table::new(&self.room.shape)?;
        for states in self.hold.take_held(part) {
            table.add_states(&self.room.shape, &states)?;
        }
        let rows = table.take_states(&self.room.shape)?;
        self.hold.put(PartRows { part, rows });
        Ok(())
    }

    /// All states have come.
    pub(super) fn close(&mut self) -> Result<()> {
        let partitioned = self.partitioner.flush()?;
        self.hold(partitioned, 0)
    }

    /// The results of a part; parts are asked for in order, once each.
    pub(super) async fn finish(&mut self, part: usize) -> Result<Finished> {
        let room = Arc::clone(&self.room);
        let stored = self.hold.take(part)?;
        // Rows that were spilled come first.
        let (mut left_bytes, mut spilled_rows) = (stored.held_bytes(), stored.rows - stored.held_rows());
        let mut states = stored.into_stream()?;
        let mut table = Table::new(&room.shape)?;
        while let Some(batch) = states.next().await.transpose()? {
            table.add_states(&room.shape, &batch)?;
            match spilled_rows.checked_sub(batch.num_rows()) {
                Some(rows) if spilled_rows > 0 => spilled_rows = rows,
                _ => left_bytes = left_bytes.saturating_sub(batch.get_array_memory_size()),
            }
            drop(batch);
            if !self.has_room(&table, left_bytes, part)? {
                return self.divide(table, states).await;
            }
        }
        table.take_results(&room.shape).map(Finished::Results)
    }

    /// Whether a part's table may go on beside `left_bytes` of its states that it has not seen; parts after it make
    /// room.
    fn has_room(&mut self, table: &Table, left_bytes: usize, part: usize) -> Result<bool> {
        let bytes = table.bytes() + left_bytes;
        if self.hold.reserve(bytes, part + 1)? {
            return Ok(true);
        }
        let is_little = table.groups() < GROUPS_MIN && table.bytes() <= FEW_BYTES_MAX;
        let goes_on = self.level + 1 >= LEVELS_MAX || table.groups() < 2 || is_little;
        if goes_on {
            self.hold.insist(bytes);
        }
        Ok(goes_on)
    }

    async fn divide(&mut self, mut table: Table, mut states: SendableRecordBatchStream) -> Result<Finished> {
        let first = table.take_states(&self.room.shape)?;
        drop(table);
        self.hold.insist(0);
        let mut parts = Parts::new(Arc::clone(&self.room), self.level + 1);
        parts.add(first)?;
        while let Some(batch) = states.next().await.transpose()? {
            parts.add(batch)?;
        }
        parts.close()?;
        Ok(Finished::Divided(parts))
    }
}
