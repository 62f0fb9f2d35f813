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
        let why = "it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.";
        let view = format!("Cannot update the view or function '{}' because {why}", self.name);
        self.refused((4403, view), 4418, why)
    }

    /// 4405 and 4420: columns of several tables.
    pub fn several(&self) -> SqlError {
        let why = "the modification affects multiple base tables.";
        let view = format!("View or function '{}' is not updatable because {why}", self.name);
        self.refused((4405, view), 4420, why)
    }

    /// 4406 and 4421: a column that is computed.
    pub fn derived(&self) -> SqlError {
        let name = &self.name;
        let view = format!(
            "Update or insert of view or function '{name}' failed because it contains a derived or constant field."
        );
        self.refused((4406, view), 4421, "a column of the derived table is derived or constant.")
    }

    /// 4426 and 4417: rows of several queries.
    pub fn union(&self) -> SqlError {
        let why = "the definition contains a UNION operator.";
        self.refused((4426, format!("View '{}' is not updatable because {why}", self.name)), 4417, why)
    }

    fn refused(&self, view: (i32, String), number: i32, why: &str) -> SqlError {
        let (number, text) = match self.is_derived {
            false => view,
            true => (number, format!("Derived table '{}' is not updatable because {why}", self.name)),
        };
        SqlError::new(number, 16, 1, text)
    }
}
