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

/// Grouping sets of which each has groups that the one before has, as those of ROLLUP.
#[derive(Debug)]
pub struct Chain {
    /// The groups of the first set: the level that is made of rows.
    pub first: Rel,
    /// The levels, the one of most groups first.
    pub levels: Vec<Level>,
    /// What a level's aggregates are made of those of the one before by, one of each.
    pub joined: Vec<Aggregate>,
    /// The aggregates that were asked for, over the aggregates of a level.
    pub results: Vec<BoundExpr>,
    /// Groups of the statement.
    pub width: usize,
}

/// A grouping set.
#[derive(Debug)]
pub struct Level {
    /// Its groups among those of the statement, in order.
    pub groups: Vec<usize>,
    /// Its number.
    pub set: i64,
}

/// The grouping sets of an input as a chain, if they are one of three sets or more.
#[must_use]
pub fn chain(input: &Rel, aggregates: &[Aggregate]) -> Option<Chain> {
    let Rel::Expand { input, groups: by, sets } = input else { return None };
    let (width, all) = (input.types().len(), (1_i64 << by.len()) - 1);
    if sets.len() < 3 || by.iter().any(is_volatile) || !are_of_rows(aggregates, width) {
        return None;
    }
    let mut sets = sets.clone();
    sets.sort_by_key(|set| (set & all).count_ones());
    if !sets.windows(2).all(|pair| pair[0] & all & !pair[1] == 0) {
        return None;
    }
    let level = |set: &i64| Level { groups: (0..by.len()).filter(|group| set >> group & 1 == 0).collect(), set: *set };
    let levels: Vec<Level> = sets.iter().map(level).collect();
    let of_first: Vec<BoundExpr> = levels[0].groups.iter().map(|group| by[*group].clone()).collect();
    let Parts { made, joined, results } = Parts::of(aggregates, 0, Sums::AmongResults)?;
    let first = Rel::Aggregate { input: input.clone(), groups: of_first, aggregates: made };
    Some(Chain { first, levels, joined, results, width: by.len() })
}

/// Whether aggregates are over the input's own columns, not over groups, which a set may not have.
fn are_of_rows(aggregates: &[Aggregate], width: usize) -> bool {
    let is_of_rows = |arg: &BoundExpr| columns(arg).iter().all(|column| *column < width);
    aggregates.iter().flat_map(|aggregate| &aggregate.arg).all(is_of_rows)
}

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
    if !are_of_rows(aggregates, width) {
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
