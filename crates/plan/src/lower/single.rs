//! A query for a value that finds one row at most, by equalities with the outer row, among rows that are grouped or numbered:
//! `(SELECT total FROM totals WHERE totals.k = outer.k)`. All of these are computed once and joined, instead of once per outer row.
//!
//! It does not know whether that is better: where the keys lead to few rows below the groups, it is not ([`beneath`]).

use millpond_builtin::eval;
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::{JoinMethods, Rel};
use millpond_rewrite::terms::{Side, can_fail, is_volatile, plain, shifted, side, substitute};
use millpond_rewrite::unique::is_unique_by;
use millpond_rewrite::{normal, outer};

use crate::lower::seek_join::{self, Outer};
use crate::lower::tie::{Key, key};
use crate::lowering::Lowering;

/// What such a query is made of.
pub(crate) struct Single {
    /// Reads no enclosing query, and has one row for values of the keys.
    pub(crate) base: Rel,
    pub(crate) keys: Vec<Key>,
    /// Over the base.
    pub(crate) output: BoundExpr,
}

/// The query for a value as that; the outer row has so many columns.
pub(crate) fn single(rel: &Rel, width: usize) -> Option<Single> {
    if !outer::reads_beyond(rel, 1) {
        return None;
    }
    let outer::Joinable { base, on, output, .. } = outer::joinable(rel, width)?;
    let output = output.filter(|output| !eval::needs_plan(output) && !is_volatile(output) && !can_fail(output))?;
    // What no row of the base says is not NULL where there is none.
    if on.iter().any(is_volatile) || side(&output, width) != Side::Right {
        return None;
    }
    let keys = on.into_iter().map(|conjunct| key(conjunct, width)).collect::<Option<Vec<Key>>>()?;
    let by: Vec<usize> = keys.iter().filter_map(|key| plain(&key.inner)).collect();
    (!keys.is_empty() && is_unique_by(&base, &by)).then(|| Single { base, keys, output: shifted(output, width) })
}

/// The rows below groups, numbers and projections of which a relation is made, and what the expressions over it are there: where an
/// index leads from the values of these to few rows, no others need be grouped.
fn beneath(rel: &Rel, keys: Vec<BoundExpr>) -> Option<(Rel, Vec<BoundExpr>)> {
    let reads_below = |count: usize| keys.iter().all(|key| plain(key).is_some_and(|column| column < count));
    match rel {
        Rel::Table { .. } | Rel::View { .. } => Some((rel.clone(), keys)),
        Rel::Filter { input, .. } if is_table(input) => Some((normal::normalise(rel.clone()), keys)),
        Rel::Filter { input, .. } | Rel::Distinct(input) | Rel::Sort { input, .. } => beneath(input, keys),
        Rel::Project { input, exprs } => beneath(input, keys.into_iter().map(|key| substitute(key, exprs)).collect()),
        Rel::Aggregate { input, groups, .. } if reads_below(groups.len()) => {
            beneath(input, keys.into_iter().map(|key| substitute(key, groups)).collect())
        }
        Rel::Window { input, partition, .. } => {
            let is_whole =
                |key: &BoundExpr| partition.iter().any(|whole| plain(key).is_some() && plain(whole) == plain(key));
            if keys.iter().all(is_whole) { beneath(input, keys) } else { None }
        }
        _ => None,
    }
}

/// Whether what a query computes of the rows of each key is better computed for the keys of few outer rows alone: because an index leads
/// to the rows of each below the groups and numbers, or because there is one such row.
pub(crate) fn is_run_for_each(lowering: &Lowering<'_>, few: Outer, base: &Rel, on: &[BoundExpr]) -> bool {
    if few.rows.is_some_and(|rows| rows <= ROWS_RUN_MAX) {
        return true;
    }
    let keys: Vec<Key> = on.iter().filter_map(|part| key(part.clone(), few.width)).collect();
    let Some((below, inner)) = beneath(base, keys.iter().map(|key| key.inner.clone()).collect()) else { return false };
    let keys = keys.into_iter().zip(inner).map(|(key, inner)| Key { inner, ..key });
    let on: Vec<BoundExpr> = keys.map(|key| key.over_both(few.width)).collect();
    // Small tables, too, where there are few rows.
    let methods = match few.rows {
        Some(rows) if rows <= ROWS_SOUGHT_MAX && few.methods.loops => JoinMethods::LOOPS,
        _ => few.methods,
    };
    let few = Outer { methods, ..few };
    seek_join::sought(lowering, few, &below, &on, &|column| column.checked_sub(few.width)).is_some()
}

/// For so few rows seeks are made in tables of any size.
const ROWS_SOUGHT_MAX: f64 = 100.0;

/// For so few rows no more is computed than for all.
const ROWS_RUN_MAX: f64 = 1.5;

/// Whether a relation is no more than rows of a table that pass conditions.
pub(crate) fn is_table(rel: &Rel) -> bool {
    match rel {
        Rel::Filter { input, .. } => is_table(input),
        rel => matches!(rel, Rel::Table { .. } | Rel::View { .. }),
    }
}
