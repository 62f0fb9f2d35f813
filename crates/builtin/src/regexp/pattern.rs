//! Patterns of RE2, as SQL Server's REGEXP functions have them, as patterns of the crate `regex`.
//!
//! What always holds:
//! - What RE2 refuses is refused here, with RE2's words; what is left means the same in both: `\d`, `\w`, `\s` and `\b` are of
//!   ASCII, `$` is the end of the text, groups have no names, and no letter beyond those that RE2 knows is special.
//! - Each literal becomes itself or its number, so that nothing of it can be read as an operator.
//!
//! Does not know flags, texts or matches.

use std::fmt::Write;
use std::str::Chars;

/// Most times that a piece can be asked for.
const REPEAT_MAX: u32 = 1000;
/// A number of more is none.
const NUMBER_MAX: u32 = 100_000_000;
/// Groups and classes within each other; more are refused.
const DEPTH_MAX: usize = 250;

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// 19300, with RE2's words.
    Invalid(String),
    /// 19307: `)` without its `(`.
    Unexpected,
    /// 19308: `)` is missing.
    OpenGroup,
    /// 19308: `]` is missing.
    OpenClass,
    /// 19309
    Backslash,
}

const CATEGORIES: [&str; 37] = [
    "Any", "C", "Cc", "Cf", "Co", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P",
    "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs", "Cs",
];

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];

/// The pattern for `regex`.
pub(super) fn translated(pattern: &str) -> Result<String, Fault> {
    let mut reader = Reader { rest: pattern.chars(), made: String::with_capacity(pattern.len()), has_item: false };
    reader.all()?;
    Ok(reader.made)
}

struct Reader<'a> {
    rest: Chars<'a>,
    made: String,
    /// Whether something stands before that an operator can repeat.
    has_item: bool,
}

impl<'a> Reader<'a> {
    fn all(&mut self) -> Result<(), Fault> {
        let mut depth = 0;
        // The repetition that stands right before.
        let mut before: Option<&'a str> = None;
        loop {
            let here = self.rest.as_str();
            let Some(first) = self.rest.next() else { break };
            let mut repetition = None;
            match first {
                '(' => {
                    depth += usize::from(self.group(here)?);
                    if depth > DEPTH_MAX {
                        return Err(Fault::Invalid("expression nests too deeply".to_owned()));
                    }
                    self.has_item = false;
                }
                ')' if depth == 0 => return Err(Fault::Unexpected),
                ')' => {
                    depth -= 1;
                    self.made.push(')');
                    self.has_item = true;
                }
                '|' => {
                    self.made.push('|');
                    self.has_item = false;
                }
                '*' | '+' | '?' => repetition = Some(self.repeat(here, before, None)?),
                '{' => match self.counts() {
                    Some(counts) => repetition = Some(self.repeat(here, before, Some(counts))?),
                    None => self.literal('{'),
                },
                '.' | '^' | '$' => {
                    self.made.push(first);
                    self.has_item = true;
                }
                '[' => self.class()?,
                '\\' => self.escape(here)?,
                _ => self.literal(first),
            }
            before = repetition;
        }
        if depth == 0 { Ok(()) } else { Err(Fault::OpenGroup) }
    }

    fn literal(&mut self, letter: char) {
        push_literal(&mut self.made, letter);
        self.has_item = true;
    }

