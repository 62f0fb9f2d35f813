//! SQL Server's numbers and texts for the errors of all layers: [`table`] has them, and the functions here turn the errors of
//! the crates below, which know no full filegroup as 1105 and no lost name as 208, into [`SqlError`].

pub mod absent;
pub mod error;
mod row;
pub mod sink;
pub mod table;
pub mod template;
pub mod text_size;

use std::path::Path;
use std::sync::Arc;

use millpond_access::AccessError;
use millpond_storage::contract::IoFailure;
use millpond_storage::database::file_change::AlterFileError;
use millpond_storage::database::{DatabaseState, Unavailable};
use millpond_storage::instance::extension::ExtensionError;
use millpond_storage::pool::PoolError;
use millpond_storage::settings::options::OptionError;
use millpond_storage::settings::tempdb::{FILES_MAX, TempdbConfigError};
use millpond_storage::settings::{ReconfigureError, SettingsError};
use millpond_storage::space::SpaceError;
use millpond_storage::tempdb::undo_log::LogError;
use millpond_storage::wal::checkpoint::CheckpointError;
use millpond_txn::TxnError;
use millpond_types::EvalError;

use crate::error::SqlError;
use crate::sink::Message;

pub mod backup;
pub mod bulk;
pub mod class;

pub use class::{INFORMATION_MAX, SEVERITY_FATAL, ends, is_logged, is_of_binding, rolls_back, when_bound};
pub use table::Ends;

/// An error of evaluation.
#[must_use]
pub fn of_eval(cause: impl Into<Box<EvalError>>) -> SqlError {
    let cause = cause.into();
    let state = match *cause {
        EvalError::Truncation { .. } => 30,
        _ => 1,
    };
    SqlError::made_below(cause.number(), state, cause.to_string())
}

/// A text that does not parse.
#[must_use]
pub fn of_syntax(cause: millpond_tsql::SyntaxError) -> SqlError {
    let module = cause.module.map(Arc::from);
    SqlError::made_below(cause.number, cause.state, cause.message).at(cause.line).inside(module.as_ref())
}

/// The same of a text that is stored or stands beside the statement's own: its lines are not the statement's.
#[must_use]
pub fn of_stored_syntax(cause: millpond_tsql::SyntaxError) -> SqlError {
    SqlError::made_below(cause.number, cause.state, cause.message)
}

/// 102
#[must_use]
pub fn syntax_near(token: &str) -> SqlError {
    SqlError::of(102, 1, &[&token])
}

/// 137, and 40517 for a `@@` value that SQL Server has.
#[must_use]
pub fn undeclared_variable(name: &str) -> SqlError {
    if name.starts_with("@@") && absent::function(name) {
        return missing(&name.to_ascii_uppercase());
    }
    SqlError::of(137, 2, &[&name])
}

/// 1087
#[must_use]
pub fn undeclared_table_variable(name: &str) -> SqlError {
    SqlError::of(1087, 2, &[&name])
}

/// 134
#[must_use]
pub fn duplicate_variable(name: &str) -> SqlError {
    SqlError::of(134, 1, &[&name])
}

/// 207
#[must_use]
pub fn invalid_column(name: &str) -> SqlError {
    SqlError::of(207, 1, &[&name])
}

/// 128
#[must_use]
pub fn column_not_permitted(name: &str) -> SqlError {
    SqlError::of(128, 1, &[&name])
}

/// 201
#[must_use]
pub fn missing_argument(procedure: &str, parameter: &str) -> SqlError {
    SqlError::of(201, 4, &[&procedure, &parameter])
}

/// 4115
#[must_use]
pub fn column_of_a_count(name: &str) -> SqlError {
    SqlError::of(4115, 1, &[&name])
}

/// 470
#[must_use]
pub fn chained_synonym(synonym: &str, next: &str) -> SqlError {
    SqlError::of(470, 1, &[&synonym, &next])
}

/// 5313
#[must_use]
pub fn lost_synonym(name: &str) -> SqlError {
    SqlError::of(5313, 1, &[&name])
}

/// 208, and 40517 for what SQL Server itself has of that name.
#[must_use]
pub fn invalid_object(name: &str) -> SqlError {
    if absent::relation(name) {
        return missing(name);
    }
    SqlError::of(208, 1, &[&name])
}

