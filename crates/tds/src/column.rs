//! What a result says of one of its columns.

use millpond_types::{Collation, SqlType};

/// A column of a result set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMeta {
    /// Empty when the expression has no name.
    pub name: String,
    /// Type of all its values.
    pub sql_type: SqlType,
    /// Collation, which the types of text alone have; that of `varchar` in UTF-8 is one of UTF-8.
    pub collation: Collation,
    /// Whether NULL may occur.
    pub nullable: bool,
    /// Whether the column numbers its rows.
    pub identity: bool,
    /// Whether an expression makes its values.
    pub computed: bool,
    /// Whether clients are not to show it.
    pub hidden: bool,
}

impl ColumnMeta {
    /// A nullable column of a table, without identity, of the default collation.
    pub fn new(name: impl Into<String>, sql_type: SqlType) -> Self {
        let collation = Collation::default().in_page(sql_type.page());
        Self { name: name.into(), sql_type, collation, nullable: true, identity: false, computed: false, hidden: false }
    }
}
