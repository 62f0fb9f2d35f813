//! Tokens in order: [`ServerEncoder`] makes packets of them, [`ClientDecoder`] makes events of packets.

mod client;
mod server;

pub use client::{ClientDecoder, Event};
pub use server::ServerEncoder;
