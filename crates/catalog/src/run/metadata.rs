//! What functions ask the engine for: databases, objects, files, the server's names, the session's random numbers.
//!
//! The trait belongs to the functions; the engine implements it for the current session. All names are compared
//! without regard to case. "Current" always means the session's current database.
//!
//! It knows no definitions of tables: their expressions call functions, and of a table functions see only the facts below.

use std::sync::Arc;

use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseOptions;
use millpond_txn::lock::LockRow;
use millpond_types::{Collation, SqlType, Value};

use super::random::Random;
use crate::module::ModuleDef;
use crate::run::user_message::UserMessage;
use crate::schema::ObjectId;

/// A name of up to four parts, without its brackets or quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameParts {
    /// Linked server, or `None` when left out.
    pub server: Option<String>,
    /// Database, or `None` for the current one.
    pub database: Option<String>,
    /// Schema, or `None` for the default one.
    pub schema: Option<String>,
    /// Object.
    pub object: String,
}

/// An object as `sys.objects` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectFacts {
    /// Name.
    pub name: String,
    /// Schema it belongs to.
    pub schema_id: i32,
    /// Name of that schema.
    pub schema: String,
    /// Type as in `sys.objects`, without blanks: `U`, `V`, `P`, `S`, `IT`, `TF`.
    pub kind: &'static str,
}

/// A column of an index's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexColumnFacts {
    /// `column_id`
    pub column_id: i32,
    /// Name of the column.
    pub name: String,
    /// DESC
    pub descending: bool,
}

/// A filegroup of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilegroupFacts {
    /// Number.
    pub id: i32,
    /// Name.
    pub name: String,
    /// Whether what says nothing of its place goes there.
    pub is_default: bool,
    /// Whether nothing in it changes.
    pub is_read_only: bool,
}

/// A file of the current database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Number in its database, from 1.
    pub file_id: i32,
    /// Logical name.
    pub name: String,
    /// It holds log, not rows.
    pub is_log: bool,
    /// It takes no writes.
    pub is_read_only: bool,
}

/// A database as DATABASEPROPERTYEX shows it; the texts are those of `sys.databases`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// `SIMPLE`, `FULL`, `BULK_LOGGED`.
    pub recovery: &'static str,
    /// `ONLINE`, `RESTORING` …
    pub status: &'static str,
    /// `MULTI_USER`, `SINGLE_USER`, `RESTRICTED_USER`.
    pub user_access: &'static str,
    /// What ALTER DATABASE … SET says.
    pub options: DatabaseOptions,
    /// Collation.
    pub collation: Collation,
    /// When it was made, in microseconds since 1970 of the server's time zone.
    pub created_us: i64,
    /// When DBCC CHECKDB last found nothing wrong, likewise; `None` for never.
    pub last_good_check_us: Option<i64>,
}

/// Names of the instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFacts {
    /// Machine.
    pub machine: String,
    /// Instance name; `None` for the default instance.
    pub instance: Option<String>,
    /// Where files of databases go that are named without a folder; `None` without a disk.
    pub data_dir: Option<String>,
    /// The same of their logs.
    pub log_dir: Option<String>,
    /// The same of backups.
    pub backup_dir: Option<String>,
}

impl ServerFacts {
    /// `MACHINE` or `MACHINE\INSTANCE`, as @@SERVERNAME gives it.
    #[must_use]
    pub fn server_name(&self) -> String {
        match &self.instance {
            Some(instance) => format!("{}\\{instance}", self.machine),
            None => self.machine.clone(),
        }
    }

    /// @@SERVICENAME: `MSSQLSERVER` or the instance name.
    #[must_use]
    pub fn service_name(&self) -> &str {
        self.instance.as_deref().unwrap_or("MSSQLSERVER")
    }
}

