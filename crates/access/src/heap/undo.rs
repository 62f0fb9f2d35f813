//! A heap going back: rows cut off after a mark, a slot as it was, the whole heap emptied, and emptied heaps refilled.
//!
//! Undo relies on order: called in the reverse of the changes, each call finds what its change left.

use millpond_storage::{check, checks};
use std::sync::Arc;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{EXTENT_PAGES, ExtentId};
use millpond_storage::page::header;

use crate::error::AccessError;
use crate::heap::change;
use crate::heap::change::damaged;
use crate::heap::grow;
use crate::heap::grow::give_back;
use crate::heap::handle::{Heap, State};
use crate::heap::journal::{SlotUndo, TailMark};
use crate::heap::layout::Layout;
use crate::lob::LobStore;
use crate::page;
use crate::rid::Rid;

/// What a truncated heap owned: its rows come back with [`refill`], its space with [`release`].
#[derive(Debug)]
pub struct Emptied {
    layout: Layout,
    values: Option<Arc<LobStore>>,
}

/// Undoes all appends since `mark`, and gives their space back.
///
/// # Errors
/// [`AccessError`]: the rows are gone in any case, unless the tail's page could not be had.
pub fn cut(heap: &Heap, ask: &Ask<'_>, mark: &TailMark) -> Result<(), AccessError> {
    let _alone = heap.structure.write();
    let state = &mut *heap.state.lock();
    state.cursor = None;
    state.generation += 1;
    let (pages_before, rows_before) = (state.layout.pages, state.layout.rows);
    let (extents, iam) = state.layout.cut(mark);
    assert!(rows_before >= mark.rows, "appends add rows: {rows_before} are fewer than {}", mark.rows);
    state.changes += rows_before - mark.rows;
    for position in mark.pages..pages_before.min(mark.extents * EXTENT_PAGES) {
        heap.ctx.pool.discard_page(state.layout.page_at(heap.ctx.db, position));
    }
    let extents: Vec<ExtentId> = extents.iter().map(|owned| heap.extent_id(owned)).collect();
    let freed = give_back(&heap.ctx, ask, (&extents, &extents), &iam, &state.layout.iam);
    check!(
        extents.iter().all(|extent| state.layout.extents.iter().all(|owned| heap.extent_id(owned) != *extent)),
        "an extent is given back, and is the heap's still"
    );
    cut_tail(heap, state, ask, mark.slots).and(freed)
}

fn cut_tail(heap: &Heap, state: &mut State, ask: &Ask<'_>, slots: u16) -> Result<(), AccessError> {
    let Some(tail) = state.layout.tail_position() else {
        return Ok(());
    };
    let mut page = heap.latch(ask, state.layout.page_at(heap.ctx.db, tail))?;
    page::cut(&mut page, slots).map_err(|damage| damaged(&page, damage))?;
    state.layout.read_tail(&page);
    Ok(())
}

/// Makes a slot what it was.
///
/// # Errors
/// [`AccessError`]; the slot is unchanged then.
pub fn restore(heap: &Heap, ask: &Ask<'_>, rid: Rid, undo: SlotUndo<'_>) -> Result<(), AccessError> {
    let state = &mut *heap.state.lock();
    let (position, mut page) = heap.latch_of(state, ask, rid)?;
    let rows_now = heap.image(&page, rid)?.map_or(0, |image| image.kind.row_count());
    let was_sound = checks::ARE_ON && page::sums_are_right(&page);
    let rows_then = match undo {
        SlotUndo::Record(image) => {
            change::put(state, position, &mut page, rid, image)?;
            image.kind.row_count()
        }
        SlotUndo::Empty => {
            change::empty(state, position, &mut page, rid)?;
            0
        }
        SlotUndo::Absent => {
            let free_before = header::free_count(&page);
            page::cut(&mut page, rid.slot).map_err(|damage| damaged(&page, damage))?;
            state.layout.page_changed(position, &page, free_before);
            0
        }
    };
    check!(!was_sound || page::sums_are_right(&page), "R1: page {} after {rid} was restored", page.id());
    assert!(
        state.layout.rows.checked_add_signed(rows_then - rows_now).is_some(),
        "{rows_now} rows at {rid} become {rows_then} in a heap that counts {}",
        state.layout.rows
    );
    state.layout.rows = state.layout.rows.saturating_add_signed(rows_then - rows_now);
    check!((rows_then - rows_now).abs() <= 1, "the slot {rid} had {rows_now} rows and has {rows_then}");
    state.changes += (rows_then - rows_now).unsigned_abs();
    Ok(())
}

/// Takes all rows and all space out of the heap, which goes on empty.
#[must_use]
pub fn empty_out(heap: &Heap) -> Emptied {
    let _alone = heap.structure.write();
    let state = &mut *heap.state.lock();
    state.cursor = None;
    state.generation += 1;
    state.emptied += 1;
    state.changes += state.layout.rows;
    check!(state.layout.pages > 0 || state.layout.rows == 0, "L1: {} rows on no page", state.layout.rows);
    Emptied { layout: std::mem::take(&mut state.layout), values: heap.values.lock().take() }
}

/// Puts back what [`empty_out`] took. What the heap has by now is given back.
///
/// # Errors
/// [`AccessError`] about the space given back; the rows are there in any case.
pub fn refill(heap: &Heap, ask: &Ask<'_>, emptied: Emptied) -> Result<(), AccessError> {
    let newer = empty_out(heap);
    {
        let state = &mut *heap.state.lock();
        state.changes += emptied.layout.rows;
        state.layout = emptied.layout;
    }
    *heap.values.lock() = emptied.values;
    release(heap, ask, newer)
}

/// Gives back what [`empty_out`] took.
///
/// # Errors
/// [`AccessError`] when a map page could not be had; the extents are free in any case.
pub fn release(heap: &Heap, ask: &Ask<'_>, emptied: Emptied) -> Result<(), AccessError> {
    let freed = emptied.values.map_or(Ok(()), |values| values.free(ask));
    grow::free(heap, ask, emptied.layout).and(freed)
}

/// Drops the heap for good.
///
/// # Errors
/// As [`release`].
pub fn destroy(heap: &Heap, ask: &Ask<'_>) -> Result<(), AccessError> {
    heap.set_dropped(true);
    let rows = empty_out(heap);
    release(heap, ask, rows)
}
