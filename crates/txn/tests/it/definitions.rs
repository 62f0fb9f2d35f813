//! Whatever undoes a change of a definition notifies the catalog, once and before the definition's lock goes.

use std::sync::{Arc, Weak};

use millpond_device::RamMedia;
use millpond_device::fault::Fault;
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::wal::CommitMode;
use millpond_txn::lock::LockMode;
use millpond_txn::{Definitions, SessionWork, TxnError, TxnManager};
use parking_lot::Mutex;

use crate::two_databases::World;
use millpond_txn::transaction;
use millpond_txn::trees;

/// Objects whose definitions a transaction changed.
type Changed = Vec<(DbId, u32)>;

/// A catalog that writes down what it is asked, and whether the definition was locked then.
struct Catalog {
    manager: Weak<TxnManager>,
    notified: Mutex<Vec<(Changed, bool)>>,
}

impl Definitions for Catalog {
    fn undone(&self, work: &mut SessionWork, _ask: &Ask<'_>, changed: &[(DbId, u32)]) {
        let manager = self.manager.upgrade().expect("it is open");
        self.notified.lock().push((changed.to_vec(), is_locked(&manager, work.session().0)));
    }
}

fn is_locked(manager: &TxnManager, session: u16) -> bool {
    manager.locks().report().iter().any(|row| row.session.0 == session && row.mode == LockMode::SchM)
}

const DB: DbId = DbId(5);

/// Two objects are changed, one of them twice.
fn change(world: &World, work: &mut SessionWork) {
    for object in [8, 7, 8] {
        work.lock_object(&world.ask(), DB, object, LockMode::SchM).expect("it is free");
        trees::note_catalog_change(work, &world.ask(), DB, object).expect("room");
    }
}

/// The same, and rows of all databases.
fn change_all(world: &World, work: &mut SessionWork) {
    change(world, work);
    world.insert(work, 2);
}

#[test]
fn all_roads_back_tell_the_catalog_before_the_lock_goes() {
    let media = Arc::new(RamMedia::new());
    let world = World::new(Arc::clone(&media) as _);
    let notified = Mutex::default();
    let catalog = Arc::new(Catalog { manager: Arc::downgrade(&world.manager), notified });
    let weak: Weak<Catalog> = Arc::downgrade(&catalog);
    let session = || {
        let mut work = world.session();
        work.set_definitions(weak.clone());
        work
    };
    let all = vec![(vec![(DB, 7), (DB, 8)], true)];
    let check = |what: &str| {
        assert_eq!(std::mem::take(&mut *catalog.notified.lock()), all, "{what}");
        assert!(!is_locked(&world.manager, 51), "{what}");
    };

    let mut work = session();
    transaction::begin(&mut work);
    change_all(&world, &mut work);
    transaction::rollback(&mut work, &world.ask()).expect("undone");
    check("ROLLBACK");

    let mark = transaction::begin_statement(&mut work);
    change(&world, &mut work);
    transaction::abort_statement(&mut work, &world.ask(), mark).expect("undone");
    check("a statement that fails");

    transaction::begin(&mut work);
    transaction::save(&mut work, "here");
    change_all(&world, &mut work);
    transaction::rollback_to(&mut work, &world.ask(), "here").expect("undone");
    assert_eq!(std::mem::take(&mut *catalog.notified.lock()), all, "back to a savepoint");
    transaction::commit(&mut work, &world.ask(), CommitMode::Durable).expect("durable");
    assert_eq!(*catalog.notified.lock(), [], "a commit notifies of nothing");

    transaction::begin(&mut work);
    change_all(&world, &mut work);
    drop(work);
    check("a session that goes in its transaction");

    let mut work = session();
    let _mark = transaction::begin_statement(&mut work);
    change(&world, &mut work);
    drop(work);
    check("a session that goes in its statement");

    let mut work = session();
    transaction::begin(&mut work);
    change(&world, &mut work);
    drop(work);
    check("a session that changed no row");

    let mut work = session();
    transaction::begin(&mut work);
    change_all(&world, &mut work);
    media.device("/ram/b_log.ldf".as_ref()).expect("it is there").order(Fault::WriteError, 0);
    let refused = transaction::commit(&mut work, &world.ask(), CommitMode::Durable).expect_err("b cannot write");
    assert!(matches!(refused, TxnError::UndoLost { .. }), "{refused}");
    check("a commit that is refused");
}
