//! Operators over values.
//!
//! Operands arrive cast to what [`operand_types`](crate::coerce::operand_types) asks for, so both are of one kind. NULL gives NULL. A result that
//! its type cannot hold is an error, never a wrapped number; only texts are cut, at 8000 bytes, as T-SQL does.

use compact_str::CompactString;

use crate::decimal::{Decimal, DecimalError, Shape, divide_rounded};
use crate::error::EvalError;
use crate::sql_type::{MaxLen, SqlType};
use crate::temporal::{DateTime, SmallDateTime};
use crate::text;
use crate::value::Value;

/// `money` counts in 1/10000.
pub(crate) const MONEY_UNIT: i64 = 10_000;

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithOp {
    /// `+`, also of texts
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
}

impl ArithOp {
    /// How it is written.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
        }
    }

    /// The operator as messages name it. (They name a `decimal` as it was declared, unlike those of conversions.)
    #[must_use]
    pub fn message_name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "subtract",
            Self::Mul => "multiply",
            Self::Div => "divide",
            Self::Mod => "modulo",
            Self::BitAnd => "'&'",
            Self::BitOr => "'|'",
            Self::BitXor => "'^'",
        }
    }

    /// Whether this is `&`, `|` or `^`.
    #[must_use]
    pub fn is_bitwise(self) -> bool {
        matches!(self, Self::BitAnd | Self::BitOr | Self::BitXor)
    }

    pub(crate) fn refuses(self, operand: &SqlType) -> EvalError {
        EvalError::InvalidOperand { type_name: operand.name(), operator: self.message_name() }
    }

    pub(crate) fn refuses_pair(self, a: &SqlType, b: &SqlType) -> EvalError {
        EvalError::IncompatibleTypes { left: a.name(), right: b.name(), operator: self.message_name() }
    }
}

/// The result of an operator over operands that were cast to what [`operand_types`](crate::coerce::operand_types) asks for. NULL gives NULL.
pub fn arithmetic(op: ArithOp, a: &Value, b: &Value, result: &SqlType) -> Result<Value, Box<EvalError>> {
    compute(op, a, b, result).map_err(Box::new)
}

#[inline]
fn compute(op: ArithOp, a: &Value, b: &Value, result: &SqlType) -> Result<Value, EvalError> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Int(a), Value::Int(b)) => int::apply(op, *a, *b).map(Value::Int),
        (Value::BigInt(a), Value::BigInt(b)) => bigint::apply(op, *a, *b).map(Value::BigInt),
        (Value::SmallInt(a), Value::SmallInt(b)) => smallint::apply(op, *a, *b).map(Value::SmallInt),
        (Value::TinyInt(a), Value::TinyInt(b)) => tinyint::apply(op, *a, *b).map(Value::TinyInt),
        (Value::Decimal(a), Value::Decimal(b)) => decimals(op, *a, *b, result).map(Value::Decimal),
        (Value::Money(a), Value::Money(b)) => amounts(op, *a, *b, result).map(Value::Money),
        (Value::Float(a), Value::Float(b)) => floats(op, *a, *b, result).map(Value::Float),
        (Value::Real(a), Value::Real(b)) => reals(op, *a, *b, result).map(Value::Real),
        (Value::DateTime(a), Value::DateTime(b)) => dates(op, *a, *b, result),
        (Value::Str(a), Value::Str(b)) if op == ArithOp::Add => Ok(Value::from(join_texts(a, b, result))),
        (Value::Binary(a), Value::Binary(b)) if op == ArithOp::Add => Ok(join_bytes(a, b, result)),
        (Value::Bit(a), Value::Bit(b)) => bits(op, *a, *b).map(Value::Bit).ok_or_else(|| op.refuses(result)),
        _ => Err(op.refuses(result)),
    }
}

/// One module per integer type: the same rules at its width.
macro_rules! integer_operators {
    ($module:ident, $native:ty, $type_name:literal) => {
        mod $module {
            use super::{ArithOp, EvalError};

            #[inline]
            pub(super) fn apply(op: ArithOp, a: $native, b: $native) -> Result<$native, EvalError> {
                let result = match op {
                    ArithOp::Add => a.checked_add(b),
                    ArithOp::Sub => a.checked_sub(b),
                    ArithOp::Mul => a.checked_mul(b),
                    ArithOp::Div | ArithOp::Mod if b == 0 => return Err(EvalError::DivideByZero),
                    ArithOp::Div => a.checked_div(b),
                    // The smallest integer modulo -1 would be 0, but its quotient overflows.
                    ArithOp::Mod => a.checked_rem(b),
                    ArithOp::BitAnd => Some(a & b),
                    ArithOp::BitOr => Some(a | b),
                    ArithOp::BitXor => Some(a ^ b),
                };
                // Not `ok_or`: an error built for every sum would cost more than the sum.
                match result {
                    Some(number) => Ok(number),
                    None => Err(EvalError::Overflow { type_name: $type_name }),
                }
            }
        }
    };
}

