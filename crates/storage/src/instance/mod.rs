//! The storage of one server, assembled: databases, files, pool, waits, log of tempdb, settings.
//!
//! ```text
//!   Instance ──▶ Databases ──▶ settings        instance.toml, options, list of databases
//!                          ──▶ services ──▶ volume ──▶ files ──▶ devices ◀── media
//!                                     ──▶ pool   ──▶ volume (as PageIo)       its lazy writer runs as long as the instance
//!                          ──▶ registry, databases each with space ──▶ map pages in the pool
//!                          ──▶ tempdb's space and its undo log ──▶ log files of tempdb
//!            ──▶ checkpointer, watcher of slow I/O
//! ```
//!
//! What adds, changes, copies and removes databases are functions of [`crate::database`] and [`crate::backup`] over
//! [`Databases`]; they know no instance.
//!
//! What always holds: an instance is whole or it is an [`OpenError`]; checks come before changes, so a refusal changes no
//! existing file but those of tempdb. The directory is locked as long as the instance lives. A database that cannot be
//! opened is there all the same and says why; only without master there is no server.

pub(crate) mod checkpointer;
pub(crate) mod config;
pub mod extension;
pub mod file_report;
pub(crate) mod start;
pub mod volume_io;
pub mod volumes;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use millpond_device::health::HealthHistory;
use millpond_device::{Clock, VolumeReport, WallTime, chance};
use parking_lot::{Mutex, RwLock};

use crate::ask::{Ask, IoCount, Task};
use crate::contract::{DbId, FileId, PAGE_BYTES, PageId, SessionId, WriteReason};
use crate::database::boot_page::BootFacts;
use crate::database::checkpoint::{run_checkpoint, run_checkpoint_over};
use crate::database::databases::{Databases, Tempdb};
use crate::database::options::DatabaseOptions;
use crate::database::snapshot_files::watch;
use crate::database::{Database, DatabaseState, OpenParts, Recovered, Unavailable};
use crate::extension::ExtensionReport;
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::file::io_watch::IoWatch;
use crate::file::io_watcher::Watcher;
use crate::file::tier::Tier;
use crate::file::volume::Volume;
use crate::file::write_rate::WriteRate;
use crate::instance::checkpointer::Checkpointer;
use crate::instance::config::memory_bytes;
use crate::instance::extension::settle_after_start;
use crate::instance::file_report::FileReport;
use crate::instance::start::{delete_unfinished, first_start, later_start, lay_ground, open_extension, settle_tempdb};
use crate::pace::Pace;
use crate::pool::{Pool, PoolReport};
use crate::services::StorageServices;
use crate::settings::options::OptionId;
use crate::settings::tempdb::TempFileSpec;
use crate::settings::{DirectoryLock, InstanceState, ReconfigureError, Settings, Stored};
use crate::space::orphans::ClaimLook;
use crate::space::state::SpaceState;
use crate::space::{ClaimReport, FileSpaceReport, Reclaimed, SpaceError, SpaceManager, orphans};
use crate::tempdb::create::Replace;
use crate::tempdb::log_file::LogFile;
use crate::tempdb::log_medium::LogMedium;
use crate::tempdb::undo_log::{LogReport, UndoLog};
use crate::wait::{WaitReport, WaitStats};
use crate::wal::DatabaseHandle;
use crate::wal::checkpoint::CheckpointError;
use crate::{check, settings, tempdb};

pub use crate::instance::config::InstanceConfig;
pub use crate::open_error::{FileProblem, OpenError};
pub use crate::space::map_init::MapDamage;

/// A database at one point in time.
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
    /// Of a database snapshot the database that it was taken of.
    pub source: Option<DbId>,
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

/// Everything that storage counts, at one point in time.
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

/// Others may have the files of an instance that is gone, whoever still looks at them.
struct OpenFiles(Arc<Volume>);

impl Drop for OpenFiles {
    fn drop(&mut self) {
        self.0.all().iter().for_each(|file| file.device().unlock());
    }
}

