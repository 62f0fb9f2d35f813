//! Space: who took it, and that it comes back.

use std::sync::Arc;

use millpond_storage::contract::SessionId;
use millpond_txn::{HeapKind, SpaceCount};

use crate::rig::{Rig, create, insert};

#[test]
fn a_session_that_ends_leaves_nothing() {
    let rig = Rig::new(None);
    let ask = rig.ask();
    let before = rig.allocated();
    {
        let mut work = rig.session();
        for kind in [HeapKind::Table, HeapKind::Variable, HeapKind::Work] {
            let heap = work.create_heap(&ask, kind).unwrap();
            for n in 0..50u8 {
                insert(&mut work, &ask, &heap, &[n; 7000]).unwrap();
            }
        }
        work.begin();
        let heap = create(&mut work, &ask, HeapKind::Table);
        insert(&mut work, &ask, &heap, &[1; 7000]).unwrap();
        work.truncate_heap(&ask, &heap).unwrap();
        insert(&mut work, &ask, &heap, &[1; 7000]).unwrap();
        work.drop_heap(&ask, &heap).unwrap();
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
    work.begin();
    let mark = work.begin_statement();
    work.drop_heap(&ask, &heap).unwrap();
    work.end_statement(&ask, mark).unwrap();
    assert_eq!(rig.allocated(), before);
    work.commit(&ask).unwrap();
    assert!(rig.allocated().0 < before.0);
}

#[test]
fn a_work_table_goes_with_its_statement_unless_somebody_holds_it() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let before = rig.allocated();
    let mark = work.begin_statement();
    let held = work.create_heap(&ask, HeapKind::Work).unwrap();
    let forgotten = work.create_heap(&ask, HeapKind::Work).unwrap();
    for heap in [&held, &forgotten] {
        work.insert(&ask, heap, 3, |to| to.fill(1)).unwrap();
    }
    drop(forgotten);
    work.end_statement(&ask, mark).unwrap();
    assert_eq!(rig.manager.report()[0].heaps.len(), 1);
    work.drop_heap(&ask, &held).unwrap();
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
    work.drop_heap(&ask, &heap).unwrap();
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