/// 209
#[must_use]
pub fn ambiguous_column(name: &str) -> SqlError {
    SqlError::of(209, 1, &[&name])
}

/// 4104
#[must_use]
pub fn unbound_identifier(name: &str) -> SqlError {
    SqlError::of(4104, 1, &[&name])
}

/// 107
#[must_use]
pub fn unknown_prefix(name: &str) -> SqlError {
    SqlError::of(107, 1, &[&name])
}

/// 195, and 40517 for a function that SQL Server has.
#[must_use]
pub fn unknown_function(name: &str) -> SqlError {
    if absent::function(name) {
        return missing(&format!("The function {}", name.to_ascii_uppercase()));
    }
    SqlError::of(195, 10, &[&name, &"built-in function name"])
}

/// 174
#[must_use]
pub fn argument_count(name: &str, wanted: usize) -> SqlError {
    SqlError::of(174, 1, &[&name.to_ascii_lowercase(), &wanted])
}

/// 155
#[must_use]
pub fn unknown_date_part(word: &str, function: &str) -> SqlError {
    SqlError::of(155, 1, &[&word, &function.to_ascii_lowercase()])
}

/// 1750 after an error of a constraint or key that is not made; other errors as they are.
#[must_use]
pub fn constraint_not_made(cause: SqlError) -> SqlError {
    let of_constraint = matches!(
        cause.number,
        1505 | 1711
            | 1752
            | 1753
            | 1754
            | 1755
            | 1757
            | 1761
            | 1762
            | 1764
            | 1767
            | 1769
            | 1770
            | 1773
            | 1776
            | 1778
            | 1779
            | 1781
            | 1785
            | 1909
            | 1911
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
    SqlError::of(1750, 1, &[]).at(line).after(cause)
}

/// 2759 after what was wrong with the schema or one of its elements. What says nothing of them is as it is: a deadlock,
/// a lock that was waited for too long, 229 and 262.
#[must_use]
pub fn schema_not_made(cause: SqlError) -> SqlError {
    if cause.severity != 16 || cause.number == 1222 {
        return cause;
    }
    let line = cause.line;
    SqlError::of(2759, 0, &[]).at(line).after(cause)
}

/// 2760
#[must_use]
pub fn unknown_schema(name: &str) -> SqlError {
    SqlError::of(2760, 1, &[&name])
}

/// 2714
#[must_use]
pub fn object_exists(name: &str) -> SqlError {
    SqlError::of(2714, 6, &[&name])
}

/// 2714: a text that makes two temporary tables of one name is refused before it runs.
#[must_use]
pub fn made_twice(name: &str) -> SqlError {
    SqlError { state: class::TAKEN_WITHIN, ..object_exists(name) }
}

/// 3701
#[must_use]
pub fn cannot_drop(kind: &str, name: &str) -> SqlError {
    SqlError::of(3701, 5, &[&"drop", &kind, &name])
}

/// 1088
#[must_use]
pub fn no_such_object(name: &str) -> SqlError {
    SqlError::of(1088, 12, &[&name])
}

/// 4701
#[must_use]
pub fn cannot_truncate(name: &str) -> SqlError {
    SqlError::of(4701, 1, &[&name])
}

/// 515
#[must_use]
pub fn null_in_column(column: &str, table: &str, verb: &str) -> SqlError {
    SqlError::of(515, 2, &[&column, &table, &verb])
}

/// 2628
#[must_use]
pub fn truncated(table: &str, column: &str, value: &str) -> SqlError {
    SqlError::of(2628, 1, &[&table, &column, &value])
}

/// 8152, which does not say where.
#[must_use]
pub fn truncated_somewhere() -> SqlError {
    SqlError::of(8152, 14, &[])
}

/// 213
#[must_use]
pub fn column_count_mismatch() -> SqlError {
    SqlError::of(213, 1, &[])
}

/// 10700
#[must_use]
pub fn read_only_parameter(name: &str) -> SqlError {
    SqlError::of(10_700, 1, &[&name])
}

/// 10742
#[must_use]
pub fn negative_offset() -> SqlError {
    SqlError::of(10_742, 1, &[])
}

/// 512
#[must_use]
pub fn several_values() -> SqlError {
    SqlError::of(512, 1, &[])
}

/// 10744; the words are SQL Server's.
#[must_use]
pub fn nothing_to_fetch() -> SqlError {
    SqlError::of(10_744, 1, &[])
}

/// 4060
#[must_use]
pub fn cannot_open_database(name: &str) -> SqlError {
    SqlError::of(4060, 1, &[&name])
}

/// 911
#[must_use]
pub fn unknown_database(name: &str) -> SqlError {
    SqlError::of(UNKNOWN_DATABASE, 1, &[&name])
}

/// Number of [`unknown_database`].
pub const UNKNOWN_DATABASE: i32 = 911;

/// 7202: there are no linked servers.
#[must_use]
pub fn unknown_server(name: &str) -> SqlError {
    SqlError::of(7202, 2, &[&name])
}

/// 448, and 40517 for a collation that SQL Server has.
#[must_use]
pub fn invalid_collation(name: &str) -> SqlError {
    if millpond_types::collation::is_refused(name) {
        return missing(&format!("The collation {name}"));
    }
    SqlError::of(448, 1, &[&name])
}

/// 2526, and 40517 for a DBCC command that SQL Server has.
#[must_use]
pub fn unknown_dbcc(command: &str) -> SqlError {
    if absent::dbcc(command) {
        return missing(&format!("DBCC {}", command.to_ascii_uppercase()));
    }
    SqlError::of(2526, 3, &[])
}

/// 195, and 40517 for a SET option that SQL Server has.
#[must_use]
pub fn unknown_option(name: &str) -> SqlError {
    if absent::option(name) {
        return missing(&format!("SET {}", name.to_ascii_uppercase()));
    }
    SqlError::of(195, 7, &[&name, &"SET option"])
}

/// 2812, and 40517 for a procedure that SQL Server has.
#[must_use]
pub fn unknown_procedure(name: &str) -> SqlError {
    let last = name.rsplit('.').next().unwrap_or(name);
    if absent::procedure(last) {
        return missing(&format!("The procedure {}", last.to_ascii_lowercase()));
    }
    SqlError::of(2812, 62, &[&name])
}

/// 40517-like: a statement or clause that is understood but not there yet. The text names it.
#[must_use]
pub fn missing(what: &str) -> SqlError {
    SqlError::of(MISSING, 1, &[&what])
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
    SqlError::of(219, 1, &[&format_args!("{schema}.{name}")])
}

/// Number of [`missing`].
pub const MISSING: i32 = 40517;

/// 3621
#[must_use]
pub fn statement_terminated() -> Message {
    Message { state: 0, ..Message::of(3621, &[]) }
}

/// The number of [`schema_changed`].
pub const SCHEMA_CHANGED: i32 = 2801;

/// 2801: the definition of `name` kept changing while the statement was prepared; it is worth another try.
#[must_use]
pub fn schema_changed(name: &str) -> SqlError {
    SqlError::of(2801, 1, &[&name])
}

/// A database that cannot be used now: 942 offline, 927 being restored, 945 files missing, 926 suspect.
#[must_use]
pub fn of_unavailable(cause: &Unavailable) -> SqlError {
    let name = &cause.name;
    match &cause.state {
        DatabaseState::Offline => SqlError::of(942, 4, &[&name]),
        DatabaseState::Restoring => SqlError::of(927, 2, &[&name]),
        DatabaseState::Suspect { reason } => SqlError::of(
            926,
            1,
            &[
                &name,
                &format_args!(
                    "has been marked SUSPECT by recovery: {reason}. See the SQL Server errorlog for more information"
                ),
            ],
        ),
        DatabaseState::Emergency { reason } => SqlError::of(
            926,
            2,
            &[
                &name,
                &format_args!(
                    "is in EMERGENCY mode because of: {reason}. DBCC CHECKDB with REPAIR_ALLOW_DATA_LOSS opens it with what can be read of its log"
                ),
            ],
        ),
        DatabaseState::RecoveryPending { reason } => SqlError::of(945, 2, &[&name, &format_args!(": {reason}")]),
        DatabaseState::Recovering | DatabaseState::Online => SqlError::of(922, 2, &[&name]),
    }
}

/// 0 (3617 in the log): the client cancelled. Never sent: attention is answered by DONE.
#[must_use]
pub fn cancelled() -> SqlError {
    SqlError::of(CANCELLED, 0, &[])
}

/// Whether an error is transient (a deadlock, a lock timeout, no memory) and not of the text that was bound.
#[must_use]
pub fn is_transient(error: &SqlError) -> bool {
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
    SqlError::of(924, 1, &[&database])
}

/// 2754
#[must_use]
pub fn severity_needs_log() -> SqlError {
    SqlError::of(2754, 1, &[])
}

/// The message that RAISERROR and FORMATMESSAGE know under a number: those from [`NUMBERED_MIN`] on.
#[must_use]
pub fn numbered(number: i32) -> Option<&'static table::Row> {
    table::row(number).filter(|row| row.number >= NUMBERED_MIN)
}

