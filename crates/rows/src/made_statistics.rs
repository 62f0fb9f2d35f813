//! What CREATE STATISTICS makes of a temporary table. It is kept beside the rows, and the definition stays as it is: what is bound to that
//! needs nothing of it. A rollback does not bring back which statistics there are.

use std::sync::Arc;

use millpond_bind::definition::index_list::with_indexes;
use millpond_catalog::{StatisticsDef, StatisticsObject, TableDef, names_equal};
use millpond_engine::inventory::ListedTable;
use millpond_engine::rows::TableRows;
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};

/// CREATE STATISTICS; `make` makes them, and where it cannot they are not there.
///
/// # Errors
/// Those of `make`.
pub fn add(
    table: &TempTable,
    made: StatisticsDef,
    make: impl FnOnce(&TableRows, &StatisticsObject) -> SqlResult<()>,
) -> SqlResult<()> {
    let (rows, id) = (table.rows(), made.id);
    let counters = rows.counters();
    let before = counters.statistics.made();
    counters.statistics.add_made(made);
    let object = table.def.named_statistics(&counters.statistics).into_iter().find(|object| object.id == id);
    make(&rows, &object.expect("added above")).inspect_err(|_| counters.statistics.set_made(before))
}

/// NORECOMPUTE of some statistics of a temporary table, or not any more; that of an index is its own.
pub fn fix(rows: &TableRows, meant: &[StatisticsObject], no_recompute: bool) {
    let counters = rows.counters();
    let mut made = counters.statistics.made();
    for one in made.iter_mut().filter(|made| meant.iter().any(|object| object.id == made.id)) {
        one.no_recompute = no_recompute;
    }
    counters.statistics.set_made(made);
}

/// DROP STATISTICS of the name `own` of a temporary table, if there is one; `whole` is how the statement names them.
///
/// # Errors
/// 3701 where there are none, but with `if_exists`; 3739 for those of an index.
pub fn drop(table: Option<&TempTable>, own: &str, whole: &str, if_exists: bool) -> SqlResult<()> {
    let all = table.map(|table| ListedTable::temporary(table).statistics()).unwrap_or_default();
    let object = all.into_iter().find(|object| names_equal(&object.name, own));
    let Some((table, object)) = table.zip(object) else {
        return if if_exists { Ok(()) } else { Err(message::cannot_drop("statistics", whole)) };
    };
    if object.index.is_some() {
        return Err(SqlError::of(3739, 1, &[&whole]));
    }
    let counters = table.rows().counters();
    let mut made = counters.statistics.made();
    made.retain(|made| made.id != object.id);
    counters.statistics.set_made(made);
    counters.statistics.forget(object.id);
    Ok(())
}

/// The definition of a temporary table with the statistics that statements made of it: for who looks whether a name or a number is taken,
/// or a column is used.
#[must_use]
pub fn with_made(table: &TempTable) -> Arc<TableDef> {
    let made = made_of(table);
    if made.is_empty() {
        return Arc::clone(&table.def);
    }
    let mut def = with_indexes(&table.def, table.def.indexes.clone());
    def.statistics.extend(made);
    Arc::new(def)
}

/// A temporary table that takes another one's place has its statistics, to be made of the rows when they are asked for. A filter is
/// bound to the columns by their places: where these change it goes.
pub fn take_over(old: &TempTable, new: &TempTable) {
    let mut made = made_of(old);
    if made.is_empty() {
        return;
    }
    let numbers = |def: &TableDef| def.columns.iter().map(|column| column.id).collect::<Vec<_>>();
    let (before, after) = (numbers(&old.def), numbers(&new.def));
    let stay = after.starts_with(&before) || before.starts_with(&after);
    made.retain(|made| stay || made.filter.is_none());
    new.rows().counters().statistics.set_made(made);
}

fn made_of(table: &TempTable) -> Vec<StatisticsDef> {
    table.rows().known_counters().map(|counters| counters.statistics.made()).unwrap_or_default()
}
