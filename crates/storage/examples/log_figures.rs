//! Figures of the log: what an append costs, what group commit reaches on a device with a fixed time per sync, how fast
//! recovery redoes.
//!
//! `cargo run --release -p millpond-storage --example log_figures [sync_us] [redo_mb]`

use std::io::{IoSlice, IoSliceMut};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use millpond_device::clock::{Clock, SystemClock};
use millpond_device::meter::Meter;
use millpond_device::{BlockDevice, DeviceError, RamDevice};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, FileId, IoFailure, PAGE_BYTES, PageId, PageKind, PageNo, SessionId};
use millpond_storage::file::file_header::{FileHeader, FileKind};
use millpond_storage::file::growth::{Growth, Limits};
use millpond_storage::file::tier::Tier;
use millpond_storage::file::volume::Volume;
use millpond_storage::file::{Medium, StorageFile};
use millpond_storage::pool::{Durability, Pool, PoolConfig};
use millpond_storage::wait::WaitStats;
use millpond_storage::wal::recovery::{self, AtDamage, PageHome, RedoOptions};
use millpond_storage::wal::{CommitMode, DatabaseHandle, Log, LogConfig, Logs, Mtr, PageOp};

const DB: DbId = DbId(5);

/// Processor time of this thread, or of the whole process; wall time says little on a busy machine.
fn cpu(of: &str) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{of}/schedstat")).unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Processor time of all threads that live, in seconds.
fn cpu_of_process_s() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// Memory whose sync takes a fixed time.
#[derive(Debug)]
struct SlowSync {
    ram: RamDevice,
    sync: Duration,
}

impl BlockDevice for SlowSync {
    fn name(&self) -> &Arc<str> {
        self.ram.name()
    }
    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        self.ram.read_vectored_at(offset_bytes, buffers)
    }
    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        self.ram.write_vectored_at(offset_bytes, buffers)
    }
    fn sync(&self) -> Result<(), DeviceError> {
        std::thread::sleep(self.sync);
        Ok(())
    }
    fn len_bytes(&self) -> u64 {
        self.ram.len_bytes()
    }
    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.ram.set_len(bytes)
    }
    fn meter(&self) -> &Meter {
        self.ram.meter()
    }
}

fn device(bytes: u64, sync: Duration) -> Arc<SlowSync> {
    let ram = RamDevice::new("bench");
    ram.set_len(bytes).expect("memory");
    Arc::new(SlowSync { ram, sync })
}

fn file(device: Arc<dyn BlockDevice>, file: u16, kind: FileKind) -> Arc<StorageFile> {
    let header = FileHeader {
        db: DB,
        file: FileId(file),
        file_guid: [0; 16],
        database_guid: [7; 16],
        server_guid: [0; 16],
        size_pages: 0,
        configured_pages: 0,
        limits: Limits { max_pages: None, growth: Growth::Pages(8192) },
        kind,
        tier: Tier::FIRST,
        name: "bench".into(),
    };
    Arc::new(StorageFile::new(header, Medium::Ram, device))
}

struct Bench {
    handle: DatabaseHandle,
    data: Arc<StorageFile>,
}

impl PageHome for Bench {
    fn extend_to(&self, _: &Ask<'_>, page: PageId) -> Result<(), IoFailure> {
        let inside = u64::from(page.page.0) < self.data.device().len_bytes() / PAGE_BYTES as u64;
        if inside { Ok(()) } else { Err(IoFailure::NoFile { page }) }
    }
}

fn bench(data: Arc<dyn BlockDevice>, log: Arc<dyn BlockDevice>, is_new: bool) -> Bench {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let waits = Arc::new(WaitStats::new(clock.clone()));
    let config =
        LogConfig { db: DB, guid: [7; 16], clock: clock.clone(), waits: waits.clone(), keep_until_backup: false };
    let data = file(data, 1, FileKind::Data);
    let volume = Arc::new(Volume::default());
    volume.add(data.clone());
    let pool = Pool::new(PoolConfig::new(512 << 20, clock), volume, waits);
    pool.attach_file(DB, FileId(1), Durability::Durable);
    let files = vec![file(log, 2, FileKind::Log)];
    let log = if is_new { Log::create(config, files) } else { Log::open(config, files) }.expect("a log");
    let logs = Arc::new(Logs::default());
    logs.add(DB, log.clone());
    pool.set_log_rule(logs);
    Bench { handle: DatabaseHandle { db: DB, pool, log: Some(log) }, data }
}

