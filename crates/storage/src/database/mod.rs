//! One database of the instance: its identity, its state, what it stands on.
//!
//! ```text
//!                     open                      undo finished
//!   RecoveryPending ◀─────── (list) ───────▶ Recovering ───────▶ Online
//!    a file is missing         │  ▲                              │
//!                     Suspect ◀┘  └────────── Offline ◀──────────┘
//!                   recovery failed        set offline
//!                         │
//!                     Emergency ── repaired ──▶ Recovering
//! ```
//!
//! What always holds: a database that is not open has neither space nor log, and one that is open has both for as long as
//! the value lives. Setting it online again makes a new value; a session that kept the old one finds it closed. Options
//! and values are what the boot page says: they change there first, in the log, then here.

pub mod alter;
pub(crate) mod alter_durable;
pub mod alter_error;
pub mod alter_file;
pub(crate) mod alter_move;
pub mod alter_remove;
pub mod alter_shrink;
pub mod boot_page;
pub(crate) mod checkpoint;
pub mod create;
pub mod databases;
pub mod file_change;
pub(crate) mod file_work;
pub(crate) mod files;
pub(crate) mod open;
pub mod options;
pub mod plan;
pub mod snapshot;
pub mod snapshot_files;
pub(crate) mod system;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

use parking_lot::{Mutex, MutexGuard, RwLock};

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, FileId, PageId};
use crate::database::boot_page::{BootChange, BootFacts, VALUES};
use crate::database::file_work::FileWork;
use crate::database::options::{DatabaseFlag, DatabaseOptions, RecoveryModel, UserAccess};
use crate::file::file_header::BOOT_PAGE;
use crate::file::sparse::Health;
use crate::page::header::Lsn;
use crate::pool::PoolError;
use crate::settings::databases::StoredDatabase;
use crate::space::SpaceManager;
use crate::wal::image::RedoPlace;
use crate::wal::log::retention;
use crate::wal::{DatabaseHandle, Log, LogError, Mtr, PageOp, TxnLog};

/// How a database is; the words are those of `sys.databases.state_desc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseState {
    /// All sessions may use it.
    Online,
    /// Its last transactions are being undone.
    Recovering,
    /// A file is missing or cannot be read: nothing was changed, and the next start tries again.
    RecoveryPending {
        /// Why.
        reason: String,
    },
    /// A file or the log is not what it should be.
    Suspect {
        /// Why.
        reason: String,
    },
    /// ALTER DATABASE … SET EMERGENCY of a database that is one of the two above.
    Emergency {
        /// Why it was.
        reason: String,
    },
    /// ALTER DATABASE … SET OFFLINE.
    Offline,
    /// RESTORE … WITH NORECOVERY: more backups are to come.
    Restoring,
}

impl DatabaseState {
    /// `sys.databases.state`
    #[must_use]
    pub fn number(&self) -> u8 {
        match self {
            DatabaseState::Online => 0,
            DatabaseState::Restoring => 1,
            DatabaseState::Recovering => 2,
            DatabaseState::RecoveryPending { .. } => 3,
            DatabaseState::Suspect { .. } => 4,
            DatabaseState::Emergency { .. } => 5,
            DatabaseState::Offline => 6,
        }
    }

    /// `sys.databases.state_desc`
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            DatabaseState::Online => "ONLINE",
            DatabaseState::Restoring => "RESTORING",
            DatabaseState::Recovering => "RECOVERING",
            DatabaseState::RecoveryPending { .. } => "RECOVERY_PENDING",
            DatabaseState::Suspect { .. } => "SUSPECT",
            DatabaseState::Emergency { .. } => "EMERGENCY",
            DatabaseState::Offline => "OFFLINE",
        }
    }
}

/// A database cannot be used (945, 942, 927 …).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("database '{name}' is {}", state.name())]
pub struct Unavailable {
    /// Database.
    pub name: String,
    /// How it is.
    pub state: DatabaseState,
}

/// What a database was taken of.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Of a database snapshot, and of a copy, the database over whose files it lies.
    pub source: Option<DbId>,
    /// When it was made as a copy, which may be changed.
    copied_utc_us: Option<i64>,
    /// Its name where several databases decide together.
    pub voter: [u8; 16],
}

impl Origin {
    /// Whether it stays as it was at the split.
    #[must_use]
    pub fn is_snapshot(&self) -> bool {
        self.source.is_some() && !self.is_copy()
    }

    /// Whether it was made as a copy of another one.
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.copied_utc_us.is_some()
    }
}

