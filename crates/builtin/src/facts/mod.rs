//! Functions that return facts of the session, the server and the catalog: what `trait Run` knows.

pub(crate) mod app_lock;
pub(crate) mod keys;
pub(crate) mod metadata;
pub(crate) mod of_msdb;
pub(crate) mod of_sys;
pub(crate) mod principals;
pub(crate) mod property;
pub(crate) mod session;
pub mod system_type;
pub(crate) mod table_property;
pub(crate) mod type_property;

use millpond_catalog::run::Run;
use millpond_catalog::run::metadata::NameParts;
use millpond_types::{SqlType, Value, Variant};

use crate::args::SYSNAME;

/// The form of a type of the user, and whether its columns take NULL.
fn user_type(ctx: &dyn Run, name: &NameParts) -> Option<(SqlType, bool)> {
    ctx.catalog().user_type(ctx.catalog().user_type_id(name)?)
}

/// A property that something has or has not, as the functions of properties answer: 1 or 0.
#[must_use]
pub fn flag(holds: bool) -> Value {
    Value::Int(i32::from(holds))
}

/// A property as `sql_variant`, its base type that of the value: texts are `nvarchar(128)`.
fn as_variant(ctx: &dyn Run, value: Value) -> Value {
    let base = match &value {
        Value::TinyInt(_) => SqlType::TinyInt,
        Value::Int(_) => SqlType::Int,
        Value::BigInt(_) => SqlType::BigInt,
        Value::DateTime(_) => SqlType::DateTime,
        Value::Str(_) => SYSNAME,
        _ => return value,
    };
    variant_of(ctx, base, value)
}

/// The same with its base type. Texts have the collation of the current database, so that they equal literals.
fn variant_of(ctx: &dyn Run, base: SqlType, value: Value) -> Value {
    Variant::new(base, ctx.facts().collation, value).map_or(Value::Null, Value::from)
}
