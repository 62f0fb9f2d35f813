//! What can go wrong with rows and pages of a heap. Words and numbers for users are made far above.

use millpond_storage::contract::PageId;
use millpond_storage::pool::PoolError;
use millpond_storage::space::SpaceError;
use millpond_storage::undo_log::LogError;

use crate::page::RecordDamage;
use crate::rid::{ObjectId, Rid};

/// An operation on a heap that did not happen.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AccessError {
    /// The pool could not give the page (802, 823, 824).
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// No space for another extent or page (1105).
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The undo of the change could not be kept (9002).
    #[error(transparent)]
    Log(#[from] LogError),
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
    /// The asker was told to stop.
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
