//! Conversions: CAST, CONVERT, assignment.
//!
//! One file per kind of source value. Each answers with a value of exactly the target type (a `char(n)` padded, a
//! decimal at its scale, a time at its precision) or with the error that SQL Server reports.

mod binary;
mod number;
mod numeric_text;
mod rules;
mod string;
mod temporal;
pub mod xml;

use crate::collation::Collation;
use crate::date_style::DATETIME_STYLE_DEFAULT;
use crate::error::EvalError;
use crate::long::{Bytes, Text};
use crate::sql_type::{MaxLen, SqlType};
use crate::text;
use crate::value::{Value, Variant};

pub use rules::CastRules;

pub(crate) use numeric_text::{Digits, guid_text, hex_digits, money_text};

/// CAST and CONVERT, and assignment to a variable: a text too long is cut, `char(n)` is padded.
///
/// `style` is CONVERT's third argument; `rules` are those of the session whose statement converts.
pub fn cast(
    value: &Value,
    from: &SqlType,
    to: &SqlType,
    style: Option<i32>,
    rules: CastRules,
) -> Result<Value, Box<EvalError>> {
    convert(value, from, to, style, rules).map_err(Box::new)
}

fn convert(
    value: &Value,
    from: &SqlType,
    to: &SqlType,
    style: Option<i32>,
    rules: CastRules,
) -> Result<Value, EvalError> {
    if from == to && !matches!(to, SqlType::Char { .. } | SqlType::NChar { .. } | SqlType::Binary { .. }) {
        return Ok(value.clone());
    }
    match value {
        Value::Null => Ok(Value::Null),
        _ if *to == SqlType::Variant => variant(value, from, Collation::default()),
        Value::Variant(inner) => {
            // A date of whatever type becomes a text as a `datetime` does.
            let is_date_as_text = inner.base.is_temporal() && to.is_string();
            let style = style.or(is_date_as_text.then_some(DATETIME_STYLE_DEFAULT));
            convert(&inner.value, &inner.base, to, style, rules)
        }
        Value::Str(text) => string::cast(text, from, to, style, rules),
        Value::Binary(bytes) if to.is_binary() && to.max_len() == Some(MaxLen::Max) => Ok(Value::Binary(bytes.clone())),
        Value::Binary(bytes) => binary::cast(bytes, from, to, style),
        Value::Guid(guid) => binary::cast_guid(guid, from, to),
        Value::Bit(_) | Value::TinyInt(_) | Value::SmallInt(_) | Value::Int(_) | Value::BigInt(_) => {
            number::cast_integer(value.as_i64().expect("an integer"), from, to)
        }
        Value::Decimal(decimal) => number::cast_decimal(*decimal, from, to),
        Value::Money(amount) => number::cast_money(*amount, from, to, style),
        Value::Float(x) => number::cast_float(*x, from, to, style),
        Value::Real(x) => number::cast_float(f64::from(*x), from, to, style),
        Value::Date(_)
        | Value::Time(_)
        | Value::SmallDateTime(_)
        | Value::DateTime(_)
        | Value::DateTime2(_)
        | Value::DateTimeOffset(_) => temporal::cast(value, from, to, style, rules),
    }
}

/// A value with its type, as `sql_variant` holds it; a text keeps its collation, or the one like it of its code page. [`cast`]
/// knows of no collation and takes the default one.
///
/// # Errors
/// Of a type that no variant holds.
pub fn variant(value: &Value, from: &SqlType, collation: Collation) -> Result<Value, EvalError> {
    if matches!(value, Value::Variant(_) | Value::Null) {
        return Ok(value.clone());
    }
    let held = Variant::new(*from, collation, value.clone());
    held.map(Value::from).ok_or_else(|| forbidden(from, &SqlType::Variant))
}

/// Assignment to a column: a text or binary value too long is an error unless only blanks (zero bytes) are cut.
/// `char(n)` and `binary(n)` are not padded here; the row's encoding does that.
pub fn store(value: &Value, from: &SqlType, to: &SqlType, rules: CastRules) -> Result<Value, Box<EvalError>> {
    assign(value, from, to, rules).map_err(Box::new)
}

/// Whether [`store`] gives the value itself: it is of the column's own type, or a text of the column's alphabet that fits.
/// So said of most values, which are then moved and not made anew.
#[inline]
#[must_use]
pub fn stores_as_it_is(value: &Value, from: &SqlType, to: &SqlType) -> bool {
    match value {
        Value::Null => true,
        Value::Str(text) if to.is_string() => from.is_within_alphabet(to) && fits(text, to),
        _ => from == to,
    }
}

/// Whether a text is so short that it is not to be measured; UTF-8 has at least a byte per unit.
#[inline]
fn fits(text: &Text, to: &SqlType) -> bool {
    match to.max_len() {
        Some(MaxLen::Limited(n)) => text.len() <= usize::from(n),
        Some(MaxLen::Max) => true,
        None => false,
    }
}

fn assign(value: &Value, from: &SqlType, to: &SqlType, rules: CastRules) -> Result<Value, EvalError> {
    match (value, to.max_len()) {
        (Value::Null, _) => Ok(Value::Null),
        (_, None) if from == to => Ok(value.clone()),
        (_, None) => convert(value, from, to, None, rules),
        (Value::Str(text), Some(len)) if to.is_string() => store_text(text, from, to, len),
        (Value::Binary(bytes), Some(len)) if to.is_binary() => store_bytes(bytes, len),
        (_, Some(len)) => store_other(value, from, to, len, rules),
    }
}

