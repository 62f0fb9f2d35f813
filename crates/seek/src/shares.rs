//! Which part of a table's rows conditions let pass, for a plan that compares sizes: by the statistics of every column that they
//! speak of.
//!
//! ```text
//!   conjuncts ──▶ those of one column together ──▶ a share each ──▶ s1 · √s2 · ∜s3 · …   the least first
//! ```
//! What always holds: a share is a guess, and no row is left out because of it. Columns are taken to hang together somewhat, so each
//! further one narrows less (as SQL Server's estimator has it since 2014). Columns that an index has together are asked of it.

use std::cmp::Ordering;
use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::statistics::histogram::Statistics;
use millpond_catalog::statistics::overlap::Spread;
use millpond_catalog::{IndexDef, TableDef};
use millpond_types::{Value, compare};

use crate::choose::fact;
use crate::estimate::{Fact, share_of, share_of_prefix};
use crate::found::known;
use crate::{Access, Ends, Probe, RangeBound, TableRequest, sargable};

/// Shares that count; what further ones would narrow is left out.
const SHARES_MAX: usize = 4;

/// What conjuncts say of one column, and its statistics.
struct OfColumn<'a> {
    column: usize,
    statistics: Arc<Statistics>,
    facts: Vec<Fact<'a>>,
}

/// The part of all rows that pass several conditions, by the part that passes each: the least counts whole, the next by its square
/// root, and so on.
pub fn backed_off(mut shares: Vec<f64>) -> f64 {
    shares.sort_by(f64::total_cmp);
    let parts = shares.into_iter().take(SHARES_MAX).zip([1.0, 0.5, 0.25, 0.125]);
    parts.map(|(share, power): (f64, f64)| share.clamp(0.0, 1.0).powf(power)).product()
}

/// The part of the table's rows for which all conjuncts are true; `by_rule` knows it of those of which statistics say nothing.
pub fn passing(request: &TableRequest<'_>, conjuncts: &[&BoundExpr], by_rule: &dyn Fn(&BoundExpr) -> f64) -> f64 {
    let mut shares = Vec::new();
    let mut columns: Vec<OfColumn<'_>> = Vec::new();
    let mut equal: Vec<Probe> = Vec::new();
    for conjunct in conjuncts {
        let fact = fact(request, conjunct);
        if let Some(Fact::Equal(column, value)) = &fact
            && !equal.iter().any(|probe| probe.column == *column)
        {
            equal.push(Probe::equal((*value).clone(), *column));
        }
        let known = fact.and_then(|fact| Some((statistics_of(request, fact.column())?, fact)));
        match known {
            None => shares.push(one(request, conjunct, by_rule)),
            Some((statistics, fact)) => match columns.iter_mut().find(|known| known.column == fact.column()) {
                Some(known) => known.facts.push(fact),
                None => columns.push(OfColumn { column: fact.column(), statistics, facts: vec![fact] }),
            },
        }
    }
    if is_single(request.def, &equal) {
        return 0.0;
    }
    if let Some((share, taken)) = together(request, &equal) {
        shares.push(share);
        columns.retain(|known| !taken.contains(&known.column));
    }
    shares.extend(columns.iter().map(|known| of_column(request, known)));
    backed_off(shares)
}

/// Statistics that begin with a column.
fn statistics_of(request: &TableRequest<'_>, column: usize) -> Option<Arc<Statistics>> {
    request.guide.column_statistics(request.def, column).filter(|statistics| statistics.rows > 0)
}

/// Whether one row at most has these values.
fn is_single(def: &TableDef, equal: &[Probe]) -> bool {
    let is_whole = |index: &IndexDef| {
        index.unique
            && !index.key.is_empty()
            && index.filter.is_none()
            && prefix_of(index, equal).len() == index.key.len()
    };
    def.indexes.iter().any(is_whole)
}

/// The values of the first columns of an index.
fn prefix_of(index: &IndexDef, equal: &[Probe]) -> Vec<Probe> {
    let of = |column: usize| equal.iter().find(|probe| probe.column == column).cloned();
    index.key.iter().map_while(|key| of(key.column)).collect()
}

