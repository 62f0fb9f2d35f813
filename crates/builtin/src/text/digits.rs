//! A number as decimal digits, for STR and FORMAT: exact for exact types, a chosen number of digits for floats.
//! Rounding goes by the digits that are shown, halves away from zero. Also STR itself.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use crate::FunctionDef;
use crate::args::{float, int, nullable, varchar};
use crate::define::{pure, strict_eval};

/// Digits that STR takes from a float: enough to distinguish any two floats.
const STR_DIGITS: usize = 17;
/// Most digits after the point that STR writes.
const STR_DECIMALS_MAX: i64 = 16;
/// Longest result of STR.
const STR_LENGTH_MAX: i64 = 8000;

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[pure(
    "STR",
    (1, 3),
    |types| {
        let params = [SqlType::Float, SqlType::Int, SqlType::Int][..types.len()].to_vec();
        nullable(params, varchar(if types.len() == 1 { 10 } else { 8000 }))
    },
    strict_eval!(str_of),
)];

/// The type of STR whose length is a constant: as long as that.
pub(crate) fn str_type(args: &[BoundExpr], result: SqlType) -> SqlType {
    match args.get(1).map(|arg| &arg.kind) {
        Some(Kind::Literal(Value::Int(length))) if (1..=STR_LENGTH_MAX).contains(&i64::from(*length)) => {
            u16::try_from(*length).map_or(result, varchar)
        }
        _ => result,
    }
}

/// A number in decimal digits: `whole` has no zeros in front, so 0.5 has none at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    /// Below zero; zero itself is not.
    pub negative: bool,
    /// Digits before the point.
    pub whole: String,
    /// Digits after the point.
    pub fraction: String,
}

impl Digits {
    /// An exact number of `scale` digits after the point.
    pub fn exact(unscaled: i128, scale: u8) -> Digits {
        let scale = usize::from(scale);
        let all = format!("{:0width$}", unscaled.unsigned_abs(), width = scale);
        let (whole, fraction) = all.split_at(all.len() - scale);
        Digits {
            negative: unscaled < 0,
            whole: whole.trim_start_matches('0').to_owned(),
            fraction: fraction.to_owned(),
        }
    }

    /// A finite float to so many significant digits, without zeros at the end.
    pub fn of_float(x: f64, significant: usize) -> Digits {
        let (digits, exponent) = scientific(x.abs(), significant);
        let digits = digits.trim_end_matches('0');
        let point = exponent + 1;
        let (whole, fraction) = if point <= 0 {
            (String::new(), format!("{}{digits}", "0".repeat(point.unsigned_abs() as usize)))
        } else if point as usize >= digits.len() {
            (format!("{digits:0<width$}", width = point as usize), String::new())
        } else {
            (digits[..point as usize].to_owned(), digits[point as usize..].to_owned())
        };
        let zero = digits.is_empty();
        Digits {
            negative: x < 0.0,
            whole: if zero { String::new() } else { whole },
            fraction: if zero { String::new() } else { fraction },
        }
    }

    /// Rounded to so many digits after the point, and filled with zeros to that many.
    pub fn round(&self, decimals: usize) -> Digits {
        if self.fraction.len() <= decimals {
            let mut same = self.clone();
            same.fraction.extend(std::iter::repeat_n('0', decimals - self.fraction.len()));
            return same.signed();
        }
        let up = self.fraction.as_bytes()[decimals] >= b'5';
        let mut digits: Vec<u8> = self.whole.bytes().chain(self.fraction[..decimals].bytes()).collect();
        if up {
            increment(&mut digits);
        }
        let all = String::from_utf8(digits).expect("digits are ASCII");
        let (whole, fraction) = all.split_at(all.len() - decimals);
        Digits { negative: self.negative, whole: whole.to_owned(), fraction: fraction.to_owned() }.signed()
    }

    /// Times ten to the power of `places`.
    pub fn shift(&self, places: i32) -> Digits {
        let count = places.unsigned_abs() as usize;
        let mut shifted = self.clone();
        if places >= 0 {
            let fraction = format!("{:0<count$}", self.fraction);
            shifted.whole = format!("{}{}", self.whole, &fraction[..count]).trim_start_matches('0').to_owned();
            shifted.fraction = fraction[count..].to_owned();
        } else {
            let whole = format!("{:0>count$}", self.whole);
            let (keep, moved) = whole.split_at(whole.len() - count);
            shifted.whole = keep.trim_start_matches('0').to_owned();
            shifted.fraction = format!("{moved}{}", self.fraction);
        }
        shifted
    }

    /// Whether all digits are zero.
    pub fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.bytes().all(|digit| digit == b'0')
    }

    /// `12.50`, `0.50`, `-3`.
    pub fn plain(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let whole = if self.whole.is_empty() { "0" } else { &self.whole };
        let point = if self.fraction.is_empty() { "" } else { "." };
        format!("{sign}{whole}{point}{}", self.fraction)
    }

    /// Zero has no sign.
    fn signed(mut self) -> Digits {
        self.negative &= !self.is_zero();
        self
    }
}

/// One more in the last digit.
fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}

/// The significant digits of a float that is not negative, and the power of ten of the first of them.
pub(crate) fn scientific(x: f64, significant: usize) -> (String, i32) {
    let text = format!("{x:.*e}", significant.saturating_sub(1));
    let (mantissa, exponent) = text.split_once('e').expect("Rust writes an exponent");
    (mantissa.replace('.', ""), exponent.parse().expect("Rust writes a number"))
}

/// STR(x, length, decimals): right-aligned; stars where the digits before the point do not fit.
fn str_of(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let length = args.get(1).map_or(10, int);
    let decimals = args.get(2).map_or(0, int);
    if !(1..=STR_LENGTH_MAX).contains(&length) || decimals < 0 {
        return Ok(Value::Null);
    }
    let (length, decimals) = (length as usize, decimals.min(STR_DECIMALS_MAX) as usize);
    let digits = Digits::of_float(float(&args[0]), STR_DIGITS);
    let mut text = digits.round(decimals).plain();
    if text.len() > length {
        let before_point = text.find('.').unwrap_or(text.len());
        text = digits.round(length.saturating_sub(before_point + 1).min(decimals)).plain();
    }
    Ok(Value::from(if text.len() > length { "*".repeat(length) } else { format!("{text:>length$}") }))
}
