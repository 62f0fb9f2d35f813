//! Several active result sets over one connection: sessions of SMP, by a client that writes its frames itself.

use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use millpond_server::Server;
use millpond_tds::client::Client;
use millpond_tds::packet::{DEFAULT_PACKET_BYTES, HEADER_BYTES, PacketType, write_message};
use millpond_tds::smp::{self, Header, Kind};
use millpond_tds::sqlbatch::SqlBatch;
use millpond_tds::{ClientDecoder, Event};

use crate::client::{config, connect, events, lines_of, options, row, server, socket, until};

/// A socket whose PRELOGIN asks for MARS.
struct Asking(TcpStream);

impl Read for Asking {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Asking {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        const MARS: u8 = 4;
        let mut bytes = buffer.to_vec();
        if bytes[0] == PacketType::PreLogin as u8 {
            let mut options = HEADER_BYTES;
            while bytes[options] != MARS {
                options += 5;
            }
            let offset = usize::from(u16::from_be_bytes([bytes[options + 1], bytes[options + 2]]));
            bytes[HEADER_BYTES + offset] = 1;
        }
        self.0.write_all(&bytes).map(|()| buffer.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[derive(Default)]
struct Stream {
    sent: u32,
    may_send: u32,
    received: u32,
    window: u32,
    /// Packets that came.
    packets: VecDeque<Vec<u8>>,
    has_ended: bool,
}

/// A connection that is logged in.
struct Mars {
    socket: TcpStream,
    streams: BTreeMap<u16, Stream>,
}

impl Mars {
    fn new(server: &Server) -> Mars {
        let socket = socket(server);
        socket.set_nodelay(true).unwrap();
        Client::connect(Asking(socket.try_clone().unwrap()), &options()).unwrap();
        Mars { socket, streams: BTreeMap::new() }
    }

    fn frame(&mut self, kind: Kind, session: u16, payload: &[u8]) {
        let stream = self.streams.get_mut(&session).unwrap();
        stream.sent += u32::from(kind == Kind::Data);
        let length_bytes = (smp::HEADER_BYTES + payload.len()) as u32;
        let header = Header { kind, session, length_bytes, number: stream.sent, window: stream.window };
        self.socket.write_all(&header.encode()).unwrap();
        self.socket.write_all(payload).unwrap();
    }

    fn open(&mut self, session: u16) {
        self.streams.insert(session, Stream { may_send: 4, window: 4, ..Stream::default() });
        self.frame(Kind::Syn, session, &[]);
    }

    /// Ends a session, and waits until the server has.
    fn close(&mut self, session: u16) {
        self.frame(Kind::Fin, session, &[]);
        while !self.streams[&session].has_ended {
            self.receive();
        }
    }

    /// Stops the request of a session that has begun or waits: its answer ends, and the attention is acknowledged after it.
    fn stop(&mut self, session: u16) {
        self.message(session, PacketType::Attention, &[]);
        assert_eq!(self.answer(session).last().unwrap(), "Done 02 0");
        assert_eq!(self.answer(session), ["Done 20 0"]);
    }

    fn message(&mut self, session: u16, packet_type: PacketType, payload: &[u8]) {
        let mut packets = Vec::new();
        write_message(&mut packets, packet_type, payload, DEFAULT_PACKET_BYTES, Default::default());
        let mut rest = &packets[..];
        while !rest.is_empty() {
            let length = usize::from(u16::from_be_bytes([rest[2], rest[3]]));
            while self.streams[&session].may_send == self.streams[&session].sent {
                self.receive();
            }
            self.frame(Kind::Data, session, &rest[..length]);
            rest = &rest[length..];
        }
    }

    fn batch(&mut self, session: u16, text: &str) {
        let batch = SqlBatch { text: text.to_owned(), ..SqlBatch::default() };
        self.message(session, PacketType::SqlBatch, &batch.encode());
    }

    /// Reads one frame.
    fn receive(&mut self) {
        let mut bytes = [0; smp::HEADER_BYTES];
        self.socket.read_exact(&mut bytes).unwrap();
        let header = Header::decode(&bytes).unwrap();
        let mut payload = vec![0; header.length_bytes as usize - smp::HEADER_BYTES];
        self.socket.read_exact(&mut payload).unwrap();
        let stream = self.streams.get_mut(&header.session).unwrap();
        stream.may_send = header.window;
        match header.kind {
            Kind::Data => {
                stream.received += 1;
                assert_eq!(header.number, stream.received);
                assert!(header.number <= stream.window, "beyond the window");
                stream.packets.push_back(payload);
            }
            Kind::Fin => stream.has_ended = true,
            Kind::Ack => assert_eq!(header.number, stream.received),
            Kind::Syn => panic!("only clients begin"),
        }
    }

    /// The next packet of a session, which has been read with that.
    fn packet(&mut self, session: u16) -> Vec<u8> {
        while self.streams[&session].packets.is_empty() {
            self.receive();
        }
        let stream = self.streams.get_mut(&session).unwrap();
        stream.window += 1;
        let packet = stream.packets.pop_front().unwrap();
        self.frame(Kind::Ack, session, &[]);
        packet
    }

    /// The answer to a request.
    fn answer(&mut self, session: u16) -> Vec<String> {
        let mut decoder = ClientDecoder::new();
        let mut found: Vec<Event> = Vec::new();
        loop {
            let packet = self.packet(session);
            let mut input = &packet[..];
            decoder.feed(&mut input).unwrap();
            while let Some(event) = decoder.next_event().unwrap() {
                found.push(event);
            }
            if packet[1] & 1 == 1 {
                return lines_of(&found);
            }
        }
    }

    fn ask(&mut self, session: u16, text: &str) -> Vec<String> {
        self.batch(session, text);
        self.answer(session)
    }
}

const MANY: &str = "select top (200000) row_number() over (order by (select 1)), replicate('x', 100) from sys.all_columns a, sys.all_columns b";

#[test]
fn a_second_request_is_answered_while_the_first_result_is_open() {
    let server = server();
    let mut mars = Mars::new(&server);
    mars.open(0);
    mars.open(7);
    mars.batch(0, MANY);
    let first = mars.packet(0);
    assert_eq!(first[1] & 1, 0, "there is more");
    // Megabytes are open, four packets of which have been taken.
    for number in 0..3 {
        let lines = mars.ask(
            7,
            &format!("create table #t{number} (a int); insert #t{number} values ({number}); select a from #t{number}"),
        );
        assert!(lines.contains(&format!("row {number}")), "{lines:?}");
    }
    let mut rest = 0;
    while mars.packet(0)[1] & 1 == 0 {
        rest += 1;
    }
    assert!(rest > 2000, "{rest} packets");
    let lines = mars.ask(0, "select (select count(*) from #t0) + (select count(*) from #t2)");
    assert!(lines.contains(&"row 2".to_owned()), "one session for both: {lines:?}");
}

#[test]
fn requests_of_many_sessions_are_answered_each_in_its_own() {
    let server = server();
    let mut mars = Mars::new(&server);
    for session in 0..200 {
        mars.open(session);
        mars.batch(session, &format!("select {session}, replicate('y', 8000)"));
    }
    for session in (0..200).rev() {
        let lines = mars.answer(session);
        assert!(lines.iter().any(|line| line.starts_with(&format!("row {session},yyy"))), "{lines:?}");
    }
}

#[test]
fn an_attention_ends_the_request_of_its_own_session() {
    let server = server();
    let mut mars = Mars::new(&server);
    (0..3).for_each(|session| mars.open(session));
    mars.batch(0, "waitfor delay '10:00:00'");
    mars.batch(1, "select 1");
    mars.batch(2, "select 2");
    std::thread::sleep(Duration::from_millis(50));
    // One in line, then the running one.
    mars.stop(1);
    mars.stop(0);
    assert!(mars.answer(2).contains(&"row 2".to_owned()));
    mars.message(2, PacketType::Attention, &[]);
    assert_eq!(mars.answer(2), ["Done 20 0"], "nothing ran");
    assert!(mars.ask(0, "select 5").contains(&"row 5".to_owned()));
}

#[test]
fn a_session_that_ends_while_its_request_runs_leaves_the_others() {
    let server = server();
    let mut mars = Mars::new(&server);
    mars.open(0);
    mars.open(1);
    mars.batch(0, MANY);
    mars.packet(0);
    mars.close(0);
    mars.batch(1, "waitfor delay '10:00:00'");
    mars.close(1);
    // Its number is free again.
    mars.open(1);
    assert!(mars.ask(1, "select 3").contains(&"row 3".to_owned()));
}

#[test]
fn windows_of_a_session_that_has_ended_are_passed_over() {
    let server = server();
    let mut mars = Mars::new(&server);
    mars.open(0);
    mars.open(1);
    // While its request runs, and when the server's FIN has been sent and the client may not have seen it.
    mars.batch(0, MANY);
    mars.packet(0);
    mars.frame(Kind::Fin, 0, &[]);
    (0..4).for_each(|_| mars.frame(Kind::Ack, 0, &[]));
    while !mars.streams[&0].has_ended {
        mars.receive();
    }
    mars.streams.get_mut(&0).unwrap().window += 2;
    mars.frame(Kind::Ack, 0, &[]);
    assert!(mars.ask(1, "select 4").contains(&"row 4".to_owned()));
    mars.open(0);
    assert!(mars.ask(0, "select 5").contains(&"row 5".to_owned()));
}

#[test]
fn a_transaction_that_a_batch_leaves_open_ends_with_it() {
    let server = server();
    let mut mars = Mars::new(&server);
    mars.open(0);
    mars.ask(0, "create table ##kept (a int)");
    let lines = mars.ask(0, "begin transaction; insert ##kept values (1)");
    assert!(lines.contains(&"error 3997".to_owned()), "{lines:?}");
    assert!(mars.ask(0, "select count(*) + @@trancount from ##kept").contains(&"row 0".to_owned()));
    let lines = mars.ask(0, "begin transaction; insert ##kept values (1); commit");
    assert!(!lines.iter().any(|line| line.starts_with("error")), "{lines:?}");
    assert!(mars.ask(0, "select count(*) from ##kept").contains(&"row 1".to_owned()));
}

fn server_of(memory_mb: u64) -> Server {
    let mut config = config();
    config.server.max_server_memory_mb = memory_mb;
    Server::start(&config).unwrap()
}

/// A client that reads nothing of the first answer before it has the second one.
#[test]
fn an_answer_for_which_there_is_no_memory_ends_so_that_others_have_their_turn() {
    let server = server_of(32);
    let mut mars = Mars::new(&server);
    mars.open(0);
    mars.open(1);
    mars.batch(0, "select replicate('x', 8000) from sys.all_columns a cross join sys.all_columns b");
    assert!(mars.ask(1, "select 7").contains(&"row 7".to_owned()));
    let lines = mars.answer(0);
    assert_eq!(lines[lines.len() - 2..], ["error 701", "Done 02 0"], "{} lines", lines.len());
    assert!(lines.len() > 100, "{} lines", lines.len());
    assert!(mars.ask(0, "select 8").contains(&"row 8".to_owned()));
}

#[test]
fn requests_that_wait_are_charged_to_the_servers_memory() {
    const WAITING: u16 = 16;
    let server = server_of(32);
    let mut mars = Mars::new(&server);
    (0..=WAITING).for_each(|session| mars.open(session));
    mars.batch(0, "waitfor delay '10:00:00'");
    // Of 2 MB each.
    let text = format!("select 1 -- {}", "y".repeat(1 << 20));
    (1..=WAITING).for_each(|session| mars.batch(session, &text));
    mars.stop(0);
    let (mut answered, mut refused) = (0, 0);
    for session in 1..=WAITING {
        let lines = mars.answer(session);
        answered += usize::from(lines.contains(&"row 1".to_owned()));
        refused += usize::from(lines.contains(&"error 701".to_owned()));
    }
    assert_eq!(answered + refused, usize::from(WAITING));
    assert!(answered > 0 && refused > 0, "{answered} answered, {refused} refused");
    assert!(mars.ask(WAITING, &text).contains(&"row 1".to_owned()), "the memory is free again");
}

/// What a server does with a client that breaks the rules: it goes, and the session with it.
fn is_left(server: &Server, mut mars: Mars) {
    let mut rest = Vec::new();
    let _ = mars.socket.read_to_end(&mut rest);
    let mut other = connect(server);
    until(|| row(&mut other, "select count(*) from sys.dm_exec_sessions where is_user_process = 1") == "1");
}

#[test]
fn frames_that_break_the_rules_end_the_connection() {
    let server = server();
    let header = |kind, session, number, window| Header { kind, session, length_bytes: 16, number, window }.encode();
    let hostile: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\n\r\n",
        // The end of a session that nobody has begun, one begun twice, a number out of order, a window that shrinks.
        &header(Kind::Fin, 9, 0, 4),
        &header(Kind::Syn, 0, 0, 4),
        &header(Kind::Ack, 0, 3, 4),
        &header(Kind::Ack, 0, 0, 3),
        // Four gigabytes.
        &Header { kind: Kind::Data, session: 0, length_bytes: u32::MAX, number: 1, window: 4 }.encode(),
    ];
    for bytes in hostile {
        let mut mars = Mars::new(&server);
        mars.open(0);
        assert!(mars.ask(0, "select 1").contains(&"row 1".to_owned()));
        mars.socket.write_all(bytes).unwrap();
        is_left(&server, mars);
    }
    // Half a frame, and then nothing.
    let mut mars = Mars::new(&server);
    mars.open(0);
    mars.batch(0, "waitfor delay '10:00:00'");
    mars.socket.write_all(&[0x53, 8, 0]).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    mars.socket.shutdown(std::net::Shutdown::Both).unwrap();
    is_left(&server, mars);
}

#[test]
fn kill_ends_the_connection_of_all_sessions() {
    let server = server();
    let mut mars = Mars::new(&server);
    mars.open(0);
    mars.open(1);
    let id =
        mars.ask(1, "select @@spid").into_iter().find_map(|line| line.strip_prefix("row ").map(str::to_owned)).unwrap();
    mars.batch(0, "waitfor delay '10:00:00'");
    std::thread::sleep(Duration::from_millis(50));
    let mut other = connect(&server);
    events(&mut other, &format!("kill {id}"));
    drop(other);
    is_left(&server, mars);
}
