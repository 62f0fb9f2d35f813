//! A socket with or without TLS over it: bytes of TDS in `input`, bytes for the socket in `output`.
//!
//! What always holds: the socket is the runtime's, which waits for many, or a thread's, which waits for this one alone;
//! [`Transport::give_to_thread`] and [`Transport::give_to_runtime`] move it. Reads and writes never wait for each other,
//! or for a short time only, so an attention is seen while results are stuck. A connection that waits holds no read buffer (a
//! thread's scratch buffer is used) and gives back what it grew. What is in `input` is bounded by its reader:
//! [`Transport::may_read`] is false while [`INPUT_BYTES_MAX`] wait.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use millpond_engine::account::traffic::Traffic;
use millpond_engine::engine::Engine;
use millpond_engine::memory::Workspace;
use millpond_tds::packet::{Message, PACKET_BYTES_MAX, PRELOGIN_BOUND_BYTES, count_packets};
use millpond_tds::tls::{TlsChannel, TlsError};
use millpond_tds::{TdsError, smp};
use tokio::io::Interest;
use tokio::net::TcpStream;

use crate::message_input::MessageInput;

/// Most bytes that wait to be parsed, but for what one read adds.
const INPUT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of one read.
const SCRATCH_BYTES: usize = 32 * 1024;
/// Buffers larger than this are given back when they are empty.
const KEPT_BYTES_MAX: usize = 512;

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; SCRATCH_BYTES]);
}

