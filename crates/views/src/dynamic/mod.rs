//! Dynamic management views: what the server does now, and what it has done since its start.

pub(crate) mod buffers;
pub(crate) mod counters;
pub(crate) mod describe;
pub(crate) mod extension;
pub(crate) mod file_io;
pub(crate) mod file_tiers;
pub(crate) mod file_writes;
pub(crate) mod governor;
pub(crate) mod grants;
pub(crate) mod host;
pub(crate) mod index;
pub(crate) mod input_buffer;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod memory_clerks;
pub(crate) mod plans;
pub(crate) mod processes;
pub(crate) mod requests;
pub(crate) mod sessions;
pub(crate) mod space;
pub(crate) mod statements;
pub(crate) mod tasks;
pub(crate) mod transactions;
pub(crate) mod volume_io;
pub(crate) mod waits;
