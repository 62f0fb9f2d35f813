//! What tempdb has that no other database has: files in tiers that are made anew at each start, and a log of undo alone.

pub(crate) mod create;
pub(crate) mod log_file;
pub mod log_medium;
pub mod undo_log;
pub(crate) mod undo_log_slots;
