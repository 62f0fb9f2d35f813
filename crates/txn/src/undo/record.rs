//! Undo records as bytes.
//!
//! ```text
//!   Slot       1 │ object u32 │ file u16 │ page u32 │ slot u16 │ what u8: 0 empty, 1–3 record kind, 255 absent │ bytes
//!   Tail       2 │ object u32 │ extents u32 │ IAM pages u32 │ pages u32 │ slots u16 │ rows u64
//!   Created    3 │ object u32
//!   Dropped    4 │ object u32
//!   Truncated  5 │ object u32
//!   Row        6 │ database u32 │ log record before: 10 bytes │ bytes of `row_undo`
//!   TreeMade   7 │ tree u32       TreeDropped 8 │ tree u32
//!   ValueMade 10                  ValueDropped 11 │ 0 u32
//!   Catalog    9 │ object u32 │ database u16
//!   Rows      12 │ database u32 │ log record before: 10 bytes │ own log record: 10 bytes │ bytes of `row_undo`
//! ```
//!
//! Little-endian. Pure: no pages, no log.

use millpond_access::{ObjectId, RecordKind, Rid, SlotImage, SlotUndo, TailMark};
use millpond_storage::check;
use millpond_storage::contract::{DbId, FileId, PageNo};
use millpond_storage::page::header::Lsn;

const EMPTY: u8 = 0;
const ABSENT: u8 = 255;

/// How one change is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UndoRecord<'a> {
    Slot {
        object: ObjectId,
        rid: Rid,
        undo: SlotUndo<'a>,
    },
    Tail {
        object: ObjectId,
        mark: TailMark,
    },
    Created(ObjectId),
    Dropped(ObjectId),
    Truncated(ObjectId),
    /// A change of an entry of a tree, and the record of the transaction before it in the database's log.
    Row {
        db: DbId,
        prev: Lsn,
        undo: &'a [u8],
    },
    /// A run of entries that were added to a tree, the record of the transaction before theirs, and theirs.
    Rows {
        db: DbId,
        prev: Lsn,
        own: Lsn,
        undo: &'a [u8],
    },
    /// A tree begins to be filled: from here on it has pages that nothing links.
    FillBegun {
        db: DbId,
        undo: &'a [u8],
    },
    /// A tree was filled, and the record of the transaction before.
    Filled {
        db: DbId,
        prev: Lsn,
        undo: &'a [u8],
    },
    /// The session's tree of that number was created.
    TreeMade(u32),
    /// It was dropped.
    TreeDropped(u32),
    /// A large value was written.
    ValueMade,
    /// A row let a large value go.
    ValueDropped,
    /// Somebody's memory of the catalog is old when this is undone.
    Catalog {
        db: DbId,
        object: u32,
    },
}

impl<'a> UndoRecord<'a> {
    #[inline]
    pub(crate) fn encode(&self, to: &mut Vec<u8>) {
        let start = to.len();
        match *self {
            UndoRecord::Slot { object, rid, undo } => encode_slot(to, object, rid, undo),
            UndoRecord::Tail { object, mark } => encode_tail(to, object, &mark),
            UndoRecord::Created(object) => head(to, 3, object),
            UndoRecord::Dropped(object) => head(to, 4, object),
            UndoRecord::Truncated(object) => head(to, 5, object),
            UndoRecord::Row { db, prev, undo } => {
                head(to, 6, ObjectId(db.0.into()));
                to.extend_from_slice(&prev.to_bytes());
                to.extend_from_slice(undo);
            }
            UndoRecord::Rows { db, prev, own, undo } => {
                head(to, 12, ObjectId(db.0.into()));
                to.extend_from_slice(&prev.to_bytes());
                to.extend_from_slice(&own.to_bytes());
                to.extend_from_slice(undo);
            }
            UndoRecord::FillBegun { db, undo } => {
                head(to, 14, ObjectId(db.0.into()));
                to.extend_from_slice(undo);
            }
            UndoRecord::Filled { db, prev, undo } => {
                head(to, 13, ObjectId(db.0.into()));
                to.extend_from_slice(&prev.to_bytes());
                to.extend_from_slice(undo);
            }
            UndoRecord::TreeMade(tree) => head(to, 7, ObjectId(tree)),
            UndoRecord::TreeDropped(tree) => head(to, 8, ObjectId(tree)),
            UndoRecord::ValueMade => head(to, 10, ObjectId(0)),
            UndoRecord::ValueDropped => head(to, 11, ObjectId(0)),
            UndoRecord::Catalog { db, object } => {
                head(to, 9, ObjectId(object));
                to.extend_from_slice(&db.0.to_le_bytes());
            }
        }
        check!(UndoRecord::decode(&to[start..]) == Some(*self), "C4: an undo record does not read as it was written");
    }

