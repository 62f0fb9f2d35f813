//! Calls: EXEC of a procedure or a text, and the calls of the wire (sp_executesql, sp_prepare and their kin).

use std::sync::Arc;

use millpond_builtin as builtin;
use millpond_catalog::run::Run;
use millpond_catalog::{ModuleDef, ModuleKind};
use millpond_code::prepared_calls::Prepared;
use millpond_cursors::Procedure;
use millpond_engine::settled::{database_part, named_database};
use millpond_engine::stay;
use millpond_engine::system_call::{CallArg, ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Done, DoneKind, Sink};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{Execute, ExecuteText, ExprKind, ObjectName, Statement};
use millpond_types::{SqlType, Value, cast};

use crate::exec::admin::app_lock;
use crate::exec::batch::frame::Frame;
use crate::exec::batch::result_sets::{for_receiver, with_result_sets};
use crate::exec::batch::{BatchRun, contexts, frame, scalar};
use crate::exec::ddl::define::Refresh;
use crate::exec::ddl::{define, rename, table_type, type_procedure};
use crate::exec::routine::called::{Called, MARK};
use crate::exec::routine::function::Interpreted;
use crate::exec::routine::module::Outputs;
use crate::exec::routine::prepared_call::{TextCall, handle_in, wants_columns};
use crate::exec::routine::system_steps;
use crate::exec::routine::trigger::order::{SET_ORDER, set_trigger_order};
use crate::exec::routine::{api_cursor, called, cursor, module, prepared, prepared_call};
use crate::exec::security;
use crate::session::Session;
use millpond_code::text_variables::Parameters;
use millpond_engine::arguments::{ARGUMENTS_MAX, RpcParam, check_procedure_number, too_many_parameters};
use millpond_engine::system_args::{ran, settled};
use millpond_names::function::find_module;
use millpond_names::prepared::{BoundText, TEXT, bind_prepared, is_no_text};
use millpond_rights::impersonate::named_context;
use millpond_rights::statements;

fn argument(param: &RpcParam) -> CallArg {
    let name = Some(param.name.clone()).filter(|name| !name.is_empty());
    let value = param.value.clone().filter(|_| param.table.is_none());
    let sent = param.table.clone();
    CallArg { name, value, sql: param.sql_type, output: param.output, table: None, sent, cursor: None }
}

/// A call of the wire.
#[derive(Clone, Debug)]
pub struct Rpc {
    /// Procedure, with its schema and database if they were given.
    pub procedure: String,
    /// Parameters in order.
    pub params: Vec<RpcParam>,
}

/// Charges the long values that a call brings.
pub(in crate::exec) fn hold_parameters(session: &Session, rpc: &Rpc) -> SqlResult<()> {
    let workspace = session.engine.workspace();
    rpc.params
        .iter()
        .filter_map(|param| param.value.as_ref())
        .try_for_each(|value| value.charge(|bytes| workspace.charge(bytes)))
}

/// Values of OUTPUT parameters, as the call declares these: the procedure's types may be others.
pub(in crate::exec) fn returned(session: &Session, rpc: &Rpc, outputs: Outputs) -> SqlResult<Vec<(usize, Value)>> {
    let rules = session.facts.settings.cast_rules();
    let one = |(index, value, from): (usize, Value, SqlType)| {
        let to = rpc.params.get(index)?.sql_type;
        Some(cast::cast(&value, &from, &to, None, rules).map_err(message::of_eval).map(|value| (index, value)))
    };
    outputs.into_iter().filter_map(one).collect()
}

