//! Transactions: what a session changes in durable databases and owns in tempdb, what others see of it, and how it is kept
//! or undone.
//!
//! ```text
//!   TxnManager ─── open_session ──▶ SessionWork ──▶ rows (heaps of tempdb) ──▶ access::Heap
//!     │  │  │                           │   ├─────▶ change, change_run (rows of trees) ──▶ access::Tree
//!     │  │  │                           │   ├─────▶ reader, scan ──▶ snapshot, version_store
//!     │  │  └─ usage (space by session) │   └─────▶ rollback (statements, savepoints, transactions)
//!     │  └─ cleaner (ghosts, versions)  └─ undo: record, row_undo ──▶ undo_stack ──▶ tempdb's log
//!     ├─ lock (modes, queues, deadlocks)
//!     └─ governor (workload groups, quotas of tempdb)
//! ```
//!
//! It knows no SQL, no columns and no plans; names of objects are its caller's.
#![deny(unsafe_code)]

#[cfg(feature = "checks")]
pub mod any_bytes;
mod catalog_locks;
mod change;
mod change_run;
mod cleaner;
mod databases;
mod decisions;
mod definitions;
mod error;
mod ghost_runs;
mod ghosts;
mod governor;
mod isolation;
mod kind;
pub mod lock;
mod loose_value;
mod manager;
mod objects;
mod own_trees;
mod reader;
mod reclaim;
mod record;
mod recover;
mod restore;
mod rollback;
mod row_undo;
mod rows;
mod scan;
mod session;
mod snapshot;
mod sort;
mod trees;
mod two_phase;
mod undo;
mod undo_stack;
mod usage;
mod values;
mod version_store;

pub use catalog_locks::CatalogLocks;
pub use databases::{TransactionCounts, Versioning};
pub use definitions::Definitions;
pub use error::{RecoverError, TxnError};
pub use governor::{DEFAULT_GROUP, Governor, WorkloadGroup, pages_of_mb};
pub use isolation::{Isolation, ReadHint, RowLocks, TableLock};
pub use kind::{HeapKind, ObjectUndo};
pub use lock::{LockManager, LockMode, Resource};
pub use manager::TxnManager;
pub use reader::Reader;
pub use reclaim::{Live, SpaceReclaimed};
pub use rows::BulkInsert;
pub use scan::{TxnScan, Visit};
pub use snapshot::SnapshotRow;
pub use sort::{Sorted, Sorter};
pub use version_store::{VersionCounts, VersionSpace};

pub use session::{SessionWork, StatementMark};
pub use usage::{SessionSpace, SpaceCount, TransactionRow};
pub use values::ValueHome;
