//! The one session of extended events that there is, `system_health`: `sys.dm_xe_sessions`, its events and targets,
//! `server_event_sessions` and its kin, `fn_xe_file_target_read_file`.
//!
//! What always holds: the session runs from the start of the server, and its events are in memory (`engine/src/account/health.rs`): both
//! targets show the same ones, and the file that the one of the two names is never made. CREATE EVENT SESSION is missing
//! (docs/compatibility.md), so no other session writes files, and a file that the caller has brought cannot be read.

use std::fmt::Write;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::Within;
use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::health::{BYTES_MAX, DEADLOCK_EVENT, HealthEvent};
use millpond_engine::context::RunContext;
use millpond_engine::security::may_on_server;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{DateTime, DateTime2, Value};

use crate::columns::{
    Guid, NChar, NVarChar, NVarCharMax, Sysname, VarBinary, big, bytes, datetime_of, int, iso_text, text,
};
use crate::dynamic::host::what_is_at;
use crate::row::{Rows, ViewRows, row, table_function, view};

/// The session's name.
const NAME: &str = "system_health";
/// Its number among those that are defined.
const NUMBER: i32 = 65_536;
/// What stands for its place in memory.
const ADDRESS: [u8; 8] = [0, 0, 0, 2, 0x5e, 0x55, 0, 1];
/// The package of events of the engine, and the one of targets, by their numbers in every SQL Server.
const SQLSERVER: Guid =
    Guid([0x3f, 0xd9, 0x5f, 0x65, 0x64, 0x33, 0xd5, 0x40, 0xb2, 0xba, 0x33, 0x0f, 0x7f, 0xfb, 0x64, 0x91]);
const PACKAGE0: Guid =
    Guid([0xbf, 0x9f, 0xaa, 0x60, 0x3b, 0x67, 0x53, 0x45, 0xb7, 0xed, 0x71, 0xdc, 0xa7, 0xf5, 0xe9, 0x72]);
/// The module of both, and as a text.
const MODULE: Guid =
    Guid([0x1f, 0x81, 0x79, 0xce, 0x80, 0x1a, 0xe1, 0x40, 0x8f, 0x5d, 0x74, 0x45, 0xa3, 0xf3, 0x75, 0xe7]);
const MODULE_TEXT: &str = "CE79811F-1A80-40E1-8F5D-7445A3F375E7";

row! {
    /// A row of `sys.dm_xe_sessions`.
    struct DmXeSessions {
        address: Option<VarBinary<8>>,
        name: Option<NVarChar<256>>,
        pending_buffers: Option<i32>,
        total_regular_buffers: Option<i32>,
        regular_buffer_size: Option<i64>,
        total_large_buffers: Option<i32>,
        large_buffer_size: Option<i64>,
        total_buffer_size: Option<i64>,
        buffer_policy_flags: Option<i32>,
        buffer_policy_desc: Option<NVarChar<256>>,
        flags: Option<i32>,
        flag_desc: Option<NVarChar<256>>,
        dropped_event_count: Option<i32>,
        dropped_buffer_count: Option<i32>,
        blocked_event_fire_time: Option<i32>,
        create_time: Option<DateTime>,
        largest_event_dropped_size: Option<i32>,
    }
}

/// `sys.dm_xe_sessions`
pub static DM_XE_SESSIONS: ViewDef = view("sys", "dm_xe_sessions", &ViewRows(sessions));

row! {
    /// A row of `sys.dm_xe_session_events`.
    struct DmXeSessionEvents {
        event_session_address: Option<VarBinary<8>>,
        event_name: Option<NVarChar<256>>,
        event_package_guid: Option<Guid>,
        event_predicate: Option<NVarChar<3072>>,
    }
}

/// `sys.dm_xe_session_events`
pub static DM_XE_SESSION_EVENTS: ViewDef = view("sys", "dm_xe_session_events", &ViewRows(session_events));

row! {
    /// A row of `sys.dm_xe_session_targets`.
    struct DmXeSessionTargets {
        event_session_address: Option<VarBinary<8>>,
        target_name: Option<NVarChar<60>>,
        target_package_guid: Option<Guid>,
        execution_count: Option<i64>,
        execution_duration_ms: Option<i64>,
        target_data: Option<NVarCharMax>,
    }
}

/// `sys.dm_xe_session_targets`
pub static DM_XE_SESSION_TARGETS: ViewDef = view("sys", "dm_xe_session_targets", &ViewRows(session_targets));

