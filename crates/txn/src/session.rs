//! A session's work: its temporary objects, its changes in durable databases, its transaction, its statements, and the undo
//! of all of them, in one order.
//!
//! ```text
//!                 begin          save        statement            rollback_to        commit
//!   transaction ────┼──────────────┼──────┬──────────────┬─────────────┼───────────────┼────▶ time
//!   table stack     0 ── records ──▲──────▲── records ───┘             back to ▲       cleared, drops happen
//!   local stack                           ▲── records ───┘ cleared at the end of the outermost statement
//! ```
//!
//! What always holds:
//! - S1: undo of tables lies in `table`, undo of table variables in `local`: a ROLLBACK of the user leaves these alone.
//! - S2: what was dropped or truncated keeps its space until the stack that would bring it back is cleared.
//! - S3: without a transaction, the end of the outermost statement is the commit. A row that is added where nothing is
//!   open (`insert_alone`) is there whole or not at all, and needs neither undo nor an end.
//! - S4: at most one heap of the session has its tail pinned: the one that was inserted into last.
//!
//! It knows no names, no columns and no SQL.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use millpond_access::ObjectId;
use millpond_access::tree::{Tree, TreeRoot, Xsn};
use millpond_storage::ask::{Ask, Task};
use millpond_storage::check;
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::page::header::Lsn;
use millpond_storage::wal::{CommitMode, Log, TxnLog};
use parking_lot::Mutex;

use crate::catalog_locks::CatalogLocks;
use crate::error::TxnError;
use crate::governor::WorkloadGroup;
use crate::kind::HeapKind;
use crate::lock::{LockMark, LockMode, Resource};
use crate::manager::TxnManager;
use crate::objects::Objects;
use crate::objects::own_trees::OwnTrees;
use crate::read::isolation::Isolation;
use crate::read::reader::{LateSnapshot, Reader, WorkShared, is_temporary};
use crate::undo::Undo;
use crate::usage::SessionShared;
use crate::version::ghosts::Ghost;
use millpond_access::heap;

/// The catalog above, which remembers definitions of objects that are rows of durable databases.
pub trait Definitions: Send + Sync {
    /// The changes of these objects' definitions that `work` had noted (`trees::note_catalog_change`) are undone:
    /// what is remembered of them is old. `work` has the locks of its transaction still, and its rows are what they were
    /// before. Each object comes once, in order of databases. May be called while `work` is dropped; it must not end or
    /// begin a statement or a transaction of `work`.
    fn undone(&self, work: &mut SessionWork, ask: &Ask<'_>, changed: &[(DbId, u32)]);
}

/// The catalog of a session; none where no definition is changed.
#[derive(Default)]
pub(crate) struct Catalog(Option<Weak<dyn Definitions>>);

impl Catalog {
    /// The catalog, unless it has gone.
    pub(crate) fn get(&self) -> Option<Arc<dyn Definitions>> {
        self.0.as_ref().and_then(Weak::upgrade)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.is_some()
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Catalog")
    }
}

/// Where a statement began.
#[must_use = "the statement ends with end_statement or abort_statement"]
#[derive(Clone, Copy, Debug)]
pub struct StatementMark {
    pub(crate) table: u64,
    pub(crate) local: u64,
    pub(crate) depth: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Transaction {
    /// Oldest first; several may have one name.
    pub savepoints: Vec<Savepoint>,
}

#[derive(Debug)]
pub(crate) struct Savepoint {
    pub name: String,
    /// Place in the table stack.
    pub at: u64,
    /// The locks that were there before.
    pub locks: LockMark,
    /// Statements that were running.
    pub depth: u32,
}

/// What the transaction has in one durable database.
#[derive(Debug)]
pub(crate) struct DatabaseWork {
    pub db: DbId,
    /// `None`: the database has no log.
    pub wal: Option<Arc<Log>>,
    pub log: TxnLog,
    pub is_versioned: bool,
    /// The trees that it changed: undo goes to the same objects.
    pub trees: Vec<Arc<Tree>>,
}

impl DatabaseWork {
    /// The tree that lies at `place` and that the transaction changed.
    pub(crate) fn changed_tree(&self, place: TreeRoot) -> Arc<Tree> {
        // One that was made, undone and freed in this transaction may have lain at the same place.
        let found = self.trees.iter().find(|tree| tree.place() == place && !tree.is_gone());
        Arc::clone(found.expect("the transaction changed it, so it is here"))
    }

