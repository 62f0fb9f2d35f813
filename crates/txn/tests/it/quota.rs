//! Quotas of tempdb: of a session, of a workload group.

use std::sync::Arc;

use millpond_access::AccessError;
use millpond_storage::ask::Task;
use millpond_storage::contract::SessionId;
use millpond_txn::{HeapKind, SessionWork, TxnError, pages_of_mb};

use crate::rig::{Rig, create, insert};
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::transaction;

fn other(rig: &Rig, session: u16) -> SessionWork {
    let session = SessionId(session);
    rig.manager.open_session(session, Arc::new(Task::new(session)))
}

/// Rows of a page each until one is refused; the quota that refused.
fn fill(rig: &Rig, work: &mut SessionWork, heap: &Arc<millpond_access::Heap>) -> (u32, String) {
    let ask = rig.ask();
    for rows in 0.. {
        let mark = transaction::begin_statement(work);
        match heap_rows::insert(work, &ask, heap, 7000, |row| row.fill(7)) {
            Ok(_) => transaction::end_statement(work, &ask, mark).unwrap(),
            Err(TxnError::Access(AccessError::QuotaExceeded { quota, .. })) => {
                transaction::abort_statement(work, &ask, mark).unwrap();
                return (rows, quota);
            }
            Err(other) => panic!("{other}"),
        }
    }
    unreachable!()
}

#[test]
fn a_session_stops_at_its_quota_and_others_go_on() {
    let rig = Rig::new(None);
    rig.manager.set_session_limit_pages(Some(pages_of_mb(1.0)));
    let (mut work, ask) = (rig.session(), rig.ask());
    let heap = create(&mut work, &ask, HeapKind::Table);
    assert_eq!(fill(&rig, &mut work, &heap), (128, "session".to_owned()), "1 MB is 128 pages");
    let mut second = other(&rig, 52);
    let second_heap = create(&mut second, &ask, HeapKind::Table);
    insert(&mut second, &ask, &second_heap, &[1; 7000]).unwrap();
    let report = rig.manager.report();
    assert_eq!(report.iter().map(|s| (s.pages, s.peak_pages)).max(), Some((128, 128)));

    let mark = transaction::begin_statement(&mut work);
    heaps::drop_heap(&mut work, &ask, &heap).unwrap();
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    let heap = create(&mut work, &ask, HeapKind::Work);
    assert_eq!(fill(&rig, &mut work, &heap).0, 128, "what was given back can be taken again, by work tables too");
    rig.manager.set_session_limit_pages(None);
    insert(&mut work, &ask, &heap, &[1; 7000]).unwrap();
}

#[test]
fn a_group_bounds_its_sessions_together() {
    let rig = Rig::new(None);
    let ask = rig.ask();
    let governor = rig.manager.governor();
    let group = governor.add_group(None, "reports");
    assert_eq!(group.id, 256);
    group.quota().set_limit_pages(Some(pages_of_mb(0.5)));
    let (mut a, mut b, mut free) = (rig.session(), other(&rig, 52), other(&rig, 53));
    a.join_group(&group);
    b.join_group(&group);
    assert_eq!(group.session_count(), 2);
    let (heap_a, heap_b) = (create(&mut a, &ask, HeapKind::Table), create(&mut b, &ask, HeapKind::Variable));
    insert(&mut a, &ask, &heap_a, &[1; 7000]).unwrap();
    assert_eq!(fill(&rig, &mut b, &heap_b), (56, "reports".to_owned()), "64 pages less the other's extent");
    let heap_free = create(&mut free, &ask, HeapKind::Table);
    for _ in 0..100 {
        insert(&mut free, &ask, &heap_free, &[1; 7000]).unwrap();
    }
    drop(b);
    assert_eq!((group.session_count(), group.quota().used_pages()), (1, 8));
    assert_eq!((group.quota().peak_pages(), group.quota().refusals()), (64, 1));
    for _ in 0..20 {
        insert(&mut a, &ask, &heap_a, &[1; 7000]).unwrap();
    }
}
