//! The log of one durable database.

use std::sync::Arc;

use millpond_device::DeviceError;
use millpond_device::clock::Clock;

use crate::ask::Ask;
use crate::contract::{DbId, FileId, IoFailure, PageId};
use crate::file::StorageFile;
use crate::header::Lsn;
use crate::wait::WaitStats;

/// A transaction; numbers only grow, over restarts too. 0 is the system itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TxnId(pub u64);

/// Why the log cannot be cut: `log_reuse_wait_desc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReuseWait {
    /// It can.
    Nothing,
    /// No checkpoint yet.
    Checkpoint,
    /// The log has to be backed up first.
    LogBackup,
    /// A backup or restore reads it.
    ActiveBackupOrRestore,
    /// A transaction is open.
    ActiveTransaction,
}

impl ReuseWait {
    /// The documented word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ReuseWait::Nothing => "NOTHING",
            ReuseWait::Checkpoint => "CHECKPOINT",
            ReuseWait::LogBackup => "LOG_BACKUP",
            ReuseWait::ActiveBackupOrRestore => "ACTIVE_BACKUP_OR_RESTORE",
            ReuseWait::ActiveTransaction => "ACTIVE_TRANSACTION",
        }
    }
}

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

/// Whether a commit waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitMode {
    /// It does.
    Durable,
    /// DELAYED_DURABILITY: it does not.
    Delayed,
}

/// What a transaction has in the log. Ends by [`Log::commit`] or [`Log::end_rollback`]; until then the log is kept from
/// its first record on.
#[derive(Debug)]
pub struct TxnLog {
    /// Which transaction.
    pub id: TxnId,
    /// Its first record.
    pub first: Option<Lsn>,
    /// Its last record: where undo begins.
    pub last: Option<Lsn>,
    /// Bytes of its records.
    pub used_bytes: u64,
    /// Bytes reserved so that it can be undone.
    pub reserved_bytes: u64,
    /// Place in the log's table of active transactions, from the first record on.
    pub(crate) place: Option<usize>,
}

impl TxnLog {
    /// For a transaction in a temporary database, which has no log.
    #[must_use]
    pub fn without_log() -> TxnLog {
        TxnLog { id: TxnId(0), first: None, last: None, used_bytes: 0, reserved_bytes: 0, place: None }
    }
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// A change that is never undone.
    System,
    /// A change of a transaction, with its undo.
    Change,
    /// A change that undid another.
    Compensation,
    /// The transaction is committed.
    Commit,
    /// The transaction is undone.
    RolledBack,
    /// Where recovery begins.
    Checkpoint,
}

/// A record that was read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its place.
    pub lsn: Lsn,
    /// What it is.
    pub kind: RecordKind,
    /// Whose; 0 for the system's.
    pub txn: TxnId,
    /// The transaction's record before.
    pub prev: Option<Lsn>,
    /// Of a compensation: the record to be undone next.
    pub undo_next: Option<Lsn>,
    /// Of a change: what its maker gave for undoing it.
    pub undo: Vec<u8>,
    /// Pages that it changed.
    pub pages: Vec<PageId>,
}

/// An open transaction, for views and recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveTxn {
    /// Which.
    pub id: TxnId,
    /// Its first record.
    pub first: Lsn,
    /// Its last record.
    pub last: Lsn,
    /// Bytes of its records.
    pub used_bytes: u64,
    /// Bytes reserved for its undo.
    pub reserved_bytes: u64,
}

/// What a log is made or opened with.
#[derive(Clone, Debug)]
pub struct LogConfig {
    /// Database.
    pub db: DbId,
    /// The database's GUID: blocks of another one are not its log.
    pub guid: [u8; 16],
    /// Time of commits and waits.
    pub clock: Arc<dyn Clock>,
    /// Where waits are counted.
    pub waits: Arc<WaitStats>,
    /// Whether the log is kept until it is backed up (FULL, BULK_LOGGED).
    pub keep_until_backup: bool,
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

/// State of a log, bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogReport {
    /// Size of all files.
    pub size_bytes: u64,
    /// Room for blocks.
    pub capacity_bytes: u64,
    /// Of it in use: from the oldest record that is needed to the end, and what is reserved.
    pub used_bytes: u64,
    /// Of it reserved for undo and for changes under way.
    pub reserved_bytes: u64,
    /// Log parts (VLFs) in all.
    pub parts: usize,
    /// Of them in use.
    pub active_parts: usize,
    /// What keeps the log from being cut.
    pub reuse_wait: ReuseWait,
    /// The end: where the next block begins.
    pub end: Lsn,
    /// Everything before is durable.
    pub durable: Lsn,
    /// Where recovery would begin.
    pub recovery: Lsn,
    /// Bytes between there and the end: what recovery would read.
    pub recovery_bytes: u64,
    /// The oldest record that is kept.
    pub oldest: Lsn,
    /// Records that were backed up last.
    pub backed_up: Lsn,
    /// Bytes appended since the log was opened.
    pub appended_bytes: u64,
    /// Writes and syncs since then.
    pub flushes: u64,
    /// Of each file: bytes for blocks, and of them in use.
    pub files: Vec<(FileId, u64, u64)>,
}

