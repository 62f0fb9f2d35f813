//! Numbers in .NET format strings.

use millpond_types::Value;

use crate::text::digits::Digits;
use crate::text::format::Formatted;
use crate::text::format::standard;

/// Significant digits of a float and of a real in .NET.
const FLOAT_DIGITS: usize = 15;
const REAL_DIGITS: usize = 7;
/// Digits that distinguish any two floats, and any two reals.
const FLOAT_DIGITS_ALL: usize = 17;
const REAL_DIGITS_ALL: usize = 9;
/// Digits after the point where the format names none.
const DECIMALS: usize = 2;
const EXPONENT_DECIMALS: usize = 6;

/// The number in this format.
pub(crate) fn format(value: &Value, pattern: &str) -> Formatted {
    match standard(pattern) {
        Some(('R' | 'r', _)) => round_trip(value),
        Some((letter, precision)) => {
            in_standard(value, &digits_of(value, wants_all(value, letter, precision)), letter, precision)
        }
        None if pattern.is_empty() => Formatted::Text(general(value, &digits_of(value, false), None)),
        None => custom(&digits_of(value, false), pattern),
    }
}

/// The number's digits; of a float and of a real those that count for its type, or all that distinguish it from its neighbours.
fn digits_of(value: &Value, all: bool) -> Digits {
    match value {
        Value::Decimal(decimal) => Digits::exact(decimal.unscaled, decimal.scale),
        Value::Money(amount) => Digits::exact(i128::from(*amount), 4),
        Value::Real(x) => Digits::of_float(f64::from(*x), if all { REAL_DIGITS_ALL } else { REAL_DIGITS }),
        Value::Float(x) => Digits::of_float(*x, if all { FLOAT_DIGITS_ALL } else { FLOAT_DIGITS }),
        integer => Digits::exact(i128::from(integer.as_i64().unwrap_or(0)), 0),
    }
}

/// Whether a format asks a float or a real for more digits than count for its type: `G17`, and `E15`, which is 16.
fn wants_all(value: &Value, letter: char, precision: Option<usize>) -> bool {
    let counted = if matches!(value, Value::Real(_)) { REAL_DIGITS } else { FLOAT_DIGITS };
    let shown = match letter.to_ascii_uppercase() {
        'G' => precision,
        'E' => precision.map(|decimals| decimals + 1),
        _ => None,
    };
    shown.is_some_and(|shown| shown > counted)
}

/// `R`: the digits that count for the type where they are the number, else all.
fn round_trip(value: &Value) -> Formatted {
    let (few, all) = (digits_of(value, false), digits_of(value, true));
    let (is_same, digits_max) = match value {
        Value::Float(x) => (few.plain().parse() == Ok(*x), FLOAT_DIGITS_ALL),
        Value::Real(x) => (few.plain().parse() == Ok(*x), REAL_DIGITS_ALL),
        _ => return Formatted::Invalid,
    };
    Formatted::Text(if is_same { general(value, &few, None) } else { general(value, &all, Some(digits_max)) })
}

fn in_standard(value: &Value, digits: &Digits, letter: char, precision: Option<usize>) -> Formatted {
    let decimals = precision.unwrap_or(DECIMALS);
    Formatted::Text(match letter.to_ascii_uppercase() {
        'N' => grouped(&digits.round(decimals)),
        'F' => digits.round(decimals).plain(),
        'C' => {
            let rounded = digits.round(decimals);
            let amount = grouped(&Digits { negative: false, ..rounded.clone() });
            if rounded.negative { format!("(${amount})") } else { format!("${amount}") }
        }
        'P' => format!("{} %", grouped(&digits.shift(2).round(decimals))),
        'E' => exponential(digits, precision.unwrap_or(EXPONENT_DECIMALS), 3, letter),
        'G' => general(value, digits, precision),
        'D' => match value.as_i64() {
            Some(n) => {
                let sign = if n < 0 { "-" } else { "" };
                format!("{sign}{:0>width$}", n.unsigned_abs(), width = precision.unwrap_or(1))
            }
            None => return Formatted::Invalid,
        },
        'X' => match hexadecimal(value, precision.unwrap_or(1)) {
            Some(text) if letter == 'x' => text.to_ascii_lowercase(),
            Some(text) => text,
            None => return Formatted::Invalid,
        },
        _ => return Formatted::Invalid,
    })
}

/// Two's complement in the width of the type.
fn hexadecimal(value: &Value, width: usize) -> Option<String> {
    match value {
        Value::TinyInt(n) => Some(format!("{n:0width$X}")),
        Value::SmallInt(n) => Some(format!("{n:0width$X}")),
        Value::Int(n) => Some(format!("{n:0width$X}")),
        Value::BigInt(n) => Some(format!("{n:0width$X}")),
        _ => None,
    }
}

