//! Exact decimal numbers of up to 38 digits, as T-SQL's `decimal`.
//!
//! What always holds: |unscaled| < 10^38 and scale <= 38. Precision is the type's, not the value's: an operation takes
//! its result's [`Shape`]. Rounding is half away from zero, except that a quotient is cut. Knows no types and no
//! message numbers.

mod narrow;

use std::cmp::Ordering;
use std::fmt;

use ethnum::I256;
use thiserror::Error;

pub use narrow::Narrow;

/// Most digits of a `decimal`.
pub const MAX_PRECISION: u8 = 38;

/// A quotient or product that must lose digits keeps at least this many after the point.
const MIN_KEPT_SCALE: u8 = 6;

/// 10^0 ..= 10^38; 10^38 < 2^127.
const POWERS: [i128; 39] = {
    let mut powers = [1i128; 39];
    let mut n = 1;
    while n < powers.len() {
        powers[n] = powers[n - 1] * 10;
        n += 1;
    }
    powers
};

/// `unscaled` / 10^`scale`.
///
/// Packed to 20 bytes so that a [`crate::Value`] has 24; read the fields by value. Equality is structural
/// (1.0 is not 1.00 here); [`Decimal::compare`] compares numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(Rust, packed(4))]
pub struct Decimal {
    /// The digits as an integer; |unscaled| < 10^38.
    pub unscaled: i128,
    /// Digits after the point, 0..=38.
    pub scale: u8,
}

/// Why there is no decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecimalError {
    /// The text is no number.
    #[error("not a decimal number")]
    Syntax,
    /// More digits than the shape or 38 allow.
    #[error("decimal overflow")]
    Overflow,
    /// Division or modulo by zero.
    #[error("decimal division by zero")]
    DivideByZero,
}

/// Precision and scale of a decimal type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Total digits, 1..=38.
    pub precision: u8,
    /// Digits after the point, 0..=precision.
    pub scale: u8,
}

impl Shape {
    /// Shape of a sum or difference: room for a carry; when that passes 38 digits, the scale gives way.
    #[must_use]
    pub fn of_sum(a: Self, b: Self) -> Self {
        let integers = a.integers().max(b.integers());
        let scale = a.scale.max(b.scale);
        if integers + scale < MAX_PRECISION {
            return Self { precision: integers + scale + 1, scale };
        }
        Self { precision: MAX_PRECISION, scale: scale.min(MAX_PRECISION - integers) }
    }

    /// Shape of a product.
    #[must_use]
    pub fn of_product(a: Self, b: Self) -> Self {
        Self::cut(a.precision + b.precision + 1, a.scale + b.scale)
    }

    /// Shape of a quotient.
    #[must_use]
    pub fn of_quotient(a: Self, b: Self) -> Self {
        let scale = MIN_KEPT_SCALE.max(a.scale + b.precision + 1);
        Self::cut(a.integers() + b.scale + scale, scale)
    }

    /// Shape of a remainder.
    #[must_use]
    pub fn of_remainder(a: Self, b: Self) -> Self {
        let scale = a.scale.max(b.scale);
        let integers = a.integers().min(b.integers());
        Self { precision: (integers + scale).clamp(1, MAX_PRECISION), scale }
    }

    /// The smallest shape that holds both (CASE, UNION, COALESCE).
    #[must_use]
    pub fn of_union(a: Self, b: Self) -> Self {
        let integers = a.integers().max(b.integers());
        let scale = a.scale.max(b.scale);
        if integers + scale <= MAX_PRECISION {
            return Self { precision: (integers + scale).max(1), scale };
        }
        Self { precision: MAX_PRECISION, scale: MAX_PRECISION - integers }
    }

    fn integers(self) -> u8 {
        self.precision - self.scale
    }

    /// Cuts a computed shape to 38 digits: digits after the point go first, but six of them stay.
    fn cut(precision: u8, scale: u8) -> Self {
        if precision <= MAX_PRECISION {
            return Self { precision, scale };
        }
        let integers = precision - scale;
        let kept = MAX_PRECISION.saturating_sub(integers).max(scale.min(MIN_KEPT_SCALE));
        Self { precision: MAX_PRECISION, scale: kept.min(scale) }
    }
}

