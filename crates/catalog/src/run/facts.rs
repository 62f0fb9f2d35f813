//! What a statement may know of its session: SET options, the login, @@ROWCOUNT and its kin, the trigger that runs.
//!
//! What always holds: facts are those of the statement's start; a change is seen by the next one.

use std::sync::Arc;

use millpond_message::error::SqlError;
use millpond_message::sink::Message;
use millpond_storage::contract::{DbId, SessionId};
use millpond_txn::Isolation;
use millpond_types::collation::Collation;
use millpond_types::temporal::{DateOrder, Language, TWO_DIGIT_YEAR_CUTOFF};
use millpond_types::{CastRules, Value};

use crate::schema::{ObjectId, SchemaId};
use crate::security::SecurityContext;

/// Whether statements are answered with their plans instead of being run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Showplan {
    /// They are run.
    Off,
    /// SHOWPLAN_TEXT: the tree of operators.
    Text,
    /// SHOWPLAN_ALL: with columns of each operator.
    All,
    /// SHOWPLAN_XML: a document of the whole batch.
    Xml,
}

/// SET options of a session. Defaults are those of a driver's connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// NOCOUNT
    pub nocount: bool,
    /// QUOTED_IDENTIFIER
    pub quoted_identifier: bool,
    /// ANSI_NULLS
    pub ansi_nulls: bool,
    /// ANSI_PADDING
    pub ansi_padding: bool,
    /// ANSI_WARNINGS
    pub ansi_warnings: bool,
    /// ANSI_NULL_DFLT_ON
    pub ansi_null_default_on: bool,
    /// ANSI_NULL_DFLT_OFF; both may be off, then the database says it, and never both on.
    pub ansi_null_default_off: bool,
    /// ARITHABORT
    pub arithabort: bool,
    /// ARITHIGNORE
    pub arithignore: bool,
    /// CONCAT_NULL_YIELDS_NULL
    pub concat_null_yields_null: bool,
    /// NUMERIC_ROUNDABORT
    pub numeric_roundabort: bool,
    /// XACT_ABORT
    pub xact_abort: bool,
    /// IMPLICIT_TRANSACTIONS
    pub implicit_transactions: bool,
    /// CURSOR_CLOSE_ON_COMMIT
    pub cursor_close_on_commit: bool,
    /// STATISTICS IO
    pub statistics_io: bool,
    /// STATISTICS TIME
    pub statistics_time: bool,
    /// STATISTICS PROFILE
    pub statistics_profile: bool,
    /// STATISTICS XML
    pub statistics_xml: bool,
    /// NOEXEC
    pub noexec: bool,
    /// PARSEONLY
    pub parseonly: bool,
    /// FMTONLY
    pub fmtonly: bool,
    /// FORCEPLAN
    pub forceplan: bool,
    /// The text is being prepared: no SET of it makes a statement run.
    pub prepares: bool,
    /// SHOWPLAN_TEXT, SHOWPLAN_ALL, SHOWPLAN_XML
    pub showplan: Showplan,
    /// ROWCOUNT; 0 = all
    pub rowcount: u64,
    /// TEXTSIZE in bytes: what a large value of a result is cut to; `i32::MAX` and -1 cut nothing
    pub textsize: i32,
    /// LOCK_TIMEOUT in ms; -1 = none
    pub lock_timeout: i32,
    /// DATEFIRST 1–7
    pub datefirst: u8,
    /// SET DATEFIRST has given it: SET LANGUAGE leaves it.
    pub datefirst_is_own: bool,
    /// DATEFORMAT: mdy, dmy, ymd, ydm, myd, dym
    pub dateformat: [u8; 3],
    /// SET DATEFORMAT has given it: SET LANGUAGE leaves it.
    pub dateformat_is_own: bool,
    /// LANGUAGE
    pub language: Language,
    /// 1 read uncommitted, 2 read committed, 3 repeatable read, 4 serializable, 5 snapshot
    pub isolation: u8,
    /// DEADLOCK_PRIORITY
    pub deadlock_priority: i32,
    /// IDENTITY_INSERT: the table that takes identity values, with its name for temporary ones.
    pub identity_insert: Option<(DbId, ObjectId, String)>,
    /// The last year that two digits of a text can mean: the server's `two digit year cutoff` when the session began.
    pub year_cutoff: u16,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            nocount: false,
            quoted_identifier: true,
            ansi_nulls: true,
            ansi_padding: true,
            ansi_warnings: true,
            ansi_null_default_on: true,
            ansi_null_default_off: false,
            arithabort: true,
            arithignore: false,
            concat_null_yields_null: true,
            numeric_roundabort: false,
            xact_abort: false,
            implicit_transactions: false,
            cursor_close_on_commit: false,
            statistics_io: false,
            statistics_time: false,
            statistics_profile: false,
            statistics_xml: false,
            noexec: false,
            parseonly: false,
            fmtonly: false,
            forceplan: false,
            prepares: false,
            showplan: Showplan::Off,
            rowcount: 0,
            textsize: 2_147_483_647,
            lock_timeout: -1,
            datefirst: 7,
            datefirst_is_own: false,
            dateformat: *b"mdy",
            dateformat_is_own: false,
            language: Language::US_ENGLISH,
            isolation: 2,
            deadlock_priority: 0,
            identity_insert: None,
            year_cutoff: TWO_DIGIT_YEAR_CUTOFF,
        }
    }
}

