//! What a backup takes of a log: its active parts as they are, and an anchor that says where redo begins in them.
//!
//! What always holds: an image is a log of its own. Its anchor may name an older checkpoint than the log's own does, as
//! long as the log was kept from there on.

use crate::ask::Ask;
use crate::check;
use crate::contract::{EXTENT_PAGES, FileId, PAGE_BYTES};
use crate::page::header::Lsn;
use crate::wal::anchor::Anchor;
use crate::wal::block::{BlockHeader, SECTOR_BYTES, UNIT_BYTES};
use crate::wal::disk::{ANCHORS_AT, PARTS_AT, Part, part_head};
use crate::wal::log::Log;
use crate::wal::transfer::{CopyError, copy_blocks};

/// Sizes of files are whole extents.
const EXTENT_BYTES: u64 = EXTENT_PAGES as u64 * PAGE_BYTES as u64;
/// Free parts of a small image, and how large each is: 4 MB, so that it does not grow at once.
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

/// Takes bytes of an image, for a place in a file of the log.
pub type Put<'p, E> = dyn FnMut(FileId, u64, &[u8]) -> Result<(), E> + 'p;

/// The same, by the number of the file among those of the log.
type PutIn<'p, E> = dyn FnMut(usize, u64, &[u8]) -> Result<(), E> + 'p;

/// Writes the image of a log that ends with the block at `until`, which is durable: the heads of all parts, the blocks from
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
    put: &mut Put<'_, E>,
) -> Result<(), CopyError<E>> {
    assert!(from <= place.redo && place.checkpoint.position() <= until.position(), "an image without its checkpoint");
    // Before the parts: a log that grows meanwhile has more of them than the anchor says.
    let anchor = anchor_of_image(log, place);
    let parts: Vec<Part> = log.core.tail.lock().parts.clone();
    let disks = log.core.disks.read().clone();
    check!(parts.iter().any(|part| part.in_use && part.sequence == until.sequence), "the end {until} is in no part");
    check!(parts.iter().any(|part| part.in_use && part.sequence == from.sequence), "{from} is in a part that is free");
    for part in parts.iter().filter(|part| !disks[part.file].is_gone()) {
        let mut head = vec![0; SECTOR_BYTES as usize];
        disks[part.file].read(part.offset, &mut head)?;
        put(disks[part.file].id(), part.offset, &head).map_err(CopyError::Sink)?;
    }
    put_rest(ask, log, (&anchor, &parts), (from, until), &mut |file, offset, bytes| {
        put(disks[file].id(), offset, bytes)
    })
}

/// The same in one file: the parts that hold what is copied, one after the other, and little more: a log of megabytes whatever the
/// size of the one that is copied. `put` is called without bytes first, at the end of the file.
///
/// # Errors
/// [`CopyError`].
pub fn copy_small_image<E>(
    ask: &Ask<'_>,
    log: &Log,
    place: RedoPlace,
    (from, until): (Lsn, Lsn),
    put: &mut Put<'_, E>,
) -> Result<(), CopyError<E>> {
    assert!(from <= place.redo && place.checkpoint.position() <= until.position(), "an image without its checkpoint");
    let mut parts: Vec<Part> = log.core.tail.lock().parts.clone();
    parts.retain(|part| part.in_use && (from.sequence..=until.sequence).contains(&part.sequence));
    parts.sort_by_key(|part| part.sequence);
    check!(parts.last().is_some_and(|part| part.sequence == until.sequence), "the end {until} is in no part");
    check!(parts.first().is_some_and(|part| part.sequence == from.sequence), "{from} is in a part that is free");
    let room = Part { file: 0, offset: 0, bytes: SMALL_PART_BYTES, sequence: 0, in_use: false };
    parts.extend([room; SMALL_PARTS]);
    let file = log.core.disks.read()[0].id();
    let mut end = PARTS_AT;
    for part in &mut parts {
        (part.file, part.offset) = (0, end);
        end += part.bytes;
    }
    put(file, end.next_multiple_of(EXTENT_BYTES), &[]).map_err(CopyError::Sink)?;
    for part in &parts {
        put(file, part.offset, &part_head(part, &log.core.guid)).map_err(CopyError::Sink)?;
    }
    let anchor = Anchor { parts: parts.len() as u32, ..anchor_of_image(log, place) };
    put_rest(ask, log, (&anchor, &parts), (from, until), &mut |_, offset, bytes| put(file, offset, bytes))
}

/// The anchor and the blocks of an image whose parts lie where `parts` says; `put` is told the number of the part's file in
/// the log.
fn put_rest<E>(
    ask: &Ask<'_>,
    log: &Log,
    (anchor, parts): (&Anchor, &[Part]),
    (from, until): (Lsn, Lsn),
    put: &mut PutIn<'_, E>,
) -> Result<(), CopyError<E>> {
    for at in ANCHORS_AT {
        put(0, at, &anchor.encode(&log.core.guid)).map_err(CopyError::Sink)?;
    }
    copy_blocks(ask, log, from, until, &mut |block| {
        let Some(position) = BlockHeader::read(block, &log.core.guid).map(|header| header.position) else {
            return Ok(());
        };
        let part = parts.iter().find(|part| part.in_use && part.sequence == position.sequence());
        match part {
            Some(part) => put(part.file, part.offset + u64::from(position.block()) * UNIT_BYTES, block),
            None => Ok(()),
        }
    })
}

/// The oldest record of a transaction that is open now, or `place`, whichever is first.
#[must_use]
pub fn oldest_open(log: &Log, place: Lsn) -> Lsn {
    log.core.tail.lock().active().map(|txn| txn.first).fold(place, Lsn::min)
}
