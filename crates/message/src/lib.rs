//! SQL Server's numbers and texts for the errors of all layers. The only file that knows that a full filegroup is 1105
//! and a lost name 208; everybody below has errors of his own.

pub mod absent;
pub mod error;
pub mod sink;

use std::sync::Arc;

use millpond_access::AccessError;
use millpond_storage::contract::IoFailure;
use millpond_storage::database::alter_file::AlterFileError;
use millpond_storage::database::{DatabaseState, Unavailable};
use millpond_storage::extension::ExtensionError;
use millpond_storage::instance::options::OptionError;
use millpond_storage::instance::settings::{ReconfigureError, SettingsError};
use millpond_storage::pool::PoolError;
use millpond_storage::space::SpaceError;
use millpond_storage::tempdb::files::TempdbConfigError;
use millpond_storage::tempdb::undo_log::LogError;
use millpond_storage::wal::checkpoint::CheckpointError;
use millpond_txn::TxnError;
use millpond_types::EvalError;

use crate::error::SqlError;

pub mod backup;
pub mod bulk;
pub mod class;

pub use class::{Ends, SEVERITY_FATAL, ends, is_of_binding, rolls_back, when_bound};

fn error(number: i32, text: impl Into<String>) -> SqlError {
    SqlError::new(number, 16, 1, text)
}

/// An error of evaluation.
#[must_use]
pub fn of_eval(cause: impl Into<Box<EvalError>>) -> SqlError {
    let cause = cause.into();
    let state = match *cause {
        EvalError::Truncation { .. } => 30,
        _ => 1,
    };
    SqlError::new(cause.number(), 16, state, cause.to_string())
}

/// A text that does not parse.
#[must_use]
pub fn of_syntax(cause: millpond_tsql::SyntaxError) -> SqlError {
    let module = cause.module.map(Arc::from);
    SqlError::new(cause.number, cause.severity, cause.state, cause.message).at(cause.line).inside(module.as_ref())
}

/// 102
#[must_use]
pub fn syntax_near(token: &str) -> SqlError {
    SqlError::new(102, 15, 1, format!("Incorrect syntax near '{token}'."))
}

/// 137, and 40517 for a `@@` value that SQL Server has.
#[must_use]
pub fn undeclared_variable(name: &str) -> SqlError {
    if name.starts_with("@@") && absent::function(name) {
        return missing(&name.to_ascii_uppercase());
    }
    SqlError::new(137, 15, 2, format!("Must declare the scalar variable \"{name}\"."))
}

/// 1087
#[must_use]
pub fn undeclared_table_variable(name: &str) -> SqlError {
    SqlError::new(1087, 15, 2, format!("Must declare the table variable \"{name}\"."))
}

/// 134
#[must_use]
pub fn duplicate_variable(name: &str) -> SqlError {
    SqlError::new(
        134,
        15,
        1,
        format!(
            "The variable name '{name}' has already been declared. Variable names must be unique within a query batch or stored procedure."
        ),
    )
}

/// 207
#[must_use]
pub fn invalid_column(name: &str) -> SqlError {
    error(207, format!("Invalid column name '{name}'."))
}

/// 128
#[must_use]
pub fn column_not_permitted(name: &str) -> SqlError {
    let text = format!(
        "The name \"{name}\" is not permitted in this context. Valid expressions are constants, constant expressions, and \
         (in some contexts) variables. Column names are not permitted."
    );
    SqlError::new(128, 15, 1, text)
}

/// 201
#[must_use]
pub fn missing_argument(procedure: &str, parameter: &str) -> SqlError {
    let text = format!("Procedure or function '{procedure}' expects parameter '{parameter}', which was not supplied.");
    SqlError::new(201, 16, 4, text)
}

/// 4115
#[must_use]
pub fn column_of_a_count(name: &str) -> SqlError {
    let text = format!(
        "The reference to column \"{name}\" is not allowed in an argument to a TOP, OFFSET, or FETCH clause. Only references \
         to columns at an outer scope or standalone expressions and subqueries are allowed here."
    );
    SqlError::new(4115, 15, 1, text)
}

/// 208, and 40517 for what SQL Server itself has of that name.
#[must_use]
pub fn invalid_object(name: &str) -> SqlError {
    if absent::relation(name) {
        return missing(name);
    }
    error(208, format!("Invalid object name '{name}'."))
}

/// 209
#[must_use]
pub fn ambiguous_column(name: &str) -> SqlError {
    error(209, format!("Ambiguous column name '{name}'."))
}