/// Why a change of the boot page was not made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BootError {
    /// The database is not open.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// 9002, 9001
    #[error(transparent)]
    Log(#[from] LogError),
    /// The page could not be had.
    #[error(transparent)]
    Pool(#[from] PoolError),
}

/// What an open database stands on.
#[derive(Clone, Debug)]
pub(crate) struct OpenParts {
    /// Pool and log.
    pub handle: DatabaseHandle,
    /// Space.
    pub space: Arc<SpaceManager>,
}

/// What recovery left.
#[derive(Debug)]
pub(crate) struct Recovered {
    /// Transactions to be undone.
    pub losers: Vec<TxnLog>,
    /// It was closed in order.
    pub was_clean: bool,
}

impl Recovered {
    /// Of a database without a log.
    pub(crate) fn nothing() -> Recovered {
        Recovered { losers: Vec::new(), was_clean: true }
    }
}

/// A database.
#[derive(Debug)]
pub struct Database {
    id: DbId,
    guid: [u8; 16],
    name: RwLock<String>,
    state: RwLock<DatabaseState>,
    boot: RwLock<BootFacts>,
    /// Held while the boot page changes.
    boot_order: Mutex<()>,
    /// Held while the recovery model or the chain of log backups changes, and with them what the log keeps.
    keeping: Mutex<()>,
    parts: Option<OpenParts>,
    losers: Mutex<Vec<TxnLog>>,
    was_clean: bool,
    /// Held by the one checkpoint that runs.
    checkpointing: Mutex<()>,
    /// How many wait for it.
    checkpoint_waiters: AtomicU32,
    /// Backups of its files, or a change of which there are.
    pub(crate) file_work: FileWork,
    is_dropped: AtomicBool,
    origin: Origin,
    health: Option<Arc<Health>>,
}

impl Database {
    /// An open database.
    #[must_use]
    pub(crate) fn open(
        (id, guid): (DbId, [u8; 16]),
        name: &str,
        boot: BootFacts,
        parts: OpenParts,
        recovered: Recovered,
    ) -> Database {
        let state = if recovered.losers.is_empty() { DatabaseState::Online } else { DatabaseState::Recovering };
        assert!(parts.handle.db == id, "{id} stands on the pages of {}", parts.handle.db);
        assert!(parts.handle.log.is_some() == (id != DbId::TEMPDB), "{id}: each database but tempdb has a log");
        assert!(parts.handle.log.is_some() || recovered.losers.is_empty(), "{id} has transactions to undo, and no log");
        Database {
            parts: Some(parts),
            losers: Mutex::new(recovered.losers),
            was_clean: recovered.was_clean,
            ..Database::closed((id, guid), name, state, boot)
        }
    }

    /// A database that is not open.
    #[must_use]
    pub(crate) fn closed((id, guid): (DbId, [u8; 16]), name: &str, state: DatabaseState, boot: BootFacts) -> Database {
        Database {
            id,
            guid,
            name: RwLock::new(name.to_owned()),
            state: RwLock::new(state),
            boot: RwLock::new(boot),
            boot_order: Mutex::default(),
            keeping: Mutex::default(),
            parts: None,
            losers: Mutex::default(),
            was_clean: true,
            checkpointing: Mutex::default(),
            checkpoint_waiters: AtomicU32::new(0),
            file_work: FileWork::default(),
            is_dropped: AtomicBool::new(false),
            origin: Origin { source: None, copied_utc_us: None, voter: guid },
            health: None,
        }
    }

    /// The same, as what the list says of its source: a snapshot is changed by its own recovery alone, and all may read it.
    #[must_use]
    pub(crate) fn over_source(mut self, entry: &StoredDatabase) -> Database {
        let boot = self.boot.get_mut();
        if entry.is_snapshot() {
            boot.options.set(DatabaseFlag::ReadOnly, true);
            boot.options.access = UserAccess::Multi;
            (boot.created_utc_us, boot.chain) = (entry.created_utc_us, None);
        }
        assert!(entry.id() == self.id, "{} is opened as what the list says of {}", self.id, entry.id());
        check!(entry.source() != Some(self.id), "{} is taken of itself", self.id);
        // A copy's boot page says when its source was made.
        let copied_utc_us = entry.is_copy.then_some(entry.created_utc_us);
        self.origin = Origin { source: entry.source(), copied_utc_us, voter: entry.voter() };
        self
    }

    /// What it was taken of, if it was.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The same, with what watches its files.
    #[must_use]
    pub(crate) fn with_health(self, health: Arc<Health>) -> Database {
        Database { health: Some(health), ..self }
    }

    pub(crate) fn health(&self) -> Option<&Arc<Health>> {
        self.health.as_ref()
    }

    /// Number.
    #[must_use]
    pub fn id(&self) -> DbId {
        self.id
    }

    /// Identity; zero for tempdb.
    #[must_use]
    pub fn guid(&self) -> [u8; 16] {
        self.guid
    }

    /// Name.
    #[must_use]
    pub fn name(&self) -> String {
        self.name.read().clone()
    }

    pub(crate) fn set_name(&self, name: &str) {
        *self.name.write() = name.to_owned();
    }

    /// Whether objects of it go with the instance: tempdb.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.id == DbId::TEMPDB
    }

    /// How it is.
    #[must_use]
    pub fn state(&self) -> DatabaseState {
        self.state.read().clone()
    }

    pub(crate) fn set_state(&self, state: DatabaseState) {
        let is_open = matches!(state, DatabaseState::Online | DatabaseState::Recovering);
        assert!(!is_open || self.parts.is_some(), "{} is {}, and has neither space nor log", self.id, state.name());
        assert!(
            state != DatabaseState::Online || !self.has_losers(),
            "{} is online, and has transactions to undo",
            self.id
        );
        *self.state.write() = state;
    }

    /// Held while a checkpoint runs; one that takes its time hurries when this is asked for.
    pub(crate) fn lock_checkpoint(&self) -> MutexGuard<'_, ()> {
        self.checkpointing.try_lock().unwrap_or_else(|| {
            self.checkpoint_waiters.fetch_add(1, Relaxed);
            let held = self.checkpointing.lock();
            self.checkpoint_waiters.fetch_sub(1, Relaxed);
            held
        })
    }

    /// Held by a change of the recovery model or the chain of log backups: one goes by the other.
    pub(crate) fn lock_keeping(&self) -> MutexGuard<'_, ()> {
        self.keeping.lock()
    }

    /// Whether a checkpoint runs.
    pub(crate) fn is_checkpointing(&self) -> bool {
        self.checkpointing.is_locked()
    }

    /// Whether there are transactions to be undone that were not taken.
    pub(crate) fn has_losers(&self) -> bool {
        !self.losers.lock().is_empty()
    }
    /// How many wait for [`Database::lock_checkpoint`].
    pub(crate) fn checkpoint_waiters(&self) -> &AtomicU32 {
        &self.checkpoint_waiters
    }

    /// Whether it was dropped, detached or replaced since this value was got.
    #[must_use]
    pub fn is_dropped(&self) -> bool {
        self.is_dropped.load(Relaxed)
    }

    pub(crate) fn mark_dropped(&self) {
        self.is_dropped.store(true, Relaxed);
    }

    /// Takes the transactions that were open when the database was closed: they are to be undone before a session uses
    /// it, then [`crate::instance::Instance::finish_recovery`] is called. Empty when there are none, or the second
    /// time.
    #[must_use]
    pub fn take_losers(&self) -> Vec<TxnLog> {
        std::mem::take(&mut self.losers.lock())
    }

    /// Gives transactions back whose outcome is not known yet; the database stays [`DatabaseState::Recovering`].
    pub fn return_losers(&self, losers: Vec<TxnLog>) {
        assert!(
            self.state() == DatabaseState::Recovering,
            "{} is {}, and has transactions to undo",
            self.id,
            self.state().name()
        );
        assert!(
            losers.iter().all(|log| self.losers.lock().iter().all(|other| other.id != log.id)),
            "a transaction is undone twice"
        );
        self.losers.lock().extend(losers);
    }

    /// Whether the database was closed in order, so that no space can have leaked.
    #[must_use]
    pub fn was_clean(&self) -> bool {
        self.was_clean
    }

    /// Refuses unless all sessions may use it.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn check_online(&self) -> Result<(), Unavailable> {
        match self.state() {
            DatabaseState::Online => Ok(()),
            state => Err(Unavailable { name: self.name(), state }),
        }
    }

    /// When it was made, microseconds since 1970 UTC; tempdb: at the last start.
    #[must_use]
    pub fn created_utc_us(&self) -> i64 {
        self.origin.copied_utc_us.unwrap_or_else(|| self.boot.read().created_utc_us)
    }

    /// Collation; empty: the server's.
    #[must_use]
    pub fn collation(&self) -> String {
        self.boot.read().collation.clone()
    }

    /// Where the next log backup begins; `None`: there was no full backup.
    #[must_use]
    pub fn chain(&self) -> Option<RedoPlace> {
        self.boot.read().chain
    }

    /// ALTER DATABASE … SET.
    #[must_use]
    pub fn options(&self) -> DatabaseOptions {
        self.boot.read().options
    }

    /// One of the sixteen values that others keep in the boot page.
    ///
    /// # Panics
    /// When there is no such value.
    #[must_use]
    pub fn boot_value(&self, number: usize) -> u64 {
        assert!(number < VALUES, "the boot page has {VALUES} values");
        self.boot.read().values[number]
    }

    /// What the boot page says.
    #[must_use]
    pub fn boot(&self) -> BootFacts {
        self.boot.read().clone()
    }

    fn parts(&self) -> Result<&OpenParts, Unavailable> {
        self.parts.as_ref().ok_or_else(|| Unavailable { name: self.name(), state: self.state() })
    }

    /// Pool and log, for mini-transactions.
    ///
    /// # Errors
    /// [`Unavailable`] when the database is not open.
    pub fn handle(&self) -> Result<&DatabaseHandle, Unavailable> {
        Ok(&self.parts()?.handle)
    }

    /// The log; `None` for tempdb.
    ///
    /// # Errors
    /// [`Unavailable`] when the database is not open.
    pub fn log(&self) -> Result<Option<&Arc<Log>>, Unavailable> {
        Ok(self.parts()?.handle.log.as_ref())
    }

    /// Space.
    ///
    /// # Errors
    /// [`Unavailable`] when the database is not open.
    pub fn space(&self) -> Result<&Arc<SpaceManager>, Unavailable> {
        Ok(&self.parts()?.space)
    }

    /// Changes one of the sixteen values. It survives a crash as soon as a later commit of the database does.
    ///
    /// # Errors
    /// [`BootError`].
    ///
    /// # Panics
    /// When there is no such value.
    pub fn set_boot_value(&self, ask: &Ask<'_>, number: usize, value: u64) -> Result<(), BootError> {
        self.change_boot(ask, &BootChange::value(number, value), |boot| boot.values[number] = value)?;
        Ok(())
    }

    /// Changes the options, durably. SIMPLE ends the chain of log backups: what follows belongs to none.
    ///
    /// # Errors
    /// [`BootError`].
    pub(crate) fn set_options(&self, ask: &Ask<'_>, options: DatabaseOptions) -> Result<(), BootError> {
        change_boot_durably(self, ask, &BootChange::options(&options), |boot| boot.options = options)?;
        let ends_chain = options.recovery == RecoveryModel::Simple && self.boot().chain.is_some();
        if ends_chain { self.set_chain(ask, None) } else { Ok(()) }
    }

    /// Changes the collation, durably.
    ///
    /// # Errors
    /// [`BootError`].
    pub(crate) fn set_collation(&self, ask: &Ask<'_>, name: &str) -> Result<(), BootError> {
        change_boot_durably(self, ask, &BootChange::collation(name), |boot| name.clone_into(&mut boot.collation))
    }

    /// The next log backup begins at `chain`, and the log is kept for it; durable when this returns.
    pub(crate) fn set_chain(&self, ask: &Ask<'_>, chain: Option<RedoPlace>) -> Result<(), BootError> {
        assert!(
            chain.is_none() || self.options().recovery != RecoveryModel::Simple,
            "{} has a chain of log backups, and keeps no log for it",
            self.id
        );
        change_boot_durably(self, ask, &BootChange::chain(chain), |boot| boot.chain = chain)?;
        self.log()?.into_iter().for_each(|log| retention::set_keep_until_backup(&log.core, chain.is_some()));
        Ok(())
    }

    /// Changes the page through the log, then what is known in memory.
    fn change_boot(
        &self,
        ask: &Ask<'_>,
        change: &BootChange,
        remember: impl FnOnce(&mut BootFacts),
    ) -> Result<Lsn, BootError> {
        let handle = self.handle()?;
        let _order = self.boot_order.lock();
        let page = PageId { db: self.id, file: FileId(1), page: BOOT_PAGE };
        let mut mtr = Mtr::begin(handle, ask, change.bytes.len() + 64)?;
        let index = mtr.latch(page)?;
        let op = PageOp::Bytes { offset: change.offset, bytes: &change.bytes };
        mtr.apply(index, op).expect("the boot page has room for its fields");
        let lsn = mtr.commit();
        remember(&mut self.boot.write());
        check!(
            self.is_temporary() || self.is_as_on_page(ask, handle, page),
            "{} is something else than its boot page says",
            self.id
        );
        Ok(lsn)
    }

    /// Whether the boot page, where it can be read, says what is known here.
    fn is_as_on_page(&self, ask: &Ask<'_>, handle: &DatabaseHandle, page: PageId) -> bool {
        handle.pool.shared(ask, page).map_or(true, |bytes| BootFacts::read(&bytes) == *self.boot.read())
    }
}

/// The same as [`Database::change_boot`], durable when it returns.
fn change_boot_durably(
    database: &Database,
    ask: &Ask<'_>,
    change: &BootChange,
    remember: impl FnOnce(&mut BootFacts),
) -> Result<(), BootError> {
    let lsn = database.change_boot(ask, change, remember)?;
    if let Some(log) = database.log()? {
        log.make_durable(ask, lsn)?;
    }
    Ok(())
}
