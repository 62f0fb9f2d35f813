//! What this crate remembers of each durable database: which versions its readers use, whether it may be changed, how
//! its commits wait, and the floor of the numbers of transactions.
//!
//! The floor: a database's boot page has a number that no transaction which wrote to it has reached. It is raised in
//! steps of a million, before the first tag beyond it is written. After a restart numbers begin above the floors of all
//! databases, so that no stored tag is ever of the future.

use millpond_storage::check;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use millpond_access::tree::Xsn;
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::database::BootError;
use millpond_storage::database::options::{DatabaseFlag, DatabaseOptions, DelayedDurability};
use millpond_storage::instance::Instance;
use millpond_storage::number_map::NumberMap;
use millpond_storage::wal::CommitMode;
use parking_lot::{Mutex, RwLock};

use crate::error::TxnError;
use crate::version::snapshot::Sequence;

/// Which versions a database has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versioning {
    /// READ_COMMITTED_SNAPSHOT
    pub read_committed: bool,
    /// ALLOW_SNAPSHOT_ISOLATION
    pub snapshot: bool,
}

impl Versioning {
    fn of(options: &DatabaseOptions) -> Versioning {
        Versioning {
            read_committed: options.is_on(DatabaseFlag::ReadCommittedSnapshot),
            snapshot: options.is_on(DatabaseFlag::AllowSnapshotIsolation),
        }
    }

    /// Whether old versions are kept at all.
    #[must_use]
    pub fn is_on(self) -> bool {
        self.read_committed || self.snapshot
    }
}

#[derive(Debug)]
struct Known {
    read_committed: AtomicBool,
    snapshot: AtomicBool,
    read_only: AtomicBool,
    /// A database snapshot: what is in it is committed, and nothing of it changes.
    is_fixed: bool,
    /// [`DelayedDurability`] by its number.
    durability: AtomicU8,
    floor: AtomicU64,
    /// The floor when the database was opened: the ghosts of transactions below it are in no list of the cleaner's. 0 where none are
    /// removed: nothing changes in a database snapshot, and tempdb's are of this start.
    opened_floor: u64,
    raising: Mutex<()>,
    begun: AtomicU64,
    commits: AtomicU64,
}

/// Transactions that changed a database, since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransactionCounts {
    /// Begun: they made their first change in it.
    pub begun: u64,
    /// Of them those that came to their commit.
    pub commits: u64,
}

impl Known {
    fn new(options: Option<&DatabaseOptions>, floor: u64, is_fixed: bool) -> Known {
        let versioning = options.map_or(Versioning::default(), Versioning::of);
        let known = Known {
            read_committed: AtomicBool::new(versioning.read_committed),
            snapshot: AtomicBool::new(versioning.snapshot),
            read_only: AtomicBool::new(false),
            is_fixed,
            durability: AtomicU8::new(0),
            floor: AtomicU64::new(floor),
            opened_floor: if is_fixed || floor == NO_TAG_OUTLIVES { 0 } else { floor },
            raising: Mutex::new(()),
            begun: AtomicU64::new(0),
            commits: AtomicU64::new(0),
        };
        if let Some(options) = options {
            known.take_options(options);
        }
        known
    }

    fn take_options(&self, options: &DatabaseOptions) {
        self.read_only.store(options.is_on(DatabaseFlag::ReadOnly), Ordering::Relaxed);
        self.durability.store(options.delayed_durability as u8, Ordering::Relaxed);
    }

