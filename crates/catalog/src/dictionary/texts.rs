//! The texts in definitions (DEFAULT, CHECK, computed columns, filters, table types) and what reads them: the binder, seen
//! from below. The engine hands it to each dictionary that it opens.

use std::sync::Arc;

use millpond_message::error::SqlResult;

use crate::algebra::expr::BoundExpr;
use crate::expr_type::ExprType;
use crate::{ColumnDef, DatabaseCatalog, UserTypeForm};

/// Binds texts of expressions over the names of one database.
pub trait BindText {
    /// A scalar that sees no columns, in the column's type.
    ///
    /// # Errors
    /// What does not parse or bind.
    fn default(&self, text: &str, ty: ExprType) -> SqlResult<BoundExpr>;

    /// A value over the columns.
    ///
    /// # Errors
    /// What does not parse or bind.
    fn computed(&self, text: &str, table: &str, columns: &[ColumnDef]) -> SqlResult<BoundExpr>;

    /// A condition over the columns.
    ///
    /// # Errors
    /// What does not parse or bind.
    fn condition(&self, text: &str, table: &str, columns: &[ColumnDef]) -> SqlResult<BoundExpr>;
}

/// Binds all texts of definitions.
pub trait DefinitionBinder: std::fmt::Debug + Sync {
    /// The same over the names of a database as they are now.
    fn names(&self, catalog: &DatabaseCatalog, database: &Arc<str>) -> Box<dyn BindText>;

    /// The form of a table type, of the statement that made it; alias types of its columns are there.
    ///
    /// # Errors
    /// What does not parse or bind.
    fn table_type(&self, catalog: &DatabaseCatalog, database: &Arc<str>, text: &str) -> SqlResult<UserTypeForm>;
}
