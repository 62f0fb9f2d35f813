//! What the sessions' work shares: the instance, locks, numbers of transactions and their snapshots, versions, the log of
//! undo, object numbers, open trees, and the list of sessions.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Weak};

use millpond_access::tree::{RowTag, Tree, VersionPtr, Xsn};
use millpond_access::{AccessError, Ctx, ObjectId, TreeCtx};
use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{DbId, PageId, SessionId};
use millpond_storage::instance::Instance;
use millpond_storage::number_map::NumberMap;
use millpond_storage::pool::PoolError;
use millpond_storage::settings::options::OptionId;
use parking_lot::Mutex;

use crate::databases::{Databases, TransactionCounts, Versioning};
use crate::decisions::Decisions;
use crate::error::RecoverError;
use crate::governor::Governor;
use crate::kind::{HeapKind, OWN_OBJECTS};
use crate::lock::{LockManager, RangeStripe, Ranges};
use crate::undo::undo_stack::SharedLog;
use crate::usage::{SessionShared, SessionSpace, TransactionRow};
use crate::version::ghosts::Cleaner;
use crate::version::snapshot::{Sequence, Snapshot, SnapshotRow};
use crate::version::version_store::{Version, VersionCounts, VersionRow, VersionSpace, VersionStore};

/// The transactions of an instance.
#[derive(Debug)]
pub struct TxnManager {
    instance: Arc<Instance>,
    log: Arc<SharedLog>,
    sessions: Mutex<NumberMap<SessionId, Arc<SessionShared>>>,
    next_object: AtomicU32,
    failed_frees: AtomicU64,
    locks: Arc<LockManager>,
    sequence: Arc<Sequence>,
    versions: VersionStore,
    databases: Databases,
    /// The one object of each open tree, by its root.
    trees: Mutex<NumberMap<PageId, Weak<Tree>>>,
    cleaner: Cleaner,
    failed_recoveries: Mutex<Vec<(DbId, RecoverError)>>,
    decisions: Decisions,
    governor: Governor,
}

impl TxnManager {
    /// Where temporary objects live.
    pub(crate) const DB: DbId = DbId::TEMPDB;

    pub(crate) fn assemble(instance: Arc<Instance>) -> Arc<TxnManager> {
        let sequence = Sequence::new();
        let log = Arc::new(SharedLog::new(Arc::clone(instance.undo_log())));
        Arc::new(TxnManager {
            log,
            sessions: Mutex::default(),
            next_object: AtomicU32::new(0),
            failed_frees: AtomicU64::new(0),
            locks: LockManager::new(Arc::clone(instance.waits())),
            databases: Databases::new(Arc::clone(&instance), Arc::clone(&sequence)),
            sequence,
            versions: VersionStore::new(Arc::clone(&instance)),
            trees: Mutex::default(),
            cleaner: Cleaner::default(),
            failed_recoveries: Mutex::default(),
            decisions: Decisions::default(),
            governor: Governor::new(),
            instance,
        })
    }

    pub(crate) fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// What failed before has succeeded now.
    pub(crate) fn forget_failed_recovery(&self, db: DbId) {
        self.failed_recoveries.lock().retain(|(other, _)| *other != db);
    }

    pub(crate) fn note_failed_recovery(&self, db: DbId, cause: RecoverError) {
        self.failed_recoveries.lock().push((db, cause));
    }

    /// Databases whose open transactions could not be undone at the start, and why.
    #[must_use]
    pub fn failed_recoveries(&self) -> Vec<(DbId, RecoverError)> {
        self.failed_recoveries.lock().clone()
    }

    /// Locks.
    #[must_use]
    pub fn locks(&self) -> &Arc<LockManager> {
        &self.locks
    }

    /// Workload groups.
    #[must_use]
    pub fn governor(&self) -> &Governor {
        &self.governor
    }

    /// Bounds what each session may have of tempdb, in pages; `None` for no bound.
    pub fn set_session_limit_pages(&self, limit: Option<u64>) {
        self.governor.set_session_limit_pages(limit);
        self.sessions.lock().values().for_each(|session| session.quota().set_limit_pages(limit));
    }

