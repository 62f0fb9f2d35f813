//! The buffer pool extension under a whole instance: restarts, kills, files that vanish, come back or fail.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use millpond_access::tree;
use millpond_access::tree::{KeyRange, Tree, TreeIds, TreeRoot};
use millpond_device::fault::Fault;
use millpond_device::{BlockDevice, Clock, ManualClock, Media, RamMedia, WallTime};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, FileId, SessionId};
use millpond_storage::database::create;
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::extension::{ExtensionMode, ExtensionState};
use millpond_storage::file::io_watch::{ExtensionEvent, IoEvent};
use millpond_storage::instance::extension::ExtensionError;
use millpond_storage::instance::{Instance, InstanceConfig, extension};
use millpond_storage::wal::CommitMode;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;
use millpond_txn::{ReadHint, TxnManager};

pub const IDS: TreeIds = TreeIds { hobt: 900, object_id: 77, index_id: 1 };
const MEMORY_BYTES: u64 = 2 << 20;
pub const EXTENSION: &str = "/ram/x.BPE";
pub const ROWS: u32 = 1200;
const PAYLOAD_BYTES: usize = 3000;

/// An instance with a database of about 600 pages.
pub struct World<M: Media + 'static = RamMedia> {
    pub media: Arc<M>,
    pub manager: Arc<TxnManager>,
    pub db: DbId,
    pub tree: Arc<Tree>,
    pub root: TreeRoot,
    pub rows: BTreeMap<u32, u64>,
}

pub fn with_ask<R>(work: impl FnOnce(&Ask<'_>) -> R) -> R {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    work(&Ask::new(&task, &io))
}

pub fn open<M: Media + 'static>(media: &Arc<M>) -> Arc<TxnManager> {
    open_with(InstanceConfig::over(media.clone(), MEMORY_BYTES))
}

pub fn open_with(config: InstanceConfig) -> Arc<TxnManager> {
    let manager = TxnManager::new(Instance::open(config).expect("opens"));
    assert!(manager.failed_recoveries().is_empty(), "{:?}", manager.failed_recoveries());
    manager
}

pub fn payload(value: u64) -> Vec<u8> {
    let mut bytes = vec![value as u8; PAYLOAD_BYTES];
    bytes[..8].copy_from_slice(&value.to_le_bytes());
    bytes
}

impl World {
    fn new() -> World {
        let media = Arc::new(RamMedia::new());
        World::made_by(open(&media), media)
    }
}

impl<M: Media + 'static> World<M> {
    /// A new database of a new instance over `media`.
    pub fn made_by(manager: Arc<TxnManager>, media: Arc<M>) -> World<M> {
        with_ask(|ask| {
            let database =
                create::create_database(manager.instance().databases(), ask, &NewDatabase::named("d")).expect("room");
            manager.database_opened(database.id());
            let ctx = open_trees::tree_ctx(&database).expect("open");
            let mut work = manager.open_session(SessionId(50), Arc::new(Task::new(SessionId(50))));
            transaction::begin(&mut work);
            let (tree, root) = trees::create_tree(&mut work, ask, &ctx, IDS).expect("room");
            transaction::commit(&mut work, ask, CommitMode::Durable).expect("durable");
            drop(work);
            World { media, manager, db: database.id(), tree, root, rows: BTreeMap::new() }
        })
    }

    pub fn enable(&self, mode: ExtensionMode) {
        let instance = self.manager.instance();
        instance.settings().set_option("show advanced options", 1).expect("an option");
        instance.reconfigure(true).expect("stored");
        instance.settings().set_option("buffer pool extension mode", mode as i64).expect("an option");
        instance.reconfigure(true).expect("stored");
        extension::enable_extension(instance, Path::new(EXTENSION), 16 << 10).expect("room");
    }

    /// Gives every `step`-th row a new value, made where it is not there.
    pub fn put(&mut self, step: u32, base: u64) {
        with_ask(|ask| {
            let mut work = self.manager.open_session(SessionId(51), Arc::new(Task::new(SessionId(51))));
            for row in (0..ROWS).filter(|row| row % step == 0) {
                // Not in order of the keys.
                let row = row * 7 % ROWS;
                let (key, value) = (row.to_be_bytes(), base + u64::from(row));
                transaction::begin(&mut work);
                if self.rows.insert(row, value).is_some() {
                    tree_rows::update(&mut work, ask, &self.tree, &key, &payload(value)).expect("there");
                } else {
                    tree_rows::insert(&mut work, ask, &self.tree, &key, &payload(value)).expect("new");
                }
                transaction::commit(&mut work, ask, CommitMode::Durable).expect("durable");
            }
        });
    }

    pub fn check(&self) {
        with_ask(|ask| {
            let mut work = self.manager.open_session(SessionId(52), Arc::new(Task::new(SessionId(52))));
            let mut found = BTreeMap::new();
            let read = read::scan::for_each(
                &work.reader(),
                ask,
                &self.tree,
                KeyRange::all(),
                ReadHint::default(),
                &mut |key, bytes| {
                    let value = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
                    assert_eq!(bytes, payload(value));
                    found.insert(u32::from_be_bytes(key.try_into().expect("4 bytes")), value);
                    ControlFlow::Continue(())
                },
            );
            read.expect("readable");
            assert!(found == self.rows, "every row has its last value");
            assert!(tree::check::check_tree(&self.tree, ask).expect("readable").problems.is_empty());
        });
    }

    /// Opens another instance on what is there.
    pub fn restart(&mut self, media: Arc<M>) {
        self.media = media;
        self.manager = open(&self.media);
        let database = self.manager.instance().database(self.db).expect("known");
        let ctx = open_trees::tree_ctx(&database).expect("open");
        self.tree = open_trees::open_tree(&self.manager, &ctx, IDS, self.root);
    }

    pub fn shut_down(&self) {
        with_ask(|ask| self.manager.instance().shutdown(ask, true)).expect("clean");
    }

    pub fn data_reads(&self) -> u64 {
        let files = self.manager.instance().files(self.db);
        files.iter().find(|file| file.file == FileId(1)).expect("a data file").io.read_bytes / 8192
    }

    pub fn wait_for(&self, what: impl Fn(&Instance) -> bool) {
        for _ in 0..1000 {
            if what(self.manager.instance()) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("it does not come: {:?}", self.manager.instance().extension());
    }
}

