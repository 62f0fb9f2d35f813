//! T-SQL's meaning: catalog, binding, plans, direct statements, procedures, functions, system views, messages.
//!
//! ```text
//!   text ──tsql──▶ tree ──bind──▶ rel, expr ──exec──▶ direct statement ──▶ txn
//!                                                └──▶ analytic (DataFusion) ──▶ txn
//! ```
//! Knows no sockets, no tokens of the wire, no paths. DataFusion is named in `analytic` only.
#![deny(unsafe_code)]

pub mod analytic;
mod classify;
pub mod context;
pub mod cpu;
pub mod databases;
pub mod dbcc;
pub mod draw;
pub mod engine;
pub mod error_log;
pub mod exec;
#[cfg(test)]
mod function_tests;
mod governor;
mod inventory;
pub mod memory;
mod metadata;
pub mod module;
pub mod parse_time;
pub mod procedure;
mod profile;
pub mod registry;
mod seek;
pub mod session;
pub mod session_shared;
mod session_values;
mod showplan;
pub mod statement_stats;
mod stored;
pub mod system_call;
pub mod temp;
pub mod verdict;
pub mod view;
pub mod work;

use millpond_types::{Decimal, Value};

/// An identity value as @@IDENTITY gives it: numeric(38, 0).
fn decimal_of(value: i64) -> Value {
    Decimal::new(i128::from(value), 0).map_or(Value::Null, Value::Decimal)
}

/// Stack of a thread that runs statements, in bytes.
pub use millpond_tsql::STACK_BYTES;
