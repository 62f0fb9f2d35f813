//! The statistics of a table that were made, and who makes them: one statement at a time.
//!
//! They live beside the counters of the table's rows, shared by all sessions that see it, and go with these.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use crate::algebra::table::StatisticsDef;
use crate::statistics::histogram::Statistics;

/// How long a statement waits for statistics that another one makes.
const MAKING_WAIT: Duration = Duration::from_millis(500);

/// The statistics of a table that were made, by `stats_id`.
#[derive(Debug, Default)]
pub struct KnownStatistics {
    version: AtomicU64,
    known: Mutex<HashMap<u16, Arc<Statistics>>>,
    making: Mutex<()>,
    /// Rows that got another value in a column with statistics that are no index's, by `column_id`: its tree sees no entry
    /// come or go.
    updates: Mutex<HashMap<i32, Arc<AtomicU64>>>,
    /// Those of CREATE STATISTICS on a temporary table: its definition is that of CREATE TABLE, whatever was made of its rows.
    made: Mutex<Vec<StatisticsDef>>,
}

impl KnownStatistics {
    /// Those of a number, if they are of these columns: numbers are given again.
    #[must_use]
    pub fn get(&self, id: u16, columns: &[i32]) -> Option<Arc<Statistics>> {
        self.known.lock().get(&id).filter(|known| known.columns == columns).cloned()
    }

    /// Puts statistics in the place of those of the number: plans that relied on them choose again.
    pub fn put(&self, id: u16, statistics: Arc<Statistics>) {
        self.known.lock().insert(id, statistics);
        self.version.fetch_add(1, Relaxed);
    }

    /// Puts the first ones of a number: no plan relied on them, and none chooses again.
    pub fn put_new(&self, id: u16, statistics: Arc<Statistics>) {
        self.known.lock().insert(id, statistics);
    }

    /// Forgets those of a number: plans that relied on them choose again.
    pub fn forget(&self, id: u16) {
        self.known.lock().remove(&id);
        self.version.fetch_add(1, Relaxed);
    }

    /// Counts the rows that get another value in a column, from the first call on.
    #[must_use]
    pub fn updates_of(&self, column_id: i32) -> Arc<AtomicU64> {
        Arc::clone(self.updates.lock().entry(column_id).or_default())
    }

    /// The columns whose new values are counted.
    #[must_use]
    pub fn watched(&self) -> Vec<(i32, Arc<AtomicU64>)> {
        self.updates.lock().iter().map(|(column, count)| (*column, Arc::clone(count))).collect()
    }

    /// The numbers from `first` on that there are any of, in order.
    #[must_use]
    pub fn numbers_from(&self, first: u16) -> Vec<u16> {
        let mut numbers: Vec<u16> = self.known.lock().keys().copied().filter(|number| *number >= first).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Grows with every [`KnownStatistics::put`].
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version.load(Relaxed)
    }

    /// The right to make statistics because old ones were met; none while another statement does.
    #[must_use]
    pub fn try_make(&self) -> Option<MutexGuard<'_, ()>> {
        self.making.try_lock()
    }

    /// The same, after a wait for the statement that does; none where that takes long.
    #[must_use]
    pub fn wait_to_make(&self) -> Option<MutexGuard<'_, ()>> {
        self.making.try_lock_for(MAKING_WAIT)
    }

    /// The statistics that statements made of a temporary table. Those of others are in their definitions.
    #[must_use]
    pub fn made(&self) -> Vec<StatisticsDef> {
        self.made.lock().clone()
    }

    /// Adds to [`KnownStatistics::made`].
    pub fn add_made(&self, made: StatisticsDef) {
        self.made.lock().push(made);
    }

    /// Puts these in the place of [`KnownStatistics::made`].
    pub fn set_made(&self, made: Vec<StatisticsDef>) {
        *self.made.lock() = made;
    }
}
