//! A text runs: parsed, its variables declared, compiled as a whole, then statement by statement; what is left goes to its caller.
//!
//! These are the ways by which statements come to run others: a text, the tree of a module, the body of a function. They are
//! methods of the session, so that what calls them names no file above its own.

use std::sync::Arc;

use millpond_bind::Variables;
use millpond_catalog::SchemaId;
use millpond_catalog::run::facts::{SessionFacts, Showplan};
use millpond_code::code::{TextKey, TextPlans};
use millpond_engine::context::RunContext;
use millpond_engine::parsed::ParsedBatch;
use millpond_engine::security::{context_of_module, default_schema};
use millpond_engine::stay;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{DoneKind, Nowhere, Sink};
use millpond_tsql::ParseOptions;
use millpond_tsql::ast::{Statement, StatementKind};
use millpond_types::{Stopped, Value, Watch};

use crate::exec::admin::showplan;
use crate::exec::batch::frame::{Finished, Frame};
use crate::exec::batch::{BatchRun, Flow, compile, compile_only, contexts, flow, frame};
use crate::exec::ddl::table_type;
use crate::exec::routine::function::Interpreted;
use crate::session::{KeptBySession, Session};
use millpond_catalog::run::facts::{NEST_LEVEL_MAX, too_deep};
use millpond_code::text_variables::Parameters;
use millpond_code::text_variables::{DeclaredNames, declare_all};
use millpond_names::declared::{TableArgument, declared_scalar};

impl Session {
    /// Parses and runs a text with parameters.
    pub(in crate::exec) fn run_text(
        &mut self,
        text: &str,
        parameters: Parameters,
        kind: DoneKind,
        sink: &mut dyn Sink,
    ) -> Finished {
        self.run_framed_text(text, parameters, kind, &Frame::default(), sink)
    }

    /// The same of a text that runs as something: with the rights of another.
    pub(in crate::exec) fn run_framed_text(
        &mut self,
        text: &str,
        parameters: Parameters,
        kind: DoneKind,
        frame: &Frame,
        sink: &mut dyn Sink,
    ) -> Finished {
        let options = ParseOptions { quoted_identifier: self.facts.settings.quoted_identifier };
        let parse_start = std::time::Instant::now();
        let watch = Watch::new(self.shared.task.cancel_flag());
        let parsed = match self.engine.parsed().parse_while(text, options, watch) {
            Ok(Ok(parsed)) => parsed,
            Ok(Err(error)) => return frame::refused(self, message::of_syntax(error), parameters.values, sink),
            // As where a statement is cancelled: nothing is sent.
            Err(Stopped) => {
                let parameters = parameters.values;
                return Finished { status: message::CANCELLED, parameters, raised: None, ends_batch: true };
            }
        };
        if compile_only::take_parse_time(self, &parsed) {
            return compile_only::parsed_alone(parameters);
        }
        if self.facts.settings.statistics_time {
            sink.message(&crate::exec::batch::account::statistics::parse_time(parse_start.elapsed()));
        }
        self.run_parsed(&parsed, parameters, kind, frame, sink)
    }

    /// Does work that has no text, as the only statement of a call.
    pub(in crate::exec) fn run_work(
        &mut self,
        sink: &mut dyn Sink,
        work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<()>,
    ) -> Finished {
        let watch = Watch::new(self.shared.task.cancel_flag());
        let Ok(Ok(parsed)) = self.engine.parsed().parse_while("", ParseOptions { quoted_identifier: true }, watch)
        else {
            return Finished { status: message::CANCELLED, parameters: Vec::new(), raised: None, ends_batch: true };
        };
        let (parameters, kind, frame) = (Parameters::default(), DoneKind::InProcedure, Frame::default());
        self.run_tree(&parsed, parameters, kind, &frame, sink, |run| match work(run) {
            Ok(()) => {
                run.ctx_mut().facts.error = 0;
                None
            }
            Err(error) => run.complain(error).err(),
        })
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
        self.run_tree(parsed, parameters, kind, frame, sink, |run| {
            let errors = compile::compile(run);
            if errors.is_empty() { whole(run) } else { compile::not_compiled(run, errors) }
        })
    }

