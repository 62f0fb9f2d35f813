//! How many rows an access finds and what it costs, by statistics.
//!
//! The unit of cost is one entry read in order.

use millpond_catalog::TableDef;
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::statistics::histogram::Statistics;
use millpond_types::Value;

use crate::found::found_then;
use crate::guide::TableFigures;
use crate::{Access, Ends, Probe};

/// Entries that are read in order in the time of one descent of a tree.
pub const SEEK_ROWS: f64 = 10.0;
/// Rows that a table without statistics is taken to have.
pub(crate) const UNMEASURED_ROWS: f64 = 1000.0;

/// The cost of reading a table by an access; none where nothing is known of the keys that it asks for.
pub fn cost(def: &TableDef, figures: &TableFigures, access: &Access) -> Option<f64> {
    let found = rows(def, figures, access)?;
    let descents = access.list.len().max(1) as f64;
    let lookups = if access.covers { 0.0 } else { found };
    Some(SEEK_ROWS * (descents + lookups) + found)
}

/// The cost of reading so many entries of an access, or all where there are fewer.
pub(crate) fn walk_cost(def: &TableDef, figures: Option<&TableFigures>, access: &Access, entries: f64) -> f64 {
    let found = figures.map_or(UNMEASURED_ROWS, |figures| rows(def, figures, access).unwrap_or(figures.rows));
    let walked = entries.min(found).max(1.0);
    let lookups = if access.covers { 0.0 } else { walked };
    SEEK_ROWS * (1.0 + lookups) + walked
}

/// About how many entries an access finds; none where nothing is known of the keys that it asks for.
pub fn rows(def: &TableDef, figures: &TableFigures, access: &Access) -> Option<f64> {
    if access.single {
        return Some(1.0);
    }
    if !access.narrows() {
        return Some(figures.rows);
    }
    let statistics = figures.indexes[access.index].as_deref().filter(|statistics| statistics.rows > 0)?;
    // Rows that came since are like those that were there.
    let growth = figures.rows / statistics.rows as f64;
    Some((found_then(def, statistics, access, figures.peeked.values()) * growth).clamp(1.0, figures.rows.max(1.0)))
}

/// The part of a table's rows that a comparison with one of its columns lets pass; none when nothing is known of it.
pub(crate) fn share(def: &TableDef, figures: &TableFigures, fact: &Fact<'_>) -> Option<f64> {
    let statistics = figures.of_column(def, fact.column()).filter(|statistics| statistics.rows > 0)?;
    Some(share_of(def, &statistics, fact, figures.peeked.values()))
}

/// The same by the statistics of its column.
pub(crate) fn share_of(def: &TableDef, statistics: &Statistics, fact: &Fact<'_>, values: &[Value]) -> f64 {
    let all = statistics.rows as f64;
    match fact.access() {
        Some(access) => (found_then(def, statistics, &access, values) / all).clamp(0.0, 1.0),
        None => (1.0 - statistics.rows_null() / all).clamp(0.0, 1.0),
    }
}

/// The part of a table's rows that an access finds, which has values of the first columns of an index.
pub(crate) fn share_of_prefix(def: &TableDef, statistics: &Statistics, access: &Access, values: &[Value]) -> f64 {
    (found_then(def, statistics, access, values) / statistics.rows.max(1) as f64).clamp(0.0, 1.0)
}

/// What a conjunct says of a column.
pub(crate) enum Fact<'a> {
    Equal(usize, &'a BoundExpr),
    /// It is equal to this, or both are NULL.
    Same(usize, &'a BoundExpr),
    In(usize, &'a [BoundExpr]),
    /// It lies between these.
    Range(usize, Box<Ends>),
    /// It is not NULL.
    Known(usize),
}

impl Fact<'_> {
    /// What would find the rows; none of those that are not NULL.
    pub(crate) fn access(&self) -> Option<Access> {
        let (column, mut access) = (self.column(), Access::whole(0, true));
        let probe = |expr: &BoundExpr| Probe::equal(expr.clone(), column);
        match self {
            Fact::Equal(_, expr) | Fact::Same(_, expr) => access.list.push(probe(expr)),
            Fact::In(_, list) => access.list.extend(list.iter().map(probe)),
            Fact::Range(_, ends) => (access.low, access.high) = (**ends).clone(),
            Fact::Known(_) => return None,
        }
        Some(access)
    }

    /// The column's position in the table.
    pub(crate) fn column(&self) -> usize {
        match self {
            Fact::Equal(column, _) | Fact::Same(column, _) | Fact::In(column, _) => *column,
            Fact::Range(column, ..) | Fact::Known(column) => *column,
        }
    }
}
