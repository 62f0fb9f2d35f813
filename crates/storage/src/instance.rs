//! The storage of one server, assembled: databases, files, pool, waits, log of tempdb, settings.
//!
//! ```text
//!   Instance ──▶ settings        instance.toml, options
//!            ──▶ volume ──▶ files ──▶ devices
//!            ──▶ pool   ──▶ volume (as PageIo)          its lazy writer runs as long as the instance
//!            ──▶ space of each database ──▶ map pages in the pool
//!            ──▶ undo log ──▶ log files of tempdb
//! ```
//!
//! What always holds: an instance is whole or it is an [`OpenError`]; checks come before changes, so a refusal changes no
//! existing file. The directory is locked as long as the instance lives. It knows databases by number, and the names of
//! the four that every server has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{Clock, WallTime, chance, machine};
use parking_lot::Mutex;

use crate::ask::{Ask, IoCount, Task};
use crate::contract::{DbId, FileId, SessionId, WriteReason};
use crate::file::StorageFile;
use crate::file_header::FileKind;
use crate::file_report::FileReport;
use crate::log_file::LogFile;
use crate::options::OptionId;
use crate::pool::{Durability, Pool, PoolConfig, PoolError, PoolReport};
use crate::settings::{self, DirectoryLock, InstanceState, ReconfigureError, Settings, SettingsError, Stored};
use crate::space::{FileSpaceReport, SpaceManager};
use crate::space_state::SpaceState;
use crate::system_databases::{self, SYSTEM_DATABASES};
use crate::tempdb_create;
use crate::tempdb_files::{TempdbConfig, check_files, number_files};
use crate::undo_log::{LogMedium, LogReport, UndoLog};
use crate::volume::Volume;
use crate::wait::{WaitReport, WaitStats};

pub use crate::map_init::MapDamage;
pub use crate::open_error::{FileProblem, OpenError};

/// What an instance is opened with.
#[derive(Clone, Debug)]
pub struct InstanceConfig {
    /// Where the databases live; `None`: all in memory, gone with the instance.
    pub data_dir: Option<PathBuf>,
    /// Upper bound of memory, whatever `max server memory` says.
    pub max_memory_bytes: Option<u64>,
    /// Files of tempdb. They hold until ALTER DATABASE changes them, and again when the configuration is edited.
    /// `None`: as they are stored, or SQL Server's defaults.
    pub tempdb: Option<TempdbConfig>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// A database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseReport {
    /// Number.
    pub id: DbId,
    /// Name.
    pub name: &'static str,
    /// When it was made, microseconds since 1970 UTC; tempdb: at the last start.
    pub created_utc_us: i64,
}

/// Everything that storage counts, at one moment.
#[derive(Debug)]
pub struct StorageReport {
    /// The pool.
    pub pool: PoolReport,
    /// Waits by type.
    pub waits: Vec<WaitReport>,
    /// Files of all databases.
    pub files: Vec<FileReport>,
    /// Space of all databases.
    pub space: Vec<(DbId, Vec<FileSpaceReport>)>,
    /// Log of tempdb.
    pub log: LogReport,
}

/// An open instance.
#[derive(Debug)]
pub struct Instance {
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) volume: Arc<Volume>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) undo_log: Arc<UndoLog>,
    pub(crate) settings: Settings,
    /// Held while files are added, changed or removed.
    pub(crate) altering: Mutex<()>,
    spaces: BTreeMap<DbId, Arc<SpaceManager>>,
    waits: Arc<WaitStats>,
    clock: Arc<dyn Clock>,
    max_memory_bytes: Option<u64>,
    start_time: WallTime,
    _lock: Option<DirectoryLock>,
}

/// The share of the machine's memory that the pool may have when nobody says: three quarters.
fn default_memory_bytes() -> u64 {
    machine::memory_total_bytes() / 4 * 3
}

fn memory_bytes(settings: &Settings, limit: Option<u64>) -> u64 {
    let option = OptionId::MaxServerMemoryMb;
    let wanted = match settings.running(option) {
        value if value == option.info().default => default_memory_bytes(),
        megabytes => u64::try_from(megabytes).unwrap_or(0) << 20,
    };
    limit.map_or(wanted, |limit| wanted.min(limit))
}

fn take_directory(dir: &Path) -> Result<DirectoryLock, SettingsError> {
    std::fs::create_dir_all(dir).map_err(|source| SettingsError::System {
        doing: "cannot create",
        path: dir.to_path_buf(),
        source,
    })?;
    DirectoryLock::take(dir)
}

/// Settles which files tempdb gets: those of the configuration when it is new or was edited, else the stored ones, else
/// the defaults. Says whether the stored list changed.
fn settle_tempdb(stored: &mut Stored, config: &InstanceConfig) -> Result<bool, OpenError> {
    let keeps_stored = match &config.tempdb {
        Some(config) => stored.is_seeded_by(config),
        None => !stored.tempdb.is_empty(),
    };
    if keeps_stored {
        check_files(&stored.tempdb)?;
        return Ok(false);
    }
    let default = || TempdbConfig::default_for(machine::processors());
    let wanted = config.tempdb.clone().unwrap_or_else(default);
    let files = number_files(&wanted, config.data_dir.is_none())?;
    stored.seed(&wanted, files);
    Ok(true)
}

