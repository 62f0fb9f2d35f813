//! What `*` and `table.*` stand for.

use millpond_catalog::expr::BoundExpr;
use millpond_catalog::names_equal;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ObjectName;

use crate::binder::Binder;

pub(crate) fn wildcard(
    binder: &mut Binder<'_>,
    table: Option<&ObjectName>,
    exprs: &mut Vec<BoundExpr>,
    names: &mut Vec<String>,
) -> SqlResult<()> {
    let schema = table.and_then(|table| table.parts.len().checked_sub(2).map(|at| table.parts[at].as_str()));
    let schema = schema.filter(|schema| !schema.is_empty());
    let table = table.and_then(|table| table.parts.last());
    // As a column's prefix, a table's may be one of a query around this one.
    let mut around = binder.scopes.iter().rev().enumerate();
    let found = around.find(|(_, scope)| table.is_none_or(|table| scope.has_table(table)));
    let Some((level, scope)) = found else {
        return Err(message::unknown_prefix(table.map_or("", |table| table.as_str())));
    };
    if scope.tables.is_empty() {
        return Err(SqlError::of(263, 1, &[]));
    }
    for (index, column) in scope.columns.iter().enumerate() {
        let is_meant = table.is_none_or(|table| names_equal(&column.table, table)) && column.is_of(schema);
        if !column.hidden && is_meant {
            exprs.push(BoundExpr { ty: column.ty, ..scope.value(index, level) });
            names.push(column.name.clone());
        }
    }
    Ok(())
}
