//! INFORMATION_SCHEMA: what the SQL standard shows of a database.

pub(crate) mod keys;
pub(crate) mod privileges;
pub(crate) mod tables;
