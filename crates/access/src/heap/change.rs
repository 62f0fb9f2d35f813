//! Rows that change and go: update in place, else forward; delete; and the slot operations by which both are undone.
//!
//! ```text
//!   home page            other page
//!   +------+ update      +-------+     The row keeps its identifier: the stub names the place of the moved record.
//!   | Stub |------------>| Moved |     It never moves twice over a chain: the stub is changed, or the row comes home.
//!   +------+             +-------+
//! ```
//!
//! Each step changes one slot of one page, and notes in the journal what was there (H5), so undo is exact, page by
//! page.

use millpond_storage::ask::Ask;
use millpond_storage::contract::PageBytes;
use millpond_storage::page::header;
use millpond_storage::pool::ExclusivePage;
use millpond_storage::{check, checks};

use crate::error::AccessError;
use crate::heap::append;
use crate::heap::handle::{Heap, State};
use crate::heap::journal::{Journal, SlotUndo};
use crate::heap::layout::Position;
use crate::page::{self, ROW_BYTES_MAX, RecordKind, STUB_BYTES, SlotImage};
use crate::rid::Rid;

/// Where a row's bytes are.
enum Place {
    Home,
    Moved(Rid),
}

/// Replaces the bytes of the row at `rid`.
///
/// # Errors
/// [`AccessError`]; after one that is neither [`AccessError::NoSuchRow`] nor [`AccessError::RowTooLong`], the
/// journal is to be undone.
pub fn update<J: Journal>(
    heap: &Heap,
    ask: &Ask<'_>,
    journal: &mut J,
    rid: Rid,
    row: &[u8],
) -> Result<(), AccessError> {
    if row.len() > ROW_BYTES_MAX {
        return Err(AccessError::RowTooLong { row_bytes: row.len(), row_bytes_max: ROW_BYTES_MAX });
    }
    let state = &mut *heap.state.lock();
    heap.check_live(state)?;
    let place = place_of(heap, state, ask, rid)?;
    if replace(heap, state, ask, journal, rid, SlotImage { kind: RecordKind::Row, bytes: row })? {
        return match place {
            Place::Home => Ok(()),
            Place::Moved(old) => clear(heap, state, ask, journal, old),
        };
    }
    let moved = SlotImage { kind: RecordKind::Moved, bytes: row };
    match place {
        Place::Moved(old) if replace(heap, state, ask, journal, old, moved)? => Ok(()),
        Place::Moved(old) => {
            forward(heap, state, ask, journal, rid, row)?;
            clear(heap, state, ask, journal, old)
        }
        Place::Home => forward(heap, state, ask, journal, rid, row),
    }
}

/// Deletes the row at `rid`.
///
/// # Errors
/// As [`update`].
pub fn delete<J: Journal>(heap: &Heap, ask: &Ask<'_>, journal: &mut J, rid: Rid) -> Result<(), AccessError> {
    let state = &mut *heap.state.lock();
    heap.check_live(state)?;
    let place = place_of(heap, state, ask, rid)?;
    clear(heap, state, ask, journal, rid)?;
    assert!(state.layout.rows > 0, "row {rid} is deleted from a heap that counts none");
    state.layout.rows -= 1;
    state.changes += 1;
    match place {
        Place::Home => Ok(()),
        Place::Moved(old) => clear(heap, state, ask, journal, old),
    }
}

fn place_of(heap: &Heap, state: &mut State, ask: &Ask<'_>, rid: Rid) -> Result<Place, AccessError> {
    state.layout.position_of(rid.file, rid.page).ok_or(AccessError::NoSuchRow(rid))?;
    let page = heap.shared(ask, rid.page_id(heap.ctx.db))?;
    match heap.image(&page, rid)? {
        Some(image) if image.kind == RecordKind::Row => Ok(Place::Home),
        Some(image) if image.kind == RecordKind::Stub => Ok(Place::Moved(heap.stub_target(image.bytes, rid)?)),
        _ => Err(AccessError::NoSuchRow(rid)),
    }
}

