//! A relation becomes a plan: each of its kinds by the file that knows it.

use datafusion::logical_expr::Expr;
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::rel::{Rel, SortKey};
use millpond_message::error::SqlResult;
use millpond_types::SqlType;

use crate::lower::scalar::{Asks, Unknown};
use crate::lower::{
    aggregate, alternatives, apply, join, keyed_apply, members, recursion, rollup, scalar, sets, shared, size, table,
    windows,
};
use crate::lowering::node::Operation;
use crate::lowering::{Lowered, Lowering};
use crate::operator::row_width;
use crate::scan::leaf::Origin;
use millpond_rewrite::first::fixed_rows;
use millpond_rewrite::terms::{self, conjuncts};
use millpond_rewrite::{normal, outer};

/// The plan that computes a relation.
pub(crate) fn lowered(lowering: &Lowering<'_>, rel: &Rel) -> SqlResult<Lowered> {
    lowering.options.check()?;
    match rel {
        Rel::Table { .. } | Rel::View { .. } | Rel::Function(..) | Rel::Call(..) | Rel::Unfold { .. } => {
            table::scan(lowering, table::leaf_of(lowering, rel, &[])?, &[])
        }
        Rel::Series { args, ty } => sets::series(lowering, args, ty),
        Rel::Apply { left, right, keeps_left } => keyed_apply::apply(lowering, left, right, *keeps_left),
        Rel::Values { rows, types } => values(lowering, rows, types),
        Rel::Filter { input, predicate } => filter(lowering, input, predicate),
        Rel::Project { input, exprs } => projection(lowering, input, exprs),
        Rel::Join { kind, hint, left, right, on } => join::join(lowering, (*kind, *hint), left, right, on.as_ref()),
        Rel::Aggregate { input, groups, aggregates } => {
            if let Some(grouped) = rollup::by_levels(lowering, input, groups, aggregates)? {
                return Ok(grouped);
            }
            let expected = if groups.is_empty() { None } else { size::estimate(lowering, rel) };
            aggregate::aggregate(lowering, input, groups, aggregates, expected)
        }
        Rel::Window { input, partition, order, calls } => {
            windows::window(lowering, input, partition, order, calls, None)
        }
        Rel::Expand { input, groups, sets } => sets::expand(lowering, input, groups, sets),
        Rel::OrElse { input, rows } => sets::or_else(lowering, input, rows),
        Rel::Text { input, by, in_pieces, .. } => sets::text(lowering, input, by, *in_pieces),
        Rel::Sort { input, keys } => {
            let input = lowering.rel(input)?;
            lowering.sort(input, keys, None)
        }
        Rel::Top { input, count, percent, ties, offset } => {
            top(lowering, input, count.as_ref(), *percent, ties, offset.as_ref())
        }
        Rel::Distinct(input) => {
            let types = input.types();
            let columns: Vec<BoundExpr> = types.iter().enumerate().map(|(at, ty)| BoundExpr::column(at, *ty)).collect();
            aggregate::aggregate(lowering, input, &columns, &[], size::estimate(lowering, rel))
        }
        Rel::Set { op, all, left, right } => join::set(lowering, *op, *all, left, right),
        Rel::Recursive { anchor, members, types, levels, .. } => {
            recursion::recursive(lowering, anchor, members, types, *levels)
        }
    }
}

pub(crate) fn values(lowering: &Lowering<'_>, rows: &[Vec<BoundExpr>], types: &[ExprType]) -> SqlResult<Lowered> {
    let needs_plan = rows.iter().flatten().any(eval::needs_plan);
    if !needs_plan {
        let rows = rows.iter().map(|row| table::over_outer(lowering, row, 0)).collect();
        let types = types.iter().map(|ty| ty.sql).collect();
        return table::scan(lowering, table::leaf(lowering, Origin::Values(rows), types, None), &[]);
    }
    let inputs =
        rows.iter().map(|row| lowering.project(table::one_row(lowering)?, row)).collect::<SqlResult<Vec<Lowered>>>()?;
    lowering.concat(inputs)
}

/// An input of more rows is not asked alone for what an inner query says: one thread would do that, and all that follows.
const ASKED_ROWS: f64 = 100_000.0;

