//! Write-ahead log: how durable pages change, what is kept of it, and how it is done again after a crash.
//!
//! ```text
//!   access, space ──▶ mtr ──page_op──▶ pages in the pool          recovery ──page_op──▶ pages in the pool
//!                      │ one record                                   ▲
//!                      ▼                                              │ records
//!                     log ──blocks──▶ writer (group commit) ──▶ log files
//! ```
//!
//! What always holds:
//!
//! * W1: a page of a durable file changes by [`page_op::apply`] only, inside a mini-transaction, under its exclusive latch.
//! * W2: the record of a change is in the log before the latch is let go, and durable before the page is written.
//! * W3: a page's LSN is the LSN of its last record; a record is redone on a page exactly if its LSN is above the page's.
//!
//! Nothing here knows keys, rows or transactions' meaning: undo is bytes that somebody else understands.

pub mod checkpoint;
pub mod log;
pub mod mtr;
pub mod page_op;
pub mod recovery;

use std::sync::Arc;

use crate::contract::DbId;
use crate::pool::Pool;

pub use log::{
    ActiveTxn, CommitMode, Log, LogConfig, LogError, LogHold, LogOpenError, LogReport, Record, RecordKind, ReuseWait,
    TxnId, TxnLog,
};
pub use mtr::{Mtr, PageIx};
pub use page_op::{OpError, PageOp};

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
