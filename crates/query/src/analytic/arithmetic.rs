//! Arithmetic over whole arrays of numbers: the same results and errors as [`millpond_types::arith`], value by value,
//! without a [`millpond_types::Value`] in between.
//!
//! Left to the row by row adapter: money, dates, texts, bit operations. NULL operands give NULL and no error.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use datafusion::arrow::compute::kernels::arity::try_binary;
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type,
};
use datafusion::arrow::error::ArrowError;
use datafusion::logical_expr::Expr;
use millpond_types::decimal::{Decimal, DecimalError, Shape};
use millpond_types::{EvalError, SqlType};

use super::{convert, failure, function};
use crate::error::{SqlError, SqlResult};
use crate::expr::{ArithOp, BoundExpr};
use crate::message;

/// Whether [`apply`] computes the operation.
pub(super) fn is_vectorised(op: ArithOp, left: &BoundExpr, right: &BoundExpr, result: &SqlType) -> bool {
    if !matches!(op, ArithOp::Add | ArithOp::Sub | ArithOp::Mul | ArithOp::Div | ArithOp::Mod) {
        return false;
    }
    let (left, right) = (&left.ty.sql, &right.ty.sql);
    match result {
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => left == result && right == result,
        SqlType::Real | SqlType::Float => op != ArithOp::Mod && left == result && right == result,
        SqlType::Decimal { .. } => {
            matches!((left, right), (SqlType::Decimal { .. }, SqlType::Decimal { .. }))
        }
        _ => false,
    }
}

/// `left op right` for operands that [`is_vectorised`] accepts.
pub(super) fn apply(op: ArithOp, left: Expr, right: Expr, result: SqlType) -> Expr {
    function::array_call(op.sign(), vec![left, right], convert::data_type(&result), move |args| {
        let (left, right) = (&args[0], &args[1]);
        match result {
            SqlType::TinyInt => integers::<UInt8Type>(op, left, right, &result),
            SqlType::SmallInt => integers::<Int16Type>(op, left, right, &result),
            SqlType::Int => integers::<Int32Type>(op, left, right, &result),
            SqlType::BigInt => integers::<Int64Type>(op, left, right, &result),
            SqlType::Real => floats::<Float32Type>(op, left, right, &result),
            SqlType::Float => floats::<Float64Type>(op, left, right, &result),
            SqlType::Decimal { precision, scale } => decimals(op, left, right, Shape { precision, scale }),
            _ => Err(failure::internal("arithmetic that has no array form")),
        }
    })
}

/// Checked operations of a native integer.
trait CheckedInteger: Copy + Default + PartialEq {
    fn checked(self, op: ArithOp, other: Self) -> Option<Self>;
}

macro_rules! checked_integer {
    ($($native:ty),+) => {$(
        impl CheckedInteger for $native {
            fn checked(self, op: ArithOp, other: Self) -> Option<Self> {
                match op {
                    ArithOp::Add => self.checked_add(other),
                    ArithOp::Sub => self.checked_sub(other),
                    ArithOp::Mul => self.checked_mul(other),
                    ArithOp::Div => self.checked_div(other),
                    // The least integer modulo -1 is 0, which checked_rem does not say.
                    ArithOp::Mod => Some(self.wrapping_rem(other)),
                    ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor => None,
                }
            }
        }
    )+};
}

checked_integer!(u8, i16, i32, i64);

fn integers<T>(op: ArithOp, left: &ArrayRef, right: &ArrayRef, result: &SqlType) -> SqlResult<ArrayRef>
where
    T: ArrowPrimitiveType,
    T::Native: CheckedInteger,
{
    let divides = matches!(op, ArithOp::Div | ArithOp::Mod);
    binary::<T, T, _>(left, right, |left, right| {
        if divides && right == T::Native::default() {
            return Err(divide_by_zero());
        }
        left.checked(op, right).ok_or_else(|| overflow(result))
    })
}

/// The operations of a native float.
trait NativeFloat: Copy {
    fn operate(self, op: ArithOp, other: Self) -> Self;
    fn is_zero(self) -> bool;
    fn is_finite_number(self) -> bool;
}

macro_rules! native_float {
    ($($native:ty),+) => {$(
        impl NativeFloat for $native {
            fn operate(self, op: ArithOp, other: Self) -> Self {
                let result = match op {
                    ArithOp::Add => self + other,
                    ArithOp::Sub => self - other,
                    ArithOp::Mul => self * other,
                    _ => self / other,
                };
                result + 0.0 // convert C2: no negative zero
            }
            fn is_zero(self) -> bool {
                self == 0.0
            }
            fn is_finite_number(self) -> bool {
                self.is_finite()
            }
        }
    )+};
}

native_float!(f32, f64);

fn floats<T>(op: ArithOp, left: &ArrayRef, right: &ArrayRef, result: &SqlType) -> SqlResult<ArrayRef>
where
    T: ArrowPrimitiveType,
    T::Native: NativeFloat,
{
    binary::<T, T, _>(left, right, |left, right| {
        if op == ArithOp::Div && right.is_zero() {
            return Err(divide_by_zero());
        }
        let value = left.operate(op, right);
        if value.is_finite_number() { Ok(value) } else { Err(overflow(result)) }
    })
}

fn decimals(op: ArithOp, left: &ArrayRef, right: &ArrayRef, shape: Shape) -> SqlResult<ArrayRef> {
    let (left_scale, right_scale) = (scale_of(left)?, scale_of(right)?);
    let operate = match op {
        ArithOp::Add => Decimal::checked_add,
        ArithOp::Sub => Decimal::checked_sub,
        ArithOp::Mul => Decimal::checked_mul,
        ArithOp::Div => Decimal::checked_div,
        _ => Decimal::checked_rem,
    };
    let array = binary::<Decimal128Type, Decimal128Type, _>(left, right, |left, right| {
        let left = Decimal { unscaled: left, scale: left_scale };
        let right = Decimal { unscaled: right, scale: right_scale };
        operate(left, right, shape).map(|value| value.unscaled).map_err(|error| of_decimal(&error))
    })?;
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
    let array: PrimitiveArray<O> = try_binary(numbers::<I>(left)?, numbers::<I>(right)?, |left, right| {
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
pub(super) fn overflow(result: &SqlType) -> SqlError {
    message::of_eval(EvalError::Overflow { type_name: result.name() })
}

/// The error of decimal arithmetic.
pub(super) fn of_decimal(error: &DecimalError) -> SqlError {
    match error {
        DecimalError::DivideByZero => divide_by_zero(),
        DecimalError::Overflow | DecimalError::Syntax => message::of_eval(EvalError::Overflow { type_name: "numeric" }),
    }
}