/// 4104
#[must_use]
pub fn unbound_identifier(name: &str) -> SqlError {
    error(4104, format!("The multi-part identifier \"{name}\" could not be bound."))
}

/// 107
#[must_use]
pub fn unknown_prefix(name: &str) -> SqlError {
    SqlError::new(
        107,
        15,
        1,
        format!("The column prefix '{name}' does not match with a table name or alias name used in the query."),
    )
}

/// 195, and 40517 for a function that SQL Server has.
#[must_use]
pub fn unknown_function(name: &str) -> SqlError {
    if absent::function(name) {
        return missing(&format!("The function {}", name.to_ascii_uppercase()));
    }
    SqlError::new(195, 15, 10, format!("'{name}' is not a recognized built-in function name."))
}

/// 174
#[must_use]
pub fn argument_count(name: &str, wanted: usize) -> SqlError {
    SqlError::new(174, 15, 1, format!("The {} function requires {wanted} argument(s).", name.to_ascii_lowercase()))
}

/// 155
#[must_use]
pub fn unknown_date_part(word: &str, function: &str) -> SqlError {
    SqlError::new(155, 15, 1, format!("'{word}' is not a recognized {} option.", function.to_ascii_lowercase()))
}

/// 1750 after an error of a constraint or key that is not made; other errors as they are.
#[must_use]
pub fn constraint_not_made(cause: SqlError) -> SqlError {
    let of_constraint = matches!(
        cause.number,
        1505 | 1711
            | 1753
            | 1754
            | 1755
            | 1757
            | 1761
            | 1762
            | 1764
            | 1767
            | 1768
            | 1769
            | 1770
            | 1773
            | 1774
            | 1776
            | 1778
            | 1779
            | 1781
            | 1785
            | 1919
            | 1944
            | 2714
            | 8111
            | 8139
            | 8141
    );
    if !of_constraint || cause.before.is_some() {
        return cause;
    }
    let line = cause.line;
    SqlError::new(1750, 16, 1, "Could not create constraint or index. See previous errors.").at(line).after(cause)
}

/// 2760
#[must_use]
pub fn unknown_schema(name: &str) -> SqlError {
    let text =
        format!("The specified schema name \"{name}\" either does not exist or you do not have permission to use it.");
    SqlError::new(2760, 16, 1, text)
}

/// 2714
#[must_use]
pub fn object_exists(name: &str) -> SqlError {
    SqlError::new(2714, 16, 6, format!("There is already an object named '{name}' in the database."))
}

/// 2714: a text that makes two temporary tables of one name is refused before it runs.
#[must_use]
pub fn made_twice(name: &str) -> SqlError {
    SqlError { state: 1, ..object_exists(name) }
}

/// 3701
#[must_use]
pub fn cannot_drop(kind: &str, name: &str) -> SqlError {
    SqlError::new(
        3701,
        11,
        5,
        format!("Cannot drop the {kind} '{name}', because it does not exist or you do not have permission."),
    )
}

/// 1088
#[must_use]
pub fn no_such_object(name: &str) -> SqlError {
    let text = format!("Cannot find the object \"{name}\" because it does not exist or you do not have permissions.");
    SqlError::new(1088, 16, 12, text)
}

/// 4701
#[must_use]
pub fn cannot_truncate(name: &str) -> SqlError {
    error(4701, format!("Cannot find the object \"{name}\" because it does not exist or you do not have permissions."))
}

/// 515
#[must_use]
pub fn null_in_column(column: &str, table: &str, verb: &str) -> SqlError {
    SqlError::new(
        515,
        16,
        2,
        format!(
            "Cannot insert the value NULL into column '{column}', table '{table}'; column does not allow nulls. {verb} fails."
        ),
    )
}

/// 2628
#[must_use]
pub fn truncated(table: &str, column: &str, value: &str) -> SqlError {
    error(
        2628,
        format!(
            "String or binary data would be truncated in table '{table}', column '{column}'. Truncated value: '{value}'."
        ),
    )
}

/// 213
#[must_use]
pub fn column_count_mismatch() -> SqlError {
    error(213, "Column name or number of supplied values does not match table definition.")
}

/// 10700
#[must_use]
pub fn read_only_parameter(name: &str) -> SqlError {
    let text = format!("The table-valued parameter \"{name}\" is READONLY and cannot be modified.");
    SqlError::new(10_700, 16, 1, text)
}

