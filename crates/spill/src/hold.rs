//! Rows of parts, in memory as long as there is any.
//!
//! What always holds:
//! - H1: rows of a part come back in the order in which they were put (R1 of [`Stored`]).
//! - H2: a part that has a run already is written on before another one begins a run, as soon as that is worth a write.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::runtime_env::RuntimeEnv;

use crate::grant::{goes_on, is_granted};
use crate::hash_partition::PartRows;
use crate::run_writer::{Format, RunWriter};
use crate::stored::Stored;

/// Bytes that are worth a write.
const WRITE_BYTES: usize = 256 << 10;

#[derive(Default)]
struct Part {
    run: RunWriter,
    held: Vec<RecordBatch>,
    held_bytes: usize,
    rows: usize,
    /// Of all its rows, as they were in memory.
    bytes: usize,
}

/// The rows of all parts.
pub(crate) struct Hold {
    format: Arc<Format>,
    runtime: Arc<RuntimeEnv>,
    parts: Vec<Part>,
    held_bytes: usize,
    reservation: MemoryReservation,
}

impl Hold {
    /// Of so many parts.
    pub(crate) fn new(
        parts: usize,
        format: Arc<Format>,
        runtime: Arc<RuntimeEnv>,
        reservation: MemoryReservation,
    ) -> Hold {
        let parts = (0..parts).map(|_| Part::default()).collect();
        Hold { format, runtime, parts, held_bytes: 0, reservation }
    }

    pub(crate) fn put(&mut self, piece: PartRows) {
        let (part, bytes) = (&mut self.parts[piece.part], piece.rows.get_array_memory_size());
        part.rows += piece.rows.num_rows();
        part.bytes += bytes;
        part.held_bytes += bytes;
        part.held.push(piece.rows);
        self.held_bytes += bytes;
    }

    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// What is in memory of all parts.
    pub(crate) fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// What is in memory of a part.
    pub(crate) fn part_bytes(&self, part: usize) -> usize {
        self.parts[part].held_bytes
    }

    /// Takes what is in memory of a part, to put something else there.
    pub(crate) fn take_held(&mut self, part: usize) -> Vec<RecordBatch> {
        let part = &mut self.parts[part];
        let held = std::mem::take(&mut part.held);
        self.held_bytes -= part.held_bytes;
        part.bytes -= part.held_bytes;
        part.rows -= held.iter().map(RecordBatch::num_rows).sum::<usize>();
        part.held_bytes = 0;
        held
    }

    /// The part that holds most in memory, from `first` on.
    pub(crate) fn largest(&self, first: usize) -> Option<usize> {
        (first..self.parts.len()).max_by_key(|part| self.part_bytes(*part)).filter(|part| self.part_bytes(*part) > 0)
    }

    /// Reserves what is held and `more` bytes beside it; parts from `first` on are spilled as long as there is not so
    /// much. False: there is not even then.
    pub(crate) fn reserve(&mut self, more: usize, first: usize) -> Result<bool> {
        while !is_granted(self.reservation.try_resize(self.held_bytes + more))? {
            match self.next_to_spill(first) {
                Some(part) => self.spill(part)?,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Reserves what is held and `more` bytes beside it, whether there is as much or not.
    pub(crate) fn insist(&self, more: usize) {
        self.reservation.resize(self.held_bytes + more);
    }

    /// Reserves what is held and `more` bytes beside it; where spilling all parts makes no room, it is reserved all the same.
    pub(crate) fn claim(&mut self, more: usize) -> Result<()> {
        if !self.reserve(more, 0)? {
            self.insist(more);
        }
        Ok(())
    }

    /// H2
    fn next_to_spill(&self, first: usize) -> Option<usize> {
        let is_begun = |part: &usize| self.parts[*part].run.is_begun() && self.part_bytes(*part) >= WRITE_BYTES;
        let begun = (first..self.parts.len()).filter(is_begun).max_by_key(|part| self.part_bytes(*part));
        begun.or_else(|| self.largest(first))
    }

    fn spill(&mut self, part: usize) -> Result<()> {
        let part = &mut self.parts[part];
        self.held_bytes -= part.held_bytes;
        part.held_bytes = 0;
        for rows in part.held.drain(..) {
            part.run.append(&self.format, &self.runtime, rows)?;
        }
        Ok(())
    }

    /// Gives a part away: its rows are the taker's to account for.
    pub(crate) fn take(&mut self, part: usize) -> Result<Stored> {
        goes_on(&self.reservation)?;
        let Part { run, held, held_bytes, rows, bytes } = std::mem::take(&mut self.parts[part]);
        self.held_bytes -= held_bytes;
        Stored::new(Arc::clone(&self.format), Arc::clone(&self.runtime)).with(run, held, rows, bytes)
    }
}
