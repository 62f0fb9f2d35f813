//! What a running statement notes of its own accord: NULLs that its aggregates left out, and operations that gave NULL
//! instead of an error. Threads of its plan note it too; `exec::batch::notes` sends it at the statement's end.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use millpond_message as message;

/// An aggregate left a NULL out.
pub const NULLS_LEFT_OUT: u8 = 1;
/// A division by zero gave NULL.
pub const DIVIDED_BY_ZERO: u8 = 2;
/// An overflow gave NULL.
pub const OVERFLOWED: u8 = 4;
/// A function outside of its domain gave NULL.
pub const OUT_OF_DOMAIN: u8 = 8;

/// What there is to report of the running statement; threads of its plan note it too.
#[derive(Debug, Default)]
pub struct Notes(AtomicU8, WrittenRows);

/// How many rows became the text that is the statement's result, and one more; 0 where its rows are its result.
#[derive(Debug, Default)]
struct WrittenRows(AtomicU64);

impl Notes {
    /// An aggregate left a NULL out.
    #[inline]
    pub fn left_null_out(&self) {
        // Most rows come after the first NULL, and a line that is only read stays with all threads.
        if self.0.load(Relaxed) & NULLS_LEFT_OUT == 0 {
            self.0.fetch_or(NULLS_LEFT_OUT, Relaxed);
        }
    }

    /// An operation gave NULL instead of an error of this number.
    pub fn gave_null(&self, error: i32) {
        let note = match error {
            message::DIVIDE_BY_ZERO => DIVIDED_BY_ZERO,
            message::OUT_OF_DOMAIN => OUT_OF_DOMAIN,
            _ => OVERFLOWED,
        };
        self.0.fetch_or(note, Relaxed);
    }

    /// So many rows became the text that is the statement's result.
    pub fn wrote_rows(&self, rows: u64) {
        self.1.0.store(rows.saturating_add(1), Relaxed);
    }

    /// The rows that became a text, if that is the statement's result; they are then forgotten.
    pub fn take_written_rows(&self) -> Option<u64> {
        self.1.0.swap(0, Relaxed).checked_sub(1)
    }

    /// Whether there is anything to report.
    #[inline]
    pub fn are_any(&self) -> bool {
        self.0.load(Relaxed) != 0
    }

    /// What was noted, which is then forgotten.
    pub fn take(&mut self) -> u8 {
        std::mem::take(self.0.get_mut())
    }
}