/// The part of the rows that have the values of several columns which an index begins with, and these columns.
fn together(request: &TableRequest<'_>, equal: &[Probe]) -> Option<(f64, Vec<usize>)> {
    let figures = request.guide.figures(request.def)?;
    let of = |(index, statistics): (&IndexDef, &Option<Arc<Statistics>>)| {
        let statistics = statistics.clone().filter(|statistics| statistics.rows > 0 && index.filter.is_none())?;
        Some((prefix_of(index, equal), statistics)).filter(|(prefix, _)| prefix.len() > 1)
    };
    let best = request.def.indexes.iter().zip(&figures.indexes).filter_map(of).max_by_key(|(prefix, _)| prefix.len());
    let (prefix, statistics) = best?;
    let columns = prefix.iter().map(|probe| probe.column).collect();
    let access = Access { prefix, ..Access::whole(0, true) };
    request.guide.note(request.def, &statistics, &access);
    Some((share_of_prefix(request.def, &statistics, &access, request.guide.peeked().values()), columns))
}

/// The part of the rows that pass what is said of one column.
fn of_column(request: &TableRequest<'_>, known: &OfColumn<'_>) -> f64 {
    let (def, values) = (request.def, request.guide.peeked().values());
    let share = |fact: &Fact<'_>| {
        fact.access().iter().for_each(|access| request.guide.note(def, &known.statistics, access));
        share_of(def, &known.statistics, fact, values)
    };
    let equal =
        known.facts.iter().filter(|fact| matches!(fact, Fact::Equal(..) | Fact::Same(..) | Fact::In(..))).map(share);
    let ranges = ends_of((def, values), known.column, &known.facts)
        .map(|ends| share(&Fact::Range(known.column, Box::new(ends))));
    let least = equal.chain(ranges).reduce(f64::min);
    least.unwrap_or_else(|| known.facts.iter().map(share).fold(1.0, f64::min))
}

