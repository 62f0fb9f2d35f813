//! The storage of one server, assembled: databases, files, pool, waits, log of tempdb, settings.
//!
//! ```text
//!   Instance ──▶ settings        instance.toml, options, list of databases
//!            ──▶ ground ──▶ volume ──▶ files ──▶ devices ◀── media
//!                       ──▶ pool   ──▶ volume (as PageIo)          its lazy writer runs as long as the instance
//!            ──▶ databases, each with space ──▶ map pages in the pool
//!            ──▶ undo log ──▶ log files of tempdb
//! ```
//!
//! What always holds: an instance is whole or it is an [`OpenError`]; checks come before changes, so a refusal changes no
//! existing file but those of tempdb. The directory is locked as long as the instance lives. A database that cannot be
//! opened is there all the same and says why; only without master there is no server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{BlockDevice, Clock, DeviceError, FileSystem, Media, WallTime, chance, machine};
use parking_lot::{Mutex, RwLock};

use crate::ask::{Ask, IoCount, Task};
use crate::boot_page::BootFacts;
use crate::checkpointer::{Checkpointer, Registry};
use crate::contract::{DbId, FileId, PAGE_BYTES, SessionId};
use crate::database::{Database, DatabaseState, OpenParts, Recovered, Unavailable};
use crate::database_list::{Stage, StoredDatabase};
use crate::database_open::{closed, open_files, open_new, recover_database, state_after};
use crate::database_options::DatabaseOptions;
use crate::database_plan::same_name;
use crate::file::StorageFile;
use crate::file_header::FileKind;
use crate::file_report::FileReport;
use crate::ground::Ground;
use crate::log_file::LogFile;
use crate::options::OptionId;
use crate::page_road::{PageRoad, open_area};
use crate::pool::{Pool, PoolConfig, PoolReport};
use crate::settings::{self, DirectoryLock, InstanceState, ReconfigureError, Settings, Stored};
use crate::space::{FileSpaceReport, SpaceManager};
use crate::space_state::SpaceState;
use crate::system_databases;
use crate::tempdb_create;
use crate::tempdb_files::{TempdbConfig, check_files, number_files};
use crate::undo_log::{LogMedium, LogReport, UndoLog};
use crate::volume::Volume;
use crate::wait::{WaitReport, WaitStats};
use crate::wal::doublewrite::Copies;
use crate::wal::{DatabaseHandle, Logs};

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
    /// Where files come from.
    pub media: Arc<dyn Media>,
}

impl InstanceConfig {
    /// An instance on the system's files, or in memory without a directory; memory, tempdb as the server decides.
    #[must_use]
    pub fn new(data_dir: Option<PathBuf>, clock: Arc<dyn Clock>) -> InstanceConfig {
        InstanceConfig { data_dir, max_memory_bytes: None, tempdb: None, clock, media: Arc::new(FileSystem) }
    }
}

/// A database at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseReport {
    /// Number.
    pub id: DbId,
    /// Name.
    pub name: String,
    /// When it was made, microseconds since 1970 UTC; tempdb: at the last start.
    pub created_utc_us: i64,
    /// How it is.
    pub state: DatabaseState,
    /// ALTER DATABASE … SET.
    pub options: DatabaseOptions,
    /// Collation; empty: the server's.
    pub collation: String,
}

/// Space of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogUsage {
    /// Database.
    pub db: DbId,
    /// Its name.
    pub name: String,
    /// Size of its log files.
    pub total_bytes: u64,
    /// Of it in use.
    pub used_bytes: u64,
    /// Logged since the last backup of the log, or since recovery would begin where there was none.
    pub unbacked_bytes: u64,
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
pub struct Instance {
    pub(crate) ground: Ground,
    pub(crate) undo_log: Arc<UndoLog>,
    pub(crate) settings: Arc<Settings>,
    /// Held while databases or their files are added, changed or removed.
    pub(crate) altering: Mutex<()>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) checkpointer: Checkpointer,
    tempdb_space: Arc<SpaceManager>,
    max_memory_bytes: Option<u64>,
    start_time: WallTime,
    _lock: Option<DirectoryLock>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("data_dir", &self.ground.dir).finish_non_exhaustive()
    }
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

