//! Events of deadlocks, and those that storage and the lock manager notify of.
//!
//! What always holds: a notification of the hook runs on the thread that caused it, under the locks and latches which that holds, so nothing
//! is read for it that waits ([`SessionOrigin::is_deep`]).

use std::sync::Arc;

use millpond_events::object::{ESCALATION_CAUSE, EventId, FILE_TYPE, LOCK_MODE, LOCK_OWNER, LOCK_RESOURCE, OPCODE};
use millpond_events::value::Value;
use millpond_storage::contract::{PAGE_BYTES, SessionId};
use millpond_storage::happened::Happened;
use millpond_txn::lock::{DeadlockReport, LockMode};

use crate::engine::Engine;
use crate::event_session::origin::SessionOrigin;
use crate::event_session::sites::keyed;

/// A deadlock was broken; `graph` is its report. Both its victim and the others still wait.
pub fn deadlock(engine: &Engine, report: &DeadlockReport, graph: &str) {
    let session = engine.session(report.victim.0);
    let origin = SessionOrigin { engine, session: session.as_deref(), is_deep: false };
    if engine.events.wants(EventId::DeadlockReport) {
        engine.events.tell(EventId::DeadlockReport, &[Value::Xml(Arc::from(graph))], &origin);
    }
    if !engine.events.wants(EventId::LockDeadlock) {
        return;
    }
    for member in report.members.iter().filter(|member| member.session == report.victim) {
        let resource = &member.resource;
        let fields = [
            keyed(&LOCK_RESOURCE, resource.kind() as u32),
            lock_mode(member.mode.name()),
            keyed(&LOCK_OWNER, 1),
            Value::Int(0),
            Value::UInt(resource.db().0.into()),
            Value::Int(0),
            Value::UInt(member.wait_us),
            Value::text(&resource.to_string()),
            Value::Text(engine.database_names.name(engine.instance(), resource.db(), false)),
        ];
        engine.events.tell(EventId::LockDeadlock, &fields, &origin);
    }
}

/// A mode by its name in views: maps count from 1 what `LockMode::ALL` counts from 0.
fn lock_mode(name: &str) -> Value {
    let at = LockMode::ALL.iter().position(|mode| mode.name() == name);
    at.and_then(|at| u32::try_from(at + 1).ok()).map_or(Value::Null, |key| keyed(&LOCK_MODE, key))
}

/// What storage and the lock manager tell: on the thread on which it happened, under whatever that has locked.
pub(crate) fn happened(engine: &Engine, happened: Happened) {
    let session_of = |id: SessionId| engine.session(id.0);
    match happened {
        Happened::Wait { session, wait_type, wait_us, signal_us, page, text } => {
            let session = session_of(session);
            let origin = SessionOrigin { engine, session: session.as_deref(), is_deep: true };
            let kind = Value::Map(wait_type.0, wait_type.1);
            let [waited, signal] = [wait_us, signal_us].map(|us| Value::UInt(us / 1000));
            let resource = text.or_else(|| page.map(|page| page.to_string()));
            let resource = Value::Text(Arc::from(resource.unwrap_or_default()));
            if engine.events.wants(EventId::WaitInfo) {
                let opcode = keyed(&OPCODE, 1);
                let fields = [kind.clone(), opcode, waited.clone(), signal.clone(), resource.clone()];
                engine.events.tell(EventId::WaitInfo, &fields, &origin);
            }
            if engine.events.wants(EventId::WaitCompleted) {
                engine.events.tell(EventId::WaitCompleted, &[kind, waited, signal, resource], &origin);
            }
        }
        Happened::FileSize { session, db, file, name, is_log, is_automatic, pages: [before, after], took_us } => {
            let session = session_of(session);
            let origin = SessionOrigin { engine, session: session.as_deref(), is_deep: true };
            let kb = |pages: u32| i64::from(pages) * (PAGE_BYTES as i64 / 1024);
            let fields = [
                Value::UInt(db.0.into()),
                Value::UInt(took_us),
                Value::UInt(file.0.into()),
                keyed(&FILE_TYPE, u32::from(is_log)),
                Value::Bool(is_automatic),
                Value::Int(kb(after)),
                Value::Int(kb(after) - kb(before)),
                Value::Text(Arc::from(name)),
                Value::Text(engine.database_names.name(engine.instance(), db, true)),
            ];
            engine.events.tell(EventId::FileSizeChange, &fields, &origin);
        }
        Happened::Escalation { session, db, object, mode, locks } => {
            let session = session_of(session);
            let origin = SessionOrigin { engine, session: session.as_deref(), is_deep: true };
            let statement = session.as_ref().and_then(|session| session.statement.now());
            let statement = statement
                .map_or(Value::Null, |(text, start, end)| Value::Part(text.text, start as usize, end as usize));
            let fields = [
                keyed(&LOCK_RESOURCE, 5),
                lock_mode(mode),
                keyed(&LOCK_OWNER, 1),
                Value::UInt(db.0.into()),
                Value::Int(i64::from(object.cast_signed())),
                keyed(&ESCALATION_CAUSE, 0),
                Value::UInt(locks.into()),
                statement,
                Value::Text(engine.database_names.name(engine.instance(), db, true)),
            ];
            engine.events.tell(EventId::LockEscalation, &fields, &origin);
        }
    }
}
