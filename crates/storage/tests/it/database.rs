//! Databases come and go: created, found again, renamed, changed, dropped; and nothing is left half.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::fault::Fault;
use millpond_device::{RamMedia, SystemClock};
use millpond_storage::contract::{DbId, ExtentId, PageKind};
use millpond_storage::database::alter_error::AlterDatabaseError;
use millpond_storage::database::create::CreateDatabaseError;
use millpond_storage::database::file_change::{AlterFileError, FileChange};
use millpond_storage::database::options::{DatabaseFlag, RecoveryModel};
use millpond_storage::database::plan::{NewDatabase, NewFile, PlanError};
use millpond_storage::database::{DatabaseState, alter, alter_file, alter_remove, create};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::TempFileConfig;
use millpond_storage::space::map_pages::MapPages;
use millpond_storage::space::{ClaimReport, Owner, SpaceError, maps};

use crate::support::*;

fn create(instance: &Instance, name: &str) -> Result<DbId, CreateDatabaseError> {
    create::create_database(instance.databases(), &Session::new().ask(), &NewDatabase::named(name))
        .map(|database| database.id())
}

fn names(instance: &Instance) -> Vec<String> {
    instance.database_reports().into_iter().map(|database| database.name).filter(|name| !is_system(name)).collect()
}

fn is_system(name: &str) -> bool {
    ["master", "tempdb", "model", "msdb"].contains(&name)
}

fn over(media: &Arc<RamMedia>) -> InstanceConfig {
    InstanceConfig {
        max_memory_bytes: Some(16 << 20),
        tempdb: Some(tempdb(vec![])),
        media: media.clone(),
        ..InstanceConfig::new(Some("/ram".into()), Arc::new(SystemClock::new()))
    }
}

#[test]
fn a_database_is_there_after_a_restart_with_its_options_and_values() {
    let dir = tempfile::tempdir().unwrap();
    let instance = open(dir.path()).unwrap();
    let session = Session::new();
    let new = NewDatabase { collation: Some("Latin1_General_BIN2".into()), ..NewDatabase::named("Tpcc") };
    let database = create::create_database(instance.databases(), &session.ask(), &new).unwrap();
    assert_eq!((database.id(), database.state(), database.name()), (DbId(5), DatabaseState::Online, "Tpcc".into()));
    assert_eq!(instance.database_by_name("tPCC").unwrap().id(), DbId(5));
    assert!(database.options().is_on(DatabaseFlag::ReadCommittedSnapshot));
    let names_of = |instance: &Instance| -> Vec<String> {
        instance.files(DbId(5)).into_iter().map(|file| format!("{} {}", file.name, file.physical_name)).collect()
    };
    let files = names_of(&instance);
    assert_eq!(files.len(), 2);
    assert!(files[1].ends_with("/Tpcc_log.ldf"));
    alter::set_database_options(instance.databases(), &session.ask(), DbId(5), |options| {
        options.recovery = RecoveryModel::BulkLogged;
        options.set(DatabaseFlag::AllowSnapshotIsolation, true);
    })
    .unwrap();
    database.set_boot_value(&session.ask(), 7, 0xdead_beef).unwrap();
    alter::rename_database(instance.databases(), DbId(5), "Tpch").unwrap();
    instance.shutdown(&session.ask(), true).unwrap();
    drop((database, instance));

    let instance = open(dir.path()).unwrap();
    let database = instance.database_by_name("tpch").expect("by its new name");
    assert_eq!((database.boot_value(7), database.boot_value(6)), (0xdead_beef, 0));
    assert_eq!(database.options().recovery, RecoveryModel::BulkLogged);
    assert!(database.options().is_on(DatabaseFlag::AllowSnapshotIsolation));
    assert_eq!(database.collation(), "Latin1_General_BIN2");
    assert_eq!(names_of(&instance), files);
    assert_eq!(create(&instance, "next").unwrap(), DbId(6));
}

