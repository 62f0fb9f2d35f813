//! What ALTER TABLE refuses alike for a stored and a temporary table.

use millpond_catalog::{TableDef, names_equal};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ColumnDefinition, ConstraintKind, TableDefinition};

/// 2705: a column of a name that a table has.
pub fn check_new_name(def: &TableDef, name: &str) -> SqlResult<()> {
    if def.column(name).is_none() {
        return Ok(());
    }
    Err(SqlError::of(2705, 4, &[&name, &def.two_part_name()]))
}

/// 4923: a table without columns.
pub fn check_other_columns(def: &TableDef, name: &str) -> SqlResult<()> {
    if def.columns.len() > 1 {
        return Ok(());
    }
    Err(SqlError::of(4923, 1, &[&name, &def.name]))
}

/// 3727 after 3728
pub fn no_such_constraint(name: &str) -> SqlError {
    let unknown = SqlError::of(3728, 1, &[&name]);
    SqlError::of(3727, 0, &[]).after(unknown)
}

/// Counts of what a constraint can be.
pub fn parts(def: &TableDef) -> (usize, usize, usize) {
    let defaults = def.columns.iter().filter(|column| column.default.is_some()).count();
    (def.checks.len(), def.foreign_keys.len(), defaults)
}

/// Whether a new column becomes NOT NULL because it is of a primary key that is added with it: unless it says otherwise, or
/// is computed and not stored.
pub fn is_of_new_key(definition: &TableDefinition, column: &ColumnDefinition) -> bool {
    let is_open = column.nullable.is_none() && (column.computed.is_none() || column.persisted);
    is_open && is_key_column(definition, column)
}

fn is_key_column(definition: &TableDefinition, column: &ColumnDefinition) -> bool {
    let own = column.constraints.iter().any(|constraint| matches!(constraint.kind, ConstraintKind::PrimaryKey(_)));
    own || definition.constraints.iter().any(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => key.columns.iter().any(|part| names_equal(&part.name, &column.name)),
        _ => false,
    })
}
