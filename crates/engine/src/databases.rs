//! The dictionaries of the instance's databases, opened when they are first asked for, and the session in whose name
//! the engine itself changes rows: identity values and sequences, which no rollback takes back.
//!
//! Whatever undoes a change of a definition (a rollback, a failed statement, the end of a session with an open transaction)
//! reports it here while the session still has its locks, and the definition is read from the rows again.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Weak};

use millpond_access::tree::Tree;
use millpond_bind::StoredBinder;
use millpond_catalog::dictionary::{Dictionary, Io, ShippedModules, all_kept_records, change_kept_records};
use millpond_catalog::run::facts::SessionFacts;
use millpond_catalog::trees::live_values;
use millpond_catalog::{CatalogObject, DatabaseCatalog, DatabaseObjects, IndexDef, ObjectId, TableDef};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::options::DatabaseFlag;
use millpond_storage::database::{Database, create};
use millpond_storage::number_map::NumberMap;
use millpond_txn::cleaner;
use millpond_txn::recovery;
use millpond_txn::transaction;
use millpond_txn::values;
use millpond_txn::{Definitions, Live, SessionWork, TxnManager};
use millpond_types::collation::{Collation, SORT_KEYS};
use parking_lot::{Mutex, MutexGuard, RwLock};

use crate::account::query_store::store::QueryStore;
use crate::account::query_store::stores::{KeptRecord, QueryStores, StoreHome};
use crate::error_log::{ErrorLog, LogLine, LogSource};
use crate::memory::Workspace;
use millpond_txn::lock::LockMode;
use millpond_txn::trees;

/// The session number of the engine's own changes.
const SYSTEM_SESSION: SessionId = SessionId(9);

/// How long a change on the engine's own account waits for a lock (1222 then): its holder may be the statement that
/// asked for the change, which no search for deadlocks sees.
const OWN_ACCOUNT_WAIT_MS: u32 = 10_000;
/// The same for what can be done later as well.
const RECORDS_WAIT_MS: u32 = 100;

/// The databases as the engine knows them.
pub struct Databases {
    own: Weak<Databases>,
    txns: Arc<TxnManager>,
    open: RwLock<NumberMap<DbId, Arc<Dictionary>>>,
    /// Databases that are being closed, or put in the place of others.
    shut: RwLock<Vec<DbId>>,
    epoch: Arc<AtomicU64>,
    /// Databases whose leaked space was given back: once after each opening.
    swept: Mutex<Vec<Weak<Database>>>,
    system: Mutex<System>,
    task: Arc<Task>,
    error_log: Arc<ErrorLog>,
    orphans: Orphans,
    /// Of temporary procedures in tempdb's catalog the databases in which they were made.
    origins: RwLock<HashMap<ObjectId, DbId>>,
    query_stores: Arc<QueryStores>,
    shipped: ShippedModules,
}

/// The engine's own session.
struct System {
    work: SessionWork,
    /// Something is being done in it; where that is found by the next one, it ended in a defect of ours.
    is_at_work: bool,
}

/// Temporary objects of tempdb's catalog whose sessions are gone, and that others were using when they went.
#[derive(Default)]
struct Orphans {
    objects: Mutex<Vec<ObjectId>>,
    /// Whether there are any.
    any: AtomicBool,
}

/// 911, by the name that the database had.
fn unknown(txns: &TxnManager, db: DbId) -> SqlError {
    let name = create::name_of_gone(txns.instance().databases(), db);
    message::unknown_database(&name.unwrap_or_else(|| db.0.to_string()))
}

/// What was bound before means what it meant only if its names are looked up again.
pub(crate) fn renew_names(databases: &Databases) {
    databases.epoch.fetch_add(1, Relaxed);
}

impl Databases {
    pub(crate) fn open(
        txns: &Arc<TxnManager>,
        workspace: &Arc<Workspace>,
        error_log: Arc<ErrorLog>,
        shipped: ShippedModules,
    ) -> Arc<Databases> {
        let task = Arc::new(Task::new(SYSTEM_SESSION));
        let system = System { work: open_system(txns, &task), is_at_work: false };
        let databases = Arc::new_cyclic(|own| Databases {
            own: Weak::clone(own),
            txns: Arc::clone(txns),
            open: RwLock::default(),
            shut: RwLock::default(),
            epoch: Arc::default(),
            swept: Mutex::default(),
            system: Mutex::new(system),
            task,
            error_log,
            orphans: Orphans::default(),
            origins: RwLock::default(),
            query_stores: QueryStores::over(txns.instance(), workspace),
            shipped,
        });
        databases.system.lock().work.set_definitions(databases.as_definitions());
        databases
    }

