//! Values of rowversion columns: one counter for each database, which only grows.
//!
//! V1: a value is given only when the boot page's mark is at it or beyond. The mark's record is in the log before the
//! record of any commit that has the value, so no restart gives a value twice that a client could have kept.

use millpond_message::error::SqlResult;
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::database::Database;
use parking_lot::Mutex;

use super::boot::{ROW_VERSION_VALUE, set_boot_value};

/// The value before a new database's first.
const BEFORE_FIRST: u64 = 2000;
/// Values that are reserved at once.
const BLOCK: u64 = 4096;

/// The counter of a database.
#[derive(Debug)]
pub(super) struct RowVersions(Mutex<Given>);

#[derive(Debug)]
struct Given {
    last: u64,
    mark: u64,
}

impl RowVersions {
    /// The counter as it goes on after the mark.
    pub fn open(database: &Database) -> RowVersions {
        let mark = database.boot_value(ROW_VERSION_VALUE).max(BEFORE_FIRST);
        RowVersions(Mutex::new(Given { last: mark, mark }))
    }

    pub fn last(&self) -> u64 {
        self.0.lock().last
    }

    /// V1
    pub fn next(&self, database: &Database, ask: &Ask<'_>) -> SqlResult<u64> {
        let mut given = self.0.lock();
        let next = given.last + 1;
        if next > given.mark {
            let mark = given.mark + BLOCK;
            // Nothing of tempdb outlives the instance.
            if database.id() != DbId::TEMPDB {
                set_boot_value(database, ask, ROW_VERSION_VALUE, mark)?;
            }
            given.mark = mark;
        }
        given.last = next;
        Ok(next)
    }
}
