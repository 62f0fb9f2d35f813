//! Functions that find a text in a text: CHARINDEX, PATINDEX, REPLACE, TRANSLATE.
//!
//! They compare characters one by one as the collation of their texts does; a character never equals two others.
//! PATINDEX leaves patterns to LIKE.

use std::ops::Range;

use millpond_catalog::run::{Count, Places};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::collation::{Collation, LikePattern, folds_ascii, same_char as same_char_in};
use millpond_types::watch::PIECE_BYTES;
use millpond_types::{SqlType, Stopped, Ticker, Value, Watch};

use crate::args::{
    int, integer, integer_type, invalid_argument, is_max, of_length, position_type, strict, text, text_type,
    with_unicode,
};
use crate::define::{comparing, look_along, pure, watched_eval};
use crate::text::letter_case::small_letter;
use crate::text::string::{Characters, Units, append, check_size, fit, len_to};
use crate::{FunctionDef, Signature};

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    comparing(look_along!("CHARINDEX", (2, 3), bind_charindex, 1, charindex::<Units>)),
    comparing(look_along!("PATINDEX", (2, 2), bind_patindex, 1, patindex::<Units>)),
    comparing(pure("REPLACE", (3, 3), bind_replace, watched_eval!(replace))),
    comparing(pure("TRANSLATE", (3, 3), bind_translate, watched_eval!(translate::<Units>))),
];

/// Those of [`FUNCTIONS`] that count, over characters.
pub(crate) static COUNTING_CHARACTERS: &[FunctionDef] = &[
    comparing(look_along!("CHARINDEX", (2, 3), bind_charindex, 1, charindex::<Characters>)),
    comparing(look_along!("PATINDEX", (2, 2), bind_patindex, 1, patindex::<Characters>)),
    comparing(pure("TRANSLATE", (3, 3), bind_translate, watched_eval!(translate::<Characters>))),
];

fn bind_charindex(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let text = text_type(types[1]);
    let mut params = vec![text_type(types[0]), text];
    params.extend(types.get(2).map(|start| integer_type(*start)));
    strict(params, position_type(text))
}