row! {
    /// A row of `sys.server_event_sessions`.
    struct ServerEventSessions {
        event_session_id: Option<i32>,
        name: Option<Sysname>,
        event_retention_mode: Option<NChar<1>>,
        event_retention_mode_desc: Option<Sysname>,
        max_dispatch_latency: Option<i32>,
        max_memory: Option<i32>,
        max_event_size: Option<i32>,
        memory_partition_mode: Option<NChar<1>>,
        memory_partition_mode_desc: Option<Sysname>,
        track_causality: Option<bool>,
        startup_state: Option<bool>,
    }
}

/// `sys.server_event_sessions`
pub static SERVER_EVENT_SESSIONS: ViewDef = view("sys", "server_event_sessions", &ViewRows(defined_sessions));

row! {
    /// A row of `sys.server_event_session_events`.
    struct ServerEventSessionEvents {
        event_session_id: Option<i32>,
        event_id: Option<i32>,
        name: Option<Sysname>,
        package: Option<Sysname>,
        module: Option<Sysname>,
        predicate: Option<NVarChar<3000>>,
        predicate_xml: Option<NVarChar<3000>>,
    }
}

/// `sys.server_event_session_events`
pub static SERVER_EVENT_SESSION_EVENTS: ViewDef = view("sys", "server_event_session_events", &ViewRows(defined_events));

row! {
    /// A row of `sys.server_event_session_targets`.
    struct ServerEventSessionTargets {
        event_session_id: Option<i32>,
        target_id: Option<i32>,
        name: Option<Sysname>,
        package: Option<Sysname>,
        module: Option<Sysname>,
    }
}

/// `sys.server_event_session_targets`
pub static SERVER_EVENT_SESSION_TARGETS: ViewDef =
    view("sys", "server_event_session_targets", &ViewRows(defined_targets));

row! {
    /// A row of `sys.fn_xe_file_target_read_file`.
    struct FnXeFileTargetReadFile {
        module_guid: Guid,
        package_guid: Guid,
        object_name: NVarChar<60>,
        event_data: NVarCharMax,
        file_name: NVarChar<260>,
        file_offset: i64,
        timestamp_utc: DateTime2,
    }
}

/// `sys.fn_xe_file_target_read_file(path, mdpath, initial_file_name, initial_offset)`
pub static FN_XE_FILE_TARGET_READ_FILE: TableFunctionDef = table_function!(
    "sys",
    "fn_xe_file_target_read_file",
    [NVarChar<260>, NVarChar<260>, NVarChar<260>, i64],
    optional 0,
    FnXeFileTargetReadFile,
    events
);

/// When the session began: with the server, in local time.
fn began_us(ctx: &RunContext) -> i64 {
    ctx.engine.now_us().1 - ctx.engine.clock_us().cast_signed()
}

