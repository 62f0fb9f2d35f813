//! A session: its settings, its temporary objects, its transaction, and how a batch or a call runs in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering::Relaxed};

use millpond_storage::ask::Task;
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database_options::UserAccess;
use millpond_txn::{CatalogLocks, Reader, SessionWork};
use millpond_types::Value;
use parking_lot::{Mutex, RwLock};

use crate::catalog::SchemaId;
use crate::cpu::SessionCpu;
use crate::engine::Engine;
use crate::error::SqlResult;
use crate::exec::{BulkState, Cursors, PlanCache, PreparedCalls};
use crate::message;
use crate::run::facts::{Login, SessionFacts, Settings};
use crate::run::random::Random;
use crate::session_values::SessionValues;
use crate::sink::{EnvChange, Message, Sink};
use crate::temp::TempCatalog;

/// What the session runs now.
#[derive(Clone, Debug)]
pub struct Request {
    /// Local time of its start, microseconds since 1970.
    pub start_us: i64,
    /// Text of the batch or call.
    pub text: Arc<str>,
}

/// What views show of a session beside its counters.
#[derive(Clone, Debug)]
pub struct Status {
    /// Current database.
    pub database: DbId,
    /// SET options.
    pub settings: Arc<Settings>,
    /// Running request.
    pub request: Option<Request>,
    /// The last request's text.
    pub last_text: Arc<str>,
    /// Local time of the last request's start, microseconds since 1970.
    pub last_start_us: i64,
    /// Local time of the last request's end.
    pub last_end_us: i64,
    /// @@ROWCOUNT at the last request's end.
    pub row_count: u64,
    /// @@ERROR at the last request's end.
    pub error: i32,
    /// @@TRANCOUNT
    pub tran_count: u32,
    /// CPU time of finished requests.
    pub cpu_us: u64,
    /// Elapsed time of finished requests.
    pub elapsed_us: u64,
}

/// The part of a session that others may look at: views, KILL, the network.
pub struct SessionShared {
    /// Number.
    pub id: SessionId,
    /// Login.
    pub login: Arc<Login>,
    /// Local time of the login, microseconds since 1970.
    pub login_us: i64,
    /// Counters, waits, cancellation.
    pub task: Arc<Task>,
    /// Names of temporary tables.
    pub temp: RwLock<TempCatalog>,
    /// State for views.
    pub status: Mutex<Status>,
    /// Offset of the running statement in the request's text, in bytes.
    pub statement_start: AtomicU32,
    /// End of the running statement.
    pub statement_end: AtomicU32,
    /// The running command as `dm_exec_requests` names it: index into [`COMMANDS`].
    pub command: AtomicU32,
    /// Bound statements by their texts, but those of texts that run.
    pub(crate) plans: Mutex<PlanCache>,
    /// RAND's generator.
    pub random: Random,
    /// CONTEXT_INFO.
    pub context_info: Mutex<Option<Box<[u8]>>>,
    /// What `sp_set_session_context` has set.
    pub values: Mutex<SessionValues>,
    /// @@CURSOR_ROWS
    pub cursor_rows: AtomicI32,
    /// How many cursors were opened: which one was the last.
    pub cursors_opened: AtomicU64,
    /// @@FETCH_STATUS
    pub fetch_status: AtomicI32,
    /// KILL was said: the session ends with its request.
    pub killed: AtomicBool,
    /// Sessions in which functions run, kept for the next call.
    pub(crate) inner: Mutex<Vec<Session>>,
    /// The first rowversion value of the open transaction, by database.
    pub row_versions: Mutex<Vec<(DbId, u64)>>,
    /// Trace flags of this session alone.
    pub trace_flags: Mutex<std::collections::BTreeSet<i32>>,
    /// Plans of the session that run with memory granted, one inside the other.
    pub(crate) works: Arc<AtomicU32>,
    /// CPU time.
    pub cpu: SessionCpu,
}

/// Commands of `sys.dm_exec_requests`.
pub const COMMANDS: [&str; 18] = [
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "CREATE TABLE",
    "DROP TABLE",
    "SELECT INTO",
    "SET",
    "CONDITIONAL",
    "WAITFOR",
    "DBCC",
    "EXECUTE",
    "TRUNCATE TABLE",
    "ALTER DATABASE",
    "CHECKPOINT",
    "PRINT",
    "MERGE",
    "BULK INSERT",
];

impl SessionShared {
    /// A plan begins that needs memory; says how many do already.
    pub(crate) fn enter_work(&self) -> u32 {
        self.works.fetch_add(1, Relaxed)
    }

    /// Such a plan has ended.
    pub(crate) fn leave_work(&self) {
        self.works.fetch_sub(1, Relaxed);
    }

