//! What all connections of a server share.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use millpond_engine::engine::Engine;
use millpond_message::error::SqlError;
use millpond_tds::token::ServerMessage;
use tokio::sync::watch;

use crate::attempts::Attempts;
use crate::certificate::Certificate;
use crate::config::TlsMode;
use crate::password::Passwords;
use crate::registry::Registry;
use crate::workers::Workers;

/// A request that has run for so long is watched by its socket alone: until then looking costs more than it finds. One
/// that was cancelled is cancelled again as often.
pub const LOOK_AFTER: Duration = Duration::from_millis(10);
/// What a running request has left to end by itself when the server stops.
pub const STOP_GRACE: Duration = Duration::from_millis(200);

/// What all connections share.
pub struct Shared {
    pub(crate) engine: Arc<Engine>,
    pub(crate) certificate: Option<Certificate>,
    pub(crate) tls_mode: TlsMode,
    pub(crate) passwords: Arc<Passwords>,
    pub(crate) attempts: Attempts,
    /// The server's name in messages.
    pub(crate) name: Arc<str>,
    pub(crate) connections_max: usize,
    pub(crate) registry: Registry,
    pub(crate) workers: Arc<Workers>,
    pub(crate) open: AtomicUsize,
    pub(crate) stop: watch::Sender<bool>,
}

impl Shared {
    /// Becomes true when the server stops.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    /// An error message of the server's own.
    pub(crate) fn error(&self, error: &SqlError) -> ServerMessage {
        ServerMessage {
            number: error.number,
            state: error.state,
            severity: error.severity,
            message: error.text.clone(),
            server: self.name.to_string(),
            procedure: String::new(),
            line: 1,
        }
    }
}

/// Returns when the server stops.
pub async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the server is gone altogether.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}