/// What the databases will stand on.
fn lay_ground(config: &InstanceConfig, server_guid: [u8; 16], settings: &Settings) -> Ground {
    let waits = Arc::new(WaitStats::new(config.clock.clone()));
    let volume = Arc::new(Volume::default());
    let max_bytes = memory_bytes(settings, config.max_memory_bytes);
    let road = Arc::new(PageRoad::new(volume.clone()));
    let pool = Pool::new(PoolConfig { max_bytes, clock: config.clock.clone() }, road.clone(), waits.clone());
    let logs = Arc::new(Logs::default());
    pool.set_log_rule(logs.clone());
    Ground {
        media: config.media.clone(),
        dir: config.data_dir.clone(),
        server_guid,
        volume,
        road,
        pool,
        waits,
        clock: config.clock.clone(),
        logs,
        bell: Arc::default(),
        ram: Arc::default(),
    }
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

/// Makes master, model and msdb; `was_stored`: an earlier start came so far that it stored its settings.
fn first_start(
    ask: &Ask<'_>,
    ground: &Ground,
    stored: &mut Stored,
    was_stored: bool,
) -> Result<Vec<Database>, OpenError> {
    if let (Some(dir), false) = (&ground.dir, was_stored) {
        system_databases::refuse_existing(&*ground.media, dir)?;
        settings::store(&*ground.media, dir, stored, false)?;
    }
    if let (Some((area, _)), Some(dir)) = (area_of(ground)?, &ground.dir) {
        ground.road.lay_area(area, &Copies::default()).map_err(|error| area_failure(dir, error))?;
    }
    let made = system_databases::create(ask, ground, stored.created_utc_us)?;
    stored.databases = made.iter().map(|(entry, _)| entry.clone()).collect();
    let databases = all_at_once(made, |(entry, files)| Ok(open_new(ask, ground, &entry, &files)?))?;
    stored.state = InstanceState::Ready;
    if let Some(dir) = &ground.dir {
        settings::store(&*ground.media, dir, stored, true)?;
    }
    Ok(databases)
}

/// Opens the databases of the list. First the files of all, with repair of torn pages, then the area for the next ones,
/// then the logs. Without master there is no server; any other database that cannot be opened says why.
fn later_start(ask: &Ask<'_>, ground: &Ground, stored: &Stored) -> Result<Vec<Database>, OpenError> {
    let (area, copies) = area_of(ground)?.unzip();
    let copies = copies.unwrap_or_default();
    let mut opened = Vec::new();
    for entry in &stored.databases {
        match entry.stage {
            Stage::Creating | Stage::Dropping => {}
            Stage::Offline => opened.push((entry, Err(DatabaseState::Offline))),
            Stage::Restoring => opened.push((entry, Err(DatabaseState::Restoring))),
            Stage::Ready => match open_files(ask, ground, entry, &copies) {
                Ok(files) => opened.push((entry, Ok(files))),
                Err(failure) if entry.id() == DbId::MASTER => return Err(failure.into()),
                Err(failure) => opened.push((entry, Err(state_after(&failure)))),
            },
        }
    }
    if let (Some(area), Some(dir)) = (area, &ground.dir) {
        ground.road.lay_area(area, &copies).map_err(|error| area_failure(dir, error))?;
    }
    let recover = |(entry, files): (&StoredDatabase, Result<Vec<Arc<StorageFile>>, DatabaseState>)| match files {
        Err(state) => Ok(closed(entry, state)),
        Ok(files) => recover_database(ask, ground, entry, &files, None).or_else(|failure| match entry.id() {
            DbId::MASTER => Err(failure.into()),
            _ => Ok(closed(entry, state_after(&failure))),
        }),
    };
    all_at_once(opened, recover)
}

/// Does the same to several databases side by side: each waits for syncs of its own files.
fn all_at_once<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> Result<R, OpenError> + Sync,
) -> Result<Vec<R>, OpenError> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = items.into_iter().map(|item| scope.spawn(move || work(item))).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        results.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// The doublewrite area and what it holds.
type Area = (Arc<dyn BlockDevice>, Copies);

/// Opens the area; there is none in memory.
fn area_of(ground: &Ground) -> Result<Option<Area>, OpenError> {
    let open = |dir: &PathBuf| open_area(&*ground.media, dir).map_err(|error| area_failure(dir, error));
    ground.dir.as_ref().map(open).transpose()
}

fn area_failure(dir: &Path, error: DeviceError) -> OpenError {
    OpenError::File { path: dir.to_path_buf(), reason: error.into() }
}

/// Finishes what a crash interrupted; says whether the list changed.
fn delete_unfinished(ground: &Ground, stored: &mut Stored) -> bool {
    let before = stored.databases.len();
    stored.databases.retain(|entry| {
        let is_unfinished = matches!(entry.stage, Stage::Creating | Stage::Dropping);
        if is_unfinished {
            system_databases::delete_remains_of(ground, entry);
        }
        !is_unfinished
    });
    stored.databases.len() != before
}

