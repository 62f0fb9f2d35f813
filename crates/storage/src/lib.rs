//! Durable and temporary pages: files, space maps, the buffer pool, the log of tempdb, and the account of every wait
//! and every byte. It knows numbers only: no keys, no columns, no commits, no names of tables.
#![deny(unsafe_code)]

pub mod ask;
pub mod contract;
pub mod header;
mod arena;
mod eviction;
mod latch;
pub mod pool;
mod pool_fetch;
mod pool_files;
mod pool_free;
mod pool_page;
mod pool_report;
mod pool_resize;
#[cfg(test)]
mod pool_stress;
#[cfg(test)]
mod pool_test_disk;
#[cfg(test)]
mod pool_tests;
mod pool_write;
mod readahead;
mod sweep;
pub mod undo_log;
mod undo_log_slots;
pub mod wait;
pub mod instance;
pub mod map_pages;
pub mod maps;
pub mod space;
pub mod file;
pub mod file_header;
pub mod growth;
pub mod volume;
mod extent_map;
mod map_init;
mod mixed;
mod page_set;
mod proportional;
mod space_state;
pub mod options;
pub mod settings;
pub mod tempdb_files;
pub mod file_report;
mod log_file;
mod open_error;
mod system_databases;
mod tempdb_create;
pub mod alter_file;
pub mod volumes;