#[test]
fn a_dropped_database_leaves_nothing_and_its_number_is_given_again_after_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let instance = open(dir.path()).unwrap();
    let before: Vec<_> = contents(dir.path()).into_keys().collect();
    let id = create(&instance, "d").unwrap();
    let database = instance.database(id).unwrap();
    let session = Session::new();
    let (mut extents, handle) = (Vec::new(), database.handle().unwrap());
    let space = database.space().unwrap();
    space.allocate_extents(&session.ask(), handle, Owner::User, 8, &mut extents).unwrap();
    create::drop_database(instance.databases(), id).unwrap();
    assert!(database.is_dropped());
    assert_eq!(contents(dir.path()).into_keys().collect::<Vec<_>>(), before);
    assert!(instance.database(id).is_none() && instance.files(id).is_empty());
    assert!(matches!(create::drop_database(instance.databases(), id), Err(AlterDatabaseError::NoDatabase { .. })));
    let other = create(&instance, "again").unwrap();
    assert_eq!(other, DbId(id.0 + 1), "what remembers the number finds no other database");
    create::drop_database(instance.databases(), other).unwrap();
    drop((database, session, instance));
    let instance = open(dir.path()).unwrap();
    assert_eq!(create(&instance, "again").unwrap(), id);
    let report = instance.space_report(id);
    assert_eq!(report[0].reserved, [0; 3], "a new database is empty");
}

#[test]
fn in_memory_databases_come_and_go_too() {
    let instance = Instance::open(config(None)).unwrap();
    let id = create(&instance, "d").unwrap();
    assert!(instance.files(id).iter().all(|file| file.is_ram && file.physical_name.starts_with("ram:d")));
    create::drop_database(instance.databases(), id).unwrap();
    create(&instance, "d").unwrap();
}

#[test]
fn refusals_name_what_is_wrong_and_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let instance = open(dir.path()).unwrap();
    create(&instance, "taken").unwrap();
    let before = contents(dir.path());
    let refused =
        |new: NewDatabase| create::create_database(instance.databases(), &Session::new().ask(), &new).unwrap_err();
    let at = |path: &Path| NewDatabase {
        data: vec![NewFile { name: "f".into(), path: Some(path.into()), ..NewFile::default() }],
        ..NewDatabase::named("d")
    };
    assert!(matches!(refused(NewDatabase::named("TAKEN")), CreateDatabaseError::NameInUse { .. }));
    assert!(matches!(refused(NewDatabase::named("tempdb")), CreateDatabaseError::NameInUse { .. }));
    assert!(matches!(refused(NewDatabase::named("")), CreateDatabaseError::Plan(PlanError::Name(_))));
    let exists = refused(at(Path::new("taken.mdf")));
    assert!(matches!(exists, CreateDatabaseError::FileExists { path } if path.ends_with("taken.mdf")));
    let nowhere = refused(at(Path::new("none/f.mdf")));
    assert!(matches!(nowhere, CreateDatabaseError::NoDirectory { path } if path.ends_with("none/f.mdf")));
    let no_file = refused(at(Path::new("/proc/f.mdf")));
    assert!(matches!(no_file, CreateDatabaseError::Create { .. }), "{no_file}");
    assert!(matches!(
        create::drop_database(instance.databases(), DbId::MSDB),
        Err(AlterDatabaseError::OfTheSystem { .. })
    ));
    let rename = |id, name: &str| alter::rename_database(instance.databases(), id, name);
    assert!(matches!(rename(DbId(5), "Master"), Err(AlterDatabaseError::NameInUse { .. })));
    assert!(matches!(rename(DbId(5), ""), Err(AlterDatabaseError::BadName { .. })));
    assert!(matches!(rename(DbId(99), "x"), Err(AlterDatabaseError::NoDatabase { .. })));
    let options = alter::set_database_options(instance.databases(), &Session::new().ask(), DbId::TEMPDB, |_| ());
    assert!(matches!(options, Err(AlterDatabaseError::OfTheSystem { .. })));
    assert_eq!(contents(dir.path()), before);
    assert_eq!(names(&instance), ["taken"]);
}

