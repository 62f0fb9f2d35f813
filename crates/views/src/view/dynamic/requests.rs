//! `sys.dm_exec_requests` and `sys.dm_exec_connections`. Handles and hashes of plans are NULL: plans have none yet.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::session_shared::{COMMANDS, SessionShared};
use millpond_message::error::SqlResult;
use millpond_storage::wait::WaitType;
use millpond_txn::lock::LockWait;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{
    BIGINT, BIT, DATETIME, GUID, INT, REAL, SMALLINT, big, bit, col, int, moment, null, nvarchar, small, text,
    varbinary, varchar,
};
use crate::view::dynamic::sessions::settings_columns;
use crate::view::dynamic::waits::current_wait;

/// `sys.dm_exec_requests`
pub static DM_EXEC_REQUESTS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_exec_requests",
    columns: &[
        col("session_id", SMALLINT),
        col("request_id", INT),
        col("start_time", DATETIME),
        col("status", nvarchar(30)),
        col("command", nvarchar(32)),
        null("sql_handle", varbinary(64)),
        null("statement_start_offset", INT),
        null("statement_end_offset", INT),
        null("plan_handle", varbinary(64)),
        col("database_id", SMALLINT),
        col("user_id", INT),
        null("connection_id", GUID),
        null("blocking_session_id", SMALLINT),
        null("wait_type", nvarchar(60)),
        col("wait_time", INT),
        col("last_wait_type", nvarchar(60)),
        col("wait_resource", nvarchar(256)),
        col("open_transaction_count", INT),
        col("open_resultset_count", INT),
        col("transaction_id", BIGINT),
        null("context_info", varbinary(128)),
        col("percent_complete", REAL),
        col("estimated_completion_time", BIGINT),
        col("cpu_time", INT),
        col("total_elapsed_time", INT),
        col("scheduler_id", INT),
        null("task_address", varbinary(8)),
        col("reads", BIGINT),
        col("writes", BIGINT),
        col("logical_reads", BIGINT),
        col("text_size", INT),
        null("language", nvarchar(128)),
        null("date_format", nvarchar(3)),
        col("date_first", SMALLINT),
        col("quoted_identifier", BIT),
        col("arithabort", BIT),
        col("ansi_null_dflt_on", BIT),
        col("ansi_defaults", BIT),
        col("ansi_warnings", BIT),
        col("ansi_padding", BIT),
        col("ansi_nulls", BIT),
        col("concat_null_yields_null", BIT),
        col("transaction_isolation_level", SMALLINT),
        col("lock_timeout", INT),
        col("deadlock_priority", INT),
        col("row_count", BIGINT),
        col("prev_error", INT),
        col("nest_level", INT),
        col("granted_query_memory", INT),
        col("executing_managed_code", BIT),
        col("group_id", INT),
        null("query_hash", varbinary(8)),
        null("query_plan_hash", varbinary(8)),
        null("statement_sql_handle", varbinary(64)),
        null("statement_context_id", BIGINT),
        col("dop", INT),
        null("parallel_worker_count", INT),
        null("external_script_request_id", GUID),
        col("is_resumable", BIT),
        null("page_resource", varbinary(8)),
    ],
    rows: &ViewRows(request_rows),
};

/// `sys.dm_exec_connections`
pub static DM_EXEC_CONNECTIONS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_exec_connections",
    columns: &[
        null("session_id", INT),
        null("most_recent_session_id", INT),
        col("connect_time", DATETIME),
        col("net_transport", nvarchar(40)),
        null("protocol_type", nvarchar(40)),
        null("protocol_version", INT),
        null("endpoint_id", INT),
        col("encrypt_option", nvarchar(40)),
        col("auth_scheme", nvarchar(40)),
        col("node_affinity", SMALLINT),
        null("num_reads", INT),
        null("num_writes", INT),
        null("last_read", DATETIME),
        null("last_write", DATETIME),
        null("net_packet_size", INT),
        null("client_net_address", varchar(48)),
        null("client_tcp_port", INT),
        null("local_net_address", varchar(48)),
        null("local_tcp_port", INT),
        null("connection_id", GUID),
        null("parent_connection_id", GUID),
        null("most_recent_sql_handle", varbinary(64)),
    ],
    rows: &ViewRows(connection_rows),
};

