//! What the tests share: a certificate, and a small server that speaks as ours will.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use millpond_tds::login::Login7;
use millpond_tds::packet::{
    DEFAULT_BOUND_BYTES, DEFAULT_PACKET_BYTES, Message, MessageReader, PRELOGIN_BOUND_BYTES, PacketType, write_message,
};
use millpond_tds::prelogin::{EncryptionPolicy, TlsUse, negotiate};
use millpond_tds::tls::{CertificateCheck, TlsChannel, TlsCover, is_tls_hello, server_config};
use millpond_tds::token::done::command;
use millpond_tds::token::{Done, DoneKind, DoneStatus, EnvChange, LoginAck, ReturnValue, ServerMessage};
use millpond_tds::{ClientMessage, Collation, ColumnMeta, ServerEncoder, TdsVersion};
use millpond_types::{MaxLen, SqlType, Value};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::ServerConnection;
use rustls::{Connection, RootCertStore, ServerConfig};

/// A certificate for `localhost`, in the form both sides need.
pub struct Certificate {
    server: Arc<ServerConfig>,
    strict: Arc<ServerConfig>,
    roots: Arc<RootCertStore>,
}

impl Certificate {
    pub fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let certificate = made.cert.der().clone();
        let server = server_config(vec![certificate.clone()], key.clone_key(), false).unwrap();
        let strict = server_config(vec![certificate.clone()], key, true).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(certificate).unwrap();
        Self { server: Arc::new(server), strict: Arc::new(strict), roots: Arc::new(roots) }
    }

    pub fn check(&self) -> CertificateCheck {
        CertificateCheck::Roots(self.roots.clone())
    }

    pub fn server_connection(&self, cover: TlsCover) -> Connection {
        let config = if cover == TlsCover::Strict { &self.strict } else { &self.server };
        Connection::Server(ServerConnection::new(config.clone()).unwrap())
    }
}

/// The server's end of a connection.
struct Peer {
    stream: TcpStream,
    tls: Option<TlsChannel>,
    input: Vec<u8>,
    reader: MessageReader,
}

impl Peer {
    fn receive(&mut self) -> Option<()> {
        let mut buffer = [0; 777];
        let count = self.stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        match &mut self.tls {
            None => self.input.extend_from_slice(&buffer[..count]),
            Some(tls) => tls.receive(&buffer[..count], &mut self.input).ok()?,
        }
        self.flush()
    }

    fn flush(&mut self) -> Option<()> {
        let mut out = Vec::new();
        if let Some(tls) = &mut self.tls {
            tls.take_output(&mut out);
        }
        self.stream.write_all(&out).ok()
    }

    fn send(&mut self, bytes: &[u8]) -> Option<()> {
        match &mut self.tls {
            None => self.stream.write_all(bytes).ok(),
            Some(tls) => {
                tls.send(bytes).ok()?;
                self.flush()
            }
        }
    }

    fn message(&mut self) -> Option<Message> {
        loop {
            let mut rest = &self.input[..];
            let message = self.reader.read(&mut rest).ok()?;
            let consumed = self.input.len() - rest.len();
            self.input.drain(..consumed);
            if message.is_some() {
                return message;
            }
            self.receive()?;
        }
    }

    fn start_tls(&mut self, channel: TlsChannel) -> Option<()> {
        self.tls = Some(channel);
        while self.tls.as_ref()?.is_handshaking() {
            self.receive()?;
        }
        Some(())
    }
}

/// Starts a server for one connection and returns the client's end; the thread returns the login it read.
pub fn serve(
    policy: EncryptionPolicy,
    certificate: Arc<Certificate>,
) -> (TcpStream, JoinHandle<Option<(Login7, bool)>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().ok()?;
        let reader = MessageReader::new(PRELOGIN_BOUND_BYTES);
        let mut peer = Peer { stream, tls: None, input: Vec::new(), reader };
        let login = log_in(&mut peer, policy, &certificate)?;
        let is_protected = peer.tls.as_ref().is_some_and(|tls| !tls.is_clear());
        answer_all(&mut peer, &login);
        Some((login, is_protected))
    });
    (stream, thread)
}

fn log_in(peer: &mut Peer, policy: EncryptionPolicy, certificate: &Certificate) -> Option<Login7> {
    let mut first = [0];
    peer.stream.peek(&mut first).ok()?;
    let is_strict = is_tls_hello(first[0]);
    if is_strict {
        let connection = certificate.server_connection(TlsCover::Strict);
        peer.start_tls(TlsChannel::new(connection, TlsCover::Strict))?;
    }
    let message = peer.message()?;
    let Ok(ClientMessage::Prelogin(asked)) = ClientMessage::decode(message.packet_type, message.payload) else {
        return None;
    };
    let (answer, tls_use) = negotiate(asked.wanted_encryption(), policy);
    let mut out = Vec::new();
    let payload = asked.answer([16, 0, 3, 0xE8, 0, 0], answer).encode();
    write_message(&mut out, PacketType::TabularResult, &payload, DEFAULT_PACKET_BYTES, Default::default());
    peer.send(&out)?;
    let cover = match tls_use? {
        TlsUse::LoginOnly => Some(TlsCover::LoginOnly),
        TlsUse::Full => Some(TlsCover::Full),
        TlsUse::None => None,
    };
    if let (Some(cover), false) = (cover, is_strict) {
        peer.start_tls(TlsChannel::new(certificate.server_connection(cover), cover))?;
    }
    let message = peer.message()?;
    let Ok(ClientMessage::Login(login)) = ClientMessage::decode(message.packet_type, message.payload) else {
        return None;
    };
    greet(peer, &login)?;
    peer.reader.set_bound(DEFAULT_BOUND_BYTES);
    Some(*login)
}

