//! Transactions, savepoints and statements, going forward and back.

use std::sync::Arc;

use millpond_access::{AccessError, Heap};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::page::header;
use millpond_storage::wal::CommitMode;
use millpond_txn::{HeapKind, LockMode, ObjectUndo, SessionWork, TxnError};

use crate::rig::{Rig, TINY_POOL_BYTES, create, insert, rows, values};
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::transaction;

#[test]
fn a_rollback_brings_back_rows_and_objects() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let kept = create(&mut work, &ask, HeapKind::Table);
    let dropped = create(&mut work, &ask, HeapKind::Table);
    let emptied = create(&mut work, &ask, HeapKind::Table);
    let first = insert(&mut work, &ask, &kept, b"first row").unwrap();
    for heap in [&dropped, &emptied] {
        insert(&mut work, &ask, heap, &[9; 4000]).unwrap();
    }
    let before = rig.allocated();
    transaction::begin(&mut work);
    let made = create(&mut work, &ask, HeapKind::Table);
    insert(&mut work, &ask, &made, &[1; 8000]).unwrap();
    insert(&mut work, &ask, &kept, b"second row").unwrap();
    let mark = transaction::begin_statement(&mut work);
    heap_rows::update(&mut work, &ask, &kept, first, b"changed").unwrap();
    heaps::drop_heap(&mut work, &ask, &dropped).unwrap();
    heaps::truncate_heap(&mut work, &ask, &emptied).unwrap();
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    insert(&mut work, &ask, &emptied, &[2; 100]).unwrap();
    assert!(work.in_transaction());
    let undone = transaction::rollback(&mut work, &ask).unwrap();
    assert_eq!(
        undone,
        [
            ObjectUndo::Truncated(emptied.object_id()),
            ObjectUndo::Dropped(dropped.object_id()),
            ObjectUndo::Created(made.object_id()),
        ]
    );
    assert_eq!(rows(&ask, &kept).unwrap(), [(first, b"first row".to_vec())]);
    assert_eq!((values(&ask, &dropped), values(&ask, &emptied)), (vec![vec![9; 4000]], vec![vec![9; 4000]]));
    assert_eq!(rig.allocated(), before);
    insert(&mut work, &ask, &dropped, b"it lives").unwrap();
}

#[test]
fn a_table_variable_survives_the_users_rollback_but_not_its_own_statement() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    transaction::begin(&mut work);
    let table = create(&mut work, &ask, HeapKind::Table);
    let variable = create(&mut work, &ask, HeapKind::Variable);
    for heap in [&table, &variable] {
        insert(&mut work, &ask, heap, b"row 1").unwrap();
    }
    let mark = transaction::begin_statement(&mut work);
    heap_rows::insert(&mut work, &ask, &variable, 5, |to| to.copy_from_slice(b"row 2")).unwrap();
    let undone = transaction::abort_statement(&mut work, &ask, mark).unwrap();
    assert_eq!((undone, values(&ask, &variable)), (vec![], vec![b"row 1".to_vec()]));
    assert_eq!(transaction::rollback(&mut work, &ask).unwrap(), [ObjectUndo::Created(table.object_id())]);
    assert_eq!(values(&ask, &variable), [b"row 1"]);
}

/// Eight rows of 1008 bytes fill a page to the last byte. One shrinks, another takes its room with a slot of its own:
/// undo must take that slot away, or the first does not fit any more.
#[test]
fn undo_finds_its_room_on_a_page_that_was_full() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let rids: Vec<_> = (0..17u8).map(|n| insert(&mut work, &ask, &heap, &[n; 1008]).unwrap()).collect();
    let before = rows(&ask, &heap).unwrap();
    let mark = transaction::begin_statement(&mut work);
    heap_rows::update(&mut work, &ask, &heap, rids[2], &[99; 10]).unwrap();
    let guest = heap_rows::insert(&mut work, &ask, &heap, 900, |to| to.fill(1)).unwrap();
    assert_eq!((guest.page, guest.slot), (rids[2].page, 8));
    transaction::abort_statement(&mut work, &ask, mark).unwrap();
    assert_eq!(rows(&ask, &heap).unwrap(), before);
}

