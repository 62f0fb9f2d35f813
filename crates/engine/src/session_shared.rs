//! The part of a session that others look at: views, KILL, the network, plans on other threads.
//!
//! It knows no statement: what a session keeps of those is [`Kept`].

use std::any::Any;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use millpond_catalog::run::documents::PreparedDocuments;
use millpond_catalog::run::facts::{Login, Settings};
use millpond_catalog::run::random::Random;
use millpond_catalog::security::SecurityContext;
use millpond_catalog::visible::VisibleObjects;
use millpond_storage::ask::Task;
use millpond_storage::contract::{DbId, SessionId};
use millpond_tsql::secret::may_have_secret;
use millpond_tsql::{ParseOptions, parse_batch};
use parking_lot::{Mutex, RwLock};

use crate::account::command::RunningCommand;
use crate::account::cpu::SessionCpu;
use crate::account::cursor_accounts::CursorAccounts;
use crate::account::live_statements::LiveStatements;
use crate::account::running_statement::RunningStatement;
use crate::account::traffic::Traffic;
use crate::session_values::SessionValues;
use crate::temp::TempCatalog;

/// What a session keeps for the crate that runs its statements.
pub trait Kept: Any + Send + Sync {
    /// Forgets plans, but not those of texts that run.
    fn forget_plans(&self);

    /// The value itself, for the crate that made it.
    fn as_any(&self) -> &dyn Any;
}

/// What the session runs now.
#[derive(Clone, Debug)]
pub struct Request {
    /// Local time of its start, microseconds since 1970.
    pub start_us: i64,
    /// Text of the batch or call.
    pub text: Arc<str>,
    /// What the session had read and written before it.
    pub before: RequestIo,
}

/// What a session, or a request of it, has read and written.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestIo {
    /// Pages read from files, ahead of need too.
    pub reads: u64,
    /// Pages that became dirty.
    pub writes: u64,
    /// Pages asked for.
    pub logical_reads: u64,
}

impl RequestIo {
    /// What the session of that task has read and written so far.
    #[must_use]
    pub fn of(task: &Task) -> RequestIo {
        let io = &task.io;
        RequestIo {
            reads: io.physical_reads.load(Relaxed) + io.read_ahead_reads.load(Relaxed),
            writes: io.pages_dirtied.load(Relaxed),
            logical_reads: io.logical_reads.load(Relaxed),
        }
    }

    /// The same since then.
    #[must_use]
    pub fn since(self, before: RequestIo) -> RequestIo {
        RequestIo {
            reads: self.reads.saturating_sub(before.reads),
            writes: self.writes.saturating_sub(before.writes),
            logical_reads: self.logical_reads.saturating_sub(before.logical_reads),
        }
    }
}

/// What views show of a session beside its counters.
#[derive(Clone, Debug)]
pub struct Status {
    /// Current database.
    pub database: DbId,
    /// Databases that it is in beside that: those of the scopes around, and of modules that run.
    pub stays: Vec<DbId>,
    /// Those that statements name which run now, with their @@NESTLEVEL.
    pub named: Vec<(u32, DbId)>,
    /// SET options.
    pub settings: Arc<Settings>,
    /// Whose rights it has.
    pub acting: Arc<SecurityContext>,
    /// Whose rights it had when it was opened.
    pub original: Arc<SecurityContext>,
    /// Running request.
    pub request: Option<Request>,
    /// The last request's text.
    pub last_text: Arc<str>,
    /// How many parameters it had, where it was a call of the wire.
    pub last_parameters: Option<usize>,
    /// Local time of the last request's start, microseconds since 1970.
    pub last_start_us: i64,
    /// Local time of the last request's end.
    pub last_end_us: i64,
    /// @@ROWCOUNT at the last request's end.
    pub row_count: u64,
    /// @@ERROR at the last request's end.
    pub error: i32,
    /// CPU time of finished requests.
    pub cpu_us: u64,
    /// Elapsed time of finished requests.
    pub elapsed_us: u64,
}

impl Status {
    /// Whether the session is in a database: whoever wants that for itself finds it there.
    #[must_use]
    pub fn is_in(&self, db: DbId) -> bool {
        self.database == db || self.stays.contains(&db) || self.named.iter().any(|(_, named)| *named == db)
    }

    /// The text of the last request; none where a password may be written in it.
    #[must_use]
    pub fn shown_text(&self) -> Option<&Arc<str>> {
        let is_shown = match parse_batch(&self.last_text, ParseOptions { quoted_identifier: true }) {
            Ok(batch) => !batch.has_password,
            // What it would have been is not known.
            Err(_) => !may_have_secret(&self.last_text) && !self.last_text.to_ascii_lowercase().contains("password"),
        };
        Some(&self.last_text).filter(|_| is_shown)
    }
}

/// Whose rights a session has of which nothing else was said yet.
static SA: LazyLock<Arc<SecurityContext>> = LazyLock::new(SecurityContext::sa);

