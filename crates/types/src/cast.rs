//! Conversions.

use crate::error::EvalError;
use crate::sql_type::SqlType;
use crate::value::Value;

/// CAST and CONVERT, and assignment to a variable: a text too long is cut, `char(n)` is padded.
pub fn cast(
    _value: &Value,
    _from: &SqlType,
    _to: &SqlType,
    _style: Option<i32>,
) -> Result<Value, EvalError> {
    todo!()
}
/// Assignment to a column: a text or binary value too long is an error unless only blanks (zero bytes) are cut.
/// `char(n)` is not padded here; the row's encoding does that.
pub fn store(_value: &Value, _from: &SqlType, _to: &SqlType) -> Result<Value, EvalError> {
    todo!()
}
