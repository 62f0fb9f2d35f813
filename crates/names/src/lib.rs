//! What the names of a statement mean to a session, and what modules and texts give and want, without running them.
//!
//! ```text
//!   name ──SessionNames──▶ table, view, function, sequence, type ──bind──▶ columns of a module, of a text's first result
//!                              └─ of a module that is made: what it uses, and what of it cannot be bound
//! ```
//! It knows the facts of a run, and no session: nothing here runs a statement.

pub mod binder_names;
pub mod declared;
pub mod dependencies;
pub mod describe;
pub mod describe_batch;
pub mod function;
pub mod module_check;
pub mod prepared;
pub mod session_names;
pub mod shaped_results;
pub mod trigger_tables;
pub mod triggers;
pub mod watch;