/// The part of a session that others may look at: views, KILL, the network.
pub struct SessionShared {
    /// Number.
    pub id: SessionId,
    /// Documents that it has prepared for OPENXML.
    pub documents: PreparedDocuments,
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
    /// The statement that runs, or has run last.
    pub statement: RunningStatement,
    /// Its statements whose operators keep account.
    pub live: LiveStatements,
    /// What the request does.
    pub command: RunningCommand,
    /// @@NESTLEVEL of the statement that began last.
    pub nest_level: AtomicU32,
    /// @@TRANCOUNT, as it is now.
    pub tran_count: AtomicU32,
    /// RAND's generator.
    pub random: Random,
    /// CONTEXT_INFO.
    pub context_info: Mutex<Option<Box<[u8]>>>,
    /// What `sp_set_session_context` has set.
    pub values: Mutex<SessionValues>,
    /// Its cursors.
    pub cursors: CursorAccounts,
    /// @@CURSOR_ROWS
    pub cursor_rows: AtomicI32,
    /// How many cursors were opened: which one was the last.
    pub cursors_opened: AtomicU64,
    /// @@FETCH_STATUS
    pub fetch_status: AtomicI32,
    /// Whether its status has databases that statements name.
    pub has_named: AtomicBool,
    /// KILL was said: the session ends with its request.
    pub killed: AtomicBool,
    /// What only the crate that runs statements knows: plans, sessions in which functions run.
    pub kept: Box<dyn Kept>,
    /// The first rowversion value of the open transaction, by database.
    pub row_versions: Mutex<Vec<(DbId, u64)>>,
    /// Trace flags of this session alone.
    pub trace_flags: Mutex<std::collections::BTreeSet<i32>>,
    /// Plans of the session that run with memory granted, one inside the other.
    pub works: Arc<AtomicU32>,
    /// What its transaction is called, as views show it: by its name, or by how it was begun.
    pub transaction_name: Mutex<Cow<'static, str>>,
    /// Pages that its statements have spilled.
    pub spilled_pages: AtomicU64,
    /// Threads that its parallel plans have now.
    pub workers: AtomicU32,
    /// What it has seen of definitions.
    pub visible: VisibleObjects,
    /// CPU time.
    pub cpu: SessionCpu,
    /// Packets of its connection.
    pub traffic: Arc<Traffic>,
}

impl SessionShared {
    /// A statement of that level has ended: the session is not in the databases any more that it named.
    #[inline]
    pub fn end_statement(&self, nest_level: u32) {
        if self.has_named.load(Relaxed) {
            self.leave_named(nest_level);
        }
    }

    #[cold]
    fn leave_named(&self, nest_level: u32) {
        let named = &mut self.status.lock().named;
        named.retain(|(level, _)| *level < nest_level);
        self.has_named.store(!named.is_empty(), Relaxed);
    }

    /// A plan begins that needs memory; says how many do already.
    pub fn enter_work(&self) -> u32 {
        self.works.fetch_add(1, Relaxed)
    }

    /// Such a plan has ended.
    pub fn leave_work(&self) {
        self.works.fetch_sub(1, Relaxed);
    }

    /// A session that begins; `login_us` is local time in microseconds since 1970.
    pub fn new(id: SessionId, login: Login, login_us: i64, kept: Box<dyn Kept>) -> SessionShared {
        let seed = entropy();
        SessionShared {
            id,
            login: Arc::new(login),
            login_us,
            task: Arc::new(Task::new(id)),
            temp: RwLock::default(),
            status: Mutex::new(Status {
                database: DbId::MASTER,
                stays: Vec::new(),
                named: Vec::new(),
                settings: Arc::new(Settings::default()),
                acting: Arc::clone(&SA),
                original: Arc::clone(&SA),
                request: None,
                last_text: Arc::from(""),
                last_parameters: None,
                last_start_us: login_us,
                last_end_us: login_us,
                row_count: 0,
                error: 0,
                cpu_us: 0,
                elapsed_us: 0,
            }),
            statement: RunningStatement::default(),
            live: LiveStatements::default(),
            command: RunningCommand::default(),
            nest_level: AtomicU32::new(0),
            tran_count: AtomicU32::new(0),
            random: Random::new(seed),
            documents: PreparedDocuments::default(),
            context_info: Mutex::new(None),
            values: Mutex::default(),
            cursors: CursorAccounts::default(),
            cursor_rows: AtomicI32::new(0),
            cursors_opened: AtomicU64::new(0),
            fetch_status: AtomicI32::new(0),
            has_named: AtomicBool::new(false),
            killed: AtomicBool::new(false),
            kept,
            row_versions: Mutex::default(),
            trace_flags: Mutex::default(),
            works: Arc::default(),
            transaction_name: Mutex::new(Cow::Borrowed("")),
            spilled_pages: AtomicU64::new(0),
            workers: AtomicU32::new(0),
            visible: VisibleObjects::default(),
            cpu: SessionCpu::default(),
            traffic: Arc::new(Traffic::new([entropy(), entropy()])),
        }
    }

    /// Forgets plans that are kept, but not those of texts that run.
    pub fn forget_plans(&self) {
        self.kept.forget_plans();
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
        // RAND and connections need variety, not secrecy.
        Err(_) => u64::from(std::process::id()).wrapping_mul(0x9E37_79B9_7F4A_7C15),
    }
}
