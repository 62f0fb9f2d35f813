//! Durable and temporary pages: files, space maps, the buffer pool, the log of tempdb, and the account of every wait
//! and every byte. It knows numbers only: no keys, no columns, no commits, no names of tables.
#![deny(unsafe_code)]

mod alter_database;
mod alter_durable;
pub mod alter_error;
pub mod alter_file;
mod arena;
pub mod ask;
pub mod backup;
mod bell;
pub mod boot_page;
mod checkpointer;
pub mod contract;
pub mod database;
pub mod database_create;
mod database_files;
pub mod database_list;
mod database_open;
pub mod database_options;
pub mod database_plan;
mod eviction;
mod extent_map;
pub mod file;
pub mod file_header;
pub mod file_report;
mod ground;
pub mod growth;
mod guid;
pub mod header;
pub mod instance;
mod instance_checkpoint;
mod instance_config;
mod latch;
mod log_file;
mod logged_maps;
mod map_init;
pub mod map_pages;
pub mod maps;
mod mixed;
mod open_error;
pub mod options;
mod page_road;
mod page_set;
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
mod proportional;
mod readahead;
pub mod settings;
pub mod slotted;
pub mod space;
mod space_state;
mod start;
mod sweep;
mod system_databases;
mod tempdb_create;
pub mod tempdb_files;
pub mod undo_log;
mod undo_log_slots;
pub mod volume;
pub mod volumes;
pub mod wait;
pub mod wal;
