//! Opening: the first start, later ones, and everything that must be refused without a changed byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use millpond_storage::contract::{DbId, FileId, PAGE_BYTES, PageBytes, PageId, PageNo};
use millpond_storage::database::DatabaseState;
use millpond_storage::instance::{FileProblem, Instance, OpenError};
use millpond_storage::page::header;
use millpond_storage::settings::SettingsError;
use millpond_storage::settings::options::OptionId;

use crate::support::*;

#[test]
fn the_first_start_makes_the_databases_and_the_second_finds_them() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("deep/data");
    let instance = open(&data).unwrap();
    let names: Vec<_> = instance.database_reports().iter().map(|d| (d.id.0, d.name.clone())).collect();
    let expected = [(1, "master"), (2, "tempdb"), (3, "model"), (4, "msdb")];
    assert_eq!(names, expected.map(|(id, name)| (id, name.to_owned())));
    let guid = instance.settings().server_guid();
    let master = instance.files(DbId::MASTER);
    assert_eq!((master[0].name.as_str(), master[0].size_pages), ("master", 4 * MB));
    assert_eq!(master[0].physical_name, data.join("master.mdf").display().to_string());
    let space = instance.space_report(DbId::MASTER);
    drop(instance);

    let before = contents(&data);
    let again = open(&data).unwrap();
    assert_eq!(again.settings().server_guid(), guid);
    assert_eq!(again.files(DbId::MASTER)[0].guid, master[0].guid);
    assert_eq!(again.space_report(DbId::MASTER), space);
    let writes: u64 = [DbId::MASTER, DbId::MODEL, DbId::MSDB].iter().map(|db| again.files(*db)[0].io.writes).sum();
    assert_eq!(writes, 0, "a start without work writes nothing to data files");
    drop(again);
    let after = contents(&data);
    let durable = |name: &Path| !name.to_string_lossy().contains("temp") && name.extension().unwrap() != "ldf";
    assert!(before.iter().filter(|(name, _)| durable(name)).all(|(name, bytes)| after[name] == *bytes));
}

#[test]
fn in_memory_nothing_touches_a_disk() {
    let instance = Instance::open(config(None)).unwrap();
    for database in instance.database_reports() {
        assert!(instance.files(database.id).iter().all(|f| f.is_ram && f.physical_name.starts_with("ram:")));
    }
    let session = Session::new();
    let extents = allocate(&instance, &session, 100).unwrap();
    let written: u64 = instance.files(TEMPDB).iter().map(|f| f.io.writes).sum();
    assert_eq!(written, 0);
    free(&instance, &session, &extents);
    assert!(instance.data_dir().is_none());
}

#[test]
fn a_directory_in_use_is_refused_with_the_process_that_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let instance = open(dir.path()).unwrap();
    let before = contents(dir.path());
    let error = open(dir.path()).unwrap_err();
    let pid = std::process::id();
    assert!(matches!(&error, OpenError::Settings(SettingsError::InUse { pid: Some(p), .. }) if *p == pid), "{error}");
    assert_eq!(contents(dir.path()), before);
    drop(instance);
    open(dir.path()).unwrap();
}

fn without_logs(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(dir);
    files.retain(|path, _| path.extension().is_none_or(|kind| kind != "ldf"));
    files
}

/// Opens a directory after `damage`, expects a refusal that changes nothing, and returns it.
fn refused_after(damage: impl FnOnce(&Path)) -> OpenError {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()).unwrap());
    damage(dir.path());
    // An opened log notes that it was opened; nothing else changes.
    let before = without_logs(dir.path());
    let error = open(dir.path()).expect_err("refused");
    assert!(without_logs(dir.path()) == before, "nothing may change: {error}");
    error
}

/// Opens a directory after `damage` to a database that is not master: the instance starts, that database alone is not
/// there and says why, and its files are as they were.
fn unavailable_after(name: &str, damage: impl FnOnce(&Path)) -> DatabaseState {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()).unwrap());
    damage(dir.path());
    let of_it = |dir: &Path| {
        let mut files = without_logs(dir);
        files.retain(|path, _| path.file_name().unwrap().to_string_lossy().to_lowercase().starts_with(name));
        files
    };
    let before = of_it(dir.path());
    let instance = open(dir.path()).expect("the others start");
    let state = instance.database_by_name(name).unwrap().state();
    for other in instance.database_reports().into_iter().filter(|other| other.name != name) {
        assert_eq!(other.state, DatabaseState::Online, "{}", other.name);
    }
    drop(instance);
    assert!(of_it(dir.path()) == before, "nothing may change");
    state
}

