//! What masks make of values, and whether the statement may see what is behind one: calls that the binder makes. They are in no
//! family: no text names them.
//!
//! What always holds: NULL stays NULL; a masked value is of its column's type, and says nothing but what the mask shows.

use std::str::FromStr;

use millpond_catalog::ObjectId;
use millpond_catalog::mask::{Mask, MaskFunction};
use millpond_catalog::run::Run;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::{MaxLen, SqlType, Value, cast};

use super::args::{int, nullable, strict, text};
use super::define::{fixed, per_row, pure};
use super::{FunctionDef, Signature};

/// The type of a mask's text.
const MASK_TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Limited(4000) };

/// Whether the session sees a column as it is: the numbers of the database, the object and the column; 1 or 0.
pub static SEES_COLUMN: FunctionDef = fixed(
    "UNMASK",
    (3, 3),
    |_| strict(vec![SqlType::Int; 3], SqlType::Int),
    |ctx, args, _, _| {
        let number = |at: usize| i32::try_from(int(&args[at])).unwrap_or(0);
        let database = u16::try_from(number(0)).map_or(DbId::MASTER, DbId);
        let sees = ctx.principals().sees_column(database, ObjectId(number(1)), number(2));
        Ok(Value::Int(i32::from(sees)))
    },
);

/// A value behind the mask of a text.
pub static MASKED: FunctionDef = pure("MASKED", (2, 2), signature, masked);

/// The same of a mask that is another for each row.
pub static MASKED_BY_CHANCE: FunctionDef = per_row("MASKED", (2, 2), signature, masked);

fn signature(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let value = types[0].unwrap_or(SqlType::Int);
    nullable(vec![value, MASK_TEXT], value)
}

fn masked(ctx: &dyn Run, args: &[Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let mask = Mask::read(text(&args[1]), "")?;
    let value = match &mask.function {
        MaskFunction::Default => return Ok(nothing(ctx, result)),
        MaskFunction::Email => {
            let first: String = given(&args[0]).chars().take(1).collect();
            format!("{first}XXX@XXXX.com")
        }
        MaskFunction::Partial { prefix, padding, suffix } => partial(given(&args[0]), *prefix, padding, *suffix),
        MaskFunction::Random(from, to) => {
            let chance = ctx.catalog().random().next();
            let value = match result.is_integer() {
                // Both ends may come.
                true => (from + chance * (to - from + 1.0)).floor().min(*to),
                false => from + chance * (to - from),
            };
            return Ok(converted(ctx, &Value::Float(value), &SqlType::Float, result, None));
        }
        MaskFunction::DateTime(part) => return Ok(without_part(ctx, &args[0], &params[0], result, *part)),
    };
    let wide = MASK_TEXT;
    Ok(converted(ctx, &Value::from(cut(value, result)), &wide, result, None))
}

/// The characters of a text.
fn given(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// As many characters as the type has room for.
fn cut(text: String, sql: &SqlType) -> String {
    match sql.max_len() {
        Some(MaxLen::Limited(units)) => text.chars().take(usize::from(units)).collect(),
        _ => match sql {
            SqlType::Char { len, .. } | SqlType::NChar { len } => text.chars().take(usize::from(*len)).collect(),
            _ => text,
        },
    }
}

/// A text of which beginning and end are shown, but never all of it.
fn partial(text: &str, prefix: usize, padding: &str, suffix: usize) -> String {
    let length = text.chars().count();
    let shown = length.saturating_sub(1);
    let (prefix, suffix) = if prefix + suffix > length {
        let prefix = prefix.min(shown);
        (prefix, suffix.min(shown - prefix))
    } else {
        (prefix, suffix)
    };
    let begin: String = text.chars().take(prefix).collect();
    let end: String = text.chars().skip(length - suffix).collect();
    begin + padding + &end
}

/// What `default()` shows of a type.
fn nothing(ctx: &dyn Run, sql: &SqlType) -> Value {
    let wide = MASK_TEXT;
    let of_text = |shown: &str| converted(ctx, &Value::str(shown), &wide, sql, None);
    match sql {
        sql if sql.is_string() => of_text(&cut("xxxx".to_owned(), sql)),
        SqlType::Bit => Value::Bit(false),
        sql if sql.is_numeric() => converted(ctx, &Value::Int(0), &SqlType::Int, sql, None),
        SqlType::Time { .. } => of_text("00:00:00"),
        SqlType::DateTimeOffset { .. } => of_text("1900-01-01 00:00:00 +00:00"),
        sql if sql.is_temporal() => of_text("19000101"),
        sql if sql.is_binary() => {
            let one = SqlType::VarBinary { len: MaxLen::Limited(1) };
            converted(ctx, &Value::Binary(b"0".to_vec().into()), &one, sql, None)
        }
        SqlType::UniqueIdentifier => Value::Guid([0; 16]),
        SqlType::Xml => of_text("<masked />"),
        _ => Value::Null,
    }
}

/// NULL where the value does not convert.
fn converted(ctx: &dyn Run, value: &Value, from: &SqlType, to: &SqlType, style: Option<i32>) -> Value {
    cast::cast(value, from, to, style, ctx.cast_rules()).unwrap_or(Value::Null)
}

/// ODBC's canonical form with milliseconds.
const CANONICAL: i32 = 121;

/// A moment with a part of it as it is in 2000-01-01 00:00:00.
fn without_part(ctx: &dyn Run, value: &Value, from: &SqlType, to: &SqlType, part: char) -> Value {
    let wide = SqlType::varchar(40);
    let written = converted(ctx, value, from, &wide, Some(CANONICAL));
    let Ok(mut text) = String::from_str(given(&written));
    let time = if matches!(from, SqlType::Time { .. }) { 0 } else { 11 };
    let (at, shown) = match part {
        'Y' => (0, "2000"),
        'M' => (5, "01"),
        'D' => (8, "01"),
        'h' => (time, "00"),
        'm' => (time + 3, "00"),
        _ => (time + 6, "00"),
    };
    let has_part = match part {
        'Y' | 'M' | 'D' => time == 11,
        _ => *from != SqlType::Date,
    };
    if !has_part || text.len() < at + shown.len() {
        return nothing(ctx, to);
    }
    text.replace_range(at..at + shown.len(), shown);
    if part == 's' {
        let rest = text.split_off(at + shown.len());
        // Fractions go with their seconds, an offset stays.
        text.push_str(rest.trim_start_matches(|sign: char| sign == '.' || sign.is_ascii_digit()));
    }
    converted(ctx, &Value::from(text), &wide, to, Some(CANONICAL))
}

#[cfg(test)]
mod tests {
    use super::partial;

    #[test]
    fn a_text_is_never_shown_as_a_whole() {
        assert_eq!(partial("Roberto", 1, "XXXXXXX", 0), "RXXXXXXX");
        assert_eq!(partial("555-1234", 3, "-", 2), "555-34");
        assert_eq!(partial("abc", 2, "x", 2), "abx");
        assert_eq!(partial("a", 1, "x", 1), "x");
        assert_eq!(partial("", 3, "x", 3), "x");
        assert_eq!(partial("äöü", 1, "", 1), "äü");
    }
}