/// The status, and the values that go back, by the places of the call's parameters.
pub(in crate::exec) fn rpc_inner(session: &mut Session, rpc: &Rpc, sink: &mut dyn Sink) -> SqlResult<(i32, Outputs)> {
    let procedure = without_number(&rpc.procedure)?;
    let name = builtin::object_name(procedure);
    let named = name.map(|name| named_database(&session.engine, &name)).transpose()?.flatten();
    let _stay = named.map(|named| session.stay(named)).transpose()?;
    let name = own_name(procedure).to_ascii_lowercase();
    match name.as_str() {
        "sp_executesql" => execute_sql(session, &rpc.params, sink),
        "sp_prepare" => {
            let prepared = prepared::prepared_of(session, rpc.params.get(2), rpc.params.get(1))?;
            let options = rpc.params.get(3).and_then(|options| options.value.as_ref());
            prepared::compile_prepared(session, &prepared, wants_columns(options), sink)?;
            let handle = session.prepared.add(prepared)?;
            Ok((0, vec![(0, Value::Int(handle), SqlType::Int)]))
        }
        "sp_prepexec" => {
            let prepared = prepared::prepared_of(session, rpc.params.get(2), rpc.params.get(1))?;
            let handle = session.prepared.add(prepared.clone())?;
            let (status, mut outputs) = run_prepared(session, &prepared, &rpc.params, 3, sink)?;
            // Drivers take the first value that comes back for the handle.
            outputs.insert(0, (0, Value::Int(handle), SqlType::Int));
            Ok((status, outputs))
        }
        "sp_execute" => {
            let prepared = session.prepared.get(handle_of(rpc.params.first())?)?;
            run_prepared(session, &prepared, &rpc.params, 1, sink)
        }
        "sp_unprepare" => {
            let handle = handle_of(rpc.params.first())?;
            session.prepared.remove(handle)?;
            Ok((0, Outputs::new()))
        }
        _ => match Procedure::of(&name) {
            Some(procedure) => {
                let args: Vec<CallArg> = rpc.params.iter().map(argument).collect();
                api_cursor::of_wire(session, procedure, &args, sink)
            }
            None => rpc_procedure(session, &name, rpc, sink),
        },
    }
}

/// A procedure's name without what stands before it.
fn own_name(procedure: &str) -> &str {
    procedure.rsplit('.').next().unwrap_or("").trim_matches(['[', ']'])
}

/// The procedure of API cursors that a call of the wire names.
pub(in crate::exec) fn api_procedure(procedure: &str) -> Option<Procedure> {
    Procedure::of(own_name(procedure))
}

/// Any other procedure by name: the server's own, then those of the catalog.
fn rpc_procedure(session: &mut Session, name: &str, rpc: &Rpc, sink: &mut dyn Sink) -> SqlResult<(i32, Outputs)> {
    let found = (session.engine.registry().procedure)(name);
    let settings = &session.facts.settings;
    // Under FMTONLY the results of the user's procedures are asked for.
    if settings.noexec || settings.parseonly || settings.fmtonly && found.is_some() {
        return Ok((0, Outputs::new()));
    }
    let args: Vec<CallArg> = rpc.params.iter().map(argument).collect();
    match found {
        None if crate::exec::admin::app_lock::is_app_lock(name) => {
            let ctx = contexts::bare(session);
            Ok((app_lock::app_lock(session, &ctx, name, &args)?, Outputs::new()))
        }
        Some(def) => {
            let database = database_of_call(session, rpc)?;
            frame::inside(session, database, |session| rpc_of_system(session, def, args, rpc, sink))
        }
        None => {
            database_of_call(session, rpc)?;
            let unknown = || message::unknown_procedure(&rpc.procedure);
            let name = builtin::object_name(without_number(&rpc.procedure)?).ok_or_else(unknown)?;
            let module = called::find_procedure(session, &name, &session.facts)?.ok_or_else(unknown)?;
            module::call_module(session, &module, &args, sink)
        }
    }
}

/// The database that a call's name says, else the current one.
///
/// # Errors
/// 911 for an unknown database, 916 for one without access.
fn database_of_call(session: &Session, rpc: &Rpc) -> SqlResult<DbId> {
    let name = builtin::object_name(without_number(&rpc.procedure)?);
    let named = name.as_ref().map(|name| named_database(&session.engine, name)).transpose()?.flatten();
    let Some(id) = named else { return Ok(session.facts.database) };
    millpond_engine::security::access(&contexts::bare(session), id)?;
    Ok(id)
}