fn reason(state: DatabaseState) -> String {
    match state {
        DatabaseState::Suspect { reason } => reason,
        other => panic!("{other:?}"),
    }
}

fn problem(error: OpenError) -> (String, FileProblem) {
    match error {
        OpenError::File { path, reason } => (path.file_name().unwrap().to_string_lossy().into_owned(), reason),
        other => panic!("{other}"),
    }
}

fn change_page(dir: &Path, name: &str, page: u64, change: impl FnOnce(&mut PageBytes)) {
    let file = fs::OpenOptions::new().read(true).write(true).open(dir.join(name)).unwrap();
    let mut bytes = [0; PAGE_BYTES];
    file.read_exact_at(&mut bytes, page * PAGE_BYTES as u64).unwrap();
    change(&mut bytes);
    file.write_all_at(&bytes, page * PAGE_BYTES as u64).unwrap();
}

#[test]
fn a_damaged_page_of_master_is_refused() {
    for page in [0, 1, 2, 3, 6, 7, 9] {
        let error = refused_after(|dir| change_page(dir, "master.mdf", page, |bytes| bytes[4000] ^= 1));
        let (name, reason) = problem(error);
        assert_eq!(name, "master.mdf");
        assert!(matches!(reason, FileProblem::Damaged(_)), "page {page}: {reason}");
        assert!(reason.to_string().contains(&format!("1:1:{page} ")), "{reason}");
    }
}

#[test]
fn maps_that_contradict_each_other_are_refused() {
    let state = unavailable_after("model", |dir| {
        // Extent 5 is free (GAM 1), and the SGAM says that it is mixed.
        change_page(dir, "model.mdf", 3, |bytes| {
            millpond_storage::space::maps::set_bit(bytes, millpond_storage::contract::ExtentNo(5), true);
            header::set_checksum(bytes);
        });
    });
    assert!(reason(state).contains("extent 5"));
}

#[test]
fn a_page_at_the_wrong_place_is_refused() {
    let error = refused_after(|dir| {
        let mut sgam = [0; PAGE_BYTES];
        change_page(dir, "master.mdf", 3, |bytes| sgam = *bytes);
        change_page(dir, "master.mdf", 2, |bytes| *bytes = sgam);
    });
    assert!(problem(error).1.to_string().contains("carries the number of page 1:3"));
}

#[test]
fn a_newer_format_is_refused_as_such() {
    let newer = |bytes: &mut PageBytes| {
        bytes[104] = 9;
        header::set_checksum(bytes);
    };
    let error = refused_after(|dir| change_page(dir, "master.mdf", 0, newer));
    assert!(matches!(problem(error), (name, FileProblem::Newer { found: 9 }) if name == "master.mdf"));
    let state = unavailable_after("model", |dir| change_page(dir, "model.mdf", 0, newer));
    assert!(reason(state).contains("model.mdf: its format is 9"));
    let error = refused_after(|dir| {
        let path = dir.join("instance.toml");
        let text = fs::read_to_string(&path).unwrap().replace("format = 2", "format = 12\nfuture = {}");
        fs::write(path, text).unwrap();
    });
    assert!(matches!(error, OpenError::Settings(SettingsError::Newer { found: 12, .. })), "{error}");
}

#[test]
fn missing_short_foreign_and_misplaced_files_are_refused() {
    for file in ["MSDBLog.ldf", "MSDBData.mdf"] {
        let state = unavailable_after("msdb", |dir| fs::remove_file(dir.join(file)).unwrap());
        let expected = format!("{file}: the file is missing");
        assert!(
            matches!(&state, DatabaseState::RecoveryPending { reason } if reason.ends_with(&expected)),
            "{state:?}"
        );
    }
    let missing = refused_after(|dir| fs::remove_file(dir.join("mastlog.ldf")).unwrap());
    assert!(matches!(problem(missing), (name, FileProblem::Missing) if name == "mastlog.ldf"));
    let cut = |dir: &Path, name: &str| {
        let file = fs::OpenOptions::new().write(true).open(dir.join(name)).unwrap();
        file.set_len(128 * 8192).unwrap();
    };
    let short = refused_after(|dir| cut(dir, "master.mdf"));
    assert!(matches!(problem(short).1, FileProblem::Truncated { found: 128, expected: 512 }));
    let state = unavailable_after("model", |dir| cut(dir, "model.mdf"));
    assert!(reason(state).contains("it has 128 pages and should have 1024"));
    let foreign = refused_after(|dir| fs::write(dir.join("master.mdf"), [7; 20_000]).unwrap());
    assert!(matches!(problem(foreign).1, FileProblem::Foreign));
    let swapped = refused_after(|dir| {
        fs::copy(dir.join("model.mdf"), dir.join("master.mdf")).unwrap();
    });
    assert!(matches!(problem(swapped).1, FileProblem::Misplaced));
    let other = tempfile::tempdir().unwrap();
    drop(open(other.path()).unwrap());
    let of_another_server = refused_after(|dir| {
        fs::copy(other.path().join("master.mdf"), dir.join("master.mdf")).unwrap();
    });
    assert!(matches!(problem(of_another_server).1, FileProblem::Misplaced));
}

