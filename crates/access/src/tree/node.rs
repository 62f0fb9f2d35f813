//! Records of tree pages: how they are laid out, and how keys are found among them.
//!
//! ```text
//!   leaf      flags u8 │ key length u16 │ key │ payload │ xsn u48, version u64 (with TAGGED) │ pad (with PADDED)
//!   pad       zeros │ its length u8 in 1..255, or its length u16 and then 255
//!   interior  child file u16, page u32 │ separator
//! ```
//!
//! What always holds: numbers are little-endian; the slots of a page are in the order of the keys' bytes; two entries of
//! a page never have the same key. Nothing here latches or changes a page.

use millpond_storage::check;
use millpond_storage::contract::{DbId, FileId, PageBytes, PageId, PageNo};
use millpond_storage::page::header;
use millpond_storage::page::slotted;

use super::row::{LEAF_HEAD_BYTES, LeafRow, RowTag, TAG_BYTES, VersionPtr, Xsn};
use crate::error::NodeDamage;

/// Flag of a deleted entry.
const GHOST: u8 = 1;
/// Flag of an entry with a tag.
const TAGGED: u8 = 2;
/// Flag of an entry with bytes kept after it.
const PADDED: u8 = 4;
/// The last byte of a pad whose length stands in the two before it.
const LONG_PAD: u8 = 255;
/// Bytes of a child link.
pub(crate) const CHILD_BYTES: usize = 6;
/// Bytes of the longest key.
pub const KEY_BYTES_MAX: usize = 1700;
/// Bytes of key and payload together: 8060 − 3 (flags, key length) − 14 (tag) = 8043. The tag is always provided for, so
/// that every entry can be made a ghost.
pub const ENTRY_BYTES_MAX: usize = slotted::RECORD_BYTES_MAX - LEAF_HEAD_BYTES - TAG_BYTES;

/// Where a key is on a leaf, or belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub slot: u16,
    pub is_there: bool,
}

/// Number of records.
#[inline]
pub(crate) fn count(page: &PageBytes) -> u16 {
    header::slot_count(page)
}

#[inline]
pub(crate) fn record(page: &PageBytes, slot: u16) -> Result<&[u8], NodeDamage> {
    slotted::record(page, slot).map_err(|_| NodeDamage::Slot { slot })
}

#[inline]
fn split_leaf(record: &[u8], slot: u16) -> Result<(u8, &[u8], &[u8]), NodeDamage> {
    let (head, rest) = record.split_first_chunk::<LEAF_HEAD_BYTES>().ok_or(NodeDamage::Short { slot })?;
    let key_bytes = usize::from(u16::from_le_bytes([head[1], head[2]]));
    let (key, rest) = rest.split_at_checked(key_bytes).ok_or(NodeDamage::Short { slot })?;
    Ok((head[0], key, rest))
}

/// The key of a leaf's record.
#[inline]
pub(crate) fn leaf_key(page: &PageBytes, slot: u16) -> Result<&[u8], NodeDamage> {
    Ok(split_leaf(record(page, slot)?, slot)?.1)
}

/// Where the key of a leaf's record begins.
pub(crate) const KEY_AT: usize = LEAF_HEAD_BYTES;

/// Where key and payload of a leaf's record end, and its tag; none of a ghost, and of a record with a pad.
#[inline]
pub(crate) fn plain_parts(record: &[u8], slot: u16) -> Result<Option<(usize, usize, Option<RowTag>)>, NodeDamage> {
    let (flags, key, rest) = split_leaf(record, slot)?;
    let key_end = KEY_AT + key.len();
    Ok(match flags {
        0 => Some((key_end, record.len(), None)),
        TAGGED => {
            let (payload, tag) = rest.split_last_chunk::<TAG_BYTES>().ok_or(NodeDamage::Short { slot })?;
            Some((key_end, key_end + payload.len(), Some(tag_of(tag))))
        }
        _ => None,
    })
}

/// The entry of a leaf's record.
#[inline]
pub(crate) fn leaf_row(page: &PageBytes, slot: u16) -> Result<LeafRow<'_>, NodeDamage> {
    let (flags, key, rest) = split_leaf(record(page, slot)?, slot)?;
    let is_ghost = flags & GHOST != 0;
    let (rest, pad_bytes) = match flags & PADDED {
        0 => (rest, 0),
        _ => split_pad(rest).ok_or(NodeDamage::Short { slot })?,
    };
    if flags & TAGGED == 0 {
        return Ok(LeafRow { key, payload: rest, is_ghost, tag: None, pad_bytes });
    }
    let (payload, tag) = rest.split_last_chunk::<TAG_BYTES>().ok_or(NodeDamage::Short { slot })?;
    Ok(LeafRow { key, payload, is_ghost, tag: Some(tag_of(tag)), pad_bytes })
}

