//! Backups come back: whole, with the log that follows, at a point in time; and a damaged one changes nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{BlockDevice, Media, OpenMode, RamMedia, SystemClock};
use millpond_storage::backup;
use millpond_storage::backup::format::{
    BackupEnd, BackupFile, BackupHeader, BackupKind, BackupReadError, BackupWriter,
};
use millpond_storage::backup::{BackupError, BackupOptions, RestoreError, RestoreRequest, restore};
use millpond_storage::contract::{DbId, ExtentId};
use millpond_storage::database::create::CreateDatabaseError;
use millpond_storage::database::options::RecoveryModel;
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::database::{Database, DatabaseState, alter, create};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::space::Owner;
use millpond_storage::wal::{CommitMode, Mtr, PageOp};

use crate::support::*;

/// A database whose boot value 0 is its content, and which allocates an extent for each value.
struct World {
    media: Arc<RamMedia>,
    instance: Arc<Instance>,
    session: Session,
}

fn over(media: &Arc<RamMedia>) -> InstanceConfig {
    InstanceConfig {
        max_memory_bytes: Some(16 << 20),
        tempdb: Some(tempdb(vec![])),
        media: media.clone(),
        ..InstanceConfig::new(Some("/ram".into()), Arc::new(SystemClock::new()))
    }
}

impl World {
    fn new() -> World {
        let media = Arc::new(RamMedia::new());
        let world = World { instance: Instance::open(over(&media)).unwrap(), media, session: Session::new() };
        create::create_database(world.instance.databases(), &world.session.ask(), &NewDatabase::named("d")).unwrap();
        world
    }

    fn database(&self, name: &str) -> Arc<Database> {
        self.instance.database_by_name(name).unwrap()
    }

    fn write(&self, value: u64) {
        let database = self.database("d");
        database.set_boot_value(&self.session.ask(), 0, value).unwrap();
        let mut extents: Vec<ExtentId> = Vec::new();
        let (space, handle) = (database.space().unwrap(), database.handle().unwrap());
        space.allocate_extents(&self.session.ask(), handle, Owner::User, 1, &mut extents).unwrap();
        // A commit gives the change its time.
        let log = database.log().unwrap().unwrap();
        let mut txn = log.begin();
        let mut mtr = Mtr::begin(handle, &self.session.ask(), 64).unwrap();
        let page = mtr.create(extents[0].page(0), millpond_storage::contract::PageKind::Data, 7, 0, 0).unwrap();
        mtr.apply(page, PageOp::Insert { slot: 0, record: &value.to_le_bytes() }).unwrap();
        mtr.commit_change(&mut txn, b"undo");
        log.commit(&self.session.ask(), txn, CommitMode::Durable).unwrap();
    }

    fn backup(&self, to: &str) -> Result<millpond_storage::backup::BackupReport, BackupError> {
        let id = self.database("d").id();
        backup::backup_database(
            self.instance.databases(),
            &self.session.ask(),
            id,
            Path::new(to),
            BackupOptions::default(),
        )
    }

    fn backup_log(&self, to: &str) -> Result<millpond_storage::backup::BackupReport, BackupError> {
        let id = self.database("d").id();
        backup::backup_log(self.instance.databases(), &self.session.ask(), id, Path::new(to), BackupOptions::default())
    }

    fn restore(&self, request: &RestoreRequest) -> Result<Arc<Database>, RestoreError> {
        restore::restore_database(self.instance.databases(), &self.session.ask(), request)
    }

