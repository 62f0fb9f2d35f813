//! Transactions over temporary data: what a session owns in tempdb, and how its changes are kept or undone.
//!
//! ```text
//!   TxnManager ─── open_session ──▶ SessionWork ──▶ rows (insert, update, delete, bulk) ──▶ access::Heap
//!        │                              │    └────▶ rollback (statements, savepoints, transactions)
//!        └─ usage (space by session)    └─ undo: record ──▶ undo_stack ──▶ storage's undo log
//! ```
//!
//! It knows no SQL, no columns and no plans; names of objects are its caller's.
#![deny(unsafe_code)]

mod error;
mod kind;
pub mod lock;
mod manager;
mod objects;
mod record;
mod rollback;
mod rows;
mod session;
mod undo;
mod undo_stack;
mod usage;

pub use error::TxnError;
pub use kind::{HeapKind, ObjectUndo};
pub use manager::TxnManager;
pub use rows::BulkInsert;

pub use session::{SessionWork, StatementMark};
pub use usage::{SessionSpace, SpaceCount};
