//! CREATE, ALTER and DROP EVENT SESSION.
//!
//! What always holds: a definition is kept only after all names in it are resolved, and a session that collects is changed with its
//! definition, or neither is. Statements about sessions come one after the other, by the lock of their definitions in master.

use std::sync::Arc;

use millpond_catalog::dictionary::change_event_sessions;
use millpond_catalog::names_equal;
use millpond_events::events::StartError;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    EventSession, EventSessionAction, EventSessionChange, NamedOption, ObjectName, StatementKind,
};
use millpond_tsql::print;

use crate::context::RunContext;
use crate::engine::Engine;
use crate::event_session::{
    KeptSession, SYSTEM_HEALTH, SYSTEM_HEALTH_ID, defined, error, kept, place, resolve, statement_of,
};

/// The first number of a session of users.
const FIRST_ID: i32 = 65_537;

/// Does what the statement says.
///
/// # Errors
/// 574 inside of a transaction; 40517 for ON DATABASE; 15151 where there is no such session, 25631 where there is; 25705 and 25704
/// for one that is started or stopped already; 25602 where a file cannot be written; what resolving its names gives.
pub fn run(ctx: &RunContext, said: &EventSession) -> SqlResult<()> {
    if ctx.facts.tran_count > 0 {
        let title = StatementKind::EventSession(Box::new(said.clone())).title();
        return Err(SqlError::of(574, 0, &[&title]));
    }
    if said.on_database {
        return Err(message::missing("EVENT SESSION … ON DATABASE (sessions are ON SERVER)"));
    }
    match &said.action {
        EventSessionAction::Create { changes, .. } => create(&ctx.engine, said, changes),
        EventSessionAction::Alter { changes, options } => alter(&ctx.engine, &said.name, changes, options),
        EventSessionAction::State(true) => start(&ctx.engine, &said.name),
        EventSessionAction::State(false) => {
            let kept = known(&ctx.engine, "alter", &said.name)?;
            match ctx.engine.events.stop(kept.id) {
                true => Ok(()),
                false => Err(SqlError::of(25_704, 1, &[])),
            }
        }
        EventSessionAction::Drop => drop_session(&ctx.engine, &said.name),
    }
}

fn known(engine: &Engine, verb: &str, name: &str) -> SqlResult<KeptSession> {
    kept(engine, name)?.ok_or_else(|| error::no_session(verb, name))
}

fn create(engine: &Engine, said: &EventSession, changes: &[EventSessionChange]) -> SqlResult<()> {
    if said.name.starts_with('#') {
        return Err(SqlError::of(25_701, 1, &[&said.name]));
    }
    check_twice(&[], changes)?;
    resolve::session(FIRST_ID, said)?;
    if names_equal(&said.name, SYSTEM_HEALTH) {
        return Err(exists(&said.name));
    }
    let dictionary = engine.databases().dictionary(DbId::MASTER)?;
    engine.databases().on_own_account(|io| {
        change_event_sessions(&dictionary, io, |sessions| {
            let is_known = |text: &Arc<str>| statement_of(text).is_some_and(|kept| names_equal(&kept.name, &said.name));
            if sessions.values().any(is_known) {
                return Err(exists(&said.name));
            }
            let id = sessions.keys().next_back().map_or(FIRST_ID, |last| last + 1);
            sessions.insert(id, Arc::from(print::event_session(said)));
            Ok(())
        })
    })
}

fn exists(name: &str) -> SqlError {
    SqlError::of(25_631, 1, &[&"event session", &name])
}

/// The definition and the session that collects have the changes, or neither has.
fn alter(engine: &Engine, name: &str, changes: &[EventSessionChange], options: &[NamedOption]) -> SqlResult<()> {
    let kept = known(engine, "alter", name)?;
    if kept.id == SYSTEM_HEALTH_ID {
        return Err(message::missing("ALTER EVENT SESSION of system_health but for its STATE"));
    }
    let is_running = engine.events.session(kept.id).is_some();
    // Of a session that collects only what it collects may change.
    if let Some(option) = options.iter().find(|option| is_running && option.name != "STARTUP_STATE") {
        return Err(SqlError::of(25_707, 1, &[&option.name]));
    }
    let dictionary = engine.databases().dictionary(DbId::MASTER)?;
    engine.databases().on_own_account(|io| {
        change_event_sessions(&dictionary, io, |sessions| {
            let text = sessions.get(&kept.id).ok_or_else(|| error::no_session("alter", name))?;
            let mut statement = statement_of(text).ok_or_else(|| error::no_session("alter", name))?;
            apply(&mut statement, changes, options)?;
            let def = resolve::session(kept.id, &statement)?;
            engine.events.alter(def, &place(engine)).map_err(|failure| error::of_file(&failure))?;
            sessions.insert(kept.id, Arc::from(print::event_session(&statement)));
            Ok(())
        })
    })
}

