//! Transactions: what a session changes in durable databases and owns in tempdb, what others see of it, and how it is kept
//! or undone.
//!
//! ```text
//!   TxnManager ─── open_session ──▶ SessionWork ──▶ heaps, heap_rows (of tempdb) ──▶ access::heap
//!     │  │  │                           │   ├─────▶ trees, tree_rows, tree_runs ──▶ access::tree
//!     │  │  │                           │   ├─────▶ read: reader, row, scan ──▶ snapshot, version_store
//!     │  │  └─ usage (space by session) │   └─────▶ transaction (statements, savepoints) ──▶ rollback
//!     │  └─ cleaner (ghosts, versions)  └─ undo: record, row_undo ──▶ undo_stack ──▶ tempdb's log
//!     ├─ lock (modes, queues, deadlocks)
//!     └─ governor (workload groups, quotas of tempdb)
//! ```
//!
//! What is done in the name of a session is a function of its subject that takes the [`SessionWork`] first:
//! [`transaction::commit`], [`tree_rows::insert`].
//!
//! It knows no SQL, no columns and no plans; names of objects are its caller's.
#![deny(unsafe_code)]

#[cfg(feature = "checks")]
pub mod any_bytes;
mod catalog_locks;
pub mod cleaner;
mod databases;
mod decisions;
mod error;
mod governor;
pub mod heap_rows;
pub mod heaps;
mod kind;
pub mod lock;
mod manager;
mod objects;
pub mod open_trees;
pub mod read;
pub mod recovery;
mod rollback;
mod session;
mod sort;
mod start;
pub mod transaction;
pub mod tree_rows;
pub mod tree_runs;
pub mod trees;
mod two_phase;
mod undo;
mod usage;
pub mod values;
pub(crate) mod version;

pub use catalog_locks::CatalogLocks;
pub use databases::{TransactionCounts, Versioning};
pub use error::{RecoverError, TxnError};
pub use governor::{DEFAULT_GROUP, Governor, WorkloadGroup, pages_of_mb};
pub use heap_rows::BulkInsert;
pub use kind::{HeapKind, ObjectUndo};
pub use lock::{LockManager, LockMode, Resource};
pub use manager::{TxnManager, each_version};
pub use read::isolation::{Isolation, ReadHint, RowLocks, TableLock};
pub use read::reader::Reader;
pub use read::scan::{TxnScan, Visit};
pub use recovery::reclaim::{Live, SpaceReclaimed};
pub use sort::{Sorted, Sorter};
pub use version::snapshot::SnapshotRow;
pub use version::version_store::{VersionCounts, VersionRow, VersionSpace};

pub use session::{Definitions, SessionWork, StatementMark};
pub use usage::{SessionSpace, SpaceCount, TransactionRow};
pub use values::ValueHome;
