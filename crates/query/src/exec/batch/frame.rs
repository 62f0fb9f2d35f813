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

use millpond_catalog::run::facts::{SessionFacts, Settings};
use millpond_catalog::{ModuleDef, SchemaId};
use millpond_engine::module::Signature;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{EnvChange, Sink};
use millpond_message::{self as message, Ends};
use millpond_storage::contract::DbId;
use millpond_types::{SqlType, Value};

use crate::exec::batch::BatchRun;
use crate::exec::batch::gathering::GatheringSink;
use crate::session::Session;

/// Deepest nesting of procedures and dynamic text.
pub(in crate::exec) const NEST_LEVEL_MAX: u32 = 32;

/// Variables that a text starts with: its parameters.
#[derive(Clone, Default)]
pub(in crate::exec) struct Parameters {
    pub signature: Arc<Signature>,
    pub values: Vec<Value>,
}

impl Parameters {
    /// One more, without a value.
    pub fn declare(&mut self, name: String, sql: SqlType) {
        let signature = Arc::make_mut(&mut self.signature);
        signature.names.push(name);
        signature.types.push(sql);
    }
}

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
    /// A module: QUOTED_IDENTIFIER and ANSI_NULLS as it was made with.
    pub made_with: Option<(bool, bool)>,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame { procedure: None, object: 0, returns: None, schema: SchemaId::DBO, home: None, made_with: None }
    }
}

impl Frame {
    /// The frame of a module's body.
    pub fn of(name: &Arc<str>, def: &ModuleDef) -> Frame {
        let made_with = Some((def.quoted_identifier, def.ansi_nulls));
        let (object, schema) = (def.id.0, def.schema.id);
        Frame { procedure: Some(Arc::clone(name)), object, returns: None, schema, home: None, made_with }
    }

    /// A module runs under the options that it was made with.
    pub fn settle(&self, settings: &mut Arc<Settings>) {
        let Some((quoted_identifier, ansi_nulls)) = self.made_with else { return };
        if (settings.quoted_identifier, settings.ansi_nulls) != (quoted_identifier, ansi_nulls) {
            let settings = Arc::make_mut(settings);
            (settings.quoted_identifier, settings.ansi_nulls) = (quoted_identifier, ansi_nulls);
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

/// 217
pub(in crate::exec) fn too_deep() -> SqlError {
    SqlError::of(217, 1, &[&NEST_LEVEL_MAX])
}

impl Session {
    /// An error before the first statement: raised to a TRY of a caller, else sent.
    pub(in crate::exec) fn refused(
        &mut self,
        error: SqlError,
        parameters: Vec<Value>,
        sink: &mut dyn Sink,
    ) -> Finished {
        let ends_batch = self.facts.settings.xact_abort || message::ends(&error) >= Ends::Batch;
        let status = error.number;
        let raised = if self.facts.outer_try > 0 {
            Some(error.of_callee())
        } else {
            self.refuse(&error, sink);
            None
        };
        let ends_batch = raised.is_none() && ends_batch;
        Finished { status, parameters, raised, ends_batch }
    }

    /// N1, for a call of the wire: what `run` sets ends with it.
    pub(in crate::exec) fn scoped<T>(
        &mut self,
        sink: &mut dyn Sink,
        run: impl FnOnce(&mut Session, &mut dyn Sink) -> T,
    ) -> T {
        let before = self.facts.clone();
        self.facts.nest_level += 1;
        self.facts.scope_identity = Value::Null;
        let result = run(self, sink);
        self.leave_scope(before, sink);
        result
    }

    /// N1
    fn leave_scope(&mut self, before: SessionFacts, sink: &mut dyn Sink) {
        let after = self.facts.clone();
        if before.database != after.database {
            self.shared.status.lock().database = before.database;
            let (new, old) = (before.database_name.to_string(), after.database_name.to_string());
            sink.env_change(&EnvChange::Database { new, old });
        }
        if !Arc::ptr_eq(&before.settings, &after.settings) {
            self.shared.status.lock().settings = Arc::clone(&before.settings);
        }
        if !Arc::ptr_eq(&before.security, &after.security) {
            self.shared.status.lock().acting = Arc::clone(&before.security);
        }
        self.facts = SessionFacts {
            row_count: after.row_count,
            error: after.error,
            tran_count: after.tran_count,
            doomed: after.doomed,
            identity: after.identity,
            ..before
        };
    }
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
    let finished = match run.gathering.as_deref_mut() {
        None => run.session.scoped(run.sink, body),
        Some(rows) => run.session.scoped(&mut GatheringSink { rows, sink: run.sink }, body),
    };
    let facts = SessionFacts { outer_try, ..run.session.facts.clone() };
    run.ctx_mut().facts = facts;
    let mut finished = finished?;
    run.ends_batch |= finished.ends_batch;
    match finished.raised.take() {
        Some(error) => Err(error),
        None => Ok(finished),
    }
}
