//! Values as sqlcmd prints them.

use crate::sql_type::SqlType;
use crate::value::Value;

/// The value as sqlcmd prints it; NULL is `NULL`.
#[must_use]
pub fn to_display(_value: &Value, _of: &SqlType) -> String {
    todo!()
}
