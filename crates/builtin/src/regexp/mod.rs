//! Regular expressions: REGEXP_LIKE, REGEXP_COUNT, REGEXP_INSTR, REGEXP_REPLACE, REGEXP_SUBSTR, and REGEXP_MATCHES and
//! REGEXP_SPLIT_TO_TABLE, whose values are rows.
//!
//! ```text
//!   pattern of RE2 ─▶ `pattern` ─▶ crate `regex`, kept by its thread ─▶ matches, left to right, none within another
//! ```
//! What always holds:
//! - Matching takes time that grows with text and pattern, never with their powers of two: there is nothing that goes back.
//! - A match compares characters as they are, whatever the collation; case counts unless a flag says that it does not.
//! - A pattern is read only when no argument is NULL.
//! - A position is counted in UTF-16 units where REGEXP_INSTR answers, in characters everywhere else.

mod pattern;
pub mod rows;

use std::cell::RefCell;

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{MaxLen, SqlType, Value, Watch};
use regex::{Captures, Regex, RegexBuilder};

use crate::args::{int, invalid_argument, is_max, nullable, of_length, text, text_type};
use crate::define::{pure, watched_eval};
use crate::regexp::pattern::{Fault, translated};
use crate::text::string::{append, check_size, fit};
use crate::{FunctionDef, Signature};

/// Most flags.
const FLAGS_MAX: usize = 30;
/// Most memory of a compiled pattern, in bytes.
const COMPILED_BYTES_MAX: usize = 4 << 20;
/// Most memory of what a search remembers of its way, in bytes.
const SEARCH_BYTES_MAX: usize = 2 << 20;
/// Patterns that a thread keeps.
const KEPT_MAX: usize = 8;

/// The function that makes REGEXP_LIKE's truth; the binder makes a condition of it.
pub const LIKE: &str = "REGEXP_LIKE";

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    pure(
        LIKE,
        (2, 3),
        |types| bind(types, "regexp_like", &[Role::Flags], |_| SqlType::Int),
        watched_eval!(|watch, args, _, _| {
            let regex = compiled(Of::VALUE, text(&args[1]), args.get(2))?;
            watch.check()?;
            Ok(Value::Int(i32::from(regex.is_match(text(&args[0])))))
        }),
    ),
    pure(
        "REGEXP_COUNT",
        (2, 4),
        |types| bind(types, "regexp_count", &[Role::Number, Role::Flags], |_| SqlType::Int),
        watched_eval!(count),
    ),
    pure(
        "REGEXP_INSTR",
        (2, 7),
        |types| {
            let roles = [Role::Number, Role::Number, Role::Number, Role::Flags, Role::Number];
            bind(types, "regexp_instr", &roles, |_| SqlType::Int)
        },
        watched_eval!(instr),
    ),
    pure(
        "REGEXP_REPLACE",
        (2, 6),
        |types| {
            let roles = [Role::Text, Role::Number, Role::Number, Role::Flags];
            bind(types, "regexp_replace", &roles, replaced_type)
        },
        watched_eval!(replace),
    ),
    pure(
        "REGEXP_SUBSTR",
        (2, 6),
        |types| {
            let roles = [Role::Number, Role::Number, Role::Flags, Role::Number];
            bind(types, "regexp_substr", &roles, |types| text_type(types[0]))
        },
        watched_eval!(substr),
    ),
];

/// What an argument after text and pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A text.
    Text,
    /// A position or number.
    Number,
    /// `varchar` of letters.
    Flags,
}

fn bind(
    types: &[Option<SqlType>],
    function: &str,
    roles: &[Role],
    result: fn(&[Option<SqlType>]) -> SqlType,
) -> SqlResult<Signature> {
    let params = parameters(types, function, roles)?;
    nullable(params, result(types))
}

