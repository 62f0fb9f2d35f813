//! Which logins get in, and what the others hear.

use millpond_server::{Server, StartError};
use millpond_tds::Event;
use millpond_tds::client::{ClientError, ConnectOptions};
use millpond_tds::token::EnvChange;

use crate::client::{config, connect, connect_with, options, row, server};

fn refusal(server: &Server, options: &ConnectOptions) -> Vec<(i32, u8, u8)> {
    match connect_with(server, options) {
        Err(ClientError::Login(messages)) => {
            messages.iter().map(|message| (message.number, message.severity, message.state)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_right_password_opens_a_session() {
    let server = server();
    let mut client = connect(&server);
    assert_eq!(client.database(), "master");
    assert_eq!(client.login().program, "Microsoft SQL Server");
    let greeting: Vec<_> = client.greeting().cloned().collect();
    let has = |wanted: i32| greeting.iter().any(|event| matches!(event, Event::Info(info) if info.number == wanted));
    assert!(has(5701) && has(5703));
    assert!(
        greeting
            .iter()
            .any(|event| matches!(event, Event::EnvChange(EnvChange::PacketSize { new, .. }) if *new == 8000))
    );
    assert_eq!(row(&mut client, "select 1"), "1");
    drop(client);
    server.stop().unwrap();
}

#[test]
fn wrong_passwords_and_names_are_refused_alike() {
    let server = server();
    let wrong =
        |user: &str, password: &str| ConnectOptions { user: user.into(), password: password.into(), ..options() };
    for (user, password) in [("sa", "wrong"), ("sa", ""), ("somebody", "Paßwort 1")] {
        assert_eq!(refusal(&server, &wrong(user, password)), [(18456, 14, 1)]);
    }
    assert_eq!(row(&mut connect(&server), "select 2"), "2");
}

#[test]
fn the_database_is_opened_or_the_login_fails() {
    let server = server();
    let in_database = |database: &str| ConnectOptions { database: database.into(), ..options() };
    let (mut client, _) = connect_with(&server, &in_database("TempDB")).unwrap();
    assert_eq!(client.database(), "tempdb");
    assert_eq!(row(&mut client, "select db_name()"), "tempdb");
    let received = refusal(&server, &in_database("nowhere"));
    assert_eq!(received, [(4060, 11, 1), (18456, 14, 1)]);
}

#[test]
fn one_more_than_the_bound_hears_why() {
    let mut config = config();
    config.server.max_connections = 2;
    let server = Server::start(&config).unwrap();
    let first = connect(&server);
    let mut second = connect(&server);
    assert_eq!(refusal(&server, &options())[0].0, 17809);
    drop(first);
    assert_eq!(row(&mut second, "select 1"), "1");
    // The place is free as soon as the server has seen the close.
    let mut tries = 0;
    while connect_with(&server, &options()).is_err() {
        tries += 1;
        assert!(tries < 100);
    }
}

#[test]
fn a_password_is_made_for_loopback_only_and_stays() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config();
    config.server.sa_password.clear();
    config.server.data_dir = Some(dir.path().join("data"));
    config.server.listen = "0.0.0.0:0".parse().unwrap();
    assert!(matches!(Server::start(&config), Err(StartError::OpenToNetwork(_))));
    config.server.listen = "127.0.0.1:0".parse().unwrap();
    let server = Server::start(&config).unwrap();
    let password = server.generated_password().unwrap().to_owned();
    let with = ConnectOptions { password, ..options() };
    connect_with(&server, &with).unwrap();
    server.stop().unwrap();
    let server = Server::start(&config).unwrap();
    assert_eq!(server.generated_password(), None);
    let (mut client, _) = connect_with(&server, &with).unwrap();
    assert_eq!(row(&mut client, "select 3"), "3");
    assert_eq!(refusal(&server, &options()), [(18456, 14, 1)]);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let server = server();
    let mut config = config();
    config.server.listen = server.address();
    let received = Server::start(&config).err().unwrap().to_string();
    assert!(received.contains(&server.address().to_string()), "{received}");
}
