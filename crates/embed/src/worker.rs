//! The thread of a connection: it has the session, and runs one request after the other.
//!
//! ```text
//!   submit ─▶ Job, and the request is the current one ─▶ thread: run ─▶ events … end ─▶ no request is current
//! ```
//! What always holds: a request ends exactly once, whatever happens to its thread; a cancellation is for the request that was
//! current when it came, and for no later one; when the thread has ended the session is gone, with its transaction and its
//! temporary tables.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlError;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_message::{INFORMATION_MAX, SEVERITY_FATAL};
use millpond_query::STACK_BYTES;
use millpond_query::exec::Rpc;
use millpond_query::session::Session;
use millpond_types::{SqlType, Value};
use parking_lot::Mutex;

use crate::error::{Error, ServerError};
use crate::events::{End, Event, Events};
use crate::row::{Columns, Row, estimate_bytes};

/// Rows of a piece at most.
const ROWS_MAX: usize = 1024;
/// A piece with so many bytes of values goes.
const PIECE_BYTES: usize = 64 << 10;
/// Number of the command in a DONE that is a SELECT's.
const SELECT: u16 = 0xC1;
/// How long a cancellation waits for its request to begin, at a time.
const BEGIN_INTERVAL: Duration = Duration::from_micros(50);

/// What a thread is asked for.
enum Job {
    Batch {
        text: String,
        to: Asked,
    },
    Call {
        call: Box<Rpc>,
        to: Asked,
    },
    /// The session is to end, also where its connection is still held.
    Close,
}

/// The events of what was asked: where it is dropped without an end, nobody is there to run it.
struct Asked(Arc<Events>);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.end(End::Failed(Error::Ended));
    }
}

/// A session's thread, as its connection and its instance hold it.
pub struct Worker {
    jobs: Sender<Job>,
    state: Arc<State>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct State {
    session: Arc<SessionShared>,
    /// The request that was submitted last, until it has ended.
    current: Mutex<Option<Arc<Events>>>,
}

/// Stops the request of a connection that runs, from any thread. Copies are of the same connection.
#[derive(Clone)]
pub struct Canceller(Arc<State>);

impl Canceller {
    /// Stops what runs; its reader sees [`Error::Cancelled`] after what was sent before. Nothing where nothing runs: what is
    /// begun later is not stopped. It returns at once, and the request ends within milliseconds.
    pub fn cancel(&self) {
        let Some(meant) = self.0.current.lock().clone() else { return };
        self.0.cancel(&meant);
    }
}

impl std::fmt::Debug for Canceller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Canceller").field("session", &self.0.session.id.0).finish()
    }
}

impl State {
    /// Stops a request, if it has not ended.
    fn cancel(&self, meant: &Arc<Events>) {
        meant.cancel();
        loop {
            let current = self.current.lock();
            let is_current = current.as_ref().is_some_and(|current| Arc::ptr_eq(current, meant));
            // One that came too late for its thread has ended without a beginning.
            if !is_current || meant.has_ended() {
                return;
            }
            // The session forgets old cancellations when a request of it begins. Before that the thread sees the events'
            // own; if what runs is still the request before, this one is not begun.
            if self.session.status.lock().request.is_some() {
                self.session.cancel();
                return;
            }
            drop(current);
            std::thread::sleep(BEGIN_INTERVAL);
        }
    }

    fn ended(&self, events: &Arc<Events>) {
        let mut current = self.current.lock();
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, events)) {
            *current = None;
        }
    }
}

impl Worker {
    /// Starts the thread of a session, which `open` makes on it.
    pub fn start(open: impl FnOnce() -> Result<Session, Error> + Send + 'static) -> Result<Worker, Error> {
        let (jobs, received) = channel();
        let (opened, result) = channel();
        let thread =
            std::thread::Builder::new().name("millpond session".into()).stack_size(STACK_BYTES).spawn(move || {
                let opened_session = catch_unwind(AssertUnwindSafe(open)).unwrap_or(Err(Error::Ended));
                match opened_session {
                    Ok(session) => {
                        let state =
                            Arc::new(State { session: Arc::clone(session.shared()), current: Mutex::default() });
                        // Who asked waits for it.
                        let _ = opened.send(Ok(Arc::clone(&state)));
                        serve(session, &received, &state);
                    }
                    Err(error) => {
                        let _ = opened.send(Err(error));
                    }
                }
            })?;
        let state = match result.recv() {
            Ok(Ok(state)) => state,
            failed => {
                let _ = thread.join();
                return Err(failed.ok().and_then(Result::err).unwrap_or(Error::Ended));
            }
        };
        Ok(Worker { jobs, state, thread: Mutex::new(Some(thread)) })
    }

    /// Asks for a text to be run.
    pub fn batch(&self, text: &str) -> Arc<Events> {
        self.submit(|to| Job::Batch { text: text.to_owned(), to })
    }

    /// Asks for a procedure to be called.
    pub fn call(&self, call: Rpc) -> Arc<Events> {
        self.submit(|to| Job::Call { call: Box::new(call), to })
    }

    fn submit(&self, job: impl FnOnce(Asked) -> Job) -> Arc<Events> {
        let events = Arc::<Events>::default();
        *self.state.current.lock() = Some(Arc::clone(&events));
        if self.jobs.send(job(Asked(Arc::clone(&events)))).is_err() {
            self.state.ended(&events);
        }
        events
    }

