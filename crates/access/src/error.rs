//! What can go wrong with rows and pages of heaps and trees. Words and numbers for users are made far above.

use millpond_storage::contract::PageId;
use millpond_storage::pool::PoolError;
use millpond_storage::space::SpaceError;
use millpond_storage::tempdb::undo_log::LogError;
use millpond_storage::wal::OpError;

use crate::page::RecordDamage;
use crate::rid::{ObjectId, Rid};

/// What is wrong with the records of a tree's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeDamage {
    /// A slot or a record reaches out of the page.
    #[error("slot {slot} does not lead to a record")]
    Slot {
        /// Slot.
        slot: u16,
    },
    /// The record is shorter than its parts.
    #[error("the record of slot {slot} is too short for what it says it holds")]
    Short {
        /// Slot.
        slot: u16,
    },
    /// The page did not take a change that fits by its header.
    #[error("the page's header and records contradict each other: {0}")]
    Op(#[from] OpError),
    /// An interior page without children.
    #[error("an interior page has no children")]
    NoChild,
    /// The page is of another level than its parent says.
    #[error("a page of level {expected} has level {found}")]
    Level {
        /// Level that was to be there.
        expected: u8,
        /// Level in its header.
        found: u8,
    },
}

/// An operation on a heap or a tree that did not happen.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AccessError {
    /// The pool could not give the page (802, 823, 824).
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// No space for another extent or page (1105).
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// A quota leaves no room for another extent (1138).
    #[error("the quota '{quota}' of {limit_pages} pages is used up")]
    QuotaExceeded {
        /// Its name.
        quota: String,
        /// Its bound.
        limit_pages: u64,
    },
    /// The undo of the change could not be kept (9002).
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log of a durable database did not take the change (9001, 9002).
    #[error(transparent)]
    Wal(#[from] millpond_storage::wal::log::LogError),
    /// A key longer than trees take (1946).
    #[error("a key of {key_bytes} bytes is longer than {key_bytes_max}")]
    KeyTooLong {
        /// Its bytes.
        key_bytes: usize,
        /// [`crate::tree::KEY_BYTES_MAX`]
        key_bytes_max: usize,
    },
    /// Key and payload do not fit a page together (511).
    #[error("an entry of {entry_bytes} bytes is longer than {entry_bytes_max}")]
    EntryTooLong {
        /// Bytes of key and payload.
        entry_bytes: usize,
        /// [`crate::tree::ENTRY_BYTES_MAX`]
        entry_bytes_max: usize,
    },
    /// Entries for a new tree did not come in ascending order of distinct keys.
    #[error("an entry's key is not greater than the one before")]
    KeyOrder {
        /// The two keys are the same.
        is_equal: bool,
    },
    /// The records of a tree's page contradict each other (824).
    #[error("page {page}: {damage}")]
    Node {
        /// Page.
        page: PageId,
        /// What is wrong.
        damage: NodeDamage,
    },
    /// A chain of IAM pages is broken (2575, 824).
    #[error("IAM page {page} does not continue its chain")]
    DamagedChain {
        /// Page.
        page: PageId,
    },
    /// A large value is not where its pointer says, or shorter (7105).
    #[error("no large value of that length begins at page {page}")]
    NoSuchValue {
        /// Page that the pointer names.
        page: PageId,
    },
    /// A record larger than a page takes (511).
    #[error("a row of {row_bytes} bytes is longer than {row_bytes_max}")]
    RowTooLong {
        /// Its bytes.
        row_bytes: usize,
        /// [`crate::ROW_BYTES_MAX`]
        row_bytes_max: usize,
    },
    /// The row was deleted, or never was.
    #[error("no row at {0}")]
    NoSuchRow(Rid),
    /// The task was asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// The page's records contradict each other (824).
    #[error("page {page}: {damage}")]
    Damaged {
        /// Page.
        page: PageId,
        /// What is wrong.
        damage: RecordDamage,
    },
    /// The page says that it belongs to another object (5242).
    #[error("page {page} belongs to object {found}, not {expected}")]
    WrongObject {
        /// Page.
        page: PageId,
        /// Whose it should be.
        expected: ObjectId,
        /// Whose it is.
        found: ObjectId,
    },
    /// The heap was dropped, or emptied under a scan.
    #[error("object {0} was dropped or truncated meanwhile")]
    Gone(ObjectId),
}
