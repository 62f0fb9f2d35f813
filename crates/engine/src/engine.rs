//! The engine: the instance's storage, its sessions and its caches, shared by all sessions of the process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_access::memory::MemoryBudget;
use millpond_catalog::ModuleDef;
use millpond_catalog::run::facts::{CurrentDatabase, Login};
use millpond_catalog::run::metadata::Usage;
use millpond_events::events::Events;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::DatabaseState;
use millpond_storage::instance::Instance;
use millpond_storage::settings::options::OptionId;
use millpond_tsql::{ParseOptions, SyntaxError};
use millpond_txn::TxnManager;
use millpond_txn::cleaner;
use parking_lot::RwLock;

use crate::account::batch_times::BatchTimes;
use crate::account::database_names::DatabaseNames;
use crate::account::recording::Recording;
use crate::account::statement_stats::Statements;
use crate::databases::Databases;
use crate::error_log::{self, ErrorLog, LogLine, LogSource};
use crate::governor;
use crate::logins::Logins;
use crate::memory::Workspace;
use crate::memory::plans::PlanMemory;
use crate::module::{ReadModule, ReadModules};
use crate::parsed::{ParsedBatch, ParsedTexts};
use crate::session_shared::{Kept, SessionShared};
use crate::signal::agent::AgentBox;
use crate::signal::listeners::Listeners;
use crate::signal::stop::StopSignal;
use crate::system_call::Registry;

/// First number of user sessions: tools take sessions up to 50 for the server's own.
const FIRST_USER_SESSION: u16 = 51;
/// Threads of a statement at most, as in SQL Server.
const DEGREE_MAX: usize = 64;
/// The trace flag that suspends automatic checkpoints.
const NO_AUTOMATIC_CHECKPOINTS: i32 = 3505;

/// Counters of the engine since its start.
#[derive(Debug, Default)]
pub struct EngineCounters {
    /// Objects of databases that were gone over for views, procedures and functions that list them.
    pub listed_objects: AtomicU64,
    /// Batches and calls.
    pub batch_requests: AtomicU64,
    /// Of them those that have ended.
    pub requests_ended: AtomicU64,
    /// How long these took.
    pub batch_times: BatchTimes,
    /// Statements bound or planned.
    pub plans: AtomicU64,
    /// Errors sent to clients.
    pub errors: AtomicU64,
    /// Connections accepted, failed logins too.
    pub connections: AtomicU64,
    /// Packets that came over connections.
    pub packets_received: AtomicU64,
    /// Packets sent.
    pub packets_sent: AtomicU64,
    /// Packets that could not be read.
    pub packet_errors: AtomicU64,
    /// Attentions.
    pub attentions: AtomicU64,
    /// Sessions begun.
    pub logins: AtomicU64,
    /// Sessions ended.
    pub logouts: AtomicU64,
    /// Logins that came over a network without TLS, failed ones too.
    pub clear_text_logins: AtomicU64,
}

/// A batch or call that runs; it is counted when it begins and when this goes.
pub struct CountedRequest {
    engine: Arc<Engine>,
    begun_us: u64,
}

impl CountedRequest {
    /// One begins.
    #[must_use]
    pub fn begin(engine: &Arc<Engine>) -> CountedRequest {
        engine.counters.batch_requests.fetch_add(1, Relaxed);
        CountedRequest { begun_us: engine.instance().clock().now_us(), engine: Arc::clone(engine) }
    }
}

impl Drop for CountedRequest {
    fn drop(&mut self) {
        let now_us = self.engine.instance().clock().now_us();
        self.engine.counters.requests_ended.fetch_add(1, Relaxed);
        self.engine.counters.batch_times.add(now_us.saturating_sub(self.begun_us));
    }
}