    /// The engine's own session. What a defect has left in the middle of it is undone, and a new one goes on.
    fn system(&self) -> MutexGuard<'_, System> {
        let mut system = self.system.lock();
        if std::mem::take(&mut system.is_at_work) {
            let mut work = open_system(&self.txns, &self.task);
            work.set_definitions(Weak::<Databases>::clone(&self.own));
            let left = std::mem::replace(&mut system.work, work);
            // Its end may meet what it ended of; a panic is in the log then, and what it has is given back all the same.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(left)));
        }
        system
    }

    fn as_definitions(self: &Arc<Self>) -> Weak<Databases> {
        Arc::downgrade(self)
    }

    /// Work of a session, whose undone definitions are read again here; `task` is the one that it reads and waits as.
    #[must_use]
    pub fn open_session(self: &Arc<Self>, session: SessionId, task: Arc<Task>) -> SessionWork {
        let mut work = self.txns.open_session(session, task);
        work.set_definitions(self.as_definitions());
        work
    }

    /// Nested work of a statement of a session ([`SessionWork::open_inside`]).
    #[must_use]
    pub fn open_inside(self: &Arc<Self>, session: SessionId, task: Arc<Task>) -> SessionWork {
        let mut work = SessionWork::open_inside(&self.txns, session, task);
        work.set_definitions(self.as_definitions());
        work
    }

    /// Grows with every change of a definition in any database.
    #[inline]
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Relaxed)
    }

    /// The dictionary of a database, where it is open: nothing is waited for.
    #[must_use]
    pub fn known(&self, db: DbId) -> Option<Arc<Dictionary>> {
        self.open.read().get(&db).filter(|known| !known.is_stale()).cloned()
    }

    /// The dictionary of a database.
    ///
    /// # Errors
    /// 911 for a number that is no database's, 942 and others when it is not available, 952 while it is being closed; those of reading.
    pub fn dictionary(&self, db: DbId) -> SqlResult<Arc<Dictionary>> {
        if let Some(known) = self.known(db) {
            return Ok(known);
        }
        let database = self.txns.instance().database(db).ok_or_else(|| unknown(&self.txns, db))?;
        let mut system = self.system();
        if let Some(known) = self.known(db) {
            return Ok(known);
        }
        if self.shut.read().contains(&db) {
            database.check_online().map_err(|cause| message::of_unavailable(&cause))?;
            return Err(SqlError::of(952, 1, &[&database.name()]));
        }
        let dictionary = Arc::new(self.open_dictionary(&mut system, &database)?);
        self.open.write().insert(db, Arc::clone(&dictionary));
        self.epoch.fetch_add(1, Relaxed);
        if database.options().is_on(DatabaseFlag::QueryStore) {
            self.note_store_on(db);
        }
        Ok(dictionary)
    }

    /// Those of all open databases whose files outlive the process.
    pub(crate) fn dictionaries(&self) -> Vec<Arc<Dictionary>> {
        self.open.read().iter().filter(|(db, _)| **db != DbId::TEMPDB).map(|(_, known)| Arc::clone(known)).collect()
    }

    /// The collation of a database; the server's of one that is not open.
    #[must_use]
    pub fn collation(&self, db: DbId) -> Collation {
        self.txns.instance().database(db).map_or_else(Collation::default, |database| collation_of(&database))
    }

    /// The same, known of the session's current one.
    #[must_use]
    pub fn collation_beside(&self, facts: &SessionFacts, db: DbId) -> Collation {
        if db == facts.database { facts.collation } else { self.collation(db) }
    }

    fn open_dictionary(&self, system: &mut System, database: &Arc<Database>) -> SqlResult<Dictionary> {
        let objects = DatabaseObjects::new(collation_of(database));
        let catalog = DatabaseCatalog::new(database.id(), objects, Arc::clone(&self.epoch));
        let (task, io) = (Arc::clone(&self.task), IoCount::default());
        let ask = Ask::new(&task, &io);
        let dictionary = within(system, &ask, |system| {
            let io = &mut Io { work: system, ask: &ask };
            Dictionary::open(io, &self.txns, database, catalog, (&StoredBinder, self.shipped))
        })?;
        self.sweep(&ask, database, &dictionary);
        self.log_started(database);
        self.log_outdated(database, &dictionary);
        Ok(dictionary)
    }

    /// Writes into the error log that a database has started.
    fn log_started(&self, database: &Database) {
        let local_us = self.txns.instance().clock().wall().local_us();
        let line = LogLine::of(local_us, SqlError::of(17_137, 1, &[&database.name()]));
        self.error_log.add(LogLine { database: database.id(), ..line });
    }

    /// The error log names the indexes whose keys were made by other rules of collations, and the way.
    fn log_outdated(&self, database: &Database, dictionary: &Dictionary) {
        let local_us = self.txns.instance().clock().wall().local_us();
        for (def, _) in dictionary.catalog().objects().stored() {
            let names: Vec<&str> =
                def.indexes.iter().filter(|index| index.is_outdated()).map(|index| index.name.as_str()).collect();
            let Some(first) = def.outdated_index() else { continue };
            let (name, table) = (database.name(), def.two_part_name());
            let text = format!(
                "Keys of index {} of table {table} in database {name} are of version {} of the collations' rules; this \
                 version has {SORT_KEYS}. The table can be used after ALTER INDEX ALL ON {table} REBUILD.",
                names.join(", "),
                first.sort_keys,
            );
            let line = LogLine::plain(local_us, LogSource::Server, text);
            self.error_log.add(LogLine { severity: 16, database: database.id(), ..line });
        }
    }

    /// Nothing was under way where the database begins, so nothing is looked for that has no owner. Its log was not closed clean: the next
    /// start looks.
    pub fn pass_over_sweep(&self, database: &Arc<Database>) {
        self.swept.lock().push(Arc::downgrade(database));
    }

    /// After an unclean start, what a crash left allocated without an owner is given back: now, because no session can change the
    /// database before its definitions are known. What cannot be given back now stays leaked until the next start.
    fn sweep(&self, ask: &Ask<'_>, database: &Arc<Database>, dictionary: &Dictionary) {
        let swept = &mut *self.swept.lock();
        swept.retain(|known| known.strong_count() > 0);
        if database.was_clean() || swept.iter().any(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(database))) {
            return;
        }
        swept.push(Arc::downgrade(database));
        let trees: Vec<_> = dictionary.all_trees().iter().map(|tree| (tree.ids(), tree.place())).collect();
        let _ = recovery::reclaim::reclaim_database(&self.txns, ask, database, Live { trees: &trees, chains: &[] });
        for (def, trees) in dictionary.catalog().objects().stored() {
            for (index, tree) in def.indexes.iter().zip(&trees.trees) {
                self.sweep_values(ask, def, index, tree);
            }
        }
    }

    /// Large values that no row owns.
    fn sweep_values(&self, ask: &Ask<'_>, def: &TableDef, index: &IndexDef, tree: &Arc<Tree>) {
        if !matches!(tree.values(ask), Ok(Some(_))) {
            return;
        }
        let mut live = Vec::new();
        // Where a row cannot be read nothing is known to have no owner.
        if live_values(def, index, tree, ask, &mut live).is_ok() {
            let _ = values::reclaim_values(ask, tree, &mut live.into_iter());
        }
    }

    /// The database is about to be closed, is gone, or another is in its place.
    pub fn forget(&self, db: DbId) {
        self.settle(db);
        self.take_out(db);
    }

    /// What waits to be written is written while it can be.
    fn settle(&self, db: DbId) {
        self.query_stores.forget(self, db);
        let (task, io) = (Arc::clone(&self.task), IoCount::default());
        // Large values that wait are freed while their trees can still be written.
        cleaner::settle_values(&self.txns, &Ask::new(&task, &io), Some(db));
    }

    fn take_out(&self, db: DbId) {
        self.open.write().remove(&db);
        self.epoch.fetch_add(1, Relaxed);
    }

    /// As [`Databases::forget`]; nothing of the engine's own is done in the database from now on, and its definitions are not opened
    /// before [`Databases::open_again`].
    pub(crate) fn shut(&self, db: DbId) {
        self.settle(db);
        let _none_is_at_work = self.system();
        self.shut.write().push(db);
        self.take_out(db);
    }

    /// The same of a database that nobody knows yet.
    pub(crate) fn shut_new(&self, db: DbId) {
        self.shut.write().push(db);
    }

    /// What the database is now may be opened.
    pub(crate) fn open_again(&self, db: DbId) {
        self.shut.write().retain(|shut| *shut != db);
        self.take_out(db);
    }

    /// Changes rows of system tables on their own account: committed at once, whatever becomes of the statement that
    /// asked.
    ///
    /// # Errors
    /// Those of the change; nothing of it is there then.
    pub fn on_own_account<T>(&self, change: impl FnOnce(&mut Io<'_, '_>) -> SqlResult<T>) -> SqlResult<T> {
        let (task, io) = (Arc::clone(&self.task), IoCount::default());
        let ask = Ask::new(&task, &io);
        let mut system = self.system();
        within(&mut system, &ask, |system| change(&mut Io { work: system, ask: &ask }))
    }
}

