//! Records on one data page: slots, free space, compaction.
//!
//! ```text
//!   96                                   free data                                  8192
//!   +----------+----------+-----(hole)-----+----------+ . . . free . . . +----+----+----+
//!   | record   | record   |                | record   |                  | s2 | s1 | s0 |
//!   +----------+----------+----------------+----------+                  +----+----+----+
//!   record = kind (3 bits), length (13 bits) as u16; the bytes; padding up to 8 bytes
//!   slot   = u16, offset of the record, or 0: the slot is empty
//! ```
//!
//! What always holds:
//! - R1: free count = 8096 − Σ room of the records − 2 × slots; free data is after every record.
//! - R2: a record's room holds a forwarding stub, so that every row can be moved away in place.
//! - R3: the number of slots changes only by [`append`] (one more) and [`cut`] (back to fewer): a row keeps its slot.
//!
//! It knows one page's bytes: no pool, no heap, no columns.

use millpond_storage::check;
use millpond_storage::contract::{PAGE_BYTES, PageBytes};
use millpond_storage::page::header::{self, BODY_BYTES, HEADER_BYTES};

/// The largest record: what SQL Server allows in a row.
pub const ROW_BYTES_MAX: usize = 8060;
/// Bytes of kind and length before a record's bytes.
const PREFIX_BYTES: usize = 2;
/// Bytes of an entry of the slot array.
const SLOT_BYTES: usize = 2;
/// Bytes of a stub: file u16, page u32, slot u16.
pub(crate) const STUB_BYTES: usize = 8;
/// A record never takes less (R2).
const ROOM_BYTES_MIN: usize = PREFIX_BYTES + STUB_BYTES;
const LENGTH_BITS: u16 = 13;
const LENGTH_MASK: u16 = (1 << LENGTH_BITS) - 1;
const _: () = assert!(ROW_BYTES_MAX <= LENGTH_MASK as usize);
// 8060 + 2 + 2 = 8064 ≤ 8096: the largest row fits on an empty page.
const _: () = assert!(ROW_BYTES_MAX + PREFIX_BYTES + SLOT_BYTES <= BODY_BYTES);

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RecordKind {
    /// A row at its own place.
    Row = 1,
    /// The row moved; the bytes name its place.
    Stub = 2,
    /// A row that a stub on another page stands for; scans pass it by.
    Moved = 3,
}

impl RecordKind {
    /// The inverse of `kind as u8`.
    #[must_use]
    pub fn from_number(number: u8) -> Option<RecordKind> {
        match number {
            1 => Some(RecordKind::Row),
            2 => Some(RecordKind::Stub),
            3 => Some(RecordKind::Moved),
            _ => None,
        }
    }

    /// Rows that a record of this kind stands for in the heap's count.
    #[must_use]
    pub fn row_count(self) -> i64 {
        i64::from(self != RecordKind::Moved)
    }
}

/// A record as it lies in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotImage<'a> {
    /// What it is.
    pub kind: RecordKind,
    /// Its bytes, without prefix and padding.
    pub bytes: &'a [u8],
}

/// The page's slots or records contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordDamage {
    /// A slot that leads outside the rows.
    #[error("slot {slot} leads to offset {offset}")]
    Slot {
        /// Slot.
        slot: u16,
        /// Where it leads.
        offset: u16,
    },
    /// A record of unknown kind or impossible length.
    #[error("the record of slot {slot} has the prefix {prefix:04x}")]
    Record {
        /// Slot.
        slot: u16,
        /// Kind and length.
        prefix: u16,
    },
    /// More slots than a page has room for, or a free space that cannot be.
    #[error("{slots} slots, free data at {free_data}, {free_count} bytes free")]
    Header {
        /// Slots.
        slots: u16,
        /// Free data.
        free_data: u16,
        /// Free count.
        free_count: u16,
    },
}