fn with_ask<R>(session: u16, work: impl FnOnce(&Ask<'_>) -> R) -> R {
    let (task, object) = (Task::new(SessionId(session)), IoCount::default());
    work(&Ask::new(&task, &object))
}

fn page(number: u32) -> PageId {
    PageId { db: DB, file: FileId(1), page: PageNo(number) }
}

/// One thread: a mini-transaction with a record of 150 bytes, without and with a page.
fn appends() {
    let bench = bench(device(64 << 20, Duration::ZERO), device(1 << 30, Duration::ZERO), true);
    let log = bench.handle.log.as_ref().expect("durable");
    let rounds = 1_000_000;
    with_ask(51, |ask| {
        let mut txn = log.begin();
        let (began, began_cpu) = (Instant::now(), cpu("thread-self"));
        for _ in 0..rounds {
            Mtr::begin(&bench.handle, ask, 200).expect("room").commit_change(&mut txn, &[1; 122]);
        }
        let (wall, used) = (began.elapsed(), cpu("thread-self") - began_cpu);
        println!(
            "append, record of 150 bytes: {} ns ({} ns of processor)",
            wall.as_nanos() / rounds,
            used.as_nanos() / rounds
        );
        log.commit(ask, txn, CommitMode::Delayed).expect("committed");

        let mut mtr = Mtr::begin(&bench.handle, ask, 200).expect("room");
        let index = mtr.create(page(8), PageKind::Data, 1, 1, 0).expect("a page");
        mtr.apply(index, PageOp::Insert { slot: 0, record: &[0; 300] }).expect("room");
        mtr.commit();
        let mut txn = log.begin();
        let (began, began_cpu) = (Instant::now(), cpu("thread-self"));
        for _ in 0..rounds {
            let mut mtr = Mtr::begin(&bench.handle, ask, 200).expect("room");
            let index = mtr.latch(page(8)).expect("a page");
            mtr.apply(index, PageOp::Patch { slot: 0, offset: 8, bytes: &[1; 30] }).expect("a record");
            mtr.commit_change(&mut txn, &[1; 70]);
        }
        let (wall, used) = (began.elapsed(), cpu("thread-self") - began_cpu);
        println!(
            "mini-transaction: latch, patch, record of 143 bytes: {} ns ({} ns of processor)",
            wall.as_nanos() / rounds,
            used.as_nanos() / rounds
        );
        log.commit(ask, txn, CommitMode::Delayed).expect("committed");
    });
}

/// Sessions that commit one change after the other.
fn group_commit(sessions: u16, sync: Duration) {
    let device = device(512 << 20, sync);
    let bench = bench(self::device(64 << 20, Duration::ZERO), device.clone(), true);
    let log = bench.handle.log.as_ref().expect("durable");
    let began = Instant::now();
    (0..50).for_each(|_| device.sync().expect("memory syncs"));
    let syncs_per_s = 50.0 / began.elapsed().as_secs_f64();
    let (stop, commits) = (AtomicBool::new(false), AtomicU64::new(0));
    let flushes = log.report().flushes;
    let began = Instant::now();
    std::thread::scope(|scope| {
        for session in 0..sessions {
            let (stop, commits, handle) = (&stop, &commits, &bench.handle);
            scope.spawn(move || {
                with_ask(51 + session, |ask| {
                    while !stop.load(Relaxed) {
                        let mut txn = log.begin();
                        Mtr::begin(handle, ask, 200).expect("room").commit_change(&mut txn, &[1; 122]);
                        log.commit(ask, txn, CommitMode::Durable).expect("committed");
                        commits.fetch_add(1, Relaxed);
                    }
                });
            });
        }
        std::thread::sleep(Duration::from_secs(2));
        stop.store(true, Relaxed);
    });
    let per_s = commits.load(Relaxed) as f64 / began.elapsed().as_secs_f64();
    let groups = (log.report().flushes - flushes) as f64;
    println!(
        "group commit, {sessions} sessions, {syncs_per_s:.0} syncs/s: {per_s:.0} commits/s, {:.1} per group, {:.0} % of syncs x sessions",
        commits.load(Relaxed) as f64 / groups,
        per_s / (syncs_per_s * f64::from(sessions)) * 100.0
    );
}

/// Redo of a log full of patches and inserts on 16,000 pages.
fn redo(log_bytes: u64) {
    let pages = 16_000;
    let (data, device) =
        (device((u64::from(pages) + 8) * 8192, Duration::ZERO), device(log_bytes * 5 / 4, Duration::ZERO));
    let bench_one = bench(data.clone(), device.clone(), true);
    let log = bench_one.handle.log.as_ref().expect("durable");
    with_ask(51, |ask| {
        for number in 8..pages {
            let mut mtr = Mtr::begin(&bench_one.handle, ask, 400).expect("room");
            let index = mtr.create(page(number), PageKind::Data, 1, 1, 0).expect("a page");
            mtr.apply(index, PageOp::Insert { slot: 0, record: &[0; 300] }).expect("room");
            mtr.commit();
        }
        let mut number = 1_u32;
        while log.report().appended_bytes < log_bytes {
            let mut txn = log.begin();
            for _ in 0..1000 {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let mut mtr = Mtr::begin(&bench_one.handle, ask, 200).expect("room");
                let index = mtr.latch(page(8 + (number >> 8) % (pages - 8))).expect("a page");
                mtr.apply(index, PageOp::Patch { slot: 0, offset: 8, bytes: &[1; 60] }).expect("a record");
                mtr.commit_change(&mut txn, &[1; 60]);
            }
            log.commit(ask, txn, CommitMode::Delayed).expect("committed");
        }
        log.close(ask).expect("closed");
    });
    drop(bench_one);
    for threads in [1, 2] {
        // Pages are in memory only; each recovery starts from an empty data file.
        let fresh = self::device(data.len_bytes(), Duration::ZERO);
        let bench = bench(fresh, copy_of(&device), false);
        let (began, began_cpu) = (Instant::now(), cpu_of_process_s());
        let options = RedoOptions {
            threads,
            stop_at_us: None,
            restored: millpond_storage::page::header::Lsn::default(),
            at_damage: AtDamage::Refuse,
            of_backup: false,
        };
        let redone = with_ask(0, |ask| recovery::redo(ask, &bench.handle, &bench, options)).expect("recovered");
        let seconds = began.elapsed().as_secs_f64();
        let cpu_s = cpu_of_process_s() - began_cpu;
        println!(
            "redo, {threads} page threads: {:.0} MB of log in {seconds:.2} s ({cpu_s:.2} s of processor) = {:.0} MB/s, {:.2} M changes/s",
            redone.read_bytes as f64 / 1e6,
            redone.read_bytes as f64 / 1e6 / seconds,
            redone.applied as f64 / 1e6 / seconds
        );
    }
}

fn copy_of(source: &SlowSync) -> Arc<SlowSync> {
    let copy = device(source.len_bytes(), Duration::ZERO);
    let mut chunk = vec![0; 1 << 20];
    let mut at = 0;
    while at < source.len_bytes() {
        let bytes = (source.len_bytes() - at).min(chunk.len() as u64) as usize;
        source.read_at(at, &mut chunk[..bytes]).expect("memory reads");
        copy.write_at(at, &chunk[..bytes]).expect("memory writes");
        at += bytes as u64;
    }
    copy
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let (sync_us, redo_mb) = (numbers.next().unwrap_or(2000), numbers.next().unwrap_or(200));
    appends();
    for sessions in [1, 8, 64] {
        group_commit(sessions, Duration::from_micros(sync_us));
    }
    redo(redo_mb << 20);
}
