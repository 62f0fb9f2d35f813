//! Functions that find a text in a text: CHARINDEX, PATINDEX, REPLACE, TRANSLATE.
//!
//! They compare characters one by one as the collation of their texts does; a character never equals two others.
//! PATINDEX leaves patterns to LIKE.

use std::ops::Range;

use millpond_types::collation::{Collation, LikePattern, same_char as same_char_in};
use millpond_types::{SqlType, Value};

use super::args::{
    int, integer, integer_type, invalid_argument, is_max, of_length, position_type, strict, text, text_type,
    with_unicode,
};
use super::define::{comparing, look_at, pure, strict_eval};
use super::string::{Characters, Count, Units, check_size, fit, lower_char};
use super::{FunctionDef, Signature};
use crate::error::{SqlError, SqlResult};

/// The functions.
pub(super) static FUNCTIONS: &[FunctionDef] = &[
    comparing(look_at!("CHARINDEX", (2, 3), bind_charindex, charindex::<Units>)),
    comparing(look_at!("PATINDEX", (2, 2), bind_patindex, patindex::<Units>)),
    comparing(pure("REPLACE", (3, 3), bind_replace, strict_eval!(replace))),
    comparing(pure("TRANSLATE", (3, 3), bind_translate, strict_eval!(translate::<Units>))),
];

/// Those of [`FUNCTIONS`] that count, over characters.
pub(super) static COUNTING_CHARACTERS: &[FunctionDef] = &[
    comparing(look_at!("CHARINDEX", (2, 3), bind_charindex, charindex::<Characters>)),
    comparing(look_at!("PATINDEX", (2, 2), bind_patindex, patindex::<Characters>)),
    comparing(pure("TRANSLATE", (3, 3), bind_translate, strict_eval!(translate::<Characters>))),
];

fn bind_charindex(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let text = text_type(types[1]);
    let mut params = vec![text_type(types[0]), text];
    params.extend(types.get(2).map(|start| integer_type(*start)));
    strict(params, position_type(text))
}

fn bind_patindex(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    for (position, ty) in (1..).zip(types) {
        if ty.is_some_and(|ty| !ty.is_string()) {
            return Err(invalid_argument(*ty, position, "patindex"));
        }
    }
    let text = text_type(types[1]);
    strict(vec![text_type(types[0]), text], position_type(text))
}

fn bind_replace(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let texts: Vec<SqlType> = types.iter().copied().map(text_type).collect();
    let unicode = texts.iter().any(SqlType::is_unicode);
    let longest = if texts.iter().copied().any(is_max) { None } else { Some(u32::MAX) };
    strict(texts.into_iter().map(|text| with_unicode(text, unicode)).collect(), of_length(unicode, longest))
}

fn bind_translate(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let texts: Vec<SqlType> = types.iter().copied().map(text_type).collect();
    let unicode = texts.iter().any(SqlType::is_unicode);
    let params: Vec<SqlType> = texts.into_iter().map(|text| with_unicode(text, unicode)).collect();
    let result = params[0];
    strict(params, result)
}

/// The collation of a number, which stands behind the function's own arguments.
fn collation_at(number: Option<&Value>) -> Collation {
    let number = number.and_then(Value::as_i64).and_then(|number| u8::try_from(number).ok());
    number.and_then(Collation::by_number).unwrap_or_default()
}

/// The places of a needle in a text. To find them all costs a few looks at each byte of the text, however many there are.
struct Finder<'a> {
    text: &'a str,
    needle: &'a str,
    collation: Collation,
    /// Equal texts have equal bytes, but perhaps for the case of ASCII letters: the collation is binary, or the needle is
    /// ASCII and no letter beyond ASCII was found to equal one of it.
    by_bytes: bool,
}

impl<'a> Finder<'a> {
    fn new(text: &'a str, needle: &'a str, collation: Collation) -> Finder<'a> {
        Finder { text, needle, collation, by_bytes: collation.is_binary() || needle.is_ascii() }
    }

    /// The first place at or after byte `from`, which begins a character.
    fn find(&mut self, from: usize) -> Option<Range<usize>> {
        if !self.by_bytes {
            return self.find_letters(from);
        }
        let found = self.find_bytes(from);
        if self.collation.is_binary() {
            return found;
        }
        // Only a letter beyond ASCII could equal one of the needle's before that.
        let looked_at = found.as_ref().map_or(self.text.len(), |found| found.end);
        if self.text.as_bytes().get(from..looked_at).is_none_or(<[u8]>::is_ascii) {
            return found;
        }
        let by_letters = self.find_letters(from);
        self.by_bytes = by_letters == found;
        by_letters
    }

    fn find_bytes(&self, from: usize) -> Option<Range<usize>> {
        let Finder { text, needle, collation, .. } = *self;
        if collation.is_binary() || collation.is_case_sensitive() {
            return text[from..].find(needle).map(|at| from + at..from + at + needle.len());
        }
        find_ascii(text.as_bytes(), needle.as_bytes(), from)
    }

    fn find_letters(&self, from: usize) -> Option<Range<usize>> {
        let Finder { text, needle, collation, .. } = *self;
        let mut starts = text[from..].char_indices().map(|(offset, _)| from + offset);
        starts.find_map(|start| Some(start..start + match_len(&text[start..], needle, collation)?))
    }
}

