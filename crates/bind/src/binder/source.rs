//! What may stand in FROM: relations with the names of their columns, common table expressions, and the table parameters of
//! an inline function.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use millpond_catalog::expr::ExprType;
use millpond_catalog::rel::Rel;
use millpond_catalog::{ModuleDef, TableDef};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Ident, Query};

use crate::binder::scope::Scope;

/// A table parameter inside the query of an inline function, which is bound in its caller's place.
#[derive(Clone)]
pub(crate) struct BoundTableParameter {
    /// The parameter.
    pub name: String,
    /// Its table.
    pub def: Arc<TableDef>,
    /// The caller's variable; none where there are no rows.
    pub variable: Option<String>,
}

/// A common table expression: bound anew at each mention.
#[derive(Clone)]
pub(crate) struct CteBinding {
    pub name: String,
    pub columns: Vec<Ident>,
    pub query: Query,
    /// Within its own recursive members: the row that they are for.
    pub working: Option<Working>,
}

/// A relation with the names of its columns.
pub(crate) struct Source {
    pub rel: Rel,
    pub scope: Scope,
}

/// The names that the columns of a query are given, in order: by a column list, or by a module that keeps the columns it was made
/// with; none where the query's own stand.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    names: &'a [Ident],
    /// The query may have more columns by now, which are not shown.
    is_kept: bool,
}

impl<'a> Given<'a> {
    /// Of a column list.
    pub(crate) fn list(names: &'a [Ident]) -> Given<'a> {
        Given { names, is_kept: false }
    }

    /// Of a view or inline function. What `*` stands for is looked up in the tables as they are now, and the first columns of
    /// that are shown under the names of when the module was made or refreshed. One of an old file keeps none: it has its
    /// column list.
    pub fn of_module(module: &'a ModuleDef, list: &'a [Ident]) -> Given<'a> {
        if module.columns.is_empty() { Given::list(list) } else { Given { names: &module.columns, is_kept: true } }
    }

    /// The names of the columns that are shown, which may be fewer than the query has.
    ///
    /// # Errors
    /// 8158 and 8159 for a list of another length; 4502 for a module whose query has lost columns.
    pub fn names(self, own: Vec<String>, table: &str) -> SqlResult<Vec<String>> {
        match self.names.len() {
            0 => Ok(own),
            given if given == own.len() || self.is_kept && given < own.len() => Ok(self.names.to_vec()),
            _ if self.is_kept => Err(SqlError::of(4502, 1, &[&table])),
            given if given < own.len() => Err(SqlError::of(8158, 1, &[&table])),
            _ => Err(SqlError::of(8159, 1, &[&table])),
        }
    }
}

/// What a recursive member means by the expression's name.
#[derive(Clone)]
pub(crate) struct Working {
    pub(crate) names: Vec<String>,
    pub(crate) types: Vec<ExprType>,
    /// Number of the scope that holds the present row.
    pub(crate) scope: usize,
    pub(crate) is_mentioned: Rc<Cell<bool>>,
}
