//! What procedures about objects share: arguments as texts, an object by the name given, patterns of names, columns of
//! results.

use millpond_catalog::names_equal;
use millpond_catalog::run::Run;
use millpond_catalog::run::metadata::NameParts;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{Collation, MaxLen, SqlType, Value};

pub(super) const SYSNAME: SqlType = nvarchar(128);
pub(super) const SMALLINT: SqlType = SqlType::SmallInt;
pub(super) const INT: SqlType = SqlType::Int;

pub(super) const fn nvarchar(units: u16) -> SqlType {
    SqlType::NVarChar { len: MaxLen::Limited(units) }
}

pub(super) const fn varchar(bytes: u16) -> SqlType {
    SqlType::varchar(bytes)
}

/// A small number, or NULL.
pub(super) fn small(number: Option<i16>) -> Value {
    number.map_or(Value::Null, Value::SmallInt)
}

/// Text, or NULL.
pub(super) fn maybe(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::str)
}

/// A text argument; `None` when it was left out or NULL.
pub(super) fn text_arg(call: &SystemCall<'_>, def: &ProcedureDef, index: usize) -> Option<String> {
    match call.arg(def, index) {
        Some(Value::Str(text)) => Some(text.to_string()),
        _ => None,
    }
}

/// Whether a name is of a pattern of LIKE; no pattern is every name's.
pub(super) fn fits(name: &str, pattern: Option<&str>) -> bool {
    pattern.is_none_or(|pattern| {
        names_equal(name, pattern) || millpond_types::collation::like(name, pattern, None, Collation::default())
    })
}

/// 15250
pub(super) fn foreign_qualifier() -> SqlError {
    SqlError::of(15250, 1, &[])
}

/// The number of an object of the current database by the name given.
///
/// # Errors
/// 15250 for another database's, 15009 when there is none.
pub(super) fn object(call: &SystemCall<'_>, name: &str) -> SqlResult<i32> {
    let database = &call.ctx().facts.database_name;
    let missing = || SqlError::of(15009, 1, &[&name, &database]);
    let parts = millpond_builtin::object_name(name).ok_or_else(missing)?.parts;
    let mut parts = parts.into_iter().rev();
    let object = parts.next().ok_or_else(missing)?;
    let mut part = || parts.next().filter(|part| !part.is_empty());
    let (schema, of_database, server) = (part(), part(), part());
    let is_temporary = object.starts_with('#');
    if of_database.as_ref().is_some_and(|other| !names_equal(other, database)) && !is_temporary {
        return Err(foreign_qualifier());
    }
    let parts = NameParts { server, database: of_database, schema, object };
    call.ctx().catalog().object_id(&parts, None).ok_or_else(missing)
}
