//! Files that are open stay with who has them: no other database and no other server gets them, whatever name they are called by.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_storage::database::alter_error::AlterDatabaseError;
use millpond_storage::database::file_change::{AlterFileError, FileChange};
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::database::{DatabaseState, alter, alter_file, create};
use millpond_storage::file::Medium;
use millpond_storage::instance::{FileProblem, Instance};
use millpond_storage::settings::tempdb::TempFileConfig;

use crate::support::*;

/// An instance with a database `d` in a folder of its own.
fn with_d(dir: &Path) -> (Arc<Instance>, DbId) {
    fs::create_dir_all(dir).unwrap();
    let instance = open(dir).unwrap();
    let made = create::create_database(instance.databases(), &Session::new().ask(), &NewDatabase::named("d"));
    let id = made.unwrap().id();
    (instance, id)
}

fn attach(instance: &Instance, path: &Path) -> Result<DbId, AlterDatabaseError> {
    let paths = [path.to_path_buf()];
    let attached = alter::attach_database(instance.databases(), &Session::new().ask(), "e", &paths, &mut |_| ());
    attached.map(|database| database.id())
}

fn is_used<T>(refused: &Result<T, AlterDatabaseError>) -> bool {
    matches!(refused, Err(AlterDatabaseError::File { reason: FileProblem::InUse, .. }))
}

/// Spellings, links and other names of the first file of `d`.
fn names_of_d(root: &Path) -> Vec<PathBuf> {
    let file = root.join("a/d.mdf");
    let links = root.join("links");
    fs::create_dir(&links).unwrap();
    symlink(&file, links.join("link.mdf")).unwrap();
    symlink(root.join("a"), links.join("folder")).unwrap();
    fs::hard_link(&file, links.join("other.mdf")).unwrap();
    let text = |text: &str| root.join(text);
    vec![
        file,
        text("a/../a/d.mdf"),
        text("./a/./d.mdf"),
        text("a//d.mdf"),
        links.join("link.mdf"),
        links.join("folder/d.mdf"),
        links.join("other.mdf"),
    ]
}

#[test]
fn a_database_that_is_open_or_offline_is_not_attached_again_by_any_name_of_its_file() {
    let root = tempfile::tempdir().unwrap();
    let (instance, id) = with_d(&root.path().join("a"));
    let session = Session::new();
    let names = names_of_d(root.path());
    for is_open in [true, false] {
        for name in &names {
            let refused = attach(&instance, name);
            assert!(is_used(&refused), "{} while it is {is_open}: {refused:?}", name.display());
        }
        if is_open {
            alter::set_offline(instance.databases(), &session.ask(), id).unwrap();
        }
    }
    alter::set_online(instance.databases(), &session.ask(), id).unwrap();
    alter::detach_database(instance.databases(), &session.ask(), id).unwrap();
    let attached = attach(&instance, &names[1]).unwrap();
    drop(instance);
    let again = open(&root.path().join("a")).unwrap();
    assert_eq!(again.database(attached).unwrap().state(), DatabaseState::Online);
}

#[test]
fn an_added_or_moved_file_does_not_take_the_place_of_one_that_is_open() {
    let root = tempfile::tempdir().unwrap();
    let (instance, id) = with_d(&root.path().join("a"));
    let session = Session::new();
    for name in names_of_d(root.path()) {
        let added = alter_file::add_file(instance.databases(), &session.ask(), id, &at(&name, small("more")));
        assert!(matches!(added, Err(AlterFileError::FileExists { .. })), "{}: {added:?}", name.display());
        let log = alter_file::modify_file(
            instance.databases(),
            &session.ask(),
            id,
            "d_log",
            FileChange::Medium(Medium::File(name.clone())),
        );
        assert!(matches!(log, Err(AlterFileError::FileExists { .. })), "{}: {log:?}", name.display());
        // To where it is, by that name or another: nothing happens to it.
        let _ = alter_file::modify_file(
            instance.databases(),
            &session.ask(),
            id,
            "d",
            FileChange::Medium(Medium::File(name.clone())),
        );
        let tempdb = TempFileConfig { name: "t2".into(), ..at(&name, small("t2")) };
        let tempdb = alter_file::add_file(instance.databases(), &session.ask(), TEMPDB, &tempdb);
        assert!(tempdb.is_err(), "{}", name.display());
    }
    assert!(root.path().join("a/d.mdf").exists());
    drop(instance);
    let again = open(&root.path().join("a")).unwrap();
    assert_eq!(again.database(id).unwrap().state(), DatabaseState::Online);
}

#[test]
fn files_of_a_server_that_runs_are_not_attached_by_another() {
    let root = tempfile::tempdir().unwrap();
    let (one, id) = with_d(&root.path().join("a"));
    let other = open_new(&root.path().join("b"));
    let session = Session::new();
    let file = root.path().join("a/d.mdf");
    let refused = attach(&other, &file);
    assert!(is_used(&refused), "{refused:?}");
    assert_eq!(one.database(id).unwrap().state(), DatabaseState::Online);
    // What is offline there is nobody's, until somebody takes it.
    alter::set_offline(one.databases(), &session.ask(), id).unwrap();
    let taken = attach(&other, &file).unwrap();
    let refused = alter::set_online(one.databases(), &session.ask(), id);
    assert!(matches!(&refused, Err(AlterDatabaseError::File { reason: FileProblem::InUse, .. })));
    drop(one);
    let one = open(&root.path().join("a")).unwrap();
    let state = one.database(id).unwrap().state();
    assert!(matches!(&state, DatabaseState::Offline | DatabaseState::RecoveryPending { .. }), "{state:?}");
    // It is dropped there, and its files stay with the other.
    create::drop_database(one.databases(), id).unwrap();
    assert!(file.exists() && root.path().join("a/d_log.ldf").exists());
    alter::set_offline(other.databases(), &session.ask(), taken).unwrap();
    alter::set_online(other.databases(), &session.ask(), taken).unwrap();
    create::drop_database(other.databases(), taken).unwrap();
    assert!(!file.exists());
}

#[test]
fn a_start_leaves_a_database_closed_whose_file_somebody_has() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("a");
    let (instance, id) = with_d(&dir);
    drop(instance);
    let held = fs::File::open(dir.join("d.mdf")).unwrap();
    held.lock().unwrap();
    let instance = open(&dir).unwrap();
    let state = instance.database(id).unwrap().state();
    assert!(matches!(&state, DatabaseState::RecoveryPending { reason } if reason.contains("in use")), "{state:?}");
    held.unlock().unwrap();
    alter::set_online(instance.databases(), &Session::new().ask(), id).unwrap();
    assert_eq!(instance.database(id).unwrap().state(), DatabaseState::Online);
}

fn open_new(dir: &Path) -> Arc<Instance> {
    fs::create_dir_all(dir).unwrap();
    open(dir).unwrap()
}