/// The types that arguments are converted to.
///
/// # Errors
/// 8116
pub fn parameters(types: &[Option<SqlType>], function: &str, roles: &[Role]) -> SqlResult<Vec<SqlType>> {
    let roles = [Role::Text, Role::Text].iter().chain(roles);
    let mut params = Vec::with_capacity(types.len());
    for ((position, ty), role) in (1..).zip(types).zip(roles) {
        let invalid = || Err(invalid_argument(*ty, position, function));
        params.push(match (role, ty) {
            (Role::Number, None) => SqlType::Int,
            (Role::Number, Some(sql)) if sql.is_integer() || *sql == SqlType::Bit || sql.is_string() => SqlType::Int,
            (Role::Text | Role::Flags, None) => text_type(None),
            (Role::Flags, Some(sql)) if sql.is_string() && !sql.is_unicode() && !is_max(*sql) => text_type(*ty),
            (Role::Text, Some(sql)) if sql.is_string() => {
                if position == 2 && is_max(*sql) {
                    return Err(SqlError::of(8116, 1, &[&"VARCHAR(MAX)/NVARCHAR(MAX)", &position, &function]));
                }
                text_type(*ty)
            }
            _ => return invalid(),
        });
    }
    Ok(params)
}

/// The longest text of the first one's kind: `(max)` where it, or what is put in, is.
fn replaced_type(types: &[Option<SqlType>]) -> SqlType {
    let source = text_type(types[0]);
    let longest = [Some(source), types.get(2).copied().flatten()].into_iter().flatten().any(is_max);
    let ty = of_length(source.is_unicode(), if longest { None } else { Some(u32::MAX) });
    if source.is_unicode() { ty } else { ty.converted_to(source.page()) }
}

/// Where a pattern stands: messages about it have states of their own for values and for rows.
#[derive(Clone, Copy, Debug)]
struct Of {
    is_rows: bool,
}

impl Of {
    const VALUE: Of = Of { is_rows: false };
    const ROWS: Of = Of { is_rows: true };

    fn fault(self, pattern: &str, fault: &Fault) -> SqlError {
        let state = if self.is_rows { 2 } else { 1 };
        match fault {
            Fault::Invalid(words) => SqlError::of(19_300, state, &[&pattern, words]),
            Fault::Unexpected => SqlError::of(19_307, state, &[&pattern]),
            Fault::OpenGroup => SqlError::of(19_308, if self.is_rows { 3 } else { 1 }, &[&")", &pattern]),
            Fault::OpenClass => SqlError::of(19_308, if self.is_rows { 4 } else { 2 }, &[&"]", &pattern]),
            Fault::Backslash => SqlError::of(19_309, state, &[&pattern]),
        }
    }
}

/// Flags, of which the last of `c` and `i` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flags {
    ignores_case: bool,
    by_lines: bool,
    dot_is_all: bool,
}

impl Flags {
    /// 19302, 19303
    fn read(text: &str) -> SqlResult<Flags> {
        let count = text.chars().count();
        if count > FLAGS_MAX {
            return Err(SqlError::of(19_302, 1, &[&FLAGS_MAX, &count]));
        }
        let mut flags = Flags::default();
        for letter in text.chars() {
            match letter {
                'c' => flags.ignores_case = false,
                'i' => flags.ignores_case = true,
                'm' => flags.by_lines = true,
                's' => flags.dot_is_all = true,
                _ => return Err(SqlError::of(19_303, 0, &[&text])),
            }
        }
        Ok(flags)
    }
}

thread_local! {
    /// The patterns that were used last, the latest at the end.
    static KEPT: RefCell<Vec<(String, Flags, Regex)>> = const { RefCell::new(Vec::new()) };
}

