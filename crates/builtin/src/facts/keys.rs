//! Functions over certificates and keys. No database has any (CREATE CERTIFICATE and its kin are refused), so they answer as SQL
//! Server does of a name or number that is none: with NULL. XML_SCHEMA_NAMESPACE, whose collections no database has either, with 6314.
//!
//! Knows their types alone; the arguments are looked at no further than their count.

use millpond_catalog::run::Run;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{MaxLen, SqlType, Value};

use crate::args::{SYSNAME, nullable, nvarchar};
use crate::define::{Bind, fixed, per_row};
use crate::{FunctionDef, Signature};

const BYTES: SqlType = SqlType::VarBinary { len: MaxLen::Limited(8000) };

/// Arguments as they are, but for their bound.
fn any(types: &[Option<SqlType>], result: SqlType) -> SqlResult<Signature> {
    let bounded = |sql: SqlType| match sql.max_len() {
        Some(MaxLen::Max) if sql.is_binary() => BYTES,
        Some(MaxLen::Max) => nvarchar(4000),
        _ => sql,
    };
    nullable(types.iter().map(|ty| ty.map_or(SqlType::Int, bounded)).collect(), result)
}

const INT: Bind = |types| any(types, SqlType::Int);
const ENCRYPTED: Bind = |types| any(types, BYTES);
const LONG: Bind = |types| any(types, SqlType::VarBinary { len: MaxLen::Max });
const PROPERTY: Bind = |types| any(types, SqlType::Variant);

const COLLECTION: Bind = |types| {
    let names = [SYSNAME, SYSNAME, nvarchar(4000)];
    nullable(names[..types.len()].to_vec(), SqlType::Xml)
};

/// What `XML_SCHEMA_NAMESPACE` says of a collection: the one of sys, which every database lists, has no text here.
fn no_collection(_: &dyn Run, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    match (args[0].as_str(), args[1].as_str()) {
        (Some(schema), Some(name)) if schema.eq_ignore_ascii_case("sys") && name.eq_ignore_ascii_case("sys") => {
            Err(message::missing("XML_SCHEMA_NAMESPACE"))
        }
        (Some(_), Some(name)) => Err(SqlError::of(6314, 1, &[&name])),
        _ => Ok(Value::Null),
    }
}

const fn absent(name: &'static str, args: (usize, usize), bind: Bind) -> FunctionDef {
    fixed(name, args, bind, |_, _, _, _| Ok(Value::Null))
}

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    absent("ASYMKEY_ID", (1, 1), INT),
    absent("ASYMKEYPROPERTY", (2, 2), PROPERTY),
    absent("CERT_ID", (1, 1), INT),
    absent("CERTENCODED", (1, 1), LONG),
    absent("CERTPRIVATEKEY", (2, 3), LONG),
    absent("CERTPROPERTY", (2, 2), PROPERTY),
    absent("DECRYPTBYASYMKEY", (2, 3), ENCRYPTED),
    absent("DECRYPTBYCERT", (2, 3), ENCRYPTED),
    absent("DECRYPTBYKEY", (1, 3), ENCRYPTED),
    absent("DECRYPTBYKEYAUTOASYMKEY", (3, 5), ENCRYPTED),
    absent("DECRYPTBYKEYAUTOCERT", (3, 5), ENCRYPTED),
    absent("ENCRYPTBYASYMKEY", (2, 2), ENCRYPTED),
    absent("ENCRYPTBYCERT", (2, 2), ENCRYPTED),
    absent("ENCRYPTBYKEY", (2, 4), ENCRYPTED),
    absent("IS_OBJECTSIGNED", (4, 4), INT),
    absent("KEY_GUID", (1, 1), |types| any(types, SqlType::UniqueIdentifier)),
    absent("KEY_ID", (1, 1), INT),
    absent("KEY_NAME", (1, 1), |types| any(types, SYSNAME)),
    absent("SIGNBYASYMKEY", (2, 3), ENCRYPTED),
    absent("SIGNBYCERT", (2, 3), ENCRYPTED),
    absent("SYMKEYPROPERTY", (2, 2), PROPERTY),
    absent("VERIFYSIGNEDBYASYMKEY", (3, 3), INT),
    absent("VERIFYSIGNEDBYCERT", (3, 3), INT),
    per_row("XML_SCHEMA_NAMESPACE", (2, 3), COLLECTION, no_collection),
];
