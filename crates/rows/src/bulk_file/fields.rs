//! Fields of a text file, one after the other: bytes in, the bytes of a field out.
//!
//! ```text
//!   file ──chunks──▶ window (UTF-16 as UTF-8) ──terminators, quotes──▶ field
//! ```
//!
//! What always holds: no more than one field and two chunks are in memory. A field ends at its own terminator, so that
//! without quotes a row with too few fields takes more from the line after it; with quotes (CSV) a line is a row. Knows
//! no columns and no values.

use std::io::{self, Read};

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 256 << 10;
/// Bytes that are looked at together for a terminator.
const BLOCK_BYTES: usize = 32;

/// What the bytes of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Code page 1252.
    Cp1252,
    /// UTF-8.
    Utf8,
    /// UTF-16, little-endian.
    Utf16,
}

/// How fields are separated.
#[derive(Clone, Debug)]
pub struct Format {
    /// What its bytes are.
    pub encoding: Encoding,
    /// Ends every field but the last.
    pub field: Box<[u8]>,
    /// Ends the last.
    pub row: Box<[u8]>,
    /// A carriage return before the end of a row belongs to it.
    pub takes_crlf: bool,
    /// CSV: what stands around a field that holds terminators.
    pub quote: Option<u8>,
}

/// Why there is no next field.
#[derive(Debug, thiserror::Error)]
pub enum FieldError {
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The file ends within a row.
    #[error("the file ends within a row")]
    UnexpectedEnd,
    /// The field has more bytes than a value may have.
    #[error("the field is too long")]
    TooLong,
    /// A quote without its end, or a row with too few or too many fields.
    #[error("the quotes or the number of fields are wrong")]
    Malformed,
}

/// A field's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// As they stand in the file, without quotes.
    pub bytes: &'a [u8],
    /// It stood in quotes.
    pub is_quoted: bool,
}

/// What ended a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Field,
    Row,
    File,
}

/// The rest of a file.
pub struct FieldReader<R> {
    format: Format,
    input: Input<R>,
    window: Vec<u8>,
    /// Where the next field begins in the window.
    at: usize,
    /// Where the window's bytes end.
    end: usize,
    is_over: bool,
    /// A field that was in quotes.
    unquoted: Vec<u8>,
}

impl<R: Read> FieldReader<R> {
    /// `input` stands after the mark of its encoding.
    pub fn new(input: R, format: Format) -> FieldReader<R> {
        let input = Input { input, is_wide: format.encoding == Encoding::Utf16, rest: Vec::new() };
        let (window, unquoted) = (vec![0; 2 * CHUNK_BYTES], Vec::new());
        FieldReader { format, input, window, at: 0, end: 0, is_over: false, unquoted }
    }

    /// Whether the file has ended.
    pub fn is_at_end(&mut self) -> Result<bool, FieldError> {
        while self.at == self.end {
            if !self.fill()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The next field of at most `limit_bytes`; the last of its row is ended by the row's terminator or the file's end.
    pub fn field(&mut self, is_last: bool, limit_bytes: usize) -> Result<Field<'_>, FieldError> {
        let Some(quote) = self.format.quote else { return self.plain(is_last, limit_bytes) };
        let is_quoted = !self.is_at_end()? && self.window[self.at] == quote;
        let (start, end, ended) = match is_quoted {
            true => (0, 0, self.quoted(quote, limit_bytes)?),
            false => self.bare(limit_bytes)?,
        };
        if (ended == End::Field) == is_last {
            return Err(FieldError::Malformed);
        }
        let bytes = if is_quoted { &self.unquoted[..] } else { &self.window[start..end] };
        Ok(Field { bytes, is_quoted })
    }

    /// Passes over a row of so many fields; of a line when there are quotes.
    pub fn skip_row(&mut self, fields: usize) -> Result<(), FieldError> {
        let Some(quote) = self.format.quote else {
            for field in 0..fields {
                self.plain(field + 1 == fields, i32::MAX as usize)?;
            }
            return Ok(());
        };
        loop {
            let is_quoted = !self.is_at_end()? && self.window[self.at] == quote;
            let ended = match is_quoted {
                true => self.quoted(quote, i32::MAX as usize)?,
                false => self.bare(i32::MAX as usize)?.2,
            };
            if ended != End::Field {
                return Ok(());
            }
        }
    }

    /// A field that ends at its own terminator, whatever is in it.
    fn plain(&mut self, is_last: bool, limit_bytes: usize) -> Result<Field<'_>, FieldError> {
        let mut searched = 0;
        loop {
            let terminator = if is_last { &self.format.row } else { &self.format.field };
            let there = &self.window[self.at..self.end];
            let found = find(&there[searched..], terminator).map(|position| searched + position);
            let len = found.unwrap_or(there.len());
            if len > limit_bytes {
                return Err(FieldError::TooLong);
            }
            let after = terminator.len();
            if let Some(len) = found {
                return Ok(self.taken(len, len + after, is_last));
            }
            searched = (len + 1).saturating_sub(after);
            if !self.fill()? {
                return match is_last {
                    true => Ok(self.taken(len, len, true)),
                    false => Err(FieldError::UnexpectedEnd),
                };
            }
        }
    }

