//! A tempdb of one's own, for programs that are no SQL server.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_access::Ctx;
use millpond_device::SystemClock;
use millpond_storage::ask::Task;
use millpond_storage::contract::{DbId, PAGE_BYTES};
use millpond_storage::file::tier::Tier;
use millpond_storage::instance::{Instance, InstanceConfig, OpenError};
use millpond_storage::settings::tempdb::{DeviceKind, GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_storage::space::Owner;

use crate::space::{SpillAccount, SpillSpace};

/// Pages by which files grow: 64 MB.
const GROWTH_PAGES: u32 = (64 << 20) / PAGE_BYTES as u32;

/// A file of a tempdb.
#[derive(Clone, Debug)]
pub enum TempFile {
    /// Memory beside the pages that are in use: where nothing is ever to be written to a disk.
    Ram {
        /// It grows no further.
        max_bytes: u64,
    },
    /// A file.
    Path {
        /// Where.
        path: PathBuf,
        /// It grows no further; `None`: until the disk is full.
        max_bytes: Option<u64>,
    },
}

/// What a tempdb is opened with.
#[derive(Clone, Debug)]
pub struct SpillConfig {
    /// Pages in memory: what is spilled leaves it only when it is full.
    pub memory_bytes: u64,
    /// Where pages go that leave memory: those of memory first, then the others, equally.
    pub files: Vec<TempFile>,
}

/// A tempdb.
#[derive(Debug)]
pub struct SpillTempdb {
    instance: Arc<Instance>,
}

impl SpillTempdb {
    /// Opens it; what its files held before is gone.
    ///
    /// # Errors
    /// [`OpenError`]: a file cannot be made.
    pub fn open(config: SpillConfig) -> Result<SpillTempdb, OpenError> {
        let files = config.files.iter().enumerate().map(|(at, file)| file.config(at));
        let log = TempFileConfig { device: DeviceKind::Ram, ..TempFileConfig::new("templog", true) };
        let instance = Instance::open(InstanceConfig {
            max_memory_bytes: Some(config.memory_bytes),
            tempdb: Some(TempdbConfig { files: files.chain([log]).collect() }),
            ..InstanceConfig::new(None, Arc::new(SystemClock::new()))
        })?;
        Ok(SpillTempdb { instance })
    }

    /// Space for one query.
    #[must_use]
    pub fn space(&self) -> Arc<SpillSpace> {
        let ctx = Ctx {
            db: DbId::TEMPDB,
            pool: Arc::clone(self.instance.pool()),
            space: Arc::clone(self.instance.tempdb_space()),
            owner: Owner::Internal,
            usage: Arc::default(),
        };
        SpillSpace::new(ctx, Arc::new(Task::default()), Arc::new(SpillAccount::default()))
    }

    /// What lies under it: reports of files, waits and space.
    #[must_use]
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }
}

impl TempFile {
    fn config(&self, at: usize) -> TempFileConfig {
        let pages = |bytes: u64| u32::try_from(bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        let base = TempFileConfig {
            growth: GrowthConfig::Pages(GROWTH_PAGES),
            ..TempFileConfig::new(&format!("temp{at}"), false)
        };
        match self {
            TempFile::Ram { max_bytes } => TempFileConfig {
                device: DeviceKind::Ram,
                max_pages: Some(pages(*max_bytes)),
                tier: Tier::FIRST,
                ..base
            },
            TempFile::Path { path, max_bytes } => {
                TempFileConfig { path: Some(path.clone()), max_pages: max_bytes.map(pages), tier: Tier::SECOND, ..base }
            }
        }
    }
}