    /// Text from `here` to where the reader is.
    fn since(&self, here: &'a str) -> &'a str {
        &here[..here.len() - self.rest.as_str().len()]
    }

    fn next_is(&mut self, letter: char) -> bool {
        let is = self.rest.as_str().starts_with(letter);
        if is {
            self.rest.next();
        }
        is
    }

    /// What follows `(`; false for flags, which open no group.
    fn group(&mut self, here: &'a str) -> Result<bool, Fault> {
        if !self.next_is('?') {
            self.made.push('(');
            return Ok(true);
        }
        if self.rest.as_str().starts_with("P<") {
            self.rest.nth(1);
            let name = self.rest.as_str();
            let end = name.find('>').unwrap_or(name.len());
            let is_name = end < name.len() && end > 0 && name[..end].chars().all(|c| c == '_' || c.is_alphanumeric());
            if !is_name {
                let shown = if end < name.len() { end + 1 } else { end };
                let text = &here[..here.len() - name.len() + shown];
                return Err(Fault::Invalid(format!("invalid named capture group: {text}")));
            }
            self.rest = name[end + 1..].chars();
            self.made.push('(');
            return Ok(true);
        }
        let (mut flags, mut negated, mut any) = (String::new(), false, false);
        loop {
            match self.rest.next() {
                Some(flag @ ('i' | 'm' | 's' | 'U')) => {
                    any = true;
                    flags.push(flag);
                }
                Some('-') if !negated => {
                    (negated, any) = (true, false);
                    flags.push('-');
                }
                Some(end @ (':' | ')')) if !negated || any => {
                    let opens = end == ':';
                    if opens || !flags.is_empty() {
                        let _ = write!(self.made, "(?{flags}{end}");
                    }
                    return Ok(opens);
                }
                _ => return Err(Fault::Invalid(format!("invalid perl operator: {}", self.since(here)))),
            }
        }
    }

    /// `n}`, `n,}` or `n,m}` after `{`; anything else is text.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let text = self.rest.as_str();
        let end = text.find('}')?;
        let (least, most) = match text[..end].split_once(',') {
            None => (number(&text[..end])?, None),
            Some((least, "")) => (number(least)?, Some(None)),
            Some((least, most)) => (number(least)?, Some(Some(number(most)?))),
        };
        self.rest = text[end + 1..].chars();
        Some((least, most.unwrap_or(Some(least))))
    }

