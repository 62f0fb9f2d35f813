//! `xs:decimal`: 38 digits, of which some follow the point.

use std::cmp::Ordering;

/// Most digits.
const DIGITS_MAX: u32 = 38;
/// Digits after the point that a quotient is computed to, if there is room.
const QUOTIENT_SCALE: u32 = 20;

/// A number of up to 38 digits: `units` / 10^`scale`.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    units: i128,
    scale: u32,
}

impl Decimal {
    /// `units` / 10^`scale`; none beyond 38 digits.
    #[must_use]
    pub fn new(units: i128, scale: u32) -> Option<Decimal> {
        let fits = units.unsigned_abs() < 10u128.pow(DIGITS_MAX) && scale <= DIGITS_MAX;
        fits.then_some(Decimal { units, scale })
    }

    /// Reads a number without exponent: sign, digits, point.
    #[must_use]
    pub fn parse(text: &str) -> Option<Decimal> {
        let (negative, digits) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() && fraction.is_empty() || !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let mut units = 0i128;
        for digit in whole.bytes().chain(fraction.bytes()) {
            units = units.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
        }
        Decimal::new(if negative { -units } else { units }, u32::try_from(fraction.len()).ok()?)
    }

    /// The number as a float.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// The whole part, towards zero.
    #[must_use]
    pub fn trunc(self) -> i128 {
        self.units / 10i128.pow(self.scale)
    }

    /// The largest whole number that is not above it.
    #[must_use]
    pub fn floor(self) -> Decimal {
        Decimal { units: self.units.div_euclid(10i128.pow(self.scale)), scale: 0 }
    }

    /// The nearest whole number, upwards from the middle.
    #[must_use]
    pub fn round(self) -> Decimal {
        if self.scale == 0 {
            return self;
        }
        let unit = 10i128.pow(self.scale);
        Decimal { units: (self.units + unit / 2).div_euclid(unit), scale: 0 }
    }

    /// Its opposite.
    #[must_use]
    pub fn negate(self) -> Decimal {
        Decimal { units: -self.units, scale: self.scale }
    }

    fn aligned(self, other: Decimal) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let raise = |number: Decimal| number.units.checked_mul(10i128.checked_pow(scale - number.scale)?);
        Some((raise(self)?, raise(other)?, scale))
    }

    /// The sum, if it has no more than 38 digits; so have all operations.
    #[must_use]
    pub fn plus(self, other: Decimal) -> Option<Decimal> {
        let (left, right, scale) = self.aligned(other)?;
        Decimal::new(left.checked_add(right)?, scale).map(Decimal::trimmed)
    }

    /// The product.
    #[must_use]
    pub fn multiply(self, other: Decimal) -> Option<Decimal> {
        Decimal::new(self.units.checked_mul(other.units)?, self.scale + other.scale).map(Decimal::trimmed)
    }

    /// The quotient to 20 digits after the point, or to as many as there is room for; none of zero.
    #[must_use]
    pub fn divide(self, other: Decimal) -> Option<Decimal> {
        let (mut left, right, _) = self.aligned(other)?;
        if right == 0 {
            return None;
        }
        let mut scale = 0;
        while scale < QUOTIENT_SCALE
            && let Some(raised) = left.checked_mul(10)
        {
            left = raised;
            scale += 1;
        }
        Decimal::new(left / right, scale).map(Decimal::trimmed)
    }

    /// The remainder, with the sign of the first; none of zero.
    #[must_use]
    pub fn modulo(self, other: Decimal) -> Option<Decimal> {
        let (left, right, scale) = self.aligned(other)?;
        Decimal::new(left.checked_rem(right)?, scale).map(Decimal::trimmed)
    }

    fn trimmed(mut self) -> Decimal {
        while self.scale > 0 && self.units % 10 == 0 {
            self.units /= 10;
            self.scale -= 1;
        }
        self
    }

    /// Their order.
    #[must_use]
    pub fn order(self, other: Decimal) -> Ordering {
        match self.aligned(other) {
            Some((left, right, _)) => left.cmp(&right),
            None => self.to_f64().total_cmp(&other.to_f64()),
        }
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Decimal { units, scale } = self.trimmed();
        if scale == 0 {
            return write!(f, "{units}");
        }
        let scale = scale as usize;
        let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        write!(f, "{}{whole}.{fraction}", if units < 0 { "-" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn arithmetic_is_exact_or_absent() {
        assert_eq!(number("0.10").to_string(), "0.1");
        assert_eq!(number("-.5").to_string(), "-0.5");
        assert_eq!(number("1.5").plus(number("2.5")).unwrap().to_string(), "4");
        assert_eq!(number("1.5").multiply(number("-2")).unwrap().to_string(), "-3");
        assert_eq!(number("1").divide(number("4")).unwrap().to_string(), "0.25");
        assert_eq!(number("1").divide(number("3")).unwrap().to_string(), "0.33333333333333333333");
        assert!(number("1").divide(number("0")).is_none());
        assert_eq!(number("-7").modulo(number("2")).unwrap().to_string(), "-1");
        assert!(number("7").modulo(number("0")).is_none());
        assert_eq!(
            [number("2.5").round(), number("-2.5").round(), number("-2.5").floor()].map(Decimal::trunc),
            [3, -2, -3]
        );
        let largest = number(&"9".repeat(38));
        assert!(largest.plus(number("1")).is_none() && largest.multiply(largest).is_none());
        assert!(Decimal::parse(&"9".repeat(39)).is_none());
        for bad in ["", "-", ".", "1e5", "1.2.3", " 1", "0x1"] {
            assert!(Decimal::parse(bad).is_none(), "{bad}");
        }
        assert_eq!(largest.order(number("0.00000000000000000000000000000000000001")), Ordering::Greater);
    }
}