impl Decimal {
    /// A decimal; `None` when it has more than 38 digits.
    #[must_use]
    pub fn new(unscaled: i128, scale: u8) -> Option<Self> {
        (scale <= MAX_PRECISION && unscaled.unsigned_abs() < POWERS[38].unsigned_abs())
            .then_some(Self { unscaled, scale })
    }

    /// Reads digits with an optional sign and point; the scale is the number of digits after the point.
    ///
    /// Digits after the point beyond what 38 can hold are rounded away; zeros in front do not count.
    pub fn parse(text: &str) -> Result<Self, DecimalError> {
        let (negative, digits) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let magnitude = parse_magnitude(digits)?;
        Ok(Self { unscaled: if negative { -{ magnitude.unscaled } } else { magnitude.unscaled }, ..magnitude })
    }

    /// Digits needed to write `unscaled`, at least 1.
    #[must_use]
    pub fn digits(self) -> u8 {
        let magnitude = self.unscaled.unsigned_abs();
        POWERS.iter().skip(1).take_while(|power| magnitude >= power.unsigned_abs()).count() as u8 + 1
    }

    /// The smallest shape that holds this number at its scale: what a literal has.
    #[must_use]
    pub fn shape(self) -> Shape {
        Shape { precision: self.digits().max(self.scale).max(1), scale: self.scale }
    }

    /// The same number with another scale, rounded half away from zero.
    pub fn rescale(self, scale: u8) -> Result<Self, DecimalError> {
        self.fit(Shape { precision: MAX_PRECISION, scale })
    }

    /// Whether it has all digits that another one has after the point: nothing was rounded away where this was made of
    /// it.
    #[must_use]
    pub fn has_all_of(self, other: Decimal) -> bool {
        let lost = u32::from(other.scale.saturating_sub(self.scale));
        lost == 0 || 10_i128.checked_pow(lost).map_or(other.unscaled == 0, |unit| other.unscaled % unit == 0)
    }

    /// The same number with a smaller or equal scale, digits cut off.
    #[must_use]
    pub fn truncate(self, scale: u8) -> Self {
        if scale >= self.scale {
            return self;
        }
        Self { unscaled: self.unscaled / power(self.scale - scale), scale }
    }

    /// The same number as a value of `decimal(precision, scale)`, rounded half away from zero.
    pub fn fit(self, shape: Shape) -> Result<Self, DecimalError> {
        let unscaled = match shape.scale.cmp(&{ self.scale }) {
            Ordering::Equal => self.unscaled,
            Ordering::Greater => {
                let power = power(shape.scale - self.scale);
                self.unscaled.checked_mul(power).ok_or(DecimalError::Overflow)?
            }
            Ordering::Less => divide_rounded(self.unscaled, power(self.scale - shape.scale)),
        };
        within(unscaled, shape)
    }

    /// Sum, of the result's shape.
    pub fn checked_add(self, other: Self, shape: Shape) -> Result<Self, DecimalError> {
        if self.scale == other.scale && self.scale == shape.scale {
            // |a| + |b| < 2 x 10^38 > 2^127, so the sum of two large numbers needs the check.
            let sum = self.unscaled.checked_add(other.unscaled).ok_or(DecimalError::Overflow)?;
            return within(sum, shape);
        }
        if let Some((a, b, scale)) = narrow::align(self, other) {
            return narrow::settle(a + b, scale, shape);
        }
        let (a, b, scale) = align(self, other);
        settle(a + b, scale, shape)
    }

    /// Difference, of the result's shape.
    pub fn checked_sub(self, other: Self, shape: Shape) -> Result<Self, DecimalError> {
        self.checked_add(Self { unscaled: -{ other.unscaled }, scale: other.scale }, shape)
    }

    /// Product, of the result's shape.
    pub fn checked_mul(self, other: Self, shape: Shape) -> Result<Self, DecimalError> {
        let scale = self.scale + other.scale;
        if scale == shape.scale {
            let product = self.unscaled.checked_mul(other.unscaled).ok_or(DecimalError::Overflow)?;
            return within(product, shape);
        }
        if let Some(product) = narrow::product(self, other) {
            return narrow::settle(product, scale, shape);
        }
        settle(I256::from(self.unscaled) * I256::from(other.unscaled), scale, shape)
    }

