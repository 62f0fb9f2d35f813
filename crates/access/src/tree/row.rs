//! An entry of a tree as readers and writers see it, and what a writer of entries brings with it.

use millpond_storage::ask::Ask;
use millpond_storage::wal::{DatabaseHandle, LogError, Mtr};

/// Bytes before the key of an entry's record.
pub(crate) const LEAF_HEAD_BYTES: usize = 3;
/// Bytes of a tag.
pub(crate) const TAG_BYTES: usize = 14;

/// Number of a transaction in the order of versions; 48 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Xsn(pub u64);

impl Xsn {
    /// The greatest number that a tag holds.
    pub const MAX: Xsn = Xsn((1 << 48) - 1);
}

/// Where the version before this one is; opaque here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct VersionPtr(pub u64);

/// Which transaction wrote an entry last, and where its older version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RowTag {
    /// Writer; at most [`Xsn::MAX`].
    pub xsn: Xsn,
    /// The version before.
    pub version: VersionPtr,
}

/// An entry to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Key.
    pub key: &'a [u8],
    /// Payload.
    pub payload: &'a [u8],
}

/// An entry under the latch of its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafRow<'a> {
    /// Key.
    pub key: &'a [u8],
    /// Everything else.
    pub payload: &'a [u8],
    /// Deleted, but perhaps still seen by snapshots.
    pub is_ghost: bool,
    /// Tag, if it was written with one.
    pub tag: Option<RowTag>,
    /// Bytes after it that are kept on the page for its return to what it was ([`Writer::keeps_room`]).
    pub pad_bytes: u16,
}

impl LeafRow<'_> {
    /// Bytes of its record on a page.
    #[must_use]
    pub fn record_bytes(&self) -> usize {
        let tag_bytes = if self.tag.is_some() { TAG_BYTES } else { 0 };
        LEAF_HEAD_BYTES + self.key.len() + self.payload.len() + tag_bytes + usize::from(self.pad_bytes)
    }
}

/// What becomes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// Nothing.
    Keep,
    /// The entry has this content from now on, whether it was there or not.
    Put {
        /// Payload.
        payload: &'a [u8],
        /// Whether it is a ghost.
        is_ghost: bool,
        /// Tag.
        tag: Option<RowTag>,
    },
    /// The entry is again what it was, with the bytes that were kept after it.
    Restore {
        /// Payload.
        payload: &'a [u8],
        /// Whether it is a ghost.
        is_ghost: bool,
        /// Tag.
        tag: Option<RowTag>,
        /// [`LeafRow::pad_bytes`] as they were.
        pad_bytes: u16,
    },
    /// The entry keeps its payload and gets these marks. Keeps an entry that is not there absent.
    Mark {
        /// Whether it is a ghost.
        is_ghost: bool,
        /// Tag.
        tag: Option<RowTag>,
    },
    /// The entry is not there from now on.
    Remove,
}

/// The one that changes entries: gives the mini-transaction of a change and ends it.
pub trait Writer {
    /// Begins the mini-transaction of one change, with room in the log for `reserve_bytes` of page changes. Nothing is
    /// latched when this is called.
    ///
    /// # Errors
    /// [`LogError`]
    fn begin<'a>(&mut self, db: &'a DatabaseHandle, ask: &Ask<'a>, reserve_bytes: usize) -> Result<Mtr<'a>, LogError>;

    /// Ends it, with the undo that the last decision prepared. Called under the latch of the leaf; must not touch trees.
    fn commit(&mut self, mtr: Mtr<'_>);

    /// Whether a tagged entry that becomes shorter keeps its bytes on the page, so that undoing that needs no room: others
    /// cannot take it meanwhile. The bytes go when [`Writer::may_purge`] says so of the tag and the page is full.
    fn keeps_room(&self) -> bool {
        false
    }

    /// Whether there is no use for a ghost with this tag, and for the bytes kept after an entry with it. Called under
    /// the latch of the leaf; must not touch trees.
    fn may_purge(&self, tag: &RowTag) -> bool;
}