integer_operators!(tinyint, u8, "tinyint");
integer_operators!(smallint, i16, "smallint");
integer_operators!(int, i32, "int");
integer_operators!(bigint, i64, "bigint");

fn bits(op: ArithOp, a: bool, b: bool) -> Option<bool> {
    match op {
        ArithOp::BitAnd => Some(a & b),
        ArithOp::BitOr => Some(a | b),
        ArithOp::BitXor => Some(a ^ b),
        _ => None,
    }
}

fn decimals(op: ArithOp, a: Decimal, b: Decimal, result: &SqlType) -> Result<Decimal, EvalError> {
    let SqlType::Decimal { precision, scale, .. } = *result else {
        return Err(op.refuses(result));
    };
    let shape = Shape { precision, scale };
    let computed = match op {
        ArithOp::Add => a.checked_add(b, shape),
        ArithOp::Sub => a.checked_sub(b, shape),
        ArithOp::Mul => a.checked_mul(b, shape),
        ArithOp::Div => a.checked_div(b, shape),
        ArithOp::Mod => a.checked_rem(b, shape),
        _ => return Err(op.refuses(result)),
    };
    computed.map_err(|error| match error {
        DecimalError::DivideByZero => EvalError::DivideByZero,
        DecimalError::Overflow | DecimalError::Syntax => EvalError::Overflow { type_name: "numeric" },
    })
}

/// Amounts of money: a product is rounded to 1/10000, a quotient cut.
fn amounts(op: ArithOp, a: i64, b: i64, result: &SqlType) -> Result<i64, EvalError> {
    let (a, b, unit) = (i128::from(a), i128::from(b), i128::from(MONEY_UNIT));
    let exact = match op {
        ArithOp::Add => a + b,
        ArithOp::Sub => a - b,
        ArithOp::Mul => divide_rounded(a * b, unit),
        ArithOp::Div | ArithOp::Mod if b == 0 => return Err(EvalError::DivideByZero),
        ArithOp::Div => a * unit / b,
        ArithOp::Mod => a % b,
        _ => return Err(op.refuses(result)),
    };
    money_within(exact, result).ok_or_else(|| overflow(result))
}

/// An amount in 1/10000 that fits `money` or `smallmoney`.
pub(crate) fn money_within(amount: i128, sql_type: &SqlType) -> Option<i64> {
    match sql_type {
        SqlType::SmallMoney => i32::try_from(amount).ok().map(i64::from),
        _ => i64::try_from(amount).ok(),
    }
}

fn floats(op: ArithOp, a: f64, b: f64, result: &SqlType) -> Result<f64, EvalError> {
    let computed = match op {
        ArithOp::Add => a + b,
        ArithOp::Sub => a - b,
        ArithOp::Mul => a * b,
        ArithOp::Div if b == 0.0 => return Err(EvalError::DivideByZero),
        ArithOp::Div => a / b,
        _ => return Err(op.refuses(result)),
    };
    if computed.is_finite() { Ok(computed) } else { Err(EvalError::Overflow { type_name: "float" }) }
}

/// A float has more than twice the bits of a real plus two, so rounding the float's result again is rounding once.
fn reals(op: ArithOp, a: f32, b: f32, result: &SqlType) -> Result<f32, EvalError> {
    let computed = floats(op, f64::from(a), f64::from(b), result)? as f32;
    if computed.is_finite() { Ok(computed) } else { Err(EvalError::Overflow { type_name: "real" }) }
}

/// A date is the time since 1900-01-01, so dates add and subtract as numbers.
fn dates(op: ArithOp, a: DateTime, b: DateTime, result: &SqlType) -> Result<Value, EvalError> {
    let ticks = match op {
        ArithOp::Add => a.total_ticks() + b.total_ticks(),
        ArithOp::Sub => a.total_ticks() - b.total_ticks(),
        _ => return Err(op.refuses(result)),
    };
    let value = match result {
        SqlType::SmallDateTime => {
            const TICKS_PER_MINUTE: i64 = 60 * DateTime::TICKS_PER_SECOND as i64;
            let minutes = (ticks + TICKS_PER_MINUTE / 2).div_euclid(TICKS_PER_MINUTE);
            SmallDateTime::from_total_minutes(minutes).map(Value::SmallDateTime)
        }
        _ => DateTime::from_total_ticks(ticks).map(Value::DateTime),
    };
    value.ok_or_else(|| overflow(result))
}

