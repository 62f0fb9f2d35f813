//! The TLS machine: both ends against each other, cut anywhere, with drivers' habits.

use std::sync::Arc;

use millpond_tds::tls::{CertificateCheck, TlsChannel, TlsCover, TlsError, client_config};
use proptest::prelude::*;
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, Connection};

use crate::world::Certificate;

fn pair(cover: TlsCover) -> (TlsChannel, TlsChannel) {
    let config = client_config(&CertificateCheck::TrustAny, cover == TlsCover::Strict).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let server = Certificate::new().server_connection(cover);
    (TlsChannel::new(Connection::Client(client), cover), TlsChannel::new(server, cover))
}

fn output(channel: &mut TlsChannel) -> Vec<u8> {
    let mut bytes = Vec::new();
    channel.take_output(&mut bytes);
    assert!(!channel.has_output());
    bytes
}

/// Moves what `from` has to send in pieces, and returns the TDS bytes that `to` found.
fn carry(from: &mut TlsChannel, to: &mut TlsChannel, piece: usize) -> Vec<u8> {
    let mut tds = Vec::new();
    for bytes in output(from).chunks(piece) {
        to.receive(bytes, &mut tds).unwrap();
    }
    tds
}

fn shake_hands(client: &mut TlsChannel, server: &mut TlsChannel, piece: usize) {
    while client.is_handshaking() || server.is_handshaking() {
        assert!(client.has_output() || server.has_output());
        assert!(carry(client, server, piece).is_empty());
        assert!(carry(server, client, piece).is_empty());
    }
}

#[test]
fn both_ways_in_every_cover_however_cut() {
    for cover in [TlsCover::Strict, TlsCover::Full, TlsCover::LoginOnly] {
        for piece in [1, 10, 100_000] {
            let (mut client, mut server) = pair(cover);
            let first = {
                let mut bytes = Vec::new();
                client.take_output(&mut bytes);
                let first = bytes[0];
                let mut tds = Vec::new();
                for part in bytes.chunks(piece) {
                    server.receive(part, &mut tds).unwrap();
                }
                first
            };
            assert_eq!(first, if cover == TlsCover::Strict { 0x16 } else { 0x12 });
            shake_hands(&mut client, &mut server, piece);
            assert!(client.description().unwrap().contains("TLS"));
            let login = vec![0x10; 40_000];
            client.send(&login).unwrap();
            client.end_login_protection();
            assert_eq!(carry(&mut client, &mut server, piece), login);
            server.send(&[0x04, 1, 2, 3]).unwrap();
            assert_eq!(carry(&mut server, &mut client, piece), [0x04, 1, 2, 3]);
            client.send(&[0x01, 9]).unwrap();
            assert_eq!(carry(&mut client, &mut server, piece), [0x01, 9]);
            assert_eq!(server.is_clear(), cover == TlsCover::LoginOnly);
            assert_eq!(client.is_clear(), cover == TlsCover::LoginOnly);
        }
    }
}

#[test]
fn login_only_may_end_after_the_first_packet_or_the_whole_login() {
    for protect_second in [false, true] {
        let (mut client, mut server) = pair(TlsCover::LoginOnly);
        shake_hands(&mut client, &mut server, 1000);
        client.send(&[0x10, 0]).unwrap();
        if !protect_second {
            client.end_login_protection();
        }
        client.send(&[0x10, 1]).unwrap();
        client.end_login_protection();
        client.send(&[0x01, 2]).unwrap();
        // All in one read: rustls must not swallow what is in the clear after its records.
        assert_eq!(carry(&mut client, &mut server, usize::MAX), [0x10, 0, 0x10, 1, 0x01, 2]);
    }
}

#[test]
fn bytes_in_the_clear_end_a_protected_session() {
    for cover in [TlsCover::Strict, TlsCover::Full] {
        let (mut client, mut server) = pair(cover);
        shake_hands(&mut client, &mut server, 1000);
        let mut tds = Vec::new();
        assert_eq!(server.receive(&[0x01, 1, 0, 8], &mut tds), Err(TlsError::NotEncrypted));
        assert!(tds.is_empty());
    }
}

#[test]
fn records_are_bounded_and_nothing_is_sent_too_early() {
    let (mut client, mut server) = pair(TlsCover::Full);
    assert_eq!(client.send(b"x"), Err(TlsError::NotReady));
    shake_hands(&mut client, &mut server, 1000);
    let mut tds = Vec::new();
    assert_eq!(server.receive(&[0x17, 3, 3, 0xFF, 0xFF], &mut tds), Err(TlsError::RecordTooLong));
}

#[test]
fn a_refused_certificate_leaves_an_alert_to_send() {
    for cover in [TlsCover::Strict, TlsCover::Full] {
        let config = client_config(&Certificate::new().check(), cover == TlsCover::Strict).unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let client = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut client = TlsChannel::new(Connection::Client(client), cover);
        let (_, mut server) = pair(cover);
        let mut tds = Vec::new();
        server.receive(&output(&mut client), &mut tds).unwrap();
        let refused = client.receive(&output(&mut server), &mut tds);
        assert!(matches!(refused, Err(TlsError::Protocol(rustls::Error::InvalidCertificate(_)))), "{refused:?}");
        let received = server.receive(&output(&mut client), &mut tds);
        assert!(matches!(received, Err(TlsError::Protocol(rustls::Error::AlertReceived(_)))), "{received:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..500), wrapped in any::<bool>()) {
        let cover = if wrapped { TlsCover::LoginOnly } else { TlsCover::Strict };
        let mut server = TlsChannel::new(certificate().server_connection(cover), cover);
        let mut tds = Vec::new();
        let _ = server.receive(&bytes, &mut tds);
        prop_assert!(tds.is_empty());
    }
}

fn certificate() -> &'static Certificate {
    static CERTIFICATE: std::sync::OnceLock<Certificate> = std::sync::OnceLock::new();
    CERTIFICATE.get_or_init(Certificate::new)
}
