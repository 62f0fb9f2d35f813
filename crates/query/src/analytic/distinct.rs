//! Aggregates of distinct values as groups: an aggregate that has to remember values cannot put them aside, groups can.
//!
//! `COUNT(DISTINCT a) … GROUP BY g` becomes `COUNT(a) … GROUP BY g` over the groups of `g, a`. It does so only where all
//! aggregates are of the same distinct values; others remember them.

use crate::eval;
use crate::expr::BoundExpr;
use crate::rel::{Aggregate, Rel};

use super::terms::is_volatile;

/// The aggregate over an input in normal form.
pub(super) fn aggregate(input: Rel, groups: Vec<BoundExpr>, aggregates: Vec<Aggregate>) -> Rel {
    let Some(value) = only_value(&aggregates).cloned() else {
        return Rel::Aggregate { input: Box::new(input), groups, aggregates };
    };
    let column = |index: usize, of: &BoundExpr| BoundExpr::column(index, of.ty);
    let outer = groups.iter().enumerate().map(|(index, group)| column(index, group)).collect();
    let place = groups.len();
    let arg = column(place, &value);
    let inner = groups.into_iter().chain([value]).collect();
    let inner = Rel::Aggregate { input: Box::new(input), groups: inner, aggregates: Vec::new() };
    let plain = |aggregate: Aggregate| Aggregate { arg: Some(arg.clone()), distinct: false, ..aggregate };
    Rel::Aggregate { input: Box::new(inner), groups: outer, aggregates: aggregates.into_iter().map(plain).collect() }
}

/// What all aggregates are of, if each is of its distinct values.
fn only_value(aggregates: &[Aggregate]) -> Option<&BoundExpr> {
    let value = aggregates.first()?.arg.as_ref()?;
    let is_of_it =
        |aggregate: &Aggregate| aggregate.distinct && aggregate.arg.as_ref().is_some_and(|arg| arg.same_as(value));
    let is_fixed = !is_volatile(value) && !eval::needs_plan(value);
    (is_fixed && aggregates.iter().all(is_of_it)).then_some(value)
}