/// 10742
#[must_use]
pub fn negative_offset() -> SqlError {
    SqlError::new(10_742, 15, 1, "The offset specified in a OFFSET clause may not be negative.")
}

/// 512
#[must_use]
pub fn several_values() -> SqlError {
    let text = "Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or when the subquery is used as an expression.";
    SqlError::new(512, 16, 1, text)
}

/// 10744; the words are SQL Server's.
#[must_use]
pub fn nothing_to_fetch() -> SqlError {
    SqlError::new(10_744, 15, 1, "The number of rows provided for a FETCH clause must be greater then zero.")
}

/// 4060
#[must_use]
pub fn cannot_open_database(name: &str) -> SqlError {
    let text = format!("Cannot open database \"{name}\" requested by the login. The login failed.");
    SqlError::new(4060, 11, 1, text)
}

/// 911
#[must_use]
pub fn unknown_database(name: &str) -> SqlError {
    error(911, format!("Database '{name}' does not exist. Make sure that the name is entered correctly."))
}

/// 7202: there are no linked servers.
#[must_use]
pub fn unknown_server(name: &str) -> SqlError {
    let text = format!(
        "Could not find server '{name}' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers."
    );
    SqlError::new(7202, 11, 2, text)
}

/// 448, and 40517 for a collation that SQL Server has.
#[must_use]
pub fn invalid_collation(name: &str) -> SqlError {
    if absent::collation(name) {
        return missing(&format!("The collation {name}"));
    }
    error(448, format!("Invalid collation '{name}'."))
}

/// 2526, and 40517 for a DBCC command that SQL Server has.
#[must_use]
pub fn unknown_dbcc(command: &str) -> SqlError {
    if absent::dbcc(command) {
        return missing(&format!("DBCC {}", command.to_ascii_uppercase()));
    }
    let text = format!(
        "Incorrect DBCC statement. Check the documentation for the correct DBCC syntax and options. ({command})"
    );
    SqlError::new(2526, 16, 3, text)
}

/// 195, and 40517 for a SET option that SQL Server has.
#[must_use]
pub fn unknown_option(name: &str) -> SqlError {
    if absent::option(name) {
        return missing(&format!("SET {}", name.to_ascii_uppercase()));
    }
    SqlError::new(195, 15, 7, format!("'{name}' is not a recognized SET option."))
}

/// 2812, and 40517 for a procedure that SQL Server has.
#[must_use]
pub fn unknown_procedure(name: &str) -> SqlError {
    let last = name.rsplit('.').next().unwrap_or(name);
    if absent::procedure(last) {
        return missing(&format!("The procedure {}", last.to_ascii_lowercase()));
    }
    SqlError::new(2812, 16, 62, format!("Could not find stored procedure '{name}'."))
}

/// 40517-like: a statement or clause that is understood but not there yet. The text names it.
#[must_use]
pub fn missing(what: &str) -> SqlError {
    SqlError::new(MISSING, 16, 1, format!("{what} is not supported in this version of Millpond."))
}

/// Number of a division by zero.
pub const DIVIDE_BY_ZERO: i32 = 8134;
/// Number of an argument outside of a function's domain.
pub const OUT_OF_DOMAIN: i32 = 3623;

/// Whether an error is one of arithmetic: an overflow, a division by zero, an argument outside of a function's domain.
#[must_use]
pub fn is_arithmetic(number: i32) -> bool {
    matches!(number, DIVIDE_BY_ZERO | OUT_OF_DOMAIN | 220 | 232 | 236 | 244 | 248 | 294 | 8115)
}

/// 219
#[must_use]
pub fn type_exists(schema: &str, name: &str) -> SqlError {
    let text = format!("The type '{schema}.{name}' already exists, or you do not have permission to create it.");
    SqlError::new(219, 16, 1, text)
}

/// Number of [`missing`].
pub const MISSING: i32 = 40517;

/// 3621
#[must_use]
pub fn statement_terminated() -> crate::sink::Message {
    crate::sink::Message {
        number: 3621,
        severity: 0,
        state: 0,
        line: 0,
        procedure: String::new(),
        text: "The statement has been terminated.".to_owned(),
    }
}

/// 2801-like: definitions kept changing while the statement was prepared; it is worth another try.
#[must_use]
pub fn schema_changed() -> SqlError {
    SqlError::new(
        8179,
        16,
        1,
        "The definition of an object that the statement uses changed while the statement was prepared. Rerun the statement.",
    )
}

