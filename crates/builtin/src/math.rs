//! Functions over numbers. Exact functions keep the family of their argument: small integers become `int`,
//! `smallmoney` becomes `money`, `bit`, `real` and texts become `float`. The rest computes in `float`, and what has no
//! finite value there is an error.

use std::cmp::Ordering;
use std::f64::consts::PI;

use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::of_eval;
use millpond_types::compare::compare;
use millpond_types::decimal::Shape;
use millpond_types::{Collation, Decimal, EvalError, SqlType, Value};

use super::args::{float, int, invalid_argument, strict};
use super::define::{Bind, comparing, fixed, pure, strict_eval};
use super::{FunctionDef, Signature};

/// Digits of the largest decimal.
const DECIMAL_DIGITS_MAX: u8 = 38;
/// Least digits after the point of DEGREES and RADIANS of a decimal.
const ANGLE_SCALE_MIN: u8 = 18;
/// `money` counts in 1/10000.
const MONEY_SCALE: u8 = 4;

/// Defines a function of one float.
macro_rules! of_float {
    ($name:literal, $message_name:literal, $compute:expr) => {
        pure(
            $name,
            (1, 1),
            |types| strict(vec![float_type(types[0], 1, $message_name)?], SqlType::Float),
            strict_eval!(|args, _, _| {
                let compute: fn(f64) -> f64 = $compute;
                finite(compute(float(&args[0])))
            }),
        )
    };
}

/// Defines a function whose result has the family of its first argument.
macro_rules! of_number {
    ($name:literal, $message_name:literal, $result:expr, $eval:expr) => {
        pure(
            $name,
            (1, 1),
            |types| {
                let param = number_type(types[0], $message_name)?;
                let result: fn(SqlType) -> SqlType = $result;
                strict(vec![param], result(param))
            },
            strict_eval!($eval),
        )
    };
}

/// The functions.
pub(super) static FUNCTIONS: &[FunctionDef] = &[
    of_number!("ABS", "abs", widest, abs),
    of_number!("SIGN", "sign", widest, sign),
    of_number!("CEILING", "ceiling", whole, |args, _, _| whole_of(args, 1)),
    of_number!("FLOOR", "floor", whole, |args, _, _| whole_of(args, -1)),
    of_number!("DEGREES", "degrees", angle, |args, _, result| degrees(f64_of(&args[0]) * (180.0 / PI), result)),
    of_number!("RADIANS", "radians", angle, |args, _, result| of_family(f64_of(&args[0]) * (PI / 180.0), result)),
    pure("ROUND", (2, 3), bind_round, strict_eval!(round)),
    pure("POWER", (2, 2), bind_power, strict_eval!(power)),
    of_float!("SQRT", "sqrt", f64::sqrt),
    of_float!("SQUARE", "square", |x| x * x),
    of_float!("EXP", "exp", f64::exp),
    of_float!("LOG10", "log10", |x| if x > 0.0 { x.log10() } else { f64::NAN }),
    of_float!("SIN", "sin", f64::sin),
    of_float!("COS", "cos", f64::cos),
    of_float!("TAN", "tan", f64::tan),
    of_float!("COT", "cot", cotangent),
    of_float!("ASIN", "asin", f64::asin),
    of_float!("ACOS", "acos", f64::acos),
    of_float!("ATAN", "atan", f64::atan),
    pure("LOG", (1, 2), |types| floats(types, "log"), strict_eval!(log)),
    pure(
        "ATN2",
        (2, 2),
        |types| floats(types, "atn2"),
        strict_eval!(|args, _, _| finite(angle_of(float(&args[0]), float(&args[1])))),
    ),
    pure("PI", (0, 0), |_| strict(vec![], SqlType::Float), |_, _, _, _| Ok(Value::Float(PI))),
    fixed(
        "RAND",
        (0, 1),
        |types| strict(vec![SqlType::Int; types.len()], SqlType::Float),
        |ctx, args, _, _| Ok(rand(ctx, args)),
    ),
    comparing(pure("GREATEST", (1, 254), BIND_EXTREME, |_, args, _, result| {
        Ok(extreme(args, result, Ordering::Greater))
    })),
    comparing(pure("LEAST", (1, 254), BIND_EXTREME, |_, args, _, result| Ok(extreme(args, result, Ordering::Less)))),
];

