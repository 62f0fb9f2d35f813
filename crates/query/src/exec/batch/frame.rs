//! Texts and bodies that run inside others: what they inherit, what they leave behind, and how their errors travel.
//!
//! ```text
//!   batch ──EXEC──▶ procedure ──sp_executesql──▶ text          nest level 0, 1, 2
//!     TRY waits here ◀────────────── error ─────────┘          facts.outer_try counts the TRYs around
//! ```
//!
//! What always holds:
//! - N1: options, the current database and the scope's identity that a nested text set end with it; temporary tables that
//!   it made are dropped; @@ROWCOUNT, @@ERROR, @@IDENTITY and the transaction stay as it left them.
//! - N2: an error in a nested text goes to the nearest TRY, however many levels up; without one it is reported where it
//!   happened, and what it ends is the scope or the whole batch, as `message::ends` says.
//! - N3: a module's plans are kept per session like a text's: the key is the number of its tree.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::run::facts::{NEST_LEVEL_MAX, SessionFacts, Settings, too_deep};
use millpond_catalog::security::SecurityContext;
use millpond_catalog::{ModuleDef, ObjectId, SchemaId};
use millpond_engine::event_session::sites;
use millpond_engine::stay::{Stay, stay_in_current};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Done, DoneKind, Sink};
use millpond_message::{self as message, Ends};
use millpond_storage::ask::IoCount;
use millpond_storage::contract::DbId;
use millpond_txn::{heaps, trees};
use millpond_types::{SqlType, Value};

use crate::exec::batch::result_sets::for_receiver;
use crate::exec::batch::{BatchRun, to_message};
use crate::session::{Session, tell_database};

/// What a text runs as.
#[derive(Clone)]
pub(in crate::exec) struct Frame {
    /// A procedure's name, for errors.
    pub procedure: Option<Arc<str>>,
    /// @@PROCID
    pub object: i32,
    /// A scalar function: the type of what RETURN returns.
    pub returns: Option<SqlType>,
    /// Where names without a schema are looked for before `dbo`; a dynamic text has the caller's default one.
    pub schema: SchemaId,
    /// The module's database, where it runs in another one and the names in it are looked for at home.
    pub home: Option<DbId>,
    /// EXECUTE AS of a module, where it is not its caller.
    pub security: Option<Arc<SecurityContext>>,
    /// A module: QUOTED_IDENTIFIER and ANSI_NULLS as it was made with.
    pub made_with: Option<(bool, bool)>,
    /// WITH RECOMPILE: no code is kept.
    pub recompiles: bool,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            procedure: None,
            object: 0,
            returns: None,
            schema: SchemaId::DBO,
            home: None,
            security: None,
            made_with: None,
            recompiles: false,
        }
    }
}

impl Frame {
    /// The frame of a module's body.
    pub fn of(name: &Arc<str>, def: &ModuleDef) -> Frame {
        let made_with = Some((def.quoted_identifier, def.ansi_nulls));
        let (object, schema) = (def.id.0, def.schema.id);
        Frame { procedure: Some(Arc::clone(name)), object, schema, made_with, ..Frame::default() }
    }

    /// A module runs under the options that it was made with.
    pub fn settle(&self, settings: &mut Arc<Settings>) {
        let Some((quoted_identifier, ansi_nulls)) = self.made_with else { return };
        if (settings.quoted_identifier, settings.ansi_nulls) != (quoted_identifier, ansi_nulls) {
            let settings = Arc::make_mut(settings);
            (settings.quoted_identifier, settings.ansi_nulls) = (quoted_identifier, ansi_nulls);
        }
        // The server's own texts put names and sentences together.
        if ObjectId(self.object).is_server_text() && !settings.concat_null_yields_null {
            Arc::make_mut(settings).concat_null_yields_null = true;
        }
    }
}

/// What is left when a text has run.
#[derive(Default)]
pub(in crate::exec) struct Finished {
    /// What EXEC puts into its variable (see `text_run::status`).
    pub status: i32,
    /// Values of the parameters, in their order.
    pub parameters: Vec<Value>,
    /// N2: an error for which a TRY of a caller waits.
    pub raised: Option<SqlError>,
    /// An error ended the whole batch.
    pub ends_batch: bool,
}

/// An error before the first statement: raised to a TRY of a caller, else sent.
pub(in crate::exec) fn refused(
    session: &mut Session,
    error: SqlError,
    parameters: Vec<Value>,
    sink: &mut dyn Sink,
) -> Finished {
    let ends_batch = session.facts.settings.xact_abort || message::ends(&error) >= Ends::Batch;
    let status = error.number;
    let raised = if session.facts.outer_try > 0 {
        Some(error.of_callee())
    } else {
        refuse(session, &error, sink);
        None
    };
    let ends_batch = raised.is_none() && ends_batch;
    Finished { status, parameters, raised, ends_batch }
}

/// N1, for a call of the wire: what `run` sets ends with it.
pub(in crate::exec) fn scoped<T>(
    session: &mut Session,
    sink: &mut dyn Sink,
    run: impl FnOnce(&mut Session, &mut dyn Sink) -> T,
) -> T {
    let before = session.facts.clone();
    let around = stay_in_current(&session.shared);
    session.facts.nest_level += 1;
    session.facts.scope_identity = Value::Null;
    let result = run(session, sink);
    leave_scope(session, before, &around, sink);
    result
}

