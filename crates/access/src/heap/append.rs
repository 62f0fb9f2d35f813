//! Rows that come: into a hole that others left, else after the last one.
//!
//! The tail, the last page in use, stays pinned between two inserts; many rows are added with one latch per page.
//! What undoes an insert is in the journal before the row is on its page (H5 of `handle`).

use std::sync::atomic::Ordering::Relaxed;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{EXTENT_PAGES, PageKind};
use millpond_storage::page::header;
use millpond_storage::pool::ExclusivePage;
use millpond_storage::{check, checks};

use crate::error::AccessError;
use crate::heap::grow;
use crate::heap::handle::{Heap, State};
use crate::heap::journal::{Journal, SlotUndo};
use crate::heap::layout::{Position, Tail};
use crate::page::{self, ROW_BYTES_MAX, RecordKind};
use crate::rid::Rid;

/// Adds a row of `len` bytes, which `encode` writes straight into the page. `encode` must not touch the heap.
///
/// # Errors
/// [`AccessError`]; the heap has the same rows as before.
pub fn insert<J: Journal>(
    heap: &Heap,
    ask: &Ask<'_>,
    journal: &mut J,
    len: usize,
    encode: impl FnOnce(&mut [u8]),
) -> Result<Rid, AccessError> {
    if len > ROW_BYTES_MAX {
        return Err(AccessError::RowTooLong { row_bytes: len, row_bytes_max: ROW_BYTES_MAX });
    }
    let state = &mut *heap.state.lock();
    heap.check_live(state)?;
    let rid = add_record(heap, state, ask, journal, RecordKind::Row, len, encode)?;
    state.layout.rows += 1;
    state.changes += 1;
    Ok(rid)
}

/// Adds rows as long as `next` gives their lengths; `encode` writes the one that `next` gave last. Takes the latch
/// once for the rows of a page. Returns the rows added, also before an error.
pub fn append_rows<J: Journal>(
    heap: &Heap,
    ask: &Ask<'_>,
    journal: &mut J,
    rows: &mut dyn RowSource,
) -> (u64, Result<(), AccessError>) {
    let state = &mut *heap.state.lock();
    let before = state.layout.rows;
    let done = heap.check_live(state).and_then(|()| append_all(heap, state, ask, journal, rows));
    let added = state.layout.rows - before;
    state.changes += added;
    (added, done)
}

fn append_all<J: Journal>(
    heap: &Heap,
    state: &mut State,
    ask: &Ask<'_>,
    journal: &mut J,
    rows: &mut dyn RowSource,
) -> Result<(), AccessError> {
    let mut next = rows.next_len();
    while let Some(len) = next {
        if len > ROW_BYTES_MAX {
            return Err(AccessError::RowTooLong { row_bytes: len, row_bytes_max: ROW_BYTES_MAX });
        }
        make_tail_fit(heap, state, ask, journal, len)?;
        let (cursor, layout) = (state.cursor.as_ref(), &mut state.layout);
        let mut tail = cursor.expect("make_tail_fit pinned it").exclusive(ask);
        check!(layout.tail_is(&tail), "the tail {} is not what is known of it", tail.id());
        next = append_to_page(&mut tail, &mut layout.tail, &mut layout.rows, rows, len);
    }
    Ok(())
}

/// Puts a record into a hole, else after the last one.
pub(crate) fn add_record<J: Journal>(
    heap: &Heap,
    state: &mut State,
    ask: &Ask<'_>,
    journal: &mut J,
    kind: RecordKind,
    len: usize,
    encode: impl FnOnce(&mut [u8]),
) -> Result<Rid, AccessError> {
    if state.layout.has_holes()
        && heap.open_scans.load(Relaxed) == 0
        && let Some(position) = state.layout.hole(len)
    {
        return fill_hole(heap, state, ask, journal, position, kind, len, encode);
    }
    append_record(heap, state, ask, journal, kind, len, encode)
}

#[inline]
fn append_record<J: Journal>(
    heap: &Heap,
    state: &mut State,
    ask: &Ask<'_>,
    journal: &mut J,
    kind: RecordKind,
    len: usize,
    encode: impl FnOnce(&mut [u8]),
) -> Result<Rid, AccessError> {
    make_tail_fit(heap, state, ask, journal, len)?;
    let cursor = state.cursor.as_ref().expect("make_tail_fit pinned it");
    let id = cursor.id();
    let mut tail = cursor.exclusive(ask);
    check!(
        id == state.layout.page_at(heap.ctx.db, state.layout.pages - 1),
        "L1: page {id} is pinned as the tail, and is not the last one"
    );
    check!(state.layout.tail_is(&tail), "the tail {id} is not what is known of it");
    let slot = page::append(&mut tail, kind, len, encode);
    state.layout.tail.appended(len);
    assert!(
        state.layout.tail.slots == slot + 1,
        "the tail {id} has a slot {slot}, {} are known",
        state.layout.tail.slots
    );
    Ok(Rid { file: id.file, page: id.page, slot })
}

