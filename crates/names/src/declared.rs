//! What a declaration says: a scalar type, an alias of one, or a table's type; and the tables that READONLY parameters are given.

use std::sync::Arc;

use millpond_bind::{Home, Names, declared_type};
use millpond_catalog::{ObjectId, TableDef, TableName, UserTypeDef, UserTypeForm};
use millpond_engine::context::RunContext;
use millpond_engine::settled::trigger_table;
use millpond_engine::system_call::{CallArg, SentTable};
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{DataType, ObjectName};
use millpond_types::SqlType;

use crate::session_names::SessionNames;

/// A declared type with the user's types resolved.
pub enum Declared {
    /// A scalar type.
    Scalar(SqlType),
    /// A table type.
    Table(Arc<UserTypeDef>),
}

/// What a declaration says; `home` is of the module that it stands in, if that is not the one that runs.
///
/// # Errors
/// 2715 for a name that is no type.
pub fn declared(ctx: &RunContext, home: Option<Home>, data_type: &DataType) -> SqlResult<Declared> {
    // `char` and `varchar` are in the code page of the database.
    let database = home.map_or(ctx.facts.database, |home| home.database);
    let page = ctx.engine.databases().collation_beside(&ctx.facts, database).page();
    if let DataType::Named(name) = data_type
        && let Some(def) = SessionNames::of(ctx).user_type(name, home)?
    {
        return Ok(match &def.form {
            UserTypeForm::Alias { sql, .. } => Declared::Scalar(sql.in_page(page)),
            UserTypeForm::Table { .. } => Declared::Table(def),
        });
    }
    declared_type(data_type).map(|sql| Declared::Scalar(sql.in_page(page)))
}

/// The scalar type of a declaration; none for a table's.
///
/// # Errors
/// 2715 for a name that is no type.
pub fn declared_scalar(ctx: &RunContext, home: Option<Home>, data_type: &DataType) -> SqlResult<Option<SqlType>> {
    Ok(match declared(ctx, home, data_type)? {
        Declared::Scalar(sql) => Some(sql),
        Declared::Table(_) => None,
    })
}

/// The table of a type under a variable's name.
pub fn table_of(ty: &UserTypeDef, name: &str) -> SqlResult<Arc<TableDef>> {
    let UserTypeForm::Table { def, .. } = &ty.form else { return Err(message::undeclared_table_variable(name)) };
    let (columns, checks, indexes) = (def.columns.clone(), def.checks.clone(), def.indexes.clone());
    let name = TableName::temporary(name);
    let table = TableDef::assemble(ObjectId(0), name, columns, checks, Vec::new(), indexes);
    Ok(Arc::new(TableDef { in_memory: def.in_memory, ..table }))
}

/// A READONLY parameter with its argument.
#[derive(Clone)]
pub struct TableArgument {
    /// Under the parameter's name.
    pub def: Arc<TableDef>,
    /// Where its rows are.
    pub rows: ArgumentRows,
}

/// Where the rows of a READONLY parameter are.
#[derive(Clone)]
pub enum ArgumentRows {
    /// The caller's variable.
    Variable(TempTable),
    /// They come from the client.
    Sent(SentTable),
    /// Nothing was given: there are none.
    None,
}

/// The argument of a table parameter.
///
/// # Errors
/// 206 for another type, 500 for other columns than the type's.
pub fn table_argument(ty: &UserTypeDef, def: Arc<TableDef>, given: Option<&CallArg>) -> SqlResult<TableArgument> {
    let clash = |from: &str| SqlError::of(206, 2, &[&from, &ty.name]);
    let rows = match given {
        None => ArgumentRows::None,
        Some(CallArg { sent: Some(sent), .. }) => {
            check_columns(sent, &def)?;
            ArgumentRows::Sent(sent.clone())
        }
        Some(CallArg { table: Some(rows), .. }) => {
            let same = rows.def.columns.len() == def.columns.len()
                && rows.def.columns.iter().zip(&def.columns).all(|(one, other)| one.ty.sql == other.ty.sql);
            if !same {
                return Err(clash("table"));
            }
            ArgumentRows::Variable(rows.clone())
        }
        Some(CallArg { value: None, .. }) => ArgumentRows::None,
        Some(given) => return Err(clash(given.sql.name())),
    };
    Ok(TableArgument { def, rows })
}

/// 500, 1077
fn check_columns(sent: &SentTable, def: &TableDef) -> SqlResult<()> {
    let (given, wanted) = (sent.columns.len(), def.columns.len());
    if given != 0 && given != wanted {
        return Err(SqlError::of(500, 1, &[&given, &wanted]));
    }
    let identity = def.identity_column().and_then(|column| sent.columns.get(column));
    match identity {
        Some(Some(_)) => Err(SqlError::of(1077, 1, &[])),
        _ => Ok(()),
    }
}

/// 10700 for a change of a READONLY parameter.
pub fn check_writable(ctx: &RunContext, table: &ObjectName) -> SqlResult<()> {
    let [name] = &table.parts[..] else { return Ok(()) };
    // Asked before each change: most names begin like none of the three.
    if !matches!(name.as_bytes().first(), Some(b'@' | b'i' | b'I' | b'd' | b'D')) {
        return Ok(());
    }
    if trigger_table(&ctx.facts, name).is_some() {
        return Err(SqlError::of(286, 1, &[]));
    }
    if !name.starts_with('@') {
        return Ok(());
    }
    match ctx.session.temp.read().find(name, ctx.facts.nest_level) {
        Some(table) if table.is_read_only => Err(message::read_only_parameter(name)),
        _ => Ok(()),
    }
}
