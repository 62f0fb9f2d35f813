//! Puts storage, transactions and engine together, once, from a configuration or for use inside a process.
//!
//! What always holds: an engine that is given out is whole. In memory, pages and the files of tempdb share half and a
//! quarter of the machine, so that a statement meets error 1105 before the process meets the end of memory.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_device::{SystemClock, machine};
use millpond_query::engine::Engine;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{PAGE_BYTES, SessionId};
use millpond_storage::instance::{Instance, InstanceConfig, OpenError};
use millpond_storage::pool::PoolError;
use millpond_storage::tempdb_files::{TempFileConfig, TempdbConfig};
use millpond_txn::TxnManager;

use crate::config::Config;

/// Opens the engine of a configuration.
///
/// # Errors
/// [`OpenError`].
pub fn open(config: &Config) -> Result<Arc<Engine>, OpenError> {
    let server = &config.server;
    let wanted_bytes = match server.max_server_memory_mb {
        0 => None,
        megabytes => Some(megabytes << 20),
    };
    if server.data_dir.is_none() {
        return in_memory(wanted_bytes, config.tempdb.to_storage());
    }
    open_instance(InstanceConfig {
        data_dir: server.data_dir.clone(),
        max_memory_bytes: wanted_bytes,
        tempdb: config.tempdb.to_storage(),
        clock: Arc::new(SystemClock::new()),
    })
}

/// Opens an engine for this process alone, without a network: in `data_dir`, or in memory.
///
/// # Errors
/// [`OpenError`].
pub fn embedded(data_dir: Option<PathBuf>) -> Result<Arc<Engine>, OpenError> {
    let mut config = Config::default();
    config.server.data_dir = data_dir;
    open(&config)
}

fn in_memory(wanted_bytes: Option<u64>, tempdb: Option<TempdbConfig>) -> Result<Arc<Engine>, OpenError> {
    let machine_bytes = machine::memory_total_bytes();
    let pool_bytes = machine_bytes / 4;
    open_instance(InstanceConfig {
        data_dir: None,
        max_memory_bytes: Some(wanted_bytes.map_or(pool_bytes, |wanted| wanted.min(pool_bytes))),
        tempdb: Some(tempdb.unwrap_or_else(|| tempdb_in_memory(machine_bytes / 2))),
        clock: Arc::new(SystemClock::new()),
    })
}

/// One data file and one log file: more files help nobody when maps are not contended and there is one medium.
fn tempdb_in_memory(max_bytes: u64) -> TempdbConfig {
    let pages = u32::try_from(max_bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX / 2);
    let mut files = [TempFileConfig::new("tempdev", false), TempFileConfig::new("templog", true)];
    for (file, share) in files.iter_mut().zip([1, 4]) {
        file.max_pages = Some((pages / share).max(file.size_pages));
    }
    TempdbConfig { files: files.into() }
}

fn open_instance(config: InstanceConfig) -> Result<Arc<Engine>, OpenError> {
    Ok(Engine::new(TxnManager::new(Instance::open(config)?)))
}

/// Makes durable what is to outlive the process. The files close with the last reference to the engine.
///
/// # Errors
/// [`PoolError`] of the first database that failed.
pub fn close(engine: &Engine) -> Result<(), PoolError> {
    let (task, nobody) = (Task::new(SessionId(0)), IoCount::default());
    let instance = engine.instance();
    instance.shutdown(&Ask::new(&task, &nobody), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tempdb_in_memory_has_bounds() {
        let files = tempdb_in_memory(1 << 30).files;
        assert_eq!(files[0].max_pages, Some(131_072));
        assert_eq!(files[1].max_pages, Some(32_768));
        let small = tempdb_in_memory(1).files;
        assert!(small.iter().all(|file| file.max_pages == Some(file.size_pages)));
    }
}
