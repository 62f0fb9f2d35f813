//! Space: who took it, and that it comes back.

use std::sync::Arc;

use millpond_access::AccessError;
use millpond_storage::contract::{DbId, ExtentId, PageId, SessionId, WriteReason};
use millpond_storage::space::SpaceError;
use millpond_storage::tempdb::undo_log::LogError;
use millpond_storage::wal::CommitMode;
use millpond_storage::{page::header, space::maps};
use millpond_txn::{HeapKind, SpaceCount, TxnError};

use crate::rig::{Rig, create, insert, rows};
use millpond_access::heap;
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::transaction;

#[test]
fn a_session_that_ends_leaves_nothing() {
    let rig = Rig::new(None);
    let ask = rig.ask();
    let before = rig.allocated();
    {
        let mut work = rig.session();
        for kind in [HeapKind::Table, HeapKind::Variable, HeapKind::Work] {
            let heap = heaps::create_heap(&mut work, &ask, kind).unwrap();
            for n in 0..50u8 {
                insert(&mut work, &ask, &heap, &[n; 7000]).unwrap();
            }
        }
        transaction::begin(&mut work);
        let heap = create(&mut work, &ask, HeapKind::Table);
        insert(&mut work, &ask, &heap, &[1; 7000]).unwrap();
        heaps::truncate_heap(&mut work, &ask, &heap).unwrap();
        insert(&mut work, &ask, &heap, &[1; 7000]).unwrap();
        heaps::drop_heap(&mut work, &ask, &heap).unwrap();
        assert_ne!(rig.allocated(), before);
        assert_eq!(rig.manager.report().len(), 1);
    }
    assert_eq!(rig.allocated(), before);
    assert!(rig.manager.report().is_empty());
    assert_eq!(rig.manager.failed_frees(), 0);
}

#[test]
fn dropped_space_waits_for_the_commit() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    insert(&mut work, &ask, &heap, &[1; 7000]).unwrap();
    let before = rig.allocated();
    transaction::begin(&mut work);
    let mark = transaction::begin_statement(&mut work);
    heaps::drop_heap(&mut work, &ask, &heap).unwrap();
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    assert_eq!(rig.allocated(), before);
    transaction::commit(&mut work, &ask, CommitMode::Durable).unwrap();
    assert!(rig.allocated().0 < before.0);
}

#[test]
fn a_work_table_goes_with_its_statement_unless_somebody_holds_it() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let before = rig.allocated();
    let mark = transaction::begin_statement(&mut work);
    let held = heaps::create_heap(&mut work, &ask, HeapKind::Work).unwrap();
    let forgotten = heaps::create_heap(&mut work, &ask, HeapKind::Work).unwrap();
    for heap in [&held, &forgotten] {
        heap_rows::insert(&mut work, &ask, heap, 3, |to| to.fill(1)).unwrap();
    }
    drop(forgotten);
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    assert_eq!(rig.manager.report()[0].heaps.len(), 1);
    heaps::drop_heap(&mut work, &ask, &held).unwrap();
    assert_eq!(rig.allocated(), before);
}

#[test]
fn space_is_counted_by_request_and_by_session() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    work.begin_task();
    let heap = create(&mut work, &ask, HeapKind::Table);
    insert(&mut work, &ask, &heap, &[1; 7000]).unwrap();
    let one_extent = SpaceCount { user_alloc: 8, ..SpaceCount::default() };
    let report = || rig.manager.report().remove(0);
    assert_eq!((report().finished, report().task), (SpaceCount::default(), Some(one_extent)));
    work.end_task();
    assert_eq!((report().finished, report().task), (one_extent, None));
    work.begin_task();
    heaps::drop_heap(&mut work, &ask, &heap).unwrap();
    let one_back = SpaceCount { user_dealloc: 8, ..SpaceCount::default() };
    assert_eq!((report().finished, report().task), (one_extent, Some(one_back)));
}

#[test]
fn sessions_do_not_see_each_others_numbers() {
    let rig = Rig::new(None);
    let ask = rig.ask();
    let mut one = rig.session();
    let two = rig.manager.open_session(SessionId(60), Arc::clone(&rig.task));
    let heap = create(&mut one, &ask, HeapKind::Table);
    insert(&mut one, &ask, &heap, b"x").unwrap();
    let report = rig.manager.report();
    assert_eq!(report.iter().map(|s| s.session.0).collect::<Vec<_>>(), [51, 60]);
    assert_eq!((report[0].heaps.len(), report[1].heaps.len()), (1, 0));
    drop(two);
}

