//! T-SQL's meaning: catalog, binding, plans, direct statements, procedures, functions, system views, messages.
//!
//! ```text
//!   text ──tsql──▶ tree ──bind──▶ rel, expr ──exec──▶ direct statement ──▶ txn
//!                                                └──▶ analytic (DataFusion) ──▶ txn
//! ```
//! Knows no sockets, no tokens of the wire, no paths. DataFusion is named in `analytic` only.
#![deny(unsafe_code)]

mod classify;
pub mod dbcc;
pub mod exec;
#[cfg(test)]
mod function_tests;
pub mod procedure;
pub mod registry;
pub mod session;
pub mod view;

use millpond_types::{Decimal, Value};

/// An identity value as @@IDENTITY gives it: numeric(38, 0).
fn decimal_of(value: i64) -> Value {
    Decimal::new(i128::from(value), 0).map_or(Value::Null, Value::Decimal)
}

/// Stack of a thread that runs statements, in bytes.
pub use millpond_tsql::STACK_BYTES;