/// Length that a result may have, in its type's unit; `None` without a limit.
fn limit(result: &SqlType) -> Option<usize> {
    match result.max_len() {
        Some(MaxLen::Limited(n)) => Some(usize::from(n)),
        Some(MaxLen::Max) | None => None,
    }
}

fn join_texts(a: &str, b: &str, result: &SqlType) -> CompactString {
    let mut joined = CompactString::with_capacity(a.len() + b.len());
    joined.push_str(a);
    joined.push_str(b);
    match limit(result) {
        Some(most) if joined.len() > most && text::declared_len(&joined, result) > most => {
            text::declared_prefix(&joined, most, result)
        }
        _ => joined,
    }
}

fn join_bytes(a: &[u8], b: &[u8], result: &SqlType) -> Value {
    let mut joined = [a, b].concat();
    joined.truncate(limit(result).unwrap_or(usize::MAX));
    Value::from(joined)
}

/// The type of `-x`.
pub fn negate_type(of: &SqlType) -> Result<SqlType, EvalError> {
    match of {
        SqlType::TinyInt => Ok(SqlType::SmallInt),
        SqlType::Bit => Err(refused(of, "minus")),
        other if other.is_numeric() => Ok(*other),
        _ => Err(refused(of, "minus")),
    }
}

/// `-x` of a value of the given type; the result is of [`negate_type`].
pub fn negate(value: &Value, of: &SqlType) -> Result<Value, Box<EvalError>> {
    let overflow = || Box::new(overflow(of));
    match value {
        Value::Null => Ok(Value::Null),
        Value::TinyInt(n) => Ok(Value::SmallInt(-i16::from(*n))),
        Value::SmallInt(n) => n.checked_neg().map(Value::SmallInt).ok_or_else(overflow),
        Value::Int(n) => n.checked_neg().map(Value::Int).ok_or_else(overflow),
        Value::BigInt(n) => n.checked_neg().map(Value::BigInt).ok_or_else(overflow),
        Value::Decimal(d) => Ok(Value::Decimal(Decimal { unscaled: -{ d.unscaled }, scale: d.scale })),
        Value::Money(n) => money_within(-i128::from(*n), of).map(Value::Money).ok_or_else(overflow),
        Value::Float(x) => Ok(Value::Float(-x)),
        Value::Real(x) => Ok(Value::Real(-x)),
        _ => Err(Box::new(refused(of, "minus"))),
    }
}

/// `~x` of a value of the given type.
pub fn bit_not(value: &Value, of: &SqlType) -> Result<Value, Box<EvalError>> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Bit(bit) => Ok(Value::Bit(!bit)),
        Value::TinyInt(n) => Ok(Value::TinyInt(!n)),
        Value::SmallInt(n) => Ok(Value::SmallInt(!n)),
        Value::Int(n) => Ok(Value::Int(!n)),
        Value::BigInt(n) => Ok(Value::BigInt(!n)),
        _ => Err(Box::new(refused(of, "'~'"))),
    }
}

#[cold]
fn overflow(of: &SqlType) -> EvalError {
    EvalError::Overflow { type_name: of.message_name() }
}

