//! What ALTER DATABASE changes of a file, what became of it, and why it did not.

use std::path::PathBuf;

use millpond_device::DeviceError;

use crate::contract::DbId;
use crate::database::Unavailable;
use crate::file::Medium;
use crate::file::growth::Growth;
use crate::instance::{FileProblem, OpenError};
use crate::open_error::FileFailure;
use crate::pool::PoolError;
use crate::settings::SettingsError;
use crate::settings::tempdb::{FILES_MAX, TempdbConfigError};
use crate::space::map_pages::MapError;
use crate::wal::checkpoint::CheckpointError;
use crate::wal::{LogError, LogOpenError};

/// One property of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// NEWNAME.
    Name(String),
    /// FILENAME: it is moved there, while it is used.
    Medium(Medium),
    /// SIZE.
    Size {
        /// New size.
        pages: u32,
    },
    /// MAXSIZE; `None`: UNLIMITED.
    MaxSize {
        /// New limit.
        pages: Option<u32>,
    },
    /// FILEGROWTH.
    Growth(Growth),
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChanged {
    /// It holds.
    Now,
    /// It holds from the next start on (message 5018).
    AtNextStart,
    /// The file lies at its new place, and nowhere else.
    Moved,
}

/// Why a file was not added, changed or removed. The numbers are SQL Server's.
#[derive(Debug, thiserror::Error)]
pub enum AlterFileError {
    /// 911
    #[error("there is no database {0}")]
    NoDatabase(DbId),
    /// 945, 942 …
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// 3023
    #[error("a backup of the database runs, or another change of its files")]
    Serialized,
    /// 5013: master and model keep their files.
    #[error("database {0} keeps the files that it has")]
    FilesAreFixed(DbId),
    /// A copy has the files of its source.
    #[error("the database is a copy, which has the files of its source")]
    OfCopy,
    /// 5093
    #[error("the database is a snapshot")]
    OfSnapshot,
    /// 5094: a database snapshot has the file.
    #[error("a database snapshot has the file '{name}'")]
    OfSource {
        /// Name.
        name: String,
    },
    /// 5041
    #[error("there is no file '{name}'")]
    NoFile {
        /// Name.
        name: String,
    },
    /// 1828
    #[error("the name '{name}' is in use by another file")]
    NameInUse {
        /// Name.
        name: String,
    },
    /// 5103, 5169, 5174 …
    #[error(transparent)]
    Bad(#[from] TempdbConfigError),
    /// 5033
    #[error("a database has at most {FILES_MAX} files")]
    TooManyFiles,
    /// 5034
    #[error("file '{name}' is growing at this moment")]
    IsGrowing {
        /// Name.
        name: String,
    },
    /// 5039
    #[error("file '{name}' has {current_pages} pages; the new size must be larger")]
    SizeNotLarger {
        /// Name.
        name: String,
        /// Its size.
        current_pages: u32,
    },
    /// 5040
    #[error("the new size of file '{name}' is above its MAXSIZE of {max_pages} pages")]
    SizeAboveMax {
        /// Name.
        name: String,
        /// Its limit.
        max_pages: u32,
    },
    /// 5020
    #[error("'{name}' is the primary data or log file and cannot be removed")]
    Primary {
        /// Name.
        name: String,
    },
    /// 5042
    #[error("file '{name}' cannot be removed because it is not empty")]
    NotEmpty {
        /// Name.
        name: String,
    },
    /// 5042 for SIZE and FILENAME: it was emptied, and can only be removed.
    #[error("file '{name}' was emptied; it can only be removed")]
    Emptied {
        /// Name.
        name: String,
    },
    /// 5133, 5121
    #[error("the directory of {path} does not exist")]
    NoDirectory {
        /// File.
        path: PathBuf,
    },
    /// 5170
    #[error("{path} exists already")]
    FileExists {
        /// File.
        path: PathBuf,
    },
    /// 5123
    #[error("{path} cannot be made: {reason}")]
    Create {
        /// File.
        path: PathBuf,
        /// Why.
        reason: FileProblem,
    },
    /// 5149
    #[error("file '{name}' cannot be enlarged: {source}")]
    Enlarge {
        /// Name.
        name: String,
        /// The system's reason.
        source: DeviceError,
    },
    /// 5120
    #[error("file '{name}' cannot be moved: {source}")]
    Move {
        /// Name.
        name: String,
        /// The system's reason.
        source: DeviceError,
    },
    /// The task was cancelled; nothing changed.
    #[error("the change of file '{name}' was cancelled")]
    Cancelled {
        /// Name.
        name: String,
    },
    /// The change holds until the next start only.
    #[error("the change could not be stored: {0}")]
    Settings(#[from] SettingsError),
    /// A map page could not be had.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// 9002, 9001
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log file cannot be used.
    #[error(transparent)]
    LogFile(#[from] LogOpenError),
    /// The checkpoint that belongs to the change failed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The system gave no random numbers for the file's identity.
    #[error(transparent)]
    NoChance(#[from] millpond_device::chance::NoChance),
}

impl From<MapError> for AlterFileError {
    fn from(error: MapError) -> AlterFileError {
        match error {
            MapError::Pool(error) => AlterFileError::Pool(error),
            MapError::Log(error) => AlterFileError::Log(error),
        }
    }
}

pub(crate) fn of_open(error: OpenError) -> AlterFileError {
    match error {
        OpenError::Tempdb { path, reason: FileProblem::NoDirectory, .. } => AlterFileError::NoDirectory { path },
        OpenError::Tempdb { path, reason: FileProblem::Unexpected, .. } => AlterFileError::FileExists { path },
        OpenError::Tempdb { path, reason, .. } | OpenError::File { path, reason } => {
            AlterFileError::Create { path, reason }
        }
        OpenError::Settings(error) => AlterFileError::Settings(error),
        OpenError::TempdbConfig(error) => AlterFileError::Bad(error),
        OpenError::Maps(error) => error.into(),
        OpenError::NoChance(error) => AlterFileError::NoChance(error),
    }
}

impl From<FileFailure> for AlterFileError {
    fn from(failure: FileFailure) -> AlterFileError {
        AlterFileError::Create { path: failure.path, reason: failure.reason }
    }
}
