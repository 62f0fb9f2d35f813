//! The slotted page of trees: records of any length in key order.
//!
//! ```text
//!   96      98            free data                          8192 − 2·slots          8192
//!   +-------+-------------+--- … ---+------------------------+--- … ---+------+------+
//!   |len u16|record bytes |  more   |        free            | slot 2  |slot 1|slot 0|
//!   +-------+-------------+--- … ---+------------------------+--- … ---+------+------+
//! ```
//!
//! What always holds on a page that only these functions changed: slot *n* is the offset of the *n*-th record in the
//! order that the caller keeps; *free count* = 8096 − Σ (2 + length) − 2 · slots; *free data* is after every record. A
//! change either happens or leaves the page as it was. The same change on the same page gives the same page, so that a
//! log of changes repeats them. The functions know no keys; what they read they do not believe: a damaged page gives
//! [`RecordDamage`], never a panic.

use crate::contract::{PAGE_BYTES, PageBytes};
use crate::page::header::{self, BODY_BYTES, HEADER_BYTES};
use crate::{check, checks};

/// Bytes of the longest record that the rules of row sizes allow.
pub const RECORD_BYTES_MAX: usize = 8060;
/// What a record costs beside its bytes: its length and its slot.
pub const RECORD_OVERHEAD_BYTES: usize = 4;
/// Length in front of a record.
const LENGTH_BYTES: usize = 2;
/// A slot.
const SLOT_BYTES: usize = 2;

/// Why a slot does not give a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordDamage {
    /// The page has no such slot.
    #[error("slot {slot} of {count}")]
    NoSlot {
        /// Slot asked for.
        slot: u16,
        /// Slots of the page.
        count: u16,
    },
    /// The slot or the length points outside the record area.
    #[error("slot {slot} points to offset {offset}, outside the records")]
    Place {
        /// Slot asked for.
        slot: u16,
        /// What it holds.
        offset: u16,
    },
    /// The header's counts contradict each other.
    #[error("the page's slot count {slots}, free count {free} and free data {data} contradict each other")]
    Counts {
        /// Slot count.
        slots: u16,
        /// Free count.
        free: u16,
        /// Free data.
        data: u16,
    },
}

/// Why a change was refused; the page is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlottedError {
    /// The page has no room, not even after compaction.
    #[error("no room for {wanted_bytes} bytes: {free_bytes} are free")]
    NoRoom {
        /// Bytes that the change needs.
        wanted_bytes: usize,
        /// Bytes free.
        free_bytes: usize,
    },
    /// The record is longer than [`RECORD_BYTES_MAX`].
    #[error("a record of {bytes} bytes; the most is {RECORD_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A patch reaches beyond its record.
    #[error("{bytes} bytes at offset {offset} of a record of {record_bytes}")]
    Range {
        /// Start.
        offset: u16,
        /// Length of the patch.
        bytes: usize,
        /// Length of the record.
        record_bytes: usize,
    },
    /// The page is not what these functions made.
    #[error(transparent)]
    Damaged(#[from] RecordDamage),
}

#[inline]
fn u16_at(page: &PageBytes, offset: usize) -> u16 {
    u16::from_le_bytes([page[offset], page[offset + 1]])
}

#[inline]
fn put_u16(page: &mut PageBytes, offset: usize, value: u16) {
    page[offset..offset + 2].copy_from_slice(&value.to_le_bytes());
}

/// Offset of a slot's two bytes.
#[inline]
fn slot_at(slot: u16) -> usize {
    PAGE_BYTES - SLOT_BYTES * (usize::from(slot) + 1)
}

/// Where the slot array begins, with so many slots; 0 for more slots than a page has.
#[inline]
fn slots_begin(count: u16) -> usize {
    PAGE_BYTES.saturating_sub(SLOT_BYTES * usize::from(count))
}

/// Records of the page.
#[must_use]
#[inline]
pub fn slot_count(page: &PageBytes) -> u16 {
    header::slot_count(page)
}

/// Bytes that are free anywhere on the page; a record takes its length and [`RECORD_OVERHEAD_BYTES`].
#[must_use]
#[inline]
pub fn free_bytes(page: &PageBytes) -> usize {
    usize::from(header::free_count(page))
}

/// Bytes in use by records and slots.
#[must_use]
pub fn used_bytes(page: &PageBytes) -> usize {
    BODY_BYTES.saturating_sub(free_bytes(page))
}

