//! User-defined functions that are run, statement by statement, for every call; `names` finds them by name, and makes those part
//! of an expression that are one.
//!
//! ```text
//!   expression ──eval──▶ Interpreted::call ──▶ an inner session (kept by the outer one) ──▶ BatchRun ──▶ RETURN's value
//! ```
//! What always holds:
//! - F1: a call runs in a session of its own with the caller's settings, task and transaction facts; it has its own
//!   variables, table variables and cursors, which end with it. The inner session is kept for the next call, with the
//!   plans of what it has run.
//! - F2: a function changes nothing but its own table variables: `millpond_bind::definition::function_check` refuses all else when it is made.
//! - F3: every level of nesting has an inner session of its own, so no plan runs twice at a time.

use std::sync::Arc;

use millpond_bind::{Home, Variables, declared_type};
use millpond_catalog::function_body::{FunctionBody, TableBody};
use millpond_catalog::run::Run;
use millpond_catalog::run::facts::CurrentDatabase;
use millpond_catalog::{CatalogObject, ModuleDef, ModuleKind, ObjectId, TableDef};
use millpond_code::module_calls;
use millpond_engine::context::RunContext;
use millpond_engine::module::{ModuleForm, ReadModule, Signature};
use millpond_engine::parsed::ParsedBatch;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{DataType, ExecuteContext};
use millpond_types::{SqlType, Value};

use crate::exec::batch::frame::Frame;
use crate::exec::routine::variable_rows;
use crate::session::{KeptBySession, Session};
use millpond_code::text_variables::declare_all;
use millpond_names::declared::{ArgumentRows, TableArgument, declared_scalar};
use millpond_names::function::function_parameters;

/// A function whose statements are run.
pub(in crate::exec) struct Interpreted {
    pub(in crate::exec) body: Arc<ParsedBatch>,
    pub(in crate::exec) variables: Arc<Variables>,
    pub(in crate::exec) frame: Frame,
    pub(in crate::exec) null_on_null: bool,
    pub(in crate::exec) database: CurrentDatabase,
    /// For each parameter the table of a READONLY one.
    pub(in crate::exec) tables: Vec<Option<Arc<TableDef>>>,
    /// EXECUTE AS, with the module that has it; none of one that runs as its caller.
    pub(in crate::exec) runs_as: Option<(Arc<ModuleDef>, ExecuteContext)>,
}

impl Interpreted {
    /// The function of a module.
    pub(in crate::exec) fn new(ctx: &RunContext, database: DbId, module: &ReadModule) -> SqlResult<Interpreted> {
        let home = Home::of(database, &module.def);
        let scalar = |data_type: &DataType| declared_scalar(ctx, Some(home), data_type);
        let (body, returns, null_on_null) = match &module.form {
            ModuleForm::Scalar { returns, body, null_on_null } => {
                (body, Some(scalar(returns)?.map_or_else(|| declared_type(returns), Ok)?), *null_on_null)
            }
            ModuleForm::Table { body, .. } => (body, None, false),
            _ => return Err(message::invalid_object(&module.name)),
        };
        let (mut signature, mut tables) = (Signature::default(), Vec::new());
        for parameter in function_parameters(ctx, module, home)? {
            tables.push(parameter.table.map(|table| table.def));
            if let Some(None) = tables.last() {
                signature.names.push(parameter.name);
                signature.types.push(parameter.sql);
            }
        }
        let variables = Arc::new(declare_all(&body.batch.statements, &signature, &scalar)?);
        let frame = Frame { returns, ..Frame::of(&module.name, &module.def) };
        let runs_as = module.context.clone().map(|context| (Arc::clone(&module.def), context));
        let (body, database) = (Arc::clone(body), ctx.engine.current_database(database));
        Ok(Interpreted { body, variables, frame, null_on_null, database, tables, runs_as })
    }
}

impl Interpreted {
    /// Type of the value.
    pub(in crate::exec) fn returns(&self) -> SqlType {
        self.frame.returns.expect("made of a scalar function")
    }
}

impl FunctionBody for Interpreted {
    fn call(&self, run: &dyn Run, args: Vec<Value>) -> SqlResult<Value> {
        let ctx = RunContext::of(run);
        let (values, tables) = self.parted(ctx, args)?;
        self.value(ctx, values, tables)
    }
}