fn bind_patindex(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    for (position, ty) in (1..).zip(types) {
        // The text may not be a NULL without a type; the pattern may.
        if ty.map_or(position == 2, |ty| !ty.is_string()) {
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

/// The collation of a number, which stands after the function's own arguments.
pub(super) fn collation_at(number: Option<&Value>) -> Collation {
    let number = number.and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok());
    number.and_then(|number| Collation::by_number(number.cast_unsigned())).unwrap_or_default()
}

/// Bytes of a text that are looked at first.
const FIRST_PIECE_BYTES: usize = 1024;

/// The places of a needle in a text. To find them all costs a few looks at each byte of the text, however many there are.
pub(crate) struct Finder<'a> {
    text: &'a str,
    needle: &'a str,
    collation: Collation,
    /// Equal texts have equal bytes, but perhaps for the case of ASCII letters: the collation is binary, or the needle is
    /// ASCII and no letter beyond ASCII was found to equal one of it.
    by_bytes: bool,
    watch: Watch<'a>,
}

/// Where a needle was found; an error once the statement is cancelled.
pub(crate) type Found = Result<Option<Range<usize>>, Stopped>;

impl<'a> Finder<'a> {
    pub(crate) fn new(watch: Watch<'a>, text: &'a str, needle: &'a str, collation: Collation) -> Finder<'a> {
        Finder {
            watch,
            text,
            needle,
            collation,
            by_bytes: collation.is_binary() || needle.is_ascii() && folds_ascii(collation),
        }
    }

    /// The first place at or after byte `from`, which begins a character. A piece of the text after the other, each at most
    /// twice as long as all before it: what lies far after the place is not looked at.
    pub(crate) fn find(&mut self, from: usize) -> Found {
        let needle_bytes = self.needle.len();
        let (mut at, mut ahead) = (from, FIRST_PIECE_BYTES.max(needle_bytes));
        loop {
            self.watch.check()?;
            let end = self.text.ceil_char_boundary(at.saturating_add(ahead).min(self.text.len()));
            let found = self.find_in(at..end)?;
            if found.is_some() || end == self.text.len() {
                return Ok(found);
            }
            (at, ahead) = (end, (2 * ahead).min(PIECE_BYTES.max(needle_bytes)));
        }
    }

    /// The first place that begins in a range.
    fn find_in(&mut self, range: Range<usize>) -> Found {
        if !self.by_bytes {
            return self.find_letters(range);
        }
        let found = self.find_bytes(range.clone())?;
        if self.collation.is_binary() {
            return Ok(found);
        }
        // Only a letter beyond ASCII could equal one of the needle's before that.
        let looked_at = found.as_ref().map_or(range.end, |found| found.end);
        if self.text.as_bytes()[range.start..looked_at].is_ascii() {
            return Ok(found);
        }
        let by_letters = self.find_letters(range)?;
        self.by_bytes = by_letters == found;
        Ok(by_letters)
    }

    fn find_bytes(&self, range: Range<usize>) -> Found {
        let Finder { text, needle, collation, watch, .. } = *self;
        let after = text.ceil_char_boundary(range.end.saturating_add(needle.len()).min(text.len()));
        let found = if collation.is_binary() || collation.is_case_sensitive() {
            let at = text[range.start..after].find(needle);
            at.map(|at| range.start + at..range.start + at + needle.len())
        } else {
            find_ascii(watch, &text.as_bytes()[..after], needle.as_bytes(), range.start)?
        };
        Ok(found.filter(|found| found.start < range.end))
    }

    fn find_letters(&self, range: Range<usize>) -> Found {
        let Finder { text, needle, collation, watch, .. } = *self;
        let mut ticker = watch.ticker();
        for (offset, _) in text[range.clone()].char_indices() {
            let start = range.start + offset;
            if let Some(len) = match_len(&mut ticker, &text[start..], needle, collation)? {
                return Ok(Some(start..start + len));
            }
        }
        Ok(None)
    }
}

/// The first letter that may be one of the needle's, then all of it: the text is no longer than a piece and the needle.
fn find_ascii(watch: Watch<'_>, text: &[u8], needle: &[u8], from: usize) -> Found {
    let Some((first, rest)) = needle.split_first() else { return Ok(None) };
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    // After the last place where the first letter may stand so that the needle still fits.
    let after = text.len().saturating_sub(rest.len());
    let (mut at, mut compared) = (from, 0);
    while at < after {
        let next = text[at..after].iter().position(|byte| *byte == lower || *byte == upper);
        let Some(next) = next else { return Ok(None) };
        at += next;
        let end = at + needle.len();
        if text[at + 1..end].eq_ignore_ascii_case(rest) {
            return Ok(Some(at..end));
        }
        at += 1;
        // A long needle that almost matches at each place.
        compared += needle.len();
        if compared > PIECE_BYTES {
            watch.check()?;
            compared = 0;
        }
    }
    Ok(None)
}

/// How many bytes of the text's beginning equal the needle.
fn match_len(
    ticker: &mut Ticker<'_>,
    text: &str,
    needle: &str,
    collation: Collation,
) -> Result<Option<usize>, Stopped> {
    let mut chars = text.chars();
    for wanted in needle.chars() {
        ticker.tick()?;
        if !chars.next().is_some_and(|c| same_char(c, wanted, collation)) {
            return Ok(None);
        }
    }
    Ok(Some(text.len() - chars.as_str().len()))
}

fn same_char(a: char, b: char, collation: Collation) -> bool {
    if collation == Collation::default() {
        return a == b || small_letter(a) == small_letter(b);
    }
    same_char_in(a, b, collation)
}

/// The byte where what is counted as `position` (from 0) begins; the length if there are not so many.
fn byte_of<C: Count>(watch: Watch<'_>, text: &str, position: usize) -> Result<usize, Stopped> {
    let before = text.as_bytes().get(..position).unwrap_or(text.as_bytes());
    if before.is_ascii() {
        return Ok(before.len());
    }
    let mut seen = 0;
    let mut ticker = watch.ticker();
    for (byte, c) in text.char_indices() {
        ticker.tick()?;
        if seen >= position {
            return Ok(byte);
        }
        seen += C::len(watch, c.encode_utf8(&mut [0; 4]))?;
    }
    Ok(text.len())
}

/// Position from 1 of what begins at this byte.
fn position<C: Count>(watch: Watch<'_>, places: Option<&Places>, text: &str, byte: usize) -> Result<usize, Stopped> {
    Ok(len_to::<C>(watch, places, text, byte)? + 1)
}

fn charindex<C: Count>(
    watch: Watch<'_>,
    places: Option<&Places>,
    args: &[&Value],
    _: &[SqlType],
    result: &SqlType,
) -> SqlResult<Value> {
    let (needle, text) = (text(args[0]), text(args[1]));
    let start = args.get(2).map_or(1, |start| int(start)).max(1);
    let skip = usize::try_from(start - 1).unwrap_or(usize::MAX);
    let from = match places {
        Some(places) => places.byte_of::<C>(text, skip),
        None => byte_of::<C>(watch, text, skip)?,
    };
    let collation = collation_at(args.get(3).copied());
    let found = if needle.is_empty() { None } else { Finder::new(watch, text, needle, collation).find(from)? };
    Ok(integer(found.map_or(Ok(0), |found| position::<C>(watch, places, text, found.start))?, result))
}

fn patindex<C: Count>(
    watch: Watch<'_>,
    places: Option<&Places>,
    args: &[&Value],
    params: &[SqlType],
    result: &SqlType,
) -> SqlResult<Value> {
    let (pattern, text) = (text(args[0]), text(args[1]));
    let anchored = pattern.trim_start_matches('%');
    let collation = collation_at(args.get(2).copied());
    let like = LikePattern::new(anchored, None, collation);
    let unicode = params.iter().any(SqlType::is_unicode);
    let found = if anchored.len() == pattern.len() {
        like.matches_while(text, unicode, watch)?.then_some(0)
    } else if anchored.is_empty() {
        Some(0)
    } else {
        let first = anchored.chars().next().filter(|c| !matches!(c, '_' | '['));
        let may_begin = |c: char| first.is_none_or(|first| same_char(first, c, collation));
        like.find_while(text, unicode, &may_begin, watch)?
    };
    Ok(integer(found.map_or(Ok(0), |byte| position::<C>(watch, places, text, byte))?, result))
}

fn replace(watch: Watch<'_>, args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let (text, old, new) = (text(&args[0]), text(&args[1]), text(&args[2]));
    if old.is_empty() {
        return Ok(args[0].clone());
    }
    let mut replaced = String::new();
    let mut done = 0;
    let mut finder = Finder::new(watch, text, old, collation_at(args.get(3)));
    while let Some(found) = finder.find(done)? {
        check_size(watch, replaced.len() + new.len() + text.len() - done)?;
        replaced.push_str(&text[done..found.start]);
        append(watch, &mut replaced, new)?;
        done = found.end;
    }
    if done == 0 {
        return Ok(args[0].clone());
    }
    replaced.push_str(&text[done..]);
    Ok(fit(replaced, result))
}

fn translate<C: Count>(watch: Watch<'_>, args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let (from, to) = (text(&args[1]), text(&args[2]));
    if C::len(watch, from)? != C::len(watch, to)? {
        return Err(SqlError::of(9828, 1, &[]));
    }
    let collation = collation_at(args.get(3));
    let mut ticker = watch.ticker();
    let mut translated = String::new();
    for c in text(&args[0]).chars() {
        let mut becomes = c;
        for (from, to) in from.chars().zip(to.chars()) {
            ticker.tick()?;
            if same_char(from, c, collation) {
                becomes = to;
                break;
            }
        }
        ticker.tick()?;
        translated.push(becomes);
    }
    Ok(fit(translated, result))
}
