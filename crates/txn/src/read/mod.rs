//! What a reader sees at its isolation level.

pub(crate) mod counted;
pub(crate) mod isolation;
pub(crate) mod reader;
pub mod row;
pub mod scan;
mod take;
