//! `EXISTS (query)`: what of a query says whether it has a row.
//!
//! ```text
//!   EXISTS (SELECT o.a, o.b INTERSECT SELECT a, b FROM t)   ──▶   EXISTS (SELECT 1 FROM t WHERE the columns are the same)
//!   EXISTS (SELECT o.a, o.b EXCEPT SELECT i.a, i.b)         ──▶   NOT (o.a is the same as i.a AND o.b as i.b)
//! ```
//! What always holds: the answer is true or false, never unknown; NULL is the same as NULL.

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Rel, RelSet};
use millpond_types::{SqlType, Value};

use crate::expression::{both, not, same_or_null};

/// Whether a query has a row.
pub(crate) fn exists(rel: Rel) -> BoundExpr {
    let rows = rows_alone(rel);
    if let Some(asked) = of_one_row(&rows) {
        return asked;
    }
    let one = BoundExpr::literal(Value::Int(1), SqlType::Int);
    exists_in(Rel::Project { input: Box::new(rows), exprs: vec![one] })
}

fn exists_in(rel: Rel) -> BoundExpr {
    BoundExpr::predicate(Kind::Exists(Arc::new(rel)))
}

/// A relation that has rows when the other one has some: what they say is not computed.
fn rows_alone(rel: Rel) -> Rel {
    match rel {
        Rel::Project { input, .. } | Rel::Distinct(input) | Rel::Sort { input, .. } | Rel::Window { input, .. } => {
            rows_alone(*input)
        }
        // Without groups there is always one row.
        Rel::Aggregate { groups, .. } if groups.is_empty() => Rel::one_row(),
        Rel::Aggregate { input, .. } => rows_alone(*input),
        Rel::Top { input, count, percent: false, offset: None, .. } if count.as_ref().is_some_and(is_some_rows) => {
            rows_alone(*input)
        }
        Rel::Top { input, count, percent, ties, offset } if ties.is_empty() => {
            Rel::Top { input: Box::new(rows_alone(*input)), count, percent, ties, offset }
        }
        rel => rel,
    }
}

/// Whether a number of rows is known to be one at least.
fn is_some_rows(count: &BoundExpr) -> bool {
    match &count.kind {
        Kind::Literal(value) => value.as_i64().is_some_and(|rows| rows > 0),
        Kind::Cast { expr, style: None, .. } if expr.ty.sql.is_integer() => is_some_rows(expr),
        _ => false,
    }
}

/// What INTERSECT and EXCEPT of one row with a query ask: whether that has the same row. None of other queries, and where the
/// columns are not of one type.
fn of_one_row(rel: &Rel) -> Option<BoundExpr> {
    let Rel::Set { op: op @ (RelSet::Intersect | RelSet::Except), left, right, .. } = rel else { return None };
    let row = one_row(left)?;
    let has_row = match one_row(right) {
        Some(other) => outward(all_same(row, other)?),
        None => {
            let types = right.types().into_iter().enumerate();
            let columns = types.map(|(column, ty)| BoundExpr::column(column, ty)).collect();
            exists_in(Rel::Filter { input: right.clone(), predicate: all_same(row, columns)? })
        }
    };
    Some(not(has_row, *op == RelSet::Except))
}

/// The only row of a relation, over the row outside.
fn one_row(rel: &Rel) -> Option<Vec<BoundExpr>> {
    match rel {
        Rel::Values { rows, .. } => match &rows[..] {
            [row] => Some(row.clone()),
            _ => None,
        },
        Rel::Project { input, exprs } => {
            let below = one_row(input)?;
            let over = |expr: &BoundExpr| {
                expr.clone().rewrite(&mut |node| match node.kind {
                    Kind::Column(column) => Ok(below[column].clone()),
                    _ => Err(node),
                })
            };
            let is_plain = |expr: &BoundExpr| !needs_plan(expr) && !expr.is_volatile();
            exprs.iter().all(is_plain).then(|| exprs.iter().map(over).collect())
        }
        _ => None,
    }
}

/// That two rows are the same, column by column.
fn all_same(left: Vec<BoundExpr>, right: Vec<BoundExpr>) -> Option<BoundExpr> {
    let same = left.into_iter().zip(right).map(|(left, right)| {
        let is_alike = match left.ty.sql.is_string() && right.ty.sql.is_string() {
            true => left.ty.collation == right.ty.collation,
            false => left.ty.sql == right.ty.sql,
        };
        if is_alike { same_or_null(left, right).ok() } else { None }
    });
    same.collect::<Option<Vec<BoundExpr>>>()?.into_iter().reduce(both)
}

/// An expression without columns and queries of its own, one query further outside.
fn outward(expr: BoundExpr) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Outer { level: 1, column } => Ok(BoundExpr::column(column, node.ty)),
        Kind::Outer { level, column } => Ok(BoundExpr { kind: Kind::Outer { level: level - 1, column }, ty: node.ty }),
        _ => Err(node),
    })
}
