//! Aggregates of distinct values as groups: an aggregate that has to remember values cannot spill them, groups can.
//!
//! `COUNT(DISTINCT a) … GROUP BY g` becomes `COUNT(a) … GROUP BY g` over the groups of `g, a`. Where aggregates are of several
//! values, or others stand beside them, each row comes once for each value and once for the others:
//!
//! ```text
//!   SUM(c), COUNT(DISTINCT a), COUNT(DISTINCT b)      groups of g, a, b    with           groups of g
//!     rows of g, a, b, c ──▶ a row for the others       g, –, –            SUM(c)   ──▶   the only one of these
//!                            a row for a                g, a, –                           COUNT(a)
//!                            a row for b                g, –, b                           COUNT(b)
//! ```
//!
//! What always holds: no aggregate counts NULLs, so those of one kind of row take no notice of the other kinds.

use std::collections::HashSet;

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction as Function, Rel};
use millpond_types::{Collation, SqlType, Value};

use crate::terms::is_volatile;

/// Values in one aggregation at most: [`Rel::Expand`] has no more.
const VALUES_MAX: usize = 32;

/// The aggregate over an input in normal form.
pub fn aggregate(input: Rel, groups: Vec<BoundExpr>, aggregates: Vec<Aggregate>) -> Rel {
    let values = values(&aggregates);
    let is_fixed = |expr: &BoundExpr| !is_volatile(expr) && !eval::needs_plan(expr);
    let can_be_groups = values.len() <= VALUES_MAX && values.iter().all(is_fixed);
    match &values[..] {
        [value] if can_be_groups && aggregates.iter().all(|aggregate| is_of(aggregate, value)) => {
            of_one(input, groups, value.clone(), aggregates)
        }
        [_, ..] if can_be_groups && groups.iter().all(is_fixed) => of_several(input, groups, &values, aggregates),
        _ => Rel::Aggregate { input: Box::new(input), groups, aggregates },
    }
}

/// The values whose duplicates matter to an aggregate.
fn values(aggregates: &[Aggregate]) -> Vec<BoundExpr> {
    let mut known = HashSet::new();
    let matters =
        |aggregate: &&Aggregate| aggregate.distinct && !matches!(aggregate.function, Function::Min | Function::Max);
    let all = aggregates.iter().filter(matters).filter_map(|aggregate| aggregate.arg.as_ref());
    all.filter(|value| known.insert(value.text())).cloned().collect()
}

/// Whether an aggregate is of the distinct ones of these values.
fn is_of(aggregate: &Aggregate, value: &BoundExpr) -> bool {
    aggregate.distinct && aggregate.arg.as_ref().is_some_and(|arg| arg.same_as(value))
}

/// The same over rows that have each of its values once.
fn plain(aggregate: Aggregate, arg: BoundExpr) -> Aggregate {
    Aggregate { arg: Some(arg), distinct: false, ..aggregate }
}

fn columns(from: usize, of: impl IntoIterator<Item = ExprType>) -> Vec<BoundExpr> {
    of.into_iter().enumerate().map(|(index, ty)| BoundExpr::column(from + index, ty)).collect()
}

fn nullable(ty: ExprType) -> ExprType {
    ExprType { nullable: true, ..ty }
}

fn of_one(input: Rel, groups: Vec<BoundExpr>, value: BoundExpr, aggregates: Vec<Aggregate>) -> Rel {
    let outer = columns(0, groups.iter().map(|group| group.ty));
    let arg = BoundExpr::column(groups.len(), value.ty);
    let inner = groups.into_iter().chain([value]).collect();
    let inner = Rel::Aggregate { input: Box::new(input), groups: inner, aggregates: Vec::new() };
    let aggregates = aggregates.into_iter().map(|aggregate| plain(aggregate, arg.clone())).collect();
    Rel::Aggregate { input: Box::new(inner), groups: outer, aggregates }
}

