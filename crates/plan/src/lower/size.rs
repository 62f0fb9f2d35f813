//! How many rows relations have, about: by the tables' sizes when the plan is made, by statistics, and by rules of thumb.
//!
//! Z1: nothing is wrong when an estimate is; it chooses among plans of the same rows.

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Rel, RelJoin};
use millpond_catalog::{TableDef, TableStorage};

use crate::lowering::Lowering;
use crate::scan::narrow::view_rows;
use millpond_rewrite::terms::conjuncts;
use millpond_seek::{self as seek, TableRequest};

/// Part of the rows that groups are, when nothing is known of them.
pub(crate) const GROUPS: f64 = 0.25;

/// About how many rows a relation has; `None` without an estimate.
pub(crate) fn estimate(lowering: &Lowering<'_>, rel: &Rel) -> Option<f64> {
    sizes(lowering, rel).rows
}

/// Each relation is looked at once, however many joins stand above it.
fn sizes(lowering: &Lowering<'_>, rel: &Rel) -> Sizes {
    match rel {
        Rel::Filter { input, predicate } if matches!(**input, Rel::View { .. }) => {
            let Rel::View { view, .. } = **input else { return Sizes::whole(None) };
            let (rows, all) = view_rows(view, &conjuncts(predicate.clone()));
            Sizes { rows: Some(rows), all: Some(all) }
        }
        Rel::Filter { input, predicate } => {
            let below = sizes(lowering, input);
            let rows = below.rows.map(|rows| {
                let conjuncts = conjuncts(predicate.clone());
                let share: f64 = conjuncts.iter().map(|conjunct| share(lowering, input, conjunct)).product();
                (rows * share).max(1.0)
            });
            Sizes { rows, ..below }
        }
        Rel::Project { input, .. } | Rel::Sort { input, .. } | Rel::Distinct(input) => sizes(lowering, input),
        Rel::Join { kind, left, right, on } => {
            let sizes = (sizes(lowering, left), sizes(lowering, right));
            let share = on.as_ref().map_or(1.0, |on| join_share((left, right), (sizes.0.all, sizes.1.all), on));
            Sizes::whole(sizes.0.rows.zip(sizes.1.rows).map(|(left_rows, right_rows)| {
                let joined = left_rows * right_rows * share;
                match kind {
                    RelJoin::Inner => joined.max(1.0),
                    RelJoin::Left => joined.max(left_rows),
                    RelJoin::Right => joined.max(right_rows),
                    RelJoin::Full => joined.max(left_rows + right_rows),
                }
            }))
        }
        rel => Sizes::whole(plain_rows(lowering, rel)),
    }
}

/// The rows of a relation that no filter and no join is at the top of.
fn plain_rows(lowering: &Lowering<'_>, rel: &Rel) -> Option<f64> {
    Some(match rel {
        Rel::Table { binding, .. } => *lowering.options.table_rows.get(*binding)? as f64,
        Rel::View { view, .. } => view_rows(view, &[]).1,
        Rel::Values { rows, .. } => rows.len() as f64,
        Rel::Window { input, .. } | Rel::OrElse { input, .. } => estimate(lowering, input)?,
        Rel::Expand { input, sets, .. } => estimate(lowering, input)? * sets.len() as f64,
        Rel::Aggregate { groups, .. } if groups.is_empty() => 1.0,
        Rel::Aggregate { input, .. } => (estimate(lowering, input)? * GROUPS).max(1.0),
        Rel::Top { input, count: Some(count), percent: false, .. } => {
            let rows = estimate(lowering, input);
            match &count.kind {
                Kind::Literal(value) => {
                    let count = value.as_i64()? as f64;
                    rows.map_or(count, |rows| rows.min(count))
                }
                _ => rows?,
            }
        }
        Rel::Set { left, right, .. } => estimate(lowering, left)? + estimate(lowering, right)?,
        _ => return None,
    })
}

/// Which part of a relation's rows a predicate lets pass: by statistics, or by rule of thumb.
pub(crate) fn share(lowering: &Lowering<'_>, input: &Rel, conjunct: &BoundExpr) -> f64 {
    let by_statistics = match input {
        Rel::Table { def, .. } if def.storage == TableStorage::Trees => {
            let request = TableRequest {
                def,
                first: 0,
                is_known: &|_| false,
                conjuncts: &[],
                needed: &[],
                order: &[],
                goal: None,
                forced: None,
                guide: &lowering.options.guide,
            };
            seek::share(&request, conjunct)
        }
        _ => None,
    };
    by_statistics.unwrap_or_else(|| share_by_rule(input, conjunct))
}

