//! Logins that have no connection of TDS: those of the page, whose sessions run in this process.
//!
//! What always holds: name and password are checked as those of a client are, with the same turns after failures, locks of accounts,
//! triggers and lines in the error log; a session that is given out has the login's rights and no more. It knows no HTTP.

use std::net::SocketAddr;
use std::sync::Arc;

use millpond_query::session::Session;
use millpond_tds::login::{Login7, Password};
use rustls::ServerConfig;

use crate::handshake::{self, Peer};
use crate::shared::Shared;

/// Who wants a session, and from where.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// The login's name.
    pub name: String,
    /// Its password.
    pub password: Password,
    /// The program that the session is of.
    pub program: String,
    /// The client's address.
    pub client: SocketAddr,
    /// The address of this server that it came to.
    pub local: SocketAddr,
    /// Whether all of it goes over TLS.
    pub is_encrypted: bool,
}

/// Why a login has no session, as its client may be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    /// As 18456.
    pub number: i32,
    /// SQL Server's words.
    pub text: String,
}

/// Where such logins come in.
#[derive(Clone)]
pub struct Entrance(Arc<Shared>);

impl Entrance {
    pub(crate) fn of(shared: &Arc<Shared>) -> Entrance {
        Entrance(Arc::clone(shared))
    }

    /// A session of a login; after failures of the same name from the same address it takes longer.
    ///
    /// # Errors
    /// 18456 and its kin.
    pub async fn log_in(&self, visitor: Visitor) -> Result<Session, Refusal> {
        let Visitor { name: user, password, program, client, local, is_encrypted } = visitor;
        let login = Login7 {
            user,
            password,
            application: program.clone(),
            library: program,
            host: client.ip().to_canonical().to_string(),
            client_process: std::process::id(),
            ..Login7::default()
        };
        let peer = Peer { address: client, local: Some(local) };
        let refused = handshake::log_in_inside(&self.0, login, peer, is_encrypted).await;
        refused.map_err(|refusals| match refusals.into_iter().next_back() {
            Some(refusal) => Refusal { number: refusal.number, text: refusal.message },
            None => Refusal { number: 0, text: "There is no session.".into() },
        })
    }

    /// TLS of the server, where it has any.
    #[must_use]
    pub fn tls(&self) -> Option<Arc<ServerConfig>> {
        self.0.certificate.as_ref().map(crate::certificate::Certificate::config)
    }
}
