//! What comes while a backup is written or read, and what came between two of a chain: growth, files, other backups, a cancel.

use std::io::{IoSlice, IoSliceMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::meter::Meter;
use millpond_device::{BlockDevice, DeviceError, Media, OpenMode, RamMedia, SystemClock};
use millpond_storage::backup::format::{self, BackupKind, BackupReadError, BackupWriter, Section};
use millpond_storage::backup::{self, BackupError, BackupOptions, BackupReport, RestoreError, RestoreRequest, restore};
use millpond_storage::contract::{DbId, ExtentId, FileId, PAGE_BYTES, PageId, PageKind, PageNo};
use millpond_storage::database::file_change::{AlterFileError, FileChange};
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::database::{Database, DatabaseState, alter_file, alter_remove, alter_shrink, create};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::page::header;
use millpond_storage::settings::tempdb::TempFileConfig;
use millpond_storage::space::Owner;
use millpond_storage::wal::{CommitMode, Mtr, PageOp};
use parking_lot::Mutex;

use crate::support::{MB, Session, tempdb};

type Hook = Box<dyn FnOnce() + Send>;

/// Files in memory; something is done when one whose name ends with `.bak` or `.trn` is written or read for the nth time.
#[derive(Default)]
struct Between {
    media: RamMedia,
    hook: Arc<Mutex<Option<(u32, Hook)>>>,
}

impl std::fmt::Debug for Between {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.media.fmt(f)
    }
}

#[derive(Clone)]
struct BetweenDevice {
    device: Arc<dyn BlockDevice>,
    hook: Arc<Mutex<Option<(u32, Hook)>>>,
}

impl std::fmt::Debug for BetweenDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.device.fmt(f)
    }
}

impl BetweenDevice {
    fn count(&self) {
        let mut hook = self.hook.lock();
        let due = match &mut *hook {
            Some((0, _)) => hook.take(),
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        };
        drop(hook);
        if let Some((_, work)) = due {
            work();
        }
    }
}

impl BlockDevice for BetweenDevice {
    fn name(&self) -> &Arc<str> {
        self.device.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        self.count();
        self.device.read_vectored_at(offset_bytes, buffers)
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        self.count();
        self.device.write_vectored_at(offset_bytes, buffers)
    }