fn store_text(text: &Text, from: &SqlType, to: &SqlType, len: MaxLen) -> Result<Value, EvalError> {
    // A short text of the column's alphabet is cloned without being looked at.
    let same_alphabet = from.is_within_alphabet(to);
    if same_alphabet && fits(text, to) {
        return Ok(Value::Str(text.clone()));
    }
    let text = if same_alphabet { text.clone() } else { Text::from(text::to_page(text, to.page())) };
    let MaxLen::Limited(n) = len else {
        return Ok(Value::Str(text));
    };
    let most = usize::from(n);
    if text::declared_len(&text, to) <= most {
        return Ok(Value::Str(text));
    }
    let beginning = text::declared_prefix(&text, most, to);
    if text::declared_len(text::trim_end_blanks(&text), to) <= most {
        return Ok(Value::from(beginning));
    }
    Err(EvalError::Truncation { value: beginning })
}

fn store_bytes(bytes: &Bytes, len: MaxLen) -> Result<Value, EvalError> {
    let limit = match len {
        MaxLen::Limited(n) => usize::from(n).min(bytes.len()),
        MaxLen::Max => return Ok(Value::Binary(bytes.clone())),
    };
    let (beginning, cut) = bytes.split_at(limit);
    if cut.iter().any(|&byte| byte != 0) {
        return Err(EvalError::Truncation { value: hex_digits("0x", beginning) });
    }
    Ok(Value::binary(beginning))
}

/// Dates and guids as text are cut only on request; numbers have their own rules, which CAST knows.
fn store_other(value: &Value, from: &SqlType, to: &SqlType, len: MaxLen, rules: CastRules) -> Result<Value, EvalError> {
    if to.is_string() && from.is_temporal() {
        let text = convert(value, from, &SqlType::VARCHAR_MAX, None, rules)?;
        let text = Text::new(text.as_str().unwrap_or_default());
        return store_text(&text, &SqlType::VARCHAR_MAX, to, len);
    }
    let unpadded = match *to {
        SqlType::Char { len, page } => SqlType::varchar(len).in_page(page),
        SqlType::NChar { len } => SqlType::NVarChar { len: MaxLen::Limited(len) },
        other => other,
    };
    convert(value, from, &unpadded, None, rules)
}

/// What happens to a text longer than its target type.
enum TooLong {
    /// It is cut.
    Cut,
    /// It becomes `*` (integers in `char` and `varchar`).
    Star,
    /// It is this error.
    Error(EvalError),
}

/// A text as a value of a character type.
fn text_value(text: impl Into<Text>, to: &SqlType, too_long: TooLong) -> Result<Value, EvalError> {
    let text = text.into();
    let Some(MaxLen::Limited(n)) = to.max_len() else {
        return Ok(Value::Str(text));
    };
    let most = usize::from(n);
    // UTF-8 has at least as many bytes as UTF-16 has units.
    let fitting = if text.len() <= most || text::declared_len(&text, to) <= most {
        text
    } else {
        match too_long {
            TooLong::Cut => text::declared_prefix(&text, most, to).into(),
            TooLong::Star => Text::new("*"),
            TooLong::Error(error) => return Err(error),
        }
    };
    let is_fixed = matches!(to, SqlType::Char { .. } | SqlType::NChar { .. });
    Ok(if is_fixed { Value::from(text::pad_blanks(&fitting, most, to)) } else { Value::Str(fitting) })
}

/// Bytes as a value of a binary type: texts and binaries stand at the left, their target is filled with zeros.
fn left_bytes(bytes: &[u8], to: &SqlType) -> Value {
    let mut bytes = bytes.to_vec();
    match *to {
        SqlType::Binary { len } => bytes.resize(usize::from(len), 0),
        SqlType::RowVersion => bytes.resize(usize::from(SqlType::ROW_VERSION_BYTES), 0),
        SqlType::VarBinary { len: MaxLen::Limited(len) } => bytes.truncate(usize::from(len)),
        _ => {}
    }
    Value::from(bytes)
}

/// The bytes of a decimal as a value of a binary type: they stand at the right, and are cut there too.
fn decimal_in(bytes: &[u8], to: &SqlType) -> Value {
    let len = match *to {
        SqlType::RowVersion => usize::from(SqlType::ROW_VERSION_BYTES),
        _ => match to.max_len() {
            Some(MaxLen::Limited(len)) => usize::from(len),
            _ => bytes.len(),
        },
    };
    if len < bytes.len() { left_bytes(&bytes[..len], to) } else { right_bytes(bytes, to) }
}

/// The bytes of a number as a value of a binary type: they stand at the right, and are cut at the left.
fn right_bytes(bytes: &[u8], to: &SqlType) -> Value {
    let len = match *to {
        SqlType::Binary { len } => usize::from(len),
        SqlType::RowVersion => usize::from(SqlType::ROW_VERSION_BYTES),
        SqlType::VarBinary { len: MaxLen::Limited(len) } => usize::from(len).min(bytes.len()),
        _ => bytes.len(),
    };
    let kept = &bytes[bytes.len().saturating_sub(len)..];
    let mut filled = vec![0; len - kept.len()];
    filled.extend_from_slice(kept);
    Value::from(filled)
}

/// No such conversion exists; the binder reports it first.
fn forbidden(from: &SqlType, to: &SqlType) -> EvalError {
    EvalError::ExplicitNotAllowed { from: from.message_name(), to: to.message_name() }
}

fn overflow(to: &SqlType) -> EvalError {
    EvalError::Overflow { type_name: to.message_name() }
}

fn convert_overflow(from: &SqlType, to: &SqlType) -> EvalError {
    EvalError::ConvertOverflow { from: from.message_name(), to: to.message_name() }
}

#[cfg(test)]
mod tests;
