//! Why an instance could not be opened.

use std::path::PathBuf;

use millpond_device::DeviceError;

use crate::file::file_header::{FORMAT, HeaderError};
use crate::settings::SettingsError;
use crate::settings::tempdb::TempdbConfigError;
use crate::space::map_init::MapDamage;
use crate::space::map_pages::MapError;
use crate::wal::LogOpenError;
use crate::wal::recovery::RecoveryError;

/// Why an instance could not be opened. No existing file was changed then, but for errors that say that tempdb's files
/// could not be made.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The directory is in use, cannot be read or written, or its settings are newer or damaged.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The files configured for tempdb contradict each other.
    #[error("tempdb's configuration: {0}")]
    TempdbConfig(#[from] TempdbConfigError),
    /// A database file is not what it should be.
    #[error("{path}: {reason}")]
    File {
        /// File.
        path: PathBuf,
        /// What is wrong.
        reason: FileProblem,
    },
    /// A file of tempdb cannot be made.
    #[error("tempdb's file '{name}' cannot be made at {path}: {reason}")]
    Tempdb {
        /// Logical name.
        name: String,
        /// Where.
        path: PathBuf,
        /// Why.
        reason: FileProblem,
    },
    /// The first pages of tempdb did not find room in memory.
    #[error(transparent)]
    Maps(#[from] MapError),
    /// The system gave no random numbers for the server's identity.
    #[error(transparent)]
    NoChance(#[from] millpond_device::chance::NoChance),
}

/// What is wrong with one file.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    /// It is not there.
    #[error("the file is missing")]
    Missing,
    /// It is there already, and there is no instance that it could belong to.
    #[error("the file exists, but the directory has no instance.toml; it is not overwritten")]
    Unexpected,
    /// Its directory does not exist.
    #[error("the directory does not exist")]
    NoDirectory,
    /// It is not ours.
    #[error("the file was not made by this server; it is not overwritten")]
    Foreign,
    /// It belongs to another instance, database or place.
    #[error("the file belongs to another instance or database")]
    Misplaced,
    /// Another process has it.
    #[error("the file is in use by another process")]
    InUse,
    /// A newer program wrote it.
    #[error("its format is {found}; this program reads formats up to {FORMAT}")]
    Newer {
        /// Its format.
        found: u32,
    },
    /// It is shorter than it was.
    #[error("the file is damaged: it has {found} pages and should have {expected}")]
    Truncated {
        /// Pages.
        found: u32,
        /// As its header says.
        expected: u32,
    },
    /// A page is not what was written.
    #[error("the file is damaged: {0}")]
    Damaged(MapDamage),
    /// The log cannot be used.
    #[error(transparent)]
    Log(#[from] LogOpenError),
    /// The log could not be done again.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
    /// A growth that a crash interrupted could not be completed.
    #[error(transparent)]
    Maps(#[from] MapError),
    /// The system gave no random numbers for its identity.
    #[error("{0}")]
    Chance(String),
    /// The system refused.
    #[error(transparent)]
    Device(DeviceError),
}

/// A file that could not be made or opened.
#[derive(Debug)]
pub struct FileFailure {
    /// Where it lies or should lie.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: FileProblem,
}

impl From<FileFailure> for OpenError {
    fn from(failure: FileFailure) -> OpenError {
        OpenError::File { path: failure.path, reason: failure.reason }
    }
}

impl From<HeaderError> for FileProblem {
    fn from(error: HeaderError) -> FileProblem {
        match error {
            HeaderError::Foreign => FileProblem::Foreign,
            HeaderError::Newer { found } => FileProblem::Newer { found },
            HeaderError::Damaged(damage) => FileProblem::Damaged(damage.into()),
            HeaderError::Device(error) => FileProblem::Device(error),
        }
    }
}

impl From<MapDamage> for FileProblem {
    fn from(damage: MapDamage) -> FileProblem {
        FileProblem::Damaged(damage)
    }
}

impl From<DeviceError> for FileProblem {
    fn from(error: DeviceError) -> FileProblem {
        FileProblem::Device(error)
    }
}

/// An error of the system about opening a file, in our words where we have them.
#[must_use]
pub fn problem_of_opening(error: DeviceError) -> FileProblem {
    match &error {
        DeviceError::System { source, .. } if source.kind() == std::io::ErrorKind::NotFound => FileProblem::Missing,
        DeviceError::System { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists => {
            FileProblem::Unexpected
        }
        _ => FileProblem::Device(error),
    }
}
