//! Expressions that move into a query: what they read of rows outside lies further out from there.
//!
//! A reference of level `n` inside of `d` queries reads the row of the expression itself when `n = d`, and one further
//! outside when `n > d`; a column is a reference of level 0.

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;

/// An expression without columns of its own as it reads `by` queries further inside.
pub(crate) fn deeper(expr: BoundExpr, by: usize) -> BoundExpr {
    moved(expr, 0, &Move { by, own_row: false })
}

/// An expression over a row as a query beside it reads it, for which that row is the one outside.
pub(crate) fn into_query(expr: BoundExpr) -> BoundExpr {
    moved(expr, 0, &Move { by: 1, own_row: true })
}

/// A query beside a row, one query further inside.
pub(crate) fn query_into_query(rel: Rel) -> Rel {
    rel.map_exprs(1, &mut |expr, depth| moved(expr, depth, &Move { by: 1, own_row: true }))
}

struct Move {
    by: usize,
    /// References to the expression's own row move too.
    own_row: bool,
}

fn moved(expr: BoundExpr, depth: usize, how: &Move) -> BoundExpr {
    let inner = |rel: Arc<Rel>| {
        Arc::new(Arc::unwrap_or_clone(rel).map_exprs(depth + 1, &mut |expr, depth| moved(expr, depth, how)))
    };
    let level_min = if how.own_row { depth } else { depth + 1 };
    expr.rewrite(&mut |node| {
        let kind = match node.kind {
            Kind::Column(column) if level_min == 0 => Kind::Outer { level: how.by, column },
            Kind::Outer { level, column } if level >= level_min => Kind::Outer { level: level + how.by, column },
            Kind::ScalarQuery(rel) => Kind::ScalarQuery(inner(rel)),
            Kind::Exists(rel) => Kind::Exists(inner(rel)),
            Kind::InQuery(operand, rel, collation) => {
                Kind::InQuery(Box::new(moved(*operand, depth, how)), inner(rel), collation)
            }
            kind => return Err(BoundExpr { kind, ty: node.ty }),
        };
        Ok(BoundExpr { kind, ty: node.ty })
    })
}

/// Whether two rows of a statement may give two values.
pub(crate) fn depends_on_row(expr: &BoundExpr) -> bool {
    let mut depends = needs_plan(expr) || expr.is_volatile();
    expr.visit(&mut |node| depends |= matches!(node.kind, Kind::Column(_) | Kind::Outer { .. } | Kind::Call(..)));
    depends
}
