//! A bound query: its rows and the names of its columns.

use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::Rel;
use millpond_tsql::ast::ObjectName;

/// A bound query.
#[derive(Clone, Debug)]
pub struct BoundQuery {
    /// Its rows.
    pub rel: Rel,
    /// Names of its columns, empty for those without one.
    pub names: Vec<String>,
    /// `SELECT … INTO`: the new table.
    pub into: Option<ObjectName>,
    /// `SELECT @v = …`: the assignments, over the rows of `rel`.
    pub assign: Vec<(usize, BoundExpr)>,
    /// Of each column that is a column of a table in FROM: the table's name or alias there, and the column's name. Empty
    /// where no ORDER BY after a set operator asks for it.
    pub origins: Vec<Option<(String, String)>>,
}

/// Rows of a query's body with the names of their columns, and whence these come: see [`BoundQuery::origins`].
pub(crate) struct Body {
    pub rel: Rel,
    pub names: Vec<String>,
    pub origins: Vec<Option<(String, String)>>,
}