/// Keeps the log from a place on for a backup; dropping it lets go.
#[derive(Debug)]
pub struct LogHold {
    never: std::convert::Infallible,
}

/// The log.
#[derive(Debug)]
pub struct Log {
    never: std::convert::Infallible,
}

impl Log {
    /// Makes an empty log in new files, ready for use.
    ///
    /// # Errors
    /// [`LogOpenError`].
    pub fn create(_config: LogConfig, files: Vec<Arc<StorageFile>>) -> Result<Arc<Log>, LogOpenError> {
        let file = files.first().map_or(FileId(0), |file| file.id());
        Err(LogOpenError::TooSmall { file, size_bytes: 0 })
    }

    /// Opens the log that is in the files; it takes nothing before [`crate::wal::recovery::redo`] found its end.
    ///
    /// # Errors
    /// [`LogOpenError`]; nothing was changed.
    pub fn open(_config: LogConfig, files: Vec<Arc<StorageFile>>) -> Result<Arc<Log>, LogOpenError> {
        Err(LogOpenError::NoLog { file: files.first().map_or(FileId(0), |file| file.id()) })
    }

    /// The next records may go to this new file too.
    ///
    /// # Errors
    /// [`LogOpenError`].
    pub fn add_file(&self, _file: Arc<StorageFile>) -> Result<(), LogOpenError> {
        match self.never {}
    }

    /// Takes a file away that holds no needed part; false when it does, or when it is the first one.
    pub fn remove_file(&self, _file: FileId) -> bool {
        match self.never {}
    }

    /// Makes everything durable and ends the writer; the log takes nothing afterwards.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn close(&self, _ask: &Ask<'_>) -> Result<(), LogError> {
        match self.never {}
    }

    /// FULL or BULK_LOGGED: the log is kept until [`Log::set_backed_up`].
    pub fn set_keep_until_backup(&self, _keep: bool) {
        match self.never {}
    }

    /// Everything before `lsn` is in a log backup.
    pub fn set_backed_up(&self, _lsn: Lsn) {
        match self.never {}
    }

    /// Keeps the log from its oldest record on until the hold is dropped.
    #[must_use]
    pub fn hold(&self) -> LogHold {
        match self.never {}
    }

    /// Where the next record goes, at the earliest.
    #[must_use]
    pub fn end_lsn(&self) -> Lsn {
        match self.never {}
    }

    /// Sizes and places.
    #[must_use]
    pub fn report(&self) -> LogReport {
        match self.never {}
    }

    pub(crate) fn never(&self) -> ! {
        match self.never {}
    }

    /// A new transaction; it is not in the log before its first change.
    #[must_use]
    pub fn begin(&self) -> TxnLog {
        match self.never {}
    }

    /// All records up to this one, itself included, survive a crash.
    #[must_use]
    pub fn durable_lsn(&self) -> Lsn {
        match self.never {}
    }

    /// Waits until the record at `lsn` is durable (WRITELOG).
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn make_durable(&self, _ask: &Ask<'_>, _lsn: Lsn) -> Result<(), LogError> {
        match self.never {}
    }

    /// Ends the transaction; with [`CommitMode::Durable`] it survives a crash when this returns. A transaction without
    /// changes leaves no record and waits for nothing.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]: whether it is committed will be known after recovery.
    pub fn commit(&self, _ask: &Ask<'_>, _txn: TxnLog, _mode: CommitMode) -> Result<Lsn, LogError> {
        match self.never {}
    }

    /// Ends a transaction whose changes are undone.
    pub fn end_rollback(&self, _txn: TxnLog) {
        match self.never {}
    }

    /// The record at `lsn`, durable or not.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn read(&self, _ask: &Ask<'_>, _lsn: Lsn) -> Result<Record, LogError> {
        match self.never {}
    }

    /// Open transactions with changes.
    #[must_use]
    pub fn active_transactions(&self) -> Vec<ActiveTxn> {
        match self.never {}
    }

    /// Nothing is logged any more: the memory of the database is not what its log says.
    pub fn close_broken(&self, _message: &str) {
        match self.never {}
    }

    pub(crate) fn reserve(&self, _ask: &Ask<'_>, _bytes: usize) -> Result<u64, LogError> {
        match self.never {}
    }

    pub(crate) fn release(&self, _bytes: u64) {
        match self.never {}
    }

    pub(crate) fn check_available(&self) -> Result<(), LogError> {
        match self.never {}
    }

    pub(crate) fn position(&self) -> crate::header::LogPos {
        match self.never {}
    }

    pub(crate) fn append_system(&self, _body: &[u8], _reserved: u64) -> Lsn {
        match self.never {}
    }

    pub(crate) fn append_change(&self, _txn: &mut TxnLog, _body: &[u8], _reserved: u64) -> Lsn {
        match self.never {}
    }

    pub(crate) fn append_compensation(&self, _txn: &mut TxnLog, _body: &[u8], _reserved: u64) -> Lsn {
        match self.never {}
    }
}
