//! The tokens of a JSON text, one after the other.
//!
//! What always holds: a token is given when all of it is right, with what stands before it; what stands after it is not
//! looked at. A scalar that is wrong is wrong at its first character, anything else where it stands. Only an object or an
//! array is a JSON text, unless [`Reader::of_any`] reads it.

use std::borrow::Cow;

use millpond_message::error::SqlError;
use millpond_types::text::utf16_len;
use millpond_types::watch::PIECE_BYTES;
use millpond_types::{Stopped, Watch};

/// Most containers that are open at once.
pub const DEPTH_MAX: usize = 129;
/// Words of a bit for each open container.
const WORDS: usize = DEPTH_MAX.div_ceil(64);

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An unexpected character at this byte; at the length of the text its end.
    Unexpected(usize),
    /// Too many containers in each other.
    TooDeep,
    /// The answer is not wanted any more.
    Stopped,
}

impl From<Stopped> for Fault {
    fn from(_: Stopped) -> Fault {
        Fault::Stopped
    }
}

impl Fault {
    /// The error of a function that cannot do without the text: 13609 in the state that belongs to the function, 13606.
    #[must_use]
    pub fn of(self, text: &str, state: u8) -> SqlError {
        match self {
            Fault::Stopped => SqlError::from(Stopped),
            Fault::TooDeep => SqlError::of(13_606, 1, &[]),
            Fault::Unexpected(at) => {
                let character = text[at..].chars().next().unwrap_or('.');
                SqlError::of(13_609, state, &[&character, &utf16_len(&text[..at])])
            }
        }
    }
}

/// A name or a string as it is written between its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a> {
    /// Without the quotes.
    pub text: &'a str,
    /// Whether there is a backslash in it.
    pub is_escaped: bool,
}

impl<'a> Raw<'a> {
    /// What it means. Half a surrogate pair becomes U+FFFD.
    #[must_use]
    pub fn meaning(self) -> Cow<'a, str> {
        self.decoded(true)
    }

    /// The form in which names are compared: `\u0041` is the letter, other escapes are what is written.
    #[must_use]
    pub fn name(self) -> Cow<'a, str> {
        self.decoded(false)
    }

    fn decoded(self, all: bool) -> Cow<'a, str> {
        if !self.is_escaped {
            return Cow::Borrowed(self.text);
        }
        let mut decoded = String::with_capacity(self.text.len());
        let mut rest = self.text;
        while let Some(at) = rest.find('\\') {
            decoded.push_str(&rest[..at]);
            let escape = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
            rest = rest.get(at + 2..).unwrap_or_default();
            match escape {
                b'u' => rest = push_unit(&mut decoded, rest),
                _ if !all => decoded.extend(['\\', char::from(escape)]),
                b'b' => decoded.push('\u{8}'),
                b'f' => decoded.push('\u{c}'),
                b'n' => decoded.push('\n'),
                b'r' => decoded.push('\r'),
                b't' => decoded.push('\t'),
                other => decoded.push(char::from(other)),
            }
        }
        decoded.push_str(rest);
        Cow::Owned(decoded)
    }
}

/// Appends the character of the four digits that `rest` begins with, and of the second half of a pair after them; what is
/// left of `rest`.
fn push_unit<'a>(decoded: &mut String, rest: &'a str) -> &'a str {
    let unit = |text: &str| text.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let first = unit(rest).unwrap_or(0xFFFD);
    let behind = rest.get(4..).unwrap_or_default();
    let second = behind.strip_prefix("\\u").and_then(unit).filter(|unit| (0xDC00..0xE000).contains(unit));
    if let (0xD800..0xDC00, Some(second)) = (first, second) {
        decoded.extend(char::decode_utf16([first, second]).map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)));
        return &behind[6..];
    }
    decoded.push(char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER));
    behind
}

/// A value that has no values in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar<'a> {
    /// `null`
    Null,
    /// `true` and `false`
    Bool(bool),
    /// As written.
    Number(&'a str),
    /// As written.
    String(Raw<'a>),
}

impl<'a> Scalar<'a> {
    /// Its text: that of a string without the quotes and escapes, else what is written; none for `null`.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Scalar::Null => None,
            Scalar::Bool(truth) => Some(Cow::Borrowed(if truth { "true" } else { "false" })),
            Scalar::Number(digits) => Some(Cow::Borrowed(digits)),
            Scalar::String(raw) => Some(raw.meaning()),
        }
    }
}