/// Makes the tail one on which a record of `len` fits after the last, and pins it.
#[inline]
fn make_tail_fit<J: Journal>(
    heap: &Heap,
    state: &mut State,
    ask: &Ask<'_>,
    journal: &mut J,
    len: usize,
) -> Result<(), AccessError> {
    if journal.wants_tail() {
        // H5: the mark comes before space is taken, so that undo gives it back.
        journal.tail(ask, state.layout.mark())?;
    }
    let (tail, cost) = (state.layout.tail, page::cost_of(len));
    if usize::from(tail.at_end) >= cost && state.cursor.is_some() {
        return Ok(());
    }
    if usize::from(tail.free) >= cost { settle_tail(heap, state, ask, len) } else { next_tail(heap, state, ask) }
}

/// Pins the tail, and moves its rows together if a record of `len` fits only then.
#[cold]
fn settle_tail(heap: &Heap, state: &mut State, ask: &Ask<'_>, len: usize) -> Result<(), AccessError> {
    let id = state.layout.page_at(heap.ctx.db, state.layout.pages - 1);
    let mut page = heap.latch(ask, id)?;
    page::make_fit(&mut page, len).map_err(|damage| AccessError::Damaged { page: id, damage })?;
    state.layout.tail.at_end = page::bytes_at_end(&page);
    assert!(usize::from(state.layout.tail.at_end) >= page::cost_of(len), "the tail {id} was made to fit {len} bytes");
    state.cursor = Some(page.pin());
    Ok(())
}

fn next_tail(heap: &Heap, state: &mut State, ask: &Ask<'_>) -> Result<(), AccessError> {
    let position = state.layout.pages;
    if position == state.layout.extents.len() as Position * EXTENT_PAGES {
        grow::grow(heap, &mut state.layout, ask)?;
    }
    assert!(
        position < state.layout.extents.len() as Position * EXTENT_PAGES,
        "L1: page {position} of a heap that owns {} extents",
        state.layout.extents.len()
    );
    let id = state.layout.page_at(heap.ctx.db, position);
    let page = heap.ctx.pool.create(ask, id, PageKind::Data, heap.id.0)?;
    state.layout.leave_tail();
    state.layout.enter_tail();
    match &mut state.cursor {
        Some(cursor) => cursor.move_to(&page),
        none => *none = Some(page.pin()),
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the record's parts are passed through to the page")]
fn fill_hole<J: Journal>(
    heap: &Heap,
    state: &mut State,
    ask: &Ask<'_>,
    journal: &mut J,
    position: Position,
    kind: RecordKind,
    len: usize,
    encode: impl FnOnce(&mut [u8]),
) -> Result<Rid, AccessError> {
    journal.reserve(ask)?;
    let id = state.layout.page_at(heap.ctx.db, position);
    let mut bytes = heap.latch(ask, id)?;
    let free_before = header::free_count(&bytes);
    let (was_sound, slots) = (checks::ARE_ON && page::sums_are_right(&bytes), header::slot_count(&bytes));
    let empty = page::empty_slot(&bytes);
    let slot = empty.unwrap_or_else(|| header::slot_count(&bytes));
    let rid = Rid { file: id.file, page: id.page, slot };
    journal.slot(rid, if empty.is_some() { SlotUndo::Empty } else { SlotUndo::Absent });
    page::insert_at(&mut bytes, slot, kind, len, encode).map_err(|damage| AccessError::Damaged { page: id, damage })?;
    check!(!was_sound || page::sums_are_right(&bytes), "R1: page {id} after {rid} was filled");
    assert!(
        header::slot_count(&bytes) == slots.max(slot + 1),
        "R3: page {id} has {} slots after {rid} was filled, {slots} before",
        header::slot_count(&bytes)
    );
    state.layout.page_changed(position, &bytes, free_before);
    Ok(rid)
}

/// Rows for [`append_rows`].
pub trait RowSource {
    /// Length of the next row.
    fn next_len(&mut self) -> Option<usize>;

    /// Writes the row whose length was asked for last. Must not touch the heap.
    fn encode(&mut self, to: &mut [u8]);
}

/// Appends the row of `len`, which fits, and those after it that fit on the same page; returns the length of the first
/// that does not. Both are counted.
pub(crate) fn append_to_page(
    page: &mut ExclusivePage<'_>,
    tail: &mut Tail,
    added: &mut u64,
    rows: &mut dyn RowSource,
    mut len: usize,
) -> Option<usize> {
    let bytes = &mut **page;
    loop {
        page::append(bytes, RecordKind::Row, len, |to| rows.encode(to));
        tail.appended(len);
        *added += 1;
        let next = rows.next_len();
        match next {
            Some(n) if n <= ROW_BYTES_MAX && page::fits_at_end(bytes, n) => len = n,
            _ => return next,
        }
    }
}
