//! The Agent's own statements: what it asks of msdb and what it writes there, in sessions that last no longer than that.

use std::fmt::Write;
use std::sync::Arc;

use millpond_catalog::run::facts::Login;
use millpond_engine::engine::Engine;
use millpond_engine::signal::agent::JobId;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_types::{SqlType, Value};

/// `program_name` of the Agent's sessions.
const PROGRAM: &str = "SQLAgent - Generic Refresher";

/// Rows of the last result, and errors.
#[derive(Debug, Default)]
struct Answer {
    rows: Vec<Vec<Value>>,
    error: Option<String>,
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
            self.error.get_or_insert_with(|| format!("{}: {}", message.number, message.text));
        }
    }

    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

/// Runs a text in msdb and gives the rows of its last result; an error is logged, and then there are none.
pub(crate) fn ask(engine: &Arc<Engine>, text: &str) -> Vec<Vec<Value>> {
    let login = Login { login: "sa".into(), program: PROGRAM.into(), database: "msdb".into(), ..Login::default() };
    // The server stops.
    let Ok(mut session) = Session::open(engine, login) else { return Vec::new() };
    let mut answer = Answer::default();
    // The database is the server's own: it can always be used.
    let _ = session.use_database("msdb", &mut answer);
    session.run_batch(&format!("SET NOCOUNT ON; {text}"), &mut answer);
    match answer.error {
        Some(error) => {
            tracing::warn!("the Agent cannot read or write its tables: {error}");
            Vec::new()
        }
        None => answer.rows,
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
