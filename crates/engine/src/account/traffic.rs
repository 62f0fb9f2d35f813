//! The packets of one connection, and its identity, as `sys.dm_exec_connections` shows them.
//!
//! What always holds: the counts only grow; the connection's transport alone changes them. A session of the embedded engine
//! has no connection, and counts nothing.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Of one connection, from its first byte.
#[derive(Debug, Default)]
pub struct Traffic {
    received_packets: AtomicU64,
    sent_packets: AtomicU64,
    connection_id: [u8; 16],
}

impl Traffic {
    /// A connection whose identifier is made of these random bits.
    #[must_use]
    pub fn new(random: [u64; 2]) -> Traffic {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&random[0].to_le_bytes());
        id[8..].copy_from_slice(&random[1].to_le_bytes());
        id[7] = id[7] & 0x0F | 0x40;
        id[8] = id[8] & 0x3F | 0x80;
        Traffic { connection_id: id, ..Traffic::default() }
    }

    /// So many packets came whole.
    pub fn received(&self, packets: u64) {
        self.received_packets.fetch_add(packets, Relaxed);
    }

    /// So many packets were given to the socket, or wait for it.
    pub fn sent(&self, packets: u64) {
        self.sent_packets.fetch_add(packets, Relaxed);
    }

    /// Its identifier, one of version 4 in wire order; zeros before its login.
    #[must_use]
    pub fn connection_id(&self) -> [u8; 16] {
        self.connection_id
    }

    /// Packets that came, packets that went.
    #[must_use]
    pub fn packets(&self) -> (u64, u64) {
        (self.received_packets.load(Relaxed), self.sent_packets.load(Relaxed))
    }
}