fn of_several(input: Rel, groups: Vec<BoundExpr>, values: &[BoundExpr], aggregates: Vec<Aggregate>) -> Rel {
    let value_of = |aggregate: &Aggregate| values.iter().position(|value| is_of(aggregate, value));
    let has_others = aggregates.iter().any(|aggregate| value_of(aggregate).is_none());
    let (expanded, own_values, is_others) = expanded(input, values, has_others);
    let outer = columns(0, groups.iter().map(|group| group.ty));
    let inner: Vec<BoundExpr> = groups.into_iter().chain(own_values).collect();
    let mut others = Vec::new();
    let mut results = Vec::new();
    for aggregate in &aggregates {
        results.push(match value_of(aggregate) {
            Some(value) => {
                let place = outer.len() + value;
                plain(aggregate.clone(), BoundExpr::column(place, inner[place].ty))
            }
            None => {
                let other = of_rows(aggregate, &is_others);
                let only = BoundExpr::column(inner.len() + others.len(), other.ty);
                others.push(other);
                Aggregate { function: Function::Max, joining: None, ty: only.ty, ..plain(aggregate.clone(), only) }
            }
        });
    }
    let inner = Rel::Aggregate { input: Box::new(expanded), groups: inner, aggregates: others };
    let shown = shown(&outer, &results, &aggregates);
    let result = Rel::Aggregate { input: Box::new(inner), groups: outer, aggregates: results };
    Rel::Project { input: Box::new(result), exprs: shown }
}

/// Each row once for each value, with that value alone, and once without any for the others; with the columns of the
/// values, and whether a row is one for the others.
fn expanded(input: Rel, values: &[BoundExpr], has_others: bool) -> (Rel, Vec<BoundExpr>, BoundExpr) {
    let width = input.types().len();
    let no_value = (1_i64 << values.len()) - 1;
    let of_value = (0..values.len()).map(|value| no_value & !(1 << value));
    let sets = has_others.then_some(no_value).into_iter().chain(of_value).collect();
    let expanded = Rel::Expand { input: Box::new(input), groups: values.to_vec(), sets };
    let mut own = columns(width, expanded.types().into_iter().skip(width));
    let set = own.pop().expect("the number of the set is the last column");
    let number = BoundExpr::literal(Value::BigInt(no_value), set.ty.sql);
    let is_others = Kind::Compare(CompareOp::Eq, Box::new(set), Box::new(number), Collation::LATIN1_CI_AS);
    (expanded, own, BoundExpr::predicate(is_others))
}

/// The aggregate over the rows alone for which `condition` holds.
fn of_rows(aggregate: &Aggregate, condition: &BoundExpr) -> Aggregate {
    let arg = aggregate.arg.clone().unwrap_or_else(|| BoundExpr::literal(Value::Int(1), SqlType::Int));
    let ty = nullable(arg.ty);
    let arg = BoundExpr { kind: Kind::Case { branches: vec![(condition.clone(), arg)], otherwise: None }, ty };
    Aggregate { ty: nullable(aggregate.ty), ..plain(aggregate.clone(), arg) }
}

/// The columns as they were: a count of no rows is 0, and has no maximum.
fn shown(groups: &[BoundExpr], results: &[Aggregate], aggregates: &[Aggregate]) -> Vec<BoundExpr> {
    let of = |(index, (result, wanted)): (usize, (&Aggregate, &Aggregate))| {
        let column = BoundExpr::column(groups.len() + index, result.ty);
        let zero = match wanted.function {
            Function::Count => Value::Int(0),
            Function::CountBig => Value::BigInt(0),
            _ => return BoundExpr { ty: wanted.ty, ..column },
        };
        let is_null = BoundExpr::predicate(Kind::IsNull(Box::new(column.clone())));
        let branches = vec![(is_null, BoundExpr::literal(zero, wanted.ty.sql))];
        BoundExpr { kind: Kind::Case { branches, otherwise: Some(Box::new(column)) }, ty: wanted.ty }
    };
    groups.iter().cloned().chain(results.iter().zip(aggregates).enumerate().map(of)).collect()
}
