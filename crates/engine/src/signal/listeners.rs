//! Where the server takes connections: said by who listens, shown by views.

use std::net::SocketAddr;

use parking_lot::Mutex;

/// A socket that connections come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Its address and port.
    pub address: SocketAddr,
    /// When it began to listen: local time, microseconds since 1970.
    pub since_us: i64,
}

/// All of them, in the order in which they began.
#[derive(Debug, Default)]
pub struct Listeners {
    known: Mutex<Vec<Listener>>,
}

impl Listeners {
    /// The server listens there from now on.
    pub fn add(&self, listener: Listener) {
        self.known.lock().push(listener);
    }

    /// The server does not listen there any more.
    pub fn remove(&self, address: SocketAddr) {
        self.known.lock().retain(|listener| listener.address != address);
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> Vec<Listener> {
        self.known.lock().clone()
    }
}