fn greet(peer: &mut Peer, login: &Login7) -> Option<()> {
    let mut encoder = ServerEncoder::new(login.version, DEFAULT_PACKET_BYTES);
    if login.password.0 != "secret" {
        encoder.message(&message(18456, 14, &format!("Login failed for user '{}'.", login.user)));
        encoder.done(Done::new(DoneKind::Done, DoneStatus::ERROR));
    } else {
        let database = if login.database.is_empty() { "master" } else { &login.database };
        encoder.env_change(&EnvChange::Database { new: database.into(), old: "master".into() });
        encoder.message(&message(5701, 0, &format!("Changed database context to '{database}'.")));
        encoder.env_change(&EnvChange::Collation { new: Collation::default(), old: None });
        encoder.env_change(&EnvChange::Language { new: "us_english".into(), old: String::new() });
        encoder.login_ack(&LoginAck {
            version: login.version.min(TdsVersion::V8_0),
            program: "Microsoft SQL Server".into(),
            program_version: [16, 0, 3, 0xE8],
        });
        encoder.env_change(&EnvChange::PacketSize { new: login.packet_bytes(), old: DEFAULT_PACKET_BYTES });
        if let Some(acks) = login.feature_acks() {
            encoder.feature_ext_ack(&acks);
        }
        encoder.done(Done::new(DoneKind::Done, DoneStatus::FINAL));
    }
    let mut out = Vec::new();
    encoder.finish(&mut out);
    peer.send(&out)
}

pub fn message(number: i32, severity: u8, text: &str) -> ServerMessage {
    ServerMessage {
        number,
        state: 1,
        severity,
        message: text.into(),
        server: "test".into(),
        procedure: String::new(),
        line: 1,
    }
}

/// Answers until the client goes away. The texts it knows: `rows N`, `error`, `wait`, `begin`, anything else is echoed.
fn answer_all(peer: &mut Peer, login: &Login7) -> Option<()> {
    let mut encoder = ServerEncoder::new(login.version, login.packet_bytes());
    loop {
        let message = peer.message()?;
        match ClientMessage::decode(message.packet_type, message.payload).ok()? {
            ClientMessage::SqlBatch(batch) => batch_answer(peer, &mut encoder, &batch.text, batch.headers.transaction)?,
            ClientMessage::Rpc(rpc) => {
                let mut calls = rpc.calls();
                while let Some(call) = calls.next() {
                    let call = call.ok()?;
                    for (ordinal, parameter) in (0..).zip(call.parameters) {
                        let (name, sql_type, value) = (parameter.name, parameter.sql_type, parameter.value);
                        let returned = ReturnValue { ordinal, name, is_function_result: false, sql_type, value };
                        encoder.return_value(&returned).ok()?;
                    }
                    encoder.return_status(7);
                    let status = DoneStatus::FINAL.with_if(calls.has_more(), DoneStatus::MORE);
                    encoder.done(Done::new(DoneKind::Procedure, status));
                }
            }
            ClientMessage::Attention => encoder.done(Done::attention()),
            _ => return None,
        }
        let mut out = Vec::new();
        encoder.finish(&mut out);
        peer.send(&out)?;
    }
}

fn batch_answer(peer: &mut Peer, encoder: &mut ServerEncoder, text: &str, transaction: u64) -> Option<()> {
    let columns = [ColumnMeta::new("text", SqlType::NVarChar { len: MaxLen::Max })];
    if let Some(count) = text.strip_prefix("rows ") {
        encoder.columns(&columns);
        for _ in 0..count.parse().unwrap_or(0) {
            encoder.row(&columns, &[Value::Str("x".repeat(100).into())]).ok()?;
            if encoder.has_full_packet() {
                let mut out = Vec::new();
                encoder.take_full(&mut out);
                peer.send(&out)?;
            }
        }
        encoder.done(Done::new(DoneKind::Done, DoneStatus::FINAL));
    } else if text == "error" {
        encoder.message(&message(208, 16, "Invalid object name 'nothing'."));
        encoder.done(Done::new(DoneKind::Done, DoneStatus::ERROR));
    } else if text == "wait" {
        // Runs until the attention comes, which ends this message.
        encoder.message(&message(0, 0, "waiting"));
        let mut out = Vec::new();
        encoder.flush(&mut out);
        peer.send(&out)?;
        let attention = peer.message()?;
        assert_eq!(attention.packet_type, PacketType::Attention);
        encoder.done(Done::attention());
    } else if text == "begin" {
        encoder.env_change(&EnvChange::Begin { transaction: 42 });
        encoder.done(Done::new(DoneKind::Done, DoneStatus::IN_TRANSACTION));
    } else {
        encoder.columns(&columns);
        encoder.row(&columns, &[Value::Str(format!("{transaction} {text}").into())]).ok()?;
        let status = DoneStatus::COUNT;
        encoder.done(Done { kind: DoneKind::Done, status, command: command::SELECT, row_count: 1 });
    }
    Some(())
}
