//! JSON in T-SQL: the functions that make it, and OPENJSON.

pub(super) mod call;
pub(super) mod open;
