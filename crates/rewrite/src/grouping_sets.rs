//! Grouping sets of which one has all groups: rows are grouped by that one first, and the groups, not the rows, are repeated for
//! each set.
//!
//! ```text
//!   Aggregate SUM(v)                          Aggregate SUM(s)
//!   └─ Expand (a, b), (a), ()        ──▶      └─ Expand (a, b), (a), ()
//!      └─ rows                                   └─ Aggregate a, b: SUM(v) AS s
//!                                                   └─ rows
//! ```
//! So it is where every aggregate of a set can be made of those of its parts, in the same type: what overflows in a part is in the
//! result too, since the part is one of its rows.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Aggregate, Rel};

use crate::parts::{Parts, Sums};
use crate::terms::{columns, is_volatile, moved};

/// The groups of an input by sets in two steps, if that is how they may be made.
#[must_use]
pub fn in_two_steps(input: &Rel, groups: &[BoundExpr], aggregates: &[Aggregate]) -> Option<Rel> {
    let Rel::Expand { input, groups: by, sets } = input else { return None };
    let (width, all) = (input.types().len(), (1_i64 << by.len()) - 1);
    if sets.len() < 2 || !sets.iter().any(|set| set & all == 0) || by.iter().any(is_volatile) {
        return None;
    }
    // Grouped by them already, as after the first step.
    let is_group = |(index, group): (usize, &BoundExpr)| matches!(group.kind, Kind::Column(column) if column == index);
    if matches!(&**input, Rel::Aggregate { groups, .. } if groups.len() == by.len() && by.iter().enumerate().all(is_group))
    {
        return None;
    }
    let is_of_rows = |arg: &BoundExpr| columns(arg).iter().all(|column| *column < width);
    if !aggregates.iter().flat_map(|aggregate| &aggregate.arg).all(is_of_rows) {
        return None;
    }
    let Parts { made, joined, results } = Parts::of(aggregates, by.len(), Sums::AmongResults)?;
    let place = |group: &BoundExpr| match group.kind {
        Kind::Column(column) if column >= width => {
            Some(BoundExpr::column(column - width + by.len() + made.len(), group.ty))
        }
        _ => None,
    };
    let again = groups.iter().map(place).collect::<Option<Vec<_>>>()?;
    let first = Rel::Aggregate { input: input.clone(), groups: by.clone(), aggregates: made };
    let of_first = by.iter().enumerate().map(|(index, group)| BoundExpr::column(index, group.ty)).collect();
    let expanded = Rel::Expand { input: Box::new(first), groups: of_first, sets: sets.clone() };
    let kept = groups.iter().enumerate().map(|(index, group)| BoundExpr::column(index, group.ty));
    // The results count from the first aggregate on.
    let results = results.into_iter().map(|result| moved(result, &|column| column + groups.len()));
    let exprs = kept.chain(results).collect();
    let second = Rel::Aggregate { input: Box::new(expanded), groups: again, aggregates: joined };
    Some(Rel::Project { input: Box::new(second), exprs })
}
