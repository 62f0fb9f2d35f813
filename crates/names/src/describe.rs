//! What a module gives, without running it: the columns of views and table-valued functions, the types of parameters.

use std::sync::Arc;

use millpond_bind::{Binder, Given, Home, NewTable, Variables, declared_type};
use millpond_catalog::expr::ExprType;
use millpond_catalog::{DatabaseObjects, ModuleDef, ObjectId, SchemaId, UserTypeDef, UserTypeForm};
use millpond_engine::context::RunContext;
use millpond_engine::module::{ModuleForm, Parameter};
use millpond_engine::settled::part;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{DataType, Query};
use millpond_types::SqlType;

use crate::session_names::SessionNames;

/// Names and types of the columns of a view or table-valued function; none for other modules. `database` is where it
/// is.
///
/// # Errors
/// What of its text does not bind any more.
pub fn module_columns(ctx: &RunContext, database: DbId, def: &Arc<ModuleDef>) -> SqlResult<Vec<(String, ExprType)>> {
    let module = ctx.engine.read_module(def)?;
    let home = Home::of(database, def);
    match &module.form {
        ModuleForm::View { columns, query, .. } => {
            query_columns((ctx, home), query, Given::of_module(def, columns), &[])
        }
        ModuleForm::Inline(query) => query_columns((ctx, home), query, Given::of_module(def, &[]), &module.parameters),
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
    given: Given<'_>,
    parameters: &[Parameter],
) -> SqlResult<Vec<(String, ExprType)>> {
    let mut variables = Variables::default();
    for parameter in parameters {
        let _ = variables.declare(&parameter.name, declared_type(&parameter.data_type)?);
    }
    let names = SessionNames::of(ctx);
    let bound = Binder::new(&names, &variables).at_home(home).query(query)?;
    let types = bound.rel.types();
    let shown = given.names(bound.names, "")?;
    Ok(shown.into_iter().zip(types).collect())
}

/// The columns that a view's own text names, by object and number; of objects of its database alone, and none of a view that does not
/// bind any more.
///
/// # Errors
/// 1222, 1205, a cancellation: what it reads is being altered.
pub fn columns_named(ctx: &RunContext, database: DbId, def: &Arc<ModuleDef>) -> SqlResult<Vec<(ObjectId, i32)>> {
    let module = ctx.engine.read_module(def)?;
    let ModuleForm::View { query, .. } = &module.form else { return Ok(Vec::new()) };
    let (names, variables) = (SessionNames::of(ctx), Variables::default());
    let mut binder = Binder::new(&names, &variables).at_home(Home::of(database, def));
    match binder.query(query) {
        Err(error) if message::is_transient(&error) => return Err(error),
        Err(_) => return Ok(Vec::new()),
        Ok(_) => {}
    }
    let own = binder.take_needs().into_iter().filter(|need| need.database == database && need.through.is_none());
    Ok(own.flat_map(|need| need.columns.into_iter().map(move |column| (need.object, column))).collect())
}

/// Whether a view was made WITH CHECK OPTION.
pub fn view_checks(ctx: &RunContext, def: &Arc<ModuleDef>) -> bool {
    let module = ctx.engine.read_module(def);
    module.is_ok_and(|module| matches!(module.form, ModuleForm::View { check_option: true, .. }))
}

/// `sys.types.user_type_id` of `sysname`.
const SYSNAME_ID: i32 = 256;

/// A parameter as views show it.
#[derive(Clone, Debug)]
pub struct ShownParameter {
    /// With its `@`; empty for a function's result.
    pub name: String,
    /// Type; `None` for a table type and for one that is not there any more.
    pub sql: Option<SqlType>,
    /// The number of a type that has one of its own: a user's, and sysname.
    pub user_type_id: Option<i32>,
    /// OUTPUT
    pub output: bool,
    /// READONLY
    pub readonly: bool,
}

/// The parameters of a module in order; a scalar function's result comes first, without a name.
///
/// # Errors
/// What of its text cannot be read any more.
pub fn module_parameters(ctx: &RunContext, database: DbId, def: &Arc<ModuleDef>) -> SqlResult<Vec<ShownParameter>> {
    let module = ctx.engine.read_module(def)?;
    let dictionary = ctx.engine.databases().dictionary(database)?;
    let objects = dictionary.catalog().objects();
    let mut shown = Vec::new();
    if let ModuleForm::Scalar { returns, .. } = &module.form {
        let (sql, user_type_id) = shown_type(&objects, def, returns);
        shown.push(ShownParameter { name: String::new(), sql, user_type_id, output: true, readonly: false });
    }
    shown.extend(module.parameters.iter().map(|parameter| {
        let (sql, user_type_id) = shown_type(&objects, def, &parameter.data_type);
        let name = parameter.name.clone();
        ShownParameter { name, sql, user_type_id, output: parameter.output, readonly: parameter.readonly }
    }));
    Ok(shown)
}

/// The scalar type that a parameter is declared with, and the number of a type that has one of its own.
fn shown_type(objects: &DatabaseObjects, def: &ModuleDef, data_type: &DataType) -> (Option<SqlType>, Option<i32>) {
    let user_type = match data_type {
        DataType::Named(name) => {
            let last = name.parts.last().map_or("", String::as_str);
            match part(name, 1) {
                Some(schema) => objects.schema(schema).and_then(|schema| objects.user_type(schema.id, last)),
                None => objects.user_type(def.schema.id, last).or_else(|| objects.user_type(SchemaId::DBO, last)),
            }
        }
        _ => None,
    };
    match user_type.map(|ty| &**ty) {
        Some(UserTypeDef { id, form: UserTypeForm::Alias { sql, .. }, .. }) => (Some(*sql), Some(*id)),
        Some(UserTypeDef { id, form: UserTypeForm::Table { .. }, .. }) => (None, Some(*id)),
        None => (declared_type(data_type).ok(), (*data_type == DataType::SysName).then_some(SYSNAME_ID)),
    }
}