/// Bytes that a record of `len` takes, without its slot.
#[inline]
pub(crate) fn room_of(len: usize) -> usize {
    (PREFIX_BYTES + len).max(ROOM_BYTES_MIN)
}

/// Bytes that a new record of `len` takes with a new slot.
#[inline]
pub(crate) fn cost_of(len: usize) -> usize {
    room_of(len) + SLOT_BYTES
}

#[inline]
fn slot_at(slot: u16) -> usize {
    PAGE_BYTES - SLOT_BYTES * (usize::from(slot) + 1)
}

#[inline]
fn u16_at(page: &PageBytes, offset: usize) -> u16 {
    u16::from_le_bytes([page[offset], page[offset + 1]])
}

#[inline]
fn put_u16(page: &mut PageBytes, offset: usize, value: u16) {
    page[offset..offset + 2].copy_from_slice(&value.to_le_bytes());
}

/// First byte of the slot array.
#[inline]
fn slots_start(page: &PageBytes) -> usize {
    PAGE_BYTES - SLOT_BYTES * usize::from(header::slot_count(page))
}

/// Checks once what the functions below rely on; a page that came from a file may say anything.
#[inline]
pub(crate) fn check(page: &PageBytes) -> Result<(), RecordDamage> {
    let (slots, free_data) = (header::slot_count(page), usize::from(header::free_data(page)));
    let slot_bytes = usize::from(slots) * SLOT_BYTES;
    let rows_end_max = PAGE_BYTES.saturating_sub(slot_bytes);
    if free_data < HEADER_BYTES || free_data > rows_end_max {
        return Err(header_damage(page));
    }
    // R1: what lies after the rows is free, and no more than all but the slots.
    let free = usize::from(header::free_count(page));
    if free < rows_end_max - free_data || free + slot_bytes > BODY_BYTES {
        return Err(header_damage(page));
    }
    Ok(())
}

#[cold]
fn header_damage(page: &PageBytes) -> RecordDamage {
    let (slots, free_data) = (header::slot_count(page), header::free_data(page));
    RecordDamage::Header { slots, free_data, free_count: header::free_count(page) }
}

/// The record of `slot`; `None` where the slot is empty or does not exist.
#[inline]
pub(crate) fn image(page: &PageBytes, slot: u16) -> Result<Option<SlotImage<'_>>, RecordDamage> {
    if slot >= header::slot_count(page) {
        return Ok(None);
    }
    let offset = u16_at(page, slot_at(slot));
    if offset == 0 {
        return Ok(None);
    }
    let start = usize::from(offset);
    let end_max = usize::from(header::free_data(page)).min(PAGE_BYTES);
    if start < HEADER_BYTES || start + ROOM_BYTES_MIN > end_max {
        return Err(RecordDamage::Slot { slot, offset });
    }
    let prefix = u16_at(page, start);
    let len = usize::from(prefix & LENGTH_MASK);
    match RecordKind::from_number((prefix >> LENGTH_BITS) as u8) {
        Some(kind) if start + PREFIX_BYTES + len <= end_max => {
            Ok(Some(SlotImage { kind, bytes: &page[start + PREFIX_BYTES..start + PREFIX_BYTES + len] }))
        }
        _ => Err(RecordDamage::Record { slot, prefix }),
    }
}

/// Free bytes between rows and slots.
#[inline]
pub(crate) fn bytes_at_end(page: &PageBytes) -> u16 {
    (slots_start(page) - usize::from(header::free_data(page))) as u16
}

/// Whether a record of `len` and a new slot fit between rows and slots as they lie.
#[inline]
pub(crate) fn fits_at_end(page: &PageBytes, len: usize) -> bool {
    usize::from(bytes_at_end(page)) >= cost_of(len)
}