/// A procedure of the server in the current database.
fn rpc_of_system(
    session: &mut Session,
    def: &ProcedureDef,
    args: Vec<CallArg>,
    rpc: &Rpc,
    sink: &mut dyn Sink,
) -> SqlResult<(i32, Outputs)> {
    let ctx = contexts::bare(session);
    statements::check_system_procedure(&ctx, def.name, &args)?;
    let args = settled((def.name, def.params), args, ctx.cast_rules())?;
    let mut call = new_call(&ctx, args, sink);
    let status = ran(def, &mut call)?;
    let (outputs, steps) = (std::mem::take(&mut call.outputs).into_iter(), std::mem::take(&mut call.steps));
    drop(ctx);
    let status = system_steps::of_wire(session, steps, status, sink);
    Ok((status, outputs.map(|(index, value)| (index, value, rpc.params[index].sql_type)).collect()))
}

/// sp_executesql: text, declarations, values by name or position.
fn execute_sql(session: &mut Session, params: &[RpcParam], sink: &mut dyn Sink) -> SqlResult<(i32, Outputs)> {
    if params.first().is_some_and(|text| is_no_text(text.value.as_ref(), &text.sql_type)) {
        return Ok((0, Outputs::new()));
    }
    let prepared = prepared::prepared_of(session, params.first(), params.get(1))?;
    run_prepared(session, &prepared, params, 2, sink)
}

/// Runs a text with the parameters of the call from `first` on.
fn run_prepared(
    session: &mut Session,
    prepared: &Prepared,
    params: &[RpcParam],
    first: usize,
    sink: &mut dyn Sink,
) -> SqlResult<(i32, Outputs)> {
    let given = params.get(first..).unwrap_or_default();
    let args: Vec<CallArg> = given.iter().map(argument).collect();
    // A cursor does not travel: it is refused as an argument.
    let rules = session.facts.settings.cast_rules();
    let BoundText { parameters, wanted, tables, .. } = bind_prepared(prepared, &args, rules)?;
    let mut finished = frame::scoped(session, sink, |session, sink| {
        table_type::with_tables(session, tables, sink, |session, sink| {
            session.run_text(&prepared.text, parameters, DoneKind::InProcedure, sink)
        })
    })?;
    if let Some(error) = finished.raised.take() {
        return Err(error);
    }
    let outputs = wanted.iter().enumerate().filter_map(|(index, position)| {
        let value = finished.parameters[index].clone();
        Some(((*position)? + first, value, prepared.declared.signature.types[index]))
    });
    Ok((finished.status, outputs.collect()))
}

/// A procedure's name as text without the `;1` after it.
///
/// # Errors
/// As [`check_procedure_number`].
fn without_number(name: &str) -> SqlResult<&str> {
    let numbered = name.rsplit_once(';').and_then(|(name, number)| Some((name, number.trim().parse().ok()?)));
    let Some((name, number)) = numbered else { return Ok(name) };
    check_procedure_number(Some(number)).map(|()| name.trim_end())
}

/// `EXEC procedure …`
pub(in crate::exec) fn execute(run: &mut BatchRun<'_>, statement: &Statement, execute: &Execute) -> SqlResult<()> {
    if execute.at.is_some() {
        return Err(message::missing("EXECUTE … AT"));
    }
    with_result_sets(run, &execute.result_sets, |run| execute_called(run, statement, execute))
}

