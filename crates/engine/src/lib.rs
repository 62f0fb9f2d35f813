//! What the statements of all sessions share: databases with their definitions, sessions as others see them, memory for
//! values and grants, accounts, and [`context::RunContext`], which is the `Run` of an expression.
//!
//! ```text
//!   Engine ──▶ Databases ──▶ Dictionary of each, opened when it is first asked for
//!      ├─────▶ SessionShared of each session: what other sessions and views see of it
//!      ├─────▶ Workspace: memory for values, and grants for plans
//!      └─────▶ Registry: the views, procedures and DBCC commands of the server, which lie above
//! ```
//! It knows no statement and no plan.

pub mod account;
pub mod activity;
pub mod admin;
pub mod arguments;
pub mod bound_objects;
pub mod capture;
pub mod context;
pub mod databases;
pub mod definition_event;
pub mod draw;
pub mod engine;
pub mod error_log;
pub mod event_session;
pub mod governor;
pub mod inventory;
pub mod logins;
pub mod memory;
pub mod metadata;
pub mod module;
pub mod parsed;
pub mod principals;
mod properties;
pub mod rows;
pub mod scoped;
pub mod security;
pub mod session_shared;
pub mod session_values;
pub mod settled;
pub mod signal;
pub mod stay;
pub mod stored;
pub mod system_args;
pub mod system_call;
pub mod temp;

pub use millpond_builtin::password;