/// RAND with or without its seed: the session's next number.
pub(super) fn rand(ctx: &dyn Run, seed: &[Value]) -> Value {
    let random = ctx.catalog().random();
    match seed.first() {
        None => Value::Float(random.next()),
        Some(Value::Null) => Value::Null,
        Some(seed) => Value::Float(random.restart(i32::try_from(int(seed)).expect("bound as int"))),
    }
}

/// The type that an exact function computes in.
fn number_type(given: Option<SqlType>, function: &str) -> SqlResult<SqlType> {
    Ok(match given {
        None | Some(SqlType::TinyInt | SqlType::SmallInt | SqlType::Int) => SqlType::Int,
        Some(SqlType::BigInt) => SqlType::BigInt,
        Some(decimal @ SqlType::Decimal { .. }) => decimal,
        Some(SqlType::SmallMoney | SqlType::Money) => SqlType::Money,
        _ => float_type(given, 1, function)?,
    })
}

/// `float`, if the argument converts to it.
fn float_type(given: Option<SqlType>, position: usize, function: &str) -> SqlResult<SqlType> {
    match given {
        Some(other) if !other.is_numeric() && !other.is_string() => Err(invalid_argument(given, position, function)),
        _ => Ok(SqlType::Float),
    }
}

fn floats(types: &[Option<SqlType>], function: &str) -> SqlResult<Signature> {
    let params =
        (1..).zip(types).map(|(position, ty)| float_type(*ty, position, function)).collect::<SqlResult<_>>()?;
    strict(params, SqlType::Float)
}

/// The result's type where the value may need more digits before the point.
fn widest(param: SqlType) -> SqlType {
    match param {
        SqlType::Decimal { scale, name, .. } => SqlType::decimal(DECIMAL_DIGITS_MAX, scale).called(name),
        other => other,
    }
}

/// The result's type where there is nothing after the point.
fn whole(param: SqlType) -> SqlType {
    match param {
        SqlType::Decimal { precision, name, .. } => SqlType::decimal(precision, 0).called(name),
        other => other,
    }
}

fn angle(param: SqlType) -> SqlType {
    match param {
        SqlType::Decimal { scale, .. } => SqlType::decimal(DECIMAL_DIGITS_MAX, scale.max(ANGLE_SCALE_MIN)),
        other => other,
    }
}

fn bind_round(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let number = number_type(types[0], "round")?;
    let mut params = vec![SqlType::Int; types.len()];
    params[0] = number;
    strict(params, number)
}

fn bind_power(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let base = number_type(types[0], "power")?;
    strict(vec![base, float_type(types[1], 2, "power")?], widest(base))
}

const BIND_EXTREME: Bind = |types| {
    let mut known = types.iter().flatten().copied();
    let first = known.next().unwrap_or(SqlType::Int);
    let common = known.try_fold(first, |common, ty| {
        millpond_types::coerce::common_type(&common, &ty)
            .ok_or_else(|| of_eval(EvalError::OperandClash { left: ty.name(), right: common.name() }))
    })?;
    strict(vec![common; types.len()], common)
};

/// Degrees as a number of the result's type; of those of integers 8115 says that they are too many, not 232.
fn degrees(x: f64, result: &SqlType) -> SqlResult<Value> {
    of_family(x, result).map_err(|error| match result {
        integer if integer.is_integer() => of_eval(EvalError::Overflow { type_name: integer.name() }),
        _ => error,
    })
}

/// The angle of a point; that of the origin is no number.
fn angle_of(y: f64, x: f64) -> f64 {
    if y == 0.0 && x == 0.0 { f64::NAN } else { y.atan2(x) }
}

/// The cotangent; that of zero is no number.
fn cotangent(x: f64) -> f64 {
    if x == 0.0 { f64::NAN } else { x.tan().recip() }
}

