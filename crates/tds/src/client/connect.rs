//! The way from an open stream to a session.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, Connection};

use super::wire::{Received, Wire};
use super::{CancelHandle, Client, ClientEncryption, ClientError, ConnectOptions, State};
use crate::TdsVersion;
use crate::login::{Feature, Login7, Password, feature};
use crate::packet::{
    DEFAULT_PACKET_BYTES, Message, MessageReader, PRELOGIN_BOUND_BYTES, PacketStatus, PacketType, write_message,
};
use crate::prelogin::{Encryption, Prelogin, TlsUse, agree};
use crate::stream::{ClientDecoder, Event};
use crate::tls::{CertificateCheck, TlsChannel, TlsCover, TlsError, client_config};
use crate::token::EnvChange;

pub(super) fn connect<S: Read + Write>(stream: S, options: &ConnectOptions) -> Result<Client<S>, ClientError> {
    let mut wire = Wire::new(stream, DEFAULT_PACKET_BYTES);
    if options.encryption == ClientEncryption::Strict {
        wire.start_tls(channel(options, TlsCover::Strict)?)?;
    }
    let answer = prelogin(&mut wire, options)?;
    if options.encryption != ClientEncryption::Strict {
        match agree(asked(options.encryption), answer.wanted_encryption()) {
            None => return Err(ClientError::Encryption(disagreement(options.encryption))),
            Some(TlsUse::None) => {}
            Some(TlsUse::LoginOnly) => wire.start_tls(channel(options, TlsCover::LoginOnly)?)?,
            Some(TlsUse::Full) => wire.start_tls(channel(options, TlsCover::Full)?)?,
        }
    }
    send_login(&mut wire, options)?;
    finish_login(wire)
}

fn asked(encryption: ClientEncryption) -> Encryption {
    match encryption {
        ClientEncryption::Disabled => Encryption::NotSupported,
        ClientEncryption::Optional => Encryption::Off,
        ClientEncryption::Mandatory | ClientEncryption::Strict => Encryption::On,
    }
}

fn disagreement(encryption: ClientEncryption) -> &'static str {
    match encryption {
        ClientEncryption::Disabled => "the server requires encryption",
        _ => "the server does not offer encryption",
    }
}

fn channel(options: &ConnectOptions, cover: TlsCover) -> Result<TlsChannel, ClientError> {
    let config = client_config(&options.certificate, cover == TlsCover::Strict).map_err(TlsError::from)?;
    let name = match (ServerName::try_from(options.server.clone()), &options.certificate) {
        (Ok(name), _) => name,
        (Err(_), CertificateCheck::TrustAny) => ServerName::try_from("localhost").expect("a valid name"),
        (Err(_), CertificateCheck::Roots(_)) => {
            return Err(ClientError::ServerName(options.server.clone()));
        }
    };
    let connection = ClientConnection::new(Arc::new(config), name).map_err(TlsError::from)?;
    Ok(TlsChannel::new(Connection::Client(connection), cover))
}

fn prelogin<S: Read + Write>(wire: &mut Wire<S>, options: &ConnectOptions) -> Result<Prelogin, ClientError> {
    let prelogin = Prelogin {
        version: Some([0; 6]),
        encryption: Some(asked(options.encryption)),
        instance: Some(vec![0]),
        thread_id: Some(std::process::id().to_le_bytes().to_vec()),
        mars: Some(false),
        ..Prelogin::default()
    };
    wire.send_message(PacketType::PreLogin, &prelogin.encode(), PacketStatus::default())?;
    let mut reader = MessageReader::new(PRELOGIN_BOUND_BYTES);
    let message: Message = loop {
        if wire.receive()? == Received::Bytes
            && let Some(message) = wire.consume(|input| reader.read(input))?
        {
            break message;
        }
    };
    Ok(Prelogin::decode(&message.payload)?)
}

fn send_login<S: Read + Write>(wire: &mut Wire<S>, options: &ConnectOptions) -> Result<(), ClientError> {
    let is_strict = options.encryption == ClientEncryption::Strict;
    let login = Login7 {
        version: if is_strict { TdsVersion::V8_0 } else { TdsVersion::V7_4 },
        wanted_packet_bytes: options.packet_bytes.into(),
        client_process: std::process::id(),
        host: options.host.clone(),
        user: options.user.clone(),
        password: Password(options.password.clone()),
        application: options.application.clone(),
        server: options.server.clone(),
        library: "millpond".into(),
        database: options.database.clone(),
        features: vec![Feature { feature: feature::UTF8_SUPPORT, data: vec![] }],
        ..Login7::default()
    };
    let login = Login7 { flags: login.flags.with_fatal_database(options.needs_database), ..login };
    let login = match &options.new_password {
        Some(new) => Login7 { new_password: Password(new.clone()), flags: login.flags.with_new_password(), ..login },
        None => login,
    };
    let mut packets = Vec::new();
    write_message(&mut packets, PacketType::Login7, &login.encode(), wire.packet_bytes(), PacketStatus::default());
    // Login-only protection covers the first packet; the password stands in it.
    let (first, rest) = packets.split_at(packets.len().min(wire.packet_bytes().into()));
    wire.send_bytes(first)?;
    wire.end_login_protection();
    if !rest.is_empty() {
        wire.send_bytes(rest)?;
    }
    Ok(())
}

fn finish_login<S: Read + Write>(mut wire: Wire<S>) -> Result<Client<S>, ClientError> {
    let mut decoder = ClientDecoder::new();
    let mut greeting = VecDeque::new();
    while !decoder.is_complete() {
        if wire.receive()? == Received::Bytes {
            wire.consume(|input| decoder.feed(input))?;
        }
        while let Some(event) = decoder.next_event()? {
            greeting.push_back(event);
        }
    }
    let mut login = None;
    let mut errors = Vec::new();
    let mut database = String::new();
    for event in &greeting {
        match event {
            Event::LoginAck(ack) => login = Some(ack.clone()),
            Event::Error(message) => errors.push(message.clone()),
            Event::EnvChange(EnvChange::PacketSize { new, .. }) => wire.set_packet_bytes(*new),
            Event::EnvChange(EnvChange::Database { new, .. }) => database.clone_from(new),
            _ => {}
        }
    }
    let Some(login) = login else {
        return Err(ClientError::Login(errors));
    };
    let cancel = CancelHandle::default();
    Ok(Client { wire, decoder, state: State::Idle, transaction: 0, database, login, greeting, cancel })
}
