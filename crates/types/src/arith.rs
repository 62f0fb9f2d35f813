//! Operators over values.

use crate::error::EvalError;
use crate::sql_type::SqlType;
use crate::value::Value;

pub use crate::coerce::operand_types;

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

/// The result of an operator over operands that were cast to what [`operand_types`] asks for. NULL gives NULL.
pub fn arithmetic(
    _op: ArithOp,
    _a: &Value,
    _b: &Value,
    _result: &SqlType,
) -> Result<Value, EvalError> {
    todo!()
}
/// The type of `-x`.
pub fn negate_type(_of: &SqlType) -> Result<SqlType, EvalError> {
    todo!()
}
/// `-x` of a value of the given type.
pub fn negate(_value: &Value, _of: &SqlType) -> Result<Value, EvalError> {
    todo!()
}
/// `~x` of a value of the given type.
pub fn bit_not(_value: &Value, _of: &SqlType) -> Result<Value, EvalError> {
    todo!()
}
