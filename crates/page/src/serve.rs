//! The page's port: it listens, hands connections to the router, and ends with the server.
//!
//! ```text
//!   start: socket ─▶ threads ─▶ accept ─▶ cover ─▶ HTTP/1.1 ─▶ router
//!   stop : no new connections ─▶ streams say that the server stops ─▶ sessions ended
//! ```
//! What always holds: [`CONNECTIONS_MAX`] connections at a time, and where all places are taken the oldest connection that has asked
//! nothing yet leaves for the next one; a head or body that does not come is not waited for; after [`Page::stop`] none of its sessions
//! runs on the server.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use crate::events::stopped;
use crate::host::{Cover, Host, Stream};
use crate::measure::Measure;
use crate::options::Options;
use crate::request::Origin;
use crate::router::Router;
use crate::sessions::Sessions;
use crate::watcher::Alive;

/// Connections at a time.
const CONNECTIONS_MAX: usize = 256;
/// The head of a request, and TLS before it, come within this time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// What sessions have left to end when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// What connections have left for their last words.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(2);
/// How often sessions whose time is over are ended.
const SWEEP_INTERVAL: Duration = Duration::from_secs(30);

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is taken, or not ours.
    #[error("cannot listen for browsers on {address}: {source}")]
    Listen {
        /// Address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// Beyond loopback passwords would go in the clear.
    #[error("refusing to serve the page on {0} without TLS: set tls.mode, or listen on loopback")]
    InTheClear(SocketAddr),
    /// No threads.
    #[error("cannot start threads for the page: {0}")]
    Threads(std::io::Error),
}

/// A connection, as the accepting task sees it.
#[derive(Default)]
struct Peer {
    /// A request has come whole.
    has_asked: AtomicBool,
    /// It ends for another one.
    evicted: Notify,
}

/// Connections that had asked nothing when they were last looked at, oldest first.
#[derive(Default)]
struct IdlePeers(Mutex<VecDeque<Arc<Peer>>>);

impl IdlePeers {
    fn register(&self) -> Arc<Peer> {
        let peer = Arc::new(Peer::default());
        let mut peers = self.0.lock();
        peers.retain(|peer| Arc::strong_count(peer) > 1 && !peer.has_asked.load(Relaxed));
        peers.push_back(Arc::clone(&peer));
        peer
    }

    /// Ends the oldest, if there is one.
    fn evict_oldest(&self) {
        let mut peers = self.0.lock();
        while let Some(peer) = peers.pop_front() {
            if Arc::strong_count(&peer) > 1 && !peer.has_asked.load(Relaxed) {
                return peer.evicted.notify_one();
            }
        }
    }
}

/// A page that listens.
pub struct Page {
    runtime: Runtime,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    sessions: Arc<Sessions>,
    measure: Arc<Measure>,
    alive: Alive,
    places: Arc<Semaphore>,
}

