//! Statistics as objects of a table: those of its indexes, those of CREATE STATISTICS, and those of one column that were made
//! because a plan asked. What they say of the rows is not here: that is made of the rows and kept in memory.
//!
//! Automatic ones are in no definition: table and column determine their name and number, and they are there while something is
//! known under that number ([`known::KnownStatistics`]). So none of them changes what a statement was bound to.

pub mod histogram;
pub mod known;
pub mod overlap;
mod part;

use std::sync::Arc;

use millpond_types::SqlType;

use crate::algebra::expr::BoundExpr;
use crate::algebra::table::{IndexDef, StatisticsDef, TableDef};
use crate::name::names_equal;
use crate::statistics::known::KnownStatistics;

/// Numbers of automatic statistics begin here; that of the column is added. Indexes and CREATE STATISTICS have lower ones.
const AUTOMATIC: u16 = 0x8000;

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
    /// Position of the index in the table's; none for CREATE STATISTICS and automatic ones.
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

    fn of_made(def: &TableDef, made: &StatisticsDef) -> StatisticsObject {
        StatisticsObject {
            id: made.id,
            name: made.name.clone(),
            columns: made.columns.iter().filter_map(|id| def.column_by_id(*id)).collect(),
            named: made.columns.len(),
            index: None,
            no_recompute: made.no_recompute,
            filter: made.filter.clone(),
        }
    }

    /// Whether they were made because a plan asked: no statement did.
    #[must_use]
    pub fn is_automatic(&self) -> bool {
        self.id >= AUTOMATIC
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
        all.extend(self.statistics.iter().map(|made| StatisticsObject::of_made(self, made)));
        all.sort_by_key(|object| object.id);
        all
    }

    /// The same with those that statements made of a temporary table.
    #[must_use]
    pub fn named_statistics(&self, known: &KnownStatistics) -> Vec<StatisticsObject> {
        let mut all = self.statistics_objects();
        let made = known.made();
        if !made.is_empty() {
            all.extend(made.iter().map(|made| StatisticsObject::of_made(self, made)));
            all.sort_by_key(|object| object.id);
        }
        all
    }

    /// The statistics of the table that there are, automatic ones with them, in order of their numbers. Automatic ones are
    /// called by the number `table`: that of a temporary table is not in its definition.
    #[must_use]
    pub fn all_statistics(&self, known: &KnownStatistics, table: i32) -> Vec<StatisticsObject> {
        let mut all = self.named_statistics(known);
        let numbers = known.numbers_from(AUTOMATIC);
        let position = |number: u16| self.column_by_id(i32::from(number - AUTOMATIC));
        let automatic = numbers.into_iter().filter_map(|number| self.automatic_statistics(position(number)?));
        all.extend(automatic.filter_map(|object| {
            let made = known.get(object.id, &object.column_ids(self))?;
            let is_same = made.collation == self.columns[object.columns[0]].ty.collation;
            let name = automatic_name(self.columns[object.columns[0]].id, table);
            is_same.then_some(StatisticsObject { name, no_recompute: made.no_recompute, ..object })
        }));
        all
    }

    /// What the automatic statistics of a column are called, whether they are there or not; none of a column that has none:
    /// large values, and what is computed each time it is read.
    #[must_use]
    pub fn automatic_statistics(&self, position: usize) -> Option<StatisticsObject> {
        let column = &self.columns[position];
        let is_stored = column.computed.as_ref().is_none_or(|computed| computed.persisted);
        if column.ty.sql.is_unbounded() || column.ty.sql == SqlType::Variant || column.ty.is_json || !is_stored {
            return None;
        }
        let number = u16::try_from(column.id).ok().filter(|number| *number < AUTOMATIC)?;
        Some(StatisticsObject {
            id: AUTOMATIC + number,
            name: automatic_name(column.id, self.id.0),
            columns: vec![position],
            named: 1,
            index: None,
            no_recompute: false,
            filter: None,
        })
    }

    /// The statistics of a name in the definition.
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

/// What the automatic statistics of a column are called.
fn automatic_name(column: i32, table: i32) -> String {
    format!("_WA_Sys_{column:08X}_{table:08X}")
}
