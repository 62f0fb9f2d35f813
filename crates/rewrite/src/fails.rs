//! Whether what an inner query computes of its rows may end in an error: where some outer rows alone ask for it, it is then not computed for
//! others.
//!
//! Sums, differences and products beyond their type are not counted: nearly all arithmetic would be. They are errors of the rows of a
//! key that no outer row has, too.

use millpond_builtin::NOTE_NULL;
use millpond_catalog::expr::{ArithOp, BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_types::Value;
use millpond_types::coerce::keeps_each_value;

use crate::terms::{expressions, inner_queries};

/// Functions that have a value for all arguments.
const TOTAL: [&str; 19] = [
    "ISNULL",
    "UPPER",
    "LOWER",
    "LEN",
    "DATALENGTH",
    "LTRIM",
    "RTRIM",
    "TRIM",
    "YEAR",
    "MONTH",
    "DAY",
    "DATEPART",
    "DATENAME",
    "CONCAT",
    "REVERSE",
    "SIGN",
    "FLOOR",
    "CEILING",
    "CHARINDEX",
];

/// Whether an expression of an inner row may end in an error: not by a conversion that keeps each value.
#[must_use]
pub fn fails(expr: &BoundExpr) -> bool {
    match &expr.kind {
        Kind::Cast { expr: of, style: None, .. } if keeps_each_value(&of.ty.sql, &expr.ty.sql) => fails(of),
        Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..) => true,
        Kind::Arith(ArithOp::Add | ArithOp::Sub | ArithOp::Mul, ..) if expr.ty.sql.is_numeric() => {
            expr.children().into_iter().any(fails)
        }
        Kind::Arith(ArithOp::Div | ArithOp::Mod, _, divisor) if expr.ty.sql.is_numeric() && is_not_zero(divisor) => {
            expr.children().into_iter().any(fails)
        }
        Kind::Function(def, args) if def.is(&NOTE_NULL) => args.iter().any(fails),
        Kind::Function(def, args) if TOTAL.contains(&def.name) => args.iter().any(fails),
        Kind::Cast { .. } | Kind::Arith(..) => true,
        Kind::Function(..) | Kind::Call(..) | Kind::NextValue(_) | Kind::Like { escape: Some(_), .. } => true,
        _ => expr.children().into_iter().any(fails),
    }
}

/// Whether a number is known to be another than zero.
fn is_not_zero(expr: &BoundExpr) -> bool {
    match &expr.kind {
        Kind::Literal(Value::Decimal(number)) => number.unscaled != 0,
        Kind::Literal(Value::Float(number)) => *number != 0.0,
        Kind::Literal(value) => value.as_i64().is_some_and(|number| number != 0),
        Kind::Cast { expr: of, style: None, .. } => keeps_each_value(&of.ty.sql, &expr.ty.sql) && is_not_zero(of),
        _ => false,
    }
}

/// Whether a run of a query that reads no outer row may end in an error.
#[must_use]
pub fn query_fails(rel: &Rel) -> bool {
    expressions(rel).into_iter().any(fails)
        || rel.inputs().into_iter().any(query_fails)
        || inner_queries(rel).iter().any(query_fails)
}
