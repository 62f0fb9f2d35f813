//! Appends by several threads at once: each fills pages of its own.
//!
//! ```text
//!   fill ──▶ part ─ takes pages 8..15 ──▶ fills them, no lock of the heap ──▶ takes 24..31 …   says how full 8..15 are
//!        └─▶ part ─ takes pages 16..23 ─▶ …
//! ```
//!
//! What always holds:
//! - F1: pages are taken under the heap's state and exist, empty, from then on: a scan that reads the heap meanwhile
//!   finds pages, with rows or without.
//! - F2: one mark in the journal, made before the first page is taken, undoes all of it.
//! - F3: a part takes as many pages as it has filled, at least one and at most an extent, so that few rows take few
//!   pages. What it leaves empty is room for later rows.
//! - F4: parts end before their fill does, and nothing else writes to the heap meanwhile (H6). A part that is dropped has
//!   ended: what it added stays until it is undone.

use millpond_storage::check;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use millpond_storage::ask::Ask;
use millpond_storage::contract::{EXTENT_PAGES, PageId, PageKind};
use millpond_storage::page::header;

use crate::error::AccessError;
use crate::heap::append::{RowSource, append_to_page};
use crate::heap::grow;
use crate::heap::handle::{Heap, State};
use crate::heap::journal::Journal;
use crate::heap::layout::{Position, Tail};
use crate::page::{self, ROW_BYTES_MAX};

/// Appends to a heap by several threads.
#[derive(Debug)]
pub struct Fill {
    heap: Arc<Heap>,
    rows: AtomicU64,
    parts: AtomicU32,
}

impl Fill {
    /// Begins; the caller writes to the heap no more until [`Fill::finish`] or an undo.
    ///
    /// # Errors
    /// [`AccessError`]; the heap is as it was.
    pub fn begin<J: Journal>(heap: &Arc<Heap>, ask: &Ask<'_>, journal: &mut J) -> Result<Arc<Fill>, AccessError> {
        let state = &mut *heap.state.lock();
        heap.check_live(state)?;
        assert!(
            state.layout.rows == 0 || state.layout.pages > 0,
            "a heap of {} rows without a page",
            state.layout.rows
        );
        if journal.wants_tail() {
            journal.tail(ask, state.layout.mark())?;
        }
        state.cursor = None;
        state.layout.offer_tail();
        Ok(Arc::new(Fill { heap: Arc::clone(heap), rows: AtomicU64::new(0), parts: AtomicU32::new(0) }))
    }

    /// A part, for one thread. It takes no page before its first row.
    #[must_use]
    pub fn part(self: &Arc<Self>) -> FillPart {
        self.parts.fetch_add(1, Ordering::AcqRel);
        FillPart { fill: Arc::clone(self), taken: 0..0, filled: Vec::new(), tail: None, pages: 0, rows: 0 }
    }

    /// Rows of the parts that have ended.
    ///
    /// # Panics
    /// A part has not ended (F4).
    #[must_use]
    pub fn finish(&self) -> u64 {
        assert_eq!(self.parts.load(Ordering::Acquire), 0, "parts of a fill end before it does");
        self.rows.load(Ordering::Acquire)
    }
}

/// What one thread appends.
#[derive(Debug)]
pub struct FillPart {
    fill: Arc<Fill>,
    /// Pages that it has taken and not begun.
    taken: Range<Position>,
    /// Pages that it has left, not reported to the heap yet.
    filled: Vec<(Position, Tail)>,
    /// The page that it fills.
    tail: Option<Filling>,
    /// Pages that it has begun.
    pages: u32,
    /// Rows that the heap does not know of yet.
    rows: u64,
}

#[derive(Clone, Copy, Debug)]
struct Filling {
    id: PageId,
    position: Position,
    tail: Tail,
}

