//! The extension's file.
//!
//! ```text
//!   0 header │ 4096 marks A │ 8192 marks B │ 12288 directory: blocks of 4096 │ slots of 8192 …
//!
//!   header   magic 8 │ CRC-32C of 12.. u32 │ version u32 │ server GUID 16 │ epoch u64 │ slots u32
//!   marks    CRC-32C of 4.. u32 │ count u32 │ number u64 │ (database u16 │ – │ key u32 │ redo start u64) …
//!   block    CRC-32C of 4.. u32 │ its number u32 │ epoch u64 │ 102 records of 40:
//!   record   page u64, 0 is none │ LSN 10 │ rows u16 │ checksum u32 │ key of the file u32 │ object u32 │ kind u8 │ level u8
//!            │ free bytes u16 │ –
//! ```
//!
//! What always holds: a block that is torn, of another epoch or in another place has no records; so does a file whose
//! header is not the server's own. Losing records is always allowed, believing one that is out of date never is.

use millpond_device::{BlockDevice, DeviceError};

use crate::check;
use crate::contract::{DbId, PAGE_BYTES, PageId};
use crate::extension::SlotNo;
use crate::extension::contents::Contents;
use crate::page::header::{LogPos, Lsn};

/// Bytes of a block of the directory.
pub(crate) const BLOCK_BYTES: usize = 4096;
const RECORD_BYTES: usize = 40;
const RECORDS_AT: usize = 16;
/// Records of a block: (4096 − 16) / 40.
pub(crate) const RECORDS: u32 = ((BLOCK_BYTES - RECORDS_AT) / RECORD_BYTES) as u32;
const _: () = assert!(RECORDS == 102);
const DIRECTORY_AT: u64 = 3 * BLOCK_BYTES as u64;
const MAGIC: [u8; 8] = *b"MPONDBPE";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 44;
const MARK_BYTES: usize = 16;
/// Databases whose pages are found again after a start: (4096 − 16) / 16.
const MARKS_MAX: usize = (BLOCK_BYTES - RECORDS_AT) / MARK_BYTES;

/// Where what lies in a file of that size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) slots: u32,
    data_at: u64,
}

impl Layout {
    /// As many slots as fit into so many bytes.
    pub(crate) fn of(size_bytes: u64) -> Layout {
        let data_at = |slots: u64| {
            let directory = DIRECTORY_AT + slots.div_ceil(RECORDS.into()) * BLOCK_BYTES as u64;
            directory.next_multiple_of(PAGE_BYTES as u64)
        };
        let mut slots = (size_bytes / PAGE_BYTES as u64).min(u32::MAX.into());
        while slots > 0 && data_at(slots) + slots * PAGE_BYTES as u64 > size_bytes {
            let over = data_at(slots) + slots * PAGE_BYTES as u64 - size_bytes;
            slots -= (over / (2 * PAGE_BYTES as u64)).max(1).min(slots);
        }
        check!(
            slots == 0 || data_at(slots) + slots * PAGE_BYTES as u64 <= size_bytes,
            "{slots} slots do not fit into {size_bytes} bytes"
        );
        let layout = Layout { slots: slots as u32, data_at: data_at(slots) };
        check!(
            Layout::block_at(layout.blocks()) <= layout.data_at && layout.data_at.is_multiple_of(PAGE_BYTES as u64),
            "{} blocks of the directory reach into the slots at {}",
            layout.blocks(),
            layout.data_at
        );
        layout
    }

    pub(crate) fn slot_at(&self, slot: SlotNo) -> u64 {
        self.data_at + u64::from(slot.0) * PAGE_BYTES as u64
    }

    pub(crate) fn block_at(block: u32) -> u64 {
        DIRECTORY_AT + u64::from(block) * BLOCK_BYTES as u64
    }

    pub(crate) fn blocks(&self) -> u32 {
        self.slots.div_ceil(RECORDS)
    }
}

fn get<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("N bytes")
}

/// Whose directory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) server_guid: [u8; 16],
    pub(crate) epoch: u64,
    pub(crate) slots: u32,
}

impl Header {
    pub(crate) fn write(&self, device: &dyn BlockDevice) -> Result<(), DeviceError> {
        let mut bytes = vec![0; BLOCK_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[12..16].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..32].copy_from_slice(&self.server_guid);
        bytes[32..40].copy_from_slice(&self.epoch.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.slots.to_le_bytes());
        let checksum = crc32c::crc32c(&bytes[12..HEADER_BYTES]);
        bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
        device.write_at(0, &bytes)
    }

    /// `None` when the file has none that this program wrote.
    pub(crate) fn read(device: &dyn BlockDevice) -> Result<Option<Header>, DeviceError> {
        if device.len_bytes() < DIRECTORY_AT {
            return Ok(None);
        }
        let mut bytes = vec![0; BLOCK_BYTES];
        device.read_at(0, &mut bytes)?;
        let sound = bytes[..8] == MAGIC
            && u32::from_le_bytes(get(&bytes, 8)) == crc32c::crc32c(&bytes[12..HEADER_BYTES])
            && u32::from_le_bytes(get(&bytes, 12)) == VERSION;
        Ok(sound.then(|| Header {
            server_guid: get(&bytes, 16),
            epoch: u64::from_le_bytes(get(&bytes, 32)),
            slots: u32::from_le_bytes(get(&bytes, 40)),
        }))
    }
}

