//! From texts.

use crate::arith::money_within;
use crate::cast::numeric_text::{parse_guid, parse_hex, parse_money};
use crate::cast::{CastRules, TooLong, convert_overflow, forbidden, left_bytes, overflow, text_value, xml};
use crate::date_style::{DATETIME_STYLE_DEFAULT, parse_styled_datetime};
use crate::decimal::{Decimal, DecimalError, Shape};
use crate::error::EvalError;
use crate::long::Text;
use crate::sql_type::SqlType;
use crate::temporal::{DateTextError, DateTime, DateTimeOffset, ParsedDateTime, SmallDateTime};
use crate::text;
use crate::value::Value;

use millpond_xml::Unbounded;

/// Digits of a fraction that the text of a `datetime` may have.
const DATETIME_FRACTION_DIGITS_MAX: u8 = 3;

pub(super) fn cast(
    text: &Text,
    from: &SqlType,
    to: &SqlType,
    style: Option<i32>,
    rules: CastRules,
) -> Result<Value, EvalError> {
    if *from == SqlType::Xml && !(to.is_string() || to.is_binary() || *to == SqlType::Xml) {
        return Err(forbidden(from, to));
    }
    if *from == SqlType::Xml && to.is_string() {
        return xml::as_text(text, to);
    }
    match to {
        SqlType::Char { .. } | SqlType::VarChar { .. } | SqlType::NChar { .. } | SqlType::NVarChar { .. } => {
            let whole = from.is_within_alphabet(to);
            let known = if whole { text.clone() } else { text::to_page(text, to.page()).into() };
            text_value(known, to, TooLong::Cut)
        }
        SqlType::Bit => bit(text, from),
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => integer(text, from, to),
        SqlType::Decimal { precision, scale, .. } => {
            decimal(text, from, to, Shape { precision: *precision, scale: *scale })
        }
        SqlType::Money | SqlType::SmallMoney => money(text, to),
        SqlType::Real | SqlType::Float => float(text, from, to),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } if *from == SqlType::Xml => {
            // UTF-16 after its mark.
            let mut bytes = vec![0xFF, 0xFE];
            text::encode_utf16(text, &mut bytes);
            Ok(left_bytes(&bytes, to))
        }
        SqlType::Binary { .. } | SqlType::VarBinary { .. } | SqlType::RowVersion => {
            binary(text, from, to, style.unwrap_or(0))
        }
        SqlType::Xml if *from == SqlType::Xml => Ok(Value::Str(text.clone())),
        SqlType::Xml => xml::of_text(text, from, style, &mut Unbounded).map_err(xml::unbounded)?.map(Value::from),
        SqlType::Variant => Err(forbidden(from, to)),
        SqlType::UniqueIdentifier => parse_guid(text).map(Value::Guid).ok_or(EvalError::InvalidGuid),
        SqlType::Date
        | SqlType::Time { .. }
        | SqlType::SmallDateTime
        | SqlType::DateTime
        | SqlType::DateTime2 { .. }
        | SqlType::DateTimeOffset { .. } => date(text, from, to, style.unwrap_or(DATETIME_STYLE_DEFAULT), rules),
    }
}

fn failed(text: &str, from: &SqlType, to: &SqlType) -> EvalError {
    EvalError::ConversionFailed { value: text.into(), from: from.message_name(), to: to.message_name() }
}

fn no_number(from: &SqlType, to: &SqlType) -> EvalError {
    EvalError::ConversionError { from: from.message_name(), to: to.message_name() }
}

/// `true`, `false`, or a whole number.
fn bit(text: &str, from: &SqlType) -> Result<Value, EvalError> {
    let word = text.trim_matches(' ');
    if word.eq_ignore_ascii_case("true") || word.eq_ignore_ascii_case("false") {
        return Ok(Value::Bit(word.len() == "true".len()));
    }
    let number = whole_number(text).ok_or_else(|| failed(text, from, &SqlType::Bit))?;
    Ok(Value::Bit(number != 0))
}

fn integer(text: &str, from: &SqlType, to: &SqlType) -> Result<Value, EvalError> {
    let number = whole_number(text).ok_or_else(|| match to {
        SqlType::BigInt => no_number(from, to),
        _ => failed(text, from, to),
    })?;
    let value = match to {
        SqlType::TinyInt => u8::try_from(number).ok().map(Value::TinyInt),
        SqlType::SmallInt => i16::try_from(number).ok().map(Value::SmallInt),
        SqlType::Int => i32::try_from(number).ok().map(Value::Int),
        _ => i64::try_from(number).ok().map(Value::BigInt),
    };
    value.ok_or_else(|| too_large(text, from, to))
}

fn too_large(text: &str, from: &SqlType, to: &SqlType) -> EvalError {
    let (value, from) = (text.into(), from.message_name());
    match to {
        SqlType::TinyInt => EvalError::SmallIntegerTextOverflow { from, value, column_kind: "INT1" },
        SqlType::SmallInt => EvalError::SmallIntegerTextOverflow { from, value, column_kind: "INT2" },
        SqlType::Int => EvalError::IntTextOverflow { from, value },
        _ => overflow(to),
    }
}

/// Blanks around, a sign, digits; an empty text or a sign alone is 0. Numbers beyond 2^100 stay there.
fn whole_number(text: &str) -> Option<i128> {
    const HUGE: i128 = 1 << 100;
    let text = text.trim_matches(' ');
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let mut number = 0i128;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = (number * 10 + i128::from(byte - b'0')).min(HUGE);
    }
    Some(if negative { -number } else { number })
}

