//! A table that is being defined.

use std::cell::Cell;

use millpond_catalog::{ObjectId, TableName};

/// What a new definition is of, and where its constraints get their numbers.
pub struct NewTable<'a> {
    /// Name.
    pub name: TableName,
    /// Number of the table.
    pub id: ObjectId,
    /// Numbers for its constraints; 0 where they need none.
    pub next_id: &'a dyn Fn() -> ObjectId,
    /// Constraints without a number whose names were made: each has another name all the same.
    pub unnumbered: Cell<i32>,
}

impl<'a> NewTable<'a> {
    /// A table of that name and number.
    #[must_use]
    pub fn of(name: TableName, id: ObjectId, next_id: &'a dyn Fn() -> ObjectId) -> NewTable<'a> {
        NewTable { name, id, next_id, unnumbered: Cell::new(0) }
    }
}

impl NewTable<'_> {
    /// A temporary table or table variable.
    #[must_use]
    pub fn temporary(name: &str) -> NewTable<'static> {
        NewTable::of(TableName::temporary(name), ObjectId(0), &|| ObjectId(0))
    }

    /// The number and name of a constraint; a name that was not written is made of the table's and the number.
    pub(crate) fn constraint(&self, written: Option<&str>, kind: &str, column: Option<&str>) -> (ObjectId, String) {
        let id = (self.next_id)();
        let name = written.map(str::to_owned).unwrap_or_else(|| {
            let short = |name: &str, most: usize| -> String {
                name.trim_start_matches(['#', '@']).chars().take(most).collect()
            };
            // Sixteen digits leave a key one character less of its table.
            let is_key = column.is_none() && kind != "CK";
            let table = short(&self.name.name, if is_key { 8 } else { 9 });
            let number = if id.0 == 0 { self.unnumbered.replace(self.unnumbered.get() + 1) } else { id.0 };
            match column {
                Some(column) => format!("{kind}__{table}__{}__{number:08X}", short(column, 5)),
                None if is_key => format!("{kind}__{table}__{number:016X}"),
                None => format!("{kind}__{table}__{number:08X}"),
            }
        });
        (id, name)
    }
}
