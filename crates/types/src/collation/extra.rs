//! Levels of a key that come after those of ICU4X: kana, width, variation selectors, marks.
//!
//! ```text
//!  kana      (_KS)   1, then 2 for each Hiragana and 3 for each Katakana
//!  width     (_WS)   1, then 2 for each character that has a form of other width, 3 for that form; the 2s at the end are
//!                    left out
//!  selectors (_VSS)  1, then for each variation selector the number of characters before it, and its own
//!  marks             where there are any: 1, then for each how long the letters since the last one are, and the mark
//! ```
//!
//! Numbers are 2 and more, in bytes whose order is theirs; no byte is 0. Canonically equivalent texts have the same levels.

use icu_normalizer::DecomposingNormalizerBorrowed;

use super::kind::{Collation, SELECTORS};

/// What stands before each level but the first.
pub(super) const LEVEL: u8 = 1;

/// The marks that count last: the word sort of Windows.
#[inline]
pub(super) fn mark(c: char) -> Option<u8> {
    match c {
        '\'' | '\u{FF07}' => Some(2),
        '-' | '\u{FF0D}' => Some(3),
        '\u{2010}' | '\u{2011}' => Some(4),
        _ => None,
    }
}

/// Whether more than marks may be after ICU4X's levels.
#[inline]
pub(super) fn has_levels(collation: Collation) -> bool {
    collation.is_kana_sensitive() || collation.is_width_sensitive() || collation.has(SELECTORS)
}

/// The levels of a text where nothing on them counts.
pub(super) fn write_empty(collation: Collation, out: &mut Vec<u8>) {
    let levels = [collation.is_kana_sensitive(), collation.is_width_sensitive(), collation.has(SELECTORS)];
    out.extend(levels.iter().filter(|is_there| **is_there).map(|_| LEVEL));
}

/// The levels of a text, but that of marks.
pub(super) fn write(text: &str, collation: Collation, out: &mut Vec<u8>) {
    if !has_levels(collation) {
        return;
    }
    let text: String = DecomposingNormalizerBorrowed::new_nfd().normalize_iter(text.chars()).collect();
    if collation.is_kana_sensitive() {
        out.push(LEVEL);
        out.extend(text.chars().filter_map(kana));
    }
    if collation.is_width_sensitive() {
        out.push(LEVEL);
        let start = out.len();
        out.extend(text.chars().filter_map(width));
        let used = out[start..].iter().rposition(|width| *width != AS_USUAL).map_or(0, |last| last + 1);
        out.truncate(start + used);
    }
    if collation.has(SELECTORS) {
        out.push(LEVEL);
        let mut before = 0;
        for c in text.chars() {
            match selector(c) {
                Some(selector) => {
                    write_number(before, out);
                    write_number(selector, out);
                }
                None => before += 1,
            }
        }
    }
}

fn kana(c: char) -> Option<u8> {
    match c {
        '\u{3041}'..='\u{3096}' | '\u{309D}' | '\u{309E}' => Some(2),
        '\u{30A1}'..='\u{30FA}' | '\u{30FD}' | '\u{30FE}' | '\u{31F0}'..='\u{31FF}' => Some(3),
        '\u{FF66}'..='\u{FF6F}' | '\u{FF71}'..='\u{FF9D}' => Some(3),
        _ => None,
    }
}

/// The width of most characters that have another.
const AS_USUAL: u8 = 2;

fn width(c: char) -> Option<u8> {
    match c {
        ' '..='~' | '¢' | '£' | '¥' | '¦' | '¬' | '¯' | '₩' | '│' | '■' | '○' | '←'..='↓' => {
            Some(AS_USUAL)
        }
        '\u{3001}'..='\u{3096}' | '\u{309B}'..='\u{30FF}' | '\u{3131}'..='\u{318E}' => Some(AS_USUAL),
        '\u{3000}' | 'ª' | '²' | '³' | '¹' | 'º' | '\u{2070}'..='\u{209C}' => Some(3),
        '\u{FF9E}' | '\u{FF9F}' => None,
        '\u{FF01}'..='\u{FFEE}' => Some(3),
        _ => None,
    }
}

fn selector(c: char) -> Option<usize> {
    match c {
        '\u{FE00}'..='\u{FE0F}' => Some(c as usize - 0xFE00),
        '\u{E0100}'..='\u{E01EF}' => Some(16 + c as usize - 0xE0100),
        _ => None,
    }
}

/// A number in one byte, or 0xFF and four.
fn write_number(number: usize, out: &mut Vec<u8>) {
    const LONG: u8 = 0xFF;
    match u8::try_from(number + 2) {
        Ok(short) if short < LONG => out.push(short),
        _ => {
            // Seven bits to a byte, so that none is 0.
            let rest = u32::try_from(number).unwrap_or(u32::MAX);
            out.push(LONG);
            out.extend([28, 21, 14, 7, 0].map(|shift| 0x80 | (rest >> shift) as u8));
        }
    }
}

/// The level of marks as it is written.
pub(super) struct Marks<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> Marks<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Marks<'o> {
        Marks { out, is_empty: true }
    }

    /// A mark after letters of so many bytes.
    pub(super) fn put(&mut self, letters: usize, mark: u8) {
        if std::mem::take(&mut self.is_empty) {
            self.out.push(LEVEL);
        }
        write_number(letters, self.out);
        self.out.push(mark);
    }
}

/// The level of marks of a text; `len` says how long letters are.
pub(super) fn write_marks(text: &str, len: &dyn Fn(&str) -> usize, out: &mut Vec<u8>) {
    let mut marks = Marks::new(out);
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if let Some(mark) = mark(c) {
            marks.put(len(&text[start..at]), mark);
            start = at + c.len_utf8();
        }
    }
}