    /// Stops a request that nobody reads any more, if it has not ended.
    pub fn cancel(&self, events: &Arc<Events>) {
        self.state.cancel(events);
    }

    /// What stops its requests from elsewhere.
    pub fn canceller(&self) -> Canceller {
        Canceller(Arc::clone(&self.state))
    }

    /// The number of its session (@@SPID).
    pub fn session_id(&self) -> u16 {
        self.state.session.id.0
    }

    /// Stops what runs; the session ends after it.
    pub fn close(&self) {
        let _ = self.jobs.send(Job::Close);
        self.canceller().cancel();
    }

    /// Waits until the session is gone.
    pub fn join(&self) {
        let thread = self.thread.lock().take();
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            // A panic there was caught and reported where it happened.
            let _ = thread.join();
        }
    }
}

/// Runs requests until there is no one to send any, or one was told to be the last.
fn serve(mut session: Session, jobs: &Receiver<Job>, state: &State) {
    while let Ok(job) = jobs.recv() {
        let (asked, end) = match job {
            Job::Close => break,
            Job::Batch { text, to } => {
                let end = run(&mut session, &to.0, |session, sink| session.run_batch(&text, sink));
                (to, end)
            }
            Job::Call { call, to } => {
                let end = run(&mut session, &to.0, |session, sink| session.run_rpc(&call, sink));
                (to, end)
            }
        };
        state.ended(&asked.0);
        if matches!(&end, End::Failed(error) if !matches!(error, Error::Cancelled)) {
            // Whose request has ended the session finds it gone.
            drop_session(session);
            asked.0.end(end);
            return;
        }
        asked.0.end(end);
    }
    drop_session(session);
}

/// A panic while temporary tables are dropped ends nothing else.
fn drop_session(session: Session) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(session)));
}

fn run(session: &mut Session, events: &Arc<Events>, request: impl FnOnce(&mut Session, &mut dyn Sink)) -> End {
    let numbered = |number| End::Failed(Error::from(ServerError::numbered(SqlError::of(number, 1, &[]))));
    if session.shared().is_killed() {
        return numbered(596);
    }
    if session.engine().stop().is_requested() {
        return numbered(6005);
    }
    if events.is_cancelled() {
        return End::Failed(Error::Cancelled);
    }
    let mut sink = ToEvents { events, columns: None, rows: Vec::new(), bytes: 0, fatal: None };
    let panicked = catch_unwind(AssertUnwindSafe(|| request(session, &mut sink))).is_err();
    let _ = sink.send_rows();
    if panicked {
        let text = "The session is closed; the program's standard error says where";
        return End::Failed(ServerError::numbered(SqlError::of(3624, 1, &[&text])).into());
    }
    if let Some(error) = sink.fatal {
        return End::Failed(error.into());
    }
    // The events are cancelled before the session is: what waits for its reader ends between the two.
    if events.is_cancelled() || session.shared().task.is_cancelled() {
        if session.shared().is_killed() {
            return numbered(596);
        }
        if session.engine().stop().is_requested() {
            return numbered(6005);
        }
    }
    if events.is_cancelled() { End::Failed(Error::Cancelled) } else { End::Whole }
}

/// Makes events of what a request says, rows by pieces.
struct ToEvents<'a> {
    events: &'a Events,
    columns: Option<Arc<Columns>>,
    rows: Vec<Row>,
    bytes: usize,
    /// The error that has ended the connection.
    fatal: Option<ServerError>,
}

impl ToEvents<'_> {
    fn send_rows(&mut self) -> Result<(), SinkClosed> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.bytes = 0;
        self.events.push(Event::Rows(std::mem::take(&mut self.rows))).map_err(|_| SinkClosed)
    }

    fn send(&mut self, event: Event) -> Result<(), SinkClosed> {
        self.send_rows()?;
        self.events.push(event).map_err(|_| SinkClosed)
    }
}

impl Sink for ToEvents<'_> {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.send_rows()?;
        let columns = Arc::new(Columns(columns.to_vec()));
        self.columns = Some(Arc::clone(&columns));
        self.send(Event::Columns(columns))
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        let Some(columns) = &self.columns else { return Err(SinkClosed) };
        self.bytes += values.iter().map(estimate_bytes).sum::<usize>();
        self.rows.push(Row::of(columns, values));
        if self.rows.len() >= ROWS_MAX || self.bytes >= PIECE_BYTES {
            return self.send_rows();
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        let event = if message.severity > INFORMATION_MAX {
            let error = ServerError::of(message);
            if message.severity >= SEVERITY_FATAL {
                self.fatal.get_or_insert(error);
                return;
            }
            Event::Error(error)
        } else {
            Event::Message(message.clone())
        };
        // A reader that is gone is seen by the next row.
        let _ = self.send(event);
    }

    fn done(&mut self, done: Done) {
        let changed_rows = done.row_count.filter(|_| done.command != SELECT).unwrap_or(0);
        let _ = self.send(Event::Done { changed_rows });
    }

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, status: i32) {
        let _ = self.send(Event::Status(status));
    }

    fn return_value(&mut self, name: &str, sql_type: SqlType, value: &Value) {
        let value = crate::row::own(value);
        let _ = self.send(Event::Output { name: name.to_owned(), sql_type, value });
    }

    fn flush(&mut self) {
        let _ = self.send_rows();
    }
}
