//! The events, each with its fields.

use super::maps::{
    CONNECTION_RESET, ERROR_CATEGORY, ERROR_DESTINATION, ESCALATION_CAUSE, FILE_TYPE, HASH_WARNING, LOCK_MODE,
    LOCK_OWNER, LOCK_RESOURCE, OBJECT_TYPE, OPCODE, RESULT, SORT_WARNING, STATEMENT_STATE, WAIT_TYPES,
};
use super::{FieldType, Named, Package};
use FieldType::{Boolean, Int32, Int64, Text, UInt16, UInt32, UInt64, Xml};

/// An event by its place in [`EVENTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventId {
    /// `error_reported`
    ErrorReported,
    /// `sql_batch_starting`
    BatchStarting,
    /// `sql_batch_completed`
    BatchCompleted,
    /// `rpc_starting`
    RpcStarting,
    /// `rpc_completed`
    RpcCompleted,
    /// `sql_statement_starting`
    StatementStarting,
    /// `sql_statement_completed`
    StatementCompleted,
    /// `sp_statement_starting`
    SpStatementStarting,
    /// `sp_statement_completed`
    SpStatementCompleted,
    /// `wait_info`
    WaitInfo,
    /// `wait_completed`
    WaitCompleted,
    /// `xml_deadlock_report`
    DeadlockReport,
    /// `lock_deadlock`
    LockDeadlock,
    /// `lock_escalation`
    LockEscalation,
    /// `hash_warning`
    HashWarning,
    /// `sort_warning`
    SortWarning,
    /// `database_file_size_change`
    FileSizeChange,
    /// `login`
    Login,
    /// `logout`
    Logout,
    /// `attention`
    Attention,
}

/// An event.
#[derive(Debug)]
pub struct EventDef {
    /// Its place.
    pub id: EventId,
    /// Its name.
    pub name: &'static str,
    /// Where it is.
    pub package: Package,
    /// What it says.
    pub description: &'static str,
    /// Its fields, in order.
    pub fields: &'static [FieldDef],
}

/// A field.
#[derive(Debug)]
pub struct FieldDef {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: FieldType,
    /// What it says.
    pub description: &'static str,
    /// The attribute of SET that says whether it is collected, and whether it is where nothing is said.
    pub collected: Option<(&'static str, bool)>,
}

/// Each event is there once.
impl PartialEq for EventDef {
    fn eq(&self, other: &EventDef) -> bool {
        self.id == other.id
    }
}

impl EventDef {
    /// The field of that name, in any case.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name.eq_ignore_ascii_case(name))
    }

    /// Attributes that SET takes, each with whether it is on where nothing is said.
    pub fn attributes(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.fields.iter().filter_map(|field| field.collected)
    }
}

const fn f(name: &'static str, ty: FieldType, description: &'static str) -> FieldDef {
    FieldDef { name, ty, description, collected: None }
}

/// One that `collect_…` switches.
const fn c(name: &'static str, description: &'static str, attribute: &'static str, is_on: bool) -> FieldDef {
    FieldDef { name, ty: Text, description, collected: Some((attribute, is_on)) }
}