    /// A repetition whose operator has been read, but for a `?` that makes it want little.
    fn repeat(
        &mut self,
        here: &'a str,
        before: Option<&'a str>,
        counts: Option<(u32, Option<u32>)>,
    ) -> Result<&'a str, Fault> {
        self.next_is('?');
        let operator = self.since(here);
        if let Some(before) = before {
            let both = &before[..before.len() - self.rest.as_str().len()];
            return Err(Fault::Invalid(format!("bad repetition operator: {both}")));
        }
        if let Some((least, most)) = counts
            && (most.is_some_and(|most| most < least || most > REPEAT_MAX) || least > REPEAT_MAX)
        {
            return Err(Fault::Invalid(format!("invalid repetition size: {operator}")));
        }
        if !self.has_item {
            return Err(Fault::Invalid(format!("no argument for repetition operator: {operator}")));
        }
        self.made.push_str(operator);
        Ok(here)
    }

    /// What follows `\`.
    fn escape(&mut self, here: &'a str) -> Result<(), Fault> {
        let text = self.rest.as_str();
        self.has_item = true;
        match text.chars().next() {
            None => return Err(Fault::Backslash),
            Some('b') => self.made.push_str("(?-u:\\b)"),
            Some('B') => self.made.push_str("(?-u:\\B)"),
            Some(end @ ('A' | 'z')) => {
                self.made.push('\\');
                self.made.push(end);
            }
            Some('Q') => {
                self.rest.next();
                while !self.rest.as_str().is_empty() && !self.rest.as_str().starts_with("\\E") {
                    let letter = self.rest.next().expect("it is not empty");
                    push_literal(&mut self.made, letter);
                }
                self.next_is('\\');
                self.next_is('E');
                return Ok(());
            }
            Some('p' | 'P') => {
                let group = self.unicode(here)?;
                self.made.push_str(&group);
                return Ok(());
            }
            Some(kind) if shorthand(kind).is_some() => self.made.push_str(shorthand(kind).expect("it is one")),
            Some(_) => {
                let letter = self.letter(here)?;
                push_literal(&mut self.made, letter);
                return Ok(());
            }
        }
        self.rest.next();
        Ok(())
    }

    /// The letter that an escape stands for; `here` begins with its `\`, which has been read.
    fn letter(&mut self, here: &'a str) -> Result<char, Fault> {
        let Some(first) = self.rest.next() else { return Err(Fault::Backslash) };
        let code = match first {
            '1'..='7' if !self.rest.as_str().starts_with(|c| matches!(c, '0'..='7')) => None,
            '0'..='7' => {
                let mut code = first as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(digit) = self.rest.as_str().chars().next().and_then(|c| c.to_digit(8)) else { break };
                    self.rest.next();
                    code = code * 8 + digit;
                }
                Some(code)
            }
            'x' => self.hexadecimal(),
            'n' => Some(0x0A),
            'r' => Some(0x0D),
            't' => Some(0x09),
            'a' => Some(0x07),
            'f' => Some(0x0C),
            'v' => Some(0x0B),
            sign if sign.is_ascii() && !sign.is_ascii_alphanumeric() && sign != '_' => Some(sign as u32),
            _ => None,
        };
        let letter = code.and_then(char::from_u32);
        letter.ok_or_else(|| Fault::Invalid(format!("invalid escape sequence: {}", self.since(here))))
    }

    /// `HH` or `{H…}` after `\x`. What was read before a fault is part of what is said of it.
    fn hexadecimal(&mut self) -> Option<u32> {
        let first = self.rest.next()?;
        if first != '{' {
            let second = self.rest.next()?;
            return Some(first.to_digit(16)? * 16 + second.to_digit(16)?);
        }
        let mut code = None;
        loop {
            match self.rest.next()? {
                '}' => return code,
                digit => {
                    let more = code.unwrap_or(0) * 16 + digit.to_digit(16)?;
                    if more > char::MAX as u32 {
                        return None;
                    }
                    code = Some(more);
                }
            }
        }
    }

    /// `p` or `P` and the name of a class of Unicode; `here` begins with the `\` before it.
    fn unicode(&mut self, here: &'a str) -> Result<String, Fault> {
        let sign = self.rest.next().expect("it was seen");
        let text = self.rest.as_str();
        let (name, length) = match text.strip_prefix('{') {
            Some(braced) => match braced.find('}') {
                Some(end) => (&braced[..end], end + 2),
                None => (braced, text.len()),
            },
            None => {
                let length = text.chars().next().map_or(0, char::len_utf8);
                (&text[..length], length)
            }
        };
        self.rest = text[length..].chars();
        let (name, negated) = match name.strip_prefix('^') {
            Some(name) => (name, sign == 'p'),
            None => (name, sign == 'P'),
        };
        let sign = if negated { 'P' } else { 'p' };
        let class = if CATEGORIES.contains(&name) {
            format!("\\{sign}{{{name}}}")
        } else {
            format!("\\{sign}{{Script={name}}}")
        };
        let is_name = name.split('_').all(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
        if is_name && name.chars().all(|c| c == '_' || c.is_ascii_alphabetic()) && regex::Regex::new(&class).is_ok() {
            return Ok(class);
        }
        Err(Fault::Invalid(format!("invalid character class range: {}", self.since(here))))
    }

    /// What follows `[`.
    fn class(&mut self) -> Result<(), Fault> {
        let mut made = String::from("[");
        if self.next_is('^') {
            made.push('^');
        }
        let mut is_first = true;
        loop {
            let here = self.rest.as_str();
            let Some(first) = here.chars().next() else { return Err(Fault::OpenClass) };
            if first == ']' && !is_first {
                break;
            }
            is_first = false;
            if here.starts_with("[:")
                && let Some(end) = here.find(":]")
            {
                let name = &here[2..end];
                if !POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
                    let text = &here[..end + 2];
                    return Err(Fault::Invalid(format!("invalid character class range: {text}")));
                }
                made.push_str(&here[..end + 2]);
                self.rest = here[end + 2..].chars();
                continue;
            }
            if let Some(kind) = here.strip_prefix('\\').and_then(|after| after.chars().next()) {
                if matches!(kind, 'p' | 'P') {
                    self.rest.next();
                    made.push_str(&self.unicode(here)?);
                    continue;
                }
                if let Some(class) = shorthand(kind) {
                    self.rest.nth(1);
                    made.push_str(class);
                    continue;
                }
            }
            let low = self.class_letter()?;
            push_number(&mut made, low);
            let after = self.rest.as_str();
            if after.starts_with('-') && !after[1..].starts_with(']') {
                self.rest.next();
                if self.rest.as_str().is_empty() {
                    return Err(Fault::OpenClass);
                }
                let high = self.class_letter()?;
                if high < low {
                    let text = self.since(here);
                    return Err(Fault::Invalid(format!("invalid character class range: {text}")));
                }
                made.push('-');
                push_number(&mut made, high);
            }
        }
        self.rest.next();
        made.push(']');
        self.made.push_str(&made);
        self.has_item = true;
        Ok(())
    }

    fn class_letter(&mut self) -> Result<char, Fault> {
        let here = self.rest.as_str();
        match self.rest.next() {
            None => Err(Fault::OpenClass),
            Some('\\') => self.letter(here),
            Some(letter) => Ok(letter),
        }
    }
}

