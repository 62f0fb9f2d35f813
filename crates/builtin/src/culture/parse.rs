//! PARSE and TRY_PARSE: a text as a culture writes a number or a date.
//!
//! Knows the types that take it: numbers but `bit`, and dates and times. What .NET's decimal cannot hold (29 digits and more)
//! is read where the type can.

use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{CastRules, DateTimeOffset, SqlType, Value, cast};

use super::read_date::ReadDate;
use super::read_number::NumberKind;
use super::{Culture, read_date, read_number};
use crate::args::{any_null, invalid_argument, nullable, nvarchar, text};
use crate::define::fixed;
use crate::{FunctionDef, Signature};

/// PARSE, of which the binder knows the type: the text, and the culture where one is named.
pub static PARSE: FunctionDef = fixed("PARSE", (1, 2), bind, |ctx, args, _, result| parsed(ctx, args, result, false));

/// TRY_PARSE, likewise: NULL where the text is no value of the type.
pub static TRY_PARSE: FunctionDef =
    fixed("TRY_PARSE", (1, 2), bind, |ctx, args, _, result| parsed(ctx, args, result, true));

fn bind(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    for (position, ty) in (1..).zip(types) {
        if ty.is_none_or(|ty| !ty.is_string()) {
            return Err(invalid_argument(*ty, position, "parse"));
        }
    }
    nullable([nvarchar(4000), nvarchar(128)][..types.len()].to_vec(), SqlType::Int)
}

/// Whether texts are parsed as this type.
#[must_use]
pub fn is_parsed(sql: &SqlType) -> bool {
    sql.is_temporal() || sql.is_numeric() && *sql != SqlType::Bit
}

fn parsed(ctx: &dyn Run, args: &[Value], result: &SqlType, is_tried: bool) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let name = args.get(1).map(text);
    let culture = match name {
        Some(name) => Culture::called(name)?,
        None => Culture::of_language(ctx.facts().settings.language),
    };
    let read = match result.is_temporal() {
        true => date(ctx, text(&args[0]), culture, result)?,
        false => number(text(&args[0]), culture, result),
    };
    match read {
        Some(value) => Ok(value),
        None if is_tried => Ok(Value::Null),
        None => Err(SqlError::of(9819, 1, &[&text(&args[0]), &result.name(), &name.unwrap_or_default()])),
    }
}

fn number(text: &str, culture: &Culture, result: &SqlType) -> Option<Value> {
    let kind = match result {
        SqlType::Float | SqlType::Real => NumberKind::Float,
        SqlType::Money | SqlType::SmallMoney => NumberKind::Currency,
        _ => NumberKind::Plain,
    };
    let mut digits = read_number::read(text, culture, kind)?;
    if result.is_integer()
        && let Some((whole, fraction)) = digits.split_once('.')
    {
        if fraction.bytes().any(|digit| digit != b'0') {
            return None;
        }
        digits.truncate(whole.len());
    }
    as_type(&Value::from(digits), &nvarchar(4000), result)
}

fn as_type(value: &Value, from: &SqlType, to: &SqlType) -> Option<Value> {
    cast::cast(value, from, to, None, CastRules::DEFAULT).ok()
}

/// # Errors
/// 40517 for a culture whose calendar is not known.
fn date(ctx: &dyn Run, text: &str, culture: &Culture, result: &SqlType) -> SqlResult<Option<Value>> {
    if culture.has_other_calendar {
        let name = culture.name;
        return Err(millpond_message::missing(&format!("PARSE of dates in the culture '{name}'")));
    }
    let read = read_date::read(text, culture, ctx.now_local().date);
    Ok(read.and_then(|read| of_type(read, result)))
}

fn of_type(ReadDate { at, zone_minutes }: ReadDate, result: &SqlType) -> Option<Value> {
    let instant = DateTimeOffset::from_local(at, zone_minutes.unwrap_or(0))?;
    match result {
        SqlType::DateTimeOffset { .. } => {
            as_type(&Value::DateTimeOffset(instant), &SqlType::DateTimeOffset { scale: 7 }, result)
        }
        // A text with a zone says an instant, of which the types without one have the clock of UTC.
        _ => as_type(&Value::DateTime2(instant.utc()), &SqlType::DateTime2 { scale: 7 }, result),
    }
}