impl Instance {
    /// Opens the instance of a data directory; creates it at the first start.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(config: InstanceConfig) -> Result<Arc<Instance>, OpenError> {
        let (task, io) = (Task::new(SessionId(0)), IoCount::default());
        let ask = Ask::new(&task, &io);
        let media = &*config.media;
        let dir = config.data_dir.as_deref();
        let lock = dir.map(|dir| DirectoryLock::take(media, dir)).transpose()?;
        let found = dir.map(|dir| settings::load(media, dir)).transpose()?.flatten();
        let was_stored = found.is_some();
        let mut stored = match found {
            Some(stored) => stored,
            None => Stored::new(chance::guid()?, config.clock.wall().utc_us),
        };
        let is_changed = settle_tempdb(&mut stored, &config)?;
        let prepare = |spec| tempdb_create::prepare(media, dir, spec, true);
        let prepared = stored.tempdb.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
        let settings = || Settings::new(None, stored.clone());
        let ground = lay_ground(&config, stored.server_guid().expect("checked or new"), &settings());
        let databases = if stored.state == InstanceState::Ready {
            let databases = later_start(&ask, &ground, &stored)?;
            if let (true, Some(dir)) = (delete_unfinished(&ground, &mut stored) | is_changed, dir) {
                settings::store(media, dir, &stored, true)?;
            }
            databases
        } else {
            first_start(&ask, &ground, &mut stored, was_stored)?
        };
        let make = |prepared| tempdb_create::make(&ask, &ground, prepared);
        let tempdb = prepared.into_iter().map(make).collect::<Result<Vec<_>, _>>()?;
        let place = config.data_dir.clone().map(|dir| (config.media.clone(), dir));
        let settings = Settings::new(place, stored);
        Instance::assemble(&ask, &config, ground, settings, lock, databases, &tempdb)
    }

    /// Puts the opened parts together.
    fn assemble(
        ask: &Ask<'_>,
        config: &InstanceConfig,
        ground: Ground,
        settings: Settings,
        lock: Option<DirectoryLock>,
        databases: Vec<Database>,
        tempdb: &[Arc<StorageFile>],
    ) -> Result<Arc<Instance>, OpenError> {
        let state = SpaceState::new(DbId::TEMPDB);
        let space = Arc::new(SpaceManager::new(state, DbId::TEMPDB, false, ground.waits.clone()));
        for file in tempdb {
            ground.volume.add(file.clone());
            tempdb_create::attach(ask, &ground.pool, file)?;
            if file.kind() == FileKind::Data {
                space.add_file(file);
            }
        }
        space.set_forward_only_search(settings.is_on(OptionId::TempdbForwardOnlySearch));
        let start_time = config.clock.wall();
        let boot = BootFacts::new(start_time.utc_us, DatabaseOptions::of_tempdb(), "");
        let handle = DatabaseHandle { db: DbId::TEMPDB, pool: ground.pool.clone(), log: None };
        let parts = OpenParts { handle, space: space.clone() };
        let temp = Database::open((DbId::TEMPDB, [0; 16]), "tempdb", boot, parts, Recovered::nothing());
        let registry = databases.into_iter().chain([temp]).map(|database| (database.id(), Arc::new(database)));
        let undo_log = Arc::new(UndoLog::new(log_media(tempdb), ground.waits.clone()));
        let registry = Arc::new(RwLock::new(registry.collect()));
        let settings = Arc::new(settings);
        let checkpointer = Checkpointer::start(ground.clone(), registry.clone(), settings.clone());
        Ok(Arc::new(Instance {
            undo_log,
            settings,
            altering: Mutex::default(),
            registry,
            checkpointer,
            tempdb_space: space,
            start_time,
            max_memory_bytes: config.max_memory_bytes,
            ground,
            _lock: lock,
        }))
    }

    /// The buffer pool.
    #[must_use]
    pub fn pool(&self) -> &Arc<Pool> {
        &self.ground.pool
    }

    /// Waits of all tasks.
    #[must_use]
    pub fn waits(&self) -> &Arc<WaitStats> {
        &self.ground.waits
    }

    /// Space of tempdb.
    #[must_use]
    pub fn tempdb_space(&self) -> &Arc<SpaceManager> {
        &self.tempdb_space
    }

    /// Space of a database.
    ///
    /// # Errors
    /// [`Unavailable`] when the database is not open; a number that no database has counts as offline.
    pub fn space(&self, db: DbId) -> Result<Arc<SpaceManager>, Unavailable> {
        match self.database(db) {
            Some(database) => database.space().cloned(),
            None => Err(Unavailable { name: db.to_string(), state: DatabaseState::Offline }),
        }
    }

    /// Space of each data file of a database; none while it is not open.
    #[must_use]
    pub fn space_report(&self, db: DbId) -> Vec<FileSpaceReport> {
        self.space(db).map(|space| space.report()).unwrap_or_default()
    }

    /// The database of that number.
    #[must_use]
    pub fn database(&self, db: DbId) -> Option<Arc<Database>> {
        self.registry.read().get(&db).cloned()
    }

    /// The database of that name; case does not count.
    #[must_use]
    pub fn database_by_name(&self, name: &str) -> Option<Arc<Database>> {
        self.registry.read().values().find(|database| same_name(&database.name(), name)).cloned()
    }

    /// All databases in order of their number.
    #[must_use]
    pub fn all_databases(&self) -> Vec<Arc<Database>> {
        self.registry.read().values().cloned().collect()
    }

    /// Log of tempdb.
    #[must_use]
    pub fn undo_log(&self) -> &Arc<UndoLog> {
        &self.undo_log
    }

    /// Time.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.ground.clock
    }

    /// Settings and options.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The data directory; `None`: all in memory.
    #[must_use]
    pub fn data_dir(&self) -> Option<&Path> {
        self.ground.dir.as_deref()
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
            self.ground.pool.set_max_bytes(self.memory_max_bytes());
        }
        self.tempdb_space.set_forward_only_search(self.settings.is_on(OptionId::TempdbForwardOnlySearch));
        result
    }

    /// Memory that the pool may have.
    #[must_use]
    pub fn memory_max_bytes(&self) -> u64 {
        memory_bytes(&self.settings, self.max_memory_bytes)
    }

    /// All databases in order of their number, as they are now.
    #[must_use]
    pub fn databases(&self) -> Vec<DatabaseReport> {
        let report = |database: &Arc<Database>| DatabaseReport {
            id: database.id(),
            name: database.name(),
            created_utc_us: database.created_utc_us(),
            state: database.state(),
            options: database.options(),
            collation: database.collation(),
        };
        self.registry.read().values().map(report).collect()
    }

    /// Files of a database with their counters; while it is not open, what the list knows of them.
    #[must_use]
    pub fn files(&self, db: DbId) -> Vec<FileReport> {
        let next = if db == DbId::TEMPDB { self.settings.tempdb_files() } else { Vec::new() };
        let spec = |id: FileId| next.iter().find(|spec| spec.id() == id);
        let files = self.ground.volume.files(db);
        if !files.is_empty() {
            return files.iter().map(|f| FileReport::of(f, spec(f.id()), self.data_dir())).collect();
        }
        let entry = self.settings.stored_databases().into_iter().find(|entry| entry.id() == db);
        let stored = entry.iter().flat_map(|entry| &entry.files);
        stored.map(|file| FileReport::of_closed(db, file, &self.ground.resolve(&file.path))).collect()
    }

    /// Logs of all open databases, in order of their numbers (`DBCC SQLPERF(LOGSPACE)`, `sys.dm_db_log_space_usage`).
    #[must_use]
    pub fn log_usage(&self) -> Vec<LogUsage> {
        let of = |database: &Arc<Database>| {
            let (db, name) = (database.id(), database.name());
            if database.is_temporary() {
                let files = self.ground.volume.files(db);
                let pages = files.iter().filter(|file| file.kind() == FileKind::Log).map(|file| file.size_pages());
                let total_bytes = pages.map(u64::from).sum::<u64>() * PAGE_BYTES as u64;
                return Some(LogUsage {
                    db,
                    name,
                    total_bytes,
                    used_bytes: self.undo_log.report().used_bytes,
                    unbacked_bytes: 0,
                });
            }
            let report = database.log().ok()??.report();
            let (total_bytes, used_bytes, unbacked_bytes) =
                (report.size_bytes, report.used_bytes, report.unbacked_bytes);
            Some(LogUsage { db, name, total_bytes, used_bytes, unbacked_bytes })
        };
        self.all_databases().iter().filter_map(of).collect()
    }

    /// The session ended: its number may go to another, so its file counters go.
    pub fn end_session(&self, session: SessionId) {
        self.ground.volume.forget_session(session);
    }

    /// Everything that is counted, now.
    #[must_use]
    pub fn report(&self) -> StorageReport {
        StorageReport {
            pool: self.ground.pool.report(),
            waits: self.ground.waits.report(),
            files: self.databases().iter().flat_map(|d| self.files(d.id)).collect(),
            space: self.all_databases().iter().filter_map(|d| Some((d.id(), d.space().ok()?.report()))).collect(),
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
