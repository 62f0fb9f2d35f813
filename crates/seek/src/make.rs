//! Statistics that statements make now, whether a plan asked or not. They stay when the transaction is rolled back: they only guide.

use std::sync::Arc;

use millpond_catalog::statistics::histogram::Statistics;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{StatisticsObject, TableDef};
use millpond_engine::context::RunContext;
use millpond_engine::rows::TableRows;
use millpond_message::error::SqlResult;

use crate::measure::{Sample, measure};

/// Makes statistics of a table, and keeps them beside its rows; of a disabled index, and of rows in memory, there are none.
/// `persisted_percent` is what later ones read.
///
/// # Errors
/// Those of [`measure`].
pub fn make(
    ctx: &RunContext,
    (def, rows): (&TableDef, &TableRows),
    object: &StatisticsObject,
    sample: Sample,
    persisted_percent: Option<f64>,
) -> SqlResult<()> {
    let is_disabled = object.index.is_some_and(|position| def.indexes[position].disabled);
    if rows.are_in_memory() || is_disabled {
        return Ok(());
    }
    let made = measure(&ctx.ask_other(), (def, rows), (object, Some(ctx)), sample, ctx.engine.now_us().1)?;
    let made = Statistics { persisted_percent, no_recompute: object.no_recompute, ..made };
    rows.counters().statistics.put(object.id, Arc::new(made));
    Ok(())
}

/// The statistics of new and rebuilt indexes of a table that is there already: their trees have just been written.
///
/// # Errors
/// As [`make`].
pub fn make_of_new_indexes(
    ctx: &RunContext,
    def: &TableDef,
    trees: &Arc<TableTrees>,
    old: &TableTrees,
) -> SqlResult<()> {
    let rows = TableRows::Trees(Arc::clone(trees));
    for object in def.statistics_objects() {
        let Some(position) = object.index else { continue };
        let tree = &trees.trees[position];
        let is_new = !old.trees.iter().any(|known| Arc::ptr_eq(known, tree));
        if is_new && tree.known_entries() != Some(0) && object.id != 0 {
            make(ctx, (def, &rows), &object, Sample::Usual, None)?;
        }
    }
    Ok(())
}
