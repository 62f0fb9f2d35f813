//! The thread of a login: it has the login's session, takes samples while somebody looks, and answers questions in between.
//!
//! ```text
//!   ask ─▶ Order ─▶ thread: Source ─┬▶ answer
//!                    (a tick is due)└▶ collect ─▶ Interval ─▶ JSON of `top` ─▶ Tick ─▶ all who look
//! ```
//!
//! What always holds: one text at a time runs; without anyone who looks the server is asked nothing but, every
//! [`PULSE`], for the session itself. When the session is lost it
//! is said once, and the thread ends. When the watcher is dropped the session ends with the text that runs.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use millpond_top::collect::collect;
use millpond_top::interval::Interval;
use millpond_top::once;
use millpond_top::sample::Sample;
use millpond_top::source::{Rows, SourceError};
use tokio::sync::{oneshot, watch};

use crate::host::Session;

/// While nobody looks it is found out so often whether the session is still there.
const PULSE: Duration = Duration::from_secs(30);

/// What those who look are given.
#[derive(Clone, Debug)]
pub enum Tick {
    /// Nothing yet.
    Nothing,
    /// What happened since the last one, as a line of JSON.
    Sample {
        /// From 1.
        number: u64,
        /// An object of tables.
        json: Arc<str>,
    },
    /// The session is gone, and why.
    Lost(Arc<str>),
}

/// What the thread is asked for.
enum Order {
    Ask {
        text: String,
        answer: oneshot::Sender<Result<Vec<Rows>, SourceError>>,
    },
    /// Somebody looks.
    Look,
}

/// A login's thread, seen from outside.
pub struct Watcher {
    orders: Sender<Order>,
    ticks: watch::Receiver<Tick>,
}

/// Held by each thread for as long as it has its session.
pub type Alive = Arc<()>;

/// A session that is gone answers nothing.
fn gone() -> SourceError {
    SourceError::Lost("the session has ended".into())
}

impl Watcher {
    /// Starts the thread of a session, with samples at an interval and a stack of so many bytes.
    ///
    /// # Errors
    /// There is no thread for it.
    pub fn start(source: Session, every: Duration, stack_bytes: usize, alive: Alive) -> std::io::Result<Watcher> {
        let (orders, received) = channel();
        let (sender, ticks) = watch::channel(Tick::Nothing);
        let round = Round { source, every, orders: received, ticks: sender, earlier: None, number: 0 };
        std::thread::Builder::new().name("page session".into()).stack_size(stack_bytes).spawn(move || {
            round.run();
            drop(alive);
        })?;
        Ok(Watcher { orders, ticks })
    }

    /// Runs a text and gives its results.
    ///
    /// # Errors
    /// Those of the text, or that there is no session any more.
    pub async fn ask(&self, text: String) -> Result<Vec<Rows>, SourceError> {
        let (answer, answered) = oneshot::channel();
        self.orders.send(Order::Ask { text, answer }).map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }

    /// The samples from here on: while it is kept, samples are taken.
    pub fn look(&self) -> watch::Receiver<Tick> {
        let receiver = self.ticks.clone();
        // A thread that is gone has left its reason in the channel.
        let _ = self.orders.send(Order::Look);
        receiver
    }

    /// Whether the session is gone.
    pub fn is_lost(&self) -> bool {
        self.ticks.has_changed().is_err()
    }
}

struct Round {
    source: Session,
    every: Duration,
    orders: Receiver<Order>,
    ticks: watch::Sender<Tick>,
    earlier: Option<Arc<Sample>>,
    number: u64,
}

/// Nothing will be asked any more.
struct Ended;

impl Round {
    fn run(mut self) {
        while self.step().is_ok() {}
    }

    /// Somebody looks beside the watcher itself.
    fn is_watched(&self) -> bool {
        self.ticks.receiver_count() > 1
    }