fn sessions(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeSessions>> {
    Ok(Rows::one(DmXeSessions {
        address: Some(bytes(&ADDRESS)),
        name: Some(text(NAME)),
        pending_buffers: Some(0),
        total_regular_buffers: Some(1),
        regular_buffer_size: Some(big(BYTES_MAX)),
        total_large_buffers: Some(0),
        large_buffer_size: Some(0),
        total_buffer_size: Some(big(BYTES_MAX)),
        buffer_policy_flags: Some(0),
        buffer_policy_desc: Some(text("drop_event")),
        flags: Some(1),
        flag_desc: Some(text("flush_on_close")),
        dropped_event_count: Some(0),
        dropped_buffer_count: Some(0),
        blocked_event_fire_time: Some(0),
        create_time: Some(datetime_of(began_us(ctx))),
        largest_event_dropped_size: Some(0),
    }))
}

fn session_events(_: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeSessionEvents>> {
    Ok(Rows::one(DmXeSessionEvents {
        event_session_address: Some(bytes(&ADDRESS)),
        event_name: Some(text(DEADLOCK_EVENT)),
        event_package_guid: Some(SQLSERVER),
        event_predicate: None,
    }))
}

fn session_targets(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeSessionTargets>> {
    let report = ctx.engine.health.report();
    let mut ring = format!(
        "<RingBufferTarget truncated=\"0\" processingTime=\"0\" totalEventsProcessed=\"{}\" eventCount=\"{}\" \
         droppedCount=\"0\" memoryUsed=\"{}\">",
        report.seen,
        report.events.len(),
        report.bytes
    );
    report.events.iter().for_each(|event| write_event(&mut ring, event));
    ring.push_str("</RingBufferTarget>");
    let file = format!(
        "<EventFileTarget truncated=\"0\"><Buffers logged=\"{}\" dropped=\"0\"/><File name=\"{}\"/></EventFileTarget>",
        report.seen,
        file_name(ctx)
    );
    let target = |name, data: &str| DmXeSessionTargets {
        event_session_address: Some(bytes(&ADDRESS)),
        target_name: Some(text(name)),
        target_package_guid: Some(PACKAGE0),
        execution_count: Some(big(report.seen)),
        execution_duration_ms: Some(0),
        target_data: Some(text(data)),
    };
    Ok([target("ring_buffer", &ring), target("event_file", &file)].into_iter().collect())
}

fn defined_sessions(_: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerEventSessions>> {
    Ok(Rows::one(ServerEventSessions {
        event_session_id: Some(NUMBER),
        name: Some(text(NAME)),
        event_retention_mode: Some(text("S")),
        event_retention_mode_desc: Some(text("ALLOW_SINGLE_EVENT_LOSS")),
        max_dispatch_latency: Some(0),
        max_memory: Some(int(BYTES_MAX / 1024)),
        max_event_size: Some(0),
        memory_partition_mode: Some(text("G")),
        memory_partition_mode_desc: Some(text("NONE")),
        track_causality: Some(false),
        startup_state: Some(true),
    }))
}

fn defined_events(_: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerEventSessionEvents>> {
    Ok(Rows::one(ServerEventSessionEvents {
        event_session_id: Some(NUMBER),
        event_id: Some(1),
        name: Some(text(DEADLOCK_EVENT)),
        package: Some(text("sqlserver")),
        module: Some(text(MODULE_TEXT)),
        predicate: None,
        predicate_xml: None,
    }))
}

fn defined_targets(_: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerEventSessionTargets>> {
    let target = |(target_id, name)| ServerEventSessionTargets {
        event_session_id: Some(NUMBER),
        target_id: Some(target_id),
        name: Some(text(name)),
        package: Some(text("package0")),
        module: Some(text(MODULE_TEXT)),
    };
    Ok([(2, "event_file"), (3, "ring_buffer")].into_iter().map(target).collect())
}

/// The file in which the events would be: one since the server began.
fn file_name(ctx: &RunContext) -> String {
    format!("{NAME}_0_{}.xel", (began_us(ctx) / 1000).unsigned_abs())
}

/// Whether a path, of any folder and with a wildcard at its end, means the session's file.
fn is_of_session(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with(NAME) && name.ends_with(".xel")
}

fn events(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<FnXeFileTargetReadFile>> {
    if !may_on_server(ctx, "VIEW SERVER STATE")? {
        return Err(SqlError::of(300, 1, &[&"VIEW SERVER STATE", &"server", &"master"]));
    }
    let Some(path) = args.first().and_then(Value::as_str) else { return Ok(Rows::new()) };
    if what_is_at(path).0 {
        return Err(message::missing("Files of extended events"));
    }
    if !is_of_session(path) {
        return Ok(Rows::new());
    }
    let file = file_name(ctx);
    let row = |(at, event): (usize, &HealthEvent)| {
        let mut data = String::new();
        write_event(&mut data, event);
        FnXeFileTargetReadFile {
            module_guid: MODULE,
            package_guid: SQLSERVER,
            object_name: text(event.name),
            event_data: text(&data),
            file_name: text(&file),
            file_offset: big(at),
            timestamp_utc: datetime2_of_unix_us(event.utc_us),
        }
    };
    Ok(ctx.engine.health.report().events.iter().enumerate().map(row).collect())
}

/// Adds an event as an element.
fn write_event(out: &mut String, event: &HealthEvent) {
    let _ = write!(
        out,
        "<event name=\"{}\" package=\"sqlserver\" timestamp=\"{}Z\">{}</event>",
        event.name,
        iso_text(event.utc_us),
        event.data
    );
}

#[cfg(test)]
mod tests {
    use super::is_of_session;

    #[test]
    fn the_file_of_the_session_is_meant_in_any_folder() {
        for path in ["system_health*.xel", "/var/opt/mssql/log/System_Health_0_1.xel", r"C:\log\system_health*.xel"] {
            assert!(is_of_session(path), "{path}");
        }
        for path in ["", "system_health", "/system_health/mine*.xel", "mysystem_health*.xel"] {
            assert!(!is_of_session(path), "{path}");
        }
    }
}