/// Puts the row elsewhere and a stub for it at `rid`.
fn forward<J: Journal>(
    heap: &Heap,
    state: &mut State,
    ask: &Ask<'_>,
    journal: &mut J,
    rid: Rid,
    row: &[u8],
) -> Result<(), AccessError> {
    let target =
        append::add_record(heap, state, ask, journal, RecordKind::Moved, row.len(), |to| to.copy_from_slice(row))?;
    assert!((target.file, target.page) != (rid.file, rid.page), "row {rid} moves within its page, to {target}");
    let stub = stub_bytes(target);
    let placed = replace(heap, state, ask, journal, rid, SlotImage { kind: RecordKind::Stub, bytes: &stub })?;
    assert!(placed, "R2: every record has the room of a stub, and row {rid} has not");
    Ok(())
}

/// Makes the slot hold `image` if there is room for it on its page.
fn replace<J: Journal>(
    heap: &Heap,
    state: &mut State,
    ask: &Ask<'_>,
    journal: &mut J,
    rid: Rid,
    image: SlotImage<'_>,
) -> Result<bool, AccessError> {
    journal.reserve(ask)?;
    let (position, mut page) = heap.latch_of(state, ask, rid)?;
    if !page::fits_in_slot(&page, rid.slot, image.bytes.len()).map_err(|d| damaged(&page, d))? {
        return Ok(false);
    }
    journal.slot(rid, undo_of(heap, &page, rid)?);
    put(state, position, &mut page, rid, image)?;
    Ok(true)
}

fn clear<J: Journal>(
    heap: &Heap,
    state: &mut State,
    ask: &Ask<'_>,
    journal: &mut J,
    rid: Rid,
) -> Result<(), AccessError> {
    journal.reserve(ask)?;
    let (position, mut page) = heap.latch_of(state, ask, rid)?;
    journal.slot(rid, undo_of(heap, &page, rid)?);
    empty(state, position, &mut page, rid)
}

fn undo_of<'p>(heap: &Heap, page: &'p PageBytes, rid: Rid) -> Result<SlotUndo<'p>, AccessError> {
    Ok(heap.image(page, rid)?.map_or(SlotUndo::Empty, SlotUndo::Record))
}

pub(crate) fn put(
    state: &mut State,
    position: Position,
    page: &mut ExclusivePage<'_>,
    rid: Rid,
    image: SlotImage<'_>,
) -> Result<(), AccessError> {
    let free_before = header::free_count(page);
    let was_sound = checks::ARE_ON && page::sums_are_right(page);
    let copy = |to: &mut [u8]| to.copy_from_slice(image.bytes);
    page::put(page, rid.slot, image.kind, image.bytes.len(), copy).map_err(|d| damaged(page, d))?;
    check!(!was_sound || page::sums_are_right(page), "R1: page {} after {rid} was put", page.id());
    check!(
        !was_sound || matches!(page::image(page, rid.slot), Ok(Some(now)) if now == image),
        "H5: the slot {rid} has not what was put there"
    );
    state.layout.page_changed(position, page, free_before);
    Ok(())
}

pub(crate) fn empty(
    state: &mut State,
    position: Position,
    page: &mut ExclusivePage<'_>,
    rid: Rid,
) -> Result<(), AccessError> {
    let free_before = header::free_count(page);
    let was_sound = checks::ARE_ON && page::sums_are_right(page);
    page::clear(page, rid.slot).map_err(|d| damaged(page, d))?;
    check!(!was_sound || page::sums_are_right(page), "R1: page {} after {rid} was emptied", page.id());
    check!(matches!(page::image(page, rid.slot), Ok(None)), "R3: the slot {rid} is emptied, and has a record");
    state.layout.page_changed(position, page, free_before);
    Ok(())
}

pub(crate) fn damaged(page: &ExclusivePage<'_>, damage: page::RecordDamage) -> AccessError {
    AccessError::Damaged { page: page.id(), damage }
}

fn stub_bytes(target: Rid) -> [u8; STUB_BYTES] {
    let mut stub = [0; STUB_BYTES];
    stub[..2].copy_from_slice(&target.file.0.to_le_bytes());
    stub[2..6].copy_from_slice(&target.page.0.to_le_bytes());
    stub[6..].copy_from_slice(&target.slot.to_le_bytes());
    stub
}
