//! Our client against a server made of our encoder, over a socket, with every kind of protection.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use millpond_tds::Event;
use millpond_tds::client::{Client, ClientEncryption, ClientError, ConnectOptions};
use millpond_tds::prelogin::EncryptionPolicy;
use millpond_tds::rpc::{ProcId, RpcParameter, RpcRequest};
use millpond_tds::tls::CertificateCheck;
use millpond_tds::token::DoneStatus;
use millpond_types::{SqlType, Value};

use crate::world::{Certificate, serve};

fn options(encryption: ClientEncryption, certificate: CertificateCheck) -> ConnectOptions {
    ConnectOptions {
        user: "sa".into(),
        password: "secret".into(),
        database: "tempdb".into(),
        encryption,
        certificate,
        ..ConnectOptions::default()
    }
}

fn connect(encryption: ClientEncryption, policy: EncryptionPolicy) -> Result<Client<TcpStream>, ClientError> {
    let certificate = Arc::new(Certificate::new());
    let check = certificate.check();
    let (stream, _) = serve(policy, certificate);
    stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    Client::connect(stream, &options(encryption, check))
}

fn plain() -> Client<TcpStream> {
    connect(ClientEncryption::Disabled, EncryptionPolicy::Optional).unwrap()
}

/// The texts of the rows of an answer.
fn texts(client: &mut Client<TcpStream>, batch: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for event in client.batch(batch).unwrap() {
        if let Event::Row(values) = event.unwrap() {
            let Value::Str(text) = &values[0] else { panic!("{values:?}") };
            texts.push(text.to_string());
        }
    }
    texts
}

#[test]
fn every_protection_that_both_want_works() {
    use ClientEncryption::*;
    use EncryptionPolicy as Policy;
    let certificate = Arc::new(Certificate::new());
    for (encryption, policy, protected) in [
        (Disabled, Policy::Unavailable, false),
        (Disabled, Policy::Optional, false),
        (Optional, Policy::Unavailable, false),
        (Optional, Policy::Optional, false),
        (Optional, Policy::Required, true),
        (Mandatory, Policy::Optional, true),
        (Mandatory, Policy::Required, true),
        (Strict, Policy::Required, true),
    ] {
        for check in [certificate.check(), CertificateCheck::TrustAny] {
            let (stream, thread) = serve(policy, certificate.clone());
            let mut client = Client::connect(stream, &options(encryption, check)).unwrap();
            assert_eq!(client.tls_description().is_some(), protected, "{encryption:?} {policy:?}");
            assert_eq!(client.database(), "tempdb");
            assert_eq!(client.login().program, "Microsoft SQL Server");
            assert_eq!(texts(&mut client, "select 'ü'"), ["0 select 'ü'"]);
            assert_eq!(texts(&mut client, "rows 3000").len(), 3000);
            drop(client);
            let (login, server_protected) = thread.join().unwrap().unwrap();
            assert_eq!(login.user, "sa");
            assert_eq!(server_protected, protected || (encryption, policy) == (Optional, Policy::Optional));
        }
    }
}

#[test]
fn who_cannot_agree_says_so() {
    let refused = connect(ClientEncryption::Disabled, EncryptionPolicy::Required).unwrap_err();
    assert_eq!(refused.to_string(), "the server requires encryption");
    let refused = connect(ClientEncryption::Mandatory, EncryptionPolicy::Unavailable).unwrap_err();
    assert_eq!(refused.to_string(), "the server does not offer encryption");
}

#[test]
fn an_unknown_certificate_is_refused_unless_trusted() {
    let certificate = Arc::new(Certificate::new());
    let other = Certificate::new().check();
    let (stream, _) = serve(EncryptionPolicy::Optional, certificate);
    let refused = Client::connect(stream, &options(ClientEncryption::Mandatory, other)).unwrap_err();
    assert!(matches!(refused, ClientError::Tls(_)), "{refused}");
}

#[test]
fn a_wrong_password_brings_the_servers_words() {
    let (stream, _) = serve(EncryptionPolicy::Unavailable, Arc::new(Certificate::new()));
    let wrong =
        ConnectOptions { password: "wrong".into(), ..options(ClientEncryption::Optional, CertificateCheck::TrustAny) };
    let error = Client::connect(stream, &wrong).unwrap_err();
    assert_eq!(error.to_string(), "login failed: Login failed for user 'sa'.");
    assert!(matches!(error, ClientError::Login(messages) if messages[0].number == 18456));
}

