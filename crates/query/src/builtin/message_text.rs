//! Texts with places for values, as RAISERROR and FORMATMESSAGE take them; FORMATMESSAGE.

use millpond_types::{MaxLen, SqlType, Value};

use super::FunctionDef;
use super::Signature;
use super::args::{nullable, nvarchar};
use super::define::fixed;
use crate::error::{SqlError, SqlResult};

/// Longest text, in UTF-16 units.
const UNITS_MAX: u16 = 2048;

/// The functions.
pub(super) static FUNCTIONS: &[FunctionDef] = &[fixed("FORMATMESSAGE", (1, 21), bind, |_, args, _, _| {
    match &args[0] {
        Value::Str(text) => Ok(Value::str(&shortened(format_message(text, &args[1..])?))),
        // No message of a number is kept.
        _ => Ok(Value::Null),
    }
})];

fn bind(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let params = types.iter().map(|ty| ty.unwrap_or(SqlType::NVarChar { len: MaxLen::Limited(1) })).collect();
    nullable(params, nvarchar(UNITS_MAX))
}

fn shortened(text: String) -> String {
    match text.encode_utf16().count() > usize::from(UNITS_MAX) {
        true => text.chars().take(usize::from(UNITS_MAX) - 3).chain("...".chars()).collect(),
        false => text,
    }
}

/// RAISERROR's format: `%s`, `%d`, `%i`, `%u`, `%o`, `%x`, `%X`, `%%`, with flags, width and precision.
///
/// # Errors
/// 2786, 2787 for a format or an argument that does not fit it.
pub(crate) fn format_message(format: &str, args: &[Value]) -> SqlResult<String> {
    let mut args = args.iter();
    let mut out = String::with_capacity(format.len());
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let spec_len =
            rest.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'h' | 'l' | 'I')).unwrap_or(rest.len());
        let (spec, tail) = rest.split_at(spec_len);
        let Some(kind) = tail.chars().next() else {
            return Err(SqlError::new(2787, 16, 1, format!("Invalid format specification: '%{spec}'.")));
        };
        rest = &tail[kind.len_utf8()..];
        out.push_str(&format_one(spec, kind, args.next().unwrap_or(&Value::Null))?);
    }
    out.push_str(rest);
    Ok(out)
}

fn format_one(spec: &str, kind: char, value: &Value) -> SqlResult<String> {
    let mismatch = || {
        SqlError::new(
            2786,
            16,
            1,
            "The data type of substitution parameter 1 does not match the expected type of the format specification.",
        )
    };
    let body = match (kind, value) {
        (_, Value::Null) => "(null)".to_owned(),
        ('s', Value::Str(text)) => text.to_string(),
        ('d' | 'i', value) => value.as_i64().ok_or_else(mismatch)?.to_string(),
        ('u', value) => (value.as_i64().ok_or_else(mismatch)? as u32).to_string(),
        ('o', value) => format!("{:o}", value.as_i64().ok_or_else(mismatch)? as u32),
        ('x', value) => format!("{:x}", value.as_i64().ok_or_else(mismatch)? as u32),
        ('X', value) => format!("{:X}", value.as_i64().ok_or_else(mismatch)? as u32),
        ('s', _) => return Err(mismatch()),
        (other, _) => {
            return Err(SqlError::new(2787, 16, 1, format!("Invalid format specification: '%{spec}{other}'.")));
        }
    };
    let (left, zero) = (spec.contains('-'), spec.starts_with('0'));
    let digits: String = spec.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let width = digits.parse::<usize>().unwrap_or(0).min(2048);
    Ok(match (left, zero) {
        (true, _) => format!("{body:<width$}"),
        (false, true) => format!("{body:0>width$}"),
        (false, false) => format!("{body:>width$}"),
    })
}
