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
use millpond_catalog::rel::{Aggregate, AggregateFunction as Function, Rel};
use millpond_types::arith::ArithOp;
use millpond_types::{SqlType, Value};

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
    let mut parts = Parts { first: by.len(), made: Vec::new(), joined: Vec::new() };
    let results = aggregates.iter().map(|aggregate| parts.of(aggregate, width)).collect::<Option<Vec<_>>>()?;
    let Parts { made, joined, .. } = parts;
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

/// The aggregates of both steps.
struct Parts {
    /// Groups of the first one.
    first: usize,
    made: Vec<Aggregate>,
    joined: Vec<Aggregate>,
}

impl Parts {
    /// What an aggregate is, over the aggregates of the second step.
    fn of(&mut self, aggregate: &Aggregate, width: usize) -> Option<BoundExpr> {
        let Aggregate { function, arg, distinct, ty, joining } = aggregate;
        let is_of_rows = arg.iter().all(|arg| !is_volatile(arg) && columns(arg).iter().all(|column| *column < width));
        if *distinct || joining.is_some() || !is_of_rows {
            return None;
        }
        match function {
            Function::Min | Function::Max | Function::Sum => Some(self.add(*function, arg.clone(), *function, *ty)),
            Function::Count | Function::CountBig => {
                let count = self.count(arg.clone());
                Some(if *function == Function::CountBig { count } else { cast(count, *ty) })
            }
            // Other averages are rounded by rules of their own.
            Function::Avg
                if ty.sql == SqlType::Float && arg.as_ref().is_some_and(|arg| arg.ty.sql == SqlType::Float) =>
            {
                let sum = self.add(Function::Sum, arg.clone(), Function::Sum, *ty);
                let count = cast(self.count(arg.clone()), ExprType { nullable: false, ..*ty });
                let mean = Kind::Arith(ArithOp::Div, Box::new(sum.clone()), Box::new(count));
                let is_none = BoundExpr::predicate(Kind::IsNull(Box::new(sum)));
                let none = BoundExpr { kind: Kind::Literal(Value::Null), ty: *ty };
                let mean = Some(Box::new(BoundExpr { kind: mean, ty: *ty }));
                Some(BoundExpr { kind: Kind::Case { branches: vec![(is_none, none)], otherwise: mean }, ty: *ty })
            }
            _ => None,
        }
    }

    /// COUNT_BIG of the rows, or of those whose argument is not NULL.
    fn count(&mut self, arg: Option<BoundExpr>) -> BoundExpr {
        self.add(Function::CountBig, arg, Function::Sum, ExprType::plain(SqlType::BigInt, false))
    }

    fn add(&mut self, made: Function, arg: Option<BoundExpr>, joined: Function, ty: ExprType) -> BoundExpr {
        let place = self.made.len();
        let one = |function, arg| Aggregate { function, arg, distinct: false, ty, joining: None };
        self.made.push(one(made, arg));
        self.joined.push(one(joined, Some(BoundExpr::column(self.first + place, ty))));
        BoundExpr::column(place, ty)
    }
}

fn cast(expr: BoundExpr, ty: ExprType) -> BoundExpr {
    BoundExpr { kind: Kind::Cast { expr: Box::new(expr), style: None, try_: false }, ty }
}
