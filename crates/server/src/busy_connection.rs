//! A connection while its requests come: a thread runs them one after the other, reads and writes itself, and gives the
//! connection back when nothing comes for a while.
//!
//! ```text
//!   thread:    read │ run ───────────────────── │ answer │ read │ run …
//!   watcher:               look ┄┄┄┄┄┄┄┄ look                        (of requests that run for long: when something came)
//!                          └ attention, client gone: cancel
//! ```
//!
//! What always holds: the thread or task that reads or writes holds the connection's lock; the thread holds it except
//! while a request runs, so that the watcher reads only then, and only what a client may send then: an attention, or a
//! message too early, which waits. A cancellation that is meant for a request is given under that lock and never
//! reaches the next one.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use millpond_engine::session_shared::SessionShared;
use millpond_tds::packet::{Message, PacketType};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::request::{Client, Worker};
use crate::respond::{NotSent, Outlet, Tail};
use crate::shared::Shared;
use crate::transport::{Transport, TransportError};

/// A thread that waits for a message for so long gives the connection back.
pub const READ_WAIT: Duration = Duration::from_millis(20);
/// When the client takes nothing for so long, its input is looked at: it may have sent an attention.
pub const WRITE_WAIT: Duration = Duration::from_millis(10);

/// Why a connection ends; only the log needs to know.
#[derive(Debug, thiserror::Error)]
pub enum End {
    #[error("{0}")]
    Transport(#[from] TransportError),
    #[error("the session was killed")]
    Killed,
    #[error("the server stops")]
    Stopping,
    #[error("a request broke the session")]
    Broken,
}

/// A connection while one thread serves it.
pub struct BusyConnection {
    line: Mutex<Line>,
    /// Grows when a request begins and when it ends: odd while one runs.
    serial: AtomicU64,
    attention: Arc<AtomicBool>,
    /// The watcher is to be notified of the end of the running request.
    is_watched: AtomicBool,
    ended: Notify,
    /// Nothing waits any more for a client that does not read.
    given_up: AtomicBool,
    session: Arc<SessionShared>,
    shared: Arc<Shared>,
}

/// What a look at a running request found.
pub struct Look {
    /// Which request, or that none runs.
    pub serial: u64,
    /// It ran at the last look already, its connection was looked at, and there is nothing to do until something comes.
    pub is_settled: bool,
    /// The socket to wait for, of a request that is settled.
    pub socket: Option<OwnedFd>,
}

struct Line {
    transport: Transport,
    /// A message that came too early.
    next: Option<Message>,
    /// The client is gone, and why.
    gone: Option<TransportError>,
    /// Parts of a bulk load are still to come: the thread reads them.
    is_bulk: bool,
    /// The running request was cancelled.
    is_cancelled: bool,
}

impl BusyConnection {
    pub fn new(transport: Transport, session: &Arc<SessionShared>, shared: &Arc<Shared>) -> BusyConnection {
        let line = Line { transport, next: None, gone: None, is_bulk: false, is_cancelled: false };
        BusyConnection {
            line: Mutex::new(line),
            serial: AtomicU64::new(0),
            attention: Arc::default(),
            is_watched: AtomicBool::new(false),
            ended: Notify::new(),
            given_up: AtomicBool::new(false),
            session: Arc::clone(session),
            shared: Arc::clone(shared),
        }
    }

    /// The connection, after the thread has let go of it.
    pub fn into_transport(self: Arc<Self>) -> Option<Transport> {
        Arc::into_inner(self).map(|busy| busy.line.into_inner().transport)
    }

    /// The thread's work: this message and what follows it.
    ///
    /// # Errors
    /// Why the connection ends.
    pub fn serve(self: Arc<Self>, worker: &mut Worker, first: Message) -> Result<(), End> {
        let mut next = Some(first);
        while let Some(message) = next {
            if message.packet_type == PacketType::Attention {
                self.shared.engine.counters.attentions.fetch_add(1, Relaxed);
                let packets = acknowledgement(worker);
                self.send_all(&mut self.line.lock(), packets)?;
            } else {
                self.begin(&message);
                let outcome = worker.run(message, Arc::clone(&self) as Arc<dyn Client>, Arc::clone(&self.attention));
                self.end(outcome.tail, worker)?;
                if outcome.is_broken {
                    return Err(End::Broken);
                }
            }
            next = self.next_message()?;
        }
        Ok(())
    }

    fn begin(&self, message: &Message) {
        let mut line = self.line.lock();
        (line.is_bulk, line.is_cancelled) = (message.has_more, false);
        self.attention.store(false, Release);
        // Whatever cancels from here on means this one.
        self.session.task.clear_cancel();
        self.serial.fetch_add(1, Release);
        if self.session.is_killed() {
            self.session.cancel();
        }
    }

    /// The request has ended: the rest of the answer goes, and what came late is said.
    fn end(&self, tail: Tail, worker: &Worker) -> Result<(), TransportError> {
        // The rows of a bulk load that failed are still read to their end.
        while self.next_part().is_some() {}
        let mut line = self.line.lock();
        self.serial.fetch_add(1, SeqCst);
        self.notify_watcher();
        let mut packets = tail.packets;
        if self.attention.load(Acquire) {
            packets.extend(acknowledgement(worker));
        }
        self.send_all(&mut line, packets)
    }

