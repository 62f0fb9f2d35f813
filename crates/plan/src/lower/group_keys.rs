//! Whether rows are grouped by keys of tables before texts: where few groups are expected to be left ([`millpond_rewrite::group_keys`]).

use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::{Aggregate, JoinMethods, Rel};
use millpond_rewrite::group_keys::{Keyed, by_keys, determined};

use crate::lower::size;
use crate::lowering::Lowering;

/// Fewer rows are grouped as they are.
const KEYED_ROWS: f64 = 2_000.0;
/// The part of the rows that groups by keys may be, with what else is read: each of them is joined and grouped once more.
const KEYED_PART: f64 = 0.8;
/// What a row of a table costs that is read for the second grouping, in rows that are grouped by texts.
const READ_ROW: f64 = 0.2;

/// Which groups of a relation's rows are known by others; not asked where there are few rows.
pub(crate) fn determined_groups(lowering: &Lowering<'_>, input: &Rel, groups: &[BoundExpr]) -> Vec<bool> {
    if groups.len() < 2 || !are_texts_of_many(lowering, input, groups) {
        return Vec::new();
    }
    determined(input, groups, &|rel| lowering.shared.class(rel).is_some())
}

/// Rows grouped by keys of tables first, where that leaves few of them.
pub(crate) fn keyed(
    lowering: &Lowering<'_>,
    input: &Rel,
    groups: &[BoundExpr],
    aggregates: &[Aggregate],
) -> Option<Keyed> {
    if lowering.options.joins != JoinMethods::ALL || !are_texts_of_many(lowering, input, groups) {
        return None;
    }
    let pays = |input: &Rel, groups: &[BoundExpr], tables: &[&Rel]| {
        let Some(rows) = size::estimate(lowering, input) else { return false };
        let left = size::groups(lowering, input, groups).unwrap_or(rows);
        let read: f64 = tables.iter().map(|table| size::estimate(lowering, table).unwrap_or(rows)).sum();
        left + READ_ROW * read <= KEYED_PART * rows
    };
    by_keys(input, groups, aggregates, (&|rel| lowering.shared.class(rel).is_some(), &pays))
}

/// Whether texts are among the groups, and the rows are many.
fn are_texts_of_many(lowering: &Lowering<'_>, input: &Rel, groups: &[BoundExpr]) -> bool {
    groups.iter().any(|group| group.ty.sql.is_string())
        && size::estimate(lowering, input).is_some_and(|rows| rows >= KEYED_ROWS)
}