/// The engine of one instance.
pub struct Engine {
    txns: Arc<TxnManager>,
    registry: &'static Registry,
    databases: Arc<Databases>,
    workspace: Arc<Workspace>,
    parsed: ParsedTexts,
    plan_memory: PlanMemory,
    sessions: RwLock<BTreeMap<u16, Arc<SessionShared>>>,
    /// Counters.
    pub counters: EngineCounters,
    /// Where connections are taken.
    pub listeners: Listeners,
    /// Sessions of extended events that collect.
    pub events: Events,
    /// Names of databases for what they collect.
    pub(crate) database_names: DatabaseNames,
    /// How the history of its activity is recorded.
    pub recording: Recording,
    stop: StopSignal,
    trace_flags: RwLock<std::collections::BTreeSet<i32>>,
    error_log: Arc<ErrorLog>,
    machine: String,
    modules: ReadModules,
    statements: Statements,
    memory_tables: Arc<MemoryBudget>,
    logins: Logins,
    agent: AgentBox,
}

/// No session number is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many sessions, or the server is shutting down")]
pub struct NoSession;

impl Drop for Engine {
    /// Waits for the ghost cleaner and the writer of Query Stores to let go of the storage, so that the files close with the engine and the directory may be opened again.
    fn drop(&mut self) {
        self.events.stop_all();
        self.databases.query_stores().stop();
        cleaner::stop(&self.txns);
    }
}

impl Engine {
    /// An engine over storage, which offers what the registry has.
    #[must_use]
    pub fn new(txns: Arc<TxnManager>, registry: &'static Registry) -> Arc<Engine> {
        let workspace = Workspace::over(txns.instance());
        let error_log: Arc<ErrorLog> = Arc::default();
        let engine = Arc::new(Engine {
            databases: Databases::open(&txns, &workspace, Arc::clone(&error_log), registry.shipped),
            parsed: ParsedTexts::over(txns.instance(), &workspace),
            plan_memory: PlanMemory::over(txns.instance(), &workspace),
            txns,
            registry,
            workspace,
            sessions: RwLock::default(),
            counters: EngineCounters::default(),
            listeners: Listeners::default(),
            events: Events::default(),
            database_names: DatabaseNames::default(),
            recording: Recording::default(),
            stop: StopSignal::default(),
            trace_flags: RwLock::default(),
            error_log,
            machine: machine_name(),
            modules: ReadModules::default(),
            statements: Statements::default(),
            memory_tables: MemoryBudget::new(0),
            logins: Logins::default(),
            agent: AgentBox::default(),
        });
        engine.listen_to_io();
        engine.log_unopened();
        engine.log_error(SqlError::of(3408, 1, &[]));
        governor::apply_groups(&engine.txns);
        governor::apply_session_limit(&engine.txns);
        engine.apply_memory_limit();
        engine
    }

    /// Storage.
    #[must_use]
    pub fn instance(&self) -> &Arc<Instance> {
        self.txns.instance()
    }

    /// What the Agent is asked to do.
    #[must_use]
    pub fn agent(&self) -> &AgentBox {
        &self.agent
    }

    /// Failed logins, and what follows from them.
    #[must_use]
    pub fn logins(&self) -> &Logins {
        &self.logins
    }

    /// Transactions.
    #[must_use]
    pub fn txns(&self) -> &Arc<TxnManager> {
        &self.txns
    }

    /// Definitions of all databases.
    #[must_use]
    pub fn databases(&self) -> &Arc<Databases> {
        &self.databases
    }

    /// Memory of query operators.
    #[must_use]
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// What the server offers by name.
    #[must_use]
    pub fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// Memory of memory-optimized table variables: a share of the server's, the option 'memory-optimized data (%)'.
    #[must_use]
    pub fn memory_tables(&self) -> &Arc<MemoryBudget> {
        &self.memory_tables
    }

    /// Makes the option 'memory-optimized data (%)' hold.
    pub fn apply_memory_limit(&self) {
        let percent = self.instance().settings().running(OptionId::MemoryOptimizedPercent);
        let limit = u128::from(self.instance().memory_max_bytes()) * u128::from(percent.unsigned_abs()) / 100;
        self.memory_tables.set_limit_bytes(u64::try_from(limit).unwrap_or(u64::MAX));
        self.workspace.set_server_memory(self.instance().memory_max_bytes());
    }

    /// Name of the machine.
    #[must_use]
    pub fn machine(&self) -> &str {
        &self.machine
    }

    /// Now: microseconds of UTC since 1970, and of local time.
    #[must_use]
    pub fn now_us(&self) -> (i64, i64) {
        let wall = self.instance().clock().wall();
        (wall.utc_us, wall.local_us())
    }

