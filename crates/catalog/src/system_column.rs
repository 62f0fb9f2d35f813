//! Columns of system views, table-valued functions and base tables: what every database has alike.

use millpond_types::SqlType;

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
