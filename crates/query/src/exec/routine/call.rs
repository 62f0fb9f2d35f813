//! Calls: EXEC of a procedure or a text, and the calls of the wire (sp_executesql, sp_prepare and their kin).

use std::sync::Arc;

use millpond_builtin as builtin;
use millpond_catalog::run::Run;
use millpond_catalog::{ModuleDef, ModuleKind};
use millpond_engine::system_call::{CallArg, ProcedureDef, SentTable, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Done, DoneKind, Sink};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    self, DefinitionVerb, Execute, ExecuteText, ExprKind, Module, ObjectName, ResultSets, Statement,
};
use millpond_types::{SqlType, Value, cast};

use crate::exec::batch::BatchRun;
use crate::exec::batch::frame::Parameters;
use crate::exec::batch::names::database_part;
use crate::exec::ddl::define::Refresh;
use crate::exec::dml::gather::GatheringSink;
use crate::exec::routine::called::{Called, MARK};
use crate::exec::routine::function::{Interpreted, find_module};
use crate::exec::routine::module::Outputs;
use crate::exec::routine::prepared::{BoundText, Prepared, TEXT, bind_prepared, is_no_text};
use crate::exec::routine::prepared_call::{TextCall, handle_in};
use crate::exec::routine::system_args::{ran, settled};
use crate::session::Session;

/// A parameter of a call.
#[derive(Clone, Debug)]
pub struct RpcParam {
    /// `@name`, or empty for one by position.
    pub name: String,
    /// Its type on the wire.
    pub sql_type: SqlType,
    /// Value; `None` = DEFAULT.
    pub value: Option<Value>,
    /// By reference: the caller wants it back.
    pub output: bool,
    /// The rows of a table-valued parameter.
    pub table: Option<SentTable>,
}

fn argument(param: &RpcParam) -> CallArg {
    let name = Some(param.name.clone()).filter(|name| !name.is_empty());
    let value = param.value.clone().filter(|_| param.table.is_none());
    let sent = param.table.clone();
    CallArg { name, value, sql: param.sql_type, output: param.output, table: None, sent }
}

/// A call of the wire.
#[derive(Clone, Debug)]
pub struct Rpc {
    /// Procedure, with its schema and database if they were given.
    pub procedure: String,
    /// Parameters in order.
    pub params: Vec<RpcParam>,
}

impl Session {
    /// Runs a call of the wire: results, return status, OUTPUT values and the closing DONE go to the sink.
    pub fn run_rpc(&mut self, rpc: &Rpc, sink: &mut dyn Sink) {
        let clock = Arc::clone(self.engine.instance().clock());
        let _takes_part = clock.participate();
        use std::sync::atomic::Ordering::Relaxed;
        self.engine.counters.batch_requests.fetch_add(1, Relaxed);
        let text = rpc_text(rpc);
        self.begin_request(&text);
        let outcome = self.hold_parameters(rpc).and_then(|()| self.rpc_inner(rpc, sink));
        let failed = match outcome {
            Ok(status) => {
                sink.return_status(status);
                false
            }
            Err(error) => {
                self.facts.error = error.number;
                self.engine.counters.errors.fetch_add(1, Relaxed);
                sink.message(&crate::exec::batch::to_message(&error, 1));
                true
            }
        };
        self.end_doomed(sink);
        sink.done(Done { kind: DoneKind::Procedure, row_count: None, error: failed, command: 0xE0 });
        self.end_request();
    }

    /// Charges the long values that a call brings.
    fn hold_parameters(&self, rpc: &Rpc) -> SqlResult<()> {
        let workspace = self.engine.workspace();
        rpc.params
            .iter()
            .filter_map(|param| param.value.as_ref())
            .try_for_each(|value| value.charge(|bytes| workspace.charge(bytes)))
    }

