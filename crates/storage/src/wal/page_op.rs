//! The only words by which durable pages change. Doing and redoing is the same function, [`apply`]: what a change did to
//! a page when it was made, it does again after a crash.
//!
//! ```text
//!   op:  tag u8 │ page index u8 │ fields          Format  0  kind u8, object u32, index u16, level u8
//!                                                 Insert  1  slot u16, length u16, bytes
//!                                                 Delete  2  slot u16
//!                                                 Replace 3  slot u16, length u16, bytes
//!                                                 Patch   4  slot u16, offset u16, length u16, bytes
//!                                                 Cut     5  slots u16
//!                                                 Bytes   6  offset u16, length u16, bytes
//!                                                 Image   7  length of head u16, of tail u16, head, tail
//! ```
//!
//! What always holds: `apply` depends on the page and the op only, and leaves the page as it was when it refuses. The
//! page's own number, its LSN and its checksum belong to the pool and the log: no op changes them. An image leaves out
//! the hole between the rows and the slots, which is zero when it is redone.

use crate::check;
use crate::checks;
use crate::contract::{PAGE_BYTES, PageBytes, PageId, PageKind};
use crate::page::header::{self, Lsn, PageLink};
use crate::page::slotted::{self, SlottedError};

/// A change of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageOp<'a> {
    /// A fresh, empty page; what was there is gone.
    Format {
        /// What it is.
        kind: PageKind,
        /// Object.
        object_id: u32,
        /// Index.
        index_id: u16,
        /// Level, 0 is the leaf.
        level: u8,
    },
    /// A record in front of the one in `slot`.
    Insert {
        /// Slot, at most the slot count.
        slot: u16,
        /// At most 8060 bytes.
        record: &'a [u8],
    },
    /// The record goes; those after it move down.
    Delete {
        /// Slot.
        slot: u16,
    },
    /// Another record in its place.
    Replace {
        /// Slot.
        slot: u16,
        /// At most 8060 bytes.
        record: &'a [u8],
    },
    /// Bytes inside a record; its length stays.
    Patch {
        /// Slot.
        slot: u16,
        /// Within the record.
        offset: u16,
        /// What comes there.
        bytes: &'a [u8],
    },
    /// The records from `slots` on go.
    Cut {
        /// Slots that stay.
        slots: u16,
    },
    /// Bytes at an offset of the page: links in the header, map pages, whatever has no slots. Not the version, the page's
    /// own number, its LSN and its checksum.
    Bytes {
        /// Within the page.
        offset: u16,
        /// What comes there.
        bytes: &'a [u8],
    },
    /// A whole page, but for its own number, LSN and checksum.
    Image {
        /// The page.
        bytes: &'a PageBytes,
    },
}

/// Why a page did not take an op; it is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpError {
    /// The slotted page refuses.
    #[error(transparent)]
    Slotted(#[from] SlottedError),
    /// The range is not one that [`PageOp::Bytes`] may write.
    #[error("{bytes} bytes at offset {offset} of a page may not be written so")]
    Range {
        /// Start.
        offset: u16,
        /// Length.
        bytes: usize,
    },
    /// The op is not written as this program writes it.
    #[error("a page op that cannot be read, tag {tag}")]
    Garbled {
        /// Its first byte.
        tag: u8,
    },
}

/// Header ranges that no op writes: version; page and file number; LSN; checksum.
const KEPT: [std::ops::Range<usize>; 4] = [0..1, 32..38, 40..50, 60..64];

/// Changes the page.
///
/// # Errors
/// [`OpError`]; the page is then unchanged.
pub fn apply(page: &mut PageBytes, op: &PageOp<'_>) -> Result<(), OpError> {
    if !checks::ARE_ON {
        return change(page, op);
    }
    let (before, was_sound) = (*page, has_slots(op) && slotted::check(page).is_ok());
    let done = change(page, op);
    check!(done.is_ok() || *page == before, "a page that refuses {op:?} is as it was");
    check!(!was_sound || slotted::check(page).is_ok(), "a sound page is sound after {op:?}");
    let is_made = matches!(op, PageOp::Format { .. });
    let is_kept = |kept: &std::ops::Range<usize>| page[kept.clone()] == before[kept.clone()];
    check!(is_made || KEPT.iter().all(is_kept), "{op:?} changes what is the pool's");
    done
}

