//! Large values: who owns one, and when its pages are free again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use millpond_access::lob::{LobPtr, Owned};
use millpond_access::tree::{Direction, KeyRange, Tree};
use millpond_access::{Heap, Rid};
use millpond_device::{Loss, Media, Playback, SystemClock, Tape, TapedMedia};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::create;
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::wal::CommitMode;
use millpond_txn::{HeapKind, Isolation, Live, LockMode, SessionWork, TxnError, TxnManager, ValueHome, Versioning};

use crate::rig::{self, Rig};
use crate::table::{IDS, Person, Table, key};
use millpond_access::heap;
use millpond_access::tree;
use millpond_txn::cleaner;
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::recovery;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;
use millpond_txn::values;

/// What a value of a row consists of.
fn bytes_of(row: u32, number: u32, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at as u32).wrapping_mul(31).wrapping_add(row * 7 + number) as u8).collect()
}

/// Number and length of the value stand before the pointer.
fn payload(number: u32, len: usize, pointer: LobPtr) -> Vec<u8> {
    let mut payload = number.to_le_bytes().to_vec();
    payload.extend_from_slice(&(len as u32).to_le_bytes());
    payload.extend_from_slice(&pointer.to_bytes());
    payload
}

fn parse(payload: &[u8]) -> (u32, usize, LobPtr) {
    let word = |at: usize| u32::from_le_bytes(payload[at..at + 4].try_into().unwrap());
    let pointer = LobPtr::from_bytes(payload[8..24].try_into().unwrap()).expect("a pointer");
    (word(0), word(4) as usize, pointer)
}

fn add(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    row: u32,
    number: u32,
    len: usize,
) -> Result<(), TxnError> {
    let pointer = values::put_value(work, ask, ValueHome::Tree(tree), &bytes_of(row, number, len))?;
    tree_rows::insert(work, ask, tree, &key(row), &payload(number, len, pointer))
}

fn change(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    row: u32,
    number: u32,
    len: usize,
) -> Result<(), TxnError> {
    let mut old = Vec::new();
    assert!(tree_rows::lock_for_update(work, ask, tree, &key(row), &mut old)?, "row {row} is there");
    let pointer = values::put_value(work, ask, ValueHome::Tree(tree), &bytes_of(row, number, len))?;
    tree_rows::update(work, ask, tree, &key(row), &payload(number, len, pointer))?;
    values::drop_value(work, ask, ValueHome::Tree(tree), parse(&old).2.into())
}

fn remove(work: &mut SessionWork, ask: &Ask<'_>, tree: &Arc<Tree>, row: u32) -> Result<(), TxnError> {
    let mut old = Vec::new();
    assert!(tree_rows::lock_for_update(work, ask, tree, &key(row), &mut old)?, "row {row} is there");
    tree_rows::delete(work, ask, tree, &key(row))?;
    values::drop_value(work, ask, ValueHome::Tree(tree), parse(&old).2.into())
}

/// The value that a payload points to is whole and the right one.
fn check_value(ask: &Ask<'_>, tree: &Arc<Tree>, row: u32, payload: &[u8]) -> u32 {
    let (number, len, pointer) = parse(payload);
    let mut value = vec![0; len];
    ValueHome::Tree(tree).read(ask, pointer, 0, &mut value).expect("the value is there");
    assert!(value == bytes_of(row, number, len), "the value of row {row} is another one's");
    number
}

/// The rows that are no ghosts, and the pointers that they own.
fn owned(ask: &Ask<'_>, tree: &Arc<Tree>) -> (BTreeMap<u32, u32>, Vec<LobPtr>) {
    let (mut found, mut pointers) = (Vec::new(), Vec::new());
    let mut cursor = tree::cursor::open(tree, KeyRange::all(), Direction::Forward);
    while cursor
        .next_page(ask, &mut |row| {
            if !row.is_ghost && row.payload.len() == 24 {
                found.push((u32::from_be_bytes(row.key.try_into().unwrap()), row.payload.to_vec()));
            }
            std::ops::ControlFlow::Continue(())
        })
        .expect("readable")
    {}
    let mut rows = BTreeMap::new();
    for (row, payload) in found {
        rows.insert(row, check_value(ask, tree, row, &payload));
        pointers.push(parse(&payload).2);
    }
    (rows, pointers)
}

