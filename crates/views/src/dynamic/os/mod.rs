//! What the process has of the system: threads, latches, sockets that it listens at, files and folders.

pub(crate) mod filesystem;
pub(crate) mod latches;
pub(crate) mod listeners;
pub(crate) mod ring_buffers;
pub(crate) mod threads;