/// What the instance has used since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time since the start.
    pub up_us: u64,
    /// CPU time of the process, all cores together.
    pub cpu_us: u64,
    /// Time spent in I/O requests.
    pub io_us: u64,
    /// Cores of the machine.
    pub cpu_count: u32,
    /// Read requests to files.
    pub reads: u64,
    /// Write requests to files.
    pub writes: u64,
    /// Connections accepted, also failed logins.
    pub connections: u64,
    /// Packets that came over connections.
    pub packets_received: u64,
    /// Packets that went over connections.
    pub packets_sent: u64,
    /// Packets that could not be read.
    pub packet_errors: u64,
    /// Requests to files that failed.
    pub io_errors: u64,
}

/// Cursors: whose, name in lower case, what CURSOR_STATUS says.
pub type CursorStates = Vec<(&'static str, String, i16)>;

/// What functions ask the engine for.
pub trait Catalog {
    /// A database's number.
    fn database_id(&self, name: &str) -> Option<DbId>;
    /// A database's name.
    fn database_name(&self, id: DbId) -> Option<String>;
    /// The objects that these numbers and names mean, or of which they are constraints, those of the server too; in no order.
    ///
    /// # Errors
    /// Those of a database that is not available.
    fn owners(&self, database: DbId, ids: &[i32], names: &[&str]) -> SqlResult<Vec<ObjectId>>;
    /// A database's state.
    fn database(&self, id: DbId) -> Option<DatabaseFacts>;

    /// The id of an object; `kind` is a type as in `sys.objects` (`U`, `P`). `tempdb..#t` and `#t` name temp tables
    /// of this session, the latter also while another database is current.
    fn object_id(&self, name: &NameParts, kind: Option<&str>) -> Option<i32>;
    /// An object by id.
    fn object(&self, id: i32, database: DbId) -> Option<ObjectFacts>;
    /// The procedure that runs now; 0 outside of any (@@PROCID).
    fn procedure_id(&self) -> i32;

    /// A schema's number in the current database.
    fn schema_id(&self, name: &str) -> Option<i32>;
    /// A schema's name in the current database.
    fn schema_name(&self, id: i32) -> Option<String>;
    /// The schema in which the session's user makes and looks for what has no other, with its number.
    fn default_schema(&self) -> (i32, String);

    /// Files of the current database.
    fn files(&self) -> Vec<FileFacts>;
    /// Filegroups of the current database, in order of their numbers.
    fn filegroups(&self) -> Vec<FilegroupFacts>;
    /// Pages in allocated extents of a file of the current database.
    fn file_used_pages(&self, file_id: i32) -> Option<i64>;

    /// A message that a user has added, in a language or else in English; the English text comes after it.
    fn user_message(&self, number: i32, language: i16) -> Option<(UserMessage, String)>;

    /// The instance's names.
    fn server(&self) -> ServerFacts;
    /// What the instance has used.
    fn usage(&self) -> Usage;
    /// Most user connections at once (@@MAX_CONNECTIONS).
    fn max_connections(&self) -> i32;
    /// The number of the session's transaction, as `sys.dm_tran_current_transaction` has it; of a statement that has none, one
    /// of its own.
    fn transaction_id(&self) -> i64;
    /// Process id of the server.
    fn process_id(&self) -> u32;

    /// CONTEXT_INFO of the session, 128 bytes; `None` until SET CONTEXT_INFO.
    fn context_info(&self) -> Option<Box<[u8]>>;
    /// The value of a key of the session (SESSION_CONTEXT); NULL for none.
    fn session_value(&self, key: &str) -> Value;
    /// @@CURSOR_ROWS: rows of the cursor that was opened last.
    fn cursor_rows(&self) -> i32;
    /// @@FETCH_STATUS: 0 before the first FETCH.
    fn fetch_status(&self) -> i32;
    /// RAND's generator of the session.
    fn random(&self) -> &Random;

    /// The name of a column, by its number, of a table, view or table-valued function of the current database or tempdb.
    fn column_name(&self, object_id: i32, column_id: i64) -> Option<String>;
    /// The type of such a column, by its name, of an object of any database.
    fn column_type(&self, of: (DbId, i32), name: &str) -> Option<SqlType>;
    /// What COLUMNPROPERTY says of such a column; `property` is in lower case.
    fn column_property(&self, object_id: i32, name: &str, property: &str) -> Value;
    /// What OBJECTPROPERTY says of a table of the current database or temporary table of this session, where it is a property
    /// that only tables have; `property` is in lower case.
    fn table_property(&self, table: i32, property: &str) -> Value;
    /// What OBJECTPROPERTY says of a trigger, or of the triggers of a table or view, of the current database; `property` is in
    /// lower case.
    fn trigger_property(&self, object_id: i32, property: &str) -> Value;
    /// The type of an object of the current database or of the server, of a synonym that of what it stands for; `None` where
    /// that is not there.
    fn base_type(&self, object_id: i32) -> Option<&'static str>;
    /// Rows of a table of the current database or temporary table of this session: counted in its leaves, in a sample of
    /// those of great ones.
    fn row_count(&self, table: i32) -> Option<i64>;
    /// Seed and increment of the identity column of such a table of any database.
    fn identity(&self, table: (DbId, i32)) -> Option<(i64, i64)>;
    /// What INDEXPROPERTY says of an index of such a table; `property` is in lower case.
    fn index_property(&self, table: i32, index: &str, property: &str) -> Value;
    /// The column at a place, from 1, of the key of an index of such a table of any database, by the index's number.
    fn index_column(&self, table: (DbId, i32), index_id: i64, place: i64) -> Option<IndexColumnFacts>;
    /// A view, procedure, function or trigger of the current database.
    fn module_of(&self, object_id: i32) -> Option<Arc<ModuleDef>>;
    /// The text of a module as it is shown; NULL for one that is encrypted.
    fn shown_text(&self, module: &Arc<ModuleDef>) -> Value;
    /// The user who owns an object of the current database, by itself or with its schema; both by number.
    fn owner_of(&self, object_id: i32, schema_id: i32) -> i32;
    /// Whether a module was made WITH ENCRYPTION.
    fn is_encrypted(&self, module: &Arc<ModuleDef>) -> bool;
    /// Whether a module was made WITH SCHEMABINDING.
    fn is_schema_bound(&self, module: &Arc<ModuleDef>) -> bool;
    /// The condition of a CHECK constraint or the expression of a DEFAULT, by the constraint's object.
    fn constraint_text(&self, object_id: i32) -> Option<Value>;
    /// The identity value given last, the seed before the first (IDENT_CURRENT); `None` without identity column.
    fn last_identity(&self, table: (DbId, i32)) -> Option<i64>;
    /// The name of a type that the user made.
    fn user_type_name(&self, id: i32) -> Option<String>;
    /// The number of such a type.
    fn user_type_id(&self, name: &NameParts) -> Option<i32>;
    /// What such a type is another name of, by its number, and whether a column of it takes NULL that says nothing.
    fn user_type(&self, id: i32) -> Option<(SqlType, bool)>;
    /// When statistics of a table were made, in microseconds since 1970; `None` where there are none, or of no rows.
    ///
    /// # Errors
    /// When the database is not available.
    fn statistics_made_us(&self, table: i32, statistics: i64) -> SqlResult<Option<i64>>;

    /// The last rowversion value of a database.
    ///
    /// # Errors
    /// When the database is not available.
    fn last_row_version(&self, database: DbId) -> SqlResult<u64>;
    /// The least rowversion value that an open transaction has given; the next one when there is none.
    ///
    /// # Errors
    /// When the database is not available.
    fn least_active_row_version(&self, database: DbId) -> SqlResult<u64>;
    /// All locks that are held or waited for.
    fn locks(&self) -> Vec<LockRow>;
    /// What CURSOR_STATUS says of a cursor: `scope` is `local`, `global` or `variable`, `name` in lower case.
    fn cursor_state(&self, scope: &str, name: &str) -> Option<i16>;
}
