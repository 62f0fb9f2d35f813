//! What a backup takes of a log: its active parts as they are, and an anchor that says where redo begins in them.
//!
//! What always holds: an image is a log of its own. Its anchor may name an older checkpoint than the log's own does, as
//! long as the log was kept from there on.

use std::ops::RangeInclusive;

use crate::ask::Ask;
use crate::check;
use crate::contract::{EXTENT_PAGES, FileId, PAGE_BYTES};
use crate::page::header::Lsn;
use crate::wal::anchor::Anchor;
use crate::wal::block::{BlockHeader, UNIT_BYTES};
use crate::wal::disk::{ANCHORS_AT, PARTS_AT, Part, part_head};
use crate::wal::log::Log;
use crate::wal::transfer::{CopyError, copy_blocks};

/// Sizes of files are whole extents.
const EXTENT_BYTES: u64 = EXTENT_PAGES as u64 * PAGE_BYTES as u64;
/// Free parts of a packed image, and how large each is: 4 MB, so that it does not grow at once.
const SMALL_PARTS: usize = 4;
const SMALL_PART_BYTES: u64 = 1 << 20;

/// Where recovery begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedoPlace {
    /// The checkpoint's record: open transactions are known from there on.
    pub checkpoint: Lsn,
    /// Where redo begins.
    pub redo: Lsn,
}

/// What the last checkpoint says; `None` before the first one.
#[must_use]
pub fn last_checkpoint(log: &Log) -> Option<RedoPlace> {
    let anchor = log.core.anchor.lock();
    anchor.checkpoint.map(|checkpoint| RedoPlace { checkpoint, redo: anchor.redo })
}

/// The anchor of an image whose recovery begins at `place`: bytes, and the offsets in the first file where they go.
#[must_use]
pub fn image_anchor(log: &Log, place: RedoPlace) -> (Vec<u8>, [u64; 2]) {
    (anchor_of_image(log, place).encode(&log.core.guid).to_vec(), ANCHORS_AT)
}

fn anchor_of_image(log: &Log, place: RedoPlace) -> Anchor {
    assert!(place.redo <= place.checkpoint, "a copy of the log begins at {}, after its checkpoint", place.redo);
    let (checkpoint, redo) = (Some(place.checkpoint), place.redo);
    Anchor { checkpoint, redo, end: place.checkpoint.position(), ..*log.core.anchor.lock() }
}

/// Where the parts of an image lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageLayout {
    /// In files and places of their own, all that the log has.
    OfLog,
    /// In the first file one after the other, those that hold what is copied and a little room to go on with: a log of megabytes
    /// whatever the size of the one that is copied.
    Packed,
}

/// Takes bytes of an image, for a place in a file of the log; none at the end of a file that is to be so long.
pub type Put<'p, E> = dyn FnMut(FileId, u64, &[u8]) -> Result<(), E> + 'p;

/// Writes the image of a log that ends with the block at `until`, which is durable: the heads of its parts, the blocks from
/// `from` on and whatever lies before them in its part, and the anchor of `place`. The caller holds the log from `from` on, and no
/// checkpoint was taken since `place`.
///
/// # Errors
/// [`CopyError`].
pub fn copy_image<E>(
    ask: &Ask<'_>,
    log: &Log,
    place: RedoPlace,
    (from, until): (Lsn, Lsn),
    layout: ImageLayout,
    put: &mut Put<'_, E>,
) -> Result<(), CopyError<E>> {
    assert!(from <= place.redo && place.checkpoint.position() <= until.position(), "an image without its checkpoint");
    // Before the parts: a log that grows meanwhile has more of them than the anchor says.
    let mut anchor = anchor_of_image(log, place);
    let mut parts: Vec<Part> = log.core.tail.lock().parts.clone();
    let disks = log.core.disks.read().clone();
    parts.retain(|part| !disks[part.file].is_gone());
    check!(parts.iter().any(|part| part.in_use && part.sequence == until.sequence), "the end {until} is in no part");
    check!(parts.iter().any(|part| part.in_use && part.sequence == from.sequence), "{from} is in a part that is free");
    if layout == ImageLayout::Packed {
        let end = pack(&mut parts, from.sequence..=until.sequence);
        anchor.parts = parts.len() as u32;
        put(disks[0].id(), end, &[]).map_err(CopyError::Sink)?;
    }
    for part in &parts {
        put(disks[part.file].id(), part.offset, &part_head(part, &log.core.guid)).map_err(CopyError::Sink)?;
    }
    for at in ANCHORS_AT {
        put(disks[0].id(), at, &anchor.encode(&log.core.guid)).map_err(CopyError::Sink)?;
    }
    copy_blocks(ask, log, from, until, &mut |block| {
        let Some(position) = BlockHeader::read(block, &log.core.guid).map(|header| header.position) else {
            return Ok(());
        };
        let part = parts.iter().find(|part| part.in_use && part.sequence == position.sequence());
        part.map_or(Ok(()), |part| {
            put(disks[part.file].id(), part.offset + u64::from(position.block()) * UNIT_BYTES, block)
        })
    })
}

/// Leaves the parts with those numbers, in their order, and adds room. Returns the end of the file that they lie in.
fn pack(parts: &mut Vec<Part>, numbers: RangeInclusive<u32>) -> u64 {
    parts.retain(|part| part.in_use && numbers.contains(&part.sequence));
    parts.sort_by_key(|part| part.sequence);
    let room = Part { file: 0, offset: 0, bytes: SMALL_PART_BYTES, sequence: 0, in_use: false };
    parts.extend([room; SMALL_PARTS]);
    let mut end = PARTS_AT;
    for part in parts {
        (part.file, part.offset) = (0, end);
        end += part.bytes;
    }
    check!(end > PARTS_AT, "a packed image has no parts");
    end.next_multiple_of(EXTENT_BYTES)
}

/// The oldest record of a transaction that is open now, or `place`, whichever is first.
#[must_use]
pub fn oldest_open(log: &Log, place: Lsn) -> Lsn {
    log.core.tail.lock().active().map(|txn| txn.first).fold(place, Lsn::min)
}
