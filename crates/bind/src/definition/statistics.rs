//! CREATE STATISTICS, and which statistics UPDATE STATISTICS means.

use std::sync::Arc;

use millpond_catalog::{StatisticsDef, StatisticsObject, TableDef, names_equal};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{CreateStatistics, UpdateStatistics, find_option};

use crate::binder::Binder;
use crate::definition::kept_text::{CONDITION_UNITS_MAX, kept_text};
use crate::definition::over_table::over_columns;

/// Columns of statistics at most.
const COLUMNS_MAX: usize = 64;

/// The statistics that are meant of a table's.
///
/// # Errors
/// 2767
pub fn targets(mut objects: Vec<StatisticsObject>, update: &UpdateStatistics) -> SqlResult<Vec<StatisticsObject>> {
    let is_named = |object: &StatisticsObject| update.names.iter().any(|name| names_equal(name, &object.name));
    if let Some(name) = update.names.iter().find(|name| !objects.iter().any(|object| names_equal(name, &object.name))) {
        return Err(SqlError::of(2767, 1, &[name]));
    }
    let columns_only = find_option(&update.options, "COLUMNS").is_some();
    let indexes_only = find_option(&update.options, "INDEX").is_some();
    objects.retain(|object| {
        let kind = if object.index.is_some() { !columns_only } else { !indexes_only };
        kind && (update.names.is_empty() || is_named(object))
    });
    Ok(objects)
}

/// What CREATE STATISTICS says of a table that has these statistics.
///
/// # Errors
/// 1927, 1911, 1909, 1904; what does not bind in its WHERE.
pub fn new_statistics(
    binder: &mut Binder<'_>,
    (def, known): (&TableDef, &[StatisticsObject]),
    create: &CreateStatistics,
) -> SqlResult<StatisticsDef> {
    if known.iter().any(|object| names_equal(&object.name, &create.name)) {
        return Err(SqlError::of(1927, 1, &[&def.two_part_name(), &create.name]));
    }
    let mut columns: Vec<i32> = Vec::with_capacity(create.columns.len());
    for name in &create.columns {
        let position = def.column(name).ok_or_else(|| SqlError::of(1911, 1, &[&name]))?;
        let id = def.columns[position].id;
        if columns.contains(&id) {
            return Err(SqlError::of(1909, 1, &[&"statistics", &name]));
        }
        columns.push(id);
    }
    if columns.len() > COLUMNS_MAX {
        return Err(SqlError::of(
            1904,
            1,
            &[&"statistics", &create.name, &def.name, &columns.len(), &"statistics", &COLUMNS_MAX],
        ));
    }
    let no_recompute = find_option(&create.options, "NORECOMPUTE").is_some();
    let filter = match &create.filter {
        None => None,
        Some(filter) => {
            let bound = over_columns(binder, &def.name, &def.columns, |binder| binder.condition(filter))?;
            Some(Arc::new((kept_text(&def.name, filter, CONDITION_UNITS_MAX)?, bound)))
        }
    };
    Ok(StatisticsDef { id: def.next_index_id(), name: create.name.clone(), columns, no_recompute, filter })
}
