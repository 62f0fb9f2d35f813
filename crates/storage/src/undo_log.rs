//! The log of tempdb: undo records only, in memory as long as they fit.

use std::sync::Arc;

use crate::ask::Ask;
use crate::contract::IoFailure;
use crate::wait::WaitStats;

/// Where an undo record begins, counted in bytes since the log began; addresses only grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LogAddress(pub u64);

/// A log file; it meters and accounts for its I/O itself, as `WriteReason::Log`.
pub trait LogMedium: Send + Sync {
    /// Bytes usable for blocks; fixed between two calls of [`LogMedium::grow`].
    fn size_bytes(&self) -> u64;

    /// Makes the file larger by its increment and returns the new size; unchanged size or `NoSpace` when it may not.
    ///
    /// # Errors
    /// [`IoFailure`].
    fn grow(&self, ask: &Ask<'_>) -> Result<u64, IoFailure>;

    /// Writes a block; offset and length are multiples of 512.
    ///
    /// # Errors
    /// [`IoFailure`].
    fn write_at(&self, ask: &Ask<'_>, offset_bytes: u64, bytes: &[u8]) -> Result<(), IoFailure>;

    /// Reads what was written; offset and length are multiples of 512.
    ///
    /// # Errors
    /// [`IoFailure`].
    fn read_at(&self, ask: &Ask<'_>, offset_bytes: u64, bytes: &mut [u8]) -> Result<(), IoFailure>;
}

/// Why the log could not do it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LogError {
    /// All log files are full of records that are still needed, and none may grow (9002).
    #[error("the log is full: {needed_bytes} bytes are still needed")]
    Full {
        /// Bytes between the oldest needed record and the end.
        needed_bytes: u64,
    },
    /// A log file failed.
    #[error(transparent)]
    Io(#[from] IoFailure),
    /// Nothing is kept at that address: released, or never written.
    #[error("no log record at {address:?}")]
    NoRecord {
        /// The address asked for.
        address: LogAddress,
    },
}

/// State of the log, bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogReport {
    /// Size of all files.
    pub size_bytes: u64,
    /// Bytes still needed, in memory and in the files.
    pub used_bytes: u64,
    /// Of them in memory.
    pub memory_bytes: u64,
    /// Of each file: size and bytes in use.
    pub files: Vec<(u64, u64)>,
    /// Bytes ever appended.
    pub appended_bytes: u64,
}

/// The log of tempdb.
#[derive(Debug)]
pub struct UndoLog {}

impl UndoLog {
    /// A log without records over `media`, used in that order.
    #[must_use]
    pub fn new(media: Vec<Arc<dyn LogMedium>>, waits: Arc<WaitStats>) -> UndoLog {
        let _ = (media, waits);
        todo!()
    }

    /// Appends a record.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn append(&self, ask: &Ask<'_>, record: &[u8]) -> Result<LogAddress, LogError> {
        let _ = (ask, record);
        todo!()
    }

    /// Reads a record into `record`, which is emptied first.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn read(&self, ask: &Ask<'_>, address: LogAddress, record: &mut Vec<u8>) -> Result<(), LogError> {
        let _ = (ask, address, record);
        todo!()
    }

    /// Nothing before `address` is needed any more.
    pub fn release_until(&self, address: LogAddress) {
        let _ = address;
        todo!()
    }

    /// Adds a log file behind the others.
    pub fn add_medium(&self, medium: Arc<dyn LogMedium>) {
        let _ = medium;
        todo!()
    }

    /// State.
    #[must_use]
    pub fn report(&self) -> LogReport {
        todo!()
    }
}
