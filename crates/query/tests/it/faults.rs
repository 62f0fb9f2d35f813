//! I/O that fails or stands still: statements end with an error or with the right answer, nothing hangs, the server goes
//! on, and what was committed is there after a restart.

use std::io::{IoSlice, IoSliceMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::channel;
use std::time::Duration;

use millpond_device::fault::Fault;
use millpond_device::{BlockDevice, Clock, DeviceError, ManualClock, Media, Meter, OpenMode, RamMedia, SystemClock};
use millpond_engine::engine::Engine;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{TempFileConfig, TempdbConfig};
use millpond_txn::TxnManager;
use parking_lot::{Condvar, Mutex};

use crate::harness::{run, session};

/// An engine over `media` with 3 MB of memory, so that it reads and writes all the time.
fn open(media: Arc<dyn Media>, clock: Arc<dyn Clock>) -> Option<Arc<Engine>> {
    let files = vec![TempFileConfig::new("tempdev", false), TempFileConfig::new("templog", true)];
    let config = InstanceConfig {
        max_memory_bytes: Some(3 << 20),
        tempdb: Some(TempdbConfig { files }),
        media,
        ..InstanceConfig::new(Some("/ram".into()), clock)
    };
    Some(millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).ok()?)))
}

const SUM: &str = "select sum(n) as s, count(*) as c from shop.dbo.t";
const RIGHT: &str = "[s:int | c:int]\n40000 | 400\n";
const COMMAND: &str = "set nocount on ";

fn set_up(engine: &Arc<Engine>) {
    let mut one = session(engine);
    assert_eq!(run(&mut one, "set nocount on create database shop"), "");
    let make = "use shop create table t (id int primary key, n int not null, c char(4000) not null default 'x')
        declare @i int = 0 while @i < 400 begin insert t (id, n) values (@i, 100) set @i += 1 end checkpoint";
    assert_eq!(run(&mut one, make), "");
}

/// Work whose statements keep the sum; every answer must be right, or an error.
const WORK: &[&str] = &[
    SUM,
    "begin tran update shop.dbo.t set n = n - 1 where id < 200 update shop.dbo.t set n = n + 1 where id >= 200 commit",
    SUM,
    "select id, n, c into #t from shop.dbo.t order by c, n desc",
    "select case when count(*) = 400 and sum(n) = 40000 then 'right' else 'wrong' end as a from #t",
    "checkpoint",
    "update shop.dbo.t set n = case when id % 2 = 0 then n + 1 else n - 1 end",
    "begin tran delete shop.dbo.t where id < 50 rollback",
    SUM,
    "drop table #t",
    "checkpoint",
    SUM,
];

/// Runs the work; says how many statements failed.
fn work(engine: &Arc<Engine>) -> usize {
    let mut one = session(engine);
    let mut failed = 0;
    for text in WORK {
        let said = run(&mut one, &format!("{COMMAND}{text}"));
        if said.contains("Msg ") {
            assert!(!said.contains("Msg 0,"), "{said}");
            failed += 1;
            // An open transaction would make the next statements part of it.
            run(&mut one, "if @@trancount > 0 rollback");
            run(&mut one, "use shop");
            continue;
        }
        assert!(!said.contains("wrong"), "{said}");
        if *text == SUM {
            assert_eq!(said, RIGHT);
        }
    }
    failed
}

/// Calls of each kind that the work makes of each file.
fn calls(media: &RamMedia) -> Vec<(PathBuf, [u64; 3])> {
    let of = |path: PathBuf| {
        let reading = media.device(&path).map(|device| device.meter().reading()).unwrap_or_default();
        (path, [reading.reads, reading.writes, reading.syncs])
    };
    media.paths().into_iter().map(of).collect()
}

