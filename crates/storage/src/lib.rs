//! Durable and temporary pages: files, space maps, the buffer pool, the log of tempdb, and the account of every wait
//! and every byte. It knows numbers only: no keys, no columns, no commits, no names of tables.
#![deny(unsafe_code)]

pub mod ask;
pub mod backup;
pub mod checks;
pub mod contract;
pub mod database;
pub mod extension;
pub mod file;
pub mod happened;
pub mod instance;
mod open_error;
mod pace;
pub mod page;
pub mod page_io;
pub mod pool;
pub mod progress;
mod services;
pub mod settings;
pub mod space;
pub mod tempdb;
pub mod wait;
pub mod wal;

pub use millpond_device::{guid, number_map};
pub use services::Folders;
