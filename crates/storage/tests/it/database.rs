//! Databases come and go: created, found again, renamed, changed, dropped; and nothing is left half.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use millpond_device::fault::Fault;
use millpond_device::{RamMedia, SystemClock};
use millpond_storage::alter_error::AlterDatabaseError;
use millpond_storage::contract::DbId;
use millpond_storage::database::DatabaseState;
use millpond_storage::database_create::CreateDatabaseError;
use millpond_storage::database_options::{DatabaseFlag, RecoveryModel};
use millpond_storage::database_plan::{NewDatabase, NewFile, PlanError};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::space::Owner;

use crate::support::*;

fn create(instance: &Instance, name: &str) -> Result<DbId, CreateDatabaseError> {
    instance.create_database(&Session::new().ask(), &NewDatabase::named(name)).map(|database| database.id())
}

fn names(instance: &Instance) -> Vec<String> {
    instance.databases().into_iter().map(|database| database.name).filter(|name| !is_system(name)).collect()
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
    let database = instance.create_database(&session.ask(), &new).unwrap();
    assert_eq!((database.id(), database.state(), database.name()), (DbId(5), DatabaseState::Online, "Tpcc".into()));
    assert_eq!(instance.database_by_name("tPCC").unwrap().id(), DbId(5));
    assert!(database.options().is_on(DatabaseFlag::ReadCommittedSnapshot));
    let names_of = |instance: &Instance| -> Vec<String> {
        instance.files(DbId(5)).into_iter().map(|file| format!("{} {}", file.name, file.physical_name)).collect()
    };
    let files = names_of(&instance);
    assert_eq!(files.len(), 2);
    assert!(files[1].ends_with("/Tpcc_log.ldf"));
    instance
        .set_database_options(&session.ask(), DbId(5), |options| {
            options.recovery = RecoveryModel::BulkLogged;
            options.set(DatabaseFlag::AllowSnapshotIsolation, true);
        })
        .unwrap();
    database.set_boot_value(&session.ask(), 7, 0xdead_beef).unwrap();
    instance.rename_database(DbId(5), "Tpch").unwrap();
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
fn a_dropped_database_leaves_nothing_and_its_number_is_given_again() {
    let dir = tempfile::tempdir().unwrap();
    let instance = open(dir.path()).unwrap();
    let before: Vec<_> = contents(dir.path()).into_keys().collect();
    let id = create(&instance, "d").unwrap();
    let database = instance.database(id).unwrap();
    let session = Session::new();
    let (mut extents, handle) = (Vec::new(), database.handle().unwrap());
    let space = database.space().unwrap();
    space.allocate_extents(&session.ask(), handle, Owner::User, 8, &mut extents).unwrap();
    instance.drop_database(id).unwrap();
    assert!(database.is_dropped());
    assert_eq!(contents(dir.path()).into_keys().collect::<Vec<_>>(), before);
    assert!(instance.database(id).is_none() && instance.files(id).is_empty());
    assert!(matches!(instance.drop_database(id), Err(AlterDatabaseError::NoDatabase { .. })));
    assert_eq!(create(&instance, "again").unwrap(), id);
    let report = instance.space_report(id);
    assert_eq!(report[0].reserved, [0; 3], "a new database is empty");
}

#[test]
fn in_memory_databases_come_and_go_too() {
    let instance = Instance::open(config(None)).unwrap();
    let id = create(&instance, "d").unwrap();
    assert!(instance.files(id).iter().all(|file| file.is_ram && file.physical_name.starts_with("ram:d")));
    instance.drop_database(id).unwrap();
    create(&instance, "d").unwrap();
}

#[test]
fn refusals_name_what_is_wrong_and_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let instance = open(dir.path()).unwrap();
    create(&instance, "taken").unwrap();
    let before = contents(dir.path());
    let refused = |new: NewDatabase| instance.create_database(&Session::new().ask(), &new).unwrap_err();
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
    assert!(matches!(instance.drop_database(DbId::MSDB), Err(AlterDatabaseError::OfTheSystem { .. })));
    let rename = |id, name: &str| instance.rename_database(id, name);
    assert!(matches!(rename(DbId(5), "Master"), Err(AlterDatabaseError::NameInUse { .. })));
    assert!(matches!(rename(DbId(5), ""), Err(AlterDatabaseError::BadName { .. })));
    assert!(matches!(rename(DbId(99), "x"), Err(AlterDatabaseError::NoDatabase { .. })));
    let options = instance.set_database_options(&Session::new().ask(), DbId::TEMPDB, |_| ());
    assert!(matches!(options, Err(AlterDatabaseError::OfTheSystem { .. })));
    assert_eq!(contents(dir.path()), before);
    assert_eq!(names(&instance), ["taken"]);
}

/// The process ends after each of the stores, creations and deletions that creating and dropping a database consist of.
/// A medium that remembers only what is there at that moment stands for the crash.
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
