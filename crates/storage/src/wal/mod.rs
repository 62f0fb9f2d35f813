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
//! Nothing here knows keys, rows or transactions' meaning: undo is bytes that a layer above understands.

mod anchor;
#[cfg(feature = "checks")]
pub mod any_bytes;
mod block;
pub mod checkpoint;
mod damage;
mod disk;
pub mod doublewrite;
mod handle;
pub mod image;
pub mod log;
pub mod mtr;
pub mod page_op;
pub(crate) mod page_redo;
pub(crate) mod page_road;
pub mod print;
mod reader;
mod record;
pub mod recovery;
mod rule;
mod tail;
#[cfg(test)]
mod tests;
pub mod transfer;
pub mod two_phase;
mod writer;

pub use handle::DatabaseHandle;
pub use log::{
    ActiveTxn, CommitMode, Log, LogConfig, LogError, LogHold, LogOpenError, LogReport, PartReport, RECORD_BYTES_MAX,
    Record, RecordKind, ReuseWait, TxnId, TxnLog,
};
pub use mtr::{Mtr, PageIx};
pub use page_op::{OpError, PageOp};
pub use record::Coordinator;
pub use rule::Logs;
