//! Columns of system views, table-valued functions and base tables: what every database has alike.

use millpond_types::SqlType;

use crate::expr_type::ExprType;

/// A column of a system view or table-valued function.
#[derive(Clone, Copy, Debug)]
pub struct SystemColumn {
    /// Name.
    pub name: &'static str,
    /// Type.
    pub sql: SqlType,
    /// Whether NULL may come.
    pub nullable: bool,
}

impl SystemColumn {
    /// Static facts of the column.
    #[must_use]
    pub fn ty(&self) -> ExprType {
        ExprType::plain(self.sql, self.nullable)
    }
}