    fn rpc_inner(&mut self, rpc: &Rpc, sink: &mut dyn Sink) -> SqlResult<i32> {
        let procedure = without_number(&rpc.procedure)?;
        if let Some(name) = builtin::object_name(procedure) {
            database_part(&self.engine, &name)?;
        }
        let name = procedure.rsplit('.').next().unwrap_or("").trim_matches(['[', ']']).to_ascii_lowercase();
        match name.as_str() {
            "sp_executesql" => self.execute_sql(&rpc.params, sink),
            "sp_prepare" => {
                let prepared = self.prepared_of(rpc.params.get(2), rpc.params.get(1))?;
                let handle = self.prepared.add(prepared)?;
                sink.return_value(output_name(rpc, 0), SqlType::Int, &Value::Int(handle));
                Ok(0)
            }
            "sp_prepexec" => {
                let prepared = self.prepared_of(rpc.params.get(2), rpc.params.get(1))?;
                let handle = self.prepared.add(prepared.clone())?;
                self.run_prepared(&prepared, &rpc.params[3..], Some((output_name(rpc, 0), handle)), sink)
            }
            "sp_execute" => {
                let prepared = self.prepared.get(handle_of(rpc.params.first())?)?;
                self.run_prepared(&prepared, &rpc.params[1..], None, sink)
            }
            "sp_unprepare" => {
                let handle = handle_of(rpc.params.first())?;
                self.prepared.remove(handle)?;
                Ok(0)
            }
            "sp_cursor" | "sp_cursoropen" | "sp_cursorfetch" | "sp_cursorclose" | "sp_cursorprepare"
            | "sp_cursorexecute" | "sp_cursorprepexec" | "sp_cursorunprepare" | "sp_cursoroption" => {
                Err(message::missing(&format!("{name} (server cursors)")))
            }
            _ => self.rpc_procedure(&name, rpc, sink),
        }
    }

    /// Any other procedure by name: the server's own, then those of the catalog.
    fn rpc_procedure(&mut self, name: &str, rpc: &Rpc, sink: &mut dyn Sink) -> SqlResult<i32> {
        let found = (self.engine.registry().procedure)(name);
        let settings = &self.facts.settings;
        // Under FMTONLY the results of the user's procedures are asked for.
        if settings.noexec || settings.parseonly || settings.fmtonly && found.is_some() {
            return Ok(0);
        }
        let args: Vec<CallArg> = rpc.params.iter().map(argument).collect();
        let (status, outputs) = match found {
            None if crate::exec::admin::app_lock::is_app_lock(name) => {
                let ctx = self.bare_context();
                (self.app_lock(&ctx, name, &args)?, Outputs::new())
            }
            Some(def) => {
                let ctx = self.bare_context();
                let args = settled((def.name, def.params), args, ctx.cast_rules())?;
                let mut call = SystemCall { ctx: &ctx, args, options: Vec::new(), sink, outputs: Vec::new() };
                let status = ran(def, &mut call)?;
                let outputs = std::mem::take(&mut call.outputs).into_iter();
                (status, outputs.map(|(index, value)| (index, value, rpc.params[index].sql_type)).collect())
            }
            None => {
                let unknown = || message::unknown_procedure(&rpc.procedure);
                let name = builtin::object_name(without_number(&rpc.procedure)?).ok_or_else(unknown)?;
                let module = self.find_procedure(&name, &self.facts)?.ok_or_else(unknown)?;
                self.call_module(&module, &args, sink)?
            }
        };
        for (index, value, sql) in outputs {
            sink.return_value(&rpc.params[index].name, sql, &value);
        }
        Ok(status)
    }

    /// sp_executesql: text, declarations, values by name or position.
    fn execute_sql(&mut self, params: &[RpcParam], sink: &mut dyn Sink) -> SqlResult<i32> {
        if params.first().is_some_and(|text| is_no_text(text.value.as_ref(), &text.sql_type)) {
            return Ok(0);
        }
        let prepared = self.prepared_of(params.first(), params.get(1))?;
        self.run_prepared(&prepared, params.get(2..).unwrap_or_default(), None, sink)
    }

    /// `handle` with its parameter's name, where the call wants it: drivers take the first value that comes back for it.
    fn run_prepared(
        &mut self,
        prepared: &Prepared,
        given: &[RpcParam],
        handle: Option<(&str, i32)>,
        sink: &mut dyn Sink,
    ) -> SqlResult<i32> {
        let args: Vec<CallArg> = given.iter().map(argument).collect();
        let BoundText { parameters, wanted, tables } =
            bind_prepared(prepared, &args, self.facts.settings.cast_rules())?;
        let mut finished = self.scoped(sink, |session, sink| {
            session.with_tables(tables, sink, |session, sink| {
                session.run_text(&prepared.text, parameters, DoneKind::InProcedure, sink)
            })
        })?;
        if let Some(error) = finished.raised.take() {
            return Err(error);
        }
        if let Some((name, handle)) = handle {
            sink.return_value(name, SqlType::Int, &Value::Int(handle));
        }
        for (index, param) in wanted.iter().enumerate() {
            if let Some(position) = param {
                sink.return_value(
                    &given[*position].name,
                    prepared.declared.signature.types[index],
                    &finished.parameters[index],
                );
            }
        }
        Ok(finished.status)
    }
}

