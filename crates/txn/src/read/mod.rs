//! What a reader sees at its isolation level.

pub(crate) mod isolation;
pub(crate) mod reader;
pub(crate) mod row;
pub(crate) mod scan;
