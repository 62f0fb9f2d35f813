//! A listener for clients that speak TDS, over an instance of this process.
//!
//! What always holds: it has a password, since a port can be reached by others; when it has stopped its clients are gone and
//! the instance goes on. It may be started and stopped inside of an async runtime: it waits on threads of its own.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use millpond_server::config::TlsMode;
use millpond_server::{Config, Server};

use crate::error::Error;
use crate::shared::{Inner, ListenerState};

/// How to listen.
#[derive(Clone)]
pub struct ListenOptions {
    address: SocketAddr,
    password: String,
    connections_max: Option<usize>,
    needs_tls: bool,
}

impl std::fmt::Debug for ListenOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ListenOptions").field("address", &self.address).field("needs_tls", &self.needs_tls).finish()
    }
}

impl ListenOptions {
    /// On a free port of 127.0.0.1, with this password for `sa`. TLS is offered, with a certificate of its own.
    #[must_use]
    pub fn new(password: &str) -> ListenOptions {
        ListenOptions {
            address: SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0),
            password: password.to_owned(),
            connections_max: None,
            needs_tls: false,
        }
    }

    /// Another address. Port 0 is a free one.
    #[must_use]
    pub fn address(self, address: SocketAddr) -> ListenOptions {
        ListenOptions { address, ..self }
    }

    /// Clients beyond so many are refused with 17809; the default is SQL Server's, 32,716.
    #[must_use]
    pub fn connections_max(self, connections_max: usize) -> ListenOptions {
        ListenOptions { connections_max: Some(connections_max), ..self }
    }

    /// Whether clients without TLS are refused.
    #[must_use]
    pub fn needs_tls(self, needs_tls: bool) -> ListenOptions {
        ListenOptions { needs_tls, ..self }
    }
}

/// A listener. It stops when it is dropped, or with its instance.
pub struct Listener {
    address: SocketAddr,
    state: Arc<ListenerState>,
    // Dropped last.
    _instance: Arc<Inner>,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener").field("address", &self.address).finish()
    }
}

impl Listener {
    pub(crate) fn start(instance: &Arc<Inner>, options: &ListenOptions) -> Result<Listener, Error> {
        if options.password.is_empty() {
            return Err(Error::Listen("the password of sa is empty".to_owned()));
        }
        let engine = instance.engine()?;
        let mut config = Config::default();
        config.server.listen = options.address;
        config.server.sa_password.clone_from(&options.password);
        config.server.agent = false;
        if let Some(connections_max) = options.connections_max {
            config.server.max_connections = connections_max;
        }
        if options.needs_tls {
            config.tls.mode = TlsMode::Required;
        }
        let server = Server::start_over(engine, &config).map_err(|error| Error::Listen(error.to_string()))?;
        let address = server.address();
        let state = Arc::new(ListenerState::new(server));
        let listener = Listener { address, state, _instance: Arc::clone(instance) };
        instance.know_listener(&listener.state)?;
        Ok(listener)
    }

    /// Where it listens, with the port that it has.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends its clients away: requests that run are cancelled.
    pub fn stop(self) {
        self.state.stop();
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.state.stop();
    }
}
