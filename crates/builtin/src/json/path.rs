//! Paths: `['append'] ['lax' | 'strict'] '$' ('.' name | '[' index ']')*`.
//!
//! What always holds: a path that is wrong says at which character, and what was read there (the state of 13607). Blanks may
//! stand between any two tokens. The array accessors of SQL Server 2025 (`[*]`, ranges, `last`) are not known.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::text::utf16_len;

use super::reader::Raw;

/// Most steps of a path.
const STEPS_MAX: usize = 128;

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the member of this name, in the form in which names are compared.
    Member(String),
    /// To the element at this place, from 0.
    Element(u32),
}

/// A path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// `append`
    pub appends: bool,
    /// `strict`: what is not there is an error.
    pub is_strict: bool,
    /// The name of the last step to a member as the path has it, for JSON_MODIFY; escapes are escapes still.
    pub last_name: String,
    /// From the whole text.
    pub steps: Vec<Step>,
}

impl Path {
    /// Reads a path; `takes_append` where the function has that.
    ///
    /// # Errors
    /// 13607, 13606.
    pub fn parse(text: &str, takes_append: bool) -> SqlResult<Path> {
        Parser { text, at: 0 }.path(takes_append)
    }

    /// The path of a column that has none: the member of its name.
    #[must_use]
    pub fn of_column(name: &str) -> Path {
        let mut escaped = String::new();
        for c in name.chars() {
            if matches!(c, '"' | '\\') {
                escaped.push('\\');
            }
            escaped.push(c);
        }
        Path { steps: vec![Step::Member(escaped)], ..Path::default() }
    }
}

/// States of 13607.
const MISPLACED: u8 = 14;
const BEHIND_NUMBER: u8 = 15;
const LARGE_INDEX: u8 = 16;
const ESCAPE: u8 = 17;
const OPEN_NAME: u8 = 20;
const INDEX: u8 = 21;
const STEP: u8 = 22;

