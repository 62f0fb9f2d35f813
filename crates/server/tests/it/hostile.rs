//! Clients that mean no good.

use std::io::{Read, Write};

use millpond_tds::packet::{PacketStatus, PacketType, write_message};

use crate::client::{connect, row, server, socket};

/// Everything until the server closes; an abrupt close counts.
fn rest(stream: &mut impl Read) -> usize {
    let mut buffer = [0; 4096];
    let mut count = 0;
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return count,
            Ok(read) => count += read,
            Err(error) => {
                assert!(error.kind() != std::io::ErrorKind::WouldBlock, "it did not close");
                return count;
            }
        }
    }
}

#[test]
fn garbage_is_closed_and_others_go_on() {
    let server = server();
    let mut good = connect(&server);
    let texts: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\n\r\n",
        &[0; 100],
        &[0xFF; 100],
        // TLS hello of nonsense.
        &[0x16, 3, 1, 0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        // A packet shorter than its header.
        &[0x12, 1, 0, 3, 0, 0, 1, 0],
        // A batch before any login.
        &[0x01, 1, 0, 12, 0, 0, 1, 0, 1, 2, 3, 4],
    ];
    for text in texts {
        let mut stream = socket(&server);
        stream.write_all(text).unwrap();
        rest(&mut stream);
    }
    assert_eq!(row(&mut good, "select 1"), "1");
    assert_eq!(row(&mut connect(&server), "select 2"), "2");
}

#[test]
fn a_login_without_end_is_cut() {
    let server = server();
    let mut stream = socket(&server);
    // A prelogin that never says that it ends.
    let mut packet = vec![0x12, 0, 0x10, 0, 0, 0, 1, 0];
    packet.resize(4096, 0);
    let mut sent = 0;
    while stream.write_all(&packet).is_ok() {
        sent += packet.len();
        assert!(sent < 64 << 20, "the server did not stop it");
    }
    assert_eq!(row(&mut connect(&server), "select 2"), "2");
}

#[test]
fn silent_clients_hold_up_no_other() {
    let server = server();
    let silent: Vec<_> = (0..200)
        .map(|at| {
            let mut stream = socket(&server);
            if at % 2 == 0 {
                stream.write_all(&[0x12]).unwrap();
            }
            stream
        })
        .collect();
    assert_eq!(row(&mut connect(&server), "select 3"), "3");
    drop(silent);
}

#[test]
fn an_unreadable_message_is_an_error_of_a_live_session() {
    let server = server();
    let mut client = connect(&server);
    let mut raw = socket(&server);
    // The same bytes before a login end the connection; after one they are answered.
    let mut packets = Vec::new();
    write_message(&mut packets, PacketType::Rpc, &[1, 2, 3], 4096, PacketStatus::default());
    raw.write_all(&packets).unwrap();
    rest(&mut raw);
    let call = millpond_tds::rpc::RpcRequest {
        procedure: millpond_tds::rpc::Procedure::Name("sp_nothing_like_that".into()),
        options: Default::default(),
        parameters: Vec::new(),
        no_exec: false,
    };
    let received: Vec<_> = client.call(&[call]).unwrap().map(|event| event.unwrap()).collect();
    let received = crate::client::lines_of(&received);
    assert!(received[0].starts_with("error 2812"), "{received:?}");
    assert_eq!(row(&mut client, "select 4"), "4");
}

#[test]
fn a_client_that_goes_in_the_middle_leaves_no_session() {
    let server = server();
    let mut client = connect(&server);
    let id: u16 = row(&mut client, "select @@spid").parse().unwrap();
    let mut answer =
        client.batch("declare @i int = 0; raiserror('runs', 0, 1) with nowait; while 1 = 1 set @i = @i + 1").unwrap();
    answer.next().unwrap().unwrap();
    drop(client);
    let mut tries = 0;
    while server.engine().session(id).is_some() {
        std::thread::sleep(std::time::Duration::from_millis(10));
        tries += 1;
        assert!(tries < 3000, "the loop still runs");
    }
}
