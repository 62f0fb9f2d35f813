//! Numbers, amounts and identifiers as text.

use std::fmt::Write;

use compact_str::{CompactString, format_compact};

use crate::arith::MONEY_UNIT;

/// CONVERT's styles of a float: 0 is six digits at most, 1 eight and 2 sixteen digits with an exponent, 3 seventeen; 126 is
/// those of its type.
pub(super) fn float_text(x: f64, is_real: bool, style: i32) -> CompactString {
    // No value of ours, but clients show those of other servers.
    if !x.is_finite() {
        return format_compact!("{x}");
    }
    match style {
        1 => with_exponent(x, 8),
        2 => with_exponent(x, 16),
        3 => with_exponent(x, 17),
        126 => with_exponent(x, if is_real { 8 } else { 16 }),
        _ => shortest(x, 6),
    }
}

/// Sign, digits and decimal exponent of a float rounded to a number of digits.
pub(crate) struct Digits {
    pub(crate) sign: &'static str,
    /// Without the point; at least one.
    pub(crate) digits: CompactString,
    pub(crate) exponent: i32,
}

impl Digits {
    pub(crate) fn of(x: f64, count: usize) -> Self {
        let text = format_compact!("{:.*e}", count - 1, x.abs());
        let (mantissa, exponent) = text.split_once('e').expect("a float in scientific form has an exponent");
        Self {
            // A negative zero has no sign: plans do not know it.
            sign: if x < 0.0 { "-" } else { "" },
            digits: mantissa.chars().filter(char::is_ascii_digit).collect(),
            exponent: exponent.parse().expect("the exponent is a small integer"),
        }
    }

    /// Without zeros at the end; one digit stays.
    pub(crate) fn trimmed(mut self) -> Self {
        let kept = self.digits.trim_end_matches('0').len().max(1);
        self.digits.truncate(kept);
        self
    }

    /// `123.45`, for exponents that need no scientific form.
    pub(crate) fn plain(&self) -> CompactString {
        let mut text = CompactString::new(self.sign);
        if self.exponent < 0 {
            text.push_str("0.");
            text.extend(std::iter::repeat_n('0', (-self.exponent - 1) as usize));
            text.push_str(&self.digits);
            return text;
        }
        let integers = self.exponent as usize + 1;
        let (before, after) = self.digits.split_at(integers.min(self.digits.len()));
        text.push_str(before);
        text.extend(std::iter::repeat_n('0', integers - before.len()));
        if !after.is_empty() {
            text.push('.');
            text.push_str(after);
        }
        text
    }
}

/// As C's `%g` with an exponent of three digits: `1.23457e+008`.
fn shortest(x: f64, count: i32) -> CompactString {
    let digits = Digits::of(x, count as usize).trimmed();
    if (-4..count).contains(&digits.exponent) { digits.plain() } else { scientific(&digits) }
}

fn with_exponent(x: f64, count: usize) -> CompactString {
    scientific(&Digits::of(x, count))
}

fn scientific(number: &Digits) -> CompactString {
    let (first, rest) = number.digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let sign = if number.exponent < 0 { '-' } else { '+' };
    format_compact!("{}{first}{point}{rest}e{sign}{:03}", number.sign, number.exponent.abs())
}

/// CONVERT's styles of money: 0 has two decimals, 1 also commas, 2 (and 126) four decimals.
pub(crate) fn money_text(amount: i64, style: i32) -> CompactString {
    let four_decimals = matches!(style, 2 | 126);
    let magnitude = amount.unsigned_abs();
    // Half a cent goes up.
    let (scaled, unit) = if four_decimals { (magnitude, 10_000) } else { ((magnitude + 50) / 100, 100) };
    let (whole, fraction) = (scaled / unit, scaled % unit);
    let sign = if amount < 0 && scaled > 0 { "-" } else { "" };
    let whole = if style == 1 { grouped(whole) } else { format_compact!("{whole}") };
    let width = if four_decimals { 4 } else { 2 };
    format_compact!("{sign}{whole}.{fraction:0width$}")
}

