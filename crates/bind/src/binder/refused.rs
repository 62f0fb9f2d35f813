//! Why a view, common table expression or derived table cannot be changed. Derived tables have messages of their own.

use millpond_message::error::SqlError;

/// The name of what is changed.
#[derive(Clone, Debug)]
pub(crate) struct TargetName {
    pub name: String,
    is_derived: bool,
}

impl TargetName {
    /// A view or common table expression.
    pub fn of(name: &str) -> TargetName {
        TargetName { name: name.to_owned(), is_derived: false }
    }

    /// A derived table, by its alias.
    pub fn of_derived(alias: &str) -> TargetName {
        TargetName { name: alias.to_owned(), is_derived: true }
    }

    /// 4403 and 4418: what is grouped has no rows of a table.
    pub fn grouped(&self) -> SqlError {
        if self.is_derived { SqlError::of(4418, 1, &[&self.name]) } else { SqlError::of(4403, 1, &[&self.name]) }
    }

    /// 4405 and 4420: columns of several tables.
    pub fn several(&self) -> SqlError {
        if self.is_derived { SqlError::of(4420, 1, &[&self.name]) } else { SqlError::of(4405, 1, &[&self.name]) }
    }

    /// 4406 and 4421: a column that is computed.
    pub fn derived(&self) -> SqlError {
        if self.is_derived { SqlError::of(4421, 1, &[&self.name]) } else { SqlError::of(4406, 1, &[&self.name]) }
    }

    /// 4426 and 4417: rows of several queries.
    pub fn union(&self) -> SqlError {
        if self.is_derived { SqlError::of(4417, 1, &[&self.name]) } else { SqlError::of(4426, 1, &[&self.name]) }
    }
}
