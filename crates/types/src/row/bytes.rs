//! The stored bytes of one value, and the value of stored bytes.
//!
//! The same bytes lie in a record, in a large value outside it, and inside a `sql_variant`. Knows no columns.

use crate::row::{RowError, scalar, variant};
use crate::sql_type::SqlType;
use crate::text;
use crate::value::Value;

/// Appends the stored bytes of a value that is not NULL; a `bit` takes a byte of its own.
///
/// A value that is not of the type or too long, and NULL, is [`RowError::WrongValue`] of column 0.
pub fn value_to_bytes(sql_type: &SqlType, value: &Value, out: &mut Vec<u8>) -> Result<(), RowError> {
    let wrong = RowError::WrongValue { column: 0 };
    if value.is_null() {
        return Err(wrong);
    }
    let start = out.len();
    let is_variable = sql_type.is_variable_length();
    let len = match sql_type.max_bytes() {
        Some(bytes) if !is_variable => bytes as usize,
        _ => variable_len(value, sql_type),
    };
    out.resize(start + len, 0);
    let put = if is_variable { put_variable } else { scalar::put_fixed };
    if put(value, sql_type, &mut out[start..]).is_none() {
        out.truncate(start);
        return Err(wrong);
    }
    Ok(())
}

/// The value of stored bytes. Bytes that no value of the type has are [`RowError::Damaged`].
pub fn value_from_bytes(sql_type: &SqlType, bytes: &[u8]) -> Result<Value, RowError> {
    match sql_type {
        SqlType::Variant => variant::read(bytes).map(Value::from),
        _ => scalar::read_checked(bytes, sql_type),
    }
}

/// Bytes that a value takes in a variable column; NULL and values of other types take none.
pub(super) fn variable_len(value: &Value, sql_type: &SqlType) -> usize {
    match value {
        Value::Str(text) if sql_type.is_unicode() || *sql_type == SqlType::Xml => 2 * text::utf16_len(text),
        Value::Str(text) => text::declared_len(text, sql_type),
        Value::Binary(bytes) => bytes.len(),
        Value::Variant(variant) => variant.total_bytes(),
        _ => 0,
    }
}

/// Writes a value of a variable type into exactly its bytes; `None` when it is not of the type or longer than declared.
pub(super) fn put_variable(value: &Value, sql_type: &SqlType, slot: &mut [u8]) -> Option<()> {
    match (value, sql_type) {
        (Value::Variant(held), SqlType::Variant) => variant::put(held, slot),
        (Value::Null, SqlType::Variant) => Some(()),
        _ => scalar::put_variable(value, sql_type, slot),
    }
}

/// Reads a value of any type from exactly its bytes.
#[inline]
pub(super) fn read_value(bytes: &[u8], sql_type: &SqlType) -> Result<Value, RowError> {
    match sql_type {
        SqlType::Variant => variant::read(bytes).map(Value::from),
        _ => scalar::read_value(bytes, sql_type),
    }
}