#[test]
fn savepoints_are_found_by_name_the_last_one_first() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    assert!(matches!(transaction::rollback_to(&mut work, &ask, "a"), Err(TxnError::NoTransaction)));
    transaction::begin(&mut work);
    for name in ["a", "b", "a"] {
        insert(&mut work, &ask, &heap, name.as_bytes()).unwrap();
        transaction::save(&mut work, name);
    }
    insert(&mut work, &ask, &heap, b"last").unwrap();
    assert!(matches!(transaction::rollback_to(&mut work, &ask, "A"), Err(TxnError::NoSuchSavepoint(_))));
    transaction::rollback_to(&mut work, &ask, "a").unwrap();
    assert_eq!(heap.row_count(), 3);
    insert(&mut work, &ask, &heap, b"again").unwrap();
    transaction::rollback_to(&mut work, &ask, "a").unwrap();
    assert_eq!(heap.row_count(), 3);
    transaction::rollback_to(&mut work, &ask, "b").unwrap();
    assert_eq!(heap.row_count(), 2);
    insert(&mut work, &ask, &heap, b"c").unwrap();
    transaction::commit(&mut work, &ask, CommitMode::Durable).unwrap();
    assert_eq!(values(&ask, &heap), [b"a".to_vec(), b"b".to_vec(), b"c".to_vec()]);
    assert!(matches!(transaction::commit(&mut work, &ask, CommitMode::Durable), Err(TxnError::NoTransaction)));
    assert!(matches!(transaction::rollback(&mut work, &ask), Err(TxnError::NoTransaction)));
}

/// The bug: a savepoint stayed though the statement in which it was set was undone. Going back to it took back a part of what
/// had come since.
#[test]
fn a_savepoint_goes_with_its_statement() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    transaction::begin(&mut work);
    transaction::save(&mut work, "before");
    let outer = transaction::begin_statement(&mut work);
    insert(&mut work, &ask, &heap, b"undone with the statement").unwrap();
    transaction::save(&mut work, "inner");
    transaction::abort_statement(&mut work, &ask, outer).unwrap();
    for row in [b"1", b"2", b"3"] {
        insert(&mut work, &ask, &heap, row).unwrap();
    }
    assert!(matches!(transaction::rollback_to(&mut work, &ask, "inner"), Err(TxnError::NoSuchSavepoint(_))));
    assert_eq!(heap.row_count(), 3);
    transaction::rollback_to(&mut work, &ask, "before").unwrap();
    assert_eq!(heap.row_count(), 0);
    transaction::commit(&mut work, &ask, CommitMode::Durable).unwrap();
}

#[test]
fn an_outer_statement_undoes_the_inner_ones() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let variable = create(&mut work, &ask, HeapKind::Variable);
    let outer = transaction::begin_statement(&mut work);
    for heap in [&heap, &variable] {
        insert(&mut work, &ask, heap, b"inner, ended").unwrap();
    }
    let inner = create(&mut work, &ask, HeapKind::Table);
    heaps::drop_heap(&mut work, &ask, &heap).unwrap();
    let undone = transaction::abort_statement(&mut work, &ask, outer).unwrap();
    assert_eq!(undone, [ObjectUndo::Dropped(heap.object_id()), ObjectUndo::Created(inner.object_id())]);
    assert_eq!((heap.row_count(), variable.row_count()), (0, 0));
}

