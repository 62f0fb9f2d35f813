//! The engine in this process, as a target.
//!
//! What always holds: an engine that the target opened is closed when it is dropped, so that what was committed is found again;
//! one that it was given is not.

use std::path::Path;
use std::sync::Arc;

use millpond_catalog::run::facts::Login;
use millpond_engine::engine::Engine;
use millpond_message::sink::{Column, Done, EnvChange, Message, Nowhere, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_server::assemble;
use millpond_types::{SqlType, Value};

use super::target::{Canceller, Listener, Opener, Target, TargetError};

/// Engine and session.
pub struct Embedded {
    // Dropped in this order: an open transaction is rolled back before the databases close.
    session: Session,
    _closer: Option<Closer>,
}

/// Closes the engine.
struct Closer(Arc<Engine>);

impl Embedded {
    /// Opens the engine, in memory or in a directory, and a session in `database`.
    ///
    /// # Errors
    /// Why there is no engine, no session or no such database.
    pub fn open(data: Option<&Path>, database: Option<&str>) -> Result<Embedded, TargetError> {
        let engine = assemble::embedded(data.map(Path::to_path_buf)).map_err(|error| TargetError(error.to_string()))?;
        let closer = Closer(Arc::clone(&engine));
        Ok(Embedded { session: session(&engine, database)?, _closer: Some(closer) })
    }

    /// A session in `database` of an engine that others close.
    ///
    /// # Errors
    /// Why there is no session or no such database.
    pub fn inside(engine: &Arc<Engine>, database: Option<&str>) -> Result<Embedded, TargetError> {
        Ok(Embedded { session: session(engine, database)?, _closer: None })
    }

    /// A session that is there already.
    pub fn of(session: Session) -> Embedded {
        Embedded { session, _closer: None }
    }
}

/// A session of sa.
fn session(engine: &Arc<Engine>, database: Option<&str>) -> Result<Session, TargetError> {
    let login = Login {
        login: "sa".into(),
        program: "millpond".into(),
        client_interface: "embedded".into(),
        database: database.unwrap_or_default().to_owned(),
        host_process_id: i32::try_from(std::process::id()).unwrap_or(0),
        host: engine.machine().to_owned(),
        ..Login::default()
    };
    let mut session = Session::open(engine, login).map_err(|error| TargetError(error.to_string()))?;
    if let Some(name) = database {
        // As those of a login, its messages are not shown.
        session.use_database(name, &mut Nowhere).map_err(|error| TargetError(error.text))?;
    }
    Ok(session)
}

impl Drop for Closer {
    fn drop(&mut self) {
        if let Err(error) = assemble::close(&self.0) {
            eprintln!("millpond: the databases did not close well: {error}");
        }
    }
}

impl Target for Embedded {
    fn run(&mut self, batch: &str, listener: &mut dyn Listener) -> Result<(), TargetError> {
        if self.is_ended() {
            return Err(TargetError("the session has ended".into()));
        }
        let engine = Arc::clone(self.session.engine());
        // A cancellation that came too late for the last batch is not for this one.
        self.session.shared().task.clear_cancel();
        let mut sink = ToListener { listener, server: engine.machine() };
        self.session.run_batch(batch, &mut sink);
        Ok(())
    }

    fn canceller(&self) -> Canceller {
        let shared = Arc::clone(self.session.shared());
        Arc::new(move || shared.cancel())
    }

    fn is_ended(&self) -> bool {
        self.session.engine().stop().is_requested() || self.session.shared().is_killed()
    }

    fn opener(&self) -> Opener {
        let engine = Arc::clone(self.session.engine());
        let open = move || -> Result<Box<dyn Target>, TargetError> { Ok(Box::new(Embedded::inside(&engine, None)?)) };
        Box::new(open)
    }
}

/// Hands on what a listener wants to hear.
struct ToListener<'a> {
    listener: &'a mut dyn Listener,
    server: &'a str,
}

impl Sink for ToListener<'_> {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.listener.columns(columns)
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        self.listener.row(values)
    }

    fn message(&mut self, message: &Message) {
        self.listener.message(message, self.server);
    }

    fn done(&mut self, done: Done) {
        self.listener.done(done.row_count);
    }

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}
