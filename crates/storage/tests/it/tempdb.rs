//! tempdb at a start, and its space on real devices with the real pool.

use std::fs;
use std::sync::Arc;

use millpond_storage::contract::{ExtentNo, FileId, PageId, PageKind, PageNo, WriteReason};
use millpond_storage::file::tier::Tier;
use millpond_storage::instance::file_report::session_writes;
use millpond_storage::instance::{FileProblem, Instance, InstanceConfig, OpenError};
use millpond_storage::page::header;
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_storage::space::{SpaceError, maps};

use crate::support::*;

fn with(dir: Option<&std::path::Path>, tempdb: TempdbConfig) -> InstanceConfig {
    InstanceConfig { tempdb: Some(tempdb), ..config(dir) }
}

fn tempdb_problem(error: OpenError) -> (String, FileProblem) {
    match error {
        OpenError::Tempdb { name, reason, .. } => (name, reason),
        other => panic!("{other}"),
    }
}

#[test]
fn tempdb_is_made_anew_at_its_configured_size() {
    let dir = tempfile::tempdir().unwrap();
    let instance = Instance::open(with(Some(dir.path()), tempdb(vec![]))).unwrap();
    let session = Session::new();
    let extents = allocate(&instance, &session, 8 * 16).unwrap();
    assert_eq!(file(&instance, "tempdev").size_pages, 72 * MB, "it grew");
    let (first_guid, path) = (file(&instance, "tempdev").guid, dir.path().join("tempdb.mdf"));
    assert_eq!(fs::metadata(&path).unwrap().len(), 72 << 20);
    drop((instance, extents));
    let instance = Instance::open(with(Some(dir.path()), tempdb(vec![]))).unwrap();
    let report = file(&instance, "tempdev");
    assert_eq!((report.size_pages, fs::metadata(&path).unwrap().len()), (8 * MB, 8 << 20));
    assert_ne!(report.guid, first_guid);
    assert!(instance.tempdb_space().report().iter().all(|r| r.reserved == [0; 3]));
}

/// The only bytes that a start writes to a tempdb file are its header's.
#[test]
fn while_memory_lasts_tempdb_files_are_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let instance = Instance::open(with(Some(dir.path()), tempdb(vec![small("temp2")]))).unwrap();
    let session = Session::new();
    for _ in 0..20 {
        let extents = allocate(&instance, &session, 60).unwrap();
        for extent in &extents {
            for n in 0..8 {
                instance.pool().create(&session.ask(), extent.page(n), PageKind::Data, 1).unwrap()[5000] = 1;
            }
        }
        free(&instance, &session, &extents);
    }
    for name in ["tempdev", "temp2"] {
        let writes = file(&instance, name).writes;
        let reasons: Vec<_> = writes.iter().map(|w| (w.reason, w.writes, w.bytes)).collect();
        assert_eq!(reasons, [(WriteReason::Header, 1, 8192)]);
    }
}

/// Memory for half of the table: the lazy writer writes to RAM files first, then to the overflow file, and every page
/// comes back.
/// S0: tables that come and go in a tempdb larger than memory. With the forward-only search their dead pages are
/// written, without it none is.
#[test]
fn dropped_pages_are_written_only_with_the_forward_only_search() {
    let lazy_writes = |forward_only: bool| {
        let dir = tempfile::tempdir().unwrap();
        let config = InstanceConfig { max_memory_bytes: Some(2 << 20), ..with(Some(dir.path()), tempdb(vec![])) };
        let instance = Instance::open(config).unwrap();
        instance.settings().set_option("tempdb forward-only extent search", i64::from(forward_only)).unwrap();
        instance.reconfigure(false).unwrap();
        let session = Session::new();
        for _ in 0..20 {
            let extents = allocate(&instance, &session, 8).unwrap();
            for extent in &extents {
                for n in 0..8 {
                    instance.pool().create(&session.ask(), extent.page(n), PageKind::Data, 1).unwrap()[5000] = 1;
                }
            }
            free(&instance, &session, &extents);
        }
        let writes = file(&instance, "tempdev").writes;
        writes.iter().filter(|w| w.reason == WriteReason::Lazy).map(|w| w.bytes).sum::<u64>()
    };
    assert_eq!(lazy_writes(false), 0);
    assert!(lazy_writes(true) > 0);
}