fn one_run(start: &RamMedia, path: &Path, fault: Fault, passing: u64) -> usize {
    let media = Arc::new(start.snapshot());
    let engine = open(media.clone(), Arc::new(SystemClock::new())).expect("nothing fails yet");
    let device = media.device(path).expect("it is there at the start");
    // A read has failed when it was refused five times.
    let times = if fault == Fault::ReadError { 5 } else { 1 };
    (0..times).for_each(|_| device.order(fault, passing));
    let failed = work(&engine);
    let told = run(&mut session(&engine), SUM);
    assert!(told.contains("Msg ") || told.starts_with(RIGHT), "{told}");
    drop(engine);
    let left = Arc::new(media.snapshot_without_faults());
    let engine = open(left, Arc::new(SystemClock::new())).expect("the next start finds all in order");
    let told = run(&mut session(&engine), &format!("{COMMAND}{SUM}"));
    assert_eq!(told, RIGHT, "after a restart");
    failed
}

trait WithoutFaults {
    fn snapshot_without_faults(&self) -> RamMedia;
}

impl WithoutFaults for RamMedia {
    /// Orders that did not strike would strike the snapshot's reads.
    fn snapshot_without_faults(&self) -> RamMedia {
        for path in self.paths() {
            let Some(device) = self.device(&path) else { continue };
            while device.pending() > 0 {
                let _ = (device.read_at(0, &mut [0; 1]), device.write_at(device.len_bytes(), &[]), device.sync());
            }
        }
        self.snapshot()
    }
}

#[test]
fn whatever_call_fails_no_answer_is_wrong_and_nothing_hangs() {
    let start = RamMedia::new();
    let start = Arc::new(start);
    let engine = open(start.clone(), Arc::new(SystemClock::new())).unwrap();
    set_up(&engine);
    drop(engine);
    let media = Arc::new(start.snapshot());
    let engine = open(media.clone(), Arc::new(SystemClock::new())).unwrap();
    let before = calls(&media);
    assert_eq!(work(&engine), 0);
    let after = calls(&media);
    drop(engine);
    let mut places = Vec::new();
    for ((path, before), (_, after)) in before.iter().zip(&after) {
        for (kind, faults) in [
            vec![Fault::ReadError],
            vec![Fault::WriteError, Fault::ShortWrite { bytes: 700 }, Fault::WriteNoSpace],
            vec![Fault::SyncError],
        ]
        .into_iter()
        .enumerate()
        {
            let count = after[kind] - before[kind];
            // The first calls, and some of all others.
            let step = (count / 6).max(1);
            for passing in (0..count).filter(|n| *n < 2 || n % step == 0) {
                places.extend(faults.iter().map(|fault| (path.clone(), *fault, passing)));
            }
        }
    }
    assert!(places.len() > 60, "{places:?}");
    if std::env::var_os("MILLPOND_ALL_FAULTS").is_none() {
        // Each check takes some of them, over all files and kinds.
        let step = places.len().div_ceil(40);
        places = places.into_iter().step_by(step).collect();
    }
    let (mut runs_that_failed, mut statements_that_failed) = (0, 0);
    for (path, fault, passing) in &places {
        let (done, finished) = channel();
        let (start, path_of, fault, passing) = (start.clone(), path.clone(), *fault, *passing);
        let place = format!("{} {fault:?} after {passing}", path.display());
        std::thread::spawn(move || {
            let failed =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| one_run(&start, &path_of, fault, passing)));
            let _ = done.send(failed);
        });
        match finished.recv_timeout(Duration::from_secs(120)) {
            Ok(Ok(failed)) => {
                runs_that_failed += usize::from(failed > 0);
                statements_that_failed += failed;
            }
            Ok(Err(panic)) => panic!("{place}: {:?}", panic.downcast_ref::<String>()),
            Err(_) => panic!("{place}: it hangs"),
        }
    }
    println!("{} places, {runs_that_failed} runs with errors, {statements_that_failed} statements", places.len());
    assert!(runs_that_failed > 3, "faults that nobody notices test nothing");
}

/// Files of which one stands still when a test says so.
#[derive(Debug)]
struct Stalling {
    media: RamMedia,
    waiting: Arc<AtomicUsize>,
    stalled: Arc<(Mutex<Option<PathBuf>>, Condvar)>,
}