    /// Whether what was logged last lies after `before`, the last record until then; always without a log.
    pub(crate) fn has_logged_since(&self, before: Option<Lsn>) -> bool {
        self.wal.is_none() || self.log.last > before
    }
}

/// The work of one session, or nested work of one of its statements (rows that are gathered, a function's variables). Dropping it undoes what is open and drops all of its objects.
#[derive(Debug)]
pub struct SessionWork {
    pub(crate) manager: Arc<TxnManager>,
    pub(crate) task: Arc<Task>,
    pub(crate) shared: Arc<SessionShared>,
    pub(crate) objects: Objects,
    /// S1
    pub(crate) table: Undo,
    /// S1
    pub(crate) local: Undo,
    pub(crate) transaction: Option<Transaction>,
    /// Statements begun and not ended.
    pub(crate) depth: u32,
    pub(crate) shared_work: Arc<WorkShared>,
    pub(crate) databases: Vec<DatabaseWork>,
    pub(crate) trees: OwnTrees,
    pub(crate) ghosts: Vec<Ghost>,
    /// Space for the undo of one change.
    pub(crate) undo_buffer: Vec<u8>,
    /// Of SNAPSHOT; it lasts as long as the transaction.
    pub(crate) transaction_snapshot: LateSnapshot,
    /// The readers of the statements begun and not ended.
    pub(crate) readers: Vec<Option<Arc<Reader>>>,
    pub(crate) begun_us: Option<u64>,
    /// A definition was changed in the transaction.
    pub(crate) changed_definitions: bool,
    pub(crate) catalog: Catalog,
    isolation: Isolation,
    lock_timeout_ms: Option<u32>,
    commit_mode: CommitMode,
}

impl SessionWork {
    pub(crate) fn open(manager: &Arc<TxnManager>, session: SessionId, task: Arc<Task>) -> SessionWork {
        let shared = Arc::new(SessionShared::new(session, manager.governor()));
        manager.register(&shared);
        SessionWork::of(manager, shared, task)
    }

    /// Nested work of a statement of an open session: its transaction and its objects are its own, the space that these have in
    /// tempdb is the session's. Where there is no such session, the work of a new one.
    #[must_use]
    pub fn open_inside(manager: &Arc<TxnManager>, session: SessionId, task: Arc<Task>) -> SessionWork {
        let Some(outer) = manager.registered(session) else { return SessionWork::open(manager, session, task) };
        SessionWork::of(manager, Arc::new(outer.inside()), task)
    }

    fn of(manager: &Arc<TxnManager>, shared: Arc<SessionShared>, task: Arc<Task>) -> SessionWork {
        let session = shared.session;
        SessionWork {
            manager: Arc::clone(manager),
            task,
            shared,
            objects: Objects::default(),
            table: Undo::new(manager.log()),
            local: Undo::new(manager.log()),
            transaction: None,
            depth: 0,
            shared_work: Arc::new(WorkShared {
                manager: Arc::clone(manager),
                session,
                locks: manager.locks().open_owner(session),
                xsn: AtomicU64::new(0),
                ghost_runs: Mutex::default(),
            }),
            databases: Vec::new(),
            trees: OwnTrees::default(),
            ghosts: Vec::new(),
            undo_buffer: Vec::new(),
            transaction_snapshot: LateSnapshot::default(),
            readers: Vec::new(),
            begun_us: None,
            changed_definitions: false,
            catalog: Catalog::default(),
            isolation: Isolation::default(),
            lock_timeout_ms: None,
            commit_mode: CommitMode::Durable,
        }
    }

    /// The catalog that is notified of definitions whose changes are undone; to be set before the session changes one.
    pub fn set_definitions(&mut self, definitions: Weak<dyn Definitions>) {
        self.catalog = Catalog(Some(definitions));
    }

    /// Moves the session, with what it has in tempdb, into a workload group.
    pub fn join_group(&mut self, group: &Arc<WorkloadGroup>) {
        self.shared.join(group);
    }

    /// Moves the session into the workload group that another session is in.
    pub fn join_group_of(&mut self, other: &SessionWork) {
        self.shared.join(&other.shared.workload_group());
    }

    /// SET TRANSACTION ISOLATION LEVEL, for statements that begin from now on.
    pub fn set_isolation(&mut self, isolation: Isolation) {
        self.isolation = isolation;
        self.readers.iter_mut().for_each(|reader| *reader = None);
    }

