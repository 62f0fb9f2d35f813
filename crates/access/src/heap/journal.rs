//! What a heap announces to its caller before it changes anything, so that the caller can undo it.
//!
//! Two kinds of undo: a row appended after the last one is undone by going back to where the rows ended
//! ([`TailMark`]), however many there were; any other change is undone slot by slot ([`SlotUndo`]). Undone in reverse
//! order, each undo finds the page as its change left it, so it always finds the room that it needs: undo takes no space.

use millpond_storage::ask::Ask;
use millpond_storage::tempdb::undo_log::LogError;

use crate::page::SlotImage;
use crate::rid::Rid;

/// Where a heap's rows end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TailMark {
    /// Extents owned.
    pub extents: u32,
    /// IAM pages owned.
    pub iam_pages: u32,
    /// Pages in use; the last of them is the tail.
    pub pages: u32,
    /// Slots of the tail.
    pub slots: u16,
    /// Rows of the heap.
    pub rows: u64,
}

/// What a slot was before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotUndo<'a> {
    /// It was not there.
    Absent,
    /// It was empty.
    Empty,
    /// It held this record.
    Record(SlotImage<'a>),
}

/// Keeps the undo of a heap's changes; the caller of the heap implements it.
pub trait Journal {
    /// Makes room for one [`Journal::slot`]. Called while no page is latched.
    ///
    /// # Errors
    /// The log is full or failed; nothing is changed then.
    fn reserve(&mut self, ask: &Ask<'_>) -> Result<(), LogError>;

    /// Whether an append must be preceded by [`Journal::tail`]: there is none since the last boundary or slot undo.
    fn wants_tail(&self) -> bool;

    /// Rows will be appended after `mark`. Called while no page is latched.
    ///
    /// # Errors
    /// As [`Journal::reserve`].
    fn tail(&mut self, ask: &Ask<'_>, mark: TailMark) -> Result<(), LogError>;

    /// The slot will be changed. Called with its page latched.
    fn slot(&mut self, rid: Rid, undo: SlotUndo<'_>);
}

/// Keeps nothing: for heaps that are never rolled back.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn reserve(&mut self, _ask: &Ask<'_>) -> Result<(), LogError> {
        Ok(())
    }

    fn wants_tail(&self) -> bool {
        false
    }

    fn tail(&mut self, _ask: &Ask<'_>, _mark: TailMark) -> Result<(), LogError> {
        Ok(())
    }

    fn slot(&mut self, _rid: Rid, _undo: SlotUndo<'_>) {}
}
