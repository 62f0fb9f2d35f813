//! From numbers: integers and `decimal` are cut to integers, money and dates are rounded.

use compact_str::{CompactString, ToCompactString, format_compact};

use crate::arith::{MONEY_UNIT, money_within};
use crate::cast::numeric_text::{float_text, money_text};
use crate::cast::{TooLong, convert_overflow, decimal_in, forbidden, overflow, right_bytes, text_value};
use crate::decimal::{Decimal, Shape, divide_rounded};
use crate::error::EvalError;
use crate::sql_type::SqlType;
use crate::temporal::{DateTime, SmallDateTime};
use crate::value::Value;

/// Digits of money after the point.
const MONEY_SCALE: u8 = MONEY_UNIT.ilog10() as u8;

pub(super) fn cast_integer(n: i64, from: &SqlType, to: &SqlType) -> Result<Value, EvalError> {
    match *to {
        _ if to.is_string() => {
            // Only `char` and `varchar` show a short integer that does not fit as an asterisk.
            let too_long =
                if to.is_unicode() || *from == SqlType::BigInt { TooLong::Error(overflow(to)) } else { TooLong::Star };
            text_value(n.to_compact_string(), to, too_long)
        }
        SqlType::Decimal { precision, scale, .. } => {
            let fitted = Decimal::from(n).fit(Shape { precision, scale });
            fitted.map(Value::Decimal).map_err(|_| convert_overflow(from, to))
        }
        SqlType::Money | SqlType::SmallMoney => {
            let error = match from {
                SqlType::BigInt => overflow(to),
                _ => EvalError::ValueOverflow { type_name: to.message_name(), value: n },
            };
            amount(i128::from(n) * i128::from(MONEY_UNIT), to, error)
        }
        SqlType::Float => Ok(Value::Float(n as f64)),
        SqlType::Real => Ok(Value::Real(n as f32)),
        SqlType::DateTime | SqlType::SmallDateTime => days(n as f64, to),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } | SqlType::RowVersion => {
            Ok(right_bytes(integer_bytes(&n.to_be_bytes(), from), to))
        }
        SqlType::TinyInt | SqlType::SmallInt if *from != SqlType::BigInt => {
            whole(i128::from(n), to, |type_name| EvalError::ValueOverflow { type_name, value: n })
        }
        _ if to.is_integer() || *to == SqlType::Bit => {
            whole(i128::from(n), to, |type_name| EvalError::Overflow { type_name })
        }
        _ => Err(forbidden(from, to)),
    }
}

/// The last bytes, as many as the type has.
fn integer_bytes<'a>(all: &'a [u8; 8], from: &SqlType) -> &'a [u8] {
    let len = from.max_bytes().map_or(all.len(), |bytes| bytes as usize);
    &all[all.len().saturating_sub(len)..]
}

pub(super) fn cast_decimal(decimal: Decimal, from: &SqlType, to: &SqlType) -> Result<Value, EvalError> {
    match *to {
        _ if to.is_string() => {
            let error = if to.is_unicode() { overflow(to) } else { convert_overflow(from, to) };
            text_value(decimal.to_compact_string(), to, TooLong::Error(error))
        }
        SqlType::Decimal { precision, scale, .. } => {
            let fitted = decimal.fit(Shape { precision, scale });
            fitted.map(Value::Decimal).map_err(|_| convert_overflow(from, to))
        }
        SqlType::Money | SqlType::SmallMoney => {
            let scaled = decimal.rescale(MONEY_SCALE).map_err(|_| convert_overflow(from, to))?;
            amount(scaled.unscaled, to, convert_overflow(from, to))
        }
        SqlType::Float => Ok(Value::Float(decimal.to_f64())),
        SqlType::Real => Ok(Value::Real(decimal.to_f64() as f32)),
        SqlType::DateTime | SqlType::SmallDateTime => days(decimal.to_f64(), to),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } | SqlType::RowVersion => {
            Ok(decimal_in(&decimal_bytes(decimal, from), to))
        }
        SqlType::Bit => Ok(Value::Bit(decimal.unscaled != 0)),
        _ if to.is_integer() => whole(decimal.to_i128(), to, |type_name| EvalError::Overflow { type_name }),
        _ => Err(forbidden(from, to)),
    }
}

/// Precision, scale, 0, sign, and the digits in as many little-endian groups of four bytes as they need.
fn decimal_bytes(decimal: Decimal, from: &SqlType) -> Vec<u8> {
    let (precision, scale) = from.precision_scale();
    let digits = { decimal.unscaled }.unsigned_abs().to_le_bytes();
    let used = digits.iter().rposition(|&byte| byte != 0).map_or(1, |last| last + 1);
    let digits_len = used.next_multiple_of(4);
    let mut bytes = vec![precision, scale, 0, u8::from(decimal.unscaled >= 0)];
    bytes.extend_from_slice(&digits[..digits_len]);
    bytes
}

