//! What the server offers to be called by name: system procedures, DBCC commands; and [`registry`], which hands these and the views
//! to the engine.
//!
//! It knows no statement's way to its rows: a procedure is called by the interpreter below, and leaves statements to be run
//! to it as steps.

pub mod dbcc;
#[cfg(test)]
mod function_tests;
#[cfg(test)]
mod pinned;
pub mod procedure;
pub mod registry;
mod system_objects;
mod texts;