/// The process ends after each of the stores, creations and deletions that creating and dropping a database consist of.
/// A medium that remembers only what is there at that point in time stands for the crash.
#[test]
fn a_crash_between_the_steps_leaves_a_whole_database_or_none() {
    let media = Arc::new(RamMedia::new());
    let instance = Instance::open(over(&media)).unwrap();
    let toml = Path::new("/ram/instance.toml");
    let entry = |stage: &str| {
        let whole = read(&media, toml);
        assert!(whole.contains("stage = \"ready\""));
        let at = whole.rfind("stage = \"ready\"").unwrap();
        format!("{}stage = \"{stage}\"{}", &whole[..at], &whole[at + 15..])
    };
    create(&instance, "d").unwrap();
    let (mdf, ldf) = (Path::new("/ram/d.mdf"), Path::new("/ram/d_log.ldf"));
    for stage in ["creating", "dropping"] {
        for gone in [vec![], vec![mdf], vec![ldf], vec![mdf, ldf]] {
            let crashed = Arc::new(media.snapshot());
            write(&crashed, toml, &entry(stage));
            gone.iter().for_each(|path| millpond_device::Media::remove(&*crashed, path).unwrap());
            let again = Instance::open(over(&crashed)).unwrap();
            assert_eq!(names(&again), [""; 0]);
            assert!(!crashed.paths().iter().any(|path| path == mdf || path == ldf), "{stage} {gone:?}");
            create(&again, "d").unwrap();
        }
    }
    let crashed = Arc::new(media.snapshot());
    assert_eq!(names(&Instance::open(over(&crashed)).unwrap()), ["d"]);
}