    /// Quotient, of the result's shape; digits after its scale are cut off.
    pub fn checked_div(self, other: Self, shape: Shape) -> Result<Self, DecimalError> {
        if other.unscaled == 0 {
            return Err(DecimalError::DivideByZero);
        }
        let shift = i16::from(shape.scale) + i16::from(other.scale) - i16::from(self.scale);
        if let Some(quotient) = narrow::quotient(self, other, shift) {
            return within(quotient, shape);
        }
        let (mut dividend, mut divisor) = (I256::from(self.unscaled), I256::from(other.unscaled));
        if shift >= 0 {
            // Beyond 2^255 > 10^76 the quotient by less than 10^38 has more than 38 digits.
            let scaled = dividend.checked_mul(wide_power(shift as u8));
            dividend = scaled.ok_or(DecimalError::Overflow)?;
        } else {
            divisor *= wide_power(-shift as u8);
        }
        shorten(dividend / divisor, shape)
    }

    /// Remainder with the sign of the dividend, of the result's shape.
    pub fn checked_rem(self, other: Self, shape: Shape) -> Result<Self, DecimalError> {
        if other.unscaled == 0 {
            return Err(DecimalError::DivideByZero);
        }
        if let Some((a, b, scale)) = narrow::align(self, other) {
            return narrow::settle(a % b, scale, shape);
        }
        let (a, b, scale) = align(self, other);
        settle(a % b, scale, shape)
    }

    /// Compares the numbers.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        if self.scale == other.scale {
            return { self.unscaled }.cmp(&{ other.unscaled });
        }
        if let Some((a, b, _)) = narrow::align(self, other) {
            return a.cmp(&b);
        }
        let (a, b, _) = align(self, other);
        a.cmp(&b)
    }

    /// The nearest float.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        const EXACT_INTEGER: u128 = 1 << 53;
        const EXACT_POWER: u8 = 22;
        if self.unscaled.unsigned_abs() <= EXACT_INTEGER && self.scale <= EXACT_POWER {
            // Both are exact as floats, so the division rounds once.
            return self.unscaled as f64 / power(self.scale) as f64;
        }
        self.to_string().parse().expect("a decimal's text is a float's text")
    }

    /// The decimal of the given shape nearest to a float's exact value.
    pub fn from_f64(x: f64, shape: Shape) -> Result<Self, DecimalError> {
        if !x.is_finite() || x.abs() >= 1e38 {
            return Err(DecimalError::Overflow);
        }
        let (mantissa, exponent) = decompose(x.abs());
        // mantissa < 2^53 and 10^38 < 2^127: the product has at most 180 bits.
        let scaled = I256::from(mantissa) * wide_power(shape.scale);
        let magnitude = match u32::try_from(exponent) {
            // x < 10^38 bounds mantissa x 2^exponent by 2^127, times 10^38 below 2^254.
            Ok(left) => scaled << left,
            Err(_) => shift_right_rounded(scaled, exponent.unsigned_abs()),
        };
        shorten(if x < 0.0 { -magnitude } else { magnitude }, shape)
    }

    /// The integer part, cut towards zero.
    #[must_use]
    pub fn to_i128(self) -> i128 {
        self.unscaled / power(self.scale)
    }
}

impl From<i64> for Decimal {
    fn from(n: i64) -> Self {
        Self { unscaled: i128::from(n), scale: 0 }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unscaled, scale) = (self.unscaled, self.scale);
        let sign = if unscaled < 0 { "-" } else { "" };
        let magnitude = unscaled.unsigned_abs();
        let power = power(scale).unsigned_abs();
        let (integer, fraction) = (magnitude / power, magnitude % power);
        if scale == 0 {
            return write!(f, "{sign}{integer}");
        }
        write!(f, "{sign}{integer}.{fraction:0width$}", width = usize::from(scale))
    }
}

/// 10^`exponent`, exponent <= 38.
#[must_use]
pub fn power(exponent: u8) -> i128 {
    POWERS[usize::from(exponent)]
}

