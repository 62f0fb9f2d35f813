//! Characters and their lengths: code pages of `varchar`, UTF-16 units of `nvarchar`, blanks.
//!
//! Texts are held as UTF-8 whatever their type. The length of a text is its number of UTF-16 units, which is also its
//! number of bytes in code pages of a byte per character, because what those lack becomes one byte per unit (`best_fit`, or
//! `?`); in a type of UTF-8 or of a code page of two bytes it is its number of bytes ([`declared_len`]). No page has more
//! bytes for a text than UTF-8. Knows no collation.

use std::borrow::Cow;

use compact_str::CompactString;

use crate::ascii;
use crate::best_fit::best_fit;
use crate::code_page;
use crate::sql_type::{CodePage, SqlType};

/// What code page 1252 puts in place of a character that it lacks and that looks like none of its own.
const REPLACEMENT: u8 = b'?';

/// Characters of bytes 0x80..=0x9F. The five unassigned bytes map to the control character of the same number, so that
/// every byte string survives a round trip.
const HIGH: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{0192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{02C6}',
    '\u{2030}', '\u{0160}', '\u{2039}', '\u{0152}', '\u{8D}', '\u{017D}', '\u{8F}', '\u{90}', '\u{2018}', '\u{2019}',
    '\u{201C}', '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{02DC}', '\u{2122}', '\u{0161}', '\u{203A}',
    '\u{0153}', '\u{9D}', '\u{017E}', '\u{0178}',
];

/// The byte of a character in code page 1252.
#[must_use]
pub fn cp1252_byte(c: char) -> Option<u8> {
    match c {
        '\0'..='\x7F' | '\u{A0}'..='\u{FF}' => Some(c as u8),
        _ => HIGH.iter().position(|&high| high == c).map(|i| 0x80 + i as u8),
    }
}

