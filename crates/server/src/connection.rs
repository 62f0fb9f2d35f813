//! One connection after its login: it waits with the runtime, and while requests come one soon after the other a
//! thread that waits for it alone serves it.
//!
//! ```text
//!                 message                        nothing for a while
//!   waiting ────────────────▶ busy (a thread) ───────────────────────▶ waiting
//!    │                          │  run, answer, read the next
//!    └── client gone, KILL,     └── watched meanwhile: attention, client gone, KILL, stop cancel what runs
//!        stop: closed
//! ```
//!
//! What always holds: an attention is acknowledged exactly once, in a message of its own after the answer that it ended;
//! a session is dropped, with its temporary tables, on a thread that may wait; cancelling is repeated until the request
//! has ended, so none is lost to one that was just beginning.
//!
//! Why a thread keeps a busy connection: handing each request over and its answer back cost more than most requests.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use millpond_engine::session_shared::SessionShared;
use millpond_storage::wait::{WaitGuard, WaitType};
use millpond_tds::packet::{Message, PACKETS_MAX, PacketType};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::busy_connection::{self, BusyConnection, End};
use crate::handshake::{Peer, log_in};
use crate::mars;
use crate::request::{Worker, is_brief};
use crate::shared::{LOOK_AFTER, STOP_GRACE, Shared, stopped};
use crate::transport::{Transport, TransportError};
use crate::workers::WorkerPlace;

/// A login takes no longer.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(15);
/// Serves one client until it goes.
pub async fn serve(stream: TcpStream, peer: SocketAddr, shared: Arc<Shared>, is_full: bool) {
    let ends = Peer { address: peer, local: stream.local_addr().ok() };
    let mut transport = Transport::new(stream, &shared.engine);
    // The handshake's state is large and short-lived.
    let login = Box::pin(log_in(&mut transport, &shared, ends, is_full));
    let mut stopping = shared.stopping();
    let outcome = tokio::select! {
        outcome = timeout(LOGIN_TIMEOUT, login) => outcome,
        () = stopped(&mut stopping) => return,
    };
    let logged_in = match outcome {
        Ok(Ok(logged_in)) => logged_in,
        // Who only looks whether the port is open goes without a word: there are probes that do it every second.
        Ok(Err(reason)) if reason.is_gone() => return tracing::debug!(%peer, %reason, "no login"),
        Ok(Err(reason)) => return tracing::info!(%peer, %reason, "no login"),
        Err(_) => return tracing::info!(%peer, "the login took too long"),
    };
    let session = Arc::clone(logged_in.session.shared());
    let message_bytes_max = PACKETS_MAX * usize::from(logged_in.packet_bytes);
    transport.end_login(message_bytes_max, shared.engine.workspace(), &session.traffic);
    let worker = Box::new(Worker {
        session: logged_in.session,
        version: logged_in.version,
        packet_bytes: logged_in.packet_bytes,
        has_utf8: logged_in.has_utf8,
        has_lost_login: false,
        has_mars: logged_in.has_mars,
        server: Arc::clone(&shared.name),
    });
    let killed = shared.registry.add(&session);
    if logged_in.has_mars {
        let reason = mars::serve(transport, worker, killed, message_bytes_max, Arc::clone(&shared)).await;
        tracing::debug!(%peer, session = session.id.0, %reason, "closed");
        return shared.registry.remove(&session);
    }
    let mut connection = Connection {
        transport: Some(transport),
        worker: Some(worker),
        session,
        killed,
        stopping: shared.stopping(),
        early: None,
        shared,
    };
    let Err(reason) = connection.run().await;
    tracing::debug!(%peer, session = connection.session.id.0, %reason, "closed");
    connection.close().await;
}

struct Connection {
    /// None while a thread has the connection, and after one that ended badly.
    transport: Option<Transport>,
    /// The same.
    worker: Option<Box<Worker>>,
    session: Arc<SessionShared>,
    killed: Arc<Notify>,
    stopping: watch::Receiver<bool>,
    /// A message that came while the one before it was in line.
    early: Option<Message>,
    shared: Arc<Shared>,
}

impl Connection {
    async fn run(&mut self) -> Result<std::convert::Infallible, End> {
        loop {
            let message = self.wait().await?;
            if let Some(place) = self.enter(&message).await? {
                self.serve_busy(message, place).await?;
            }
        }
    }

    /// A place among the requests that run; `None` when the client has stopped the request before its turn came.
    async fn enter(&mut self, message: &Message) -> Result<Option<WorkerPlace>, End> {
        let Some(worker) = &self.worker else { return Err(End::Broken) };
        let may_wait = !worker.session.may_block_others() && !is_brief(message);
        let turn = match self.shared.workers.enter(may_wait) {
            Ok(place) => return Ok(Some(place)),
            Err(turn) => turn,
        };
        let session = Arc::clone(&self.session);
        let waits = Arc::clone(self.shared.engine.instance().waits());
        let _wait = WaitGuard::begin(&waits, &*session.task, WaitType::THREADPOOL, None);
        loop {
            if let Some(place) = turn.take() {
                return Ok(Some(place));
            }
            if self.session.is_killed() {
                return Err(End::Killed);
            }
            let transport = self.transport.as_mut().ok_or(TransportError::Closed)?;
            let listens = self.early.is_none();
            tokio::select! {
                () = turn.called() => {}
                ready = transport.ready(true), if listens => {
                    ready.map_err(TransportError::from)?;
                    transport.read_now()?;
                    transport.write_now()?;
                    match transport.next_message().map_err(TransportError::from)? {
                        Some(message) if message.packet_type == PacketType::Attention => {
                            self.stop_before_turn().await?;
                            return Ok(None);
                        }
                        message => self.early = message,
                    }
                }
                () = self.killed.notified() => {}
                () = stopped(&mut self.stopping) => return Err(End::Stopping),
            }
        }
    }