    /// The level of the session.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// SET LOCK_TIMEOUT; `None`: without end.
    pub fn set_lock_timeout_ms(&mut self, timeout_ms: Option<u32>) {
        self.lock_timeout_ms = timeout_ms;
        self.readers.iter_mut().for_each(|reader| *reader = None);
    }

    /// LOCK_TIMEOUT
    #[must_use]
    pub fn lock_timeout_ms(&self) -> Option<u32> {
        self.lock_timeout_ms
    }

    /// SET DEADLOCK_PRIORITY, -10 to 10.
    pub fn set_deadlock_priority(&mut self, priority: i8) {
        self.shared_work.locks.set_priority(priority);
    }

    /// How statements outside of a transaction commit.
    pub fn set_commit_mode(&mut self, mode: CommitMode) {
        self.commit_mode = mode;
    }

    pub(crate) fn commit_mode(&self) -> CommitMode {
        self.commit_mode
    }

    /// What the running statement reads with; the same one for the whole statement.
    pub fn reader(&mut self) -> Arc<Reader> {
        check!(
            self.readers.len() == self.depth as usize,
            "{} statements have {} readers",
            self.depth,
            self.readers.len()
        );
        let make = || {
            Arc::new(Reader::new(&self.shared_work, self.isolation, self.lock_timeout_ms, &self.transaction_snapshot))
        };
        match self.readers.last_mut() {
            Some(reader) => Arc::clone(reader.get_or_insert_with(make)),
            None => make(),
        }
    }

    /// Locks an object to the end of the transaction.
    ///
    /// # Errors
    /// [`TxnError::Deadlock`], [`TxnError::LockTimeout`], [`TxnError::Cancelled`].
    pub fn lock_object(&mut self, ask: &Ask<'_>, db: DbId, object: u32, mode: LockMode) -> Result<(), TxnError> {
        Ok(self.shared_work.locks.lock_object(ask, db, object, mode, self.lock_timeout_ms)?)
    }

    /// Locks a part of the catalog ([`Resource::metadata`]) to the end of the transaction.
    ///
    /// # Errors
    /// As [`SessionWork::lock_object`].
    pub fn lock_metadata(&mut self, ask: &Ask<'_>, resource: Resource, mode: LockMode) -> Result<(), TxnError> {
        Ok(self.shared_work.locks.lock(ask, resource, mode, self.lock_timeout_ms)?)
    }

    /// Gives back the Sch-S lock of an object whose definition a statement has read, when it has no other.
    pub fn release_definition(&mut self, db: DbId, object: u32) {
        if self.shared_work.locks.object_mode(db, object) == Some(LockMode::SchS) {
            self.shared_work.locks.unlock_object(db, object);
        }
    }

    /// The transaction's number; it gets one at its first change.
    pub(crate) fn xsn(&self) -> Xsn {
        Xsn(self.shared_work.xsn.load(Ordering::Relaxed))
    }

    /// The transaction's number, 0 before its first change: `transaction_sequence_num`.
    #[must_use]
    pub fn transaction_number(&self) -> u64 {
        self.xsn().0
    }

    /// The transaction's number, which it gets now if it has none.
    pub fn assign_number(&mut self) -> u64 {
        if self.xsn() == Xsn(0) {
            let xsn = self.manager.sequence().assign();
            self.shared_work.xsn.store(xsn.0, Ordering::Relaxed);
        }
        self.xsn().0
    }

    /// Changes of transactions below this number are seen by every snapshot that there is or will be.
    #[must_use]
    pub fn seen_by_all(&self) -> u64 {
        self.manager.sequence().horizon().0
    }

    /// Makes the transaction ready to change a tree of a durable database; which of `databases` it is.
    pub(crate) fn prepare(&mut self, ask: &Ask<'_>, tree: &Arc<Tree>) -> Result<usize, TxnError> {
        let db = tree.ctx().handle.db;
        let at = match self.databases.iter().position(|work| work.db == db) {
            Some(at) => at,
            None => self.enter_database(ask, tree)?,
        };
        check!(self.xsn() != Xsn(0), "N1: a transaction changes database {db} without a number");
        check!(
            match (&self.databases[at].wal, &tree.ctx().handle.log) {
                (Some(own), Some(log)) => Arc::ptr_eq(own, log),
                (own, log) => own.is_none() && log.is_none(),
            },
            "database {db} was opened anew under a transaction"
        );
        let trees = &mut self.databases[at].trees;
        if !trees.iter().rev().any(|known| Arc::ptr_eq(known, tree)) {
            trees.push(Arc::clone(tree));
        }
        Ok(at)
    }