/// An open instance.
pub struct Instance {
    pub(crate) databases: Databases,
    checkpointer: Checkpointer,
    _watcher: Watcher,
    max_memory_bytes: Option<u64>,
    /// Of the pool's memory what is in use elsewhere.
    lent_bytes: AtomicU64,
    start_time: WallTime,
    _files: OpenFiles,
    _lock: Option<DirectoryLock>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("data_dir", &self.databases.services.dir).finish_non_exhaustive()
    }
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
        let known: Vec<_> = stored.tempdb.iter().filter_map(|spec| spec.path.clone()).collect();
        let is_changed = settle_tempdb(&mut stored, &config)?;
        let prepare = |spec: &TempFileSpec| {
            let is_own = spec.path.as_ref().is_some_and(|path| known.contains(path));
            tempdb::create::prepare(media, dir, spec, if is_own { Replace::OwnFile } else { Replace::TempdbFile })
        };
        let prepared = stored.tempdb.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
        let settings = Settings::new(None, stored.clone());
        let services = lay_ground(&config, stored.server_guid().expect("checked or new"), &settings);
        let late = open_extension(&services, &mut stored, &settings)?;
        let databases = if stored.state == InstanceState::Ready {
            let databases = later_start(&ask, &services, &mut stored)?;
            if let (true, Some(dir)) = (delete_unfinished(&services, &mut stored) | is_changed, dir) {
                settings::store(media, dir, &stored, true)?;
            }
            databases
        } else {
            first_start(&ask, &services, &mut stored, was_stored, &config.collation)?
        };
        let make = |prepared| tempdb::create::make(&ask, &services, prepared);
        let tempdb = prepared.into_iter().map(make).collect::<Result<Vec<_>, _>>()?;
        let place = config.data_dir.clone().map(|dir| (config.media.clone(), dir));
        let settings = Arc::new(Settings::new(place, stored));
        let _ = late.set(settings.clone());
        settle_after_start(&services);
        Instance::assemble(&ask, &config, services, settings, lock, databases, &tempdb)
    }

    /// Puts the opened parts together.
    fn assemble(
        ask: &Ask<'_>,
        config: &InstanceConfig,
        services: StorageServices,
        settings: Arc<Settings>,
        lock: Option<DirectoryLock>,
        databases: Vec<Database>,
        tempdb: &[Arc<StorageFile>],
    ) -> Result<Arc<Instance>, OpenError> {
        let has = |kind| tempdb.iter().any(|file| file.kind() == kind);
        assert!(has(FileKind::Data) && has(FileKind::Log), "tempdb has no file for rows, or none for its log");
        let state = SpaceState::new(DbId::TEMPDB);
        let space = Arc::new(SpaceManager::new(state, DbId::TEMPDB, false, services.waits.clone()));
        for file in tempdb {
            services.volume.add(file.clone());
            tempdb::create::attach(ask, &services.pool, file)?;
            if file.kind() == FileKind::Data {
                space.supply.add_file(file);
            }
        }
        space.set_forward_only_search(settings.is_on(OptionId::TempdbForwardOnlySearch));
        let start_time = config.clock.wall();
        let master = databases.iter().find(|database| database.id() == DbId::MASTER);
        let collation = master.map(Database::collation).unwrap_or_default();
        let boot = BootFacts::new(start_time.utc_us, DatabaseOptions::of_tempdb(), &collation);
        let handle = DatabaseHandle { db: DbId::TEMPDB, pool: services.pool.clone(), log: None };
        let parts = OpenParts { handle, space: space.clone() };
        let temp = Database::open((DbId::TEMPDB, [0; 16]), "tempdb", boot, parts, Recovered::nothing());
        let registry = databases.into_iter().chain([temp]).map(|database| (database.id(), Arc::new(database)));
        let undo_log = Arc::new(UndoLog::new(log_media(tempdb), services.waits.clone()));
        let registry: BTreeMap<DbId, Arc<Database>> = registry.collect();
        registry.values().for_each(|database| watch(&services, &settings, database));
        let registry = Arc::new(RwLock::new(registry));
        let volume = services.volume.clone();
        let checkpointer = Checkpointer::start(services.clone(), registry.clone(), settings.clone());
        Ok(Arc::new(Instance {
            _watcher: Watcher::start(services.volume.clone()),
            databases: Databases {
                services,
                settings,
                registry,
                altering: Mutex::default(),
                tempdb: Tempdb { space, undo_log },
                gone: Mutex::default(),
            },
            checkpointer,
            start_time,
            max_memory_bytes: config.max_memory_bytes,
            lent_bytes: AtomicU64::new(0),
            _files: OpenFiles(volume),
            _lock: lock,
        }))
    }

    /// The databases, for statements that add, change and remove them.
    #[must_use]
    pub fn databases(&self) -> &Databases {
        &self.databases
    }

    /// The database of that number.
    #[must_use]
    pub fn database(&self, db: DbId) -> Option<Arc<Database>> {
        self.databases.database(db)
    }

    /// The database of that name; case does not count.
    #[must_use]
    pub fn database_by_name(&self, name: &str) -> Option<Arc<Database>> {
        self.databases.database_by_name(name)
    }

    /// All databases in order of their number.
    #[must_use]
    pub fn all_databases(&self) -> Vec<Arc<Database>> {
        self.databases.all_databases()
    }

    /// Space of a database.
    ///
    /// # Errors
    /// [`Unavailable`] when the database is not open; a number that no database has counts as offline.
    pub fn space(&self, db: DbId) -> Result<Arc<SpaceManager>, Unavailable> {
        self.databases.space(db)
    }

    /// The extension as it is.
    #[must_use]
    pub fn extension(&self) -> ExtensionReport {
        extension::report(self)
    }

    /// The buffer pool.
    #[must_use]
    pub fn pool(&self) -> &Arc<Pool> {
        &self.databases.services.pool
    }

    /// Waits of all tasks.
    #[must_use]
    pub fn waits(&self) -> &Arc<WaitStats> {
        &self.databases.services.waits
    }

    /// What is reported of slow and failing I/O.
    #[must_use]
    pub fn io_watch(&self) -> &Arc<IoWatch> {
        &self.databases.services.watch
    }

    /// Space of tempdb.
    #[must_use]
    pub fn tempdb_space(&self) -> &Arc<SpaceManager> {
        &self.databases.tempdb.space
    }

    /// Space of each data file of a database; none while it is not open.
    #[must_use]
    pub fn space_report(&self, db: DbId) -> Vec<FileSpaceReport> {
        self.databases.space(db).map(|space| space.report()).unwrap_or_default()
    }

    /// Reports requests that take too long ([`crate::file::io_watch`]). A thread of the instance does so every second.
    pub fn look_for_slow_io(&self) {
        self.databases.services.volume.look_for_slow();
    }

    /// Finds names of databases for as long as the instance lives, and keeps nothing of it alive.
    pub fn name_finder(&self) -> impl Fn(DbId) -> String + Send + Sync + 'static + use<> {
        let registry = Arc::downgrade(&self.databases.registry);
        move |db| {
            let database = registry.upgrade().and_then(|registry| registry.read().get(&db).cloned());
            database.map_or_else(String::new, |database| database.name())
        }
    }

    /// Bytes a second that tempdb's data files take, those of the last tier in use; none before enough was written.
    #[must_use]
    pub fn tempdb_bytes_per_s(&self) -> Option<u64> {
        let files =
            self.databases.services.volume.files(DbId::TEMPDB).into_iter().filter(|file| file.kind() == FileKind::Data);
        let rates: Vec<(Tier, WriteRate)> = files.map(|file| (file.tier(), file.device().large_writes())).collect();
        crate::file::write_rate::bytes_per_s(&rates)
    }

    /// Log of tempdb.
    #[must_use]
    pub fn undo_log(&self) -> &Arc<UndoLog> {
        &self.databases.tempdb.undo_log
    }

    /// Time.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.databases.services.clock
    }

    /// What the process and the machine did in each minute of the last hours.
    #[must_use]
    pub fn health(&self) -> &HealthHistory {
        &self.databases.services.health
    }

    /// Counters of the emulated devices; none where files are files.
    #[must_use]
    pub fn volume_reports(&self) -> Vec<VolumeReport> {
        self.databases.services.media.volume_reports()
    }

    /// Settings and options.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.databases.settings
    }

    /// The data directory; `None`: all in memory.
    #[must_use]
    pub fn data_dir(&self) -> Option<&Path> {
        self.databases.services.dir.as_deref()
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
        let result = self.databases.settings.reconfigure(with_override);
        // The checkpointer may have been switched on or off.
        self.databases.services.wakeup.wake();
        if self.memory_max_bytes() != before {
            let pages = self.memory_max_bytes() / PAGE_BYTES as u64;
            self.pool().ghosts().begin(pages, self.clock().now_us());
            self.resize_pool();
        }
        self.databases
            .tempdb
            .space
            .set_forward_only_search(self.databases.settings.is_on(OptionId::TempdbForwardOnlySearch));
        extension::apply_extension_mode(self);
        result
    }

    /// So much of the pool's memory is in use elsewhere: the pool has as much less, as far as it can.
    pub fn lend_memory(&self, bytes: u64) {
        self.lent_bytes.store(bytes, Relaxed);
        self.resize_pool();
    }

    fn resize_pool(&self) {
        let left = self.memory_max_bytes().saturating_sub(self.lent_bytes.load(Relaxed));
        self.databases.services.pool.set_max_bytes(left.max(Pool::MIN_BYTES));
    }

    /// Memory that the pool may have.
    #[must_use]
    pub fn memory_max_bytes(&self) -> u64 {
        memory_bytes(&self.databases.settings, self.max_memory_bytes)
    }

    /// All databases in order of their number, as they are now.
    #[must_use]
    pub fn database_reports(&self) -> Vec<DatabaseReport> {
        let report = |database: &Arc<Database>| DatabaseReport {
            id: database.id(),
            name: database.name(),
            created_utc_us: database.created_utc_us(),
            state: database.state(),
            source: database.origin().source.filter(|_| database.origin().is_snapshot()),
            options: database.options(),
            collation: database.collation(),
        };
        self.databases.registry.read().values().map(report).collect()
    }

    /// Files of a database with their counters; while it is not open, what the list knows of them.
    #[must_use]
    pub fn files(&self, db: DbId) -> Vec<FileReport> {
        let next = if db == DbId::TEMPDB { self.databases.settings.tempdb_files() } else { Vec::new() };
        let spec = |id: FileId| next.iter().find(|spec| spec.id() == id);
        let files = self.databases.services.volume.files(db);
        let is_snapshot = self.databases.database(db).is_some_and(|database| database.origin().is_snapshot());
        let mark = |file: FileReport| FileReport { is_sparse: is_snapshot && file.kind == FileKind::Data, ..file };
        if !files.is_empty() {
            let report = |file: &Arc<StorageFile>| mark(FileReport::of(file, spec(file.id()), self.data_dir()));
            return files.iter().map(report).collect();
        }
        let entry = self.databases.settings.stored_databases().into_iter().find(|entry| entry.id() == db);
        let stored = entry.iter().flat_map(|entry| &entry.files);
        let closed = |file| mark(FileReport::of_closed(db, file, &self.databases.services.resolve(&file.path)));
        stored.map(closed).collect()
    }

    /// Logs of all open databases, in order of their numbers (`DBCC SQLPERF(LOGSPACE)`, `sys.dm_db_log_space_usage`).
    #[must_use]
    pub fn log_usage(&self) -> Vec<LogUsage> {
        let of = |database: &Arc<Database>| {
            let (db, name) = (database.id(), database.name());
            if database.is_temporary() {
                let files = self.databases.services.volume.files(db);
                let pages = files.iter().filter(|file| file.kind() == FileKind::Log).map(|file| file.size_pages());
                let total_bytes = pages.map(u64::from).sum::<u64>() * PAGE_BYTES as u64;
                return Some(LogUsage {
                    db,
                    name,
                    total_bytes,
                    used_bytes: self.databases.tempdb.undo_log.report().used_bytes,
                    unbacked_bytes: 0,
                });
            }
            let report = database.log().ok()??.report();
            let (total_bytes, used_bytes, unbacked_bytes) =
                (report.size_bytes, report.used_bytes, report.unbacked_bytes);
            check!(used_bytes <= total_bytes, "{db} uses {used_bytes} of {total_bytes} bytes of log");
            Some(LogUsage { db, name, total_bytes, used_bytes, unbacked_bytes })
        };
        self.databases.all_databases().iter().filter_map(of).collect()
    }

    /// The session ended: its number may go to another, so its file counters go.
    pub fn end_session(&self, session: SessionId) {
        self.databases.services.volume.forget_session(session);
    }

    /// Everything that is counted, now.
    #[must_use]
    pub fn report(&self) -> StorageReport {
        StorageReport {
            pool: self.databases.services.pool.report(),
            waits: self.databases.services.waits.report(),
            files: self.database_reports().iter().flat_map(|d| self.files(d.id)).collect(),
            space: self
                .databases
                .all_databases()
                .iter()
                .filter_map(|d| Some((d.id(), d.space().ok()?.report())))
                .collect(),
            log: self.databases.tempdb.undo_log.report(),
        }
    }
}

