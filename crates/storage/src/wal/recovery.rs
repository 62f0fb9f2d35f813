//! Recovery after a crash: the end of the log is found, what it says is done again, and what was open is named.

use millpond_device::DeviceError;

use crate::ask::Ask;
use crate::contract::{IoFailure, PageId};
use crate::header::Lsn;
use crate::pool::PoolError;
use crate::wal::DatabaseHandle;
use crate::wal::log::TxnLog;

/// The files of the database, for pages that its log knows and its files do not have any more.
pub trait PageHome: Sync {
    /// Makes the page's file long enough for it; it may be long enough already.
    ///
    /// # Errors
    /// [`IoFailure`]; without the file the page is reported as damaged.
    fn extend_to(&self, ask: &Ask<'_>, page: PageId) -> Result<(), IoFailure>;
}

/// How far and how fast.
#[derive(Clone, Copy, Debug)]
pub struct RedoOptions {
    /// Threads that change pages; at least 1.
    pub threads: usize,
    /// Stops before the first commit after this time (microseconds since 1970, UTC); everything behind it is cut off.
    pub stop_at_us: Option<i64>,
}

/// What recovery found.
#[derive(Debug)]
pub struct Redone {
    /// Transactions that were open; they are undone with [`crate::wal::Log::read`] and compensations, newest record of
    /// all first, and end by [`crate::wal::Log::end_rollback`].
    pub losers: Vec<TxnLog>,
    /// Where redo began.
    pub first: Lsn,
    /// Where the log ends.
    pub end: Lsn,
    /// Bytes of log read.
    pub read_bytes: u64,
    /// Records read.
    pub records: u64,
    /// Records that changed a page.
    pub applied: u64,
    /// Pages that could not be brought up to date: damaged in the file and not made anew by the log. Reading one is error
    /// 824; those that are free by now do not matter.
    pub damaged: Vec<PageId>,
    /// Whether the database was closed in order: nothing had to be done, nothing was open.
    pub was_clean: bool,
}

/// Why the database cannot be recovered.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryError {
    /// The log could not be read.
    #[error("reading the log failed: {0}")]
    Read(#[from] DeviceError),
    /// The log does not reach back to where recovery has to begin.
    #[error("the log has no block at {first}, where recovery begins")]
    Missing {
        /// Where it begins.
        first: Lsn,
    },
    /// A record that has its checksum cannot be read: a newer or a broken program wrote it.
    #[error("the log record at {lsn} cannot be read")]
    Record {
        /// Its place.
        lsn: Lsn,
    },
    /// Pages could not be had.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The database has no log, or was recovered before.
    #[error("there is nothing to recover")]
    Nothing,
}

/// Does again what the log says and makes it ready to be appended to; afterwards the caller undoes the losers and takes a
/// checkpoint.
///
/// # Errors
/// [`RecoveryError`].
pub fn redo(
    _ask: &Ask<'_>,
    handle: &DatabaseHandle,
    _home: &dyn PageHome,
    _options: RedoOptions,
) -> Result<Redone, RecoveryError> {
    match &handle.log {
        Some(log) => log.never(),
        None => Err(RecoveryError::Nothing),
    }
}
