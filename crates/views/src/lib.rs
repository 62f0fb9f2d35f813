//! What the server offers by name beside the databases: system views and table-valued functions, system procedures and DBCC
//! commands, and [`registry`], which hands them to the engine.
//!
//! It knows no statement's way to its rows: a view gives rows to the plan that asks, a procedure is called by the
//! interpreter below.

pub mod dbcc;
#[cfg(test)]
mod function_tests;
pub mod procedure;
pub mod registry;
mod system_objects;
pub mod view;
