//! Storage as a whole: instances on disk and in memory.

mod alter;
mod backup;
mod beside_backup;
mod database;
mod growth;
mod locked;
mod moving;
mod open;
mod options;
mod page_headers;
mod recorder;
mod slotted_pages;
mod snapshots;
mod stored_settings;
mod support;
mod tempdb;
mod undo_log;
mod volume;
mod waits;
