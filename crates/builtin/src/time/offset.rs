//! Functions over `datetimeoffset` and `sql_variant`, and the text of modules.
//!
//! A zone is one of those that Windows knows ([`crate::time::time_zone`]), or an offset (`+hh:mm`).

use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::of_eval;
use millpond_types::{DateTime2, DateTimeOffset, EvalError, SqlType, Value, Variant};

use crate::args::{int, invalid_argument, nullable, nvarchar, strict, text, varchar};
use crate::define::{fixed, pure, strict_eval, strict_eval_in};
use crate::time::time_zone::Zone;
use crate::{FunctionDef, Signature};

const OFFSET: SqlType = SqlType::DateTimeOffset { scale: 7 };

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    fixed("SYSDATETIMEOFFSET", (0, 0), |_| strict(vec![], OFFSET), |ctx, _, _, _| Ok(now(ctx))),
    pure(
        "SWITCHOFFSET",
        (2, 2),
        |types| strict(vec![offset_type(scale_of(types[0])), zone_type(types[1])], offset_type(scale_of(types[0]))),
        strict_eval!(|args, _, _| {
            let Value::DateTimeOffset(datetime) = &args[0] else { return Ok(Value::Null) };
            let offset = offset_of(&args[1], "switchoffset")?;
            datetime.switch_offset(offset).map(Value::DateTimeOffset).ok_or_else(out_of_range)
        }),
    ),
    pure(
        "TODATETIMEOFFSET",
        (2, 2),
        |types| {
            let scale = scale_of(types[0]);
            strict(vec![SqlType::DateTime2 { scale }, zone_type(types[1])], offset_type(scale))
        },
        strict_eval!(|args, _, _| {
            let Value::DateTime2(local) = &args[0] else { return Ok(Value::Null) };
            at_offset(*local, offset_of(&args[1], "todatetimeoffset")?)
        }),
    ),
    fixed(
        "CURRENT_TIMEZONE_ID",
        (0, 0),
        |_| strict(vec![], varchar(128)),
        |ctx, _, _, _| Ok(Value::str(Zone::of_machine(ctx.now_utc()))),
    ),
    fixed(
        "CURRENT_TIMEZONE",
        (0, 0),
        |_| strict(vec![], varchar(128)),
        |ctx, _, _, _| {
            let name = Zone::of_machine(ctx.now_utc());
            Ok(Value::from(Zone::shown(name).unwrap_or_else(|| name.to_owned())))
        },
    ),
    pure("AT TIME ZONE", (2, 2), at_time_zone_signature, strict_eval!(|args, _, _| at_time_zone(args))),
    pure(
        "SQL_VARIANT_PROPERTY",
        (2, 2),
        |_| nullable(vec![SqlType::Variant, nvarchar(128)], SqlType::Variant),
        |_, args, _, _| Ok(variant_property(args)),
    ),
    fixed(
        "OBJECT_DEFINITION",
        (1, 1),
        |_| nullable(vec![SqlType::Int], SqlType::NVarChar { len: millpond_types::MaxLen::Max }),
        strict_eval_in!(|ctx, args| {
            let id = i32::try_from(int(&args[0])).unwrap_or(0);
            let of_module = ctx.catalog().module_of(id).map(|module| ctx.catalog().shown_text(&module));
            Ok(of_module.or_else(|| ctx.catalog().constraint_text(id)).unwrap_or(Value::Null))
        }),
    ),
];

/// The digits of the second's fraction that a value of the type has; 7 where it becomes a `datetime2` first.
fn scale_of(given: Option<SqlType>) -> u8 {
    match given {
        Some(SqlType::DateTimeOffset { scale } | SqlType::DateTime2 { scale }) => scale,
        _ => SqlType::FRACTION_DIGITS_DEFAULT,
    }
}

fn offset_type(scale: u8) -> SqlType {
    SqlType::DateTimeOffset { scale }
}

/// An offset is a number of minutes or a text.
fn zone_type(given: Option<SqlType>) -> SqlType {
    match given {
        Some(sql) if sql.is_string() => nvarchar(128),
        _ => SqlType::Int,
    }
}

fn now(ctx: &dyn Run) -> Value {
    let (utc, local) = (ctx.now_utc(), ctx.now_local());
    let minutes = (local.total_ticks() - utc.total_ticks()) / 600_000_000;
    at_offset(local, i16::try_from(minutes).unwrap_or(0)).unwrap_or(Value::Null)
}