#[test]
fn beyond_memory_and_ram_files_the_overflow_file_takes_the_pages() {
    let dir = tempfile::tempdir().unwrap();
    let overflow = TempFileConfig {
        tier: Tier::LAST,
        size_pages: MB,
        growth: GrowthConfig::Pages(4 * MB),
        ..TempFileConfig::new("slow", false)
    };
    let files = TempdbConfig {
        files: vec![ram(small("fast1")), ram(small("fast2")), overflow, TempFileConfig::new("templog", true)],
    };
    let config = InstanceConfig { max_memory_bytes: Some(4 << 20), ..with(Some(dir.path()), files) };
    let instance = Instance::open(config).unwrap();
    let session = Session::new();
    let extents = allocate(&instance, &session, 16 * 10).unwrap();
    let in_overflow = extents.iter().filter(|e| e.file == FileId(4)).count();
    assert_eq!(in_overflow, 160 - 2 * 14, "the RAM files are full first");
    let pages = || extents.iter().flat_map(|e| (0..8).map(|n| e.page(n)));
    for id in pages() {
        let mut page = instance.pool().create(&session.ask(), id, PageKind::Data, 1).unwrap();
        page[4000..4004].copy_from_slice(&id.page.0.to_le_bytes());
    }
    for id in pages() {
        let page = instance.pool().shared(&session.ask(), id).unwrap();
        assert_eq!(page[4000..4004], id.page.0.to_le_bytes());
    }
    let slow = file(&instance, "slow");
    let of = |reason| slow.writes.iter().find(|w| w.reason == reason).map_or(0, |w| w.bytes);
    assert!(of(WriteReason::Overflow) > 0 && of(WriteReason::Lazy) == 0, "{:?}", slow.writes);
    let sessions = session_writes(&instance, slow.db, slow.file);
    assert!(sessions.iter().any(|(session, _)| session.0 == 51), "charged to the owner of the pages");
    assert!(slow.io.reads > 0);
    free(&instance, &session, &extents);
    assert!(instance.tempdb_space().report().iter().all(|r| r.reserved == [0; 3]));
}

#[test]
fn when_nothing_can_grow_it_is_full_and_all_is_free_after_the_drop() {
    let files = TempdbConfig { files: vec![ram(small("a")), ram(small("b")), TempFileConfig::new("templog", true)] };
    let instance = Instance::open(with(None, files)).unwrap();
    let session = Session::new();
    let before = instance.tempdb_space().report();
    let error = allocate(&instance, &session, 29).unwrap_err();
    assert!(matches!(error, SpaceError::Full { filegroup: "PRIMARY", .. }));
    assert_eq!(instance.tempdb_space().report(), before, "the statement gave all back");
    let extents = allocate(&instance, &session, 28).unwrap();
    free(&instance, &session, &extents);
    assert_eq!(instance.tempdb_space().report(), before);
}

/// RAM files that may grow stop at MAXSIZE; then the disk takes over.
#[test]
fn growing_ram_files_stop_at_their_limit() {
    let dir = tempfile::tempdir().unwrap();
    let fast = TempFileConfig { growth: GrowthConfig::Pages(MB), max_pages: Some(2 * MB), ..ram(small("fast")) };
    let slow = TempFileConfig { tier: Tier::LAST, growth: GrowthConfig::Pages(MB), ..small("slow") };
    let files = TempdbConfig { files: vec![fast, TempFileConfig::new("templog", true), slow] };
    let instance = Instance::open(with(Some(dir.path()), files)).unwrap();
    let session = Session::new();
    let extents = allocate(&instance, &session, 30 + 20).unwrap();
    assert_eq!(extents.iter().filter(|e| e.file == FileId(3)).count(), 20);
    assert_eq!((file(&instance, "fast").size_pages, file(&instance, "slow").size_pages), (2 * MB, 2 * MB));
}

#[test]
fn a_file_in_a_directory_that_does_not_exist_is_refused_before_anything_changes() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()).unwrap());
    let before = contents(dir.path());
    let bad = tempdb(vec![at("/no/such/place/temp2.ndf", small("temp2"))]);
    let error = Instance::open(with(Some(dir.path()), bad.clone())).unwrap_err();
    assert!(error.to_string().contains("/no/such/place/temp2.ndf"), "{error}");
    assert!(matches!(tempdb_problem(error), (name, FileProblem::NoDirectory) if name == "temp2"));
    assert_eq!(contents(dir.path()), before);
    let fresh = tempfile::tempdir().unwrap();
    assert!(Instance::open(with(Some(fresh.path()), bad)).is_err());
    assert!(contents(fresh.path()).is_empty());
}

