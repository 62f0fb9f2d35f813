//! Crashes: the media are copied while transactions are open, and an instance is opened on the copy.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_access::tree::{Tree, TreeRoot};
use millpond_device::RamMedia;
use millpond_device::clock::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::database::{DatabaseState, create};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::wal::CommitMode;
use millpond_txn::{Isolation, TxnManager};

use crate::table::{IDS, Person};
use millpond_access::tree;
use millpond_txn::cleaner;
use millpond_txn::open_trees;
use millpond_txn::transaction;
use millpond_txn::trees;

fn instance(media: &Arc<RamMedia>) -> Arc<Instance> {
    let config = InstanceConfig {
        media: Arc::clone(media) as _,
        max_memory_bytes: Some(64 << 20),
        ..InstanceConfig::new(Some(PathBuf::from("/data")), Arc::new(SystemClock::new()))
    };
    Instance::open(config).expect("opens")
}

fn open(media: &Arc<RamMedia>) -> Arc<TxnManager> {
    TxnManager::new(instance(media))
}

/// A crash now: the copy that the next instance gets.
fn crash(media: &RamMedia) -> Arc<RamMedia> {
    Arc::new(media.snapshot())
}

fn tree(manager: &Arc<TxnManager>, db: DbId, root: TreeRoot) -> Arc<Tree> {
    let database = manager.instance().database(db).expect("known");
    let ctx = open_trees::tree_ctx(&database).expect("open");
    open_trees::open_tree(manager, &ctx, IDS, root)
}

#[test]
fn commits_survive_and_open_transactions_do_not() {
    let media = Arc::new(RamMedia::new());
    let manager = open(&media);
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    let ask = Ask::new(&task, &io);
    let database =
        create::create_database(manager.instance().databases(), &ask, &NewDatabase::named("d")).expect("room");
    assert!(database.log().expect("open").is_some());
    let db = database.id();
    manager.database_opened(db);
    let ctx = open_trees::tree_ctx(&database).expect("open");
    let mut work = manager.open_session(SessionId(50), Arc::new(Task::new(SessionId(50))));
    transaction::begin(&mut work);
    let (made, root) = trees::create_tree(&mut work, &ask, &ctx, IDS).expect("room");
    transaction::commit(&mut work, &ask, CommitMode::Durable).expect("durable");
    let [mut kept, mut open_one, mut partly] = [51, 52, 53].map(|n| Person::new(&manager, &made, n));
    for row in 0..500 {
        kept.insert(row, i64::from(row)).expect("new");
    }
    let before = kept.scan().expect("readable");
    // One transaction with all kinds of changes, one that has gone back to a savepoint.
    transaction::begin(&mut open_one.work);
    for row in 0..100 {
        open_one.put(row * 2, -1).expect("there");
        open_one.delete(row * 2 + 1).expect("there");
        open_one.insert(1000 + row, 5).expect("new");
    }
    transaction::begin(&mut partly.work);
    partly.put(400, -2).expect("there");
    transaction::save(&mut partly.work, "s");
    partly.delete(401).expect("there");
    let task = Arc::clone(&partly.task);
    transaction::rollback_to(&mut partly.work, &Ask::new(&task, &io), "s").expect("undo works");
    partly.insert(2000, 7).expect("new");
    // A commit after them makes their records durable.
    kept.put(499, 4990).expect("there");
    let mut expected = before;
    expected[499].1 = 4990;

    let waiting = instance(&crash(&media)).database(db).expect("known");
    assert_eq!((waiting.state(), waiting.take_losers().len()), (DatabaseState::Recovering, 2));
    let copy = crash(&media);
    let xsn = open_one.work.transaction_number();
    let again = open(&copy);
    assert!(again.failed_recoveries().is_empty(), "{:?}", again.failed_recoveries());
    let found = tree(&again, db, root);
    let mut reader = Person::new(&again, &found, 60);
    assert_eq!(reader.scan().expect("readable"), expected);
    assert!(tree::check::check_tree(&found, &ask).expect("readable").problems.is_empty());
    // Numbers go on above all that were ever written.
    transaction::begin(&mut reader.work);
    reader.put(0, 1).expect("free");
    assert!(reader.work.transaction_number() > xsn);
    reader.rollback();

    // A crash after the undo finds nothing to undo again.
    let third = open(&crash(&copy));
    let found = tree(&third, db, root);
    assert_eq!(Person::new(&third, &found, 61).scan().expect("readable"), expected);
}

/// The list of the ghost cleaner is gone with a crash: whoever scans the tree says which ghosts are there.
#[test]
fn rows_that_were_deleted_before_a_crash_are_removed_once_they_are_met() {
    let media = Arc::new(RamMedia::new());
    let manager = open(&media);
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    let ask = Ask::new(&task, &io);
    let database =
        create::create_database(manager.instance().databases(), &ask, &NewDatabase::named("d")).expect("room");
    let db = database.id();
    manager.database_opened(db);
    let ctx = open_trees::tree_ctx(&database).expect("open");
    let mut work = manager.open_session(SessionId(50), Arc::new(Task::new(SessionId(50))));
    transaction::begin(&mut work);
    let (made, root) = trees::create_tree(&mut work, &ask, &ctx, IDS).expect("room");
    transaction::commit(&mut work, &ask, CommitMode::Durable).expect("durable");
    let [mut all, mut open_one] = [51, 52].map(|n| Person::new(&manager, &made, n));
    for row in 0..1000 {
        all.insert(row, i64::from(row)).expect("new");
    }
    // Ghosts stay as long as a transaction is open that is older than their deletions.
    transaction::begin(&mut open_one.work);
    open_one.put(999, -1).expect("there");
    for row in 100..400 {
        all.delete(row).expect("there");
    }
    let ghosts = |tree: &Arc<Tree>| tree::check::check_tree(tree, &ask).expect("readable").ghosts;
    assert_eq!(ghosts(&made), 300);
    let copy = crash(&media);

    let isolations =
        [Isolation::ReadUncommitted, Isolation::ReadCommitted, Isolation::RepeatableRead, Isolation::Serializable];
    for isolation in isolations {
        let manager = open(&crash(&copy));
        let found = tree(&manager, db, root);
        cleaner::clean(&manager, &ask);
        assert_eq!(ghosts(&found), 300, "{isolation:?}");
        let mut reader = Person::new(&manager, &found, 60);
        reader.work.set_isolation(isolation);
        assert_eq!(reader.scan().expect("readable").len(), 700);
        cleaner::clean(&manager, &ask);
        assert_eq!(ghosts(&found), 0, "{isolation:?}");
        assert_eq!(reader.scan().expect("readable").len(), 700);
    }
    let manager = open(&crash(&copy));
    let found = tree(&manager, db, root);
    cleaner::remove_ghosts(&manager, &ask, &found);
    assert_eq!(ghosts(&found), 0);
    let problems = tree::check::check_tree(&found, &ask).expect("readable").problems;
    assert!(problems.is_empty(), "{problems:?}");
}
