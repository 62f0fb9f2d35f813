//! What a module gives, without running it: the columns of views and table-valued functions, the types of parameters.

use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_tsql::ast::{Ident, Query};
use millpond_types::SqlType;

use super::names::SessionNames;
use crate::bind::{Binder, Home, NewTable, Variables, declared_type};
use crate::catalog::ModuleDef;
use crate::context::RunContext;
use crate::error::SqlResult;
use crate::expr::ExprType;
use crate::module::{ModuleForm, Parameter};

/// Names and types of the columns of a view or table-valued function; none for other modules. `database` is where it
/// is.
///
/// # Errors
/// What of its text does not bind any more.
pub(crate) fn module_columns(
    ctx: &RunContext,
    database: DbId,
    def: &Arc<ModuleDef>,
) -> SqlResult<Vec<(String, ExprType)>> {
    let module = ctx.engine.read_module(def)?;
    let home = Home::of(database, def);
    match &module.form {
        ModuleForm::View { columns, query, .. } => query_columns((ctx, home), query, columns, &[]),
        ModuleForm::Inline(query) => query_columns((ctx, home), query, &[], &module.parameters),
        ModuleForm::Table { variable, definition, .. } => {
            let (names, variables) = (SessionNames::of(ctx), Variables::default());
            let mut binder = Binder::new(&names, &variables).at_home(home);
            let def = binder.table_definition(&NewTable::temporary(variable), definition)?;
            Ok(def.columns.into_iter().map(|column| (column.name, column.ty)).collect())
        }
        _ => Ok(Vec::new()),
    }
}

fn query_columns(
    (ctx, home): (&RunContext, Home),
    query: &Query,
    given: &[Ident],
    parameters: &[Parameter],
) -> SqlResult<Vec<(String, ExprType)>> {
    let mut variables = Variables::default();
    for parameter in parameters {
        let _ = variables.declare(&parameter.name, declared_type(&parameter.data_type)?);
    }
    let names = SessionNames::of(ctx);
    let bound = Binder::new(&names, &variables).at_home(home).query(query)?;
    let types = bound.rel.types();
    let shown = bound.names.into_iter().enumerate();
    let shown = shown.map(|(index, name)| given.get(index).map_or(name, |given| given.to_string()));
    Ok(shown.zip(types).collect())
}

/// Whether a view was made WITH CHECK OPTION.
pub(crate) fn view_checks(ctx: &RunContext, def: &Arc<ModuleDef>) -> bool {
    let module = ctx.engine.read_module(def);
    module.is_ok_and(|module| matches!(module.form, ModuleForm::View { check_option: true, .. }))
}

/// A parameter as views show it.
#[derive(Clone, Debug)]
pub(crate) struct ShownParameter {
    /// With its `@`; empty for a function's result.
    pub name: String,
    /// Type; `None` for a table type and for one that is not there any more.
    pub sql: Option<SqlType>,
    /// OUTPUT
    pub output: bool,
    /// READONLY
    pub readonly: bool,
}

/// The parameters of a module in order; a scalar function's result comes first, without a name.
///
/// # Errors
/// What of its text cannot be read any more.
pub(crate) fn module_parameters(ctx: &RunContext, def: &Arc<ModuleDef>) -> SqlResult<Vec<ShownParameter>> {
    let module = ctx.engine.read_module(def)?;
    let mut shown = Vec::new();
    if let ModuleForm::Scalar { returns, .. } = &module.form {
        let sql = declared_type(returns).ok();
        shown.push(ShownParameter { name: String::new(), sql, output: true, readonly: false });
    }
    shown.extend(module.parameters.iter().map(|parameter| ShownParameter {
        name: parameter.name.clone(),
        sql: declared_type(&parameter.data_type).ok(),
        output: parameter.output,
        readonly: parameter.readonly,
    }));
    Ok(shown)
}
