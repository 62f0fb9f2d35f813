//! Arithmetic over whole arrays of numbers: the same results and errors as [`millpond_types::arith`], value by value,
//! without a [`millpond_types::Value`] in between.
//!
//! Left to the row by row adapter: money, dates, texts. NULL operands give NULL and no error.

use std::cell::Cell;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use datafusion::arrow::compute::kernels::arity;
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type,
};
use datafusion::arrow::error::ArrowError;
use datafusion::logical_expr::Expr;
use millpond_catalog::expr::{ArithOp, BoundExpr};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::decimal::{Decimal, DecimalError, Narrow, Shape};
use millpond_types::{EvalError, SqlType};

use crate::expression::{convert, function};
use crate::run::failure;

/// Whether [`apply`] computes the operation.
pub(crate) fn is_vectorised(op: ArithOp, left: &BoundExpr, right: &BoundExpr, result: &SqlType) -> bool {
    let is_bitwise = matches!(op, ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor);
    let (left, right) = (&left.ty.sql, &right.ty.sql);
    match result {
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => left == result && right == result,
        SqlType::Real | SqlType::Float => !is_bitwise && op != ArithOp::Mod && left == result && right == result,
        SqlType::Decimal { .. } => {
            !is_bitwise && matches!((left, right), (SqlType::Decimal { .. }, SqlType::Decimal { .. }))
        }
        _ => false,
    }
}

/// `left op right` for operands that [`is_vectorised`] accepts.
pub(crate) fn apply(op: ArithOp, left: Expr, right: Expr, result: SqlType) -> Expr {
    function::array_call(op.sign(), vec![left, right], convert::data_type(&result), move |args| {
        let (left, right) = (&args[0], &args[1]);
        match result {
            SqlType::TinyInt => natives::<UInt8Type>(op, left, right, &result),
            SqlType::SmallInt => natives::<Int16Type>(op, left, right, &result),
            SqlType::Int => natives::<Int32Type>(op, left, right, &result),
            SqlType::BigInt => natives::<Int64Type>(op, left, right, &result),
            SqlType::Real => natives::<Float32Type>(op, left, right, &result),
            SqlType::Float => natives::<Float64Type>(op, left, right, &result),
            SqlType::Decimal { precision, scale, .. } => decimals(op, left, right, Shape { precision, scale }),
            _ => Err(failure::internal("arithmetic that has no array form")),
        }
    })
}

/// The operations of a native number.
trait NativeNumber: Copy + Default + PartialEq {
    /// The result, and whether it is one: where there is none, it is just some number.
    fn operate(self, op: ArithOp, other: Self) -> (Self, bool);
}

macro_rules! native_integer {
    ($($native:ty),+) => {$(
        impl NativeNumber for $native {
            #[inline(always)]
            fn operate(self, op: ArithOp, other: Self) -> (Self, bool) {
                let divisor = if other == 0 { 1 } else { other };
                let (value, overflows) = match op {
                    ArithOp::Add => self.overflowing_add(other),
                    ArithOp::Sub => self.overflowing_sub(other),
                    ArithOp::Mul => self.overflowing_mul(other),
                    ArithOp::Div => self.overflowing_div(divisor),
                    ArithOp::Mod => self.overflowing_rem(divisor),
                    ArithOp::BitAnd => (self & other, false),
                    ArithOp::BitOr => (self | other, false),
                    ArithOp::BitXor => (self ^ other, false),
                };
                (value, !overflows & !(divides(op) & (other == 0)))
            }
        }
    )+};
}

native_integer!(u8, i16, i32, i64);

macro_rules! native_float {
    ($($native:ty),+) => {$(
        impl NativeNumber for $native {
            #[inline(always)]
            fn operate(self, op: ArithOp, other: Self) -> (Self, bool) {
                let result = match op {
                    ArithOp::Add => self + other,
                    ArithOp::Sub => self - other,
                    ArithOp::Mul => self * other,
                    _ => self / other,
                };
                // convert C2: no negative zero. What is divided by zero is not finite.
                (result + 0.0, result.is_finite())
            }
        }
    )+};
}

native_float!(f32, f64);

const fn divides(op: ArithOp) -> bool {
    matches!(op, ArithOp::Div | ArithOp::Mod)
}

/// Integers and floats, in a loop of its own for each operation.
fn natives<T>(op: ArithOp, left: &ArrayRef, right: &ArrayRef, result: &SqlType) -> SqlResult<ArrayRef>
where
    T: ArrowPrimitiveType,
    T::Native: NativeNumber,
{
    let all = match op {
        ArithOp::Add => all::<T>(left, right, |left, right| left.operate(ArithOp::Add, right)),
        ArithOp::Sub => all::<T>(left, right, |left, right| left.operate(ArithOp::Sub, right)),
        ArithOp::Mul => all::<T>(left, right, |left, right| left.operate(ArithOp::Mul, right)),
        ArithOp::Div => all::<T>(left, right, |left, right| left.operate(ArithOp::Div, right)),
        ArithOp::Mod => all::<T>(left, right, |left, right| left.operate(ArithOp::Mod, right)),
        _ => all::<T>(left, right, |left, right| left.operate(op, right)),
    };
    if let Some(array) = all? {
        return Ok(array);
    }
    binary::<T, T, _>(left, right, |left, right| match left.operate(op, right) {
        (value, true) => Ok(value),
        _ if divides(op) && right == T::Native::default() => Err(divide_by_zero()),
        _ => Err(overflow(result)),
    })
}