    /// The next message; `None` when nothing came for a while, or when others wait in line for a thread: what comes next
    /// from this client comes after them.
    fn next_message(&self) -> Result<Option<Message>, End> {
        let mut line = self.line.lock();
        loop {
            if self.session.is_killed() {
                return Err(End::Killed);
            }
            if *self.shared.stop.borrow() {
                return Err(End::Stopping);
            }
            if let Some(message) = line.next.take() {
                return Ok(Some(message));
            }
            if self.shared.workers.has_line() {
                return Ok(None);
            }
            if let Some(message) = line.transport.next_message().map_err(TransportError::from)? {
                return Ok(Some(message));
            }
            if !line.transport.read_now()? {
                return Ok(None);
            }
            line.transport.write_now()?;
        }
    }

    /// Sends packets, however slowly the client reads.
    fn send_all(&self, line: &mut Line, packets: Vec<u8>) -> Result<(), TransportError> {
        if let Some(reason) = line.gone.take() {
            line.gone = Some(TransportError::Closed);
            return Err(reason);
        }
        let mut result = line.transport.queue(packets);
        while result.is_ok() && line.transport.has_output() {
            if self.given_up.load(Acquire) {
                result = Err(TransportError::Closed);
                break;
            }
            result = self.exchange(line);
        }
        result.inspect_err(|_| line.gone = Some(TransportError::Closed))
    }

    /// Writes and reads what the socket allows.
    fn exchange(&self, line: &mut Line) -> Result<(), TransportError> {
        line.transport.write_now()?;
        if line.is_bulk || line.next.is_some() || !line.transport.may_read() {
            return Ok(());
        }
        line.transport.glance()?;
        while line.next.is_none() {
            match line.transport.next_message()? {
                None => break,
                Some(message) if message.packet_type == PacketType::Attention && self.is_running() => {
                    self.interrupt(line);
                }
                Some(message) => line.next = Some(message),
            }
        }
        Ok(())
    }

    fn is_running(&self) -> bool {
        !self.serial.load(Acquire).is_multiple_of(2)
    }

    /// The client wants no more of the running request.
    fn interrupt(&self, line: &mut Line) {
        self.shared.engine.counters.attentions.fetch_add(1, Relaxed);
        self.attention.store(true, Release);
        line.is_cancelled = true;
        self.session.cancel();
        // From here on the watcher cancels by time.
        self.notify_watcher();
    }

    fn notify_watcher(&self) {
        if self.is_watched.swap(false, SeqCst) {
            self.ended.notify_one();
        }
    }

    /// Looks after a request that runs since the last look at least; `seen` is what that one gave.
    pub fn look(&self, seen: u64) -> Look {
        let serial = self.serial.load(Acquire);
        let again = Look { serial, is_settled: false, socket: None };
        if serial.is_multiple_of(2) || serial != seen {
            return again;
        }
        // The holder of the line reads and writes itself.
        let Some(mut line) = self.line.try_lock() else { return again };
        if self.serial.load(Acquire) != serial {
            return again;
        }
        if line.gone.is_none()
            && let Err(reason) = self.exchange(&mut line)
        {
            line.gone = Some(reason);
            line.is_cancelled = true;
        }
        if line.is_cancelled {
            self.session.cancel();
            return again;
        }
        Look { is_settled: true, socket: line.transport.second().ok(), ..again }
    }

    /// The end of the request that `look` found is reported by [`BusyConnection::ended`]; false when it has ended already.
    pub fn announce_end(&self, serial: u64) -> bool {
        self.is_watched.store(true, SeqCst);
        self.serial.load(SeqCst) == serial
    }

    /// Returns when a request that was announced has ended, or was cancelled by its own thread.
    pub async fn ended(&self) {
        self.ended.notified().await;
    }

    /// KILL, or the server stops: the running request is cancelled, and a client that does not read is left.
    pub fn give_up(&self) {
        self.given_up.store(true, Release);
        if self.is_running() {
            self.session.cancel();
        }
    }
}

impl Outlet for BusyConnection {
    fn send(&self, packets: Vec<u8>, _: bool) -> Result<(), NotSent> {
        self.send_all(&mut self.line.lock(), packets).map_err(|_| NotSent::Closed)
    }
}

impl Client for BusyConnection {
    fn next_part(&self) -> Option<Message> {
        let mut line = self.line.lock();
        while line.is_bulk {
            match line.transport.next_message() {
                Ok(Some(message)) if message.packet_type == PacketType::Attention => {
                    self.interrupt(&mut line);
                    line.is_bulk = false;
                }
                Ok(Some(message)) => {
                    line.is_bulk = message.has_more;
                    return Some(message);
                }
                Ok(None) if self.given_up.load(Acquire) => line.is_bulk = false,
                Ok(None) => {
                    let result = line.transport.read_now().and_then(|_| line.transport.write_now());
                    if let Err(reason) = result {
                        line.gone = Some(reason);
                        line.is_bulk = false;
                    }
                }
                Err(error) => {
                    line.gone = Some(error.into());
                    line.is_bulk = false;
                }
            }
        }
        None
    }
}

/// The packets that acknowledge an attention.
pub fn acknowledgement(worker: &Worker) -> Vec<u8> {
    let mut packets = Vec::new();
    worker.framing().acknowledge(&mut packets);
    packets
}