const CPU: FieldDef = f("cpu_time", UInt64, "CPU time used, microseconds");
const PHYSICAL: FieldDef = f("physical_reads", UInt64, "Pages read from files");
const LOGICAL: FieldDef = f("logical_reads", UInt64, "Pages asked for");
const WRITES: FieldDef = f("writes", UInt64, "Pages that became dirty");
const SPILLS: FieldDef = f("spills", UInt64, "Pages spilled to tempdb");
const ROWS: FieldDef = f("row_count", UInt64, "Rows that were returned or changed");
const LAST_ROWS: FieldDef = f("last_row_count", UInt64, "Rows of the last statement");
const LINE: FieldDef = f("line_number", Int32, "Line in its text");
const OFFSET: FieldDef = f("offset", Int32, "Where the statement begins in its text, bytes of UTF-16");
const OFFSET_END: FieldDef = f("offset_end", Int32, "Where it ends");
const STATEMENT: FieldDef = c("statement", "Text", "collect_statement", true);
const DATABASE_ID: FieldDef = f("database_id", UInt32, "Database");
const DATABASE_NAME: FieldDef = c("database_name", "Name of the database", "collect_database_name", false);
const OBJECT_NAME: FieldDef = c("object_name", "Name of the module", "collect_object_name", false);
const WAIT_DURATION: FieldDef = f("duration", UInt64, "How long, milliseconds, with the time until the waiter ran");
const SIGNAL_DURATION: FieldDef = f("signal_duration", UInt64, "From the signal until the waiter ran, milliseconds");
const WAIT_RESOURCE: FieldDef = f("wait_resource", Text, "What was waited for");
const WAIT_TYPE: FieldDef = f("wait_type", FieldType::Map(&WAIT_TYPES), "Type of the wait");
const SPILL_READS: FieldDef = f("worktable_physical_reads", UInt64, "Pages read back from tempdb");
const SPILL_WRITES: FieldDef = f("worktable_physical_writes", UInt64, "Pages written to tempdb");
const GRANTED: FieldDef = f("granted_memory_kb", UInt64, "Memory granted to the query, kilobytes");
const USED: FieldDef = f("used_memory_kb", UInt64, "Memory of the grant that was used, kilobytes");
const DOP: FieldDef = f("dop", Int32, "Threads of the query");
const CACHED: FieldDef = f("is_cached", Boolean, "The connection came out of a pool");
const DAC: FieldDef = f("is_dac", Boolean, "It is the dedicated administrator connection");
const RESOURCE_TYPE: FieldDef = f("resource_type", FieldType::Map(&LOCK_RESOURCE), "What is locked");
const MODE: FieldDef = f("mode", FieldType::Map(&LOCK_MODE), "How it is locked");
const OWNER_TYPE: FieldDef = f("owner_type", FieldType::Map(&LOCK_OWNER), "What has the lock");
const TRANSACTION_ID: FieldDef = f("transaction_id", Int64, "Transaction");
const OBJECT_ID: FieldDef = f("object_id", Int32, "Object");
const OBJECT_KIND: FieldDef = f("object_type", FieldType::Map(&OBJECT_TYPE), "What the module is");
const SOURCE_DATABASE: FieldDef = f("source_database_id", UInt32, "Database of the module");
const NEST_LEVEL: FieldDef = f("nest_level", UInt16, "@@NESTLEVEL");
const STATE: FieldDef = f("state", FieldType::Map(&STATEMENT_STATE), "Whether it was bound anew");
const RESET: FieldDef =
    f("connection_reset_option", FieldType::Map(&CONNECTION_RESET), "Whether the connection was reset before");
const PROCEDURE: FieldDef = f("object_name", Text, "Name of the procedure");
const DURATION: FieldDef = f("duration", UInt64, "How long, microseconds");
const DURATION_SIGNED: FieldDef = f("duration", Int64, "How long, microseconds");

const fn event(id: EventId, name: &'static str, description: &'static str, fields: &'static [FieldDef]) -> EventDef {
    EventDef { id, name, package: Package::SqlServer, description, fields }
}