    fn taken(&mut self, len: usize, whole: usize, is_last: bool) -> Field<'_> {
        let (start, end) = self.pass(len, whole, is_last);
        Field { bytes: &self.window[start..end], is_quoted: false }
    }

    /// Continues after a field and its terminator; says where the field is.
    fn pass(&mut self, len: usize, whole: usize, ends_row: bool) -> (usize, usize) {
        let start = self.at;
        self.at += whole;
        let mut end = start + len;
        if ends_row && self.format.takes_crlf && self.window[start..end].last() == Some(&b'\r') {
            end -= 1;
        }
        (start, end)
    }

    /// A field without quotes: where it is, and what ended it.
    fn bare(&mut self, limit_bytes: usize) -> Result<(usize, usize, End), FieldError> {
        let mut searched = 0;
        loop {
            let there = &self.window[self.at..self.end];
            let found = find_either(&there[searched..], &self.format.field, &self.format.row);
            let len = found.map_or(there.len(), |(position, _)| searched + position);
            if len > limit_bytes {
                return Err(FieldError::TooLong);
            }
            let longest = self.format.field.len().max(self.format.row.len());
            if let Some((_, ended)) = found {
                let after = if ended == End::Row { self.format.row.len() } else { self.format.field.len() };
                let (start, end) = self.pass(len, len + after, ended == End::Row);
                return Ok((start, end, ended));
            }
            // A terminator may begin at the window's end.
            searched = (len + 1).saturating_sub(longest);
            if !self.fill()? {
                let (start, end) = self.pass(len, len, true);
                return Ok((start, end, End::File));
            }
        }
    }

    /// Takes a field in quotes; two of them are one of its text.
    fn quoted(&mut self, quote: u8, limit_bytes: usize) -> Result<End, FieldError> {
        self.at += 1;
        self.unquoted.clear();
        loop {
            let there = &self.window[self.at..self.end];
            let found = find(there, &[quote]);
            let len = found.unwrap_or(there.len());
            if self.unquoted.len() + len > limit_bytes {
                return Err(FieldError::TooLong);
            }
            self.unquoted.extend_from_slice(&there[..len]);
            self.at += len + usize::from(found.is_some());
            if found.is_none() {
                if !self.fill()? {
                    return Err(FieldError::UnexpectedEnd);
                }
            } else if !self.is_at_end()? && self.window[self.at] == quote {
                self.unquoted.push(quote);
                self.at += 1;
            } else {
                return self.after_quote();
            }
        }
    }

    /// What follows a closing quote.
    fn after_quote(&mut self) -> Result<End, FieldError> {
        let wanted = self.format.field.len().max(self.format.row.len() + 1);
        while self.end - self.at < wanted && self.fill()? {}
        let there = &self.window[self.at..self.end];
        let Format { field, row, takes_crlf, .. } = &self.format;
        let (ended, len) = match there {
            [] => (End::File, 0),
            _ if there.starts_with(field) => (End::Field, field.len()),
            _ if there.starts_with(row) => (End::Row, row.len()),
            [b'\r', rest @ ..] if *takes_crlf && rest.starts_with(row) => (End::Row, 1 + row.len()),
            [b'\r'] if *takes_crlf => (End::File, 1),
            _ => return Err(FieldError::Malformed),
        };
        self.at += len;
        Ok(ended)
    }

    /// Reads on; whether there was something. The field that has begun comes to the window's beginning.
    fn fill(&mut self) -> Result<bool, FieldError> {
        if self.is_over {
            return Ok(false);
        }
        if self.at > 0 {
            self.window.copy_within(self.at..self.end, 0);
            self.end -= self.at;
            self.at = 0;
        }
        if self.window.len() - self.end < CHUNK_BYTES {
            self.window.resize((2 * self.window.len()).max(self.end + CHUNK_BYTES), 0);
        }
        let read = self.input.read(&mut self.window, self.end)?;
        self.end += read;
        self.is_over = read == 0;
        Ok(read > 0)
    }
}