#[test]
fn an_error_is_an_event_and_the_session_goes_on() {
    let mut client = plain();
    let events: Vec<Event> = client.batch("error").unwrap().map(Result::unwrap).collect();
    assert!(matches!(&events[0], Event::Error(message) if message.number == 208 && message.line == 1));
    assert!(matches!(&events[1], Event::Done(done) if done.status.contains(DoneStatus::ERROR)));
    assert_eq!(texts(&mut client, "again"), ["0 again"]);
}

#[test]
fn requests_carry_the_transaction() {
    let mut client = plain();
    assert!(texts(&mut client, "begin").is_empty());
    assert_eq!(texts(&mut client, "inside"), ["42 inside"]);
}

#[test]
fn an_attention_ends_what_runs() {
    let mut client = plain();
    let mut events = client.batch("wait").unwrap();
    assert!(matches!(events.next(), Some(Ok(Event::Info(_)))));
    events.attention().unwrap();
    assert!(matches!(events.next(), Some(Ok(Event::Done(done))) if done.status.contains(DoneStatus::ATTENTION)));
    assert!(events.next().is_none());
    assert_eq!(texts(&mut client, "after"), ["0 after"]);
}

#[test]
fn another_thread_can_cancel() {
    let mut client = plain();
    let cancel = client.cancel_handle();
    let mut events = client.batch("wait").unwrap();
    assert!(matches!(events.next(), Some(Ok(Event::Info(_)))));
    let thread = std::thread::spawn(move || cancel.cancel());
    assert!(matches!(events.next(), Some(Ok(Event::Done(done))) if done.status.contains(DoneStatus::ATTENTION)));
    thread.join().unwrap();
    assert!(events.next().is_none());
}

#[test]
fn an_answer_that_nobody_reads_is_cancelled_by_the_next_request() {
    let mut client = plain();
    let _unread = client.batch("wait").unwrap();
    assert_eq!(texts(&mut client, "next"), ["0 next"]);
    // Complete before the attention: its acknowledgement is another message.
    let mut events = client.batch("rows 2").unwrap();
    assert!(matches!(events.next(), Some(Ok(Event::Columns(_)))));
    assert_eq!(texts(&mut client, "last"), ["0 last"]);
}

#[test]
fn calls_bring_status_and_output() {
    let mut client = plain();
    let call = RpcRequest::by_number(
        ProcId::ExecuteSql,
        vec![
            RpcParameter::input("@a", SqlType::Int, Value::Int(5)),
            RpcParameter::input("", SqlType::Bit, Value::Null),
        ],
    );
    let events: Vec<Event> = client.call(&[call.clone(), call]).unwrap().map(Result::unwrap).collect();
    assert_eq!(events.len(), 8);
    assert!(matches!(&events[0], Event::ReturnValue(value) if value.name == "@a"));
    assert!(matches!(&events[1], Event::ReturnValue(value) if matches!(value.value, Value::Null)));
    assert!(matches!(events[2], Event::ReturnStatus(7)));
    assert!(matches!(events[3], Event::Done(done) if done.status.contains(DoneStatus::MORE)));
    assert!(matches!(events[7], Event::Done(done) if !done.status.contains(DoneStatus::MORE)));
}

#[test]
fn a_server_that_goes_away_is_an_error_and_then_the_end() {
    let mut client = plain();
    // The test server leaves when it cannot decode a message.
    let bulk = client.call(&[RpcRequest::by_number(ProcId::Cursor, vec![])]).unwrap().count();
    assert_eq!(bulk, 2);
    client.stream().shutdown(std::net::Shutdown::Both).unwrap();
    let failed = match client.batch("x") {
        Err(error) => error,
        Ok(mut events) => events.next().unwrap().unwrap_err(),
    };
    assert!(matches!(failed, ClientError::Closed | ClientError::Io(_)), "{failed}");
    assert!(matches!(client.batch("y"), Err(ClientError::Broken)));
}
