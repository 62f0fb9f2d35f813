//! The algebra that the binder produces, and what it is made of and is part of: relations read tables and hold expressions,
//! expressions hold relations and functions of the user, and columns, constraints and indexes of tables hold expressions.
//!
//! What always holds: these are the only files of the crate that need each other. What a definition is good for beyond being
//! held stands above them, what they are made of below.

pub mod expr;
pub mod rel;
pub mod table;