    pub(crate) fn ranges(&self) -> &Ranges {
        &self.locks.ranges
    }

    /// What is known of each durable database.
    #[inline]
    pub(crate) fn databases(&self) -> &Databases {
        &self.databases
    }

    pub(crate) fn sequence(&self) -> &Arc<Sequence> {
        &self.sequence
    }

    /// Whether the transaction of a number ([`SessionWork::transaction_number`](crate::SessionWork::transaction_number)) is open:
    /// it has neither committed nor been undone.
    #[must_use]
    pub fn is_open(&self, number: u64) -> bool {
        self.sequence.is_active(Xsn(number))
    }

    pub(crate) fn versions(&self) -> &VersionStore {
        &self.versions
    }

    pub(crate) fn cleaner(&self) -> &Cleaner {
        &self.cleaner
    }

    pub(crate) fn take_snapshot(&self, session: SessionId, of_transaction: bool) -> Arc<Snapshot> {
        self.sequence.take(session, of_transaction, self.instance.waits().now_us())
    }

    /// ALTER DATABASE … SET: READ_COMMITTED_SNAPSHOT and ALLOW_SNAPSHOT_ISOLATION as given, READ_ONLY and
    /// DELAYED_DURABILITY as the database has them; for statements that begin from now on.
    /// The caller sees to it that no transaction is open that changed the database without keeping versions.
    pub fn set_versioning(&self, db: DbId, versioning: Versioning) {
        self.databases.set_versioning(db, versioning);
    }

    /// Whether a database is READ_ONLY, or a database snapshot.
    #[must_use]
    pub fn is_read_only(&self, db: DbId) -> bool {
        self.databases.is_read_only(db)
    }

    /// A database was opened, attached or restored: its options and the numbers of its transactions are read anew. To
    /// be called before a session reads it.
    pub fn database_opened(&self, db: DbId) {
        self.databases.forget(db);
        self.databases.versioning(db);
    }

    /// Does `work` at a moment when no transaction is committed in one database and only prepared in another one.
    pub fn between_agreements(&self, work: &mut dyn FnMut()) {
        self.decisions.between(work);
    }

    /// Whether a ghost with this tag is of no use: all snapshots see that it is gone, and it bounds no range that
    /// a session has locked.
    pub(crate) fn may_purge(&self, tag: &RowTag, stripe: RangeStripe) -> bool {
        tag.xsn < self.sequence.horizon() && self.ranges().is_empty(stripe)
    }

    pub(crate) fn keep_version(
        &self,
        ask: &Ask<'_>,
        db: DbId,
        by: Xsn,
        version: Version,
        payload: &[u8],
    ) -> VersionPtr {
        check!(by != Xsn(0) && by <= Xsn::MAX, "N1: a version is replaced by transaction {}", by.0);
        self.versions.put(ask, db, by, version, payload, self.sequence.horizon())
    }

    /// A tree of a database that was dropped, whose number another one has now, is not the one at that place.
    pub(crate) fn tree_at(&self, ctx: &TreeCtx, root: PageId, open: impl FnOnce() -> Arc<Tree>) -> Arc<Tree> {
        let trees = &mut *self.trees.lock();
        let is_right = |tree: &Arc<Tree>| !tree.is_gone() && Arc::ptr_eq(&tree.ctx().space, &ctx.space);
        if let Some(tree) = trees.get(&root).and_then(Weak::upgrade).filter(is_right) {
            assert!(tree.place().root == root, "the tree of {} is known as that of {root}", tree.place().root);
            return tree;
        }
        if trees.len() >= 4096 && trees.len().is_power_of_two() {
            trees.retain(|_, tree| tree.strong_count() > 0);
        }
        let tree = open();
        assert!(tree.place().root == root, "the tree of {} is opened as that of {root}", tree.place().root);
        trees.insert(root, Arc::downgrade(&tree));
        tree
    }

