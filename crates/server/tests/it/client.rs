//! What the tests share: a server in memory, a client, and what the server said to a request.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use millpond_server::config::TlsMode;
use millpond_server::{Config, Server};
use millpond_tds::Event;
use millpond_tds::client::{Client, ClientEncryption, ClientError, ConnectOptions};
use millpond_tds::tls::CertificateCheck;
use millpond_types::Value;

pub const PASSWORD: &str = "Paßwort 1";

pub fn config() -> Config {
    let mut config = Config::default();
    config.server.listen = "127.0.0.1:0".parse().unwrap();
    config.server.sa_password = PASSWORD.into();
    config.server.max_server_memory_mb = 256;
    config
}

pub fn server() -> Server {
    Server::start(&config()).unwrap()
}

pub fn server_with_tls(mode: TlsMode) -> Server {
    let mut config = config();
    config.tls.mode = mode;
    Server::start(&config).unwrap()
}

pub fn options() -> ConnectOptions {
    ConnectOptions {
        user: "sa".into(),
        password: PASSWORD.into(),
        encryption: ClientEncryption::Disabled,
        certificate: CertificateCheck::TrustAny,
        ..ConnectOptions::default()
    }
}

/// A socket that can ask for a reset of the session with the next message.
#[derive(Debug)]
pub struct Socket {
    stream: TcpStream,
    reset: Arc<AtomicBool>,
}

impl Socket {
    /// The same socket, to write what a client would not.
    pub fn try_clone(&self) -> TcpStream {
        self.stream.try_clone().unwrap()
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for Socket {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        if !self.reset.swap(false, Relaxed) {
            return self.stream.write(buffer);
        }
        let mut marked = buffer.to_vec();
        marked[1] |= 0x08;
        self.stream.write_all(&marked).map(|()| buffer.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.stream.flush()
    }
}

pub type Connection = Client<Socket>;

/// A socket to the server that fails rather than hangs.
pub fn socket(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

pub fn connect_with(server: &Server, options: &ConnectOptions) -> Result<(Connection, Arc<AtomicBool>), ClientError> {
    let reset = Arc::new(AtomicBool::new(false));
    let stream = socket(server);
    let socket = Socket { stream, reset: Arc::clone(&reset) };
    Ok((Client::connect(socket, options)?, reset))
}

pub fn connect(server: &Server) -> Connection {
    connect_with(server, &options()).unwrap().0
}

/// The events of a batch.
pub fn events(client: &mut Connection, text: &str) -> Vec<Event> {
    client.batch(text).unwrap().map(|event| event.unwrap()).collect()
}

/// What came, one word or row each.
pub fn lines_of(events: &[Event]) -> Vec<String> {
    events.iter().map(line_of).collect()
}

fn line_of(event: &Event) -> String {
    match event {
        Event::Columns(columns) => format!("columns {}", columns.len()),
        Event::Row(values) => format!("row {}", values.iter().map(text).collect::<Vec<_>>().join(",")),
        Event::Done(done) => format!("{:?} {:02x} {}", done.kind, done.status.0, done.row_count),
        Event::Error(message) => format!("error {}", message.number),
        Event::Info(message) => format!("info {}", message.number),
        Event::ReturnStatus(status) => format!("status {status}"),
        Event::ReturnValue(value) => {
            format!("output {} {} {}", value.ordinal, value.name, text(&value.value))
        }
        other => format!("{other:?}"),
    }
}

pub fn text(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Int(value) => value.to_string(),
        Value::SmallInt(value) => value.to_string(),
        Value::BigInt(value) => value.to_string(),
        Value::Str(value) => value.to_string(),
        other => format!("{other:?}"),
    }
}

/// The one row of a batch.
pub fn row(client: &mut Connection, statement: &str) -> String {
    let received = lines_of(&events(client, statement));
    let rows: Vec<_> = received.iter().filter(|line| line.starts_with("row ")).collect();
    assert_eq!(rows.len(), 1, "{received:?}");
    rows[0]["row ".len()..].to_owned()
}

/// Waits until something is so; not for ever.
pub fn until(mut is_so: impl FnMut() -> bool) {
    for _ in 0..1500 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it never is");
}
