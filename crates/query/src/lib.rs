//! Sessions, and the interpreter of their batches: control flow, direct statements, changes, definitions, procedures,
//! functions and cursors of the user.
//!
//! ```text
//!   text ──tsql──▶ tree ──bind──▶ rel, expr ──exec──▶ direct statement ──▶ txn
//!                                                └──▶ plan (DataFusion) ──▶ txn
//! ```
//! Knows no sockets, no tokens of the wire, no paths. What the server offers by name lies above, in `views`.

mod classify;
pub mod exec;
pub mod session;

/// Stack of a thread that runs statements, in bytes.
pub use millpond_tsql::STACK_BYTES;
