//! What is known of the values of a relation's column: which table's column it is, and what filters left of it.

use millpond_catalog::TableDef;
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::{ForcedPath, Rel, RelJoin};
use millpond_catalog::statistics::overlap::Spread;
use millpond_rewrite::terms::{conjuncts, plain};
use millpond_seek::{self as seek, TableRequest};

use crate::lowering::Lowering;

/// Levels of a relation that are looked through.
const LEVELS_MAX: usize = 64;

/// Where a column comes from.
pub(super) struct Origin<'r> {
    /// The table.
    pub(super) table: &'r Rel,
    pub(super) column: usize,
    /// What the rows of the table are asked where they are read.
    filter: Option<&'r BoundExpr>,
    /// Each value comes once, or with each value of other columns.
    is_grouped: bool,
    /// Rows of an outer join may have NULL in its place.
    pub(super) is_padded: bool,
}

/// The values of a column.
pub(super) struct Column {
    /// Those of all rows that pass what is said of the column itself; none without statistics.
    pub(super) spread: Option<Spread>,
    /// Part of the rows that are not NULL.
    pub(super) not_null: f64,
    /// Rows of its table: it has no more values.
    pub(super) most: Option<f64>,
    /// No two rows of its table have the same value.
    pub(super) is_unique: bool,
}

/// Which table's column a relation's column is: through what hands rows on or drops some, through joins and groups.
pub(super) fn origin(rel: &Rel, column: usize) -> Option<Origin<'_>> {
    within(rel, column, rel.width(), LEVELS_MAX)
}

/// The same of a relation of so many columns, no more than so many levels below it: chains of outer joins are as long as they
/// may be, and how wide each of them is would be counted again and again.
fn within(rel: &Rel, column: usize, width: usize, levels: usize) -> Option<Origin<'_>> {
    let levels = levels.checked_sub(1)?;
    let below = |input, column| within(input, column, width, levels);
    let other = |input, column: usize| within(input, column, Rel::width(input), levels);
    match rel {
        Rel::Table { def, .. } if column < def.columns.len() => {
            Some(Origin { table: rel, column, filter: None, is_grouped: false, is_padded: false })
        }
        Rel::Filter { input, predicate } => {
            let below = below(input, column)?;
            let filter = if matches!(**input, Rel::Table { .. }) { Some(predicate) } else { below.filter };
            Some(Origin { filter, ..below })
        }
        Rel::Sort { input, .. } | Rel::Top { input, .. } => below(input, column),
        Rel::Distinct(input) => below(input, column).map(|below| Origin { is_grouped: true, ..below }),
        Rel::Window { input, calls, .. } => {
            let width = width - calls.len();
            (column < width).then(|| within(input, column, width, levels))?
        }
        Rel::Project { input, exprs } => other(input, plain(exprs.get(column)?)?),
        Rel::Aggregate { input, groups, .. } => {
            let below = other(input, plain(groups.get(column)?)?)?;
            Some(Origin { is_grouped: true, ..below })
        }
        Rel::Join { kind, left, right, .. } => {
            let right_width = right.width();
            let left_width = width - right_width;
            let (below, is_padded) = if column < left_width {
                (within(left, column, left_width, levels)?, matches!(kind, RelJoin::Right | RelJoin::Full))
            } else {
                let below = within(right, column - left_width, right_width, levels)?;
                (below, matches!(kind, RelJoin::Left | RelJoin::Full))
            };
            Some(Origin { is_padded: is_padded || below.is_padded, ..below })
        }
        Rel::Apply { left, right, .. } => {
            let left_width = width - right.width();
            (column < left_width).then(|| within(left, column, left_width, levels))?
        }
        _ => None,
    }
}

/// What is known of a relation's column; none of what is no table's.
pub(super) fn column(lowering: &Lowering<'_>, rel: &Rel, place: usize) -> Option<Column> {
    let Origin { table, column, filter, is_grouped, .. } = origin(rel, place)?;
    let Rel::Table { binding, def, .. } = table else { return None };
    let most = lowering.options.table_rows.get(*binding).map(|rows| *rows as f64);
    let is_unique = is_unique(def, column);
    let unknown = Column { spread: None, not_null: 1.0, most, is_unique };
    let guide = &lowering.options.guide;
    let Some(statistics) = guide.column_statistics(def, column).filter(|known| known.rows > 0) else {
        return Some(unknown);
    };
    let request = TableRequest {
        def,
        first: 0,
        is_known: &|_| false,
        conjuncts: &[],
        needed: &[],
        order: &[],
        goal: None,
        forced: ForcedPath::default(),
        guide,
    };
    let conjuncts = filter.map(|filter| conjuncts(filter.clone())).unwrap_or_default();
    let spread = seek::spread_of(&request, &conjuncts, column, &statistics);
    let all = statistics.rows as f64;
    let nulls = statistics.rows_null();
    // What is compared is not NULL.
    let not_null = if spread.rows + nulls < all * 0.99 { 1.0 } else { 1.0 - nulls / all };
    let spread = if is_grouped { spread.once() } else { spread };
    Some(Column { spread: Some(spread), not_null, ..unknown })
}

fn is_unique(def: &TableDef, column: usize) -> bool {
    let is_key = |index: &millpond_catalog::IndexDef| {
        index.unique && index.filter.is_none() && index.key.len() == 1 && index.key[0].column == column
    };
    def.indexes.iter().any(is_key)
}

/// How many distinct values there are in some of the rows that have so many: as if they were drawn by chance.
pub(super) fn drawn(distinct: f64, all: f64, rows: f64) -> f64 {
    if distinct <= 1.0 || rows >= all || all <= 0.0 {
        return distinct.min(rows.max(1.0));
    }
    (distinct * (1.0 - (1.0 - rows / all).powf(all / distinct))).clamp(1.0, rows.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::drawn;

    #[test]
    fn values_are_drawn_with_the_rows() {
        assert_eq!(drawn(10.0, 1_000.0, 1_000.0), 10.0);
        assert!((drawn(10.0, 1_000.0, 500.0) - 10.0).abs() < 0.01);
        assert!((drawn(1_000.0, 1_000.0, 100.0) - 100.0).abs() < 0.01);
        assert!((drawn(500.0, 1_000.0, 10.0) - 10.0).abs() < 0.1);
        assert_eq!(drawn(500.0, 1_000.0, 0.0), 1.0);
    }
}