pub(crate) fn filter(lowering: &Lowering<'_>, input: &Rel, predicate: &BoundExpr) -> SqlResult<Lowered> {
    let mut remaining = conjuncts(predicate.clone());
    if matches!(input, Rel::Join { .. } | Rel::Project { .. })
        && remaining.iter().any(eval::needs_plan)
        && shared::kept_class(lowering, input).is_none()
    {
        let count = remaining.len();
        let is_small = |of: &Rel| size::estimate(lowering, of).is_some_and(|rows| rows <= ASKED_ROWS);
        let (asked, above) = normal::ask_inputs(input.clone(), remaining, &is_small);
        if above.len() < count {
            return match terms::all(above) {
                Some(above) => filter(lowering, &asked, &above),
                None => lowering.rel(&asked),
            };
        }
        remaining = above;
    }
    let is_alone = remaining.len() == 1;
    let mut lowered = match input {
        Rel::Table { .. } | Rel::View { .. } | Rel::Function(..) | Rel::Call(..) | Rel::Unfold { .. } => {
            let (here, above): (Vec<_>, Vec<_>) =
                remaining.into_iter().partition(|conjunct| !eval::needs_plan(conjunct));
            remaining = above;
            match members::led_by_members(lowering, input, &here, &mut remaining)? {
                Some(led) => led,
                None => match alternatives::alternatives(lowering, input, &here) {
                    Some(ways) => alternatives::of_seeks(lowering, input, ways)?,
                    None => {
                        let leaf = table::leaf_below_queries(lowering, input, &here, &remaining)?;
                        table::scan(lowering, leaf, &here)?
                    }
                },
            }
        }
        Rel::Window { input: of, partition, order, calls } if shared::kept_class(lowering, input).is_none() => {
            windows::window(lowering, of, partition, order, calls, windows::first_rows(input, &remaining))?
        }
        _ => lowering.rel(input)?,
    };
    let mut above = Vec::new();
    let rows = if remaining.is_empty() { None } else { size::estimate(lowering, input) };
    for conjunct in remaining {
        match join::semi_join(lowering, lowered, &conjunct, rows)? {
            (joined, None) => lowered = joined,
            (unchanged, Some(conjunct)) => {
                lowered = unchanged;
                above.push(conjunct);
            }
        }
    }
    let width = lowered.columns.len();
    let asks = if is_alone && !is_filtered(input) { Asks::All } else { Asks::Left };
    let (lowered, above) = scalar::scalar_joins(lowering, lowered, input, above, (Unknown::Drops, asks))?;
    let mut filtered = lowering.filtered(lowered, &above)?;
    filtered.columns.truncate(width);
    Ok(filtered)
}

/// Whether conditions have dropped rows of a relation.
fn is_filtered(rel: &Rel) -> bool {
    match rel {
        Rel::Filter { .. } => true,
        Rel::Project { .. } | Rel::Join { .. } | Rel::Sort { .. } => rel.inputs().into_iter().any(is_filtered),
        _ => false,
    }
}

/// New rows computed from a relation's rows, in their order. Joins keep no order, so those that stand for subqueries
/// go below a sort; above TOP, which leaves few rows, subqueries are run.
pub(crate) fn projection(lowering: &Lowering<'_>, input: &Rel, exprs: &[BoundExpr]) -> SqlResult<Lowered> {
    let joined = |input: &Rel| {
        let asked = (Unknown::Differs, Asks::All);
        scalar::scalar_joins(lowering, lowering.rel(input)?, input, exprs.to_vec(), asked)
    };
    match input {
        Rel::Sort { input, keys } => {
            let (input, exprs) = joined(input)?;
            lowering.project(lowering.sort(input, keys, None)?, &exprs)
        }
        Rel::Top { .. } => lowering.project(lowering.rel(input)?, exprs),
        _ => {
            let (input, exprs) = joined(input)?;
            lowering.project(input, &exprs)
        }
    }
}

pub(crate) fn top(
    lowering: &Lowering<'_>,
    input: &Rel,
    count: Option<&BoundExpr>,
    percent: bool,
    ties: &[SortKey],
    offset: Option<&BoundExpr>,
) -> SqlResult<Lowered> {
    let fixed = if percent || !ties.is_empty() { None } else { fixed_rows(count, offset) };
    let fetch = fixed.and_then(|rows| usize::try_from(rows).ok());
    if let (Some(rows), None) = (fetch, offset)
        && let Some(led) = led_by_order(lowering, input, (count, rows))?
    {
        return Ok(led);
    }
    let Lowered { plan, columns } = match input {
        Rel::Sort { input, keys } => lowering.sort(lowering.rel(input)?, keys, fetch)?,
        _ => lowering.rel(input)?,
    };
    let keys = ties.iter().map(|key| lowering.sort_key(key, &columns)).collect::<SqlResult<Vec<Expr>>>()?;
    let (plan, keys) = lowering.with_columns(plan, keys)?;
    let mut exprs = Vec::new();
    for bound in count.into_iter().chain(offset) {
        exprs.push(lowering.expr(bound, &[])?);
    }
    exprs.extend(keys.into_iter().map(Expr::Column));
    let operation = Operation::Top { has_count: count.is_some(), has_offset: offset.is_some(), percent };
    Ok(Lowered { plan: lowering.node(operation, exprs, vec![plan])?, columns })
}

/// The first rows of a table in the order of an index, which is read as far as they are. They are a plan of their own that runs
/// once: its rows keep their order, and are held as a whole, so they must be few bytes.
fn led_by_order(
    lowering: &Lowering<'_>,
    input: &Rel,
    (count, rows): (Option<&BoundExpr>, usize),
) -> SqlResult<Option<Lowered>> {
    if !matches!(input, Rel::Sort { .. }) || outer::reads_beyond(input, 1) {
        return Ok(None);
    }
    let types: Vec<SqlType> = input.types().into_iter().map(|ty| ty.sql).collect();
    if types.iter().any(SqlType::is_unbounded) || rows * row_width::row_bytes(&types) > row_width::LARGE_BYTES_MAX {
        return Ok(None);
    }
    let first = Rel::Top {
        input: Box::new(input.clone()),
        count: count.cloned(),
        percent: false,
        ties: Vec::new(),
        offset: None,
    };
    if !table::rowwise(lowering, &first)?.is_some_and(|plan| plan.ordered) {
        return Ok(None);
    }
    apply::apply(lowering, &Rel::one_row(), &first, false).map(Some)
}
