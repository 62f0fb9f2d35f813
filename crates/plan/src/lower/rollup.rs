//! Grouping sets of which each has groups that the one before has: each set's groups are made of the groups of the one before, not of
//! the rows.
//!
//! ```text
//!   rows ──▶ a, b, c ──▶ spool ─┬─▶ a, b ──▶ spool ─┬─▶ a ──▶ …
//!                               └─────────┐         └───┐
//!                                         ▼             ▼
//!                               a, b, c, 0   ++   a, b, NULL, 1   ++ …
//! ```

use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::rel::{Aggregate, Rel};
use millpond_message::error::SqlResult;
use millpond_rewrite::grouping_sets::chain;

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
    // A part that has no value for an error would be missing from what is made of it.
    if !lowering.runs_once() || lowering.options.null_on_error {
        return Ok(None);
    }
    let Some(chain) = chain(input, groups, aggregates) else { return Ok(None) };
    if size::estimate(lowering, &chain.first).is_none_or(|groups| groups < LEVEL_ROWS) {
        return Ok(None);
    }
    let mut types: Vec<ExprType> = chain.first.types();
    let mut rows = lowering.rel(&chain.first)?;
    let mut parts = Vec::with_capacity(chain.levels());
    for level in 1..chain.levels() {
        // Read for the result and for the next level.
        let place = shared::keep(lowering, rows)?;
        parts.push(lowering.project(shared::reader(lowering, place)?, &chain.shown(level - 1, &types))?);
        let (by, made) = chain.level(level, &types);
        types = by.iter().map(|group| group.ty).chain(made.iter().map(|one| one.ty)).collect();
        rows = aggregate::of_rows(lowering, shared::reader(lowering, place)?, (&by, &[]), &made, None)?;
    }
    parts.push(lowering.project(rows, &chain.shown(chain.levels() - 1, &types))?);
    let all = lowering.concat(parts)?;
    lowering.project(all, &chain.results).map(Some)
}
