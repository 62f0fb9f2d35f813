//! User-defined scalar functions: found by name, made part of an expression where they are one, else run statement by
//! statement for every call.
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

use millpond_bind::{Binder, Home, KeptRows, Named, Names, Need, NewTable, Variables, declared_type};
use millpond_builtin::eval::needs_plan;
use millpond_builtin::{TableFunctionDef, Volatility};
use millpond_catalog::data_space::PartitionFunction;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::{BoundExpr, FunctionParameter, Kind, TableParameter, UserFunction};
use millpond_catalog::function_body::{FunctionBody, TableBody};
use millpond_catalog::rel::{TableForm, UserTableFunction};
use millpond_catalog::run::Run;
use millpond_catalog::{CatalogObject, ModuleDef, ModuleKind, ObjectId, TableDef, UsedModule};
use millpond_engine::context::RunContext;
use millpond_engine::module::{ModuleForm, ReadModule, Signature};
use millpond_engine::parsed::ParsedBatch;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{DataType, ExecuteContext, Expr, ObjectName, Statement, StatementKind};
use millpond_types::{SqlType, Value};

use crate::exec::batch::frame::Frame;
use crate::exec::batch::names::SessionNames;
use crate::exec::batch::names::declared::{ArgumentRows, Declared, TableArgument, declared, declared_scalar, table_of};
use crate::exec::routine::variable_rows;
use crate::session::{KeptBySession, Session};
use millpond_code::text_variables::declare_all;

/// A function whose statements are run.
pub(in crate::exec) struct Interpreted {
    pub(in crate::exec) body: Arc<ParsedBatch>,
    pub(in crate::exec) variables: Arc<Variables>,
    pub(in crate::exec) frame: Frame,
    pub(in crate::exec) null_on_null: bool,
    pub(in crate::exec) database: (DbId, Arc<str>),
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
        let name = Arc::from(ctx.engine.database_name(database).unwrap_or_default());
        let runs_as = module.context.clone().map(|context| (Arc::clone(&module.def), context));
        let (body, database) = (Arc::clone(body), (database, name));
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
        in_session(ctx, |session| session.run_function(self, ctx, (values, tables), |_, returned| Ok(returned)))
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

/// Names inside the expression of a function that is to become part of its caller.
struct InlineNames<'a> {
    session: SessionNames<'a>,
    /// The functions that are being made part of each other: none becomes part of itself.
    chain: &'a [ObjectId],
    /// ANSI_NULLS as the function was made with.
    ansi_nulls: bool,
}

impl Names for InlineNames<'_> {
    fn relation(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Named>> {
        self.session.relation(name, home)
    }

    fn database(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<DbId>> {
        self.session.database(name, home)
    }

    fn view_rows(&self, view: &ModuleDef, database: DbId, asked: bool) -> SqlResult<KeptRows> {
        self.session.view_rows(view, database, asked)
    }

    fn table_function(&self, name: &ObjectName) -> Option<&'static TableFunctionDef> {
        self.session.table_function(name)
    }

    fn partition_function(
        &self,
        database: Option<&str>,
        name: &str,
        home: Option<Home>,
    ) -> SqlResult<Option<PartitionFunction>> {
        self.session.partition_function(database, name, home)
    }

    fn scalar_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserFunction>>> {
        scalar_function_of(self.session.ctx, self.session.module(name, home)?, self.chain)
    }

    fn sequence(
        &self,
        name: &ObjectName,
        home: Option<Home>,
    ) -> SqlResult<Option<(DbId, Arc<millpond_catalog::SequenceDef>)>> {
        self.session.sequence(name, home)
    }

    fn user_table_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTableFunction>>> {
        self.session.user_table_function(name, home)
    }

    fn watch(&self) -> millpond_types::Watch<'_> {
        self.session.watch()
    }

    fn in_function(&self) -> bool {
        true
    }

    fn user_type(
        &self,
        name: &ObjectName,
        home: Option<Home>,
    ) -> SqlResult<Option<Arc<millpond_catalog::UserTypeDef>>> {
        self.session.user_type(name, home)
    }

    fn identity_insert(&self, _: &millpond_catalog::TableDef) -> bool {
        false
    }

    fn null_by_default(&self) -> bool {
        self.session.null_by_default()
    }

    fn dialect(&self) -> Dialect {
        self.session.dialect().with_ansi_nulls(self.ansi_nulls)
    }
}

/// The module of a name, with its database.
///
/// # Errors
/// 911 for an unknown database.
pub(in crate::exec) fn find_module(
    ctx: &RunContext,
    name: &ObjectName,
    home: Option<Home>,
) -> SqlResult<Option<UsedModule>> {
    SessionNames::of(ctx).module(name, home)
}

/// The scalar function that a module is, if it is one.
///
/// # Errors
/// What its declarations say.
pub(in crate::exec) fn scalar_function_of(
    ctx: &RunContext,
    found: Option<UsedModule>,
    chain: &[ObjectId],
) -> SqlResult<Option<Arc<UserFunction>>> {
    match found {
        Some((database, def)) if def.kind == ModuleKind::ScalarFunction => {
            scalar_function(ctx, database, &def, chain).map(|function| Some(Arc::new(function)))
        }
        _ => Ok(None),
    }
}

