//! The Agent's own statements: what it asks of msdb and what it writes there.
//!
//! What always holds: they run as dbo of msdb, who has no rights outside of it, so that triggers which users of msdb put behind its
//! tables gain nothing elsewhere; and they wait for no lock longer than their desk does.

use std::fmt::Write;
use std::sync::Arc;

use chrono::{DateTime, NaiveDateTime};
use millpond_catalog::run::facts::Login;
use millpond_engine::engine::Engine;
use millpond_engine::signal::agent::JobId;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_types::{SqlType, Value};

/// `program_name` of the Agent's sessions.
const PROGRAM: &str = "SQLAgent - Generic Refresher";

/// Message 1205.
const DEADLOCK: i32 = 1205;
/// How often a text may be the victim of a deadlock.
const DEADLOCKS_MAX: usize = 10;

/// Rows of the last result, and the first error.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) rows: Vec<Vec<Value>>,
    error: Option<(i32, String)>,
}

impl Sink for Answer {
    fn columns(&mut self, _columns: &[Column]) -> Result<(), SinkClosed> {
        self.rows.clear();
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        self.rows.push(values.to_vec());
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        if message.severity > 10 {
            self.error.get_or_insert_with(|| (message.number, message.text.clone()));
        }
    }

    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

/// A session in msdb, kept as long as there is something to write: while the server stops it gives no new one.
pub(crate) struct Desk {
    engine: Arc<Engine>,
    lock_timeout_ms: u32,
    session: Option<Session>,
}

impl Desk {
    /// One whose statements wait for locks so long.
    pub(crate) fn new(engine: &Arc<Engine>, lock_timeout_ms: u32) -> Desk {
        let mut desk = Desk { engine: Arc::clone(engine), lock_timeout_ms, session: None };
        desk.session = desk.open();
        desk
    }

    fn open(&self) -> Option<Session> {
        let login = Login { login: "sa".into(), program: PROGRAM.into(), database: "msdb".into(), ..Login::default() };
        let mut session = Session::open(&self.engine, login).ok()?;
        let mut answer = Answer::default();
        session.use_database("msdb", &mut answer).ok()?;
        let begin = format!("SET NOCOUNT ON; SET LOCK_TIMEOUT {}", self.lock_timeout_ms);
        session.run_batch(&begin, &mut answer);
        session.run_batch("EXECUTE AS USER = N'dbo' WITH NO REVERT", &mut answer);
        answer.error.is_none().then_some(session)
    }

    /// Runs a text in msdb and gives the rows of its last result; an error is logged, and then there is no answer. A text that was the
    /// victim of a deadlock is run again, as a whole: one that writes more than one row stands in a transaction, or may be run twice.
    pub(crate) fn ask(&mut self, text: &str) -> Option<Vec<Vec<Value>>> {
        (0..DEADLOCKS_MAX).find_map(|_| self.ask_once(text))?
    }

    /// `None` for a text that is to be run again.
    fn ask_once(&mut self, text: &str) -> Option<Option<Vec<Vec<Value>>>> {
        if self.session.as_ref().is_none_or(|session| session.shared().is_killed()) {
            self.session = self.open();
        }
        let Some(session) = self.session.as_mut() else { return Some(None) };
        let mut answer = Answer::default();
        session.run_batch(text, &mut answer);
        match answer.error {
            None => Some(Some(answer.rows)),
            Some((number, error)) => {
                tracing::warn!("the Agent cannot read or write its tables: {number}: {error}");
                (number != DEADLOCK).then_some(None)
            }
        }
    }
}

/// A job's number as a literal.
pub(crate) fn literal(job: &JobId) -> String {
    format!("CAST({} AS uniqueidentifier)", hex(job))
}

/// Its sixteen bytes as `0x` and digits, as the names of programs have them.
pub(crate) fn hex(job: &JobId) -> String {
    job.iter().fold("0x".to_owned(), |mut text, byte| {
        write!(text, "{byte:02X}").expect("a String takes all");
        text
    })
}

/// An integer of a row; 0 for NULL.
pub(crate) fn number(row: &[Value], at: usize) -> i32 {
    row.get(at).and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok()).unwrap_or(0)
}

/// A text of a row; empty for NULL.
pub(crate) fn text(row: &[Value], at: usize) -> String {
    row.get(at).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A job's number of a row.
pub(crate) fn job(row: &[Value], at: usize) -> Option<JobId> {
    match row.get(at) {
        Some(Value::Guid(id)) => Some(*id),
        _ => None,
    }
}

/// The server's local time.
pub(crate) fn now(engine: &Engine) -> NaiveDateTime {
    DateTime::from_timestamp_micros(engine.now_us().1).map(|now| now.naive_utc()).unwrap_or_default()
}