/// 19300 to 19309
fn compiled(of: Of, pattern: &str, flags: Option<&Value>) -> SqlResult<Regex> {
    let flags = Flags::read(flags.map_or("", text))?;
    let known = KEPT.with_borrow_mut(|kept| {
        let place = kept.iter().rposition(|(known, with, _)| *with == flags && known == pattern)?;
        if place + 1 < kept.len() {
            let used = kept.remove(place);
            kept.push(used);
        }
        kept.last().map(|(_, _, regex)| regex.clone())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let translated = translated(pattern).map_err(|fault| of.fault(pattern, &fault))?;
    let made = RegexBuilder::new(&translated)
        .case_insensitive(flags.ignores_case)
        .multi_line(flags.by_lines)
        .dot_matches_new_line(flags.dot_is_all)
        .size_limit(COMPILED_BYTES_MAX)
        .dfa_size_limit(SEARCH_BYTES_MAX)
        .build();
    // What RE2 takes and `regex` does not is as large as this.
    let too_large = || Fault::Invalid("pattern too large - compile failed".to_owned());
    let regex = made.map_err(|_| of.fault(pattern, &too_large()))?;
    KEPT.with_borrow_mut(|kept| {
        if kept.len() == KEPT_MAX {
            kept.remove(0);
        }
        kept.push((pattern.to_owned(), flags, regex.clone()));
    });
    Ok(regex)
}

/// 19301
fn at_least(value: i64, least: i64, (name, function, state): (&str, &str, u8)) -> SqlResult<usize> {
    at_least_said(value, least, least, (name, function, state))
}

/// The same where the message says another bound than counts.
fn at_least_said(value: i64, least: i64, said: i64, (name, function, state): (&str, &str, u8)) -> SqlResult<usize> {
    if value < least {
        return Err(SqlError::of(19_301, state, &[&name, &said, &value, &function]));
    }
    Ok(usize::try_from(value).unwrap_or(usize::MAX))
}

/// The number of an argument, or what stands for it where there is none.
fn number(args: &[Value], at: usize, otherwise: i64) -> i64 {
    args.get(at).map_or(otherwise, int)
}

/// The byte at which the character of this number (from 1) begins; none beyond the last one, but for the first of an empty text.
fn start_byte(text: &str, start: usize) -> Option<usize> {
    match text.char_indices().nth(start - 1) {
        Some((byte, _)) => Some(byte),
        None => (start == 1).then_some(0),
    }
}

/// The matches from a byte on, each asked for after a look at the cancellation.
struct Found<'r, 't> {
    regex: &'r Regex,
    text: &'t str,
    /// Where the next search begins; none after the last match.
    at: Option<usize>,
    /// The end of the last match.
    last_end: Option<usize>,
}

impl<'r, 't> Found<'r, 't> {
    fn new(regex: &'r Regex, text: &'t str, from: usize) -> Found<'r, 't> {
        Found { regex, text, at: Some(from), last_end: None }
    }

    /// The next match. An empty one right after another is passed over.
    fn next(&mut self, watch: Watch<'_>) -> SqlResult<Option<Captures<'t>>> {
        loop {
            watch.check()?;
            let Some(at) = self.at else { return Ok(None) };
            let Some(captures) = self.regex.captures_at(self.text, at) else {
                self.at = None;
                return Ok(None);
            };
            let whole = captures.get_match();
            let is_again = whole.is_empty() && self.last_end == Some(whole.end());
            self.last_end = Some(whole.end());
            self.at = if whole.is_empty() {
                let width = self.text[whole.end()..].chars().next().map(char::len_utf8);
                width.map(|width| whole.end() + width)
            } else {
                Some(whole.end())
            };
            if !is_again {
                return Ok(Some(captures));
            }
        }
    }

    /// The match of this number, from 1.
    fn nth(mut self, watch: Watch<'_>, number: usize) -> SqlResult<Option<Captures<'t>>> {
        for _ in 1..number {
            if self.next(watch)?.is_none() {
                return Ok(None);
            }
        }
        self.next(watch)
    }
}

fn count(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let start = at_least(number(args, 2, 1), 1, ("START", "REGEXP_COUNT", 0))?;
    let regex = compiled(Of::VALUE, text(&args[1]), args.get(3))?;
    let text = text(&args[0]);
    let Some(from) = start_byte(text, start) else { return Ok(Value::Int(0)) };
    let (mut found, mut count) = (Found::new(&regex, text, from), 0_i32);
    while found.next(watch)?.is_some() {
        count += 1;
    }
    Ok(Value::Int(count))
}

fn instr(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    const NAME: &str = "REGEXP_INSTR";
    let start = at_least(number(args, 2, 1), 1, ("START", NAME, 3))?;
    let occurrence = at_least(number(args, 3, 1), 1, ("OCCURRENCE", NAME, 4))?;
    let end = number(args, 4, 0);
    if !matches!(end, 0 | 1) {
        return Err(SqlError::of(19_301, 6, &[&"RETURN_OPTION", &0, &end, &NAME]));
    }
    let group = at_least_said(number(args, 6, 0), 0, 1, ("GROUP", NAME, 5))?;
    let regex = compiled(Of::VALUE, text(&args[1]), args.get(5))?;
    let text = text(&args[0]);
    let Some(from) = start_byte(text, start) else { return Ok(Value::Int(0)) };
    let found = Found::new(&regex, text, from).nth(watch, occurrence)?;
    let Some(part) = found.and_then(|captures| captures.get(group)) else { return Ok(Value::Int(0)) };
    let byte = if end == 1 { part.end() } else { part.start() };
    let units: usize = text[..byte].chars().map(char::len_utf16).sum();
    Ok(Value::Int(i32::try_from(units + 1).unwrap_or(i32::MAX)))
}

fn substr(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    const NAME: &str = "REGEXP_SUBSTR";
    let start = at_least(number(args, 2, 1), 1, ("START", NAME, 7))?;
    let occurrence = at_least(number(args, 3, 1), 1, ("OCCURRENCE", NAME, 8))?;
    let group = at_least(number(args, 5, 0), 0, ("GROUP", NAME, 9))?;
    let regex = compiled(Of::VALUE, text(&args[1]), args.get(4))?;
    let text = text(&args[0]);
    let Some(from) = start_byte(text, start) else { return Ok(Value::Null) };
    let found = Found::new(&regex, text, from).nth(watch, occurrence)?;
    let Some(part) = found.and_then(|captures| captures.get(group)) else { return Ok(Value::Null) };
    check_size(watch, part.len())?;
    Ok(Value::str(part.as_str()))
}

fn replace(watch: Watch<'_>, args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    const NAME: &str = "REGEXP_REPLACE";
    let start = at_least(number(args, 3, 1), 1, ("START", NAME, 1))?;
    let occurrence = at_least(number(args, 4, 0), 0, ("OCCURRENCE", NAME, 2))?;
    let regex = compiled(Of::VALUE, text(&args[1]), args.get(5))?;
    let source = text(&args[0]);
    let Some(from) = start_byte(source, start).filter(|_| !text(&args[1]).is_empty()) else {
        return Ok(args[0].clone());
    };
    let parts = replacement(args.get(2).map_or("", text));
    let (mut found, mut made, mut done, mut at) = (Found::new(&regex, source, from), String::new(), 0, 0);
    while let Some(captures) = found.next(watch)? {
        at += 1;
        if occurrence != 0 && at != occurrence {
            continue;
        }
        let whole = captures.get_match();
        let grows: usize = parts.iter().map(|part| part.text(&captures).len()).sum();
        check_size(watch, made.len() + grows + source.len() - done)?;
        append(watch, &mut made, &source[done..whole.start()])?;
        parts.iter().for_each(|part| made.push_str(part.text(&captures)));
        done = whole.end();
        if at == occurrence {
            break;
        }
    }
    append(watch, &mut made, &source[done..])?;
    Ok(fit(made, result))
}

/// A part of what is put in for a match.
enum Part<'a> {
    Text(&'a str),
    Group(usize),
}

impl<'a> Part<'a> {
    fn text<'t>(&self, captures: &Captures<'t>) -> &'t str
    where
        'a: 't,
    {
        match self {
            Part::Text(text) => text,
            Part::Group(number) => captures.get(*number).map_or("", |group| group.as_str()),
        }
    }
}

/// `\1` to `\9` are groups, `\\` is one backslash; anything else is itself.
fn replacement(text: &str) -> Vec<Part<'_>> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('\\') {
        match rest.as_bytes().get(at + 1) {
            Some(digit @ b'1'..=b'9') => {
                parts.push(Part::Text(&rest[..at]));
                parts.push(Part::Group(usize::from(digit - b'0')));
                rest = &rest[at + 2..];
            }
            Some(b'\\') => {
                parts.push(Part::Text(&rest[..=at]));
                rest = &rest[at + 2..];
            }
            _ => {
                parts.push(Part::Text(&rest[..=at]));
                rest = &rest[at + 1..];
            }
        }
    }
    parts.push(Part::Text(rest));
    parts
}

/// The type of a part of a text: as long as the text.
#[must_use]
pub fn part_type(source: SqlType) -> SqlType {
    match source {
        SqlType::Char { .. } | SqlType::NChar { .. } | SqlType::VarChar { .. } | SqlType::NVarChar { .. } => source,
        _ => SqlType::varchar_of(MaxLen::Limited(8000)),
    }
}
