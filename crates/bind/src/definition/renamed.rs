//! A table's definition with another name of a column or an index: the same for stored and temporary tables.

use millpond_catalog::{ComputedDef, IndexDef, TableDef, names_equal};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::print::bracketed;

use crate::definition::column_users::reads;
use crate::definition::index_list::with_indexes;

/// A table with another name for a column; `old` is the whole name as it was given.
///
/// # Errors
/// 15248 where there is none, 15335 for a name that is taken, 15336 for a column that a text names.
pub fn renamed_column(def: &TableDef, column: &str, (old, new): (&str, &str)) -> SqlResult<TableDef> {
    let position = def.column(column).ok_or_else(|| ambiguous("COLUMN"))?;
    if def.column(new).is_some_and(|other| other != position) {
        return Err(duplicate(new, "COLUMN"));
    }
    if is_in_texts(def, position) {
        return Err(SqlError::of(15_336, 1, &[&old]));
    }
    let mut changed = with_indexes(def, def.indexes.clone());
    new.clone_into(&mut changed.columns[position].name);
    // The condition of a rule names its column and no other.
    let (old, new) = (bracketed(&def.columns[position].name), bracketed(new));
    for rule in changed.checks.iter_mut().filter(|check| !check.is_constraint() && reads(&check.expr, position)) {
        rule.text = rule.text.replace(&old, &new);
    }
    Ok(changed)
}

/// A table with another name for an index.
///
/// # Errors
/// 15248 where there is none, 15335 for a name that is taken.
pub fn renamed_index(def: &TableDef, index: &str, new: &str) -> SqlResult<TableDef> {
    let position = def.indexes.iter().position(|known| !known.name.is_empty() && names_equal(&known.name, index));
    let position = position.ok_or_else(|| ambiguous("INDEX"))?;
    let taken = |(at, known): (usize, &IndexDef)| at != position && names_equal(&known.name, new);
    let is_statistics = def.statistics.iter().any(|made| names_equal(&made.name, new));
    if is_statistics || def.indexes.iter().enumerate().any(taken) {
        return Err(duplicate(new, "INDEX"));
    }
    let mut changed = with_indexes(def, def.indexes.clone());
    new.clone_into(&mut changed.indexes[position].name);
    Ok(changed)
}

/// 15248: it is not there, or its kind is not what was said.
pub fn ambiguous(kind: &str) -> SqlError {
    let shown = if kind.is_empty() { "OBJECT" } else { kind };
    SqlError::of(15_248, 1, &[&shown])
}

/// Whether a text of a condition or computed column names the column.
fn is_in_texts(def: &TableDef, position: usize) -> bool {
    let is_computed_of = |computed: &ComputedDef| reads(&computed.expr, position);
    def.checks.iter().any(|check| check.is_constraint() && reads(&check.expr, position))
        || def.columns.iter().any(|column| column.computed.as_ref().is_some_and(is_computed_of))
        || def.statistics.iter().any(|made| made.filter.as_ref().is_some_and(|filter| reads(&filter.1, position)))
        || def.indexes.iter().any(|index| index.filter.as_ref().is_some_and(|(_, filter)| reads(filter, position)))
}

/// 15335
pub fn duplicate(new: &str, kind: &str) -> SqlError {
    SqlError::of(15_335, 1, &[&new, &kind])
}
