//! The TDS 7.2–7.4 protocol as pure functions: bytes to messages and back, for the server and for the client.
//!
//! ```text
//!  client                                  server
//!  client::Client  ── packet ──────────▶  packet::MessageReader ─▶ message::ClientMessage
//!  stream::ClientDecoder ◀── packet ───   stream::ServerEncoder ◀─ token::*, value::*
//! ```
//!
//! What always holds: no function here reads a socket or a clock (the one exception, [`client`], drives a stream that
//! its caller opened); a decoder never panics and never allocates more than a small multiple of the bytes it was given,
//! which [`packet::MessageReader`] bounds. Nothing here knows sessions or what a statement means.

pub mod client;
pub mod collation;
pub mod column;
mod error;
pub mod headers;
pub mod login;
pub mod message;
pub mod packet;
pub mod prelogin;
pub mod rpc;
pub mod smp;
pub mod sqlbatch;
pub mod stream;
pub mod tls;
pub mod token;
pub mod transmgr;
pub mod tvp;
pub mod type_info;
pub mod value;
pub mod version;
mod wire;

pub use collation::Collation;
pub use column::ColumnMeta;
pub use error::TdsError;
pub use message::ClientMessage;
pub use stream::{BulkDecoder, BulkEvent, ClientDecoder, Event, ServerEncoder};
pub use version::TdsVersion;