    /// Makes the run of a tree and lets `statements` do what is in it, which gives the error that a TRY of the caller waits for.
    fn run_tree(
        &mut self,
        parsed: &Arc<ParsedBatch>,
        parameters: Parameters,
        kind: DoneKind,
        frame: &Frame,
        sink: &mut dyn Sink,
        statements: impl FnOnce(&mut BatchRun<'_>) -> Option<SqlError>,
    ) -> Finished {
        if self.facts.nest_level > NEST_LEVEL_MAX {
            return frame::refused(self, too_deep(), parameters.values, sink);
        }
        if let Some(context) = &frame.security {
            (self.facts.security, self.facts.impersonation) = (Arc::clone(context), None);
        }
        let own = self.locks.transaction_number();
        let schema =
            default_schema(&self.engine, own, &self.facts.security, self.facts.database).unwrap_or(SchemaId::DBO);
        self.facts.default_schema = schema;
        let is_text = frame.procedure.is_none();
        (self.facts.schema, self.facts.home) = (if is_text { schema } else { frame.schema }, frame.home);
        let (text, database) = (parsed.id, self.facts.database);
        let key = TextKey { text, signature: Arc::clone(&parameters.signature), database };
        let kept = KeptBySession::of(&self.shared);
        let plans = if frame.recompiles { TextPlans::default() } else { kept.take_plans(&key) };
        let known =
            plans.variables.clone().map_or_else(|| declared_variables(self, parsed, &parameters).map(Arc::new), Ok);
        let variables = match known {
            Ok(variables) => variables,
            Err(error) => return frame::refused(self, error.inside(frame.procedure.as_ref()), parameters.values, sink),
        };
        let parameter_count = parameters.values.len();
        let mut values = parameters.values;
        values.resize(variables.len(), Value::Null);
        self.facts.procedure = frame.object;
        frame.settle(&mut self.facts.settings);
        let ctx = Arc::new(contexts::with_variables(self, values));
        let plans = TextPlans { variables: Some(Arc::clone(&variables)), ..plans };
        let handed = std::mem::take(&mut self.handed);
        let mut run = BatchRun::new(self, sink, Arc::clone(parsed), plans, variables, ctx, kind, frame.clone());
        let parameters_of_cursors: Vec<String> = handed.keys().cloned().collect();
        run.cursors = handed;
        let raised = statements(&mut run);
        let mut cursors = std::mem::take(&mut run.cursors);
        cursors.retain(|name, _| parameters_of_cursors.contains(name));
        let (status, ends_batch) = (status(&run), run.ends_batch);
        let parameters = run.ctx.variables.as_slice()[..parameter_count].to_vec();
        let (plans, facts) = (std::mem::take(&mut run.plans), run.ctx.facts.clone());
        self.facts = facts;
        self.handed = cursors;
        if !frame.recompiles {
            KeptBySession::of(&self.shared).put_plans(&self.engine, key, plans);
        }
        frame::end_scope(self);
        Finished { status, parameters, raised, ends_batch }
    }

    /// Runs the body of a function (F1 of `exec::routine::function`).
    pub(in crate::exec) fn run_function<T>(
        &mut self,
        function: &Interpreted,
        ctx: &RunContext,
        (args, tables): (Vec<Value>, Vec<TableArgument>),
        take: impl FnOnce(&mut Session, Value) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let nest_level = ctx.facts.nest_level + 1;
        if nest_level > NEST_LEVEL_MAX {
            return Err(too_deep());
        }
        let is_elsewhere = function.database.id != ctx.facts.database;
        let _stay = is_elsewhere.then(|| stay::stay_for(ctx, function.database.id)).transpose()?;
        self.facts = SessionFacts {
            nest_level,
            database: function.database.id,
            database_name: Arc::clone(&function.database.name),
            collation: function.database.collation,
            procedure: function.frame.object,
            schema: function.frame.schema,
            home: None,
            // Errors come back to the expression.
            outer_try: 1,
            in_function: true,
            row_count: 0,
            error: 0,
            scope_identity: Value::Null,
            insert_exec: None,
            trigger: None,
            caught: None,
            ..ctx.facts.clone()
        };
        if let Some((def, written)) = &function.runs_as {
            let own = ctx.locks.transaction_number();
            if let Some(context) = context_of_module(&self.engine, own, function.database.id, def, written)? {
                (self.facts.security, self.facts.impersonation) = (context, None);
            }
        }
        function.frame.settle(&mut self.facts.settings);
        self.caller_reader.clone_from(&ctx.reader);
        self.locks = ctx.locks.clone();
        // A function sends nothing.
        let mut nowhere = Nowhere;
        if let Err(error) = table_type::lend_tables(self, tables, &mut nowhere) {
            end_function(self);
            return Err(error);
        }
        let mut values = args;
        values.resize(function.variables.len(), Value::Null);
        let key = TextKey { text: function.body.id, signature: Arc::default(), database: function.database.id };
        let plans = TextPlans { variables: None, ..KeptBySession::of(&self.shared).take_plans(&key) };
        let run_ctx = Arc::new(contexts::with_variables(self, values));
        let (body, variables) = (Arc::clone(&function.body), Arc::clone(&function.variables));
        let (kind, frame) = (DoneKind::InProcedure, function.frame.clone());
        let mut run = BatchRun::new(self, &mut nowhere, body, plans, variables, run_ctx, kind, frame);
        let raised = whole(&mut run);
        let (returned, ends_batch) = (run.returned.take(), run.ends_batch);
        let plans = std::mem::take(&mut run.plans);
        KeptBySession::of(&self.shared).put_plans(&self.engine, key, plans);
        let result = match raised {
            Some(error) => Err(error),
            None if ends_batch => Err(message::cancelled()),
            None => take(self, returned.unwrap_or(Value::Null)),
        };
        end_function(self);
        result
    }
}

/// What a call has left in the inner session goes.
fn end_function(session: &mut Session) {
    frame::end_scope(session);
    session.cursors.clear();
    session.caller_reader = None;
    session.locks = session.work.catalog_locks();
}

fn declared_variables(session: &Session, parsed: &ParsedBatch, parameters: &Parameters) -> SqlResult<Variables> {
    let ctx = contexts::bare(session);
    let batch = &parsed.batch;
    let variables =
        declare_all(&batch.statements, &parameters.signature, &|data_type| declared_scalar(&ctx, None, data_type))?;
    // A module's variables are looked at when it is made.
    let is_module = matches!(&batch.statements[..], [Statement { kind: StatementKind::Module(_), .. }]);
    if !is_module && !batch.variables.is_empty() {
        let mut names = DeclaredNames::default();
        parameters.signature.names.iter().chain(session.handed.keys()).for_each(|name| names.given(name));
        names.add_all(&batch.statements);
        let is_lent = |name: &str| session.shared.temp.read().find(name, session.facts.nest_level).is_some();
        names.check(&parsed.text, &batch.variables, &is_lent)?;
    }
    Ok(variables)
}

/// What is left of a text in a number: of a procedure RETURN's value, else 10 less the severity of its last error; of
/// a text @@ERROR.
pub(in crate::exec) fn status(run: &BatchRun<'_>) -> i32 {
    if run.frame.procedure.is_none() {
        return run.ctx.facts.error;
    }
    let of_error = || run.failed.map_or(0, |severity| 10 - i32::from(severity));
    run.return_status.unwrap_or_else(of_error)
}

/// The whole text. Gives the error that a TRY of a caller waits for.
pub(in crate::exec) fn whole(run: &mut BatchRun<'_>) -> Option<SqlError> {
    let parsed = Arc::clone(&run.parsed);
    if run.ctx.facts.settings.showplan != Showplan::Off {
        return showplan::show_whole(run, &parsed.batch.statements);
    }
    match flow::list(run, &parsed.batch.statements) {
        Ok(flow) => {
            debug_assert!(
                !matches!(flow, Flow::Break | Flow::Continue | Flow::Goto),
                "the parser refuses them outside of a loop, and labels that are not there"
            );
            None
        }
        Err(error) if run.ctx.facts.outer_try > 0 => Some(error.of_callee()),
        Err(error) => {
            run.report(&error, 1);
            None
        }
    }
}
