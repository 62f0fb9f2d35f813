//! The columns that names can mean within one query block.

use std::sync::Arc;

use crate::catalog::names_equal;
use crate::error::SqlResult;
use crate::expr::{BoundExpr, ExprType, Kind, Label};
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
    /// What the name means where it is not the value in the row.
    pub computed: Option<ReadAs>,
}

/// A computed column that is of the statement which reads it, where the row has the stored value.
#[derive(Clone, Debug)]
pub(super) struct ReadAs {
    /// Its place in its table.
    pub ordinal: usize,
    /// Over the columns of its table.
    pub expr: Arc<BoundExpr>,
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

    /// The value of the column at `index`, read `level` scopes further in.
    pub fn value(&self, index: usize, level: usize) -> BoundExpr {
        let place = |column| if level == 0 { Kind::Column(column) } else { Kind::Outer { level, column } };
        let column = &self.columns[index];
        let mut ty = column.ty;
        if ty.label == Label::Explicit {
            ty.label = Label::Implicit;
        }
        let Some(ReadAs { ordinal, expr }) = &column.computed else { return BoundExpr { kind: place(index), ty } };
        let first = index - ordinal;
        let read = BoundExpr::clone(expr).rewrite(&mut |node| match node.kind {
            Kind::Column(column) => Ok(BoundExpr { kind: place(first + column), ty: node.ty }),
            _ => Err(node),
        });
        BoundExpr { ty, ..read }
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