    /// The server's clock, by which times are measured: microseconds since it started.
    pub fn clock_us(&self) -> u64 {
        self.instance().clock().now_us()
    }

    /// Whether statements of the simplest shapes skip the planner: the option 'direct statements'.
    #[must_use]
    pub fn direct_statements(&self) -> bool {
        self.instance().settings().is_on(OptionId::DirectStatements)
    }

    /// Threads that a statement may have: what it asks for, else `max degree of parallelism`; 0 is the processors that
    /// there are, and more than 64 never.
    #[must_use]
    pub fn max_degree(&self, asked: Option<u32>) -> usize {
        let configured = self.instance().settings().running(OptionId::MaxDegreeOfParallelism);
        let wanted = asked.map_or(usize::try_from(configured).unwrap_or(0), |asked| asked as usize);
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let degree = if wanted == 0 { processors() } else { wanted };
        degree.min(DEGREE_MAX)
    }

    /// The cost from which on a statement has several threads.
    #[must_use]
    pub fn parallel_cost(&self) -> f64 {
        self.instance().settings().running(OptionId::CostThresholdForParallelism) as f64
    }

    /// What the instance has used since its start.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let instance = self.instance();
        let mut usage = Usage {
            up_us: instance.clock().now_us(),
            cpu_us: millpond_catalog::clock::process_cpu_us(),
            cpu_count: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
            connections: self.counters.connections.load(Relaxed),
            packets_received: self.counters.packets_received.load(Relaxed),
            packets_sent: self.counters.packets_sent.load(Relaxed),
            packet_errors: self.counters.packet_errors.load(Relaxed),
            ..Usage::default()
        };
        for file in instance.database_reports().iter().flat_map(|database| instance.files(database.id)) {
            usage.reads += file.io.reads;
            usage.writes += file.io.writes;
            usage.io_errors += file.failures;
            usage.io_us += file.io.read_stall_us + file.io.write_stall_us;
        }
        usage
    }

    /// Global trace flags that are on.
    #[must_use]
    pub fn trace_flags(&self) -> Vec<i32> {
        self.trace_flags.read().iter().copied().collect()
    }

    /// What no statement is sent.
    #[must_use]
    pub fn error_log(&self) -> &ErrorLog {
        &self.error_log
    }

    /// Adds a line to the error log, now.
    pub fn log_error(&self, error: SqlError) {
        self.error_log.add(LogLine::of(self.instance().clock().wall().local_us(), error));
    }

    /// Adds what a statement without a client has said to the error log, now.
    pub fn log_message(&self, message: &Message) {
        let local_us = self.instance().clock().wall().local_us();
        let (number, severity, state) = (message.number, message.severity, message.state);
        let (text, database, source) = (message.text.clone(), DbId::MASTER, LogSource::Server);
        self.error_log.add(LogLine { local_us, number, severity, state, text, database, source });
    }

    /// Adds a line without a number to the error log, now.
    pub fn log_text(&self, severity: u8, text: String) {
        let local_us = self.instance().clock().wall().local_us();
        self.error_log.add(LogLine { severity, ..LogLine::plain(local_us, LogSource::Server, text) });
    }

    /// The error log says which databases the start could not open.
    fn log_unopened(&self) {
        for database in self.instance().all_databases() {
            let name = database.name();
            match database.state() {
                DatabaseState::Suspect { reason } => self.log_error(error_log::of_suspect(&name, &reason)),
                DatabaseState::RecoveryPending { reason } => {
                    self.log_error(SqlError::of(945, 2, &[&name, &format_args!(": {reason}")]));
                }
                _ => {}
            }
        }
    }

    fn listen_to_io(&self) {
        let instance = self.instance();
        let (log, clock, name_of) = (self.error_log.clone(), instance.clock().clone(), instance.name_finder());
        instance.io_watch().listen(move |event| {
            log.add(LogLine::of(clock.wall().local_us(), error_log::of_io(event, &name_of)));
        });
    }

    /// Turns a global trace flag on or off.
    pub fn set_trace_flag(&self, flag: i32, on: bool) {
        let mut flags = self.trace_flags.write();
        if on {
            flags.insert(flag)
        } else {
            flags.remove(&flag)
        };
        drop(flags);
        if flag == NO_AUTOMATIC_CHECKPOINTS {
            self.instance().suspend_checkpoints(on);
        }
    }

    /// Gives a new session its number; `kept` is what it keeps.
    ///
    /// # Errors
    /// [`NoSession`] when all numbers are taken or the server stops.
    pub fn admit(&self, login: Login, kept: Box<dyn Kept>) -> Result<Arc<SessionShared>, NoSession> {
        if self.stop.is_requested() {
            return Err(NoSession);
        }
        let mut sessions = self.sessions.write();
        let id = (FIRST_USER_SESSION..i16::MAX as u16).find(|id| !sessions.contains_key(id)).ok_or(NoSession)?;
        let shared = Arc::new(SessionShared::new(SessionId(id), login, self.now_us().1, kept));
        sessions.insert(id, Arc::clone(&shared));
        drop(sessions);
        self.counters.logins.fetch_add(1, Relaxed);
        Ok(shared)
    }

    /// All sessions, in order of their numbers.
    #[must_use]
    pub fn sessions(&self) -> Vec<Arc<SessionShared>> {
        self.sessions.read().values().cloned().collect()
    }

    /// A session by number.
    #[must_use]
    pub fn session(&self, id: u16) -> Option<Arc<SessionShared>> {
        // Events ask on threads that may read the sessions already.
        self.sessions.read_recursive().get(&id).cloned()
    }

    /// The session is over: its number may be given again.
    pub fn close_session(&self, id: SessionId) {
        if self.sessions.write().remove(&id.0).is_some() {
            self.counters.logouts.fetch_add(1, Relaxed);
        }
    }

    /// Whether SHUTDOWN was asked for: then there are no new sessions.
    #[must_use]
    pub fn stop(&self) -> &StopSignal {
        &self.stop
    }

    /// The tree of a text, from the cache if it was parsed before.
    ///
    /// # Errors
    /// The text's first [`SyntaxError`].
    pub fn parse(&self, text: &str, options: ParseOptions) -> Result<Arc<ParsedBatch>, SyntaxError> {
        self.parsed.parse(text, options)
    }

    /// Texts that were parsed, with their trees.
    #[must_use]
    pub fn parsed(&self) -> &ParsedTexts {
        &self.parsed
    }

    /// Memory of plans that are kept.
    #[must_use]
    pub fn plan_memory(&self) -> &PlanMemory {
        &self.plan_memory
    }

    /// Forgets the plans of all sessions, but of texts that run.
    pub fn forget_plans(&self) {
        self.sessions().iter().for_each(|session| session.forget_plans());
    }

    /// The module of a definition, read at its first use.
    ///
    /// # Errors
    /// What the parser says of its text.
    pub fn read_module(&self, def: &Arc<ModuleDef>) -> SqlResult<Arc<ReadModule>> {
        self.modules.read(&self.parsed, def)
    }

    /// What statements have cost.
    #[must_use]
    pub fn statements(&self) -> &Statements {
        &self.statements
    }

    /// Forgets parsed texts (DBCC FREEPROCCACHE).
    pub fn clear_cache(&self) {
        self.parsed.clear();
        self.statements.clear();
    }

    /// A database by name.
    #[must_use]
    pub fn database_id(&self, name: &str) -> Option<DbId> {
        self.instance()
            .database_reports()
            .into_iter()
            .find(|database| millpond_catalog::names_equal(&database.name, name))
            .map(|database| database.id)
    }

    /// A database as a session has it that is in it.
    #[must_use]
    pub fn current_database(&self, id: DbId) -> CurrentDatabase {
        let name = Arc::from(self.database_name(id).unwrap_or_default());
        CurrentDatabase { id, name, collation: self.databases().collation(id) }
    }

    /// A database's name.
    #[must_use]
    pub fn database_name(&self, id: DbId) -> Option<String> {
        self.instance().database_reports().into_iter().find(|database| database.id == id).map(|database| database.name)
    }
}

fn machine_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .map(|name| name.trim().to_uppercase())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "MILLPOND".to_owned())
}