/// A slot as the directory names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) contents: Contents,
    /// Identity of the data file.
    pub(crate) file_key: u32,
}

/// Writes a block with the records of its slots.
pub(crate) fn encode_block(number: u32, epoch: u64, record: impl Fn(SlotNo) -> Option<Record>) -> Vec<u8> {
    let (mut bytes, mut count) = (vec![0; BLOCK_BYTES], 0);
    bytes[4..8].copy_from_slice(&number.to_le_bytes());
    bytes[8..16].copy_from_slice(&epoch.to_le_bytes());
    for index in 0..RECORDS {
        let Some(Record { contents, file_key }) = record(SlotNo(number * RECORDS + index)) else { continue };
        let place = &mut bytes[RECORDS_AT + index as usize * RECORD_BYTES..][..RECORD_BYTES];
        place[..8].copy_from_slice(&contents.page.to_bits().to_le_bytes());
        place[8..18].copy_from_slice(&contents.lsn.to_bytes());
        place[18..20].copy_from_slice(&contents.rows.to_le_bytes());
        place[20..24].copy_from_slice(&contents.checksum.to_le_bytes());
        place[24..28].copy_from_slice(&file_key.to_le_bytes());
        place[28..32].copy_from_slice(&contents.object_id.to_le_bytes());
        place[32] = contents.kind;
        place[33] = contents.level;
        place[34..36].copy_from_slice(&contents.free_bytes.to_le_bytes());
        count += 1;
    }
    let checksum = crc32c::crc32c(&bytes[4..]);
    bytes[..4].copy_from_slice(&checksum.to_le_bytes());
    check!(
        decode_block(number, epoch, &bytes).len() == count,
        "block {number} of the directory reads with other records than the {count} that were written"
    );
    bytes
}

/// The records of a block; none when it cannot be believed.
pub(crate) fn decode_block(number: u32, epoch: u64, bytes: &[u8]) -> Vec<(SlotNo, Record)> {
    let sound = u32::from_le_bytes(get(bytes, 0)) == crc32c::crc32c(&bytes[4..BLOCK_BYTES])
        && u32::from_le_bytes(get(bytes, 4)) == number
        && u64::from_le_bytes(get(bytes, 8)) == epoch;
    if !sound {
        return Vec::new();
    }
    let record = |index: u32| {
        let place = &bytes[RECORDS_AT + index as usize * RECORD_BYTES..][..RECORD_BYTES];
        let page = u64::from_le_bytes(get(place, 0));
        let contents = Contents {
            page: PageId::from_bits(page),
            lsn: Lsn::from_bytes(get(place, 8)),
            rows: u16::from_le_bytes(get(place, 18)),
            checksum: u32::from_le_bytes(get(place, 20)),
            object_id: u32::from_le_bytes(get(place, 28)),
            kind: place[32],
            level: place[33],
            free_bytes: u16::from_le_bytes(get(place, 34)),
        };
        let record = Record { contents, file_key: u32::from_le_bytes(get(place, 24)) };
        (page != 0).then_some((SlotNo(number * RECORDS + index), record))
    };
    (0..RECORDS).filter_map(record).collect()
}

/// Where the log of a database was when the directory was last made durable: a log that begins earlier was put back from
/// a copy, and so were its data files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) db: DbId,
    /// Identity of the database.
    pub(crate) key: u32,
    /// Redo start of its last checkpoint.
    pub(crate) redo: LogPos,
}

/// The marks, written to two places in turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) number: u64,
    pub(crate) marks: Vec<Mark>,
}

impl Marks {
    /// Whether these are marks of the same databases.
    pub(crate) fn are_of(&self, now: &[Mark]) -> bool {
        let database = |mark: &Mark| (mark.db, mark.key);
        self.marks.iter().map(database).eq(now.iter().take(MARKS_MAX).map(database))
    }

    /// Writes the next version over the one before the last.
    pub(crate) fn write(&mut self, marks: &[Mark], device: &dyn BlockDevice) -> Result<(), DeviceError> {
        let marks = &marks[..marks.len().min(MARKS_MAX)];
        *self = Marks { number: self.number + 1, marks: marks.to_vec() };
        let mut bytes = vec![0; BLOCK_BYTES];
        bytes[4..8].copy_from_slice(&(marks.len() as u32).to_le_bytes());
        bytes[8..16].copy_from_slice(&self.number.to_le_bytes());
        for (index, mark) in marks.iter().enumerate() {
            let place = &mut bytes[RECORDS_AT + index * MARK_BYTES..][..MARK_BYTES];
            place[..2].copy_from_slice(&mark.db.0.to_le_bytes());
            place[4..8].copy_from_slice(&mark.key.to_le_bytes());
            place[8..].copy_from_slice(&mark.redo.0.to_le_bytes());
        }
        let checksum = crc32c::crc32c(&bytes[4..]);
        bytes[..4].copy_from_slice(&checksum.to_le_bytes());
        check!(
            Marks::decode(&bytes).is_some_and(|read| read.number == self.number && read.marks.len() == marks.len()),
            "marks do not read as they were written"
        );
        device.write_at(BLOCK_BYTES as u64 * (1 + self.number % 2), &bytes)
    }