/// The classes that are a letter after `\`.
fn shorthand(kind: char) -> Option<&'static str> {
    Some(match kind {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        's' => "[\\t\\n\\x0C\\r ]",
        'S' => "[^\\t\\n\\x0C\\r ]",
        _ => return None,
    })
}

fn number(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // RE2 takes no number that begins with a zero but zero itself.
    let is_plain = is_number && (text.len() == 1 || !text.starts_with('0'));
    text.parse().ok().filter(|number| is_plain && *number < NUMBER_MAX)
}

fn push_literal(to: &mut String, letter: char) {
    if letter.is_alphanumeric() { to.push(letter) } else { push_number(to, letter) }
}

fn push_number(to: &mut String, letter: char) {
    let _ = write!(to, "\\x{{{:X}}}", letter as u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(pattern: &str, text: &str) -> usize {
        let made = translated(pattern).unwrap_or_else(|fault| panic!("{pattern}: {fault:?}"));
        let made = regex::Regex::new(&made).unwrap_or_else(|error| panic!("{pattern} as {made}: {error}"));
        made.find_iter(text).count()
    }

    #[test]
    fn what_re2_has_means_the_same() {
        for (pattern, text, expected) in [
            ("[[:digit:]]", "a1", 1),
            ("[\\d]", "a1", 1),
            ("\\p{L}", "aA", 2),
            ("\\p{Lu}", "aA", 1),
            ("\\pL", "a", 1),
            ("\\PL", "a", 0),
            ("\\p{^L}", "a1", 1),
            ("\\p{Greek}", "aβ", 1),
            ("\\p{Any}", "aβ", 2),
            ("\\Qa.b\\E", "a.b", 1),
            ("\\Qa.b\\E", "axb", 0),
            ("\\Qa.b", "a.b", 1),
            ("(?i)abc", "ABC", 1),
            ("(?s:a.c)", "a\nc", 1),
            ("a.c", "a\nc", 0),
            ("\\Aabc\\z", "abc", 1),
            ("\\x41", "A", 1),
            ("\\x{1F600}", "😀", 1),
            ("\\101", "A", 1),
            ("\\12", "a\n", 1),
            ("(?P<x>a)(?P<x>b)", "ab", 1),
            ("(?P<1x>a)", "a", 1),
            ("[]a]", "a]", 2),
            ("[^]a]", "a]b", 1),
            ("[-a]", "a-", 2),
            ("[a-]", "a-", 2),
            ("[a-b-c]", "abc-", 4),
            ("[\\p{L}-z]", "a-", 2),
            ("[[:alpha]]", "a]", 1),
            ("[[:^alpha:]]", "a1", 1),
            ("[[a]", "[a", 2),
            ("[a&&b]", "&", 1),
            ("[\\W_]", "a_-", 2),
            ("a{", "a{", 1),
            ("a}", "a}", 1),
            ("a{,2}", "a{,2}", 1),
            ("a{2}", "aaaa", 2),
            ("a{01}", "a{01}", 1),
            ("\\d", "\u{660}", 0),
            ("\\w", "é", 0),
            ("é\\bx", "éx", 1),
            ("a\\b", "aé", 1),
            ("a\\B", "ab", 1),
            ("\\s", "\u{b}", 0),
            ("\\s", "\t\n\u{c}\r ", 5),
            ("a$", "a\n", 0),
            ("<.+?>", "<a><b>", 2),
            ("(?U)<.+>", "<a><b>", 2),
            ("()", "a", 2),
            ("(?)a", "a", 1),
            ("^*", "a", 2),
            ("#a", "#a", 1),
        ] {
            assert_eq!(count(pattern, text), expected, "{pattern} in {text}");
        }
    }

    #[test]
    fn what_re2_refuses_is_refused_with_its_words() {
        for (pattern, words) in [
            ("(ab)\\1", "invalid escape sequence: \\1"),
            ("\\8", "invalid escape sequence: \\8"),
            ("a(?=b)", "invalid perl operator: (?="),
            ("(?<=a)b", "invalid perl operator: (?<"),
            ("(?x) a", "invalid perl operator: (?x"),
            ("(?P=x)", "invalid perl operator: (?P"),
            ("(?flags)", "invalid perl operator: (?f"),
            ("(?", "invalid perl operator: (?"),
            ("(?-)", "invalid perl operator: (?-)"),
            ("a++", "bad repetition operator: ++"),
            ("a*??", "bad repetition operator: *??"),
            ("a{1,2}*", "bad repetition operator: {1,2}*"),
            ("a*{1,2}", "bad repetition operator: *{1,2}"),
            ("?a", "no argument for repetition operator: ?"),
            ("|*", "no argument for repetition operator: *"),
            ("(*a)", "no argument for repetition operator: *"),
            ("(?i)*", "no argument for repetition operator: *"),
            ("{1,2}a", "no argument for repetition operator: {1,2}"),
            ("a{1001}", "invalid repetition size: {1001}"),
            ("a{1001,}", "invalid repetition size: {1001,}"),
            ("a{2,1}", "invalid repetition size: {2,1}"),
            ("ab\\Kc", "invalid escape sequence: \\K"),
            ("\\cA", "invalid escape sequence: \\c"),
            ("\\x{110000}", "invalid escape sequence: \\x{110000"),
            ("[\\b]", "invalid escape sequence: \\b"),
            ("[a-\\d]", "invalid escape sequence: \\d"),
            ("[z-a]", "invalid character class range: z-a"),
            ("[[:foo:]]", "invalid character class range: [:foo:]"),
            ("\\p{Foo}", "invalid character class range: \\p{Foo}"),
            ("\\p{greek}", "invalid character class range: \\p{greek}"),
            ("(?P<>a)", "invalid named capture group: (?P<>"),
            ("(?P<a-b>a)", "invalid named capture group: (?P<a-b>"),
        ] {
            assert_eq!(translated(pattern), Err(Fault::Invalid(words.to_owned())), "{pattern}");
        }
        for (pattern, fault) in [
            ("(", Fault::OpenGroup),
            ("(?:", Fault::OpenGroup),
            ("[a", Fault::OpenClass),
            ("[]", Fault::OpenClass),
            ("[^]", Fault::OpenClass),
            ("[a-", Fault::OpenClass),
            (")", Fault::Unexpected),
            ("\\", Fault::Backslash),
            ("a\\", Fault::Backslash),
        ] {
            assert_eq!(translated(pattern), Err(fault), "{pattern}");
        }
        let deep = "(".repeat(DEPTH_MAX + 1);
        assert!(matches!(translated(&deep), Err(Fault::Invalid(_))));
    }
}
