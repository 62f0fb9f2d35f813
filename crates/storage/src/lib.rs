//! Durable and temporary pages: files, space maps, the buffer pool, the log of tempdb, and the account of every wait
//! and every byte. It knows numbers only: no keys, no columns, no commits, no names of tables.
#![deny(unsafe_code)]

pub mod ask;
pub mod contract;
pub mod header;
pub mod pool;
mod pool_page;
pub mod undo_log;
pub mod wait;
pub mod instance;
pub mod map_pages;
pub mod maps;
pub mod space;