#[test]
fn after_an_orderly_restart_pages_come_from_the_extension() {
    let mut world = World::new();
    world.enable(ExtensionMode::WriteBack);
    world.put(1, 1000);
    world.put(3, 5000);
    world.check();
    world.shut_down();
    let copy = Arc::new(world.media.snapshot());
    world.restart(copy);
    let kept = world.manager.instance().extension();
    assert!(kept.used > 550 && kept.dirty == 0, "{kept:?}");
    let before = world.data_reads();
    world.check();
    let (read, report) = (world.data_reads() - before, world.manager.instance().extension());
    assert!(read < 30, "{read} pages came from the data file, {report:?}");
    assert!(report.pages_read > 500 && report.mismatched == 0, "{report:?}");
    world.put(2, 9000);
    world.check();
}

/// With a checkpoint since the extension was switched on, and without: then the log is read from before it.
#[test]
fn after_a_kill_what_can_be_proven_is_used() {
    for with_checkpoint in [true, false] {
        let mut world = World::new();
        world.manager.instance().suspend_checkpoints(true);
        world.put(1, 1000);
        if !with_checkpoint {
            with_ask(|ask| world.manager.instance().checkpoint(ask, world.db)).expect("written");
        }
        world.enable(ExtensionMode::WriteBack);
        world.put(60, 3000);
        if with_checkpoint {
            with_ask(|ask| world.manager.instance().checkpoint(ask, world.db)).expect("written");
        }
        // Few, so that redo does not fill the extension anew.
        world.put(40, 5000);
        world.check();
        extension::save_extension_directory(world.manager.instance());
        let before = world.manager.instance().extension();
        let copy = Arc::new(world.media.snapshot());
        world.restart(copy);
        let kept = world.manager.instance().extension();
        assert!(kept.used * 10 > before.used * 9, "{with_checkpoint}: {before:?}, {kept:?}");
        let reads = world.data_reads();
        world.check();
        let (read, now) = (world.data_reads() - reads, world.manager.instance().extension());
        assert!(read < 300, "{with_checkpoint}: {read} of 600 pages came from the data file, {now:?}");
        world.put(5, 7000);
        world.check();
    }
}

#[test]
fn a_clean_extension_begins_empty_at_every_start() {
    let mut world = World::new();
    world.enable(ExtensionMode::Clean);
    world.put(1, 1000);
    world.check();
    assert!(world.manager.instance().extension().used > 100);
    world.shut_down();
    let copy = Arc::new(world.media.snapshot());
    world.restart(copy);
    let report = world.manager.instance().extension();
    assert_eq!((report.state, report.mode), (ExtensionState::Enabled, ExtensionMode::Clean));
    assert!(report.used < 100, "it has what the start brought: {report:?}");
    world.check();
}

