//! Sessions beside each other: hints, versions and their end, ghosts, deadlocks, scans that wait, threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use millpond_access::tree::Direction;
use millpond_storage::contract::DbId;
use millpond_storage::space::Owner;
use millpond_txn::{Isolation, LockMode, ReadHint, RowLocks, TableLock, TxnError, Versioning};

use crate::table::{Person, Table, key, range};
use millpond_access::tree;
use millpond_txn::cleaner;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;

#[test]
fn a_statement_reads_what_was_committed_when_it_began_to_read() {
    let table = Table::both();
    let (mut one, mut two) = (table.session(51), table.session(52));
    let manager = Arc::clone(&table.rig.manager);
    one.run(|work, ask, tree| {
        let reader = work.reader();
        let mut out = Vec::new();
        assert!(read::row::get(&reader, ask, tree, &key(1), ReadHint::default(), &mut out)?);
        two.put(1, 11)?;
        two.delete(2)?;
        two.insert(3, 30)?;
        cleaner::clean(&manager, ask);
        let mut seen = Vec::new();
        read::scan::for_each(&reader, ask, tree, range(0, 9), ReadHint::default(), &mut |key, payload| {
            seen.push((key[3], payload[0]));
            std::ops::ControlFlow::Continue(())
        })?;
        assert_eq!(seen, [(1, 10), (2, 20)]);
        Ok(())
    })
    .unwrap();
    assert_eq!(one.scan().unwrap(), [(1, 11), (3, 30)]);
}

#[test]
fn versions_go_when_their_last_reader_has_ended() {
    let table = Table::both();
    let (mut reader, mut writer) = (table.session(51), table.session(52));
    reader.begin(Isolation::Snapshot);
    assert_eq!(reader.scan().unwrap(), [(1, 10), (2, 20)]);
    let ask = table.rig.ask();
    let pages = |table: &Table| table.rig.manager.version_space().iter().map(|s| s.reserved_pages).sum::<u64>();
    for round in 0..3000 {
        writer.put(1, round).unwrap();
    }
    cleaner::clean(&table.rig.manager, &ask);
    assert!(pages(&table) > 16, "{}", pages(&table));
    let in_tempdb = |table: &Table| {
        let report = table.rig.manager.instance().tempdb_space().report();
        report.iter().map(|file| file.reserved[Owner::Version as usize]).sum::<u64>()
    };
    assert_eq!(in_tempdb(&table), pages(&table));
    // A chain of 3,000 versions, to its end.
    assert_eq!(reader.scan().unwrap(), [(1, 10), (2, 20)]);
    assert_eq!(reader.get(1).unwrap(), Some(10));
    assert_eq!(table.rig.manager.snapshots().len(), 1);
    reader.commit();
    assert_eq!(table.rig.manager.snapshots(), []);
    cleaner::clean(&table.rig.manager, &ask);
    assert_eq!((pages(&table), in_tempdb(&table)), (0, 0));
    assert_eq!(reader.get(1).unwrap(), Some(2999));
    // Without a reader an update load keeps its space small.
    for round in 0..3000 {
        writer.put(1, round).unwrap();
        if round % 100 == 0 {
            cleaner::clean(&table.rig.manager, &ask);
        }
    }
    assert!(pages(&table) <= 128, "{}", pages(&table));
}

#[test]
fn a_ghost_stays_as_long_as_a_snapshot_sees_the_row() {
    let table = Table::both();
    let (mut reader, mut writer) = (table.session(51), table.session(52));
    let ask = table.rig.ask();
    let entries = |table: &Table| {
        let mut count = 0;
        let mut cursor = tree::cursor::open(&table.tree, range(0, 9), Direction::Forward);
        while cursor
            .next_page(&ask, &mut |_| {
                count += 1;
                std::ops::ControlFlow::Continue(())
            })
            .unwrap()
        {}
        count
    };
    reader.begin(Isolation::Snapshot);
    reader.get(2).unwrap();
    writer.delete(1).unwrap();
    cleaner::clean(&table.rig.manager, &ask);
    assert_eq!((entries(&table), reader.get(1).unwrap(), writer.get(1).unwrap()), (2, Some(10), None));
    // The key comes back while the ghost is there.
    writer.insert(1, 111).unwrap();
    writer.delete(1).unwrap();
    assert_eq!(reader.get(1).unwrap(), Some(10));
    reader.commit();
    cleaner::clean(&table.rig.manager, &ask);
    assert_eq!((entries(&table), reader.get(1).unwrap()), (1, None));
    assert_eq!(cleaner::removed_ghosts(&table.rig.manager), 1);
}