    /// Where queries of a session spill, and to which session that is charged: as its other work tables.
    #[must_use]
    pub fn spill_ctx(&self, session: SessionId) -> Ctx {
        let shared = self.sessions.lock().get(&session).cloned();
        let usage = shared.map(|shared| Arc::clone(shared.usage_of(HeapKind::Work)));
        Ctx {
            db: TxnManager::DB,
            pool: Arc::clone(self.instance().pool()),
            space: Arc::clone(self.instance().tempdb_space()),
            owner: HeapKind::Work.owner(),
            usage: usage.unwrap_or_default(),
        }
    }

    /// Transactions that are open, in order of their sessions.
    #[must_use]
    pub fn transactions(&self) -> Vec<TransactionRow> {
        let sessions: Vec<_> = self.sessions.lock().values().cloned().collect();
        let mut rows: Vec<_> = sessions.iter().filter_map(|session| session.transaction()).collect();
        rows.sort_by_key(|row| row.session);
        rows
    }

    /// Snapshots that live.
    #[must_use]
    pub fn snapshots(&self) -> Vec<SnapshotRow> {
        self.sequence.snapshots()
    }

    /// Space of row versions by database.
    #[must_use]
    pub fn version_space(&self) -> Vec<VersionSpace> {
        self.versions.space()
    }

    /// Transactions that changed a database since it was opened.
    #[must_use]
    pub fn transaction_counts(&self, db: DbId) -> TransactionCounts {
        self.databases.counts(db)
    }

    /// What the version store did since the start.
    #[must_use]
    pub fn version_counts(&self) -> VersionCounts {
        self.versions.counts()
    }

    /// Storage.
    #[must_use]
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Space of each session, in order of their numbers.
    #[must_use]
    pub fn report(&self) -> Vec<SessionSpace> {
        let sessions: Vec<_> = self.sessions.lock().values().cloned().collect();
        let mut report: Vec<_> = sessions.iter().map(|session| session.report()).collect();
        report.sort_by_key(|space| space.session);
        report
    }

    /// Whether bulk loads write their pages at once: the old behaviour, and what it costs.
    pub(crate) fn writes_eagerly(&self) -> bool {
        self.instance.settings().is_on(OptionId::TempdbEagerWrites)
    }

    /// Times that a map page could not be had when space was given back. The space is free all the same; the map pages
    /// of tempdb are made anew at the next start.
    #[must_use]
    pub fn failed_frees(&self) -> u64 {
        self.failed_frees.load(Relaxed)
    }

    pub(crate) fn note_free(&self, freed: Result<(), AccessError>) {
        if freed.is_err() {
            self.failed_frees.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn log(&self) -> &Arc<SharedLog> {
        &self.log
    }

    /// Numbers of temporary objects are negative as `int`; they start over after two thousand million.
    pub(crate) fn next_object_id(&self) -> ObjectId {
        ObjectId(self.next_object.fetch_add(1, Relaxed) | OWN_OBJECTS)
    }

    pub(crate) fn register(&self, session: &Arc<SessionShared>) {
        self.sessions.lock().insert(session.session, Arc::clone(session));
    }

    pub(crate) fn registered(&self, session: SessionId) -> Option<Arc<SessionShared>> {
        self.sessions.lock().get(&session).map(Arc::clone)
    }

    pub(crate) fn unregister(&self, session: &Arc<SessionShared>) {
        let sessions = &mut *self.sessions.lock();
        // The number may have been given to another session meanwhile.
        if sessions.get(&session.session).is_some_and(|found| Arc::ptr_eq(found, session)) {
            sessions.remove(&session.session);
        }
    }
}

/// Shows each version of a row that is kept, until the visitor has seen enough.
///
/// # Errors
/// Of a page that cannot be read.
pub fn each_version(
    txns: &TxnManager,
    ask: &Ask<'_>,
    visit: &mut dyn FnMut(VersionRow<'_>) -> ControlFlow<()>,
) -> Result<(), PoolError> {
    txns.versions().scan(ask, visit)
}
