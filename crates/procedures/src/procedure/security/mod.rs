//! Procedures on logins, users, roles and permissions.
//!
//! ```text
//!   logins, users, roles, owners, links ─▶ the statement that each stands for, run by the caller (`SystemCall::then`)
//!   help, roles_help, protect, privileges ─▶ result sets
//! ```
//! What always holds: a procedure that changes something runs the statements that a user would, so what these refuse is refused
//! here, with their numbers; names in those statements are quoted.

mod application_roles;
mod contained;
mod help;
mod links;
mod logins;
mod owners;
mod privileges;
mod protect;
mod roles;
mod roles_help;
mod users;

use millpond_catalog::names_equal;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use super::named::{nvarchar, text_arg};

pub(super) use application_roles::{SP_ADDAPPROLE, SP_APPROLEPASSWORD, SP_DROPAPPROLE, SP_SETAPPROLE, SP_UNSETAPPROLE};
pub(super) use contained::SP_MIGRATE_USER_TO_CONTAINED;
pub(super) use help::{SP_HELPLOGINS, SP_HELPUSER, SP_VALIDATELOGINS};
pub(super) use links::SP_CHANGE_USERS_LOGIN;
pub(super) use logins::{
    SP_ADDLOGIN, SP_DEFAULTDB, SP_DEFAULTLANGUAGE, SP_DENYLOGIN, SP_DROPLOGIN, SP_GRANTLOGIN, SP_PASSWORD,
    SP_REVOKELOGIN,
};
pub(super) use owners::{SP_CHANGEDBOWNER, SP_CHANGEOBJECTOWNER};
pub(super) use privileges::{SP_COLUMN_PRIVILEGES, SP_TABLE_PRIVILEGES};
pub(super) use protect::SP_HELPROTECT;
pub(super) use roles::{
    SP_ADDROLE, SP_ADDROLEMEMBER, SP_ADDSRVROLEMEMBER, SP_DROPROLE, SP_DROPROLEMEMBER, SP_DROPSRVROLEMEMBER,
};
pub(super) use roles_help::{SP_HELPDBFIXEDROLE, SP_HELPROLE, SP_HELPROLEMEMBER, SP_HELPSRVROLE, SP_HELPSRVROLEMEMBER};
pub(super) use users::{SP_ADDUSER, SP_DROPUSER, SP_GRANTDBACCESS, SP_REVOKEDBACCESS};

/// A security identifier in a result.
const SID: SqlType = SqlType::VarBinary { len: millpond_types::MaxLen::Limited(85) };

/// 15002: in a transaction of the user.
fn check_no_transaction(call: &SystemCall<'_>, def: &ProcedureDef) -> SqlResult<()> {
    match call.run.facts().tran_count {
        0 => Ok(()),
        _ => Err(SqlError::of(15_002, 1, &[&format!("sys.{}", def.name)])),
    }
}

/// An argument that has to be given, but may be NULL.
///
/// # Errors
/// 201
fn given(call: &SystemCall<'_>, def: &ProcedureDef, index: usize) -> SqlResult<Option<String>> {
    let is_given = call.arg(def, index).is_some();
    if is_given {
        return Ok(text_arg(call, def, index).map(|text| text.trim_end().to_owned()));
    }
    Err(missing(def, index))
}

/// 201
fn missing(def: &ProcedureDef, index: usize) -> SqlError {
    message::missing_argument(def.name, def.params[index].0)
}

/// A name that has to be given.
///
/// # Errors
/// 201; 15004 for NULL and nothing but blanks.
fn name(call: &SystemCall<'_>, def: &ProcedureDef, index: usize) -> SqlResult<String> {
    given(call, def, index)?.filter(|name| !name.is_empty()).ok_or_else(no_name)
}

/// A name that may be left out, NULL or empty.
fn optional_name(call: &SystemCall<'_>, def: &ProcedureDef, index: usize) -> Option<String> {
    text_arg(call, def, index).map(|name| name.trim_end().to_owned()).filter(|name| !name.is_empty())
}

/// 15004
fn no_name() -> SqlError {
    SqlError::of(15_004, 1, &[])
}

/// 15006: a backslash is of names of Windows.
fn check_name(name: &str) -> SqlResult<()> {
    if name.contains('\\') { Err(SqlError::of(15_006, 1, &[&name])) } else { Ok(()) }
}

/// `nvarchar` as wide as the longest of these texts in bytes, as procedures measure their columns; `floor` without any.
fn measured<'v>(texts: impl Iterator<Item = &'v Value>, floor: u16, most: u16) -> SqlType {
    let bytes = texts.filter_map(Value::as_str).map(|text| 2 * text.encode_utf16().count()).max().unwrap_or(0);
    let width = u16::try_from(bytes).unwrap_or(most);
    nvarchar(if width == 0 { floor } else { width.min(most) })
}

/// A text, or NULL.
fn text_or_null(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::str)
}

/// A security identifier, or NULL.
fn sid_or_null(sid: Option<&[u8]>) -> Value {
    sid.map_or(Value::Null, |sid| Value::Binary(sid.into()))
}

/// Whether a name is the one that is wanted, if one is.
fn fits(name: &str, wanted: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| names_equal(name, wanted))
}

/// By these columns, each without regard to case.
fn in_order(rows: &mut [Vec<Value>], columns: &[usize]) {
    let key = |row: &Vec<Value>, column: &usize| row[*column].as_str().unwrap_or_default().to_lowercase();
    rows.sort_by_cached_key(|row| columns.iter().map(|column| key(row, column)).collect::<Vec<String>>());
}
