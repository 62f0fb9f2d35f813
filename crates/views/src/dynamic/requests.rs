//! `sys.dm_exec_requests` and `sys.dm_exec_connections`.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::security::PrincipalId;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::running_statement::{PLAN_HANDLE, SQL_HANDLE};
use millpond_engine::context::RunContext;
use millpond_engine::memory::grant::Entry;
use millpond_engine::security::Access;
use millpond_engine::session_shared::{RequestIo, SessionShared, Status};
use millpond_message::error::SqlResult;
use millpond_storage::contract::PAGE_BYTES;
use millpond_storage::wait::WaitType;
use millpond_txn::TransactionRow;
use millpond_txn::lock::LockWait;
use millpond_types::DateTime;

use crate::columns::{Guid, NVarChar, VarBinary, VarChar, big, bytes, datetime_of, int, small, text};
use crate::dynamic::host::scheduler_of;
use crate::dynamic::page_resource;
use crate::dynamic::sessions::{Groups, SessionSettings, seen_sessions, session_settings};
use crate::dynamic::statements::{handle, offset};
use crate::dynamic::tran::transactions::id_of;
use crate::dynamic::waits::{current_wait, task_address};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_exec_requests`.
    struct DmExecRequests {
        session_id: i16,
        request_id: i32,
        start_time: DateTime,
        status: NVarChar<30>,
        command: NVarChar<32>,
        sql_handle: Option<VarBinary<64>>,
        statement_start_offset: Option<i32>,
        statement_end_offset: Option<i32>,
        plan_handle: Option<VarBinary<64>>,
        database_id: i16,
        user_id: i32,
        connection_id: Option<Guid>,
        blocking_session_id: Option<i16>,
        wait_type: Option<NVarChar<60>>,
        wait_time: i32,
        last_wait_type: NVarChar<60>,
        wait_resource: NVarChar<256>,
        open_transaction_count: i32,
        open_resultset_count: i32,
        transaction_id: i64,
        context_info: Option<VarBinary<128>>,
        percent_complete: f32,
        estimated_completion_time: i64,
        cpu_time: i32,
        total_elapsed_time: i32,
        scheduler_id: i32,
        task_address: Option<VarBinary<8>>,
        reads: i64,
        writes: i64,
        logical_reads: i64,
        settings: SessionSettings,
        row_count: i64,
        prev_error: i32,
        nest_level: i32,
        granted_query_memory: i32,
        executing_managed_code: bool,
        group_id: i32,
        query_hash: Option<VarBinary<8>>,
        query_plan_hash: Option<VarBinary<8>>,
        statement_sql_handle: Option<VarBinary<64>>,
        statement_context_id: Option<i64>,
        dop: i32,
        parallel_worker_count: Option<i32>,
        external_script_request_id: Option<Guid>,
        is_resumable: bool,
        page_resource: Option<VarBinary<8>>,
        page_server_reads: i64,
    }
}

/// `sys.dm_exec_requests`
pub static DM_EXEC_REQUESTS: ViewDef = view("sys", "dm_exec_requests", &ViewRows(request_rows));

row! {
    /// A row of `sys.dm_exec_connections`.
    struct DmExecConnections {
        session_id: Option<i32>,
        most_recent_session_id: Option<i32>,
        connect_time: DateTime,
        net_transport: NVarChar<40>,
        protocol_type: Option<NVarChar<40>>,
        protocol_version: Option<i32>,
        endpoint_id: Option<i32>,
        encrypt_option: NVarChar<40>,
        auth_scheme: NVarChar<40>,
        node_affinity: i16,
        num_reads: Option<i32>,
        num_writes: Option<i32>,
        last_read: Option<DateTime>,
        last_write: Option<DateTime>,
        net_packet_size: Option<i32>,
        client_net_address: Option<VarChar<48>>,
        client_tcp_port: Option<i32>,
        local_net_address: Option<VarChar<48>>,
        local_tcp_port: Option<i32>,
        connection_id: Option<Guid>,
        parent_connection_id: Option<Guid>,
        most_recent_sql_handle: Option<VarBinary<64>>,
    }
}

/// `sys.dm_exec_connections`
pub static DM_EXEC_CONNECTIONS: ViewDef = view("sys", "dm_exec_connections", &ViewRows(connection_rows));

fn request_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecRequests>> {
    let all = OfAll {
        waiting: ctx.engine.txns().locks().waiting(),
        open: ctx.engine.txns().transactions(),
        granted: ctx.engine.workspace().report().granted,
        groups: Groups::of(ctx),
    };
    Ok(seen_sessions(ctx)?.iter().filter_map(|session| request_row(ctx, session, &all)).collect())
}

/// What is known of all sessions at once: who waits for a lock, has a transaction, has memory.
struct OfAll {
    waiting: Vec<LockWait>,
    open: Vec<TransactionRow>,
    granted: Vec<Arc<Entry>>,
    groups: Groups,
}

fn request_row(ctx: &RunContext, session: &SessionShared, all: &OfAll) -> Option<DmExecRequests> {
    let status = session.status.lock().clone();
    let request = status.request.as_ref()?;
    let lock = all.waiting.iter().find(|wait| wait.session == session.id);
    let grants = all.granted.iter().filter(|grant| grant.session == session.id);
    let granted_bytes: usize = grants.map(|grant| grant.report().granted_bytes).sum();
    let wait = current_wait(ctx, session);
    let last_wait = WaitType::from_task_field(session.task.last_wait_type.load(Relaxed));
    let elapsed_us = ctx.engine.now_us().1 - request.start_us;
    let io = RequestIo::of(&session.task).since(request.before);
    let workers = session.workers.load(Relaxed);
    let progress = &session.task.progress;
    let (wait_name, wait_us, resource) =
        wait.as_ref().map_or((None, 0, ""), |(kind, us, resource)| (Some(text(kind.name())), *us, resource));
    let running = session.statement.now();
    let hash: Option<VarBinary<8>> = running
        .as_ref()
        .map(|(text, start, end)| bytes(&session.statement.query_hash(text, *start, *end).to_be_bytes()));
    Some(DmExecRequests {
        session_id: small(session.id.0),
        request_id: 0,
        start_time: datetime_of(request.start_us),
        status: text(if wait.is_some() { "suspended" } else { "running" }),
        command: text(session.command.words()),
        sql_handle: running.as_ref().map(|(text, ..)| handle(SQL_HANDLE, text.id)),
        statement_start_offset: running.as_ref().map(|(text, start, _)| offset(&text.text, *start)),
        statement_end_offset: running.as_ref().map(|(text, _, end)| offset(&text.text, *end)),
        plan_handle: running.as_ref().map(|(text, ..)| handle(PLAN_HANDLE, text.id)),
        database_id: small(status.database.0),
        user_id: user_of(ctx, &status),
        connection_id: connection(session),
        blocking_session_id: Some(small(lock.and_then(|lock| lock.blockers.first()).map_or(0, |blocker| blocker.0))),
        wait_type: wait_name,
        wait_time: int(wait_us / 1000),
        last_wait_type: text(last_wait.map_or("MISCELLANEOUS", WaitType::name)),
        wait_resource: text(&lock.map_or_else(|| resource.to_owned(), |lock| lock.resource.to_string())),
        open_transaction_count: int(session.tran_count.load(Relaxed)),
        open_resultset_count: 0,
        // A statement of its own has none before its first change.
        transaction_id: id_of(session.id, &all.open).unwrap_or(0),
        context_info: session.context_info.lock().as_ref().map(|info| bytes(info)),
        percent_complete: progress.share().map_or(0.0, |share| 100.0 * share as f32),
        estimated_completion_time: progress.left_us(ctx.engine.clock_us()).map_or(0, |us| big(us / 1000)),
        cpu_time: int(session.cpu.running_us() / 1000),
        total_elapsed_time: int(elapsed_us / 1000),
        scheduler_id: int(scheduler_of(session.id)),
        task_address: Some(task_address(session.id)),
        reads: big(io.reads),
        writes: big(io.writes),
        logical_reads: big(io.logical_reads),
        settings: session_settings(&status.settings),
        row_count: big(status.row_count),
        prev_error: status.error,
        nest_level: int(session.nest_level.load(Relaxed)),
        granted_query_memory: int(granted_bytes / PAGE_BYTES),
        executing_managed_code: false,
        group_id: all.groups.group(session.id),
        query_hash: hash.clone(),
        query_plan_hash: hash,
        statement_sql_handle: None,
        statement_context_id: None,
        dop: int(workers.max(1)),
        parallel_worker_count: Some(int(workers)),
        external_script_request_id: None,
        is_resumable: false,
        page_resource: page_resource::of_wait(resource),
        // There are no page servers.
        page_server_reads: 0,
    })
}

/// The user that the session is in its current database; 0 where that cannot be told any more.
pub(crate) fn user_of(ctx: &RunContext, status: &Status) -> i32 {
    if status.acting.is_sa() {
        return PrincipalId::DBO.0;
    }
    let access = Access::of(&ctx.engine, 0, &status.acting, status.database);
    access.ok().flatten().map_or(0, |access| access.token.user.0)
}

/// The connection that a session came by; none of a session of the embedded engine.
fn connection(session: &SessionShared) -> Option<Guid> {
    (!session.login.client_address.is_empty()).then(|| Guid(session.traffic.connection_id()))
}

fn connection_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecConnections>> {
    let sessions = ctx.engine.sessions();
    let rows = sessions.iter().filter(|session| !session.login.client_address.is_empty()).map(|session| {
        let login = &session.login;
        let (received, sent) = session.traffic.packets();
        let status = session.status.lock();
        DmExecConnections {
            session_id: Some(int(session.id.0)),
            most_recent_session_id: Some(int(session.id.0)),
            connect_time: datetime_of(session.login_us),
            net_transport: text("TCP"),
            protocol_type: Some(text("TSQL")),
            protocol_version: Some(int(login.tds_version)),
            endpoint_id: Some(4),
            encrypt_option: text(if login.encrypted { "TRUE" } else { "FALSE" }),
            auth_scheme: text("SQL"),
            node_affinity: 0,
            num_reads: Some(int(received)),
            num_writes: Some(int(sent)),
            last_read: Some(datetime_of(status.last_start_us)),
            last_write: Some(datetime_of(status.last_end_us)),
            net_packet_size: Some(int(login.packet_bytes)),
            client_net_address: Some(text(&login.client_address)),
            client_tcp_port: Some(int(login.client_port)),
            local_net_address: login.local.map(|local| text(&local.ip().to_canonical().to_string())),
            local_tcp_port: login.local.map(|local| int(local.port())),
            connection_id: connection(session),
            parent_connection_id: None,
            most_recent_sql_handle: session.statement.now().map(|(text, ..)| handle(SQL_HANDLE, text.id)),
        }
    });
    Ok(rows.collect())
}
