//! The stores of an engine's databases: opened when a database is first asked for, written into it now and then and before it closes.
//!
//! What always holds: what was written is found again after a restart, in a backup, in an attached file and in a snapshot, because it
//! is in the database's system tables; what fails to be written is written the next time. A write takes its records in parts: each
//! part is there as a whole or not at all, and what names something that is not there is left out when it is read.
//!
//! It knows databases by [`StoreHome`] alone.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::thread::Thread;
use std::time::Duration;

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_storage::database::Database;
use millpond_storage::database::options::DatabaseFlag;
use millpond_storage::instance::Instance;
use millpond_storage::number_map::NumberMap;
use parking_lot::{Mutex, RwLock};

use crate::account::query_store::contents::{Contents, Unwritten};
use crate::account::query_store::memory::StoreMemory;
use crate::account::query_store::store::QueryStore;
use crate::memory::Workspace;

/// Records of one transaction.
const PART_RECORDS: usize = 64;
/// How often it is looked whether a store is to be written.
const LOOK: Duration = Duration::from_secs(1);

/// A record and its number.
pub type KeptRecord = (u32, String);

/// Where stores are kept.
pub trait StoreHome: Send + Sync {
    /// Now: µs of the server's clock, and of UTC since 1970.
    fn now_us(&self) -> (u64, i64);
    /// An open database.
    fn database(&self, db: DbId) -> Option<Arc<Database>>;
    /// Whether it takes no changes.
    fn is_read_only(&self, db: DbId) -> bool;
    /// The records that it has.
    ///
    /// # Errors
    /// Those of a database that cannot be read.
    fn read_records(&self, db: DbId) -> SqlResult<Vec<KeptRecord>>;
    /// Puts some and removes others, all or nothing. One whose definitions are not open is left as it is.
    ///
    /// # Errors
    /// Those of the change.
    fn change_records(&self, db: DbId, put: &[KeptRecord], gone: &[u32]) -> SqlResult<()>;
}

/// The stores.
pub struct QueryStores {
    any_on: AtomicBool,
    /// The databases whose stores are on, as far as they are open.
    on: Mutex<BTreeSet<DbId>>,
    open: RwLock<NumberMap<DbId, Arc<QueryStore>>>,
    opening: Mutex<()>,
    memory: Arc<StoreMemory>,
    numbers: AtomicU64,
    keeper: Keeper,
}

impl QueryStores {
    pub(crate) fn over(instance: &Instance, workspace: &Arc<Workspace>) -> Arc<QueryStores> {
        Arc::new(QueryStores {
            any_on: AtomicBool::new(false),
            on: Mutex::default(),
            open: RwLock::default(),
            opening: Mutex::default(),
            memory: Arc::new(StoreMemory::over(instance, workspace)),
            numbers: AtomicU64::new(1),
            keeper: Keeper::default(),
        })
    }

    /// Whether a store is on, of whatever database.
    #[inline]
    #[must_use]
    pub fn any_on(&self) -> bool {
        self.any_on.load(Relaxed)
    }

    /// A database is open whose store is on; `home` is where the thread writes it.
    pub(crate) fn note_on(self: &Arc<Self>, home: Weak<dyn StoreHome>, db: DbId) {
        let mut on = self.on.lock();
        on.insert(db);
        self.any_on.store(true, Relaxed);
        drop(on);
        self.keeper.start(Arc::downgrade(self), home);
    }

    /// A store was turned off, or its database closed.
    pub(crate) fn note_off(&self, db: DbId) {
        let mut on = self.on.lock();
        on.remove(&db);
        self.any_on.store(!on.is_empty(), Relaxed);
    }

    /// Waits for the end of a write: after it none begins by itself.
    pub(crate) fn stop(&self) {
        self.keeper.stop();
    }

    fn find(&self, db: DbId) -> Option<Arc<QueryStore>> {
        self.open.read().get(&db).filter(|store| store.is_current()).cloned()
    }

    fn all(&self) -> Vec<Arc<QueryStore>> {
        self.open.read().values().cloned().collect()
    }

