//! Why a database was not altered.

use std::path::PathBuf;

use crate::contract::DbId;
use crate::database::{BootError, Unavailable};
use crate::open_error::{FileFailure, FileProblem};
use crate::settings::SettingsError;
use crate::wal::checkpoint::CheckpointError;

/// Why a database was not altered, dropped, detached or attached. The numbers are SQL Server's.
#[derive(Debug, thiserror::Error)]
pub enum AlterDatabaseError {
    /// 911, 5011
    #[error("there is no database {db}")]
    NoDatabase {
        /// Number.
        db: DbId,
    },
    /// 3702: a database is put back to what it was in this snapshot, and is neither yet.
    #[error("the snapshot is needed by a database that is put back to it")]
    InUse,
    /// 3708, 5058: master, tempdb, model and msdb stay as they are.
    #[error("database {db} belongs to the system")]
    OfTheSystem {
        /// Number.
        db: DbId,
    },
    /// 1801
    #[error("there is a database '{name}' already")]
    NameInUse {
        /// Name.
        name: String,
    },
    /// 1835
    #[error("the instance has no number for another database")]
    TooManyDatabases,
    /// 1829, 5173: files of several databases, or not the first two of one.
    #[error("the files are not those of one database")]
    NotADatabase,
    /// No name that a database can have.
    #[error("'{name}' is no name for a database")]
    BadName {
        /// Name.
        name: String,
    },
    /// 945, 942, 927 …
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// 5120, 945: the database stays offline.
    #[error("{path}: {reason}")]
    File {
        /// File.
        path: PathBuf,
        /// What is wrong.
        reason: FileProblem,
    },
    /// The list of databases could not be stored.
    #[error("the list of databases could not be stored: {0}")]
    Settings(#[from] SettingsError),
    /// 9002 …
    #[error(transparent)]
    Boot(#[from] BootError),
    /// 3709, 5094: a database with snapshots.
    #[error("the database snapshot '{name}' refers to it")]
    HasSnapshot {
        /// Snapshot.
        name: String,
        /// What was to be done: drop, detach; another word is 5094.
        doing: &'static str,
    },
    /// It lies over the files of another database, and is open whenever that is.
    #[error("the database is a copy, which keeps the files of its source")]
    OfCopy,
    /// 5093; 3706 where it was to be detached.
    #[error("the database is a snapshot")]
    OfSnapshot {
        /// What was to be done.
        doing: &'static str,
    },
    /// The checkpoint that belongs to the change failed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

impl From<FileFailure> for AlterDatabaseError {
    fn from(failure: FileFailure) -> AlterDatabaseError {
        AlterDatabaseError::File { path: failure.path, reason: failure.reason }
    }
}
