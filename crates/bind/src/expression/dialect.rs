//! What SET options change in expressions: comparisons with NULL (ANSI_NULLS OFF) and texts joined with NULL
//! (CONCAT_NULL_YIELDS_NULL OFF).
//!
//! What always holds: under the default options an expression is what it would be without this file. A comparison heeds
//! ANSI_NULLS only where a side is written as NULL or as a variable; columns and other expressions compare as ever.

use millpond_builtin as builtin;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::AggregateFunction;
use millpond_message::error::SqlResult;
use millpond_types::arith::ArithOp;
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::expression::operator::{self, is_large, is_null_literal};

/// `left op right` as the statement compares.
pub(crate) fn compared(binder: &Binder<'_>, op: CompareOp, left: BoundExpr, right: BoundExpr) -> SqlResult<BoundExpr> {
    let is_equality = matches!(op, CompareOp::Eq | CompareOp::NotEq);
    if binder.dialect.ansi_nulls() || !is_equality || !(may_be_written_null(&left) || may_be_written_null(&right)) {
        return operator::comparison(op, left, right);
    }
    let equal = match (is_null_literal(&left), is_null_literal(&right)) {
        (true, _) => is_null(right),
        (false, true) => is_null(left),
        (false, false) => equal_or_null(left, right)?,
    };
    Ok(match op {
        CompareOp::Eq => equal,
        _ => BoundExpr::predicate(Kind::Not(Box::new(equal))),
    })
}

/// `operand IN (list)`: one comparison after the other.
pub(crate) fn equals_one_of(binder: &Binder<'_>, operand: &BoundExpr, list: Vec<BoundExpr>) -> SqlResult<BoundExpr> {
    let mut any: Option<BoundExpr> = None;
    for item in list {
        let equal = compared(binder, CompareOp::Eq, operand.clone(), item)?;
        any = Some(match any {
            None => equal,
            Some(before) => BoundExpr::predicate(Kind::Or(Box::new(before), Box::new(equal))),
        });
    }
    any.ok_or_else(|| millpond_message::syntax_near(")"))
}

/// `left op right` of values as the statement computes.
pub(crate) fn computed(binder: &Binder<'_>, op: ArithOp, left: BoundExpr, right: BoundExpr) -> SqlResult<BoundExpr> {
    let is_text = |expr: &BoundExpr| expr.ty.sql.is_string();
    let joins = op == ArithOp::Add
        && (is_text(&left) || is_null_literal(&left))
        && (is_text(&right) || is_null_literal(&right));
    if binder.dialect.concat_null() || !joins || is_null_literal(&left) && is_null_literal(&right) {
        return operator::arithmetic(op, left, right);
    }
    let of = if is_null_literal(&left) { right.ty.sql } else { left.ty.sql };
    operator::arithmetic(op, or_empty(left, of), or_empty(right, of))
}

/// An argument that notes the NULLs which its aggregate leaves out (8153).
pub(crate) fn noting_nulls(binder: &Binder<'_>, function: AggregateFunction, arg: BoundExpr) -> BoundExpr {
    use AggregateFunction as F;
    let notes = !matches!(function, F::StringAgg | F::ApproxCountDistinct | F::ChecksumAgg);
    if !notes || !arg.ty.nullable || !binder.dialect.warns() {
        return arg;
    }
    let ty = arg.ty;
    BoundExpr { kind: Kind::Function(&builtin::NOTE_NULL, vec![arg]), ty }
}

/// An operation that may give NULL instead of an error may give NULL.
pub(crate) fn softened(binder: &Binder<'_>, mut expr: BoundExpr) -> BoundExpr {
    let computes = matches!(expr.kind, Kind::Arith(..) | Kind::Negate(_) | Kind::Cast { .. } | Kind::Function(..));
    expr.ty.nullable |= computes && binder.dialect.null_on_error();
    expr
}

fn may_be_written_null(expr: &BoundExpr) -> bool {
    is_null_literal(expr) || matches!(expr.kind, Kind::Variable(_))
}

fn is_null(expr: BoundExpr) -> BoundExpr {
    BoundExpr::predicate(Kind::IsNull(Box::new(expr)))
}

/// Equality in which a variable that is NULL equals what is NULL, and nothing else.
fn equal_or_null(left: BoundExpr, right: BoundExpr) -> SqlResult<BoundExpr> {
    let mut branches = Vec::with_capacity(2);
    for (variable, other) in [(&left, &right), (&right, &left)] {
        if may_be_written_null(variable) {
            branches.push((is_null(variable.clone()), is_null(other.clone())));
        }
    }
    let otherwise = Some(Box::new(operator::comparison(CompareOp::Eq, left, right)?));
    Ok(BoundExpr::predicate(Kind::Case { branches, otherwise }))
}

/// The text, or an empty one where it is NULL.
fn or_empty(expr: BoundExpr, of: SqlType) -> BoundExpr {
    if is_null_literal(&expr) {
        return BoundExpr::literal(Value::str(""), of);
    }
    if !expr.ty.nullable {
        return expr;
    }
    let mut empty = BoundExpr::literal(Value::str(""), expr.ty.sql);
    empty.ty.collation = expr.ty.collation;
    let mut ty = expr.ty;
    ty.nullable = false;
    let kind = if is_large(&expr) {
        Kind::Function(&builtin::FIRST_KNOWN, vec![expr, empty])
    } else {
        Kind::Case { branches: vec![(is_null(expr.clone()), empty)], otherwise: Some(Box::new(expr)) }
    };
    BoundExpr { kind, ty }
}
