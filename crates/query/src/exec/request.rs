//! What a client asks: a session, and of it a batch, a call of the wire, a change of its transaction, the rows of an INSERT BULK.
//!
//! What always holds: each answers to its sink, errors too, and none ends the session; a transaction that cannot be committed
//! does not outlive its request; the session's status says which text runs while one does.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::run::facts::Login;
use millpond_catalog::security::SecurityContext;
use millpond_code::bulk_state::{BulkRows, BulkState};
use millpond_engine::arguments::RpcParam;
use millpond_engine::engine::{CountedRequest, Engine, NoSession};
use millpond_engine::event_session::call_text::call_text;
use millpond_engine::event_session::sites;
use millpond_engine::session_shared::{Request, RequestIo};
use millpond_message::error::SqlError;
use millpond_message::sink::{Done, DoneKind, Sink};
use millpond_tsql::print::bracketed;
use millpond_types::Value;

use crate::classify;
use crate::exec::batch::{frame, to_message};
use crate::exec::routine::call::{self, Rpc};
use crate::session::{KeptBySession, Session};
use millpond_code::text_variables::Parameters;

/// So much of its last text is kept for an idle session, in bytes.
const LAST_TEXT_BYTES_MAX: usize = 1 << 20;

/// A transaction-manager request of the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionRequest {
    /// Begin; the isolation level of SET TRANSACTION ISOLATION LEVEL, 0 = as it is.
    Begin {
        /// 0–5
        isolation: u8,
        /// Its name, or empty.
        name: String,
    },
    /// Commit; begin a new one at once.
    Commit {
        /// The name of a new one that begins at once, or empty.
        and_begin: Option<String>,
    },
    /// Roll back, to a savepoint when it has a name; begin a new one at once.
    Rollback {
        /// Savepoint or the transaction's own, or empty.
        name: String,
        /// The name of a new one that begins at once, or empty.
        and_begin: Option<String>,
    },
    /// Set a savepoint.
    Save {
        /// Its name.
        name: String,
    },
}

impl Session {
    /// Opens a session.
    ///
    /// # Errors
    /// [`NoSession`] when all numbers are taken or the server stops.
    pub fn open(engine: &Arc<Engine>, login: Login) -> Result<Session, NoSession> {
        Session::open_as(engine, login, SecurityContext::sa())
    }

    /// The same for another login than `sa`.
    ///
    /// # Errors
    /// Likewise.
    pub fn open_as(engine: &Arc<Engine>, login: Login, security: Arc<SecurityContext>) -> Result<Session, NoSession> {
        let shared = engine.admit(login, Box::new(KeptBySession::default()))?;
        {
            let mut status = shared.status.lock();
            status.acting = Arc::clone(&security);
            status.original = Arc::clone(&security);
        }
        let mut session = Session::new(Arc::clone(engine), shared, security);
        classify::classify(&mut session);
        sites::login(&session.engine, &session.shared);
        Ok(session)
    }

    /// Runs one batch. Errors go to the sink; they never end the session.
    pub fn run_batch(&mut self, text: &str, sink: &mut dyn Sink) {
        let clock = Arc::clone(self.engine.instance().clock());
        let _takes_part = clock.participate();
        let _counted = CountedRequest::begin(&self.engine);
        begin_request(self, text, None);
        let begun = sites::batch_begins(&self.engine, &self.shared);
        self.run_text(text, Parameters::default(), DoneKind::Statement, sink);
        end_doomed(self, sink);
        sites::request_ended(&self.engine, &self.shared, begun, self.facts.error, self.facts.row_count);
        end_request(self);
    }

    /// Runs a call of the wire: results, return status, OUTPUT values and the closing DONE go to the sink.
    pub fn run_rpc(&mut self, rpc: &Rpc, sink: &mut dyn Sink) {
        let clock = Arc::clone(self.engine.instance().clock());
        let _takes_part = clock.participate();
        let _counted = CountedRequest::begin(&self.engine);
        let text = rpc_text(rpc);
        begin_request(self, &text, Some(rpc.params.len()));
        let as_text = || call_text(&rpc.procedure, &rpc.params);
        let begun = sites::call_begins(&self.engine, &self.shared, &rpc.procedure, as_text);
        let outcome = call::hold_parameters(self, rpc).and_then(|()| call::rpc_inner(self, rpc, sink));
        let outcome = outcome.and_then(|(status, outputs)| Ok((status, call::returned(self, rpc, outputs)?)));
        let failed = match outcome {
            Ok((status, outputs)) => {
                // Drivers take values that come before the status for something else.
                sink.return_status(status);
                for (index, value) in outputs {
                    let RpcParam { name, sql_type, .. } = &rpc.params[index];
                    sink.return_value(name, *sql_type, &value);
                }
                // A call of an API cursor has them also where it fails.
                call::api_procedure(&rpc.procedure).is_some() && self.facts.error != 0
            }
            Err(error) => {
                self.facts.error = error.number;
                self.engine.counters.errors.fetch_add(1, Relaxed);
                sites::reported(&self.engine, &self.shared, &error, false);
                sink.message(&to_message(&error, 1));
                true
            }
        };
        end_doomed(self, sink);
        sites::request_ended(&self.engine, &self.shared, begun, self.facts.error, self.facts.row_count);
        sink.done(Done { kind: DoneKind::Procedure, row_count: None, error: failed, command: 0xE0 });
        end_request(self);
    }

