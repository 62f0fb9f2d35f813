//! Functions about names and about texts inside other languages: QUOTENAME, PARSENAME, STRING_ESCAPE, SOUNDEX,
//! DIFFERENCE; and how a name of several parts is read.

use std::fmt::Write;

use millpond_catalog::run::metadata::NameParts;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ObjectName;
use millpond_types::text::utf16_len;
use millpond_types::{SqlType, Stopped, Value, Watch};

use crate::FunctionDef;
use crate::args::{SYSNAME, int, nullable, nvarchar, of_length, strict, text, text_type, unicode_type, varchar};
use crate::define::{pure, strict_eval, watched_eval};

/// Longest name in UTF-16 units.
const NAME_UNITS_MAX: usize = 128;

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    pure(
        "QUOTENAME",
        (1, 2),
        |types| nullable(vec![nvarchar(4000), nvarchar(1)][..types.len()].to_vec(), nvarchar(258)),
        strict_eval!(quotename),
    ),
    pure("PARSENAME", (2, 2), |_| nullable(vec![nvarchar(4000), SqlType::Int], SYSNAME), strict_eval!(parsename)),
    pure(
        "STRING_ESCAPE",
        (2, 2),
        |types| strict(vec![unicode_type(types[0]), nvarchar(4000)], of_length(true, None)),
        watched_eval!(string_escape),
    ),
    pure(
        "SOUNDEX",
        (1, 1),
        |types| strict(vec![text_type(types[0])], varchar(5)),
        watched_eval!(|watch, args, _, _| Ok(Value::from(soundex(watch, text(&args[0]))?.iter().collect::<String>()))),
    ),
    pure(
        "DIFFERENCE",
        (2, 2),
        |types| strict(vec![text_type(types[0]), text_type(types[1])], SqlType::Int),
        watched_eval!(difference),
    ),
];

fn quotename(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let name = text(&args[0]);
    // Of several characters the first counts.
    let (open, close) = match args.get(1).map_or(Some('['), |quote| text(quote).chars().next()) {
        Some('[' | ']') => ('[', ']'),
        Some('\'') => ('\'', '\''),
        Some('"') => ('"', '"'),
        Some('(' | ')') => ('(', ')'),
        Some('<' | '>') => ('<', '>'),
        Some('{' | '}') => ('{', '}'),
        Some('`') => ('`', '`'),
        _ => return Ok(Value::Null),
    };
    if utf16_len(name) > NAME_UNITS_MAX {
        return Ok(Value::Null);
    }
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push(open);
    for c in name.chars() {
        quoted.push(c);
        if c == close {
            quoted.push(c);
        }
    }
    quoted.push(close);
    Ok(Value::from(quoted))
}

/// The parts of a name, the object last; `None` when it is no name of one to four parts. A part left out is empty.
fn split(name: &str) -> Option<Vec<String>> {
    let mut parts = Vec::with_capacity(4);
    let mut rest = name;
    loop {
        let (part, after) = match rest.chars().next() {
            Some('[') => delimited(&rest[1..], ']')?,
            Some('"') => delimited(&rest[1..], '"')?,
            _ => {
                let end = rest.find('.').unwrap_or(rest.len());
                (rest[..end].trim().to_owned(), &rest[end..])
            }
        };
        if utf16_len(&part) > NAME_UNITS_MAX {
            return None;
        }
        parts.push(part);
        match after.strip_prefix('.') {
            Some(next) if parts.len() < 4 => rest = next.trim_start_matches(' '),
            None if after.trim_end_matches(' ').is_empty() => return Some(parts),
            _ => return None,
        }
    }
}

/// A part up to its closing delimiter, which doubled stands for itself; and what follows.
fn delimited(text: &str, close: char) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != close {
            part.push(c);
            continue;
        }
        match chars.as_str().strip_prefix(close) {
            Some(after) => {
                part.push(close);
                chars = after.chars();
            }
            None => return Some((part, chars.as_str())),
        }
    }
    None
}

/// Reads `server.database.schema.object`; `None` when the text is no such name.
#[must_use]
pub fn name_parts(name: &str) -> Option<NameParts> {
    let mut parts = split(name)?.into_iter().rev();
    let object = parts.next().filter(|object| !object.is_empty())?;
    let mut part = || parts.next().filter(|part| !part.is_empty());
    let (schema, database, server) = (part(), part(), part());
    Some(NameParts { server, database, schema, object })
}

/// Reads `database.schema.object` as a statement would; `None` when the text is no such name.
#[must_use]
pub fn object_name(name: &str) -> Option<ObjectName> {
    let parts = split(name)?;
    (parts.len() <= 4 && parts.last().is_some_and(|last| !last.is_empty())).then_some(ObjectName { parts })
}

fn parsename(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let Some(parts) = split(text(&args[0])) else {
        return Ok(Value::Null);
    };
    let wanted = usize::try_from(int(&args[1])).unwrap_or(0);
    let part = parts.len().checked_sub(wanted).and_then(|index| parts.get(index));
    Ok(part.filter(|part| !part.is_empty()).map_or(Value::Null, |part| Value::str(part)))
}

fn string_escape(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    if !text(&args[1]).trim_end_matches(' ').eq_ignore_ascii_case("json") {
        return Err(SqlError::of(13622, 1, &[&2]));
    }
    let text = text(&args[0]);
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    let mut ticker = watch.ticker();
    for c in text.chars() {
        ticker.tick()?;
        match c {
            '"' | '\\' | '/' => escaped.extend(['\\', c]),
            '\u{8}' => escaped.push_str("\\b"),
            '\u{c}' => escaped.push_str("\\f"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            c if c < ' ' => write!(escaped, "\\u{:04x}", u32::from(c)).expect("a String takes all"),
            c => escaped.push(c),
        }
    }
    Ok(Value::from(escaped))
}

/// The four characters of SOUNDEX: the first letter and three digits; `0000` for what begins with no letter.
fn soundex(watch: Watch<'_>, text: &str) -> Result<[char; 4], Stopped> {
    let mut code = ['0'; 4];
    let mut letters = text.chars().take_while(char::is_ascii_alphabetic).map(|c| c.to_ascii_uppercase());
    let Some(first) = letters.next() else {
        return Ok(code);
    };
    let mut ticker = watch.ticker();
    code[0] = first;
    let mut filled = 1;
    let mut last = soundex_digit(first);
    for letter in letters {
        ticker.tick()?;
        if filled == code.len() {
            break;
        }
        let digit = soundex_digit(letter);
        if let Some(digit) = digit.filter(|_| digit != last) {
            code[filled] = digit;
            filled += 1;
        }
        // H and W do not part two letters of one digit; vowels do.
        if !matches!(letter, 'H' | 'W') {
            last = digit;
        }
    }
    Ok(code)
}

fn soundex_digit(letter: char) -> Option<char> {
    match letter {
        'B' | 'F' | 'P' | 'V' => Some('1'),
        'C' | 'G' | 'J' | 'K' | 'Q' | 'S' | 'X' | 'Z' => Some('2'),
        'D' | 'T' => Some('3'),
        'L' => Some('4'),
        'M' | 'N' => Some('5'),
        'R' => Some('6'),
        _ => None,
    }
}

fn difference(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let (a, b) = (soundex(watch, text(&args[0]))?, soundex(watch, text(&args[1]))?);
    let same: i32 = a.iter().zip(b).map(|(a, b)| i32::from(*a == b)).sum();
    Ok(Value::Int(same))
}