/// What stands before a pad, and the pad's length.
#[cold]
fn split_pad(bytes: &[u8]) -> Option<(&[u8], u16)> {
    let pad_bytes = match bytes {
        [.., low, high, LONG_PAD] => u16::from_le_bytes([*low, *high]),
        [.., length] => u16::from(*length),
        [] => return None,
    };
    let kept = bytes.len().checked_sub(pad_bytes.into()).filter(|_| pad_bytes > 0)?;
    Some((&bytes[..kept], pad_bytes))
}

/// The pad of `pad_bytes` after a record.
fn write_pad(out: &mut Vec<u8>, pad_bytes: u16) {
    assert!(pad_bytes > 0, "a pad has a byte at least");
    let end = out.len() + usize::from(pad_bytes);
    if pad_bytes < u16::from(LONG_PAD) {
        out.resize(end - 1, 0);
        out.push(pad_bytes as u8);
    } else {
        out.resize(end - 3, 0);
        out.extend_from_slice(&pad_bytes.to_le_bytes());
        out.push(LONG_PAD);
    }
}

fn tag_of(bytes: &[u8; TAG_BYTES]) -> RowTag {
    let [x0, x1, x2, x3, x4, x5, version @ ..] = *bytes;
    RowTag {
        xsn: Xsn(u64::from_le_bytes([x0, x1, x2, x3, x4, x5, 0, 0])),
        version: VersionPtr(u64::from_le_bytes(version)),
    }
}

/// Writes the record of an entry into `out`, which is emptied first.
pub(crate) fn write_leaf(out: &mut Vec<u8>, row: &LeafRow<'_>) {
    out.clear();
    assert!(row.key.len() <= KEY_BYTES_MAX, "a key of {} bytes", row.key.len());
    out.reserve(LEAF_HEAD_BYTES + row.key.len() + row.payload.len() + TAG_BYTES + usize::from(row.pad_bytes));
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    out.push(flag(row.is_ghost, GHOST) | flag(row.tag.is_some(), TAGGED) | flag(row.pad_bytes > 0, PADDED));
    out.extend_from_slice(&(row.key.len() as u16).to_le_bytes());
    out.extend_from_slice(row.key);
    out.extend_from_slice(row.payload);
    if let Some(tag) = row.tag {
        assert!(tag.xsn <= Xsn::MAX, "{} has more than 48 bits", tag.xsn.0);
        out.extend_from_slice(&tag.xsn.0.to_le_bytes()[..6]);
        out.extend_from_slice(&tag.version.0.to_le_bytes());
    }
    if row.pad_bytes > 0 {
        write_pad(out, row.pad_bytes);
    }
    assert!(out.len() == row.record_bytes(), "a record of {} bytes; {} were counted", out.len(), row.record_bytes());
    check!(
        split_leaf(out, 0).is_ok_and(|(_, key, _)| key == row.key),
        "the record of an entry does not read as it was written"
    );
}

/// The separator of an interior record.
#[inline]
pub(crate) fn separator(page: &PageBytes, slot: u16) -> Result<&[u8], NodeDamage> {
    record(page, slot)?.get(CHILD_BYTES..).ok_or(NodeDamage::Short { slot })
}

/// The child of an interior record.
#[inline]
pub(crate) fn child(page: &PageBytes, slot: u16, db: DbId) -> Result<PageId, NodeDamage> {
    let link = record(page, slot)?.first_chunk::<CHILD_BYTES>().ok_or(NodeDamage::Short { slot })?;
    let [f0, f1, p0, p1, p2, p3] = *link;
    Ok(PageId { db, file: FileId(u16::from_le_bytes([f0, f1])), page: PageNo(u32::from_le_bytes([p0, p1, p2, p3])) })
}

/// Writes an interior record into `out`, which is emptied first.
pub(crate) fn write_child(out: &mut Vec<u8>, child: PageId, separator: &[u8]) {
    out.clear();
    assert!(child.file.0 != 0, "page {child} is no child");
    out.extend_from_slice(&child.file.0.to_le_bytes());
    out.extend_from_slice(&child.page.0.to_le_bytes());
    out.extend_from_slice(separator);
}