/// `name;1` is the procedure itself; there are no groups of procedures under one name.
///
/// # Errors
/// That other numbers are missing.
pub(in crate::exec) fn check_procedure_number(number: Option<u32>) -> SqlResult<()> {
    match number {
        None | Some(1) => Ok(()),
        Some(_) => Err(message::missing("A numbered procedure (name;number) other than number 1")),
    }
}

/// A procedure's name as text without the `;1` behind it.
///
/// # Errors
/// As [`check_procedure_number`].
fn without_number(name: &str) -> SqlResult<&str> {
    let numbered = name.rsplit_once(';').and_then(|(name, number)| Some((name, number.trim().parse().ok()?)));
    let Some((name, number)) = numbered else { return Ok(name) };
    check_procedure_number(Some(number)).map(|()| name.trim_end())
}

impl BatchRun<'_> {
    pub(in crate::exec) fn execute(&mut self, statement: &Statement, execute: &Execute) -> SqlResult<()> {
        if execute.at.is_some() {
            return Err(message::missing("EXECUTE … AT"));
        }
        if matches!(execute.result_sets, ResultSets::Sets(_)) {
            return Err(message::missing("WITH RESULT SETS"));
        }
        check_procedure_number(execute.number)?;
        let name = self.called_name(&execute.procedure)?;
        let of_database = database_part(&self.ctx.engine, &name)?;
        let last = name.last().clone();
        let (args, targets) = self.call_args(statement, execute)?;
        let called = find_module(&self.ctx, &name, None)?;
        if let Some((database, def)) = &called
            && def.kind == ModuleKind::ScalarFunction
        {
            return self.execute_function(execute, *database, def, &args);
        }
        let (status, outputs) = if let Some(call) = TextCall::of(&last) {
            self.in_database(of_database, |run| run.call_text(call, &args))?
        } else if crate::exec::admin::app_lock::is_app_lock(&last) {
            let ctx = Arc::clone(&self.ctx);
            let status = self.session.app_lock(&ctx, &last, &args);
            drop(ctx);
            self.ctx_mut().facts.error = 0;
            self.after_system(status.map(|status| (status, Outputs::new())), statement)?
        } else if last.eq_ignore_ascii_case("sp_rename") {
            let renamed = self.in_database(of_database, |run| run.sp_rename(&args));
            self.after_system(renamed.map(|status| (status, Outputs::new())), statement)?
        } else if ["sp_addtype", "sp_droptype"].iter().any(|known| known.eq_ignore_ascii_case(&last)) {
            let done = self.in_database(of_database, |run| run.type_procedure(&last, &args));
            self.after_system(done.map(|status| (status, Outputs::new())), statement)?
        } else if let Some(procedure) = Refresh::of(&last) {
            let refreshed = self.in_database(of_database, |run| run.refresh_module(procedure, &args));
            self.after_system(refreshed.map(|status| (status, Outputs::new())), statement)?
        } else if last.eq_ignore_ascii_case(MARK) {
            let marked = self.in_database(of_database, |run| run.mark_system(&args));
            self.after_system(marked.map(|status| (status, Outputs::new())), statement)?
        } else if let Some(def) = (self.ctx.engine.registry().procedure)(&last) {
            let called = self.in_database(of_database, |run| run.call_system(def, args));
            self.after_system(called, statement)?
        } else {
            let unknown = || message::unknown_procedure(&name.shown());
            let module = match called {
                Some((database, def)) if def.kind == ModuleKind::Procedure => {
                    Called::of(&self.session.engine, (database, &def), &name, &self.ctx.facts)?
                }
                _ => self.session.find_procedure(&name, &self.ctx.facts)?.ok_or_else(unknown)?,
            };
            if self.ctx.facts.in_function {
                return Err(SqlError::of(557, 2, &[]));
            }
            self.run_procedure(&module, &args)?
        };
        if self.ends_batch {
            return Ok(());
        }
        for (position, value, sql) in outputs {
            if let Some(Some(slot)) = targets.get(position) {
                self.assign(*slot, &value, &sql)?;
            }
        }
        if let Some(variable) = &execute.return_into {
            let (slot, _) = self.variables.find(variable).ok_or_else(|| message::undeclared_variable(variable))?;
            self.assign(slot, &Value::Int(status), &SqlType::Int)?;
        }
        Ok(())
    }

    /// Runs work of the server's own in the database that its name says, or in the current one, whatever procedure calls it:
    /// it is the server's, so names in its arguments are looked for there. What was current comes back.
    ///
    /// # Errors
    /// 911 for an unknown database; those of the work.
    fn in_database<T>(&mut self, named: Option<&str>, work: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        let home = self.ctx_mut().facts.home.take();
        let done = self.in_named(named, work);
        self.ctx_mut().facts.home = home;
        done
    }

    fn in_named<T>(&mut self, named: Option<&str>, work: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        let Some(named) = named else { return work(self) };
        let id = self.ctx.engine.database_id(named).ok_or_else(|| message::unknown_database(named))?;
        let name = Arc::from(self.ctx.engine.database_name(id).unwrap_or_default());
        let facts = &mut self.ctx_mut().facts;
        let before = (facts.database, std::mem::replace(&mut facts.database_name, name));
        facts.database = id;
        let done = work(self);
        let facts = &mut self.ctx_mut().facts;
        (facts.database, facts.database_name) = before;
        done
    }

    /// What a procedure of the server raises itself is told by it, and it returns 1.
    fn after_system(&mut self, called: SqlResult<(i32, Outputs)>, statement: &Statement) -> SqlResult<(i32, Outputs)> {
        match called {
            Err(error) if RAISED_BY_SYSTEM.contains(&error.number) => {
                self.complain(error.at(statement.span.line))?;
                Ok((1, Outputs::new()))
            }
            called => called,
        }
    }

    /// `EXEC @v = function …`: the value goes into the variable.
    fn execute_function(
        &mut self,
        execute: &Execute,
        database: DbId,
        def: &Arc<ModuleDef>,
        args: &[CallArg],
    ) -> SqlResult<()> {
        let module = self.session.engine.read_module(def)?;
        let function = Interpreted::new(&self.ctx, database, &module)?;
        let call = self.session.bind_arguments(&module, database, args)?;
        let value = function.value(&self.ctx, call.parameters.values, call.tables)?;
        self.done_quietly(0);
        let Some(variable) = &execute.return_into else { return Ok(()) };
        let (slot, _) = self.variables.find(variable).ok_or_else(|| message::undeclared_variable(variable))?;
        self.assign(slot, &value, &function.returns())
    }

    /// `EXEC @name` calls the procedure that the variable names.
    fn called_name(&self, written: &ObjectName) -> SqlResult<ObjectName> {
        let [name] = &written.parts[..] else { return Ok(written.clone()) };
        if !name.starts_with('@') {
            return Ok(written.clone());
        }
        let (slot, _) = self.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
        match &self.ctx.variables[slot] {
            Value::Str(name) => {
                builtin::object_name(without_number(name)?).ok_or_else(|| message::unknown_procedure(name))
            }
            _ => Err(message::unknown_procedure("")),
        }
    }

    fn assign(&mut self, slot: usize, value: &Value, from: &SqlType) -> SqlResult<()> {
        let value = cast::cast(value, from, &self.variables.type_of(slot), None, self.ctx.cast_rules())
            .map_err(message::of_eval)?;
        self.ctx_mut().variables[slot] = value;
        Ok(())
    }

    /// The arguments' values, and for OUTPUT ones the variable that they go back to.
    fn call_args(&mut self, statement: &Statement, execute: &Execute) -> SqlResult<(Vec<CallArg>, Vec<Option<usize>>)> {
        let (mut args, mut targets) = (Vec::new(), Vec::new());
        for (index, arg) in execute.args.iter().enumerate() {
            let part = u16::try_from(index).ok().filter(|part| *part < ARGUMENTS_MAX).ok_or_else(too_many_arguments)?;
            let slot = match &arg.value.kind {
                ExprKind::Variable(name) => self.variables.find(name).map(|(slot, _)| slot),
                _ => None,
            };
            targets.push(slot.filter(|_| arg.output));
            if let ExprKind::Variable(name) = &arg.value.kind
                && self.is_cursor_variable(name)
            {
                return Err(message::missing("A cursor as an argument of a procedure"));
            }
            if matches!(arg.value.kind, ExprKind::Default) {
                let (name, output) = (arg.name.clone(), arg.output);
                args.push(CallArg { name, value: None, sql: SqlType::Int, output, table: None, sent: None });
                continue;
            }
            if let (None, ExprKind::Variable(name)) = (slot, &arg.value.kind)
                && let Some(table) = self.ctx.session.temp.read().find(name, self.ctx.facts.nest_level).cloned()
            {
                let (name, output) = (arg.name.clone(), arg.output);
                args.push(CallArg { name, value: None, sql: SqlType::Int, output, table: Some(table), sent: None });
                continue;
            }
            let expr = &arg.value;
            let code = self.bound(statement, part, |binder, _| {
                let expr = binder.expression(expr)?;
                Ok(crate::exec::batch::code::Code::Scalar(crate::exec::batch::control::scalar_of(expr, 0)))
            })?;
            let value = self.value(&code)?;
            let crate::exec::batch::code::Code::Scalar(scalar) = &*code else { unreachable!("bound above") };
            args.push(CallArg {
                name: arg.name.clone(),
                value: Some(value),
                sql: scalar.expr.ty.sql,
                output: arg.output,
                table: None,
                sent: None,
            });
        }
        Ok((args, targets))
    }

    fn call_system(&mut self, def: &ProcedureDef, args: Vec<CallArg>) -> SqlResult<(i32, Outputs)> {
        let types: Vec<SqlType> = args.iter().map(|arg| arg.sql).collect();
        let args = settled((def.name, def.params), args, self.ctx.cast_rules())?;
        let run = |sink: &mut dyn Sink| {
            let mut call = SystemCall { ctx: &self.ctx, args, options: Vec::new(), sink, outputs: Vec::new() };
            let status = ran(def, &mut call)?;
            SqlResult::Ok((status, std::mem::take(&mut call.outputs)))
        };
        let (status, outputs) = match self.gathering.as_deref_mut() {
            None => run(self.sink)?,
            Some(rows) => run(&mut GatheringSink { rows, sink: self.sink })?,
        };
        self.ctx_mut().facts.error = 0;
        Ok((status, outputs.into_iter().map(|(index, value)| (index, value, types[index])).collect()))
    }

    /// `EXEC ('text' + @more)`.
    pub(in crate::exec) fn execute_text(&mut self, statement: &Statement, execute: &ExecuteText) -> SqlResult<()> {
        if execute.at.is_some() {
            return Err(message::missing("EXECUTE … AT"));
        }
        if execute.as_principal.is_some() || !execute.args.is_empty() {
            return Err(message::missing("EXECUTE (text) with AS or values"));
        }
        let mut text = String::new();
        for (index, part) in execute.parts.iter().enumerate() {
            let index = u16::try_from(index).map_err(|_| message::syntax_near("+"))?;
            if let Value::Str(part) = self.scalar(statement, index, part, Some(TEXT))? {
                text.push_str(&part);
            }
        }
        self.nested(|session, sink| Ok(session.run_text(&text, Parameters::default(), DoneKind::InProcedure, sink)))?;
        Ok(())
    }
}