fn grouped(n: u64) -> CompactString {
    let digits = format_compact!("{n}");
    let mut text = CompactString::default();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Reads `$1,234.56`: white space, a sign, a currency, digits with commas anywhere; rounded to 1/10000. A point alone is 0.
/// `None` is bad syntax, `Some(None)` an amount beyond all types.
pub(super) fn parse_money(text: &str) -> Option<Option<i128>> {
    let is_space = |c| matches!(c, '\t' | '\n' | '\x0b' | '\x0c' | '\r' | '\u{a0}' | ' ');
    let text = text.trim_end_matches(' ').trim_start_matches(is_space);
    let (negative, text) = strip_sign(text);
    let text = text.trim_start_matches(['$', '£', '€', '¥', '¤', '¢']).trim_start_matches(' ');
    let (negative_after, text) = if negative.is_none() { strip_sign(text) } else { (None, text) };
    let digits: CompactString = text.chars().filter(|&c| c != ',').collect();
    if digits.is_empty() || digits == "." {
        return Some(Some(0));
    }
    let decimal = match crate::decimal::Decimal::parse(&digits) {
        Ok(decimal) if digits.as_bytes()[0].is_ascii_digit() || digits.starts_with('.') => decimal,
        Err(crate::decimal::DecimalError::Overflow) => return Some(None),
        _ => return None,
    };
    let Ok(scaled) = decimal.rescale(MONEY_UNIT.ilog10() as u8) else {
        return Some(None);
    };
    let magnitude = scaled.unscaled;
    let is_negative = negative.or(negative_after).unwrap_or(false);
    Some(Some(if is_negative { -magnitude } else { magnitude }))
}

fn strip_sign(text: &str) -> (Option<bool>, &str) {
    if let Some(rest) = text.strip_prefix('-') {
        (Some(true), rest)
    } else if let Some(rest) = text.strip_prefix('+') {
        (Some(false), rest)
    } else {
        (None, text)
    }
}

/// Bytes as hexadecimal digits after a prefix (`0x` or nothing).
pub(crate) fn hex_digits(prefix: &str, bytes: &[u8]) -> CompactString {
    let mut text = CompactString::with_capacity(prefix.len() + 2 * bytes.len());
    text.push_str(prefix);
    for byte in bytes {
        write!(text, "{byte:02X}").expect("memory takes every text");
    }
    text
}

/// The 36 characters of a `uniqueidentifier`.
pub(crate) fn guid_text(guid: &[u8; 16]) -> CompactString {
    // The first three groups are little-endian.
    const ORDER: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let mut text = CompactString::with_capacity(36);
    for (position, &at) in ORDER.iter().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        write!(text, "{:02X}", guid[at]).expect("memory takes every text");
    }
    text
}

/// Reads a `uniqueidentifier`, with or without braces; characters after it are ignored.
pub(super) fn parse_guid(text: &str) -> Option<[u8; 16]> {
    let text = text.trim_start_matches(' ');
    let body = match text.strip_prefix('{') {
        Some(inner) if inner.as_bytes().get(36) == Some(&b'}') => inner,
        Some(_) => return None,
        None => text,
    };
    let body = body.as_bytes().get(..36)?;
    let mut big_endian = [0; 16];
    let mut nibbles = 0;
    for (i, &byte) in body.iter().enumerate() {
        if matches!(i, 8 | 13 | 18 | 23) {
            if byte != b'-' {
                return None;
            }
            continue;
        }
        let digit = char::from(byte).to_digit(16)? as u8;
        big_endian[nibbles / 2] = big_endian[nibbles / 2] << 4 | digit;
        nibbles += 1;
    }
    let [a0, a1, a2, a3, b0, b1, c0, c1, rest @ ..] = big_endian;
    let [d0, d1, e0, e1, e2, e3, e4, e5] = rest;
    Some([a3, a2, a1, a0, b1, b0, c1, c0, d0, d1, e0, e1, e2, e3, e4, e5])
}

/// Reads pairs of hexadecimal digits.
pub(super) fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let nibble = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    digits.chunks_exact(2).map(|pair| Some(nibble(pair[0])? << 4 | nibble(pair[1])?)).collect()
}
