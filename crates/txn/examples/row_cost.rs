//! What rows of durable trees cost below SQL, in CPU time of the thread that asks.
//!
//! `cargo run --release -p millpond-txn --example row_cost [rows]`: an uncontended lock of a key with its release, point
//! reads of a statement with row versions, inserts and updates of one transaction (the log's writer is another thread;
//! no session waits for it), and updates beside a snapshot that has been open for all of them.

use std::sync::Arc;
use std::time::Duration;

use millpond_access::tree::{Tree, TreeIds};
use millpond_device::clock::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::database::create;
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::wal::CommitMode;
use millpond_txn::cleaner;
use millpond_txn::lock::{LockMode, Resource};
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;
use millpond_txn::{Isolation, ReadHint, SessionWork, TxnError, TxnManager, Versioning};

/// CPU time of this thread: on a busy machine the clock on the wall measures the others.
fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

fn measure(what: &str, count: u32, work: impl FnOnce() -> Result<(), TxnError>) -> Result<(), TxnError> {
    let start = cpu();
    work()?;
    let each_ns = (cpu() - start).as_nanos() / u128::from(count);
    println!("{what:40} {each_ns:6} ns, {:9} per second", 1_000_000_000 / each_ns.max(1));
    Ok(())
}

/// Rows in an order that is not theirs.
fn shuffled(rows: u32) -> impl Iterator<Item = u32> {
    (0..rows).map(move |row| (u64::from(row) * 2_654_435_761 % u64::from(rows)) as u32)
}

fn put_all(work: &mut SessionWork, ask: &Ask<'_>, tree: &Arc<Tree>, rows: u32, fill: u8) -> Result<(), TxnError> {
    for row in shuffled(rows) {
        let mark = transaction::begin_statement(work);
        tree_rows::update(work, ask, tree, &row.to_be_bytes(), &[fill; 100])?;
        transaction::end_statement(work, ask, mark)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows: u32 = std::env::args().nth(1).map_or(Ok(200_003), |rows| rows.parse())?;
    let config =
        InstanceConfig { max_memory_bytes: Some(1 << 30), ..InstanceConfig::new(None, Arc::new(SystemClock::new())) };
    let manager = TxnManager::new(Instance::open(config)?);
    let (task, io) = (Arc::new(Task::new(SessionId(51))), IoCount::default());
    let ask = Ask::new(&task, &io);
    let database = create::create_database(manager.instance().databases(), &ask, &NewDatabase::named("d"))?;
    manager.database_opened(database.id());
    manager.set_versioning(database.id(), Versioning { read_committed: true, snapshot: true });
    manager.locks().set_escalation(database.id(), 9, false);
    let ctx = open_trees::tree_ctx(&database)?;
    let mut work = manager.open_session(SessionId(51), Arc::clone(&task));
    transaction::begin(&mut work);
    let (tree, _) = trees::create_tree(&mut work, &ask, &ctx, TreeIds { hobt: 9, object_id: 9, index_id: 1 })?;
    transaction::commit(&mut work, &ask, CommitMode::Durable)?;

    let owner = manager.locks().open_owner(SessionId(60));
    measure("lock and unlock a key", 2_000_000, || {
        for row in 0..2_000_000u32 {
            let key = Resource::key(database.id(), 9, millpond_txn::lock::KeyHash::of(&row.to_be_bytes()));
            owner.lock(&ask, key, LockMode::X, None)?;
            owner.unlock(key);
        }
        Ok(())
    })?;

    transaction::begin(&mut work);
    measure("insert a row of 100 bytes, ascending", rows, || {
        for row in 0..rows {
            let mark = transaction::begin_statement(&mut work);
            tree_rows::insert(&mut work, &ask, &tree, &row.to_be_bytes(), &[1; 100])?;
            transaction::end_statement(&mut work, &ask, mark)?;
        }
        Ok(())
    })?;
    transaction::commit(&mut work, &ask, CommitMode::Durable)?;

    let reader = work.reader();
    let mut out = Vec::new();
    measure("read a row by its key", 4 * rows, || {
        for row in (0..4).flat_map(|_| shuffled(rows)) {
            assert!(read::row::get(&reader, &ask, &tree, &row.to_be_bytes(), ReadHint::default(), &mut out)?);
        }
        Ok(())
    })?;
    drop(reader);

    transaction::begin(&mut work);
    measure("update a row", rows, || put_all(&mut work, &ask, &tree, rows, 2))?;
    transaction::commit(&mut work, &ask, CommitMode::Durable)?;

    let mut old = manager.open_session(SessionId(52), Arc::clone(&task));
    old.set_isolation(Isolation::Snapshot);
    transaction::begin(&mut old);
    assert!(read::row::get(&old.reader(), &ask, &tree, &1u32.to_be_bytes(), ReadHint::default(), &mut out)?);
    transaction::begin(&mut work);
    measure("update a row beside an old snapshot", rows, || put_all(&mut work, &ask, &tree, rows, 3))?;
    transaction::commit(&mut work, &ask, CommitMode::Durable)?;
    assert!(read::row::get(&old.reader(), &ask, &tree, &1u32.to_be_bytes(), ReadHint::default(), &mut out)?);
    assert_eq!(out, [2; 100]);
    let pages: u64 = manager.version_space().iter().map(|space| space.reserved_pages).sum();
    transaction::commit(&mut old, &ask, CommitMode::Durable)?;
    cleaner::clean(&manager, &ask);
    let left: u64 = manager.version_space().iter().map(|space| space.reserved_pages).sum();
    println!("version store: {pages} pages beside the snapshot, {left} after it");
    Ok(())
}