/// N1
fn leave_scope(session: &mut Session, before: SessionFacts, around: &Stay, sink: &mut dyn Sink) {
    let after = session.facts.clone();
    around.come_back();
    if before.database != after.database {
        tell_database(&after.current(), &before.current(), sink);
    }
    if !Arc::ptr_eq(&before.settings, &after.settings) {
        session.shared.status.lock().settings = Arc::clone(&before.settings);
    }
    if !Arc::ptr_eq(&before.security, &after.security) {
        session.shared.status.lock().acting = Arc::clone(&before.security);
    }
    session.facts = SessionFacts {
        row_count: after.row_count,
        error: after.error,
        tran_count: after.tran_count,
        doomed: after.doomed,
        identity: after.identity,
        ..before
    };
}

/// Runs something one level deeper and takes over what it leaves.
///
/// # Errors
/// The error that a TRY of this text or of a caller waits for.
pub(in crate::exec) fn nested(
    run: &mut BatchRun<'_>,
    body: impl FnOnce(&mut Session, &mut dyn Sink) -> SqlResult<Finished>,
) -> SqlResult<Finished> {
    // The error is the caller's statement's, which rolls the transaction back.
    if run.ctx.facts.nest_level >= NEST_LEVEL_MAX {
        return Err(too_deep());
    }
    let before = run.ctx.facts.clone();
    let outer_try = before.outer_try;
    run.session.facts = SessionFacts { outer_try: outer_try + run.try_depth, ..before };
    let session = &mut *run.session;
    let finished = for_receiver(&mut run.gathering, &mut run.shaped, run.sink, |sink| scoped(session, sink, body));
    let facts = SessionFacts { outer_try, ..run.session.facts.clone() };
    run.ctx_mut().facts = facts;
    let mut finished = finished?;
    run.ends_batch |= finished.ends_batch;
    match finished.raised.take() {
        Some(error) => Err(error),
        None => Ok(finished),
    }
}

/// Runs a text of the server's own: what the session's settings say of texts of clients does not count for it.
pub(in crate::exec) fn as_own<T>(session: &mut Session, run: impl FnOnce(&mut Session) -> T) -> T {
    let theirs = Arc::clone(&session.facts.settings);
    if theirs.runs_nothing() || theirs.parseonly || theirs.implicit_transactions {
        let own = Arc::make_mut(&mut session.facts.settings);
        (own.noexec, own.fmtonly, own.prepares) = (false, false, false);
        (own.parseonly, own.implicit_transactions) = (false, false);
    }
    let result = run(session);
    session.facts.settings = theirs;
    result
}

/// An error before the first statement.
pub(in crate::exec) fn refuse(session: &mut Session, error: &SqlError, sink: &mut dyn Sink) {
    session.facts.error = error.number;
    session.engine.counters.errors.fetch_add(1, Relaxed);
    sites::reported(&session.engine, &session.shared, error, false);
    sink.message(&to_message(error, 1));
    sink.done(Done { kind: DoneKind::Statement, row_count: None, error: true, command: 0 });
}

/// Temporary tables of the scope that ended are dropped.
pub(in crate::exec) fn end_scope(session: &mut Session) {
    let level = session.facts.nest_level;
    let ending = {
        let temp = session.shared.temp.read();
        if temp.ends_nothing(level) {
            return;
        }
        temp.ending(level)
    };
    session.shared.temp.write().end_borrowed(level);
    let io = IoCount::default();
    let task = Arc::clone(&session.shared.task);
    let ask = millpond_storage::ask::Ask::new(&task, &io);
    for table in ending.into_iter().filter(|table| !table.is_borrowed) {
        // Plans that are kept still name the table.
        if let Some(memory) = table.memory() {
            memory.clear();
        }
        let mark = millpond_txn::transaction::begin_statement(&mut session.work);
        // What cannot be freed now is freed with the session.
        let _ = heaps::drop_heap(&mut session.work, &ask, &table.heap);
        for tree in table.trees.iter().flat_map(|trees| &trees.trees) {
            let _ = trees::drop_temp_tree(&mut session.work, &ask, tree);
        }
        let _ = millpond_txn::transaction::end_statement(&mut session.work, &ask, mark);
        session.shared.temp.write().remove(table.heap.object_id(), false);
    }
}

/// Runs something in a database: what a module names is there, and the session is. The database that was current comes back, and
/// no client is informed.
///
/// # Errors
/// Those of coming into a database that another session has for itself, and of what runs.
pub(in crate::exec) fn inside<T>(
    session: &mut Session,
    database: DbId,
    run: impl FnOnce(&mut Session) -> SqlResult<T>,
) -> SqlResult<T> {
    if session.facts.database == database {
        return run(session);
    }
    let _stay = session.stay(database)?;
    let before = session.facts.enter(session.engine.current_database(database));
    let result = run(session);
    session.facts.enter(before);
    result
}