/// Every page of the unit belongs to a value of a row.
fn assert_exact(ask: &Ask<'_>, tree: &Arc<Tree>) -> BTreeMap<u32, u32> {
    let (rows, pointers) = owned(ask, tree);
    if let Some(store) = tree.values(ask).expect("readable") {
        let report = store.check(ask, &mut pointers.into_iter().map(Owned::Value)).expect("readable");
        assert_eq!(report.problems, []);
    }
    rows
}

fn table() -> (Table, Person) {
    let table = Table::new(Versioning { read_committed: true, snapshot: true });
    let mut person = table.session(51);
    for row in [1, 2] {
        person.delete(row).expect("there");
    }
    (table, person)
}

#[test]
fn a_rollback_brings_the_old_value_back_and_frees_the_new_one() {
    let (table, mut person) = table();
    let ask = table.rig.ask();
    person.run(|work, ask, tree| add(work, ask, tree, 5, 1, 30_000)).expect("new");
    person.begin(Isolation::ReadCommitted);
    person.run(|work, ask, tree| change(work, ask, tree, 5, 2, 90_000)).expect("there");
    person.run(|work, ask, tree| add(work, ask, tree, 6, 3, 20_000)).expect("new");
    person.run(|work, ask, tree| change(work, ask, tree, 6, 4, 9_000)).expect("there");
    person.run(|work, ask, tree| remove(work, ask, tree, 5)).expect("there");
    person.rollback();
    cleaner::clean(&table.rig.manager, &ask);
    assert_eq!(assert_exact(&ask, &table.tree), BTreeMap::from([(5, 1)]));
    // A part of a transaction, and a statement of it.
    person.begin(Isolation::ReadCommitted);
    person.run(|work, ask, tree| change(work, ask, tree, 5, 2, 40_000)).expect("there");
    transaction::save(&mut person.work, "s");
    person.run(|work, ask, tree| change(work, ask, tree, 5, 3, 50_000)).expect("there");
    let failed = person.run(|work, ask, tree| {
        add(work, ask, tree, 7, 1, 60_000)?;
        add(work, ask, tree, 5, 1, 60_000)
    });
    assert!(matches!(failed, Err(TxnError::Duplicate)));
    transaction::rollback_to(&mut person.work, &ask, "s").expect("undo works");
    person.commit();
    cleaner::clean(&table.rig.manager, &ask);
    assert_eq!(assert_exact(&ask, &table.tree), BTreeMap::from([(5, 2)]));
}

#[test]
fn a_snapshot_reads_the_value_of_its_version_and_it_goes_with_the_snapshot() {
    let (table, mut writer) = table();
    let ask = table.rig.ask();
    writer.run(|work, ask, tree| add(work, ask, tree, 5, 1, 100_000)).expect("new");
    writer.run(|work, ask, tree| add(work, ask, tree, 6, 1, 100_000)).expect("new");
    let mut reader = table.session(52);
    reader.begin(Isolation::Snapshot);
    let look = |reader: &mut Person, row: u32| {
        reader.run(|work, ask, tree| {
            let mut out = Vec::new();
            let there = read::row::get(&work.reader(), ask, tree, &key(row), Default::default(), &mut out)?;
            Ok(there.then(|| check_value(ask, tree, row, &out)))
        })
    };
    assert_eq!(look(&mut reader, 5).expect("readable"), Some(1));
    writer.run(|work, ask, tree| change(work, ask, tree, 5, 2, 70_000)).expect("there");
    writer.run(|work, ask, tree| remove(work, ask, tree, 6)).expect("there");
    // The key comes again with another value: the old version has its own still.
    writer.run(|work, ask, tree| add(work, ask, tree, 6, 9, 10_000)).expect("new");
    for _ in 0..3 {
        cleaner::clean(&table.rig.manager, &ask);
        assert_eq!(look(&mut reader, 5).expect("readable"), Some(1));
        assert_eq!(look(&mut reader, 6).expect("readable"), Some(1));
    }
    assert_eq!(values::waiting_values(&table.rig.manager, &table.tree).len(), 2);
    reader.commit();
    cleaner::clean(&table.rig.manager, &ask);
    assert_eq!(values::waiting_values(&table.rig.manager, &table.tree).len(), 0);
    assert_eq!(assert_exact(&ask, &table.tree), BTreeMap::from([(5, 2), (6, 9)]));
}