#[test]
fn damaged_settings_are_refused() {
    let error = refused_after(|dir| fs::write(dir.join("instance.toml"), "format = 1\noptions = 3").unwrap());
    assert!(matches!(error, OpenError::Settings(SettingsError::Damaged { .. })), "{error}");
    let error = refused_after(|dir| {
        let text = fs::read_to_string(dir.join("instance.toml")).unwrap();
        let twice = text.replace("\nid = 4\n", "\nid = 3\n");
        assert_ne!(twice, text);
        fs::write(dir.join("instance.toml"), twice).unwrap();
    });
    assert!(
        matches!(&error, OpenError::Settings(SettingsError::Damaged { reason, .. }) if reason.contains("one number")),
        "{error}"
    );
}

/// Databases without their instance.toml are a user's data, not garbage.
#[test]
fn databases_without_settings_are_not_overwritten() {
    let error = refused_after(|dir| fs::remove_file(dir.join("instance.toml")).unwrap());
    assert!(matches!(problem(error), (name, FileProblem::Unexpected) if name == "master.mdf"));
}

/// The first start was killed after some files were made.
#[test]
fn an_unfinished_first_start_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()).unwrap());
    let settings = dir.path().join("instance.toml");
    let text = fs::read_to_string(&settings).unwrap().replace("state = \"ready\"", "state = \"creating\"");
    assert!(text.contains("creating"));
    fs::write(&settings, text).unwrap();
    fs::write(dir.path().join("model.mdf"), "half").unwrap();
    fs::remove_file(dir.path().join("MSDBData.mdf")).unwrap();
    let instance = open(dir.path()).unwrap();
    assert_eq!(instance.files(DbId::MSDB).len(), 2);
    drop(instance);
    open(dir.path()).unwrap();
}

#[test]
fn a_directory_that_cannot_be_made_or_written_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    for bad in [file.join("data"), file.clone(), "/proc/millpond".into()] {
        let error = open(&bad).unwrap_err();
        assert!(matches!(&error, OpenError::Settings(SettingsError::System { path, .. }) if path.starts_with(&bad)));
        assert!(error.to_string().contains(&bad.display().to_string()), "{error}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"x");
}

#[test]
fn options_outlive_a_restart_and_memory_follows_them() {
    let dir = tempfile::tempdir().unwrap();
    let instance = Instance::open(millpond_storage::instance::InstanceConfig {
        max_memory_bytes: None,
        ..config(Some(dir.path()))
    })
    .unwrap();
    let settings = instance.settings();
    settings.set_option("show advanced options", 1).unwrap();
    instance.reconfigure(false).unwrap();
    settings.set_option("max server memory (MB)", 128).unwrap();
    assert_ne!(instance.memory_max_bytes(), 128 << 20, "not before RECONFIGURE");
    instance.reconfigure(false).unwrap();
    assert_eq!(instance.memory_max_bytes(), 128 << 20);
    assert_eq!(instance.pool().report().target, (128 << 20) / 8192);
    drop(instance);
    let again = open(dir.path()).unwrap();
    assert_eq!(again.settings().running(OptionId::MaxServerMemoryMb), 128);
    assert_eq!(again.memory_max_bytes(), 32 << 20, "the configured bound holds as well");
}

#[test]
fn the_pages_on_disk_are_the_documented_ones() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()).unwrap());
    let bytes = fs::read(dir.path().join("master.mdf")).unwrap();
    let kinds: Vec<u8> = [0, 1, 2, 3, 6, 7, 9].iter().map(|page| bytes[page * PAGE_BYTES + 1]).collect();
    assert_eq!(kinds, [15, 11, 8, 9, 16, 17, 13]);
    for page in [0, 1, 2, 3, 6, 7, 9] {
        let id = PageId { db: DbId(1), file: FileId(1), page: PageNo(page) };
        let at = page as usize * PAGE_BYTES;
        header::verify(bytes[at..at + PAGE_BYTES].try_into().unwrap(), id).unwrap();
    }
}