impl Stalling {
    fn stall(&self, path: &str) {
        self.waiting.store(0, Relaxed);
        *self.stalled.0.lock() = Some(path.into());
    }

    /// Returns when somebody waits for the file that stands still.
    fn somebody_waits(&self) {
        while self.waiting.load(Relaxed) == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn release(&self) {
        *self.stalled.0.lock() = None;
        self.stalled.1.notify_all();
    }
}

#[derive(Debug)]
struct StallingDevice {
    path: PathBuf,
    waiting: Arc<AtomicUsize>,
    device: Arc<dyn BlockDevice>,
    stalled: Arc<(Mutex<Option<PathBuf>>, Condvar)>,
}

impl StallingDevice {
    fn wait(&self) {
        let mut stalled = self.stalled.0.lock();
        self.waiting.fetch_add(usize::from(stalled.as_ref() == Some(&self.path)), Relaxed);
        self.stalled.1.wait_while(&mut stalled, |stalled| stalled.as_ref() == Some(&self.path));
    }
}

impl BlockDevice for StallingDevice {
    fn name(&self) -> &Arc<str> {
        self.device.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        self.wait();
        self.device.read_vectored_at(offset_bytes, buffers)
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        self.wait();
        self.device.write_vectored_at(offset_bytes, buffers)
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.wait();
        self.device.sync()
    }

    fn len_bytes(&self) -> u64 {
        self.device.len_bytes()
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.device.set_len(bytes)
    }

    fn meter(&self) -> &Meter {
        self.device.meter()
    }
}

impl Media for Stalling {
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        let device = self.media.open(path, mode)?;
        Ok(Arc::new(StallingDevice {
            path: path.to_owned(),
            waiting: self.waiting.clone(),
            device,
            stalled: self.stalled.clone(),
        }))
    }

    fn exists(&self, path: &Path) -> bool {
        self.media.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.media.is_dir(path)
    }