/// A file's bytes, those of UTF-16 as UTF-8.
struct Input<R> {
    input: R,
    is_wide: bool,
    /// Of UTF-16: bytes that have been read and make no character yet.
    rest: Vec<u8>,
}

impl<R: Read> Input<R> {
    /// Reads to `window[end..]`, which has space for a chunk; 0 at the file's end alone.
    fn read(&mut self, window: &mut [u8], end: usize) -> io::Result<usize> {
        if !self.is_wide {
            return read_some(&mut self.input, &mut window[end..end + CHUNK_BYTES]);
        }
        loop {
            // A unit of two bytes becomes three at most.
            let mut raw = std::mem::take(&mut self.rest);
            let kept = raw.len();
            raw.resize(CHUNK_BYTES / 2, 0);
            let read = read_some(&mut self.input, &mut raw[kept..])?;
            raw.truncate(kept + read);
            let whole = if read == 0 { raw.len() } else { whole_characters(&raw) };
            self.rest = raw.split_off(whole);
            let units = raw.chunks(2).map(|unit| u16::from_le_bytes([unit[0], *unit.get(1).unwrap_or(&0)]));
            let mut len = 0;
            for c in char::decode_utf16(units) {
                len += c.unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut window[end + len..]).len();
            }
            if len > 0 || read == 0 {
                return Ok(len);
            }
        }
    }
}

