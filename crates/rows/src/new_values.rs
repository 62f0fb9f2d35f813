//! New values of columns that have statistics and no index: statistics are old after many of them.
//!
//! Rows that come and go are counted where they are kept (`KnownStatistics::updates_of`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_catalog::TableDef;
use millpond_catalog::statistics::known::KnownStatistics;
use millpond_engine::rows::TableRows;
use millpond_types::Value;

/// The columns of a table whose new values are counted, by position.
#[derive(Debug)]
pub struct NewValues(Vec<(usize, Arc<AtomicU64>)>);

impl NewValues {
    /// Those that have statistics now.
    #[must_use]
    pub fn of(def: &TableDef, known: &KnownStatistics) -> NewValues {
        let position = |(id, count)| Some((def.column_by_id(id)?, count));
        NewValues(known.watched().into_iter().filter_map(position).collect())
    }

    /// The same of a temporary table, which has none until a plan or a statement asked for some.
    #[must_use]
    pub fn of_rows(def: &TableDef, rows: &TableRows) -> NewValues {
        rows.known_counters().map_or(NewValues(Vec::new()), |counters| NewValues::of(def, &counters.statistics))
    }

    /// Counts what a row that was `old` got.
    #[inline]
    pub fn count(&self, old: &[Value], new: &[Value]) {
        for (_, count) in self.0.iter().filter(|(column, _)| old[*column] != new[*column]) {
            count.fetch_add(1, Relaxed);
        }
    }
}
