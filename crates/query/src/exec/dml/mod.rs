//! Rows read and changed: SELECT, INSERT, UPDATE, DELETE and MERGE, bulk loads, and what each needs of a row.

pub(crate) mod bulk;
pub(crate) mod bulk_file;
pub(crate) mod change;
pub(crate) mod found;
pub(crate) mod gather;
pub(crate) mod insert;
pub(crate) mod instead;
pub(crate) mod merge;
pub(crate) mod output;
pub(crate) mod query;
pub(crate) mod references;
pub(crate) mod store;
pub(crate) mod views;