    pub(crate) fn new(id: SessionId, login: Login, login_us: i64) -> SessionShared {
        let seed = entropy();
        SessionShared {
            id,
            login: Arc::new(login),
            login_us,
            task: Arc::new(Task::new(id)),
            temp: RwLock::default(),
            status: Mutex::new(Status {
                database: DbId::MASTER,
                settings: Arc::new(Settings::default()),
                request: None,
                last_text: Arc::from(""),
                last_start_us: login_us,
                last_end_us: login_us,
                row_count: 0,
                error: 0,
                tran_count: 0,
                cpu_us: 0,
                elapsed_us: 0,
            }),
            statement_start: AtomicU32::new(0),
            statement_end: AtomicU32::new(0),
            command: AtomicU32::new(0),
            plans: Mutex::default(),
            random: Random::new(seed),
            context_info: Mutex::new(None),
            values: Mutex::default(),
            cursor_rows: AtomicI32::new(0),
            cursors_opened: AtomicU64::new(0),
            fetch_status: AtomicI32::new(0),
            killed: AtomicBool::new(false),
            inner: Mutex::default(),
            row_versions: Mutex::default(),
            trace_flags: Mutex::default(),
            works: Arc::default(),
            cpu: SessionCpu::default(),
        }
    }

    /// Stops what runs.
    pub fn cancel(&self) {
        self.task.cancel();
    }

    /// KILL: stops what runs and ends the session.
    pub fn kill(&self) {
        self.killed.store(true, Relaxed);
        self.task.cancel();
    }

    /// Whether KILL was said.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.killed.load(Relaxed)
    }
}

fn entropy() -> u64 {
    let mut bytes = [0; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        // RAND needs variety, not secrecy.
        Err(_) => u64::from(std::process::id()).wrapping_mul(0x9E37_79B9_7F4A_7C15),
    }
}

/// A session. One thread at a time runs it.
pub struct Session {
    pub(crate) engine: Arc<Engine>,
    pub(crate) shared: Arc<SessionShared>,
    pub(crate) work: SessionWork,
    /// Its locks for who looks names up; in a function those of its caller.
    pub(crate) locks: CatalogLocks,
    pub(crate) facts: SessionFacts,
    pub(crate) prepared: PreparedCalls,
    /// Global cursors.
    pub(crate) cursors: Cursors,
    /// Savepoints and transaction names are txn's; this numbers transactions for clients.
    pub(crate) transaction: u64,
    /// Name of the outermost BEGIN TRANSACTION.
    pub(crate) transaction_name: Option<String>,
    /// The open transaction began under SNAPSHOT, so that it may read so (3951).
    pub(crate) began_as_snapshot: bool,
    /// The options that `work` has been told.
    told: Arc<Settings>,
    /// In a function: what its caller's statement reads with.
    pub(crate) caller_reader: Option<Arc<Reader>>,
    /// INSERT BULK.
    pub(crate) bulk: BulkState,
    /// It is known to nobody but the session that keeps it.
    is_inner: bool,
}

impl Session {
    pub(crate) fn new(engine: Arc<Engine>, shared: Arc<SessionShared>) -> Session {
        let work = engine.txns().open_session(shared.id, Arc::clone(&shared.task));
        let facts = SessionFacts {
            session: shared.id.0,
            database: DbId::MASTER,
            database_name: Arc::from("master"),
            login: Arc::clone(&shared.login),
            settings: Arc::new(Settings::default()),
            row_count: 0,
            error: 0,
            tran_count: 0,
            doomed: false,
            identity: Value::Null,
            scope_identity: Value::Null,
            nest_level: 0,
            procedure: 0,
            schema: SchemaId::DBO,
            home: None,
            outer_try: 0,
            in_function: false,
            insert_exec: None,
            trigger: None,
            caught: None,
        };
        Session {
            engine,
            shared,
            locks: work.catalog_locks(),
            work,
            facts,
            prepared: PreparedCalls::default(),
            cursors: Cursors::default(),
            transaction: 0,
            transaction_name: None,
            began_as_snapshot: false,
            told: Arc::default(),
            caller_reader: None,
            bulk: BulkState::default(),
            is_inner: false,
        }
    }

    /// A session for functions that `outer` calls: its number and task are the same, its temporary objects its own.
    pub(crate) fn inner(engine: &Arc<Engine>, outer: &SessionShared) -> Session {
        let mut shared = SessionShared::new(outer.id, Login::default(), outer.login_us);
        shared.login = Arc::clone(&outer.login);
        shared.task = Arc::clone(&outer.task);
        // Its plans run inside those of the outer one, and must not wait for memory behind them.
        shared.works = Arc::clone(&outer.works);
        let mut session = Session::new(Arc::clone(engine), Arc::new(shared));
        session.is_inner = true;
        session
    }

