//! Every call of a run fails once: a durable table larger than memory, a temporary one that overflows to the last tier, and
//! the extension on. A statement that meets the fault ends with an error or with the right answer, so does everything after
//! it, nothing hangs, and what was committed is there after a restart on devices that work.
//!
//! A check takes some of the calls; `MILLPOND_ALL_FAULTS=1` takes all of them, `MILLPOND_SEED` other ones, and
//! `MILLPOND_CALL` one. Threads of the instance call too, so a number is not the same call in each run.

use std::collections::BTreeMap;
use std::io::{IoSlice, IoSliceMut};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::channel;
use std::time::Duration;

use millpond_access::tree::{KeyRange, TreeRoot};
use millpond_access::{AccessError, Heap};
use millpond_device::fault::Fault;
use millpond_device::{BlockDevice, DeviceError, Media, Meter, OpenMode, RamMedia};
use millpond_storage::ask::{Ask, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::extension::ExtensionMode;
use millpond_storage::file::tier::Tier;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_storage::wal::CommitMode;
use millpond_txn::lock::LockMode;
use millpond_txn::{HeapKind, ReadHint, SessionWork, TxnError, TxnManager};

use crate::extension::{IDS, World, open_with, payload, with_ask};
use millpond_access::heap;
use millpond_access::tree;
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;

/// Small enough for many runs.
const MEMORY_BYTES: u64 = 1 << 20;
/// Rows of the durable table, two on a page: more than the memory.
const ROWS: u32 = 280;
/// Rows of the temporary table, 5,000 bytes each: more than the memory and the first file.
const TEMPORARY_ROWS: u32 = 200;
/// Runs of a check.
const RUNS: u64 = 25;
/// No run of a few hundred milliseconds takes so long, on whatever machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What happens to the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blow {
    /// Refused once; a read is tried again.
    Once,
    /// A read is refused as often as it is tried; a write arrives in part.
    Hard,
    /// A write finds no room.
    NoSpace,
}

/// Counts the calls of all files; one of them fails.
#[derive(Debug)]
struct Counting {
    media: RamMedia,
    counter: Arc<Counter>,
}

#[derive(Debug, Default)]
struct Counter {
    is_on: AtomicBool,
    calls: AtomicU64,
    /// Number of the call that fails, 0: none.
    fails: AtomicU64,
    /// Whether that call came.
    has_struck: AtomicBool,
    blow: parking_lot::Mutex<Option<Blow>>,
}

impl Counter {
    /// What happens to this call.
    fn call(&self) -> Option<Blow> {
        if !self.is_on.load(Relaxed) {
            return None;
        }
        let number = self.calls.fetch_add(1, Relaxed) + 1;
        if number != self.fails.load(Relaxed) {
            return None;
        }
        self.has_struck.store(true, Relaxed);
        *self.blow.lock()
    }
}

#[derive(Debug)]
struct CountedDevice {
    device: Arc<dyn BlockDevice>,
    faults: Option<Arc<millpond_device::FaultDevice>>,
    counter: Arc<Counter>,
}

impl CountedDevice {
    fn order(&self, fault: Fault, times: usize) {
        if let Some(faults) = &self.faults {
            (0..times).for_each(|_| faults.order(fault, 0));
        }
    }
}

impl BlockDevice for CountedDevice {
    fn name(&self) -> &Arc<str> {
        self.device.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        match self.counter.call() {
            Some(Blow::Once) => self.order(Fault::ReadError, 1),
            Some(_) => self.order(Fault::ReadError, 5),
            None => {}
        }
        self.device.read_vectored_at(offset_bytes, buffers)
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        match self.counter.call() {
            Some(Blow::Once) => self.order(Fault::WriteError, 1),
            Some(Blow::Hard) => self.order(Fault::ShortWrite { bytes: 700 }, 1),
            Some(Blow::NoSpace) => self.order(Fault::WriteNoSpace, 1),
            None => {}
        }
        self.device.write_vectored_at(offset_bytes, buffers)
    }

    fn sync(&self) -> Result<(), DeviceError> {
        if self.counter.call().is_some() {
            self.order(Fault::SyncError, 1);
        }
        self.device.sync()
    }