#[test]
fn a_file_of_another_owner_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let thesis = dir.path().join("thesis.doc");
    fs::write(&thesis, vec![b'x'; 100_000]).unwrap();
    let data = dir.path().join("data");
    let wanted = with(Some(&data), tempdb(vec![at(&thesis, small("temp2"))]));
    let error = Instance::open(wanted.clone()).unwrap_err();
    assert!(matches!(tempdb_problem(error), (_, FileProblem::Foreign)));
    assert_eq!(fs::read(&thesis).unwrap(), vec![b'x'; 100_000]);
    fs::write(&thesis, b"").unwrap();
    Instance::open(wanted.clone()).expect("an empty file has no owner");
    let first = Instance::open(wanted).expect("and then it is ours");
    let other = with(Some(&dir.path().join("other")), tempdb(vec![at(&thesis, small("temp2"))]));
    assert!(matches!(tempdb_problem(Instance::open(other.clone()).unwrap_err()), (_, FileProblem::InUse)));
    drop(first);
    Instance::open(other).expect("a tempdb file that no process has open is garbage");
}

/// A power failure may take the headers: they are never synced.
#[test]
fn files_of_an_earlier_start_are_made_anew_whatever_they_hold() {
    let dir = tempfile::tempdir().unwrap();
    let wanted = with(Some(dir.path()), tempdb(vec![small("temp2")]));
    drop(Instance::open(wanted.clone()).unwrap());
    let file = dir.path().join("tempdb_mssql_2.ndf");
    for left in [vec![0; 1 << 20], vec![0x5a; 8192], vec![1; 100]] {
        fs::write(&file, left).unwrap();
        drop(Instance::open(wanted.clone()).expect("it was its own file"));
    }
    fs::copy(dir.path().join("model.mdf"), &file).unwrap();
    let error = Instance::open(wanted).unwrap_err();
    assert!(matches!(tempdb_problem(error), (_, FileProblem::Foreign)), "a file of another database stays");
}

/// A place for one file is no data directory: everything else stays in memory.
#[test]
fn in_memory_only_files_with_a_path_are_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tempdb_mssql_2.ndf");
    let instance = Instance::open(with(None, tempdb(vec![at(&path, small("temp2"))]))).unwrap();
    assert!(file(&instance, "tempdev").is_ram && file(&instance, "templog").is_ram);
    assert_eq!((file(&instance, "temp2").is_ram, fs::metadata(&path).unwrap().len()), (false, 1 << 20));
    assert_eq!(contents(dir.path()).len(), 1);
}

#[test]
fn bad_configurations_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let error = Instance::open(with(Some(dir.path()), tempdb(vec![small("TEMPDEV")]))).unwrap_err();
    assert!(matches!(error, OpenError::TempdbConfig(_)), "{error}");
    assert!(contents(dir.path()).is_empty());
}

#[test]
fn map_pages_are_in_the_pool_and_tell_the_truth() {
    let instance = Instance::open(with(None, tempdb(vec![]))).unwrap();
    let session = Session::new();
    let extents = allocate(&instance, &session, 3).unwrap();
    let ask = session.ask();
    let page = |n| instance.pool().shared(&ask, PageId { db: TEMPDB, file: FileId(1), page: PageNo(n) }).unwrap();
    let kinds = [0, 1, 2, 3, 6, 7, 9].map(|n| header::kind(&page(n)).unwrap());
    use PageKind::*;
    assert_eq!(kinds, [FileHeader, Pfs, Gam, Sgam, Dcm, Bcm, Boot]);
    assert!(extents.iter().all(|e| !maps::bit(&page(2), e.extent)));
    assert!(maps::bit(&page(2), ExtentNo(extents[2].extent.0 + 1)));
    free(&instance, &session, &extents);
    assert!(extents.iter().all(|e| maps::bit(&page(2), e.extent)));
}

#[test]
fn ten_sessions_on_one_file_hardly_wait_for_maps() {
    let instance = Instance::open(with(None, tempdb(vec![]))).unwrap();
    std::thread::scope(|scope| {
        for number in 0..10_u16 {
            let instance = Arc::clone(&instance);
            scope.spawn(move || {
                let session = Session::new();
                for _ in 0..100 {
                    let extents = allocate(&instance, &session, 8 + usize::from(number % 3)).unwrap();
                    free(&instance, &session, &extents);
                }
            });
        }
    });
    let report = instance.tempdb_space().report();
    assert_eq!((report[0].reserved, report[0].allocated), ([0; 3], report[0].mixed));
}