/// All of them, each at its number.
pub static EVENTS: [EventDef; 20] = [
    event(
        EventId::ErrorReported,
        "error_reported",
        "Occurs when an error is reported",
        &[
            f("error_number", Int32, "Number"),
            f("severity", Int32, "Severity"),
            f("state", Int32, "State"),
            f("user_defined", Boolean, "A number of users, from 50000 on"),
            f("category", FieldType::Map(&ERROR_CATEGORY), "What it is of"),
            f("destination", FieldType::Map(&ERROR_DESTINATION), "Where it goes"),
            f("is_intercepted", Boolean, "A TRY caught it"),
            f("message", Text, "Text"),
        ],
    ),
    event(
        EventId::BatchStarting,
        "sql_batch_starting",
        "Occurs when a Transact-SQL batch starts executing",
        &[c("batch_text", "Text of the batch", "collect_batch_text", true)],
    ),
    event(
        EventId::BatchCompleted,
        "sql_batch_completed",
        "Occurs when a Transact-SQL batch has finished executing",
        &[
            CPU,
            DURATION,
            PHYSICAL,
            LOGICAL,
            WRITES,
            SPILLS,
            ROWS,
            f("result", FieldType::Map(&RESULT), "How it ended"),
            c("batch_text", "Text of the batch", "collect_batch_text", true),
        ],
    ),
    event(
        EventId::RpcStarting,
        "rpc_starting",
        "Occurs when a remote procedure call has started",
        &[RESET, PROCEDURE, STATEMENT],
    ),
    event(
        EventId::RpcCompleted,
        "rpc_completed",
        "Occurs when a remote procedure call has completed",
        &[
            CPU,
            DURATION,
            PHYSICAL,
            LOGICAL,
            WRITES,
            SPILLS,
            f("result", FieldType::Map(&RESULT), "How it ended"),
            ROWS,
            RESET,
            PROCEDURE,
            STATEMENT,
        ],
    ),
    event(
        EventId::StatementStarting,
        "sql_statement_starting",
        "Occurs when a Transact-SQL statement has started",
        &[STATE, LINE, OFFSET, OFFSET_END, STATEMENT],
    ),
    event(
        EventId::StatementCompleted,
        "sql_statement_completed",
        "Occurs when a Transact-SQL statement has completed",
        &[
            DURATION_SIGNED,
            CPU,
            PHYSICAL,
            LOGICAL,
            WRITES,
            SPILLS,
            ROWS,
            LAST_ROWS,
            LINE,
            OFFSET,
            OFFSET_END,
            STATEMENT,
        ],
    ),
    event(
        EventId::SpStatementStarting,
        "sp_statement_starting",
        "Occurs when a statement inside a stored procedure, function or trigger has started",
        &[SOURCE_DATABASE, OBJECT_ID, OBJECT_KIND, STATE, NEST_LEVEL, LINE, OFFSET, OFFSET_END, OBJECT_NAME, STATEMENT],
    ),
    event(
        EventId::SpStatementCompleted,
        "sp_statement_completed",
        "Occurs when a statement inside a stored procedure, function or trigger has completed",
        &[
            SOURCE_DATABASE,
            OBJECT_ID,
            OBJECT_KIND,
            DURATION_SIGNED,
            CPU,
            PHYSICAL,
            LOGICAL,
            WRITES,
            SPILLS,
            ROWS,
            LAST_ROWS,
            NEST_LEVEL,
            LINE,
            OFFSET,
            OFFSET_END,
            OBJECT_NAME,
            STATEMENT,
        ],
    ),
    EventDef {
        package: Package::SqlOs,
        ..event(
            EventId::WaitInfo,
            "wait_info",
            "Occurs when there is a wait on a resource; here always its end",
            &[
                WAIT_TYPE,
                f("opcode", FieldType::Map(&OPCODE), "Begin or end"),
                WAIT_DURATION,
                SIGNAL_DURATION,
                WAIT_RESOURCE,
            ],
        )
    },
    EventDef {
        package: Package::SqlOs,
        ..event(
            EventId::WaitCompleted,
            "wait_completed",
            "Occurs when a wait on a resource has ended",
            &[WAIT_TYPE, WAIT_DURATION, SIGNAL_DURATION, WAIT_RESOURCE],
        )
    },
    event(
        EventId::DeadlockReport,
        "xml_deadlock_report",
        "Produces a deadlock report in XML format",
        &[f("xml_report", Xml, "The graph")],
    ),
    event(
        EventId::LockDeadlock,
        "lock_deadlock",
        "Occurs when an attempt to acquire a lock is canceled for the victim of a deadlock",
        &[
            RESOURCE_TYPE,
            MODE,
            OWNER_TYPE,
            TRANSACTION_ID,
            DATABASE_ID,
            OBJECT_ID,
            DURATION,
            c("resource_description", "What was waited for", "collect_resource_description", false),
            DATABASE_NAME,
        ],
    ),
    event(
        EventId::LockEscalation,
        "lock_escalation",
        "Occurs when locks of rows have become a lock of their table",
        &[
            RESOURCE_TYPE,
            MODE,
            OWNER_TYPE,
            DATABASE_ID,
            OBJECT_ID,
            f("escalation_cause", FieldType::Map(&ESCALATION_CAUSE), "Why"),
            f("escalated_lock_count", UInt32, "Locks that became one"),
            FieldDef { collected: Some(("collect_statement", false)), ..STATEMENT },
            DATABASE_NAME,
        ],
    ),
    event(
        EventId::HashWarning,
        "hash_warning",
        "Occurs when hash joins or aggregates of a query have gone to tempdb",
        &[f("hash_warning_type", FieldType::Map(&HASH_WARNING), "How"), DOP, GRANTED, USED, SPILL_READS, SPILL_WRITES],
    ),
    event(
        EventId::SortWarning,
        "sort_warning",
        "Occurs when sorts of a query have gone to tempdb",
        &[f("sort_warning_type", FieldType::Map(&SORT_WARNING), "How"), DOP, GRANTED, USED, SPILL_READS, SPILL_WRITES],
    ),
    event(
        EventId::FileSizeChange,
        "database_file_size_change",
        "Occurs when a file of a database has another size",
        &[
            DATABASE_ID,
            DURATION,
            f("file_id", UInt32, "Number of the file"),
            f("file_type", FieldType::Map(&FILE_TYPE), "What it holds"),
            f("is_automatic", Boolean, "It grew by itself"),
            f("total_size_kb", Int64, "Its size now, kilobytes"),
            f("size_change_kb", Int64, "What it has more than before, kilobytes"),
            f("file_name", Text, "Logical name"),
            DATABASE_NAME,
        ],
    ),
    event(
        EventId::Login,
        "login",
        "Occurs when a login succeeds",
        &[CACHED, DAC, DATABASE_ID, f("packet_size", UInt32, "Bytes of a packet"), DATABASE_NAME],
    ),
    event(
        EventId::Logout,
        "logout",
        "Occurs when a session ends",
        &[CACHED, DAC, DURATION, CPU, PHYSICAL, LOGICAL, WRITES, ROWS],
    ),
    event(
        EventId::Attention,
        "attention",
        "Occurs when a client has cancelled what runs",
        &[DURATION, f("request_id", UInt32, "Number of the request")],
    ),
];

/// The event that a name means.
#[must_use]
pub fn find_event(name: Named<'_>) -> Option<&'static EventDef> {
    EVENTS.iter().find(|event| name.means(event.package, event.name))
}
