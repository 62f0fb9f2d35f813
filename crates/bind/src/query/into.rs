//! The table that SELECT INTO makes of a query's columns.

use std::sync::Arc;

use millpond_catalog::{ColumnDef, TableDef, names_equal};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;

use crate::binder::bound_query::BoundQuery;
use crate::definition::table::check_column_count;
use crate::query::origin::declared_in;

/// The definition of SELECT INTO's table. A column that is one of a table in the same database, `home`, keeps the alias type
/// that it was declared with; `identity`: which column has one.
///
/// # Errors
/// 1038 for a column without a name, 2705 for two of one name, 1702 for too many.
pub fn table_of(
    bound: &BoundQuery,
    name: &ObjectName,
    home: Option<DbId>,
    identity: Option<(usize, (i64, i64))>,
) -> SqlResult<Arc<TableDef>> {
    let last = name.last();
    let mut columns: Vec<ColumnDef> = Vec::with_capacity(bound.names.len());
    for (index, (name, ty)) in bound.names.iter().zip(bound.rel.types()).enumerate() {
        if name.is_empty() {
            return Err(SqlError::of(1038, 5, &[]));
        }
        check_column_count("CREATE TABLE", columns.len(), (name, last))?;
        if columns.iter().any(|known| names_equal(&known.name, name)) {
            return Err(SqlError::of(2705, 3, &[&name, &last]));
        }
        let mut column = ColumnDef::new(columns.len() as i32 + 1, name.clone(), ty);
        column.user_type = declared_in(&bound.rel, index)
            .filter(|(table, _)| home == Some(table.database) && !table.is_temporary())
            .and_then(|(_, declared)| declared.user_type.clone());
        columns.push(column);
    }
    if let Some((place, numbers)) = identity {
        columns[place].identity = Some(numbers);
    }
    Ok(Arc::new(TableDef::new(last.clone(), columns, Vec::new())))
}