/// Log files in the order in which they fill: by tier.
fn log_media(files: &[Arc<StorageFile>]) -> Vec<Arc<dyn LogMedium>> {
    let mut logs: Vec<_> = files.iter().filter(|file| file.kind() == FileKind::Log).cloned().collect();
    logs.sort_by_key(|file| (file.tier(), file.id()));
    logs.into_iter().map(|file| Arc::new(LogFile::new(file)) as Arc<dyn LogMedium>).collect()
}

impl Instance {
    /// CHECKPOINT: the dirty pages of a durable database are written while work goes on, and recovery begins later in its
    /// log. tempdb has nothing that a restart would need, so nothing is written there; nor for a database that is not
    /// open.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn checkpoint(&self, ask: &Ask<'_>, db: DbId) -> Result<(), CheckpointError> {
        let Some(database) = self.databases.database(db) else { return Ok(()) };
        run_checkpoint(ask, &self.databases.services, &database, WriteReason::Checkpoint)
    }

    /// CHECKPOINT n: as [`Instance::checkpoint`], with its writes spread evenly over `duration`. When the
    /// task is cancelled or another one wants a checkpoint meanwhile, the rest is written at once.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn checkpoint_over(&self, ask: &Ask<'_>, db: DbId, duration: Duration) -> Result<(), CheckpointError> {
        let Some(database) = self.databases.database(db) else { return Ok(()) };
        let pace = Pace::over(&*self.databases.services.clock, duration, database.checkpoint_waiters());
        run_checkpoint_over(ask, &self.databases.services, &database, WriteReason::Checkpoint, &pace)
    }

    /// The transactions of [`crate::database::Database::take_losers`] are undone: the database may be used from now on.
    ///
    /// # Errors
    /// [`CheckpointError`]; the database is online all the same, and recovery would begin where it did.
    pub fn finish_recovery(&self, ask: &Ask<'_>, db: DbId) -> Result<(), CheckpointError> {
        let Some(database) = self.databases.database(db) else { return Ok(()) };
        if database.state() == DatabaseState::Recovering {
            assert!(!database.has_losers(), "{db} is used, and has transactions to undo");
            database.set_state(DatabaseState::Online);
        }
        run_checkpoint(ask, &self.databases.services, &database, WriteReason::Recovery)
    }

    /// Frees space of a durable database that no IAM chain beginning at `live` claims: what a crash left. Called
    /// after a start for which [`crate::database::Database::was_clean`] is false, before anything is allocated.
    ///
    /// # Errors
    /// [`SpaceError`]; nothing is freed when a chain cannot be read.
    pub fn reclaim_orphans(&self, ask: &Ask<'_>, db: DbId, live: &[PageId]) -> Result<Reclaimed, SpaceError> {
        let Some(database) = self.databases.database(db) else { return Ok(Reclaimed::default()) };
        let (Ok(space), Ok(handle)) = (database.space(), database.handle()) else { return Ok(Reclaimed::default()) };
        let reclaimed = orphans::reclaim_orphans(space, ask, handle, live)?;
        if let Some(log) = &handle.log {
            log.set_may_leak(false);
        }
        Ok(reclaimed)
    }

    /// Compares what the IAM chains claim that begin at `live` with the maps of a durable database (DBCC CHECKALLOC).
    /// Nothing is allocated meanwhile.
    ///
    /// # Errors
    /// [`SpaceError`] when a chain cannot be read.
    pub fn check_claims(&self, ask: &Ask<'_>, db: DbId, live: &[PageId]) -> Result<ClaimReport, SpaceError> {
        self.look_at_claims(ask, db, live).map_or_else(|| Ok(ClaimReport::default()), |look| look.report(live))
    }

    /// The same while others work: the caller says afterwards which of the chains live still. `None`: it is not open.
    #[must_use]
    pub fn look_at_claims(&self, ask: &Ask<'_>, db: DbId, live: &[PageId]) -> Option<ClaimLook> {
        let database = self.databases.database(db)?;
        let (space, handle) = (database.space().ok()?, database.handle().ok()?);
        Some(ClaimLook::take(space, ask, handle, live))
    }

    /// Suspends automatic checkpoints, or resumes them (trace flag 3505); the option 'automatic checkpoints' does so too.
    pub fn suspend_checkpoints(&self, on: bool) {
        self.checkpointer.suspend(on);
    }

    /// SHUTDOWN; with `clean`, all databases are checkpointed and their logs closed, so that the next start has nothing
    /// to do; sessions that still work get errors. The files close when the instance is dropped.
    ///
    /// # Errors
    /// The first failure; the other databases are tried all the same.
    pub fn shutdown(&self, ask: &Ask<'_>, clean: bool) -> Result<(), CheckpointError> {
        if !clean {
            return Ok(());
        }
        let close = |db: DbId| -> Result<(), CheckpointError> {
            self.checkpoint(ask, db)?;
            let database = self.databases.database(db);
            if let Some(Ok(Some(log))) = database.as_ref().map(|database| database.log()) {
                log.close(ask)?;
            }
            Ok(())
        };
        let results: Vec<_> = self.databases.all_databases().iter().map(|database| close(database.id())).collect();
        let is_kept = extension::close_extension(&self.databases.services, ask).map_err(CheckpointError::from);
        results.into_iter().chain([is_kept]).collect()
    }
}
