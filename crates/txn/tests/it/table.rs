//! A database with one tree of numbers, and sessions that read and change it.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use millpond_access::tree::{Direction, KeyRange, Tree, TreeIds};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::create;
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::wal::CommitMode;
use millpond_txn::{Isolation, ReadHint, SessionWork, TxnError, TxnManager, Versioning};

use crate::rig::Rig;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;

/// A database of an instance in memory, with one tree.
pub struct Table {
    pub rig: Rig,
    pub db: DbId,
    pub tree: Arc<Tree>,
}

pub const IDS: TreeIds = TreeIds { hobt: 72_057_594_038_321_152, object_id: 245_575_913, index_id: 1 };

impl Table {
    /// With the rows 1 → 10 and 2 → 20.
    pub fn new(versioning: Versioning) -> Table {
        let rig = Rig::new(None);
        let ask = rig.ask();
        let database = create::create_database(rig.manager.instance().databases(), &ask, &NewDatabase::named("d"))
            .expect("in memory");
        rig.manager.database_opened(database.id());
        rig.manager.set_versioning(database.id(), versioning);
        let ctx = open_trees::tree_ctx(&database).expect("online");
        let mut work = rig.session();
        let mark = transaction::begin_statement(&mut work);
        let (tree, _) = trees::create_tree(&mut work, &ask, &ctx, IDS).expect("room");
        transaction::end_statement(&mut work, &ask, mark).expect("committed");
        drop(work);
        let table = Table { db: database.id(), tree, rig };
        let mut session = table.session(90);
        session.insert(1, 10).expect("new");
        session.insert(2, 20).expect("new");
        drop(session);
        table
    }

    pub fn both() -> Table {
        Table::new(Versioning { read_committed: true, snapshot: true })
    }

    pub fn session(&self, number: u16) -> Person {
        Person::new(&self.rig.manager, &self.tree, number)
    }
}

/// A session with the tree.
pub struct Person {
    pub work: SessionWork,
    pub tree: Arc<Tree>,
    pub task: Arc<Task>,
    pub hint: ReadHint,
    io: IoCount,
}

pub fn key(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

fn number(bytes: &[u8]) -> i64 {
    i64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
}

impl Person {
    pub fn new(manager: &Arc<TxnManager>, tree: &Arc<Tree>, number: u16) -> Person {
        let task = Arc::new(Task::new(SessionId(number)));
        let work = manager.open_session(SessionId(number), Arc::clone(&task));
        Person { work, tree: Arc::clone(tree), task, hint: ReadHint::default(), io: IoCount::default() }
    }

    /// Runs a statement: kept when it succeeds, undone when it fails.
    pub fn run<R>(
        &mut self,
        statement: impl FnOnce(&mut SessionWork, &Ask<'_>, &Arc<Tree>) -> Result<R, TxnError>,
    ) -> Result<R, TxnError> {
        let task = Arc::clone(&self.task);
        let ask = Ask::new(&task, &self.io);
        let mark = transaction::begin_statement(&mut self.work);
        match statement(&mut self.work, &ask, &self.tree) {
            Ok(result) => transaction::end_statement(&mut self.work, &ask, mark).map(|()| result),
            Err(cause) => {
                transaction::abort_statement(&mut self.work, &ask, mark).expect("undo works");
                Err(cause)
            }
        }
    }

    pub fn begin(&mut self, isolation: Isolation) {
        self.work.set_isolation(isolation);
        transaction::begin(&mut self.work);
    }

    pub fn get(&mut self, row: u32) -> Result<Option<i64>, TxnError> {
        let hint = self.hint;
        self.run(|work, ask, tree| {
            let mut out = Vec::new();
            let found = read::row::get(&work.reader(), ask, tree, &key(row), hint, &mut out)?;
            Ok(found.then(|| number(&out)))
        })
    }

    pub fn scan_range(&mut self, range: KeyRange, direction: Direction) -> Result<Vec<(u32, i64)>, TxnError> {
        let hint = self.hint;
        self.run(|work, ask, tree| {
            let mut rows = Vec::new();
            let mut scan = read::scan::open(&work.reader(), tree, range, direction, hint);
            while scan.next_page(ask, &mut |key, payload| {
                rows.push((u32::from_be_bytes(key.try_into().expect("four bytes")), number(payload)));
                ControlFlow::Continue(())
            })? {}
            Ok(rows)
        })
    }

    pub fn scan(&mut self) -> Result<Vec<(u32, i64)>, TxnError> {
        self.scan_range(KeyRange::all(), Direction::Forward)
    }

    pub fn insert(&mut self, row: u32, value: i64) -> Result<(), TxnError> {
        self.run(|work, ask, tree| tree_rows::insert(work, ask, tree, &key(row), &value.to_le_bytes()))
    }

    /// UPDATE … WHERE key = row; false when there is none.
    pub fn put(&mut self, row: u32, value: i64) -> Result<bool, TxnError> {
        self.run(|work, ask, tree| {
            let found = tree_rows::lock_for_update(work, ask, tree, &key(row), &mut Vec::new())?;
            if found {
                tree_rows::update(work, ask, tree, &key(row), &value.to_le_bytes())?;
            }
            Ok(found)
        })
    }

    pub fn delete(&mut self, row: u32) -> Result<bool, TxnError> {
        self.run(|work, ask, tree| {
            let found = tree_rows::lock_for_update(work, ask, tree, &key(row), &mut Vec::new())?;
            if found {
                tree_rows::delete(work, ask, tree, &key(row))?;
            }
            Ok(found)
        })
    }

    pub fn commit(&mut self) {
        let task = Arc::clone(&self.task);
        transaction::commit(&mut self.work, &Ask::new(&task, &self.io), CommitMode::Durable)
            .expect("a transaction is open");
    }

    pub fn rollback(&mut self) {
        let task = Arc::clone(&self.task);
        transaction::rollback(&mut self.work, &Ask::new(&task, &self.io)).expect("a transaction is open");
    }

    /// Does what would wait, without waiting: whether it would have.
    pub fn blocks<R>(&mut self, statement: impl FnOnce(&mut Person) -> Result<R, TxnError>) -> bool {
        let before = self.work.lock_timeout_ms();
        self.work.set_lock_timeout_ms(Some(0));
        let result = statement(self);
        self.work.set_lock_timeout_ms(before);
        match result {
            Ok(_) => false,
            Err(TxnError::LockTimeout { .. }) => true,
            Err(other) => panic!("{other:?}"),
        }
    }
}

pub fn range(low: u32, high: u32) -> KeyRange {
    KeyRange { low: Bound::Included(key(low).to_vec()), high: Bound::Included(key(high).to_vec()) }
}
