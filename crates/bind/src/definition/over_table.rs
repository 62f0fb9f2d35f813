//! Expressions over the columns of one table, as CHECK, DEFAULT, computed columns and filters have them.

use millpond_catalog::ColumnDef;
use millpond_message::error::SqlResult;

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::scope::{Exposed, Role, Scope, ScopeColumn};

/// Binds something that sees the columns of a table.
pub(crate) fn over_columns<T>(
    binder: &mut Binder<'_>,
    table: &str,
    columns: &[ColumnDef],
    bind: impl FnOnce(&mut Binder<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    over_scope(binder, &mut scope_of(table, columns), bind)
}

/// The same where the scope is there, and is there again afterwards: for many expressions over one table.
pub(crate) fn over_scope<T>(
    binder: &mut Binder<'_>,
    scope: &mut Scope,
    bind: impl FnOnce(&mut Binder<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let empty = Scope::default();
    binder.scopes.push(std::mem::replace(scope, empty));
    binder.blocks.push(Block::default());
    let bound = bind(binder);
    binder.blocks.pop();
    *scope = binder.scopes.pop().expect("pushed above");
    bound
}

/// The columns of a table, by its name.
pub(crate) fn scope_of(table: &str, columns: &[ColumnDef]) -> Scope {
    let columns = columns.iter().map(|column| ScopeColumn {
        table: table.to_owned(),
        place: None,
        name: column.name.clone(),
        ty: column.ty,
        hidden: false,
        role: Role::of(column),
        computed: None,
        mention: None,
    });
    Scope { columns: columns.collect(), tables: vec![Exposed::alias(table)], has_no_row: false }
}
