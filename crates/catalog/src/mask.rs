//! Masks of columns: what stands in the place of a value for who may not see it.
//!
//! What always holds: the text is kept as it was written (`sys.masked_columns`), and is one that is understood. It knows no values.

use std::sync::Arc;

use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_types::SqlType;

use crate::ObjectId;

/// The mask of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// As it was written.
    pub text: Arc<str>,
    /// What it does.
    pub function: MaskFunction,
    /// The columns of other tables whose value it is, in the rows that a trigger sees: UNMASK is asked for there. None: its own.
    pub of: Vec<(DbId, ObjectId, i32)>,
}

/// What a mask does.
#[derive(Clone, Debug, PartialEq)]
pub enum MaskFunction {
    /// `default()`: a value of the type that says nothing.
    Default,
    /// `email()`: the first letter.
    Email,
    /// `random(from, to)`
    Random(f64, f64),
    /// `partial(prefix, "padding", suffix)`
    Partial {
        /// Characters shown at the beginning.
        prefix: usize,
        /// What stands between.
        padding: String,
        /// Characters shown at the end.
        suffix: usize,
    },
    /// `datetime("Y")` and its kin: the letter says which part is hidden.
    DateTime(char),
}

impl Mask {
    /// The mask of a text, of a column.
    ///
    /// # Errors
    /// 16002 for a name that is no function's, 16006 for a text that is no call, 16005 for arguments that it does not take.
    pub fn read(text: &str, column: &str) -> SqlResult<Mask> {
        let trimmed = text.trim();
        let name_end = trimmed.find('(').unwrap_or(trimmed.len());
        let name = trimmed[..name_end].trim();
        let lower = name.to_ascii_lowercase();
        if !["default", "email", "random", "partial", "datetime"].contains(&lower.as_str()) {
            return Err(SqlError::of(16_002, 1, &[&column]));
        }
        let malformed = || SqlError::of(16_006, 1, &[&name, &column]);
        let inner =
            trimmed[name_end..].strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(malformed)?;
        let function = function_of(&lower, inner).ok_or_else(|| SqlError::of(16_005, 1, &[&name, &column]))?;
        Ok(Mask { text: Arc::from(text), function, of: Vec::new() })
    }

    /// Whether values of a type can have it.
    ///
    /// # Errors
    /// 16003
    pub fn check_type(&self, sql: &SqlType, column: &str) -> SqlResult<()> {
        let (name, fits) = match &self.function {
            MaskFunction::Default => ("default", *sql != SqlType::RowVersion),
            MaskFunction::Email => ("email", sql.is_string()),
            MaskFunction::Partial { .. } => ("partial", sql.is_string()),
            MaskFunction::Random(..) => ("random", sql.is_numeric() && *sql != SqlType::Bit),
            MaskFunction::DateTime(_) => ("datetime", sql.is_temporal()),
        };
        if fits { Ok(()) } else { Err(SqlError::of(16_003, 1, &[&column, &name])) }
    }
}

fn function_of(name: &str, inner: &str) -> Option<MaskFunction> {
    match name {
        "default" => inner.trim().is_empty().then_some(MaskFunction::Default),
        "email" => inner.trim().is_empty().then_some(MaskFunction::Email),
        "random" => {
            let (from, to) = inner.split_once(',')?;
            let (from, to): (f64, f64) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
            (from.is_finite() && to.is_finite() && from <= to).then_some(MaskFunction::Random(from, to))
        }
        "partial" => {
            let (prefix, rest) = inner.split_once(',')?;
            let (padding, suffix) = rest.rsplit_once(',')?;
            let padding = quoted(padding)?.to_owned();
            let (prefix, suffix) = (prefix.trim().parse().ok()?, suffix.trim().parse().ok()?);
            Some(MaskFunction::Partial { prefix, padding, suffix })
        }
        _ => {
            let part = quoted(inner)?;
            let letter = part.chars().next().filter(|letter| "YMDhms".contains(*letter))?;
            (part.len() == 1).then_some(MaskFunction::DateTime(letter))
        }
    }
}

/// The text between double quotes.
fn quoted(text: &str) -> Option<&str> {
    text.trim().strip_prefix('"')?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_read_or_refused() {
        let read = |text: &str| Mask::read(text, "c").map(|mask| mask.function).map_err(|error| error.number);
        assert_eq!(read("default()"), Ok(MaskFunction::Default));
        assert_eq!(read(" EMAIL( ) "), Ok(MaskFunction::Email));
        assert_eq!(read("random(1, 12)"), Ok(MaskFunction::Random(1.0, 12.0)));
        let partial = MaskFunction::Partial { prefix: 1, padding: "X,\"X".into(), suffix: 0 };
        assert_eq!(read("partial(1,\"X,\"X\",0)"), Ok(partial));
        assert_eq!(read("datetime(\"h\")"), Ok(MaskFunction::DateTime('h')));
        for (text, number) in [
            ("nothing()", 16_002),
            ("", 16_002),
            ("default", 16_006),
            ("default(", 16_006),
            ("default(1)", 16_005),
            ("email(\"x\")", 16_005),
            ("random(1)", 16_005),
            ("random(5, 1)", 16_005),
            ("random(a, b)", 16_005),
            ("partial(1,XX,0)", 16_005),
            ("partial(-1,\"X\",0)", 16_005),
            ("partial(1,\"X\")", 16_005),
            ("datetime(\"Q\")", 16_005),
            ("datetime(\"YM\")", 16_005),
        ] {
            assert_eq!(read(text), Err(number), "{text}");
        }
    }
}
