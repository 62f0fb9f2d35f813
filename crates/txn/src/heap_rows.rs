//! Rows of a session's heaps in tempdb: single ones, and many at once.

use millpond_storage::check;
use std::sync::Arc;

use millpond_access::lob::LobPtr;
use millpond_access::{Fill, Heap, NoJournal, Rid, RowSource};
use millpond_storage::ask::Ask;
use millpond_storage::contract::PageId;

use crate::error::TxnError;
use crate::kind::HeapKind;
use crate::objects::Entry;
use crate::session::SessionWork;
use crate::undo::undo_stack::UndoStack;
use crate::undo::{Recorder, Undo};
use crate::version::loose_value::{LooseValue, write_value};
use millpond_access::heap;

/// Pages that a bulk operation fills before it writes them, when it writes eagerly: one gather write.
const CIRCULAR_LIST_PAGES: usize = 32;

/// Calls `$body` with `$journal` as the journal of `$entry`.
macro_rules! with_journal {
    ($work:ident, $entry:ident, |$journal:ident| $body:expr) => {{
        match stack_of($entry.kind, &mut $work.table.stack, &mut $work.local.stack) {
            Some(stack) => {
                let object = $entry.heap.object_id();
                let $journal = &mut Recorder { stack, object, tail_marked_at: &mut $entry.tail_marked_at };
                $body
            }
            None => {
                let $journal = &mut NoJournal;
                $body
            }
        }
    }};
}

fn stack_of<'a>(kind: HeapKind, table: &'a mut UndoStack, local: &'a mut UndoStack) -> Option<&'a mut UndoStack> {
    match kind {
        HeapKind::Table => Some(table),
        HeapKind::Variable => Some(local),
        HeapKind::Work => None,
    }
}

/// Adds a row of `len` bytes, which `encode` writes straight into the page. `encode` must not touch the heap.
///
/// # Errors
/// [`TxnError`]; the heap has the same rows as before.
#[inline]
pub fn insert(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    heap: &Arc<Heap>,
    len: usize,
    encode: impl FnOnce(&mut [u8]),
) -> Result<Rid, TxnError> {
    let entry = work.objects.live_hot(heap.object_id())?;
    Ok(with_journal!(work, entry, |journal| heap::append::insert(heap, ask, journal, len, encode))?)
}

/// As [`insert`], as a statement of its own where nothing is open ([`SessionWork::is_settled`]): the row is
/// there whole or not at all, so there is nothing to undo, and nothing to end.
///
/// # Errors
/// [`TxnError`]; the heap has the same rows as before.
#[inline]
pub fn insert_alone(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    heap: &Arc<Heap>,
    len: usize,
    encode: impl FnOnce(&mut [u8]),
) -> Result<Rid, TxnError> {
    check!(work.is_settled(), "a row is added as if nothing were open");
    let entry = work.objects.live_hot(heap.object_id())?;
    Ok(heap::append::insert(&entry.heap, ask, &mut NoJournal, len, encode)?)
}

/// Replaces the bytes of a row.
///
/// # Errors
/// [`TxnError`]; the statement is to be aborted then.
pub fn update(work: &mut SessionWork, ask: &Ask<'_>, heap: &Arc<Heap>, rid: Rid, row: &[u8]) -> Result<(), TxnError> {
    let entry = work.objects.live(heap.object_id())?;
    Ok(with_journal!(work, entry, |journal| heap::change::update(heap, ask, journal, rid, row))?)
}

/// Deletes a row.
///
/// # Errors
/// As [`update`].
pub fn delete(work: &mut SessionWork, ask: &Ask<'_>, heap: &Arc<Heap>, rid: Rid) -> Result<(), TxnError> {
    let entry = work.objects.live(heap.object_id())?;
    Ok(with_journal!(work, entry, |journal| heap::change::delete(heap, ask, journal, rid))?)
}

/// Begins a bulk load (SELECT INTO, INSERT … SELECT) into a heap.
///
/// # Errors
/// [`TxnError::NoSuchObject`].
pub fn bulk_insert<'a>(work: &'a mut SessionWork, ask: &Ask<'a>, heap: &Arc<Heap>) -> Result<BulkInsert<'a>, TxnError> {
    let eager = work.manager.writes_eagerly().then(|| CircularList { filled: heap.page_count(), pages: Vec::new() });
    let entry = work.objects.live_hot(heap.object_id())?;
    let undo = match entry.kind {
        HeapKind::Table => Some(&mut work.table),
        HeapKind::Variable => Some(&mut work.local),
        HeapKind::Work => None,
    };
    Ok(BulkInsert { ask: *ask, entry, undo, eager, rows: 0 })
}

/// A bulk load. Rows that it added stay when it is dropped; the statement's end or abort decides about them.
#[must_use = "finish writes the last pages when eager writes are on"]
pub struct BulkInsert<'a> {
    ask: Ask<'a>,
    entry: &'a mut Entry,
    undo: Option<&'a mut Undo>,
    eager: Option<CircularList>,
    rows: u64,
}

/// The pages that were filled and not yet written.
struct CircularList {
    /// Pages of the heap up to here were full when they were looked at, and are written or in `pages`.
    filled: u64,
    pages: Vec<PageId>,
}

