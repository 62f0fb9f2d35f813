//! Parts of an expression that have one value for a whole run, computed once.
//!
//! A part that fails stays as it is, so that its error comes only if a row needs it.

use millpond_builtin::eval::{self, Rows};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::run::Run;

use crate::terms::is_volatile;

/// Whether the expression has parts that are worth computing once.
pub fn has_constants(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |node| found |= is_constant_work(node));
    found
}

/// The expression with the values of such parts in their places.
pub fn folded(expr: &BoundExpr, context: &dyn Run) -> BoundExpr {
    expr.clone().rewrite(&mut |node| {
        if !is_constant_work(&node) {
            return Err(node);
        }
        match eval::eval(&node, context, Rows::NONE) {
            Ok(value) => Ok(BoundExpr { kind: Kind::Literal(value), ty: node.ty }),
            Err(_) => Err(node),
        }
    })
}

/// Whether a node costs something and has the same value for every row.
fn is_constant_work(node: &BoundExpr) -> bool {
    let mut constant = !matches!(node.kind, Kind::Literal(_) | Kind::Variable(_) | Kind::Column(_));
    if constant {
        node.visit(&mut |part| constant &= !matches!(part.kind, Kind::Column(_)));
    }
    constant && !is_volatile(node)
}