/// Megabytes of undo: most of it lies in the log when the rollback begins, and most of the rows in the file.
#[test]
fn undo_that_outgrows_memory_rolls_back_from_the_log() {
    let rig = Rig::new(Some(TINY_POOL_BYTES));
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    for n in 0..2000u32 {
        insert(&mut work, &ask, &heap, &n.to_le_bytes().repeat(400)).unwrap();
    }
    let before = rows(&ask, &heap).unwrap();
    let log = || rig.manager.instance().undo_log().report();
    for keep in [false, true] {
        transaction::begin(&mut work);
        for round in 0..3u8 {
            let mark = transaction::begin_statement(&mut work);
            for (n, (rid, row)) in before.iter().enumerate() {
                heap_rows::update(
                    &mut work,
                    &ask,
                    &heap,
                    *rid,
                    &vec![round; row.len() + 100 * usize::from(round) + n % 7],
                )
                .unwrap();
            }
            transaction::end_statement(&mut work, &ask, mark).unwrap();
        }
        assert!(work.undo_bytes() > 9_000_000 && log().used_bytes > 8_000_000, "{:?}", log());
        if keep {
            transaction::commit(&mut work, &ask, CommitMode::Durable).unwrap();
            assert_ne!(rows(&ask, &heap).unwrap(), before);
        } else {
            transaction::rollback(&mut work, &ask).unwrap();
            assert_eq!(rows(&ask, &heap).unwrap(), before);
        }
        assert_eq!(log().used_bytes, 0);
    }
    assert!(rig.manager.instance().pool().report().evictions > 1000);
}

#[test]
fn the_log_is_kept_for_the_session_that_needs_it() {
    let rig = Rig::new(None);
    let (ask, mut first) = (rig.ask(), rig.session());
    let mut second = rig.manager.open_session(SessionId(52), rig.task.clone());
    let fill = |work: &mut millpond_txn::SessionWork| {
        let heap = create(work, &ask, HeapKind::Table);
        let rids: Vec<_> = (0..400u32).map(|n| insert(work, &ask, &heap, &[n as u8; 8000]).unwrap()).collect();
        let before = rows(&ask, &heap).unwrap();
        transaction::begin(work);
        for rid in rids {
            heap_rows::update(work, &ask, &heap, rid, &[77; 8000]).unwrap();
        }
        (heap, before)
    };
    let (_, _) = fill(&mut first);
    let (heap, before) = fill(&mut second);
    transaction::commit(&mut first, &ask, CommitMode::Durable).unwrap();
    fill(&mut first);
    transaction::commit(&mut first, &ask, CommitMode::Durable).unwrap();
    transaction::rollback(&mut second, &ask).unwrap();
    assert_eq!(rows(&ask, &heap).unwrap(), before);
}

/// A page is damaged while a transaction is open: its heap cannot be made what it was, so it goes; the other one is
/// undone as ever.
#[test]
fn a_heap_whose_undo_fails_is_given_up_and_the_others_are_undone() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let (sound, hurt) = (create(&mut work, &ask, HeapKind::Table), create(&mut work, &ask, HeapKind::Table));
    let rids = [&sound, &hurt].map(|heap| insert(&mut work, &ask, heap, b"before").unwrap());
    let before = rig.allocated();
    transaction::begin(&mut work);
    for (heap, rid) in [(&sound, rids[0]), (&hurt, rids[1]), (&sound, rids[0])] {
        let mark = transaction::begin_statement(&mut work);
        heap_rows::update(&mut work, &ask, heap, rid, b"after").unwrap();
        transaction::end_statement(&mut work, &ask, mark).unwrap();
    }
    {
        let mut page = rig.manager.instance().pool().exclusive(&ask, rids[1].page_id(DbId::TEMPDB)).unwrap();
        header::set_slot_count(&mut page, 5000);
    }
    let failed = transaction::rollback(&mut work, &ask).unwrap_err();
    let TxnError::UndoLost { objects, cause, .. } = &failed else { panic!("{failed}") };
    assert_eq!(*objects, [hurt.object_id()]);
    assert!(matches!(**cause, TxnError::Access(AccessError::Damaged { .. })));
    assert_eq!(values(&ask, &sound), [b"before"]);
    assert!(!work.in_transaction() && rig.allocated().0 < before.0);
    assert!(matches!(heap_rows::insert(&mut work, &ask, &hurt, 1, |_| ()), Err(TxnError::NoSuchObject(_))));
}

