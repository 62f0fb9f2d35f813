//! The columns that names can mean within one query block.

use crate::catalog::names_equal;
use crate::error::SqlResult;
use crate::expr::ExprType;
use crate::message;

/// A column in scope.
#[derive(Clone, Debug)]
pub(super) struct ScopeColumn {
    /// Alias or name of its table; empty for a result without one.
    pub table: String,
    /// Name; empty columns cannot be named.
    pub name: String,
    /// Type.
    pub ty: ExprType,
    /// The Rid column: not part of `*`, not to be named.
    pub hidden: bool,
}

/// Columns of a block's input row, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub columns: Vec<ScopeColumn>,
    /// Aliases in FROM, for 1013 and 107.
    pub tables: Vec<String>,
}

impl Scope {
    /// Position of a column, `None` when no column has the name.
    pub fn find(&self, table: Option<&str>, name: &str) -> SqlResult<Option<usize>> {
        let mut found = None;
        for (index, column) in self.columns.iter().enumerate() {
            let same_table = table.is_none_or(|table| names_equal(&column.table, table));
            if column.hidden || !same_table || !names_equal(&column.name, name) {
                continue;
            }
            if found.is_some() {
                return Err(message::ambiguous_column(name));
            }
            found = Some(index);
        }
        Ok(found)
    }

    /// Whether FROM has the alias.
    pub fn has_table(&self, table: &str) -> bool {
        self.tables.iter().any(|name| names_equal(name, table))
    }

    /// Both scopes side by side, as a join's row.
    pub fn join(mut self, right: Scope) -> Scope {
        self.columns.extend(right.columns);
        self.tables.extend(right.tables);
        self
    }
}
