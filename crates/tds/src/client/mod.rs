//! A small blocking client over a stream that its caller opened; our shell uses it against any server that speaks TDS.
//!
//! ```text
//!  connect: [TLS] PRELOGIN ⇄ PRELOGIN, [TLS], LOGIN7 ⇄ LOGINACK, DONE
//!  batch  : SQLBatch ─▶, events ◀─ … until the message is complete
//!  cancel : ATTENTION ─▶, events ◀─ … until a DONE with the attention bit
//! ```
//!
//! What always holds: one request at a time; before the next one the rest of the last answer is read, cancelled first.
//! A [`CancelHandle`] works from another thread; it is looked at whenever a read times out, so the caller sets a read
//! timeout (100 ms, say) on the stream if it wants to cancel.

mod connect;
mod wire;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use millpond_types::Value;

use crate::TdsError;
use crate::column::ColumnMeta;
use crate::headers::AllHeaders;
use crate::packet::{PacketStatus, PacketType};
use crate::rpc::{RpcMessage, RpcRequest};
use crate::sqlbatch::SqlBatch;
use crate::stream::{ClientDecoder, Event};
use crate::tls::{CertificateCheck, TlsError};
use crate::token::{Done, DoneKind, DoneStatus, EnvChange, LoginAck, ServerMessage, colmetadata};
use crate::value::write_row;
use wire::{Received, Wire};

/// How much the client wants to be protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientEncryption {
    /// No TLS at all; refused by a server that requires it.
    Disabled,
    /// The login at least, the session when the server requires it.
    #[default]
    Optional,
    /// The session.
    Mandatory,
    /// TDS 8.0: TLS before everything.
    Strict,
}

/// What a login needs.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// Name of the server, for the certificate and the login.
    pub server: String,
    /// Login name.
    pub user: String,
    /// Password.
    pub password: String,
    /// The password that the login is to have from here on.
    pub new_password: Option<String>,
    /// Database, or empty for the login's default.
    pub database: String,
    /// The login is to fail where the database is not to be had.
    pub needs_database: bool,
    /// Name of the program.
    pub application: String,
    /// Name of this machine.
    pub host: String,
    /// Protection.
    pub encryption: ClientEncryption,
    /// Which certificates will do.
    pub certificate: CertificateCheck,
    /// Packet size to ask for.
    pub packet_bytes: u16,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            server: "localhost".into(),
            user: String::new(),
            password: String::new(),
            new_password: None,
            database: String::new(),
            needs_database: true,
            application: "millpond".into(),
            host: String::new(),
            encryption: ClientEncryption::default(),
            certificate: CertificateCheck::Roots(Arc::new(rustls::RootCertStore::empty())),
            packet_bytes: 8000,
        }
    }
}

