//! FORMAT: a number or a date in a .NET format string, as a culture writes it.
//!
//! Standard formats are single letters with an optional precision, all others are custom. A format that .NET refuses
//! gives NULL, as in SQL Server; what .NET knows and this folder does not is an error: names of eras but in English, and dates
//! of calendars that [`crate::culture`] does not have.

mod date;
mod number;

use millpond_catalog::run::Run;
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use crate::args::{any_null, invalid_argument, nullable, nvarchar, text};
use crate::culture::Culture;
use crate::define::fixed;
use crate::text::string::fit;
use crate::{FunctionDef, Signature};

/// The function.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[fixed("FORMAT", (2, 3), bind, format)];

/// What became of a format string.
enum Formatted {
    /// A text.
    Text(String),
    /// .NET refuses the format.
    Invalid,
    /// .NET knows the format, we do not.
    Unknown,
}

fn bind(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    if types[1].is_none() {
        return Err(invalid_argument(None, 2, "format"));
    }
    let value = match types[0] {
        Some(ty) if (ty.is_numeric() && ty != SqlType::Bit) || ty.is_temporal() => ty,
        other => return Err(invalid_argument(other, 1, "format")),
    };
    nullable([value, nvarchar(4000), nvarchar(128)][..types.len()].to_vec(), nvarchar(4000))
}

fn format(ctx: &dyn Run, args: &[Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let pattern = text(&args[1]);
    let culture = match args.get(2) {
        Some(name) => Culture::called(text(name))?,
        None => Culture::of_language(ctx.facts().settings.language),
    };
    let formatted = match params[0].is_temporal() {
        true => date::format(&args[0], pattern, culture),
        false => number::format(&args[0], pattern, culture),
    };
    match formatted {
        Formatted::Text(text) => Ok(fit(text, result)),
        Formatted::Invalid => Ok(Value::Null),
        Formatted::Unknown => {
            let name = culture.name;
            Err(millpond_message::missing(&format!("FORMAT with the format '{pattern}' in the culture '{name}'")))
        }
    }
}

/// A letter and the number after it, if the whole text is that.
fn standard(pattern: &str) -> Option<(char, Option<usize>)> {
    let mut chars = pattern.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    let digits = chars.as_str();
    match digits.len() {
        0 => Some((letter, None)),
        1 | 2 => digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| (letter, digits.parse().ok())),
        _ => None,
    }
}
