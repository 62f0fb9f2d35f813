//! The devices, the pool and the log of a database for the tests of this folder, over a tape that can be cut.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_device::clock::{Clock, SystemClock};
use millpond_device::tape::{Tape, device_of};
use millpond_device::{BlockDevice, RamDevice};

use crate::ask::{Ask, IoCount, Task};
use crate::contract::{DbId, FileId, IoFailure, PAGE_BYTES, PageId, PageNo, SessionId, WriteReason};
use crate::file::file_header::{FileHeader, FileKind};
use crate::file::growth::{Growth, Limits};
use crate::file::tier::Tier;
use crate::file::volume::Volume;
use crate::file::{Medium, StorageFile};
use crate::pace::Pace;
use crate::page::header::Lsn;
use crate::pool::{Durability, Pool, PoolConfig};
use crate::wait::WaitStats;
use crate::wal::checkpoint::{self, CheckpointError};
use crate::wal::doublewrite::{Copies, Databases, Doublewrite};
use crate::wal::handle::DatabaseHandle;
use crate::wal::log::{Log, LogConfig, LogOpenError};
use crate::wal::recovery::{self, AtDamage, PageHome, RecoveryError, RedoOptions, Redone};
use crate::wal::rule::Logs;

pub(crate) const DB: DbId = DbId(5);
pub(crate) const DATA: FileId = FileId(1);
pub(crate) const GUID: [u8; 16] = *b"guid of the test";

pub(crate) fn page(number: u32) -> PageId {
    PageId { db: DB, file: DATA, page: PageNo(number) }
}

pub(crate) fn with_ask<R>(session: u16, work: impl FnOnce(&Ask<'_>) -> R) -> R {
    let (task, object) = (Task::new(SessionId(session)), IoCount::default());
    work(&Ask::new(&task, &object))
}

pub(crate) fn file_on(device: Arc<dyn BlockDevice>, file: u16, kind: FileKind, limits: Limits) -> Arc<StorageFile> {
    let header = FileHeader {
        db: DB,
        file: FileId(file),
        file_guid: [0; 16],
        database_guid: GUID,
        server_guid: [0; 16],
        size_pages: 0,
        configured_pages: 0,
        limits,
        kind,
        tier: Tier::FIRST,
        name: format!("file {file}"),
    };
    Arc::new(StorageFile::new(header, Medium::Ram, device))
}

pub(crate) fn config() -> LogConfig {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let waits = Arc::new(WaitStats::new(clock.clone()));
    LogConfig { db: DB, guid: GUID, clock, waits, keep_until_backup: false }
}

/// How a world is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) frames: u64,
    pub(crate) log_bytes: u64,
    pub(crate) log_limits: Limits,
}

impl Shape {
    pub(crate) fn small() -> Shape {
        let log_limits = Limits { max_pages: None, growth: Growth::Pages(64) };
        Shape { frames: 64, log_bytes: 1 << 20, log_limits }
    }
}

/// A database without its upper floors.
pub(crate) struct World {
    pub(crate) tape: Arc<Tape>,
    pub(crate) handle: DatabaseHandle,
    pub(crate) data: Arc<StorageFile>,
    /// Torn pages that were repaired at its opening.
    pub(crate) repaired: usize,
    pub(crate) extended: AtomicU64,
}

struct OneDatabase(Arc<StorageFile>);

impl Databases for OneDatabase {
    fn guid(&self, db: DbId) -> Option<[u8; 16]> {
        (db == DB).then_some(GUID)
    }

    fn sync(&self, _: DbId, _: FileId) -> Result<(), IoFailure> {
        self.0.device().sync().map_err(|e| self.0.failure(PageNo(0), e))
    }
}

pub(crate) type Images = BTreeMap<Arc<str>, Vec<u8>>;

impl PageHome for World {
    fn extend_to(&self, _: &Ask<'_>, page: PageId) -> Result<(), IoFailure> {
        if page.file != DATA {
            return Err(IoFailure::NoFile { page });
        }
        let bytes = (u64::from(page.page.0) + 1) * PAGE_BYTES as u64;
        if self.data.device().len_bytes() < bytes {
            self.extended.fetch_add(1, Relaxed);
            self.data.device().set_len(bytes).map_err(|e| self.data.failure(page.page, e))?;
        }
        Ok(())
    }
}

impl World {
    /// Fresh devices with a data file of so many pages.
    pub(crate) fn create(shape: Shape, data_pages: u64) -> World {
        World::create_on(shape, data_pages, |log| log)
    }

