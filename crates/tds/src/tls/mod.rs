//! TLS inside TDS, for both sides and without I/O: bytes of the wire in, bytes of TDS out, and back.
//!
//! ```text
//!  in-prelogin   PRELOGIN ⇄ PRELOGIN, handshake in packets of type 12, then bare TLS records
//!                  full      : to the end
//!                  login only: for the first packet of LOGIN7, then bare TDS in both directions
//!  strict (8.0)  handshake first and bare, everything inside, PRELOGIN too
//! ```
//!
//! [`prelogin`] wraps and unwraps the handshake; [`TlsChannel`] is the whole machine over a rustls connection.
//! A server whose first byte from the client is [`is_tls_hello`] is asked for strict mode.

mod channel;
mod config;
pub mod prelogin;

pub use channel::{TlsChannel, TlsCover};
pub use config::{ALPN, CertificateCheck, client_config, server_config};

use crate::TdsError;

/// Why a TLS stream cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TlsError {
    /// The handshake failed or a record is wrong.
    #[error("TLS: {0}")]
    Protocol(#[from] rustls::Error),
    /// The packets around the handshake are wrong.
    #[error("TLS handshake: {0}")]
    Frame(#[from] TdsError),
    /// A record is longer than TLS allows.
    #[error("a TLS record is too long")]
    RecordTooLong,
    /// Bytes in the clear where TLS was agreed on.
    #[error("bytes in the clear inside a TLS session")]
    NotEncrypted,
    /// Something was to be sent before the handshake was done.
    #[error("the TLS handshake is not finished")]
    NotReady,
}

/// Whether a client that sends this byte first wants TDS 8.0's strict mode.
pub fn is_tls_hello(first_byte: u8) -> bool {
    first_byte == 0x16
}