fn read(media: &RamMedia, path: &Path) -> String {
    use millpond_device::BlockDevice;
    let device = media.device(path).unwrap();
    let mut bytes = vec![0; device.len_bytes() as usize];
    device.read_at(0, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn write(media: &RamMedia, path: &Path, text: &str) {
    use millpond_device::BlockDevice;
    let device = media.device(path).unwrap();
    device.set_len(text.len() as u64).unwrap();
    device.write_at(0, text.as_bytes()).unwrap();
}

#[test]
fn what_is_transient_goes_with_its_process_unless_it_is_kept() {
    let media = Arc::new(RamMedia::new());
    let instance = Instance::open(over(&media)).unwrap();
    let session = Session::new();
    let new = NewDatabase::named("d");
    let made = create::create_transient_database(instance.databases(), &session.ask(), &new, &mut |_| ()).unwrap();
    assert_eq!(names(&instance), ["d"]);
    let crashed = Arc::new(media.snapshot());
    assert_eq!(names(&Instance::open(over(&crashed)).unwrap()), [""; 0]);
    assert!(!crashed.paths().iter().any(|path| path.starts_with("/ram/d.mdf") || path.starts_with("/ram/d_log.ldf")));
    create::keep_database(instance.databases(), made.id()).unwrap();
    let crashed = Arc::new(media.snapshot());
    assert_eq!(names(&Instance::open(over(&crashed)).unwrap()), ["d"]);
}

/// A file of the user's that lies where an unfinished database would have had one is not ours to delete.
#[test]
fn the_remains_of_a_creation_are_ours_only_with_our_mark() {
    let dir = tempfile::tempdir().unwrap();
    let instance = open(dir.path()).unwrap();
    create(&instance, "d").unwrap();
    drop(instance);
    let settings = dir.path().join("instance.toml");
    let text = fs::read_to_string(&settings).unwrap();
    let at = text.rfind("stage = \"ready\"").unwrap();
    fs::write(&settings, format!("{}stage = \"creating\"{}", &text[..at], &text[at + 15..])).unwrap();
    fs::write(dir.path().join("d.mdf"), "my own notes").unwrap();
    let instance = open(dir.path()).unwrap();
    assert_eq!(fs::read(dir.path().join("d.mdf")).unwrap(), b"my own notes");
    assert!(!dir.path().join("d_log.ldf").exists());
    assert!(matches!(create(&instance, "d"), Err(CreateDatabaseError::FileExists { .. })));
}

#[test]
fn a_failing_list_or_a_failing_file_leaves_no_database() {
    let media = Arc::new(RamMedia::new());
    let instance = Instance::open(over(&media)).unwrap();
    let before = media.paths();
    for nth in 0..2 {
        // Each store of the list goes through its own new file, which the medium keeps under that name.
        let list = millpond_device::Media::open(
            &*media,
            Path::new("/ram/instance.toml.new"),
            millpond_device::OpenMode::CreateOrTruncate,
        );
        drop(list);
        let device = media.device(Path::new("/ram/instance.toml.new")).unwrap();
        if nth == 0 {
            device.order(Fault::WriteError, 0);
            let failed = create(&instance, "d");
            assert!(matches!(failed, Err(CreateDatabaseError::Settings(_))), "{failed:?}");
        } else {
            millpond_device::Media::remove(&*media, Path::new("/ram/instance.toml.new")).unwrap();
        }
        assert_eq!(names(&instance), [""; 0]);
    }
    assert_eq!(media.paths(), before);
    create(&instance, "d").unwrap();
}

fn over_ram() -> (Arc<RamMedia>, Arc<Instance>, DbId) {
    let media = Arc::new(RamMedia::new());
    let instance = Instance::open(over(&media)).unwrap();
    let id = create(&instance, "d").unwrap();
    (media, instance, id)
}

fn take(instance: &Instance, db: DbId, count: u32) -> Vec<ExtentId> {
    let database = instance.database(db).unwrap();
    let (mut extents, session) = (Vec::new(), Session::new());
    while extents.len() < count as usize {
        let (space, handle) = (database.space().unwrap(), database.handle().unwrap());
        let wanted = count - extents.len() as u32;
        space.allocate_extents(&session.ask(), handle, Owner::User, wanted, &mut extents).unwrap();
    }
    extents
}

fn make_durable(instance: &Instance, db: DbId) {
    let database = instance.database(db).unwrap();
    let log = database.log().unwrap().unwrap();
    log.make_durable(&Session::new().ask(), log.end_lsn()).unwrap();
}

/// No page was written, only the log: the maps, a growth and the values in the boot page are there again.
#[test]
fn after_a_crash_the_maps_are_what_the_log_says() {
    let (media, instance, id) = over_ram();
    instance.suspend_checkpoints(true);
    // More than the 126 extents that 8 MB have: the file grows by 64 MB.
    let extents = take(&instance, id, 200);
    let database = instance.database(id).unwrap();
    let (session, handle) = (Session::new(), database.handle().unwrap());
    database.space().unwrap().free_extents(&session.ask(), handle, Owner::User, &extents[50..]).unwrap();
    database.set_boot_value(&session.ask(), 3, 77).unwrap();
    make_durable(&instance, id);
    let expected = instance.space_report(id);
    assert_eq!(expected[0].total, u64::from(72 * MB));
    let crashed = Arc::new(media.snapshot());
    let again = Instance::open(over(&crashed)).unwrap();
    assert_eq!(again.space_report(id), expected);
    let database = again.database(id).unwrap();
    assert_eq!((database.boot_value(3), database.was_clean(), database.state()), (77, false, DatabaseState::Online));
    assert_eq!(again.files(id)[0].size_pages, 72 * MB);
    // Orphans: nothing claims the fifty extents.
    let reclaimed = again.reclaim_orphans(&session.ask(), id, &[]).unwrap();
    assert_eq!((reclaimed.extents, reclaimed.single_pages), (50, 0));
    assert_eq!(again.space_report(id)[0].reserved, [0; 3]);
    again.shutdown(&session.ask(), true).unwrap();
    drop((database, again));
    let clean = Instance::open(over(&crashed)).unwrap();
    assert!(clean.database(id).unwrap().was_clean());
    assert_eq!(clean.space_report(id)[0].reserved, [0; 3]);
}

/// An extent and the IAM page that claims it stay; the page that nothing names goes.
#[test]
fn only_what_no_chain_claims_is_reclaimed() {
    let (_media, instance, id) = over_ram();
    let database = instance.database(id).unwrap();
    let (session, handle, space) = (Session::new(), database.handle().unwrap(), database.space().unwrap());
    let extents = take(&instance, id, 3);
    let iam = space.allocate_page(&session.ask(), handle).unwrap();
    let leaked = space.allocate_page(&session.ask(), handle).unwrap();
    handle
        .create_map(&session.ask(), iam, PageKind::Iam, &mut |bytes| {
            maps::iam::set_interval(bytes, extents[1].file, 0);
            maps::set_bit(bytes, extents[1].extent, true);
        })
        .unwrap();
    let claims = instance.check_claims(&session.ask(), id, &[iam]).unwrap();
    assert_eq!((claims.orphans.extents, claims.orphans.single_pages), (2, 1));
    let twice = instance.check_claims(&session.ask(), id, &[iam, iam]).unwrap();
    assert_eq!((twice.chain_pages.as_slice(), twice.claimed_twice.len()), (&[iam][..], 0));
    let reclaimed = instance.reclaim_orphans(&session.ask(), id, &[iam]).unwrap();
    assert_eq!(reclaimed, claims.orphans);
    assert_eq!(space.pfs(&session.ask(), handle, leaked).unwrap() & maps::PFS_ALLOCATED, 0);
    assert_ne!(space.pfs(&session.ask(), handle, iam).unwrap() & maps::PFS_ALLOCATED, 0);
    assert_eq!(space.report()[0].reserved, [8, 0, 0]);
    assert_eq!(instance.check_claims(&session.ask(), id, &[iam]).unwrap(), ClaimReport::default());
    // A second chain with the same extent, and an extent that is free.
    let second = space.allocate_page(&session.ask(), handle).unwrap();
    handle
        .create_map(&session.ask(), second, PageKind::Iam, &mut |bytes| {
            maps::iam::set_interval(bytes, extents[1].file, 0);
            maps::set_bit(bytes, extents[1].extent, true);
            maps::set_bit(bytes, extents[0].extent, true);
        })
        .unwrap();
    let wrong = instance.check_claims(&session.ask(), id, &[iam, second]).unwrap();
    assert_eq!((wrong.claimed_twice, wrong.claimed_but_free), (vec![extents[1]], vec![extents[0]]));
}

#[test]
fn files_are_added_used_and_removed_and_found_after_a_crash() {
    let (media, instance, id) = over_ram();
    let session = Session::new();
    let file = alter_file::add_file(instance.databases(), &session.ask(), id, &small("more")).unwrap();
    let log =
        alter_file::add_file(instance.databases(), &session.ask(), id, &TempFileConfig::new("log2", true)).unwrap();
    let change =
        |name: &str, change| alter_file::modify_file(instance.databases(), &session.ask(), id, name, change).unwrap();
    change("more", FileChange::Name("second".into()));
    change("d", FileChange::Size { pages: 16 * MB });
    change("d_log", FileChange::Size { pages: 16 * MB });
    let again = Instance::open(over(&Arc::new(media.snapshot()))).unwrap();
    let names = |instance: &Instance| -> Vec<(u16, String, u32)> {
        instance.files(id).into_iter().map(|f| (f.file.0, f.name, f.size_pages / MB)).collect()
    };
    assert_eq!(names(&again), names(&instance));
    assert_eq!(names(&again).len(), 4);
    assert_eq!((again.files(id)[0].size_pages, again.files(id)[2].name.as_str()), (16 * MB, "second"));
    assert!(take(&again, id, 200).iter().any(|extent| extent.file == file));
    assert_eq!(again.database(id).unwrap().log().unwrap().unwrap().report().files.len(), 2);

    alter_remove::remove_file(instance.databases(), &session.ask(), id, "second", 0).unwrap();
    alter_remove::remove_file(instance.databases(), &session.ask(), id, "log2", 0).unwrap();
    assert!(log.0 > 2 && !media.paths().iter().any(|path| path.ends_with("more.ndf") || path.ends_with("log2.ldf")));
    let again = Instance::open(over(&Arc::new(media.snapshot()))).unwrap();
    assert_eq!(names(&again), [(1, "d".into(), 16), (2, "d_log".into(), 16)]);
    let second =
        alter_file::add_file(instance.databases(), &session.ask(), id, &TempFileConfig::new("log3", true)).unwrap();
    alter_remove::remove_file(instance.databases(), &session.ask(), id, "log3", 0).unwrap();
    assert_eq!(
        alter_file::add_file(instance.databases(), &session.ask(), id, &TempFileConfig::new("log4", true)).unwrap(),
        second
    );
    change("log4", FileChange::Size { pages: 24 * MB });
    let again = Instance::open(over(&Arc::new(media.snapshot()))).unwrap();
    assert_eq!(names(&again)[2], (second.0, "log4".into(), 24));
    assert_eq!(again.database(id).unwrap().log().unwrap().unwrap().report().size_bytes, 40 << 20);
    let fixed = alter_file::add_file(instance.databases(), &session.ask(), DbId::MODEL, &small("x"));
    assert!(matches!(fixed, Err(AlterFileError::FilesAreFixed(DbId::MODEL))));
}

#[test]
fn a_database_goes_offline_comes_back_and_is_detached() {
    let (media, instance, id) = over_ram();
    let session = Session::new();
    take(&instance, id, 5);
    let before = instance.space_report(id);
    let old = instance.database(id).unwrap();
    alter::set_offline(instance.databases(), &session.ask(), id).unwrap();
    assert!(old.is_dropped() && instance.database(id).unwrap().space().is_err());
    assert_eq!(instance.database(id).unwrap().state(), DatabaseState::Offline);
    let again = Instance::open(over(&Arc::new(media.snapshot()))).unwrap();
    assert_eq!(again.database(id).unwrap().state(), DatabaseState::Offline, "after a restart too");
    alter::set_online(instance.databases(), &session.ask(), id).unwrap();
    assert_eq!(instance.space_report(id), before);

    alter::set_offline(instance.databases(), &session.ask(), id).unwrap();
    let (mdf, aside) = (Path::new("/ram/d.mdf"), Path::new("/ram/aside"));
    millpond_device::Media::rename(&*media, mdf, aside).unwrap();
    assert!(matches!(
        alter::set_online(instance.databases(), &session.ask(), id),
        Err(AlterDatabaseError::File { .. })
    ));
    assert!(matches!(instance.database(id).unwrap().state(), DatabaseState::RecoveryPending { .. }));
    millpond_device::Media::rename(&*media, aside, mdf).unwrap();
    alter::set_online(instance.databases(), &session.ask(), id).unwrap();
    let paths = alter::detach_database(instance.databases(), &session.ask(), id).unwrap();
    assert_eq!(paths, [mdf, Path::new("/ram/d_log.ldf")]);
    assert!(instance.database(id).is_none() && media.paths().iter().any(|path| path == mdf));
}

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let (media, instance, id) = over_ram();
    let session = Session::new();
    let mdf = media.device(Path::new("/ram/d.mdf")).unwrap();
    mdf.fill_beyond(u64::from(8 * MB) * 8192);
    let taken = take(&instance, id, 100);
    let database = instance.database(id).unwrap();
    let (space, handle) = (database.space().unwrap(), database.handle().unwrap());
    let mut more = Vec::new();
    let full = loop {
        match space.allocate_extents(&session.ask(), handle, Owner::User, 8, &mut more) {
            Ok(()) => {}
            Err(error) => break error,
        }
    };
    assert!(matches!(full, SpaceError::Full { .. }), "{full}");
    // Of 128 extents the system has two, and eight are for work that makes room.
    assert_eq!(taken.len() + more.len(), 118);
    let makes_room = session.ask().with_reserve();
    while space.allocate_extents(&makes_room, handle, Owner::User, 8, &mut more).is_ok() {}
    assert_eq!(taken.len() + more.len(), 126);
    // What is freed fills the reserve first.
    space.free_extents(&session.ask(), handle, Owner::User, &more.split_off(more.len() - 8)).unwrap();
    assert!(space.allocate_extents(&session.ask(), handle, Owner::User, 1, &mut more).is_err());
    mdf.lift();
    std::thread::sleep(std::time::Duration::from_millis(300));
    space.allocate_extents(&session.ask(), handle, Owner::User, 8, &mut more).expect("there is room again");
    make_durable(&instance, id);
    let again = Instance::open(over(&Arc::new(media.snapshot()))).unwrap();
    assert_eq!(again.space_report(id), instance.space_report(id));
}

#[test]
fn reports_cover_all_databases_open_or_not() {
    let (_media, instance, id) = over_ram();
    let session = Session::new();
    let usage = |db| instance.log_usage().into_iter().find(|usage| usage.db == db);
    let before = usage(id).unwrap();
    assert_eq!((before.name.as_str(), before.total_bytes), ("d", u64::from(8 * MB) * 8192));
    let database = instance.database(id).unwrap();
    (0..500).for_each(|value| database.set_boot_value(&session.ask(), 1, value).unwrap());
    make_durable(&instance, id);
    let after = usage(id).unwrap();
    assert!(after.used_bytes > before.used_bytes && after.used_bytes < after.total_bytes, "{before:?} {after:?}");
    assert!(after.unbacked_bytes >= 500 * 16, "{after:?}");
    assert!(usage(DbId::TEMPDB).is_some());
    alter::set_offline(instance.databases(), &session.ask(), id).unwrap();
    assert!(usage(id).is_none());
    let files: Vec<_> = instance.files(id).into_iter().map(|f| (f.name, f.physical_name)).collect();
    assert_eq!(files[1], ("d_log".into(), "/ram/d_log.ldf".into()));
}

/// A torn header page of the primary file, a lost log, a log of another database: each its own error, nothing changed.
#[test]
fn damage_of_the_log_makes_one_database_suspect() {
    use millpond_device::{BlockDevice, Media};
    let (media, instance, id) = over_ram();
    let other = create(&instance, "other").unwrap();
    let session = Session::new();
    take(&instance, id, 3);
    instance.shutdown(&session.ask(), true).unwrap();
    let open_after = |damage: &dyn Fn(&RamMedia)| {
        let damaged = Arc::new(media.snapshot());
        damage(&damaged);
        let again = Instance::open(over(&damaged)).unwrap();
        assert_eq!(again.database(other).unwrap().state(), DatabaseState::Online);
        again.database(id).unwrap().state()
    };
    let ldf = Path::new("/ram/d_log.ldf");
    let lost = open_after(&|media| media.remove(ldf).unwrap());
    assert!(matches!(lost, DatabaseState::RecoveryPending { .. }), "{lost:?}");
    let cut = open_after(&|media| media.device(ldf).unwrap().set_len(1 << 20).unwrap());
    assert!(matches!(cut, DatabaseState::Suspect { .. }), "{cut:?}");
    let foreign = open_after(&|media| {
        media.remove(ldf).unwrap();
        media.rename(Path::new("/ram/other_log.ldf"), ldf).unwrap();
        let device = media.open(Path::new("/ram/other_log.ldf"), millpond_device::OpenMode::CreateNew).unwrap();
        let source = media.device(ldf).unwrap();
        let mut bytes = vec![0; source.len_bytes() as usize];
        source.read_at(0, &mut bytes).unwrap();
        device.set_len(bytes.len() as u64).unwrap();
        device.write_at(0, &bytes).unwrap();
    });
    assert!(matches!(&foreign, DatabaseState::Suspect { reason } if reason.contains("another")), "{foreign:?}");
    let anchors = open_after(&|media| media.device(ldf).unwrap().write_at(8192, &[7; 8192]).unwrap());
    assert!(matches!(anchors, DatabaseState::Suspect { .. }), "{anchors:?}");
}

#[test]
fn a_detached_database_is_attached_under_another_name_and_by_another_instance() {
    let (media, instance, id) = over_ram();
    let session = Session::new();
    take(&instance, id, 5);
    let before = instance.space_report(id);
    let (mdf, ldf) = (PathBuf::from("/ram/d.mdf"), PathBuf::from("/ram/d_log.ldf"));
    let paths = [ldf.clone(), mdf.clone()];
    let attach = |name: &str, paths: &[PathBuf]| {
        alter::attach_database(instance.databases(), &session.ask(), name, paths, &mut |_| ())
    };
    assert!(matches!(attach("e", &paths), Err(AlterDatabaseError::File { .. })), "it is in use");
    alter::detach_database(instance.databases(), &session.ask(), id).unwrap();
    assert!(matches!(attach("e", &paths[..1]), Err(AlterDatabaseError::NotADatabase)));
    assert!(matches!(attach("model", &paths), Err(AlterDatabaseError::NameInUse { .. })));
    let attached = attach("e", &paths).unwrap();
    assert_eq!((attached.name(), attached.state()), ("e".into(), DatabaseState::Online));
    assert_eq!(instance.space_report(attached.id()), before);
    let again = Instance::open(over(&Arc::new(media.snapshot()))).unwrap();
    assert_eq!(again.space_report(attached.id()), before);

    alter::detach_database(instance.databases(), &session.ask(), attached.id()).unwrap();
    let other = InstanceConfig {
        max_memory_bytes: Some(16 << 20),
        media: media.clone(),
        ..InstanceConfig::new(Some("/else".into()), Arc::new(SystemClock::new()))
    };
    let other = Instance::open(other).unwrap();
    let there = alter::attach_database(other.databases(), &session.ask(), "moved", &paths, &mut |_| ()).unwrap();
    assert_eq!(other.space_report(there.id()), before);
}

/// The log that recovery would read stays below what the target allows, without a request.
#[test]
fn automatic_checkpoints_keep_recovery_short() {
    let (_media, instance, id) = over_ram();
    let session = Session::new();
    alter::set_database_options(instance.databases(), &session.ask(), id, |options| options.target_recovery_s = 1)
        .unwrap();
    let database = instance.database(id).unwrap();
    let log = database.log().unwrap().unwrap();
    let fill = || {
        let start = log.report().appended_bytes;
        while log.report().appended_bytes < start + (5 << 20) {
            (0..1000).for_each(|value| database.set_boot_value(&session.ask(), 1, value).unwrap());
        }
    };
    instance.suspend_checkpoints(true);
    fill();
    std::thread::sleep(std::time::Duration::from_millis(1200));
    assert!(log.report().recovery_bytes > 5 << 20, "suspended");
    // The option does the same.
    instance.settings().set_option("show advanced options", 1).unwrap();
    instance.reconfigure(false).unwrap();
    instance.settings().set_option("automatic checkpoints", 0).unwrap();
    instance.reconfigure(false).unwrap();
    instance.suspend_checkpoints(false);
    std::thread::sleep(std::time::Duration::from_millis(1200));
    assert!(log.report().recovery_bytes > 5 << 20, "suspended");
    instance.settings().set_option("automatic checkpoints", 1).unwrap();
    instance.reconfigure(false).unwrap();
    let is_short = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        log.report().recovery_bytes < 4 << 20
    });
    assert!(is_short, "{:?}", log.report());
}