impl Settings {
    /// What conversions heed.
    #[must_use]
    pub fn cast_rules(&self) -> CastRules {
        let date_order = match &self.dateformat {
            b"dmy" => DateOrder::Dmy,
            b"ymd" => DateOrder::Ymd,
            b"ydm" => DateOrder::Ydm,
            b"myd" => DateOrder::Myd,
            b"dym" => DateOrder::Dym,
            _ => DateOrder::Mdy,
        };
        CastRules { date_order, year_cutoff: self.year_cutoff, language: self.language }
    }

    /// The options that have not the values which indexed views ask for, as messages name them.
    #[must_use]
    pub fn wrong_for_views(&self) -> Vec<&'static str> {
        let asked = [
            ("ANSI_NULLS", self.ansi_nulls),
            ("QUOTED_IDENTIFIER", self.quoted_identifier),
            ("CONCAT_NULL_YIELDS_NULL", self.concat_null_yields_null),
            ("ANSI_WARNINGS", self.ansi_warnings),
            ("ANSI_PADDING", self.ansi_padding),
            // ANSI_WARNINGS brings it.
            ("ARITHABORT", self.arithabort || self.ansi_warnings),
            ("NUMERIC_ROUNDABORT", !self.numeric_roundabort),
        ];
        asked.into_iter().filter(|(_, is_right)| !is_right).map(|(name, _)| name).collect()
    }

    /// SET LANGUAGE: the language, and the order of dates and the first day of weeks that it brings. Those that SET
    /// DATEFORMAT and SET DATEFIRST have given stay, whichever came first: drivers set all three at once, the language last.
    pub fn set_language(&mut self, language: Language) {
        let facts = language.facts();
        self.language = language;
        if !self.datefirst_is_own {
            self.datefirst = facts.first_day;
        }
        if !self.dateformat_is_own {
            self.dateformat = facts.date_order;
        }
    }

    /// SET DATEFIRST
    pub fn set_datefirst(&mut self, day: u8) {
        (self.datefirst, self.datefirst_is_own) = (day, true);
    }

    /// SET DATEFORMAT
    pub fn set_dateformat(&mut self, order: [u8; 3]) {
        (self.dateformat, self.dateformat_is_own) = (order, true);
    }

    /// NOEXEC, FMTONLY or a text that is being prepared: statements are bound and not run.
    #[inline]
    #[must_use]
    pub fn runs_nothing(&self) -> bool {
        self.noexec | self.fmtonly | self.prepares
    }

    /// Overflows, divisions by zero and arguments outside of a function's domain give NULL: ARITHABORT OFF, which under
    /// ANSI_WARNINGS ON counts as ON.
    #[inline]
    #[must_use]
    pub fn gives_null_on_error(&self) -> bool {
        !self.ansi_warnings & !self.arithabort
    }

    /// Such an error ends the batch and the transaction.
    #[must_use]
    pub fn ends_batch_on_error(&self) -> bool {
        !self.ansi_warnings && self.arithabort
    }

    /// The isolation level by its name.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        match self.isolation {
            1 => Isolation::ReadUncommitted,
            3 => Isolation::RepeatableRead,
            4 => Isolation::Serializable,
            5 => Isolation::Snapshot,
            _ => Isolation::ReadCommitted,
        }
    }
}