/// Whether a change is to leave the page sound: it is now, and this is one of the changes that are looked at.
fn is_watched(page: &PageBytes) -> bool {
    checks::ARE_ON && slot_count(page).is_multiple_of(8) && check(page).is_ok()
}
/// Whether one more record of `record_bytes` has room, if need be after compaction.
#[must_use]
#[inline]
pub fn fits(page: &PageBytes, record_bytes: usize) -> bool {
    record_bytes + RECORD_OVERHEAD_BYTES <= free_bytes(page)
}

/// Whether the record of `slot` may become `record_bytes` long.
#[must_use]
pub fn fits_instead(page: &PageBytes, slot: u16, record_bytes: usize) -> bool {
    record(page, slot).is_ok_and(|old| record_bytes <= free_bytes(page) + old.len())
}

/// Start and end of the bytes of the record in `slot`.
#[inline]
fn place(page: &PageBytes, slot: u16) -> Result<(usize, usize), RecordDamage> {
    let count = slot_count(page);
    if slot >= count {
        return Err(RecordDamage::NoSlot { slot, count });
    }
    let limit = slots_begin(count);
    if !(HEADER_BYTES..=PAGE_BYTES).contains(&limit) {
        return Err(damaged_counts(page));
    }
    let offset = u16_at(page, slot_at(slot));
    let start = usize::from(offset) + LENGTH_BYTES;
    if usize::from(offset) < HEADER_BYTES || start > limit {
        return Err(RecordDamage::Place { slot, offset });
    }
    let end = start + usize::from(u16_at(page, usize::from(offset)));
    if end > limit {
        return Err(RecordDamage::Place { slot, offset });
    }
    Ok((start, end))
}

/// The record in `slot`.
///
/// # Errors
/// [`RecordDamage`].
#[inline]
pub fn record(page: &PageBytes, slot: u16) -> Result<&[u8], RecordDamage> {
    let (start, end) = place(page, slot)?;
    Ok(&page[start..end])
}

fn damaged_counts(page: &PageBytes) -> RecordDamage {
    RecordDamage::Counts {
        slots: header::slot_count(page),
        free: header::free_count(page),
        data: header::free_data(page),
    }
}

/// Slot count, free data and free count, if they can be true.
fn counts(page: &PageBytes) -> Result<(u16, usize, usize), RecordDamage> {
    let (slots, data, free) = (slot_count(page), usize::from(header::free_data(page)), free_bytes(page));
    let slot_bytes = usize::from(slots) * SLOT_BYTES;
    let sound = slot_bytes <= BODY_BYTES
        && data >= HEADER_BYTES
        && data <= PAGE_BYTES - slot_bytes
        && free <= BODY_BYTES - slot_bytes
        && free >= PAGE_BYTES - slot_bytes - data;
    if sound { Ok((slots, data, free)) } else { Err(damaged_counts(page)) }
}

/// Puts a record in front of the one that is in `slot` now; `slot` may be the slot count.
///
/// # Errors
/// [`SlottedError`].
pub fn insert(page: &mut PageBytes, slot: u16, record: &[u8]) -> Result<(), SlottedError> {
    let (slots, _, free) = counts(page)?;
    if slot > slots {
        return Err(RecordDamage::NoSlot { slot, count: slots }.into());
    }
    check_length(record)?;
    let was_sound = is_watched(page);
    let wanted_bytes = record.len() + RECORD_OVERHEAD_BYTES;
    if wanted_bytes > free {
        return Err(SlottedError::NoRoom { wanted_bytes, free_bytes: free });
    }
    let data = make_contiguous(page, wanted_bytes)?;
    let moved = slots_begin(slots)..slots_begin(slot);
    page.copy_within(moved.clone(), moved.start - SLOT_BYTES);
    put_record(page, data, record);
    put_u16(page, slot_at(slot), data as u16);
    header::set_slot_count(page, slots + 1);
    header::set_free_count(page, (free - wanted_bytes) as u16);
    check!(self::record(page, slot).is_ok_and(|now| now == record), "slot {slot} has not the record that was inserted");
    check!(!was_sound || check(page).is_ok(), "a record in slot {slot} makes the page unsound");
    Ok(())
}

fn check_length(record: &[u8]) -> Result<(), SlottedError> {
    if record.len() > RECORD_BYTES_MAX {
        return Err(SlottedError::TooLong { bytes: record.len() });
    }
    Ok(())
}