fn scalar_function(
    ctx: &RunContext,
    database: DbId,
    def: &Arc<ModuleDef>,
    chain: &[ObjectId],
) -> SqlResult<UserFunction> {
    let module = ctx.engine.read_module(def)?;
    let body = Interpreted::new(ctx, database, &module)?;
    let returns = body.returns();
    let mut uses = vec![(database, Arc::clone(def))];
    let (mut inline, mut needs) = (None, Vec::new());
    // Names in the body mean objects of the function's own database.
    let may_be_inline = !body.null_on_null && module.context.is_none() && database == ctx.facts.database;
    if !chain.contains(&def.id) && may_be_inline {
        let chain: Vec<ObjectId> = chain.iter().copied().chain([def.id]).collect();
        if let Some(form) = inline_form(ctx, &module, (database, returns), &chain) {
            inline = Some(form.expr);
            uses.extend(form.uses);
            needs = form.needs;
        }
    }
    Ok(UserFunction {
        name: format!("{}.{}", def.schema.name, def.name),
        parameters: function_parameters(ctx, &module, Home::of(database, def))?,
        returns,
        inline,
        uses,
        needs,
        body: Arc::new(body),
    })
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

/// The table-valued function that a module is, if it is one.
///
/// # Errors
/// What its declarations say.
pub(in crate::exec) fn table_function_of(
    ctx: &RunContext,
    found: Option<UsedModule>,
) -> SqlResult<Option<Arc<UserTableFunction>>> {
    let Some((database, def)) = found else { return Ok(None) };
    let module = match def.kind {
        ModuleKind::InlineFunction | ModuleKind::TableFunction => ctx.engine.read_module(&def)?,
        _ => return Ok(None),
    };
    let form = match &module.form {
        ModuleForm::Inline(query) => TableForm::Inline(Arc::clone(query)),
        ModuleForm::Table { variable, definition, .. } => {
            let (names, variables) = (SessionNames::of(ctx), Variables::default());
            let mut binder = Binder::new(&names, &variables).at_home(Home::of(database, &def));
            let def = binder.table_definition(&NewTable::temporary(variable), definition)?;
            let columns = def.columns.iter().map(|column| (column.name.clone(), column.ty)).collect();
            let function = Interpreted::new(ctx, database, &module)?;
            TableForm::Statements { columns, body: Arc::new(Filling { function, variable: variable.clone() }) }
        }
        _ => return Err(message::invalid_object(&module.name)),
    };
    Ok(Some(Arc::new(UserTableFunction {
        name: format!("{}.{}", def.schema.name, def.name),
        parameters: function_parameters(ctx, &module, Home::of(database, &def))?,
        uses: vec![(database, def)],
        form,
    })))
}

/// The function as an expression over its parameters, when it is a single RETURN of one without queries and new values
/// for every row. What does not bind is left to the statement, which says so when it runs.
fn inline_form(
    ctx: &RunContext,
    module: &ReadModule,
    (database, returns): (DbId, SqlType),
    chain: &[ObjectId],
) -> Option<InlineForm> {
    let ModuleForm::Scalar { body, .. } = &module.form else { return None };
    let expr = only_return(&body.batch.statements)?;
    if module.not_inline {
        return None;
    }
    let mut variables = Variables::default();
    for parameter in function_parameters(ctx, module, Home::of(database, &module.def)).ok()? {
        if parameter.table.is_some() {
            return None;
        }
        variables.declare(&parameter.name, parameter.sql)?;
    }
    let names = InlineNames { session: SessionNames::of(ctx), chain, ansi_nulls: module.def.ansi_nulls };
    let mut binder = Binder::new(&names, &variables).at_home(Home::of(database, &module.def));
    let bound = binder.expression(expr).ok()?;
    let bound = binder.converted(bound, returns).ok()?;
    let mut plain = !needs_plan(&bound);
    bound.visit(&mut |node| {
        plain &= !matches!(&node.kind, Kind::Function(def, _)
            if def.volatility == Volatility::Row || OF_SCOPE.contains(&def.name));
    });
    let own = (database, module.def.id);
    let needs =
        binder.take_needs().into_iter().map(|need| Need { through: need.through.or(Some(own)), ..need }).collect();
    let uses = std::mem::take(&mut binder.views);
    // Who calls the function would not hear of a change of the synonym.
    (plain && !names.session.by_synonym.get()).then_some(InlineForm { expr: bound, uses, needs })
}

/// A function as an expression, the functions that became part of it, and what these and it need the right to.
struct InlineForm {
    expr: BoundExpr,
    uses: Vec<UsedModule>,
    needs: Vec<Need>,
}

/// What these say is of the function's own scope.
const OF_SCOPE: [&str; 3] = ["SCOPE_IDENTITY", "@@PROCID", "@@NESTLEVEL"];

fn only_return(statements: &[Statement]) -> Option<&Expr> {
    let [statement] = statements else { return None };
    match &statement.kind {
        StatementKind::Block(statements) => only_return(statements),
        StatementKind::Return(value) => value.as_ref(),
        _ => None,
    }
}

/// A function's parameters with their defaults, which are constants.
pub(in crate::exec) fn function_parameters(
    ctx: &RunContext,
    module: &ReadModule,
    home: Home,
) -> SqlResult<Vec<FunctionParameter>> {
    let (names, variables) = (SessionNames::of(ctx), Variables::default());
    let one = |parameter: &millpond_engine::module::Parameter| -> SqlResult<FunctionParameter> {
        let name = parameter.name.clone();
        let sql = match declared(ctx, Some(home), &parameter.data_type)? {
            Declared::Scalar(sql) => sql,
            Declared::Table(ty) => {
                let def = module.table_parameter(&name, &ty, table_of)?;
                let table = Some(TableParameter { type_name: ty.name.clone(), def });
                return Ok(FunctionParameter { name, sql: SqlType::SYSNAME, default: None, table });
            }
        };
        let bind = |default: &Expr| {
            let mut binder = Binder::new(&names, &variables);
            let bound = binder.expression(default)?;
            binder.converted(bound, sql)
        };
        let default = parameter.default.as_ref().map(bind).transpose()?;
        Ok(FunctionParameter { name, sql, default, table: None })
    };
    module.parameters.iter().map(one).collect()
}