    /// Answers a request that was stopped while it was in line, and the attention that stopped it.
    async fn stop_before_turn(&mut self) -> Result<(), End> {
        let (Some(worker), Some(transport)) = (&self.worker, &mut self.transport) else { return Err(End::Broken) };
        self.shared.engine.counters.attentions.fetch_add(1, Relaxed);
        let mut packets = worker.framing().stopped_answer(&worker.server);
        packets.extend(busy_connection::acknowledgement(worker));
        transport.send(packets).await?;
        Ok(())
    }

    /// The next message, or why there will be none.
    async fn wait(&mut self) -> Result<Message, End> {
        if let Some(message) = self.early.take() {
            return Ok(message);
        }
        let transport = self.transport.as_mut().ok_or(TransportError::Closed)?;
        loop {
            if self.session.is_killed() {
                return Err(End::Killed);
            }
            if *self.stopping.borrow_and_update() {
                return Err(End::Stopping);
            }
            if let Some(message) = transport.next_message().map_err(TransportError::from)? {
                return Ok(message);
            }
            tokio::select! {
                ready = transport.ready(true) => {
                    ready.map_err(TransportError::from)?;
                    transport.read_now()?;
                    transport.write_now()?;
                }
                () = self.killed.notified() => {}
                _ = self.stopping.changed() => {}
            }
        }
    }

    /// A thread serves the connection, from `message` on, until nothing comes.
    async fn serve_busy(&mut self, message: Message, place: WorkerPlace) -> Result<(), End> {
        let (Some(mut transport), Some(mut worker)) = (self.transport.take(), self.worker.take()) else {
            return Err(End::Broken);
        };
        transport
            .give_to_thread(busy_connection::READ_WAIT, busy_connection::WRITE_WAIT)
            .map_err(TransportError::from)?;
        let busy = Arc::new(BusyConnection::new(transport, &self.session, &self.shared));
        let thread = Arc::clone(&busy);
        let job = tokio::task::spawn_blocking(move || {
            let end = thread.serve(&mut worker, message);
            drop(place);
            (worker, end)
        });
        let result = self.watch(&busy, job).await;
        let Ok((worker, end)) = result else {
            tracing::error!(session = self.session.id.0, "a request ended its thread");
            return Err(End::Broken);
        };
        self.worker = Some(worker);
        end?;
        let mut transport = BusyConnection::into_transport(busy).ok_or(End::Broken)?;
        transport.give_to_runtime().map_err(TransportError::from)?;
        self.transport = Some(transport);
        Ok(())
    }

    /// Looks after a busy connection until the thread gives it back. A request that runs for long wakes this by what its
    /// client sends, or by its end; only one that is to be cancelled, or that was cancelled, is looked after by time.
    async fn watch(&mut self, busy: &BusyConnection, mut job: Job) -> Result<(Box<Worker>, Result<(), End>), ()> {
        let mut tick = interval(LOOK_AFTER);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut seen, mut cancel_from, mut stop_seen) = (0, None, false);
        let mut watched: Option<Readiness> = None;
        loop {
            let by_time = watched.is_none();
            tokio::select! {
                biased;
                result = &mut job => return result.map_err(|_| ()),
                now = tick.tick(), if by_time => {
                    let look = busy.look(seen);
                    seen = look.serial;
                    if cancel_from.is_some_and(|from| now >= from) {
                        busy.give_up();
                    }
                    if look.is_settled && cancel_from.is_none() {
                        watched = look.socket.and_then(Readiness::of).filter(|_| busy.announce_end(seen));
                    }
                }
                () = readable(watched.as_ref()), if !by_time => {
                    if !busy.look(seen).is_settled {
                        watched = None;
                    }
                }
                () = busy.ended(), if !by_time => watched = None,
                () = self.killed.notified() => {
                    cancel_from = Some(Instant::now());
                    watched = None;
                }
                () = stopped(&mut self.stopping), if !stop_seen => {
                    stop_seen = true;
                    cancel_from = cancel_from.or(Some(Instant::now() + STOP_GRACE));
                    watched = None;
                }
            }
            if !by_time && watched.is_none() {
                tick.reset();
            }
        }
    }

    /// Ends the session.
    async fn close(mut self) {
        self.shared.registry.remove(&self.session);
        if let Some(worker) = self.worker.take() {
            worker.close().await;
        }
    }
}

/// The socket of a request that runs, watched beside the thread that owns it: nothing is read here.
struct Readiness(AsyncFd<OwnedFd>);

impl Readiness {
    /// `None` when the system has no descriptor left; then the tick has to do.
    // Deprecated for types that may change their descriptor; an `OwnedFd` keeps its own until it is dropped, and the new
    // name of the call asks for an `unsafe` promise of that.
    #[allow(deprecated)]
    fn of(socket: OwnedFd) -> Option<Readiness> {
        AsyncFd::with_interest(socket, Interest::READABLE).ok().map(Readiness)
    }
}

/// Returns when something has come since the last return.
async fn readable(socket: Option<&Readiness>) {
    match socket {
        Some(Readiness(socket)) => match socket.readable().await {
            Ok(mut guard) => guard.clear_ready(),
            // The runtime ends.
            Err(_) => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

type Job = tokio::task::JoinHandle<(Box<Worker>, Result<(), End>)>;
