//! A column of the rows, as the tree that they are written by holds it.

use millpond_types::{SqlType, Value};

/// A column of the rows.
#[derive(Clone, Debug)]
pub struct Column {
    /// Place in the row.
    pub place: usize,
    /// Type.
    pub sql: SqlType,
    /// The node that it is in, as 6841 names it.
    pub node: String,
}

impl Column {
    pub(super) fn of<'r>(&self, row: &'r [Value]) -> &'r Value {
        row.get(self.place).unwrap_or(&Value::Null)
    }
}