    fn versioning(&self) -> Versioning {
        Versioning {
            read_committed: self.read_committed.load(Ordering::Relaxed),
            snapshot: self.snapshot.load(Ordering::Relaxed),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Databases {
    instance: Arc<Instance>,
    sequence: Arc<Sequence>,
    known: RwLock<NumberMap<DbId, Arc<Known>>>,
}

impl Databases {
    pub(crate) fn new(instance: Arc<Instance>, sequence: Arc<Sequence>) -> Databases {
        Databases { instance, sequence, known: RwLock::default() }
    }

    fn known(&self, db: DbId) -> Arc<Known> {
        if let Some(known) = self.known.read().get(&db) {
            return Arc::clone(known);
        }
        let database = self.instance.database(db);
        let options = database.as_ref().map(|database| database.options());
        let mut floor = database.as_ref().map_or(0, |database| database.boot_value(FLOOR_VALUE));
        // Before a session can read a tag of this database.
        self.sequence.raise(floor);
        if db == DbId::TEMPDB {
            floor = NO_TAG_OUTLIVES;
        }
        let is_fixed = database.is_some_and(|database| database.origin().is_snapshot());
        let new = || Arc::new(Known::new(options.as_ref(), floor, is_fixed));
        Arc::clone(self.known.write().entry(db).or_insert_with(new))
    }

    #[inline]
    pub(crate) fn versioning(&self, db: DbId) -> Versioning {
        if let Some(known) = self.known.read().get(&db) {
            return known.versioning();
        }
        self.known(db).versioning()
    }

    /// Which versions its readers use, and whether they need neither versions nor locks.
    #[inline]
    pub(crate) fn reading(&self, db: DbId) -> (Versioning, bool) {
        if let Some(known) = self.known.read().get(&db) {
            return (known.versioning(), known.is_fixed);
        }
        let known = self.known(db);
        (known.versioning(), known.is_fixed)
    }

    pub(crate) fn set_versioning(&self, db: DbId, versioning: Versioning) {
        let known = self.known(db);
        known.read_committed.store(versioning.read_committed, Ordering::Relaxed);
        known.snapshot.store(versioning.snapshot, Ordering::Relaxed);
        if let Some(database) = self.instance.database(db) {
            known.take_options(&database.options());
        }
    }

    /// READ_ONLY
    pub(crate) fn is_read_only(&self, db: DbId) -> bool {
        self.known(db).read_only.load(Ordering::Relaxed)
    }

    /// Whether the ghosts of a transaction are in no list of the cleaner's, because it ended before the database was opened, and may be removed.
    pub(crate) fn forgets_ghosts_of(&self, db: DbId, xsn: Xsn) -> bool {
        let known = self.known(db);
        xsn.0 < known.opened_floor && !known.read_only.load(Ordering::Relaxed)
    }

    /// A commit begins, asked for with `mode`: it is counted. How it is done: DELAYED_DURABILITY DISABLED and FORCED go
    /// before what the transaction says.
    pub(crate) fn begin_commit(&self, db: DbId, mode: CommitMode) -> CommitMode {
        let known = self.known(db);
        known.commits.fetch_add(1, Ordering::Relaxed);
        check!(
            known.commits.load(Ordering::Relaxed) <= known.begun.load(Ordering::Relaxed),
            "more transactions of database {db} commit than began"
        );
        let durability = known.durability.load(Ordering::Relaxed);
        if durability == DelayedDurability::Forced as u8 {
            CommitMode::Delayed
        } else if durability == DelayedDurability::Disabled as u8 {
            CommitMode::Durable
        } else {
            mode
        }
    }

    /// Transactions that changed the database since it was opened.
    pub(crate) fn counts(&self, db: DbId) -> TransactionCounts {
        self.known.read().get(&db).map_or_else(TransactionCounts::default, |known| TransactionCounts {
            begun: known.begun.load(Ordering::Relaxed),
            commits: known.commits.load(Ordering::Relaxed),
        })
    }

    /// What is remembered of a database that is opened anew, or whose number goes to another, is read again.
    pub(crate) fn forget(&self, db: DbId) {
        self.known.write().remove(&db);
    }

    /// Transaction `xsn` makes its first change in a database: it is counted, and its tags may be written from now on.
    pub(crate) fn enter(&self, ask: &Ask<'_>, db: DbId, xsn: Xsn) -> Result<(), TxnError> {
        assert!(xsn != Xsn(0), "N1: a transaction without a number enters database {db}");
        let known = self.known(db);
        known.begun.fetch_add(1, Ordering::Relaxed);
        if xsn.0 < known.floor.load(Ordering::Acquire) {
            return Ok(());
        }
        let _one = known.raising.lock();
        if xsn.0 < known.floor.load(Ordering::Acquire) {
            return Ok(());
        }
        let floor = xsn.0 + FLOOR_STEP;
        assert!(floor > known.floor.load(Ordering::Acquire), "N1: the floor of database {db} falls to {floor}");
        let database = self.instance.database(db).ok_or(TxnError::DatabaseUnavailable(db))?;
        // Its record is in the log before the first change with such a number, so it is durable before that one.
        database.set_boot_value(ask, FLOOR_VALUE, floor).map_err(|cause| boot_error(db, cause))?;
        assert!(
            database.boot_value(FLOOR_VALUE) == floor && xsn.0 < floor,
            "N1: transaction {} enters database {db}, whose floor is {}",
            xsn.0,
            database.boot_value(FLOOR_VALUE)
        );
        known.floor.store(floor, Ordering::Release);
        Ok(())
    }
}

fn boot_error(db: DbId, cause: BootError) -> TxnError {
    match cause {
        BootError::Log(cause) => TxnError::Wal { db, cause },
        BootError::Pool(cause) => TxnError::Access(cause.into()),
        BootError::Unavailable(_) => TxnError::DatabaseUnavailable(db),
    }
}

/// The floor of tempdb: no tag of it outlives the instance.
const NO_TAG_OUTLIVES: u64 = u64::MAX;
/// How far the floor is raised at once.
const FLOOR_STEP: u64 = 1 << 20;
/// The value of the boot page that is the floor.
const FLOOR_VALUE: usize = 15;
