//! What the text of a query says before anything of it is bound.

use millpond_catalog::names_equal;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Query, QueryBody, TableRef};

/// A query whose rows have no order of their own: ORDER BY there chooses rows for TOP or OFFSET, or orders FOR XML.
///
/// # Errors
/// 1033
pub(crate) fn unordered(query: &Query) -> SqlResult<()> {
    let has_top = matches!(&query.body, QueryBody::Select(select) if select.top.is_some());
    match query.order_by.first() {
        Some(item) if !has_top && query.offset.is_none() && query.for_clause.is_none() => {
            Err(SqlError::of(1033, 1, &[]).at(item.expr.line))
        }
        _ => Ok(()),
    }
}

/// Whether the FROM of a query mentions a name.
pub(crate) fn mentions_in(body: &QueryBody, name: &str) -> bool {
    fn in_table(table: &TableRef, name: &str) -> bool {
        match table {
            TableRef::Named { name: found, .. } => found.parts.len() == 1 && names_equal(&found.parts[0], name),
            TableRef::Function { .. } | TableRef::OpenJson { .. } | TableRef::OpenXml { .. } => false,
            TableRef::Derived { query, .. } => mentions_in(&query.body, name),
            TableRef::Join { left, right, .. } => in_table(left, name) || in_table(right, name),
            TableRef::Sample { table, .. } | TableRef::Pivot { table, .. } | TableRef::Unpivot { table, .. } => {
                in_table(table, name)
            }
        }
    }
    match body {
        QueryBody::Select(select) => select.from.iter().any(|table| in_table(table, name)),
        QueryBody::Nested(query) => mentions_in(&query.body, name),
        QueryBody::Values(_) => false,
        QueryBody::SetOperation { left, right, .. } => mentions_in(left, name) || mentions_in(right, name),
    }
}