/// Whether the op is about a slotted page.
fn has_slots(op: &PageOp<'_>) -> bool {
    !matches!(op, PageOp::Format { .. } | PageOp::Bytes { .. } | PageOp::Image { .. })
}

fn change(page: &mut PageBytes, op: &PageOp<'_>) -> Result<(), OpError> {
    match *op {
        PageOp::Format { kind, object_id, index_id, level } => {
            format(page, kind, object_id);
            header::set_index_id(page, index_id);
            header::set_level(page, level);
        }
        PageOp::Insert { slot, record } => slotted::insert(page, slot, record)?,
        PageOp::Delete { slot } => slotted::delete(page, slot)?,
        PageOp::Replace { slot, record } => slotted::replace(page, slot, record)?,
        PageOp::Patch { slot, offset, bytes } => slotted::patch(page, slot, offset, bytes)?,
        PageOp::Cut { slots } => slotted::cut(page, slots)?,
        PageOp::Bytes { offset, bytes } => put_bytes(page, offset, bytes)?,
        PageOp::Image { bytes } => put_image(page, bytes, &[]),
    }
    Ok(())
}

/// Bytes of a link as [`header::set_prev`] and [`header::set_next`] write it, for [`PageOp::Bytes`] at [`PREV_AT`] or
/// [`NEXT_AT`].
#[must_use]
pub fn link_bytes(link: Option<PageLink>) -> [u8; 6] {
    let (file, page) = link.map_or((0, 0), |l| (l.file.0, l.page.0));
    let (page, file) = (page.to_le_bytes(), file.to_le_bytes());
    [page[0], page[1], page[2], page[3], file[0], file[1]]
}

/// Offset of the link to the page before in the header.
pub const PREV_AT: u16 = 8;
/// Offset of the link to the next page in the header.
pub const NEXT_AT: u16 = 16;
/// Offset of the number of free bytes (u16) in the header; where they begin (u16) stands after it.
pub const FREE_COUNT_AT: u16 = 28;
/// Offset of the number of ghosts (u16) in the header.
pub const GHOST_COUNT_AT: u16 = 58;

/// Keeps number and LSN; the body becomes zero, so that doing and redoing give the same page.
fn format(page: &mut PageBytes, kind: PageKind, object_id: u32) {
    let id = PageId { db: crate::contract::DbId(0), file: header::file_id(page), page: header::page_no(page) };
    let lsn = header::lsn(page);
    header::init_zeroed(page, id, kind, object_id);
    header::set_lsn(page, lsn);
}

fn put_bytes(page: &mut PageBytes, offset: u16, bytes: &[u8]) -> Result<(), OpError> {
    let range = usize::from(offset)..usize::from(offset) + bytes.len();
    let forbidden = KEPT.iter().any(|kept| range.start < kept.end && kept.start < range.end);
    if range.end > PAGE_BYTES || forbidden {
        return Err(OpError::Range { offset, bytes: bytes.len() });
    }
    page[range].copy_from_slice(bytes);
    Ok(())
}

/// `head` from the start, `tail` to the end, zero between; the kept ranges stay.
fn put_image(page: &mut PageBytes, head: &[u8], tail: &[u8]) {
    assert!(head.len() + tail.len() <= PAGE_BYTES, "an image of {} and {} bytes", head.len(), tail.len());
    check!(head.len() >= 64, "an image of {} bytes has not the whole head of its page", head.len());
    let mut kept = [0; 64];
    kept.copy_from_slice(&page[..64]);
    page[..head.len()].copy_from_slice(head);
    let tail_at = PAGE_BYTES - tail.len();
    page[head.len()..tail_at].fill(0);
    page[tail_at..].copy_from_slice(tail);
    for range in KEPT {
        page[range.clone()].copy_from_slice(&kept[range]);
    }
}

