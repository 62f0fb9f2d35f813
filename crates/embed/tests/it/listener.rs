//! Clients that speak TDS, beside the connections of the process.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use millpond_embedded::{Error, ListenOptions, Listener, Value, params};
use millpond_tds::Event;
use millpond_tds::client::{Client, ClientEncryption, ClientError, ConnectOptions};
use millpond_tds::tls::CertificateCheck;

use crate::connected;

const PASSWORD: &str = "Lily pond 7";

fn client(address: SocketAddr, password: &str, encryption: ClientEncryption) -> Result<Client<TcpStream>, ClientError> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let options = ConnectOptions {
        user: "sa".into(),
        password: password.into(),
        encryption,
        certificate: CertificateCheck::TrustAny,
        ..ConnectOptions::default()
    };
    Client::connect(stream, &options)
}

fn open(listener: &Listener) -> Client<TcpStream> {
    client(listener.address(), PASSWORD, ClientEncryption::Optional).unwrap()
}

fn values(client: &mut Client<TcpStream>, text: &str) -> Vec<Value> {
    let events = client.batch(text).unwrap().map(Result::unwrap);
    events.filter_map(|event| if let Event::Row(values) = event { Some(values) } else { None }).flatten().collect()
}

#[test]
fn drivers_see_what_the_process_sees() {
    let (instance, mut connection) = connected();
    let listener = instance.listen(&ListenOptions::new(PASSWORD)).unwrap();
    assert!(listener.address().ip().is_loopback());
    connection.execute("create table lily (id int) insert lily values (7)", params![]).unwrap();
    let mut client = open(&listener);
    assert_eq!(values(&mut client, "select id from lily"), [Value::Int(7)]);
    values(&mut client, "insert lily values (8)");
    assert_eq!(connection.query_value::<i32>("select sum(id) from lily", params![]).unwrap(), 15);
    assert!(matches!(
        self::client(listener.address(), "wrong", ClientEncryption::Optional),
        Err(ClientError::Login(_))
    ));
}

#[test]
fn a_listener_that_stops_sends_its_clients_away_and_the_instance_goes_on() {
    let (instance, mut connection) = connected();
    let listener = instance.listen(&ListenOptions::new(PASSWORD)).unwrap();
    let address = listener.address();
    let mut client = open(&listener);
    assert_eq!(values(&mut client, "select 1"), [Value::Int(1)]);
    listener.stop();
    assert!(client.batch("select 1").and_then(|events| events.collect::<Result<Vec<_>, _>>()).is_err());
    assert!(TcpStream::connect(address).is_err());
    assert_eq!(connection.query_value::<i32>("select 1", params![]).unwrap(), 1);
    let again = instance.listen(&ListenOptions::new(PASSWORD).address(address)).unwrap();
    assert_eq!(values(&mut open(&again), "select 2"), [Value::Int(2)]);
    // A second one, with what it demands.
    let options = ListenOptions::new("Other pond 8").needs_tls(true).connections_max(1);
    let second = instance.listen(&options).unwrap();
    assert!(self::client(second.address(), "Other pond 8", ClientEncryption::Disabled).is_err());
    // The client that was refused counts until the server has seen it go.
    let _one = (0..3000)
        .find_map(|_| match self::client(second.address(), "Other pond 8", ClientEncryption::Mandatory) {
            Ok(client) => Some(client),
            Err(ClientError::Login(messages)) if messages.iter().any(|message| message.number == 17809) => {
                std::thread::sleep(Duration::from_millis(10));
                None
            }
            Err(error) => panic!("{error}"),
        })
        .expect("the refused client's connection is freed");
    assert!(self::client(second.address(), "Other pond 8", ClientEncryption::Mandatory).is_err());
}

#[test]
fn a_shutdown_ends_listeners_too() {
    let folder = tempfile::tempdir().unwrap();
    let options = millpond_embedded::Options::new().directory(folder.path()).memory_max_mb(256);
    let instance = options.clone().open().unwrap();
    let listener = instance.listen(&ListenOptions::new(PASSWORD)).unwrap();
    let mut client = open(&listener);
    values(&mut client, "create database pond");
    instance.shutdown().unwrap();
    assert!(TcpStream::connect(listener.address()).is_err());
    let again = options.open().unwrap();
    let name: String =
        again.connect().unwrap().query_value("select name from sys.databases where name = 'pond'", params![]).unwrap();
    assert_eq!(name, "pond");
    // The listener of the closed one is still held.
    drop(listener);
}

#[test]
fn what_cannot_be_listened_at_is_said() {
    let (instance, _connection) = connected();
    let first = instance.listen(&ListenOptions::new(PASSWORD)).unwrap();
    let taken = instance.listen(&ListenOptions::new(PASSWORD).address(first.address())).unwrap_err();
    assert!(matches!(&taken, Error::Listen(text) if text.contains(&first.address().to_string())), "{taken}");
    assert!(matches!(instance.listen(&ListenOptions::new("")), Err(Error::Listen(_))));
}
