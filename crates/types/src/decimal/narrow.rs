//! Arithmetic of decimals whose digits fit into 64 bits each, as nearly all do.
//!
//! What always holds: where there is a result, it is the one of the operation on 256 bits beside which it stands.
//! [`Narrow`] has no branches, for loops over whole columns. Knows no rounding but that of [`Decimal::fit`].

use super::{Decimal, DecimalError, MAX_PRECISION, Shape, power, within};

/// 10^18 < 2^60, so a number of 64 bits times it stays below 2^123, and the sum of two such below 2^124.
const MAX_SHIFT: u8 = 18;

/// The number, when it fits into 64 bits.
#[inline(always)]
fn narrow(unscaled: i128) -> Option<i64> {
    i64::try_from(unscaled).ok()
}

/// Both numbers at the larger scale; `None` where one is too large.
#[inline]
pub(super) fn align(a: Decimal, b: Decimal) -> Option<(i128, i128, u8)> {
    let scale = a.scale.max(b.scale);
    let at_scale = |d: Decimal| {
        let shift = scale - d.scale;
        (shift <= MAX_SHIFT).then_some(())?;
        Some(i128::from(narrow(d.unscaled)?) * power(shift))
    };
    Some((at_scale(a)?, at_scale(b)?, scale))
}

/// The product, whose scale is the sum of the scales; `None` where one is too large.
#[inline]
pub(super) fn product(a: Decimal, b: Decimal) -> Option<i128> {
    Some(i128::from(narrow(a.unscaled)?) * i128::from(narrow(b.unscaled)?))
}

/// The quotient of `a` at a scale larger by `shift`, cut; `None` where one is too large. `b` is not zero.
#[inline]
pub(super) fn quotient(a: Decimal, b: Decimal, shift: i16) -> Option<i128> {
    let shift = u8::try_from(shift).ok().filter(|shift| *shift <= MAX_SHIFT)?;
    let (dividend, divisor) = (i128::from(narrow(a.unscaled)?) * power(shift), narrow(b.unscaled)?);
    Some(match narrow(dividend) {
        // The least number by minus one overflows.
        Some(dividend) if divisor != -1 => i128::from(dividend / divisor),
        _ => dividend / i128::from(divisor),
    })
}

/// Brings an exact result to its shape.
#[inline]
pub(super) fn settle(exact: i128, scale: u8, shape: Shape) -> Result<Decimal, DecimalError> {
    if scale.saturating_sub(shape.scale) > MAX_PRECISION {
        // By 10^39 and more it rounds to nothing: the largest quotient is 2^127 / 10^39 < 0.5.
        return within(0, shape);
    }
    Decimal { unscaled: exact, scale }.fit(shape)
}

/// An operation on many pairs of numbers of the same two scales, whose result needs no rounding.
#[derive(Clone, Copy, Debug)]
pub struct Narrow {
    left_factor: i64,
    right_factor: i64,
    /// The least magnitude that is too large for the result.
    bound: i128,
}

impl Narrow {
    /// For sums and differences; `None` where results of the shape are rounded.
    #[must_use]
    pub fn of_sum(left_scale: u8, right_scale: u8, shape: Shape) -> Option<Narrow> {
        let scale = left_scale.max(right_scale);
        let factor = |of: u8| i64::try_from(power(scale - of)).ok();
        let (left_factor, right_factor) = (factor(left_scale)?, factor(right_scale)?);
        (scale == shape.scale).then(|| Narrow { left_factor, right_factor, bound: power(shape.precision) })
    }

    /// For products; `None` where results of the shape are rounded.
    #[must_use]
    pub fn of_product(left_scale: u8, right_scale: u8, shape: Shape) -> Option<Narrow> {
        let bound = power(shape.precision);
        (left_scale + right_scale == shape.scale).then_some(Narrow { left_factor: 1, right_factor: 1, bound })
    }

    /// The sum, and whether it is one: where a number is too large, it is just some number.
    #[inline(always)]
    #[must_use]
    pub fn add(self, left: i128, right: i128) -> (i128, bool) {
        self.checked(left, right, |left, right| left + right)
    }

    /// The difference, likewise.
    #[inline(always)]
    #[must_use]
    pub fn sub(self, left: i128, right: i128) -> (i128, bool) {
        self.checked(left, right, |left, right| left - right)
    }

    /// The product, likewise.
    #[inline(always)]
    #[must_use]
    pub fn mul(self, left: i128, right: i128) -> (i128, bool) {
        let (short_left, short_right) = (left as i64, right as i64);
        let are_short = (i128::from(short_left) == left) & (i128::from(short_right) == right);
        self.within(i128::from(short_left) * i128::from(short_right), are_short)
    }

    #[inline(always)]
    fn checked(self, left: i128, right: i128, operate: impl Fn(i128, i128) -> i128) -> (i128, bool) {
        let (short_left, short_right) = (left as i64, right as i64);
        let are_short = (i128::from(short_left) == left) & (i128::from(short_right) == right);
        let left = i128::from(short_left) * i128::from(self.left_factor);
        let right = i128::from(short_right) * i128::from(self.right_factor);
        self.within(operate(left, right), are_short)
    }

