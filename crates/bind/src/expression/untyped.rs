//! Columns that are the untyped NULL in all rows: a name of one has the type `int`, and goes into a column of any type.
//!
//! It does not know what they are stored in, nor what a set operation makes of them.

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::Rel;
use millpond_types::{SqlType, Value};

use crate::expression::operator::is_null_literal;

/// A relation's columns as expressions; a column that is the untyped NULL in all rows is that.
pub(crate) fn sources_of(rel: &Rel, types: &[ExprType]) -> Vec<BoundExpr> {
    let one = |(index, is_null): (usize, bool)| match rel {
        Rel::Project { exprs, .. } if !is_null || is_null_literal(&exprs[index]) => exprs[index].clone(),
        _ if is_null => BoundExpr::literal(Value::Null, SqlType::Int),
        _ => BoundExpr::column(index, types[index]),
    };
    untyped_columns(rel).into_iter().take(types.len()).enumerate().map(one).collect()
}

/// Which columns of a relation are the untyped NULL in all rows.
pub(crate) fn untyped_columns(rel: &Rel) -> Vec<bool> {
    let mut untyped = match rel {
        Rel::Project { input, exprs } => {
            let below = untyped_columns(input);
            let is_untyped = |expr: &BoundExpr| match expr.kind {
                Kind::Column(index) => below.get(index) == Some(&true),
                _ => is_null_literal(expr),
            };
            exprs.iter().map(is_untyped).collect()
        }
        Rel::Values { rows, types } => {
            (0..types.len()).map(|column| rows.iter().all(|row| is_null_literal(&row[column]))).collect()
        }
        Rel::Set { left, right, .. } => {
            untyped_columns(left).into_iter().zip(untyped_columns(right)).map(|(left, right)| left && right).collect()
        }
        Rel::Join { left, right, .. } | Rel::Apply { left, right, .. } => {
            let (mut columns, width) = (untyped_columns(left), left.width());
            columns.resize(width, false);
            columns.extend(untyped_columns(right));
            columns
        }
        Rel::Distinct(input) | Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Filter { input, .. } => {
            untyped_columns(input)
        }
        _ => Vec::new(),
    };
    untyped.resize(rel.width(), false);
    untyped
}