/// The narrowest of the ranges of a column.
fn ends_of(of: (&TableDef, &[Value]), column: usize, facts: &[Fact<'_>]) -> Option<Ends> {
    let ranges = facts.iter().filter_map(|fact| match fact {
        Fact::Range(_, ends) => Some((**ends).clone()),
        _ => None,
    });
    ranges
        .reduce(|one, other| (narrower(of, column, one.0, other.0, true), narrower(of, column, one.1, other.1, false)))
}

fn narrower(
    (def, values): (&TableDef, &[Value]),
    column: usize,
    one: Option<RangeBound>,
    other: Option<RangeBound>,
    is_low: bool,
) -> Option<RangeBound> {
    let ty = &def.columns[column].ty;
    let value =
        |bound: &RangeBound| sargable::guessed(bound, is_low, &ty.sql, ty.collation, values).map(|(value, _)| value);
    let (Some(first), Some(second)) = (&one, &other) else { return one.or(other) };
    match (value(first), value(second)) {
        (Some(a), Some(b)) => {
            let second_is_lower = compare::compare(&b, &a, ty.collation) == Ordering::Less;
            if second_is_lower == is_low { one } else { other }
        }
        (None, Some(_)) => other,
        _ => one,
    }
}

/// The part of the rows for which a conjunct is true that is no comparison which an index could serve.
fn one(request: &TableRequest<'_>, conjunct: &BoundExpr, by_rule: &dyn Fn(&BoundExpr) -> f64) -> f64 {
    let known = match &conjunct.kind {
        Kind::Or(..) => {
            let misses = |part: &BoundExpr| 1.0 - passing(request, &parts(part, and), by_rule);
            Some(1.0 - parts(conjunct, or).into_iter().map(misses).product::<f64>())
        }
        Kind::Not(operand) => not(request, operand, by_rule),
        Kind::IsNull(operand) => own_column(request, operand).and_then(|column| nulls(request, column)),
        Kind::Compare(CompareOp::NotEq, left, right, collation) => {
            let equal = Kind::Compare(CompareOp::Eq, left.clone(), right.clone(), *collation);
            not(request, &BoundExpr { kind: equal, ty: conjunct.ty }, by_rule)
        }
        Kind::Compare(CompareOp::Eq, left, right, _) => {
            let values = |side: &BoundExpr| {
                let statistics = statistics_of(request, own_column(request, side)?)?;
                statistics.distinct.first().copied()
            };
            values(left).zip(values(right)).map(|(left, right)| 1.0 / left.max(right).max(1.0))
        }
        _ => None,
    };
    known.unwrap_or_else(|| by_rule(conjunct))
}

/// The operands of a chain of AND or OR. There may be thousands, one inside the other.
fn parts(expr: &BoundExpr, split: fn(&Kind) -> Option<[&BoundExpr; 2]>) -> Vec<&BoundExpr> {
    let (mut all, mut rest) = (Vec::new(), vec![expr]);
    while let Some(next) = rest.pop() {
        match split(&next.kind) {
            Some([left, right]) => rest.extend([right, left]),
            None => all.push(next),
        }
    }
    all
}

fn and(kind: &Kind) -> Option<[&BoundExpr; 2]> {
    match kind {
        Kind::And(left, right) => Some([left, right]),
        _ => None,
    }
}

fn or(kind: &Kind) -> Option<[&BoundExpr; 2]> {
    match kind {
        Kind::Or(left, right) => Some([left, right]),
        _ => None,
    }
}

/// The rows for which a condition is false: neither true nor unknown, as it is of NULL.
fn not(request: &TableRequest<'_>, operand: &BoundExpr, by_rule: &dyn Fn(&BoundExpr) -> f64) -> Option<f64> {
    match &operand.kind {
        Kind::And(..) | Kind::Or(..) => Some(1.0 - passing(request, &parts(operand, and), by_rule)),
        Kind::IsNull(operand) => Some(1.0 - nulls(request, own_column(request, operand)?)?),
        _ => {
            let fact = fact(request, operand)?;
            let statistics = statistics_of(request, fact.column())?;
            let unknown = statistics.rows_null() / statistics.rows as f64;
            Some(
                (1.0 - share_of(request.def, &statistics, &fact, request.guide.peeked().values()) - unknown)
                    .clamp(0.0, 1.0),
            )
        }
    }
}

fn nulls(request: &TableRequest<'_>, column: usize) -> Option<f64> {
    let statistics = statistics_of(request, column)?;
    Some((statistics.rows_null() / statistics.rows as f64).clamp(0.0, 1.0))
}

/// The table's column that an expression is.
fn own_column(request: &TableRequest<'_>, expr: &BoundExpr) -> Option<usize> {
    let Kind::Column(place) = expr.kind else { return None };
    place.checked_sub(request.first).filter(|column| *column < request.def.columns.len())
}

/// The values that a column has in the rows for which all conjuncts are true, by what they say of the column itself.
pub fn spread_of(
    request: &TableRequest<'_>,
    conjuncts: &[BoundExpr],
    column: usize,
    statistics: &Statistics,
) -> Spread {
    let all = Spread::of(statistics);
    let facts: Vec<Fact<'_>> = conjuncts.iter().filter_map(|conjunct| fact(request, conjunct)).collect();
    let facts: Vec<Fact<'_>> = facts.into_iter().filter(|fact| fact.column() == column).collect();
    let ty = &request.def.columns[column].ty;
    let peeked = request.guide.peeked().values();
    let value = |expr: &BoundExpr| known(request.def, &Probe::equal(expr.clone(), column), peeked);
    let values = facts.iter().find_map(|fact| match fact {
        Fact::Equal(_, expr) => value(expr).map(|value| vec![value]),
        Fact::In(_, list) => list.iter().map(value).collect::<Option<Vec<Value>>>(),
        _ => None,
    });
    if let Some(values) = values {
        return all.only(values);
    }
    let Some((low, high)) = ends_of((request.def, peeked), column, &facts) else { return all };
    let guess =
        |bound: &Option<RangeBound>, is_low| sargable::guessed(bound.as_ref()?, is_low, &ty.sql, ty.collation, peeked);
    let (low, high) = (guess(&low, true), guess(&high, false));
    fn end(end: &Option<(Value, bool)>) -> Option<(&Value, bool)> {
        end.as_ref().map(|(value, inclusive)| (value, *inclusive))
    }
    all.within(end(&low), end(&high))
}
