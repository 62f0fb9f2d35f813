//! Which conversions exist, and the type of an expression over two types.

use crate::arith::ArithOp;
use crate::error::EvalError;
use crate::sql_type::SqlType;

/// Whether a value converts without CAST.
#[must_use]
pub fn implicit_allowed(_from: &SqlType, _to: &SqlType) -> bool {
    todo!()
}
/// Whether CAST converts.
#[must_use]
pub fn explicit_allowed(_from: &SqlType, _to: &SqlType) -> bool {
    todo!()
}
/// The type that holds values of both, for CASE, UNION, COALESCE and comparisons.
#[must_use]
pub fn common_type(_a: &SqlType, _b: &SqlType) -> Option<SqlType> {
    todo!()
}
/// The result's type of an operator.
pub fn arithmetic_type(op: ArithOp, a: &SqlType, b: &SqlType) -> Result<SqlType, EvalError> {
    operand_types(op, a, b).map(|(_, _, result)| result)
}
/// The types that the operands are cast to first, and the result's type.
pub fn operand_types(
    _op: ArithOp,
    _a: &SqlType,
    _b: &SqlType,
) -> Result<(SqlType, SqlType, SqlType), EvalError> {
    todo!()
}
