//! Which rows come to a part of an expression, and what may be computed for others too.
//!
//! What always holds: what may fail is computed for no row that T-SQL's evaluation from left to right would not come to; of an inner
//! query that is joined, that is all that its own rows compute ([`millpond_rewrite::fails`]).

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_rewrite::fails::fails;
use millpond_rewrite::terms::{self, Side};

use crate::lower::hash_join::is_equality;

/// For which rows what is at hand is computed.
pub(crate) enum Guard {
    /// For all.
    Always,
    /// For those for which this is true.
    When(BoundExpr),
    /// For some.
    Sometimes,
}

/// A condition of more parts is not computed twice.
const PARTS_MAX: usize = 200;

impl Guard {
    /// The guard of what is computed unless `first` is known to be `settles`.
    pub(crate) fn after(&self, first: &BoundExpr, settles: bool) -> Guard {
        let before = match self {
            Guard::Sometimes => return Guard::Sometimes,
            Guard::When(guard) => Some(guard),
            Guard::Always => None,
        };
        let mut parts = 0;
        before.into_iter().chain([first]).for_each(|expr| expr.visit(&mut |_| parts += 1));
        if parts > PARTS_MAX || eval::needs_plan(first) || terms::is_volatile(first) {
            return Guard::Sometimes;
        }
        let is_settled = match settles {
            true => first.clone(),
            false => BoundExpr::predicate(Kind::Not(Box::new(first.clone()))),
        };
        let open = terms::not_true(is_settled);
        Guard::When(match before {
            Some(guard) => BoundExpr::predicate(Kind::And(Box::new(guard.clone()), Box::new(open))),
            None => open,
        })
    }

    /// A value of the outer row, NULL for rows that do not come to it if it may fail; none where these are not known.
    pub(crate) fn value(&self, outer: BoundExpr) -> Option<BoundExpr> {
        if !terms::can_fail(&outer) {
            return Some(outer);
        }
        let asks = match self {
            Guard::Always => return Some(outer),
            Guard::When(asks) => asks.clone(),
            Guard::Sometimes => return None,
        };
        let ty = ExprType { nullable: true, ..outer.ty };
        Some(BoundExpr { kind: Kind::Case { branches: vec![(asks, outer)], otherwise: None }, ty })
    }

    /// A condition over outer ++ inner, the outer row having so many columns, that is true for no rows that do not come to it if it may
    /// fail; none where these are not known.
    pub(crate) fn condition(&self, part: BoundExpr, width: usize) -> Option<BoundExpr> {
        let is_key = is_equality(&part, width);
        match part.kind {
            Kind::Compare(op, a, b, collation) if is_key => {
                let of_outer = |side: Box<BoundExpr>| match terms::side(&side, width) {
                    Side::Left => self.value(*side).map(Box::new),
                    _ => (!fails(&side)).then_some(side),
                };
                Some(BoundExpr { kind: Kind::Compare(op, of_outer(a)?, of_outer(b)?, collation), ty: part.ty })
            }
            kind => {
                let part = BoundExpr { kind, ty: part.ty };
                match self {
                    Guard::Always => Some(part),
                    _ if !terms::can_fail(&part) => Some(part),
                    Guard::When(asks) => Some(BoundExpr::predicate(Kind::And(Box::new(asks.clone()), Box::new(part)))),
                    Guard::Sometimes => None,
                }
            }
        }
    }
}
