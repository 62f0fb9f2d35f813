//! Why a log refuses: while it is open, and when it is opened.

use millpond_device::DeviceError;

use crate::contract::{FileId, IoFailure};
use crate::page::header::Lsn;
use crate::wal::tail::ReuseWait;

/// Why the log did not do it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LogError {
    /// No room, and no file may grow (9002).
    #[error("the log is full: {}", reason.name())]
    Full {
        /// What keeps it from being cut.
        reason: ReuseWait,
    },
    /// Reading a record failed.
    #[error(transparent)]
    Io(#[from] IoFailure),
    /// A write of the log failed before, or the database is not recovered (9001). Nothing is logged any more.
    #[error("the log is not available: {message}")]
    Unavailable {
        /// What happened.
        message: String,
    },
    /// No record begins there any more, or it never did.
    #[error("no log record at {lsn}")]
    NoRecord {
        /// Asked for.
        lsn: Lsn,
    },
}

/// Why there is no log; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum LogOpenError {
    /// The file is too small for a log.
    #[error("log file {file} of {size_bytes} bytes is too small for a log")]
    TooSmall {
        /// File.
        file: FileId,
        /// Its size.
        size_bytes: u64,
    },
    /// It is no log, or its headers are damaged.
    #[error("log file {file} has no valid log header")]
    NoLog {
        /// File.
        file: FileId,
    },
    /// It is another database's log.
    #[error("log file {file} belongs to another database")]
    Foreign {
        /// File.
        file: FileId,
    },
    /// A newer program wrote it.
    #[error("log file {file} has format {found}, which this program does not read")]
    Newer {
        /// File.
        file: FileId,
        /// Its format.
        found: u32,
    },
    /// The file is shorter than its log was.
    #[error("log file {file} is truncated")]
    Truncated {
        /// File.
        file: FileId,
    },
    /// I/O failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