/// A container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `{ … }`
    Object,
    /// `[ … ]`
    Array,
}

/// A token. Commas and colons come with what they stand before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `{` or `[`
    Open(Container),
    /// `}` or `]`
    Close,
    /// The name of a member; its value is the next token.
    Name(Raw<'a>),
    /// A value.
    Scalar(Scalar<'a>),
    /// Nothing but blanks is left.
    End,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expects {
    /// The text's value.
    Root,
    /// The first name of an object or its end.
    FirstName,
    /// The first value of an array or its end.
    FirstValue,
    /// The colon and value of a name.
    ValueOfName,
    /// A comma or the container's end.
    More,
    /// The end of the text.
    End,
}

/// Where a reader stands.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Behind the last token.
    at: usize,
    /// Where the last token begins.
    start: usize,
    depth: usize,
    /// A bit for each open container: it is an object.
    objects: [u64; WORDS],
    expects: Expects,
    takes_any: bool,
}

/// Reads a text.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    mark: Mark,
    watch: Watch<'a>,
    /// Where the watch is asked next.
    look_at: usize,
}

impl<'a> Reader<'a> {
    /// Of a text that is an object or an array.
    #[must_use]
    pub fn new(text: &'a str, watch: Watch<'a>) -> Reader<'a> {
        let expects = Expects::Root;
        let mark = Mark { at: 0, start: 0, depth: 0, objects: [0; WORDS], expects, takes_any: false };
        Reader::at_mark(text, mark, watch)
    }

    /// Goes on in the text that a reader was in.
    #[must_use]
    pub fn at_mark(text: &'a str, mark: Mark, watch: Watch<'a>) -> Reader<'a> {
        Reader { text, mark, watch, look_at: mark.at + PIECE_BYTES }
    }

    /// Where it stands.
    #[must_use]
    pub fn mark(&self) -> Mark {
        self.mark
    }

    /// Of a text that may be a scalar, too.
    #[must_use]
    pub fn of_any(text: &'a str, watch: Watch<'a>) -> Reader<'a> {
        let mut reader = Reader::new(text, watch);
        reader.mark.takes_any = true;
        reader
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Where the last token begins, in bytes.
    #[must_use]
    pub fn start(&self) -> usize {
        self.mark.start
    }

    /// Behind the last token, in bytes.
    #[must_use]
    pub fn at(&self) -> usize {
        self.mark.at
    }

    /// Whether the last token was a name, so that its value comes next.
    #[must_use]
    pub fn in_value(&self) -> bool {
        self.mark.expects == Expects::ValueOfName
    }

    /// The next token.
    ///
    /// # Errors
    /// What is wrong with it, or with what stands before it.
    pub fn token(&mut self) -> Result<Token<'a>, Fault> {
        if self.mark.at >= self.look_at {
            self.watch.check()?;
            self.look_at = self.mark.at + PIECE_BYTES;
        }
        self.skip_blanks()?;
        match self.mark.expects {
            Expects::Root => self.value(),
            Expects::End if self.mark.at == self.text.len() => {
                self.mark.start = self.mark.at;
                Ok(Token::End)
            }
            Expects::End => Err(Fault::Unexpected(self.mark.at)),
            Expects::FirstName if self.peek() == Some(b'}') => Ok(self.close()),
            Expects::FirstName => self.name(),
            Expects::FirstValue if self.peek() == Some(b']') => Ok(self.close()),
            Expects::FirstValue => self.value(),
            Expects::ValueOfName => {
                self.expect(b':')?;
                self.skip_blanks()?;
                self.value()
            }
            Expects::More => self.more(),
        }
    }

    /// Reads to the end of a value whose first token was read.
    ///
    /// # Errors
    /// What is wrong in it.
    pub fn skip(&mut self, first: Token<'a>) -> Result<(), Fault> {
        if !matches!(first, Token::Open(_)) {
            return Ok(());
        }
        self.leave()
    }

    /// Reads to the end of the container that was opened last.
    ///
    /// # Errors
    /// What is wrong in it.
    pub fn leave(&mut self) -> Result<(), Fault> {
        let inside = self.mark.depth;
        while self.mark.depth >= inside.max(1) {
            self.token()?;
        }
        Ok(())
    }

    /// Reads to the end of the text.
    ///
    /// # Errors
    /// What is wrong on the way.
    pub fn finish(&mut self) -> Result<(), Fault> {
        while self.token()? != Token::End {}
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.mark.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(Fault::Unexpected(self.mark.at));
        }
        self.mark.at += 1;
        Ok(())
    }

    fn skip_blanks(&mut self) -> Result<(), Fault> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.mark.at += 1;
            if self.mark.at >= self.look_at {
                self.watch.check()?;
                self.look_at = self.mark.at + PIECE_BYTES;
            }
        }
        Ok(())
    }

    fn in_object(&self) -> bool {
        self.mark.depth > 0 && self.mark.objects[(self.mark.depth - 1) / 64] >> ((self.mark.depth - 1) % 64) & 1 == 1
    }

    /// Behind a value of a container: the next one, or the container's end.
    fn more(&mut self) -> Result<Token<'a>, Fault> {
        let (end, in_object) = if self.in_object() { (b'}', true) } else { (b']', false) };
        if self.peek() == Some(end) {
            return Ok(self.close());
        }
        self.expect(b',')?;
        self.skip_blanks()?;
        if in_object { self.name() } else { self.value() }
    }

    fn after_value(&mut self) {
        self.mark.expects = if self.mark.depth == 0 { Expects::End } else { Expects::More };
    }

    fn close(&mut self) -> Token<'a> {
        self.mark.start = self.mark.at;
        self.mark.at += 1;
        self.mark.depth -= 1;
        self.after_value();
        Token::Close
    }

    fn name(&mut self) -> Result<Token<'a>, Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::Unexpected(self.mark.at));
        }
        let name = self.string()?;
        self.check_depth()?;
        self.mark.expects = Expects::ValueOfName;
        Ok(Token::Name(name))
    }

    fn value(&mut self) -> Result<Token<'a>, Fault> {
        let container = match self.peek() {
            Some(b'{') => Some(Container::Object),
            Some(b'[') => Some(Container::Array),
            _ => None,
        };
        if container.is_none() && self.mark.depth == 0 && !self.mark.takes_any {
            return Err(Fault::Unexpected(self.mark.at));
        }
        let Some(container) = container else {
            let scalar = self.scalar()?;
            self.check_depth()?;
            self.after_value();
            return Ok(Token::Scalar(scalar));
        };
        self.check_depth()?;
        let (word, bit) = (self.mark.depth / 64, 1 << (self.mark.depth % 64));
        match container {
            Container::Object => self.mark.objects[word] |= bit,
            Container::Array => self.mark.objects[word] &= !bit,
        }
        self.mark.start = self.mark.at;
        self.mark.at += 1;
        self.mark.depth += 1;
        self.mark.expects = match container {
            Container::Object => Expects::FirstName,
            Container::Array => Expects::FirstValue,
        };
        Ok(Token::Open(container))
    }

    /// Nothing is inside of as many containers as may be open.
    fn check_depth(&self) -> Result<(), Fault> {
        if self.mark.depth == DEPTH_MAX { Err(Fault::TooDeep) } else { Ok(()) }
    }

    fn scalar(&mut self) -> Result<Scalar<'a>, Fault> {
        if self.peek() == Some(b'"') {
            return self.string().map(Scalar::String);
        }
        let rest = &self.text[self.mark.at..];
        let is_end =
            |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"');
        let end = rest.bytes().position(is_end).unwrap_or(rest.len());
        let word = &rest[..end];
        let scalar = match word {
            "null" => Scalar::Null,
            "true" => Scalar::Bool(true),
            "false" => Scalar::Bool(false),
            digits if is_number(digits) => Scalar::Number(digits),
            _ => return Err(Fault::Unexpected(self.mark.at)),
        };
        self.mark.start = self.mark.at;
        self.mark.at += end;
        Ok(scalar)
    }

    /// A string in its quotes, of which the first is there.
    fn string(&mut self) -> Result<Raw<'a>, Fault> {
        let (first, bytes) = (self.mark.at, self.text.as_bytes());
        let mut at = first + 1;
        let mut is_escaped = false;
        loop {
            let piece = &bytes[at..bytes.len().min(at + PIECE_BYTES)];
            let Some(place) = piece.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < b' ') else {
                if piece.is_empty() {
                    return Err(Fault::Unexpected(first));
                }
                self.watch.check()?;
                at += piece.len();
                continue;
            };
            at += place;
            match bytes[at] {
                b'"' => break,
                b'\\' => {
                    is_escaped = true;
                    at += escape_len(&bytes[at..]).ok_or(Fault::Unexpected(first))?;
                }
                _ => return Err(Fault::Unexpected(first)),
            }
            if at >= self.look_at {
                self.watch.check()?;
                self.look_at = at + PIECE_BYTES;
            }
        }
        self.mark.start = first;
        self.mark.at = at + 1;
        Ok(Raw { text: &self.text[first + 1..at], is_escaped })
    }
}

