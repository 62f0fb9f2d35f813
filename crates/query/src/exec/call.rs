//! Calls: EXEC of a procedure or a text, and the calls of the wire (sp_executesql, sp_prepare and their kin).

use std::collections::HashMap;
use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_tsql::ast::{DataType, Execute, ExecuteText, ExprKind, ObjectName, ResultSets, Statement};
use millpond_tsql::{ParseOptions, parse_parameters};
use millpond_types::{MaxLen, SqlType, Value, cast};

use super::batch::BatchRun;
use super::frame::Parameters;
use super::function::{Interpreted, find_module};
use super::gather::GatheringSink;
use super::module::Outputs;
use super::table_type::{Declared, TableArgument, declared, table_argument, table_of};
use crate::builtin;
use crate::catalog::{ModuleDef, ModuleKind, TableDef, UserTypeDef};
use crate::error::{SqlError, SqlResult};
use crate::function::{FunctionBody, UsedModule};
use crate::message;
use crate::procedure;
use crate::session::Session;
use crate::sink::{Done, DoneKind, Sink};
use crate::system_call::{CallArg, ProcedureDef, SentTable, SystemCall};

/// Prepared texts that a session keeps.
const PREPARED_MAX: usize = 4096;
/// Their bytes together.
const PREPARED_BYTES_MAX: usize = 64 << 20;

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

impl From<&RpcParam> for CallArg {
    fn from(param: &RpcParam) -> CallArg {
        let name = Some(param.name.clone()).filter(|name| !name.is_empty());
        let value = param.value.clone().filter(|_| param.table.is_none());
        let sent = param.table.clone();
        CallArg { name, value, sql: param.sql_type, output: param.output, table: None, sent }
    }
}

/// A call of the wire.
#[derive(Clone, Debug)]
pub struct Rpc {
    /// Procedure, with its schema and database if they were given.
    pub procedure: String,
    /// Parameters in order.
    pub params: Vec<RpcParam>,
}

/// A prepared text.
#[derive(Clone)]
struct Prepared {
    text: String,
    /// All parameters in their order.
    order: Vec<Slot>,
    names: Vec<String>,
    types: Vec<SqlType>,
    outputs: Vec<bool>,
    tables: Vec<PreparedTable>,
}

/// A parameter of a prepared text.
#[derive(Clone, Copy)]
enum Slot {
    /// Its position in the names.
    Scalar(usize),
    /// Its position in the tables.
    Table(usize),
}

/// A READONLY parameter of a prepared text.
#[derive(Clone)]
struct PreparedTable {
    ty: Arc<UserTypeDef>,
    def: Arc<TableDef>,
}

/// Arguments of a prepared text in their places.
struct BoundText {
    parameters: Parameters,
    /// For each scalar parameter the argument that wants its value back.
    wanted: Vec<Option<usize>>,
    tables: Vec<TableArgument>,
}

impl Prepared {
    /// The parameter of an argument: by its name, else by its position.
    fn slot(&self, position: usize, name: Option<&str>) -> Option<Slot> {
        let Some(name) = name else { return self.order.get(position).copied() };
        let plain = |name: &str| name.trim_start_matches('@').to_lowercase();
        let is = |known: &str| plain(known) == plain(name);
        let table = || self.tables.iter().position(|table| is(&table.def.name)).map(Slot::Table);
        self.names.iter().position(|known| is(known)).map(Slot::Scalar).or_else(table)
    }
}

/// The prepared texts of a session by handle.
#[derive(Default)]
pub struct PreparedCalls {
    by_handle: HashMap<i32, Prepared>,
    last: i32,
    text_bytes: usize,
}

impl PreparedCalls {
    fn add(&mut self, prepared: Prepared) -> SqlResult<i32> {
        if self.by_handle.len() >= PREPARED_MAX || self.text_bytes + prepared.text.len() > PREPARED_BYTES_MAX {
            return Err(SqlError::new(
                701,
                17,
                123,
                "There is insufficient system memory in resource pool 'default' to run this query.",
            ));
        }
        self.last = self.last.wrapping_add(1).max(1);
        self.text_bytes += prepared.text.len();
        self.by_handle.insert(self.last, prepared);
        Ok(self.last)
    }