#[test]
fn hints_change_what_a_table_is_read_with() {
    let table = Table::both();
    let (mut one, mut two) = (table.session(51), table.session(52));
    one.begin(Isolation::ReadCommitted);
    two.begin(Isolation::ReadCommitted);
    one.put(1, 11).unwrap();
    let with = |hint: ReadHint, two: &mut Person| {
        two.hint = hint;
        let read = (two.get(1), two.scan());
        two.hint = ReadHint::default();
        read
    };
    let (get, scan) = with(ReadHint::no_lock(), &mut two);
    assert_eq!((get.unwrap(), scan.unwrap()), (Some(11), vec![(1, 11), (2, 20)]));
    let past = ReadHint { skips_locked: true, ..ReadHint::default() };
    let (get, scan) = with(past, &mut two);
    assert_eq!((get.unwrap(), scan.unwrap()), (None, vec![(2, 20)]));
    let now = ReadHint { no_wait: true, committed_by_locks: true, ..ReadHint::default() };
    let (get, scan) = with(now, &mut two);
    assert!(matches!((get, scan), (Err(TxnError::LockTimeout { .. }), Err(TxnError::LockTimeout { .. }))));
    let whole = ReadHint { table: TableLock::Shared, no_wait: true, rows: RowLocks::Update, ..ReadHint::default() };
    assert!(matches!(with(whole, &mut two).0, Err(TxnError::LockTimeout { .. })));
    one.commit();
    // UPDLOCK: others read, no other session locks for update.
    let (get, _) = with(ReadHint::update_lock(), &mut two);
    assert_eq!(get.unwrap(), Some(11));
    one.begin(Isolation::ReadCommitted);
    assert_eq!(one.get(1).unwrap(), Some(11));
    assert!(one.blocks(|one| one.put(1, 12)));
    one.rollback();
    one.begin(Isolation::ReadCommitted);
    two.rollback();
    let exclusive = ReadHint { table: TableLock::Exclusive, ..ReadHint::default() };
    two.begin(Isolation::ReadCommitted);
    with(exclusive, &mut two).0.unwrap();
    assert_eq!(one.get(1).unwrap(), Some(11), "readers of versions pass");
    assert!(one.blocks(|one| one.put(2, 21)) && one.blocks(|one| one.insert(5, 50)));
}

#[test]
fn snapshot_needs_the_database_s_leave() {
    let table = Table::new(Versioning { read_committed: true, snapshot: false });
    let mut one = table.session(51);
    one.begin(Isolation::Snapshot);
    assert!(matches!(one.get(1), Err(TxnError::SnapshotNotAllowed(db)) if db == table.db));
}

#[test]
fn gaps_are_locked_at_the_ends_and_for_keys_that_are_not_there() {
    let table = Table::both();
    let (mut one, mut two) = (table.session(51), table.session(52));
    one.insert(50, 500).unwrap();
    one.begin(Isolation::Serializable);
    two.begin(Isolation::ReadCommitted);
    // 20 is not there: the gap from 2 to 50 is locked, what is beyond is not.
    assert_eq!(one.get(20).unwrap(), None);
    assert!(two.blocks(|two| two.insert(20, 1)) && two.blocks(|two| two.insert(49, 1)));
    assert!(!two.blocks(|two| two.insert(51, 1)));
    two.rollback();
    one.commit();
    one.begin(Isolation::Serializable);
    two.begin(Isolation::ReadCommitted);
    // To the end of the table.
    assert_eq!(one.scan_range(range(40, 99), Direction::Backward).unwrap(), [(50, 500)]);
    assert!(two.blocks(|two| two.insert(60, 1)) && two.blocks(|two| two.insert(45, 1)));
    assert!(two.blocks(|two| two.insert(1000, 1)));
    assert!(!two.blocks(|two| two.insert(0, 1)));
    // The session's own insert keeps the gap closed on both sides.
    one.insert(70, 700).unwrap();
    assert!(two.blocks(|two| two.insert(69, 1)) && two.blocks(|two| two.insert(71, 1)));
    one.commit();
    assert!(!two.blocks(|two| two.insert(69, 1)));
}

