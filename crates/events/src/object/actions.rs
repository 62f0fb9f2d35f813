//! Actions, which add to an event what is true where it happens, and sources of predicates, which are the same facts.

use super::{FieldType, Named, Package};
use FieldType::{Binary, Boolean, Int32, Int64, Text, Time, UInt16, UInt32, UInt64};

/// A fact beside the fields of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Global {
    /// Session.
    SessionId,
    /// Its database.
    DatabaseId,
    /// Name of that.
    DatabaseName,
    /// Text of the batch or call.
    SqlText,
    /// Program of the client.
    ClientAppName,
    /// Its machine.
    ClientHostname,
    /// Its process.
    ClientPid,
    /// Login whose rights count.
    ServerPrincipalName,
    /// Login of the connection.
    SessionServerPrincipalName,
    /// The same, as tools ask for it.
    Username,
    /// Windows login: empty, as there are none.
    NtUsername,
    /// The same of the connection.
    SessionNtUsername,
    /// It is a session of the server's own.
    IsSystem,
    /// Hash of the statement's shape.
    QueryHash,
    /// The statement's plan.
    PlanHandle,
    /// The statement that runs, as an element `frame`; of those that called its module nothing.
    TsqlFrame,
    /// The same, as tools ask for it.
    TsqlStack,
    /// Request of the session: 0.
    RequestId,
    /// Transaction.
    TransactionId,
    /// CONTEXT_INFO.
    ContextInfo,
    /// Name of the server.
    ServerInstanceName,
    /// Process of the server.
    ProcessId,
    /// When the event happened.
    CollectSystemTime,
    /// How many events its session had collected before it, and one.
    EventSequence,
    /// How often the predicate has come to ask: the source `package0.counter`.
    Counter,
}

/// An action, a source of predicates, or both.
#[derive(Debug)]
pub struct ActionDef {
    /// The fact.
    pub global: Global,
    /// Its name.
    pub name: &'static str,
    /// Where it is.
    pub package: Package,
    /// Its type.
    pub ty: FieldType,
    /// What it says.
    pub description: &'static str,
    /// It may be collected.
    pub is_action: bool,
    /// It may be asked for in a predicate.
    pub is_source: bool,
}

const fn both(global: Global, name: &'static str, ty: FieldType, description: &'static str) -> ActionDef {
    ActionDef { global, name, package: Package::SqlServer, ty, description, is_action: true, is_source: true }
}

const fn action(global: Global, name: &'static str, ty: FieldType, description: &'static str) -> ActionDef {
    ActionDef { is_source: false, package: Package::Package0, ..both(global, name, ty, description) }
}

/// All of them.
pub static ACTIONS: [ActionDef; 25] = [
    both(Global::SessionId, "session_id", UInt16, "Session"),
    both(Global::DatabaseId, "database_id", UInt16, "Current database"),
    both(Global::DatabaseName, "database_name", Text, "Name of the current database"),
    both(Global::SqlText, "sql_text", Text, "Text of the batch or call"),
    both(Global::ClientAppName, "client_app_name", Text, "Program of the client"),
    both(Global::ClientHostname, "client_hostname", Text, "Machine of the client"),
    both(Global::ClientPid, "client_pid", UInt32, "Process of the client"),
    both(Global::Username, "username", Text, "Login"),
    both(Global::ServerPrincipalName, "server_principal_name", Text, "Login whose rights count"),
    both(Global::SessionServerPrincipalName, "session_server_principal_name", Text, "Login of the connection"),
    both(Global::NtUsername, "nt_username", Text, "Windows login; empty"),
    both(Global::SessionNtUsername, "session_nt_username", Text, "Windows login of the connection; empty"),
    both(Global::IsSystem, "is_system", Boolean, "A session of the server's own"),
    both(Global::QueryHash, "query_hash", UInt64, "Hash of the statement's shape"),
    ActionDef { is_source: false, ..both(Global::PlanHandle, "plan_handle", Binary, "Handle of the text's plans") },
    ActionDef { is_source: false, ..both(Global::TsqlFrame, "tsql_frame", Text, "The statement that runs") },
    ActionDef { is_source: false, ..both(Global::TsqlStack, "tsql_stack", Text, "The statement that runs") },
    both(Global::RequestId, "request_id", UInt32, "Request of the session"),
    both(Global::TransactionId, "transaction_id", Int64, "Transaction"),
    ActionDef { is_source: false, ..both(Global::ContextInfo, "context_info", Binary, "CONTEXT_INFO") },
    both(Global::ServerInstanceName, "server_instance_name", Text, "Name of the server"),
    action(Global::ProcessId, "process_id", Int32, "Process of the server"),
    action(Global::CollectSystemTime, "collect_system_time", Time, "When the event happened, UTC"),
    action(Global::EventSequence, "event_sequence", UInt64, "Number of the event within its session"),
    ActionDef {
        is_action: false,
        is_source: true,
        ..action(Global::Counter, "counter", UInt64, "How often the predicate was evaluated so far")
    },
];

/// The action that a name means.
#[must_use]
pub fn find_action(name: Named<'_>) -> Option<&'static ActionDef> {
    ACTIONS.iter().find(|def| def.is_action && name.means(def.package, def.name))
}

/// The source of predicates that a name means.
#[must_use]
pub fn find_source(name: Named<'_>) -> Option<&'static ActionDef> {
    ACTIONS.iter().find(|def| def.is_source && name.means(def.package, def.name))
}
