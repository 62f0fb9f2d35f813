//! Storage as a whole: instances on disk and in memory.

mod alter;
mod backup;
mod database;
mod locked;
mod moving;
mod open;
mod recorder;
mod snapshots;
mod support;
mod tempdb;