/// The part of an image's page that says nothing: between rows and slots.
fn hole(page: &PageBytes) -> std::ops::Range<usize> {
    let slots = usize::from(header::slot_count(page)) * 2;
    let of_rows = matches!(header::kind(page), Some(PageKind::Data | PageKind::Index));
    let (start, end) = (usize::from(header::free_data(page)), PAGE_BYTES.saturating_sub(slots));
    check!(end <= PAGE_BYTES, "slots after the end of a page");
    if of_rows && start >= header::HEADER_BYTES && start < end { start..end } else { PAGE_BYTES..PAGE_BYTES }
}

mod tag {
    pub const FORMAT: u8 = 0;
    pub const INSERT: u8 = 1;
    pub const DELETE: u8 = 2;
    pub const REPLACE: u8 = 3;
    pub const PATCH: u8 = 4;
    pub const CUT: u8 = 5;
    pub const BYTES: u8 = 6;
    pub const IMAGE: u8 = 7;
}

/// Bytes that an op takes in the log at most, for the reservation of space.
#[must_use]
pub fn encoded_bytes(op: &PageOp<'_>) -> usize {
    10 + match op {
        PageOp::Insert { record, .. } | PageOp::Replace { record, .. } => record.len(),
        PageOp::Patch { bytes, .. } | PageOp::Bytes { bytes, .. } => bytes.len(),
        PageOp::Image { .. } => PAGE_BYTES,
        PageOp::Format { .. } | PageOp::Delete { .. } | PageOp::Cut { .. } => 0,
    }
}

/// Writes an op of page `index` of a record.
pub(crate) fn encode(op: &PageOp<'_>, index: u8, out: &mut Vec<u8>) {
    let start = out.len();
    let put_u16 = |out: &mut Vec<u8>, value: usize| {
        assert!(value <= PAGE_BYTES, "{value} bytes of a page are logged");
        out.extend_from_slice(&(value as u16).to_le_bytes());
    };
    let slotted = |out: &mut Vec<u8>, tag: u8, slot: u16| {
        out.extend_from_slice(&[tag, index, slot as u8, (slot >> 8) as u8]);
    };
    let bytes_of = |out: &mut Vec<u8>, bytes: &[u8]| {
        put_u16(out, bytes.len());
        out.extend_from_slice(bytes);
    };
    match *op {
        PageOp::Format { kind, object_id, index_id, level } => {
            out.extend_from_slice(&[tag::FORMAT, index, kind as u8]);
            out.extend_from_slice(&object_id.to_le_bytes());
            out.extend_from_slice(&index_id.to_le_bytes());
            out.push(level);
        }
        PageOp::Insert { slot, record } => {
            slotted(out, tag::INSERT, slot);
            bytes_of(out, record);
        }
        PageOp::Delete { slot } => slotted(out, tag::DELETE, slot),
        PageOp::Replace { slot, record } => {
            slotted(out, tag::REPLACE, slot);
            bytes_of(out, record);
        }
        PageOp::Patch { slot, offset, bytes } => {
            slotted(out, tag::PATCH, slot);
            put_u16(out, offset.into());
            bytes_of(out, bytes);
        }
        PageOp::Cut { slots } => slotted(out, tag::CUT, slots),
        PageOp::Bytes { offset, bytes } => {
            slotted(out, tag::BYTES, offset);
            bytes_of(out, bytes);
        }
        PageOp::Image { bytes } => {
            let hole = hole(bytes);
            out.extend_from_slice(&[tag::IMAGE, index]);
            put_u16(out, hole.start);
            put_u16(out, PAGE_BYTES - hole.end);
            out.extend_from_slice(&bytes[..hole.start]);
            out.extend_from_slice(&bytes[hole.end..]);
        }
    }
    let is_read = || match (op, Ops::new(&out[start..]).next()) {
        (PageOp::Image { .. }, Some(Ok((of, LoggedOp::Image { .. })))) => of == index,
        (_, Some(Ok((of, LoggedOp::Op(read))))) => of == index && read == *op,
        _ => false,
    };
    check!(is_read(), "an op is read back as it was done");
    check!(out.len() - start <= encoded_bytes(op), "an op takes what is reserved for it");
}

/// An op as it stands in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoggedOp<'a> {
    Op(PageOp<'a>),
    Image { head: &'a [u8], tail: &'a [u8] },
}