fn request_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let waiting = ctx.engine.txns().locks().waiting();
    let row = |session: &Arc<SessionShared>| {
        request_row(ctx, session, waiting.iter().find(|wait| wait.session == session.id))
    };
    Ok(ctx.engine.sessions().iter().filter_map(row).collect())
}

fn request_row(ctx: &RunContext, session: &SessionShared, lock: Option<&LockWait>) -> Option<Vec<Value>> {
    let status = session.status.lock().clone();
    let request = status.request?;
    let wait = current_wait(ctx, session);
    let last_wait = WaitType::from_task_field(session.task.last_wait_type.load(Relaxed));
    let elapsed_us = ctx.engine.now_us().1 - request.start_us;
    let io = &session.task.io;
    let command = COMMANDS[session.command.load(Relaxed) as usize % COMMANDS.len()];
    let (wait_name, wait_us, resource) =
        wait.as_ref().map_or((Value::Null, 0, ""), |(kind, us, resource)| (text(kind.name()), *us, resource));
    // Offsets count bytes of UTF-16, as tools cut `text` by them.
    let utf16 = |byte: u32| int(2 * request.text.get(..byte as usize).map_or(0, |head| head.encode_utf16().count()));
    let mut row = vec![
        small(session.id.0),
        Value::Int(0),
        moment(request.start_us),
        text(if wait.is_some() { "suspended" } else { "running" }),
        text(command),
        Value::Null,
        utf16(session.statement_start.load(Relaxed)),
        utf16(session.statement_end.load(Relaxed)),
        Value::Null,
        small(status.database.0),
        Value::Int(1),
        Value::Null,
        small(lock.and_then(|lock| lock.blockers.first()).map_or(0, |blocker| blocker.0)),
        wait_name,
        int(wait_us / 1000),
        text(last_wait.map_or("MISCELLANEOUS", WaitType::name)),
        text(&lock.map_or_else(|| resource.to_owned(), |lock| lock.resource.to_string())),
        int(status.tran_count),
        Value::Int(0),
        Value::BigInt(0),
        Value::Null,
        Value::Real(0.0),
        Value::BigInt(0),
        int(session.cpu.running_us() / 1000),
        int(elapsed_us / 1000),
        Value::Int(0),
        Value::Null,
        big(io.physical_reads.load(Relaxed)),
        big(session.task.writes.writes.iter().map(|count| count.load(Relaxed)).sum::<u64>()),
        big(io.logical_reads.load(Relaxed)),
    ];
    row.extend(settings_columns(&status.settings));
    row.extend([
        big(status.row_count),
        int(status.error),
        Value::Int(0),
        Value::Int(0),
        bit(false),
        Value::Int(2),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Int(1),
        Value::Int(1),
        Value::Null,
        bit(false),
        Value::Null,
    ]);
    Some(row)
}

fn connection_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let sessions = ctx.engine.sessions();
    let rows = sessions.iter().filter(|session| !session.login.client_address.is_empty()).map(|session| {
        let login = &session.login;
        let status = session.status.lock();
        vec![
            int(session.id.0),
            int(session.id.0),
            moment(session.login_us),
            text("TCP"),
            text("TSQL"),
            int(login.tds_version),
            Value::Int(4),
            text(if login.encrypted { "TRUE" } else { "FALSE" }),
            text("SQL"),
            Value::SmallInt(0),
            Value::Null,
            Value::Null,
            moment(status.last_start_us),
            moment(status.last_end_us),
            int(login.packet_bytes),
            text(&login.client_address),
            int(login.client_port),
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
        ]
    });
    Ok(rows.collect())
}
