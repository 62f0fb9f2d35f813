//! Tables as arguments of DBCC commands name them.

use std::sync::Arc;

use millpond_builtin as builtin;
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{CatalogObject, ObjectId, SchemaId, TableDef, names_equal};
use millpond_engine::context::RunContext;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::Value;

/// A table that an argument names, or has the number of, with what holds it.
type Named = (Arc<Dictionary>, Arc<TableDef>, Arc<TableTrees>);

/// The table of an argument: `'schema.table'`, a bare name, or a number, in the current database where it names no other.
///
/// # Errors
/// 2501 when there is none.
pub fn named_table(ctx: &RunContext, arg: Option<&Value>) -> SqlResult<Named> {
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