/// The first eight bytes as a number that orders as they do; missing bytes count as 0.
#[inline]
fn head_of(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(head) => u64::from_be_bytes(*head),
        None => {
            let mut head = [0; 8];
            head[..bytes.len()].copy_from_slice(bytes);
            u64::from_be_bytes(head)
        }
    }
}

/// A key prepared for many comparisons.
#[derive(Clone, Copy)]
struct Probe<'a> {
    key: &'a [u8],
    head: u64,
}

impl Probe<'_> {
    /// How `other` compares with the key.
    #[inline]
    fn cmp_of(&self, other: &[u8]) -> std::cmp::Ordering {
        // The head decides nearly always; equal heads may come from padding, so the bytes decide then.
        head_of(other).cmp(&self.head).then_with(|| other.cmp(self.key))
    }
}

/// Finds a key on a leaf.
#[inline]
pub(crate) fn find(page: &PageBytes, key: &[u8]) -> Result<Place, NodeDamage> {
    let probe = Probe { key, head: head_of(key) };
    let (mut low, mut high) = (0, count(page));
    while low < high {
        let middle = low + (high - low) / 2;
        match probe.cmp_of(leaf_key(page, middle)?) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Ok(Place { slot: middle, is_there: true }),
        }
    }
    Ok(Place { slot: low, is_there: false })
}

/// The slot of the child whose subtree has `key` (B2).
#[inline]
pub(crate) fn find_child(page: &PageBytes, key: &[u8]) -> Result<u16, NodeDamage> {
    let probe = Probe { key, head: head_of(key) };
    let (mut low, mut high) = (1, count(page));
    if high == 0 {
        return Err(NodeDamage::NoChild);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if probe.cmp_of(separator(page, middle)?).is_le() {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low - 1)
}

/// The shortest bytes that are greater than `left` and not greater than `right`, for `left < right`.
pub(crate) fn separator_between<'a>(left: &[u8], right: &'a [u8]) -> &'a [u8] {
    check!(left < right, "a separator between keys that do not ascend");
    let common = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    check!(
        left < &right[..(common + 1).min(right.len())],
        "B2: what separates two keys is not greater than the left one"
    );
    &right[..(common + 1).min(right.len())]
}

/// Whether the record at `place` may be one of `record_bytes`.
pub(crate) fn has_room(page: &PageBytes, place: Place, record_bytes: usize) -> bool {
    match place.is_there {
        true => slotted::fits_instead(page, place.slot, record_bytes),
        false => slotted::fits(page, record_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heads_order_as_their_bytes() {
        assert_eq!(
            [head_of(b""), head_of(b"\x01"), head_of(b"\x01\x02\x03\x04\x05\x06\x07\x08\x09")],
            [0, 1 << 56, 0x0102_0304_0506_0708]
        );
    }

    #[test]
    fn separators_are_as_short_as_they_can_be() {
        assert_eq!(separator_between(b"", b"abc"), b"a");
        assert_eq!(separator_between(b"abc", b"abd"), b"abd");
        assert_eq!(separator_between(b"ab", b"abzzz"), b"abz");
        assert_eq!(separator_between(b"ab", b"ab\0"), b"ab\0");
    }

    #[test]
    fn pads_of_all_lengths_are_read_back_and_cut_ones_are_refused() {
        for pad_bytes in [1, 2, 3, 14, 254, 255, 256, 600, 8000_u16] {
            let mut bytes = b"payload".to_vec();
            write_pad(&mut bytes, pad_bytes);
            assert_eq!(bytes.len(), 7 + usize::from(pad_bytes));
            assert_eq!(split_pad(&bytes), Some((&b"payload"[..], pad_bytes)));
        }
        assert_eq!([split_pad(b""), split_pad(b"\0"), split_pad(b"ab\x04")], [None; 3]);
        assert_eq!(split_pad(b"a\xff\xff\xff"), None);
    }

    proptest! {
        #[test]
        fn a_probe_compares_as_slices_do(a in proptest::collection::vec(0..3_u8, 0..12), b in proptest::collection::vec(0..3_u8, 0..12)) {
            let probe = Probe { key: &a, head: head_of(&a) };
            prop_assert_eq!(probe.cmp_of(&b), b.as_slice().cmp(&a));
            if a < b {
                let between = separator_between(&a, &b);
                prop_assert!(a.as_slice() < between && between <= b.as_slice());
            }
        }
    }
}
