//! Directories: kept over shutdowns, drops and lost processes; open once at a time; several in one process; none in memory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use millpond_embedded::{ConnectOptions, Connection, Error, Instance, Options, params};

fn open(directory: &Path) -> Result<Instance, Error> {
    Options::new().directory(directory).memory_max_mb(256).open()
}

fn count(connection: &mut Connection) -> i32 {
    connection.query_value("select count(*) from pond.dbo.lily", params![]).unwrap()
}

fn make(connection: &mut Connection) {
    connection.execute("create database pond", params![]).unwrap();
    connection.execute("create table pond.dbo.lily (id int primary key)", params![]).unwrap();
}

#[test]
fn what_was_committed_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let instance = open(folder.path()).unwrap();
    assert_eq!(instance.directory(), Some(folder.path()));
    let mut connection = instance.connect().unwrap();
    make(&mut connection);
    connection.execute("insert pond.dbo.lily values (1)", params![]).unwrap();
    connection.execute("begin transaction insert pond.dbo.lily values (2)", params![]).unwrap();
    instance.shutdown().unwrap();
    // The connection is still held.
    assert!(matches!(connection.execute("select 1", params![]), Err(Error::Ended)));
    let instance = open(folder.path()).unwrap();
    let mut again = instance.connect_with(&ConnectOptions::new().database("pond")).unwrap();
    assert_eq!(count(&mut again), 1);
}

#[test]
fn a_drop_without_a_shutdown_closes_too_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..4 {
        let instance = open(folder.path()).unwrap();
        let mut connection = instance.connect().unwrap();
        if round == 0 {
            make(&mut connection);
        }
        assert_eq!(count(&mut connection), round);
        connection.execute("insert pond.dbo.lily values (@p1)", params![round]).unwrap();
        connection.execute("begin transaction insert pond.dbo.lily values (100)", params![]).unwrap();
        if round % 2 == 0 {
            drop(connection);
            drop(instance);
        } else {
            drop(instance);
            // The connection keeps it open.
            assert_eq!(connection.query_value::<i32>("select @@trancount", params![]).unwrap(), 1);
            assert!(matches!(open(folder.path()), Err(Error::InUse { .. })));
            drop(connection);
        }
    }
}

#[test]
fn a_directory_is_open_once_and_the_error_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let instance = open(folder.path()).unwrap();
    let refused = open(folder.path()).unwrap_err();
    let text = refused.to_string();
    assert!(matches!(&refused, Error::InUse { directory, .. } if directory == folder.path()), "{refused:?}");
    assert!(text.contains(&folder.path().display().to_string()), "{text}");
    assert!(text.contains(&std::process::id().to_string()), "{text}");
    instance.shutdown().unwrap();
    open(folder.path()).unwrap();
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let refused = open(&file.join("pond")).unwrap_err();
    assert!(matches!(refused, Error::Open(_)), "{refused:?}");
    assert!(refused.to_string().contains("file"), "{refused}");
}

#[test]
fn a_process_that_is_gone_has_lost_nothing_that_was_committed() {
    let folder = tempfile::tempdir().unwrap();
    let instance = open(folder.path()).unwrap();
    let mut connection = instance.connect().unwrap();
    make(&mut connection);
    connection.execute("insert pond.dbo.lily select value from generate_series(1, 1000)", params![]).unwrap();
    connection.execute("begin transaction delete pond.dbo.lily", params![]).unwrap();
    // What a killed process leaves is what the files have now.
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.extension().is_none_or(|extension| extension != "lock") {
            std::fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    drop(connection);
    drop(instance);
    let instance = open(copy.path()).unwrap();
    assert_eq!(count(&mut instance.connect().unwrap()), 1000);
}

#[test]
fn two_instances_know_nothing_of_each_other() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let instances = folders.each_ref().map(|folder| open(folder.path()).unwrap());
    let mut connections = instances.each_ref().map(|instance| instance.connect().unwrap());
    for (rows, connection) in (1..).zip(&mut connections) {
        make(connection);
        let fill = "insert pond.dbo.lily select value from generate_series(1, @p1)";
        connection.execute(fill, params![rows]).unwrap();
    }
    let [first, second] = &mut connections;
    assert_eq!((count(first), count(second)), (1, 2));
    let [gone, stays] = instances;
    gone.shutdown().unwrap();
    assert!(matches!(first.execute("select 1", params![]), Err(Error::Ended)));
    assert_eq!(count(second), 2);
    drop(stays);
}

/// Names of this process's files below a folder.
fn scratch(folder: &Path) -> BTreeSet<PathBuf> {
    let own = format!("millpond-{}-", std::process::id());
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains(&own)).collect()
}

#[test]
fn in_memory_nothing_is_left_and_nothing_has_a_name() {
    let here: BTreeSet<PathBuf> = std::fs::read_dir(".").unwrap().map(|entry| entry.unwrap().path()).collect();
    let (instance, mut connection) = crate::connected();
    assert_eq!(instance.directory(), None);
    make(&mut connection);
    let fill = "insert pond.dbo.lily select value from generate_series(1, 100000)";
    connection.execute(fill, params![]).unwrap();
    connection.execute("select value into #t from generate_series(1, 300000)", params![]).unwrap();
    drop(connection);
    instance.shutdown().unwrap();
    let after: BTreeSet<PathBuf> = std::fs::read_dir(".").unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(here, after);
    // Other tests of this process open instances too, whose folders are there for a moment.
    let lasting = |folder: &Path| {
        let seen = scratch(folder);
        std::thread::sleep(std::time::Duration::from_secs(1));
        seen.intersection(&scratch(folder)).cloned().collect::<Vec<_>>()
    };
    assert_eq!(lasting(Path::new("/var/tmp")), [] as [PathBuf; 0]);
    assert_eq!(lasting(&std::env::temp_dir()), [] as [PathBuf; 0]);
    let fresh = crate::memory();
    let names = "select count(*) from sys.databases where name = 'pond'";
    assert_eq!(fresh.connect().unwrap().query_value::<i32>(names, params![]).unwrap(), 0);
}

#[test]
fn a_statement_shuts_down_too() {
    let folder = tempfile::tempdir().unwrap();
    let instance = open(folder.path()).unwrap();
    let mut connection = instance.connect().unwrap();
    make(&mut connection);
    let _ = connection.execute("shutdown", params![]);
    assert_eq!(instance.connect().unwrap_err().number(), Some(6005));
    instance.shutdown().unwrap();
    assert_eq!(count(&mut open(folder.path()).unwrap().connect().unwrap()), 0);
}

#[test]
fn the_collation_of_a_new_directory_is_the_one_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Options::new().directory(folder.path()).collation("Latin1_General_BIN2").memory_max_mb(256).open();
    let mut connection = instance.unwrap().connect().unwrap();
    let collation: String =
        connection.query_value("select cast(serverproperty('collation') as nvarchar(128))", params![]).unwrap();
    assert_eq!(collation, "Latin1_General_BIN2");
}