    fn remove(&self, path: &Path) -> Result<(), DeviceError> {
        self.media.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError> {
        self.media.rename(from, to)
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DeviceError> {
        self.media.sync_dir(dir)
    }

    fn create_dir_all(&self, dir: &Path) -> Result<(), DeviceError> {
        self.media.create_dir_all(dir)
    }
}

fn log_of(engine: &Arc<Engine>, number: i32) -> Vec<String> {
    let lines = engine.error_log().lines().into_iter();
    lines.filter(|line| line.number == number).map(|line| line.text).collect()
}

/// Not only data files: who commits waits for the log, a checkpoint for the doublewrite area, a scan for the extension.
#[test]
fn long_requests_of_the_log_the_doublewrite_area_and_the_extension_are_told_of() {
    let media = Arc::new(Stalling { media: RamMedia::new(), waiting: Arc::default(), stalled: Arc::default() });
    let clock = Arc::new(ManualClock::new(1_700_000_000_000_000, 0));
    let engine = open(media.clone(), clock.clone()).unwrap();
    set_up(&engine);
    let on = "alter server configuration set buffer pool extension on (filename = '/ram/pool.BPE', size = 32 MB)";
    assert_eq!(run(&mut session(&engine), on), "");
    for (path, whose) in [
        ("/ram/shop_log.ldf", "] in database [shop] ("),
        ("/ram/doublewrite.area", "] in no database."),
        ("/ram/pool.BPE", "] in no database."),
    ] {
        media.stall(path);
        let waiting = {
            let engine = engine.clone();
            let text = format!("{COMMAND}use shop update t set n = n + 1 update t set n = n - 1 checkpoint {SUM}");
            std::thread::spawn(move || run(&mut session(&engine), &text))
        };
        media.somebody_waits();
        clock.advance_us(16_000_000);
        engine.instance().look_for_slow_io();
        media.release();
        assert_eq!(waiting.join().unwrap(), RIGHT, "{path}");
        engine.instance().look_for_slow_io();
        let told: Vec<String> = log_of(&engine, 833).into_iter().filter(|line| line.contains(path)).collect();
        assert_eq!(told.len(), 1, "{path}: {:?}", log_of(&engine, 833));
        assert!(told[0].contains(&format!("{path}{whose}")), "{told:?}");
    }
}

#[test]
fn a_device_that_stands_still_is_told_of_and_holds_up_nobody_else() {
    let media = Arc::new(Stalling { media: RamMedia::new(), waiting: Arc::default(), stalled: Arc::default() });
    let clock = Arc::new(ManualClock::new(1_700_000_000_000_000, 0));
    let engine = open(media.clone(), clock.clone()).unwrap();
    set_up(&engine);
    let mut other = session(&engine);
    run(&mut other, "set nocount on create database beside");
    run(&mut other, "use beside create table u (id int primary key) insert u values (1), (2)");
    run(&mut other, "dbcc dropcleanbuffers with no_infomsgs");
    let stall = |other: &mut _| {
        media.stall("/ram/shop.mdf");
        let waiting = {
            let engine = engine.clone();
            std::thread::spawn(move || run(&mut session(&engine), &format!("{COMMAND}{SUM}")))
        };
        let file = || engine.instance().files(engine.database_id("shop").unwrap());
        while file()[0].requests_now == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        clock.advance_us(14_000_000);
        engine.instance().look_for_slow_io();
        let quiet = log_of(&engine, 833).len();
        clock.advance_us(2_000_000);
        engine.instance().look_for_slow_io();
        engine.instance().look_for_slow_io();
        let work = "insert u select max(id) + 1 from u select count(*) from u
            create table #t (c char(8000)) insert #t values ('a'), ('b') select count(*) from #t drop table #t checkpoint";
        let said = run(other, work);
        assert!(said.ends_with("[:int]\n2\n") && !said.contains("Msg"), "{said}");
        media.release();
        assert_eq!(waiting.join().unwrap(), RIGHT);
        run(other, "dbcc dropcleanbuffers with no_infomsgs");
        quiet
    };
    assert_eq!(stall(&mut other), 0, "not before 15 s");
    let told = log_of(&engine, 833);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("SQL Server has encountered ") && told[0].contains("in database [shop] ("), "{told:?}");
    stall(&mut other);
    assert_eq!(log_of(&engine, 833).len(), 1, "once in five minutes");
    clock.advance_us(300_000_000);
    engine.instance().look_for_slow_io();
    assert_eq!(log_of(&engine, 833).len(), 2, "then those in between");
    let read = run(&mut other, "exec sp_readerrorlog 0, 1, N'longer than 15 seconds', N'shop'");
    assert_eq!((read.lines().count(), read.contains("Error: ")), (3, false), "{read}");
}

#[test]
fn a_read_that_is_refused_is_tried_again_and_told_of() {
    let media = Arc::new(RamMedia::new());
    let engine = open(media.clone(), Arc::new(SystemClock::new())).unwrap();
    set_up(&engine);
    let device = media.device(Path::new("/ram/shop.mdf")).unwrap();
    let mut one = session(&engine);
    run(&mut one, "set nocount on");
    let mut read_with = |failures: usize| {
        run(&mut one, "dbcc dropcleanbuffers with no_infomsgs");
        (0..failures).for_each(|_| device.order(Fault::ReadError, 0));
        run(&mut one, SUM)
    };
    for failures in 1..=4 {
        assert_eq!(read_with(failures), RIGHT);
        let told = log_of(&engine, 825);
        assert_eq!(told.len(), failures);
        assert!(told.last().unwrap().contains(&format!("succeeded after failing {failures} time(s)")), "{told:?}");
    }
    let said = read_with(64);
    assert!(said.contains("Msg 823, Level 24"), "{said}");
    while device.pending() > 0 {
        let _ = device.read_at(0, &mut [0]);
    }
    assert_eq!(read_with(0), RIGHT);
}
