//! What a result says of one of its columns.

use millpond_types::SqlType;

/// A column of a result set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMeta {
    /// Empty when the expression has no name.
    pub name: String,
    /// Type of all its values.
    pub sql_type: SqlType,
    /// Whether NULL may occur.
    pub nullable: bool,
    /// Whether the column numbers its rows.
    pub identity: bool,
}

impl ColumnMeta {
    /// A nullable column without identity.
    pub fn new(name: impl Into<String>, sql_type: SqlType) -> Self {
        Self { name: name.into(), sql_type, nullable: true, identity: false }
    }
}
