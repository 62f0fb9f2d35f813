//! Words, names and literals of a batch with their places: as much of T-SQL as a rewriting of scripts needs. Comments and
//! blanks are left out. What is not understood is a [`Kind::Other`] of one character.

use std::ops::Range;

/// What a piece of the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name, a keyword, `#t`, `@v`, `[name]`, `"name"`.
    Word,
    /// `'…'`
    String,
    /// `N'…'`
    NationalString,
    /// `12`, `1.5`, `1e5`
    Number,
    /// `0x…`
    Binary,
    /// Anything else, a character each.
    Other,
}

/// A piece of the text.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Bytes of the text.
    pub range: Range<usize>,
}

/// The pieces of a text, in order.
pub fn pieces(text: &str) -> Vec<Piece> {
    let (bytes, mut at, mut pieces) = (text.as_bytes(), 0, Vec::new());
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_@#$".contains(&byte) || byte >= 0x80;
    while at < bytes.len() {
        let (start, rest) = (at, &bytes[at..]);
        let kind = match rest[0] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'-' if rest.starts_with(b"--") => {
                at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                at += text[at..].find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            b'\'' => {
                at = end_of_quoted(bytes, at, b'\'');
                Kind::String
            }
            b'N' | b'n' if rest.get(1) == Some(&b'\'') => {
                at = end_of_quoted(bytes, at + 1, b'\'');
                Kind::NationalString
            }
            b'[' => {
                at = end_of_quoted(bytes, at, b']');
                Kind::Word
            }
            b'"' => {
                at = end_of_quoted(bytes, at, b'"');
                Kind::Word
            }
            b'0' if rest.len() > 1 && rest[1] | 0x20 == b'x' => {
                at += 2 + rest[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                Kind::Binary
            }
            byte if byte.is_ascii_digit() => {
                at += length_of_number(rest);
                Kind::Number
            }
            byte if is_word(byte) => {
                at += rest.iter().take_while(|&&byte| is_word(byte)).count();
                Kind::Word
            }
            _ => {
                at += 1;
                Kind::Other
            }
        };
        pieces.push(Piece { kind, range: start..at });
    }
    pieces
}

/// After the quote that ends what begins at `at`; a doubled one does not end it.
fn end_of_quoted(bytes: &[u8], at: usize, end: u8) -> usize {
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] == end {
            true if bytes.get(at + 1) == Some(&end) => at += 2,
            true => return at + 1,
            false => at += 1,
        }
    }
    bytes.len()
}

fn length_of_number(rest: &[u8]) -> usize {
    let mut length = 0;
    while let Some(&byte) = rest.get(length) {
        let is_exponent = byte | 0x20 == b'e';
        let is_sign = b"+-".contains(&byte) && length > 0 && rest[length - 1] | 0x20 == b'e';
        if !(byte.is_ascii_digit() || byte == b'.' || is_exponent || is_sign) {
            break;
        }
        length += 1;
    }
    length
}