    #[inline(always)]
    fn within(self, result: i128, are_short: bool) -> (i128, bool) {
        (result, are_short & (result < self.bound) & (-self.bound < result))
    }
}

#[cfg(test)]
mod tests {
    use ethnum::I256;
    use proptest::prelude::*;

    use super::super::{align as wide_align, settle as wide_settle, shorten, wide_power};
    use super::*;

    /// Numbers of up to 25 digits, so that some are too large; few digits as often as many.
    fn number() -> impl Strategy<Value = i128> {
        (any::<i128>(), 0..=25u8).prop_map(|(n, digits)| n % power(digits))
    }

    fn shape() -> impl Strategy<Value = Shape> {
        (1..=38u8).prop_flat_map(|precision| (0..=precision).prop_map(move |scale| Shape { precision, scale }))
    }

    /// The operations on 256 bits alone.
    fn wide(op: char, a: Decimal, b: Decimal, shape: Shape) -> Result<Decimal, DecimalError> {
        let (left, right, scale) = wide_align(a, b);
        match op {
            '+' => wide_settle(left + right, scale, shape),
            '-' => wide_settle(left - right, scale, shape),
            '*' => wide_settle(I256::from(a.unscaled) * I256::from(b.unscaled), a.scale + b.scale, shape),
            '%' => wide_settle(left % right, scale, shape),
            _ => {
                let shift = i16::from(shape.scale) + i16::from(b.scale) - i16::from(a.scale);
                let up = wide_power(shift.max(0).unsigned_abs() as u8);
                let down = wide_power(shift.min(0).unsigned_abs() as u8);
                let dividend = I256::from(a.unscaled).checked_mul(up).ok_or(DecimalError::Overflow)?;
                shorten(dividend / (I256::from(b.unscaled) * down), shape)
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn each_operation_gives_what_256_bits_give(
            a in number(), b in number(), a_scale in 0..=38u8, b_scale in 0..=38u8, shape in shape(),
        ) {
            let (a, b) = (Decimal { unscaled: a, scale: a_scale }, Decimal { unscaled: b, scale: b_scale });
            prop_assert_eq!(a.checked_add(b, shape), wide('+', a, b, shape));
            prop_assert_eq!(a.checked_sub(b, shape), wide('-', a, b, shape));
            prop_assert_eq!(a.checked_mul(b, shape), wide('*', a, b, shape));
            if b.unscaled != 0 {
                prop_assert_eq!(a.checked_div(b, shape), wide('/', a, b, shape));
                prop_assert_eq!(a.checked_rem(b, shape), wide('%', a, b, shape));
            }
            let (wide_a, wide_b, _) = wide_align(a, b);
            prop_assert_eq!(a.compare(b), wide_a.cmp(&wide_b));
        }

        #[test]
        fn columns_give_what_single_numbers_give(
            a in number(), b in number(), a_scale in 0..=20u8, b_scale in 0..=18u8, digits in 1..=38u8,
        ) {
            let sum = Shape { precision: digits.max(a_scale.max(b_scale)), scale: a_scale.max(b_scale) };
            let product = Shape { precision: digits.max(a_scale + b_scale), scale: a_scale + b_scale };
            let (left, right) = (Decimal { unscaled: a, scale: a_scale }, Decimal { unscaled: b, scale: b_scale });
            let agrees = |(value, is_good): (i128, bool), single: Result<Decimal, DecimalError>, shape: Shape| {
                !is_good || single == Ok(Decimal { unscaled: value, scale: shape.scale })
            };
            if let Some(narrow) = Narrow::of_sum(a_scale, b_scale, sum) {
                prop_assert!(agrees(narrow.add(a, b), left.checked_add(right, sum), sum));
                prop_assert!(agrees(narrow.sub(a, b), left.checked_sub(right, sum), sum));
            }
            let narrow = Narrow::of_product(a_scale, b_scale, product).expect("no rounding");
            prop_assert!(agrees(narrow.mul(a, b), left.checked_mul(right, product), product));
        }
    }

    #[test]
    fn ends_of_64_bits() {
        let least = Decimal { unscaled: i64::MIN.into(), scale: 0 };
        let minus_one = Decimal { unscaled: -1, scale: 0 };
        let shape = Shape { precision: 38, scale: 0 };
        let expected = Ok(Decimal { unscaled: -i128::from(i64::MIN), scale: 0 });
        assert_eq!(least.checked_div(minus_one, shape), expected);
        assert_eq!(least.checked_mul(minus_one, shape), expected);
        assert_eq!(Narrow::of_sum(0, 0, Shape { precision: 3, scale: 0 }).expect("exact").add(999, 1), (1000, false));
        assert!(Narrow::of_sum(2, 1, Shape { precision: 10, scale: 1 }).is_none(), "rounds");
        let narrow = Narrow::of_product(0, 0, shape).expect("exact");
        assert!(!narrow.mul(i128::from(i64::MAX) + 1, 1).1, "65 bits");
    }
}
