//! Puts storage, transactions and engine together, once, from a configuration or for use inside a process.
//!
//! What always holds: an engine that is given out is whole. Without a data directory everything lies in memory, and
//! tempdb overflows into unlinked scratch files: pages reach them only when memory is short, and no statement fails
//! while the disk has space.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{FileSystem, SystemClock, machine};
use millpond_engine::engine::Engine;
use millpond_storage::Folders;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{PAGE_BYTES, SessionId};
use millpond_storage::file::tier::Tier;
use millpond_storage::instance::{Instance, InstanceConfig, OpenError};
use millpond_storage::settings::tempdb::{DeviceKind, GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_storage::wal::checkpoint::CheckpointError;
use millpond_txn::TxnManager;

use crate::config::Config;
use millpond_txn::cleaner;

/// Growth of scratch files: 256 MB, since only large tables get there.
const SCRATCH_GROWTH_PAGES: u32 = 32_768;

/// Where the address space of the process is limited, the least that a server works with: the allocator takes 1 GB of it at
/// once, threads 64 MB each, and the pool half of what is left. Measured by what `tests/it/memory.rs` of the binary runs.
const ADDRESS_SPACE_MIN_BYTES: u64 = 3 << 30;

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// Storage does not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The process may take too little address space to work with (RLIMIT_AS).
    #[error(
        "the address space of this process is limited to {} MB; {} MB are needed. Raise the limit, or take it away \
         (ulimit -v unlimited)", .limit_bytes >> 20, .needed_bytes >> 20
    )]
    AddressSpace {
        /// The limit.
        limit_bytes: u64,
        /// The least limit.
        needed_bytes: u64,
    },
}

fn check_address_space() -> Result<(), AssembleError> {
    match machine::address_space_bytes() {
        Some(limit_bytes) if limit_bytes < ADDRESS_SPACE_MIN_BYTES => {
            Err(AssembleError::AddressSpace { limit_bytes, needed_bytes: ADDRESS_SPACE_MIN_BYTES })
        }
        _ => Ok(()),
    }
}

/// Opens the engine of a configuration.
///
/// # Errors
/// [`AssembleError`].
pub fn open(config: &Config) -> Result<Arc<Engine>, AssembleError> {
    check_address_space()?;
    let server = &config.server;
    let wanted_bytes = match server.max_server_memory_mb {
        0 => None,
        megabytes => Some(megabytes << 20),
    };
    let ground = ground(config);
    if server.data_dir.is_none() {
        return Ok(in_memory(wanted_bytes, config.tempdb.to_storage(), &ground)?);
    }
    Ok(open_instance(InstanceConfig { max_memory_bytes: wanted_bytes, tempdb: config.tempdb.to_storage(), ..ground })?)
}

/// Directory, eviction policy, clock and media: the system's, or those of the configuration's devices.
fn ground(config: &Config) -> InstanceConfig {
    let hierarchy = config.hierarchy();
    // Paths of files are shown as they are, and come back in ATTACH and RESTORE: one that begins here would begin here twice.
    let dir = config.server.data_dir.as_ref().map(|dir| std::path::absolute(dir).unwrap_or_else(|_| dir.clone()));
    let server = &config.server;
    let own = |instance| InstanceConfig {
        eviction: server.eviction_policy,
        folders: Folders {
            data: server.default_data_dir.clone(),
            log: server.default_log_dir.clone(),
            backup: server.default_backup_dir.clone(),
        },
        collation: server.collation.clone(),
        ..instance
    };
    if hierarchy.is_empty() {
        return own(InstanceConfig::new(dir, Arc::new(SystemClock::new())));
    }
    let clock = hierarchy.clock();
    let media = hierarchy.media(Arc::new(FileSystem), dir.as_deref(), &clock);
    own(InstanceConfig { media: Arc::new(media), ..InstanceConfig::new(dir, clock) })
}

/// Opens an engine for this process alone, without a network: in `data_dir`, or in memory.
///
/// # Errors
/// [`AssembleError`].
pub fn embedded(data_dir: Option<PathBuf>) -> Result<Arc<Engine>, AssembleError> {
    let mut config = Config::default();
    config.server.data_dir = data_dir;
    open(&config)
}