#[test]
fn a_statement_that_holds_values_reads_them_after_its_row_has_changed() {
    let (table, mut writer) = table();
    let ask = table.rig.ask();
    table.rig.manager.set_versioning(table.db, Versioning::default());
    writer.run(|work, ask, tree| add(work, ask, tree, 5, 1, 100_000)).expect("new");
    let mut reader = table.session(52);
    let mark = transaction::begin_statement(&mut reader.work);
    let look = reader.work.reader();
    look.hold_values();
    let mut out = Vec::new();
    assert!(read::row::get(&look, &ask, &table.tree, &key(5), Default::default(), &mut out).expect("readable"));
    writer.run(|work, ask, tree| change(work, ask, tree, 5, 2, 70_000)).expect("there");
    cleaner::clean(&table.rig.manager, &ask);
    assert_eq!(check_value(&ask, &table.tree, 5, &out), 1);
    drop(look);
    transaction::end_statement(&mut reader.work, &ask, mark).expect("nothing to commit");
    cleaner::clean(&table.rig.manager, &ask);
    assert_eq!(assert_exact(&ask, &table.tree), BTreeMap::from([(5, 2)]));
}

#[test]
fn a_tree_that_is_dropped_or_undone_takes_its_values_along() {
    let (table, mut person) = table();
    let ask = table.rig.ask();
    let used = || {
        let report = table.rig.manager.instance().space_report(table.db);
        report.iter().map(|file| file.allocated).sum::<u64>()
    };
    let ctx = table.tree.ctx().clone();
    let ids = millpond_access::tree::TreeIds { hobt: 9, object_id: 77, index_id: 1 };
    let before = used();
    for commits in [true, false] {
        transaction::begin(&mut person.work);
        let (tree, _) = trees::create_tree(&mut person.work, &ask, &ctx, ids).expect("room");
        let mark = transaction::begin_statement(&mut person.work);
        add(&mut person.work, &ask, &tree, 1, 1, 300_000).expect("new");
        transaction::end_statement(&mut person.work, &ask, mark).expect("no commit");
        if commits {
            person.commit();
            let mark = transaction::begin_statement(&mut person.work);
            change(&mut person.work, &ask, &tree, 1, 2, 200_000).expect("there");
            person.work.lock_object(&ask, ctx.handle.db, ids.object_id, LockMode::SchM).expect("no session has it");
            trees::drop_tree(&mut person.work, &ask, &tree).expect("there");
            transaction::end_statement(&mut person.work, &ask, mark).expect("committed");
        } else {
            person.rollback();
        }
        drop(tree);
        cleaner::clean(&table.rig.manager, &ask);
        assert_eq!(used(), before, "commits {commits}");
    }
}

fn heap_row(work: &mut SessionWork, ask: &Ask<'_>, heap: &Arc<Heap>, len: usize) -> Rid {
    let mark = transaction::begin_statement(work);
    let pointer = values::put_value(work, ask, ValueHome::Heap(heap), &bytes_of(1, 1, len)).expect("room");
    let row = payload(1, len, pointer);
    let rid = heap_rows::insert(work, ask, heap, row.len(), |to| to.copy_from_slice(&row)).expect("room");
    transaction::end_statement(work, ask, mark).expect("nothing durable");
    rid
}

