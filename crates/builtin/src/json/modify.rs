//! JSON_MODIFY: the text as it is, but for one place.
//!
//! What always holds: what is not changed comes back byte for byte. Where nothing is to be changed the text comes back however
//! wrong it is after what was read; where something is, all of it was read.

use std::borrow::Cow;
use std::ops::Range;

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{Value, Watch};

use super::find::{Found, Member, Missing, Place, find};
use super::path::{Path, Step};
use super::reader::{Container, Fault, Reader};
use super::write::Writer;
use crate::text::string::check_size;

/// The state of the errors about the text.
const STATE: u8 = 7;

/// A change: what is replaced, and by what. A new name is written before a new value.
struct Change<'p> {
    range: Range<usize>,
    comma: bool,
    name: Option<&'p str>,
    /// The new value is put between brackets.
    in_array: bool,
    /// It is written at all.
    has_value: bool,
}

/// The text with a value at the path; `write` writes the value.
///
/// # Errors
/// 13607 to 13609, 13619, 13621.
pub(crate) fn modify(
    watch: Watch<'_>,
    text: &str,
    path: &Path,
    is_null: bool,
    write: &mut dyn FnMut(&mut Writer<'_>) -> SqlResult<()>,
) -> SqlResult<Option<Value>> {
    if path.steps.is_empty() && !path.appends {
        return Err(SqlError::of(13_619, 1, &[&2]));
    }
    let mut reader = Reader::new(text, watch);
    let fault = |fault: Fault| fault.of(text, STATE);
    let found = find(&mut reader, &path.steps).map_err(fault)?;
    let Some(change) = change(text, path, found, is_null)? else { return Ok(None) };
    reader.finish().map_err(fault)?;
    check_size(watch, text.len())?;
    let mut writer = Writer::new(watch);
    writer.plain(&text[..change.range.start])?;
    if change.comma {
        writer.sign(',');
    }
    if let Some(name) = change.name {
        writer.sign('"');
        writer.plain(&valid(name))?;
        writer.plain("\":")?;
    }
    if change.in_array {
        writer.sign('[');
    }
    if change.has_value {
        write(&mut writer)?;
    }
    if change.in_array {
        writer.sign(']');
    }
    writer.plain(&text[change.range.end..])?;
    Ok(Some(Value::from(writer.into_text())))
}

/// What is to be done, if anything is.
fn change<'p>(text: &str, path: &'p Path, found: Found<'_>, is_null: bool) -> SqlResult<Option<Change<'p>>> {
    let plain = |range| Change { range, comma: false, name: None, in_array: false, has_value: true };
    match found {
        Found::Value(place) if path.appends => match place.container {
            Some(Container::Array) => {
                let end = place.range.end - 1;
                let is_empty = text[place.range.start + 1..end].trim().is_empty();
                Ok(Some(Change { comma: !is_empty, ..plain(end..end) }))
            }
            _ if path.is_strict => Err(SqlError::of(13_621, 1, &[])),
            _ => Ok(None),
        },
        Found::Value(Place { range, member: Some(member), .. }) if is_null && !path.is_strict => {
            Ok(Some(Change { has_value: false, ..plain(deleted(text, &member, range.end)) }))
        }
        Found::Value(place) => Ok(Some(plain(place.range))),
        Found::Missing(_) if path.is_strict => Err(SqlError::of(13_608, 2, &[])),
        Found::Missing(Missing::Member { .. }) if is_null && !path.appends => Ok(None),
        Found::Missing(Missing::Member { end, is_empty }) => {
            let is_member = matches!(path.steps.last(), Some(Step::Member(_)));
            let name = is_member.then_some(path.last_name.as_str());
            Ok(Some(Change { comma: !is_empty, name, in_array: path.appends, ..plain(end..end) }))
        }
        Found::Missing(Missing::Other) => Ok(None),
    }
}

/// A name as a path has it as JSON has it: its escapes are those of JSON already, control characters become some.
fn valid(name: &str) -> Cow<'_, str> {
    if !name.contains(|c: char| c < ' ' || c == '"') {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 8);
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '"' => out.push_str("\\\""),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A member with the comma before it; the first one with the comma after it.
fn deleted(text: &str, member: &Member, end: usize) -> Range<usize> {
    if let Some(comma) = member.comma {
        return comma..end;
    }
    let behind = text[end..].trim_start_matches([' ', '\t', '\n', '\r']);
    let end = if behind.starts_with(',') { text.len() - behind.len() + 1 } else { end };
    member.name..end
}