/// Where nothing is open a row may be added without a statement: it is there whole or not at all.
#[test]
fn a_row_that_is_added_alone_is_final() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heaps = [HeapKind::Table, HeapKind::Variable].map(|kind| create(&mut work, &ask, kind));
    for heap in &heaps {
        assert!(work.is_settled());
        heap_rows::insert_alone(&mut work, &ask, heap, 5, |to| to.copy_from_slice(b"row 1")).unwrap();
        assert!(work.is_settled(), "it leaves nothing to undo and nothing to end");
    }
    // What goes back later does not take it along.
    transaction::begin(&mut work);
    for heap in &heaps {
        insert(&mut work, &ask, heap, b"row 2").unwrap();
    }
    transaction::rollback(&mut work, &ask).unwrap();
    let mark = transaction::begin_statement(&mut work);
    for heap in &heaps {
        heap_rows::insert(&mut work, &ask, heap, 5, |to| to.copy_from_slice(b"row 3")).unwrap();
    }
    transaction::abort_statement(&mut work, &ask, mark).unwrap();
    assert_eq!(values(&ask, &heaps[0]), [b"row 1"]);
    assert_eq!(values(&ask, &heaps[1]), [b"row 1", b"row 2"], "a variable keeps what a ROLLBACK takes from tables");
    assert!(work.is_settled());
}

#[test]
fn what_is_open_or_waits_to_end_is_not_settled() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    assert!(work.is_settled());
    let mark = transaction::begin_statement(&mut work);
    assert!(!work.is_settled(), "a statement runs");
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    assert!(work.is_settled());
    transaction::begin(&mut work);
    assert!(!work.is_settled(), "a transaction is open");
    transaction::commit(&mut work, &ask, CommitMode::Durable).unwrap();
    assert!(work.is_settled());
    work.lock_object(&ask, DbId(5), 7, LockMode::SchS).unwrap();
    assert!(!work.is_settled(), "the end of a statement releases the lock");
    let mark = transaction::begin_statement(&mut work);
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    assert!(work.is_settled());
    let forgotten = create(&mut work, &ask, HeapKind::Work);
    assert!(!work.is_settled(), "a work table goes with the end of a statement");
    drop(forgotten);
    let mark = transaction::begin_statement(&mut work);
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    assert!(work.is_settled());
}

/// A file that is full refuses the row and nothing else: the heap has the same rows, and goes on when there is room again.
#[test]
fn a_row_alone_that_has_no_room_changes_nothing() {
    let rig = Rig::with_limits(64, 64);
    let (ask, mut work) = (rig.ask(), rig.session());
    let (filled, other) = (create(&mut work, &ask, HeapKind::Table), create(&mut work, &ask, HeapKind::Table));
    let row = |n: u8| vec![n; 4000];
    let add = |work: &mut SessionWork, heap: &Arc<Heap>, n: u8| {
        heap_rows::insert_alone(work, &ask, heap, 4000, |to| to.copy_from_slice(&row(n))).map(|_| ())
    };
    for n in 0..4 {
        add(&mut work, &other, n).unwrap();
    }
    let mut added = 0;
    while add(&mut work, &filled, added).is_ok() {
        added += 1;
        assert!(added < 200, "the files have no limit");
    }
    assert_eq!(values(&ask, &filled), (0..added).map(row).collect::<Vec<_>>());
    assert!(add(&mut work, &filled, added).is_err());
    heaps::drop_heap(&mut work, &ask, &other).unwrap();
    assert!(work.is_settled());
    add(&mut work, &filled, added).unwrap();
    assert_eq!(values(&ask, &filled), (0..=added).map(row).collect::<Vec<_>>());
}
