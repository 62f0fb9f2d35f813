//! FORMAT: a number or a date in a .NET format string, in US English.
//!
//! Standard formats are single letters with an optional precision, all others are custom. A format that .NET refuses
//! gives NULL, as in SQL Server; one that .NET knows and this file does not is an error, as is another culture.

mod date;
mod number;

use millpond_message as message;
use millpond_message::absent;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use crate::args::{invalid_argument, nullable, nvarchar, text};
use crate::define::{pure, strict_eval};
use crate::text::string::fit;
use crate::{FunctionDef, Signature};

/// The function.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[pure("FORMAT", (2, 3), bind, strict_eval!(format))];

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

fn format(args: &[Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let pattern = text(&args[1]);
    if let Some(culture) = args.get(2).map(text) {
        check_culture(culture)?;
    }
    let formatted =
        if params[0].is_temporal() { date::format(&args[0], pattern) } else { number::format(&args[0], pattern) };
    match formatted {
        Formatted::Text(text) => Ok(fit(text, result)),
        Formatted::Invalid => Ok(Value::Null),
        Formatted::Unknown => Err(millpond_message::missing(&format!("FORMAT with the format '{pattern}'"))),
    }
}

fn check_culture(culture: &str) -> SqlResult<()> {
    if ["", "en", "en-us"].contains(&culture.trim_end_matches(' ').to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    if absent::culture(culture) {
        return Err(message::missing(&format!("FORMAT with the culture {culture}")));
    }
    Err(SqlError::of(9818, 1, &[&culture]))
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