fn in_memory(
    wanted_bytes: Option<u64>,
    tempdb: Option<TempdbConfig>,
    ground: &InstanceConfig,
) -> Result<Arc<Engine>, OpenError> {
    let config = |tempdb| InstanceConfig { max_memory_bytes: wanted_bytes, tempdb: Some(tempdb), ..ground.clone() };
    if let Some(tempdb) = tempdb {
        return open_instance(config(tempdb));
    }
    if let Some(scratch) = Scratch::new()
        && let Ok(engine) = open_instance(config(tempdb_over(&scratch.0)))
    {
        return Ok(engine);
    }
    // No disk to overflow to: a bound on memory instead, so that 1105 comes before the end of memory.
    let machine_bytes = machine::memory_total_bytes();
    let pool_bytes = machine_bytes / 4;
    open_instance(InstanceConfig {
        max_memory_bytes: Some(wanted_bytes.map_or(pool_bytes, |wanted| wanted.min(pool_bytes))),
        ..config(tempdb_in_memory(machine_bytes / 2))
    })
}

/// A directory for overflow files that no other program sees. Its files lose their names with it, so the system frees
/// them with the process, however that ends.
struct Scratch(PathBuf);

impl Scratch {
    /// In `/var/tmp` where there is one, because `/tmp` is often memory.
    fn new() -> Option<Scratch> {
        let base = Some(PathBuf::from("/var/tmp")).filter(|dir| dir.is_dir()).unwrap_or_else(std::env::temp_dir);
        let mut chance = [0; 8];
        getrandom::fill(&mut chance).ok()?;
        let name = format!("millpond-{}-{:016x}", std::process::id(), u64::from_le_bytes(chance));
        let path = base.join(name);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).ok()?;
        Some(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is an empty folder or a file that the next clean-up of the system takes.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Small files in memory as the law wants them, then one data and one log file in `dir` that grow.
fn tempdb_over(dir: &Path) -> TempdbConfig {
    let fixed = |name, log| TempFileConfig {
        device: DeviceKind::Ram,
        growth: GrowthConfig::Pages(0),
        ..TempFileConfig::new(name, log)
    };
    let overflow = |name: &str, log| TempFileConfig {
        path: Some(dir.join(name)),
        growth: GrowthConfig::Pages(SCRATCH_GROWTH_PAGES),
        tier: Tier::LAST,
        ..TempFileConfig::new(name, log)
    };
    let files =
        [fixed("tempdev", false), fixed("templog", true), overflow("tempaug", false), overflow("templog2", true)];
    TempdbConfig { files: files.into() }
}

/// One data file and one log file: more files do not help when maps are not contended and there is one medium.
fn tempdb_in_memory(max_bytes: u64) -> TempdbConfig {
    let pages = u32::try_from(max_bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX / 2);
    let mut files = [TempFileConfig::new("tempdev", false), TempFileConfig::new("templog", true)];
    for (file, share) in files.iter_mut().zip([1, 4]) {
        file.max_pages = Some((pages / share).max(file.size_pages));
    }
    TempdbConfig { files: files.into() }
}

fn open_instance(config: InstanceConfig) -> Result<Arc<Engine>, OpenError> {
    Ok(millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config)?)))
}

/// Makes durable what is to outlive the process. The files close with the last reference to the engine.
///
/// # Errors
/// [`CheckpointError`] of the first database that failed.
pub fn close(engine: &Engine) -> Result<(), CheckpointError> {
    let (task, uncharged) = (Task::new(SessionId(0)), IoCount::default());
    let (instance, ask) = (engine.instance(), Ask::new(&task, &uncharged));
    cleaner::settle_values(engine.txns(), &ask, None);
    // Where a mark cannot be lowered some numbers are left out, as after a crash.
    let _ = millpond_engine::draw::release(engine.databases());
    engine.databases().flush_query_stores();
    instance.shutdown(&ask, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_memory_tempdb_overflows_to_files_without_a_name() {
        let scratch = Scratch::new().expect("a folder for temporary files");
        let path = scratch.0.clone();
        let engine = open_instance(InstanceConfig {
            max_memory_bytes: Some(16 << 20),
            tempdb: Some(tempdb_over(&path)),
            ..InstanceConfig::new(None, Arc::new(SystemClock::new()))
        })
        .unwrap();
        drop(scratch);
        assert!(!path.exists());
        let files = engine.instance().files(millpond_storage::contract::DbId::TEMPDB);
        assert_eq!(files.iter().filter(|file| file.tier.is_last() && !file.is_ram).count(), 2);
    }

    #[test]
    fn tempdb_in_memory_has_bounds() {
        let files = tempdb_in_memory(1 << 30).files;
        assert_eq!(files[0].max_pages, Some(131_072));
        assert_eq!(files[1].max_pages, Some(32_768));
        let small = tempdb_in_memory(1).files;
        assert!(small.iter().all(|file| file.max_pages == Some(file.size_pages)));
    }
}