impl Page {
    /// Listens.
    ///
    /// # Errors
    /// [`StartError`]
    pub fn start(options: Options, host: Arc<dyn Host>) -> Result<Page, StartError> {
        if options.cover.is_none() && !options.listen.ip().is_loopback() {
            return Err(StartError::InTheClear(options.listen));
        }
        // One thread moves bytes; sessions have theirs, and what waits for the server is done by a few others.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .worker_threads(1)
            .max_blocking_threads(8)
            .thread_stack_size(options.stack_bytes)
            .thread_name("page")
            .build()
            .map_err(StartError::Threads)?;
        let wanted = options.listen;
        let failed = |source| StartError::Listen { address: wanted, source };
        let listener = runtime.block_on(TcpListener::bind(wanted)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (stop, stopping) = watch::channel(false);
        let (sessions, alive) = (Arc::new(Sessions::default()), Alive::default());
        let measure = Arc::new(Measure::of(Arc::clone(&host)));
        let cover = options.cover.clone();
        let router = Arc::new(Router {
            options,
            host,
            sessions: Arc::clone(&sessions),
            measure: Arc::clone(&measure),
            stopping: stopping.clone(),
            alive: Arc::clone(&alive),
        });
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        runtime.spawn(accept(listener, cover, router, stopping.clone(), Arc::clone(&places)));
        runtime.spawn(sweep(Arc::clone(&sessions), stopping));
        Ok(Page { runtime, address, stop, sessions, measure, alive, places })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends everybody away and ends the sessions that it had on the server.
    pub fn stop(self) {
        self.stop.send_replace(true);
        let all = u32::try_from(CONNECTIONS_MAX).unwrap_or(u32::MAX);
        // Streams say their last word before the sessions below them end.
        let _ =
            self.runtime.block_on(async { tokio::time::timeout(LEAVE_TIMEOUT, self.places.acquire_many(all)).await });
        self.sessions.clear();
        self.runtime.shutdown_timeout(Duration::from_millis(500));
        self.measure.end();
        let deadline = Instant::now() + STOP_TIMEOUT;
        while Arc::strong_count(&self.alive) > 1 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

async fn sweep(sessions: Arc<Sessions>, mut stopping: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(SWEEP_INTERVAL) => { sessions.sweep(); }
            () = stopped(&mut stopping) => return,
        }
    }
}

async fn accept(
    listener: TcpListener,
    cover: Option<Arc<dyn Cover>>,
    router: Arc<Router>,
    mut stopping: watch::Receiver<bool>,
    places: Arc<Semaphore>,
) {
    let idle = IdlePeers::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(&mut stopping) => return,
        };
        match accepted {
            Ok((stream, client)) => {
                if places.available_permits() == 0 {
                    idle.evict_oldest();
                }
                let place = tokio::select! {
                    place = Arc::clone(&places).acquire_owned() => place,
                    () = stopped(&mut stopping) => return,
                };
                let Ok(place) = place else { return };
                let held = (idle.register(), place);
                tokio::spawn(connection(stream, client, cover.clone(), Arc::clone(&router), stopping.clone(), held));
            }
            Err(error) => {
                // Mostly: no file descriptor is free. Others will close.
                tracing::warn!(%error, "cannot accept a browser's connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn connection(
    stream: TcpStream,
    client: SocketAddr,
    cover: Option<Arc<dyn Cover>>,
    router: Arc<Router>,
    mut stopping: watch::Receiver<bool>,
    (peer, _place): (Arc<Peer>, OwnedSemaphorePermit),
) {
    let Ok(local) = stream.local_addr() else { return };
    // A small answer is not to wait for more.
    let _ = stream.set_nodelay(true);
    let origin = Origin { client, local, is_encrypted: cover.is_some() };
    let stream: Box<dyn Stream> = match cover {
        None => Box::new(stream),
        Some(cover) => tokio::select! {
            covered = tokio::time::timeout(HEAD_TIMEOUT, cover.cover(stream)) => match covered {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => return tracing::debug!(%client, %error, "no TLS with a browser"),
                Err(_) => return,
            },
            () = peer.evicted.notified() => return,
        },
    };
    let asking = Arc::clone(&peer);
    let service = service_fn(move |request| {
        asking.has_asked.store(true, Relaxed);
        let router = Arc::clone(&router);
        async move { Ok::<_, std::convert::Infallible>(router.answer(request, origin).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = peer.evicted.notified() => return,
        () = stopped(&mut stopping) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_that_has_asked_nothing_leaves() {
        let idle = IdlePeers::default();
        let peers: Vec<Arc<Peer>> = (0..4).map(|_| idle.register()).collect();
        peers[0].has_asked.store(true, Relaxed);
        let mut peers = peers;
        drop(peers.remove(1));
        // Left: one that has asked, and two that have not.
        idle.evict_oldest();
        idle.evict_oldest();
        idle.evict_oldest();
        peers[1].evicted.notified().await;
        peers[2].evicted.notified().await;
        let asked = tokio::time::timeout(Duration::from_millis(1), peers[0].evicted.notified()).await;
        assert!(asked.is_err(), "it stays");
        assert!(idle.0.lock().is_empty());
    }
}
