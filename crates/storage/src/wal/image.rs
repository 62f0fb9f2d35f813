//! What a backup takes of a log: its active parts as they are, and an anchor that says where redo begins in them.
//!
//! What always holds: an image is a log of its own. Its anchor may name an older checkpoint than the log's own does, as
//! long as the log was kept from there on.

use crate::page::header::Lsn;
use crate::wal::anchor::Anchor;
use crate::wal::disk::ANCHORS_AT;
use crate::wal::log::Log;

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
    assert!(place.redo <= place.checkpoint, "a copy of the log begins at {}, after its checkpoint", place.redo);
    let (checkpoint, redo) = (Some(place.checkpoint), place.redo);
    let anchor = Anchor { checkpoint, redo, end: place.checkpoint.position(), ..*log.core.anchor.lock() };
    (anchor.encode(&log.core.guid).to_vec(), ANCHORS_AT)
}
