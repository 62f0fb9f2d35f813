//! One connection after its login: requests one after the other, each on a thread of its own while it runs.
//!
//! ```text
//!            ┌──────────── message ───────────┐
//!   Idle ────┤                                 ├──▶ Running ── answer written ──▶ Idle
//!    │       └── attention: acknowledged       │       │ attention, KILL, stop, client gone: cancel
//!    └── client gone, KILL, stop: closed       ▼       ▼
//!                                          chunks ─▶ socket   (and the socket is read all the while)
//! ```
//!
//! What always holds: an attention is acknowledged exactly once, in a message of its own after the answer that it ended;
//! a session is dropped, with its temporary tables, on a thread that may wait; cancelling is repeated until the request
//! has ended, so none is lost to one that was just beginning.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::Release};
use std::time::Duration;

use millpond_query::session::SessionShared;
use millpond_tds::ServerEncoder;
use millpond_tds::packet::{DEFAULT_BOUND_BYTES, Message, PacketType};
use millpond_tds::token::Done;
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinError;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::handshake::log_in;
use crate::request::{Outcome, Worker};
use crate::respond::{CHUNKS_MAX, Tail};
use crate::shared::Shared;
use crate::transport::{Transport, TransportError};

/// A login takes no longer.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(15);
/// Parts of a bulk load that wait for the session.
const PARTS_MAX: usize = 4;
/// How often a cancelled request is cancelled again.
const CANCEL_INTERVAL: Duration = Duration::from_millis(10);
/// What a running request has left to end by itself when the server stops.
const STOP_GRACE: Duration = Duration::from_millis(200);

/// Why a connection ends; nobody needs to hear it but the log.
#[derive(Debug, thiserror::Error)]
enum End {
    #[error("{0}")]
    Transport(#[from] TransportError),
    #[error("the session was killed")]
    Killed,
    #[error("the server stops")]
    Stopping,
    #[error("a request broke the session")]
    Broken,
}

/// Serves one client until it goes.
pub async fn serve(stream: TcpStream, peer: SocketAddr, shared: Arc<Shared>, is_full: bool) {
    let mut transport = Transport::new(stream);
    // The handshake's state is large and short-lived.
    let login = Box::pin(log_in(&mut transport, &shared, peer, is_full));
    let mut stopping = shared.stopping();
    let outcome = tokio::select! {
        outcome = timeout(LOGIN_TIMEOUT, login) => outcome,
        () = stopped(&mut stopping) => return,
    };
    let logged_in = match outcome {
        Ok(Ok(logged_in)) => logged_in,
        Ok(Err(reason)) => return tracing::info!(%peer, %reason, "no login"),
        Err(_) => return tracing::info!(%peer, "the login took too long"),
    };
    transport.end_login(DEFAULT_BOUND_BYTES);
    let session = Arc::clone(logged_in.session.shared());
    let worker = Box::new(Worker {
        session: logged_in.session,
        version: logged_in.version,
        packet_bytes: logged_in.packet_bytes,
        server: Arc::clone(&shared.name),
    });
    let killed = shared.registry.add(&session);
    let mut connection =
        Connection { transport, worker: Some(worker), session, killed, stopping: shared.stopping(), shared };
    let Err(reason) = connection.run().await;
    tracing::debug!(%peer, session = connection.session.id.0, %reason, "closed");
    connection.close().await;
}

struct Connection {
    transport: Transport,
    /// Not here while a request runs.
    worker: Option<Box<Worker>>,
    session: Arc<SessionShared>,
    killed: Arc<Notify>,
    stopping: watch::Receiver<bool>,
    shared: Arc<Shared>,
}

impl Connection {
    async fn run(&mut self) -> Result<std::convert::Infallible, End> {
        loop {
            let message = self.wait().await?;
            if message.packet_type == PacketType::Attention {
                self.shared.engine.counters.attentions.fetch_add(1, Relaxed);
                let packets = self.acknowledgement();
                self.transport.queue(packets)?;
                continue;
            }
            let mut next = Some(message);
            while let Some(message) = next.take() {
                next = self.request(message).await?;
            }
        }
    }

    /// The next message, or why there will be none.
    async fn wait(&mut self) -> Result<Message, End> {
        loop {
            if self.session.is_killed() {
                return Err(End::Killed);
            }
            if *self.stopping.borrow_and_update() {
                return Err(End::Stopping);
            }
            if let Some(message) = self.transport.next_message().map_err(TransportError::from)? {
                return Ok(message);
            }
            tokio::select! {
                ready = self.transport.ready(true) => {
                    ready.map_err(TransportError::from)?;
                    self.transport.read_now()?;
                    self.transport.write_now()?;
                }
                () = self.killed.notified() => {}
                _ = self.stopping.changed() => {}
            }
        }
    }