/// What queries have cost, kept in each database.
impl Databases {
    /// The Query Stores.
    #[inline]
    #[must_use]
    pub fn query_stores(&self) -> &QueryStores {
        &self.query_stores
    }

    /// The Query Store of a database, on or off.
    ///
    /// # Errors
    /// Those of a database that cannot be read.
    pub fn query_store(&self, db: DbId) -> SqlResult<Arc<QueryStore>> {
        self.query_stores.store_of(self, db)
    }

    /// The one that a statement in a database is captured by.
    pub(crate) fn capturing_store(&self, db: DbId) -> Option<Arc<QueryStore>> {
        if matches!(db, DbId::MASTER | DbId::TEMPDB) {
            return None;
        }
        self.query_store(db).ok().filter(|store| store.captures())
    }

    /// A store is on.
    pub(crate) fn note_store_on(&self, db: DbId) {
        let home: Weak<dyn StoreHome> = Weak::<Databases>::clone(&self.own);
        self.query_stores.note_on(home, db);
    }

    /// A store was turned off.
    pub(crate) fn note_store_off(&self, db: DbId) {
        self.query_stores.note_off(db);
    }

    /// Writes all stores, before the server ends: after it none is written by itself.
    pub fn flush_query_stores(&self) {
        self.query_stores.flush_all(self);
        self.query_stores.stop();
    }
}