/// R1, of a page whose records can all be read: what is free is what records and slots do not take.
pub(crate) fn sums_are_right(page: &PageBytes) -> bool {
    let slots = header::slot_count(page);
    let rooms = (0..slots)
        .try_fold(0, |sum, slot| Some(sum + image(page, slot).ok()?.map_or(0, |record| room_of(record.bytes.len()))));
    let free = usize::from(header::free_count(page));
    check(page).is_ok() && rooms.is_some_and(|rooms| rooms + SLOT_BYTES * usize::from(slots) + free == BODY_BYTES)
}

/// Puts a record after the last one, with a new slot; `encode` writes its bytes in place.
///
/// Relies on [`fits_at_end`].
#[inline]
pub(crate) fn append(page: &mut PageBytes, kind: RecordKind, len: usize, encode: impl FnOnce(&mut [u8])) -> u16 {
    let (start, slot, free) =
        (usize::from(header::free_data(page)), header::slot_count(page), header::free_count(page));
    assert!(usize::from(free) >= cost_of(len), "R1: {free} bytes are free, {len} are appended");
    check!(start + cost_of(len) <= slots_start(page), "a record of {len} bytes at {start} reaches into the slots");
    put_prefix(page, start, kind, len);
    encode(&mut page[start + PREFIX_BYTES..start + PREFIX_BYTES + len]);
    put_u16(page, slot_at(slot), start as u16);
    header::set_slot_count(page, slot + 1);
    header::set_free_data(page, (start + room_of(len)) as u16);
    header::set_free_count(page, free - cost_of(len) as u16);
    slot
}

#[inline]
fn put_prefix(page: &mut PageBytes, start: usize, kind: RecordKind, len: usize) {
    assert!(len <= ROW_BYTES_MAX, "a record of {len} bytes");
    put_u16(page, start, (kind as u16) << LENGTH_BITS | len as u16);
}

/// The first empty slot.
pub(crate) fn empty_slot(page: &PageBytes) -> Option<u16> {
    (0..header::slot_count(page)).find(|&slot| u16_at(page, slot_at(slot)) == 0)
}

/// Empty slots.
pub(crate) fn empty_slot_count(page: &PageBytes) -> u16 {
    (0..header::slot_count(page)).filter(|&slot| u16_at(page, slot_at(slot)) == 0).count() as u16
}

/// Whether `slot`, which exists, can hold a record of `len` instead of what it holds.
pub(crate) fn fits_in_slot(page: &PageBytes, slot: u16, len: usize) -> Result<bool, RecordDamage> {
    let old = image(page, slot)?.map_or(0, |i| room_of(i.bytes.len()));
    Ok(room_of(len) <= usize::from(header::free_count(page)) + old)
}

/// Puts a record into `slot`, which is empty or the first that does not exist; the page has the room (see [`cost_of`]).
pub(crate) fn insert_at(
    page: &mut PageBytes,
    slot: u16,
    kind: RecordKind,
    len: usize,
    encode: impl FnOnce(&mut [u8]),
) -> Result<(), RecordDamage> {
    if slot < header::slot_count(page) {
        return put(page, slot, kind, len, encode);
    }
    make_fit(page, len)?;
    append(page, kind, len, encode);
    Ok(())
}

/// Makes a record of `len` fit after the last one on a page that has the room.
pub(crate) fn make_fit(page: &mut PageBytes, len: usize) -> Result<(), RecordDamage> {
    if !fits_at_end(page, len) {
        compact(page)?;
    }
    // Compaction shows where the free count lied: there may be more after the records than it admits.
    let is_counted = usize::from(header::free_count(page)) >= cost_of(len);
    if is_counted && fits_at_end(page, len) { Ok(()) } else { Err(header_damage(page)) }
}