/// 8 MB of data file: a bulk load of more is refused in the middle, and leaves the heap as it was.
#[test]
fn a_load_that_finds_no_space_is_undone_and_the_session_goes_on() {
    let rig = Rig::with_limits(1024, 1024);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let first = insert(&mut work, &ask, &heap, &[1; 3000]).unwrap();
    let before = rig.allocated();
    for _ in 0..3 {
        let mark = transaction::begin_statement(&mut work);
        let mut bulk = heap_rows::bulk_insert(&mut work, &ask, &heap).unwrap();
        let refused = (0..2000).find_map(|_| bulk.append(8000, |to| to.fill(2)).err()).expect("8 MB are not enough");
        assert!(matches!(refused, TxnError::Access(AccessError::Space(SpaceError::Full { .. }))));
        assert!(heap.row_count() > 900);
        drop(bulk);
        transaction::abort_statement(&mut work, &ask, mark).unwrap();
        assert_eq!((rows(&ask, &heap).unwrap(), rig.allocated()), (vec![(first, vec![1; 3000])], before));
    }
    insert(&mut work, &ask, &heap, &[3; 3000]).unwrap();
    assert_eq!(heap.row_count(), 2);
}

/// The undo of one statement outgrows a log that may not grow: 9002, and the statement is undone all the same.
#[test]
fn a_full_log_ends_the_statement_and_its_undo_works() {
    let rig = Rig::with_limits(4096, 256);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let rids: Vec<_> = (0..500u32).map(|n| insert(&mut work, &ask, &heap, &[n as u8; 8000]).unwrap()).collect();
    let before = rows(&ask, &heap).unwrap();
    let mark = transaction::begin_statement(&mut work);
    let mut updates = rids.iter().cycle().take(5000);
    let refused =
        updates.find_map(|rid| heap_rows::update(&mut work, &ask, &heap, *rid, &[9; 8000]).err()).expect("2 MB of log");
    assert!(matches!(refused, TxnError::Access(AccessError::Log(LogError::Full { .. }))), "{refused}");
    transaction::abort_statement(&mut work, &ask, mark).unwrap();
    assert_eq!(rows(&ask, &heap).unwrap(), before);
    assert_eq!(rig.manager.instance().undo_log().report().used_bytes, 0);
}

#[test]
fn eager_writes_are_off_unless_asked_for() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let eager_pages = || {
        let files = rig.manager.instance().files(DbId::TEMPDB);
        let writes = files.iter().flat_map(|file| &file.writes);
        writes.filter(|w| w.reason == WriteReason::Eager).map(|w| w.bytes / 8192).sum::<u64>()
    };
    // All pages but the last, which is not full; dirty neighbours go along in the same I/O.
    for (eager, pages) in [(0, 0..=0), (1, 99..=200)] {
        rig.set_option("tempdb eager writes", eager);
        let heap = create(&mut work, &ask, HeapKind::Table);
        let mark = transaction::begin_statement(&mut work);
        let mut bulk = heap_rows::bulk_insert(&mut work, &ask, &heap).unwrap();
        for n in 0..100 {
            bulk.append(8000, |to| to.fill(n)).unwrap();
        }
        bulk.finish().unwrap();
        transaction::end_statement(&mut work, &ask, mark).unwrap();
        assert!(pages.contains(&eager_pages()), "{}", eager_pages());
    }
}

#[test]
fn map_pages_tell_the_truth_once_settled() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let rids: Vec<_> = (0..100u8).map(|n| insert(&mut work, &ask, &heap, &[n; 2000]).unwrap()).collect();
    let mark = transaction::begin_statement(&mut work);
    rids.iter().take(8).for_each(|rid| heap_rows::delete(&mut work, &ask, &heap, *rid).unwrap());
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    heap::grow::settle(&heap, &ask).unwrap();
    let instance = rig.manager.instance();
    let uses = heap.extents();
    assert_eq!((uses[0].pages_used, uses[0].pfs), (8, [0x40, 0x40, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44]));
    for used in uses {
        for (page, expected) in (0..8).map(|n| used.extent.page(n)).zip(used.pfs) {
            assert_eq!(instance.tempdb_space().pfs(&ask, &**instance.pool(), page).unwrap(), expected);
        }
    }
}

/// The IAM chain, read from its pages, names exactly the extents that the heap says it has, also after some of them
/// were given back.
#[test]
fn the_iam_chain_names_the_heaps_extents() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let pool = rig.manager.instance().pool();
    let check = || {
        let (mut mapped, mut next) = (Vec::new(), heap.iam_pages().first().copied());
        while let Some(id) = next {
            let page = pool.shared(&ask, id).unwrap();
            let first = maps::iam::first_page(&page).unwrap();
            let interval = maps::interval_of(first.page.extent());
            mapped.extend(maps::set_bits(&page, interval).map(|extent| ExtentId {
                db: id.db,
                file: first.file,
                extent,
            }));
            next = header::next(&page).map(|link| PageId { db: id.db, file: link.file, page: link.page });
        }
        let mut owned: Vec<_> = heap.extents().iter().map(|used| used.extent).collect();
        mapped.sort();
        owned.sort();
        assert_eq!(mapped, owned);
        owned.len()
    };
    insert(&mut work, &ask, &heap, &[1; 8000]).unwrap();
    assert_eq!(check(), 1);
    let mark = transaction::begin_statement(&mut work);
    for n in 0..200 {
        heap_rows::insert(&mut work, &ask, &heap, 8000, |to| to.fill(n)).unwrap();
    }
    assert!(check() > 25);
    transaction::abort_statement(&mut work, &ask, mark).unwrap();
    assert_eq!(check(), 1);
}
