//! What a statement needs the right to: a permission on an object or on columns of it.
//!
//! It knows no statements: what they need is found where they are bound, and asked where they run.

use millpond_storage::contract::DbId;

use crate::schema::ObjectId;

/// A permission on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// SELECT
    Select,
    /// INSERT
    Insert,
    /// UPDATE
    Update,
    /// DELETE
    Delete,
    /// EXECUTE
    Execute,
    /// REFERENCES
    References,
}

impl Access {
    /// The permission's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Access::Select => "SELECT",
            Access::Insert => "INSERT",
            Access::Update => "UPDATE",
            Access::Delete => "DELETE",
            Access::Execute => "EXECUTE",
            Access::References => "REFERENCES",
        }
    }
}

/// What a bound statement needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Which permission.
    pub access: Access,
    /// Of which database.
    pub database: DbId,
    /// On which object.
    pub object: ObjectId,
    /// Numbers of the columns that are named; empty: on the object, or any column of it (`is_any_column`).
    pub columns: Vec<i32>,
    /// The object's rows are counted or looked for, and no column is named.
    pub is_any_column: bool,
    /// The view or function in whose text it stands.
    pub through: Option<(DbId, ObjectId)>,
}

impl Need {
    /// A permission on an object as a whole, asked for by no view and no function.
    #[must_use]
    pub fn of_object(access: Access, database: DbId, object: ObjectId) -> Need {
        Need { access, database, object, columns: Vec::new(), is_any_column: false, through: None }
    }
}
