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

use millpond_bind::Variables;
use millpond_catalog::run::facts::{SessionFacts, Settings};
use millpond_catalog::{ModuleDef, SchemaId};
use millpond_engine::engine::ParsedBatch;
use millpond_engine::module::Signature;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{DoneKind, EnvChange, Sink};
use millpond_message::{self as message, Ends};
use millpond_storage::contract::DbId;
use millpond_tsql::ParseOptions;
use millpond_tsql::ast::{Statement, StatementKind};
use millpond_types::{SqlType, Stopped, Value, Watch};

use crate::exec::batch::BatchRun;
use crate::exec::batch::code::{TextKey, TextPlans};
use crate::exec::batch::variables::{DeclaredNames, declare_all};
use crate::exec::ddl::table_type::declared_scalar;
use crate::exec::dml::gather::GatheringSink;
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
    /// What EXEC puts into its variable (see [`BatchRun::status`]).
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
    /// Parses and runs a text with parameters.
    pub(in crate::exec) fn run_text(
        &mut self,
        text: &str,
        parameters: Parameters,
        kind: DoneKind,
        sink: &mut dyn Sink,
    ) -> Finished {
        let options = ParseOptions { quoted_identifier: self.facts.settings.quoted_identifier };
        let parse_start = std::time::Instant::now();
        let watch = Watch::new(self.shared.task.cancel_flag());
        let parsed = match self.engine.parse_while(text, options, watch) {
            Ok(Ok(parsed)) => parsed,
            Ok(Err(error)) => return self.refused(message::of_syntax(error), parameters.values, sink),
            // As where a statement is cancelled: nothing is told.
            Err(Stopped) => {
                let parameters = parameters.values;
                return Finished { status: message::CANCELLED, parameters, raised: None, ends_batch: true };
            }
        };
        if self.take_parse_time(&parsed) {
            return Session::parsed_alone(parameters);
        }
        if self.facts.settings.statistics_time {
            sink.message(&crate::exec::admin::statistics::parse_time(parse_start.elapsed()));
        }
        self.run_parsed(&parsed, parameters, kind, &Frame::default(), sink)
    }

    /// Runs a tree with parameters: a batch, a dynamic text, a module's body.
    pub(in crate::exec) fn run_parsed(
        &mut self,
        parsed: &Arc<ParsedBatch>,
        parameters: Parameters,
        kind: DoneKind,
        frame: &Frame,
        sink: &mut dyn Sink,
    ) -> Finished {
        if self.facts.nest_level > NEST_LEVEL_MAX {
            return self.refused(too_deep(), parameters.values, sink);
        }
        (self.facts.schema, self.facts.home) = (frame.schema, frame.home);
        let (text, database) = (parsed.id, self.facts.database);
        let key = TextKey { text, signature: Arc::clone(&parameters.signature), database };
        let plans = TextPlans::take(&self.shared, &key);
        let known =
            plans.variables.clone().map_or_else(|| self.declared_variables(parsed, &parameters).map(Arc::new), Ok);
        let variables = match known {
            Ok(variables) => variables,
            Err(error) => return self.refused(error.inside(frame.procedure.as_ref()), parameters.values, sink),
        };
        let parameter_count = parameters.values.len();
        let mut values = parameters.values;
        values.resize(variables.len(), Value::Null);
        self.facts.procedure = frame.object;
        frame.settle(&mut self.facts.settings);
        let ctx = Arc::new(self.context(values));
        let plans = TextPlans { variables: Some(Arc::clone(&variables)), ..plans };
        let mut run = BatchRun::new(self, sink, Arc::clone(parsed), plans, variables, ctx, kind, frame.clone());
        let errors = run.compile();
        let raised = if errors.is_empty() { run.whole() } else { run.not_compiled(errors) };
        let (status, ends_batch) = (run.status(), run.ends_batch);
        let parameters = run.ctx.variables.as_slice()[..parameter_count].to_vec();
        let (plans, facts) = (std::mem::take(&mut run.plans), run.ctx.facts.clone());
        self.facts = facts;
        plans.put(&self.shared, &self.engine, key);
        self.end_scope();
        Finished { status, parameters, raised, ends_batch }
    }

    fn declared_variables(&self, parsed: &ParsedBatch, parameters: &Parameters) -> SqlResult<Variables> {
        let ctx = self.bare_context();
        let batch = &parsed.batch;
        let variables =
            declare_all(&batch.statements, &parameters.signature, &|data_type| declared_scalar(&ctx, None, data_type))?;
        // A module's variables are looked at when it is made.
        let is_module = matches!(&batch.statements[..], [Statement { kind: StatementKind::Module(_), .. }]);
        if !is_module && !batch.variables.is_empty() {
            let mut names = DeclaredNames::default();
            parameters.signature.names.iter().for_each(|name| names.given(name));
            names.add_all(&batch.statements);
            let is_lent = |name: &str| self.shared.temp.read().find(name, self.facts.nest_level).is_some();
            names.check(&parsed.text, &batch.variables, &is_lent)?;
        }
        Ok(variables)
    }

    /// An error before the first statement: raised to a TRY of a caller, else sent.
    fn refused(&mut self, error: SqlError, parameters: Vec<Value>, sink: &mut dyn Sink) -> Finished {
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

impl BatchRun<'_> {
    /// What is left of a text in a number: of a procedure RETURN's value, else 10 less the severity of its last error; of
    /// a text @@ERROR.
    fn status(&self) -> i32 {
        if self.frame.procedure.is_none() {
            return self.ctx.facts.error;
        }
        let of_error = || self.failed.map_or(0, |severity| 10 - i32::from(severity));
        self.return_status.unwrap_or_else(of_error)
    }

    /// Runs something one level deeper and takes over what it leaves.
    ///
    /// # Errors
    /// The error that a TRY of this text or of a caller waits for.
    pub(in crate::exec) fn nested(
        &mut self,
        run: impl FnOnce(&mut Session, &mut dyn Sink) -> SqlResult<Finished>,
    ) -> SqlResult<Finished> {
        // The error is the caller's statement's, which rolls the transaction back.
        if self.ctx.facts.nest_level >= NEST_LEVEL_MAX {
            return Err(too_deep());
        }
        let before = self.ctx.facts.clone();
        let outer_try = before.outer_try;
        self.session.facts = SessionFacts { outer_try: outer_try + self.try_depth, ..before };
        let finished = match self.gathering.as_deref_mut() {
            None => self.session.scoped(self.sink, run),
            Some(rows) => self.session.scoped(&mut GatheringSink { rows, sink: self.sink }, run),
        };
        let facts = SessionFacts { outer_try, ..self.session.facts.clone() };
        self.ctx_mut().facts = facts;
        let mut finished = finished?;
        self.ends_batch |= finished.ends_batch;
        match finished.raised.take() {
            Some(error) => Err(error),
            None => Ok(finished),
        }
    }
}