fn execute_called(run: &mut BatchRun<'_>, statement: &Statement, execute: &Execute) -> SqlResult<()> {
    check_procedure_number(execute.number)?;
    let name = called_name(run, &execute.procedure)?;
    let of_database = database_part(&run.ctx.engine, &name)?;
    let named = of_database.and_then(|named| run.ctx.engine.database_id(named));
    let _stay = named.map(|named| stay::stay_for(&run.ctx, named)).transpose()?;
    let last = name.last().clone();
    let (args, targets) = call_args(run, statement, execute)?;
    let called = find_module(&run.ctx, &name, None)?;
    if let Some((database, def)) = &called
        && def.kind == ModuleKind::ScalarFunction
    {
        return execute_function(run, execute, *database, def, &args);
    }
    let of_system = (of_database, last.as_str(), &args[..]);
    let (status, outputs) = if let Some(call) = TextCall::of(&last) {
        in_database(run, of_system, |run| prepared_call::call_text(run, call, &args))?
    } else if let Some(procedure) = Procedure::of(&last) {
        in_database(run, of_system, |run| api_cursor::in_batch(run, procedure, &args))?
    } else if crate::exec::admin::app_lock::is_app_lock(&last) {
        let ctx = Arc::clone(&run.ctx);
        let status = app_lock::app_lock(run.session, &ctx, &last, &args);
        drop(ctx);
        run.ctx_mut().facts.error = 0;
        after_system(run, status.map(|status| (status, Outputs::new())), statement)?
    } else if last.eq_ignore_ascii_case("sp_rename") {
        let renamed = in_database(run, of_system, |run| rename::sp_rename(run, &args));
        after_system(run, renamed.map(|status| (status, Outputs::new())), statement)?
    } else if ["sp_addtype", "sp_droptype"].iter().any(|known| known.eq_ignore_ascii_case(&last)) {
        let done = in_database(run, of_system, |run| type_procedure::type_procedure(run, &last, &args));
        after_system(run, done.map(|status| (status, Outputs::new())), statement)?
    } else if last.eq_ignore_ascii_case(SET_ORDER) {
        let done = in_database(run, of_system, |run| set_trigger_order(run, &args));
        after_system(run, done.map(|status| (status, Outputs::new())), statement)?
    } else if let Some(procedure) = Refresh::of(&last) {
        let refreshed = in_database(run, of_system, |run| define::refresh_module(run, procedure, &args));
        after_system(run, refreshed.map(|status| (status, Outputs::new())), statement)?
    } else if last.eq_ignore_ascii_case(MARK) {
        let marked = in_database(run, of_system, |run| called::mark_system(run, &args));
        after_system(run, marked.map(|status| (status, Outputs::new())), statement)?
    } else if let Some(def) = (run.ctx.engine.registry().procedure)(&last) {
        let called = in_database(run, of_system, |run| call_system(run, def, args.clone()));
        after_system(run, called, statement)?
    } else {
        let unknown = || message::unknown_procedure(&name.shown());
        let module = match called {
            Some((database, def)) if def.kind == ModuleKind::Procedure => {
                match Called::of_server(&run.session.engine, &name, &run.ctx.facts)? {
                    Some(of_server) => of_server,
                    None => Called::of(&run.session.engine, (database, &def), &name, &run.ctx.facts)?,
                }
            }
            _ => called::find_procedure(run.session, &name, &run.ctx.facts)?.ok_or_else(unknown)?,
        };
        if run.ctx.facts.in_function {
            return Err(SqlError::of(557, 2, &[]));
        }
        module::run_procedure(run, &module, &args, execute.recompile)?
    };
    if run.ends_batch {
        return Ok(());
    }
    for (position, value, sql) in outputs {
        if let Some(Some(slot)) = targets.get(position) {
            scalar::assign(run, *slot, &value, &sql)?;
        }
    }
    if let Some(variable) = &execute.return_into {
        let (slot, _) = run.variables.find(variable).ok_or_else(|| message::undeclared_variable(variable))?;
        scalar::assign(run, slot, &Value::Int(status), &SqlType::Int)?;
    }
    // What a batch calls ends as what the wire calls does; inside of a procedure nothing asks.
    if run.kind == DoneKind::Statement && run.gathering.is_none() {
        run.sink.return_status(status);
        run.sink.done(Done { kind: DoneKind::Procedure, row_count: None, error: false, command: 0xE0 });
    }
    Ok(())
}