pub(super) fn cast_money(units: i64, from: &SqlType, to: &SqlType, style: Option<i32>) -> Result<Value, EvalError> {
    match *to {
        _ if to.is_string() => {
            let too_long = TooLong::Error(EvalError::MoneySpace { type_name: to.message_name() });
            if let Some(style) = style.filter(|style| !matches!(style, 0..=2 | 126)) {
                return Err(EvalError::InvalidStyle { style, from: from.message_name() });
            }
            text_value(money_text(units, style.unwrap_or(0)), to, too_long)
        }
        SqlType::Money | SqlType::SmallMoney => {
            amount(i128::from(units), to, EvalError::MoneyResultSpace { type_name: to.message_name() })
        }
        SqlType::Binary { .. } | SqlType::VarBinary { .. } | SqlType::RowVersion => {
            Ok(right_bytes(integer_bytes(&units.to_be_bytes(), from), to))
        }
        SqlType::Float => Ok(Value::Float(units as f64 / MONEY_UNIT as f64)),
        SqlType::Real => Ok(Value::Real((units as f64 / MONEY_UNIT as f64) as f32)),
        SqlType::Bit => Ok(Value::Bit(units != 0)),
        _ if to.is_integer() => {
            let rounded = divide_rounded(i128::from(units), i128::from(MONEY_UNIT));
            whole(rounded, to, |type_name| money_overflow(units, from, type_name))
        }
        _ => cast_decimal(Decimal { unscaled: i128::from(units), scale: MONEY_SCALE }, from, to),
    }
}

/// An amount that is no number of a smaller integer type. Each target has an error of its own.
fn money_overflow(units: i64, from: &SqlType, type_name: &'static str) -> EvalError {
    let whole = units / MONEY_UNIT;
    match (from, type_name) {
        (SqlType::SmallMoney, "smallint") => EvalError::ValueOverflow { type_name, value: whole },
        (SqlType::SmallMoney, _) => EvalError::Overflow { type_name },
        _ if i32::try_from(whole).is_err() || type_name == "int" => EvalError::MoneyResultSpace { type_name },
        // The message has the value in the units of money.
        (_, "smallint") => EvalError::ValueOverflow { type_name, value: units },
        _ => EvalError::FloatOverflow { type_name, value: format_compact!("{:.6}", units as f64 / MONEY_UNIT as f64) },
    }
}

/// From `float` and `real`; cut to integers.
pub(super) fn cast_float(x: f64, from: &SqlType, to: &SqlType, style: Option<i32>) -> Result<Value, EvalError> {
    let float_overflow = |type_name| EvalError::FloatOverflow { type_name, value: format_compact!("{x:.6}") };
    match *to {
        _ if to.is_string() => {
            let text: CompactString = float_text(x, *from == SqlType::Real, style.unwrap_or(0));
            let error = if to.is_unicode() { overflow(to) } else { float_overflow(to.message_name()) };
            text_value(text, to, TooLong::Error(error))
        }
        SqlType::Float => Ok(Value::Float(x)),
        SqlType::Real if (x as f32).is_finite() => Ok(Value::Real(x as f32)),
        SqlType::Real => Err(float_overflow("real")),
        SqlType::Decimal { precision, scale, .. } => {
            let fitted = Decimal::from_f64(x, Shape { precision, scale });
            fitted.map(Value::Decimal).map_err(|_| convert_overflow(from, to))
        }
        SqlType::Money | SqlType::SmallMoney => {
            // Casts of floats saturate, and a saturated amount fits no money.
            amount((x * MONEY_UNIT as f64).round() as i128, to, float_overflow(to.message_name()))
        }
        SqlType::DateTime | SqlType::SmallDateTime => days(x, to),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } if *from == SqlType::Real => {
            Ok(right_bytes(&(x as f32).to_be_bytes(), to))
        }
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => Ok(right_bytes(&x.to_be_bytes(), to)),
        SqlType::Bit => Ok(Value::Bit(x != 0.0)),
        SqlType::BigInt => whole(x.trunc() as i128, to, |type_name| EvalError::Overflow { type_name }),
        _ if to.is_integer() => whole(x.trunc() as i128, to, float_overflow),
        _ => Err(forbidden(from, to)),
    }
}

/// Days since 1900-01-01 as a date.
pub(super) fn days(days: f64, to: &SqlType) -> Result<Value, EvalError> {
    let value = DateTime::from_days_f64(days).and_then(|value| match to {
        SqlType::SmallDateTime => SmallDateTime::from_datetime2(value.to_datetime2()).map(Value::SmallDateTime),
        _ => Some(Value::DateTime(value)),
    });
    value.ok_or_else(|| overflow(to))
}

/// A whole number as an integer type or `bit`.
pub(super) fn whole(n: i128, to: &SqlType, error: impl FnOnce(&'static str) -> EvalError) -> Result<Value, EvalError> {
    let value = match to {
        SqlType::Bit => Some(Value::Bit(n != 0)),
        SqlType::TinyInt => u8::try_from(n).ok().map(Value::TinyInt),
        SqlType::SmallInt => i16::try_from(n).ok().map(Value::SmallInt),
        SqlType::Int => i32::try_from(n).ok().map(Value::Int),
        _ => i64::try_from(n).ok().map(Value::BigInt),
    };
    value.ok_or_else(|| error(to.message_name()))
}

fn amount(units: i128, to: &SqlType, error: EvalError) -> Result<Value, EvalError> {
    money_within(units, to).map(Value::Money).ok_or(error)
}