    /// The part that others see.
    #[must_use]
    pub fn shared(&self) -> &Arc<SessionShared> {
        &self.shared
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Facts now.
    #[must_use]
    pub fn facts(&self) -> &SessionFacts {
        &self.facts
    }

    /// Whether others may have to wait for what the session does next: it has a transaction open, or locks of its own.
    #[must_use]
    pub fn may_block_others(&self) -> bool {
        self.facts.tran_count > 0 || self.work.in_transaction() || self.work.locks().holds_for_session()
    }

    /// Makes a database current, as USE and a login do.
    ///
    /// # Errors
    /// 911; 924 for a database in single-user mode; 942 and others for one that is not online.
    pub fn use_database(&mut self, name: &str, sink: &mut dyn Sink) -> SqlResult<()> {
        let id = self.engine.database_id(name).ok_or_else(|| message::unknown_database(name))?;
        self.check_usable(id)?;
        // A database that cannot be read cannot be used.
        self.engine.databases().dictionary(id)?;
        let name: Arc<str> = Arc::from(self.engine.database_name(id).unwrap_or_else(|| name.to_owned()));
        let old = std::mem::replace(&mut self.facts.database_name, Arc::clone(&name));
        self.facts.database = id;
        self.shared.status.lock().database = id;
        // Bound statements may mean objects of the database that was current.
        self.shared.forget_plans();
        sink.env_change(&EnvChange::Database { new: name.to_string(), old: old.to_string() });
        sink.message(&Message {
            number: 5701,
            severity: 0,
            state: 1,
            line: 0,
            procedure: String::new(),
            text: format!("Changed database context to '{name}'."),
        });
        Ok(())
    }

    /// Refuses a database that is not online, and one in single-user mode that somebody else is in.
    fn check_usable(&self, id: DbId) -> SqlResult<()> {
        let Some(database) = self.engine.instance().database(id) else { return Ok(()) };
        database.check_online().map_err(|cause| message::of_unavailable(&cause))?;
        let is_taken = |other: &Arc<SessionShared>| other.id != self.shared.id && other.status.lock().database == id;
        if database.options().access == UserAccess::Single && self.engine.sessions().iter().any(is_taken) {
            return Err(message::single_user(&database.name()));
        }
        Ok(())
    }

    /// sp_reset_connection: as a new login would find it. Temporary objects and an open transaction are gone.
    ///
    /// # Errors
    /// 4060 when the database of the login is not there any more: the session is as new, in master, and must not be used.
    pub fn reset(&mut self) -> SqlResult<()> {
        self.end_everything();
        let wanted = &self.shared.login.database;
        let found = self.engine.database_id(wanted);
        let missing = (!wanted.is_empty() && found.is_none()).then(|| message::cannot_open_database(wanted));
        let login_database = found.unwrap_or(DbId::MASTER);
        self.facts.database = login_database;
        let name = self.engine.database_name(login_database).unwrap_or_else(|| "master".to_owned());
        self.facts.database_name = Arc::from(name);
        self.facts.settings = Arc::new(Settings::default());
        self.facts.row_count = 0;
        self.facts.error = 0;
        self.facts.identity = Value::Null;
        self.facts.scope_identity = Value::Null;
        self.prepared = PreparedCalls::default();
        self.cursors = Cursors::default();
        self.shared.trace_flags.lock().clear();
        *self.shared.context_info.lock() = None;
        *self.shared.values.lock() = SessionValues::default();
        let mut status = self.shared.status.lock();
        status.database = login_database;
        status.settings = Arc::clone(&self.facts.settings);
        status.tran_count = 0;
        missing.map_or(Ok(()), Err)
    }

    /// Undoes what is open and drops all temporary objects: the end of the work that the session had does both.
    fn end_everything(&mut self) {
        let mut work = self.engine.txns().open_session(self.shared.id, Arc::clone(&self.shared.task));
        work.join_group_of(&self.work);
        // With the old work and its view of the locks all of these go, those of the session too.
        self.locks = work.catalog_locks();
        self.work = work;
        self.facts.tran_count = 0;
        self.facts.doomed = false;
        self.transaction_name = None;
        self.began_as_snapshot = false;
        self.shared.row_versions.lock().clear();
        *self.shared.temp.write() = TempCatalog::default();
        self.shared.forget_plans();
        self.told = Arc::default();
    }

    /// Tells the options of a statement to those who lock and read. Options change by SET, by the end of a procedure and
    /// by requests of the wire: whoever runs a statement tells them, so that nobody can forget to.
    pub(crate) fn tell_settings(&mut self, settings: &Arc<Settings>) {
        if Arc::ptr_eq(settings, &self.told) {
            return;
        }
        self.work.set_isolation(settings.isolation());
        self.work.set_lock_timeout_ms(u32::try_from(settings.lock_timeout).ok());
        self.work.set_deadlock_priority(settings.deadlock_priority.clamp(-10, 10) as i8);
        self.told = Arc::clone(settings);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.is_inner {
            self.engine.close_session(self.shared.id);
        }
    }
}
