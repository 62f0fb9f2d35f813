//! Numbers as a culture writes them, read as .NET reads them: signs, points, separators of groups, parentheses and the sign of
//! the currency as the kind of number takes them.
//!
//! Knows no types of SQL: what is read comes back as digits with a point and perhaps an exponent.

use super::Culture;

/// What a number may have beside digits, a leading sign and a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberKind {
    /// Separators of groups, and a sign after it.
    Plain,
    /// An exponent.
    Float,
    /// What [`NumberKind::Plain`] has, parentheses and the sign of the currency.
    Currency,
}

/// Most characters of a number's digits: those of the longest float, many times over.
const DIGITS_MAX: usize = 1000;

struct Reader<'a> {
    rest: &'a str,
    culture: &'a Culture,
    kind: NumberKind,
    negative: bool,
    /// A sign or an open parenthesis was read.
    signed: bool,
    in_parentheses: bool,
    with_currency: bool,
}

/// The number as `-1234.50` or `1.5e-10`; none where the text is no number of the kind.
pub(super) fn read(text: &str, culture: &Culture, kind: NumberKind) -> Option<String> {
    let mut reader = Reader {
        rest: text,
        culture,
        kind,
        negative: false,
        signed: false,
        in_parentheses: false,
        with_currency: false,
    };
    reader.leading();
    let mut number = reader.digits()?;
    if kind == NumberKind::Float {
        number.push_str(&reader.exponent()?);
    }
    reader.trailing()?;
    if reader.in_parentheses {
        return None;
    }
    if reader.negative {
        number.insert(0, '-');
    }
    Some(number)
}

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

impl Reader<'_> {
    fn skip_white(&mut self) -> bool {
        let rest = self.rest.trim_start_matches(is_white);
        let moved = rest.len() != self.rest.len();
        self.rest = rest;
        moved
    }

    /// Takes a text of the culture; a blank that does not break is a blank too. No text is never taken.
    fn takes(&mut self, wanted: &str) -> bool {
        let mut rest = self.rest.chars();
        let is_blank = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{202f}');
        let same = |a: char, b: char| a == b || is_blank(a) && is_blank(b);
        if wanted.is_empty() || !wanted.chars().all(|c| rest.next().is_some_and(|next| same(next, c))) {
            return false;
        }
        self.rest = rest.as_str();
        true
    }

    fn sign(&mut self) -> bool {
        if self.signed || !self.rest.starts_with(['+', '-']) {
            return false;
        }
        self.negative = self.rest.starts_with('-');
        self.rest = &self.rest[1..];
        self.signed = true;
        true
    }

    fn currency(&mut self) -> bool {
        if self.kind != NumberKind::Currency || self.with_currency || !self.takes(self.culture.currency_sign) {
            return false;
        }
        self.with_currency = true;
        true
    }

    fn leading(&mut self) {
        loop {
            if self.skip_white() || self.sign() || self.currency() {
                continue;
            }
            if self.kind == NumberKind::Currency && !self.signed && self.rest.starts_with('(') {
                self.rest = &self.rest[1..];
                (self.signed, self.negative, self.in_parentheses) = (true, true, true);
                continue;
            }
            return;
        }
    }

    /// Digits with separators, which say nothing wherever they stand before the point.
    fn digits(&mut self) -> Option<String> {
        let (number, currency) = (&self.culture.number, &self.culture.currency);
        let is_money = self.kind == NumberKind::Currency;
        let (mut out, mut has_point, mut has_digits) = (String::new(), false, false);
        loop {
            if out.len() > DIGITS_MAX {
                return None;
            }
            if let Some(digit) = self.rest.chars().next().filter(char::is_ascii_digit) {
                out.push(digit);
                has_digits = true;
                self.rest = &self.rest[1..];
            } else if !has_point && (self.takes(number.point) || is_money && self.takes(currency.point)) {
                out.push_str(if has_digits { "." } else { "0." });
                has_point = true;
            } else if self.kind != NumberKind::Float
                && has_digits
                && !has_point
                && (self.takes_separator(number.separator) || is_money && self.takes_separator(currency.separator))
            {
            } else {
                break;
            }
        }
        has_digits.then_some(out)
    }

    /// A separator with a digit after it, where it is a blank.
    fn takes_separator(&mut self, separator: &str) -> bool {
        let before = self.rest;
        let taken = self.takes(separator);
        let is_blank = separator.chars().all(char::is_whitespace);
        if taken && is_blank && !self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            self.rest = before;
            return false;
        }
        taken
    }

    /// `E-10`, or nothing.
    fn exponent(&mut self) -> Option<String> {
        let Some(after) = self.rest.strip_prefix(['e', 'E']) else { return Some(String::new()) };
        let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 || count > 9 {
            return None;
        }
        let used = after.len() - digits.len() + count;
        let exponent = format!("e{}", &after[..used]);
        self.rest = &after[used..];
        Some(exponent)
    }

    fn trailing(&mut self) -> Option<()> {
        while !self.rest.is_empty() {
            let takes_sign = self.kind != NumberKind::Float;
            if self.skip_white() || takes_sign && self.sign() || self.currency() {
                continue;
            }
            if self.in_parentheses && self.rest.starts_with(')') {
                self.rest = &self.rest[1..];
                self.in_parentheses = false;
                continue;
            }
            return None;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_culture_writes_them() {
        use NumberKind::{Currency, Float, Plain};
        for (culture, kind, text, expected) in [
            ("en-US", Plain, "1,234.50", Some("1234.50")),
            ("en-US", Plain, " -5 ", Some("-5")),
            ("en-US", Plain, "5-", Some("-5")),
            ("en-US", Plain, "+.5", Some("0.5")),
            ("en-US", Plain, "$5", None),
            ("en-US", Plain, "1e5", None),
            ("en-US", Plain, "", None),
            ("en-US", Plain, "-", None),
            ("en-US", Plain, "1.2.3", None),
            ("en-US", Plain, "--5", None),
            ("en-US", Currency, "($1,234.5)", Some("-1234.5")),
            ("en-US", Currency, "(5", None),
            ("en-US", Currency, "-$5", Some("-5")),
            ("en-US", Float, "1.5E-10", Some("1.5e-10")),
            ("en-US", Float, "1,5", None),
            ("en-US", Float, "1e", None),
            ("de-DE", Plain, "1.234,50", Some("1234.50")),
            ("de-DE", Currency, "€345,98", Some("345.98")),
            ("de-DE", Currency, "-345,98 €", Some("-345.98")),
            ("fr-FR", Plain, "1 234,5", Some("1234.5")),
            ("fr-FR", Plain, "1\u{a0}234,5 ", Some("1234.5")),
            ("de-CH", Plain, "1'234.5", Some("1234.5")),
        ] {
            let culture = Culture::named(culture).expect("of the list");
            assert_eq!(read(text, culture, kind).as_deref(), expected, "{text} in {}", culture.name);
        }
    }
}