    fn restore_log(&self, request: &RestoreRequest) -> Result<Arc<Database>, RestoreError> {
        restore::restore_log(self.instance.databases(), &self.session.ask(), request)
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

fn state_of(database: &Database) -> (u64, u64, DatabaseState) {
    let reserved = database.space().unwrap().report()[0].reserved[0];
    (database.boot_value(0), reserved / 8, database.state())
}

#[test]
fn a_full_backup_comes_back_in_place_and_beside() {
    let world = World::new();
    (1..=5).for_each(|value| world.write(value));
    let report = world.backup("d.bak").unwrap();
    assert_eq!((report.header.kind, report.header.files.len()), (BackupKind::Full, 2));
    assert_eq!(
        restore::verify_backup(world.instance.databases(), &world.session.ask(), Path::new("d.bak"), 1).unwrap(),
        report
    );
    (6..=9).for_each(|value| world.write(value));
    // The next one comes behind it.
    let second = world.backup("d.bak").unwrap();
    let read = |position| {
        restore::verify_backup(world.instance.databases(), &world.session.ask(), Path::new("d.bak"), position)
    };
    assert_eq!((second.position, read(2).unwrap(), read(1).unwrap()), (2, second, report));
    assert!(matches!(read(3), Err(RestoreError::Backup { source: BackupReadError::NoSet { position: 3 }, .. })));
    assert!(matches!(read(0), Err(RestoreError::Backup { source: BackupReadError::NoSet { position: 0 }, .. })));

    let moves = vec![("d".to_owned(), PathBuf::from("copy.mdf")), ("d_log".to_owned(), PathBuf::from("copy.ldf"))];
    let copy = world.restore(&RestoreRequest { name: "copy".into(), moves, replace: false, ..from("d.bak") }).unwrap();
    assert_eq!(state_of(&copy), (5, 5, DatabaseState::Online));
    assert_eq!(state_of(&world.database("d")), (9, 9, DatabaseState::Online));
    let old = world.database("d");
    let restored = world.restore(&from("d.bak")).unwrap();
    assert_eq!(state_of(&restored), (5, 5, DatabaseState::Online));
    assert!(old.is_dropped() && restored.id() == old.id());
    world.write(6);
    world.instance.shutdown(&world.session.ask(), true).unwrap();
    let again = Instance::open(over(&Arc::new(world.media.snapshot()))).unwrap();
    assert_eq!(state_of(&again.database_by_name("d").unwrap()), (6, 6, DatabaseState::Online));
    assert_eq!(state_of(&again.database_by_name("copy").unwrap()), (5, 5, DatabaseState::Online));
    assert!(!world.media.paths().iter().any(|path| path.extension().is_some_and(|kind| kind == "restoring")));
}

#[test]
fn a_damaged_backup_is_refused_before_anything_changes() {
    let world = World::new();
    (1..=3).for_each(|value| world.write(value));
    world.backup("d.bak").unwrap();
    let device = world.media.device(Path::new("/ram/d.bak")).unwrap();
    let mut whole = vec![0; device.len_bytes() as usize];
    device.read_at(0, &mut whole).unwrap();
    let refused = |bytes: &[u8]| {
        device.set_len(0).unwrap();
        device.set_len(bytes.len() as u64).unwrap();
        device.write_at(0, bytes).unwrap();
        let error = world.restore(&from("d.bak")).unwrap_err();
        assert_eq!(state_of(&world.database("d")), (3, 3, DatabaseState::Online));
        match error {
            RestoreError::Backup { source, .. } => source,
            other => panic!("{other}"),
        }
    };
    for at in [20, 40, whole.len() / 3, whole.len() / 2, whole.len() - 5] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        assert!(matches!(refused(&damaged), BackupReadError::Damaged { .. }), "byte {at}");
    }
    for length in [whole.len() - 1, whole.len() / 2, 30] {
        assert!(matches!(refused(&whole[..length]), BackupReadError::Damaged { .. }), "{length} bytes");
    }
    assert!(matches!(refused(b"my notes, and no backup at all"), BackupReadError::Foreign));
    assert!(matches!(refused(b"x"), BackupReadError::Foreign));
    let mut newer = whole.clone();
    newer[8] = 9;
    assert!(matches!(refused(&newer), BackupReadError::Newer { found: 9 }));
    refused(&whole[..100]);
    device.set_len(whole.len() as u64).unwrap();
    device.write_at(0, &whole).unwrap();
    world.write(4);
    assert_eq!(state_of(&world.restore(&from("d.bak")).unwrap()).0, 3, "and the whole one is taken");
}

#[test]
fn what_a_crash_left_behind_a_backup_is_seen() {
    let world = World::new();
    world.write(1);
    let first = world.backup("d.bak").unwrap();
    world.write(2);
    let second = world.backup("d.bak").unwrap();
    let device = world.media.device(Path::new("/ram/d.bak")).unwrap();
    assert_eq!(device.len_bytes(), first.size_bytes + second.size_bytes);
    let read = |position| {
        restore::verify_backup(world.instance.databases(), &world.session.ask(), Path::new("d.bak"), position)
    };
    for lost in [1, 100, second.size_bytes - 1] {
        device.set_len(first.size_bytes + second.size_bytes - lost).unwrap();
        assert!(matches!(world.backup("d.bak"), Err(BackupError::DamagedEnd { .. })), "{lost} bytes lost");
        assert_eq!(read(1).unwrap(), first);
        assert!(read(2).is_err());
        assert_eq!(device.len_bytes(), first.size_bytes + second.size_bytes - lost, "as it was");
    }
    // What ends with a whole one is made longer again.
    device.set_len(first.size_bytes).unwrap();
    let third = world.backup("d.bak").unwrap();
    assert_eq!((third.position, read(2).unwrap()), (2, third));
    let back = world.restore(&RestoreRequest { file: Some(1), ..from("d.bak") }).unwrap();
    assert_eq!(state_of(&back).0, 1);
    let back = world.restore(&RestoreRequest { file: Some(2), ..from("d.bak") }).unwrap();
    assert_eq!(state_of(&back).0, 2);
}

#[test]
fn log_backups_follow_a_full_one_up_to_any_time() {
    let world = World::new();
    assert!(matches!(world.backup_log("x.trn"), Err(BackupError::NoFullBackup)));
    world.write(1);
    world.backup("full.bak").unwrap();
    world.write(2);
    world.write(3);
    let at_3 = world.now_us();
    world.write(4);
    world.backup_log("1.trn").unwrap();
    world.write(5);
    let at_5 = world.now_us();
    world.write(6);
    world.backup_log("2.trn").unwrap();
    world.write(7);

    let waiting = |path| RestoreRequest { no_recovery: true, ..from(path) };
    let restored = world.restore(&waiting("full.bak")).unwrap();
    assert_eq!(restored.state(), DatabaseState::Restoring);
    assert!(matches!(world.restore_log(&waiting("2.trn")), Err(RestoreError::TooRecent { .. })), "1.trn is missing");
    assert!(matches!(world.restore_log(&waiting("full.bak")), Err(RestoreError::Kind { .. })));
    world.restore_log(&waiting("1.trn")).unwrap();
    assert_eq!(state_of(&world.restore_log(&from("2.trn")).unwrap()), (6, 6, DatabaseState::Online));
    assert!(matches!(world.restore_log(&from("2.trn")), Err(RestoreError::NotRestoring { .. })));

    world.restore(&waiting("full.bak")).unwrap();
    let back = world.restore_log(&RestoreRequest { stop_at_us: Some(at_3), ..from("1.trn") }).unwrap();
    // System changes after the last commit before that point in time have no time and may be there.
    assert!((3..=4).contains(&back.boot_value(0)), "{}", back.boot_value(0));
    world.restore(&waiting("full.bak")).unwrap();
    world.restore_log(&waiting("1.trn")).unwrap();
    let back = world.restore_log(&RestoreRequest { stop_at_us: Some(at_5), ..from("2.trn") }).unwrap();
    assert!((5..=6).contains(&back.boot_value(0)), "{}", back.boot_value(0));

    world.restore(&waiting("full.bak")).unwrap();
    let again = Instance::open(over(&Arc::new(world.media.snapshot()))).unwrap();
    assert_eq!(again.database_by_name("d").unwrap().state(), DatabaseState::Restoring, "a restart waits too");
    let finished = restore::restore_finish(again.databases(), &world.session.ask(), "d").unwrap();
    assert_eq!(state_of(&finished), (1, 1, DatabaseState::Online));
}

#[test]
fn what_cannot_be_backed_up_or_restored_says_so() {
    let world = World::new();
    world.write(1);
    world.backup("d.bak").unwrap();
    let to = |db| {
        backup::backup_database(
            world.instance.databases(),
            &world.session.ask(),
            db,
            Path::new("t.bak"),
            BackupOptions::default(),
        )
    };
    assert!(matches!(to(DbId::TEMPDB), Err(BackupError::Temporary)));
    assert!(matches!(to(DbId(99)), Err(BackupError::NoDatabase { .. })));
    let simple = alter::set_database_options(
        world.instance.databases(),
        &world.session.ask(),
        world.database("d").id(),
        |options| {
            options.recovery = RecoveryModel::Simple;
        },
    );
    simple.unwrap();
    assert!(matches!(world.backup_log("d.trn"), Err(BackupError::SimpleModel)));
    let not_replaced = RestoreRequest { replace: false, ..from("d.bak") };
    assert!(matches!(world.restore(&not_replaced), Err(RestoreError::Exists { .. })));
    let system = RestoreRequest { name: "msdb".into(), ..from("d.bak") };
    assert!(matches!(world.restore(&system), Err(RestoreError::OfTheSystem { .. })));
    let second = RestoreRequest { name: "e".into(), ..from("d.bak") };
    assert!(matches!(world.restore(&second), Err(RestoreError::Create(CreateDatabaseError::FileExists { .. }))));
    let no_file = RestoreRequest { moves: vec![("nobody".into(), "x".into())], ..from("d.bak") };
    assert!(matches!(world.restore(&no_file), Err(RestoreError::NoFile { .. })));
    assert!(matches!(world.restore(&from("none.bak")), Err(RestoreError::Backup { .. })));
    assert_eq!(state_of(&world.database("d")).2, DatabaseState::Online);
    // A disk that fills while the new files are written.
    let before = world.media.paths();
    let fails = |at: &str| {
        let beside = millpond_device::Media::open(&*world.media, Path::new(at), millpond_device::OpenMode::CreateNew);
        drop(beside);
        world.media.device(Path::new(at)).unwrap().order(millpond_device::fault::Fault::ReadError, 0);
    };
    fails("/ram/other");
    assert!(matches!(world.restore(&from("other")), Err(RestoreError::Backup { .. })));
    millpond_device::Media::remove(&*world.media, Path::new("/ram/other")).unwrap();
    assert_eq!(world.media.paths(), before);
}

#[test]
fn a_backup_that_names_no_data_file_or_no_log_is_none() {
    let world = World::new();
    let file = |file_id: u16, log| BackupFile {
        file_id,
        name: format!("f{file_id}"),
        path: format!("f{file_id}"),
        log,
        size_pages: 8,
        filegroup: None,
    };
    for (number, files) in
        [vec![], vec![file(1, false)], vec![file(2, true)], vec![file(1, false), file(2, true), file(2, true)]]
            .into_iter()
            .enumerate()
    {
        let header = BackupHeader {
            kind: BackupKind::Full,
            database: "d".into(),
            guid: "00112233445566778899aabbccddeeff".into(),
            created_utc_us: 0,
            started_utc_us: 0,
            is_copy_only: false,
            first_lsn: "0".repeat(20),
            checkpoint_lsn: "0".repeat(20),
            files,
        };
        let path = format!("/ram/{number}.bak");
        let device = world.media.open(Path::new(&path), OpenMode::CreateNew).unwrap();
        let end = BackupEnd {
            finished_utc_us: 0,
            last_lsn: "0".repeat(20),
            pages: 0,
            log_bytes: 0,
            covered_utc_us: 0,
            sizes: Vec::new(),
        };
        BackupWriter::begin(device, &header).unwrap().finish(&end).unwrap();
        let refused = restore::restore_database(
            world.instance.databases(),
            &world.session.ask(),
            &RestoreRequest { name: "e".into(), ..from(&path) },
        );
        assert!(matches!(refused, Err(RestoreError::Backup { source: BackupReadError::Foreign, .. })), "{refused:?}");
        assert!(world.instance.database_by_name("e").is_none());
    }
}
