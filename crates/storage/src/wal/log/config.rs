//! What a log is made or opened with.

use std::sync::Arc;

use millpond_device::clock::Clock;

use crate::contract::DbId;
use crate::wait::WaitStats;

/// What a log is made or opened with.
#[derive(Clone, Debug)]
pub struct LogConfig {
    /// Database.
    pub db: DbId,
    /// The database's GUID: blocks of another one are not its log.
    pub guid: [u8; 16],
    /// Time of commits and waits.
    pub clock: Arc<dyn Clock>,
    /// Where waits are counted.
    pub waits: Arc<WaitStats>,
    /// Whether the log is kept until it is backed up (FULL, BULK_LOGGED).
    pub keep_until_backup: bool,
}