fn refused(of: &SqlType, operator: &'static str) -> EvalError {
    EvalError::InvalidOperand { type_name: of.message_name(), operator }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dec(text: &str) -> Value {
        Value::Decimal(Decimal::parse(text).expect("a test's literal"))
    }

    fn money(units: i64) -> Value {
        Value::Money(units)
    }

    #[test]
    fn integers_stay_integers_and_never_wrap() {
        use ArithOp::{Add, BitXor, Div, Mod, Mul, Sub};
        for (op, a, b, expected) in [
            (Div, 7, 2, Ok(3)),
            (Div, -7, 2, Ok(-3)),
            (Mod, -7, 2, Ok(-1)),
            (Mod, i32::MIN, -1, Err(8115)),
            (Mod, i32::MIN, 1, Ok(0)),
            (BitXor, 6, 3, Ok(5)),
            (Add, i32::MAX, 1, Err(8115)),
            (Mul, 1 << 20, 1 << 20, Err(8115)),
            (Div, i32::MIN, -1, Err(8115)),
            (Div, 1, 0, Err(8134)),
            (Mod, 1, 0, Err(8134)),
        ] {
            let result = arithmetic(op, &Value::Int(a), &Value::Int(b), &SqlType::Int).map_err(|e| e.number());
            assert_eq!(result, expected.map(Value::Int), "{a} {op:?} {b}");
        }
        let tiny = arithmetic(Sub, &Value::TinyInt(1), &Value::TinyInt(2), &SqlType::TinyInt);
        let message = "Arithmetic overflow error converting expression to data type tinyint.";
        assert_eq!(tiny.map_err(|e| e.to_string()), Err(message.to_owned()));
    }

    #[test]
    fn null_gives_null() {
        assert_eq!(arithmetic(ArithOp::Div, &Value::Null, &Value::Int(0), &SqlType::Int), Ok(Value::Null));
        assert_eq!(negate(&Value::Null, &SqlType::Int), Ok(Value::Null));
    }

    #[test]
    fn money_is_cut_in_division_as_the_known_example_shows() {
        // $100 / $339 * $10000 is $2949.0000, where decimals give 2949.85.
        let quotient = arithmetic(ArithOp::Div, &money(1_000_000), &money(3_390_000), &SqlType::Money);
        assert_eq!(quotient, Ok(money(2949)));
        let product = arithmetic(ArithOp::Mul, &money(2949), &money(100_000_000), &SqlType::Money);
        assert_eq!(product, Ok(money(29_490_000)));
        let large = arithmetic(ArithOp::Mul, &money(i64::MAX), &money(20_000), &SqlType::Money);
        assert_eq!(large.map_err(|e| e.number()), Err(8115));
        let small = arithmetic(ArithOp::Add, &money(i32::MAX.into()), &money(1), &SqlType::SmallMoney);
        assert_eq!(small.map_err(|e| e.number()), Err(8115));
    }

    #[test]
    fn decimals_take_the_shape_of_the_result() {
        let result = SqlType::decimal(8, 6);
        assert_eq!(arithmetic(ArithOp::Div, &dec("2.0"), &dec("3"), &result), Ok(dec("0.666666")));
        assert_eq!(arithmetic(ArithOp::Div, &dec("2.0"), &dec("0"), &result).map_err(|e| e.number()), Err(8134));
    }

    #[test]
    fn dates_add_days_and_subtract_to_a_span() {
        let date = |days, ticks| Value::DateTime(DateTime { days, ticks });
        let half = DateTime::TICKS_PER_DAY / 2;
        let sum = arithmetic(ArithOp::Add, &date(45_000, half), &date(1, half), &SqlType::DateTime);
        assert_eq!(sum, Ok(date(45_002, 0)));
        let back = arithmetic(ArithOp::Sub, &date(10, 0), &date(11, 0), &SqlType::DateTime);
        assert_eq!(back, Ok(date(-1, 0)));
        let out = arithmetic(ArithOp::Add, &date(2_958_463, 0), &date(1, 0), &SqlType::DateTime);
        assert_eq!(out.map_err(|e| e.number()), Err(8115));
        let small = arithmetic(ArithOp::Add, &date(100, 0), &date(-1, 0), &SqlType::SmallDateTime);
        assert_eq!(small, Ok(Value::SmallDateTime(SmallDateTime { days: 99, minutes: 0 })));
    }

    #[test]
    fn texts_join_and_are_cut_at_their_limit() {
        let result = SqlType::varchar(4);
        assert_eq!(arithmetic(ArithOp::Add, &"ab".into(), &"cde".into(), &result), Ok("abcd".into()));
        let max = SqlType::VARCHAR_MAX;
        let long = "x".repeat(9000);
        let joined = arithmetic(ArithOp::Add, &Value::str(&long), &"y".into(), &max).expect("joins");
        assert_eq!(joined.as_str().map(str::len), Some(9001));
    }

    #[test]
    fn unary_operators() {
        assert_eq!(negate(&Value::TinyInt(5), &SqlType::TinyInt), Ok(Value::SmallInt(-5)));
        assert_eq!(negate_type(&SqlType::TinyInt), Ok(SqlType::SmallInt));
        assert_eq!(negate(&Value::Int(i32::MIN), &SqlType::Int).map_err(|e| e.number()), Err(8115));
        assert_eq!(negate(&"a".into(), &SqlType::SYSNAME).map_err(|e| e.number()), Err(8117));
        assert_eq!(bit_not(&Value::Int(0), &SqlType::Int), Ok(Value::Int(-1)));
        assert_eq!(bit_not(&Value::Bit(true), &SqlType::Bit), Ok(Value::Bit(false)));
    }

    proptest! {
        #[test]
        fn int_arithmetic_agrees_with_wide_arithmetic(a in any::<i32>(), b in any::<i32>()) {
            let wide = [
                (ArithOp::Add, i64::from(a) + i64::from(b)),
                (ArithOp::Sub, i64::from(a) - i64::from(b)),
                (ArithOp::Mul, i64::from(a) * i64::from(b)),
            ];
            for (op, exact) in wide {
                let result = arithmetic(op, &Value::Int(a), &Value::Int(b), &SqlType::Int).ok();
                prop_assert_eq!(result, i32::try_from(exact).ok().map(Value::Int));
            }
        }
    }
}
