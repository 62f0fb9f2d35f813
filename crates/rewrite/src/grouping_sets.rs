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

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, Rel};
use millpond_types::{SqlType, Value};

use crate::parts::{Parts, Sums, after_groups};
use crate::terms::{columns, is_volatile, plain};

/// Grouping sets of which each has groups that the one before has, as those of ROLLUP: a level for each, made of the one before.
///
/// R1: a set without groups has a row only where there are rows: its level is grouped by a constant.
#[derive(Debug)]
pub struct Chain {
    /// The first level, which is made of rows: the groups of the first set.
    pub first: Rel,
    /// Which groups each set has, in order, and its number; the one of most groups first.
    sets: Vec<(Vec<usize>, i64)>,
    /// What a level's aggregates are made of those of the one before by, one of each.
    joined: Vec<Aggregate>,
    /// Which of the sets' groups each group of the statement is, or, as the one behind them, the set's number.
    groups: Vec<(usize, ExprType)>,
    /// How many groups the sets have.
    width: usize,
    /// The groups and aggregates that were asked for, over what levels are shown as.
    pub results: Vec<BoundExpr>,
}

/// The grouping sets of an input as a chain, if they are one of three sets or more.
#[must_use]
pub fn chain(input: &Rel, groups: &[BoundExpr], aggregates: &[Aggregate]) -> Option<Chain> {
    let Rel::Expand { input, groups: by, sets } = input else { return None };
    let (width, all) = (input.types().len(), (1_i64 << by.len()) - 1);
    if sets.len() < 3 || by.iter().any(is_volatile) || !are_of_rows(aggregates, width) {
        return None;
    }
    let mut sets = sets.clone();
    sets.sort_by_key(|set| (set & all).count_ones());
    if sets[0] & all == all || !sets.windows(2).all(|pair| pair[0] & all & !pair[1] == 0) {
        return None;
    }
    let of_set = |set: i64| ((0..by.len()).filter(|group| set >> group & 1 == 0).collect(), set);
    let sets: Vec<(Vec<usize>, i64)> = sets.into_iter().map(of_set).collect();
    let of_statement = |group: &BoundExpr| Some((plain(group)?.checked_sub(width)?, group.ty));
    let wanted = groups.iter().map(of_statement).collect::<Option<Vec<_>>>()?;
    let Parts { made, joined, results } = Parts::of(aggregates, 0, Sums::AmongResults)?;
    let of_first = sets[0].0.iter().map(|group| by[*group].clone()).collect();
    let first = Rel::Aggregate { input: input.clone(), groups: of_first, aggregates: made };
    let results = after_groups(groups, results);
    Some(Chain { first, sets, joined, groups: wanted, width: by.len(), results })
}

impl Chain {
    /// How many levels there are.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.sets.len()
    }

    /// The groups and aggregates of a level, which is not the first, over the columns of the one before, which have these types.
    #[must_use]
    pub fn level(&self, level: usize, types: &[ExprType]) -> (Vec<BoundExpr>, Vec<Aggregate>) {
        let before = &self.sets[level - 1].0;
        let place = |group: &usize| before.iter().position(|known| known == group);
        let column = |place: usize| BoundExpr::column(place, types[place]);
        let mut by: Vec<BoundExpr> = self.sets[level].0.iter().filter_map(place).map(column).collect();
        if by.is_empty() {
            by.push(BoundExpr::literal(Value::Int(0), SqlType::Int));
        }
        let first = self.groups_of(level - 1);
        let one = |(index, one): (usize, &Aggregate)| Aggregate { arg: Some(column(first + index)), ..one.clone() };
        (by, self.joined.iter().enumerate().map(one).collect())
    }

    /// What a level is shown as, over its columns, which have these types: the groups of the statement, and the aggregates.
    #[must_use]
    pub fn shown(&self, level: usize, types: &[ExprType]) -> Vec<BoundExpr> {
        let (known, set) = &self.sets[level];
        let group = |&(group, ty): &(usize, ExprType)| match known.iter().position(|known| *known == group) {
            Some(place) => BoundExpr::column(place, ty),
            None if group == self.width => BoundExpr { kind: Kind::Literal(Value::BigInt(*set)), ty },
            None => BoundExpr { kind: Kind::Literal(Value::Null), ty },
        };
        let made = (self.groups_of(level)..types.len()).map(|place| BoundExpr::column(place, types[place]));
        self.groups.iter().map(group).chain(made).collect()
    }

    /// How many of a level's columns come before its aggregates (R1).
    fn groups_of(&self, level: usize) -> usize {
        self.sets[level].0.len().max(1)
    }
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
    let exprs = after_groups(groups, results);
    let second = Rel::Aggregate { input: Box::new(expanded), groups: again, aggregates: joined };
    Some(Rel::Project { input: Box::new(second), exprs })
}
