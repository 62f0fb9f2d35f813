//! What else has a name and is no table and no module: types of the user, synonyms.

use std::sync::Arc;

use millpond_tsql::ast::ObjectName;
use millpond_types::SqlType;

use crate::algebra::table::TableDef;
use crate::schema::{ObjectId, Schema};

/// A type that the user made.
#[derive(Debug)]
pub struct UserTypeDef {
    /// `sys.types.user_type_id`, from 257.
    pub id: i32,
    /// Schema.
    pub schema: Schema,
    /// Name.
    pub name: String,
    /// What it is.
    pub form: UserTypeForm,
}

/// Forms of user types.
#[derive(Debug)]
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

/// A synonym.
#[derive(Debug)]
pub struct SynonymDef {
    /// Number.
    pub id: ObjectId,
    /// Schema.
    pub schema: Schema,
    /// Name.
    pub name: String,
    /// What it stands for.
    pub base: ObjectName,
}