#[test]
fn of_two_serializable_readers_who_both_insert_one_gets_through() {
    let table = Table::both();
    let (mut one, mut two) = (table.session(51), table.session(52));
    one.begin(Isolation::Serializable);
    two.begin(Isolation::Serializable);
    assert_eq!((one.scan().unwrap().len(), two.scan().unwrap().len()), (2, 2));
    let first = std::thread::spawn(move || {
        let result = one.insert(3, 30);
        match result {
            Ok(()) => one.commit(),
            Err(_) => one.rollback(),
        }
        result
    });
    while table.rig.manager.locks().waiting().is_empty() {
        std::thread::yield_now();
    }
    let second = two.insert(4, 40);
    match second {
        Ok(()) => two.commit(),
        Err(_) => two.rollback(),
    }
    let first = first.join().unwrap();
    let is_victim = |result: &Result<(), TxnError>| matches!(result, Err(TxnError::Deadlock(_)));
    assert_eq!(usize::from(is_victim(&first)) + usize::from(is_victim(&second)), 1, "{first:?} {second:?}");
    assert_eq!(table.session(53).scan().unwrap().len(), 3);
    let report = &table.rig.manager.locks().deadlocks()[0];
    assert!(report.members.iter().all(|member| member.mode == LockMode::RangeIN), "{report}");
}

const ACCOUNTS: u32 = 40;

/// Moves an amount from one account to another, in one transaction.
type Transfer = fn(&mut Person, u32, u32, i64) -> Result<(), TxnError>;

/// Accounts with a sum that no reader of these levels sees change beside transfers.
fn check_sums(levels: &[Isolation], transfer: Transfer) {
    let table = Table::both();
    let mut setup = table.session(50);
    for account in 3..=ACCOUNTS {
        setup.insert(account, 0).unwrap();
    }
    let (manager, tree) = (Arc::clone(&table.rig.manager), Arc::clone(&table.tree));
    let is_over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..3u16)
        .map(|n| {
            let person = Person::new(&manager, &tree, 60 + n);
            std::thread::spawn(move || make_transfers(person, u64::from(n) + 1, transfer))
        })
        .collect();
    let readers: Vec<_> = (0u16..)
        .zip(levels)
        .map(|(n, &level)| {
            let person = Person::new(&manager, &tree, 70 + n);
            let is_over = Arc::clone(&is_over);
            std::thread::spawn(move || read_sums(person, level, &is_over))
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    is_over.store(true, Relaxed);
    assert!(readers.into_iter().all(|reader| reader.join().unwrap() > 0));
    assert_eq!(table.session(51).scan().unwrap().iter().map(|(_, value)| value).sum::<i64>(), 30);
    assert_eq!((manager.locks().report(), manager.snapshots()), (vec![], vec![]));
    assert!(tree::check::check_tree(&table.tree, &table.rig.ask()).unwrap().problems.is_empty());
}

fn make_transfers(mut person: Person, mut random: u64, transfer: Transfer) {
    let mut done = 0;
    while done < 150 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (from, to) = ((random >> 33) as u32 % ACCOUNTS + 1, (random >> 45) as u32 % ACCOUNTS + 1);
        if from == to {
            continue;
        }
        person.begin(Isolation::ReadCommitted);
        if transfer(&mut person, from, to, (random >> 50) as i64 % 5).is_ok() {
            person.commit();
            done += 1;
        } else {
            person.rollback();
        }
    }
}

/// Scans that were not chosen as a deadlock's victim.
fn read_sums(mut person: Person, level: Isolation, is_over: &AtomicBool) -> u32 {
    let mut reads = 0;
    while !is_over.load(Relaxed) || reads == 0 {
        person.begin(level);
        match person.scan() {
            Ok(rows) => {
                assert_eq!(rows.iter().map(|(_, value)| value).sum::<i64>(), 30, "{level:?}");
                reads += 1;
                person.commit();
            }
            Err(TxnError::Deadlock(_)) => person.rollback(),
            Err(other) => panic!("{other:?}"),
        }
        std::thread::yield_now();
    }
    reads
}