/// The login, and from where; fixed for the session.
#[derive(Clone, Debug, Default)]
pub struct Login {
    /// Login name.
    pub login: String,
    /// Client machine.
    pub host: String,
    /// Client program.
    pub program: String,
    /// Client library.
    pub client_interface: String,
    /// Client process.
    pub host_process_id: i32,
    /// Database wanted, or empty.
    pub database: String,
    /// Language that its sessions begin with: the one wanted, or the login's own; another name, or none, is us_english.
    pub language: String,
    /// Address of the client, or empty for the embedded engine.
    pub client_address: String,
    /// Port of the client.
    pub client_port: u16,
    /// Address and port of the server that it came to; `None` for the embedded engine.
    pub local: Option<std::net::SocketAddr>,
    /// Packet size in bytes.
    pub packet_bytes: u32,
    /// Whether the connection is encrypted.
    pub encrypted: bool,
    /// TDS version, 0x74000004.
    pub tds_version: u32,
}

/// An EXECUTE AS that was not reverted yet.
#[derive(Clone, Debug)]
pub struct Impersonation {
    /// The context that it replaced.
    pub context: Arc<SecurityContext>,
    /// @@NESTLEVEL of the text that said it.
    pub level: u32,
    /// The current database then: REVERT is said there.
    pub database: DbId,
    /// WITH NO REVERT
    pub is_final: bool,
    /// SETUSER: another SETUSER and USE end it.
    pub of_setuser: bool,
    /// What REVERT has to give.
    pub cookie: Option<Arc<[u8]>>,
    /// The one said before it.
    pub before: Option<Arc<Impersonation>>,
}

/// Whose rights a session has from here on.
#[derive(Clone, Debug)]
pub struct Acting {
    /// These.
    pub security: Arc<SecurityContext>,
    /// What it takes to get back.
    pub impersonation: Option<Arc<Impersonation>>,
}

/// What functions and views may know of the session at a statement's start.
#[derive(Clone)]
pub struct SessionFacts {
    /// @@SPID
    pub session: u16,
    /// Current database.
    pub database: DbId,
    /// Its name.
    pub database_name: Arc<str>,
    /// Its collation: that of literals, variables and new columns.
    pub collation: Collation,
    /// Login.
    pub login: Arc<Login>,
    /// Whose rights statements have.
    pub security: Arc<SecurityContext>,
    /// The user's default schema in the current database: where objects without a schema are made.
    pub default_schema: SchemaId,
    /// What EXECUTE AS has put in the place of another.
    pub impersonation: Option<Arc<Impersonation>>,
    /// SET options.
    pub settings: Arc<Settings>,
    /// @@ROWCOUNT
    pub row_count: u64,
    /// @@ERROR
    pub error: i32,
    /// @@TRANCOUNT
    pub tran_count: u32,
    /// Transaction is doomed: XACT_STATE() = -1.
    pub doomed: bool,
    /// @@IDENTITY
    pub identity: Value,
    /// SCOPE_IDENTITY(): the last one of this procedure or text.
    pub scope_identity: Value,
    /// @@NESTLEVEL
    pub nest_level: u32,
    /// @@PROCID: the procedure that runs, or 0.
    pub procedure: i32,
    /// Where names without a schema are looked for before `dbo`: the running module's schema; `dbo` in other texts.
    pub schema: SchemaId,
    /// Where names without a database are looked for, when that is not the current one: a procedure of master runs here.
    pub home: Option<DbId>,
    /// TRY blocks of the callers around this text.
    pub outer_try: u32,
    /// In a function of the user.
    pub in_function: bool,
    /// In an INSERT … EXEC: @@TRANCOUNT at its start.
    pub insert_exec: Option<u32>,
    /// In a trigger, or in what it calls.
    pub trigger: Option<Arc<RunningTrigger>>,
    /// In a CATCH block: the caught error.
    pub caught: Option<Arc<Message>>,
}