/// While the file is away the pages change; when it is back its directory is worth nothing.
#[test]
fn a_file_that_was_away_is_not_believed() {
    let mut world = World::new();
    world.enable(ExtensionMode::WriteBack);
    world.put(1, 1000);
    world.shut_down();
    let away = Arc::new(world.media.snapshot());
    let file = away.device(Path::new(EXTENSION)).expect("the extension's file");
    let media = Arc::new(world.media.snapshot());
    media.remove(Path::new(EXTENSION)).expect("there");
    // It can be made anew, and the old one comes back at the next start.
    world.restart(media);
    assert!(world.manager.instance().extension().used < 100, "a new one has what recovery brought");
    world.put(1, 4000);
    world.shut_down();
    let media = Arc::new(world.media.snapshot());
    let mut bytes = vec![0; 16 << 20];
    file.read_at(0, &mut bytes).expect("memory");
    media.device(Path::new(EXTENSION)).expect("made anew").write_at(0, &bytes).expect("memory");
    world.restart(media);
    world.check();
}

/// A database of another time, put back from a copy of its files while the server was down.
#[test]
fn a_database_put_back_from_a_copy_gets_none_of_its_later_pages() {
    let mut world = World::new();
    world.enable(ExtensionMode::WriteBack);
    world.put(1, 1000);
    with_ask(|ask| world.manager.instance().checkpoint(ask, world.db)).expect("written");
    let (copy, rows) = (world.media.snapshot(), world.rows.clone());
    world.put(1, 4000);
    world.shut_down();
    let media = Arc::new(world.media.snapshot());
    for name in ["/ram/d.mdf", "/ram/d_log.ldf"] {
        let (from, to) = (copy.device(Path::new(name)), media.device(Path::new(name)));
        let (from, to) = (from.expect(name), to.expect(name));
        let mut bytes = vec![0; from.len_bytes() as usize];
        from.read_at(0, &mut bytes).expect("memory");
        to.set_len(from.len_bytes()).expect("memory");
        to.write_at(0, &bytes).expect("memory");
    }
    world.rows = rows;
    world.restart(media);
    world.check();
}

/// The device fails under load, at a read, a write or a sync; everything goes on, and nothing is believed at the next start.
#[test]
fn a_device_that_fails_under_load_is_given_up_and_nothing_is_lost() {
    let mut rebuilt = 0;
    for fault in [Fault::ReadError, Fault::WriteError, Fault::SyncError] {
        let mut world = World::new();
        world.enable(ExtensionMode::WriteBack);
        world.put(1, 1000);
        world.put(2, 3000);
        let told = Arc::new(AtomicU32::new(0));
        let listener = told.clone();
        world.manager.instance().io_watch().listen(move |event| {
            let is_failure = matches!(event, IoEvent::Extension { event: ExtensionEvent::Failed { .. }, .. });
            listener.fetch_add(u32::from(is_failure), Relaxed);
        });
        let device = world.media.device(Path::new(EXTENSION)).expect("made");
        device.order(fault, 3);
        for round in 0..4 {
            world.put(2, 5000 + round * 2000);
            with_ask(|ask| world.manager.instance().checkpoint(ask, world.db)).expect("written");
        }
        assert_eq!(device.pending(), 0, "{fault:?}");
        world.check();
        world.wait_for(|instance| {
            let report = instance.extension();
            report.state == ExtensionState::Disabled && report.used == 0
        });
        let report = world.manager.instance().extension();
        assert!(report.failure.is_some(), "{report:?}");
        assert_eq!(told.load(Relaxed), 1, "the error log has a line of it");
        rebuilt += report.rebuilt;
        world.put(3, 20_000);
        world.check();
        // A crash now: the file has records of pages that have changed since.
        let copy = Arc::new(world.media.snapshot());
        world.restart(copy);
        world.check();
        let instance = world.manager.instance();
        assert_eq!(instance.extension().state, ExtensionState::Enabled, "the next start begins a new one");
        with_ask(|ask| extension::disable_extension(instance, ask)).expect("emptied");
        assert!(world.media.device(Path::new(EXTENSION)).is_none(), "its file is gone");
        world.check();
    }
    assert!(rebuilt > 0, "pages were done again from the log");
}

