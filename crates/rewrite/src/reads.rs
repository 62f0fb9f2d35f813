//! What relations and expressions read of the queries around them.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;

use crate::terms::{expressions, inner_queries};

/// Whether a relation reads enclosing queries at least `depth` levels outside.
pub fn reads_beyond(rel: &Rel, depth: usize) -> bool {
    expressions(rel).into_iter().any(|expr| expr_reads_beyond(expr, depth))
        || rel.inputs().into_iter().any(|input| reads_beyond(input, depth))
        || inner_queries(rel).iter().any(|inner| reads_beyond(inner, depth + 1))
}

pub(crate) fn expr_reads_beyond(expr: &BoundExpr, depth: usize) -> bool {
    let mut found = false;
    expr.visit(&mut |node| match &node.kind {
        Kind::Outer { level, .. } => found |= *level >= depth,
        Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => found |= reads_beyond(rel, depth + 1),
        _ => {}
    });
    found
}