    fn len_bytes(&self) -> u64 {
        self.device.len_bytes()
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        let is_longer = bytes > self.len_bytes();
        match self.counter.call() {
            Some(_) if is_longer => Err(DeviceError::NoSpace { device: self.name().clone(), wanted_bytes: bytes }),
            _ => self.device.set_len(bytes),
        }
    }

    fn meter(&self) -> &Meter {
        self.device.meter()
    }
}

impl Counting {
    fn refused<T>(&self, path: &Path, then: impl FnOnce() -> Result<T, DeviceError>) -> Result<T, DeviceError> {
        match self.counter.call() {
            Some(_) => {
                let (device, source) = (path.display().to_string().into(), std::io::Error::other("ordered"));
                Err(DeviceError::System { device, doing: "directory", source })
            }
            None => then(),
        }
    }
}

impl Media for Counting {
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        let device = self.refused(path, || self.media.open(path, mode))?;
        let faults = self.media.device(path);
        Ok(Arc::new(CountedDevice { device, faults, counter: self.counter.clone() }))
    }

    fn exists(&self, path: &Path) -> bool {
        self.media.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.media.is_dir(path)
    }

    fn remove(&self, path: &Path) -> Result<(), DeviceError> {
        self.refused(path, || self.media.remove(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError> {
        self.refused(from, || self.media.rename(from, to))
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DeviceError> {
        self.refused(dir, || self.media.sync_dir(dir))
    }

    fn create_dir_all(&self, dir: &Path) -> Result<(), DeviceError> {
        self.media.create_dir_all(dir)
    }
}

/// A small file of memory first, a disk that grows last.
fn config(media: Arc<dyn Media>) -> InstanceConfig {
    let file = |name: &str, log| TempFileConfig {
        path: Some(format!("/ram/{name}").into()),
        size_pages: 128,
        growth: GrowthConfig::Pages(if log { 128 } else { 0 }),
        ..TempFileConfig::new(name, log)
    };
    let last = TempFileConfig { tier: Tier::LAST, growth: GrowthConfig::Pages(128), ..file("overflow", false) };
    let tempdb = Some(TempdbConfig { files: vec![file("tempdev", false), file("templog", true), last] });
    InstanceConfig { tempdb, ..InstanceConfig::over(media, MEMORY_BYTES) }
}

/// What rows may be: as they were committed, or as a transaction left them of which it is not known whether it was.
struct Expected {
    rows: BTreeMap<u32, u64>,
    unknown: Option<BTreeMap<u32, u64>>,
}

impl Expected {
    /// A row that is not as it should be: what it is, and what it was and may be.
    fn first_wrong(&self, found: &BTreeMap<u32, u64>) -> Option<(u32, Option<u64>, u64, Option<u64>)> {
        if *found == self.rows || self.unknown.as_ref() == Some(found) {
            return None;
        }
        let unknown = |row| self.unknown.as_ref().and_then(|rows| rows.get(row)).copied();
        let wrong = self.rows.iter().find(|(row, value)| found.get(row) != Some(value));
        wrong.map(|(row, value)| (*row, found.get(row).copied(), *value, unknown(row)))
    }
}

/// A run: its session, what it knows, and how many statements have failed.
struct Run {
    manager: Arc<TxnManager>,
    db: DbId,
    root: TreeRoot,
    work: SessionWork,
    expected: Expected,
    failed: Vec<String>,
}

impl Run {
    fn tree(&self) -> Result<Arc<millpond_access::tree::Tree>, TxnError> {
        let database = self.manager.instance().database(self.db).expect("known");
        Ok(open_trees::open_tree(&self.manager, &open_trees::tree_ctx(&database)?, IDS, self.root))
    }

    /// Counts an error, if it is of those that a failing device gives.
    fn note<R>(&mut self, what: &str, result: Result<R, TxnError>) -> Option<R> {
        match result {
            Ok(result) => Some(result),
            Err(
                error @ (TxnError::Access(_)
                | TxnError::Log(_)
                | TxnError::Wal { .. }
                | TxnError::CommitFailed { .. }
                | TxnError::VersionLost { .. }
                | TxnError::UndoLost { .. }
                | TxnError::DatabaseUnavailable(_)),
            ) => {
                self.failed.push(format!("{what}: {error}"));
                None
            }
            Err(error) => panic!("{what}: {error:?} is no error of a device"),
        }
    }

    /// One transaction that gives every `step`-th row a new value.
    fn update(&mut self, ask: &Ask<'_>, step: u32, base: u64) {
        let mut after = self.expected.rows.clone();
        transaction::begin(&mut self.work);
        let mut changed = self.tree();
        for row in (0..ROWS).step_by(step as usize) {
            let Ok(tree) = &changed else { break };
            let value = base + u64::from(row);
            after.insert(row, value);
            if let Err(error) = tree_rows::update(&mut self.work, ask, tree, &row.to_be_bytes(), &payload(value)) {
                changed = Err(error);
            }
        }
        self.end(ask, "update", changed.map(drop), after);
    }

    /// One transaction that fills so many rows after those that are there, without the log.
    fn load(&mut self, ask: &Ask<'_>, count: u32) {
        let mut after = self.expected.rows.clone();
        let first = after.keys().next_back().map_or(0, |last| last + 1);
        after.extend((first..first + count).map(|row| (row, u64::from(row))));
        transaction::begin(&mut self.work);
        let loaded = self.fill_behind(ask, first..first + count);
        self.end(ask, "load", loaded, after);
    }

    fn fill_behind(&mut self, ask: &Ask<'_>, rows: Range<u32>) -> Result<(), TxnError> {
        let tree = self.tree()?;
        self.work.lock_object(ask, tree.ctx().handle.db, tree.ids().object_id, LockMode::X)?;
        let fill = trees::begin_tree_fill(&mut self.work, ask, &tree, 0)?;
        let mut part = fill.part();
        for row in rows {
            part.add(ask, &row.to_be_bytes(), &payload(u64::from(row)))?;
            if row % 50 == 0 {
                part.end_run(ask)?;
            }
        }
        part.end_run(ask)?;
        drop(part);
        trees::end_tree_fill(&mut self.work, ask, &tree, &fill).map(drop)
    }

    /// Commits what was changed, or takes it back.
    fn end(&mut self, ask: &Ask<'_>, what: &str, changed: Result<(), TxnError>, after: BTreeMap<u32, u64>) {
        if self.note(what, changed).is_none() {
            let undone = transaction::rollback(&mut self.work, ask).map(drop);
            self.note("rollback", undone);
            return;
        }
        let committed = transaction::commit(&mut self.work, ask, CommitMode::Durable);
        match self.note("commit", committed) {
            Some(()) => self.expected.rows = after,
            None => {
                assert!(self.expected.unknown.is_none(), "after a commit that failed none succeeds");
                self.expected.unknown = Some(after);
            }
        }
    }

    /// Whatever is read is right.
    fn read(&mut self, ask: &Ask<'_>) {
        let found = self.found(ask);
        if let Some(found) = self.note("read", found) {
            let wrong = self.expected.first_wrong(&found);
            assert!(
                wrong.is_none(),
                "a wrong answer: {wrong:?} of {} rows, failed before: {:?}",
                found.len(),
                self.failed
            );
        }
    }

    fn found(&mut self, ask: &Ask<'_>) -> Result<BTreeMap<u32, u64>, TxnError> {
        let (tree, mut found) = (self.tree()?, BTreeMap::new());
        read::scan::for_each(
            &self.work.reader(),
            ask,
            &tree,
            KeyRange::all(),
            ReadHint::default(),
            &mut |key, bytes| {
                let value = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
                assert_eq!(bytes, payload(value), "a wrong row");
                found.insert(u32::from_be_bytes(key.try_into().expect("4 bytes")), value);
                ControlFlow::Continue(())
            },
        )?;
        // As all do that give answers: when a log has failed, memory has changes that nothing can undo.
        let database = self.manager.instance().database(self.db).expect("known");
        let log = database.log().map_err(|_| TxnError::DatabaseUnavailable(self.db))?.expect("a durable database");
        log.check_available().map_err(|cause| TxnError::Wal { db: self.db, cause })?;
        Ok(found)
    }

    /// A temporary table, as far as it could be filled.
    fn fill(&mut self, ask: &Ask<'_>) -> Option<(Arc<Heap>, u32)> {
        let mark = transaction::begin_statement(&mut self.work);
        let heap = heaps::create_heap(&mut self.work, ask, HeapKind::Table);
        let ended = transaction::end_statement(&mut self.work, ask, mark);
        let heap = self.note("create", heap.and_then(|heap| ended.map(|_| heap)))?;
        for row in 0..TEMPORARY_ROWS {
            let mark = transaction::begin_statement(&mut self.work);
            let bytes = [row.to_le_bytes().as_slice(), &[row as u8; 4996]].concat();
            let inserted = heap_rows::insert(&mut self.work, ask, &heap, bytes.len(), |to| to.copy_from_slice(&bytes));
            if self.note("insert", inserted).is_none() {
                // A heap of which the undo failed is dropped.
                let undone = transaction::abort_statement(&mut self.work, ask, mark).map(drop);
                return self.note("undo", undone).map(|()| (heap, row));
            }
            let ended = transaction::end_statement(&mut self.work, ask, mark);
            self.note("end", ended)?;
        }
        Some((heap, TEMPORARY_ROWS))
    }

    fn read_temporary(&mut self, ask: &Ask<'_>, heap: &Arc<Heap>, count: u32) {
        let mut numbers = Vec::new();
        let read: Result<(), AccessError> = (|| {
            let mut scan = heap::scan::open(heap);
            while scan.next_page(ask, &mut |_, bytes| {
                let row = u32::from_le_bytes(bytes[..4].try_into().expect("4 bytes"));
                assert!(bytes.len() == 5000 && bytes[4..].iter().all(|byte| *byte == row as u8), "a wrong row");
                numbers.push(row);
                ControlFlow::Continue(())
            })? {}
            Ok(())
        })();
        if self.note("scan", read.map_err(TxnError::Access)).is_some() {
            numbers.sort_unstable();
            assert!(numbers == (0..count).collect::<Vec<_>>(), "a wrong answer: {} rows of {count}", numbers.len());
        }
    }

    fn checkpoint(&mut self, ask: &Ask<'_>) {
        // Its errors are of another type; all of them are allowed here.
        let done = self.manager.instance().checkpoint(ask, self.db);
        self.failed.extend(done.err().map(|error| format!("checkpoint: {error}")));
    }

    fn script(&mut self, ask: &Ask<'_>) {
        self.read(ask);
        self.update(ask, 5, 50_000);
        self.load(ask, 130);
        let temporary = self.fill(ask);
        self.read(ask);
        self.checkpoint(ask);
        if let Some((heap, count)) = &temporary {
            self.read_temporary(ask, heap, *count);
        }
        self.update(ask, 3, 60_000);
        self.read(ask);
        if let Some((heap, _)) = temporary {
            let mark = transaction::begin_statement(&mut self.work);
            let dropped = heaps::drop_heap(&mut self.work, ask, &heap);
            let ended = transaction::end_statement(&mut self.work, ask, mark).map(drop);
            self.note("drop", dropped.and(ended));
        }
        self.checkpoint(ask);
        self.read(ask);
    }
}

/// What all runs begin with.
struct Start {
    media: RamMedia,
    db: DbId,
    root: TreeRoot,
    rows: BTreeMap<u32, u64>,
}

fn start() -> Start {
    let media = Arc::new(RamMedia::new());
    let mut world = World::made_by(open_with(config(media.clone())), media.clone());
    world.enable(ExtensionMode::WriteBack);
    with_ask(|ask| {
        let mut work = world.manager.open_session(SessionId(51), Arc::new(Task::new(SessionId(51))));
        transaction::begin(&mut work);
        for row in 0..ROWS {
            let value = 1000 + u64::from(row);
            tree_rows::insert(&mut work, ask, &world.tree, &row.to_be_bytes(), &payload(value)).expect("new");
            world.rows.insert(row, value);
        }
        transaction::commit(&mut work, ask, CommitMode::Durable).expect("durable");
    });
    world.shut_down();
    let (db, root, rows) = (world.db, world.root, world.rows.clone());
    drop(world);
    Start { media: media.snapshot(), db, root, rows }
}

/// How a run went.
struct Outcome {
    calls: u64,
    has_struck: bool,
    /// Statements that ended with an error.
    failed: u32,
}

/// A run in which that call fails, if one is named.
fn run(start: &Start, fails: Option<(u64, Blow)>) -> Outcome {
    let counter = Arc::new(Counter::default());
    let media = Arc::new(Counting { media: start.media.snapshot(), counter: counter.clone() });
    let manager = open_with(config(media.clone()));
    if let Some((number, blow)) = fails {
        counter.fails.store(number, Relaxed);
        *counter.blow.lock() = Some(blow);
    }
    let work = manager.open_session(SessionId(51), Arc::new(Task::new(SessionId(51))));
    let expected = Expected { rows: start.rows.clone(), unknown: None };
    let mut run = Run { manager, db: start.db, root: start.root, work, expected, failed: Vec::new() };
    counter.is_on.store(true, Relaxed);
    with_ask(|ask| run.script(ask));
    counter.is_on.store(false, Relaxed);
    let (expected, failed) = (run.expected, run.failed);
    drop((run.work, run.manager));
    // What did not strike would strike the copy.
    for path in media.media.paths() {
        let Some(device) = media.media.device(&path) else { continue };
        while device.pending() > 0 {
            let _ = (device.read_at(0, &mut [0; 1]), device.write_at(device.len_bytes(), &[]), device.sync());
        }
    }
    let left = Arc::new(media.media.snapshot());
    let instance = Instance::open(config(left)).expect("the next start finds all in order");
    let manager = TxnManager::new(instance);
    assert!(manager.failed_recoveries().is_empty(), "{:?}", manager.failed_recoveries());
    let work = manager.open_session(SessionId(51), Arc::new(Task::new(SessionId(51))));
    let mut again = Run { manager, db: start.db, root: start.root, work, expected, failed: Vec::new() };
    with_ask(|ask| {
        let found = again.found(ask).expect("readable");
        let wrong = again.expected.first_wrong(&found);
        assert!(wrong.is_none(), "after a restart: {wrong:?} of {} rows", found.len());
        assert!(tree::check::check_tree(&again.tree().expect("open"), ask).expect("readable").problems.is_empty());
    });
    Outcome {
        calls: counter.calls.load(Relaxed),
        has_struck: counter.has_struck.load(Relaxed),
        failed: failed.len() as u32,
    }
}

/// As [`run`]; ends the test when it does not end.
fn watched(start: &Arc<Start>, fails: (u64, Blow), seed: u64) -> Outcome {
    let (done, finished) = channel();
    let own = start.clone();
    std::thread::spawn(move || {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&own, Some(fails))));
        let _ = done.send(result);
    });
    match finished.recv_timeout(PATIENCE) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            panic!("call {} ({:?}), seed {seed}: {text:?}", fails.0, fails.1)
        }
        Err(_) => panic!("call {} ({:?}), seed {seed}: it hangs", fails.0, fails.1),
    }
}

