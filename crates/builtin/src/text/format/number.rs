//! Numbers in .NET format strings: digits first, then the points, separators and signs of a culture.

use millpond_types::Value;

use crate::culture::{Amounts, Culture};
use crate::text::digits::Digits;
use crate::text::format::Formatted;
use crate::text::format::standard;

/// Significant digits of a float and of a real in .NET.
const FLOAT_DIGITS: usize = 15;
const REAL_DIGITS: usize = 7;
/// Digits that distinguish any two floats, and any two reals.
const FLOAT_DIGITS_ALL: usize = 17;
const REAL_DIGITS_ALL: usize = 9;
/// Digits of an exponent beyond which .NET writes no more.
const EXPONENT_DIGITS_MAX: usize = 10;
const EXPONENT_DECIMALS: usize = 6;

/// The number in this format.
pub(crate) fn format(value: &Value, pattern: &str, culture: &Culture) -> Formatted {
    match standard(pattern) {
        Some(('R' | 'r', _)) => round_trip(value, culture),
        Some((letter, precision)) => {
            let digits = digits_of(value, wants_all(value, letter, precision));
            in_standard(value, &digits, (letter, precision), culture)
        }
        None if pattern.is_empty() => Formatted::Text(general(value, &digits_of(value, false), None, culture)),
        None => custom(&digits_of(value, false), pattern, culture),
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
fn round_trip(value: &Value, culture: &Culture) -> Formatted {
    let (few, all) = (digits_of(value, false), digits_of(value, true));
    let (is_same, digits_max) = match value {
        Value::Float(x) => (few.plain().parse() == Ok(*x), FLOAT_DIGITS_ALL),
        Value::Real(x) => (few.plain().parse() == Ok(*x), REAL_DIGITS_ALL),
        _ => return Formatted::Invalid,
    };
    Formatted::Text(match is_same {
        true => general(value, &few, None, culture),
        false => general(value, &all, Some(digits_max), culture),
    })
}

fn in_standard(
    value: &Value,
    digits: &Digits,
    (letter, precision): (char, Option<usize>),
    culture: &Culture,
) -> Formatted {
    let decimals = precision.unwrap_or(culture.number.decimals);
    let (number, currency) = (&culture.number, &culture.currency);
    Formatted::Text(match letter.to_ascii_uppercase() {
        'N' => {
            let rounded = digits.round(decimals);
            let pattern = if rounded.negative { number.patterns.negative } else { number.patterns.positive };
            patterned(pattern, &grouped(&rounded, number), "")
        }
        'F' => pointed(&digits.round(decimals), number.point),
        'C' => {
            let rounded = digits.round(precision.unwrap_or(currency.decimals));
            let pattern = if rounded.negative { currency.patterns.negative } else { currency.patterns.positive };
            patterned(pattern, &grouped(&rounded, currency), culture.currency_sign)
        }
        'P' => {
            let rounded = digits.shift(2).round(decimals);
            let pattern = if rounded.negative { culture.percent.negative } else { culture.percent.positive };
            patterned(pattern, &grouped(&rounded, number), culture.percent_sign)
        }
        'E' => exponential(digits, precision.unwrap_or(EXPONENT_DECIMALS), (letter, 3), number.point),
        'G' => general(value, digits, precision, culture),
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

/// A pattern with the number for its `n`, and the sign for its `$` or `%`.
fn patterned(pattern: &str, number: &str, sign: &str) -> String {
    let mut text = String::with_capacity(pattern.len() + number.len() + sign.len());
    for c in pattern.chars() {
        match c {
            'n' => text.push_str(number),
            '$' | '%' => text.push_str(sign),
            other => text.push(other),
        }
    }
    text
}

/// All digits with a culture's point: `-1234,50`.
fn pointed(digits: &Digits, point: &str) -> String {
    let plain = digits.plain();
    if point == "." { plain } else { plain.replace('.', point) }
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

/// `1,234.50`, without a sign.
fn grouped(digits: &Digits, amounts: &Amounts) -> String {
    let whole = if digits.whole.is_empty() { "0" } else { &digits.whole };
    let point = if digits.fraction.is_empty() { "" } else { amounts.point };
    format!("{}{point}{}", separated(whole, amounts), digits.fraction)
}

fn separated(whole: &str, amounts: &Amounts) -> String {
    let places = separators(whole.len(), amounts.groups);
    let mut text = String::with_capacity(whole.len() + places.len() * amounts.separator.len());
    for (at, digit) in whole.chars().enumerate() {
        if places.contains(&(whole.len() - at)) {
            text.push_str(amounts.separator);
        }
        text.push(digit);
    }
    text
}

/// How many digits follow each separator of a number of so many digits.
fn separators(digits: usize, groups: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut sizes = groups.split('|').map(|size| size.parse().unwrap_or(0));
    let (mut size, mut place) = (sizes.next().unwrap_or(0), 0usize);
    while size > 0 {
        place += size;
        if place >= digits {
            break;
        }
        places.push(place);
        size = sizes.next().unwrap_or(size);
    }
    places
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
fn exponential(digits: &Digits, decimals: usize, (letter, exponent_digits): (char, usize), point: &str) -> String {
    let (mantissa, exponent) = mantissa(digits, 1, decimals);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}{letter}{sign}{:0exponent_digits$}", pointed(&mantissa, point), exponent.unsigned_abs())
}

/// The number with so many digits before the point, rounded to so many after it, and its power of ten.
fn mantissa(digits: &Digits, whole: i32, decimals: usize) -> (Digits, i32) {
    let (all, exponent) = significant(digits);
    if all.is_empty() {
        return (digits.round(decimals), 0);
    }
    let exponent = exponent + 1 - whole;
    let mantissa = digits.shift(-exponent).round(decimals);
    if mantissa.whole.len() as i32 <= whole.max(0) {
        return (mantissa, exponent);
    }
    // 9.99 became 10.0.
    (mantissa.shift(-1).round(decimals), exponent + 1)
}

/// The shortest of plain and exponential; exact numbers without a precision are always plain.
fn general(value: &Value, digits: &Digits, precision: Option<usize>, culture: &Culture) -> String {
    let point = culture.number.point;
    let digits_max = match (precision, value) {
        (Some(precision), _) if precision > 0 => precision,
        (_, Value::Float(_)) => FLOAT_DIGITS,
        (_, Value::Real(_)) => REAL_DIGITS,
        _ => return pointed(digits, point),
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
        return exponential(&rounded, decimals, ('E', 2), point);
    }
    let fraction = rounded.fraction.trim_end_matches('0').to_owned();
    pointed(&Digits { fraction, ..rounded }, point)
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
    /// Text as it is.
    Text(char),
    /// `%`
    Percent,
    /// `E+00`: the letter, whether a plus is shown, how many digits at least.
    Exponent(char, bool, usize),
}

/// A section of a custom format with what its signs ask for.
struct Section {
    pieces: Vec<Piece>,
    /// Power of ten from `%`, `‰`, and commas before the point.
    shift: i32,
}

fn custom(digits: &Digits, pattern: &str, culture: &Culture) -> Formatted {
    let sections = sections(pattern);
    let has_own = |index: usize| sections.get(index).is_some_and(|section| !section.pieces.is_empty());
    let mut chosen = match (digits.negative, digits.is_zero()) {
        (_, true) if has_own(2) => 2,
        (true, _) if has_own(1) => 1,
        _ => 0,
    };
    let rounded = |section: &Section| section.rounded(digits);
    let mut shown = rounded(&sections[chosen]);
    if shown.0.is_zero() && chosen != 2 {
        // What rounds to zero is shown as zero, in the third section where there is one.
        chosen = if has_own(2) { 2 } else { 0 };
        shown = rounded(&sections[chosen]);
    }
    let sign = if shown.0.negative && chosen == 0 { "-" } else { "" };
    Formatted::Text(format!("{sign}{}", sections[chosen].render(&shown, culture)))
}

/// Splits at `;`: one to three sections.
fn sections(pattern: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut section = Section { pieces: vec![], shift: 0 };
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ';' if sections.len() == 2 => break,
            ';' => sections.push(std::mem::replace(&mut section, Section { pieces: vec![], shift: 0 })),
            '0' => section.pieces.push(Piece::Zero),
            '#' => section.pieces.push(Piece::Digit),
            // A second point is ignored.
            '.' if section.pieces.contains(&Piece::Point) => {}
            '.' => section.pieces.push(Piece::Point),
            ',' => section.pieces.push(Piece::Comma),
            'e' | 'E' => {
                let rest: String = chars.clone().take(EXPONENT_DIGITS_MAX + 1).collect();
                match exponent(c, &rest) {
                    Some((piece, used)) => {
                        section.pieces.push(piece);
                        chars.by_ref().take(used).for_each(drop);
                    }
                    None => section.pieces.push(Piece::Text(c)),
                }
            }
            '\\' => section.pieces.extend(chars.next().map(Piece::Text)),
            '\'' | '"' => section.pieces.extend(chars.by_ref().take_while(|quoted| *quoted != c).map(Piece::Text)),
            '%' => {
                section.shift += 2;
                section.pieces.push(Piece::Percent);
            }
            '‰' => {
                section.shift += 3;
                section.pieces.push(Piece::Text(c));
            }
            other => section.pieces.push(Piece::Text(other)),
        }
    }
    sections.push(section);
    sections.iter_mut().for_each(Section::take_scaling_commas);
    sections
}

/// `+00`, `-0` or `000` after an `E`, and its characters.
fn exponent(letter: char, rest: &str) -> Option<(Piece, usize)> {
    let signs = usize::from(rest.starts_with(['+', '-']));
    let zeros = rest[signs..].bytes().take_while(|byte| *byte == b'0').count();
    let piece = Piece::Exponent(letter, rest.starts_with('+'), zeros.min(EXPONENT_DIGITS_MAX));
    (zeros > 0).then_some((piece, signs + zeros))
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

    /// Digits before the point.
    fn whole_places(&self) -> usize {
        self.pieces[..self.point()].iter().filter(|piece| piece.is_digit()).count()
    }

    /// What is shown of a number, and its power of ten where an exponent is.
    fn rounded(&self, digits: &Digits) -> (Digits, i32) {
        let shifted = digits.shift(self.shift);
        if self.pieces.iter().any(|piece| matches!(piece, Piece::Exponent(..))) {
            return mantissa(&shifted, self.whole_places() as i32, self.decimals());
        }
        (shifted.round(self.decimals()), 0)
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

    fn render(&self, (digits, exponent): &(Digits, i32), culture: &Culture) -> String {
        let point = self.point();
        let mut text = self.render_whole(&self.pieces[..point], digits, *exponent, culture);
        if self.whole_places() == 0 && self.decimals() > 0 {
            text.push_str(&digits.whole);
        }
        if point < self.pieces.len() {
            self.render_fraction(&self.pieces[point + 1..], (digits, *exponent), culture, &mut text);
        }
        text
    }

    fn render_whole(&self, pieces: &[Piece], digits: &Digits, exponent: i32, culture: &Culture) -> String {
        let places = self.whole_places();
        let first_zero = pieces.iter().filter(|piece| piece.is_digit()).position(|piece| *piece == Piece::Zero);
        let least = first_zero.map_or(0, |first| places - first);
        let whole = format!("{:0>least$}", digits.whole);
        let separators = if self.groups() { separators(whole.len(), culture.number.groups) } else { Vec::new() };
        let mut left = whole.len();
        let mut places_left = places;
        let mut text = String::new();
        for piece in pieces {
            if !piece.is_digit() {
                piece.push_to(&mut text, exponent, culture);
                continue;
            }
            // The first place takes all digits that have no place of their own.
            let take =
                if places_left == places { left.saturating_sub(places - 1) } else { usize::from(left >= places_left) };
            for _ in 0..take {
                text.push_str(&whole[whole.len() - left..whole.len() - left + 1]);
                left -= 1;
                if separators.contains(&left) {
                    text.push_str(culture.number.separator);
                }
            }
            places_left -= 1;
        }
        text
    }

    fn render_fraction(
        &self,
        pieces: &[Piece],
        (digits, exponent): (&Digits, i32),
        culture: &Culture,
        text: &mut String,
    ) {
        let places: Vec<&Piece> = pieces.iter().filter(|piece| piece.is_digit()).collect();
        let least = places.iter().rposition(|piece| **piece == Piece::Zero).map_or(0, |last| last + 1);
        let shown = digits.fraction.trim_end_matches('0').len().max(least);
        if shown > 0 {
            text.push_str(culture.number.point);
        }
        let mut fraction = digits.fraction[..shown].chars();
        for piece in pieces {
            if piece.is_digit() {
                text.extend(fraction.next());
            } else {
                piece.push_to(text, exponent, culture);
            }
        }
    }
}

impl Piece {
    fn is_digit(&self) -> bool {
        matches!(self, Piece::Zero | Piece::Digit)
    }

    /// What stands for a piece that is no digit.
    fn push_to(&self, text: &mut String, exponent: i32, culture: &Culture) {
        match self {
            Piece::Text(c) => text.push(*c),
            Piece::Percent => text.push_str(culture.percent_sign),
            Piece::Exponent(letter, has_plus, digits) => {
                let sign = match exponent < 0 {
                    true => "-",
                    false if *has_plus => "+",
                    false => "",
                };
                text.push_str(&format!("{letter}{sign}{:0digits$}", exponent.unsigned_abs()));
            }
            Piece::Zero | Piece::Digit | Piece::Comma | Piece::Point => {}
        }
    }
}