/// 10^`exponent`, exponent <= 76: 10^76 < 2^255.
fn wide_power(exponent: u8) -> I256 {
    let half = exponent.min(MAX_PRECISION);
    I256::from(power(half)) * I256::from(power(exponent - half))
}

/// Both at the larger scale. 10^38 x 10^38 = 10^76 fits 255 bits, and so does the sum of two (2 x 10^76 < 5.7 x 10^76).
fn align(a: Decimal, b: Decimal) -> (I256, I256, u8) {
    let scale = a.scale.max(b.scale);
    let at_scale = |d: Decimal| I256::from(d.unscaled) * I256::from(power(scale - d.scale));
    (at_scale(a), at_scale(b), scale)
}

/// Brings an exact result to its shape.
fn settle(exact: I256, scale: u8, shape: Shape) -> Result<Decimal, DecimalError> {
    if scale <= shape.scale {
        let scaled = exact.checked_mul(wide_power(shape.scale - scale)).ok_or(DecimalError::Overflow)?;
        return shorten(scaled, shape);
    }
    let divisor = wide_power(scale - shape.scale);
    let (quotient, remainder) = (exact / divisor, exact % divisor);
    let away = if exact < I256::ZERO { I256::MINUS_ONE } else { I256::ONE };
    // Twice the remainder is below 2 x 10^76, so it fits.
    let rounds_up = remainder.abs() * I256::new(2) >= divisor;
    shorten(if rounds_up { quotient + away } else { quotient }, shape)
}

fn shorten(unscaled: I256, shape: Shape) -> Result<Decimal, DecimalError> {
    let unscaled = i128::try_from(unscaled).map_err(|_| DecimalError::Overflow)?;
    within(unscaled, shape)
}

fn within(unscaled: i128, shape: Shape) -> Result<Decimal, DecimalError> {
    if unscaled.unsigned_abs() >= power(shape.precision).unsigned_abs() {
        return Err(DecimalError::Overflow);
    }
    Ok(Decimal { unscaled, scale: shape.scale })
}

/// Quotient rounded half away from zero; the divisor is a positive power of ten.
pub(crate) fn divide_rounded(dividend: i128, divisor: i128) -> i128 {
    let quotient = dividend / divisor;
    let remainder = dividend - quotient * divisor;
    // remainder < divisor <= 10^38, so comparing with the rest of the divisor cannot overflow.
    if remainder.abs() >= divisor - remainder.abs() { quotient + dividend.signum() } else { quotient }
}

/// A finite positive float as mantissa x 2^exponent.
fn decompose(x: f64) -> (i128, i32) {
    const FRACTION_BITS: u32 = 52;
    const BIAS: i32 = 1075;
    let bits = x.to_bits();
    let (raw_exponent, fraction) = ((bits >> FRACTION_BITS) as i32, bits & ((1 << FRACTION_BITS) - 1));
    if raw_exponent == 0 {
        return (i128::from(fraction), 1 - BIAS);
    }
    (i128::from(fraction | (1 << FRACTION_BITS)), raw_exponent - BIAS)
}

/// Half away from zero for a non-negative number.
fn shift_right_rounded(n: I256, bits: u32) -> I256 {
    // The number has at most 180 bits, so a longer shift leaves nothing.
    if bits > 200 {
        return I256::ZERO;
    }
    (n + (I256::ONE << (bits - 1))) >> bits
}

fn parse_magnitude(text: &[u8]) -> Result<Decimal, DecimalError> {
    let mut reader = DigitReader::default();
    for &byte in text {
        match byte {
            b'0'..=b'9' => reader.digit(byte - b'0')?,
            b'.' if !reader.after_point => reader.after_point = true,
            _ => return Err(DecimalError::Syntax),
        }
    }
    reader.finish()
}

/// Collects digits until 38 are full; later digits of the fraction only round.
#[derive(Default)]
struct DigitReader {
    unscaled: i128,
    scale: u8,
    after_point: bool,
    any_digit: bool,
    /// First digit that did not fit; those after it cannot change a rounding half away from zero.
    first_dropped: Option<u8>,
}