fn handle_of(param: Option<&RpcParam>) -> SqlResult<i32> {
    handle_in(param.and_then(|param| param.value.as_ref()))
}

fn output_name(rpc: &Rpc, index: usize) -> &str {
    rpc.params.get(index).map_or("", |param| param.name.as_str())
}

/// What `dm_exec_requests` shows of a call.
fn rpc_text(rpc: &Rpc) -> String {
    let text = rpc.params.iter().find_map(|param| match &param.value {
        Some(Value::Str(text)) => Some(text.to_string()),
        _ => None,
    });
    text.unwrap_or_else(|| rpc.procedure.clone())
}

/// Messages of the procedures of the server.
const RAISED_BY_SYSTEM: std::ops::Range<i32> = 15_000..16_000;
/// Most arguments of a call.
const ARGUMENTS_MAX: u16 = 2100;

fn too_many_arguments() -> SqlError {
    too_many_parameters("EXECUTE")
}

/// 180
fn too_many_parameters(statement: &str) -> SqlError {
    SqlError::of(180, 1, &[&statement, &ARGUMENTS_MAX])
}

/// 180 for a procedure or function with more parameters than a call has arguments.
pub(in crate::exec) fn check_parameter_count(module: &Module) -> SqlResult<()> {
    let (parameters, what) = match &module.kind {
        ast::ModuleKind::Procedure { parameters, .. } => (parameters, "PROCEDURE"),
        ast::ModuleKind::Function { parameters, .. } => (parameters, "FUNCTION"),
        ast::ModuleKind::View(_) | ast::ModuleKind::Trigger { .. } => return Ok(()),
    };
    let verb = if module.verb == DefinitionVerb::Alter { "ALTER" } else { "CREATE" };
    match parameters.len() > usize::from(ARGUMENTS_MAX) {
        true => Err(too_many_parameters(&format!("{verb} {what}"))),
        false => Ok(()),
    }
}
