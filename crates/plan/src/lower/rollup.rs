//! Grouping sets of which each has groups that the one before has: each set's groups are made of the groups of the one before, not of
//! the rows.
//!
//! ```text
//!   rows ──▶ a, b, c ──▶ spool ─┬─▶ a, b ──▶ spool ─┬─▶ a ──▶ …
//!                               └─────────┐         └───┐
//!                                         ▼             ▼
//!                               a, b, c, 0   ++   a, b, NULL, 1   ++ …
//! ```
//! R1: a set without groups has a row only where there are rows: it is grouped by a constant.

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, Rel};
use millpond_message::error::SqlResult;
use millpond_rewrite::grouping_sets::{Chain, Level, chain};
use millpond_rewrite::terms::moved;
use millpond_types::{SqlType, Value};

use crate::lower::{aggregate, shared, size};
use crate::lowering::{Lowered, Lowering};

/// Groups of the first set below which repeating them costs less than a plan for each set.
const LEVEL_ROWS: f64 = 1_000.0;

/// The groups of an input by sets, if these are a chain and that is worth it.
pub(crate) fn by_levels(
    lowering: &Lowering<'_>,
    input: &Rel,
    groups: &[BoundExpr],
    aggregates: &[Aggregate],
) -> SqlResult<Option<Lowered>> {
    let Rel::Expand { input: expanded, .. } = input else { return Ok(None) };
    // A part that has no value for an error would be missing from what is made of it.
    if !lowering.runs_once() || lowering.options.null_on_error {
        return Ok(None);
    }
    let Some(Chain { first, levels, joined, results, width }) = chain(input, aggregates) else { return Ok(None) };
    if levels[0].groups.is_empty() || size::estimate(lowering, &first).is_none_or(|groups| groups < LEVEL_ROWS) {
        return Ok(None);
    }
    // Which group each is, or the set's number.
    let columns = expanded.width();
    let of_sets = |group: &BoundExpr| match group.kind {
        Kind::Column(column) => Some((column.checked_sub(columns)?, group.ty)),
        _ => None,
    };
    let Some(wanted) = groups.iter().map(of_sets).collect::<Option<Vec<_>>>() else { return Ok(None) };

    let mut rows = lowering.rel(&first)?;
    let mut types = first.types();
    let mut parts = Vec::with_capacity(levels.len());
    for (number, level) in levels.iter().enumerate() {
        if let Some(above) = number.checked_sub(1).map(|above| &levels[above]) {
            let (by, made) = of_level_above(above, level, &types, &joined);
            types = by.iter().map(|group| group.ty).chain(made.iter().map(|one| one.ty)).collect();
            rows = aggregate::of_rows(lowering, rows, (&by, &[]), &made, None)?;
        }
        let shown = shown(level, width, &wanted, &types);
        if number + 1 == levels.len() {
            parts.push(lowering.project(rows, &shown)?);
            break;
        }
        // Read for the result and for the next level.
        let place = shared::keep(lowering, rows)?;
        parts.push(lowering.project(shared::reader(lowering, place)?, &shown)?);
        rows = shared::reader(lowering, place)?;
    }
    let all = lowering.concat(parts)?;
    let kept = groups.iter().enumerate().map(|(index, group)| BoundExpr::column(index, group.ty));
    let results = results.into_iter().map(|result| moved(result, &|column| column + groups.len()));
    lowering.project(all, &kept.chain(results).collect::<Vec<BoundExpr>>()).map(Some)
}

/// The groups and aggregates of a level over the columns of the one above it, which have these types.
fn of_level_above(
    above: &Level,
    level: &Level,
    types: &[ExprType],
    joined: &[Aggregate],
) -> (Vec<BoundExpr>, Vec<Aggregate>) {
    let place = |group: &usize| above.groups.iter().position(|known| known == group);
    let column = |place: usize| BoundExpr::column(place, types[place]);
    let mut by: Vec<BoundExpr> = level.groups.iter().filter_map(place).map(column).collect();
    if by.is_empty() {
        by.push(BoundExpr { kind: Kind::Literal(Value::Int(0)), ty: ExprType::plain(SqlType::Int, false) });
    }
    let first = columns_of(above);
    let made =
        joined.iter().enumerate().map(|(index, one)| Aggregate { arg: Some(column(first + index)), ..one.clone() });
    (by, made.collect())
}

/// How many of a level's columns come before its aggregates (R1).
fn columns_of(level: &Level) -> usize {
    level.groups.len().max(1)
}

/// What the statement groups by, and the aggregates, over a level's columns of these types.
fn shown(level: &Level, width: usize, wanted: &[(usize, ExprType)], types: &[ExprType]) -> Vec<BoundExpr> {
    let group = |&(group, ty): &(usize, ExprType)| match level.groups.iter().position(|known| *known == group) {
        Some(place) => BoundExpr::column(place, ty),
        None if group == width => BoundExpr { kind: Kind::Literal(Value::BigInt(level.set)), ty },
        None => BoundExpr { kind: Kind::Literal(Value::Null), ty },
    };
    let made = (columns_of(level)..types.len()).map(|place| BoundExpr::column(place, types[place]));
    wanted.iter().map(group).chain(made).collect()
}