fn heap_values(ask: &Ask<'_>, heap: &Arc<Heap>) -> usize {
    let mut found = Vec::new();
    let mut scan = heap::scan::open(heap);
    while scan
        .next_page(ask, &mut |_, row| {
            found.push(row.to_vec());
            std::ops::ControlFlow::Continue(())
        })
        .expect("readable")
    {}
    let mut pointers = Vec::new();
    for row in &found {
        let (number, len, pointer) = parse(row);
        let mut value = vec![0; len];
        ValueHome::Heap(heap).read(ask, pointer, 0, &mut value).expect("whole");
        assert!(value == bytes_of(1, number, len));
        pointers.push(pointer);
    }
    if let Some(store) = heap.values() {
        assert_eq!(store.check(ask, &mut pointers.into_iter().map(Owned::Value)).expect("readable").problems, []);
    }
    found.len()
}

#[test]
fn a_temporary_heap_frees_its_values_with_rollback_truncation_and_drop() {
    let rig = Rig::new(None);
    let (mut work, ask) = (rig.session(), rig.ask());
    let before = rig.allocated();
    let heap = rig::create(&mut work, &ask, HeapKind::Table);
    let first = heap_row(&mut work, &ask, &heap, 50_000);
    transaction::begin(&mut work);
    heap_row(&mut work, &ask, &heap, 60_000);
    let mut row = Vec::new();
    heap::scan::fetch(&heap, &ask, first, &mut row).expect("there");
    heap_rows::delete(&mut work, &ask, &heap, first).expect("there");
    values::drop_value(&mut work, &ask, ValueHome::Heap(&heap), parse(&row).2.into()).expect("there");
    transaction::rollback(&mut work, &ask).expect("undo works");
    assert_eq!(heap_values(&ask, &heap), 1);
    transaction::begin(&mut work);
    heaps::truncate_heap(&mut work, &ask, &heap).expect("there");
    heap_row(&mut work, &ask, &heap, 70_000);
    assert_eq!(heap_values(&ask, &heap), 1);
    transaction::rollback(&mut work, &ask).expect("undo works");
    assert_eq!(heap_values(&ask, &heap), 1);
    let mark = transaction::begin_statement(&mut work);
    heap_rows::delete(&mut work, &ask, &heap, first).expect("there");
    values::drop_value(&mut work, &ask, ValueHome::Heap(&heap), parse(&row).2.into()).expect("there");
    transaction::end_statement(&mut work, &ask, mark).expect("nothing durable");
    assert_eq!(heap_values(&ask, &heap), 0);
    heap_row(&mut work, &ask, &heap, 80_000);
    heaps::drop_heap(&mut work, &ask, &heap).expect("there");
    assert_eq!(rig.allocated(), before);
}

const DB: DbId = DbId(5);

fn open(media: Arc<dyn Media>) -> Arc<TxnManager> {
    let config = InstanceConfig {
        media,
        max_memory_bytes: Some(32 << 20),
        ..InstanceConfig::new(Some(PathBuf::from("/data")), Arc::new(SystemClock::new()))
    };
    TxnManager::new(Instance::open(config).expect("opens"))
}