/// A database that cannot be used now: 942 offline, 927 being restored, 945 files missing, 926 suspect.
#[must_use]
pub fn of_unavailable(cause: &Unavailable) -> SqlError {
    let name = &cause.name;
    match &cause.state {
        DatabaseState::Offline => {
            SqlError::new(942, 14, 4, format!("Database '{name}' cannot be opened because it is offline."))
        }
        DatabaseState::Restoring => {
            SqlError::new(927, 14, 2, format!("Database '{name}' cannot be opened. It is in the middle of a restore."))
        }
        DatabaseState::Suspect { reason } => SqlError::new(
            926,
            14,
            1,
            format!(
                "Database '{name}' cannot be opened. It has been marked SUSPECT by recovery: {reason}. See the SQL Server errorlog for more information."
            ),
        ),
        DatabaseState::Emergency { reason } => SqlError::new(
            926,
            14,
            2,
            format!(
                "Database '{name}' cannot be opened. It is in EMERGENCY mode because of: {reason}. DBCC CHECKDB with REPAIR_ALLOW_DATA_LOSS opens it with what can be read of its log."
            ),
        ),
        DatabaseState::RecoveryPending { reason } => SqlError::new(
            945,
            14,
            2,
            format!(
                "Database '{name}' cannot be opened due to inaccessible files or insufficient memory or disk space: {reason}. See the SQL Server errorlog for details."
            ),
        ),
        DatabaseState::Recovering | DatabaseState::Online => SqlError::new(
            922,
            14,
            2,
            format!("Database '{name}' is being recovered. Waiting until recovery is finished."),
        ),
    }
}

/// 0 (3617 in the log): the client cancelled. Never sent: attention is answered by DONE.
#[must_use]
pub fn cancelled() -> SqlError {
    SqlError::new(CANCELLED, 11, 0, "Operation cancelled by user.")
}

/// Whether an error is of the moment, a lock that was waited for among others, and not of the text that was bound.
#[must_use]
pub fn is_of_the_moment(error: &SqlError) -> bool {
    matches!(error.number, CANCELLED | 1205 | 1222) || error.severity >= 17
}

impl From<millpond_types::Stopped> for SqlError {
    fn from(_: millpond_types::Stopped) -> SqlError {
        cancelled()
    }
}

/// Number of [`cancelled`].
pub const CANCELLED: i32 = 3617;

/// 924
#[must_use]
pub fn single_user(database: &str) -> SqlError {
    let text = format!("Database '{database}' is already open and can only have one user at a time.");
    SqlError::new(924, 14, 1, text)
}

/// 2754
#[must_use]
pub fn severity_needs_log() -> SqlError {
    SqlError::new(
        2754,
        16,
        1,
        "Error severity levels greater than 18 can only be specified by members of the sysadmin role, using the WITH LOG \
         option.",
    )
}

/// RAISERROR of a number: 2732 for one that no message of a user has, 18054 for one without a message.
#[must_use]
pub fn no_such_message(number: i32, severity: u8, state: u8) -> SqlError {
    if number < 13_000 || number == 50_000 {
        let text = format!(
            "Error number {number} is invalid. The number must be from 13000 through 2147483647 and it cannot be 50000."
        );
        return SqlError::new(2732, 16, 1, text);
    }
    let text = format!(
        "Error {number}, severity {severity}, state {state} was raised, but no message with that error number was found in \
         sys.messages. If error is larger than 50000, make sure the user-defined message is added using sp_addmessage."
    );
    SqlError::new(18_054, 16, 1, text)
}

/// 3930
#[must_use]
pub fn doomed() -> SqlError {
    error(
        3930,
        "The current transaction cannot be committed and cannot support operations that write to the log file. Roll back \
         the transaction.",
    )
}

/// 2715: a type that is not there any more.
#[must_use]
pub fn unknown_type(name: &str) -> SqlError {
    error(2715, format!("Column, parameter, or variable #1: Cannot find data type {name}."))
}

/// 3961: a snapshot from before a change of a definition.
#[must_use]
pub fn altered_since_snapshot(database: &str) -> SqlError {
    error(
        3961,
        format!(
            "Snapshot isolation transaction failed in database '{database}' because the object accessed by the statement has \
             been modified by a DDL statement in another concurrent transaction since the start of this transaction.  It is \
             disallowed because the metadata is not versioned. A concurrent update to metadata can lead to inconsistency if \
             mixed with snapshot isolation."
        ),
    )
}

