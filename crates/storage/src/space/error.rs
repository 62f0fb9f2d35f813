//! Why no space was given, and why a file did not grow.

use millpond_device::DeviceError;

use crate::contract::DbId;
use crate::pool::PoolError;
use crate::space::map_pages::MapError;
use crate::wal::LogError;

/// Why no space was given.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SpaceError {
    /// No file has room and none may or can grow (1105).
    #[error("the '{filegroup}' filegroup of database {db} is full")]
    Full {
        /// Database.
        db: DbId,
        /// Filegroup.
        filegroup: &'static str,
    },
    /// A map page could not be had.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The change of a map page could not be logged (9002, 9001).
    #[error(transparent)]
    Log(#[from] LogError),
}

impl From<MapError> for SpaceError {
    fn from(error: MapError) -> SpaceError {
        match error {
            MapError::Pool(error) => SpaceError::Pool(error),
            MapError::Log(error) => SpaceError::Log(error),
        }
    }
}

/// Why a file did not grow.
#[derive(Debug, thiserror::Error)]
pub enum GrowthError {
    /// The medium refused (5149).
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The maps of the new space could not be made.
    #[error(transparent)]
    Maps(#[from] MapError),
}
