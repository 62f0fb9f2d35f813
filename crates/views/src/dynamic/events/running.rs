//! Sessions that collect: `sys.dm_xe_sessions`, their events, actions and targets, and what was said of these by SET.
//!
//! What always holds: a target's document is made when it is asked for, and what files wait for is written before it.

use std::sync::Arc;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_events::definition::{SessionEvent, Setting};
use millpond_events::object::{ActionDef, Package};
use millpond_events::running::Running;
use millpond_message::error::SqlResult;
use millpond_types::DateTime;

use crate::columns::{Guid, NVarChar, NVarCharMax, VarBinary, big, bytes, datetime_of, int, text};
use crate::row::{Rows, ViewRows, row, view};

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
    /// A row of `sys.dm_xe_session_event_actions`.
    struct DmXeSessionEventActions {
        event_session_address: Option<VarBinary<8>>,
        action_name: Option<NVarChar<256>>,
        action_package_guid: Option<Guid>,
        event_name: Option<NVarChar<256>>,
        event_package_guid: Option<Guid>,
    }
}

/// `sys.dm_xe_session_event_actions`
pub static DM_XE_SESSION_EVENT_ACTIONS: ViewDef =
    view("sys", "dm_xe_session_event_actions", &ViewRows(session_event_actions));

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
    /// A row of `sys.dm_xe_session_object_columns`.
    struct DmXeSessionObjectColumns {
        event_session_address: Option<VarBinary<8>>,
        column_name: Option<NVarChar<256>>,
        column_id: Option<i32>,
        column_value: Option<NVarChar<3072>>,
        object_type: Option<NVarChar<60>>,
        object_name: Option<NVarChar<256>>,
        object_package_guid: Option<Guid>,
    }
}

/// `sys.dm_xe_session_object_columns`
pub static DM_XE_SESSION_OBJECT_COLUMNS: ViewDef =
    view("sys", "dm_xe_session_object_columns", &ViewRows(session_object_columns));

fn address(session: &Running) -> VarBinary<8> {
    bytes(&session.address.to_be_bytes())
}

/// Rows of each session that collects.
fn of_each<R: crate::row::RowPart>(ctx: &RunContext, rows: impl Fn(&Arc<Running>) -> Vec<R>) -> SqlResult<Rows<R>> {
    Ok(ctx.engine.events.running().iter().flat_map(rows).collect())
}

fn sessions(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeSessions>> {
    of_each(ctx, |session| {
        let (report, options) = (session.report(), &session.def.options);
        let buffer_bytes = options.memory_max_bytes;
        vec![DmXeSessions {
            address: Some(address(session)),
            name: Some(text(&session.def.name)),
            pending_buffers: Some(i32::from(report.pending_bytes > 0)),
            total_regular_buffers: Some(1),
            regular_buffer_size: Some(big(buffer_bytes)),
            total_large_buffers: Some(i32::from(options.event_max_bytes > 0)),
            large_buffer_size: Some(big(options.event_max_bytes)),
            total_buffer_size: Some(big(buffer_bytes + options.event_max_bytes)),
            buffer_policy_flags: Some(i32::from(options.loses_many)),
            buffer_policy_desc: Some(text(if options.loses_many { "drop_buffer" } else { "drop_event" })),
            flags: Some(1),
            flag_desc: Some(text("flush_on_close")),
            dropped_event_count: Some(int(report.dropped)),
            dropped_buffer_count: Some(0),
            blocked_event_fire_time: Some(0),
            create_time: Some(datetime_of(session.started_us)),
            largest_event_dropped_size: Some(int(report.largest_dropped)),
        }]
    })
}

fn session_events(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeSessionEvents>> {
    of_each(ctx, |session| {
        let row = |event: &SessionEvent| DmXeSessionEvents {
            event_session_address: Some(address(session)),
            event_name: Some(text(event.event.name)),
            event_package_guid: Some(Guid(event.event.package.guid())),
            event_predicate: event.predicate_text.as_deref().map(text),
        };
        session.def.events.iter().map(row).collect()
    })
}

fn session_event_actions(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeSessionEventActions>> {
    of_each(ctx, |session| {
        let row = |event: &SessionEvent, action: &'static ActionDef| DmXeSessionEventActions {
            event_session_address: Some(address(session)),
            action_name: Some(text(action.name)),
            action_package_guid: Some(Guid(action.package.guid())),
            event_name: Some(text(event.event.name)),
            event_package_guid: Some(Guid(event.event.package.guid())),
        };
        let of_event =
            |event: &SessionEvent| -> Vec<_> { event.actions.iter().map(|action| row(event, action)).collect() };
        session.def.events.iter().flat_map(of_event).collect()
    })
}

fn session_targets(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeSessionTargets>> {
    of_each(ctx, |session| {
        let targets = session.targets().into_iter();
        let row = |target: millpond_events::running::TargetReport| DmXeSessionTargets {
            event_session_address: Some(address(session)),
            target_name: Some(text(target.name)),
            target_package_guid: Some(Guid(Package::Package0.guid())),
            execution_count: Some(big(target.executions)),
            execution_duration_ms: Some(0),
            target_data: Some(text(&target.data)),
        };
        targets.map(row).collect()
    })
}

fn session_object_columns(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeSessionObjectColumns>> {
    of_each(ctx, |session| {
        let row = |kind: &str, (name, package): (&str, Package), at: usize, said: &(String, Setting)| {
            let (column, value) = said;
            let value = match value {
                Setting::Number(number) => number.to_string(),
                Setting::Text(text) => text.clone(),
            };
            DmXeSessionObjectColumns {
                event_session_address: Some(address(session)),
                column_name: Some(text(column)),
                column_id: Some(int(at)),
                column_value: Some(text(&value)),
                object_type: Some(text(kind)),
                object_name: Some(text(name)),
                object_package_guid: Some(Guid(package.guid())),
            }
        };
        let mut rows = Vec::new();
        for event in &session.def.events {
            let name = (event.event.name, event.event.package);
            rows.extend(event.settings.iter().enumerate().map(|(at, said)| row("event", name, at, said)));
        }
        for target in &session.def.targets {
            let name = (target.target.name, Package::Package0);
            rows.extend(target.settings.iter().enumerate().map(|(at, said)| row("target", name, at, said)));
        }
        rows
    })
}