/// A database as the current one.
#[derive(Clone, Debug)]
pub struct CurrentDatabase {
    /// Its number.
    pub id: DbId,
    /// Its name.
    pub name: Arc<str>,
    /// Its collation.
    pub collation: Collation,
}

impl SessionFacts {
    /// Those of a session that begins: in master, with these options.
    #[must_use]
    pub fn new(
        session: SessionId,
        login: Arc<Login>,
        security: Arc<SecurityContext>,
        settings: Settings,
    ) -> SessionFacts {
        SessionFacts {
            session: session.0,
            database: DbId::MASTER,
            database_name: Arc::from("master"),
            collation: Collation::default(),
            login,
            security,
            default_schema: SchemaId::DBO,
            impersonation: None,
            settings: Arc::new(settings),
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
        }
    }

    /// The current database.
    #[must_use]
    pub fn current(&self) -> CurrentDatabase {
        CurrentDatabase { id: self.database, name: Arc::clone(&self.database_name), collation: self.collation }
    }

    /// Makes a database the current one, and gives the one that was.
    pub fn enter(&mut self, database: CurrentDatabase) -> CurrentDatabase {
        let before = self.current();
        (self.database, self.database_name, self.collation) = (database.id, database.name, database.collation);
        before
    }

    /// The database of names that say none.
    #[must_use]
    pub fn names_database(&self) -> DbId {
        self.home.unwrap_or(self.database)
    }
}

/// A column of the table of a trigger.
#[derive(Debug)]
pub struct TriggerColumn {
    /// `column_id`
    pub id: i32,
    /// Name.
    pub name: String,
}

/// When a trigger fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerKind {
    /// After a change.
    After,
    /// In the place of a change.
    Instead,
    /// After a definition, or at a login.
    Definition,
}

/// A trigger that runs.
#[derive(Debug)]
pub struct RunningTrigger {
    /// Its database; master where it is the server's.
    pub database: DbId,
    /// Its number there.
    pub object: ObjectId,
    /// The table or view whose rows are changed, by its number there; none of one that a definition or a login fired.
    pub target: Option<ObjectId>,
    /// When it fires.
    pub kind: TriggerKind,
    /// The trigger in which it runs.
    pub outer: Option<Arc<RunningTrigger>>,
    /// EVENTDATA(), of one that a definition or a login fired.
    pub event: Option<Arc<str>>,
    /// The columns of its table.
    pub table_columns: Arc<[TriggerColumn]>,
    /// Positions among them of those that UPDATE() says were set.
    pub columns: Vec<usize>,
    /// Nesting level of its body, where `inserted` and `deleted` are seen.
    pub nest_level: u32,
    /// TRIGGER_NESTLEVEL(): from 1.
    pub nesting: u32,
}

impl RunningTrigger {
    /// This trigger and those in which it runs, from inside out; at most 32.
    pub fn stack(&self) -> impl Iterator<Item = &RunningTrigger> {
        std::iter::successors(Some(self), |trigger| trigger.outer.as_deref())
    }

    /// Whether it is this trigger.
    #[must_use]
    pub fn is(&self, database: DbId, object: ObjectId) -> bool {
        (self.database, self.object) == (database, object)
    }
}

/// Deepest nesting of procedures, functions, triggers and dynamic texts.
pub const NEST_LEVEL_MAX: u32 = 32;

/// 217: what nests deeper than [`NEST_LEVEL_MAX`].
#[must_use]
pub fn too_deep() -> SqlError {
    SqlError::of(217, 1, &[&NEST_LEVEL_MAX])
}
