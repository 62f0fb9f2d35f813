//! What the page needs of the server it belongs to: sessions of logins, a session of the server's own, and TLS.
//!
//! What always holds: the page asks for nothing else. Implementations lie with whoever puts page and server together.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;

use millpond_top::source::Source;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// What will be there later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A session that may go to a thread of its own.
pub type Session = Box<dyn Source + Send>;

/// Somebody who wants to log in.
#[derive(Clone)]
pub struct Attempt {
    /// The login's name.
    pub name: String,
    /// Its password.
    pub password: String,
    /// Where the browser is.
    pub client: SocketAddr,
    /// The address that it came to.
    pub local: SocketAddr,
    /// Whether that was over TLS.
    pub is_encrypted: bool,
}

/// The server.
pub trait Host: Send + Sync + 'static {
    /// A session of a login, with its rights and no more, or the words why there is none. Wrong passwords take their time here.
    fn log_in(&self, attempt: Attempt) -> Later<'_, Result<Session, String>>;

    /// A session of the server's own, for metrics.
    ///
    /// # Errors
    /// Why there is none.
    fn own_session(&self) -> Result<Session, String>;

    /// Whether the server is about to end.
    fn is_stopping(&self) -> bool;
}

/// Two directions of bytes.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// What lies between a connection and HTTP, as TLS.
pub trait Cover: Send + Sync + 'static {
    /// Covers a connection.
    fn cover(&self, stream: TcpStream) -> Later<'_, io::Result<Box<dyn Stream>>>;
}
