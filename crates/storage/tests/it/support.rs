//! What the stories share: instances with small memory, tempdb files by name, directories that can be compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, ExtentId, SessionId};
use millpond_storage::file::growth::PAGES_PER_MB;
use millpond_storage::instance::file_report::FileReport;
use millpond_storage::instance::{Instance, InstanceConfig, OpenError};
use millpond_storage::settings::tempdb::{DeviceKind, GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_storage::space::{Owner, SpaceError};

pub const TEMPDB: DbId = DbId::TEMPDB;
pub const MB: u32 = PAGES_PER_MB;

pub fn config(dir: Option<&Path>) -> InstanceConfig {
    InstanceConfig {
        max_memory_bytes: Some(32 << 20),
        ..InstanceConfig::new(dir.map(Path::to_path_buf), Arc::new(SystemClock::new()))
    }
}

pub fn open(dir: &Path) -> Result<Arc<Instance>, OpenError> {
    Instance::open(config(Some(dir)))
}

/// One data file, one log file, and what `others` adds.
pub fn tempdb(others: Vec<TempFileConfig>) -> TempdbConfig {
    let files = [TempFileConfig::new("tempdev", false), TempFileConfig::new("templog", true)];
    TempdbConfig { files: files.into_iter().chain(others).collect() }
}

/// A data file of 1 MB without growth.
pub fn small(name: &str) -> TempFileConfig {
    TempFileConfig { size_pages: MB, growth: GrowthConfig::Pages(0), ..TempFileConfig::new(name, false) }
}

pub fn ram(file: TempFileConfig) -> TempFileConfig {
    TempFileConfig { device: DeviceKind::Ram, ..file }
}

pub fn at(path: impl Into<PathBuf>, file: TempFileConfig) -> TempFileConfig {
    TempFileConfig { path: Some(path.into()), ..file }
}

/// A session's worth of an asker.
pub struct Session {
    pub task: Task,
    pub io: IoCount,
}

impl Session {
    pub fn new() -> Session {
        Session { task: Task::new(SessionId(51)), io: IoCount::default() }
    }

    pub fn ask(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.io)
    }
}

pub fn allocate(instance: &Instance, session: &Session, count: usize) -> Result<Vec<ExtentId>, SpaceError> {
    let mut extents = Vec::new();
    while extents.len() < count {
        let wanted = (count - extents.len()).min(8) as u32;
        let (space, pool) = (instance.tempdb_space(), instance.pool());
        let got = space.allocate_extents(&session.ask(), pool, Owner::User, wanted, &mut extents);
        if let Err(error) = got {
            free(instance, session, &extents);
            return Err(error);
        }
    }
    Ok(extents)
}

pub fn free(instance: &Instance, session: &Session, extents: &[ExtentId]) {
    let (space, pool) = (instance.tempdb_space(), instance.pool());
    space.free_extents(&session.ask(), pool, Owner::User, extents).unwrap();
}

pub fn file(instance: &Instance, name: &str) -> FileReport {
    instance.files(TEMPDB).into_iter().find(|f| f.name == name).expect(name)
}

/// All files of a directory with their bytes, but for the lock.
pub fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let files = entries.filter(|p| p.is_file() && !p.ends_with("millpond.lock"));
    files.map(|p| (p.clone(), std::fs::read(p).unwrap())).collect()
}