/// Writes a record at `data`, which becomes the end of the records before it.
fn put_record(page: &mut PageBytes, data: usize, record: &[u8]) {
    put_u16(page, data, record.len() as u16);
    let start = data + LENGTH_BYTES;
    check!(
        data >= HEADER_BYTES && start + record.len() <= slots_begin(slot_count(page)),
        "a record of {} bytes at {data} lies over the header or the slots",
        record.len()
    );
    page[start..start + record.len()].copy_from_slice(record);
    header::set_free_data(page, (start + record.len()) as u16);
}

/// Sees to `bytes` between the records and the slots, which the page has in all; returns where they begin.
fn make_contiguous(page: &mut PageBytes, bytes: usize) -> Result<usize, RecordDamage> {
    let data = usize::from(header::free_data(page));
    if data + bytes <= slots_begin(slot_count(page)) {
        return Ok(data);
    }
    compact(page, None)?;
    let data = usize::from(header::free_data(page));
    // With overlapping records the free count lies; the room is looked for, not believed.
    if data + bytes <= slots_begin(slot_count(page)) { Ok(data) } else { Err(damaged_counts(page)) }
}

/// Moves the records together, in the order of their slots; the record of slot `without` goes, and its slot waits for
/// another one.
fn compact(page: &mut PageBytes, without: Option<u16>) -> Result<(), RecordDamage> {
    let slots = slot_count(page);
    let mut body = [0; BODY_BYTES];
    let mut offsets = [0_u16; BODY_BYTES / SLOT_BYTES];
    let mut end = 0;
    for slot in (0..slots).filter(|&slot| Some(slot) != without) {
        let (start, stop) = place(page, slot)?;
        let bytes = &page[start - LENGTH_BYTES..stop];
        let Some(target) = body.get_mut(end..end + bytes.len()) else { return Err(damaged_counts(page)) };
        target.copy_from_slice(bytes);
        offsets[usize::from(slot)] = (HEADER_BYTES + end) as u16;
        end += bytes.len();
    }
    if HEADER_BYTES + end > slots_begin(slots) {
        return Err(damaged_counts(page));
    }
    page[HEADER_BYTES..HEADER_BYTES + end].copy_from_slice(&body[..end]);
    for slot in 0..slots {
        put_u16(page, slot_at(slot), offsets[usize::from(slot)]);
    }
    header::set_free_data(page, (HEADER_BYTES + end) as u16);
    Ok(())
}

/// The bytes up to `end` are not a record's any more; if they were the last ones, the records end at `start`.
fn give_back(page: &mut PageBytes, start: usize, end: usize) {
    check!(start <= end, "bytes from {start} to {end} are given back");
    if usize::from(header::free_data(page)) == end {
        header::set_free_data(page, start as u16);
    }
}

/// Takes a record away; those after it move one slot down.
///
/// # Errors
/// [`SlottedError::Damaged`].
pub fn delete(page: &mut PageBytes, slot: u16) -> Result<(), SlottedError> {
    let (slots, _, free) = counts(page)?;
    let (start, end) = place(page, slot)?;
    let was_sound = is_watched(page);
    let freed = free + (end - start) + RECORD_OVERHEAD_BYTES;
    if freed > BODY_BYTES {
        return Err(damaged_counts(page).into());
    }
    let moved = slots_begin(slots)..slot_at(slot);
    page.copy_within(moved.clone(), moved.start + SLOT_BYTES);
    header::set_slot_count(page, slots - 1);
    header::set_free_count(page, freed as u16);
    give_back(page, start - LENGTH_BYTES, end);
    check!(!was_sound || check(page).is_ok(), "without the record of slot {slot} the page is unsound");
    Ok(())
}

/// Puts another record in the place of the one in `slot`.
///
/// # Errors
/// [`SlottedError`].
pub fn replace(page: &mut PageBytes, slot: u16, record: &[u8]) -> Result<(), SlottedError> {
    let (slots, _, free) = counts(page)?;
    let (start, end) = place(page, slot)?;
    check_length(record)?;
    let was_sound = is_watched(page);
    let (old, new) = (end - start, record.len());
    if new > old + free {
        return Err(SlottedError::NoRoom { wanted_bytes: new - old, free_bytes: free });
    }
    let free_now = free + old - new;
    if free_now + usize::from(slots) * SLOT_BYTES > BODY_BYTES {
        return Err(damaged_counts(page).into());
    }
    if new <= old {
        put_u16(page, start - LENGTH_BYTES, new as u16);
        page[start..start + new].copy_from_slice(record);
        give_back(page, start + new, end);
    } else {
        move_longer(page, slot, record)?;
    }
    header::set_free_count(page, free_now as u16);
    check!(!was_sound || check(page).is_ok(), "another record in slot {slot} makes the page unsound");
    check!(
        self::record(page, slot).is_ok_and(|now| now == record),
        "slot {slot} has not the record that replaced another"
    );
    Ok(())
}