fn read_some(input: &mut impl Read, to: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(to) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Bytes of UTF-16 without half a unit or half a pair at their end.
fn whole_characters(raw: &[u8]) -> usize {
    let even = raw.len() & !1;
    let is_half_pair = even >= 2 && (0xD8..=0xDB).contains(&raw[even - 1]);
    if is_half_pair { even - 2 } else { even }
}

/// Where `wanted` begins first.
fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + find_byte(&bytes[from..], |byte| byte == wanted[0])?;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Where one of two begins first; the end of a field when both do.
fn find_either(bytes: &[u8], field: &[u8], row: &[u8]) -> Option<(usize, End)> {
    let mut from = 0;
    loop {
        let at = from + find_byte(&bytes[from..], |byte| (byte == field[0]) | (byte == row[0]))?;
        if bytes[at..].starts_with(field) {
            return Some((at, End::Field));
        }
        if bytes[at..].starts_with(row) {
            return Some((at, End::Row));
        }
        from = at + 1;
    }
}

/// Hot: blocks that the compiler compares as vectors.
fn find_byte(bytes: &[u8], is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let mut blocks = bytes.chunks_exact(BLOCK_BYTES);
    let mut passed = 0;
    for block in blocks.by_ref() {
        if block.iter().fold(false, |found, &byte| found | is_wanted(byte)) {
            return block.iter().position(|&byte| is_wanted(byte)).map(|position| passed + position);
        }
        passed += BLOCK_BYTES;
    }
    blocks.remainder().iter().position(|&byte| is_wanted(byte)).map(|position| passed + position)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let len = self.1.min(self.0.len()).min(to.len());
            to[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    fn format(field: &str, row: &str, quote: Option<u8>) -> Format {
        let bytes = |text: &str| text.as_bytes().into();
        Format { encoding: Encoding::Utf8, field: bytes(field), row: bytes(row), takes_crlf: row == "\n", quote }
    }

    /// Rows of so many fields, joined by `|`, and what ended them.
    fn rows(bytes: &[u8], format: &Format, fields: usize, drop: usize) -> (Vec<String>, Option<String>) {
        let mut reader = FieldReader::new(Drops(bytes, drop), format.clone());
        let mut rows = Vec::new();
        loop {
            match reader.is_at_end() {
                Ok(false) => {}
                Ok(true) => return (rows, None),
                Err(error) => return (rows, Some(error.to_string())),
            }
            let mut row: Vec<String> = Vec::new();
            for field in 0..fields {
                match reader.field(field + 1 == fields, 1000) {
                    Ok(field) => row.push(String::from_utf8(field.bytes.to_vec()).unwrap()),
                    Err(error) => return (rows, Some(error.to_string())),
                }
            }
            rows.push(row.join("|"));
        }
    }

    fn fields_and_error(bytes: &[u8], format: &Format, fields: usize) -> (Vec<String>, Option<String>) {
        let whole = rows(bytes, format, fields, usize::MAX);
        for drop in [1, 2, 3, 7] {
            assert_eq!(rows(bytes, format, fields, drop), whole, "in drops of {drop}");
        }
        whole
    }

    #[test]
    fn a_field_ends_at_its_own_terminator() {
        let tabs = format("\t", "\n", None);
        assert_eq!(
            fields_and_error(b"1\ta\r\n2\tb\n3\tc", &tabs, 2),
            (vec!["1|a".into(), "2|b".into(), "3|c".into()], None)
        );
        assert_eq!(fields_and_error(b"1\n2\tb\n", &tabs, 2), (vec!["1\n2|b".into()], None));
        let end = Some("the file ends within a row".to_owned());
        assert_eq!(fields_and_error(b"1\ta\n\n", &tabs, 2), (vec!["1|a".into()], end));
        assert_eq!(fields_and_error(b"1\ta\tb\n", &tabs, 2), (vec!["1|a\tb".into()], None));
        let long = format("||", "|#|\n", None);
        assert_eq!(fields_and_error(b"1|||a|#||#|\n2||b|#|\n", &long, 2), (vec!["1||a|#|".into(), "2|b".into()], None));
    }

    #[test]
    fn quotes_hold_terminators_and_line_breaks() {
        let csv = format(",", "\n", Some(b'"'));
        let text = b"1,\"a, \"\"b\"\"\nc\",x\r\n2,,\"\"\r\n\"3\",\"\",y";
        assert_eq!(fields_and_error(text, &csv, 3).0, ["1|a, \"b\"\nc|x", "2||", "3||y"]);
        let wrong = Some("the quotes or the number of fields are wrong".to_owned());
        for text in ["1,2\n", "1,2,3,4\n", "1,\"a\"b,3\n"] {
            assert_eq!(fields_and_error(text.as_bytes(), &csv, 3), (vec![], wrong.clone()), "{text}");
        }
        let end = Some("the file ends within a row".to_owned());
        assert_eq!(fields_and_error(b"1,\"a", &csv, 2), (vec![], end));
    }

    #[test]
    fn lines_are_passed_over_without_counting_their_fields() {
        let csv = format(",", "\n", Some(b'"'));
        let mut reader = FieldReader::new(&b"\"title\nof it\"\na,b\n1,2\n"[..], csv);
        reader.skip_row(2).unwrap();
        reader.skip_row(2).unwrap();
        assert_eq!(reader.field(false, 10).unwrap(), Field { bytes: b"1", is_quoted: false });
    }

    #[test]
    fn utf16_becomes_utf8_wherever_it_is_cut() {
        let mut bytes = Vec::new();
        "1\tä𝄞\n2\t€\n".encode_utf16().for_each(|unit| bytes.extend_from_slice(&unit.to_le_bytes()));
        let wide = Format { encoding: Encoding::Utf16, ..format("\t", "\n", None) };
        assert_eq!(fields_and_error(&bytes, &wide, 2), (vec!["1|ä𝄞".into(), "2|€".into()], None));
    }

    #[test]
    fn a_field_without_end_is_no_reason_for_memory() {
        let tabs = format("\t", "\n", None);
        let mut reader = FieldReader::new(io::repeat(b'x'), tabs);
        assert!(matches!(reader.field(false, 1 << 20), Err(FieldError::TooLong)));
        assert!(reader.window.len() <= 4 << 20);
        let long = "x".repeat(2 * CHUNK_BYTES) + "\ty\n";
        let mut reader = FieldReader::new(long.as_bytes(), format("\t", "\n", None));
        assert_eq!(reader.field(false, 1 << 20).unwrap().bytes.len(), 2 * CHUNK_BYTES);
        assert_eq!(reader.field(true, 10).unwrap().bytes, b"y");
    }
}
