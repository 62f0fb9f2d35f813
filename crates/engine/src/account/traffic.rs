//! The packets of one connection, and its identity, as `sys.dm_exec_connections` shows them.
//!
//! What always holds: the counts only grow; the connection's transport alone changes them. A session of the embedded engine
//! has no connection, and counts nothing.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::entropy::entropy;

/// Of one connection, from its first byte.
#[derive(Debug, Default)]
pub struct Traffic {
    received_packets: AtomicU64,
    sent_packets: AtomicU64,
    id: OnceLock<[u8; 16]>,
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

    /// A random identifier of version 4, in wire order; the same as long as the connection lasts.
    #[must_use]
    pub fn connection_id(&self) -> [u8; 16] {
        *self.id.get_or_init(|| {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&entropy().to_le_bytes());
            bytes[8..].copy_from_slice(&entropy().to_le_bytes());
            bytes[7] = bytes[7] & 0x0F | 0x40;
            bytes[8] = bytes[8] & 0x3F | 0x80;
            bytes
        })
    }

    /// Packets that came, packets that went.
    #[must_use]
    pub fn packets(&self) -> (u64, u64) {
        (self.received_packets.load(Relaxed), self.sent_packets.load(Relaxed))
    }
}