/// About how many rows a relation has before its filters; `None` without an estimate.
pub(crate) fn all_rows(lowering: &Lowering<'_>, rel: &Rel) -> Option<f64> {
    sizes(lowering, rel).all
}

/// Estimates of a relation.
#[derive(Clone, Copy)]
struct Sizes {
    rows: Option<f64>,
    /// Rows before its filters.
    all: Option<f64>,
}

impl Sizes {
    fn whole(rows: Option<f64>) -> Sizes {
        Sizes { rows, all: rows }
    }
}

/// Which part of all pairs of rows a join's condition lets pass; `all`: the sides' rows before their filters.
fn join_share((left, right): (&Rel, &Rel), all: (Option<f64>, Option<f64>), on: &BoundExpr) -> f64 {
    let width = left.width();
    let pairs = conjuncts(on.clone()).into_iter().filter_map(|conjunct| match conjunct.kind {
        Kind::Compare(CompareOp::Eq, a, b, _) => match (a.kind, b.kind) {
            (Kind::Column(a), Kind::Column(b)) if a < width && b >= width => Some((a, b - width)),
            (Kind::Column(b), Kind::Column(a)) if a < width && b >= width => Some((a, b - width)),
            _ => None,
        },
        _ => None,
    });
    share_of_keys((left, right), all, &pairs.collect::<Vec<_>>())
}

/// Which part of all pairs of rows have equal keys, given the sides' rows before their filters: a row finds one of a unique key's.
pub(crate) fn share_of_keys(
    (left, right): (&Rel, &Rel),
    all: (Option<f64>, Option<f64>),
    pairs: &[(usize, usize)],
) -> f64 {
    if pairs.is_empty() {
        return 1.0;
    }
    let (of_left, of_right): (Vec<usize>, Vec<usize>) = pairs.iter().copied().unzip();
    let unique = |rel: &Rel, columns: &[usize], rows: Option<f64>| {
        let covered = unique_keys(rel).iter().any(|key| key.iter().all(|column| columns.contains(column)));
        if covered { rows } else { None }
    };
    let known = unique(right, &of_right, all.1).into_iter().chain(unique(left, &of_left, all.0));
    if let Some(keys) = known.reduce(f64::max) {
        return 1.0 / keys.max(1.0);
    }
    // Nothing is known: as many values as the root of the larger side.
    let values = all.0.unwrap_or(1.0).max(all.1.unwrap_or(1.0)).max(1.0).sqrt();
    1.0 / values.powi(pairs.len().min(2) as i32)
}

/// Sets of columns that no two rows have equal.
fn unique_keys(rel: &Rel) -> Vec<Vec<usize>> {
    match rel {
        Rel::Table { def, .. } => {
            let unique = def.indexes.iter().filter(|index| index.unique && !index.key.is_empty());
            unique
                .filter(|index| index.filter.is_none() && !index.disabled)
                .map(|index| index.key.iter().map(|key| key.column).collect())
                .collect()
        }
        Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Window { input, .. } => unique_keys(input),
        Rel::Distinct(input) => vec![(0..input.types().len()).collect()],
        Rel::Project { input, exprs } => {
            let place = |column: &usize| {
                exprs.iter().position(|expr| matches!(expr.kind, Kind::Column(passed) if passed == *column))
            };
            unique_keys(input).iter().filter_map(|key| key.iter().map(place).collect()).collect()
        }
        Rel::Aggregate { groups, .. } => vec![(0..groups.len()).collect()],
        _ => Vec::new(),
    }
}

/// Which part of a table's rows a predicate lets pass, by rule of thumb; a whole unique key gives one row.
fn share_by_rule(input: &Rel, conjunct: &BoundExpr) -> f64 {
    let (op, left, right) = match &conjunct.kind {
        Kind::Compare(op, left, right, _) => (op, left, right),
        Kind::Like { .. } => return 0.1,
        Kind::InList(_, list, _) => return (0.1 * list.len() as f64).min(0.5),
        Kind::Not(operand) => return 1.0 - share_by_rule(input, operand).min(0.9),
        _ => return 0.5,
    };
    let column = match (&left.kind, &right.kind) {
        (Kind::Column(column), _) | (_, Kind::Column(column)) => *column,
        _ => return 0.5,
    };
    let is_key = |def: &TableDef| {
        def.indexes.iter().any(|index| index.unique && index.key.len() == 1 && index.key[0].column == column)
    };
    match (op, input) {
        (CompareOp::Eq, Rel::Table { def, .. }) if is_key(def) => 0.0,
        (CompareOp::Eq, _) => 0.1,
        (CompareOp::NotEq, _) => 0.9,
        _ => 0.3,
    }
}
