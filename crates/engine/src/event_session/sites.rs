//! Sites: what the engine, and what lies above and below it, tell of what happens.
//!
//! What always holds: a site asks [`Events::wants`](millpond_events::events::Events::wants) first, and does nothing more where no session
//! collects its event. Values are in the order of the event's fields (`millpond_events::object::EVENTS`). Times are microseconds,
//! but those of waits, which SQL Server gives in milliseconds.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_events::object::{
    CONNECTION_RESET, ERROR_CATEGORY, ERROR_DESTINATION, EVENTS, EventId, HASH_WARNING, Map, OBJECT_TYPE, RESULT,
    SORT_WARNING, STATEMENT_STATE,
};
use millpond_events::value::Value;
use millpond_message as message;
use millpond_message::error::SqlError;
use millpond_storage::contract::PAGE_BYTES;
use millpond_tsql::ast::Span;

use crate::account::work::WorkAccount;
use crate::engine::Engine;
use crate::event_session::origin::{SessionOrigin, shown};
use crate::session_shared::{RequestIo, SessionShared};

/// Numbers of users begin there.
const FIRST_OF_USERS: i32 = 50_000;
/// Events of batches and calls.
const REQUESTS: [EventId; 4] =
    [EventId::BatchStarting, EventId::BatchCompleted, EventId::RpcStarting, EventId::RpcCompleted];
/// Events of statements.
const STATEMENTS: [EventId; 4] = [
    EventId::StatementStarting,
    EventId::StatementCompleted,
    EventId::SpStatementStarting,
    EventId::SpStatementCompleted,
];

pub(super) fn keyed(map: &'static Map, key: u32) -> Value {
    Value::Map(key, map.text(key))
}

fn tell(engine: &Engine, session: Option<&SessionShared>, id: EventId, fields: &[Value]) {
    engine.events.tell(id, fields, &SessionOrigin { engine, session, is_deep: false });
}

/// An error, or a message that informs, is sent or caught.
#[inline]
pub fn reported(engine: &Engine, session: &SessionShared, error: &SqlError, is_caught: bool) {
    if engine.events.wants(EventId::ErrorReported) {
        tell_reported(engine, session, error, is_caught);
    }
}

#[cold]
fn tell_reported(engine: &Engine, session: &SessionShared, error: &SqlError, is_caught: bool) {
    let is_user = error.number >= FIRST_OF_USERS;
    let (to_log, to_user) = (u32::from(message::is_logged(error)), if is_caught { 0 } else { 2 });
    let fields = [
        Value::Int(error.number.into()),
        Value::Int(error.severity.into()),
        Value::Int(error.state.into()),
        Value::Bool(is_user),
        keyed(&ERROR_CATEGORY, if is_user { 3 } else { 2 }),
        keyed(&ERROR_DESTINATION, to_log | to_user),
        Value::Bool(is_caught),
        Value::text(&error.text),
    ];
    tell(engine, Some(session), EventId::ErrorReported, &fields);
}

/// What there was when a request or a statement began.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    began_us: u64,
    cpu_us: u64,
    io: RequestIo,
}

impl Measure {
    fn begin(engine: &Engine, session: &SessionShared, cpu_us: u64) -> Measure {
        Measure { began_us: engine.clock_us(), cpu_us, io: RequestIo::of(&session.task) }
    }

    /// CPU time, duration, pages read from files, pages asked for, pages dirtied.
    fn spent(&self, engine: &Engine, session: &SessionShared, cpu_us: u64) -> [Value; 5] {
        let io = RequestIo::of(&session.task).since(self.io);
        let elapsed_us = engine.clock_us().saturating_sub(self.began_us);
        [cpu_us.saturating_sub(self.cpu_us), elapsed_us, io.reads, io.logical_reads, io.writes].map(Value::UInt)
    }
}

/// A request as its events show it.
#[derive(Clone, Debug)]
pub struct RequestEvent {
    measure: Measure,
    spilled_before: u64,
    call: Option<(Value, Value)>,
    text: Value,
}

/// A batch begins, as the session's status says; `None` where no session collects any event of requests.
#[inline]
pub fn batch_begins(engine: &Engine, session: &SessionShared) -> Option<RequestEvent> {
    if !engine.events.wants_any(&REQUESTS) {
        return None;
    }
    let is_needed = needs_last(engine, &[EventId::BatchStarting, EventId::BatchCompleted]);
    let text = session.status.lock().request.as_ref().map(|request| Arc::clone(&request.text));
    let text = text.filter(|_| is_needed).map_or(Value::Null, |text| shown(&text, false));
    Some(begin(engine, session, text, None))
}

/// Whether a session wants the last field of one of the events: the text, which takes time to be made.
fn needs_last(engine: &Engine, ids: &[EventId]) -> bool {
    ids.iter().any(|id| engine.events.needs(*id, EVENTS[*id as usize].fields.len() - 1))
}