fn start(engine: &Engine, name: &str) -> SqlResult<()> {
    let kept = known(engine, "alter", name)?;
    let def = defined(&kept)?;
    match engine.events.start(def, &place(engine), engine.now_us().1) {
        Ok(()) => Ok(()),
        Err(StartError::Started) => Err(SqlError::of(25_705, 1, &[])),
        Err(StartError::File(failure)) => Err(error::of_file(&failure)),
    }
}

fn drop_session(engine: &Engine, name: &str) -> SqlResult<()> {
    let kept = known(engine, "drop", name)?;
    if kept.id == SYSTEM_HEALTH_ID {
        return Err(message::missing("DROP EVENT SESSION of system_health (it can be stopped)"));
    }
    let dictionary = engine.databases().dictionary(DbId::MASTER)?;
    engine.databases().on_own_account(|io| {
        change_event_sessions(&dictionary, io, |sessions| {
            sessions.remove(&kept.id).map(|_| ()).ok_or_else(|| error::no_session("drop", name))
        })
    })?;
    engine.events.stop(kept.id);
    Ok(())
}

/// Whether two names of events or targets are the same: by their last parts, which no two packages have in common.
fn same(one: &ObjectName, other: &ObjectName) -> bool {
    one.last().eq_ignore_ascii_case(other.last())
}

/// 25625: an event or target that there is already.
fn check_twice(known: &[EventSessionChange], added: &[EventSessionChange]) -> SqlResult<()> {
    for (at, change) in added.iter().enumerate() {
        let mut earlier = known.iter().chain(&added[..at]);
        let (kind, name, is_twice) = match change {
            EventSessionChange::AddEvent(event) => {
                let is_same = |other: &EventSessionChange| matches!(other, EventSessionChange::AddEvent(known) if same(&known.name, &event.name));
                ("event", &event.name, earlier.any(is_same))
            }
            EventSessionChange::AddTarget { name, .. } => {
                let is_same = |other: &EventSessionChange| matches!(other, EventSessionChange::AddTarget { name: known, .. } if same(known, name));
                ("target", name, earlier.any(is_same))
            }
            EventSessionChange::DropEvent(_) | EventSessionChange::DropTarget(_) => continue,
        };
        if is_twice {
            return Err(SqlError::of(25_625, 1, &[&kind, &name.shown()]));
        }
    }
    Ok(())
}

/// Makes of the statement that a session is kept as the one of the session with the changes.
fn apply(statement: &mut EventSession, changes: &[EventSessionChange], options: &[NamedOption]) -> SqlResult<()> {
    let EventSessionAction::Create { changes: kept, options: known } = &mut statement.action else { return Ok(()) };
    for change in changes {
        let (kind, name, at) = match change {
            EventSessionChange::AddEvent(_) | EventSessionChange::AddTarget { .. } => {
                check_twice(kept, std::slice::from_ref(change))?;
                kept.push(change.clone());
                continue;
            }
            EventSessionChange::DropEvent(name) => {
                let is_it = |kept: &EventSessionChange| matches!(kept, EventSessionChange::AddEvent(event) if same(&event.name, name));
                ("event", name, kept.iter().position(is_it))
            }
            EventSessionChange::DropTarget(name) => {
                let is_it = |kept: &EventSessionChange| matches!(kept, EventSessionChange::AddTarget { name: known, .. } if same(known, name));
                ("target", name, kept.iter().position(is_it))
            }
        };
        let at = at.ok_or_else(|| SqlError::of(25_653, 1, &[&kind, &name.shown()]))?;
        kept.remove(at);
    }
    // A statement without events is none that CREATE EVENT SESSION could be.
    if !kept.iter().any(|change| matches!(change, EventSessionChange::AddEvent(_))) {
        return Err(message::missing("ALTER EVENT SESSION … DROP EVENT of the last event of a session"));
    }
    // Events come before targets, as CREATE EVENT SESSION has them.
    kept.sort_by_key(|change| !matches!(change, EventSessionChange::AddEvent(_)));
    for option in options {
        known.retain(|kept| kept.name != option.name);
        known.push(option.clone());
    }
    Ok(())
}