impl Interpreted {
    /// The value for arguments whose tables were found.
    pub(in crate::exec) fn value(
        &self,
        ctx: &RunContext,
        values: Vec<Value>,
        tables: Vec<TableArgument>,
    ) -> SqlResult<Value> {
        if self.null_on_null && values.iter().any(Value::is_null) {
            return Ok(Value::Null);
        }
        let what = (ModuleKind::ScalarFunction, self.frame.object, self.database.id.0);
        let running = module_calls::begin(&ctx.engine, &ctx.session, what, &self.body, ctx.now_us().1);
        let run = |session: &mut Session| session.run_function(self, ctx, (values, tables), |_, returned| Ok(returned));
        let value = in_session(ctx, run)?;
        module_calls::end(&ctx.engine, &ctx.session, running, ctx.now_us().1);
        Ok(value)
    }

    /// Values of the scalar parameters, and the caller's variables that the others name.
    ///
    /// # Errors
    /// 1087 for a variable that is not there any more.
    pub(in crate::exec) fn parted(
        &self,
        ctx: &RunContext,
        args: Vec<Value>,
    ) -> SqlResult<(Vec<Value>, Vec<TableArgument>)> {
        let (mut values, mut tables) = (Vec::with_capacity(args.len()), Vec::new());
        for (index, arg) in args.into_iter().enumerate() {
            let Some(Some(def)) = self.tables.get(index) else {
                values.push(arg);
                continue;
            };
            let rows = match arg.as_str() {
                None => ArgumentRows::None,
                Some(name) => {
                    let found = ctx.session.temp.read().find(name, ctx.facts.nest_level).cloned();
                    ArgumentRows::Variable(found.ok_or_else(|| message::undeclared_table_variable(name))?)
                }
            };
            tables.push(TableArgument { def: Arc::clone(def), rows });
        }
        Ok((values, tables))
    }
}

/// F1
fn in_session<T>(ctx: &RunContext, run: impl FnOnce(&mut Session) -> T) -> T {
    let kept = KeptBySession::of(&ctx.session).inner.lock().pop();
    let mut session = kept.unwrap_or_else(|| Session::inner(&ctx.engine, &ctx.session));
    let result = run(&mut session);
    KeptBySession::of(&ctx.session).inner.lock().push(session);
    result
}

/// A function that fills a table.
struct Filling {
    function: Interpreted,
    variable: String,
}

impl TableBody for Filling {
    fn rows(&self, run: &dyn Run, args: Vec<Value>) -> SqlResult<Vec<Vec<Value>>> {
        let ctx = RunContext::of(run);
        in_session(ctx, |session| {
            let args = self.function.parted(ctx, args)?;
            session.run_function(&self.function, ctx, args, |session, _| {
                variable_rows::rows_of_variable(session, &self.variable)
            })
        })
    }
}

/// The value of a scalar function that a definition names by its number.
///
/// # Errors
/// 208 when it is gone; those of its statements.
pub fn call_function(ctx: &RunContext, database: DbId, id: ObjectId, args: Vec<Value>) -> SqlResult<Value> {
    let objects = ctx.engine.databases().dictionary(database)?.catalog().objects();
    let Some(CatalogObject::Module(def)) = objects.get(id) else {
        return Err(message::invalid_object(&format!("{}", id.0)));
    };
    let module = ctx.engine.read_module(def)?;
    Interpreted::new(ctx, database, &module)?.call(ctx, args)
}

/// Who runs the statements of a scalar function, and the type of its value.
///
/// # Errors
/// What its declarations say.
pub fn scalar_body(
    ctx: &RunContext,
    database: DbId,
    def: &Arc<ModuleDef>,
) -> SqlResult<(SqlType, Arc<dyn FunctionBody>)> {
    let module = ctx.engine.read_module(def)?;
    let body = Interpreted::new(ctx, database, &module)?;
    Ok((body.returns(), Arc::new(body)))
}

/// Who runs the statements of a function that fills a table.
///
/// # Errors
/// What its declarations say; 208 for another module.
pub fn table_body(ctx: &RunContext, database: DbId, def: &Arc<ModuleDef>) -> SqlResult<Arc<dyn TableBody>> {
    let module = ctx.engine.read_module(def)?;
    let ModuleForm::Table { variable, .. } = &module.form else { return Err(message::invalid_object(&module.name)) };
    let function = Interpreted::new(ctx, database, &module)?;
    Ok(Arc::new(Filling { function, variable: variable.clone() }))
}