/// The value, or what SQL Server says of infinity and of what is no number.
fn finite(x: f64) -> SqlResult<Value> {
    if x.is_nan() {
        return Err(SqlError::of(3623, 1, &[]));
    }
    if x.is_infinite() {
        return Err(of_eval(EvalError::Overflow { type_name: "float" }));
    }
    Ok(Value::Float(x))
}

fn overflow(type_name: &'static str) -> SqlError {
    of_eval(EvalError::Overflow { type_name })
}

fn f64_of(value: &Value) -> f64 {
    match value {
        Value::Money(amount) => *amount as f64 / 1e4,
        Value::Decimal(decimal) => decimal.to_f64(),
        other => other.as_f64().or_else(|| other.as_i64().map(|n| n as f64)).expect("bound as a number"),
    }
}

/// A float as a value of the result's family; integers are cut, not rounded.
fn of_family(x: f64, result: &SqlType) -> SqlResult<Value> {
    finite(x)?;
    Ok(match *result {
        SqlType::Int => Value::Int(float_to_i64(x, "int", f64::from(i32::MAX))? as i32),
        SqlType::BigInt => Value::BigInt(float_to_i64(x, "bigint", i64::MAX as f64)?),
        SqlType::Money => {
            let amount = (x * 1e4).round();
            if amount.abs() >= i64::MAX as f64 {
                return Err(overflow("money"));
            }
            Value::Money(amount as i64)
        }
        SqlType::Decimal { precision, scale, .. } => {
            let shape = Shape { precision, scale };
            Value::Decimal(Decimal::from_f64(x, shape).map_err(|_| overflow("numeric"))?)
        }
        _ => Value::Float(x),
    })
}

fn float_to_i64(x: f64, type_name: &'static str, most: f64) -> SqlResult<i64> {
    let whole = x.trunc();
    // `i64::MAX as f64` is 2^63, one more than the type holds; 2^31 - 1 is exact.
    let fits =
        if type_name == "int" { whole.abs() <= most || whole == f64::from(i32::MIN) } else { whole.abs() < most };
    if !fits {
        return Err(of_eval(EvalError::FloatOverflow { type_name, value: format!("{x:.6}").into() }));
    }
    Ok(whole as i64)
}

fn abs(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    Ok(match &args[0] {
        Value::Int(n) => Value::Int(n.checked_abs().ok_or_else(|| overflow("int"))?),
        Value::BigInt(n) => Value::BigInt(n.checked_abs().ok_or_else(|| overflow("bigint"))?),
        Value::Money(amount) => Value::Money(amount.checked_abs().ok_or_else(|| overflow("money"))?),
        Value::Decimal(decimal) => with_digits({ decimal.unscaled }.abs(), decimal.scale)?,
        other => Value::Float(float(other).abs()),
    })
}

fn sign(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    Ok(match &args[0] {
        Value::Int(n) => Value::Int(n.signum()),
        Value::BigInt(n) => Value::BigInt(n.signum()),
        Value::Money(amount) => Value::Money(amount.signum() * 10_000),
        Value::Decimal(decimal) => {
            let one = 10i128.checked_pow(u32::from(decimal.scale)).ok_or_else(|| overflow("numeric"))?;
            with_digits({ decimal.unscaled }.signum() * one, decimal.scale)?
        }
        other => match float(other) {
            0.0 => Value::Float(0.0),
            x => Value::Float(x.signum()),
        },
    })
}

fn with_digits(unscaled: i128, scale: u8) -> SqlResult<Value> {
    Decimal::new(unscaled, scale).map(Value::Decimal).ok_or_else(|| overflow("numeric"))
}

/// The next integer upwards (`direction` 1) or downwards (-1).
fn whole_of(args: &[Value], direction: i128) -> SqlResult<Value> {
    Ok(match &args[0] {
        Value::Money(amount) => {
            let whole = next_whole(i128::from(*amount), MONEY_SCALE, direction) * 10_000;
            Value::Money(i64::try_from(whole).map_err(|_| overflow("money"))?)
        }
        Value::Decimal(decimal) => with_digits(next_whole(decimal.unscaled, decimal.scale, direction), 0)?,
        Value::Float(x) => Value::Float(if direction > 0 { x.ceil() } else { x.floor() }),
        integer => integer.clone(),
    })
}