/// `-1,234.50`.
fn grouped(digits: &Digits) -> String {
    let plain = Digits { negative: false, whole: String::new(), fraction: digits.fraction.clone() }.plain();
    let sign = if digits.negative { "-" } else { "" };
    let whole = if digits.whole.is_empty() { "0" } else { &digits.whole };
    format!("{sign}{}{}", with_commas(whole), &plain[1..])
}

fn with_commas(whole: &str) -> String {
    let mut text = String::with_capacity(whole.len() + whole.len() / 3);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// All digits from the first that is not zero, and the power of ten of that one.
fn significant(digits: &Digits) -> (String, i32) {
    let all = format!("{}{}", digits.whole, digits.fraction);
    let kept = all.trim_start_matches('0');
    if kept.is_empty() {
        return (String::new(), 0);
    }
    let zeros = all.len() - kept.len();
    (kept.to_owned(), digits.whole.len() as i32 - 1 - zeros as i32)
}

/// `1.234560E+004`.
fn exponential(digits: &Digits, decimals: usize, exponent_digits: usize, letter: char) -> String {
    let (_, exponent) = significant(digits);
    let mut mantissa = digits.shift(-exponent).round(decimals);
    let mut exponent = exponent;
    if mantissa.whole.len() > 1 {
        // 9.99 became 10.0.
        mantissa = mantissa.shift(-1).round(decimals);
        exponent += 1;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}{letter}{sign}{:0exponent_digits$}", mantissa.plain(), exponent.unsigned_abs())
}

/// The shortest of plain and exponential; exact numbers without a precision are always plain.
fn general(value: &Value, digits: &Digits, precision: Option<usize>) -> String {
    let digits_max = match (precision, value) {
        (Some(precision), _) if precision > 0 => precision,
        (_, Value::Float(_)) => FLOAT_DIGITS,
        (_, Value::Real(_)) => REAL_DIGITS,
        _ => return digits.plain(),
    };
    let (all, exponent) = significant(digits);
    let keep = digits_max as i32 - 1 - exponent;
    let rounded = if all.len() <= digits_max {
        digits.clone()
    } else if keep >= 0 {
        digits.round(keep as usize)
    } else {
        digits.shift(keep).round(0).shift(-keep)
    };
    let (kept, exponent) = significant(&rounded);
    let decimals = kept.trim_end_matches('0').len().saturating_sub(1);
    if exponent >= digits_max as i32 || exponent <= -5 {
        return exponential(&rounded, decimals, 2, 'E');
    }
    let fraction = rounded.fraction.trim_end_matches('0').to_owned();
    Digits { fraction, ..rounded }.plain()
}

/// A piece of a custom format.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// `0`
    Zero,
    /// `#`
    Digit,
    /// `.`
    Point,
    /// `,`
    Comma,
    /// Text as it is, also `%`.
    Text(char),
}

/// A section of a custom format with what its signs ask for.
struct Section {
    pieces: Vec<Piece>,
    /// Power of ten from `%`, `‰`, and commas before the point.
    shift: i32,
}

fn custom(digits: &Digits, pattern: &str) -> Formatted {
    let Some(sections) = sections(pattern) else {
        return Formatted::Unknown;
    };
    let has_own = |index: usize| sections.get(index).is_some_and(|section| !section.pieces.is_empty());
    let mut chosen = match (digits.negative, digits.is_zero()) {
        (_, true) if has_own(2) => 2,
        (true, _) if has_own(1) => 1,
        _ => 0,
    };
    let rounded = |section: &Section| digits.shift(section.shift).round(section.decimals());
    let mut shown = rounded(&sections[chosen]);
    if shown.is_zero() && chosen != 2 {
        // What rounds to zero is shown as zero, in the third section where there is one.
        chosen = if has_own(2) { 2 } else { 0 };
        shown = rounded(&sections[chosen]);
    }
    let sign = if shown.negative && chosen == 0 { "-" } else { "" };
    Formatted::Text(format!("{sign}{}", sections[chosen].render(&shown)))
}

