//! The rows that a statement changed, kept while triggers and foreign keys wait for them.

use millpond_catalog::{ColumnDef, TableDef};
use millpond_types::Value;

use crate::write::Writer;

/// What fires triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// INSERT.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
}

impl Event {
    /// All of them.
    pub const ALL: [Event; 3] = [Event::Insert, Event::Update, Event::Delete];

    /// As the language names it.
    pub fn word(self) -> &'static str {
        match self {
            Event::Insert => "INSERT",
            Event::Update => "UPDATE",
            Event::Delete => "DELETE",
        }
    }
}

/// The rows that a statement changed, kept while triggers wait for them.
#[derive(Default)]
pub struct Changes {
    /// New rows.
    pub inserted: Vec<Vec<Value>>,
    /// Rows before and after.
    pub updated: Vec<ChangedRow>,
    /// Rows that are gone.
    pub deleted: Vec<Vec<Value>>,
}

impl Changes {
    /// Rows before and after a change, `new` being empty where the row went.
    pub fn add(&mut self, rows: Vec<ChangedRow>) {
        for row in rows {
            if row.new.is_empty() { self.deleted.push(row.old) } else { self.updated.push(row) }
        }
    }

    /// Rows of the whole statement: what `@@ROWCOUNT` is in a trigger, of which MERGE fires several.
    pub fn row_count(&self) -> usize {
        self.inserted.len() + self.updated.len() + self.deleted.len()
    }

    /// The rows of `inserted` and `deleted` that a trigger of an event sees.
    pub fn of(&self, event: Event) -> (Vec<Vec<Value>>, Vec<Vec<Value>>) {
        match event {
            Event::Insert => (self.inserted.clone(), Vec::new()),
            Event::Delete => (Vec::new(), self.deleted.clone()),
            Event::Update => self.updated.iter().map(|row| (row.new.clone(), row.old.clone())).unzip(),
        }
    }
}

/// A row that was changed.
pub struct ChangedRow {
    /// Before.
    pub old: Vec<Value>,
    /// Empty when it was deleted.
    pub new: Vec<Value>,
}

/// Whether a change of these columns makes rows move.
pub fn moves(def: &TableDef, columns: &[usize]) -> bool {
    let follows = |column: &ColumnDef| column.computed.is_some() || column.is_row_version();
    let computed = def.columns.iter().enumerate().filter(|(_, column)| follows(column));
    let all: Vec<usize> = columns.iter().copied().chain(computed.map(|(index, _)| index)).collect();
    Writer::moves(def, &all)
}