/// The least number that RAISERROR takes.
pub const NUMBERED_MIN: i32 = 13_000;

/// RAISERROR of a number: 2732 for one that no message of a user has, 18054 for one without a message.
#[must_use]
pub fn no_such_message(number: i32, severity: u8, state: u8) -> SqlError {
    if number < NUMBERED_MIN || number == 50_000 {
        return SqlError::of(2732, 1, &[&number]);
    }
    SqlError::of(18_054, 1, &[&number, &severity, &state])
}

/// 3930
#[must_use]
pub fn doomed() -> SqlError {
    SqlError::of(3930, 1, &[])
}

/// 2715: a type that is not there any more.
#[must_use]
pub fn unknown_type(name: &str) -> SqlError {
    SqlError::of(2715, 1, &[&1, &name])
}

/// 3961: a snapshot from before a change of a definition.
#[must_use]
pub fn altered_since_snapshot(database: &str) -> SqlError {
    SqlError::of(3961, 1, &[&database])
}

/// 3964
#[must_use]
pub fn unversioned_definition() -> SqlError {
    SqlError::of(3964, 1, &[])
}

/// 3951
#[must_use]
pub fn late_snapshot(database: &str) -> SqlError {
    SqlError::of(3951, 1, &[&database])
}

/// The table that rows belonged to, and where it lives: for 1105.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Schema; empty: the message names none.
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
        TxnError::NoTransaction => SqlError::of(3903, 1, &[]),
        TxnError::NoSuchSavepoint(name) => SqlError::of(6401, 1, &[&name]),
        TxnError::NoSuchObject(_) => invalid_object(place.object),
        TxnError::Wal { cause, .. } | TxnError::CommitFailed { cause, .. } => of_wal(&cause, place),
        TxnError::Deadlock(report) => SqlError::of(1205, 51, &[&report.victim, &report.resource_name()]),
        TxnError::LockTimeout { .. } => SqlError::of(1222, 51, &[]),
        TxnError::TooManyLocks => SqlError::of(1204, 4, &[]),
        TxnError::Cancelled => cancelled(),
        TxnError::SnapshotConflict { .. } => SqlError::of(3960, 2, &[&place.table(), &place.database]),
        TxnError::SnapshotNotAllowed(_) => SqlError::of(3952, 1, &[&place.database]),
        TxnError::VersionLost { .. } => SqlError::of(3958, 1, &[]),
        TxnError::Duplicate => SqlError::of(2627, 1, &[&"UNIQUE KEY", &"", &place.object, &"not known"]),
        TxnError::NoSuchRow => SqlError::of(601, 1, &[]),
        TxnError::ReadOnly(_) => SqlError::of(3906, 1, &[&place.database]),
        TxnError::DatabaseUnavailable(_) => SqlError::of(945, 2, &[&place.database, &""]),
        TxnError::UndoLost { ref cause, .. } => SqlError::of(3314, 3, &[&cause]),
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