/// Makes `slot` hold a record of `len` bytes, which `encode` writes; what it held is gone. Rows may be moved within the
/// page to make room.
///
/// Relies on [`fits_in_slot`], and on the slot's existence.
pub(crate) fn put(
    page: &mut PageBytes,
    slot: u16,
    kind: RecordKind,
    len: usize,
    encode: impl FnOnce(&mut [u8]),
) -> Result<(), RecordDamage> {
    assert!(slot < header::slot_count(page), "R3: slot {slot} of {} is put", header::slot_count(page));
    let old_room = image(page, slot)?.map_or(0, |i| room_of(i.bytes.len()));
    let start = usize::from(u16_at(page, slot_at(slot)));
    let room = room_of(len);
    let start = if old_room >= room {
        resize_in_place(page, start, old_room, room);
        start
    } else {
        clear(page, slot)?;
        if usize::from(header::free_data(page)) + room > slots_start(page) {
            compact(page)?;
        }
        take_behind(page, slot, room)?
    };
    assert!(start + room <= slots_start(page), "a record of {len} bytes at {start} reaches into the slots");
    put_prefix(page, start, kind, len);
    encode(&mut page[start + PREFIX_BYTES..start + PREFIX_BYTES + len]);
    check!(
        matches!(image(page, slot), Ok(Some(now)) if now.kind == kind && now.bytes.len() == len),
        "R2: slot {slot} has not the record that was put there"
    );
    Ok(())
}

fn resize_in_place(page: &mut PageBytes, start: usize, old_room: usize, room: usize) {
    assert!(room <= old_room, "a record of {old_room} bytes in its place is not one of {room}");
    let free = header::free_count(page);
    header::set_free_count(page, (free + (old_room - room) as u16).min(BODY_BYTES as u16));
    if start + old_room == usize::from(header::free_data(page)) {
        header::set_free_data(page, (start + room) as u16);
    }
}

/// Gives `slot` the first `room` bytes after the last record.
fn take_behind(page: &mut PageBytes, slot: u16, room: usize) -> Result<usize, RecordDamage> {
    let (start, free) = (usize::from(header::free_data(page)), header::free_count(page));
    assert!(u16_at(page, slot_at(slot)) == 0, "slot {slot} has another record still");
    if start + room > slots_start(page) || usize::from(free) < room {
        return Err(header_damage(page));
    }
    put_u16(page, slot_at(slot), start as u16);
    header::set_free_data(page, (start + room) as u16);
    header::set_free_count(page, free - room as u16);
    Ok(start)
}

/// Empties `slot`; it stays (R3).
pub(crate) fn clear(page: &mut PageBytes, slot: u16) -> Result<(), RecordDamage> {
    let Some(old) = image(page, slot)? else {
        return Ok(());
    };
    let room = room_of(old.bytes.len());
    let start = usize::from(u16_at(page, slot_at(slot)));
    resize_in_place(page, start, room, 0);
    put_u16(page, slot_at(slot), 0);
    Ok(())
}

/// Goes back to `slots` slots: later ones and their records are gone.
pub(crate) fn cut(page: &mut PageBytes, slots: u16) -> Result<(), RecordDamage> {
    let before = header::slot_count(page);
    assert!(slots <= before, "R3: {before} slots are cut to {slots}");
    for slot in (slots..before).rev() {
        clear(page, slot)?;
    }
    if slots < before {
        let free = header::free_count(page);
        header::set_slot_count(page, slots);
        let freed = SLOT_BYTES as u16 * (before - slots);
        header::set_free_count(page, (free + freed).min(BODY_BYTES as u16));
        lower_free_data(page)?;
    }
    Ok(())
}

/// Sets free data to the end of the last record.
fn lower_free_data(page: &mut PageBytes) -> Result<(), RecordDamage> {
    let mut end = HEADER_BYTES;
    for slot in 0..header::slot_count(page) {
        if let Some(record) = image(page, slot)? {
            end = end.max(usize::from(u16_at(page, slot_at(slot))) + room_of(record.bytes.len()));
        }
    }
    assert!(end <= slots_start(page), "rows end at {end}, the slots begin at {}", slots_start(page));
    header::set_free_data(page, end as u16);
    Ok(())
}