/// The files of master, model and msdb: opened and checked, or made at the first start. `was_stored`: an earlier start
/// came so far that it stored its settings.
fn durable_files(
    ask: &Ask<'_>,
    dir: Option<&Path>,
    stored: &mut Stored,
    was_stored: bool,
) -> Result<Vec<Arc<StorageFile>>, OpenError> {
    let server_guid = stored.server_guid().expect("checked when it was read, or new");
    let Some(dir) = dir else { return system_databases::create(ask, None, server_guid) };
    if stored.state == InstanceState::Ready {
        return system_databases::open(dir, server_guid);
    }
    if !was_stored {
        system_databases::refuse_existing(dir)?;
        settings::store(dir, stored, false)?;
    }
    let files = system_databases::create(ask, Some(dir), server_guid)?;
    stored.state = InstanceState::Ready;
    settings::store(dir, stored, true)?;
    Ok(files)
}

impl Instance {
    /// Opens the instance of a data directory; creates it at the first start.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(config: InstanceConfig) -> Result<Arc<Instance>, OpenError> {
        let (task, io) = (Task::new(SessionId(0)), IoCount::default());
        let ask = Ask::new(&task, &io);
        let dir = config.data_dir.as_deref();
        let lock = dir.map(take_directory).transpose()?;
        let found = dir.map(settings::load).transpose()?.flatten();
        let was_stored = found.is_some();
        let mut stored = match found {
            Some(stored) => stored,
            None => Stored::new(chance::guid()?, config.clock.wall().utc_us),
        };
        let is_changed = settle_tempdb(&mut stored, &config)?;
        let prepare = |spec| tempdb_create::prepare(dir, spec, true);
        let prepared = stored.tempdb.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
        let was_ready = stored.state == InstanceState::Ready;
        let durable = durable_files(&ask, dir, &mut stored, was_stored)?;
        let data_files = durable.iter().filter(|file| file.kind() == FileKind::Data);
        let spaces = data_files.map(system_databases::read_space).collect::<Result<Vec<_>, _>>()?;
        // From here on files that exist change.
        durable.iter().try_for_each(|file| system_databases::cut_unfinished_growth(file))?;
        if let (Some(dir), true, true) = (dir, was_ready, is_changed) {
            settings::store(dir, &stored, true)?;
        }
        let server_guid = stored.server_guid().expect("checked when it was read, or new");
        let make = |prepared| tempdb_create::make(&ask, prepared, server_guid);
        let tempdb = prepared.into_iter().map(make).collect::<Result<Vec<_>, _>>()?;
        durable.iter().for_each(|file| file.device().pass_cache());
        let settings = Settings::new(config.data_dir.clone(), stored);
        Instance::assemble(&ask, config, settings, lock, durable, spaces, tempdb)
    }

    /// Puts the opened parts together.
    fn assemble(
        ask: &Ask<'_>,
        config: InstanceConfig,
        settings: Settings,
        lock: Option<DirectoryLock>,
        durable: Vec<Arc<StorageFile>>,
        durable_spaces: Vec<SpaceState>,
        tempdb: Vec<Arc<StorageFile>>,
    ) -> Result<Arc<Instance>, OpenError> {
        let waits = Arc::new(WaitStats::new(config.clock.clone()));
        let volume = Arc::new(Volume::default());
        durable.iter().chain(&tempdb).for_each(|file| volume.add(file.clone()));
        let max_bytes = memory_bytes(&settings, config.max_memory_bytes);
        let pool = Pool::new(PoolConfig { max_bytes, clock: config.clock.clone() }, volume.clone(), waits.clone());
        for file in durable.iter().filter(|file| file.kind() == FileKind::Data) {
            pool.attach_file(file.db(), file.id(), Durability::Durable);
        }
        let mut spaces = BTreeMap::new();
        for state in durable_spaces {
            let db = state.db();
            spaces.insert(db, Arc::new(SpaceManager::new(state, db, false, waits.clone())));
        }
        let space = Arc::new(SpaceManager::new(SpaceState::new(DbId::TEMPDB), DbId::TEMPDB, true, waits.clone()));
        for file in tempdb.iter().filter(|file| file.kind() == FileKind::Data) {
            tempdb_create::attach(ask, &pool, file)?;
            space.add_file(file);
        }
        space.set_forward_only_search(settings.is_on(OptionId::TempdbForwardOnlySearch));
        spaces.insert(DbId::TEMPDB, space);
        let undo_log = Arc::new(UndoLog::new(log_media(&tempdb), waits.clone()));
        Ok(Arc::new(Instance {
            data_dir: config.data_dir,
            volume,
            pool,
            undo_log,
            settings,
            altering: Mutex::default(),
            spaces,
            waits,
            start_time: config.clock.wall(),
            clock: config.clock,
            max_memory_bytes: config.max_memory_bytes,
            _lock: lock,
        }))
    }

    /// The buffer pool.
    #[must_use]
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Waits of all tasks.
    #[must_use]
    pub fn waits(&self) -> &Arc<WaitStats> {
        &self.waits
    }

    /// Space of a database.
    ///
    /// # Panics
    /// When there is no such database.
    #[must_use]
    pub fn space(&self, db: DbId) -> &Arc<SpaceManager> {
        self.spaces.get(&db).expect("databases are opened with the instance")
    }

    /// Log of tempdb.
    #[must_use]
    pub fn undo_log(&self) -> &Arc<UndoLog> {
        &self.undo_log
    }

    /// Time.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Settings and options.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The data directory; `None`: all in memory.
    #[must_use]
    pub fn data_dir(&self) -> Option<&Path> {
        self.data_dir.as_deref()
    }

    /// When the instance was opened.
    #[must_use]
    pub fn start_time(&self) -> WallTime {
        self.start_time
    }

    /// RECONFIGURE: installs, stores and acts on the configured options.
    ///
    /// # Errors
    /// [`ReconfigureError`].
    pub fn reconfigure(&self, with_override: bool) -> Result<(), ReconfigureError> {
        let before = self.memory_max_bytes();
        let result = self.settings.reconfigure(with_override);
        if self.memory_max_bytes() != before {
            self.pool.set_max_bytes(self.memory_max_bytes());
        }
        self.space(DbId::TEMPDB).set_forward_only_search(self.settings.is_on(OptionId::TempdbForwardOnlySearch));
        result
    }

    /// Memory that the pool may have.
    #[must_use]
    pub fn memory_max_bytes(&self) -> u64 {
        memory_bytes(&self.settings, self.max_memory_bytes)
    }

    /// All databases in order of their number.
    #[must_use]
    pub fn databases(&self) -> Vec<DatabaseReport> {
        let created_utc_us = self.settings.created_utc_us();
        let durable = SYSTEM_DATABASES.iter().map(|d| DatabaseReport { id: d.id, name: d.name, created_utc_us });
        let tempdb = DatabaseReport { id: DbId::TEMPDB, name: "tempdb", created_utc_us: self.start_time.utc_us };
        let mut all: Vec<_> = durable.chain([tempdb]).collect();
        all.sort_by_key(|d| d.id);
        all
    }

    /// Files of a database with their counters.
    #[must_use]
    pub fn files(&self, db: DbId) -> Vec<FileReport> {
        let next = if db == DbId::TEMPDB { self.settings.tempdb_files() } else { Vec::new() };
        let spec = |id: FileId| next.iter().find(|spec| spec.id() == id);
        self.volume.files(db).iter().map(|f| FileReport::of(f, spec(f.id()), self.data_dir())).collect()
    }

    /// CHECKPOINT: writes the dirty pages of a durable database and returns how many. tempdb has nothing that a restart
    /// would need, so nothing is written there.
    ///
    /// # Errors
    /// [`PoolError`].
    pub fn checkpoint(&self, ask: &Ask<'_>, db: DbId) -> Result<u64, PoolError> {
        if db == DbId::TEMPDB {
            return Ok(0);
        }
        let pages = self.pool.flush(ask, db, WriteReason::Checkpoint)?;
        for file in self.volume.files(db) {
            file.device().sync().map_err(|e| file.failure(crate::contract::PageNo(0), e))?;
        }
        Ok(pages)
    }

    /// SHUTDOWN; with `clean`, durable databases are checkpointed first. The files close when the instance is dropped.
    ///
    /// # Errors
    /// The first failure; the other databases are tried all the same.
    pub fn shutdown(&self, ask: &Ask<'_>, clean: bool) -> Result<(), PoolError> {
        if !clean {
            return Ok(());
        }
        let results: Vec<_> = SYSTEM_DATABASES.iter().map(|d| self.checkpoint(ask, d.id)).collect();
        results.into_iter().try_for_each(|result| result.map(|_| ()))
    }

    /// The session ended: its number may go to another, so its file counters go.
    pub fn end_session(&self, session: SessionId) {
        self.volume.forget_session(session);
    }

    /// Everything that is counted, now.
    #[must_use]
    pub fn report(&self) -> StorageReport {
        StorageReport {
            pool: self.pool.report(),
            waits: self.waits.report(),
            files: self.databases().iter().flat_map(|d| self.files(d.id)).collect(),
            space: self.spaces.iter().map(|(db, space)| (*db, space.report())).collect(),
            log: self.undo_log.report(),
        }
    }
}

/// Log files in the order in which they fill: overflow files last.
fn log_media(files: &[Arc<StorageFile>]) -> Vec<Arc<dyn LogMedium>> {
    let mut logs: Vec<_> = files.iter().filter(|file| file.kind() == FileKind::Log).cloned().collect();
    logs.sort_by_key(|file| (file.is_overflow(), file.id()));
    logs.into_iter().map(|file| Arc::new(LogFile::new(file)) as Arc<dyn LogMedium>).collect()
}