#[test]
fn it_is_switched_off_and_on_again_while_sessions_work() {
    let mut world = World::new();
    world.put(1, 1000);
    for round in 0..3 {
        world.enable(ExtensionMode::WriteBack);
        let (manager, tree) = (world.manager.clone(), world.tree.clone());
        let reader = std::thread::spawn(move || {
            with_ask(|ask| {
                let mut work = manager.open_session(SessionId(60), Arc::new(Task::new(SessionId(60))));
                for _ in 0..10 {
                    let mut rows = 0;
                    let reader = work.reader();
                    let read = read::scan::for_each(
                        &reader,
                        ask,
                        &tree,
                        KeyRange::all(),
                        ReadHint::default(),
                        &mut |_, bytes| {
                            let value = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
                            assert_eq!(bytes, payload(value));
                            rows += 1;
                            ControlFlow::Continue(())
                        },
                    );
                    read.expect("readable");
                    assert_eq!(rows, ROWS);
                }
            });
        });
        world.put(2, 3000 + round * 1000);
        let instance = world.manager.instance();
        let again = extension::enable_extension(instance, &PathBuf::from("/ram/y.BPE"), 16 << 10);
        assert!(matches!(again, Err(ExtensionError::AlreadyEnabled)));
        with_ask(|ask| extension::disable_extension(instance, ask)).expect("emptied");
        assert_eq!(instance.extension().state, ExtensionState::Disabled);
        let again = with_ask(|ask| extension::disable_extension(instance, ask));
        assert!(matches!(again, Err(ExtensionError::AlreadyDisabled)));
        reader.join().expect("no panic");
        world.check();
    }
}

/// A clock that notes how much of the data file was written whenever its owner waits; nothing else turns it.
#[derive(Debug)]
struct Sampling {
    clock: ManualClock,
    media: Arc<RamMedia>,
    samples: parking_lot::Mutex<Vec<(u64, u64)>>,
    owner: std::thread::ThreadId,
}

impl Sampling {
    fn sample(&self) -> (u64, u64) {
        let device = self.media.device(Path::new("/ram/d.mdf"));
        (self.clock.now_us(), device.map_or(0, |device| device.meter().reading().write_bytes))
    }
}

impl Clock for Sampling {
    fn now_us(&self) -> u64 {
        self.clock.now_us()
    }

    fn wall(&self) -> WallTime {
        self.clock.wall()
    }

    fn sleep_until_us(&self, when_us: u64) {
        if std::thread::current().id() != self.owner {
            return std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.samples.lock().push(self.sample());
        self.clock.sleep_until_us(when_us);
    }
}

#[test]
fn a_spread_checkpoint_spreads_what_the_extension_has() {
    let media = Arc::new(RamMedia::new());
    let clock = ManualClock::new(1_700_000_000_000_000, 0);
    let (samples, owner) = (parking_lot::Mutex::default(), std::thread::current().id());
    let clock = Arc::new(Sampling { clock, media: media.clone(), samples, owner });
    let config = InstanceConfig { clock: clock.clone(), ..InstanceConfig::over(media.clone(), MEMORY_BYTES) };
    let mut world = World::made_by(open_with(config), media);
    world.enable(ExtensionMode::WriteBack);
    // Another request for a checkpoint ends the patience of the one that runs.
    let settings = world.manager.instance().settings();
    settings.set_option("automatic checkpoints", 0).expect("an option");
    world.manager.instance().reconfigure(true).expect("stored");
    world.put(1, 1000);
    let dirty = world.manager.instance().extension().dirty;
    assert!(dirty > 200, "most is in the extension: {dirty}");
    clock.samples.lock().clear();
    let (begin_us, begin_bytes) = clock.sample();
    let duration = std::time::Duration::from_secs(100);
    with_ask(|ask| world.manager.instance().checkpoint_over(ask, world.db, duration)).expect("written");
    let (_, end_bytes) = clock.sample();
    assert_eq!(world.manager.instance().extension().dirty, 0);
    let mut middle = 0;
    for (now_us, bytes) in std::mem::take(&mut *clock.samples.lock()) {
        let of_time = (now_us - begin_us) as f64 / 100e6;
        let of_bytes = (bytes - begin_bytes) as f64 / (end_bytes - begin_bytes) as f64;
        assert!((of_time - of_bytes).abs() < 0.25, "{of_bytes:.2} written after {of_time:.2} of the time");
        middle += u32::from((0.4..0.6).contains(&of_time));
    }
    assert!(middle > 10, "{middle} looks in the middle");
    world.check();
}
