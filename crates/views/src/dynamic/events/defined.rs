//! Sessions as they are defined: `sys.server_event_sessions` and its kin. `system_health` is among them, with a number below the
//! others'.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::event_session;
use millpond_events::definition::{SessionDef, Setting};
use millpond_events::object::MODULE_TEXT;
use millpond_message::error::SqlResult;
use millpond_types::{MaxLen, SqlType, Value};

use crate::columns::{NChar, NVarChar, Sysname, Variant, int, text};
use crate::dynamic::events::check_may_view;
use crate::row::{RowPart, Rows, ViewRows, row, view};

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
pub static SERVER_EVENT_SESSIONS: ViewDef = view("sys", "server_event_sessions", &ViewRows(sessions));

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
pub static SERVER_EVENT_SESSION_EVENTS: ViewDef = view("sys", "server_event_session_events", &ViewRows(events));

row! {
    /// A row of `sys.server_event_session_actions`.
    struct ServerEventSessionActions {
        event_session_id: Option<i32>,
        event_id: Option<i32>,
        name: Option<Sysname>,
        package: Option<Sysname>,
        module: Option<Sysname>,
    }
}

/// `sys.server_event_session_actions`
pub static SERVER_EVENT_SESSION_ACTIONS: ViewDef = view("sys", "server_event_session_actions", &ViewRows(actions));

row! {
    /// A row of `sys.server_event_session_fields`.
    struct ServerEventSessionFields {
        event_session_id: Option<i32>,
        object_id: Option<i32>,
        name: Option<Sysname>,
        value: Option<Variant>,
    }
}

/// `sys.server_event_session_fields`
pub static SERVER_EVENT_SESSION_FIELDS: ViewDef = view("sys", "server_event_session_fields", &ViewRows(fields));

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
pub static SERVER_EVENT_SESSION_TARGETS: ViewDef = view("sys", "server_event_session_targets", &ViewRows(targets));

/// Rows of each session that is defined.
fn of_each<R: RowPart>(ctx: &RunContext, rows: impl Fn(&SessionDef) -> Vec<R>) -> SqlResult<Rows<R>> {
    check_may_view(ctx)?;
    Ok(event_session::all_defined(&ctx.engine)?.iter().flat_map(rows).collect())
}

fn sessions(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerEventSessions>> {
    of_each(ctx, |session| {
        let options = &session.options;
        let (mode, mode_desc) = match options.loses_many {
            true => ("M", "ALLOW_MULTIPLE_EVENT_LOSS"),
            false => ("S", "ALLOW_SINGLE_EVENT_LOSS"),
        };
        let partition_desc = match options.partition {
            'N' => "PER_NODE",
            'C' => "PER_CPU",
            _ => "NONE",
        };
        vec![ServerEventSessions {
            event_session_id: Some(session.id),
            name: Some(text(&session.name)),
            event_retention_mode: Some(text(mode)),
            event_retention_mode_desc: Some(text(mode_desc)),
            max_dispatch_latency: Some(int(u64::from(options.latency_s) * 1000)),
            max_memory: Some(int(options.memory_max_bytes / 1024)),
            max_event_size: Some(int(options.event_max_bytes / 1024)),
            memory_partition_mode: Some(text(&options.partition.to_string())),
            memory_partition_mode_desc: Some(text(partition_desc)),
            track_causality: Some(options.tracks_causality),
            startup_state: Some(options.starts_at_start),
        }]
    })
}

fn events(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerEventSessionEvents>> {
    of_each(ctx, |session| {
        let row = |event: &millpond_events::definition::SessionEvent| ServerEventSessionEvents {
            event_session_id: Some(session.id),
            event_id: Some(event.id),
            name: Some(text(event.event.name)),
            package: Some(text(event.event.package.name())),
            module: Some(text(MODULE_TEXT)),
            predicate: event.predicate_text.as_deref().map(text),
            predicate_xml: None,
        };
        session.events.iter().map(row).collect()
    })
}

fn actions(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerEventSessionActions>> {
    of_each(ctx, |session| {
        let mut rows = Vec::new();
        for event in &session.events {
            rows.extend(event.actions.iter().map(|action| ServerEventSessionActions {
                event_session_id: Some(session.id),
                event_id: Some(event.id),
                name: Some(text(action.name)),
                package: Some(text(action.package.name())),
                module: Some(text(MODULE_TEXT)),
            }));
        }
        rows
    })
}

fn fields(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerEventSessionFields>> {
    of_each(ctx, |session| {
        let row = |object: i32, (name, setting): &(String, Setting)| ServerEventSessionFields {
            event_session_id: Some(session.id),
            object_id: Some(object),
            name: Some(text(name)),
            value: Some(match setting {
                Setting::Number(number) => Variant::of(SqlType::BigInt, Value::BigInt(*number)),
                Setting::Text(text) => {
                    let cut: String = text.chars().take(4000).collect();
                    Variant::of(SqlType::NVarChar { len: MaxLen::Limited(4000) }, Value::str(&cut))
                }
            }),
        };
        let mut rows = Vec::new();
        for event in &session.events {
            rows.extend(event.settings.iter().map(|said| row(event.id, said)));
        }
        for target in &session.targets {
            rows.extend(target.settings.iter().map(|said| row(target.id, said)));
        }
        rows
    })
}

fn targets(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerEventSessionTargets>> {
    of_each(ctx, |session| {
        let row = |target: &millpond_events::definition::SessionTarget| ServerEventSessionTargets {
            event_session_id: Some(session.id),
            target_id: Some(target.id),
            name: Some(text(target.target.name)),
            package: Some(text("package0")),
            module: Some(text(MODULE_TEXT)),
        };
        session.targets.iter().map(row).collect()
    })
}
