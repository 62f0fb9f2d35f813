//! `sys.dm_exec_sessions`. CPU time is that of finished requests.

use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::run::facts::Settings;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{
    BIGINT, BIT, DATETIME, INT, SMALLINT, big, bit, bytes, col, int, moment, null, nvarchar, small, text, varbinary,
};

/// Identity of `sa`.
pub(in crate::view) const SA_SID: [u8; 1] = [1];

/// `sys.dm_exec_sessions`
pub static DM_EXEC_SESSIONS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_exec_sessions",
    columns: &[
        col("session_id", SMALLINT),
        col("login_time", DATETIME),
        null("host_name", nvarchar(128)),
        null("program_name", nvarchar(128)),
        null("host_process_id", INT),
        null("client_version", INT),
        null("client_interface_name", nvarchar(32)),
        col("security_id", varbinary(85)),
        col("login_name", nvarchar(128)),
        null("nt_domain", nvarchar(128)),
        null("nt_user_name", nvarchar(128)),
        col("status", nvarchar(30)),
        null("context_info", varbinary(128)),
        col("cpu_time", INT),
        col("memory_usage", INT),
        col("total_scheduled_time", INT),
        col("total_elapsed_time", INT),
        col("endpoint_id", INT),
        col("last_request_start_time", DATETIME),
        null("last_request_end_time", DATETIME),
        col("reads", BIGINT),
        col("writes", BIGINT),
        col("logical_reads", BIGINT),
        col("is_user_process", BIT),
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
        col("original_security_id", varbinary(85)),
        col("original_login_name", nvarchar(128)),
        null("last_successful_logon", DATETIME),
        null("last_unsuccessful_logon", DATETIME),
        null("unsuccessful_logons", BIGINT),
        col("group_id", INT),
        col("database_id", SMALLINT),
        null("authenticating_database_id", INT),
        col("open_transaction_count", INT),
    ],
    rows: &ViewRows(rows),
};

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    Ok(ctx.engine.sessions().iter().map(|session| row(session)).collect())
}

fn row(session: &SessionShared) -> Vec<Value> {
    let status = session.status.lock().clone();
    let login = &session.login;
    let io = &session.task.io;
    let cpu_us = status.cpu_us + session.cpu.running_us();
    let mut row = vec![
        small(session.id.0),
        moment(session.login_us),
        text(&login.host),
        text(&login.program),
        int(login.host_process_id),
        int(login.tds_version >> 28),
        text(&login.client_interface),
        bytes(&SA_SID),
        text(&login.login),
        text(""),
        text(""),
        text(if status.request.is_some() { "running" } else { "sleeping" }),
        session.context_info.lock().as_ref().map_or(Value::Null, |info| bytes(info)),
        int(cpu_us / 1000),
        Value::Int(0),
        int(cpu_us / 1000),
        int(status.elapsed_us / 1000),
        Value::Int(4),
        moment(status.last_start_us),
        moment(status.last_end_us),
        big(io.physical_reads.load(Relaxed) + io.read_ahead_reads.load(Relaxed)),
        big(session.task.writes.writes.iter().map(|count| count.load(Relaxed)).sum::<u64>()),
        big(io.logical_reads.load(Relaxed)),
        bit(true),
    ];
    row.extend(settings_columns(&status.settings));
    row.extend([
        big(status.row_count),
        int(status.error),
        bytes(&SA_SID),
        text(&login.login),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Int(2),
        small(status.database.0),
        Value::Int(1),
        int(status.tran_count),
    ]);
    row
}

/// The SET options as sessions and requests show them, from `text_size` to `deadlock_priority`.
pub(in crate::view) fn settings_columns(settings: &Settings) -> [Value; 15] {
    [
        Value::Int(settings.textsize),
        text(&settings.language),
        text(&String::from_utf8_lossy(&settings.dateformat)),
        Value::SmallInt(i16::from(settings.datefirst)),
        bit(settings.quoted_identifier),
        bit(settings.arithabort),
        bit(settings.ansi_null_default_on),
        bit(settings.ansi_nulls && settings.ansi_padding && settings.ansi_warnings && settings.implicit_transactions),
        bit(settings.ansi_warnings),
        bit(settings.ansi_padding),
        bit(settings.ansi_nulls),
        bit(settings.concat_null_yields_null),
        Value::SmallInt(i16::from(settings.isolation)),
        Value::Int(settings.lock_timeout),
        Value::Int(settings.deadlock_priority),
    ]
}