/// Bytes of the escape that a text begins with.
fn escape_len(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' if bytes.get(2..6)?.iter().all(u8::is_ascii_hexdigit) => Some(6),
        _ => None,
    }
}

/// Whether a word is a number of JSON: `-0.5e+3`; no sign before it but `-`, no digits after a leading 0.
#[must_use]
pub fn is_number(word: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let whole = digits(unsigned);
    if whole == 0 || whole > 1 && unsigned.starts_with('0') {
        return false;
    }
    let mut rest = &unsigned[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(text: &str) -> Result<(), Fault> {
        Reader::new(text, Watch::NONE).finish()
    }

    #[test]
    fn what_is_wrong_is_named_where_it_begins() {
        let cases = [
            ("", 0),
            ("   ", 3),
            ("1", 0),
            ("{x}", 1),
            ("{\"a\":1", 6),
            ("{\"a\":1x}", 5),
            ("{\"a\":01}", 5),
            ("{\"a\":\"s", 5),
            ("{\"a", 1),
            ("{\"a\"1}", 4),
            ("{\"a\":1 \"b\":2}", 7),
            ("[1,2,]", 5),
            ("{\"a\":1}e", 7),
            ("[\"\\x\"]", 1),
            ("[\"\\u12g4\"]", 1),
            ("[\"\t\"]", 1),
            ("[.5]", 1),
            ("[1.]", 1),
            ("[1e]", 1),
            ("[-]", 1),
            ("[nul]", 1),
            ("[True]", 1),
            ("{1:2}", 1),
            ("[1 2]", 3),
            ("[}", 1),
        ];
        for (text, at) in cases {
            assert_eq!(last(text), Err(Fault::Unexpected(at)), "{text}");
        }
    }

    #[test]
    fn texts_that_are_right() {
        for text in
            ["{}", " [ ] ", "{\"a\":{\"b\":[1,-0.5e+3,true,false,null,\"\\u00e9\"]}}", "[\"\\/\\b\\f\\n\\r\\t\"]"]
        {
            assert_eq!(last(text), Ok(()), "{text}");
        }
        assert_eq!(Reader::of_any(" 1 ", Watch::NONE).finish(), Ok(()));
    }

    #[test]
    fn nesting_has_a_bound() {
        let nested = |depth: usize, inner: &str| format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(last(&nested(DEPTH_MAX, "")), Ok(()));
        assert_eq!(last(&nested(DEPTH_MAX - 1, "1")), Ok(()));
        assert_eq!(last(&nested(DEPTH_MAX, "1")), Err(Fault::TooDeep));
        assert_eq!(last(&nested(DEPTH_MAX + 1, "")), Err(Fault::TooDeep));
        assert_eq!(last(&format!("{}{{\"a\"", "[".repeat(DEPTH_MAX - 1))), Err(Fault::TooDeep));
        assert_eq!(last(&format!("{}x", "[".repeat(DEPTH_MAX))), Err(Fault::Unexpected(DEPTH_MAX)));
        assert_eq!(last(&"[".repeat(1 << 20)), Err(Fault::TooDeep));
    }

    #[test]
    fn escapes_mean_characters() {
        let raw = |text| Raw { text, is_escaped: true };
        assert_eq!(raw("a\\u0041\\n\\/\\ud83d\\ude00").meaning(), "aA\n/\u{1F600}");
        assert_eq!(raw("\\ud83dx").meaning(), "\u{FFFD}x");
        assert_eq!(raw("a\\u0041\\n").name(), "aA\\n");
    }
}