/// The character of a byte in code page 1252.
#[must_use]
pub fn cp1252_char(byte: u8) -> char {
    match byte {
        0x80..=0x9F => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// Appends the text in code page 1252; what it lacks becomes what it looks like, or `?` (two for a character of two UTF-16
/// units).
pub fn encode_cp1252(text: &str, out: &mut Vec<u8>) {
    if text.is_ascii() {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.extend(cp1252_bytes(text));
}

/// The bytes of a text in code page 1252, one per UTF-16 unit.
pub(crate) fn cp1252_bytes(text: &str) -> impl Iterator<Item = u8> + '_ {
    let byte = |c| cp1252_byte(c).or_else(|| best_fit(c).and_then(cp1252_byte)).unwrap_or(REPLACEMENT);
    text.chars().flat_map(move |c| std::iter::repeat_n(byte(c), c.len_utf16()))
}

/// Text of code page 1252 bytes.
#[must_use]
pub fn decode_cp1252(bytes: &[u8]) -> CompactString {
    match ascii::text(bytes) {
        Some(text) => CompactString::new(text),
        None => bytes.iter().map(|&byte| cp1252_char(byte)).collect(),
    }
}

/// Appends the text as `varchar` of a code page has it.
pub fn encode(text: &str, page: CodePage, out: &mut Vec<u8>) {
    match page {
        CodePage::Utf8 => out.extend_from_slice(text.as_bytes()),
        CodePage::Cp1252 => encode_cp1252(text, out),
        page => code_page::encode(text, page, out),
    }
}

/// Text of the bytes of a `varchar` of a code page; what is no UTF-8 becomes U+FFFD.
#[must_use]
pub fn decode(bytes: &[u8], page: CodePage) -> CompactString {
    match page {
        CodePage::Utf8 => CompactString::from_utf8_lossy(bytes),
        CodePage::Cp1252 => decode_cp1252(bytes),
        page => match ascii::text(bytes) {
            Some(text) => CompactString::new(text),
            None => CompactString::from(code_page::decode(bytes, page)),
        },
    }
}

/// The text as `varchar` of a code page holds it: characters that the page lacks become what they look like, or `?`.
#[must_use]
pub fn to_page(text: &str, page: CodePage) -> Cow<'_, str> {
    match page {
        CodePage::Utf8 => Cow::Borrowed(text),
        CodePage::Cp1252 => to_cp1252(text),
        page => code_page::in_page(text, page),
    }
}

/// Bytes of a text in a code page.
#[must_use]
pub fn page_len(text: &str, page: CodePage) -> usize {
    match page {
        CodePage::Utf8 => text.len(),
        page if page.is_double_byte() => code_page::len(text, page),
        _ => utf16_len(text),
    }
}

/// Bytes of a character in a code page.
#[must_use]
pub fn char_page_len(c: char, page: CodePage) -> usize {
    match page {
        CodePage::Utf8 => c.len_utf8(),
        page if page.is_double_byte() => code_page::char_len(c, page),
        _ => c.len_utf16(),
    }
}

/// The text as `varchar` of code page 1252 holds it: characters that code page 1252 lacks become what they
/// look like, or `?`.
#[must_use]
pub fn to_cp1252(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(|c| cp1252_byte(c).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(cp1252_bytes(text).map(cp1252_char).collect())
}

/// Text of UTF-16 little-endian bytes; half a surrogate pair becomes U+FFFD, an odd last byte is left out.
#[must_use]
pub fn decode_utf16(bytes: &[u8]) -> CompactString {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Appends the text as UTF-16 little-endian.
pub fn encode_utf16(text: &str, out: &mut Vec<u8>) {
    out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
}

/// Length in UTF-16 units, which is also the length in bytes as `varchar`.
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// `len` UTF-16 units from unit `start` (from 0); half a surrogate pair becomes U+FFFD.
#[must_use]
pub fn substring(text: &str, start: usize, len: usize) -> CompactString {
    if text.is_ascii() {
        let start = start.min(text.len());
        let end = start.saturating_add(len).min(text.len());
        return CompactString::new(&text[start..end]);
    }
    let units = text.encode_utf16().skip(start).take(len);
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The first `units` UTF-16 units.
#[must_use]
pub fn prefix(text: &str, units: usize) -> CompactString {
    substring(text, 0, units)
}

/// Length of a text in the unit in which the type declares its length: bytes of `char` and `varchar`, UTF-16 units of
/// others.
#[must_use]
pub fn declared_len(text: &str, sql_type: &SqlType) -> usize {
    page_len(text, sql_type.page())
}

/// The longest beginning of a text that is not longer than `len` in the unit of the type. Bytes are cut before a character
/// that does not fit.
#[must_use]
pub fn declared_prefix(text: &str, len: usize, sql_type: &SqlType) -> CompactString {
    if sql_type.is_utf8() {
        return CompactString::new(&text[..text.floor_char_boundary(len)]);
    }
    if !sql_type.is_multi_byte() {
        return prefix(text, len);
    }
    let mut left = len;
    let fits = |c: char| {
        let rest = left.checked_sub(char_page_len(c, sql_type.page()));
        left = rest.unwrap_or(left);
        rest.map(|_| c.len_utf8())
    };
    let end = text.chars().map_while(fits).sum::<usize>();
    CompactString::new(&text[..end])
}

/// Length in characters: what supplementary-character-aware collations count.
#[must_use]
pub fn char_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// `len` characters from character `start` (from 0).
#[must_use]
pub fn substring_of_chars(text: &str, start: usize, len: usize) -> &str {
    let byte_of = |text: &str, count: usize| match text.is_ascii() {
        true => count.min(text.len()),
        false => text.char_indices().nth(count).map_or(text.len(), |(byte, _)| byte),
    };
    let from_start = &text[byte_of(text, start)..];
    &from_start[..byte_of(from_start, len)]
}

/// The text without the blanks at its end. Padded `char(8000)` texts come here often, so whole blocks go first.
#[must_use]
pub fn trim_end_blanks(text: &str) -> &str {
    const BLANKS: [u8; 32] = [b' '; 32];
    let mut bytes = text.as_bytes();
    while let Some((shorter, tail)) = bytes.split_last_chunk()
        && *tail == BLANKS
    {
        bytes = shorter;
    }
    while let Some(shorter) = bytes.strip_suffix(b" ") {
        bytes = shorter;
    }
    &text[..bytes.len()]
}

/// The text padded with blanks to `len` in the unit of the type; a longer one stays as it is.
#[must_use]
pub fn pad_blanks(text: &str, len: usize, sql_type: &SqlType) -> CompactString {
    let missing = len.saturating_sub(declared_len(text, sql_type));
    let mut padded = CompactString::with_capacity(text.len() + missing);
    padded.push_str(text);
    const BLANKS: &str = "                                                                ";
    let mut left = missing;
    while left > 0 {
        let now = left.min(BLANKS.len());
        padded.push_str(&BLANKS[..now]);
        left -= now;
    }
    padded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_byte_of_the_code_page_round_trips() {
        let all: Vec<u8> = (0..=255).collect();
        let text = decode_cp1252(&all);
        let mut back = Vec::new();
        encode_cp1252(&text, &mut back);
        assert_eq!(back, all);
        assert_eq!(cp1252_char(0x80), '€');
        assert_eq!(cp1252_byte('ß'), Some(0xDF));
        assert_eq!(cp1252_byte('™'), Some(0x99));
    }

    #[test]
    fn what_the_code_page_lacks_becomes_question_marks() {
        assert_eq!(to_cp1252("日本"), "??");
        assert_eq!(to_cp1252("a😀b"), "a??b");
        assert!(matches!(to_cp1252("Müller €5"), Cow::Borrowed(_)));
        let mut bytes = Vec::new();
        encode_cp1252("ж😀", &mut bytes);
        assert_eq!(bytes, b"???");
    }

    #[test]
    fn lengths_and_substrings_count_utf16_units() {
        assert_eq!(utf16_len("abc"), 3);
        assert_eq!(utf16_len("a😀"), 3);
        assert_eq!(substring("hello", 1, 3), "ell");
        assert_eq!(substring("hello", 4, 100), "o");
        assert_eq!(substring("hello", 9, usize::MAX), "");
        assert_eq!(substring("äöü", 1, 1), "ö");
        assert_eq!(substring("a😀b", 1, 2), "😀");
        assert_eq!(substring("a😀b", 0, 2), "a\u{FFFD}");
    }

    #[test]
    fn blanks_pad_and_trim() {
        let char = SqlType::char(200);
        assert_eq!(pad_blanks("ab", 5, &char), "ab   ");
        assert_eq!(pad_blanks("abc", 2, &char), "abc");
        assert_eq!(pad_blanks("ä", 200, &char).chars().count(), 200);
        assert_eq!(pad_blanks("ä", 200, &char.in_page(CodePage::Utf8)).len(), 200);
        assert_eq!(trim_end_blanks("a b  "), "a b");
    }

    #[test]
    fn utf8_is_measured_in_bytes_and_cut_before_a_character() {
        let utf8 = SqlType::varchar(10).in_page(CodePage::Utf8);
        assert_eq!((declared_len("ž日😀", &utf8), declared_len("ž日😀", &SqlType::varchar(10))), (9, 4));
        for (len, expected) in
            [(0, ""), (1, ""), (2, "ž"), (4, "ž"), (5, "ž日"), (8, "ž日"), (9, "ž日😀"), (99, "ž日😀")]
        {
            assert_eq!(declared_prefix("ž日😀", len, &utf8), expected, "{len}");
        }
        assert_eq!(declared_prefix("äöü", 2, &SqlType::varchar(10)), "äö");
    }

    #[test]
    fn characters_are_counted_whole() {
        assert_eq!((char_len("a😀b"), char_len("abc"), char_len("")), (3, 3, 0));
        assert_eq!(substring_of_chars("a😀b", 1, 1), "😀");
        assert_eq!(substring_of_chars("a😀b", 2, usize::MAX), "b");
        assert_eq!(substring_of_chars("a😀b", 9, 1), "");
        assert_eq!(substring_of_chars("abc", 1, 9), "bc");
    }

    #[test]
    fn both_pages_round_trip_and_broken_utf8_is_replaced() {
        for page in [CodePage::Cp1252, CodePage::Utf8] {
            let mut bytes = Vec::new();
            encode("Müller €5", page, &mut bytes);
            assert_eq!(decode(&bytes, page), "Müller €5");
        }
        assert_eq!(decode(b"a\xFFb", CodePage::Utf8), "a\u{FFFD}b");
    }

    proptest! {
        #[test]
        fn utf16_round_trips(text in any::<String>()) {
            let mut bytes = Vec::new();
            encode_utf16(&text, &mut bytes);
            prop_assert_eq!(bytes.len(), 2 * utf16_len(&text));
            let back = decode_utf16(&bytes);
            prop_assert_eq!(back.as_str(), text.as_str());
        }

        #[test]
        fn two_substrings_join_to_the_text(text in "[a-zäöü]{0,40}", cut in 0..50usize) {
            let joined = format!("{}{}", substring(&text, 0, cut), substring(&text, cut, usize::MAX));
            prop_assert_eq!(joined, text);
        }
    }
}