    fn acknowledgement(&self) -> Vec<u8> {
        let worker = self.worker.as_ref().expect("no request runs");
        let mut encoder = ServerEncoder::new(worker.version, worker.packet_bytes);
        encoder.set_spid(self.session.id.0);
        encoder.done(Done::attention());
        let mut packets = Vec::new();
        encoder.finish(&mut packets);
        packets
    }

    /// Runs a request and writes its answer; what the client has sent too early meanwhile is the next one.
    async fn request(&mut self, message: Message) -> Result<Option<Message>, End> {
        let (sender, chunks) = mpsc::channel(CHUNKS_MAX);
        let (feed, parts) = mpsc::channel(PARTS_MAX);
        let bulk = message.has_more.then_some(feed);
        let attention = Arc::new(AtomicBool::new(false));
        // Before the request begins: whatever cancels from here on means this one.
        self.session.task.clear_cancel();
        if self.session.is_killed() {
            self.session.cancel();
        }
        let mut worker = self.worker.take().expect("no request runs");
        let flag = Arc::clone(&attention);
        let job = tokio::task::spawn_blocking(move || {
            let outcome = worker.run(message, parts, sender, flag);
            (worker, outcome)
        });
        let mut running = Running {
            chunks: Some(chunks),
            attention,
            ended: None,
            tail: None,
            next: None,
            gone: None,
            cancelling: false,
            is_bulk: bulk.is_some(),
            feed: bulk,
        };
        running.pump(self, job).await;
        let Some(is_broken) = running.ended else {
            return Err(End::Broken);
        };
        if let Some(gone) = running.gone {
            return Err(gone.into());
        }
        if is_broken {
            return Err(End::Broken);
        }
        Ok(running.next)
    }

    /// Drops the session where waiting harms nobody.
    async fn close(mut self) {
        self.shared.registry.remove(&self.session);
        if let Some(worker) = self.worker.take() {
            // A panic while temporary tables are dropped is in the log already.
            let _ = tokio::task::spawn_blocking(move || drop(worker)).await;
        }
    }
}

type Job = tokio::task::JoinHandle<(Box<Worker>, Outcome)>;

/// A request under way.
struct Running {
    /// `None` when all have been taken.
    chunks: Option<mpsc::Receiver<Vec<u8>>>,
    attention: Arc<AtomicBool>,
    /// The request has ended; whether it broke the session.
    ended: Option<bool>,
    /// The rest of the answer, when it is not with the transport yet.
    tail: Option<Tail>,
    /// A message that came too early.
    next: Option<Message>,
    /// The client is gone.
    gone: Option<TransportError>,
    cancelling: bool,
    /// Parts of a bulk load are still to come; the answer waits for the last one.
    is_bulk: bool,
    /// Where they go; `None` when nobody wants them any more.
    feed: Option<mpsc::Sender<Message>>,
}

impl Running {
    /// Moves chunks to the socket and looks for attentions until request and answer have ended.
    async fn pump(&mut self, connection: &mut Connection, mut job: Job) {
        let mut tick = interval(CANCEL_INTERVAL);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut job_ended = false;
        let mut stop_seen = false;
        if self.is_bulk {
            // What has come with the first part.
            self.take_messages_or_lose(connection);
        }
        while !(job_ended && self.is_written(connection)) {
            let is_free = !connection.transport.has_output();
            let is_full = !self.has_room();
            let reading = self.gone.is_none() && self.next.is_none() && !is_full && connection.transport.may_read();
            let watching = self.gone.is_none() && (reading || !is_free);
            tokio::select! {
                biased;
                chunk = receive(&mut self.chunks), if self.chunks.is_some() && is_free => {
                    self.take_chunk(connection, chunk);
                }
                result = &mut job, if !job_ended => {
                    job_ended = true;
                    self.take_result(connection, result);
                }
                ready = connection.transport.ready(reading), if watching => {
                    let result = ready.map_err(TransportError::from);
                    let result = result.and_then(|()| self.exchange(connection, reading));
                    if let Err(reason) = result {
                        self.lose(connection, reason);
                    }
                }
                _ = tick.tick(), if self.cancelling && !job_ended => connection.session.cancel(),
                () = room(&self.feed), if is_full => self.take_messages_or_lose(connection),
                () = connection.killed.notified() => {
                    self.cancelling = true;
                    self.end_bulk();
                }
                () = stopped(&mut connection.stopping), if !stop_seen => {
                    stop_seen = true;
                    self.cancelling = true;
                    self.end_bulk();
                    tick.reset_after(STOP_GRACE);
                }
            }
        }
    }