/// After any cut each committed row has its value, and what nothing owns can be given back to the last page.
#[test]
fn values_survive_power_cuts_with_their_rows_and_leak_nothing() {
    let tape = Tape::new();
    let media = Arc::new(TapedMedia::new(Arc::clone(&tape)));
    let manager = open(media.clone());
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    let ask = Ask::new(&task, &io);
    let database =
        create::create_database(manager.instance().databases(), &ask, &NewDatabase::named("d")).expect("room");
    assert_eq!(database.id(), DB);
    manager.database_opened(DB);
    let ctx = open_trees::tree_ctx(&database).expect("open");
    let mut maker = manager.open_session(SessionId(50), Arc::new(Task::new(SessionId(50))));
    transaction::begin(&mut maker);
    let (tree, place) = trees::create_tree(&mut maker, &ask, &ctx, IDS).expect("room");
    transaction::commit(&mut maker, &ask, CommitMode::Durable).expect("durable");
    drop(maker);
    // Positions of the tape with the state that is promised from there on.
    let mut promises = vec![(tape.position(), BTreeMap::new())];
    let mut state: BTreeMap<u32, u32> = BTreeMap::new();
    let mut person = Person::new(&manager, &tree, 51);
    for step in 0..60_u32 {
        let mut next = state.clone();
        transaction::begin(&mut person.work);
        for part in 0..3 {
            let (row, number, len) =
                ((step * 7 + part * 5) % 11, step + 1, 3000 + (step * 977 + part * 5000) as usize % 40_000);
            let changed = match next.contains_key(&row) {
                true if (step + part) % 3 == 0 => {
                    next.remove(&row);
                    person.run(|work, ask, tree| remove(work, ask, tree, row))
                }
                true => {
                    next.insert(row, number);
                    person.run(|work, ask, tree| change(work, ask, tree, row, number, len))
                }
                false => {
                    next.insert(row, number);
                    person.run(|work, ask, tree| add(work, ask, tree, row, number, len))
                }
            };
            changed.expect("possible");
        }
        if step % 4 == 3 {
            person.rollback();
        } else {
            person.commit();
            state = next;
            promises.push((tape.position(), state.clone()));
        }
        if step % 5 == 0 {
            cleaner::clean(&manager, &ask);
        }
        if step % 16 == 9 {
            manager.instance().checkpoint(&ask, DB).expect("possible");
        }
    }
    let last = tape.position();
    let names = media.names();
    let mut playback = Playback::new(&tape);
    let (mut reclaimed, mut redone) = (0, 0);
    // Before the first commit not even the tree need be there.
    let first = promises[1].0;
    for cut in 0..40_u64 {
        let position = first + (last - first) * cut as usize / 39;
        playback.advance(position);
        let loss = if cut % 3 == 0 { Loss::Everything } else { Loss::Chance { kept_percent: 50 } };
        let images = playback.cut_images(loss, cut);
        let manager = open(Arc::new(TapedMedia::after_cut(&names, &images, None)));
        assert!(manager.failed_recoveries().is_empty(), "{:?}", manager.failed_recoveries());
        let database = manager.instance().database(DB).expect("known");
        redone += u64::from(!database.was_clean());
        let ctx = open_trees::tree_ctx(&database).expect("open");
        let tree = open_trees::open_tree(&manager, &ctx, IDS, place);
        let (found, pointers) = owned(&ask, &tree);
        let at = promises.iter().rposition(|(from, _)| *from <= position).expect("the first commit");
        let allowed = [Some(at), Some(at + 1).filter(|&next| next < promises.len())];
        assert!(
            allowed.into_iter().flatten().any(|at| promises[at].1 == found),
            "cut {cut} at {position}: {found:?} is neither {:?} nor the next",
            promises[at].1
        );
        let live = Live { trees: &[(IDS, place)], chains: &[] };
        recovery::reclaim::reclaim_database(&manager, &ask, &database, live).expect("possible");
        reclaimed += values::reclaim_values(&ask, &tree, &mut pointers.into_iter()).expect("possible");
        assert_eq!(assert_exact(&ask, &tree), found);
        // The values are written and freed on as before.
        let mut person = Person::new(&manager, &tree, 60);
        person.run(|work, ask, tree| add(work, ask, tree, 99, 1, 50_000)).expect("new");
        person.run(|work, ask, tree| remove(work, ask, tree, 99)).expect("there");
        cleaner::clean(&manager, &ask);
        assert_eq!(assert_exact(&ask, &tree), found);
    }
    assert!(reclaimed > 0 && redone > 30, "{reclaimed} pages, {redone} redone");
}

/// A clean end frees what waits, or says that it leaked.
#[test]
fn what_waits_at_the_end_is_freed_first() {
    let (table, mut person) = table();
    let ask = table.rig.ask();
    person.run(|work, ask, tree| add(work, ask, tree, 5, 1, 100_000)).expect("new");
    person.run(|work, ask, tree| remove(work, ask, tree, 5)).expect("there");
    assert_eq!(values::waiting_values(&table.rig.manager, &table.tree).len(), 1);
    cleaner::settle_values(&table.rig.manager, &ask, Some(table.db));
    assert_eq!(values::waiting_values(&table.rig.manager, &table.tree).len(), 0);
    assert!(assert_exact(&ask, &table.tree).is_empty());
}