/// All results at once; `None` when a pair has none, be it what stands in the places of NULLs.
fn all<T: ArrowPrimitiveType>(
    left: &ArrayRef,
    right: &ArrayRef,
    operate: impl Fn(T::Native, T::Native) -> (T::Native, bool),
) -> SqlResult<Option<ArrayRef>> {
    let is_good = Cell::new(true);
    let combined = arity::binary(numbers::<T>(left)?, numbers::<T>(right)?, |left, right| {
        let (value, good) = operate(left, right);
        is_good.set(is_good.get() & good);
        value
    });
    let array: PrimitiveArray<T> = combined.map_err(|error| failure::to_sql(error.into()))?;
    Ok(is_good.get().then(|| Arc::new(array) as ArrayRef))
}

fn decimals(op: ArithOp, left: &ArrayRef, right: &ArrayRef, shape: Shape) -> SqlResult<ArrayRef> {
    let (left_scale, right_scale) = (scale_of(left)?, scale_of(right)?);
    let narrow = match op {
        ArithOp::Add | ArithOp::Sub => Narrow::of_sum(left_scale, right_scale, shape),
        ArithOp::Mul => Narrow::of_product(left_scale, right_scale, shape),
        _ => None,
    };
    let array = match (op, narrow) {
        (ArithOp::Add, Some(narrow)) => all::<Decimal128Type>(left, right, |left, right| narrow.add(left, right))?,
        (ArithOp::Sub, Some(narrow)) => all::<Decimal128Type>(left, right, |left, right| narrow.sub(left, right))?,
        (_, Some(narrow)) => all::<Decimal128Type>(left, right, |left, right| narrow.mul(left, right))?,
        _ => None,
    };
    let operate = match op {
        ArithOp::Add => Decimal::checked_add,
        ArithOp::Sub => Decimal::checked_sub,
        ArithOp::Mul => Decimal::checked_mul,
        ArithOp::Div => Decimal::checked_div,
        _ => Decimal::checked_rem,
    };
    let one_by_one = |left, right| {
        let left = Decimal { unscaled: left, scale: left_scale };
        let right = Decimal { unscaled: right, scale: right_scale };
        operate(left, right, shape).map(|value| value.unscaled).map_err(|error| of_decimal(&error))
    };
    let array = array.map_or_else(|| binary::<Decimal128Type, Decimal128Type, _>(left, right, one_by_one), Ok)?;
    let array = array.as_primitive::<Decimal128Type>().clone();
    array
        .with_precision_and_scale(shape.precision, shape.scale.cast_signed())
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(|error| failure::internal(&error.to_string()))
}

fn scale_of(array: &ArrayRef) -> SqlResult<u8> {
    match array.data_type() {
        DataType::Decimal128(_, scale) => Ok(scale.cast_unsigned()),
        other => Err(failure::internal(&format!("a decimal came as {other}"))),
    }
}

/// Applies `operate` where neither side is NULL.
fn binary<I, O, F>(left: &ArrayRef, right: &ArrayRef, operate: F) -> SqlResult<ArrayRef>
where
    I: ArrowPrimitiveType,
    O: ArrowPrimitiveType,
    F: Fn(I::Native, I::Native) -> SqlResult<O::Native>,
{
    let array: PrimitiveArray<O> = arity::try_binary(numbers::<I>(left)?, numbers::<I>(right)?, |left, right| {
        operate(left, right).map_err(|error| ArrowError::ExternalError(Box::new(error)))
    })
    .map_err(|error| failure::to_sql(error.into()))?;
    Ok(Arc::new(array))
}

fn numbers<T: ArrowPrimitiveType>(array: &ArrayRef) -> SqlResult<&PrimitiveArray<T>> {
    array.as_primitive_opt().ok_or_else(|| failure::internal(&format!("a number came as {}", array.data_type())))
}

fn divide_by_zero() -> SqlError {
    message::of_eval(EvalError::DivideByZero)
}

/// 8115 for the type of a result.
pub(crate) fn overflow(result: &SqlType) -> SqlError {
    message::of_eval(EvalError::Overflow { type_name: result.name() })
}

/// The error of decimal arithmetic.
pub(crate) fn of_decimal(error: &DecimalError) -> SqlError {
    match error {
        DecimalError::DivideByZero => divide_by_zero(),
        DecimalError::Overflow | DecimalError::Syntax => message::of_eval(EvalError::Overflow { type_name: "numeric" }),
    }
}
