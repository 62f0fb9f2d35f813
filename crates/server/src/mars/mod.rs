//! A connection with several active result sets (MARS): its client opens sessions of SMP, and each has a request at a time.
//!
//! ```text
//!                       ┌─ stream 0 ─ requests ─┐              the session: one request after the other,
//!   socket ◀─▶ task ◀─▶ ├─ stream 1 ────────────┼─▶ thread ──▶ each to its end, in the order in which they came
//!                       └─ stream 2 ◀─ answers ─┘
//! ```
//!
//! All streams have one session: one transaction, one set of temporary tables, one context of SET and USE. SQL Server lets a SELECT
//! give way to another request while it runs; here a request runs whole, and what its client has not read yet is kept
//! ([`hub`]) as soon as another one waits. So a reader that is open never keeps a second request from its answer.
//!
//! What always holds: each attention is acknowledged once, in its stream, after the answer that it ended; the session is dropped
//! on a thread that may wait, after its last request has ended. A transaction that a batch begins and does not end is rolled back
//! (3997).

mod hub;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::busy_connection::End;
use crate::mars::hub::{Begun, Hub};
use crate::request::Worker;
use crate::shared::{LOOK_AFTER, STOP_GRACE, Shared, stopped};
use crate::transport::{Transport, TransportError};
use crate::workers::Turn;

/// Frames go to the socket in pieces of about so many bytes, so that all streams have their turn.
const PIECE_BYTES: usize = 64 * 1024;

/// What a client has to take the last answer of a session that is broken.
const LAST_ANSWER: Duration = Duration::from_secs(1);

type Job = tokio::task::JoinHandle<(Box<Worker>, bool)>;

struct Mars {
    transport: Transport,
    hub: Arc<Hub>,
    /// None while a request runs.
    worker: Option<Box<Worker>>,
    job: Option<Job>,
    /// A request waits for a thread.
    turn: Option<Turn>,
    killed: Arc<Notify>,
    stopping: watch::Receiver<bool>,
    shared: Arc<Shared>,
    /// From when on the running request is to stop.
    cancel_from: Option<Instant>,
}

/// Serves a client after its login until it goes; says why it went.
pub async fn serve(
    transport: Transport,
    worker: Box<Worker>,
    killed: Arc<Notify>,
    message_bytes_max: usize,
    shared: Arc<Shared>,
) -> End {
    let hub = Hub::new(worker.session.shared(), &shared, worker.framing(), message_bytes_max);
    let stopping = shared.stopping();
    let mut mars = Mars {
        transport,
        hub,
        worker: Some(worker),
        job: None,
        turn: None,
        killed,
        stopping,
        shared,
        cancel_from: None,
    };
    let Err(end) = mars.run().await;
    mars.close().await;
    end
}

impl Mars {
    async fn run(&mut self) -> Result<std::convert::Infallible, End> {
        let mut tick = interval(LOOK_AFTER);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stop_seen = false;
        loop {
            self.receive()?;
            self.begin()?;
            self.send()?;
            let is_cancelled = self.cancel_from.is_some() || self.hub.cancel_again();
            tokio::select! {
                biased;
                result = ended(&mut self.job) => {
                    self.job = None;
                    let (worker, is_broken) = result.map_err(|_| End::Broken)?;
                    self.worker = Some(worker);
                    if is_broken {
                        self.send_last().await?;
                        return Err(End::Broken);
                    }
                }
                () = self.hub.wake_task.notified() => {}
                ready = self.transport.ready(self.transport.may_read()) => {
                    ready.map_err(TransportError::from)?;
                    self.transport.read_now()?;
                    self.transport.write_now()?;
                }
                () = called(self.turn.as_ref()) => {}
                () = self.killed.notified() => self.cancel_from = Some(Instant::now()),
                () = stopped(&mut self.stopping), if !stop_seen => {
                    stop_seen = true;
                    self.cancel_from = self.cancel_from.or(Some(Instant::now() + STOP_GRACE));
                }
                now = tick.tick(), if is_cancelled => {
                    if self.cancel_from.is_some_and(|from| now >= from) {
                        self.hub.give_up();
                    }
                }
            }
        }
    }

    /// Takes the frames that have come.
    fn receive(&mut self) -> Result<(), TransportError> {
        while let Some((header, payload)) = self.transport.next_frame()? {
            let received = self.hub.receive(&header, &payload);
            self.transport.count_received(*received.as_ref().unwrap_or(&0), received.is_err());
            received?;
        }
        Ok(())
    }

    /// Begins the next request, when there is a thread for it.
    fn begin(&mut self) -> Result<(), End> {
        if self.job.is_some() {
            return Ok(());
        }
        let Some(worker) = &self.worker else { return Err(End::Broken) };
        if worker.session.shared().is_killed() {
            return Err(End::Killed);
        }
        if *self.stopping.borrow() {
            return Err(End::Stopping);
        }
        let Some(next_is_brief) = self.hub.next_is_brief() else {
            self.turn = None;
            return Ok(());
        };
        let place = match &self.turn {
            Some(turn) => turn.take(),
            None => match self.shared.workers.enter(!worker.session.may_block_others() && !next_is_brief) {
                Ok(place) => Some(place),
                Err(turn) => {
                    let place = turn.take();
                    self.turn = Some(turn);
                    place
                }
            },
        };
        let Some(place) = place else { return Ok(()) };
        self.turn = None;
        let Some(Begun { message, client, charges }) = self.hub.begin() else { return Ok(()) };
        let Some(mut worker) = self.worker.take() else { return Err(End::Broken) };
        let attention = Arc::clone(&self.hub.attention);
        self.job = Some(tokio::task::spawn_blocking(move || {
            let outcome = worker.run(message, client.clone(), attention);
            client.end(&outcome.tail.packets);
            drop((place, charges));
            (worker, outcome.is_broken)
        }));
        Ok(())
    }

    /// Gives the socket what clients take, when it has taken what was given before.
    fn send(&mut self) -> Result<(), TransportError> {
        while !self.transport.has_output() {
            let (frames, packets) = self.hub.frames(PIECE_BYTES);
            if frames.is_empty() {
                break;
            }
            self.transport.put(frames, packets)?;
        }
        Ok(())
    }

    /// The last answer of a session that is broken, as far as its client takes it soon.
    async fn send_last(&mut self) -> Result<(), TransportError> {
        self.send()?;
        tokio::time::timeout(LAST_ANSWER, self.transport.flush()).await.unwrap_or(Ok(()))
    }

    /// Ends the session, after its last request.
    async fn close(mut self) {
        while let Some(job) = &mut self.job {
            self.hub.give_up();
            if let Ok(ended) = tokio::time::timeout(LOOK_AFTER, job).await {
                self.worker = ended.ok().map(|(worker, _)| worker);
                self.job = None;
            }
        }
        if let Some(worker) = self.worker.take() {
            worker.close().await;
        }
    }
}

/// Returns when the running request has ended.
async fn ended(job: &mut Option<Job>) -> Result<(Box<Worker>, bool), tokio::task::JoinError> {
    match job {
        Some(job) => job.await,
        None => std::future::pending().await,
    }
}

/// Returns when the turn may have come.
async fn called(turn: Option<&Turn>) {
    match turn {
        Some(turn) => turn.called().await,
        None => std::future::pending().await,
    }
}
