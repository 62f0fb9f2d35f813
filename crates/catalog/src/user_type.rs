//! Types of the user: other names for types of the server, and types of tables.

use std::sync::Arc;

use millpond_types::SqlType;

use crate::algebra::table::TableDef;
use crate::schema::{ObjectId, Schema};

/// A type that the user made.
#[derive(Clone, Debug)]
pub struct UserTypeDef {
    /// `sys.types.user_type_id`, from 257.
    pub id: i32,
    /// Schema.
    pub schema: Schema,
    /// Name.
    pub name: String,
    /// What it is.
    pub form: UserTypeForm,
    /// The default that columns of it get; 0 for none.
    pub default: ObjectId,
    /// The rule that columns of it get; 0 for none.
    pub rule: ObjectId,
}

/// Forms of user types.
#[derive(Clone, Debug)]
pub enum UserTypeForm {
    /// `CREATE TYPE t FROM base [NULL | NOT NULL]`
    Alias {
        /// Base type.
        sql: SqlType,
        /// Nullability of a column that says nothing.
        nullable: bool,
    },
    /// `CREATE TYPE t AS TABLE (…)`
    Table {
        /// Definition; its name is the type's.
        def: Arc<TableDef>,
        /// MEMORY_OPTIMIZED = ON
        memory_optimized: bool,
    },
}

impl UserTypeDef {
    /// The base type of another name, and whether columns of it take NULL that say nothing; none for a type of tables.
    #[must_use]
    pub fn alias(&self) -> Option<(SqlType, bool)> {
        match self.form {
            UserTypeForm::Alias { sql, nullable } => Some((sql, nullable)),
            UserTypeForm::Table { .. } => None,
        }
    }
}
