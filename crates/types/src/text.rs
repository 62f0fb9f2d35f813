//! Code page 1252, UTF-16 lengths, blanks.

use compact_str::CompactString;
use std::borrow::Cow;

/// Appends the text in code page 1252; what it lacks becomes `?` (two for a character of two UTF-16 units).
pub fn encode_cp1252(_text: &str, _out: &mut Vec<u8>) {
    todo!()
}
/// Text of code page 1252 bytes.
#[must_use]
pub fn decode_cp1252(_bytes: &[u8]) -> CompactString {
    todo!()
}
/// The text as `varchar` holds it: characters that code page 1252 lacks become `?`.
#[must_use]
pub fn to_cp1252(_text: &str) -> Cow<'_, str> {
    todo!()
}
/// Length in UTF-16 units, which is LEN's unit and also the length in bytes as `varchar`.
#[must_use]
pub fn utf16_len(_text: &str) -> usize {
    todo!()
}
/// `len` UTF-16 units from unit `start` (from 0); half a surrogate pair becomes U+FFFD.
#[must_use]
pub fn substring(_text: &str, _start: usize, _len: usize) -> CompactString {
    todo!()
}
/// The text without the blanks at its end.
#[must_use]
pub fn trim_end_blanks(text: &str) -> &str {
    text.trim_end_matches(' ')
}
/// The text padded with blanks to `units` UTF-16 units.
#[must_use]
pub fn pad_blanks(_text: &str, _units: usize) -> CompactString {
    todo!()
}