/// Why a request or a login failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The stream failed.
    #[error("connection: {0}")]
    Io(#[from] io::Error),
    /// The server closed the stream.
    #[error("the server closed the connection")]
    Closed,
    /// The server's bytes make no sense.
    #[error("protocol: {0}")]
    Protocol(#[from] TdsError),
    /// TLS failed.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The name of the server cannot be in a certificate.
    #[error("'{0}' is not a name that a certificate could have; trust the certificate to connect nevertheless")]
    ServerName(String),
    /// Client and server do not agree on encryption.
    #[error("{0}")]
    Encryption(&'static str),
    /// The server refused the login; its messages say why.
    #[error("login failed: {}", .0.last().map_or("no reason given", |message| &message.message))]
    Login(Vec<ServerMessage>),
    /// The connection broke before.
    #[error("the connection is broken")]
    Broken,
}

/// Cancels the running request from another thread.
#[derive(Clone, Debug, Default)]
pub struct CancelHandle {
    wanted: Arc<AtomicBool>,
}

impl CancelHandle {
    /// Asks for an attention.
    pub fn cancel(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }

    fn take(&self) -> bool {
        self.wanted.swap(false, Ordering::Relaxed)
    }
}

/// Where the answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No request is open.
    Idle,
    /// An answer is being read.
    Reading,
    /// An answer is being read, and its cancellation was asked for.
    Cancelling,
    /// The stream cannot be used any more.
    Broken,
}

/// A connection that is logged in.
#[derive(Debug)]
pub struct Client<S: Read + Write> {
    wire: Wire<S>,
    decoder: ClientDecoder,
    state: State,
    transaction: u64,
    database: String,
    login: LoginAck,
    greeting: VecDeque<Event>,
    cancel: CancelHandle,
}

impl<S: Read + Write> Client<S> {
    /// Logs in over a stream that is connected.
    pub fn connect(stream: S, options: &ConnectOptions) -> Result<Self, ClientError> {
        connect::connect(stream, options)
    }

    /// What the server said of itself.
    pub fn login(&self) -> &LoginAck {
        &self.login
    }

    /// The database of the session.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Messages and changes that came with the login.
    pub fn greeting(&self) -> impl Iterator<Item = &Event> {
        self.greeting.iter()
    }

    /// Version and cipher suite, when the session is protected.
    pub fn tls_description(&self) -> Option<String> {
        self.wire.tls_description()
    }

    /// The stream, for its timeouts.
    pub fn stream(&self) -> &S {
        self.wire.stream()
    }

    /// Cancels from another thread.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }

    /// Runs a batch; its events come as they arrive.
    pub fn batch(&mut self, text: &str) -> Result<Events<'_, S>, ClientError> {
        let payload = SqlBatch { headers: self.headers(), text: text.to_owned() }.encode();
        self.request(PacketType::SqlBatch, &payload)
    }

    /// Calls procedures.
    pub fn call(&mut self, calls: &[RpcRequest]) -> Result<Events<'_, S>, ClientError> {
        let payload = RpcMessage::encode(self.headers(), calls)?;
        self.request(PacketType::Rpc, &payload)
    }

    /// Sends rows after `INSERT BULK`.
    pub fn bulk<'r>(
        &mut self,
        columns: &[ColumnMeta],
        rows: impl Iterator<Item = &'r [Value]>,
    ) -> Result<Events<'_, S>, ClientError> {
        let mut payload = Vec::new();
        colmetadata::put(&mut payload, columns);
        for row in rows {
            write_row(&mut payload, columns, row)?;
        }
        Done::new(DoneKind::Done, DoneStatus::FINAL).put(&mut payload);
        self.request(PacketType::BulkLoad, &payload)
    }

    fn headers(&self) -> AllHeaders {
        AllHeaders { transaction: self.transaction, outstanding_requests: 1 }
    }

    fn request(&mut self, packet_type: PacketType, payload: &[u8]) -> Result<Events<'_, S>, ClientError> {
        self.finish_answer()?;
        self.cancel.take();
        self.decoder.begin();
        self.state = State::Broken;
        self.wire.send_message(packet_type, payload, PacketStatus::default())?;
        self.state = State::Reading;
        Ok(Events { client: self })
    }

    /// Reads what is left of the last answer, cancelled first.
    fn finish_answer(&mut self) -> Result<(), ClientError> {
        match self.state {
            State::Idle => return Ok(()),
            State::Broken => return Err(ClientError::Broken),
            State::Reading => self.send_attention()?,
            State::Cancelling => {}
        }
        while self.next_event()?.is_some() {}
        Ok(())
    }

    fn send_attention(&mut self) -> Result<(), ClientError> {
        self.state = State::Broken;
        self.wire.send_message(PacketType::Attention, &[], PacketStatus::default())?;
        self.state = State::Cancelling;
        Ok(())
    }

    /// The next event of the open answer; `None` at its end.
    fn next_event(&mut self) -> Result<Option<Event>, ClientError> {
        let result = self.read_event();
        if result.is_err() {
            self.state = State::Broken;
        }
        result
    }

    fn read_event(&mut self) -> Result<Option<Event>, ClientError> {
        loop {
            match self.state {
                State::Idle => return Ok(None),
                State::Broken => return Err(ClientError::Broken),
                State::Reading | State::Cancelling => {}
            }
            if let Some(event) = self.decoder.next_event()? {
                self.note(&event);
                return Ok(Some(event));
            }
            if self.decoder.is_complete() {
                if self.state == State::Reading {
                    self.state = State::Idle;
                    continue;
                }
                // The answer was complete before the attention came; its acknowledgement is a message of its own.
                self.decoder.begin();
            }
            self.feed()?;
        }
    }

    fn feed(&mut self) -> Result<(), ClientError> {
        if self.state == State::Reading && self.cancel.take() {
            self.send_attention()?;
        }
        match self.wire.receive()? {
            Received::Nothing => Ok(()),
            Received::Bytes => {
                let decoder = &mut self.decoder;
                self.wire.consume(|input| decoder.feed(input))?;
                Ok(())
            }
        }
    }

    /// What the session has to remember.
    fn note(&mut self, event: &Event) {
        match event {
            Event::EnvChange(EnvChange::Database { new, .. }) => self.database.clone_from(new),
            Event::EnvChange(EnvChange::Begin { transaction }) => self.transaction = *transaction,
            Event::EnvChange(EnvChange::Commit { .. } | EnvChange::Rollback { .. }) => self.transaction = 0,
            Event::Done(done) if done.status.contains(DoneStatus::ATTENTION) => self.state = State::Idle,
            _ => {}
        }
    }
}

/// The events of an answer. Dropped early, the answer is cancelled by the next request.
#[derive(Debug)]
pub struct Events<'a, S: Read + Write> {
    client: &'a mut Client<S>,
}

impl<S: Read + Write> Events<'_, S> {
    /// Cancels the request; events go on until the server has acknowledged.
    pub fn attention(&mut self) -> Result<(), ClientError> {
        if self.client.state == State::Reading {
            self.client.send_attention()?;
        }
        Ok(())
    }
}

impl<S: Read + Write> Iterator for Events<'_, S> {
    type Item = Result<Event, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.client.state == State::Broken {
            return None;
        }
        self.client.next_event().transpose()
    }
}