    /// Whether the whole answer is with the client, or nobody is there to read it. Hands over the tail when it is due.
    fn is_written(&mut self, connection: &mut Connection) -> bool {
        if self.gone.is_some() {
            return true;
        }
        if self.is_bulk || self.chunks.is_some() || connection.transport.has_output() {
            return false;
        }
        if let Some(tail) = self.tail.take() {
            let wants_more = self.attention.load(Relaxed);
            let mut packets = tail.packets;
            if wants_more && connection.worker.is_some() {
                packets.extend(connection.acknowledgement());
            }
            if let Err(reason) = connection.transport.queue(packets) {
                self.lose(connection, reason);
                return true;
            }
        }
        !connection.transport.has_output()
    }

    fn take_chunk(&mut self, connection: &mut Connection, chunk: Option<Vec<u8>>) {
        let Some(chunk) = chunk else {
            self.chunks = None;
            return;
        };
        if let Err(reason) = connection.transport.queue(chunk) {
            self.lose(connection, reason);
        }
    }

    fn take_result(&mut self, connection: &mut Connection, result: Result<(Box<Worker>, Outcome), JoinError>) {
        match result {
            Ok((worker, outcome)) => {
                connection.worker = Some(worker);
                self.ended = Some(outcome.is_broken);
                self.tail = Some(outcome.tail);
            }
            Err(error) => {
                tracing::error!(%error, session = connection.session.id.0, "a request ended its thread");
                self.gone = Some(TransportError::Closed);
            }
        }
    }

    /// Writes and reads what the socket allows.
    fn exchange(&mut self, connection: &mut Connection, reading: bool) -> Result<(), TransportError> {
        connection.transport.write_now()?;
        if !reading {
            return Ok(());
        }
        connection.transport.read_now()?;
        self.take_messages(connection)
    }

    /// Looks at what has been read.
    fn take_messages(&mut self, connection: &mut Connection) -> Result<(), TransportError> {
        while self.next.is_none() && self.has_room() {
            match connection.transport.next_message()? {
                None => break,
                Some(message) if message.packet_type == PacketType::Attention => {
                    self.end_bulk();
                    self.interrupt(connection)?;
                }
                Some(message) if self.is_bulk => self.take_part(message),
                Some(message) => self.next = Some(message),
            }
        }
        Ok(())
    }

    fn take_messages_or_lose(&mut self, connection: &mut Connection) {
        if let Err(reason) = self.take_messages(connection) {
            self.lose(connection, reason);
        }
    }

    /// Whether the next part of a bulk load may come.
    fn has_room(&self) -> bool {
        self.feed.as_ref().is_none_or(|feed| feed.capacity() > 0 || feed.is_closed())
    }

    /// Hands a part of a bulk load over; a request that has ended wants no more of them.
    fn take_part(&mut self, part: Message) {
        let is_last = !part.has_more;
        if let Some(feed) = &self.feed
            && feed.try_send(part).is_err()
        {
            self.feed = None;
        }
        if is_last {
            self.end_bulk();
        }
    }

    /// No part of a bulk load is waited for any more.
    fn end_bulk(&mut self) {
        self.is_bulk = false;
        self.feed = None;
    }

    fn interrupt(&mut self, connection: &mut Connection) -> Result<(), TransportError> {
        let counters = &connection.shared.engine.counters;
        counters.attentions.fetch_add(1, Relaxed);
        let is_answered = self.ended.is_some() && self.tail.is_none();
        if is_answered {
            let packets = connection.acknowledgement();
            return connection.transport.queue(packets);
        }
        self.attention.store(true, Release);
        self.cancelling = true;
        connection.session.cancel();
        Ok(())
    }

    fn lose(&mut self, connection: &mut Connection, reason: TransportError) {
        self.gone = Some(reason);
        self.end_bulk();
        // Whoever waits for room in the channel learns of it.
        self.chunks = None;
        self.cancelling = true;
        connection.session.cancel();
    }
}

/// Returns when a part can be handed over, or nobody wants it.
async fn room(feed: &Option<mpsc::Sender<Message>>) {
    if let Some(feed) = feed {
        let _ = feed.reserve().await;
    }
}

async fn receive(chunks: &mut Option<mpsc::Receiver<Vec<u8>>>) -> Option<Vec<u8>> {
    match chunks {
        Some(chunks) => chunks.recv().await,
        None => None,
    }
}

/// Returns when the server stops.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the server is gone altogether.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}
