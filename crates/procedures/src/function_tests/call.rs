//! Reads a call such as `LEFT('abc', 2)` and runs it: find, bind, convert, evaluate.

use millpond_builtin::find;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_message::of_eval;
use millpond_types::cast::{CastRules, cast};
use millpond_types::temporal::DatePart;
use millpond_types::{MaxLen, SqlType, Value};

/// One type of each kind.
pub const TYPES: [&str; 23] = [
    "bit",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "real",
    "float",
    "decimal(10,2)",
    "smallmoney",
    "money",
    "date",
    "time(7)",
    "smalldatetime",
    "datetime",
    "datetime2(7)",
    "char(10)",
    "varchar(max)",
    "nchar(10)",
    "nvarchar(max)",
    "binary(10)",
    "varbinary(10)",
    "varbinary(max)",
    "uniqueidentifier",
];

/// The type of this name.
pub fn type_of(declaration: &str) -> SqlType {
    let (name, args) = declaration.split_once('(').unwrap_or((declaration, ""));
    let args: Vec<u32> = args
        .split([',', ')'])
        .filter(|arg| !arg.is_empty())
        .map(|arg| if arg == "max" { millpond_types::MAX_ARGUMENT } else { arg.parse().expect("a number") })
        .collect();
    millpond_types::parse_type_name(name, &args).expect("a type")
}

/// The result's type and the value as text.
pub fn run(ctx: &RunContext, call: &str) -> SqlResult<(String, String)> {
    let (name, args) = call.trim_end_matches(')').split_once('(').unwrap_or((call, ""));
    let def = find(name).unwrap_or_else(|| panic!("no function {name}"));
    let args: Vec<(Option<SqlType>, Value)> =
        split(args).into_iter().enumerate().map(|(i, arg)| literal(arg, i == 0 && def.date_part_first)).collect();
    assert!((def.min_args..=def.max_args).contains(&args.len()), "{call} has {} arguments", args.len());
    let types: Vec<Option<SqlType>> = args.iter().map(|(ty, _)| *ty).collect();
    let signature = (def.bind)(&types)?;
    assert_eq!(signature.params.len(), args.len(), "{call}");
    let mut values = Vec::new();
    for ((ty, value), param) in args.into_iter().zip(&signature.params) {
        values.push(match ty {
            Some(ty) if ty != *param => cast(&value, &ty, param, None, CastRules::DEFAULT).map_err(of_eval)?,
            _ => value,
        });
    }
    let value = (def.eval)(ctx, &values, &signature.params, &signature.result)?;
    assert!(signature.nullable || !value.is_null() || values.iter().any(Value::is_null), "{call} is NULL unannounced");
    Ok((signature.result.declaration(), shown(&value, &signature.result)))
}

/// Arguments apart at commas that are in no quotes.
fn split(args: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quoted, mut depth) = (0, false, 0);
    for (at, c) in args.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(args[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = args[start..].trim();
    if !parts.is_empty() || !last.is_empty() {
        parts.push(last);
    }
    parts
}

fn literal(text: &str, is_date_part: bool) -> (Option<SqlType>, Value) {
    if is_date_part {
        let part = DatePart::by_name(text).unwrap_or_else(|| panic!("{text} is no date part"));
        return (Some(SqlType::Int), Value::Int(part as i32));
    }
    if text.eq_ignore_ascii_case("NULL") {
        return (None, Value::Null);
    }
    if let Some((prefix, quoted)) = text.split_once('\'') {
        return quoted_literal(prefix, &quoted.strip_suffix('\'').expect("a closing quote").replace("''", "'"));
    }
    if let Some(amount) = text.strip_prefix('$') {
        return typed(SqlType::Money, amount);
    }
    if text.contains(['e', 'E']) {
        return (Some(SqlType::Float), Value::Float(text.parse().expect("a float")));
    }
    if text.contains('.') {
        let digits = text.bytes().filter(u8::is_ascii_digit).count() as u8;
        let scale = (text.len() - text.find('.').expect("a point") - 1) as u8;
        return typed(SqlType::decimal(digits, scale), text);
    }
    match text.parse() {
        Ok(n) => (Some(SqlType::Int), Value::Int(n)),
        Err(_) => typed(SqlType::BigInt, text),
    }
}

fn quoted_literal(prefix: &str, text: &str) -> (Option<SqlType>, Value) {
    let units = text.encode_utf16().count().max(1) as u16;
    match prefix {
        "" => (Some(SqlType::varchar(units)), Value::str(text)),
        "N" => (Some(SqlType::NVarChar { len: MaxLen::Limited(units) }), Value::str(text)),
        "0x" => {
            let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
            let bytes: Vec<u8> = (0..text.len()).step_by(2).map(byte).collect();
            let len = MaxLen::Limited(bytes.len().max(1) as u16);
            (Some(SqlType::VarBinary { len }), Value::from(bytes))
        }
        declaration => typed(type_of(declaration), text),
    }
}

fn typed(ty: SqlType, text: &str) -> (Option<SqlType>, Value) {
    let from = SqlType::VARCHAR_MAX;
    let value = if text == "NULL" {
        Value::Null
    } else {
        cast(&Value::str(text), &from, &ty, None, CastRules::DEFAULT).expect("a literal")
    };
    (Some(ty), value)
}

/// Floats with 15 digits, dates in ISO form, binary in hexadecimal.
fn shown(value: &Value, of: &SqlType) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Str(text) => text.to_string(),
        Value::Variant(held) => shown(&held.value, &held.base),
        Value::Float(x) => format!("{}", format!("{x:.14e}").parse::<f64>().expect("a float")),
        Value::Decimal(decimal) => decimal.to_string(),
        Value::Money(amount) => format!("{:.4}", *amount as f64 / 1e4),
        Value::Binary(bytes) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
        Value::Date(_) => styled(value, of, 23),
        Value::Time(_) => styled(value, of, 114),
        Value::DateTime(_) | Value::SmallDateTime(_) | Value::DateTime2(_) => styled(value, of, 121),
        integer => integer.as_i64().map_or_else(|| format!("{integer:?}"), |n| n.to_string()),
    }
}

fn styled(value: &Value, of: &SqlType, style: i32) -> String {
    let (_, scale) = of.precision_scale();
    millpond_types::date_style::format_style(value, scale, style).expect("a style of all dates").to_string()
}
