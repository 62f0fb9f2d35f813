//! Statistics as objects of a table: those of its indexes and those of CREATE STATISTICS. What they say of the rows is
//! not here: that is made of the rows and kept in memory.

pub mod histogram;

use std::sync::Arc;

use crate::algebra::expr::BoundExpr;
use crate::algebra::table::{IndexDef, TableDef};
use crate::name::names_equal;

/// Statistics with the columns' positions, and the index that they belong to.
#[derive(Clone, Debug)]
pub struct StatisticsObject {
    /// `sys.stats.stats_id`
    pub id: u16,
    /// Name.
    pub name: String,
    /// Positions of the columns; those of an index beside the rows go on with the key of the rows.
    pub columns: Vec<usize>,
    /// How many of them its definition names.
    pub named: usize,
    /// Position of the index in the table's; none for CREATE STATISTICS.
    pub index: Option<usize>,
    /// They stay as they are until UPDATE STATISTICS.
    pub no_recompute: bool,
    /// WHERE of CREATE STATISTICS; that of an index is the index's own.
    pub filter: Option<Arc<(String, BoundExpr)>>,
}

impl StatisticsObject {
    fn of_index(def: &TableDef, position: usize, index: &IndexDef) -> StatisticsObject {
        let mut columns: Vec<usize> = index.key.iter().map(|key| key.column).collect();
        let named = columns.len();
        if !index.holds_rows() && !index.unique {
            let rows = def.indexes.first().map_or(&[][..], |rows| &rows.key);
            columns.extend(
                rows.iter().map(|key| key.column).filter(|column| !index.key.iter().any(|key| key.column == *column)),
            );
        }
        StatisticsObject {
            id: index.id,
            name: index.name.clone(),
            columns,
            named,
            index: Some(position),
            no_recompute: index.options.no_recompute,
            filter: None,
        }
    }

    /// WHERE as written, of the statistics or of the index that they are of.
    #[must_use]
    pub fn filter_in<'o>(&'o self, def: &'o TableDef) -> Option<&'o str> {
        match self.index {
            Some(position) => def.indexes[position].filter.as_ref().map(|(text, _)| text.as_str()),
            None => self.filter.as_ref().map(|filter| filter.0.as_str()),
        }
    }

    /// `column_id` of the columns.
    #[must_use]
    pub fn column_ids(&self, def: &TableDef) -> Vec<i32> {
        self.columns.iter().map(|column| def.columns[*column].id).collect()
    }
}

impl TableDef {
    /// The statistics of the table in order of their numbers.
    #[must_use]
    pub fn statistics_objects(&self) -> Vec<StatisticsObject> {
        let indexes = self.indexes.iter().enumerate().filter(|(_, index)| index.id != 0);
        let mut all: Vec<StatisticsObject> =
            indexes.map(|(position, index)| StatisticsObject::of_index(self, position, index)).collect();
        all.extend(self.statistics.iter().map(|made| StatisticsObject {
            id: made.id,
            name: made.name.clone(),
            columns: made.columns.iter().filter_map(|id| self.column_by_id(*id)).collect(),
            named: made.columns.len(),
            index: None,
            no_recompute: made.no_recompute,
            filter: made.filter.clone(),
        }));
        all.sort_by_key(|object| object.id);
        all
    }

    /// The statistics of a name.
    #[must_use]
    pub fn statistics_object(&self, name: &str) -> Option<StatisticsObject> {
        self.statistics_objects().into_iter().find(|object| names_equal(&object.name, name))
    }

    /// A number for new statistics or a new index beside the rows.
    #[must_use]
    pub fn next_index_id(&self) -> u16 {
        let taken = self.indexes.iter().map(|index| index.id).chain(self.statistics.iter().map(|made| made.id));
        taken.max().unwrap_or(0).max(1) + 1
    }
}