/// A call begins: `statement` makes it as a text.
#[inline]
pub fn call_begins(
    engine: &Engine,
    session: &SessionShared,
    procedure: &str,
    statement: impl FnOnce() -> String,
) -> Option<RequestEvent> {
    if !engine.events.wants_any(&REQUESTS) {
        return None;
    }
    let text = match needs_last(engine, &[EventId::RpcStarting, EventId::RpcCompleted]) {
        true => shown(&Arc::from(statement()), false),
        false => Value::Null,
    };
    Some(begin(engine, session, text, Some(procedure)))
}

#[cold]
fn begin(engine: &Engine, session: &SessionShared, text: Value, procedure: Option<&str>) -> RequestEvent {
    let measure = Measure::begin(engine, session, 0);
    let call = procedure.map(|name| (keyed(&CONNECTION_RESET, 0), Value::text(name)));
    let id = if call.is_some() { EventId::RpcStarting } else { EventId::BatchStarting };
    if engine.events.wants(id) {
        match &call {
            None => tell(engine, Some(session), id, std::slice::from_ref(&text)),
            Some((reset, name)) => tell(engine, Some(session), id, &[reset.clone(), name.clone(), text.clone()]),
        }
    }
    RequestEvent { measure, spilled_before: spilled_pages(session), call, text }
}

/// Pages that the session has spilled so far.
fn spilled_pages(session: &SessionShared) -> u64 {
    session.spilled_pages.load(Relaxed)
}

/// The request has ended, with @@ERROR and @@ROWCOUNT.
#[inline]
pub fn request_ended(engine: &Engine, session: &SessionShared, begun: Option<RequestEvent>, error: i32, rows: u64) {
    if let Some(begun) = begun {
        tell_ended(engine, session, begun, error, rows);
    }
}

#[cold]
fn tell_ended(engine: &Engine, session: &SessionShared, begun: RequestEvent, error: i32, rows: u64) {
    let key = if session.task.is_cancelled() { 2 } else { u32::from(error != 0) };
    let result = keyed(&RESULT, key);
    let spent = begun.measure.spent(engine, session, session.cpu.running_us());
    let mut fields = Vec::from(spent);
    fields.push(Value::UInt(spilled_pages(session).saturating_sub(begun.spilled_before)));
    let id = match begun.call {
        None => {
            fields.extend([Value::UInt(rows), result, begun.text]);
            EventId::BatchCompleted
        }
        Some((reset, name)) => {
            fields.extend([result, Value::UInt(rows), reset, name, begun.text]);
            EventId::RpcCompleted
        }
    };
    if engine.events.wants(id) {
        tell(engine, Some(session), id, &fields);
    }
}

/// A statement, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct StatementPlace<'a> {
    /// The text.
    pub text: &'a Arc<str>,
    /// A password is written in it.
    pub has_password: bool,
    /// The statement in it.
    pub span: Span,
    /// The module whose text it is, with its database; 0 for a batch.
    pub module: (u16, i32),
    /// Its name.
    pub procedure: Option<&'a str>,
    /// @@NESTLEVEL
    pub nest_level: u32,
}

impl StatementPlace<'_> {
    /// Line, offsets in bytes of UTF-16.
    fn place(&self) -> [Value; 3] {
        let offset = |at: u32| Value::Offset(Arc::clone(self.text), at as usize);
        [Value::Int(self.span.line.into()), offset(self.span.start), offset(self.span.end)]
    }

    fn statement(&self) -> Value {
        match self.has_password {
            true => Value::text("*password*"),
            false => Value::Part(Arc::clone(self.text), self.span.start as usize, self.span.end as usize),
        }
    }

    fn is_of_module(&self) -> bool {
        self.module.1 != 0
    }

    /// Database, number and kind of the module.
    fn of_module(&self) -> [Value; 3] {
        let (database, object) = self.module;
        [Value::UInt(database.into()), Value::Int(object.into()), keyed(&OBJECT_TYPE, 8272)]
    }

    fn name(&self) -> Value {
        self.procedure.map_or(Value::Null, Value::text)
    }
}

/// Whether a session collects events of statements.
#[inline]
#[must_use]
pub fn wants_statements(engine: &Engine) -> bool {
    engine.events.wants_any(&STATEMENTS)
}

