//! The identity column that SELECT INTO takes over from its table: which one it is, and how far its values go.
//!
//! What always holds: a new table has one identity column at most; it continues from the outermost value of its rows.
//! The rows of a table that inherits no identity are not looked at.

use std::sync::Arc;

use millpond_catalog::TableDef;
use millpond_catalog::rel::Rel;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::Value;
use parking_lot::Mutex;

use crate::row::whole;

/// The place and the numbers of the only column of a query that is the identity column of its only table. Joins, set
/// operations, groups and expressions take over none, nor does a list that has the column twice.
pub fn inherited(rel: &Rel) -> Option<(usize, (i64, i64))> {
    let mut found = (0..rel.width()).filter_map(|column| Some((column, rel.origin(column)?.identity?)));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The outermost value of an identity column among rows that several threads add.
pub struct Outermost {
    def: Arc<TableDef>,
    column: usize,
    falls: bool,
    value: Mutex<Option<i64>>,
}

impl Outermost {
    /// Of the identity column at a place; none has been seen.
    pub fn new(def: &Arc<TableDef>, column: usize) -> Arc<Outermost> {
        let falls = def.columns[column].identity.is_some_and(|(_, increment)| increment < 0);
        Arc::new(Outermost { def: Arc::clone(def), column, falls, value: Mutex::default() })
    }

    /// What was seen; none: no row.
    pub fn value(&self) -> Option<i64> {
        *self.value.lock()
    }

    /// A row of the new table.
    pub fn see_row(&self, row: &[Value]) {
        if let Some(value) = row.get(self.column).and_then(whole) {
            self.farther(&mut self.value.lock(), value);
        }
    }

    /// Another value, seen by one thread alone.
    fn farther(&self, known: &mut Option<i64>, value: i64) {
        *known = Some(match *known {
            None => value,
            Some(known) if self.falls => known.min(value),
            Some(known) => known.max(value),
        });
    }
}

/// What one thread has seen.
pub struct Seen {
    of: Arc<Outermost>,
    value: Option<i64>,
    failed: Option<SqlError>,
}

impl Seen {
    /// Nothing so far.
    pub fn new(of: &Arc<Outermost>) -> Seen {
        Seen { of: Arc::clone(of), value: None, failed: None }
    }

    /// A record of the new table.
    pub fn see(&mut self, record: &[u8]) {
        match self.of.def.layout.column(record, self.of.column) {
            Ok(value) => {
                if let Some(value) = whole(&value) {
                    self.of.farther(&mut self.value, value);
                }
            }
            Err(cause) => self.failed = Some(message::of_row(cause)),
        }
    }

    /// Merges its value with those of the other threads.
    ///
    /// # Errors
    /// A record could not be read.
    pub fn merge(&mut self) -> SqlResult<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if let Some(value) = self.value.take() {
            self.of.farther(&mut self.of.value.lock(), value);
        }
        Ok(())
    }
}

/// Records that are looked at on their way.
struct Watched<'a, 'r> {
    records: &'a mut dyn ExactSizeIterator<Item = &'r [u8]>,
    seen: &'a mut Seen,
}

impl<'r> Iterator for Watched<'_, 'r> {
    type Item = &'r [u8];

    fn next(&mut self) -> Option<&'r [u8]> {
        let record = self.records.next()?;
        self.seen.see(record);
        Some(record)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }
}

impl ExactSizeIterator for Watched<'_, '_> {}

/// Hands records on, looked at where that is asked for.
pub fn watched<'r, T>(
    records: &mut dyn ExactSizeIterator<Item = &'r [u8]>,
    outermost: Option<&Arc<Outermost>>,
    add: impl FnOnce(&mut dyn ExactSizeIterator<Item = &'r [u8]>) -> SqlResult<T>,
) -> SqlResult<T> {
    let Some(outermost) = outermost else { return add(records) };
    let mut seen = Seen::new(outermost);
    let done = add(&mut Watched { records, seen: &mut seen })?;
    seen.merge()?;
    Ok(done)
}