    /// The same with the log on what `under` makes of its device.
    pub(crate) fn create_on(
        shape: Shape,
        data_pages: u64,
        under: impl FnOnce(Arc<dyn BlockDevice>) -> Arc<dyn BlockDevice>,
    ) -> World {
        let tape = Tape::new();
        let (data, log, area) = (tape.device("data"), under(tape.device("log")), tape.device("area"));
        data.set_len(data_pages * PAGE_BYTES as u64).unwrap();
        data.sync().unwrap();
        log.set_len(shape.log_bytes).unwrap();
        World::build(shape, tape, data, log, area, Log::create).expect("a new log")
    }

    /// What a cut has left.
    pub(crate) fn open(shape: Shape, images: &Images) -> Result<World, LogOpenError> {
        let tape = Tape::new();
        let device = |name: &str| tape.continue_device(name, device_of(name, &images[name]));
        let (data, log, area) = (device("data"), device("log"), device("area"));
        World::build(shape, tape.clone(), data, log, area, Log::open)
    }

    fn build(
        shape: Shape,
        tape: Arc<Tape>,
        data: Arc<dyn BlockDevice>,
        log: Arc<dyn BlockDevice>,
        area: Arc<dyn BlockDevice>,
        make: impl Fn(LogConfig, Vec<Arc<StorageFile>>) -> Result<Arc<Log>, LogOpenError>,
    ) -> Result<World, LogOpenError> {
        let limits = Limits { max_pages: None, growth: Growth::Pages(64) };
        let data = file_on(data, 1, FileKind::Data, limits);
        let log_file = file_on(log, 2, FileKind::Log, shape.log_limits);
        let config = config();
        let volume = Arc::new(Volume::default());
        volume.add(data.clone());
        let copies = Copies::read(&*area).expect("memory reads");
        let repaired = with_ask(0, |ask| copies.repair(ask, (&GUID, DB), &*volume, &|_| true)).expect("memory writes");
        data.device().sync().expect("memory syncs");
        let way = Doublewrite::new(area, &copies, volume, Arc::new(OneDatabase(data.clone()))).expect("memory grows");
        let pool = PoolConfig::new(shape.frames * PAGE_BYTES as u64, config.clock.clone());
        let pool = Pool::new(pool, Arc::new(way), config.waits.clone());
        pool.attach_file(DB, DATA, Durability::Durable);
        let log = make(config, vec![log_file])?;
        let logs = Arc::new(Logs::default());
        logs.add(DB, log.clone());
        pool.set_log_rule(logs);
        let handle = DatabaseHandle { db: DB, pool, log: Some(log) };
        Ok(World { tape, handle, repaired: repaired.len(), data, extended: AtomicU64::new(0) })
    }

    pub(crate) fn log(&self) -> &Arc<Log> {
        self.handle.log.as_ref().expect("durable")
    }

    pub(crate) fn redo(&self, threads: usize) -> Result<Redone, RecoveryError> {
        self.redo_as(RedoOptions {
            threads,
            stop_at_us: None,
            restored: Lsn::default(),
            at_damage: AtDamage::Refuse,
            of_backup: false,
        })
    }

    pub(crate) fn redo_as(&self, options: RedoOptions) -> Result<Redone, RecoveryError> {
        with_ask(0, |ask| recovery::redo(ask, &self.handle, self, options))
    }

    pub(crate) fn checkpoint(&self) -> Result<Lsn, CheckpointError> {
        let mut sync = || self.data.device().sync().map_err(|e| self.data.failure(PageNo(0), e));
        with_ask(0, |ask| checkpoint::run(ask, &self.handle, WriteReason::Checkpoint, &Pace::at_once(), &mut sync))
    }

    pub(crate) fn checkpoint_in_fresh_part(&self) -> Result<Lsn, CheckpointError> {
        let mut sync = || self.data.device().sync().map_err(|e| self.data.failure(PageNo(0), e));
        with_ask(0, |ask| checkpoint::run_in_fresh_part(ask, &self.handle, &mut sync))
    }

    /// What the devices hold, as after a killed process.
    pub(crate) fn images(&self) -> Images {
        let mut playback = millpond_device::tape::Playback::new(&self.tape);
        playback.advance(self.tape.position());
        playback.cut(millpond_device::tape::Loss::Nothing, 0)
    }
}

/// A log alone on memory of a fixed size.
pub(crate) fn log_on_ram(bytes: u64, limits: Limits) -> (Arc<RamDevice>, Arc<Log>) {
    let ram = Arc::new(RamDevice::new("log"));
    ram.set_len(bytes).unwrap();
    let log = Log::create(config(), vec![file_on(ram.clone(), 2, FileKind::Log, limits)]).unwrap();
    (ram, log)
}