impl DigitReader {
    fn digit(&mut self, digit: u8) -> Result<(), DecimalError> {
        self.any_digit = true;
        if self.first_dropped.is_some() {
            return Ok(());
        }
        let fits = self.unscaled < POWERS[37] && (!self.after_point || self.scale < MAX_PRECISION);
        if !fits && !self.after_point {
            return Err(DecimalError::Overflow);
        }
        if !fits {
            self.first_dropped = Some(digit);
            return Ok(());
        }
        self.unscaled = self.unscaled * 10 + i128::from(digit);
        self.scale += u8::from(self.after_point);
        Ok(())
    }

    fn finish(self) -> Result<Decimal, DecimalError> {
        if !self.any_digit {
            return Err(DecimalError::Syntax);
        }
        let carry = i128::from(self.first_dropped.is_some_and(|digit| digit >= 5));
        Decimal::new(self.unscaled + carry, self.scale).ok_or(DecimalError::Overflow)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dec(text: &str) -> Decimal {
        Decimal::parse(text).expect("a test's literal")
    }

    fn shape(precision: u8, scale: u8) -> Shape {
        Shape { precision, scale }
    }

    #[test]
    fn shapes_of_results_follow_the_documented_rules() {
        assert_eq!(Shape::of_sum(shape(5, 2), shape(5, 2)), shape(6, 2));
        assert_eq!(Shape::of_sum(shape(10, 0), shape(5, 4)), shape(15, 4));
        assert_eq!(Shape::of_sum(shape(38, 10), shape(38, 10)), shape(38, 10));
        assert_eq!(Shape::of_sum(shape(38, 0), shape(38, 38)), shape(38, 0));
        assert_eq!(Shape::of_product(shape(5, 2), shape(5, 2)), shape(11, 4));
        assert_eq!(Shape::of_product(shape(38, 10), shape(38, 10)), shape(38, 6));
        assert_eq!(Shape::of_product(shape(30, 20), shape(30, 20)), shape(38, 17));
        assert_eq!(Shape::of_quotient(shape(5, 2), shape(5, 2)), shape(13, 8));
        assert_eq!(Shape::of_quotient(shape(2, 1), shape(2, 1)), shape(8, 6));
        assert_eq!(Shape::of_quotient(shape(38, 10), shape(38, 10)), shape(38, 6));
        assert_eq!(Shape::of_quotient(shape(18, 0), shape(18, 0)), shape(37, 19));
        assert_eq!(Shape::of_remainder(shape(5, 2), shape(10, 4)), shape(7, 4));
        assert_eq!(Shape::of_union(shape(5, 2), shape(5, 4)), shape(7, 4));
        assert_eq!(Shape::of_union(shape(38, 0), shape(10, 5)), shape(38, 0));
    }

    #[test]
    fn texts_round_trip_and_garbage_is_refused() {
        for text in ["0", "1.50", "-0.001", "99999999999999999999999999999999999999", "0.0000"] {
            assert_eq!(dec(text).to_string(), text);
        }
        assert_eq!(dec(".5").to_string(), "0.5");
        assert_eq!(dec("5.").to_string(), "5");
        assert_eq!(dec("+7").to_string(), "7");
        for text in ["", "-", ".", "1e5", "1.2.3", "1,000", " 1", "abc"] {
            assert_eq!(Decimal::parse(text), Err(DecimalError::Syntax), "{text:?}");
        }
        assert_eq!(Decimal::parse("100000000000000000000000000000000000000"), Err(DecimalError::Overflow));
        assert_eq!(
            dec("0.123456789012345678901234567890123456785").to_string(),
            "0.12345678901234567890123456789012345679"
        );
    }

    #[test]
    fn rounding_is_half_away_from_zero() {
        for (text, scale, expected) in
            [("1.005", 2, "1.01"), ("-1.005", 2, "-1.01"), ("1.0049", 2, "1.00"), ("2.5", 0, "3"), ("-2.5", 0, "-3")]
        {
            assert_eq!(dec(text).rescale(scale).map(|d| d.to_string()), Ok(expected.to_owned()));
        }
        assert_eq!(dec("999.5").fit(shape(3, 0)), Err(DecimalError::Overflow));
    }

    #[test]
    fn a_quotient_is_cut_and_a_product_rounded() {
        let third = dec("2.0").checked_div(dec("3"), shape(8, 6)).expect("in range");
        assert_eq!(third.to_string(), "0.666666");
        let product = dec("0.00000090000000000000").checked_mul(dec("1.00000000000000000000"), shape(38, 17));
        assert_eq!(product.map(|d| d.to_string()), Ok("0.00000090000000000".to_owned()));
        assert_eq!(dec("1").checked_div(dec("0.00"), shape(8, 6)), Err(DecimalError::DivideByZero));
        assert_eq!(dec("7.5").checked_rem(dec("-2"), shape(3, 1)).map(|d| d.to_string()), Ok("1.5".to_owned()));
    }

    #[test]
    fn the_largest_numbers_overflow_as_errors() {
        let max = Decimal::new(POWERS[38] - 1, 0).expect("38 nines");
        assert_eq!(max.checked_add(max, shape(38, 0)), Err(DecimalError::Overflow));
        assert_eq!(max.checked_mul(max, shape(38, 0)), Err(DecimalError::Overflow));
        let smallest = Decimal::new(1, 38).expect("in range");
        assert_eq!(max.checked_div(smallest, shape(38, 6)), Err(DecimalError::Overflow));
        assert_eq!(max.checked_sub(max, shape(38, 0)), Ok(Decimal::default()));
        assert_eq!(max.compare(smallest), Ordering::Greater);
    }

    #[test]
    fn floats_convert_by_their_exact_value() {
        assert_eq!(Decimal::from_f64(2.675, shape(10, 2)).map(|d| d.to_string()), Ok("2.67".to_owned()));
        assert_eq!(Decimal::from_f64(-0.5, shape(10, 0)).map(|d| d.to_string()), Ok("-1".to_owned()));
        assert_eq!(
            Decimal::from_f64(1e20, shape(38, 2)).map(|d| d.to_string()),
            Ok("100000000000000000000.00".to_owned())
        );
        assert_eq!(Decimal::from_f64(f64::NAN, shape(10, 0)), Err(DecimalError::Overflow));
        assert_eq!(Decimal::from_f64(5e-324, shape(38, 38)).map(|d| { d.unscaled }), Ok(0));
        assert_eq!(dec("0.1").to_f64(), 0.1);
        assert_eq!(dec("12345678901234567890.123456789").to_f64(), 12_345_678_901_234_567_890.123_456_789);
    }

    fn any_decimal() -> impl Strategy<Value = Decimal> {
        (any::<i128>(), 0..=38u8, 0..=38u8)
            .prop_map(|(n, digits, scale)| Decimal { unscaled: n % power(digits), scale })
    }

    proptest! {
        #[test]
        fn any_decimal_reads_back_from_its_text(d in any_decimal()) {
            prop_assert_eq!(Decimal::parse(&d.to_string()), Ok(d));
        }

        #[test]
        fn comparison_agrees_with_subtraction(a in any_decimal(), b in any_decimal()) {
            let (wide_a, wide_b, _) = align(a, b);
            prop_assert_eq!(a.compare(b), (wide_a - wide_b).cmp(&I256::ZERO));
            prop_assert_eq!(a.compare(b), b.compare(a).reverse());
        }

        #[test]
        fn quotient_and_remainder_rebuild_the_dividend(a in any::<i64>(), b in any::<i64>(), scale in 0..=9u8) {
            prop_assume!(b != 0);
            let (a, b) = (Decimal { unscaled: a.into(), scale }, Decimal { unscaled: b.into(), scale });
            let quotient = a.checked_div(b, shape(38, 0)).expect("19 digits");
            let remainder = a.checked_rem(b, shape(38, scale)).expect("19 digits");
            let back = quotient.checked_mul(b, shape(38, scale)).and_then(|p| p.checked_add(remainder, shape(38, scale)));
            prop_assert_eq!(back, Ok(a));
        }

        #[test]
        fn floats_with_few_digits_round_trip(n in -1_000_000_000i64..1_000_000_000, scale in 0..=6u8) {
            let d = Decimal { unscaled: n.into(), scale };
            prop_assert_eq!(Decimal::from_f64(d.to_f64(), shape(38, scale)), Ok(d));
        }
    }
}