/// Runs work of the server's own in the database that its name says, or in the current one, whatever procedure calls it:
/// it is the server's, so names in its arguments are looked for there, and rights are asked for there. What was current comes
/// back. `procedure` is its name, with the database that is said before it and its arguments.
///
/// # Errors
/// 911 for an unknown database, 916 for one without access; 15247 and those of the work.
fn in_database<T>(
    run: &mut BatchRun<'_>,
    procedure: (Option<&str>, &str, &[CallArg]),
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let (named, name, args) = procedure;
    let home = run.ctx_mut().facts.home.take();
    let done = in_named(run, named, |run| {
        statements::check_system_procedure(&run.ctx, name, args)?;
        work(run)
    });
    run.ctx_mut().facts.home = home;
    done
}

fn in_named<T>(
    run: &mut BatchRun<'_>,
    named: Option<&str>,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let Some(named) = named else { return work(run) };
    let id = run.ctx.engine.database_id(named).ok_or_else(|| message::unknown_database(named))?;
    millpond_engine::security::access(&run.ctx, id)?;
    let named = run.ctx.engine.current_database(id);
    let before = run.ctx_mut().facts.enter(named);
    let done = work(run);
    run.ctx_mut().facts.enter(before);
    done
}

/// What a procedure of the server raises itself it sends itself, and it returns 1.
fn after_system(
    run: &mut BatchRun<'_>,
    called: SqlResult<(i32, Outputs)>,
    statement: &Statement,
) -> SqlResult<(i32, Outputs)> {
    match called {
        Err(error) if RAISED_BY_SYSTEM.contains(&error.number) => {
            run.complain(error.at(statement.span.line))?;
            Ok((1, Outputs::new()))
        }
        called => called,
    }
}

/// `EXEC @v = function …`: the value goes into the variable.
fn execute_function(
    run: &mut BatchRun<'_>,
    execute: &Execute,
    database: DbId,
    def: &Arc<ModuleDef>,
    args: &[CallArg],
) -> SqlResult<()> {
    run.session.facts = run.ctx.facts.clone();
    security::check_call(run.session, database, def.id)?;
    let module = run.session.engine.read_module(def)?;
    let function = Interpreted::new(&run.ctx, database, &module)?;
    let call = module::bind_arguments(run.session, &module, database, args)?;
    let value = function.value(&run.ctx, call.parameters.values, call.tables)?;
    run.done_quietly(0);
    let Some(variable) = &execute.return_into else { return Ok(()) };
    let (slot, _) = run.variables.find(variable).ok_or_else(|| message::undeclared_variable(variable))?;
    scalar::assign(run, slot, &value, &function.returns())
}

/// `EXEC @name` calls the procedure that the variable names.
fn called_name(run: &BatchRun<'_>, written: &ObjectName) -> SqlResult<ObjectName> {
    let [name] = &written.parts[..] else { return Ok(written.clone()) };
    if !name.starts_with('@') {
        return Ok(written.clone());
    }
    let (slot, _) = run.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
    match &run.ctx.variables[slot] {
        Value::Str(name) => builtin::object_name(without_number(name)?).ok_or_else(|| message::unknown_procedure(name)),
        _ => Err(message::unknown_procedure("")),
    }
}

