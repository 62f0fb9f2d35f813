//! TERTIARY_WEIGHTS: what is left of a text's order where a tertiary SQL collation calls two texts equal.
//!
//! One byte for each character: its case, capitals first, and whether it has an accent. SQL Server's bytes are others; both order
//! texts that are equal but for these.

use millpond_message::error::SqlResult;
use millpond_types::{Collation, MaxLen, SqlType, Value, Watch};

use crate::args::{invalid_argument, nullable, text};
use crate::define::{comparing, pure, watched_eval};
use crate::text::search::collation_at;
use crate::{FunctionDef, Signature};

/// Sort orders of the tertiary SQL collations.
const TERTIARY: [u8; 32] = [
    33, 34, 43, 44, 49, 53, 54, 56, 57, 58, 82, 84, 86, 88, 90, 92, 94, 96, 106, 108, 113, 114, 130, 146, 154, 156,
    158, 160, 183, 184, 185, 186,
];

/// The function.
pub(crate) static FUNCTIONS: &[FunctionDef] =
    &[comparing(pure("TERTIARY_WEIGHTS", (1, 1), bind_weights, watched_eval!(weights)))];

/// # Errors
/// 8116 for what is no `char` and no `varchar`.
fn bind_weights(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let len = match types[0] {
        Some(SqlType::Char { len, .. }) => MaxLen::Limited(len),
        Some(SqlType::VarChar { len, .. }) => len,
        other => return Err(invalid_argument(other, 1, "tertiary_weights")),
    };
    nullable(types[0].into_iter().collect(), SqlType::VarBinary { len })
}

fn weights(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    if !is_tertiary(collation_at(args.get(1))) {
        return Ok(Value::Null);
    }
    let text = text(&args[0]);
    let mut bytes = Vec::with_capacity(text.len());
    let mut ticker = watch.ticker();
    for letter in text.chars() {
        ticker.tick()?;
        bytes.push(weight(letter));
    }
    Ok(Value::Binary(bytes.into()))
}

fn is_tertiary(collation: Collation) -> bool {
    TERTIARY.contains(&collation.sort_id())
}

/// 0 for what is no letter, 1 for a capital, 2 for a small letter; two more for a letter with an accent.
fn weight(letter: char) -> u8 {
    let case = match (letter.is_uppercase(), letter.is_lowercase()) {
        (true, _) => 1,
        (_, true) => 2,
        _ => return 0,
    };
    if letter.is_ascii() { case } else { case + 2 }
}

#[cfg(test)]
mod tests {
    use super::weight;

    #[test]
    fn capitals_come_first_and_accents_last() {
        assert_eq!("aA1éÉ".chars().map(weight).collect::<Vec<_>>(), [2, 1, 0, 4, 3]);
    }
}