fn at_offset(local: DateTime2, minutes: i16) -> SqlResult<Value> {
    DateTimeOffset::from_local(local, minutes).map(Value::DateTimeOffset).ok_or_else(out_of_range)
}

/// 9812 for what is no offset of at most 14 hours, 220 for minutes that are no `smallint`.
fn offset_of(zone: &Value, function: &str) -> SqlResult<i16> {
    let minutes = match zone {
        Value::Str(zone) => parse_offset(zone),
        zone => zone.as_i64().map(|value| i16::try_from(value).map_err(|_| minutes_overflow(value))).transpose()?,
    };
    minutes.filter(|minutes| (-14 * 60..=14 * 60).contains(minutes)).ok_or_else(|| SqlError::of(9812, 0, &[&function]))
}

fn minutes_overflow(value: i64) -> SqlError {
    of_eval(EvalError::ValueOverflow { type_name: "smallint", value })
}

/// `+hh:mm`
fn parse_offset(text: &str) -> Option<i16> {
    let text = text.trim();
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes): (i16, i16) = (hours.parse().ok()?, minutes.parse().ok()?);
    ((0..=14).contains(&hours) && (0..60).contains(&minutes)).then(|| sign * (hours * 60 + minutes))
}

/// The digits of the second's fraction stay.
///
/// # Errors
/// 8116 for what is no date with a time.
fn at_time_zone_signature(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let (datetime, scale) = match types[0] {
        Some(SqlType::DateTimeOffset { scale }) => (offset_type(scale), scale),
        Some(SqlType::DateTime2 { scale }) => (SqlType::DateTime2 { scale }, scale),
        Some(SqlType::DateTime) => (SqlType::DateTime2 { scale: 3 }, 3),
        Some(SqlType::SmallDateTime) => (SqlType::DateTime2 { scale: 0 }, 0),
        other => return Err(invalid_argument(other, 1, "AT TIME ZONE")),
    };
    strict(vec![datetime, nvarchar(128)], offset_type(scale))
}

fn at_time_zone(args: &[Value]) -> SqlResult<Value> {
    let name = text(&args[1]);
    let unknown = || SqlError::of(9820, 1, &[&name]);
    if let Some(minutes) = parse_offset(name) {
        let minutes = Some(minutes).filter(|minutes| (-14 * 60..=14 * 60).contains(minutes)).ok_or_else(unknown)?;
        return match &args[0] {
            Value::DateTimeOffset(datetime) => {
                datetime.switch_offset(minutes).map(Value::DateTimeOffset).ok_or_else(out_of_range)
            }
            Value::DateTime2(local) => at_offset(*local, minutes),
            _ => Ok(Value::Null),
        };
    }
    let zone = Zone::named(name).ok_or_else(unknown)?;
    let datetime = match &args[0] {
        Value::DateTimeOffset(datetime) => {
            zone.at(datetime.utc()).and_then(|(minutes, _)| datetime.switch_offset(minutes))
        }
        Value::DateTime2(local) => zone.of_local(*local),
        _ => return Ok(Value::Null),
    };
    datetime.map(Value::DateTimeOffset).ok_or_else(out_of_range)
}

fn out_of_range() -> SqlError {
    SqlError::of(517, 1, &[&"datetimeoffset"])
}

fn variant_property(args: &[Value]) -> Value {
    let (Value::Variant(variant), Value::Str(property)) = (&args[0], &args[1]) else { return Value::Null };
    let number = |number: i64| boxed(SqlType::Int, i32::try_from(number).map_or(Value::Null, Value::Int));
    let name = |name: &str| boxed(nvarchar(128), Value::str(name));
    match property.to_ascii_lowercase().as_str() {
        "basetype" => name(variant.base_type_name()),
        "precision" => number(i64::from(variant.precision())),
        "scale" => number(i64::from(variant.scale())),
        "totalbytes" => number(variant.total_bytes() as i64),
        "maxlength" => number(i64::from(variant.max_length_bytes())),
        "collation" if variant.base.is_string() => name(variant.collation.name()),
        _ => Value::Null,
    }
}

fn boxed(sql: SqlType, value: Value) -> Value {
    Variant::new(sql, millpond_types::collation::Collation::default(), value).map_or(Value::Null, Value::from)
}