fn next_whole(unscaled: i128, scale: u8, direction: i128) -> i128 {
    let one = 10i128.pow(u32::from(scale));
    let cut = unscaled / one;
    if (unscaled % one).signum() == direction { cut + direction } else { cut }
}

/// ROUND(x, digits, cut): with `cut` other than 0 digits are cut off.
fn round(args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let digits = int(&args[1]);
    let cut = args.get(2).is_some_and(|cut| int(cut) != 0);
    Ok(match &args[0] {
        Value::Int(n) => {
            let rounded = round_digits(i128::from(*n), 0, digits, cut);
            Value::Int(i32::try_from(rounded).map_err(|_| overflow("int"))?)
        }
        Value::BigInt(n) => {
            let rounded = round_digits(i128::from(*n), 0, digits, cut);
            Value::BigInt(i64::try_from(rounded).map_err(|_| overflow("bigint"))?)
        }
        Value::Money(amount) => {
            let rounded = round_digits(i128::from(*amount), MONEY_SCALE, digits, cut);
            Value::Money(i64::try_from(rounded).map_err(|_| overflow("money"))?)
        }
        Value::Decimal(decimal) => {
            let rounded = round_digits(decimal.unscaled, decimal.scale, digits, cut);
            let &SqlType::Decimal { precision, scale, .. } = result else {
                unreachable!("bound as the argument's type")
            };
            let rounded = Decimal::new(rounded, decimal.scale).ok_or_else(|| overflow("numeric"))?;
            Value::Decimal(rounded.fit(Shape { precision, scale }).map_err(|_| overflow("numeric"))?)
        }
        other => Value::Float(round_float(float(other), digits, cut)),
    })
}

/// An integer of `scale` digits after the point with all after `digits` zero; halves go away from zero.
fn round_digits(unscaled: i128, scale: u8, digits: i64, cut: bool) -> i128 {
    let drop = i64::from(scale).saturating_sub(digits);
    let Ok(drop) = u32::try_from(drop) else {
        return unscaled;
    };
    // 10^38 is more than any decimal and half of it less than i128's end; beyond, all is rounded off.
    let Some(unit) = 10i128.checked_pow(drop) else {
        return 0;
    };
    let rest = unscaled % unit;
    let down = unscaled - rest;
    if !cut && rest.abs() >= unit - rest.abs() { down + unit * unscaled.signum() } else { down }
}

fn round_float(x: f64, digits: i64, cut: bool) -> f64 {
    let Ok(digits) = i32::try_from(digits) else {
        return if digits > 0 { x } else { 0.0 };
    };
    let power = 10f64.powi(digits.unsigned_abs().min(400) as i32);
    let scaled = if digits >= 0 { x * power } else { x / power };
    if !scaled.is_finite() || power.is_infinite() {
        return if digits >= 0 { x } else { 0.0 };
    }
    let whole = if cut { scaled.trunc() } else { scaled.round() };
    if digits >= 0 { whole / power } else { whole * power }
}

fn power(args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let (base, exponent) = (f64_of(&args[0]), float(&args[1]));
    if base == 0.0 && exponent < 0.0 {
        return Err(of_eval(EvalError::DivideByZero));
    }
    of_family(base.powf(exponent), result)
}

fn log(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let positive = |x: f64| if x > 0.0 { x.ln() } else { f64::NAN };
    let logarithm = positive(float(&args[0]));
    finite(args.get(1).map_or(logarithm, |base| match positive(float(base)) {
        0.0 => f64::NAN,
        base => logarithm / base,
    }))
}

/// The largest or smallest value that is not NULL. A number after texts is that of their collation.
fn extreme(args: &[Value], result: &SqlType, wanted: Ordering) -> Value {
    let (collation, args) = match args {
        [texts @ .., Value::Int(number)] if result.is_string() => {
            (Collation::by_number(number.cast_unsigned()).unwrap_or_default(), texts)
        }
        _ => (Collation::default(), args),
    };
    let mut best = &Value::Null;
    for value in args.iter().filter(|value| !value.is_null()) {
        if best.is_null() || compare(value, best, collation) == wanted {
            best = value;
        }
    }
    best.clone()
}