    /// The newer of the two versions that are whole.
    pub(crate) fn read(device: &dyn BlockDevice) -> Result<Marks, DeviceError> {
        let mut newest = Marks::default();
        for place in 1..=2 {
            let mut bytes = vec![0; BLOCK_BYTES];
            device.read_at(BLOCK_BYTES as u64 * place, &mut bytes)?;
            if let Some(marks) = Marks::decode(&bytes).filter(|marks| marks.number > newest.number) {
                newest = marks;
            }
        }
        Ok(newest)
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Marks> {
        let count = u32::from_le_bytes(get(bytes, 4)) as usize;
        if u32::from_le_bytes(get(bytes, 0)) != crc32c::crc32c(&bytes[4..]) || count > MARKS_MAX {
            return None;
        }
        let mark = |index: usize| {
            let place = &bytes[RECORDS_AT + index * MARK_BYTES..][..MARK_BYTES];
            Mark {
                db: DbId(u16::from_le_bytes(get(place, 0))),
                key: u32::from_le_bytes(get(place, 4)),
                redo: LogPos(u64::from_le_bytes(get(place, 8))),
            }
        };
        Some(Marks { number: u64::from_le_bytes(get(bytes, 8)), marks: (0..count).map(mark).collect() })
    }
}

#[cfg(test)]
mod tests {
    use millpond_device::RamDevice;

    use super::*;
    use crate::contract::{FileId, PageNo};

    #[test]
    fn slots_fill_the_file_and_do_not_leave_it() {
        for kilobytes in [0, 1, 20, 28, 64, 513, 4096, 1 << 20, 33 << 20] {
            let size = kilobytes << 10;
            let layout = Layout::of(size);
            let end = layout.slot_at(SlotNo(layout.slots));
            assert!(layout.slots == 0 || end <= size, "{size}: {layout:?}");
            let more = Layout { slots: layout.slots + 1, ..layout };
            assert!(
                Layout::block_at(more.blocks()) + u64::from(more.slots) * PAGE_BYTES as u64 + 8192 > size,
                "{size}"
            );
            assert!(Layout::block_at(layout.blocks()) <= layout.slot_at(SlotNo(0)));
        }
        assert_eq!(Layout::of(1 << 30).slots, 130_431, "99.5 percent are slots");
    }

    #[test]
    fn headers_and_marks_come_back() {
        let device = RamDevice::new("t");
        device.set_len(1 << 20).unwrap();
        assert_eq!(Header::read(&device).unwrap(), None);
        let header = Header { server_guid: [7; 16], epoch: 9, slots: 100 };
        header.write(&device).unwrap();
        assert_eq!(Header::read(&device).unwrap(), Some(header));
        device.write_at(35, &[1]).unwrap();
        assert_eq!(Header::read(&device).unwrap(), None);

        let mark = |redo| Mark { db: DbId(5), key: 77, redo: LogPos(redo) };
        let mut marks = Marks::read(&device).unwrap();
        assert_eq!(marks, Marks::default());
        marks.write(&[mark(1)], &device).unwrap();
        marks.write(&[mark(2), mark(3)], &device).unwrap();
        assert_eq!(Marks::read(&device).unwrap(), marks);
        // The last one is torn: the one before holds.
        device.write_at(4096 + 100, &[9]).unwrap();
        assert_eq!(Marks::read(&device).unwrap().marks, [mark(1)]);
    }

    #[test]
    fn a_block_is_believed_whole_in_its_place_and_epoch_or_not_at_all() {
        let contents = |slot: SlotNo| Contents {
            page: PageId { db: DbId(5), file: FileId(3), page: PageNo(slot.0 + 1) },
            lsn: Lsn { sequence: 1, block: 2, slot: slot.0 as u16 },
            checksum: slot.0 * 3,
            object_id: 1 << 31 | slot.0,
            kind: 2,
            level: 1,
            rows: 40,
            free_bytes: 6000,
        };
        let record = |slot: SlotNo| Record { contents: contents(slot), file_key: 55 };
        let bytes = encode_block(4, 8, |slot| (slot.0 % 3 == 0).then(|| record(slot)));
        let expected: Vec<_> = (408..510).filter(|n| n % 3 == 0).map(|n| (SlotNo(n), record(SlotNo(n)))).collect();
        assert_eq!(decode_block(4, 8, &bytes), expected);
        assert!(decode_block(5, 8, &bytes).is_empty() && decode_block(4, 9, &bytes).is_empty());
        let torn = [&bytes[..512], &vec![0; BLOCK_BYTES - 512]].concat();
        assert!(decode_block(4, 8, &torn).is_empty());
    }
}