/// 3964
#[must_use]
pub fn unversioned_definition() -> SqlError {
    error(
        3964,
        "Transaction failed because this DDL statement is not allowed inside a snapshot isolation transaction. Since metadata \
         is not versioned, a metadata change can lead to inconsistency if mixed within snapshot isolation.",
    )
}

/// 3951
#[must_use]
pub fn late_snapshot(database: &str) -> SqlError {
    error(
        3951,
        format!(
            "Transaction failed in database '{database}' because the statement was run under snapshot isolation but the \
             transaction did not start in snapshot isolation. You cannot change the isolation level of the transaction to \
             snapshot after the transaction has started unless the transaction was originally started under snapshot \
             isolation level."
        ),
    )
}

/// The table that rows belonged to, and where it lives: for 1105.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Schema; empty: none is told.
    pub schema: &'a str,
    /// `t`, `dbo.#t`
    pub object: &'a str,
    /// Database.
    pub database: &'a str,
}

impl Place<'_> {
    /// The table with its schema.
    fn table(&self) -> String {
        match self.schema {
            "" => self.object.to_owned(),
            schema => format!("{schema}.{}", self.object),
        }
    }
}

/// An error of a transaction's work on `place`.
#[must_use]
pub fn of_txn(cause: TxnError, place: Place<'_>) -> SqlError {
    match cause {
        TxnError::Access(cause) => of_access(cause, place),
        TxnError::Log(cause) => of_log(&cause),
        TxnError::NoTransaction => {
            error(3903, "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.")
        }
        TxnError::NoSuchSavepoint(name) => {
            error(6401, format!("Cannot roll back {name}. No transaction or savepoint of that name was found."))
        }
        TxnError::NoSuchObject(_) => invalid_object(place.object),
        TxnError::Wal { cause, .. } | TxnError::CommitFailed { cause, .. } => of_wal(&cause, place),
        TxnError::Deadlock(report) => SqlError::new(
            1205,
            13,
            51,
            format!(
                "Transaction (Process ID {}) was deadlocked on {} resources with another process and has been chosen as \
                 the deadlock victim. Rerun the transaction.",
                report.victim,
                report.resource_name()
            ),
        ),
        TxnError::LockTimeout { .. } => SqlError::new(1222, 16, 51, "Lock request time out period exceeded."),
        TxnError::TooManyLocks => SqlError::new(
            1204,
            19,
            4,
            "The instance of the SQL Server Database Engine cannot obtain a LOCK resource at this time. Rerun your statement \
             when there are fewer active users.",
        ),
        TxnError::Cancelled => cancelled(),
        TxnError::SnapshotConflict { .. } => SqlError::new(
            3960,
            16,
            2,
            format!(
                "Snapshot isolation transaction aborted due to update conflict. You cannot use snapshot isolation to access \
                 table '{}' directly or indirectly in database '{}' to update, delete, or insert the row that has been \
                 modified or deleted by another transaction. Retry the transaction or change the isolation level for the \
                 update/delete statement.",
                place.table(),
                place.database
            ),
        ),
        TxnError::SnapshotNotAllowed(_) => error(
            3952,
            format!(
                "Snapshot isolation transaction failed accessing database '{}' because snapshot isolation is not allowed in \
                 this database. Use ALTER DATABASE to allow snapshot isolation.",
                place.database
            ),
        ),
        TxnError::VersionLost { .. } => error(
            3958,
            "Transaction aborted when accessing versioned row. Requested versioned row was not found. Your tempdb is \
             probably out of space.",
        ),
        TxnError::Duplicate => SqlError::new(
            2627,
            14,
            1,
            format!("Violation of UNIQUE KEY constraint. Cannot insert duplicate key in object '{}'.", place.object),
        ),
        TxnError::NoSuchRow => error(601, "Could not continue scan with NOLOCK due to data movement."),
        TxnError::ReadOnly(_) => {
            error(3906, format!("Failed to update database \"{}\" because the database is read-only.", place.database))
        }
        TxnError::DatabaseUnavailable(_) => SqlError::new(
            945,
            14,
            2,
            format!("Database '{}' cannot be opened due to inaccessible files or insufficient memory.", place.database),
        ),
        TxnError::UndoLost { ref cause, .. } => SqlError::new(
            3314,
            21,
            3,
            format!("Undo of a change to a temporary table failed: {cause}. The table was dropped."),
        ),
    }
}

/// The index that an error is about.
#[derive(Clone, Copy, Debug)]
pub struct Index<'a> {
    /// Name; empty for a heap.
    pub name: &'a str,
    /// It is the tree of the rows.
    pub holds_rows: bool,
}