/// Not REPEATABLE READ: rows that come in after its scan are let in (`repeatable_read_lets_rows_in_behind_its_scan`).
#[test]
fn nobody_sees_half_a_transaction() {
    check_sums(&[Isolation::ReadCommitted, Isolation::Snapshot, Isolation::Serializable], transfer);
}

#[test]
fn repeatable_read_sees_no_half_of_updates_in_place() {
    check_sums(&[Isolation::RepeatableRead, Isolation::RepeatableRead], |person, from, to, amount| {
        person.hint = ReadHint::update_lock();
        for (account, by) in [(from, -amount), (to, amount)] {
            let value = person.get(account)?.expect("no session deletes");
            assert!(person.put(account, value + by)?);
        }
        Ok(())
    });
}

type Rows = Vec<(u32, i64)>;

/// What a scan gives that waits for row 2 while `change` is made beside it in one transaction with `first`, and what is
/// there afterwards.
fn scan_waiting_for_row_2(first: fn(&mut Person), change: fn(&mut Person)) -> (Rows, Rows) {
    let table = Table::both();
    let (mut reader, mut writer) = (table.session(51), table.session(52));
    writer.begin(Isolation::ReadCommitted);
    first(&mut writer);
    let waiting = std::thread::spawn(move || {
        reader.begin(Isolation::RepeatableRead);
        let rows = reader.scan().unwrap();
        let again = reader.scan().unwrap();
        reader.commit();
        (rows, again)
    });
    while table.rig.manager.locks().waiting().is_empty() {
        std::thread::yield_now();
    }
    change(&mut writer);
    writer.commit();
    waiting.join().unwrap()
}

#[test]
fn repeatable_read_lets_rows_in_behind_its_scan() {
    // 1 goes from row 2 to the new row 0, after the scan: the sum is 29 for 30, and right the second time.
    let (rows, again) = scan_waiting_for_row_2(|one| assert!(one.put(2, 19).unwrap()), |one| one.insert(0, 1).unwrap());
    assert_eq!(rows, [(1, 10), (2, 19)]);
    assert_eq!(again, [(0, 1), (1, 10), (2, 19)]);
}

#[test]
fn what_a_scan_waited_for_is_read_anew() {
    let delete: fn(&mut Person) = |one| assert!(one.delete(2).unwrap());
    let moved = scan_waiting_for_row_2(delete, |one| one.insert(3, 20).unwrap());
    assert_eq!(moved, (vec![(1, 10), (3, 20)], vec![(1, 10), (3, 20)]));
    let is_back = scan_waiting_for_row_2(delete, |one| one.insert(2, 21).unwrap());
    assert_eq!(is_back, (vec![(1, 10), (2, 21)], vec![(1, 10), (2, 21)]));
    let changed = scan_waiting_for_row_2(|one| assert!(one.put(2, 5).unwrap()), |one| assert!(one.put(2, 22).unwrap()));
    assert_eq!(changed, (vec![(1, 10), (2, 22)], vec![(1, 10), (2, 22)]));
}

/// Moves an amount; an account with nothing on it is deleted, one that is not there is made.
fn transfer(person: &mut Person, from: u32, to: u32, amount: i64) -> Result<(), TxnError> {
    person.hint = ReadHint::update_lock();
    for (account, by) in [(from, -amount), (to, amount)] {
        match person.get(account)? {
            Some(value) if value + by == 0 => assert!(person.delete(account)?),
            Some(value) => assert!(person.put(account, value + by)?),
            None => match person.insert(account, by) {
                // Somebody made it meanwhile.
                Err(TxnError::Duplicate) => return Err(TxnError::NoSuchRow),
                done => done?,
            },
        }
    }
    Ok(())
}