/// Moves the records together at the front, in the order in which they lie.
fn compact(page: &mut PageBytes) -> Result<(), RecordDamage> {
    let mut records = Vec::with_capacity(usize::from(header::slot_count(page)));
    for slot in 0..header::slot_count(page) {
        if let Some(record) = image(page, slot)? {
            records.push((usize::from(u16_at(page, slot_at(slot))), room_of(record.bytes.len()), slot));
        }
    }
    records.sort_unstable();
    let mut end = HEADER_BYTES;
    for (start, room, slot) in records {
        if start < end {
            return Err(RecordDamage::Slot { slot, offset: start as u16 });
        }
        page.copy_within(start..start + room, end);
        put_u16(page, slot_at(slot), end as u16);
        end += room;
    }
    let before = usize::from(header::free_data(page));
    assert!(end <= before, "rows that were moved together end at {end}, and ended at {before}");
    header::set_free_data(page, end as u16);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_storage::contract::{DbId, FileId, PageId, PageKind, PageNo};
    use proptest::prelude::*;

    fn empty() -> Box<PageBytes> {
        let mut page = Box::new([0xee; PAGE_BYTES]);
        let id = PageId { db: DbId(2), file: FileId(1), page: PageNo(40) };
        header::init(&mut page, id, PageKind::Data, 7);
        page
    }

    fn add(page: &mut PageBytes, bytes: &[u8]) -> u16 {
        append(page, RecordKind::Row, bytes.len(), |to| to.copy_from_slice(bytes))
    }

    fn set(page: &mut PageBytes, slot: u16, bytes: &[u8]) {
        put(page, slot, RecordKind::Row, bytes.len(), |to| to.copy_from_slice(bytes)).unwrap();
    }

    fn bytes(page: &PageBytes, slot: u16) -> Option<Vec<u8>> {
        image(page, slot).unwrap().map(|i| i.bytes.to_vec())
    }

    #[test]
    fn one_row_of_char_8000_fills_a_page_and_the_largest_row_fits() {
        let mut page = empty();
        assert_eq!(add(&mut page, &[1; 8007]), 0);
        assert!(!fits_at_end(&page, 8007));
        assert!(fits_at_end(&empty(), ROW_BYTES_MAX));
    }

    #[test]
    fn a_row_grows_into_the_room_of_a_deleted_one() {
        let mut page = empty();
        for fill in 0..8 {
            add(&mut page, &[fill; 1000]);
        }
        clear(&mut page, 3).unwrap();
        assert!(fits_in_slot(&page, 5, 1900).unwrap());
        assert!(!fits_in_slot(&page, 5, 2200).unwrap());
        set(&mut page, 5, &[99; 1900]);
        assert_eq!((bytes(&page, 5), bytes(&page, 3)), (Some(vec![99; 1900]), None));
        assert_eq!((bytes(&page, 7), empty_slot(&page)), (Some(vec![7; 1000]), Some(3)));
    }

    #[test]
    fn a_short_row_has_room_for_a_stub() {
        let mut page = empty();
        while fits_at_end(&page, 1) {
            add(&mut page, b"x");
        }
        assert!(fits_in_slot(&page, 0, STUB_BYTES).unwrap());
    }

    #[test]
    fn nonsense_is_damage_and_no_panic() {
        let mut page = empty();
        add(&mut page, &[1; 20]);
        put_u16(&mut page, slot_at(0), 8190);
        assert!(matches!(image(&page, 0), Err(RecordDamage::Slot { .. })));
        put_u16(&mut page, slot_at(0), 96);
        put_u16(&mut page, 96, 0xffff);
        assert!(matches!(image(&page, 0), Err(RecordDamage::Record { .. })));
        header::set_slot_count(&mut page, 5000);
        assert!(check(&page).is_err());
    }

    #[derive(Clone, Debug)]
    enum Change {
        Append(usize),
        Put(usize, usize),
        Clear(usize),
        Cut(usize),
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            4 => (0usize..1200).prop_map(Change::Append),
            3 => (any::<usize>(), 0usize..1500).prop_map(|(s, n)| Change::Put(s, n)),
            2 => any::<usize>().prop_map(Change::Clear),
            1 => any::<usize>().prop_map(Change::Cut),
        ]
    }

    fn run(page: &mut PageBytes, model: &mut Vec<Option<Vec<u8>>>, step: u8, change: &Change) {
        match *change {
            Change::Append(len) if fits_at_end(page, len) => {
                assert_eq!(usize::from(add(page, &vec![step; len])), model.len());
                model.push(Some(vec![step; len]));
            }
            Change::Put(slot, len) if !model.is_empty() => {
                let slot = slot % model.len();
                if fits_in_slot(page, slot as u16, len).unwrap() {
                    set(page, slot as u16, &vec![step; len]);
                    model[slot] = Some(vec![step; len]);
                }
            }
            Change::Clear(slot) if !model.is_empty() => {
                let slot = slot % model.len();
                clear(page, slot as u16).unwrap();
                model[slot] = None;
            }
            Change::Cut(slots) if !model.is_empty() => {
                model.truncate(slots % (model.len() + 1));
                cut(page, model.len() as u16).unwrap();
            }
            _ => {}
        }
    }

    proptest! {
        /// A page of random numbers is refused or changed; nothing panics.
        #[test]
        fn nonsense_never_panics(
            head in (0u16..60, 0u16..9000, 0u16..9000),
            slots in prop::collection::vec(0u16..8300, 60),
            prefixes in prop::collection::vec(any::<u16>(), 60),
            changes in prop::collection::vec(change(), 1..30),
        ) {
            let mut page = empty();
            for (n, (slot, prefix)) in slots.iter().zip(prefixes).enumerate() {
                put_u16(&mut page, slot_at(n as u16), *slot);
                put_u16(&mut page, usize::from(*slot).clamp(HEADER_BYTES, PAGE_BYTES - 2), prefix);
            }
            header::set_slot_count(&mut page, head.0);
            header::set_free_data(&mut page, head.1.min(8192 - 2 * head.0));
            header::set_free_count(&mut page, head.2);
            for change in changes {
                if check(&page).is_err() {
                    break;
                }
                let slots = usize::from(header::slot_count(&page));
                match change {
                    Change::Append(len) => drop(insert_at(&mut page, slots as u16, RecordKind::Row, len, |to| to.fill(1))),
                    Change::Put(slot, len) if slots > 0 => {
                        let slot = (slot % slots) as u16;
                        if let Ok(true) = fits_in_slot(&page, slot, len) {
                            let _ = put(&mut page, slot, RecordKind::Row, len, |to| to.fill(2));
                        }
                    }
                    Change::Clear(slot) if slots > 0 => drop(clear(&mut page, (slot % slots) as u16)),
                    Change::Cut(keep) => drop(cut(&mut page, (keep % (slots + 1)) as u16)),
                    _ => {}
                }
            }
        }

        /// Random changes against a list of rows; R1 is recomputed after every one.
        #[test]
        fn a_page_is_a_list_of_rows(changes in prop::collection::vec(change(), 1..200)) {
            let (mut page, mut model) = (empty(), Vec::new());
            for (step, change) in changes.iter().enumerate() {
                run(&mut page, &mut model, step as u8, change);
                check(&page).unwrap();
                let used: usize = model.iter().map(|r: &Option<Vec<u8>>| r.as_ref().map_or(0, |r| room_of(r.len()))).sum();
                prop_assert_eq!(usize::from(header::free_count(&page)), BODY_BYTES - used - 2 * model.len());
                for (slot, row) in model.iter().enumerate() {
                    prop_assert_eq!(&bytes(&page, slot as u16), row);
                }
                prop_assert_eq!(bytes(&page, model.len() as u16), None);
            }
        }
    }
}
