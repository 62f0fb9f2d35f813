//! STRING_SPLIT: the pieces of a text between its separators as rows.
//!
//! What always holds: a text of n separators has n + 1 pieces, empty ones among them, in their order; a text that is NULL has
//! none. A separator is found as the collation of the call compares. A piece is copied when its row is asked for.
//! Does not know what its columns are called.

use millpond_catalog::run::Run;
use millpond_catalog::unfold::{Unfold, UnfoldedRows};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::Value;
use millpond_types::collation::Collation;

use crate::text::search::Finder;
use crate::text::string::check_size;

/// A call: arguments are the text and the separator, as texts of one encoding.
#[derive(Debug)]
pub struct StringSplit {
    /// By which the separator is found.
    pub collation: Collation,
    /// Each row has the number of its piece too, from 1.
    pub with_ordinal: bool,
}

impl Unfold for StringSplit {
    fn name(&self) -> &'static str {
        "STRING_SPLIT"
    }

    fn open(&self, _: &dyn Run, mut args: Vec<Value>) -> SqlResult<Box<dyn UnfoldedRows>> {
        let separator = args.pop().unwrap_or(Value::Null);
        let text = args.pop().unwrap_or(Value::Null);
        let separator = match separator.as_str() {
            Some(one) if self.is_one(one) => one.to_owned(),
            _ => return Err(SqlError::of(214, 11, &[&"separator", &"nchar(1)/nvarchar(1)"])),
        };
        let next = if text.is_null() { None } else { Some(0) };
        let StringSplit { collation, with_ordinal } = *self;
        Ok(Box::new(Pieces { text, separator, collation, with_ordinal, next, given: 0 }))
    }
}

impl StringSplit {
    /// Whether the text is one character: one unit of UTF-16, but for a collation that counts characters.
    fn is_one(&self, text: &str) -> bool {
        let mut characters = text.chars();
        let first = characters.next().map_or(0, char::len_utf16);
        characters.next().is_none() && (first == 1 || first == 2 && self.collation.is_supplementary())
    }
}

/// Pieces on their way.
struct Pieces {
    text: Value,
    separator: String,
    collation: Collation,
    with_ordinal: bool,
    /// Where the next piece begins, in bytes; none after the last one.
    next: Option<usize>,
    /// Pieces given so far.
    given: i64,
}

impl UnfoldedRows for Pieces {
    fn next(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        let (Some(start), Some(text)) = (self.next, self.text.as_str()) else { return Ok(None) };
        let found = Finder::new(ctx.watch(), text, &self.separator, self.collation).find(start)?;
        let end = found.as_ref().map_or(text.len(), |found| found.start);
        self.next = found.map(|found| found.end);
        self.given += 1;
        check_size(ctx.watch(), end - start)?;
        let mut row = vec![ctx.hold(Ok(Value::str(&text[start..end])))?];
        if self.with_ordinal {
            row.push(Value::BigInt(self.given));
        }
        Ok(Some(row))
    }
}
