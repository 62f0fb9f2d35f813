//! Arguments of a call against the parameters of what it calls, and tables as arguments of DBCC commands name them.

use std::sync::Arc;

use millpond_builtin as builtin;
use millpond_catalog::data_space::{self, DataSpaces};
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{CatalogObject, ObjectId, SchemaId, TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{self, DefinitionVerb, Module};
use millpond_types::{CastRules, SqlType, Value, cast};

use crate::context::RunContext;
use crate::system_call::SentTable;

/// A value as a parameter takes it.
///
/// # Errors
/// 206 for a type that never converts, 8114 for a value that does not.
pub fn convert_argument(value: &Value, from: &SqlType, to: &SqlType, rules: CastRules) -> SqlResult<Value> {
    if !value.is_null() && !millpond_types::coerce::explicit_allowed(from, to) {
        let (from, to) = (from.message_name(), to.message_name());
        return Err(SqlError::of(206, 2, &[&from, &to]));
    }
    cast::cast(value, from, to, None, rules).map_err(|cause| match *cause {
        millpond_types::EvalError::Truncation { .. } => message::of_eval(cause),
        _ => SqlError::of(8114, 5, &[&from.message_name(), &to.message_name()]),
    })
}

/// 8143
pub fn repeated_argument(parameter: &str) -> SqlError {
    SqlError::of(8143, 1, &[&parameter])
}

/// 8144
pub fn extra_argument(procedure: &str) -> SqlError {
    SqlError::of(8144, 2, &[&procedure])
}

/// 8145
pub fn foreign_argument(name: &str, procedure: &str) -> SqlError {
    SqlError::of(8145, 2, &[&name, &procedure])
}

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

/// `name;1` is the procedure itself; there are no groups of procedures under one name.
///
/// # Errors
/// That other numbers are missing.
pub fn check_procedure_number(number: Option<u32>) -> SqlResult<()> {
    match number {
        None | Some(1) => Ok(()),
        Some(_) => Err(message::missing("A numbered procedure (name;number) other than number 1")),
    }
}

/// 180 for a procedure or function with more parameters than a call has arguments.
pub fn check_parameter_count(module: &Module) -> SqlResult<()> {
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

/// Most arguments of a call.
pub const ARGUMENTS_MAX: u16 = 2100;

/// 180
pub fn too_many_parameters(statement: &str) -> SqlError {
    SqlError::of(180, 1, &[&statement, &ARGUMENTS_MAX])
}

/// A table that an argument names, or has the number of, with what holds it.
type NamedTable = (Arc<Dictionary>, Arc<TableDef>, Arc<TableTrees>);

/// The table of an argument: `'schema.table'`, a bare name, or a number, in the current database where it names no other.
///
/// # Errors
/// 2501 when there is none.
pub fn named_table(ctx: &RunContext, arg: Option<&Value>) -> SqlResult<NamedTable> {
    let unknown = |name: &str| SqlError::of(2501, 45, &[&name]);
    let databases = ctx.engine.databases();
    if let Some(id) = arg.filter(|arg| !matches!(arg, Value::Str(_))).and_then(Value::as_i64) {
        let dictionary = databases.dictionary(ctx.facts.database)?;
        let id = ObjectId(i32::try_from(id).unwrap_or(0));
        let objects = dictionary.catalog().objects();
        let found = match objects.get(id) {
            Some(CatalogObject::Module(view)) => view.rows_in(&objects),
            _ => objects.table(id),
        };
        let found = found.map(|(def, trees)| (Arc::clone(def), Arc::clone(trees)));
        let (def, trees) = found.ok_or_else(|| unknown(&id.0.to_string()))?;
        return Ok((dictionary, def, trees));
    }
    let text = arg.and_then(Value::as_str).unwrap_or_default();
    let name = builtin::object_name(text).ok_or_else(|| unknown(text))?;
    let mut parts = name.parts.iter().rev();
    let (table, schema, database) = (parts.next(), parts.next(), parts.next());
    if parts.next().is_some_and(|server| !server.is_empty() && !names_equal(server, ctx.engine.machine())) {
        return Err(unknown(text));
    }
    let db = match database.filter(|name| !name.is_empty()) {
        Some(name) => ctx.engine.database_id(name).ok_or_else(|| unknown(text))?,
        None => ctx.facts.database,
    };
    let dictionary = databases.dictionary(db)?;
    let objects = dictionary.catalog().objects();
    let schema = match schema.filter(|name| !name.is_empty()) {
        Some(name) => objects.schema(name).map(|schema| schema.id),
        None => Some(SchemaId(1)),
    };
    match schema.zip(table).and_then(|(schema, table)| objects.find(schema, table)) {
        Some(CatalogObject::Table(def, trees)) => Ok((Arc::clone(&dictionary), Arc::clone(def), Arc::clone(trees))),
        Some(CatalogObject::Module(view)) => {
            let (def, trees) = view.rows_in(&objects).ok_or_else(|| unknown(text))?;
            Ok((Arc::clone(&dictionary), Arc::clone(def), Arc::clone(trees)))
        }
        _ => Err(unknown(text)),
    }
}

/// The database of an argument: a name or a number; the current one for 0, for nothing and for an empty name.
///
/// # Errors
/// 2520 when there is none.
pub fn database_argument(ctx: &RunContext, arg: Option<&Value>) -> SqlResult<DbId> {
    let unknown = |name: &str| SqlError::of(2520, 5, &[&name]);
    match arg {
        Some(Value::Str(name)) if !name.is_empty() => {
            ctx.engine.database_id(name.as_str()).ok_or_else(|| unknown(name.as_str()))
        }
        Some(number) => match number.as_i64() {
            Some(0) | None => Ok(ctx.facts.database),
            Some(id) => {
                let found = u16::try_from(id).ok().map(DbId).filter(|id| ctx.engine.database_name(*id).is_some());
                found.ok_or_else(|| unknown(&id.to_string()))
            }
        },
        None => Ok(ctx.facts.database),
    }
}

/// The filegroup of an argument: a name or a number; PRIMARY for 0 and for nothing.
///
/// # Errors
/// 1921 when there is none.
pub fn filegroup_argument(spaces: &DataSpaces, arg: Option<&Value>) -> SqlResult<i32> {
    let unknown = |name: &str| SqlError::of(1921, 4, &[&"filegroup", &name]);
    let group = match arg {
        Some(Value::Str(name)) => Some(spaces.group_named(name).ok_or_else(|| unknown(name.as_str()))?),
        Some(number) => match number.as_i64() {
            Some(0) | None => None,
            Some(id) => {
                let found = i32::try_from(id).ok().and_then(|id| spaces.group(id));
                Some(found.ok_or_else(|| unknown(&id.to_string()))?)
            }
        },
        None => None,
    };
    Ok(group.map_or(data_space::PRIMARY, |group| group.id))
}