    /// The store of a database, on or off.
    ///
    /// # Errors
    /// Those of a database that cannot be read.
    pub(crate) fn store_of(&self, home: &dyn StoreHome, db: DbId) -> SqlResult<Arc<QueryStore>> {
        if let Some(known) = self.find(db) {
            return Ok(known);
        }
        let _opening = self.opening.lock();
        if let Some(known) = self.find(db) {
            return Ok(known);
        }
        let database = home.database(db).ok_or_else(|| message::unknown_database(&db.0.to_string()))?;
        let is_on = database.options().is_on(DatabaseFlag::QueryStore);
        let contents = Contents::read(is_on, &home.read_records(db)?);
        let number = self.numbers.fetch_add(1, Relaxed);
        let store = Arc::new(QueryStore::new(number, &database, contents, &self.memory));
        store.written_us.store(home.now_us().0, Relaxed);
        self.open.write().insert(db, Arc::clone(&store));
        Ok(store)
    }

    /// A database is about to be closed, or is gone: what is not written is written where it can be.
    pub(crate) fn forget(&self, home: &dyn StoreHome, db: DbId) {
        self.note_off(db);
        let Some(store) = self.open.read().get(&db).cloned() else { return };
        // What cannot be written is lost with the database.
        let _ = flush(home, &store);
        self.open.write().remove(&db);
    }

    /// Writes the stores of all databases, before the server ends.
    pub(crate) fn flush_all(&self, home: &dyn StoreHome) {
        for store in self.all() {
            // What cannot be written now is lost, as it is by a crash.
            let _ = flush(home, &store);
        }
    }

    /// Writes the stores whose DATA_FLUSH_INTERVAL_SECONDS are over.
    fn flush_due(&self, home: &dyn StoreHome) {
        let (now_us, _) = home.now_us();
        for store in self.all() {
            let (is_dirty, flush_s) = store.with(|contents| (contents.is_dirty(), contents.options.flush_s));
            let is_due = now_us.saturating_sub(store.written_us.load(Relaxed)) >= u64::from(flush_s) * 1_000_000;
            if is_dirty && is_due {
                // What is not written is tried again after the next interval.
                let _ = flush(home, &store);
            }
        }
    }
}

/// Lets go what is too old, and writes what is not written.
///
/// # Errors
/// Those of the rows' change; what was not written stays to be written.
pub fn flush(home: &dyn StoreHome, store: &QueryStore) -> SqlResult<()> {
    let _writing = store.writing.lock();
    let (clock_us, now_us) = home.now_us();
    store.written_us.store(clock_us, Relaxed);
    if !store.is_current() || home.is_read_only(store.database) {
        return Ok(());
    }
    let unwritten = store.with(|contents| {
        contents.clean_stale(now_us);
        contents.take_unwritten()
    });
    let done = write(home, store.database, &unwritten);
    if done.is_err() {
        store.with(|contents| contents.not_written(&unwritten));
    }
    done
}

fn write(home: &dyn StoreHome, db: DbId, unwritten: &Unwritten) -> SqlResult<()> {
    unwritten.gone.chunks(PART_RECORDS).try_for_each(|gone| home.change_records(db, &[], gone))?;
    unwritten.records.chunks(PART_RECORDS).try_for_each(|put| home.change_records(db, put, &[]))
}

/// The thread that writes now and then.
#[derive(Default)]
struct Keeper {
    /// Held while it writes; true when it is to end.
    is_over: Arc<Mutex<bool>>,
    thread: Mutex<Option<Thread>>,
}

impl Keeper {
    /// Starts it, if it does not run.
    fn start(&self, stores: Weak<QueryStores>, home: Weak<dyn StoreHome>) {
        let mut thread = self.thread.lock();
        if thread.is_some() {
            return;
        }
        let is_over = Arc::clone(&self.is_over);
        let run = move || {
            loop {
                std::thread::park_timeout(LOOK);
                let over = is_over.lock();
                let Some((stores, home)) = stores.upgrade().zip(home.upgrade()).filter(|_| !*over) else { return };
                stores.flush_due(&*home);
                // Before the lock: after `stop` this thread holds no reference to the databases.
                drop((stores, home));
                drop(over);
            }
        };
        // Without the flush thread a store is written by sp_query_store_flush_db and at shutdown.
        if let Ok(started) = std::thread::Builder::new().name("query store".to_owned()).spawn(run) {
            *thread = Some(started.thread().clone());
        }
    }

    fn stop(&self) {
        *self.is_over.lock() = true;
        if let Some(thread) = self.thread.lock().as_ref() {
            thread.unpark();
        }
    }
}
