//! Rows on their way into tables: records and their keys, what a change writes and where, how a load fills a table.
//!
//! ```text
//!   values ──new_row, row──▶ record, keys ──write──▶ heap or clustered index, then the other indexes
//!   many   ──load, fill────▶ pages built beside the table, linked when they are complete
//! ```
//! Knows tables, indexes and one statement's run; neither texts nor sessions.

pub mod build;
pub mod bulk_file;
pub mod bulk_order;
pub mod changes;
pub mod constraint;
pub mod fill;
pub mod heap_row;
pub mod incoming;
pub mod indexed_view;
pub mod inherited;
pub mod load;
pub mod made_statistics;
pub mod new_column;
pub mod new_row;
pub mod new_values;
pub mod row;
pub mod temporary_rows;
pub mod unread;
pub mod write;