fn number_of(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn whatever_call_fails_answers_are_right_or_errors_and_commits_stay() {
    let start = Arc::new(start());
    let quiet = run(&start, None);
    let calls = quiet.calls;
    assert!(quiet.failed == 0 && calls > 300, "{calls} calls, {} statements failed without a fault", quiet.failed);
    let seed = number_of("MILLPOND_SEED").unwrap_or(1);
    let step = if std::env::var_os("MILLPOND_ALL_FAULTS").is_some() { 1 } else { (calls / RUNS).max(1) };
    if let Some(call) = number_of("MILLPOND_CALL") {
        for blow in [Blow::Hard, Blow::Once, Blow::NoSpace] {
            println!("call {call}, {blow:?}: {} statements failed", watched(&start, (call, blow), seed).failed);
        }
        return;
    }
    let (mut runs, mut struck, mut with_errors) = (0, 0, 0);
    for (turn, call) in (1 + seed % step..=calls).step_by(step as usize).enumerate() {
        let blow = [Blow::Hard, Blow::Once, Blow::NoSpace][(turn as u64 + seed) as usize % 3];
        let outcome = watched(&start, (call, blow), seed);
        runs += 1;
        struck += u64::from(outcome.has_struck);
        with_errors += u64::from(outcome.failed > 0);
    }
    println!("{calls} calls, {runs} runs, {struck} met their fault, {with_errors} had errors");
    // Most faults are mended where they strike; the last calls of a run that makes fewer never come.
    assert!(struck * 4 > runs * 3, "{struck} of {runs} runs met their fault");
}