    fn remove(&mut self, handle: i32) -> SqlResult<()> {
        let removed = self.get(handle)?;
        self.by_handle.remove(&handle);
        self.text_bytes -= removed.text.len();
        Ok(())
    }

    fn get(&self, handle: i32) -> SqlResult<Prepared> {
        self.by_handle.get(&handle).cloned().ok_or_else(|| {
            SqlError::new(8179, 16, 1, format!("Could not find prepared statement with handle {handle}."))
        })
    }
}

const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Max };

impl Session {
    /// Runs a call of the wire: results, return status, OUTPUT values and the closing DONE go to the sink.
    pub fn run_rpc(&mut self, rpc: &Rpc, sink: &mut dyn Sink) {
        use std::sync::atomic::Ordering::Relaxed;
        self.engine.counters.batch_requests.fetch_add(1, Relaxed);
        let text = rpc_text(rpc);
        self.begin_request(&text);
        let outcome = self.rpc_inner(rpc, sink);
        let failed = match outcome {
            Ok(status) => {
                sink.return_status(status);
                false
            }
            Err(error) => {
                self.facts.error = error.number;
                self.engine.counters.errors.fetch_add(1, Relaxed);
                sink.message(&super::batch::to_message(&error, 1));
                true
            }
        };
        self.end_doomed(sink);
        sink.done(Done { kind: DoneKind::Procedure, row_count: None, error: failed, command: 0xE0 });
        self.end_request();
    }