    /// What there is to undo: of a circle of waits the one goes back that has the least.
    #[inline]
    pub(crate) fn report_log_bytes(&self) {
        self.shared_work.locks.set_log_bytes(self.databases.iter().map(|work| work.log.used_bytes).sum());
    }

    #[cold]
    fn enter_database(&mut self, ask: &Ask<'_>, tree: &Arc<Tree>) -> Result<usize, TxnError> {
        let handle = &tree.ctx().handle;
        if self.manager.databases().is_read_only(handle.db) {
            return Err(TxnError::ReadOnly(handle.db));
        }
        self.assign_number();
        assert!(self.databases.iter().all(|work| work.db != handle.db), "database {} is entered twice", handle.db);
        self.manager.databases().enter(ask, handle.db, self.xsn())?;
        let wal = handle.log.clone();
        let log = wal.as_ref().map_or_else(TxnLog::without_log, |wal| wal.begin());
        let is_versioned = self.manager.databases().versioning(handle.db).is_on();
        let mut open = self.shared.open.lock();
        open.xsn = self.xsn().0;
        open.databases.push((handle.db, log.id));
        drop(open);
        check!(log.last.is_none(), "a transaction that begins in database {} has records there", handle.db);
        self.databases.push(DatabaseWork { db: handle.db, wal, log, is_versioned, trees: Vec::new() });
        check!(
            self.shared.open.lock().databases.len() == self.databases.len(),
            "the transaction of session {} is shown with other databases than it has",
            self.session()
        );
        Ok(self.databases.len() - 1)
    }

    pub(crate) fn note_ghost(&mut self, tree: &Arc<Tree>, key: &[u8]) {
        check!(!is_temporary(tree), "R1: a row of tempdb leaves a ghost");
        self.ghosts.push(Ghost { tree: Arc::downgrade(tree), key: key.into() });
    }

    /// The undo that heaps of `kind` have.
    pub(crate) fn undo_of(&mut self, kind: HeapKind) -> Option<&mut Undo> {
        match kind {
            HeapKind::Table => Some(&mut self.table),
            HeapKind::Variable => Some(&mut self.local),
            HeapKind::Work => None,
        }
    }

    /// Gives a heap's space back for good.
    pub(crate) fn destroy(&mut self, ask: &Ask<'_>, id: ObjectId) {
        if let Some(entry) = self.objects.remove(id) {
            self.shared.remove_heap(id);
            self.manager.note_free(heap::undo::destroy(&entry.heap, ask));
        }
    }

    /// A request begins: its space is counted from zero.
    pub fn begin_task(&mut self) {
        self.shared.begin_task();
    }

    /// The request is over: its space is added to the session's.
    pub fn end_task(&mut self) {
        self.shared.end_task();
        self.objects.unpin();
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.shared.session
    }

    /// Bytes of undo that the open transaction holds, in memory and in the log.
    #[must_use]
    pub fn undo_bytes(&self) -> u64 {
        self.table.stack.bytes() + self.local.stack.bytes()
    }

    /// Whether a transaction of the user is open.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// Whether nothing is open, and the end of a statement would have nothing to do: no statement runs, no transaction is
    /// open (S3), nothing can be undone, no lock is held, and no work table may have been forgotten.
    #[inline]
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.depth == 0
            && self.transaction.is_none()
            && self.databases.is_empty()
            && !self.table.stack.has_records_since(0)
            && !self.local.stack.has_records_since(0)
            && !self.objects.has_work()
            && self.trees.is_empty()
            && self.begun_us.is_none()
            && !self.changed_definitions
            && self.transaction_snapshot.get().is_none()
            && self.xsn() == Xsn(0)
            && self.shared_work.locks.is_free_of_transaction()
    }

    /// Gives a tree's pages back for good.
    pub(crate) fn destroy_tree(&mut self, ask: &Ask<'_>, number: u32) {
        if let Some(own) = self.trees.remove(number) {
            self.manager.note_free(own.tree.free(ask));
        }
    }

    /// The session's locks: for those on names of applications.
    #[must_use]
    pub fn locks(&self) -> &crate::lock::LockOwner {
        &self.shared_work.locks
    }

    /// Gives back a lock of a part of the catalog before its time.
    pub fn unlock_metadata(&mut self, resource: Resource) {
        self.shared_work.locks.unlock(resource);
    }

    /// The session's locks for code that reads definitions in its name.
    #[must_use]
    pub fn catalog_locks(&self) -> CatalogLocks {
        CatalogLocks::new(&self.shared_work)
    }
}