    fn step(&mut self) -> Result<(), Ended> {
        if !self.is_watched() {
            // What was long ago is no interval.
            self.earlier = None;
            return match self.orders.recv_timeout(PULSE) {
                Ok(order) => self.obey(order),
                // Where the session was ended meanwhile it is not kept.
                Err(RecvTimeoutError::Timeout) => self.pulse(),
                Err(RecvTimeoutError::Disconnected) => Err(Ended),
            };
        }
        let began = Instant::now();
        self.sample()?;
        // The first interval is short, so that there are rates soon.
        let pause = if self.number == 1 { self.every.min(Duration::from_millis(500)) } else { self.every };
        while self.is_watched() {
            match self.orders.recv_timeout(pause.saturating_sub(began.elapsed())) {
                Ok(order) => self.obey(order)?,
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Err(Ended),
            }
        }
        Ok(())
    }

    fn obey(&mut self, order: Order) -> Result<(), Ended> {
        let Order::Ask { text, answer } = order else { return Ok(()) };
        let answered = self.source.run(&text);
        let lost = match &answered {
            Err(SourceError::Lost(why)) => Some(why.clone()),
            _ => None,
        };
        // Who asked may be gone.
        let _ = answer.send(answered);
        lost.map_or(Ok(()), |why| self.lose(&why))
    }

    fn pulse(&mut self) -> Result<(), Ended> {
        match self.source.run("select 1") {
            Err(SourceError::Lost(why)) => self.lose(&why),
            _ => Ok(()),
        }
    }

    fn sample(&mut self) -> Result<(), Ended> {
        match collect(self.source.as_mut()) {
            Ok(sample) => {
                let sample = Arc::new(sample);
                let interval = Interval::of(self.earlier.as_deref(), Arc::clone(&sample));
                self.earlier = Some(sample);
                self.number += 1;
                let json = once::json(&interval);
                self.ticks.send_replace(Tick::Sample { number: self.number, json: json.trim_end().into() });
                Ok(())
            }
            Err(why) => self.lose(&why),
        }
    }

    fn lose(&mut self, why: &str) -> Result<(), Ended> {
        self.ticks.send_replace(Tick::Lost(why.into()));
        Err(Ended)
    }
}

#[cfg(test)]
mod tests {
    use millpond_top::source::Source;

    use super::*;

    /// Answers nothing to so many texts, and is gone then.
    struct Short(usize);

    impl Source for Short {
        fn run(&mut self, text: &str) -> Result<Vec<Rows>, SourceError> {
            if text == "KILL 7" {
                return Err(SourceError::Refused { number: 6106, text: "not active".into() });
            }
            self.0 = self.0.checked_sub(1).ok_or_else(|| SourceError::Lost("gone".into()))?;
            Ok(Vec::new())
        }
    }

    const STACK_BYTES: usize = 1 << 20;

    fn start(texts: usize) -> Watcher {
        Watcher::start(Box::new(Short(texts)), Duration::from_millis(1), STACK_BYTES, Alive::default())
            .expect("a thread")
    }

    #[tokio::test]
    async fn samples_come_while_somebody_looks() {
        let watcher = start(1_000_000);
        let mut ticks = watcher.look();
        let is_third = |tick: &Tick| matches!(tick, Tick::Sample { number, .. } if *number >= 3);
        let tick = ticks.wait_for(is_third).await.expect("samples come").clone();
        let Tick::Sample { json, .. } = tick else { unreachable!("waited for one") };
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value["overview"]["bound_by"], "nothing");
        assert!(!json.contains('\n'));
        let refused = watcher.ask("KILL 7".into()).await;
        assert_eq!(refused, Err(SourceError::Refused { number: 6106, text: "not active".into() }));
    }

    #[tokio::test]
    async fn a_session_that_is_gone_is_said_once_and_answers_nothing() {
        let watcher = start(30);
        let mut ticks = watcher.look();
        let lost = ticks.wait_for(|tick| matches!(tick, Tick::Lost(_))).await.expect("it is said").clone();
        assert!(matches!(lost, Tick::Lost(why) if &*why == "gone"));
        assert_eq!(watcher.ask("select 1".into()).await, Err(gone()));
        // The thread ends after what it has said.
        while !watcher.is_lost() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn nobody_who_looks_costs_nothing() {
        let watcher = start(3);
        for _ in 0..3 {
            assert_eq!(watcher.ask("select 1".into()).await, Ok(Vec::new()));
        }
        assert_eq!(watcher.ask("select 1".into()).await, Err(SourceError::Lost("gone".into())));
    }
}
