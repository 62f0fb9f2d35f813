//! Aggregates of groups made of aggregates of the groups' parts.
//!
//! A1: parts are made and joined so that the results are those that the rows give, their errors too.

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction as Function};
use millpond_types::arith::ArithOp;
use millpond_types::{SqlType, Value};

use crate::terms::{is_volatile, moved};

/// Digits of decimals of which no table has so many rows that their sum has more than a decimal may.
const EXACT_DIGITS_MAX: u8 = 28;
const DIGITS_MAX: u8 = 38;

/// Where the sum of a part may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sums {
    /// Each is one of the results too: one that its type cannot hold is an error in any case.
    AmongResults,
    /// In no result: another part may bring back into the type's range what went beyond it.
    OfParts,
}

/// The aggregates of both steps.
pub(crate) struct Parts {
    /// Those of the parts, over the rows.
    pub(crate) made: Vec<Aggregate>,
    /// Those of the groups, over the groups and aggregates of the parts.
    pub(crate) joined: Vec<Aggregate>,
    /// What was asked for, over the aggregates of the groups.
    pub(crate) results: Vec<BoundExpr>,
}

impl Parts {
    /// Those of aggregates over rows; their parts stand after so many groups.
    pub(crate) fn of(aggregates: &[Aggregate], first: usize, sums: Sums) -> Option<Parts> {
        let mut making = Making { first, sums, made: Vec::new(), joined: Vec::new() };
        let results = aggregates.iter().map(|aggregate| making.aggregate(aggregate)).collect::<Option<Vec<_>>>()?;
        let Making { made, joined, .. } = making;
        Some(Parts { made, joined, results })
    }
}

/// The columns of groups, and results that are over the aggregates behind them.
pub(crate) fn after_groups(groups: &[BoundExpr], results: Vec<BoundExpr>) -> Vec<BoundExpr> {
    let kept = groups.iter().enumerate().map(|(index, group)| BoundExpr::column(index, group.ty));
    let results = results.into_iter().map(|result| moved(result, &|column| column + groups.len()));
    kept.chain(results).collect()
}

struct Making {
    first: usize,
    sums: Sums,
    made: Vec<Aggregate>,
    joined: Vec<Aggregate>,
}

impl Making {
    fn aggregate(&mut self, aggregate: &Aggregate) -> Option<BoundExpr> {
        let Aggregate { function, arg, distinct, ty, joining } = aggregate;
        if *distinct || joining.is_some() || arg.iter().any(|arg| is_volatile(arg) || needs_plan(arg)) {
            return None;
        }
        match function {
            Function::Min | Function::Max => Some(self.add(*function, arg.clone(), *function, *ty)),
            Function::Sum => self.sum(arg.clone()?, *ty),
            Function::Count | Function::CountBig => {
                let count = self.count(arg.clone());
                Some(if *function == Function::CountBig { count } else { cast(count, *ty) })
            }
            Function::Avg => self.mean(arg.clone()?, *ty),
            _ => None,
        }
    }

    fn sum(&mut self, arg: BoundExpr, ty: ExprType) -> Option<BoundExpr> {
        let same = |making: &mut Making, arg| Some(making.add(Function::Sum, Some(arg), Function::Sum, ty));
        match (self.sums, ty.sql) {
            (Sums::AmongResults, _) | (_, SqlType::Real | SqlType::Float) => same(self, arg),
            (_, SqlType::Decimal { .. }) if digits(&arg).is_some_and(|digits| digits <= EXACT_DIGITS_MAX) => {
                same(self, arg)
            }
            (_, SqlType::Int) => {
                let wide = ExprType { sql: SqlType::BigInt, ..ty };
                let arg = cast(arg, wide);
                Some(cast(self.add(Function::Sum, Some(arg), Function::Sum, wide), ty))
            }
            _ => None,
        }
    }

    /// Other averages than these are rounded by rules of their own.
    fn mean(&mut self, arg: BoundExpr, ty: ExprType) -> Option<BoundExpr> {
        if ty.sql == SqlType::Int {
            return Some(self.mean_of_integers(arg, ty));
        }
        let (sum, count) = match (arg.ty.sql, ty.sql) {
            (SqlType::Float, SqlType::Float) => (ty.sql, ty.sql),
            (SqlType::Decimal { scale, .. }, SqlType::Decimal { .. }) => {
                (SqlType::decimal(DIGITS_MAX, scale), SqlType::decimal(DIGITS_MAX, 0))
            }
            _ => return None,
        };
        let sum = self.sum(arg.clone(), ExprType { sql: sum, nullable: true, ..ty })?;
        let count = cast(self.count(Some(arg)), ExprType { sql: count, nullable: false, ..ty });
        Some(quotient(sum, count, ty))
    }

    /// The sum of a mean must be an int as the mean is.
    fn mean_of_integers(&mut self, arg: BoundExpr, ty: ExprType) -> BoundExpr {
        let wide = ExprType { sql: SqlType::BigInt, ..ty };
        let sum = self.add(Function::Sum, Some(cast(arg.clone(), wide)), Function::Sum, wide);
        let sum = cast(cast(sum, ty), wide);
        let count = self.count(Some(arg));
        cast(quotient(sum, count, wide), ty)
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

/// What there is of nothing is NULL.
fn quotient(sum: BoundExpr, count: BoundExpr, ty: ExprType) -> BoundExpr {
    let is_none = BoundExpr::predicate(Kind::IsNull(Box::new(sum.clone())));
    let none = BoundExpr { kind: Kind::Literal(Value::Null), ty };
    let mean = BoundExpr { kind: Kind::Arith(ArithOp::Div, Box::new(sum), Box::new(count)), ty };
    BoundExpr { kind: Kind::Case { branches: vec![(is_none, none)], otherwise: Some(Box::new(mean)) }, ty }
}

fn digits(expr: &BoundExpr) -> Option<u8> {
    match expr.ty.sql {
        SqlType::Decimal { precision, .. } => Some(precision),
        _ => None,
    }
}

fn cast(expr: BoundExpr, ty: ExprType) -> BoundExpr {
    BoundExpr { kind: Kind::Cast { expr: Box::new(expr), style: None, try_: false }, ty }
}
