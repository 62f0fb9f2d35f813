//! Conditions of which the values of one execution leave less: alternatives that these decide, and contradictions.
//!
//! ```text
//!   (7 IS NULL OR id = 7) AND (NULL IS NULL OR k = NULL)   ──▶   id = 7
//! ```
//! What always holds: the rows for which a condition is true are the same. A part that fails stays as it is, so that its error comes
//! only if a row needs it.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::run::Run;

use crate::empty::{self, decided};
use crate::fold::folded;

/// The relation with what constants leave of its conditions; what has no row reads nothing.
#[must_use]
pub fn settled(mut rel: Rel, context: &dyn Run) -> Rel {
    settle(&mut rel, context);
    rel
}

fn settle(rel: &mut Rel, context: &dyn Run) {
    rel.relations_mut().into_iter().for_each(|below| settle(below, context));
    let Rel::Filter { input, predicate } = rel else { return };
    let left = condition(predicate.clone(), context);
    match decided(&left) {
        Some(true) => *rel = (**input).clone(),
        Some(false) => *rel = empty::of(rel),
        None => *predicate = left,
    }
}

/// What is left of a condition that is asked whether it is true.
fn condition(expr: BoundExpr, context: &dyn Run) -> BoundExpr {
    let below = |part: Box<BoundExpr>| condition(*part, context);
    // Where one part decides, the other one is not asked.
    let either = |left: BoundExpr, right: BoundExpr, decides: bool| match (decided(&left), decided(&right)) {
        (Some(truth), _) => Ok(if truth == decides { left } else { right }),
        (_, Some(truth)) => Ok(if truth == decides { right } else { left }),
        _ => Err((Box::new(left), Box::new(right))),
    };
    let ty = expr.ty;
    let kind = match expr.kind {
        Kind::And(left, right) => match either(below(left), below(right), false) {
            Ok(left) => return left,
            Err((left, right)) => Kind::And(left, right),
        },
        Kind::Or(left, right) => match either(below(left), below(right), true) {
            Ok(left) => return left,
            Err((left, right)) => Kind::Or(left, right),
        },
        Kind::Compare(op, left, right, collation) => {
            Kind::Compare(op, Box::new(computed(*left, context)), Box::new(computed(*right, context)), collation)
        }
        kind => kind,
    };
    BoundExpr { kind, ty }
}

/// The value of a computation over literals in its place.
fn computed(expr: BoundExpr, context: &dyn Run) -> BoundExpr {
    let mut is_known = true;
    expr.visit(&mut |node| {
        is_known &= matches!(node.kind, Kind::Literal(_) | Kind::Cast { .. } | Kind::Arith(..) | Kind::Negate(_));
    });
    if is_known { folded(&expr, context) } else { expr }
}
