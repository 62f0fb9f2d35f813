//! From dates and times.

use crate::cast::number::{cast_float, whole};
use crate::cast::{CastRules, TooLong, forbidden, left_bytes, overflow, text_value};
use crate::date_style::{DATETIME_STYLE_DEFAULT, ISO_STYLE, format_style_in};
use crate::error::EvalError;
use crate::sql_type::{MaxLen, SqlType};
use crate::temporal::{Date, DateTime, DateTime2, DateTimeOffset, SmallDateTime, Time};
use crate::text::to_page;
use crate::value::Value;

/// The style in which a `datetimeoffset` becomes a date or time of UTC.
const UTC_CLOCK: i32 = 1;

pub(super) fn cast(
    value: &Value,
    from: &SqlType,
    to: &SqlType,
    style: Option<i32>,
    rules: CastRules,
) -> Result<Value, EvalError> {
    if to.is_temporal() {
        return match value {
            // Without a time zone it is the clock of its own zone, in this style that of UTC.
            Value::DateTimeOffset(v) if style == Some(UTC_CLOCK) && !matches!(to, SqlType::DateTimeOffset { .. }) => {
                to_temporal(&Value::DateTime2(v.utc()), from, to)
            }
            _ => to_temporal(value, from, to),
        };
    }
    if to.is_string() {
        let text = format_style_in(value, from.precision_scale().1, style_of(value, style), rules.language);
        let text = text.map_err(|error| match error {
            EvalError::ConversionError { from, .. } => EvalError::ConversionError { from, to: to.message_name() },
            error => error,
        })?;
        if let (Value::DateTimeOffset(_), None, Some(MaxLen::Limited(most))) = (value, style, to.max_len())
            && text.len() > usize::from(most)
        {
            return Err(EvalError::InvalidDate);
        }
        // The months of style 130 have Arabic letters, those of a language its own.
        if !text.is_ascii() && !to.is_unicode() {
            return text_value(to_page(&text, to.page()), to, TooLong::Cut);
        }
        return text_value(text, to, TooLong::Cut);
    }
    if to.is_binary() || (*to == SqlType::RowVersion && matches!(value, Value::DateTime(_) | Value::SmallDateTime(_))) {
        return Ok(left_bytes(&bytes_of(value, from), to));
    }
    match value {
        Value::DateTime(v) if to.is_numeric() => to_number(*v, to),
        Value::SmallDateTime(v) if to.is_numeric() => to_number(v.to_datetime(), to),
        _ => Err(forbidden(from, to)),
    }
}

/// Without a style the older types are written as in 1989, the newer ones as ISO 8601 has it.
fn style_of(value: &Value, style: Option<i32>) -> i32 {
    style.unwrap_or(match value {
        Value::DateTime(_) | Value::SmallDateTime(_) => DATETIME_STYLE_DEFAULT,
        _ => ISO_STYLE,
    })
}

/// A missing date is 1900-01-01, a missing time midnight.
fn instant(value: &Value) -> Option<DateTime2> {
    Some(match value {
        Value::DateTime(v) => v.to_datetime2_exact(),
        Value::SmallDateTime(v) => v.to_datetime2(),
        Value::DateTime2(v) => *v,
        Value::DateTimeOffset(v) => v.local(),
        Value::Date(date) => DateTime2 { date: *date, time: Time::default() },
        Value::Time(time) => DateTime2 { date: Date::DEFAULT, time: *time },
        _ => return None,
    })
}

fn to_temporal(value: &Value, from: &SqlType, to: &SqlType) -> Result<Value, EvalError> {
    let at = instant(value).ok_or_else(|| forbidden(from, to))?;
    let out_of_range = || EvalError::DateOutOfRange { from: from.message_name(), to: to.message_name() };
    match (value, to) {
        (Value::Date(_), SqlType::Time { .. }) | (Value::Time(_), SqlType::Date) => Err(forbidden(from, to)),
        (_, SqlType::Date) => Ok(Value::Date(at.date)),
        (_, SqlType::Time { scale }) => Ok(Value::Time(at.time.round(*scale))),
        (_, SqlType::DateTime2 { scale }) => Ok(Value::DateTime2(at.round(*scale))),
        (Value::DateTimeOffset(v), SqlType::DateTimeOffset { scale }) => Ok(Value::DateTimeOffset(v.round(*scale))),
        (_, SqlType::DateTimeOffset { scale }) => {
            let utc = DateTimeOffset::from_utc(at, 0).ok_or_else(out_of_range)?;
            Ok(Value::DateTimeOffset(utc.round(*scale)))
        }
        (_, SqlType::SmallDateTime) => {
            SmallDateTime::from_datetime2(at).map(Value::SmallDateTime).ok_or_else(out_of_range)
        }
        _ => DateTime::from_datetime2(at).map(Value::DateTime).ok_or_else(out_of_range),
    }
}

/// Days since 1900-01-01: integers round, at noon upwards; other numbers keep the fraction.
fn to_number(value: DateTime, to: &SqlType) -> Result<Value, EvalError> {
    if to.is_integer() {
        let afternoon = i128::from(value.ticks >= DateTime::TICKS_PER_DAY / 2);
        return whole(i128::from(value.days) + afternoon, to, |type_name| EvalError::Overflow { type_name });
    }
    cast_float(value.to_days_f64(), &SqlType::Float, to, None).map_err(|_| overflow(to))
}

/// The older types are big-endian; the newer ones little-endian after the number of their digits.
fn bytes_of(value: &Value, from: &SqlType) -> Vec<u8> {
    let scale = from.precision_scale().1;
    let time_bytes = |time: &Time| {
        let units = time.ticks / Time::ticks_per_unit(scale);
        let len = crate::sql_type::time_bytes(scale) as usize;
        [&[scale], &units.to_le_bytes()[..len]].concat()
    };
    let date_bytes = |date: &Date| date.days.to_le_bytes()[..3].to_vec();
    match value {
        Value::DateTime(v) => [v.days.to_be_bytes(), v.ticks.to_be_bytes()].concat(),
        Value::SmallDateTime(v) => [v.days.to_be_bytes(), v.minutes.to_be_bytes()].concat(),
        Value::Date(date) => date_bytes(date),
        Value::Time(time) => time_bytes(time),
        Value::DateTime2(v) => [time_bytes(&v.time), date_bytes(&v.date)].concat(),
        Value::DateTimeOffset(v) => {
            let utc = v.utc();
            [time_bytes(&utc.time), date_bytes(&utc.date), v.offset_minutes.to_le_bytes().to_vec()].concat()
        }
        _ => Vec::new(),
    }
}
