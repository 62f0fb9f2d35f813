//! The end: SHUTDOWN, a stop from outside, and a data directory that opens again.

use millpond_server::Server;
use millpond_tds::Event;

use crate::client::{config, connect, events, row, server, socket};

#[test]
fn a_stop_ends_what_runs_and_what_waits() {
    let server = server();
    let address = server.address();
    let mut waiting = connect(&server);
    let mut running = connect(&server);
    let mut answer =
        running.batch("declare @i int = 0; raiserror('runs', 0, 1) with nowait; while 1 = 1 set @i = @i + 1").unwrap();
    answer.next().unwrap().unwrap();
    server.stop().unwrap();
    let received: Vec<_> = answer.map_while(Result::ok).collect();
    assert!(received.iter().any(|event| matches!(event, Event::Error(error) if error.number == 6005)), "{received:?}");
    assert!(waiting.batch("select 1").map_or(true, |mut events| events.next().is_none_or(|event| event.is_err())));
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn shutdown_ends_the_server_and_the_directory_opens_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config();
    config.server.data_dir = Some(dir.path().to_owned());
    for _ in 0..2 {
        let server = Server::start(&config).unwrap();
        let mut client = connect(&server);
        assert_eq!(row(&mut client, "select 1"), "1");
        events(&mut client, "shutdown");
        server.wait().unwrap();
    }
}

#[test]
fn a_stop_does_not_wait_for_a_login() {
    let server = server();
    let _silent = socket(&server);
    let mut client = connect(&server);
    assert_eq!(row(&mut client, "select 1"), "1");
    server.stop().unwrap();
}
