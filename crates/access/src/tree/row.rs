//! An entry of a tree as readers and writers see it, and what a writer of entries brings with him.

use millpond_storage::ask::Ask;
use millpond_storage::wal::{DatabaseHandle, LogError, Mtr};

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

/// Who wrote an entry last, and where its older version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RowTag {
    /// Writer; at most [`Xsn::MAX`].
    pub xsn: Xsn,
    /// The version before.
    pub version: VersionPtr,
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

/// Who changes entries: gives the mini-transaction of a change and ends it.
pub trait Writer {
    /// Begins the mini-transaction of one change, with room in the log for `reserve_bytes` of page changes. Nothing is
    /// latched when this is called.
    ///
    /// # Errors
    /// [`LogError`]
    fn begin<'a>(&mut self, db: &'a DatabaseHandle, ask: &Ask<'a>, reserve_bytes: usize) -> Result<Mtr<'a>, LogError>;

    /// Ends it, with the undo that the last decision prepared. Called under the latch of the leaf; must not touch trees.
    fn commit(&mut self, mtr: Mtr<'_>);

    /// Whether nobody has any use for a ghost with this tag. Called under the latch of the leaf; must not touch trees.
    fn may_purge(&self, tag: &RowTag) -> bool;
}
