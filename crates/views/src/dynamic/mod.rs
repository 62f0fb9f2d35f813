//! Dynamic management views: what the server does now, and what it has done since its start.

pub(crate) mod buffers;
pub(crate) mod counters;
pub(crate) mod describe;
pub(crate) mod event_files;
pub(crate) mod extension;
pub(crate) mod governor;
pub(crate) mod grants;
pub(crate) mod host;
pub(crate) mod index;
pub(crate) mod input_buffer;
pub(crate) mod io;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod memory_clerks;
pub(crate) mod page_resource;
pub(crate) mod plans;
pub(crate) mod pools;
pub(crate) mod processes;
pub(crate) mod requests;
pub(crate) mod sessions;
pub(crate) mod space;
pub(crate) mod statements;
pub(crate) mod tasks;
pub(crate) mod transactions;
pub(crate) mod waits;