/// Why a connection cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The client went away.
    #[error("the client closed the connection")]
    Closed,
    /// The socket failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// TLS failed.
    #[error("{0}")]
    Tls(#[from] TlsError),
    /// What came is no TDS.
    #[error("{0}")]
    Tds(#[from] TdsError),
    /// The login is longer than a login can be.
    #[error("the login is longer than {0} bytes")]
    LoginTooLong(usize),
}

/// What waits for the socket.
enum Socket {
    /// The runtime: calls never wait.
    Runtime(TcpStream),
    /// A thread: calls wait for as long as [`Transport::give_to_thread`] said.
    Thread(std::net::TcpStream),
    /// It went from one to the other and did not arrive: the system has refused.
    Lost,
}

impl Socket {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Runtime(stream) => stream.try_read(buffer),
            Socket::Thread(stream) => (&*stream).read(buffer),
            Socket::Lost => Ok(0),
        }
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Runtime(stream) => stream.try_write(bytes),
            Socket::Thread(stream) => (&*stream).write(bytes),
            Socket::Lost => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

/// The other side has nothing or takes nothing now.
fn is_wait(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// The socket of one connection.
pub struct Transport {
    /// Whose packets are counted.
    engine: Arc<Engine>,
    socket: Socket,
    tls: Option<Box<TlsChannel>>,
    input: Vec<u8>,
    output: Vec<u8>,
    /// How much of `output` the socket has.
    written: usize,
    reader: MessageInput,
    /// Bytes that the client may still send; the login's bound, none afterwards.
    allowance_bytes: usize,
    /// The connection's packets; the session's after the login.
    traffic: Arc<Traffic>,
}

impl Transport {
    /// A connection that has not said anything.
    pub fn new(stream: TcpStream, engine: &Arc<Engine>) -> Self {
        Self {
            engine: Arc::clone(engine),
            socket: Socket::Runtime(stream),
            tls: None,
            input: Vec::new(),
            output: Vec::new(),
            written: 0,
            reader: MessageInput::new(PRELOGIN_BOUND_BYTES),
            allowance_bytes: PRELOGIN_BOUND_BYTES,
            traffic: Arc::default(),
        }
    }

    /// The login is over: messages have another bound, long ones are charged to the server's memory, and packets are
    /// counted for the session, those of the login too.
    pub fn end_login(&mut self, message_bytes_max: usize, memory: &Arc<Workspace>, traffic: &Arc<Traffic>) {
        let (received, sent) = self.traffic.packets();
        traffic.received(received);
        traffic.sent(sent);
        self.traffic = Arc::clone(traffic);
        self.reader.charge(message_bytes_max, memory);
        self.allowance_bytes = usize::MAX;
    }

    /// From now on reads wait for `read_wait` and writes for `write_wait` at most.
    ///
    /// # Errors
    /// The system's; the connection is then lost.
    pub fn give_to_thread(&mut self, read_wait: Duration, write_wait: Duration) -> io::Result<()> {
        let Socket::Runtime(stream) = std::mem::replace(&mut self.socket, Socket::Lost) else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let stream = stream.into_std()?;
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(read_wait))?;
        stream.set_write_timeout(Some(write_wait))?;
        self.socket = Socket::Thread(stream);
        Ok(())
    }

    /// From now on the runtime waits; called in it.
    ///
    /// # Errors
    /// The system's; the connection is then lost.
    pub fn give_to_runtime(&mut self) -> io::Result<()> {
        let Socket::Thread(stream) = std::mem::replace(&mut self.socket, Socket::Lost) else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        stream.set_nonblocking(true)?;
        self.socket = Socket::Runtime(TcpStream::from_std(stream)?);
        Ok(())
    }

    fn stream(&self) -> io::Result<&TcpStream> {
        match &self.socket {
            Socket::Runtime(stream) => Ok(stream),
            _ => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    /// A thread's socket a second time, to be watched by the runtime.
    ///
    /// # Errors
    /// The system's.
    pub fn second(&self) -> io::Result<OwnedFd> {
        match &self.socket {
            Socket::Thread(stream) => stream.try_clone().map(OwnedFd::from),
            _ => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    /// Reads what is there on a thread's socket, without waiting.
    ///
    /// # Errors
    /// [`TransportError`].
    pub fn glance(&mut self) -> Result<(), TransportError> {
        let Socket::Thread(stream) = &self.socket else { return Ok(()) };
        stream.set_nonblocking(true)?;
        let result = self.read_now();
        if let Socket::Thread(stream) = &self.socket {
            stream.set_nonblocking(false)?;
        }
        result.map(|_| ())
    }

    /// The first byte, which stays where it is.
    pub async fn peek(&self) -> Result<u8, TransportError> {
        let mut first = [0];
        match self.stream()?.peek(&mut first).await? {
            0 => Err(TransportError::Closed),
            _ => Ok(first[0]),
        }
    }

    /// Bytes from here on go through TLS; returns when its handshake is done.
    pub async fn start_tls(&mut self, channel: TlsChannel) -> Result<(), TransportError> {
        if !self.input.is_empty() || self.reader.is_inside_message() {
            // Bytes in the clear that would count as protected.
            return Err(TlsError::NotEncrypted.into());
        }
        self.tls = Some(Box::new(channel));
        while self.tls.as_ref().is_some_and(|tls| tls.is_handshaking()) {
            self.stream()?.readable().await?;
            let result = self.read_now();
            // A refusal has an alert to send.
            self.flush().await?;
            result?;
        }
        Ok(())
    }

    /// Whether TLS covers the session.
    pub fn is_encrypted(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| !tls.is_clear())
    }

    /// Whether there is space for more input.
    pub fn may_read(&self) -> bool {
        self.input.len() < INPUT_BYTES_MAX
    }

    /// Whether something waits to be written.
    pub fn has_output(&self) -> bool {
        self.written < self.output.len()
    }

    /// Waits until the socket can be read or, with output, written.
    pub async fn ready(&self, reading: bool) -> io::Result<()> {
        let interest = match (reading, self.has_output()) {
            (true, false) => Interest::READABLE,
            (false, true) => Interest::WRITABLE,
            (true, true) => Interest::READABLE | Interest::WRITABLE,
            (false, false) => return std::future::pending().await,
        };
        self.stream()?.ready(interest).await.map(|_| ())
    }

    /// Reads what is there, once; nothing is fine too, and then it is false.
    pub fn read_now(&mut self) -> Result<bool, TransportError> {
        SCRATCH.with_borrow_mut(|scratch| {
            let count = match self.socket.read(scratch) {
                Ok(0) => return Err(TransportError::Closed),
                Ok(count) => count,
                Err(error) if is_wait(&error) => return Ok(false),
                Err(error) => return Err(error.into()),
            };
            self.allowance_bytes =
                self.allowance_bytes.checked_sub(count).ok_or(TransportError::LoginTooLong(PRELOGIN_BOUND_BYTES))?;
            self.accept(&scratch[..count]).map(|()| true)
        })
    }

    fn accept(&mut self, bytes: &[u8]) -> Result<(), TransportError> {
        let Some(tls) = &mut self.tls else {
            self.input.extend_from_slice(bytes);
            return Ok(());
        };
        let result = tls.receive(bytes, &mut self.input);
        tls.take_output(&mut self.output);
        if tls.is_clear() {
            self.tls = None;
        }
        Ok(result?)
    }

    /// The next message, when it is whole.
    pub fn next_message(&mut self) -> Result<Option<Message>, TdsError> {
        let mut rest = &self.input[..];
        let message = self.reader.next(&mut rest);
        let consumed = self.input.len() - rest.len();
        let packets = self.reader.take_packets();
        self.count_received(packets, message.is_err());
        self.consume(consumed);
        message
    }

    /// The next frame of SMP, when it is whole.
    ///
    /// # Errors
    /// What is no frame, or longer than one of the longest packet.
    pub fn next_frame(&mut self) -> Result<Option<(smp::Header, Vec<u8>)>, TdsError> {
        let Some(bytes) = self.input.first_chunk() else { return Ok(None) };
        let header = smp::Header::decode(bytes)?;
        let end = usize::try_from(header.length_bytes).unwrap_or(usize::MAX);
        if end > smp::HEADER_BYTES + usize::from(PACKET_BYTES_MAX) {
            return Err(TdsError::TooLarge { what: "SMP frame", bound_bytes: usize::from(PACKET_BYTES_MAX) });
        }
        let Some(payload) = self.input.get(smp::HEADER_BYTES..end) else { return Ok(None) };
        let payload = payload.to_vec();
        self.consume(end);
        Ok(Some((header, payload)))
    }

    /// Packets that came, and whether what came was none.
    pub fn count_received(&self, packets: u64, is_error: bool) {
        let counters = &self.engine.counters;
        counters.packets_received.fetch_add(packets, Relaxed);
        counters.packet_errors.fetch_add(u64::from(is_error), Relaxed);
        self.traffic.received(packets);
    }

    /// Forgets the first bytes of the input.
    fn consume(&mut self, count: usize) {
        if count == self.input.len() && self.input.capacity() > KEPT_BYTES_MAX {
            self.input = Vec::new();
        } else {
            self.input.drain(..count);
        }
    }

    /// Waits for the next message.
    pub async fn message(&mut self) -> Result<Message, TransportError> {
        loop {
            if let Some(message) = self.next_message()? {
                return Ok(message);
            }
            self.stream()?.readable().await?;
            self.read_now()?;
            self.flush().await?;
        }
    }

    /// Packets to send, without waiting.
    pub fn queue(&mut self, packets: Vec<u8>) -> Result<(), TransportError> {
        let count = count_packets(&packets);
        self.put(packets, count)
    }

    /// The same of bytes that have so many packets.
    pub fn put(&mut self, packets: Vec<u8>, count: u64) -> Result<(), TransportError> {
        self.engine.counters.packets_sent.fetch_add(count, Relaxed);
        self.traffic.sent(count);
        match &mut self.tls {
            Some(tls) => {
                tls.send(&packets)?;
                tls.take_output(&mut self.output);
                if tls.is_clear() {
                    self.tls = None;
                }
            }
            None if self.output.is_empty() => self.output = packets,
            None => self.output.extend_from_slice(&packets),
        }
        self.write_now()
    }

    /// Writes what the socket takes.
    pub fn write_now(&mut self) -> Result<(), TransportError> {
        while self.has_output() {
            match self.socket.write(&self.output[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if is_wait(&error) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        self.written = 0;
        self.output.clear();
        if self.output.capacity() > KEPT_BYTES_MAX {
            self.output = Vec::new();
        }
        Ok(())
    }

    /// Writes everything.
    pub async fn flush(&mut self) -> Result<(), TransportError> {
        while self.has_output() {
            self.stream()?.writable().await?;
            self.write_now()?;
        }
        Ok(())
    }

    /// Sends packets, all of them.
    pub async fn send(&mut self, packets: Vec<u8>) -> Result<(), TransportError> {
        self.queue(packets)?;
        self.flush().await
    }
}
