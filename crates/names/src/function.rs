//! Functions of the user as expressions and relations name them: found by name, and made part of an expression where one is a
//! single RETURN. Who runs the statements of others is handed in by the engine's registry.
//!
//! What always holds:
//! - I1: a function becomes part of its caller alone where it reads nothing, runs as its caller and stands in the caller's database.
//! - I2: none becomes part of itself, however many others lie between.

use std::sync::Arc;

use millpond_bind::{Binder, Home, KeptRows, Named, Names, Need, NewTable, Variables};
use millpond_builtin::eval::needs_plan;
use millpond_builtin::{TableFunctionDef, Volatility};
use millpond_catalog::data_space::PartitionFunction;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::{BoundExpr, FunctionParameter, Kind, TableParameter, UserFunction};
use millpond_catalog::rel::{TableForm, UserTableFunction};
use millpond_catalog::{ModuleDef, ModuleKind, ObjectId, UsedModule};
use millpond_engine::context::RunContext;
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{Expr, ObjectName, Statement, StatementKind};
use millpond_types::SqlType;
use millpond_types::collation::Collation;

use crate::declared::{Declared, declared, table_of};
use crate::session_names::SessionNames;

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

    fn collation_of(&self, database: DbId) -> Collation {
        self.session.collation_of(database)
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
pub fn find_module(ctx: &RunContext, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<UsedModule>> {
    SessionNames::of(ctx).module(name, home)
}

/// The scalar function that a module is, if it is one.
///
/// # Errors
/// What its declarations say.
pub fn scalar_function_of(
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
    let ModuleForm::Scalar { null_on_null, .. } = module.form else {
        return Err(message::invalid_object(&module.name));
    };
    let (returns, body) = (ctx.engine.registry().scalar_body)(ctx, database, def)?;
    let mut uses = vec![(database, Arc::clone(def))];
    let (mut inline, mut needs) = (None, Vec::new());
    // Names in the body mean objects of the function's own database.
    let may_be_inline = !null_on_null && module.context.is_none() && database == ctx.facts.database;
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
        body,
    })
}

/// The table-valued function that a module is, if it is one.
///
/// # Errors
/// What its declarations say.
pub fn table_function_of(ctx: &RunContext, found: Option<UsedModule>) -> SqlResult<Option<Arc<UserTableFunction>>> {
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
            let table = binder.table_definition(&NewTable::temporary(variable), definition)?;
            let columns = table.columns.iter().map(|column| (column.name.clone(), column.ty)).collect();
            TableForm::Statements { columns, body: (ctx.engine.registry().table_body)(ctx, database, &def)? }
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
    (plain && !names.session.by_stand_in.get()).then_some(InlineForm { expr: bound, uses, needs })
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
pub fn function_parameters(ctx: &RunContext, module: &ReadModule, home: Home) -> SqlResult<Vec<FunctionParameter>> {
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
