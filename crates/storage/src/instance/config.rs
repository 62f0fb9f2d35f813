//! What an instance is opened with, and how much memory that gives it.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_device::{Clock, FileSystem, Media, SystemClock, machine};

use crate::pool::EvictionPolicy;
use crate::services::Folders;
use crate::settings::Settings;
use crate::settings::options::OptionId;
use crate::settings::tempdb::{DeviceKind, TempFileConfig, TempdbConfig};

/// What an instance is opened with.
#[derive(Clone, Debug)]
pub struct InstanceConfig {
    /// Where the databases live; `None`: all in memory, gone with the instance.
    pub data_dir: Option<PathBuf>,
    /// Where files lie whose place no statement says; each is the data directory where it is `None`.
    pub folders: Folders,
    /// The server's collation, which its system databases get when they are made, and new databases from model; empty: the
    /// default. A later start has that of master.
    pub collation: String,
    /// Upper bound of memory, whatever `max server memory` says.
    pub max_memory_bytes: Option<u64>,
    /// Files of tempdb. They hold until ALTER DATABASE changes them, and again when the configuration is edited.
    /// `None`: as they are stored, or SQL Server's defaults.
    pub tempdb: Option<TempdbConfig>,
    /// Which pages leave memory when it is needed for others.
    pub eviction: EvictionPolicy,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where files come from.
    pub media: Arc<dyn Media>,
}

impl InstanceConfig {
    /// An instance on the system's files, or in memory without a directory; memory, tempdb as the server decides.
    #[must_use]
    pub fn new(data_dir: Option<PathBuf>, clock: Arc<dyn Clock>) -> InstanceConfig {
        InstanceConfig {
            data_dir,
            folders: Folders::default(),
            collation: String::new(),
            max_memory_bytes: None,
            tempdb: None,
            eviction: EvictionPolicy::default(),
            clock,
            media: Arc::new(FileSystem),
        }
    }

    /// A small instance for tests of what lies under it: its databases are on `media`, one data file and the log of tempdb
    /// in memory, the clock is the system's.
    #[must_use]
    pub fn over(media: Arc<dyn Media>, max_memory_bytes: u64) -> InstanceConfig {
        let in_memory = |name, is_log| TempFileConfig { device: DeviceKind::Ram, ..TempFileConfig::new(name, is_log) };
        let files = vec![in_memory("tempdev", false), in_memory("templog", true)];
        InstanceConfig {
            max_memory_bytes: Some(max_memory_bytes),
            tempdb: Some(TempdbConfig { files }),
            media,
            ..InstanceConfig::new(Some("/ram".into()), Arc::new(SystemClock::new()))
        }
    }
}

/// The share of the machine's memory that the pool may have when no limit is set: three quarters.
fn default_memory_bytes() -> u64 {
    machine::memory_total_bytes() / 4 * 3
}

/// Memory that the pool may have.
pub(crate) fn memory_bytes(settings: &Settings, limit: Option<u64>) -> u64 {
    let option = OptionId::MaxServerMemoryMb;
    let wanted = match settings.running(option) {
        value if value == option.info().default => default_memory_bytes(),
        megabytes => u64::try_from(megabytes).unwrap_or(0) << 20,
    };
    limit.map_or(wanted, |limit| wanted.min(limit))
}