impl FillPart {
    /// Appends rows, as `append::append_rows` does.
    ///
    /// # Errors
    /// [`AccessError`]; rows before the one that failed are added.
    pub fn append_rows(&mut self, ask: &Ask<'_>, rows: &mut dyn RowSource) -> Result<(), AccessError> {
        let mut next = rows.next_len();
        while let Some(len) = next {
            if len > ROW_BYTES_MAX {
                return Err(AccessError::RowTooLong { row_bytes: len, row_bytes_max: ROW_BYTES_MAX });
            }
            if self.tail.is_none_or(|filling| usize::from(filling.tail.at_end) < page::cost_of(len)) {
                self.next_page(ask)?;
            }
            let filling = self.tail.as_mut().expect("a page was taken");
            let mut page = self.fill.heap.latch(ask, filling.id)?;
            assert!(
                header::slot_count(&page) == filling.tail.slots,
                "F1: another thread writes to page {}",
                filling.id
            );
            next = append_to_page(&mut page, &mut filling.tail, &mut self.rows, rows, len);
        }
        Ok(())
    }

    fn next_page(&mut self, ask: &Ask<'_>) -> Result<(), AccessError> {
        self.filled.extend(self.tail.take().map(|filling| (filling.position, filling.tail)));
        let heap = Arc::clone(&self.fill.heap);
        let state = &mut *heap.state.lock();
        if self.taken.is_empty() {
            self.take_pages(state, ask)?;
        }
        assert!(self.taken.len() <= EXTENT_PAGES as usize, "F3: {} pages were taken at once", self.taken.len());
        let position = self.taken.next().expect("some were taken");
        check!(position < state.layout.pages, "F1: page {position} of {} is filled, and not taken", state.layout.pages);
        let id = state.layout.page_at(heap.ctx.db, position);
        self.tail = Some(Filling { id, position, tail: Tail::EMPTY });
        self.pages += 1;
        Ok(())
    }

    /// F1, F3
    fn take_pages(&mut self, state: &mut State, ask: &Ask<'_>) -> Result<(), AccessError> {
        let heap = &*self.fill.heap;
        heap.check_live(state)?;
        note_filled(&mut self.filled, &mut self.rows, &self.fill, state);
        let layout = &mut state.layout;
        let first = layout.pages;
        if first == layout.extents.len() as Position * EXTENT_PAGES {
            grow::grow(heap, layout, ask)?;
            assert!(
                first < layout.extents.len() as Position * EXTENT_PAGES,
                "a heap that has grown has a page {first}"
            );
        }
        let left_in_extent = EXTENT_PAGES - first % EXTENT_PAGES;
        for position in first..first + self.pages.clamp(1, left_in_extent) {
            drop(heap.ctx.pool.create(ask, layout.page_at(heap.ctx.db, position), PageKind::Data, heap.id.0)?);
            layout.take_page();
            self.taken = first..position + 1;
        }
        check!(
            !self.taken.is_empty() && self.taken.end == layout.pages,
            "F1: pages {:?} were taken, and {} are in use",
            self.taken,
            layout.pages
        );
        Ok(())
    }
}

impl Drop for FillPart {
    fn drop(&mut self) {
        let FillPart { fill, taken, filled, tail, rows, .. } = self;
        let begun = tail.take().map(|filling| (filling.position, filling.tail));
        let left = begun.into_iter().chain(taken.map(|position| (position, Tail::EMPTY)));
        filled.extend(left.map(|(position, tail)| (position, Tail { has_hole: true, ..tail })));
        note_filled(filled, rows, fill, &mut fill.heap.state.lock());
        let before = fill.parts.fetch_sub(1, Ordering::AcqRel);
        assert!(before > 0, "F4: a part ends that was not counted");
    }
}

/// Tells the heap and the fill what a part has done.
fn note_filled(filled: &mut Vec<(Position, Tail)>, rows: &mut u64, fill: &Fill, state: &mut State) {
    filled.drain(..).for_each(|(position, tail)| state.layout.page_filled(position, tail));
    let rows = std::mem::take(rows);
    state.layout.rows += rows;
    state.changes += rows;
    fill.rows.fetch_add(rows, Ordering::AcqRel);
}
