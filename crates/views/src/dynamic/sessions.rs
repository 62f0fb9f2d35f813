//! `sys.dm_exec_sessions`. CPU time is that of finished requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::run::facts::Settings;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::security::may_on_server;
use millpond_engine::session_shared::{RequestIo, SessionShared};
use millpond_message::error::SqlResult;
use millpond_storage::contract::{PAGE_BYTES, SessionId};
use millpond_txn::DEFAULT_GROUP;
use millpond_types::DateTime;

use crate::columns::{Guid, NVarChar, VarBinary, big, bytes, datetime_of, int, small, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_exec_sessions`.
    struct DmExecSessions {
        session_id: i16,
        login_time: DateTime,
        host_name: Option<NVarChar<128>>,
        program_name: Option<NVarChar<128>>,
        host_process_id: Option<i32>,
        client_version: Option<i32>,
        client_interface_name: Option<NVarChar<32>>,
        security_id: VarBinary<85>,
        login_name: NVarChar<128>,
        nt_domain: Option<NVarChar<128>>,
        nt_user_name: Option<NVarChar<128>>,
        status: NVarChar<30>,
        context_info: Option<VarBinary<128>>,
        cpu_time: i32,
        memory_usage: i32,
        total_scheduled_time: i32,
        total_elapsed_time: i32,
        endpoint_id: i32,
        last_request_start_time: DateTime,
        last_request_end_time: Option<DateTime>,
        reads: i64,
        writes: i64,
        logical_reads: i64,
        is_user_process: bool,
        settings: SessionSettings,
        row_count: i64,
        prev_error: i32,
        original_security_id: VarBinary<85>,
        original_login_name: NVarChar<128>,
        last_successful_logon: Option<DateTime>,
        last_unsuccessful_logon: Option<DateTime>,
        unsuccessful_logons: Option<i64>,
        group_id: i32,
        database_id: i16,
        authenticating_database_id: Option<i32>,
        open_transaction_count: i32,
        page_server_reads: i64,
        contained_availability_group_id: Option<Guid>,
    }
}

/// `sys.dm_exec_sessions`
pub static DM_EXEC_SESSIONS: ViewDef = view("sys", "dm_exec_sessions", &ViewRows(rows));

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecSessions>> {
    let sessions = seen_sessions(ctx)?;
    let (groups, grants) = (Groups::of(ctx), ctx.engine.workspace().report().granted);
    let held_pages = |id: SessionId| -> usize {
        let own = grants.iter().filter(|grant| grant.session == id);
        own.map(|grant| grant.report().used_bytes.div_ceil(PAGE_BYTES)).sum()
    };
    Ok(sessions.iter().map(|session| session_row(session, &groups, held_pages(session.id))).collect())
}

/// The workload groups of all sessions.
pub(crate) struct Groups(HashMap<SessionId, u32>);

impl Groups {
    /// As they are now.
    pub(crate) fn of(ctx: &RunContext) -> Groups {
        Groups(ctx.engine.txns().report().into_iter().map(|space| (space.session, space.group)).collect())
    }

    /// That of a session; the default one where it has none yet.
    pub(crate) fn group(&self, session: SessionId) -> i32 {
        int(self.0.get(&session).copied().unwrap_or(DEFAULT_GROUP))
    }
}

/// The sessions that this one may see: without VIEW SERVER STATE itself alone.
pub fn seen_sessions(ctx: &RunContext) -> SqlResult<Vec<Arc<SessionShared>>> {
    let mut sessions = ctx.engine.sessions();
    if !may_on_server(ctx, "VIEW SERVER STATE")? {
        sessions.retain(|session| session.id.0 == ctx.facts.session);
    }
    Ok(sessions)
}

fn session_row(session: &SessionShared, groups: &Groups, held_pages: usize) -> DmExecSessions {
    let status = session.status.lock().clone();
    let login = &session.login;
    let io = RequestIo::of(&session.task);
    let cpu_us = status.cpu_us + session.cpu.running_us();
    DmExecSessions {
        session_id: small(session.id.0),
        login_time: datetime_of(session.login_us),
        host_name: Some(text(&login.host)),
        program_name: Some(text(&login.program)),
        host_process_id: Some(int(login.host_process_id)),
        client_version: Some(int(login.tds_version >> 28)),
        client_interface_name: Some(text(&login.client_interface)),
        security_id: bytes(&status.acting.sid),
        login_name: text(&status.acting.login_name),
        nt_domain: Some(text("")),
        nt_user_name: Some(text("")),
        status: text(if status.request.is_some() { "running" } else { "sleeping" }),
        context_info: session.context_info.lock().as_ref().map(|info| bytes(info)),
        cpu_time: int(cpu_us / 1000),
        memory_usage: int(held_pages),
        total_scheduled_time: int(cpu_us / 1000),
        total_elapsed_time: int(status.elapsed_us / 1000),
        endpoint_id: 4,
        last_request_start_time: datetime_of(status.last_start_us),
        last_request_end_time: Some(datetime_of(status.last_end_us)),
        reads: big(io.reads),
        writes: big(io.writes),
        logical_reads: big(io.logical_reads),
        is_user_process: true,
        settings: session_settings(&status.settings),
        row_count: big(status.row_count),
        prev_error: status.error,
        original_security_id: bytes(&status.original.sid),
        original_login_name: text(&status.original.login_name),
        last_successful_logon: None,
        last_unsuccessful_logon: None,
        unsuccessful_logons: None,
        group_id: groups.group(session.id),
        database_id: small(status.database.0),
        authenticating_database_id: Some(int(status.original.authenticating_database().0)),
        open_transaction_count: int(session.tran_count.load(Relaxed)),
        page_server_reads: 0,
        contained_availability_group_id: None,
    }
}

row! {
    /// The SET options as sessions and requests show them.
    pub(crate) struct SessionSettings {
        text_size: i32,
        language: Option<NVarChar<128>>,
        date_format: Option<NVarChar<3>>,
        date_first: i16,
        quoted_identifier: bool,
        arithabort: bool,
        ansi_null_dflt_on: bool,
        ansi_defaults: bool,
        ansi_warnings: bool,
        ansi_padding: bool,
        ansi_nulls: bool,
        concat_null_yields_null: bool,
        transaction_isolation_level: i16,
        lock_timeout: i32,
        deadlock_priority: i32,
    }
}

/// Those of a session.
pub(crate) fn session_settings(settings: &Settings) -> SessionSettings {
    SessionSettings {
        text_size: settings.textsize,
        language: Some(text(settings.language.facts().name)),
        date_format: Some(text(&String::from_utf8_lossy(&settings.dateformat))),
        date_first: i16::from(settings.datefirst),
        quoted_identifier: settings.quoted_identifier,
        arithabort: settings.arithabort,
        ansi_null_dflt_on: settings.ansi_null_default_on,
        ansi_defaults: settings.ansi_nulls
            && settings.ansi_padding
            && settings.ansi_warnings
            && settings.implicit_transactions,
        ansi_warnings: settings.ansi_warnings,
        ansi_padding: settings.ansi_padding,
        ansi_nulls: settings.ansi_nulls,
        concat_null_yields_null: settings.concat_null_yields_null,
        transaction_isolation_level: i16::from(settings.isolation),
        lock_timeout: settings.lock_timeout,
        deadlock_priority: settings.deadlock_priority,
    }
}