/// A statement begins.
#[cold]
pub fn statement_begins(engine: &Engine, session: &SessionShared, at: &StatementPlace<'_>) -> Measure {
    let state = keyed(&STATEMENT_STATE, 0);
    let (id, fields) = if at.is_of_module() {
        let mut fields = Vec::from(at.of_module());
        fields.extend([state, Value::UInt(at.nest_level.into())]);
        fields.extend(at.place());
        fields.extend([at.name(), at.statement()]);
        (EventId::SpStatementStarting, fields)
    } else {
        let mut fields = vec![state];
        fields.extend(at.place());
        fields.push(at.statement());
        (EventId::StatementStarting, fields)
    };
    if engine.events.wants(id) {
        tell(engine, Some(session), id, &fields);
    }
    Measure::begin(engine, session, session.cpu.of_this_thread_us())
}

/// It has ended, well or not; `rows` is @@ROWCOUNT, `spilled` counts pages.
#[cold]
pub fn statement_ended(
    engine: &Engine,
    session: &SessionShared,
    at: &StatementPlace<'_>,
    (measure, rows, spilled): (Measure, u64, u64),
) {
    let id = if at.is_of_module() { EventId::SpStatementCompleted } else { EventId::StatementCompleted };
    if !engine.events.wants(id) {
        return;
    }
    let [cpu, elapsed, physical, logical, writes] = measure.spent(engine, session, session.cpu.of_this_thread_us());
    let mut fields = if at.is_of_module() { Vec::from(at.of_module()) } else { Vec::new() };
    fields.extend([elapsed, cpu, physical, logical, writes, Value::UInt(spilled)]);
    fields.extend([Value::UInt(rows), Value::UInt(rows)]);
    if at.is_of_module() {
        fields.push(Value::UInt(at.nest_level.into()));
    }
    fields.extend(at.place());
    if at.is_of_module() {
        fields.push(at.name());
    }
    fields.push(at.statement());
    tell(engine, Some(session), id, &fields);
}

/// A statement that has had memory is over: what it spilled is counted for its session, and told of.
#[inline]
pub fn spilled(engine: &Engine, session: &SessionShared, work: &WorkAccount) {
    if work.is_used() && work.spills.written_bytes() > 0 {
        tell_spilled(engine, session, work);
    }
}

#[cold]
fn tell_spilled(engine: &Engine, session: &SessionShared, work: &WorkAccount) {
    let pages = |bytes: u64| bytes.div_ceil(PAGE_BYTES as u64);
    session.spilled_pages.fetch_add(pages(work.spills.written_bytes()), Relaxed);
    for (id, map, count) in [
        (EventId::HashWarning, &HASH_WARNING, &work.spills.hashes),
        (EventId::SortWarning, &SORT_WARNING, &work.spills.sorts),
    ] {
        let written = count.written_bytes.load(Relaxed);
        if written == 0 || !engine.events.wants(id) {
            continue;
        }
        let fields = [
            // A recursion, or a pass: how many more there were is not counted.
            keyed(map, 0),
            Value::Int(work.threads.load(Relaxed).max(1).cast_signed()),
            Value::UInt(work.granted_bytes.load(Relaxed) / 1024),
            Value::UInt(work.used_bytes.load(Relaxed) / 1024),
            Value::UInt(pages(count.read_bytes.load(Relaxed))),
            Value::UInt(pages(written)),
        ];
        tell(engine, Some(session), id, &fields);
    }
}

/// A session has begun.
pub fn login(engine: &Engine, session: &SessionShared) {
    if engine.events.wants(EventId::Login) {
        let database = session.status.lock().database;
        let fields = [
            Value::Bool(false),
            Value::Bool(false),
            Value::UInt(database.0.into()),
            Value::UInt(session.login.packet_bytes.into()),
            Value::Text(engine.database_names.name(engine.instance(), database, false)),
        ];
        tell(engine, Some(session), EventId::Login, &fields);
    }
}

/// A session has ended.
pub fn logout(engine: &Engine, session: &SessionShared) {
    if engine.events.wants(EventId::Logout) {
        let io = RequestIo::of(&session.task);
        let (cpu_us, rows) = {
            let status = session.status.lock();
            (status.cpu_us, status.row_count)
        };
        let lasted_us = u64::try_from(engine.now_us().1 - session.login_us).unwrap_or(0);
        let numbers = [lasted_us, cpu_us, io.reads, io.logical_reads, io.writes, rows];
        let fields: Vec<Value> =
            [Value::Bool(false), Value::Bool(false)].into_iter().chain(numbers.map(Value::UInt)).collect();
        tell(engine, Some(session), EventId::Logout, &fields);
    }
}

/// A client has cancelled what runs.
pub fn attention(engine: &Engine, session: &SessionShared) {
    if engine.events.wants(EventId::Attention) {
        let began_us = session.status.lock().request.as_ref().map(|request| request.start_us);
        let lasted_us = began_us.map_or(0, |began_us| u64::try_from(engine.now_us().1 - began_us).unwrap_or(0));
        tell(engine, Some(session), EventId::Attention, &[Value::UInt(lasted_us), Value::UInt(0)]);
    }
}