/// A name without the quotes that it may be in.
fn unquoted(step: &str) -> &str {
    let step = step.trim_matches([' ', '\t', '\n', '\u{c}', '\r']);
    step.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(step)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn path(mut self, takes_append: bool) -> SqlResult<Path> {
        let mut path = Path::default();
        self.skip_blanks();
        match self.word() {
            "append" if takes_append => {
                path.appends = true;
                self.take("append");
            }
            "append" => return Err(self.wrong(MISPLACED)),
            _ => {}
        }
        if let mode @ ("lax" | "strict") = self.word() {
            path.is_strict = mode == "strict";
            self.take(mode);
        }
        if matches!(self.word(), "append" | "lax" | "strict") {
            return Err(self.wrong(MISPLACED));
        }
        self.expect('$', STEP)?;
        while let Some(c) = self.peek() {
            if path.steps.len() == STEPS_MAX {
                return Err(SqlError::of(13_606, 4, &[]));
            }
            match c {
                '.' => {
                    let from = self.at;
                    path.steps.push(self.member()?);
                    if takes_append {
                        path.last_name = unquoted(&self.text[from + 1..self.at]).to_owned();
                    }
                }
                '[' => path.steps.push(self.element()?),
                _ => return Err(self.unexpected(STEP)),
            }
            self.skip_blanks();
        }
        Ok(path)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_blanks(&mut self) {
        let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\u{c}' | '\r');
        self.at = self.text.len() - self.rest().trim_start_matches(blank).len();
    }

    /// The letters, digits and `_` that come next.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'));
        &rest[..end.unwrap_or(rest.len())]
    }

    fn take(&mut self, word: &str) {
        self.at += word.len();
        self.skip_blanks();
    }

    /// 13607 at the present character; the end of the text is a `.`.
    fn wrong(&self, state: u8) -> SqlError {
        let character = self.peek().unwrap_or('.');
        SqlError::of(13_607, state, &[&character, &utf16_len(&self.text[..self.at])])
    }

    /// The same of a place where something else was meant: what has a meaning of its own is out of place, whatever was meant.
    fn unexpected(&self, state: u8) -> SqlError {
        match self.peek() {
            None | Some('$' | '"' | '[' | ']' | '.' | '0'..='9') => self.wrong(MISPLACED),
            Some(_) => self.wrong(state),
        }
    }

    fn expect(&mut self, c: char, state: u8) -> SqlResult<()> {
        if self.peek() != Some(c) {
            return Err(self.unexpected(state));
        }
        self.at += c.len_utf8();
        self.skip_blanks();
        Ok(())
    }

    /// `.name`, `."name"`
    fn member(&mut self) -> SqlResult<Step> {
        self.expect('.', STEP)?;
        if self.peek() == Some('"') {
            return self.quoted();
        }
        let word = self.word();
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && digits < word.len() {
            self.at += digits;
            return Err(self.wrong(BEHIND_NUMBER));
        }
        if word.is_empty() || digits > 0 {
            return Err(self.unexpected(STEP));
        }
        self.at += word.len();
        Ok(Step::Member(word.to_owned()))
    }

    fn quoted(&mut self) -> SqlResult<Step> {
        self.at += 1;
        let (first, mut is_escaped) = (self.at, false);
        loop {
            match self.peek() {
                None => return Err(self.wrong(OPEN_NAME)),
                Some('"') => break,
                Some('\\') => {
                    is_escaped = true;
                    self.escape()?;
                }
                Some(c) => self.at += c.len_utf8(),
            }
        }
        let name = Raw { text: &self.text[first..self.at], is_escaped }.name().into_owned();
        self.at += 1;
        self.skip_blanks();
        if !matches!(self.peek(), None | Some('.' | '[')) {
            return Err(self.wrong(MISPLACED));
        }
        Ok(Step::Member(name))
    }

    fn escape(&mut self) -> SqlResult<()> {
        self.at += 1;
        match self.peek() {
            Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => self.at += 1,
            Some('u') => {
                let digits = self.rest().bytes().skip(1).take(4).take_while(u8::is_ascii_hexdigit).count();
                if digits < 4 {
                    // The place of the last digit, or the end of a text that has not so many.
                    let behind = self.rest().char_indices().nth(4).map_or(self.rest().len(), |(at, _)| at);
                    self.at += behind;
                    return Err(self.wrong(ESCAPE));
                }
                self.at += 5;
            }
            None => return Err(self.wrong(OPEN_NAME)),
            Some(_) => return Err(self.wrong(ESCAPE)),
        }
        Ok(())
    }

    /// `[index]`
    fn element(&mut self) -> SqlResult<Step> {
        self.expect('[', STEP)?;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(self.unexpected(INDEX));
        }
        let mut index = 0u32;
        for digit in self.rest().bytes().take(digits) {
            // That is how the server sees that a number is too large; some that are have a meaning.
            let next = index.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
            if next < index {
                return Err(self.wrong(LARGE_INDEX));
            }
            index = next;
            self.at += 1;
        }
        if !self.word().is_empty() {
            return Err(self.wrong(BEHIND_NUMBER));
        }
        self.skip_blanks();
        self.expect(']', INDEX)?;
        Ok(Step::Element(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<Step> {
        Path::parse(text, false).unwrap_or_else(|error| panic!("{text}: {error}")).steps
    }

    fn member(name: &str) -> Step {
        Step::Member(name.to_owned())
    }

    #[test]
    fn paths_have_steps() {
        assert_eq!(steps("$"), []);
        assert_eq!(steps("$.a[0].b"), [member("a"), Step::Element(0), member("b")]);
        assert_eq!(steps("  lax  $ . a [ 0 ] "), [member("a"), Step::Element(0)]);
        assert_eq!(steps(r#"$."a b"."""#), [member("a b"), member("")]);
        assert_eq!(steps(r#"$."a\u0041\n""#), [member("aA\\n")]);
        assert!(Path::parse("strict$.a", false).unwrap().is_strict);
        let path = Path::parse("append strict $.a", true).unwrap();
        assert!(path.appends && path.is_strict);
    }

    #[test]
    fn what_is_wrong_has_a_place_and_a_state() {
        let cases = [
            ("xyz", 'x', 0, 22),
            ("", '.', 0, 14),
            ("$.", '.', 2, 14),
            ("$.a b", 'b', 4, 22),
            (r#"$."a"x"#, 'x', 5, 14),
            ("$[a]", 'a', 2, 21),
            ("$[1x]", 'x', 3, 15),
            ("$[4294967296]", '6', 11, 16),
            (r#"$."a"#, '.', 4, 20),
            ("$.a$b", '$', 3, 14),
            ("$.a-b", '-', 3, 22),
            ("$.é", 'é', 2, 22),
            ("LAX $.a", 'L', 0, 22),
            ("append $.a", 'a', 0, 14),
            ("strict append $", 'a', 7, 14),
            ("$[1", '.', 3, 14),
            (r#"$."\x""#, 'x', 4, 17),
            ("$.1", '1', 2, 14),
            ("$.1a", 'a', 3, 15),
            ("$[0 t]", 't', 4, 21),
            ("$[99999999999]", '9', 12, 16),
            ("laxx$.a", 'l', 0, 22),
            ("$a", 'a', 1, 22),
        ];
        for (text, character, at, state) in cases {
            let error = Path::parse(text, false).expect_err(text);
            assert_eq!((error.number, error.state), (13_607, state), "{text}");
            assert!(
                error.text.contains(&format!("'{character}' is found at position {at}.")),
                "{text}: {}",
                error.text
            );
        }
        assert_eq!(Path::parse(&format!("${}", ".a".repeat(129)), false).unwrap_err().number, 13_606);
        assert_eq!(steps(&format!("${}", ".a".repeat(128))).len(), 128);
    }
}
