//! What the process has of the system: threads, latches, sockets that it listens at.

pub(crate) mod latches;
pub(crate) mod listeners;
pub(crate) mod ring_buffers;
pub(crate) mod threads;
