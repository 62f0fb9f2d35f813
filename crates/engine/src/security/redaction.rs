//! Errors that show values of rows, of statements over masked columns: a session without UNMASK on all of these gets no value.
//!
//! What always holds: a number, its severity and its state stay; of the text stays what SQL Server's message says whatever the values
//! are. Which column a value is of is not asked: one masked column in one table of the statement is enough.

use millpond_catalog::run::Run;
use millpond_catalog::{TableDef, mask_sources};
use millpond_message::error::SqlError;

use crate::context::{RunContext, TableBinding};

/// The error of a statement over bound tables, as the session may see it.
#[must_use]
pub fn redacted(ctx: &RunContext, tables: &[TableBinding], error: SqlError) -> SqlError {
    redacted_for(ctx, tables.iter().map(|table| &*table.def), error)
}

/// The error of what reads or changes rows of these tables, as the session may see it.
#[must_use]
pub fn redacted_for<'t>(ctx: &RunContext, tables: impl IntoIterator<Item = &'t TableDef>, error: SqlError) -> SqlError {
    if ctx.facts.security.is_sa() || !error.shows_values() {
        return error;
    }
    if tables.into_iter().all(|table| sees_all(ctx, table)) { error } else { error.without_values() }
}

/// Whether the session sees all that a table hides.
fn sees_all(ctx: &RunContext, table: &TableDef) -> bool {
    let masked = table.columns.iter().filter_map(|column| Some((column.id, column.mask.as_ref()?)));
    let mut sources = masked.flat_map(|(id, mask)| mask_sources(table, id, mask));
    sources.all(|(database, object, column)| ctx.principals().sees_column(database, object, column))
}
