//! The columns of what stands in FROM, and their names.

use std::collections::HashSet;

use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::name_key;
use millpond_catalog::rel::Rel;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::Ident;

use crate::binder::scope::{Exposed, Role, Scope, ScopeColumn};
use crate::binder::source::{Given, Source};
use crate::expression::untyped::untyped_columns;

pub(crate) fn scope_of(table: &str, columns: impl Iterator<Item = (String, ExprType)>) -> Scope {
    let columns = columns
        .map(|(name, ty)| ScopeColumn {
            table: table.to_owned(),
            place: None,
            name,
            ty,
            hidden: false,
            role: Role::Plain,
            computed: None,
            mention: None,
        })
        .collect();
    Scope { columns, tables: vec![Exposed::alias(table)], has_no_row: false }
}

/// A query as a table: columns that are those of its table are to it what they are there.
pub(crate) fn queried(rel: Rel, alias: &str, names: Vec<String>) -> Source {
    let mut scope = scope_of(alias, names.into_iter().zip(rel.types()));
    for ((place, shown), is_untyped) in scope.columns.iter_mut().enumerate().zip(untyped_columns(&rel)) {
        let plain = if is_untyped { Role::Untyped } else { Role::Plain };
        shown.role = rel.origin(place).map_or(plain, Role::of);
    }
    Source { rel, scope }
}

/// The first columns of a relation.
pub(crate) fn first_columns(rel: Rel, count: usize) -> Rel {
    if rel.width() <= count {
        return rel;
    }
    let types = rel.types().into_iter().take(count).enumerate();
    let exprs = types.map(|(place, ty)| BoundExpr::column(place, ty)).collect();
    Rel::Project { input: Box::new(rel), exprs }
}

pub(crate) fn renamed(names: Vec<String>, columns: &[Ident], table: &str) -> SqlResult<Vec<String>> {
    Given::list(columns).names(names, table)
}

/// Columns of a derived table or common table expression have names, each its own.
///
/// # Errors
/// 8155, 8156.
pub(crate) fn distinct_names(names: &[String], table: &str) -> SqlResult<()> {
    if let Some(nameless) = names.iter().position(String::is_empty) {
        return Err(SqlError::of(8155, 2, &[&(nameless + 1), &table]));
    }
    let mut known = HashSet::with_capacity(names.len());
    match names.iter().find(|name| !known.insert(name_key(name))) {
        None => Ok(()),
        Some(twice) => Err(SqlError::of(8156, 1, &[&twice, &table])),
    }
}
