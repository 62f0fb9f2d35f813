//! INTERSECT and EXCEPT as questions for each row of the left side: is there one of the right that is the same?
//!
//! ```text
//!   l INTERSECT r   ──▶   DISTINCT l WHERE EXISTS (r WHERE r.a = l.a OR r.a IS NULL AND l.a IS NULL)
//! ```
//! What always holds: NULL is the same as NULL, texts are the same by the collation of both.

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::Rel;

use crate::outer::{Joinable, joinable, reads_beyond};
use crate::terms::{all, equal, is_volatile, substitute};

/// The rows of `right` that are the same as a row of columns of `types`, as EXISTS asks for them. None where its columns are not of
/// the same types, or more than columns of a relation.
#[must_use]
pub fn equal_rows(types: &[ExprType], right: &Rel) -> Option<Joinable> {
    let right_types = right.types();
    let is_alike = |(left, right): (&ExprType, &ExprType)| left.sql == right.sql && left.collation == right.collation;
    if reads_beyond(right, 1) || !types.iter().zip(&right_types).all(is_alike) {
        return None;
    }
    let mut rel = right;
    let mut columns: Vec<BoundExpr> =
        right_types.iter().enumerate().map(|(place, ty)| BoundExpr::column(place, *ty)).collect();
    // Order and duplicates do not matter to EXISTS.
    loop {
        rel = match rel {
            Rel::Distinct(input) | Rel::Sort { input, .. } => input,
            Rel::Project { input, exprs } => {
                columns = columns.into_iter().map(|column| substitute(column, exprs)).collect();
                input
            }
            _ => break,
        };
    }
    if columns.iter().any(|column| eval::needs_plan(column) || is_volatile(column)) {
        return None;
    }
    let outer =
        types.iter().enumerate().map(|(column, ty)| BoundExpr { kind: Kind::Outer { level: 1, column }, ty: *ty });
    let predicate = all(columns.into_iter().zip(outer).map(|(own, outer)| same(own, outer)).collect())?;
    joinable(&Rel::Filter { input: Box::new(rel.clone()), predicate }, types.len())
}

/// That two values are equal or both NULL.
fn same(own: BoundExpr, outer: BoundExpr) -> BoundExpr {
    let collation = outer.ty.collation;
    let are_equal = equal(own.clone(), outer.clone(), collation);
    // Where one of them is never NULL, no NULL is equal to it.
    if !own.ty.nullable || !outer.ty.nullable {
        return are_equal;
    }
    let is_null = |expr: BoundExpr| BoundExpr::predicate(Kind::IsNull(Box::new(expr)));
    let nulls = BoundExpr::predicate(Kind::And(Box::new(is_null(own)), Box::new(is_null(outer))));
    BoundExpr::predicate(Kind::Or(Box::new(nulls), Box::new(are_equal)))
}
