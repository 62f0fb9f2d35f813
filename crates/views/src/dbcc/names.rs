//! Names in the statements that DBCC commands leave to be run.

use millpond_catalog::TableDef;

/// A name in brackets.
pub(super) fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// A table's name with its database.
pub(super) fn table_name(def: &TableDef) -> String {
    format!("{}.{}.{}", bracketed(&def.database_name), bracketed(&def.schema.name), bracketed(&def.name))
}

/// A text as a literal.
pub(super) fn literal(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}