/// 1946
#[must_use]
pub fn index_entry_too_long(index: Index<'_>, bytes: usize, most: usize) -> SqlError {
    let kind = if index.holds_rows { "clustered" } else { "nonclustered" };
    error(
        1946,
        format!(
            "Operation failed. The index entry of length {bytes} bytes for the index '{}' exceeds the maximum length of {most} bytes for {kind} indexes.",
            index.name
        ),
    )
}

/// An error of a change of an index's tree.
#[must_use]
pub fn of_index(cause: TxnError, index: Index<'_>, place: Place<'_>) -> SqlError {
    match cause {
        TxnError::Access(AccessError::KeyTooLong { key_bytes, key_bytes_max }) => {
            index_entry_too_long(index, key_bytes, key_bytes_max)
        }
        TxnError::Access(AccessError::EntryTooLong { entry_bytes, entry_bytes_max }) if !index.holds_rows => {
            index_entry_too_long(index, entry_bytes, entry_bytes_max)
        }
        cause => of_txn(cause, place),
    }
}

/// An error of access to `place`.
#[must_use]
pub fn of_access(cause: AccessError, place: Place<'_>) -> SqlError {
    match cause {
        AccessError::Pool(cause) => of_pool(&cause),
        AccessError::Space(cause) => of_space(&cause, place),
        AccessError::Log(cause) => of_log(&cause),
        AccessError::Wal(cause) => of_wal(&cause, place),
        AccessError::QuotaExceeded { quota, .. } => {
            let whose = if quota == "session" { "a session".to_owned() } else { format!("workload group '{quota}'") };
            SqlError::new(
                1138,
                17,
                1,
                format!(
                    "Could not allocate a new page for database 'tempdb' because that would exceed the limit set for {whose}."
                ),
            )
        }
        AccessError::KeyTooLong { key_bytes, key_bytes_max } => error(
            1946,
            format!(
                "Operation failed. The index entry of length {key_bytes} bytes for the index '{}' exceeds the maximum \
                 length of {key_bytes_max} bytes for nonclustered indexes.",
                place.object
            ),
        ),
        AccessError::EntryTooLong { entry_bytes, .. } => {
            of_row(millpond_types::RowError::TooLong { bytes: entry_bytes })
        }
        cause @ (AccessError::KeyOrder { .. } | AccessError::NoSuchValue { .. }) => {
            SqlError::new(7105, 22, 6, cause.to_string())
        }
        cause @ (AccessError::Node { .. } | AccessError::DamagedChain { .. }) => {
            SqlError::new(824, 24, 2, cause.to_string())
        }
        AccessError::RowTooLong { row_bytes, .. } => of_row(millpond_types::RowError::TooLong { bytes: row_bytes }),
        AccessError::NoSuchRow(rid) => error(601, format!("Could not continue scan: no row at {rid}.")),
        AccessError::Cancelled => cancelled(),
        cause @ AccessError::Damaged { .. } => SqlError::new(824, 24, 2, cause.to_string()),
        cause @ AccessError::WrongObject { .. } => SqlError::new(5242, 22, 1, cause.to_string()),
        AccessError::Gone(_) => invalid_object(place.object),
    }
}

/// An error of the log of tempdb: 9002.
#[must_use]
pub fn of_log(cause: &LogError) -> SqlError {
    match cause {
        LogError::Full { .. } => {
            SqlError::new(9002, 17, 4, "The transaction log for database 'tempdb' is full due to 'ACTIVE_TRANSACTION'.")
        }
        other => SqlError::new(9001, 21, 1, format!("The log for database 'tempdb' is not available: {other}.")),
    }
}

/// An error of the log of a durable database: 9001, 9002.
#[must_use]
pub fn of_wal(cause: &millpond_storage::wal::LogError, place: Place<'_>) -> SqlError {
    use millpond_storage::wal::LogError;
    match cause {
        LogError::Full { reason } => SqlError::new(
            9002,
            17,
            2,
            format!("The transaction log for database '{}' is full due to '{}'.", place.database, reason.name()),
        ),
        other => {
            SqlError::new(9001, 21, 1, format!("The log for database '{}' is not available: {other}.", place.database))
        }
    }
}

