//! A database as changes and recovery need it: its pages and its log.

use std::sync::Arc;

use crate::contract::DbId;
use crate::pool::Pool;
use crate::wal::log::Log;

/// A database as mini-transactions need it; cheap to clone.
#[derive(Clone, Debug)]
pub struct DatabaseHandle {
    /// Which.
    pub db: DbId,
    /// The instance's pool.
    pub pool: Arc<Pool>,
    /// Its log; `None` for a temporary database, whose changes are applied and not logged.
    pub log: Option<Arc<Log>>,
}