    /// Runs the INSERT BULK that was announced last with its rows.
    pub fn run_bulk(&mut self, rows: Box<dyn BulkRows>, sink: &mut dyn Sink) {
        let Some(text) = self.bulk.announced.take() else {
            // The statement was not run, so its rows are not either.
            if self.facts.settings.runs_nothing() || self.facts.settings.parseonly {
                sink.done(Done { kind: DoneKind::Statement, row_count: None, error: false, command: 0 });
                return;
            }
            frame::refuse(self, &SqlError::of(4002, 1, &[&"rows without INSERT BULK"]), sink);
            return;
        };
        self.bulk.rows = Some(rows);
        self.run_batch(&text, sink);
        self.bulk = BulkState::default();
    }

    /// Runs a request of a client's transaction manager: the same statements as text.
    pub fn run_transaction_request(&mut self, request: &TransactionRequest, sink: &mut dyn Sink) {
        let text = match request {
            TransactionRequest::Begin { name, .. } => begin_text(Some(name)),
            TransactionRequest::Commit { and_begin } => {
                format!("COMMIT TRANSACTION {}", begin_text(and_begin.as_deref()))
            }
            TransactionRequest::Rollback { name, and_begin } => {
                let begin = begin_text(and_begin.as_deref());
                format!("ROLLBACK TRANSACTION {} {begin}", quoted(name))
            }
            TransactionRequest::Save { name } => format!("SAVE TRANSACTION {}", quoted(name)),
        };
        if let TransactionRequest::Begin { isolation: isolation @ 1..=5, .. } = request {
            Arc::make_mut(&mut self.facts.settings).isolation = *isolation;
        }
        frame::as_own(self, |session| session.run_batch(&text, sink));
    }
}

/// 3998: a transaction that cannot be committed does not outlive its batch.
fn end_doomed(session: &mut Session, sink: &mut dyn Sink) {
    if !session.facts.doomed {
        return;
    }
    frame::refuse(session, &SqlError::of(3998, 1, &[]), sink);
    frame::as_own(session, |session| {
        session.run_text("ROLLBACK TRANSACTION", Parameters::default(), DoneKind::Statement, sink);
    });
    session.facts.error = 3998;
}

/// The session's status and work say that a request runs; `parameters`: how many a call has.
pub(super) fn begin_request(session: &mut Session, text: &str, parameters: Option<usize>) {
    // What was cancelled is over.
    session.shared.task.clear_cancel();
    let start_us = session.engine.now_us().1;
    session.work.begin_task();
    session.shared.cpu.begin();
    let mut status = session.shared.status.lock();
    let text: Arc<str> = Arc::from(text);
    status.request = Some(Request { start_us, text: Arc::clone(&text), before: RequestIo::of(&session.shared.task) });
    status.last_text = text;
    status.last_parameters = parameters;
    status.last_start_us = start_us;
}

/// The session's status and work say what the request has left.
pub(super) fn end_request(session: &mut Session) {
    let now_us = session.engine.now_us().1;
    session.work.end_task();
    let mut status = session.shared.status.lock();
    if let Some(request) = status.request.take() {
        let elapsed_us = u64::try_from(now_us - request.start_us).unwrap_or(0);
        status.elapsed_us += elapsed_us;
        status.cpu_us += session.shared.cpu.end_request(elapsed_us);
    }
    if status.last_text.len() > LAST_TEXT_BYTES_MAX {
        let end = status.last_text.floor_char_boundary(LAST_TEXT_BYTES_MAX);
        status.last_text = Arc::from(&status.last_text[..end]);
    }
    session.shared.statement.forget_long(LAST_TEXT_BYTES_MAX);
    status.last_end_us = now_us;
    status.row_count = session.facts.row_count;
    status.error = session.facts.error;
    // Facts are also taken over as a whole, where a text ends.
    session.shared.tran_count.store(session.facts.tran_count, Relaxed);
    status.settings = Arc::clone(&session.facts.settings);
}

/// BEGIN TRANSACTION of a name that may be empty; nothing for none.
fn begin_text(name: Option<&str>) -> String {
    name.map(|name| format!("BEGIN TRANSACTION {}", quoted(name))).unwrap_or_default()
}

/// A name as text has it; empty for an empty one.
fn quoted(name: &str) -> String {
    if name.is_empty() { String::new() } else { bracketed(name) }
}

/// What `dm_exec_requests` shows of a call.
fn rpc_text(rpc: &Rpc) -> String {
    const RUN_TEXTS: [&str; 6] =
        ["sp_executesql", "sp_prepare", "sp_prepexec", "sp_cursoropen", "sp_cursorprepare", "sp_cursorprepexec"];
    let runs_text = RUN_TEXTS.iter().any(|known| rpc.procedure.eq_ignore_ascii_case(known));
    let mut texts = rpc.params.iter().filter_map(|param| param.value.as_ref().and_then(Value::as_str));
    // The declarations of the prepared ones come before their text.
    let text = texts.find(|text| !text.trim_start().starts_with('@')).filter(|_| runs_text);
    text.map_or_else(|| rpc.procedure.clone(), str::to_owned)
}
