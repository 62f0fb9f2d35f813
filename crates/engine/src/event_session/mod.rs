//! Sessions of extended events: statements about them, what the engine tells them, `system_health`.
//!
//! What always holds: a definition is kept in master as the CREATE EVENT SESSION that makes it anew, and changes at once, whatever the
//! transaction of the caller does; sessions with STARTUP_STATE = ON collect from the start of the server. One that cannot begin then
//! is a line in the error log. `system_health` is no definition that is kept: it is made at each start, cannot be altered, and may be
//! stopped and started.

pub mod call_text;
pub mod change;
pub mod deep;
mod error;
mod named;
pub mod origin;
mod predicate;
mod resolve;
pub mod sites;

use std::sync::Arc;

use millpond_catalog::names_equal;
use millpond_events::definition::SessionDef;
use millpond_events::events::{Events, StartError};
use millpond_events::file::Place;
use millpond_events::object::EventId;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_storage::happened::{ESCALATIONS, FILE_SIZES, Happened, WAITS};
use millpond_tsql::ast::{EventSession, StatementKind};
use millpond_tsql::{ParseOptions, parse_batch};

use crate::engine::Engine;

/// The folder of the error log below that of the data.
const LOG_FOLDER: &str = "log";
/// The name of the session that the server brings.
pub const SYSTEM_HEALTH: &str = "system_health";
/// Its number.
pub const SYSTEM_HEALTH_ID: i32 = 65_536;
/// Its definition; with files where the instance has a folder.
const SYSTEM_HEALTH_TEXT: &str = "CREATE EVENT SESSION [system_health] ON SERVER \
    ADD EVENT sqlserver.xml_deadlock_report \
    ADD TARGET package0.ring_buffer (SET max_memory = 4096)";
const SYSTEM_HEALTH_FILE: &str =
    ", ADD TARGET package0.event_file (SET filename = N'system_health.xel', max_file_size = 5, max_rollover_files = 4)";
const SYSTEM_HEALTH_OPTIONS: &str = " WITH (MAX_DISPATCH_LATENCY = 120 SECONDS, STARTUP_STATE = ON)";

/// A session as it is kept.
#[derive(Debug)]
struct KeptSession {
    /// Its number.
    id: i32,
    /// The statement that makes it.
    statement: EventSession,
}

/// The statement of a kept text.
fn statement_of(text: &str) -> Option<EventSession> {
    let batch = parse_batch(text, ParseOptions { quoted_identifier: true }).ok()?;
    match batch.statements.into_iter().next()?.kind {
        StatementKind::EventSession(session) => Some(*session),
        _ => None,
    }
}

/// The definition of a session that is kept.
fn defined(kept: &KeptSession) -> SqlResult<SessionDef> {
    let mut def = resolve::session(kept.id, &kept.statement)?;
    // A server without deadlocks leaves no empty file at each start.
    def.options.makes_files_late = kept.id == SYSTEM_HEALTH_ID;
    Ok(def)
}

/// Where files of events without a folder are: beside the error log.
#[must_use]
pub fn place(engine: &Engine) -> Place {
    Place { folder: engine.instance().data_dir().map(|dir| dir.join(LOG_FOLDER)) }
}

fn system_health(engine: &Engine) -> String {
    // Where all is in memory there is no folder to write to.
    let file = if place(engine).folder.is_some() { SYSTEM_HEALTH_FILE } else { "" };
    format!("{SYSTEM_HEALTH_TEXT}{file}{SYSTEM_HEALTH_OPTIONS}")
}

/// All sessions that are defined, `system_health` last.
///
/// # Errors
/// Those of a master that cannot be read.
fn all_kept(engine: &Engine) -> SqlResult<Vec<KeptSession>> {
    let dictionary = engine.databases().dictionary(DbId::MASTER)?;
    let kept = Arc::clone(&dictionary.catalog().objects().event_sessions);
    let health = system_health(engine);
    let all = kept.iter().map(|(id, text)| (*id, &**text)).chain([(SYSTEM_HEALTH_ID, &*health)]);
    Ok(all.filter_map(|(id, text)| Some(KeptSession { id, statement: statement_of(text)? })).collect())
}

/// The same with all names resolved; one that this version cannot resolve any more is left out.
///
/// # Errors
/// Likewise.
pub fn all_defined(engine: &Engine) -> SqlResult<Vec<SessionDef>> {
    let kept = all_kept(engine)?;
    Ok(kept.iter().filter_map(|kept| defined(kept).ok()).collect())
}

/// The one of that name.
fn kept(engine: &Engine, name: &str) -> SqlResult<Option<KeptSession>> {
    Ok(all_kept(engine)?.into_iter().find(|kept| names_equal(&kept.statement.name, name)))
}

/// Listens to what happens below, and starts the sessions that begin with the server.
pub fn begin(engine: &Arc<Engine>) {
    let (listening, wanting) = (Arc::downgrade(engine), Arc::downgrade(engine));
    engine.instance().waits().hook.listen(move |happened: Happened| {
        let Some(engine) = listening.upgrade() else { return };
        deep::happened(&engine, happened);
        // The last owner ends the engine, and waits for threads of which this may be one.
        if let Some(last) = Arc::into_inner(engine) {
            std::thread::spawn(move || drop(last));
        }
    });
    engine.events.on_change(move |events: &Events| {
        let Some(engine) = wanting.upgrade() else { return };
        let topics = [
            (WAITS, &[EventId::WaitInfo, EventId::WaitCompleted][..]),
            (FILE_SIZES, &[EventId::FileSizeChange]),
            (ESCALATIONS, &[EventId::LockEscalation]),
        ];
        let wanted = topics.iter().filter(|(_, ids)| events.wants_any(ids)).fold(0, |sum, (topic, _)| sum | topic);
        engine.database_names.fill(engine.instance());
        engine.instance().waits().hook.want(wanted);
    });
    let sessions = match all_defined(engine) {
        Ok(sessions) => sessions,
        Err(error) => return engine.log_error(error),
    };
    for session in sessions.into_iter().filter(|session| session.options.starts_at_start) {
        let name = session.name.clone();
        match engine.events.start(session, &place(engine), engine.now_us().1) {
            Ok(()) | Err(StartError::Started) => {}
            Err(StartError::File(failure)) => {
                engine.log_error(error::of_file(&failure));
                engine.log_error(error::not_started(&name));
            }
        }
    }
}
