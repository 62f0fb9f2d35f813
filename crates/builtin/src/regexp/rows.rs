//! REGEXP_MATCHES and REGEXP_SPLIT_TO_TABLE: matches, and what stands between them, as rows.
//!
//! What always holds: a row is made when it is asked for; an argument that is NULL makes no rows. Positions are of characters,
//! from 1; the last character of a match is its end. Does not know what its columns are called.

use std::fmt::Write;

use millpond_catalog::run::Run;
use millpond_catalog::unfold::{Unfold, UnfoldedRows};
use millpond_message::error::SqlResult;
use millpond_types::{Value, Watch};
use regex::Regex;

use crate::json::write::escape;
use crate::regexp::{Found, Of, compiled};
use crate::text::string::check_size;

/// A call of one of the two: arguments are text, pattern, and flags where there are some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfolded {
    /// REGEXP_MATCHES
    Matches,
    /// REGEXP_SPLIT_TO_TABLE
    Split,
}

impl Unfold for Unfolded {
    fn name(&self) -> &'static str {
        match self {
            Unfolded::Matches => "REGEXP_MATCHES",
            Unfolded::Split => "REGEXP_SPLIT_TO_TABLE",
        }
    }

    fn open(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Box<dyn UnfoldedRows>> {
        let (mut text, mut regex) = (None, None);
        if !args.iter().any(Value::is_null) {
            regex = Some(compiled(Of::ROWS, args[1].as_str().unwrap_or_default(), args.get(2))?);
            text = args[0].as_str().map(str::to_owned);
        }
        let (Some(text), Some(regex)) = (text, regex) else { return Ok(Box::new(NoRows)) };
        let length = characters(ctx.watch(), &text, (0, 0), text.len())?;
        let kind = *self;
        Ok(Box::new(Rows {
            kind,
            text,
            length,
            regex,
            at: Some(0),
            last_end: None,
            counted: (0, 0),
            piece: 0,
            given: 0,
        }))
    }
}

struct Rows {
    kind: Unfolded,
    text: String,
    /// Its characters.
    length: usize,
    regex: Regex,
    /// Where the next search begins; none after the last row.
    at: Option<usize>,
    last_end: Option<usize>,
    /// A byte of the text and the number of characters before it.
    counted: (usize, usize),
    /// Where the piece begins whose end is looked for.
    piece: usize,
    given: i64,
}

/// Those of an argument that is NULL.
struct NoRows;

impl UnfoldedRows for NoRows {
    fn next(&mut self, _: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        Ok(None)
    }
}

impl UnfoldedRows for Rows {
    fn next(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        match self.kind {
            Unfolded::Matches => self.next_match(ctx),
            Unfolded::Split => self.next_piece(ctx),
        }
    }
}

impl Rows {
    fn next_match(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        let watch = ctx.watch();
        let Some(at) = self.at else { return Ok(None) };
        let mut found = Found { regex: &self.regex, text: &self.text, at: Some(at), last_end: self.last_end };
        let captures = found.next(watch)?;
        (self.at, self.last_end) = (found.at, found.last_end);
        let Some(captures) = captures else { return Ok(None) };
        let whole = captures.get_match();
        check_size(watch, whole.len())?;
        // From the last place that was counted on: matches come in the order of the text.
        let first = characters(watch, &self.text, self.counted, whole.start())?;
        let length = characters(watch, &self.text, (whole.start(), 0), whole.end())?;
        self.counted = (whole.end(), first + length);
        let start = (first + 1).min(self.length);
        let end = if length == 0 { start } else { first + length };
        let mut groups: Vec<_> = (1..captures.len()).map(|group| captures.get(group)).collect();
        if groups.is_empty() {
            groups.push(Some(whole));
        }
        let mut json = String::from("[");
        for (index, group) in groups.iter().enumerate() {
            json.push_str(if index == 0 { "{\"value\":" } else { ",{\"value\":" });
            match group {
                None => json.push_str("null,\"start\":null,\"length\":null}"),
                Some(part) => {
                    let before = characters(watch, &self.text, (whole.start(), first), part.start())?;
                    let length = characters(watch, &self.text, (part.start(), 0), part.end())?;
                    check_size(watch, json.len() + part.len() * 6)?;
                    json.push('"');
                    escape(part.as_str(), &mut json);
                    let _ = write!(json, "\",\"start\":{},\"length\":{length}}}", before + 1);
                }
            }
        }
        json.push(']');
        self.given += 1;
        let (value, json) = (Value::str(whole.as_str()), Value::from(json));
        let int = |n: usize| Value::Int(i32::try_from(n).unwrap_or(i32::MAX));
        let (value, json) = (ctx.hold(Ok(value))?, ctx.hold(Ok(json))?);
        Ok(Some(vec![Value::BigInt(self.given), int(start), int(end), value, json]))
    }

    fn next_piece(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        let watch = ctx.watch();
        let Some(mut at) = self.at else { return Ok(None) };
        let end = loop {
            let mut found = Found { regex: &self.regex, text: &self.text, at: Some(at), last_end: self.last_end };
            let whole = found.next(watch)?.map(|captures| captures.get_match());
            (self.at, self.last_end) = (found.at, found.last_end);
            match (whole, self.at) {
                (None, _) => break None,
                // An empty match at either end parts nothing.
                (Some(whole), next) if whole.is_empty() && (whole.start() == 0 || whole.end() == self.text.len()) => {
                    let Some(next) = next else { break None };
                    at = next;
                }
                (Some(whole), _) => break Some(whole.range()),
            }
        };
        let start = self.piece;
        let until = end.as_ref().map_or(self.text.len(), |end| end.start);
        match end {
            None => self.at = None,
            Some(end) => {
                self.piece = end.end;
                // A match at the very end leaves an empty piece after it.
                self.at = Some(self.at.unwrap_or(self.text.len()));
            }
        }
        check_size(watch, until - start)?;
        self.given += 1;
        Ok(Some(vec![ctx.hold(Ok(Value::str(&self.text[start..until])))?, Value::BigInt(self.given)]))
    }
}

/// The number of characters before byte `to`, of which some are counted.
fn characters(watch: Watch<'_>, text: &str, (from, before): (usize, usize), to: usize) -> SqlResult<usize> {
    let mut count = before;
    for piece in watch.pieces(&text[from..to]) {
        count += piece?.chars().count();
    }
    Ok(count)
}