/// An error of the buffer pool.
#[must_use]
pub fn of_pool(cause: &PoolError) -> SqlError {
    match cause {
        PoolError::Io(failure) => io_failed(failure),
        PoolError::Damaged { .. } => {
            SqlError::new(824, 24, 2, format!("SQL Server detected a logical consistency-based I/O error: {cause}."))
        }
        _ => SqlError::new(802, 17, 0, "There is insufficient memory available in the buffer pool."),
    }
}

/// An error of space.
#[must_use]
pub fn of_space(cause: &SpaceError, place: Place<'_>) -> SqlError {
    match cause {
        SpaceError::Full { filegroup, .. } => filegroup_full(place, filegroup),
        SpaceError::Pool(cause) => of_pool(cause),
        SpaceError::Log(cause) => of_wal(cause, place),
    }
}

/// A checkpoint that was not taken.
#[must_use]
pub fn of_checkpoint(cause: &CheckpointError, database: &str) -> SqlError {
    match cause {
        CheckpointError::Pool(cause) => of_pool(cause),
        CheckpointError::Io(failure) => io_failed(failure),
        CheckpointError::Log(cause) => of_wal(cause, Place { schema: "", object: "", database }),
    }
}

/// 701
#[must_use]
pub fn out_of_memory() -> SqlError {
    let text = "There is insufficient system memory in resource pool 'default' to run this query.";
    SqlError::new(701, 17, 123, text)
}

/// 41805: rows that are kept in memory have no room.
#[must_use]
pub fn of_memory(_: millpond_access::memory::MemoryExhausted) -> SqlError {
    let text = "There is insufficient memory in the resource pool 'default' to run this operation on memory-optimized tables. See 'https://go.microsoft.com/fwlink/?LinkID=614951' for more information.";
    SqlError::new(41_805, 16, 1, text)
}

/// 1105
#[must_use]
pub fn filegroup_full(place: Place<'_>, filegroup: &str) -> SqlError {
    SqlError::new(
        1105,
        17,
        2,
        format!(
            "Could not allocate space for object '{}' in database '{}' because the '{filegroup}' filegroup is full. Create disk space by deleting unneeded files, dropping objects in the filegroup, adding additional files to the filegroup, or setting autogrowth on for existing files in the filegroup.",
            place.table(),
            place.database
        ),
    )
}

/// 823
#[must_use]
pub fn io_failed(failure: &IoFailure) -> SqlError {
    SqlError::new(
        823,
        24,
        2,
        format!(
            "The operating system returned an error during an I/O in a data file: {failure}. This is a severe system-level error condition that threatens database integrity and must be corrected immediately."
        ),
    )
}

/// A record that cannot be made or read.
#[must_use]
pub fn of_row(cause: millpond_types::RowError) -> SqlError {
    match cause {
        millpond_types::RowError::TooLong { .. } => error(511, cause.to_string()),
        _ => SqlError::new(824, 24, 2, cause.to_string()),
    }
}

/// An option that is not found or not changed.
#[must_use]
pub fn of_option(cause: &OptionError) -> SqlError {
    let number = match cause {
        OptionError::Unknown { .. } => 15123,
        OptionError::Ambiguous { .. } => 15124,
        OptionError::OutOfRange { .. } => 15129,
        OptionError::NotRecommended { .. } => 5807,
    };
    SqlError::new(number, 16, 1, cause.to_string())
}

/// A RECONFIGURE that failed.
#[must_use]
pub fn of_reconfigure(cause: &ReconfigureError) -> SqlError {
    match cause {
        ReconfigureError::Option(cause) => of_option(cause),
        ReconfigureError::Settings(cause) => of_settings(cause),
    }
}

/// Settings that could not be stored.
#[must_use]
pub fn of_settings(cause: &SettingsError) -> SqlError {
    SqlError::new(5123, 16, 1, format!("The server's settings could not be stored: {cause}."))
}

