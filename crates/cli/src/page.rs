//! The page of a server: its sessions are the server's, inside of this process, and beyond loopback it speaks the server's TLS.
//!
//! What always holds: names and passwords are checked by the server as those of any client; a session of the page has its login's
//! rights, that of the metrics is the server's own; without TLS the page is on loopback alone.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use millpond_page::host::Session as PageSession;
use millpond_page::{Attempt, Cover, Host, Later, Options, Page, StartError, Stream};
use millpond_server::{Config, Entrance, Server, Visitor};
use millpond_tds::login::Password;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::sql::Embedded;
use crate::top::Session;

/// The name that sessions of the page have.
const PROGRAM: &str = "millpond page";
/// Between samples, as in `millpond top`.
const INTERVAL: Duration = Duration::from_secs(2);

/// A server, as its page sees it.
struct Inside {
    entrance: Entrance,
    engine: Arc<millpond_engine::engine::Engine>,
}

impl Host for Inside {
    fn log_in(&self, attempt: Attempt) -> Later<'_, Result<PageSession, String>> {
        let visitor = Visitor {
            name: attempt.name,
            password: Password(attempt.password),
            program: PROGRAM.into(),
            client: attempt.client,
            local: attempt.local,
            is_encrypted: attempt.is_encrypted,
        };
        Box::pin(async move {
            let session = self.entrance.log_in(visitor).await.map_err(|refusal| refusal.to_string())?;
            Ok(Box::new(Session::new(Embedded::of(session))) as PageSession)
        })
    }

    fn own_session(&self) -> Result<PageSession, String> {
        let session = Embedded::inside(&self.engine, None).map_err(|error| error.to_string())?;
        Ok(Box::new(Session::new(session)))
    }

    fn is_stopping(&self) -> bool {
        self.engine.stop().is_requested()
    }
}

/// TLS by the server's certificate.
struct Tls(TlsAcceptor);

impl Cover for Tls {
    fn cover(&self, stream: TcpStream) -> Later<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(async move { Ok(Box::new(self.0.accept(stream).await?) as Box<dyn Stream>) })
    }
}

/// Starts the page, if one is wanted.
///
/// # Errors
/// [`StartError`]
pub fn start(config: &Config, server: &Server) -> Result<Option<Page>, StartError> {
    let Some(listen) = config.http.listen else { return Ok(None) };
    let entrance = server.entrance();
    // Browsers warn of a self-signed certificate; on loopback there is no network to encrypt for.
    let tls = entrance.tls().filter(|_| !listen.ip().is_loopback());
    let cover = tls.map(|tls| Arc::new(Tls(TlsAcceptor::from(tls))) as Arc<dyn Cover>);
    let given = |path: &Path| (!path.as_os_str().is_empty()).then(|| path.to_owned());
    let options = Options {
        listen,
        names: config.http.names.clone(),
        metrics_token: Some(config.http.metrics_token.clone()).filter(|token| !token.is_empty()),
        reports: given(&config.http.reports),
        every: INTERVAL,
        stack_bytes: millpond_query::STACK_BYTES,
        cover,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    let inside = Inside { entrance, engine: Arc::clone(server.engine()) };
    Page::start(options, Arc::new(inside)).map(Some)
}

/// Serves the page, if there is one, until the server is to stop, and ends it before the databases close.
pub fn serve(page: Option<Page>, server: &Server) {
    if let Some(page) = page {
        server.engine().stop().wait();
        page.stop();
    }
}

/// What is typed into a browser.
pub fn url(address: SocketAddr) -> String {
    let scheme = if address.ip().is_loopback() { "http" } else { "https" };
    let shown: IpAddr = if address.ip().is_unspecified() { std::net::Ipv4Addr::LOCALHOST.into() } else { address.ip() };
    format!("{scheme}://{}", SocketAddr::new(shown, address.port()))
}
