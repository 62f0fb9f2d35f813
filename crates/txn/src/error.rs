//! What can go wrong with a session's work.

use std::sync::Arc;

use millpond_access::{AccessError, ObjectId};
use millpond_storage::contract::DbId;
use millpond_storage::page::header::Lsn;
use millpond_storage::pool::PoolError;
use millpond_storage::tempdb::undo_log::LogError;
use millpond_storage::wal;
use millpond_storage::wal::checkpoint::CheckpointError;

use crate::kind::ObjectUndo;
use crate::lock::{DeadlockReport, LockError, LockMode, Resource};

/// An operation that did not happen.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TxnError {
    /// A heap or a tree refused.
    #[error(transparent)]
    Access(AccessError),
    /// The undo could not be kept in tempdb's log (9002).
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log of a durable database refused: full (9002) or not available (9001).
    #[error("database {db}: {cause}")]
    Wal {
        /// Database.
        db: DbId,
        /// What the log says.
        cause: wal::LogError,
    },
    /// The commit could not be made durable: whether it happened is known after recovery only. The transaction is over.
    #[error("database {db}: the commit failed: {cause}")]
    CommitFailed {
        /// Database.
        db: DbId,
        /// What the log says.
        cause: wal::LogError,
    },
    /// COMMIT or ROLLBACK without a transaction (3902, 3903).
    #[error("no transaction is open")]
    NoTransaction,
    /// ROLLBACK to a name that no savepoint has (6401).
    #[error("no savepoint '{0}'")]
    NoSuchSavepoint(String),
    /// The heap or tree is not one of this session, or is dropped.
    #[error("object {0} is not an object of this session")]
    NoSuchObject(ObjectId),
    /// The session was chosen as the victim of a deadlock: roll the transaction back (1205).
    #[error("deadlock victim")]
    Deadlock(Arc<DeadlockReport>),
    /// LOCK_TIMEOUT is over (1222).
    #[error("lock request for {mode} on {resource} timed out")]
    LockTimeout {
        /// What was asked for.
        resource: Resource,
        /// In which mode.
        mode: LockMode,
    },
    /// The instance has no more locks (1204).
    #[error("no more locks")]
    TooManyLocks,
    /// The task was asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// Under SNAPSHOT, another session changed the row after the snapshot was taken (3960).
    #[error("object {object} of database {db}: the row was changed after the snapshot")]
    SnapshotConflict {
        /// Database.
        db: DbId,
        /// Object.
        object: u32,
    },
    /// SNAPSHOT in a database that does not allow it (3952).
    #[error("database {0} does not allow snapshots")]
    SnapshotNotAllowed(DbId),
    /// The version that the snapshot reads is not there: tempdb was full (3958).
    #[error("object {object} of database {db}: a row version is lost")]
    VersionLost {
        /// Database.
        db: DbId,
        /// Object.
        object: u32,
    },
    /// An entry with that key is there (2601, 2627).
    #[error("the tree has the key already")]
    Duplicate,
    /// The row to be changed is not there any more.
    #[error("no such row")]
    NoSuchRow,
    /// The database is set READ_ONLY (3906).
    #[error("database {0} is read-only")]
    ReadOnly(DbId),
    /// The database is not there or not online.
    #[error("database {0} is not available")]
    DatabaseUnavailable(DbId),
    /// Undo failed for some heaps; they are dropped, everything else was undone.
    #[error("undo failed, objects are lost: {cause}")]
    UndoLost {
        /// The heaps that are gone.
        objects: Vec<ObjectId>,
        /// What the caller's catalog must undo beside.
        undone: Vec<ObjectUndo>,
        /// The first failure.
        cause: Box<TxnError>,
    },
}

impl From<AccessError> for TxnError {
    fn from(cause: AccessError) -> TxnError {
        match cause {
            AccessError::Cancelled => TxnError::Cancelled,
            other => TxnError::Access(other),
        }
    }
}

impl TxnError {
    /// A checkpoint that a statement needs failed.
    pub(crate) fn of_checkpoint(db: DbId, cause: CheckpointError) -> TxnError {
        match cause {
            CheckpointError::Pool(cause) => TxnError::Access(cause.into()),
            CheckpointError::Io(failure) => TxnError::Access(PoolError::Io(failure).into()),
            CheckpointError::Log(cause) => TxnError::Wal { db, cause },
        }
    }
}

impl From<LockError> for TxnError {
    fn from(cause: LockError) -> TxnError {
        match cause {
            LockError::Deadlock(report) => TxnError::Deadlock(report),
            LockError::Timeout { resource, mode } => TxnError::LockTimeout { resource, mode },
            LockError::Cancelled => TxnError::Cancelled,
            LockError::TooMany => TxnError::TooManyLocks,
        }
    }
}

/// Why a database could not be brought back: it stays closed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RecoverError {
    /// The log could not be read or written.
    #[error(transparent)]
    Log(#[from] wal::LogError),
    /// A change could not be undone.
    #[error("undo of the change at {lsn} failed: {cause}")]
    Undo {
        /// Its record.
        lsn: Lsn,
        /// Why.
        cause: Box<TxnError>,
    },
    /// A record is not one of ours: a newer or a broken program wrote it.
    #[error("the undo of the log record at {lsn} cannot be read")]
    Record {
        /// Its place.
        lsn: Lsn,
    },
    /// The database is not open.
    #[error("the database is not available")]
    Unavailable,
    /// A transaction over several databases is prepared here, and the database that decides over it is not open.
    #[error("a transaction is in doubt: the database that decides over it is not available ({coordinator})")]
    InDoubt {
        /// Name of that database, or its GUID when the instance does not know it.
        coordinator: String,
    },
}