impl BulkInsert<'_> {
    /// Adds a row, as [`insert`].
    ///
    /// # Errors
    /// [`TxnError`]; the statement is to be aborted then.
    pub fn append(&mut self, len: usize, encode: impl FnOnce(&mut [u8])) -> Result<Rid, TxnError> {
        let (ask, heap) = (self.ask, &self.entry.heap);
        let rid = match self.undo.as_deref_mut() {
            Some(Undo { stack, .. }) => {
                let tail_marked_at = &mut self.entry.tail_marked_at;
                heap::append::insert(
                    heap,
                    &ask,
                    &mut Recorder { stack, object: heap.object_id(), tail_marked_at },
                    len,
                    encode,
                )?
            }
            None => heap::append::insert(heap, &ask, &mut NoJournal, len, encode)?,
        };
        self.rows += 1;
        self.write_filled();
        Ok(rid)
    }

    /// Writes a large value for a row that is to be added next, as `values::put_value`.
    ///
    /// # Errors
    /// [`TxnError`]; nothing is kept of the value.
    pub fn put_value(&mut self, ask: &Ask<'_>, value: &[u8]) -> Result<LobPtr, TxnError> {
        let heap = &self.entry.heap;
        if let Some(undo) = self.undo.as_deref_mut() {
            undo.stack.reserve(ask)?;
        }
        let store = heap.values_to_write(ask)?;
        let pointer = write_value(ask, &store, value)?;
        if let Some(undo) = self.undo.as_deref_mut() {
            undo.push_made(LooseValue { store, owned: pointer.into(), tree: None });
        }
        Ok(pointer)
    }

    /// Adds all rows of `rows`, with one latch per page: the way for many short rows.
    ///
    /// # Errors
    /// As [`BulkInsert::append`]; rows before the one that failed are added.
    pub fn append_rows(&mut self, rows: &mut dyn RowSource) -> Result<(), TxnError> {
        let (ask, heap) = (self.ask, &self.entry.heap);
        let (added, done) = match self.undo.as_deref_mut() {
            Some(Undo { stack, .. }) => {
                let tail_marked_at = &mut self.entry.tail_marked_at;
                heap::append::append_rows(
                    heap,
                    &ask,
                    &mut Recorder { stack, object: heap.object_id(), tail_marked_at },
                    rows,
                )
            }
            None => heap::append::append_rows(heap, &ask, &mut NoJournal, rows),
        };
        self.rows += added;
        self.write_filled();
        Ok(done?)
    }

    /// Has several threads add rows at once, each through a part of what is returned; until [`BulkInsert::end_fill`] no
    /// other code adds any. `None`: pages are to be written as they fill, which is one thread's business.
    ///
    /// # Errors
    /// [`TxnError`]; nothing is changed.
    pub fn begin_fill(&mut self) -> Result<Option<Arc<Fill>>, TxnError> {
        if self.eager.is_some() {
            return Ok(None);
        }
        let (ask, heap) = (self.ask, &self.entry.heap);
        let begun = match self.undo.as_deref_mut() {
            Some(Undo { stack, .. }) => {
                let tail_marked_at = &mut self.entry.tail_marked_at;
                Fill::begin(heap, &ask, &mut Recorder { stack, object: heap.object_id(), tail_marked_at })
            }
            None => Fill::begin(heap, &ask, &mut NoJournal),
        };
        Ok(Some(begun?))
    }

    /// All parts of the fill have ended.
    ///
    /// # Panics
    /// One has not.
    pub fn end_fill(&mut self, fill: &Fill) {
        self.rows += fill.finish();
    }

    /// Ends the load; returns the rows added.
    ///
    /// # Errors
    /// None at present.
    pub fn finish(mut self) -> Result<u64, TxnError> {
        check!(
            self.rows <= self.entry.heap.row_count(),
            "{} rows were added, and the heap has {}",
            self.rows,
            self.entry.heap.row_count()
        );
        if let Some(list) = &mut self.eager {
            list.write(&self.entry.heap, &self.ask);
        }
        Ok(self.rows)
    }

    fn write_filled(&mut self) {
        if let Some(list) = &mut self.eager {
            list.advance(&self.entry.heap, &self.ask);
        }
    }
}

impl CircularList {
    /// Takes up the pages that were filled since; writes the list when it is long enough.
    fn advance(&mut self, heap: &Heap, ask: &Ask<'_>) {
        let pages = heap.page_count();
        // The last page is still being filled.
        while self.filled + 1 < pages {
            self.pages.extend(heap.page_at(self.filled));
            self.filled += 1;
            check!(self.pages.len() <= CIRCULAR_LIST_PAGES, "{} pages wait to be written at once", self.pages.len());
            if self.pages.len() == CIRCULAR_LIST_PAGES {
                self.write(heap, ask);
            }
        }
    }

    /// A page that could not be written stays dirty: it is the lazy writer's again, and so is the failure.
    fn write(&mut self, heap: &Heap, ask: &Ask<'_>) {
        let _ = heap::grow::write_eagerly(heap, ask, &self.pages);
        self.pages.clear();
    }
}
