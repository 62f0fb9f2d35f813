//! Tables that hold rows for another statement: what INSERT … EXEC gathers before it inserts.

use std::sync::Arc;

use millpond_catalog::expr::ExprType;
use millpond_catalog::{ColumnDef, TableDef};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::Insert;

use crate::binder::Binder;
use crate::binder::names::Named;
use crate::binder::needs::Access;

/// The name of the table that INSERT … EXEC fills; no statement can write it.
pub const GATHERED: &str = "@ gathered";

/// What INSERT … EXEC gathers.
#[derive(Clone, Debug)]
pub struct GatheredRows {
    /// A table of the columns that are inserted into, all nullable.
    pub def: Arc<TableDef>,
    /// The target, for messages: `database.schema.name`.
    pub target: String,
}

/// The table for the rows of an INSERT … EXEC.
///
/// # Errors
/// 208, 1087 for an unknown target, 207 for an unknown column.
pub(crate) fn gathered_rows(binder: &mut Binder<'_>, insert: &Insert) -> SqlResult<GatheredRows> {
    if !insert.output.is_empty() {
        return Err(SqlError::of(483, 2, &[]));
    }
    let last = insert.table.last();
    let target = match binder.names.relation(&insert.table, binder.home)? {
        Some(Named::Table(def)) => def,
        _ if last.starts_with('@') => return Err(message::undeclared_table_variable(last)),
        _ => return Err(message::invalid_object(&insert.table.shown())),
    };
    binder.use_table(last, &target, Default::default());
    binder.note_change(Access::Insert, &target, &[]);
    let wanted: Vec<&ColumnDef> = if insert.columns.is_empty() {
        target.columns.iter().filter(|column| column.identity.is_none() && column.computed.is_none()).collect()
    } else {
        let find = |name: &String| {
            target.column(name).map(|at| &target.columns[at]).ok_or_else(|| message::invalid_column(name))
        };
        insert.columns.iter().map(find).collect::<SqlResult<_>>()?
    };
    let columns = wanted.into_iter().enumerate().map(|(index, column)| {
        ColumnDef::new(index as i32 + 1, column.name.clone(), ExprType { nullable: true, ..column.ty })
    });
    let def = Arc::new(TableDef::new(GATHERED.to_owned(), columns.collect(), Vec::new()));
    Ok(GatheredRows { def, target: target.full_name() })
}