    fn sync(&self) -> Result<(), DeviceError> {
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

impl Media for Between {
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        let device = self.media.open(path, mode)?;
        let is_backup = path.extension().is_some_and(|kind| kind == "bak" || kind == "trn");
        Ok(if is_backup { Arc::new(BetweenDevice { device, hook: self.hook.clone() }) } else { device })
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

/// A database `d` that takes an extent for each value that is written to it.
#[derive(Clone)]
struct World {
    media: Arc<Between>,
    instance: Arc<Instance>,
    session: Arc<Session>,
    written: Arc<Mutex<Vec<ExtentId>>>,
}

impl World {
    fn new() -> World {
        let media = Arc::new(Between::default());
        let config = InstanceConfig {
            max_memory_bytes: Some(16 << 20),
            tempdb: Some(tempdb(vec![])),
            media: media.clone(),
            ..InstanceConfig::new(Some("/ram".into()), Arc::new(SystemClock::new()))
        };
        let world = World {
            instance: Instance::open(config).unwrap(),
            media,
            session: Arc::new(Session::new()),
            written: Arc::default(),
        };
        world.create("d");
        world
    }

    fn create(&self, name: &str) {
        create::create_database(self.instance.databases(), &self.session.ask(), &NewDatabase::named(name)).unwrap();
    }

    fn database(&self, name: &str) -> Arc<Database> {
        self.instance.database_by_name(name).unwrap()
    }

    fn id(&self) -> DbId {
        self.database("d").id()
    }

    /// Writes a value into a page of a new extent.
    fn write(&self, value: u64) -> ExtentId {
        let database = self.database("d");
        let mut extents: Vec<ExtentId> = Vec::new();
        let (space, handle) = (database.space().unwrap(), database.handle().unwrap());
        space.allocate_extents(&self.session.ask(), handle, Owner::User, 1, &mut extents).unwrap();
        let log = database.log().unwrap().unwrap();
        let mut txn = log.begin();
        let mut mtr = Mtr::begin(handle, &self.session.ask(), 64).unwrap();
        let page = mtr.create(extents[0].page(0), PageKind::Data, 7, 0, 0).unwrap();
        mtr.apply(page, PageOp::Insert { slot: 0, record: &value.to_le_bytes() }).unwrap();
        mtr.commit_change(&mut txn, b"undo");
        log.commit(&self.session.ask(), txn, CommitMode::Durable).unwrap();
        let mut written = self.written.lock();
        // After a restore an extent may be given again.
        written.retain(|extent| *extent != extents[0]);
        written.push(extents[0]);
        extents[0]
    }

    /// Writes until an extent lies in that file, or there are `most`.
    fn write_into(&self, file: FileId, most: u64) {
        let found = (1..=most).any(|value| self.write(value).file == file);
        assert!(found, "no extent of {most} lies in file {file}");
    }

    /// How many extents are taken, and how many of the pages that were ever written can be read.
    fn extents(&self, name: &str) -> (u64, usize) {
        let database = self.database(name);
        let (space, handle) = (database.space().unwrap(), database.handle().unwrap());
        let page_of = |extent: &ExtentId| ExtentId { db: database.id(), ..*extent }.page(0);
        let read = |extent: &&ExtentId| handle.pool.shared(&self.session.ask(), page_of(extent)).is_ok();
        let readable = self.written.lock().iter().filter(read).count();
        (space.report().iter().map(|file| file.reserved[0] / 8).sum(), readable)
    }

    fn files(&self, name: &str) -> Vec<String> {
        self.instance.files(self.database(name).id()).into_iter().map(|file| file.name).collect()
    }

    fn backup(&self, to: &str) -> Result<BackupReport, BackupError> {
        let options = BackupOptions { init: true, ..BackupOptions::default() };
        backup::backup_database(self.instance.databases(), &self.session.ask(), self.id(), Path::new(to), options)
    }

    fn backup_log(&self, to: &str) -> Result<BackupReport, BackupError> {
        let options = BackupOptions { init: true, ..BackupOptions::default() };
        backup::backup_log(self.instance.databases(), &self.session.ask(), self.id(), Path::new(to), options)
    }

    fn restore(&self, request: &RestoreRequest) -> Result<Arc<Database>, RestoreError> {
        restore::restore_database(self.instance.databases(), &self.session.ask(), request)
    }

    fn restore_log(&self, request: &RestoreRequest) -> Result<Arc<Database>, RestoreError> {
        restore::restore_log(self.instance.databases(), &self.session.ask(), request)
    }

    fn add_file(&self, name: &str) -> Result<FileId, AlterFileError> {
        let config = TempFileConfig { size_pages: MB, ..TempFileConfig::new(name, name.ends_with("log")) };
        alter_file::add_file(self.instance.databases(), &self.session.ask(), self.id(), &config)
    }

    fn remove_file(&self, name: &str) -> Result<(), AlterFileError> {
        alter_remove::remove_file(self.instance.databases(), &self.session.ask(), self.id(), name, 0)
    }

    fn resize(&self, name: &str, pages: u32) {
        let change = FileChange::Size { pages };
        alter_file::modify_file(self.instance.databases(), &self.session.ask(), self.id(), name, change).unwrap();
    }

    fn checkpoint(&self) {
        self.instance.checkpoint(&self.session.ask(), self.id()).unwrap();
    }

    /// Does `work` when a backup is written or read for the nth time from now on.
    fn at(&self, nth: u32, work: impl FnOnce(&World) + Send + 'static) {
        let world = self.clone();
        *self.media.hook.lock() =
            Some((nth, Box::new(move || work(&World { session: Arc::new(Session::new()), ..world }))));
    }

    fn was_at(&self) {
        assert!(self.media.hook.lock().is_none(), "the backup was over before");
    }

    fn now_us(&self) -> i64 {
        std::thread::sleep(std::time::Duration::from_millis(3));
        let now = self.instance.clock().wall().utc_us;
        std::thread::sleep(std::time::Duration::from_millis(3));
        now
    }
}

fn from(path: &str) -> RestoreRequest {
    RestoreRequest { from: path.into(), name: "d".into(), replace: true, ..RestoreRequest::default() }
}

fn waiting(path: &str) -> RestoreRequest {
    RestoreRequest { no_recovery: true, ..from(path) }
}

#[test]
fn files_that_grow_while_a_backup_copies_them_come_back() {
    let world = World::new();
    (1..=9).for_each(|value| _ = world.write(value));
    for nth in [3, 6, 9] {
        let sizes = world.instance.files(world.id()).into_iter().map(|file| file.size_pages);
        let pages = sizes.max().unwrap() + MB;
        world.at(nth, move |world| {
            world.resize("d", pages);
            world.resize("d_log", pages);
            (1..=400).for_each(|value| _ = world.write(value));
        });
        world.backup("d.bak").unwrap();
        world.was_at();
        let extents = world.extents("d");
        let report =
            restore::verify_backup(world.instance.databases(), &world.session.ask(), Path::new("d.bak"), 1).unwrap();
        assert!(report.header.files.iter().all(|file| file.size_pages >= pages), "{:?}", report.header.files);
        assert_eq!(world.restore(&from("d.bak")).unwrap().state(), DatabaseState::Online);
        assert_eq!(world.extents("d"), extents, "grown at {nth}");
        world.write(7);
    }
}

/// Backups of before the sizes at their end were noted.
#[test]
fn a_backup_whose_files_are_longer_than_its_header_says_comes_back() {
    let world = World::new();
    (1..=300).for_each(|value| _ = world.write(value));
    world.backup("new.bak").unwrap();
    let device = world.media.media.device(Path::new("/ram/new.bak")).unwrap();
    let to = world.media.media.open(Path::new("/ram/old.bak"), OpenMode::CreateNew).unwrap();
    let mut writer = None;
    format::read::<BackupReadError>(&*device, 0, |section| {
        match section {
            Section::Header(header) => {
                let mut header = header.clone();
                header.files.iter_mut().for_each(|file| file.size_pages = 128);
                writer = Some(BackupWriter::begin(to.clone(), &header)?);
            }
            Section::Pages(file, first, pages) => {
                let pages: Vec<_> = pages.chunks(PAGE_BYTES).map(|page| page.try_into().unwrap()).collect();
                writer.as_mut().unwrap().pages(*file, *first, &pages)?;
            }
            Section::Log(file, offset, bytes) => writer.as_mut().unwrap().log(*file, *offset, bytes)?,
            Section::End(end) => {
                writer.take().unwrap().finish(&format::BackupEnd { sizes: vec![], ..end.clone() })?;
            }
        }
        Ok(())
    })
    .unwrap();
    let extents = world.extents("d");
    assert_eq!(world.restore(&from("old.bak")).unwrap().state(), DatabaseState::Online);
    assert_eq!(world.extents("d"), extents);
}

#[test]
fn pages_of_a_file_that_a_backup_does_not_name_are_refused() {
    let world = World::new();
    let report = world.backup("d.bak").unwrap();
    let to = world.media.media.open(Path::new("/ram/odd.bak"), OpenMode::CreateNew).unwrap();
    let mut writer = BackupWriter::begin(to, &report.header).unwrap();
    let mut page = [0; PAGE_BYTES];
    header::init(&mut page, PageId { db: DbId(5), file: FileId(9), page: PageNo(0) }, PageKind::Data, 0);
    writer.pages(FileId(9), PageNo(0), &[page]).unwrap();
    writer.finish(&report.end).unwrap();
    let refused = world.restore(&from("odd.bak"));
    assert!(matches!(refused, Err(RestoreError::UnknownFile { file: FileId(9), .. })), "{refused:?}");
    assert_eq!(world.database("d").state(), DatabaseState::Online);
}

#[test]
fn no_file_comes_or_goes_or_shrinks_while_a_backup_runs() {
    let world = World::new();
    world.add_file("more").unwrap();
    world.write(1);
    let attempts = |world: &World| {
        let refused = |done: Result<(), AlterFileError>| {
            assert!(matches!(done, Err(AlterFileError::Serialized)), "{done:?}");
        };
        let (databases, id) = (world.instance.databases(), world.id());
        refused(world.add_file("new").map(drop));
        refused(world.add_file("new_log").map(drop));
        refused(world.remove_file("more"));
        refused(alter_shrink::shrink_file(databases, &world.session.ask(), id, "d", 0).map(drop));
        refused(alter_remove::empty_file(databases, &world.session.ask(), id, "more", 0).map(drop));
    };
    for nth in [1, 4] {
        world.at(nth, attempts);
        world.backup("d.bak").unwrap();
        world.was_at();
        world.at(nth, attempts);
        world.backup_log("d.trn").unwrap();
        world.was_at();
    }
    world.add_file("new").unwrap();
    assert_eq!(world.files("d"), ["d", "d_log", "more", "new"]);
}

#[test]
fn a_file_is_written_by_one_backup_at_a_time_and_not_read_meanwhile() {
    let world = World::new();
    world.create("e");
    world.write(1);
    world.backup("a.bak").unwrap();
    world.at(4, |world| {
        let options = BackupOptions { init: true, copy_only: true, ..BackupOptions::default() };
        let (databases, ask) = (world.instance.databases(), world.session.ask());
        let other = backup::backup_database(databases, &ask, world.database("e").id(), Path::new("a.bak"), options);
        assert!(matches!(other, Err(BackupError::InUse { .. })), "{other:?}");
        let read = restore::verify_backup(databases, &ask, Path::new("/ram/a.bak"), 1);
        assert!(matches!(read, Err(RestoreError::Backup { source: BackupReadError::InUse, .. })), "{read:?}");
        let read = restore::restore_database(databases, &ask, &RestoreRequest { name: "e".into(), ..from("a.bak") });
        assert!(matches!(read, Err(RestoreError::Backup { source: BackupReadError::InUse, .. })), "{read:?}");
    });
    let report = world.backup("a.bak").unwrap();
    world.was_at();
    let again =
        restore::verify_backup(world.instance.databases(), &world.session.ask(), Path::new("a.bak"), 1).unwrap();
    assert_eq!(again, report);
    // Nor is one written that is read.
    world.at(4, |world| {
        assert!(matches!(world.backup("a.bak"), Err(BackupError::InUse { .. })));
        let read = restore::verify_backup(world.instance.databases(), &world.session.ask(), Path::new("a.bak"), 1);
        assert!(read.is_ok(), "several read one");
    });
    world.restore(&from("a.bak")).unwrap();
    world.was_at();
    world.backup("a.bak").unwrap();
}

#[cfg(unix)]
#[test]
fn links_lead_to_the_file_that_is_in_use() {
    use millpond_device::FileSystem;
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("a"), "x").unwrap();
    std::fs::hard_link(at("a"), at("hard")).unwrap();
    std::os::unix::fs::symlink(at("a"), at("soft")).unwrap();
    std::fs::write(at("b"), "x").unwrap();
    let same =
        [at("a"), at("hard"), at("soft"), dir.path().join("../").join(dir.path().file_name().unwrap()).join("a")];
    for path in &same {
        assert_eq!(FileSystem.identity(path), FileSystem.identity(&same[0]), "{}", path.display());
    }
    assert_ne!(FileSystem.identity(&at("b")), FileSystem.identity(&same[0]));
    assert_ne!(FileSystem.identity(&at("none")), FileSystem.identity(&same[0]));
}

#[test]
fn a_cancelled_backup_leaves_nothing_and_a_cancelled_restore_can_be_done_again() {
    let world = World::new();
    (1..=20).for_each(|value| _ = world.write(value));
    world.backup("whole.bak").unwrap();
    world.write(1);
    world.backup_log("whole.trn").unwrap();
    let extents = world.extents("d");
    for nth in [1, 5, 9] {
        let cancelling = world.session.clone();
        world.at(nth, move |_| cancelling.task.cancel());
        let refused = world.backup("cut.bak");
        assert!(matches!(refused, Err(BackupError::Cancelled)), "{refused:?}");
        world.was_at();
        world.session.task.clear_cancel();
        assert!(!world.media.exists(Path::new("/ram/cut.bak")));
        let cancelling = world.session.clone();
        world.at(nth, move |_| cancelling.task.cancel());
        let refused = world.restore(&from("whole.bak"));
        assert!(matches!(refused, Err(RestoreError::Cancelled)), "{refused:?}");
        world.session.task.clear_cancel();
        assert!(!world.media.media.paths().iter().any(|path| path.extension().is_some_and(|kind| kind == "restoring")));
    }
    assert_eq!((world.database("d").state(), world.extents("d")), (DatabaseState::Online, extents));
    // While it is done again.
    world.restore(&waiting("whole.bak")).unwrap();
    let reads = {
        world.at(u32::MAX, |_| ());
        restore::verify_backup(world.instance.databases(), &world.session.ask(), Path::new("whole.trn"), 1).unwrap();
        u32::MAX - world.media.hook.lock().take().unwrap().0
    };
    let cancelling = world.session.clone();
    world.at(2 * reads - 1, move |_| cancelling.task.cancel());
    let refused = world.restore_log(&from("whole.trn"));
    assert!(matches!(refused, Err(RestoreError::Cancelled)), "{refused:?}");
    world.was_at();
    world.session.task.clear_cancel();
    assert_eq!(world.database("d").state(), DatabaseState::Restoring);
    world.restore_log(&from("whole.trn")).unwrap();
    assert_eq!((world.database("d").state(), world.extents("d")), (DatabaseState::Online, extents));
    // A backup that waits for another one.
    let (entered, enter) = std::sync::mpsc::channel();
    let (leave, left) = std::sync::mpsc::channel::<()>();
    world.at(3, move |_| {
        entered.send(()).unwrap();
        left.recv().unwrap();
    });
    std::thread::scope(|scope| {
        let one = scope.spawn(|| world.backup("one.bak"));
        enter.recv().unwrap();
        let two = World { session: Arc::new(Session::new()), ..world.clone() };
        two.session.task.cancel();
        assert!(matches!(two.backup("two.bak"), Err(BackupError::Cancelled)));
        leave.send(()).unwrap();
        one.join().unwrap().unwrap();
    });
}

#[test]
fn a_chain_makes_the_files_that_came_since_the_full_backup() {
    let world = World::new();
    world.write(1);
    world.backup("full.bak").unwrap();
    let before = world.now_us();
    world.write(2);
    let extents_before = world.extents("d");
    let before_file = world.now_us();
    let added = world.add_file("more").unwrap();
    world.add_file("more_log").unwrap();
    world.write_into(added, 60);
    world.checkpoint();
    world.backup_log("1.trn").unwrap();
    world.resize("more", 3 * MB);
    world.write_into(added, 200);
    world.backup_log("2.trn").unwrap();
    let extents = world.extents("d");
    let all = ["d", "d_log", "more", "more_log"];
    world.write(3);

    world.restore(&waiting("full.bak")).unwrap();
    assert!(!world.media.exists(Path::new("/ram/more.ndf")), "the full backup does not have it");
    world.restore_log(&waiting("1.trn")).unwrap();
    let restored = world.restore_log(&from("2.trn")).unwrap();
    assert_eq!(
        (restored.state(), world.extents("d"), world.files("d")),
        (DatabaseState::Online, extents, all.map(String::from).to_vec())
    );
    let size = world.instance.files(world.id()).into_iter().find(|file| file.name == "more").unwrap().size_pages;
    assert!(size >= 3 * MB, "{size} pages");
    world.write(9);
    world.checkpoint();
    let again = World {
        instance: Instance::open(InstanceConfig {
            max_memory_bytes: Some(16 << 20),
            tempdb: Some(tempdb(vec![])),
            media: Arc::new(world.media.media.snapshot()),
            ..InstanceConfig::new(Some("/ram".into()), Arc::new(SystemClock::new()))
        })
        .unwrap(),
        ..world.clone()
    };
    assert_eq!(
        (again.extents("d"), again.files("d")),
        ((extents.0 + 1, extents.1 + 1), all.map(String::from).to_vec())
    );

    // Elsewhere, beside the database that it was.
    let moves: Vec<(String, PathBuf)> =
        all.iter().map(|name| ((*name).to_owned(), PathBuf::from(format!("copy_{name}")))).collect();
    let copy = |path: &str, no_recovery| RestoreRequest {
        name: "copy".into(),
        moves: moves.clone(),
        no_recovery,
        ..from(path)
    };
    world.restore(&RestoreRequest { moves: moves[..2].to_vec(), ..copy("full.bak", true) }).unwrap();
    let taken = world.restore_log(&RestoreRequest { moves: Vec::new(), ..copy("1.trn", true) });
    assert!(matches!(taken, Err(RestoreError::Create(_))), "{taken:?}");
    assert_eq!(world.database("copy").state(), DatabaseState::Restoring);
    world.restore_log(&copy("1.trn", true)).unwrap();
    world.restore_log(&copy("2.trn", false)).unwrap();
    assert_eq!((world.extents("copy"), world.files("copy")), (extents, all.map(String::from).to_vec()));

    // Up to a time when there was no such file.
    world.restore(&waiting("full.bak")).unwrap();
    let early = world.restore_log(&RestoreRequest { stop_at_us: Some(before - 60_000_000), ..from("1.trn") });
    assert!(matches!(early, Err(RestoreError::StopTooEarly)), "{early:?}");
    assert_eq!(world.database("d").state(), DatabaseState::Restoring);
    let back = world.restore_log(&RestoreRequest { stop_at_us: Some(before_file), ..from("1.trn") }).unwrap();
    let files = world.files("d");
    // Changes of the server's own after the last commit have no time and may be there.
    assert!(files == ["d", "d_log", "more_log"] || files == all, "{files:?}");
    // The transaction that had not committed by then is to be undone.
    assert!(matches!(back.state(), DatabaseState::Online | DatabaseState::Recovering));
    assert!(world.extents("d").0 <= extents_before.0 + 1);
    world.write(4);
    world.checkpoint();
}

#[test]
fn a_chain_loses_the_files_that_went_since_the_full_backup() {
    let world = World::new();
    world.add_file("more").unwrap();
    world.write(1);
    world.backup("full.bak").unwrap();
    let file = world.instance.files(world.id()).into_iter().find(|file| file.name == "more").unwrap().file;
    let database = world.database("d");
    let (space, handle) = (database.space().unwrap(), database.handle().unwrap());
    let own: Vec<ExtentId> = world.written.lock().extract_if(.., |extent| extent.file == file).collect();
    space.free_extents(&world.session.ask(), handle, Owner::User, &own).unwrap();
    drop(database);
    world.remove_file("more").unwrap();
    world.write(2);
    world.backup_log("1.trn").unwrap();
    let extents = world.extents("d");
    world.restore(&waiting("full.bak")).unwrap();
    assert!(world.media.exists(Path::new("/ram/more.ndf")));
    world.restore_log(&from("1.trn")).unwrap();
    assert_eq!((world.extents("d"), world.files("d")), (extents, vec!["d".to_owned(), "d_log".to_owned()]));
    assert!(!world.media.exists(Path::new("/ram/more.ndf")));
}

#[test]
fn a_time_beyond_the_backup_waits_for_the_next_one() {
    let world = World::new();
    world.write(1);
    let early = world.now_us();
    let full = world.backup("full.bak").unwrap();
    assert_eq!(full.header.kind, BackupKind::Full);
    world.write(2);
    let between = world.now_us();
    world.write(3);
    world.backup_log("1.trn").unwrap();
    let later = world.now_us();
    world.write(4);
    let last = world.extents("d");
    let at_last = world.now_us();
    world.write(5);
    world.backup_log("2.trn").unwrap();
    let stop = |path: &str, stop_at_us| RestoreRequest { stop_at_us: Some(stop_at_us), ..from(path) };
    assert!(matches!(world.restore(&stop("full.bak", early)), Err(RestoreError::StopTooEarly)));
    assert_eq!(world.database("d").state(), DatabaseState::Online);
    assert_eq!(world.restore(&stop("full.bak", at_last)).unwrap().state(), DatabaseState::Restoring);
    assert_eq!(world.restore_log(&stop("1.trn", at_last)).unwrap().state(), DatabaseState::Restoring);
    let refused = world.restore_log(&stop("2.trn", between));
    assert!(matches!(refused, Err(RestoreError::StopTooEarly)), "{refused:?}");
    assert_eq!(world.database("d").state(), DatabaseState::Restoring);
    assert!(later < at_last);
    // The transaction that had not committed by then is to be undone.
    assert_eq!(world.restore_log(&stop("2.trn", at_last)).unwrap().state(), DatabaseState::Recovering);
    assert!((last.0..=last.0 + 1).contains(&world.extents("d").0), "{:?} of {last:?}", world.extents("d"));
}