impl LoggedOp<'_> {
    /// Whether the page's former content does not matter.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, LoggedOp::Image { .. } | LoggedOp::Op(PageOp::Format { .. }))
    }

    /// What the page is afterwards, where the op says so.
    pub(crate) fn kind(&self) -> Option<PageKind> {
        match self {
            LoggedOp::Op(PageOp::Format { kind, .. }) => Some(*kind),
            LoggedOp::Image { head, .. } => header::kind_of_number(*head.get(1)?),
            LoggedOp::Op(_) => None,
        }
    }

    /// Does the op again.
    pub(crate) fn redo(&self, page: &mut PageBytes) -> Result<(), OpError> {
        match self {
            LoggedOp::Op(op) => apply(page, op),
            LoggedOp::Image { head, tail } => {
                put_image(page, head, tail);
                Ok(())
            }
        }
    }
}

/// Reads ops one after the other; ends after the first that is garbled.
#[derive(Clone, Debug)]
pub(crate) struct Ops<'a> {
    rest: &'a [u8],
}

impl<'a> Ops<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Ops<'a> {
        Ops { rest: bytes }
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2).map(|b| u16::from_le_bytes([b[0], b[1]]))
    }

    /// A length in a page, or a place in one of its records.
    fn size(&mut self) -> Option<u16> {
        self.u16().filter(|size| usize::from(*size) <= PAGE_BYTES)
    }

    fn counted(&mut self) -> Option<&'a [u8]> {
        let length = self.size()?;
        self.take(length.into())
    }

    fn op(&mut self, tag: u8) -> Option<LoggedOp<'a>> {
        Some(LoggedOp::Op(match tag {
            tag::FORMAT => {
                let b = self.take(8)?;
                PageOp::Format {
                    kind: header::kind_of_number(b[0])?,
                    object_id: u32::from_le_bytes([b[1], b[2], b[3], b[4]]),
                    index_id: u16::from_le_bytes([b[5], b[6]]),
                    level: b[7],
                }
            }
            tag::INSERT => PageOp::Insert { slot: self.u16()?, record: self.counted()? },
            tag::DELETE => PageOp::Delete { slot: self.u16()? },
            tag::REPLACE => PageOp::Replace { slot: self.u16()?, record: self.counted()? },
            tag::PATCH => PageOp::Patch { slot: self.u16()?, offset: self.size()?, bytes: self.counted()? },
            tag::CUT => PageOp::Cut { slots: self.u16()? },
            tag::BYTES => PageOp::Bytes { offset: self.u16()?, bytes: self.counted()? },
            tag::IMAGE => {
                let (head, tail) = (self.u16()?.into(), self.u16()?.into());
                if head < 64 || head + tail > PAGE_BYTES {
                    return None;
                }
                return Some(LoggedOp::Image { head: self.take(head)?, tail: self.take(tail)? });
            }
            _ => return None,
        }))
    }
}

impl<'a> Iterator for Ops<'a> {
    /// Index of the page in the record, and the op.
    type Item = Result<(u8, LoggedOp<'a>), OpError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (tag, read) = match self.take(2) {
            Some(&[tag, index]) => (tag, self.op(tag).map(|op| (index, op))),
            _ => (self.rest[0], None),
        };
        if read.is_none() {
            self.rest = &[];
        }
        Some(read.ok_or(OpError::Garbled { tag }))
    }
}

