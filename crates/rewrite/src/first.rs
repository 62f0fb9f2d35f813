//! Where the first rows alone are wanted: the same of what they come from.
//!
//! ```text
//!   TOP n (a LEFT JOIN b) ORDER BY a.x           ──▶   TOP n ((TOP n a ORDER BY a.x) LEFT JOIN b) ORDER BY a.x
//!   ROW_NUMBER() OVER (ORDER BY x) <= n of a     ──▶   the same of (TOP n a ORDER BY x)
//! ```
//! What always holds: each row of the left side is in at least one of the join's, so those of its first n are n at least.

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Rel, RelJoin, SortKey, WindowCall, WindowFunction};
use millpond_types::{SqlType, Value};

use crate::terms::{columns, is_volatile};

/// More rows are as well found among all.
const ROWS_MAX: i64 = 10_000;

/// The number of rows that TOP or OFFSET and FETCH look at, when their bounds are constants.
#[must_use]
pub fn fixed_rows(count: Option<&BoundExpr>, offset: Option<&BoundExpr>) -> Option<i64> {
    let rows = constant(count?)?.checked_add(offset.map_or(Some(0), constant)?)?;
    (0..=ROWS_MAX).contains(&rows).then_some(rows)
}

fn constant(expr: &BoundExpr) -> Option<i64> {
    match &expr.kind {
        Kind::Literal(value) => value.as_i64(),
        Kind::Cast { expr, style: None, .. } if expr.ty.sql.is_integer() => constant(expr),
        _ => None,
    }
}

/// What TOP of so many rows is taken of, with as many rows of the left side of an outer join below it.
pub(crate) fn of_left_side(rel: Rel, rows: i64) -> Rel {
    let Rel::Sort { input, keys } = rel else { return rel };
    let Rel::Join { kind: RelJoin::Left, hint, left, right, on } = *input else { return Rel::Sort { input, keys } };
    let width = left.width();
    let is_of_left = |key: &SortKey| {
        !eval::needs_plan(&key.expr)
            && !is_volatile(&key.expr)
            && columns(&key.expr).into_iter().all(|column| column < width)
    };
    let is_first_already = matches!(*left, Rel::Top { .. });
    let left = match keys.iter().all(is_of_left) && !is_first_already {
        true => Box::new(first(of_left_side_of(*left, &keys, rows), keys.clone(), rows)),
        false => left,
    };
    Rel::Sort { input: Box::new(Rel::Join { kind: RelJoin::Left, hint, left, right, on }), keys }
}

/// The same of a join that is the left side of another.
fn of_left_side_of(left: Rel, keys: &[SortKey], rows: i64) -> Rel {
    if !matches!(left, Rel::Join { kind: RelJoin::Left, .. }) {
        return left;
    }
    match of_left_side(Rel::Sort { input: Box::new(left), keys: keys.to_vec() }, rows) {
        Rel::Sort { input, .. } => *input,
        rel => rel,
    }
}

/// The first rows of a relation in an order.
pub(crate) fn first(input: Rel, keys: Vec<SortKey>, rows: i64) -> Rel {
    let input = if keys.is_empty() { input } else { Rel::Sort { input: Box::new(input), keys } };
    let count = Some(BoundExpr::literal(Value::BigInt(rows), SqlType::BigInt));
    Rel::Top { input: Box::new(input), count, percent: false, ties: Vec::new(), offset: None }
}

/// The input of a window whose rows are asked by predicates above it: as many as the largest of their numbers that is.
pub(crate) fn numbered(
    input: Rel,
    (partition, order, calls): (&[BoundExpr], &[SortKey], &[WindowCall]),
    predicates: &[BoundExpr],
) -> Rel {
    let are_numbers = calls.iter().all(|call| call.function == WindowFunction::RowNumber);
    if !partition.is_empty() || !are_numbers || order.iter().any(is_new) || matches!(input, Rel::Top { .. }) {
        return input;
    }
    let width = input.width();
    let most = predicates.iter().filter_map(|predicate| Some(number_at_most(predicate, width)?.1)).min();
    match most.filter(|most| (0..=ROWS_MAX).contains(most)) {
        Some(rows) => first(input, order.to_vec(), rows),
        None => input,
    }
}

/// Whether an order by this key may be another one when it is asked for again: NEWID(), a query.
#[must_use]
pub fn is_new(key: &SortKey) -> bool {
    eval::needs_plan(&key.expr) || is_volatile(&key.expr)
}

/// A column from `width` on, and the largest number that a predicate lets it have.
#[must_use]
pub fn number_at_most(predicate: &BoundExpr, width: usize) -> Option<(usize, i64)> {
    let Kind::Compare(op, left, right, _) = &predicate.kind else { return None };
    let number = |expr: &BoundExpr| match expr.kind {
        Kind::Column(column) if column >= width => Some(column),
        _ => None,
    };
    let (op, column, bound) = match (number(left), number(right)) {
        (Some(column), None) => (*op, column, constant(right)?),
        (None, Some(column)) => (op.mirrored(), column, constant(left)?),
        _ => return None,
    };
    match op {
        CompareOp::Eq | CompareOp::LtEq => Some((column, bound)),
        CompareOp::Lt => Some((column, bound.checked_sub(1)?)),
        CompareOp::NotEq | CompareOp::Gt | CompareOp::GtEq => None,
    }
}