/// 547: a row does not meet a constraint, which is of `kind`; the place is database, table and, where it is one, column.
#[must_use]
pub fn conflict(verb: &str, kind: &str, constraint: &str, place: (&str, &str, Option<&str>)) -> SqlError {
    let (database, table, column) = place;
    let (before, column, after) = column.map_or(("", "", ""), |column| (", column '", column, "'"));
    SqlError::of(547, 0, &[&verb, &kind, &constraint, &database, &table, &before, &column, &after])
}

/// 1946
#[must_use]
pub fn index_entry_too_long(index: Index<'_>, bytes: usize, most: usize) -> SqlError {
    let kind = if index.holds_rows { "clustered" } else { "nonclustered" };
    SqlError::of(1946, 1, &[&bytes, &index.name, &most, &kind])
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
        AccessError::Pool(PoolError::Io(IoFailure::NoFile { .. })) if !place.database.is_empty() => {
            SqlError::of(952, 2, &[&place.database])
        }
        AccessError::Pool(cause) => of_pool(&cause),
        AccessError::Space(cause) => of_space(&cause, place),
        AccessError::Log(cause) => of_log(&cause),
        AccessError::Wal(cause) => of_wal(&cause, place),
        AccessError::QuotaExceeded { quota, .. } => {
            let whose = if quota == "session" { "a session".to_owned() } else { format!("workload group '{quota}'") };
            SqlError::of(1138, 1, &[&whose])
        }
        AccessError::KeyTooLong { key_bytes, key_bytes_max } => {
            SqlError::of(1946, 1, &[&key_bytes, &place.object, &key_bytes_max, &"nonclustered"])
        }
        AccessError::EntryTooLong { entry_bytes, .. } => {
            of_row(millpond_types::RowError::TooLong { bytes: entry_bytes })
        }
        cause @ (AccessError::KeyOrder { .. } | AccessError::NoSuchValue { .. }) => SqlError::of(7105, 6, &[&cause]),
        cause @ (AccessError::Node { .. } | AccessError::DamagedChain { .. }) => SqlError::of(824, 2, &[&cause]),
        AccessError::RowTooLong { row_bytes, .. } => of_row(millpond_types::RowError::TooLong { bytes: row_bytes }),
        AccessError::NoSuchRow(_) => SqlError::of(601, 1, &[]),
        AccessError::Cancelled => cancelled(),
        cause @ AccessError::Damaged { .. } => SqlError::of(824, 2, &[&cause]),
        cause @ AccessError::WrongObject { .. } => SqlError::of(5242, 1, &[&cause]),
        AccessError::Gone(_) => invalid_object(place.object),
    }
}

