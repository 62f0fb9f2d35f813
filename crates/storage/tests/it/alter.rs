//! ALTER DATABASE … FILE.

use std::fs;
use std::path::PathBuf;

use millpond_storage::contract::{DbId, FileId, PageKind};
use millpond_storage::database::file_change::{AlterFileError, FileChange, FileChanged};
use millpond_storage::database::{alter_file, alter_remove};
use millpond_storage::file::Medium;
use millpond_storage::file::growth::Growth;
use millpond_storage::file::tier::Tier;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfigError};

use crate::support::*;

struct World {
    dir: tempfile::TempDir,
    session: Session,
    instance: std::sync::Arc<Instance>,
}

fn config_of(dir: &std::path::Path) -> InstanceConfig {
    InstanceConfig { tempdb: Some(tempdb(vec![])), ..config(Some(dir)) }
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let instance = Instance::open(config_of(dir.path())).unwrap();
        World { dir, session: Session::new(), instance }
    }

    fn restarted(self) -> World {
        let World { dir, session, instance } = self;
        drop(instance);
        let instance = Instance::open(config_of(dir.path())).unwrap();
        World { dir, session, instance }
    }

    fn add(&self, file: TempFileConfig) -> Result<FileId, AlterFileError> {
        alter_file::add_file(self.instance.databases(), &self.session.ask(), TEMPDB, &file)
    }

    fn modify(&self, name: &str, change: FileChange) -> Result<FileChanged, AlterFileError> {
        alter_file::modify_file(self.instance.databases(), &self.session.ask(), TEMPDB, name, change)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

#[test]
fn a_new_file_is_used_at_once_and_after_a_restart() {
    let world = World::new();
    assert_eq!(world.add(small("temp2")).unwrap(), FileId(3));
    assert_eq!(world.add(small("temp3")).unwrap(), FileId(4));
    let extents = allocate(&world.instance, &world.session, 100).unwrap();
    for id in [3, 4] {
        assert!(extents.iter().any(|e| e.file == FileId(id)), "file {id} has a tenth of the room");
    }
    let page = extents.iter().find(|e| e.file == FileId(3)).unwrap().page(0);
    world.instance.pool().create(&world.session.ask(), page, PageKind::Data, 1).unwrap();
    assert!(world.path("tempdb_mssql_2.ndf").exists());
    let world = world.restarted();
    assert_eq!(file(&world.instance, "temp3").file, FileId(4));
}

#[test]
fn a_new_log_file_is_there_after_a_restart_too() {
    let world = World::new();
    let log = TempFileConfig { tier: Tier::LAST, ..TempFileConfig::new("templog2", true) };
    world.add(log).unwrap();
    assert_eq!(world.instance.undo_log().report().files.len(), 2);
    let world = world.restarted();
    assert!(file(&world.instance, "templog2").tier.is_last());
    assert_eq!(world.instance.undo_log().report().files.len(), 2);
}

#[test]
fn bad_new_files_are_refused_and_leave_nothing() {
    let world = World::new();
    fs::write(world.path("taken.ndf"), "precious").unwrap();
    let before: Vec<_> = contents(world.dir.path()).into_keys().collect();
    let refused = |file: TempFileConfig| world.add(file).unwrap_err();
    assert!(matches!(refused(small("TempDev")), AlterFileError::NameInUse { .. }));
    let no_dir = refused(at("/no/such/place/x.ndf", small("x")));
    assert!(matches!(&no_dir, AlterFileError::NoDirectory { path } if path.ends_with("place/x.ndf")));
    assert!(matches!(refused(at("taken.ndf", small("x"))), AlterFileError::FileExists { .. }));
    let tiny = TempFileConfig { size_pages: 8, ..small("x") };
    assert!(matches!(refused(tiny), AlterFileError::Bad(TempdbConfigError::TooSmall { .. })));
    let low = TempFileConfig { max_pages: Some(64), ..small("x") };
    assert!(matches!(refused(low), AlterFileError::Bad(TempdbConfigError::MaxBelowSize(_))));
    let huge = TempFileConfig { size_pages: u32::MAX, ..small("x") };
    let error = refused(huge);
    assert!(matches!(error, AlterFileError::Create { .. }), "32 TB do not fit on this disk: {error}");
    let ask = world.session.ask();
    let other = alter_file::add_file(world.instance.databases(), &ask, DbId::MASTER, &small("x")).unwrap_err();
    assert!(matches!(other, AlterFileError::FilesAreFixed(DbId::MASTER)));
    let none = alter_file::add_file(world.instance.databases(), &ask, DbId(77), &small("x")).unwrap_err();
    assert!(matches!(none, AlterFileError::NoDatabase(_)));
    assert_eq!(contents(world.dir.path()).into_keys().collect::<Vec<_>>(), before);
    assert_eq!(world.instance.files(TEMPDB).len(), 2);
    assert_eq!(fs::read(world.path("taken.ndf")).unwrap(), b"precious");
}

#[test]
fn sizes_limits_growth_and_names_change_now_and_for_later() {
    let world = World::new();
    assert_eq!(world.modify("tempdev", FileChange::Size { pages: 20 * MB }).unwrap(), FileChanged::Now);
    assert_eq!(file(&world.instance, "TEMPDEV".to_lowercase().as_str()).size_pages, 20 * MB);
    allocate(&world.instance, &world.session, 19 * 16).unwrap();
    world.modify("tempdev", FileChange::MaxSize { pages: Some(30 * MB) }).unwrap();
    world.modify("tempdev", FileChange::Growth(Growth::Pages(MB + 3))).unwrap();
    world.modify("templog", FileChange::Size { pages: 9 * MB }).unwrap();
    world.modify("tempdev", FileChange::Name("first".into())).unwrap();
    let check = |world: &World| {
        let report = file(&world.instance, "first");
        assert_eq!((report.size_pages, report.max_pages), (20 * MB, Some(30 * MB)));
        assert_eq!((report.growth, file(&world.instance, "templog").size_pages), (Growth::Pages(MB), 9 * MB));
    };
    check(&world);
    check(&world.restarted());
}

#[test]
fn bad_changes_are_refused() {
    let world = World::new();
    let refused = |change| world.modify("tempdev", change).unwrap_err();
    let same = FileChange::Size { pages: 8 * MB };
    assert!(matches!(refused(same), AlterFileError::SizeNotLarger { current_pages: 1024, .. }));
    world.modify("tempdev", FileChange::MaxSize { pages: Some(16 * MB) }).unwrap();
    let refused = |change| world.modify("tempdev", change).unwrap_err();
    assert!(matches!(refused(FileChange::Size { pages: 17 * MB }), AlterFileError::SizeAboveMax { .. }));
    let low = FileChange::MaxSize { pages: Some(MB) };
    assert!(matches!(refused(low), AlterFileError::Bad(TempdbConfigError::MaxBelowSize(_))));
    let fast = FileChange::Growth(Growth::Pages(17 * MB));
    assert!(matches!(refused(fast), AlterFileError::Bad(TempdbConfigError::GrowthAboveMax(_))));
    assert!(matches!(refused(FileChange::Name("TempLog".into())), AlterFileError::NameInUse { .. }));
    assert!(matches!(refused(FileChange::Name(String::new())), AlterFileError::Bad(TempdbConfigError::Name(_))));
    let none = world.modify("none", FileChange::Name("x".into())).unwrap_err();
    assert!(matches!(none, AlterFileError::NoFile { .. }));
    world.restarted();
}

#[test]
fn a_file_is_moved_at_once_and_is_there_after_a_restart() {
    let world = World::new();
    let other = tempfile::tempdir().unwrap();
    let place = other.path().join("moved.mdf");
    let moved = world.modify("tempdev", FileChange::Medium(Medium::File(place.clone()))).unwrap();
    assert_eq!(moved, FileChanged::Moved);
    let report = file(&world.instance, "tempdev");
    assert_eq!(report.physical_name, place.display().to_string());
    assert_eq!(report.next_physical_name, place.display().to_string());
    assert!(place.exists() && !world.path("tempdb.mdf").exists());
    world.modify("templog", FileChange::Medium(Medium::Ram)).unwrap();
    assert!(file(&world.instance, "templog").is_ram && !world.path("templog.ldf").exists());
    let world = world.restarted();
    let report = file(&world.instance, "tempdev");
    assert_eq!((report.physical_name, report.is_ram), (place.display().to_string(), false));
    assert!(file(&world.instance, "templog").is_ram);

    let bad = FileChange::Medium(Medium::File("/no/such/place/x.mdf".into()));
    assert!(matches!(world.modify("tempdev", bad).unwrap_err(), AlterFileError::NoDirectory { .. }));
    world.add(at(other.path().join("2.ndf"), small("temp2"))).unwrap();
    let same = FileChange::Medium(Medium::File(place));
    assert!(matches!(world.modify("temp2", same).unwrap_err(), AlterFileError::FileExists { .. }));
    let master = alter_file::modify_file(
        world.instance.databases(),
        &world.session.ask(),
        DbId::MASTER,
        "master",
        FileChange::Medium(Medium::Ram),
    );
    assert!(matches!(master.unwrap_err(), AlterFileError::FilesAreFixed(_)));
}

#[test]
fn a_file_is_removed_with_its_pages_when_others_have_room() {
    let world = World::new();
    world.add(small("temp2")).unwrap();
    let (instance, ask) = (&world.instance, world.session.ask());
    let remove = |name| alter_remove::remove_file(instance.databases(), &ask, TEMPDB, name, 0);
    assert!(matches!(remove("tempdev").unwrap_err(), AlterFileError::Primary { .. }));
    assert!(matches!(remove("templog").unwrap_err(), AlterFileError::Primary { .. }));
    assert!(matches!(remove("none").unwrap_err(), AlterFileError::NoFile { .. }));
    // 8 MB and 1 MB: full to the last extent, so there is no room for what temp2 has.
    let limit =
        |pages| alter_file::modify_file(instance.databases(), &ask, TEMPDB, "tempdev", FileChange::MaxSize { pages });
    limit(Some(8 * MB)).unwrap();
    let mut extents = Vec::new();
    while let Ok(more) = allocate(instance, &world.session, 1) {
        extents.extend(more);
    }
    let before = instance.tempdb_space().report();
    assert!(matches!(remove("temp2").unwrap_err(), AlterFileError::NotEmpty { .. }));
    assert_eq!(instance.tempdb_space().report(), before, "nothing changed");
    let (of_temp2, of_tempdev): (Vec<_>, Vec<_>) = extents.into_iter().partition(|extent| extent.file == FileId(3));
    free(instance, &world.session, &of_temp2[..1]);
    assert_eq!(allocate(instance, &world.session, 1).unwrap(), of_temp2[..1], "it gives space");

    limit(None).unwrap();
    remove("temp2").unwrap();
    assert!(!world.path("tempdb_mssql_2.ndf").exists());
    assert!(instance.files(TEMPDB).iter().all(|file| file.name != "temp2"));
    let [report] = instance.tempdb_space().report()[..] else { panic!("one file is left") };
    let in_use = (of_temp2.len() + of_tempdev.len()) as u64 * 8;
    assert_eq!(report.reserved, [in_use, 0, 0], "what was in the other file counts here");
    assert_eq!(world.add(small("new")).unwrap(), FileId(4), "a number with pages in use is not given again");
    free(instance, &world.session, &of_temp2);
    free(instance, &world.session, &of_tempdev);
    assert!(
        instance.tempdb_space().report().iter().all(|file| file.reserved == [0; 3] && file.mixed == file.allocated)
    );
    assert_eq!(world.add(small("again")).unwrap(), FileId(3), "its number is free");
    let world = world.restarted();
    assert_eq!(world.instance.files(TEMPDB).len(), 4);
}

#[test]
fn an_emptied_file_gives_nothing_and_is_removed_later() {
    let world = World::new();
    world.add(small("temp2")).unwrap();
    let (instance, ask) = (&world.instance, world.session.ask());
    let extents = allocate(instance, &world.session, 100).unwrap();
    assert!(extents.iter().any(|extent| extent.file == FileId(3)));
    assert!(alter_remove::empty_file(instance.databases(), &ask, TEMPDB, "temp2", 0).unwrap());
    assert!(alter_remove::empty_file(instance.databases(), &ask, TEMPDB, "temp2", 0).unwrap());
    let reports = instance.tempdb_space().report();
    assert_eq!(reports.iter().map(|r| (r.file.0, r.reserved[0])).collect::<Vec<_>>(), [(1, 800), (3, 0)]);
    assert_eq!((reports[1].allocated, reports[1].mixed), (16, 16));
    let size = FileChange::Size { pages: 2 * MB };
    let refused = alter_file::modify_file(instance.databases(), &ask, TEMPDB, "temp2", size).unwrap_err();
    assert!(matches!(refused, AlterFileError::Emptied { .. }), "{refused}");
    let more = allocate(instance, &world.session, 120).unwrap();
    assert!(more.iter().all(|extent| extent.file == FileId(1)), "it gives nothing");
    alter_remove::remove_file(instance.databases(), &ask, TEMPDB, "temp2", 0).unwrap();
    assert!(!world.path("tempdb_mssql_2.ndf").exists());
    free(instance, &world.session, &extents);
    free(instance, &world.session, &more);
    assert_eq!(world.add(small("again")).unwrap(), FileId(3));
    // A restart uses one that was emptied and not removed.
    alter_remove::empty_file(instance.databases(), &ask, TEMPDB, "again", 0).unwrap();
    let extents = allocate(instance, &world.session, 100).unwrap();
    assert!(extents.iter().all(|extent| extent.file == FileId(1)));
    let world = world.restarted();
    let extents = allocate(&world.instance, &world.session, 100).unwrap();
    assert!(extents.iter().any(|extent| extent.file == FileId(3)));
}

#[test]
fn a_log_file_of_tempdb_goes_with_the_undo_that_is_needed() {
    let world = World::new();
    let log = |name: &str| TempFileConfig { size_pages: 16 * MB, ..TempFileConfig::new(name, true) };
    world.add(log("templog2")).unwrap();
    let (instance, ask) = (&world.instance, world.session.ask());
    let undo = instance.undo_log();
    let record = |number: u8| vec![number; 50_000];
    // 8 MB of the first file, and 12 of the second.
    let addresses: Vec<_> = (0..=255).chain(0..=200).map(|n| (n, undo.append(&ask, &record(n)).unwrap())).collect();
    assert!(undo.report().files[1].1 > 4 << 20, "{:?}", undo.report());
    let limit = FileChange::MaxSize { pages: Some(8 * MB) };
    alter_file::modify_file(instance.databases(), &ask, TEMPDB, "templog", limit).unwrap();
    let refused = alter_remove::remove_file(instance.databases(), &ask, TEMPDB, "templog2", 20_000).unwrap_err();
    assert!(matches!(refused, AlterFileError::NotEmpty { .. }), "{refused}");
    alter_file::modify_file(instance.databases(), &ask, TEMPDB, "templog", FileChange::MaxSize { pages: None })
        .unwrap();
    // EMPTYFILE waited for nothing until its time was over, and said that there was no room.
    assert!(alter_remove::empty_file(instance.databases(), &ask, TEMPDB, "templog2", 0).unwrap());
    assert_eq!(undo.report().files[1].1, 0);
    let addresses: Vec<_> =
        addresses.into_iter().chain((0..=200).map(|n| (n, undo.append(&ask, &record(n)).unwrap()))).collect();
    assert_eq!(undo.report().files[1].1, 0, "it gives nothing");
    alter_remove::remove_file(instance.databases(), &ask, TEMPDB, "templog2", 0).unwrap();
    assert!(!instance.files(TEMPDB).iter().any(|file| file.name == "templog2"));
    assert_eq!(undo.report().files.len(), 1);
    let mut out = Vec::new();
    for (number, address) in addresses {
        undo.read(&ask, address, &mut out).unwrap();
        assert_eq!(out, record(number));
    }
    assert_eq!(world.restarted().instance.undo_log().report().files.len(), 1);
}

#[test]
fn durable_files_keep_their_changes() {
    let world = World::new();
    let ask = world.session.ask();
    let modify =
        |change| alter_file::modify_file(world.instance.databases(), &ask, DbId::MODEL, "modeldev", change).unwrap();
    modify(FileChange::Size { pages: 80 * MB });
    modify(FileChange::Growth(Growth::Percent(5)));
    let world = world.restarted();
    let report = &world.instance.files(DbId::MODEL)[0];
    assert_eq!((report.size_pages, report.growth), (80 * MB, Growth::Percent(5)));
    let space = world.instance.space_report(DbId::MODEL);
    assert_eq!(
        (space[0].total, space[0].allocated),
        (u64::from(80 * MB), 24),
        "system extents and one with a PFS page"
    );
}

#[test]
fn an_edited_configuration_goes_before_what_was_altered() {
    let world = World::new();
    world.add(small("temp2")).unwrap();
    let World { dir, instance, .. } = world;
    drop(instance);
    let edited = InstanceConfig { tempdb: Some(tempdb(vec![small("a"), small("b")])), ..config(Some(dir.path())) };
    let instance = Instance::open(edited).unwrap();
    let names: Vec<_> = instance.files(TEMPDB).into_iter().map(|f| f.name).collect();
    assert_eq!(names, ["tempdev", "templog", "a", "b"]);
    drop(instance);
    let instance = open(dir.path()).unwrap();
    assert_eq!(instance.files(TEMPDB).len(), 4, "without a configuration the stored files stay");
    let growth = GrowthConfig::Pages(0);
    assert!(instance.settings().tempdb_files().iter().any(|f| f.name == "b" && f.growth == growth));
}