/// Says on the page that `lsn` was its last change.
pub(crate) fn stamp(page: &mut PageBytes, lsn: Lsn) {
    header::set_lsn(page, lsn);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{DbId, FileId, PageNo};
    use proptest::prelude::*;

    fn fresh() -> Box<PageBytes> {
        let mut page = Box::new([3; PAGE_BYTES]);
        header::init(&mut page, PageId { db: DbId(5), file: FileId(2), page: PageNo(77) }, PageKind::Data, 1);
        header::set_lsn(&mut page, Lsn { sequence: 4, block: 5, slot: 6 });
        page
    }

    #[test]
    fn an_op_of_more_than_a_page_is_garbled() {
        // A patch at byte 63,488 of a record.
        let patch = [tag::PATCH, 1, 0, 0, 0, 0xf8, 0, 0];
        assert_eq!(Ops::new(&patch).next(), Some(Err(OpError::Garbled { tag: tag::PATCH })));
        let mut long = vec![tag::INSERT, 0, 0, 0, 0xff, 0xff];
        long.resize(6 + 0xffff, 7);
        assert_eq!(Ops::new(&long).next(), Some(Err(OpError::Garbled { tag: tag::INSERT })));
    }

    fn record() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(any::<u8>(), 0..300)
    }

    /// An op with its own bytes.
    type Owned = (u8, u16, u16, Vec<u8>);

    fn view(owned: &Owned) -> PageOp<'_> {
        let (what, slot, offset, bytes) = owned;
        let (slot, offset) = (*slot, *offset);
        match what % 7 {
            0 => PageOp::Format { kind: PageKind::Index, object_id: offset.into(), index_id: slot, level: *what },
            1 | 2 => PageOp::Insert { slot, record: bytes },
            3 => PageOp::Delete { slot },
            4 => PageOp::Replace { slot, record: bytes },
            5 => PageOp::Patch { slot, offset: offset % 64, bytes },
            _ => PageOp::Cut { slots: slot },
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// The same ops through the log's bytes give the same page.
        #[test]
        fn redoing_is_doing(ops in proptest::collection::vec((1..200_u8, 0..12_u16, any::<u16>(), record()), 1..80)) {
            let (mut done, mut redone) = (fresh(), fresh());
            apply(&mut done, &PageOp::Format { kind: PageKind::Data, object_id: 1, index_id: 1, level: 0 }).unwrap();
            let mut log = Vec::new();
            encode(&PageOp::Format { kind: PageKind::Data, object_id: 1, index_id: 1, level: 0 }, 3, &mut log);
            for op in &ops {
                let op = view(op);
                let before = log.len();
                if apply(&mut done, &op).is_ok() {
                    encode(&op, 3, &mut log);
                    prop_assert!(log.len() - before <= encoded_bytes(&op));
                }
            }
            let mut image = Vec::new();
            encode(&PageOp::Image { bytes: &done }, 0, &mut image);
            for op in Ops::new(&log) {
                let (index, op) = op.unwrap();
                prop_assert_eq!(index, 3);
                op.redo(&mut redone).unwrap();
            }
            prop_assert!(done == redone);
            let mut other = fresh();
            Ops::new(&image).next().unwrap().unwrap().1.redo(&mut other).unwrap();
            prop_assert_eq!(slotted::check(&other), Ok(()));
            for slot in 0..slotted::slot_count(&done) {
                prop_assert_eq!(slotted::record(&other, slot), slotted::record(&done, slot));
            }
        }

        #[test]
        fn any_bytes_are_ops_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut page = fresh();
            for (_, op) in Ops::new(&bytes).flatten() {
                let _ = op.redo(&mut page);
            }
            prop_assert_eq!(header::page_no(&page), PageNo(77));
            prop_assert_eq!(header::lsn(&page), Lsn { sequence: 4, block: 5, slot: 6 });
        }
    }

    #[test]
    fn bytes_reach_links_but_not_what_belongs_to_the_pool() {
        let mut page = fresh();
        let link = PageLink { file: FileId(3), page: PageNo(90_000) };
        apply(&mut page, &PageOp::Bytes { offset: PREV_AT, bytes: &link_bytes(Some(link)) }).unwrap();
        apply(&mut page, &PageOp::Bytes { offset: NEXT_AT, bytes: &link_bytes(None) }).unwrap();
        apply(&mut page, &PageOp::Bytes { offset: GHOST_COUNT_AT, bytes: &[9, 0] }).unwrap();
        assert_eq!((header::prev(&page), header::next(&page), header::ghost_count(&page)), (Some(link), None, 9));
        for (offset, length) in [(0, 1), (30, 4), (36, 8), (45, 1), (59, 2), (63, 1), (8191, 2), (20, 60)] {
            let refused = apply(&mut page, &PageOp::Bytes { offset, bytes: &vec![1; length] });
            assert_eq!(refused, Err(OpError::Range { offset, bytes: length }));
        }
    }
}