fn decimal(text: &str, from: &SqlType, to: &SqlType, shape: Shape) -> Result<Value, EvalError> {
    let parsed = Decimal::parse(text.trim_matches(' ')).and_then(|decimal| decimal.fit(shape));
    parsed.map(Value::Decimal).map_err(|error| match error {
        DecimalError::Syntax => no_number(from, to),
        DecimalError::Overflow | DecimalError::DivideByZero => convert_overflow(from, to),
    })
}

fn money(text: &str, to: &SqlType) -> Result<Value, EvalError> {
    let type_name = to.message_name();
    let amount = parse_money(text).ok_or(EvalError::MoneySyntax { type_name })?;
    let amount = amount.and_then(|amount| money_within(amount, to));
    amount.map(Value::Money).ok_or(EvalError::MoneyOverflow { type_name })
}

fn float(text: &str, from: &SqlType, to: &SqlType) -> Result<Value, EvalError> {
    let text = text.trim_matches(' ');
    if text.is_empty() {
        return Ok(if *to == SqlType::Real { Value::Real(0.0) } else { Value::Float(0.0) });
    }
    // Rust also reads words such as `inf`, which are no numbers here.
    let is_exponent = |byte: u8| matches!(byte, b'e' | b'E' | b'd' | b'D');
    let plausible = text.bytes().all(|byte| is_exponent(byte) || matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.'));
    // An exponent may begin with D too, as in Fortran.
    let parsed = match text.bytes().any(|byte| matches!(byte, b'd' | b'D')) {
        true => text.replacen(['d', 'D'], "e", 1).parse::<f64>(),
        false => text.parse::<f64>(),
    };
    let parsed = parsed.ok().filter(|_| plausible);
    let x = parsed.ok_or_else(|| no_number(from, to))?;
    match to {
        SqlType::Real if (x as f32).is_finite() => Ok(Value::Real(x as f32)),
        SqlType::Float if x.is_finite() => Ok(Value::Float(x)),
        _ => Err(overflow(to)),
    }
}

/// Style 0 takes the characters' bytes, 1 reads `0x` and digits, 2 digits alone.
fn binary(text: &str, from: &SqlType, to: &SqlType, style: i32) -> Result<Value, EvalError> {
    let digits = match style {
        1 => {
            let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            Some(digits.ok_or_else(|| no_number(from, to))?)
        }
        2 => Some(text),
        0 => None,
        style => return Err(super::binary::no_style(style, from, to)),
    };
    let bytes = match digits {
        Some(digits) => parse_hex(text::trim_end_blanks(digits)).ok_or_else(|| no_number(from, to))?,
        None => {
            let mut bytes = Vec::with_capacity(2 * text.len());
            match from {
                SqlType::Char { page, .. } | SqlType::VarChar { page, .. } => text::encode(text, *page, &mut bytes),
                _ => text::encode_utf16(text, &mut bytes),
            }
            bytes
        }
    };
    Ok(left_bytes(&bytes, to))
}

fn date(text: &str, from: &SqlType, to: &SqlType, style: i32, rules: CastRules) -> Result<Value, EvalError> {
    let is_legacy = matches!(to, SqlType::DateTime | SqlType::SmallDateTime);
    let parsed = parse_styled_datetime(text, style, is_legacy, rules.dates());
    let parsed = parsed.map_err(|error| match error {
        DateTextError::Style if !is_legacy => EvalError::StyleMismatch { style },
        // It is a date, and none of this style.
        DateTextError::Syntax
            if !is_legacy && style != 0 && parse_styled_datetime(text, 0, false, rules.dates()).is_ok() =>
        {
            EvalError::StyleMismatch { style }
        }
        error => bad_date(error, from, to),
    })?;
    let out_of_range = || bad_date(DateTextError::OutOfRange, from, to);
    match *to {
        SqlType::DateTime => {
            let value = legacy(parsed, from, to)?.value;
            DateTime::from_datetime2(value).map(Value::DateTime).ok_or_else(out_of_range)
        }
        SqlType::SmallDateTime => {
            let value = legacy(parsed, from, to)?.value;
            SmallDateTime::from_datetime2(value).map(Value::SmallDateTime).ok_or_else(out_of_range)
        }
        SqlType::Time { scale } => Ok(Value::Time(parsed.value.time.round(scale))),
        SqlType::DateTime2 { scale } => Ok(Value::DateTime2(parsed.value.round(scale))),
        SqlType::DateTimeOffset { scale } => {
            let value = DateTimeOffset::from_local(parsed.value, parsed.offset_minutes.unwrap_or(0));
            value.map(|value| Value::DateTimeOffset(value.round(scale))).ok_or_else(out_of_range)
        }
        _ => Ok(Value::Date(parsed.value.date)),
    }
}

/// The older types refuse an offset and more than three digits of fraction.
fn legacy(parsed: ParsedDateTime, from: &SqlType, to: &SqlType) -> Result<ParsedDateTime, EvalError> {
    if parsed.offset_minutes.is_some() || parsed.fraction_digits > DATETIME_FRACTION_DIGITS_MAX {
        return Err(bad_date(DateTextError::Syntax, from, to));
    }
    Ok(parsed)
}

/// Only the older types distinguish a date that does not exist from a text that is none.
fn bad_date(error: DateTextError, from: &SqlType, to: &SqlType) -> EvalError {
    match (to, error) {
        (SqlType::DateTime | SqlType::SmallDateTime, DateTextError::OutOfRange) => {
            EvalError::DateOutOfRange { from: from.message_name(), to: to.message_name() }
        }
        (SqlType::SmallDateTime, _) => EvalError::InvalidSmallDateTime,
        _ => EvalError::InvalidDate,
    }
}
