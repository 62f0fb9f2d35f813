//! Tokens in order: [`ServerEncoder`] makes packets of them, [`ClientDecoder`] makes events of packets;
//! [`BulkDecoder`] reads the rows of INSERT BULK.

mod bulk;
mod client;
mod server;

pub use bulk::{BulkDecoder, BulkEvent};
pub use client::{ClientDecoder, Event};
pub use server::ServerEncoder;
