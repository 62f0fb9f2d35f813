//! A field's text as a value of its column: CAST, with the message of a bulk load where that fails.
//!
//! What always holds: a value is of its column's type and fits it. A `binary` column's text is hexadecimal digits.

use millpond_catalog::ColumnDef;
use millpond_types::{CastRules, EvalError, MaxLen, SqlType, Value, cast, text};

use crate::bulk_file::fields::{Encoding, Field};

/// Bytes that a field may have whose column is bounded; beyond them its terminator has been missed.
const BOUNDED_BYTES_MAX: usize = u16::MAX as usize;
/// Digits that fit an `i64` for sure.
const SAFE_DIGITS: usize = 18;
/// The longest text in `sql_variant`.
const VARIANT_TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Limited(4000) };
const ANY_TEXT: SqlType = SqlType::VARCHAR_MAX;
const ANY_WIDE_TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Max };
const ANY_BINARY: SqlType = SqlType::VarBinary { len: MaxLen::Max };
/// CONVERT's styles of hexadecimal digits with 0x and without.
const STYLE_PREFIXED: i32 = 1;
const STYLE_DIGITS: i32 = 2;

/// Why a field is no value of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// It is too long.
    Truncation,
    /// It is another type's, or no text of the code page.
    Type,
    /// It is a number beyond the type's.
    Overflow,
}

/// How many bytes a field of this column may have.
pub fn limit_bytes(column: &ColumnDef) -> usize {
    let is_large = column.ty.sql.max_len() == Some(MaxLen::Max) || column.ty.sql == SqlType::Xml;
    if is_large { i32::MAX as usize } else { BOUNDED_BYTES_MAX }
}

/// The value of a field that is not empty, or is an empty text.
pub fn value_of(field: Field<'_>, encoding: Encoding, to: &SqlType, rules: CastRules) -> Result<Value, Mismatch> {
    if let Some(value) = small_integer(field.bytes, to) {
        return Ok(value);
    }
    // What an export writes for a text without characters.
    let bytes = if field.bytes == [0] { &[] } else { field.bytes };
    let is_ascii = bytes.is_ascii();
    let text = match encoding {
        Encoding::Cp1252 if !is_ascii => text::decode_cp1252(bytes),
        _ => std::str::from_utf8(bytes).map_err(|_| Mismatch::Type)?.into(),
    };
    let is_narrow = is_ascii || encoding == Encoding::Cp1252;
    let from = if is_narrow { ANY_TEXT } else { ANY_WIDE_TEXT };
    if to.is_binary() {
        let style = if bytes.starts_with(b"0x") || bytes.starts_with(b"0X") { STYLE_PREFIXED } else { STYLE_DIGITS };
        let value =
            cast::cast(&Value::from(text), &from, &ANY_BINARY, Some(style), rules).map_err(|error| kind(&error))?;
        return cast::store(&value, &ANY_BINARY, to, rules).map_err(|error| kind(&error));
    }
    if *to == SqlType::Variant {
        let held = cast::store(&Value::from(text), &from, &VARIANT_TEXT, rules).map_err(|error| kind(&error))?;
        return cast::store(&held, &VARIANT_TEXT, to, rules).map_err(|error| kind(&error));
    }
    cast::store(&Value::from(text), &from, to, rules).map_err(|error| kind(&error))
}

/// Hot: digits and perhaps a minus.
fn small_integer(bytes: &[u8], to: &SqlType) -> Option<Value> {
    if !matches!(to, SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt) {
        return None;
    }
    let (is_negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > SAFE_DIGITS {
        return None;
    }
    let mut number = 0i64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
    }
    let number = if is_negative { -number } else { number };
    match to {
        SqlType::TinyInt => u8::try_from(number).ok().map(Value::TinyInt),
        SqlType::SmallInt => i16::try_from(number).ok().map(Value::SmallInt),
        SqlType::Int => i32::try_from(number).ok().map(Value::Int),
        _ => Some(Value::BigInt(number)),
    }
}

fn kind(error: &EvalError) -> Mismatch {
    match error {
        EvalError::Truncation { .. } => Mismatch::Truncation,
        EvalError::ValueOverflow { .. }
        | EvalError::FloatOverflow { .. }
        | EvalError::MoneyOverflow { .. }
        | EvalError::SmallIntegerTextOverflow { .. }
        | EvalError::IntTextOverflow { .. }
        | EvalError::Overflow { .. }
        | EvalError::ConvertOverflow { .. } => Mismatch::Overflow,
        _ => Mismatch::Type,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bytes: &[u8], encoding: Encoding, to: SqlType) -> Result<Value, Mismatch> {
        value_of(Field { bytes, is_quoted: false }, encoding, &to, CastRules::DEFAULT)
    }

    fn varchar(len: u16) -> SqlType {
        SqlType::varchar(len)
    }

    #[test]
    fn numbers_are_read_by_their_columns_type() {
        let int = |text: &str| value(text.as_bytes(), Encoding::Cp1252, SqlType::Int);
        assert_eq!(int("-2147483648"), Ok(Value::Int(i32::MIN)));
        assert_eq!(int(" 7 "), Ok(Value::Int(7)));
        assert_eq!(int("2147483648"), Err(Mismatch::Overflow));
        assert_eq!(int("99999999999999999999999"), Err(Mismatch::Overflow));
        assert_eq!(int("1.5"), Err(Mismatch::Type));
        assert_eq!(value(b"256", Encoding::Utf8, SqlType::TinyInt), Err(Mismatch::Overflow));
        assert_eq!(value(b"-9223372036854775808", Encoding::Utf8, SqlType::BigInt), Ok(Value::BigInt(i64::MIN)));
        assert_eq!(value(b"true", Encoding::Utf8, SqlType::Bit), Ok(Value::Bit(true)));
    }

    #[test]
    fn texts_fit_or_are_refused() {
        assert_eq!(value("ä€".as_bytes(), Encoding::Utf8, varchar(2)), Ok(Value::str("ä€")));
        assert_eq!(value(b"\xE4\x80", Encoding::Cp1252, varchar(2)), Ok(Value::str("ä€")));
        assert_eq!(value("ж".as_bytes(), Encoding::Utf8, varchar(2)), Ok(Value::str("?")));
        assert_eq!(value("Ω".as_bytes(), Encoding::Utf8, varchar(2)), Ok(Value::str("O")));
        assert_eq!(value(b"\xE4", Encoding::Utf8, varchar(2)), Err(Mismatch::Type));
        assert_eq!(value(b"abc", Encoding::Cp1252, varchar(2)), Err(Mismatch::Truncation));
        assert_eq!(value(b"ab  ", Encoding::Cp1252, varchar(2)), Ok(Value::str("ab")));
        assert_eq!(value(b"\0", Encoding::Cp1252, varchar(2)), Ok(Value::str("")));
    }

    #[test]
    fn bytes_are_written_as_digits() {
        let binary = |text: &str| {
            let to = SqlType::VarBinary { len: MaxLen::Limited(2) };
            value(text.as_bytes(), Encoding::Cp1252, to)
        };
        assert_eq!(binary("0a0B"), Ok(Value::binary(&[10, 11])));
        assert_eq!(binary("0x0a"), Ok(Value::binary(&[10])));
        assert_eq!(binary("0a0b0c"), Err(Mismatch::Truncation));
        assert_eq!(binary("xy"), Err(Mismatch::Type));
    }
}