    /// `None` for bytes that [`UndoRecord::encode`] did not make.
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<UndoRecord<'a>> {
        let mut from = RecordBytes(bytes);
        let tag = from.u8()?;
        let object = ObjectId(from.u32()?);
        match tag {
            1 => decode_slot(object, from),
            2 => decode_tail(object, from),
            3 => Some(UndoRecord::Created(object)),
            4 => Some(UndoRecord::Dropped(object)),
            5 => Some(UndoRecord::Truncated(object)),
            6 => {
                let db = DbId(u16::try_from(object.0).ok()?);
                Some(UndoRecord::Row { db, prev: Lsn::from_bytes(from.take()?), undo: from.0 })
            }
            7 => Some(UndoRecord::TreeMade(object.0)),
            8 => Some(UndoRecord::TreeDropped(object.0)),
            9 => Some(UndoRecord::Catalog { db: DbId(from.u16()?), object: object.0 }),
            10 => Some(UndoRecord::ValueMade),
            11 => Some(UndoRecord::ValueDropped),
            12 => {
                let db = DbId(u16::try_from(object.0).ok()?);
                let (prev, own) = (Lsn::from_bytes(from.take()?), Lsn::from_bytes(from.take()?));
                Some(UndoRecord::Rows { db, prev, own, undo: from.0 })
            }
            14 => Some(UndoRecord::FillBegun { db: DbId(u16::try_from(object.0).ok()?), undo: from.0 }),
            13 => {
                let db = DbId(u16::try_from(object.0).ok()?);
                Some(UndoRecord::Filled { db, prev: Lsn::from_bytes(from.take()?), undo: from.0 })
            }
            _ => None,
        }
    }
}

fn head(to: &mut Vec<u8>, tag: u8, object: ObjectId) {
    to.push(tag);
    to.extend_from_slice(&object.0.to_le_bytes());
}

fn encode_slot(to: &mut Vec<u8>, object: ObjectId, rid: Rid, undo: SlotUndo<'_>) {
    head(to, 1, object);
    to.extend_from_slice(&rid.file.0.to_le_bytes());
    to.extend_from_slice(&rid.page.0.to_le_bytes());
    to.extend_from_slice(&rid.slot.to_le_bytes());
    match undo {
        SlotUndo::Empty => to.push(EMPTY),
        SlotUndo::Absent => to.push(ABSENT),
        SlotUndo::Record(image) => {
            to.push(image.kind as u8);
            to.extend_from_slice(image.bytes);
        }
    }
}

/// Bytes of a Tail record.
const TAIL_BYTES: usize = 27;

/// On the way of every INSERT: one copy, no growth in pieces.
#[inline]
fn encode_tail(to: &mut Vec<u8>, object: ObjectId, mark: &TailMark) {
    let mut bytes = [0; TAIL_BYTES];
    bytes[0] = 2;
    bytes[1..5].copy_from_slice(&object.0.to_le_bytes());
    bytes[5..9].copy_from_slice(&mark.extents.to_le_bytes());
    bytes[9..13].copy_from_slice(&mark.iam_pages.to_le_bytes());
    bytes[13..17].copy_from_slice(&mark.pages.to_le_bytes());
    bytes[17..19].copy_from_slice(&mark.slots.to_le_bytes());
    bytes[19..].copy_from_slice(&mark.rows.to_le_bytes());
    to.extend_from_slice(&bytes);
}

fn decode_slot(object: ObjectId, mut from: RecordBytes<'_>) -> Option<UndoRecord<'_>> {
    let rid = Rid { file: FileId(from.u16()?), page: PageNo(from.u32()?), slot: from.u16()? };
    let undo = match from.u8()? {
        EMPTY => SlotUndo::Empty,
        ABSENT => SlotUndo::Absent,
        kind => SlotUndo::Record(SlotImage { kind: RecordKind::from_number(kind)?, bytes: from.0 }),
    };
    Some(UndoRecord::Slot { object, rid, undo })
}

fn decode_tail(object: ObjectId, mut from: RecordBytes<'_>) -> Option<UndoRecord<'_>> {
    let mark = TailMark {
        extents: from.u32()?,
        iam_pages: from.u32()?,
        pages: from.u32()?,
        slots: from.u16()?,
        rows: from.u64()?,
    };
    Some(UndoRecord::Tail { object, mark })
}

struct RecordBytes<'a>(&'a [u8]);

impl RecordBytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_their_bytes_and_cut_ones_are_refused() {
        let object = ObjectId(0x8000_0001);
        let rid = Rid { file: FileId(3), page: PageNo(70_000), slot: 12 };
        let image = SlotImage { kind: RecordKind::Moved, bytes: b"row" };
        let mark = TailMark { extents: 1, iam_pages: 2, pages: 3, slots: 4, rows: 5 };
        let records = [
            UndoRecord::Slot { object, rid, undo: SlotUndo::Empty },
            UndoRecord::Slot { object, rid, undo: SlotUndo::Absent },
            UndoRecord::Slot { object, rid, undo: SlotUndo::Record(image) },
            UndoRecord::Tail { object, mark },
            UndoRecord::Created(object),
            UndoRecord::Dropped(object),
            UndoRecord::Truncated(object),
            UndoRecord::Row { db: DbId(5), prev: Lsn::default(), undo: b"bytes" },
            UndoRecord::Rows { db: DbId(5), prev: Lsn::default(), own: Lsn::default(), undo: b"bytes" },
            UndoRecord::Filled { db: DbId(5), prev: Lsn::default(), undo: b"bytes" },
            UndoRecord::FillBegun { db: DbId(5), undo: b"bytes" },
            UndoRecord::TreeMade(4),
            UndoRecord::TreeDropped(5),
            UndoRecord::ValueMade,
            UndoRecord::ValueDropped,
            UndoRecord::Catalog { db: DbId(5), object: 77 },
        ];
        for record in records {
            let mut bytes = Vec::new();
            record.encode(&mut bytes);
            assert_eq!(UndoRecord::decode(&bytes), Some(record));
            let head = bytes.len().min(14);
            assert!((0..head.min(5)).all(|len| UndoRecord::decode(&bytes[..len]).is_none()));
        }
        assert_eq!(UndoRecord::decode(&[9, 0, 0, 0, 0]), None);
    }
}
