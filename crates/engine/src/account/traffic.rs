//! The packets of one connection, as `sys.dm_exec_connections` shows them.
//!
//! What always holds: the counts only grow; the connection's transport alone changes them. A session of the embedded engine
//! has no connection, and counts nothing.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Of one connection, from its first byte.
#[derive(Debug, Default)]
pub struct Traffic {
    received_packets: AtomicU64,
    sent_packets: AtomicU64,
}

impl Traffic {
    /// So many packets came whole.
    pub fn received(&self, packets: u64) {
        self.received_packets.fetch_add(packets, Relaxed);
    }

    /// So many packets were given to the socket, or wait for it.
    pub fn sent(&self, packets: u64) {
        self.sent_packets.fetch_add(packets, Relaxed);
    }

    /// Packets that came, packets that went.
    #[must_use]
    pub fn packets(&self) -> (u64, u64) {
        (self.received_packets.load(Relaxed), self.sent_packets.load(Relaxed))
    }
}