/// Splits at `;`. `None` for exponents, which are not known here.
fn sections(pattern: &str) -> Option<Vec<Section>> {
    let mut sections = vec![Section { pieces: vec![], shift: 0 }];
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        if c == ';' {
            if sections.len() == 3 {
                break;
            }
            sections.push(Section { pieces: vec![], shift: 0 });
            continue;
        }
        let section = sections.last_mut().expect("begins with one");
        match c {
            '0' => section.pieces.push(Piece::Zero),
            '#' => section.pieces.push(Piece::Digit),
            // A second point is ignored.
            '.' if section.pieces.contains(&Piece::Point) => {}
            '.' => section.pieces.push(Piece::Point),
            ',' => section.pieces.push(Piece::Comma),
            'e' | 'E' if chars.peek().is_some_and(|next| matches!(next, '+' | '-' | '0')) => {
                return None;
            }
            '\\' => section.pieces.extend(chars.next().map(Piece::Text)),
            '\'' | '"' => section.pieces.extend(chars.by_ref().take_while(|quoted| *quoted != c).map(Piece::Text)),
            '%' | '‰' => {
                section.shift += if c == '%' { 2 } else { 3 };
                section.pieces.push(Piece::Text(c));
            }
            other => section.pieces.push(Piece::Text(other)),
        }
    }
    for section in &mut sections {
        section.take_scaling_commas();
    }
    Some(sections)
}

impl Section {
    /// Position of the point, or the end.
    fn point(&self) -> usize {
        self.pieces.iter().position(|piece| *piece == Piece::Point).unwrap_or(self.pieces.len())
    }

    /// Digits after the point.
    fn decimals(&self) -> usize {
        self.pieces[self.point()..].iter().filter(|piece| piece.is_digit()).count()
    }

    /// Commas after the last digit before the point divide by 1000 each; those between digits group.
    fn take_scaling_commas(&mut self) {
        let point = self.point();
        let Some(last) = self.pieces[..point].iter().rposition(Piece::is_digit) else {
            return;
        };
        let commas = self.pieces[last + 1..point].iter().take_while(|piece| **piece == Piece::Comma).count();
        self.shift -= 3 * commas as i32;
        self.pieces.drain(last + 1..last + 1 + commas);
    }

    fn groups(&self) -> bool {
        let whole = &self.pieces[..self.point()];
        let first = whole.iter().position(Piece::is_digit);
        let last = whole.iter().rposition(Piece::is_digit);
        first.zip(last).is_some_and(|(first, last)| whole[first..last].contains(&Piece::Comma))
    }

    fn render(&self, digits: &Digits) -> String {
        let point = self.point();
        let mut text = self.render_whole(&self.pieces[..point], digits);
        if self.pieces[..point].iter().all(|piece| !piece.is_digit()) && self.decimals() > 0 {
            text.push_str(&digits.whole);
        }
        if point < self.pieces.len() {
            self.render_fraction(&self.pieces[point + 1..], digits, &mut text);
        }
        text
    }

    fn render_whole(&self, pieces: &[Piece], digits: &Digits) -> String {
        let places = pieces.iter().filter(|piece| piece.is_digit()).count();
        let first_zero = pieces.iter().filter(|piece| piece.is_digit()).position(|piece| *piece == Piece::Zero);
        let least = first_zero.map_or(0, |first| places - first);
        let whole = format!("{:0>least$}", digits.whole);
        let groups = self.groups();
        let mut left = whole.len();
        let mut places_left = places;
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(c) => text.push(*c),
                Piece::Zero | Piece::Digit => {
                    // The first place takes all digits that have no place of their own.
                    let take = if places_left == places {
                        left.saturating_sub(places - 1)
                    } else {
                        usize::from(left >= places_left)
                    };
                    for _ in 0..take {
                        text.push_str(&whole[whole.len() - left..whole.len() - left + 1]);
                        left -= 1;
                        if groups && left > 0 && left % 3 == 0 {
                            text.push(',');
                        }
                    }
                    places_left -= 1;
                }
                Piece::Comma | Piece::Point => {}
            }
        }
        text
    }

    fn render_fraction(&self, pieces: &[Piece], digits: &Digits, text: &mut String) {
        let places: Vec<&Piece> = pieces.iter().filter(|piece| piece.is_digit()).collect();
        let least = places.iter().rposition(|piece| **piece == Piece::Zero).map_or(0, |last| last + 1);
        let shown = digits.fraction.trim_end_matches('0').len().max(least);
        if shown > 0 {
            text.push('.');
        }
        let mut fraction = digits.fraction[..shown].chars();
        for piece in pieces {
            match piece {
                Piece::Text(c) => text.push(*c),
                Piece::Zero | Piece::Digit => text.extend(fraction.next()),
                Piece::Comma | Piece::Point => {}
            }
        }
    }
}

impl Piece {
    fn is_digit(&self) -> bool {
        matches!(self, Piece::Zero | Piece::Digit)
    }
}
