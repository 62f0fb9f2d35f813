//! Exact decimal numbers of up to 38 digits, as T-SQL's `decimal`.
//!
//! What always holds: |unscaled| < 10^38 and scale <= 38. Precision is the type's, not the value's: operations take
//! the result's precision and scale. Knows no types and no message numbers.

use std::cmp::Ordering;
use std::fmt;

use thiserror::Error;

/// Most digits of a `decimal`.
pub const MAX_PRECISION: u8 = 38;

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
    /// More digits than the precision allows.
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
    /// Shape of a sum or difference.
    #[must_use]
    pub fn of_sum(_a: Self, _b: Self) -> Self {
        todo!()
    }
    /// Shape of a product.
    #[must_use]
    pub fn of_product(_a: Self, _b: Self) -> Self {
        todo!()
    }
    /// Shape of a quotient.
    #[must_use]
    pub fn of_quotient(_a: Self, _b: Self) -> Self {
        todo!()
    }
    /// Shape of a remainder.
    #[must_use]
    pub fn of_remainder(_a: Self, _b: Self) -> Self {
        todo!()
    }
    /// The smallest shape that holds both (CASE, UNION, COALESCE).
    #[must_use]
    pub fn of_union(_a: Self, _b: Self) -> Self {
        todo!()
    }
}

impl Decimal {
    /// A decimal; `None` when it has more than 38 digits.
    #[must_use]
    pub fn new(_unscaled: i128, _scale: u8) -> Option<Self> {
        todo!()
    }
    /// Reads digits with an optional sign and point; the scale is the number of digits after the point.
    pub fn parse(_text: &str) -> Result<Self, DecimalError> {
        todo!()
    }
    /// Digits needed to write `unscaled`, at least 1.
    #[must_use]
    pub fn digits(self) -> u8 {
        todo!()
    }
    /// The same number with another scale, rounded half away from zero.
    pub fn rescale(self, _scale: u8) -> Result<Self, DecimalError> {
        todo!()
    }
    /// The same number with another scale, digits cut off.
    pub fn truncate(self, _scale: u8) -> Result<Self, DecimalError> {
        todo!()
    }
    /// The same number as a value of `decimal(precision, scale)`, rounded half away from zero.
    pub fn fit(self, _shape: Shape) -> Result<Self, DecimalError> {
        todo!()
    }
    /// Sum, of the result's shape.
    pub fn checked_add(self, _other: Self, _shape: Shape) -> Result<Self, DecimalError> {
        todo!()
    }
    /// Difference, of the result's shape.
    pub fn checked_sub(self, _other: Self, _shape: Shape) -> Result<Self, DecimalError> {
        todo!()
    }
    /// Product, of the result's shape.
    pub fn checked_mul(self, _other: Self, _shape: Shape) -> Result<Self, DecimalError> {
        todo!()
    }
    /// Quotient, of the result's shape; digits behind its scale are cut off.
    pub fn checked_div(self, _other: Self, _shape: Shape) -> Result<Self, DecimalError> {
        todo!()
    }
    /// Remainder with the sign of the dividend, of the result's shape.
    pub fn checked_rem(self, _other: Self, _shape: Shape) -> Result<Self, DecimalError> {
        todo!()
    }
    /// Compares the numbers.
    #[must_use]
    pub fn compare(self, _other: Self) -> Ordering {
        todo!()
    }
    /// The nearest float.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        todo!()
    }
    /// The decimal of the given shape nearest to a float.
    pub fn from_f64(_x: f64, _shape: Shape) -> Result<Self, DecimalError> {
        todo!()
    }
    /// The integer part, cut towards zero.
    #[must_use]
    pub fn to_i128(self) -> i128 {
        todo!()
    }
}

impl From<i64> for Decimal {
    fn from(n: i64) -> Self {
        Self {
            unscaled: i128::from(n),
            scale: 0,
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}