fn find_ascii(text: &[u8], needle: &[u8], from: usize) -> Option<Range<usize>> {
    let (first, rest) = needle.split_first()?;
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    // Where the first letter may stand so that the needle still fits.
    let starts = text.get(..text.len().checked_sub(rest.len())?)?;
    let mut at = from;
    loop {
        at += starts.get(at..)?.iter().position(|byte| *byte == lower || *byte == upper)?;
        let end = at + needle.len();
        if text[at + 1..end].eq_ignore_ascii_case(rest) {
            return Some(at..end);
        }
        at += 1;
    }
}

/// How many bytes of the text's beginning equal the needle.
fn match_len(text: &str, needle: &str, collation: Collation) -> Option<usize> {
    let mut chars = text.chars();
    for wanted in needle.chars() {
        if !same_char(chars.next()?, wanted, collation) {
            return None;
        }
    }
    Some(text.len() - chars.as_str().len())
}

fn same_char(a: char, b: char, collation: Collation) -> bool {
    if collation == Collation::default() {
        return a == b || lower_char(a) == lower_char(b);
    }
    same_char_in(a, b, collation)
}

/// The byte where what is counted as `position` (from 0) begins; the length if there are not so many.
fn byte_of<C: Count>(text: &str, position: usize) -> usize {
    let before = text.as_bytes().get(..position).unwrap_or(text.as_bytes());
    if before.is_ascii() {
        return before.len();
    }
    let mut seen = 0;
    for (byte, c) in text.char_indices() {
        if seen >= position {
            return byte;
        }
        seen += C::len(c.encode_utf8(&mut [0; 4]));
    }
    text.len()
}

/// Position from 1 of what begins at this byte.
fn position<C: Count>(text: &str, byte: usize) -> usize {
    C::len(&text[..byte]) + 1
}

fn charindex<C: Count>(args: &[&Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let (needle, text) = (text(&args[0]), text(&args[1]));
    let start = args.get(2).map_or(1, |start| int(start)).max(1);
    let from = byte_of::<C>(text, usize::try_from(start - 1).unwrap_or(usize::MAX));
    let collation = collation_at(args.get(3).copied());
    let found = if needle.is_empty() { None } else { Finder::new(text, needle, collation).find(from) };
    Ok(integer(found.map_or(0, |found| position::<C>(text, found.start)), result))
}

fn patindex<C: Count>(args: &[&Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let (pattern, text) = (text(&args[0]), text(&args[1]));
    let anchored = pattern.trim_start_matches('%');
    let collation = collation_at(args.get(2).copied());
    let like = LikePattern::new(anchored, None, collation);
    let unicode = params.iter().any(SqlType::is_unicode);
    let matches = |text: &str| {
        if unicode { like.matches_unicode(text) } else { like.matches(text) }
    };
    let found = if anchored.len() == pattern.len() {
        matches(text).then_some(0)
    } else if anchored.is_empty() {
        Some(0)
    } else {
        let first = anchored.chars().next().filter(|c| !matches!(c, '_' | '['));
        let may_begin = |c: char| first.is_none_or(|first| same_char(first, c, collation));
        if unicode { like.find_unicode(text, &may_begin) } else { like.find(text, &may_begin) }
    };
    Ok(integer(found.map_or(0, |byte| position::<C>(text, byte)), result))
}

fn replace(args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let (text, old, new) = (text(&args[0]), text(&args[1]), text(&args[2]));
    if old.is_empty() {
        return Ok(args[0].clone());
    }
    let mut replaced = String::new();
    let mut done = 0;
    let mut finder = Finder::new(text, old, collation_at(args.get(3)));
    while let Some(found) = finder.find(done) {
        check_size(replaced.len() + new.len() + text.len() - done)?;
        replaced.push_str(&text[done..found.start]);
        replaced.push_str(new);
        done = found.end;
    }
    if done == 0 {
        return Ok(args[0].clone());
    }
    replaced.push_str(&text[done..]);
    Ok(fit(replaced, result))
}

fn translate<C: Count>(args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let (from, to) = (text(&args[1]), text(&args[2]));
    if C::len(from) != C::len(to) {
        return Err(SqlError::new(
            9828,
            16,
            1,
            "The second and third arguments of the TRANSLATE built-in function must contain an equal number of characters.",
        ));
    }
    let collation = collation_at(args.get(3));
    let translated = text(&args[0]).chars().map(|c| {
        let pair = from.chars().zip(to.chars()).find(|(from, _)| same_char(*from, c, collation));
        pair.map_or(c, |(_, to)| to)
    });
    Ok(fit(translated.collect(), result))
}