#[test]
fn temporary_trees_take_no_locks_and_leave_nothing() {
    let table = Table::both();
    let ask = table.rig.ask();
    let before = table.rig.allocated();
    let mut work = table.rig.session();
    let object = millpond_access::ObjectId(1 << 31 | 1);
    let [kept, local, gone] =
        [millpond_txn::HeapKind::Table, millpond_txn::HeapKind::Variable, millpond_txn::HeapKind::Table].map(|kind| {
            let mark = transaction::begin_statement(&mut work);
            let tree = trees::create_temp_tree(&mut work, &ask, kind, object, 1).unwrap();
            transaction::end_statement(&mut work, &ask, mark).unwrap();
            tree
        });
    transaction::begin(&mut work);
    for tree in [&kept, &local, &gone] {
        for row in 0..2000 {
            tree_rows::insert(&mut work, &ask, tree, &key(row), &[7; 100]).unwrap();
        }
    }
    trees::drop_temp_tree(&mut work, &ask, &gone).unwrap();
    assert!(matches!(tree_rows::insert(&mut work, &ask, &gone, b"k", b""), Err(TxnError::NoSuchObject(_))));
    let made = trees::create_temp_tree(&mut work, &ask, millpond_txn::HeapKind::Table, object, 2).unwrap();
    assert_eq!(table.rig.manager.locks().report(), []);
    transaction::rollback(&mut work, &ask).unwrap();
    // Table variables keep what a rollback of the user undoes elsewhere.
    let reader = work.reader();
    let mut out = Vec::new();
    let mut has = |tree| read::row::get(&reader, &ask, tree, &key(5), ReadHint::default(), &mut out).unwrap();
    assert_eq!((has(&kept), has(&local), has(&gone)), (false, true, false));
    assert!(made.is_gone());
    tree_rows::insert(&mut work, &ask, &gone, b"k", b"").unwrap();
    drop(reader);
    drop(work);
    assert_eq!(table.rig.allocated(), before);
    assert!(DbId::TEMPDB != table.db);
}

#[test]
fn made_and_dropped_trees_follow_their_transaction() {
    let table = Table::both();
    let space = || {
        let space = table.rig.manager.instance().space(table.db).unwrap();
        space.report().iter().map(|file| file.reserved.iter().sum::<u64>()).sum::<u64>()
    };
    let before = space();
    let mut person = table.session(51);
    let lock = |person: &mut Person| {
        let object = table.tree.ids().object_id;
        person.run(|work, ask, _| work.lock_object(ask, table.db, object, LockMode::SchM)).unwrap();
    };
    let ids = millpond_access::tree::TreeIds { hobt: 9, object_id: 9, index_id: 1 };
    let ctx = table.tree.ctx().clone();
    transaction::begin(&mut person.work);
    let (made, _) = person.run(|work, ask, _| trees::create_tree(work, ask, &ctx, ids)).unwrap();
    person.run(|work, ask, _| tree_rows::insert(work, ask, &made, b"k", b"v")).unwrap();
    lock(&mut person);
    person.run(trees::drop_tree).unwrap();
    person.rollback();
    assert_eq!((made.is_gone(), table.tree.is_gone(), space()), (true, false, before));
    assert_eq!(person.scan().unwrap().len(), 2);

    transaction::begin(&mut person.work);
    lock(&mut person);
    let (fresh, root) = person.run(|work, ask, tree| trees::truncate_tree(work, ask, tree, ids)).unwrap();
    person.run(|work, ask, _| tree_rows::insert(work, ask, &fresh, b"k", b"v")).unwrap();
    assert!(!table.tree.is_gone());
    person.commit();
    assert!(table.tree.is_gone());
    assert!(Arc::ptr_eq(&fresh, &open_trees::open_tree(&table.rig.manager, &ctx, ids, root)));
    assert!(matches!(table.session(52).scan(), Err(TxnError::Access(_))));
}

#[test]
fn a_session_that_ends_undoes_what_was_open() {
    let table = Table::both();
    let mut person = table.session(51);
    transaction::begin(&mut person.work);
    person.put(1, 99).unwrap();
    person.delete(2).unwrap();
    drop(person);
    assert_eq!(table.session(52).scan().unwrap(), [(1, 10), (2, 20)]);
    assert_eq!(table.rig.manager.locks().report(), []);
}