/// A buffer pool extension that is not switched on or off.
#[must_use]
pub fn of_extension(cause: &ExtensionError) -> SqlError {
    use ExtensionError as E;
    let not_made = |path: &std::path::Path, reason: &str| {
        let path = path.display();
        (858, format!("Failed to create buffer pool extension on path '{path}'. {reason}"))
    };
    let (number, text) = match cause {
        E::AlreadyEnabled => (872, "Buffer pool extension is already enabled. No action is necessary.".to_owned()),
        E::AlreadyDisabled => (873, "Buffer pool extension is already disabled. No action is necessary.".to_owned()),
        E::TooSmall { memory_mb } => (
            868,
            format!(
                "Buffer pool extension size must be larger than the current memory allocation threshold {memory_mb} \
                 MB. Buffer pool extension is not enabled."
            ),
        ),
        E::TooLarge { most_mb } => (
            864,
            format!("Attempting to allocate buffer pool extension with size larger than the maximum of {most_mb} MB."),
        ),
        E::NotBpe { path } => not_made(path, "The name of the file must end in .BPE."),
        E::NoDirectory { path } => not_made(path, "Error: 3(The system cannot find the path specified.)."),
        E::Exists { path } => not_made(path, "Error: 80(The file exists.)."),
        E::Create { path, size_mb, reason } => {
            let path = path.display();
            (858, format!("Failed to create buffer pool extension of size {size_mb} MB on path '{path}'. {reason}."))
        }
        E::Busy { reason } => (
            862,
            format!("Attempting to disable buffer pool extension when in an invalid state is not allowed: {reason}."),
        ),
        E::Settings(cause) => return of_settings(cause),
    };
    SqlError::new(number, 16, 1, text)
}

/// A file of a database that is not added, changed or removed.
#[must_use]
pub fn of_alter_file(cause: &AlterFileError) -> SqlError {
    use AlterFileError as A;
    let (number, text) = match cause {
        A::NoDatabase(_) => (911, cause.to_string()),
        A::FilesAreFixed(_) => (
            5013,
            "The master and model databases cannot have files added to them. ALTER DATABASE was aborted.".to_owned(),
        ),
        A::NoFile { name } => (5041, format!("MODIFY FILE failed. File '{name}' does not exist.")),
        A::NameInUse { name } => {
            (1828, format!("The logical file name \"{name}\" is already in use. Choose a different name."))
        }
        A::Bad(cause) => (of_file_config(cause), format!("{cause}.")),
        A::TooManyFiles => (5033, "The maximum of 32767 files per database has been exceeded.".to_owned()),
        A::IsGrowing { .. } => (5034, format!("{cause}.")),
        A::SizeNotLarger { .. } => {
            (5039, "MODIFY FILE failed. Specified size is less than or equal to current size.".to_owned())
        }
        A::SizeAboveMax { .. } => (5040, "MODIFY FILE failed. Size is greater than MAXSIZE.".to_owned()),
        A::Primary { name } => {
            (5020, format!("The primary data or log file cannot be removed from a database. ('{name}')"))
        }
        A::NotEmpty { name } => (5042, format!("The file '{name}' cannot be removed because it is not empty.")),
        A::Emptied { name } => (5042, format!("The file '{name}' was emptied; it can only be removed.")),
        A::NoDirectory { path } => (
            5133,
            format!(
                "Directory lookup for the file \"{}\" failed with the operating system error 2(No such file or directory).",
                path.display()
            ),
        ),
        A::FileExists { path } => (
            5170,
            format!(
                "Cannot create file '{}' because it already exists. Change the file path or the file name, and retry the operation.",
                path.display()
            ),
        ),
        A::Create { path, reason } => (
            5123,
            format!(
                "CREATE FILE encountered operating system error {reason} while attempting to open or create the physical file '{}'.",
                path.display()
            ),
        ),
        A::Enlarge { name, source } => (
            5149,
            format!(
                "MODIFY FILE encountered operating system error {source} while attempting to expand the physical file '{name}'."
            ),
        ),
        A::Move { name, source } => (
            5120,
            format!(
                "Unable to move the physical file of \"{name}\". Operating system error: {source}. The file stays where it was."
            ),
        ),
        A::Cancelled { .. } => return cancelled(),
        A::Settings(cause) => return of_settings(cause),
        A::Pool(cause) => return of_pool(cause),
        A::Unavailable(_) => (945, format!("{cause}.")),
        A::Log(cause) => return of_wal(cause, Place { schema: "", object: "", database: "" }),
        A::Checkpoint(cause) => return of_checkpoint(cause, ""),
        A::LogFile(_) => (5009, format!("{cause}.")),
        A::NoChance(_) => (5069, cause.to_string()),
    };
    error(number, text)
}

fn of_file_config(cause: &TempdbConfigError) -> i32 {
    use TempdbConfigError as C;
    match cause {
        C::TooSmall { .. } => 5174,
        C::MaxBelowSize(_) => 5103,
        C::GrowthAboveMax(_) => 5169,
        C::TooMany => 5033,
        C::Twice(_) => 1828,
        C::Name(_) | C::FileMissing | C::PathOfRam(_) | C::Numbers => 5009,
    }
}
