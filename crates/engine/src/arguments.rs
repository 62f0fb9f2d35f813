//! Arguments of a call against the parameters of what it calls, and tables as arguments of DBCC commands name them.

use std::sync::Arc;

use millpond_builtin as builtin;
use millpond_catalog::data_space::{self, DataSpaces};
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{CatalogObject, IndexDef, ObjectId, TableDef, is_local_temporary, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{self, DefinitionVerb, Module};
use millpond_types::{CastRules, SqlType, Value, cast};

use crate::context::RunContext;
use crate::inventory::ListedTable;
use crate::rows::TableRows;
use crate::stay::wait_to_name;
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
pub type NamedTable = (Arc<Dictionary>, Arc<TableDef>, Arc<TableTrees>);

/// The table of an argument: `'schema.table'`, a bare name, or a number, in the current database where it names no other.
///
/// # Errors
/// 2501 or 2573 when there is none, 2547 for a synonym, 5239 for what else has no rows of its own.
pub fn named_table(ctx: &RunContext, arg: Option<&Value>) -> SqlResult<NamedTable> {
    table_in(ctx, ctx.facts.database, arg)
}

/// The same, in a database where the argument names no other.
///
/// # Errors
/// 2501 or 2573 when there is none, 2547 for a synonym, 5239 for what else has no rows of its own.
pub fn table_in(ctx: &RunContext, home: DbId, arg: Option<&Value>) -> SqlResult<NamedTable> {
    match arg {
        Some(number) if !matches!(number, Value::Str(_)) => {
            let dictionary = ctx.engine.databases().dictionary(home)?;
            let id = number.as_i64().unwrap_or_default();
            let object = i32::try_from(id).ok().and_then(|id| {
                let objects = dictionary.catalog().objects();
                objects.get(ObjectId(id)).cloned()
            });
            let object = object.ok_or_else(|| SqlError::of(2573, 1, &[&id]))?;
            rows_of(dictionary, &object)
        }
        _ => {
            let text = arg.and_then(Value::as_str).unwrap_or_default();
            let unknown = || SqlError::of(2501, 45, &[&text]);
            let (database, schema, name) = place_of_name(ctx, home, text).ok_or_else(unknown)?;
            let dictionary = ctx.engine.databases().dictionary(database)?;
            let objects = dictionary.catalog().objects();
            let schema = objects.schema(&schema).map(|schema| schema.id);
            let object = schema.and_then(|schema| objects.find(schema, &name).cloned()).ok_or_else(unknown)?;
            rows_of(dictionary, &object)
        }
    }
}

/// As [`named_table`], with temporary tables of the session, which are in tempdb.
///
/// # Errors
/// As there.
pub fn any_named_table(ctx: &RunContext, arg: Option<&Value>) -> SqlResult<(Arc<Dictionary>, ListedTable)> {
    if let Some(table) = temporary_named(ctx, arg) {
        return Ok((ctx.engine.databases().dictionary(DbId::TEMPDB)?, table));
    }
    let (dictionary, def, trees) = named_table(ctx, arg)?;
    let (id, name) = (def.id.0, def.name.clone());
    Ok((dictionary, ListedTable { id, name, def, rows: TableRows::Trees(trees) }))
}

/// The temporary table of the session that an argument names.
#[must_use]
pub fn temporary_named(ctx: &RunContext, arg: Option<&Value>) -> Option<ListedTable> {
    let temp = ctx.session.temp.read();
    let table = match arg? {
        Value::Str(text) => {
            let (database, _, name) = place_of_name(ctx, ctx.facts.database, text.as_str())?;
            let is_named = database == DbId::TEMPDB && is_local_temporary(&name);
            temp.find(&name, ctx.facts.nest_level).filter(|_| is_named)?
        }
        number => temp.by_id(u32::try_from(number.as_i64()?).ok()?)?,
    };
    Some(ListedTable::temporary(table)).filter(|table| table.def.name.starts_with('#'))
}

/// The index of a table that an argument names, by its name or number.
///
/// # Errors
/// 7999
pub fn index_of<'d>(def: &'d TableDef, wanted: &Value) -> SqlResult<&'d IndexDef> {
    let is_it = |index: &&IndexDef| match wanted.as_str() {
        Some(name) => names_equal(&index.name, name),
        None => Some(i64::from(index.id)) == wanted.as_i64(),
    };
    def.indexes.iter().find(is_it).ok_or_else(|| no_index(wanted, def))
}

/// 7999: an index that a table has not, by its name or number.
#[must_use]
pub fn no_index(wanted: &Value, def: &TableDef) -> SqlError {
    let written = match wanted.as_str() {
        Some(name) => name.to_owned(),
        None => wanted.as_i64().unwrap_or_default().to_string(),
    };
    SqlError::of(7999, 8, &[&written, &def.name])
}

/// The database, the schema and the last part of a name; none of a name with too many parts, of another server's or of a database
/// that is not there.
#[must_use]
pub fn place_of_name(ctx: &RunContext, home: DbId, text: &str) -> Option<(DbId, String, String)> {
    let name = builtin::object_name(text)?;
    let mut parts = name.parts.iter().rev().map(String::as_str);
    let last = parts.next()?;
    let schema = parts.next().filter(|name| !name.is_empty()).unwrap_or("dbo");
    let database = match parts.next().filter(|name| !name.is_empty()) {
        Some(database) => ctx.engine.database_id(database)?,
        None => home,
    };
    match parts.next() {
        Some(server) if !server.is_empty() && !names_equal(server, ctx.engine.machine()) => None,
        _ => Some((database, schema.to_owned(), last.to_owned())),
    }
}

/// The table that an object is, or has its rows in.
///
/// # Errors
/// 2547 for a synonym, 5239 for what else has no rows of its own.
pub fn rows_of(dictionary: Arc<Dictionary>, object: &CatalogObject) -> SqlResult<NamedTable> {
    let objects = dictionary.catalog().objects();
    let found = match object {
        CatalogObject::Table(def, trees) => Some((def, trees)),
        CatalogObject::Module(view) => view.rows_in(&objects),
        CatalogObject::Synonym(_) => return Err(SqlError::of(2547, 1, &[&object.id().0, &object.name()])),
        CatalogObject::Sequence(_) => None,
    };
    let (def, trees) = found.ok_or_else(|| SqlError::of(5239, 1, &[&object.id().0, &object.name()]))?;
    Ok((Arc::clone(&dictionary), Arc::clone(def), Arc::clone(trees)))
}

/// The database of an argument: a name or a number; the current one for 0, for nothing and for an empty name.
///
/// # Errors
/// 2520 or 2521 when there is none, 2560 for what is neither.
pub fn database_argument(ctx: &RunContext, arg: Option<&Value>) -> SqlResult<DbId> {
    let db = match arg {
        None => ctx.facts.database,
        Some(Value::Str(name)) if name.as_str().is_empty() => ctx.facts.database,
        Some(Value::Str(name)) => {
            ctx.engine.database_id(name.as_str()).ok_or_else(|| SqlError::of(2520, 5, &[&name.as_str()]))?
        }
        Some(number) => match number.as_i64() {
            Some(0) => ctx.facts.database,
            Some(id) if id > 0 => {
                let found = u16::try_from(id).ok().map(DbId).filter(|id| ctx.engine.database_name(*id).is_some());
                found.ok_or_else(|| SqlError::of(2521, 10, &[&id]))?
            }
            _ => return Err(SqlError::of(2560, 9, &[&1])),
        },
    };
    wait_to_name(ctx, db)?;
    Ok(db)
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