/// The arguments' values, and for OUTPUT ones the variable that they go back to.
fn call_args(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    execute: &Execute,
) -> SqlResult<(Vec<CallArg>, Vec<Option<usize>>)> {
    let (mut args, mut targets) = (Vec::new(), Vec::new());
    for (index, arg) in execute.args.iter().enumerate() {
        let part = u16::try_from(index).ok().filter(|part| *part < ARGUMENTS_MAX).ok_or_else(too_many_arguments)?;
        let slot = match &arg.value.kind {
            ExprKind::Variable(name) => run.variables.find(name).map(|(slot, _)| slot),
            _ => None,
        };
        targets.push(slot.filter(|_| arg.output));
        if let ExprKind::Variable(name) = &arg.value.kind
            && cursor::is_cursor_variable(run, name)
        {
            args.push(cursor::argument(run, arg.name.clone(), name, arg.output)?);
            continue;
        }
        if matches!(arg.value.kind, ExprKind::Default) {
            let (name, output) = (arg.name.clone(), arg.output);
            args.push(CallArg { name, value: None, sql: SqlType::Int, output, table: None, sent: None, cursor: None });
            continue;
        }
        if let (None, ExprKind::Variable(name)) = (slot, &arg.value.kind)
            && let Some(table) = run.ctx.session.temp.read().find(name, run.ctx.facts.nest_level).cloned()
        {
            let (name, output) = (arg.name.clone(), arg.output);
            args.push(CallArg {
                name,
                value: None,
                sql: SqlType::Int,
                output,
                table: Some(table),
                sent: None,
                cursor: None,
            });
            continue;
        }
        let expr = &arg.value;
        let scalar = scalar::scalar_code(run, statement, part, expr, None)?;
        let value = scalar::value(run, &scalar)?;
        args.push(CallArg {
            name: arg.name.clone(),
            value: Some(value),
            sql: scalar.expr.ty.sql,
            output: arg.output,
            table: None,
            sent: None,
            cursor: None,
        });
    }
    Ok((args, targets))
}

fn new_call<'a>(run: &'a dyn Run, args: Vec<CallArg>, sink: &'a mut dyn Sink) -> SystemCall<'a> {
    SystemCall { run, args, options: Vec::new(), sink, is_uncounted: false, outputs: Vec::new(), steps: Vec::new() }
}

fn call_system(run: &mut BatchRun<'_>, def: &ProcedureDef, args: Vec<CallArg>) -> SqlResult<(i32, Outputs)> {
    let types: Vec<SqlType> = args.iter().map(|arg| arg.sql).collect();
    let args = settled((def.name, def.params), args, run.ctx.cast_rules())?;
    let call = |sink: &mut dyn Sink| {
        let mut call = new_call(&*run.ctx, args, sink);
        let status = ran(def, &mut call)?;
        SqlResult::Ok((status, std::mem::take(&mut call.outputs), std::mem::take(&mut call.steps)))
    };
    let (status, outputs, steps) = for_receiver(&mut run.gathering, &mut run.shaped, run.sink, call)?;
    let status = system_steps::in_batch(run, steps, status)?;
    run.ctx_mut().facts.error = 0;
    Ok((status, outputs.into_iter().map(|(index, value)| (index, value, types[index])).collect()))
}

/// `EXEC ('text' + @more)`.
pub(in crate::exec) fn execute_text(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    execute: &ExecuteText,
) -> SqlResult<()> {
    if execute.at.is_some() {
        return Err(message::missing("EXECUTE … AT"));
    }
    if !execute.args.is_empty() {
        return Err(message::missing("EXECUTE (text) with values"));
    }
    let context = execute.as_principal.as_ref().map(|named| named_context(&run.ctx, named)).transpose()?;
    let frame = Frame { security: context.flatten(), ..Frame::default() };
    let mut text = String::new();
    for (index, part) in execute.parts.iter().enumerate() {
        let index = u16::try_from(index).map_err(|_| message::syntax_near("+"))?;
        if let Value::Str(part) = scalar::scalar(run, statement, index, part, Some(TEXT))? {
            text.push_str(&part);
        }
    }
    with_result_sets(run, &execute.result_sets, |run| {
        frame::nested(run, |session, sink| {
            Ok(session.run_framed_text(&text, Parameters::default(), DoneKind::InProcedure, &frame, sink))
        })?;
        Ok(())
    })
}

fn handle_of(param: Option<&RpcParam>) -> SqlResult<i32> {
    handle_in(param.and_then(|param| param.value.as_ref()))
}

/// Messages of the procedures of the server.
const RAISED_BY_SYSTEM: std::ops::Range<i32> = 15_000..16_000;

fn too_many_arguments() -> SqlError {
    too_many_parameters("EXECUTE")
}