/// A record that does not fit its old place goes after the others; the page has room for it without the old one.
fn move_longer(page: &mut PageBytes, slot: u16, record: &[u8]) -> Result<(), RecordDamage> {
    let (start, end) = place(page, slot)?;
    let is_last = usize::from(header::free_data(page)) == end;
    let limit = slots_begin(slot_count(page));
    let data = usize::from(header::free_data(page));
    let data = if is_last && start + record.len() <= limit {
        start - LENGTH_BYTES
    } else if data + LENGTH_BYTES + record.len() <= limit {
        data
    } else {
        make_room_without(page, slot, LENGTH_BYTES + record.len())?
    };
    put_record(page, data, record);
    put_u16(page, slot_at(slot), data as u16);
    Ok(())
}

/// Compacts the page without the bytes of the record in `slot`; returns where `bytes` are free.
fn make_room_without(page: &mut PageBytes, slot: u16, bytes: usize) -> Result<usize, RecordDamage> {
    let mut trial = *page;
    compact(&mut trial, Some(slot))?;
    let data = usize::from(header::free_data(&trial));
    if data + bytes > slots_begin(slot_count(&trial)) {
        return Err(damaged_counts(page));
    }
    *page = trial;
    Ok(data)
}

/// Overwrites bytes inside a record.
///
/// # Errors
/// [`SlottedError`].
pub fn patch(page: &mut PageBytes, slot: u16, offset: u16, bytes: &[u8]) -> Result<(), SlottedError> {
    let (start, end) = place(page, slot)?;
    let record_bytes = end - start;
    if usize::from(offset) + bytes.len() > record_bytes {
        return Err(SlottedError::Range { offset, bytes: bytes.len(), record_bytes });
    }
    let start = start + usize::from(offset);
    page[start..start + bytes.len()].copy_from_slice(bytes);
    check!(
        self::record(page, slot).is_ok_and(|now| now.len() == record_bytes),
        "a patch changes the length of slot {slot}"
    );
    Ok(())
}

/// Drops the records from slot `kept` on.
///
/// # Errors
/// [`SlottedError::Damaged`].
pub fn cut(page: &mut PageBytes, kept: u16) -> Result<(), SlottedError> {
    let (slots, _, _) = counts(page)?;
    if kept > slots {
        return Err(RecordDamage::NoSlot { slot: kept, count: slots }.into());
    }
    let was_sound = is_watched(page);
    let (mut data, mut used) = (HEADER_BYTES, 0);
    for slot in 0..kept {
        let (start, end) = place(page, slot)?;
        data = data.max(end);
        used += end - start + RECORD_OVERHEAD_BYTES;
    }
    if used > BODY_BYTES {
        return Err(damaged_counts(page).into());
    }
    header::set_slot_count(page, kept);
    header::set_free_count(page, (BODY_BYTES - used) as u16);
    header::set_free_data(page, data as u16);
    check!(!was_sound || check(page).is_ok(), "a page that keeps {kept} records is unsound");
    Ok(())
}

/// Whether the page is one that these functions could have made: counts agree, records lie apart.
///
/// # Errors
/// The first contradiction.
pub fn check(page: &PageBytes) -> Result<(), RecordDamage> {
    let (slots, data, free) = counts(page)?;
    let mut places = Vec::with_capacity(usize::from(slots));
    for slot in 0..slots {
        places.push(place(page, slot)?);
    }
    places.sort_unstable();
    let apart = places.windows(2).all(|pair| pair[0].1 + LENGTH_BYTES <= pair[1].0);
    let used: usize = places.iter().map(|(start, end)| end - start + RECORD_OVERHEAD_BYTES).sum();
    let last = places.last().map_or(HEADER_BYTES, |place| place.1);
    if apart && used + free == BODY_BYTES && last <= data { Ok(()) } else { Err(damaged_counts(page)) }
}
