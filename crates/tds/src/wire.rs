//! Reading and writing the primitive fields of TDS: little-endian integers, length-prefixed UTF-16 strings.
//!
//! A [`Reader`] never goes past its end; it says what is cut off and how many bytes are missing at least.
//! Names of string fields are those of MS-TDS: `B_VARCHAR` has a byte, `US_VARCHAR` two bytes that count UTF-16 units.

use crate::TdsError;

/// A cursor over bytes.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    /// The collation that one of zeros means, as it travels.
    pub(crate) unnamed: [u8; 5],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0, unnamed: [0; 5] }
    }

    /// Bytes consumed so far.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// The next byte, not consumed.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    /// Everything that follows, not consumed.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    pub(crate) fn bytes(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], TdsError> {
        if count > self.remaining() {
            return Err(TdsError::Truncated { what, missing_bytes: count - self.remaining() });
        }
        let start = self.position;
        self.position += count;
        Ok(&self.bytes[start..self.position])
    }

    pub(crate) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], TdsError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N, what)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, TdsError> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, TdsError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u16_be(&mut self, what: &'static str) -> Result<u16, TdsError> {
        Ok(u16::from_be_bytes(self.array(what)?))
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, TdsError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn i32(&mut self, what: &'static str) -> Result<i32, TdsError> {
        Ok(i32::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, TdsError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// `count` UTF-16 units.
    pub(crate) fn utf16(&mut self, count: usize, what: &'static str) -> Result<String, TdsError> {
        Ok(utf16_string(self.bytes(count * 2, what)?))
    }

    /// A string with a byte that counts its UTF-16 units.
    pub(crate) fn b_varchar(&mut self, what: &'static str) -> Result<String, TdsError> {
        let count = self.u8(what)?;
        self.utf16(count.into(), what)
    }

    /// A string with two bytes that count its UTF-16 units.
    pub(crate) fn us_varchar(&mut self, what: &'static str) -> Result<String, TdsError> {
        let count = self.u16(what)?;
        self.utf16(count.into(), what)
    }

    /// Bytes with a byte that counts them.
    pub(crate) fn b_varbyte(&mut self, what: &'static str) -> Result<&'a [u8], TdsError> {
        let count = self.u8(what)?;
        self.bytes(count.into(), what)
    }

    /// A reader over the next `count` bytes, which this one skips.
    pub(crate) fn sub(&mut self, count: usize, what: &'static str) -> Result<Reader<'a>, TdsError> {
        Ok(Reader::new(self.bytes(count, what)?))
    }
}

/// UTF-16LE to a string. An unpaired surrogate becomes U+FFFD, an odd last byte is dropped; callers check lengths.
pub(crate) fn utf16_string(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 2);
    utf16_pieces(bytes, |piece| text.push_str(piece));
    text
}

/// Hands out the text of UTF-16LE bytes in pieces: ASCII, which most text is, 64 units at a time, the rest from the
/// first other unit on by characters.
pub(crate) fn utf16_pieces(bytes: &[u8], mut push: impl FnMut(&str)) {
    const UNITS: usize = 64;
    let mut narrow = [0; UNITS];
    let mut chunks = bytes.chunks(2 * UNITS);
    let mut done_bytes = 0;
    for chunk in &mut chunks {
        let count = chunk.len() / 2;
        let mut seen = 0;
        for (unit, pair) in narrow.iter_mut().zip(chunk.chunks_exact(2)) {
            *unit = pair[0];
            seen |= pair[0] | if pair[1] == 0 { 0 } else { 0x80 };
        }
        if seen >= 0x80 {
            break;
        }
        push(std::str::from_utf8(&narrow[..count]).expect("ASCII, as checked"));
        done_bytes += chunk.len();
    }
    let units = bytes[done_bytes..].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    for unit in char::decode_utf16(units) {
        push(unit.unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut [0; 4]));
    }
}

pub(crate) fn put_u16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub(crate) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub(crate) fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends UTF-16LE; ASCII, which most text is, goes without decoding.
pub(crate) fn put_utf16(out: &mut Vec<u8>, text: &str) {
    let start = out.len();
    if text.is_ascii() {
        out.resize(start + text.len() * 2, 0);
        for (pair, byte) in out[start..].chunks_exact_mut(2).zip(text.bytes()) {
            pair[0] = byte;
        }
        return;
    }
    for unit in text.encode_utf16() {
        put_u16(out, unit);
    }
}

/// The longest prefix of `text` that has at most `bound` UTF-16 units.
pub(crate) fn utf16_prefix(text: &str, bound: usize) -> &str {
    if text.len() <= bound {
        return text;
    }
    let mut units = 0;
    for (offset, character) in text.char_indices() {
        units += character.len_utf16();
        if units > bound {
            return &text[..offset];
        }
    }
    text
}

/// Writes a `B_VARCHAR`; a longer text is cut at 255 units, which no name of SQL Server reaches.
pub(crate) fn put_b_varchar(out: &mut Vec<u8>, text: &str) {
    let at = out.len();
    out.push(0);
    put_utf16(out, utf16_prefix(text, 255));
    out[at] = u8::try_from((out.len() - at - 1) / 2).expect("cut to 255 units");
}

/// Writes a `US_VARCHAR`, cut at `bound` units.
pub(crate) fn put_us_varchar(out: &mut Vec<u8>, text: &str, bound: u16) {
    let at = out.len();
    put_u16(out, 0);
    put_utf16(out, utf16_prefix(text, bound.into()));
    let units = u16::try_from((out.len() - at - 2) / 2).expect("cut to the bound");
    out[at..at + 2].copy_from_slice(&units.to_le_bytes());
}

/// Writes a body and puts its length in bytes as `u16` in front.
pub(crate) fn put_with_length(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    put_u16(out, 0);
    body(out);
    let length = u16::try_from(out.len() - at - 2).expect("token bodies are cut below 64 KiB");
    out[at..at + 2].copy_from_slice(&length.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_says_what_is_missing() {
        let mut reader = Reader::new(&[1, 2, 3]);
        assert_eq!(reader.u16("a"), Ok(0x0201));
        assert_eq!(reader.u32("b"), Err(TdsError::Truncated { what: "b", missing_bytes: 3 }));
        assert_eq!(reader.u8("c"), Ok(3));
        assert!(reader.is_empty());
    }

    #[test]
    fn names_are_cut_between_characters() {
        assert_eq!(utf16_prefix("aé𝄞", 3), "aé");
        assert_eq!(utf16_prefix("aé𝄞", 4), "aé𝄞");
        let mut out = Vec::new();
        put_b_varchar(&mut out, &"𝄞".repeat(200));
        assert_eq!(out[0], 254);
        assert_eq!(Reader::new(&out).b_varchar("name").unwrap(), "𝄞".repeat(127));
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        assert_eq!(utf16_string(&[0x00, 0xD8, 0x41, 0x00]), "\u{FFFD}A");
    }

    #[test]
    fn text_survives_wherever_it_stops_being_ascii() {
        for length in [0, 1, 62, 63, 64, 65, 127, 128, 200] {
            for tail in ["", "é", "𝄞", "é and more ascii after it 𝄞"] {
                let text = format!("{}{tail}", "x".repeat(length));
                let mut bytes = Vec::new();
                put_utf16(&mut bytes, &text);
                assert_eq!(utf16_string(&bytes), text);
            }
        }
    }
}