impl StoreHome for Databases {
    fn now_us(&self) -> (u64, i64) {
        let clock = self.txns.instance().clock();
        (clock.now_us(), clock.wall().utc_us)
    }

    fn database(&self, db: DbId) -> Option<Arc<Database>> {
        self.txns.instance().database(db)
    }

    fn is_read_only(&self, db: DbId) -> bool {
        self.txns.is_read_only(db)
    }

    fn read_records(&self, db: DbId) -> SqlResult<Vec<KeptRecord>> {
        let dictionary = self.dictionary(db)?;
        self.on_own_account(|io| all_kept_records(&dictionary, io))
    }

    fn change_records(&self, db: DbId, put: &[KeptRecord], gone: &[u32]) -> SqlResult<()> {
        let (task, io) = (Arc::clone(&self.task), IoCount::default());
        let ask = Ask::new(&task, &io);
        let mut system = self.system();
        // Looked for under the lock: after it the database may be closed.
        let Some(dictionary) = self.known(db) else { return Ok(()) };
        system.work.set_lock_timeout_ms(Some(RECORDS_WAIT_MS));
        let done = within(&mut system, &ask, |system| {
            change_kept_records(&dictionary, &mut Io { work: system, ask: &ask }, put, gone)
        });
        system.work.set_lock_timeout_ms(Some(OWN_ACCOUNT_WAIT_MS));
        done
    }
}

/// Temporary objects that all sessions see: each goes when the session that made it is gone and no other has it locked.
impl Databases {
    /// The names in a temporary procedure of tempdb's catalog mean objects of `database`.
    pub fn note_origin(&self, procedure: ObjectId, database: DbId) {
        let mut origins = self.origins.write();
        if origins.len() >= 64 && origins.len().is_power_of_two() {
            // Numbers are never given twice.
            let known = self.open.read().get(&DbId::TEMPDB).map(|tempdb| tempdb.catalog().objects());
            origins.retain(|id, _| known.as_ref().is_none_or(|known| known.get(*id).is_some()));
        }
        origins.insert(procedure, database);
    }

    /// The database of [`Databases::note_origin`].
    #[must_use]
    pub fn origin_of(&self, procedure: ObjectId) -> Option<DbId> {
        self.origins.read().get(&procedure).copied()
    }

    /// The session that made these objects of tempdb is gone. Those that others use go later.
    pub fn orphan(&self, objects: Vec<ObjectId>) {
        if !objects.is_empty() {
            self.orphans.objects.lock().extend(objects);
            self.orphans.any.store(true, SeqCst);
        }
        self.drop_orphans();
    }