/// An error of the log of tempdb: 9002.
#[must_use]
pub fn of_log(cause: &LogError) -> SqlError {
    match cause {
        LogError::Full { .. } => SqlError::of(9002, 4, &[&"tempdb", &"ACTIVE_TRANSACTION"]),
        other => SqlError::of(9001, 1, &[&"tempdb", &other]),
    }
}

/// An error of the log of a durable database: 9001, 9002.
#[must_use]
pub fn of_wal(cause: &millpond_storage::wal::LogError, place: Place<'_>) -> SqlError {
    use millpond_storage::wal::LogError;
    match cause {
        LogError::Full { reason } => SqlError::of(9002, 2, &[&place.database, &reason.name()]),
        other => SqlError::of(9001, 1, &[&place.database, &other]),
    }
}

/// An error of the buffer pool.
#[must_use]
pub fn of_pool(cause: &PoolError) -> SqlError {
    match cause {
        PoolError::Io(failure) => io_failed(failure),
        PoolError::Damaged { .. } => SqlError::of(824, 2, &[&cause]),
        _ => SqlError::of(802, 0, &[]),
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
    SqlError::of(701, 123, &[&"default"])
}

/// 41805: there is no memory for rows that are kept in memory.
#[must_use]
pub fn of_memory(_: millpond_access::memory::MemoryExhausted) -> SqlError {
    SqlError::of(41_805, 1, &[])
}

/// 1105
#[must_use]
pub fn filegroup_full(place: Place<'_>, filegroup: &str) -> SqlError {
    SqlError::of(1105, 2, &[&place.table(), &place.database, &filegroup])
}

/// 823; 952 of a file that somebody has closed with its database.
#[must_use]
pub fn io_failed(failure: &IoFailure) -> SqlError {
    match failure {
        IoFailure::NoFile { page } => SqlError::of(952, 2, &[&page.db]),
        failure => SqlError::of(823, 2, &[&failure]),
    }
}

/// A record that cannot be made or read.
#[must_use]
pub fn of_row(cause: millpond_types::RowError) -> SqlError {
    match cause {
        millpond_types::RowError::TooLong { .. } => SqlError::made_below(511, 1, cause.to_string()),
        _ => SqlError::of(824, 2, &[&cause]),
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
    SqlError::made_below(number, 1, cause.to_string())
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
    SqlError::of(5123, 1, &[&cause, &"the server's settings"])
}

/// A buffer pool extension that is not switched on or off.
#[must_use]
pub fn of_extension(cause: &ExtensionError) -> SqlError {
    use ExtensionError as E;
    let not_made = |path: &Path, size: &str, reason: &str| SqlError::of(858, 1, &[&size, &path.display(), &reason]);
    match cause {
        E::AlreadyEnabled => SqlError::of(872, 1, &[]),
        E::AlreadyDisabled => SqlError::of(873, 1, &[]),
        E::TooSmall { memory_mb } => SqlError::of(868, 1, &[memory_mb]),
        E::TooLarge { most_mb } => SqlError::of(864, 1, &[most_mb]),
        E::NotBpe { path } => not_made(path, "", "The name of the file must end in .BPE"),
        E::NoDirectory { path } => not_made(path, "", "Error: 3(The system cannot find the path specified.)"),
        E::Exists { path } => not_made(path, "", "Error: 80(The file exists.)"),
        E::Create { path, size_mb, reason } => not_made(path, &format!(" of size {size_mb} MB"), &reason.to_string()),
        E::Busy { reason } => SqlError::of(862, 1, &[reason]),
        E::Settings(cause) => of_settings(cause),
    }
}

/// A file of a database that is not added, changed or removed.
#[must_use]
pub fn of_alter_file(cause: &AlterFileError) -> SqlError {
    use AlterFileError as A;
    match cause {
        A::NoDatabase(id) => unknown_database(&id.to_string()),
        A::Serialized => SqlError::of(3023, 2, &[]),
        A::FilesAreFixed(_) => SqlError::of(5013, 1, &[]),
        A::OfSnapshot => SqlError::of(5093, 1, &[]),
        A::OfCopy => missing("Changing the files of a copy of a database"),
        A::OfSource { .. } => SqlError::of(5094, 1, &[]),
        A::NoFile { name } => SqlError::of(5041, 1, &[name]),
        A::NameInUse { name } => SqlError::of(1828, 1, &[name]),
        A::Bad(cause) => of_file_config(cause),
        A::TooManyFiles => SqlError::of(5033, 1, &[&FILES_MAX]),
        A::IsGrowing { name } => SqlError::of(5034, 1, &[name]),
        A::SizeNotLarger { .. } => SqlError::of(5039, 1, &[]),
        A::SizeAboveMax { .. } => SqlError::of(5040, 1, &[]),
        A::Primary { name } => SqlError::of(5020, 1, &[name]),
        A::NotEmpty { name } => SqlError::of(5042, 1, &[&"file", name, &"cannot be removed because it is not empty"]),
        A::Emptied { name } => SqlError::of(5042, 1, &[&"file", name, &"was emptied; it can only be removed"]),
        A::NoDirectory { path } => no_directory(path),
        A::FileExists { path } => file_exists(path),
        A::Create { path, reason } => SqlError::of(5123, 1, &[reason, &path.display()]),
        A::Enlarge { name, source } => SqlError::of(5149, 1, &[source, name]),
        A::Move { name, source } => {
            SqlError::of(5120, 1, &[name, &format_args!("{source}; the file stays where it was")])
        }
        A::Cancelled { .. } => cancelled(),
        A::Settings(cause) => of_settings(cause),
        A::Pool(cause) => of_pool(cause),
        A::Unavailable(cause) => of_unavailable(cause),
        A::Log(cause) => of_wal(cause, Place { schema: "", object: "", database: "" }),
        A::Checkpoint(cause) => of_checkpoint(cause, ""),
        A::LogFile(cause) => SqlError::of(5009, 1, &[cause]),
        A::NoChance(cause) => SqlError::of(5069, 1, &[&format_args!(": {cause}")]),
    }
}

fn no_directory(path: &Path) -> SqlError {
    SqlError::of(5133, 1, &[&path.display(), &"2(No such file or directory)"])
}

fn file_exists(path: &Path) -> SqlError {
    SqlError::of(5170, 1, &[&path.display()])
}

fn of_file_config(cause: &TempdbConfigError) -> SqlError {
    use TempdbConfigError as C;
    match cause {
        C::TooSmall { min_kb, .. } => SqlError::of(5174, 1, &[min_kb]),
        C::MaxBelowSize(name) => SqlError::of(5103, 1, &[name]),
        C::GrowthAboveMax(name) => SqlError::of(5169, 1, &[name]),
        C::TooMany => SqlError::of(5033, 1, &[&FILES_MAX]),
        C::Twice(name) => SqlError::of(1828, 1, &[name]),
        C::Name(_) | C::FileMissing | C::PathOfRam(_) | C::Numbers => SqlError::of(5009, 1, &[cause]),
    }
}