    fn rpc_inner(&mut self, rpc: &Rpc, sink: &mut dyn Sink) -> SqlResult<i32> {
        let name = rpc.procedure.rsplit('.').next().unwrap_or("").trim_matches(['[', ']']).to_ascii_lowercase();
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
                let status = self.run_prepared(&prepared, &rpc.params[3..], sink)?;
                sink.return_value(output_name(rpc, 0), SqlType::Int, &Value::Int(handle));
                Ok(status)
            }
            "sp_execute" => {
                let prepared = self.prepared.get(handle_of(rpc.params.first())?)?;
                self.run_prepared(&prepared, &rpc.params[1..], sink)
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
        let args: Vec<CallArg> = rpc.params.iter().map(CallArg::from).collect();
        let (status, outputs) = match procedure::find(name) {
            None if super::app_lock::is_app_lock(name) => {
                let ctx = self.bare_context();
                (self.app_lock(&ctx, name, &args)?, Outputs::new())
            }
            Some(def) => {
                let ctx = self.bare_context();
                let mut call = SystemCall { ctx: &ctx, args, options: Vec::new(), sink, outputs: Vec::new() };
                let status = (def.run)(&mut call)?;
                let outputs = std::mem::take(&mut call.outputs).into_iter();
                (status, outputs.map(|(index, value)| (index, value, rpc.params[index].sql_type)).collect())
            }
            None => {
                let unknown = || message::unknown_procedure(&rpc.procedure);
                let name = builtin::object_name(&rpc.procedure).ok_or_else(unknown)?;
                let module = self.find_procedure(&name)?.ok_or_else(unknown)?;
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
        let prepared = self.prepared_of(params.first(), params.get(1))?;
        self.run_prepared(&prepared, params.get(2..).unwrap_or_default(), sink)
    }

    fn run_prepared(&mut self, prepared: &Prepared, given: &[RpcParam], sink: &mut dyn Sink) -> SqlResult<i32> {
        let args: Vec<CallArg> = given.iter().map(CallArg::from).collect();
        let BoundText { parameters, wanted, tables } = bind_prepared(prepared, &args)?;
        let mut finished = self.scoped(sink, |session, sink| {
            session.with_tables(tables, sink, |session, sink| {
                session.run_text(&prepared.text, parameters, DoneKind::InProcedure, sink)
            })
        })?;
        if let Some(error) = finished.raised.take() {
            return Err(error);
        }
        for (index, param) in wanted.iter().enumerate() {
            if let Some(position) = param {
                sink.return_value(&given[*position].name, prepared.types[index], &finished.parameters[index]);
            }
        }
        Ok(finished.status)
    }

    /// Text and declarations of sp_executesql and sp_prepare.
    fn prepared_of(&self, text: Option<&RpcParam>, declarations: Option<&RpcParam>) -> SqlResult<Prepared> {
        let text = text_of(text)?.ok_or_else(|| {
            SqlError::new(214, 16, 2, "Procedure expects parameter '@statement' of type 'ntext/nchar/nvarchar'.")
        })?;
        let declarations = text_of(declarations)?.unwrap_or_default();
        let (order, names, types) = (Vec::new(), Vec::new(), Vec::new());
        let mut prepared = Prepared { text, order, names, types, outputs: Vec::new(), tables: Vec::new() };
        if declarations.trim().is_empty() {
            return Ok(prepared);
        }
        let options = ParseOptions { quoted_identifier: true };
        let parameters = parse_parameters(&declarations, options)
            .map_err(|error| SqlError::new(error.number, error.severity, error.state, error.message))?;
        let ctx = self.bare_context();
        for parameter in parameters {
            if parameter.data_type == DataType::Cursor {
                return Err(message::missing("A cursor parameter"));
            }
            match declared(&ctx, &parameter.data_type)? {
                Declared::Scalar(sql) => {
                    prepared.order.push(Slot::Scalar(prepared.names.len()));
                    prepared.names.push(parameter.name);
                    prepared.types.push(sql);
                    prepared.outputs.push(parameter.output);
                }
                Declared::Table(_) if !parameter.readonly => {
                    let name = &parameter.name;
                    let text =
                        format!("The table-valued parameter \"{name}\" must be declared with the READONLY option.");
                    return Err(SqlError::new(352, 15, 1, text));
                }
                Declared::Table(ty) => {
                    prepared.order.push(Slot::Table(prepared.tables.len()));
                    let def = table_of(&ty, &parameter.name)?;
                    prepared.tables.push(PreparedTable { ty, def });
                }
            }
        }
        Ok(prepared)
    }
}

/// The arguments of a prepared text in its parameters' places.
fn bind_prepared(prepared: &Prepared, given: &[CallArg]) -> SqlResult<BoundText> {
    let count = prepared.names.len();
    let (mut values, mut supplied, mut wanted) = (vec![Value::Null; count], vec![false; count], vec![None; count]);
    let mut tables: Vec<Option<&CallArg>> = vec![None; prepared.tables.len()];
    for (position, arg) in given.iter().enumerate() {
        let name = arg.name.as_deref();
        match prepared.slot(position, name).ok_or_else(|| too_many(name.unwrap_or("")))? {
            Slot::Table(index) => tables[index] = Some(arg),
            Slot::Scalar(index) => {
                if arg.table.is_some() || arg.sent.is_some() {
                    let to = prepared.types[index].name();
                    let text = format!("Operand type clash: table type is incompatible with {to}");
                    return Err(SqlError::new(206, 16, 2, text));
                }
                if let Some(value) = &arg.value {
                    let cast = cast::cast(value, &arg.sql, &prepared.types[index], None);
                    values[index] = cast.map_err(message::of_eval)?;
                    supplied[index] = true;
                }
                wanted[index] = Some(position).filter(|_| arg.output || prepared.outputs[index]);
            }
        }
    }
    if let Some(missing) = supplied.iter().position(|supplied| !supplied) {
        return Err(not_supplied(prepared, missing));
    }
    let tables = prepared.tables.iter().zip(tables);
    let tables = tables.map(|(table, given)| table_argument(&table.ty, Arc::clone(&table.def), given));
    let parameters = Parameters { names: prepared.names.clone(), types: prepared.types.clone(), values };
    Ok(BoundText { parameters, wanted, tables: tables.collect::<SqlResult<_>>()? })
}

impl BatchRun<'_> {
    pub(super) fn execute(&mut self, statement: &Statement, execute: &Execute) -> SqlResult<()> {
        if execute.at.is_some() {
            return Err(message::missing("EXECUTE … AT"));
        }
        if matches!(execute.result_sets, ResultSets::Sets(_)) {
            return Err(message::missing("WITH RESULT SETS"));
        }
        let name = self.called_name(&execute.procedure)?;
        let last = name.parts.last().expect("a name has parts").clone();
        let (args, targets) = self.call_args(statement, execute)?;
        if let Some((database, def)) = self.called_function(&name)? {
            return self.execute_function(execute, database, &def, &args);
        }
        let (status, outputs) = if last.eq_ignore_ascii_case("sp_executesql") {
            self.call_text(&args)?
        } else if super::app_lock::is_app_lock(&last) {
            let ctx = Arc::clone(&self.ctx);
            let status = self.session.app_lock(&ctx, &last, &args);
            drop(ctx);
            self.ctx_mut().facts.error = 0;
            (status?, Outputs::new())
        } else if last.eq_ignore_ascii_case("sp_rename") {
            (self.sp_rename(&args)?, Outputs::new())
        } else if let Some(def) = procedure::find(&last) {
            self.call_system(def, args)?
        } else {
            let unknown = || message::unknown_procedure(&name.parts.join("."));
            let module = self.session.find_procedure(&name)?.ok_or_else(unknown)?;
            if self.ctx.facts.in_function {
                let text = "Only functions and some extended stored procedures can be executed from within a function.";
                return Err(SqlError::new(557, 16, 2, text));
            }
            self.run_procedure(&module, &args, statement.span.line)?
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
        let call = self.session.bind_arguments(&module, args)?;
        let value = function.call(&self.ctx, call.parameters.values)?;
        self.done_quietly(0);
        let Some(variable) = &execute.return_into else { return Ok(()) };
        let (slot, _) = self.variables.find(variable).ok_or_else(|| message::undeclared_variable(variable))?;
        self.assign(slot, &value, &function.returns())
    }

    /// The scalar function of a name that is to be executed.
    fn called_function(&self, name: &ObjectName) -> SqlResult<Option<UsedModule>> {
        let found = find_module(&self.ctx, name)?;
        Ok(found.filter(|(_, def)| def.kind == ModuleKind::ScalarFunction))
    }

    /// `EXEC @name` calls the procedure that the variable names.
    fn called_name(&self, written: &ObjectName) -> SqlResult<ObjectName> {
        let [name] = &written.parts[..] else { return Ok(written.clone()) };
        if !name.starts_with('@') {
            return Ok(written.clone());
        }
        let (slot, _) = self.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
        match &self.ctx.variables[slot] {
            Value::Str(name) => builtin::object_name(name).ok_or_else(|| message::unknown_procedure(name)),
            _ => Err(message::unknown_procedure("")),
        }
    }

    fn assign(&mut self, slot: usize, value: &Value, from: &SqlType) -> SqlResult<()> {
        let value = cast::cast(value, from, &self.variables.type_of(slot), None).map_err(message::of_eval)?;
        self.ctx_mut().variables[slot] = value;
        Ok(())
    }

    /// The arguments' values, and for OUTPUT ones the variable that they go back to.
    fn call_args(&mut self, statement: &Statement, execute: &Execute) -> SqlResult<(Vec<CallArg>, Vec<Option<usize>>)> {
        let (mut args, mut targets) = (Vec::new(), Vec::new());
        for (index, arg) in execute.args.iter().enumerate() {
            let part = u8::try_from(index).map_err(|_| message::missing("A call with more than 255 arguments"))?;
            let slot = match &arg.value.kind {
                ExprKind::Variable(name) => self.variables.find(name).map(|(slot, _)| slot),
                _ => None,
            };
            targets.push(slot.filter(|_| arg.output));
            if matches!(arg.value.kind, ExprKind::Default) {
                let (name, output) = (arg.name.clone(), arg.output);
                args.push(CallArg { name, value: None, sql: SqlType::Int, output, table: None, sent: None });
                continue;
            }
            if let (None, ExprKind::Variable(name)) = (slot, &arg.value.kind)
                && let Some(table) = self.ctx.session.temp.read().find(name).cloned()
            {
                let (name, output) = (arg.name.clone(), arg.output);
                args.push(CallArg { name, value: None, sql: SqlType::Int, output, table: Some(table), sent: None });
                continue;
            }
            let expr = &arg.value;
            let code = self.bound(statement, part, |binder, _| {
                let expr = binder.expression(expr)?;
                Ok(super::code::Code::Scalar(super::control::scalar_of(expr, 0)))
            })?;
            let value = self.value(&code)?;
            let super::code::Code::Scalar(scalar) = &*code else { unreachable!("bound above") };
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
        let run = |sink: &mut dyn Sink| {
            let mut call = SystemCall { ctx: &self.ctx, args, options: Vec::new(), sink, outputs: Vec::new() };
            let status = (def.run)(&mut call)?;
            Ok((status, std::mem::take(&mut call.outputs)))
        };
        let (status, outputs) = match self.gathering.as_deref_mut() {
            None => run(self.sink)?,
            Some(rows) => run(&mut GatheringSink { rows, sink: self.sink })?,
        };
        self.ctx_mut().facts.error = 0;
        Ok((status, outputs.into_iter().map(|(index, value)| (index, value, types[index])).collect()))
    }

    /// EXEC sp_executesql in a batch.
    fn call_text(&mut self, args: &[CallArg]) -> SqlResult<(i32, Outputs)> {
        let text_param = |index: usize| {
            args.get(index).map(|arg: &CallArg| RpcParam {
                name: arg.name.clone().unwrap_or_default(),
                sql_type: arg.sql,
                value: arg.value.clone(),
                output: arg.output,
                table: None,
            })
        };
        let prepared = self.session.prepared_of(text_param(0).as_ref(), text_param(1).as_ref())?;
        let BoundText { parameters, wanted, tables } = bind_prepared(&prepared, args.get(2..).unwrap_or_default())?;
        let finished = self.nested(|session, sink| {
            session.with_tables(tables, sink, |session, sink| {
                session.run_text(&prepared.text, parameters, DoneKind::InProcedure, sink)
            })
        })?;
        let outputs = wanted.iter().enumerate().filter_map(|(index, position)| {
            let position = (*position)? + 2;
            args[position].output.then(|| (position, finished.parameters[index].clone(), prepared.types[index]))
        });
        Ok((finished.status, outputs.collect()))
    }

    /// `EXEC ('text' + @more)`.
    pub(super) fn execute_text(&mut self, statement: &Statement, execute: &ExecuteText) -> SqlResult<()> {
        if execute.at.is_some() {
            return Err(message::missing("EXECUTE … AT"));
        }
        if execute.as_principal.is_some() || !execute.args.is_empty() {
            return Err(message::missing("EXECUTE (text) with AS or values"));
        }
        let mut text = String::new();
        for (index, part) in execute.parts.iter().enumerate() {
            let index = u8::try_from(index).map_err(|_| message::syntax_near("+"))?;
            if let Value::Str(part) = self.scalar(statement, index, part, Some(TEXT))? {
                text.push_str(&part);
            }
        }
        self.nested(|session, sink| Ok(session.run_text(&text, Parameters::default(), DoneKind::InProcedure, sink)))?;
        Ok(())
    }
}

fn text_of(param: Option<&RpcParam>) -> SqlResult<Option<String>> {
    let Some(RpcParam { value: Some(value), sql_type, .. }) = param else {
        return Ok(None);
    };
    match cast::cast(value, sql_type, &TEXT, None).map_err(message::of_eval)? {
        Value::Str(text) => Ok(Some(text.to_string())),
        _ => Ok(None),
    }
}

fn handle_of(param: Option<&RpcParam>) -> SqlResult<i32> {
    match param.and_then(|param| param.value.as_ref()).and_then(Value::as_i64) {
        Some(handle) => Ok(i32::try_from(handle).unwrap_or(0)),
        None => Err(SqlError::new(214, 16, 2, "Procedure expects parameter '@handle' of type 'int'.")),
    }
}

fn output_name(rpc: &Rpc, index: usize) -> &str {
    rpc.params.get(index).map_or("", |param| param.name.as_str())
}

fn too_many(name: &str) -> SqlError {
    if name.is_empty() {
        SqlError::new(8144, 16, 2, "Procedure or function has too many arguments specified.")
    } else {
        SqlError::new(8145, 16, 2, format!("{name} is not a parameter for procedure ."))
    }
}

fn not_supplied(prepared: &Prepared, index: usize) -> SqlError {
    let declarations: Vec<String> =
        prepared.names.iter().zip(&prepared.types).map(|(name, sql)| format!("{name} {sql}")).collect();
    SqlError::new(
        8178,
        16,
        1,
        format!(
            "The parameterized query '({}){}' expects the parameter '{}', which was not supplied.",
            declarations.join(","),
            prepared.text,
            prepared.names[index]
        ),
    )
}

/// What `dm_exec_requests` shows of a call.
fn rpc_text(rpc: &Rpc) -> String {
    let text = rpc.params.iter().find_map(|param| match &param.value {
        Some(Value::Str(text)) => Some(text.to_string()),
        _ => None,
    });
    text.unwrap_or_else(|| rpc.procedure.clone())
}