    /// Whether something waits to be dropped.
    #[inline]
    #[must_use]
    pub fn has_orphans(&self) -> bool {
        self.orphans.any.load(SeqCst)
    }

    /// A session has given locks back: what waited for that to be dropped is.
    pub fn drop_orphans(&self) {
        if self.has_orphans() {
            self.try_drop_orphans();
        }
    }

    #[cold]
    fn try_drop_orphans(&self) {
        let Ok(dictionary) = self.dictionary(DbId::TEMPDB) else { return };
        let mut objects = self.orphans.objects.lock();
        // What fails for another reason than its locks is tried again, too.
        objects.retain(|object| self.drop_unused(&dictionary, *object).is_err());
        self.orphans.any.store(!objects.is_empty(), SeqCst);
    }

    /// Drops an object that no session has locked; one that is not there is fine.
    fn drop_unused(&self, dictionary: &Dictionary, id: ObjectId) -> SqlResult<()> {
        let (task, io) = (Arc::clone(&self.task), IoCount::default());
        let ask = Ask::new(&task, &io);
        let mut system = self.system();
        system.work.set_lock_timeout_ms(Some(0));
        let dropped = within(&mut system, &ask, |system| {
            let place = Place { schema: "", object: "", database: "tempdb" };
            let of_txn = |error| message::of_txn(error, place);
            system.lock_object(&ask, DbId::TEMPDB, id.0.cast_unsigned(), LockMode::SchM).map_err(of_txn)?;
            let objects = dictionary.catalog().objects();
            let Some(object) = objects.get(id) else { return Ok(()) };
            if let CatalogObject::Table(_, trees) = object {
                for tree in &trees.trees {
                    trees::drop_tree(system, &ask, tree).map_err(of_txn)?;
                }
            }
            dictionary.drop_object(&mut Io { work: system, ask: &ask }, id)
        });
        system.work.set_lock_timeout_ms(Some(OWN_ACCOUNT_WAIT_MS));
        dropped
    }
}

impl Definitions for Databases {
    fn undone(&self, work: &mut SessionWork, _ask: &Ask<'_>, changed: &[(DbId, u32)]) {
        // The session may have been cancelled; its definitions are read all the same.
        let (task, io) = (Task::new(work.session()), IoCount::default());
        let ask = &Ask::new(&task, &io);
        for of_database in changed.chunk_by(|a, b| a.0 == b.0) {
            let db = of_database[0].0;
            // What is not open is read when the database is next asked for.
            let Some(dictionary) = self.open.read().get(&db).cloned() else { continue };
            let events: Vec<u32> = of_database.iter().map(|(_, event)| *event).collect();
            if dictionary.reload(&mut Io { work, ask }, &events).is_err() {
                // Rows that cannot be read now are read then too.
                self.open.write().remove(&db);
                self.epoch.fetch_add(1, Relaxed);
            }
        }
    }
}

/// A session without work, in the name of the engine.
fn open_system(txns: &Arc<TxnManager>, task: &Arc<Task>) -> SessionWork {
    let mut system = txns.open_session(SYSTEM_SESSION, Arc::clone(task));
    if let Some(group) = txns.governor().groups().iter().find(|group| group.name == "internal") {
        system.join_group(group);
    }
    system.set_lock_timeout_ms(Some(OWN_ACCOUNT_WAIT_MS));
    system
}

/// Work as one statement outside of any transaction.
fn within<T>(system: &mut System, ask: &Ask<'_>, work: impl FnOnce(&mut SessionWork) -> SqlResult<T>) -> SqlResult<T> {
    system.is_at_work = true;
    let done = as_statement(&mut system.work, ask, work);
    system.is_at_work = false;
    done
}

fn as_statement<T>(
    system: &mut SessionWork,
    ask: &Ask<'_>,
    work: impl FnOnce(&mut SessionWork) -> SqlResult<T>,
) -> SqlResult<T> {
    let place = Place { schema: "", object: "sys", database: "" };
    let mark = transaction::begin_statement(system);
    match work(system) {
        Ok(value) => {
            transaction::end_statement(system, ask, mark).map_err(|error| message::of_txn(error, place))?;
            Ok(value)
        }
        Err(error) => {
            transaction::abort_statement(system, ask, mark).map_err(|error| message::of_txn(error, place))?;
            Err(error)
        }
    }
}

/// The collation that a database's boot page names; one that this version does not know reads as the default.
fn collation_of(database: &Database) -> Collation {
    Collation::by_name(&database.collation()).unwrap_or_default()
}
