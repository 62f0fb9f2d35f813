//! Rows read and changed: SELECT, INSERT, UPDATE, DELETE and MERGE, bulk loads, and what each needs of a row.

pub(crate) mod bulk;
pub(crate) mod bulk_file;
pub(crate) mod bulk_order;
pub(crate) mod bulk_state;
pub(crate) mod change;
pub(crate) mod fill;
pub(crate) mod gather;
pub(crate) mod heap_row;
pub(crate) mod incoming;
pub(crate) mod inherited;
pub(crate) mod insert;
pub(crate) mod load;
pub(crate) mod merge;
pub(crate) mod new_row;
pub(crate) mod output;
pub(crate) mod query;
pub(crate) mod references;
pub(crate) mod row;
pub(crate) mod store;
pub(crate) mod unread;
pub(crate) mod write;
