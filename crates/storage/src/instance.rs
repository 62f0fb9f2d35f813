//! The storage of one server, assembled: databases, files, pool, waits, log of tempdb, settings.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_device::Clock;

use crate::contract::DbId;
use crate::pool::Pool;
use crate::space::SpaceManager;
use crate::undo_log::UndoLog;
use crate::wait::WaitStats;

/// What an instance is opened with.
#[derive(Clone, Debug)]
pub struct InstanceConfig {
    /// Where the databases live; `None`: all in memory, gone with the instance.
    pub data_dir: Option<PathBuf>,
    /// Upper bound of memory, whatever `max server memory` says.
    pub max_memory_bytes: Option<u64>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// Why an instance could not be opened; nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has the directory open.
    #[error("the data directory is in use")]
    InUse,
}

/// An open instance.
#[derive(Debug)]
pub struct Instance {}

impl Instance {
    /// Opens the instance of a data directory; creates it at the first start.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(config: InstanceConfig) -> Result<Arc<Instance>, OpenError> {
        let _ = config;
        todo!()
    }

    /// The buffer pool.
    #[must_use]
    pub fn pool(&self) -> &Arc<Pool> {
        todo!()
    }

    /// Waits of all tasks.
    #[must_use]
    pub fn waits(&self) -> &Arc<WaitStats> {
        todo!()
    }

    /// Space of a database.
    ///
    /// # Panics
    /// When there is no such database.
    #[must_use]
    pub fn space(&self, db: DbId) -> &Arc<SpaceManager> {
        let _ = db;
        todo!()
    }

    /// Log of tempdb.
    #[must_use]
    pub fn undo_log(&self) -> &Arc<UndoLog> {
        todo!()
    }

    /// Time.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        todo!()
    }
}
