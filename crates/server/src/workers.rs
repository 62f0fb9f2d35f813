//! The places of requests that run: no more than `max worker threads` allows; the others wait in line (THREADPOOL).
//!
//! ```text
//!   message ── a place is free ─────────────▶ thread ─▶ place given back ─▶ the first of the line
//!      │ none                                   ▲
//!      ├── may not wait: beyond the limit ──────┤      others may wait for what its session holds, or it is a KILL
//!      └── line ── its turn ────────────────────┘
//!           └── client gone, attention, KILL, stop: out of the line
//! ```
//!
//! What always holds: requests that wait are served in the order in which they came. A thread that goes on with the
//! next request of its connection keeps the place only while none waits. A session that has a transaction open, or
//! holds locks of its own, never waits here: a session that blocks others has a thread to end with, so that threads
//! that are full of waiting requests come free. Threads of a parallel plan are not counted: they belong to its request.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use millpond_engine::engine::Engine;
use millpond_storage::settings::options::OptionId;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Workers when their number is not set: so many with up to four processors, …
const AUTOMATIC: usize = 512;
const AUTOMATIC_PROCESSORS: usize = 4;
/// … so many more for each further one, and from 65 processors on so many.
const PER_PROCESSOR: usize = 16;
const MANY_PROCESSORS: usize = 64;
const PER_PROCESSOR_OF_MANY: usize = 32;

/// The places.
pub struct Workers {
    desk: Mutex<Desk>,
    /// Whether a request waits for a worker: a copy that is read after each request.
    has_line: AtomicBool,
    /// How many there are now.
    most: Box<dyn Fn() -> usize + Send + Sync>,
}

#[derive(Default)]
struct Desk {
    running: usize,
    waiting: VecDeque<Arc<Notify>>,
}

/// A place of a request; it is given back with this.
pub struct WorkerPlace(Arc<Workers>);

/// A turn in the line; leaving it early gives the turn to the next one.
pub struct Turn {
    called: Arc<Notify>,
    workers: Arc<Workers>,
}

impl Workers {
    /// Places, so many as `most` says each time.
    pub fn new(most: impl Fn() -> usize + Send + Sync + 'static) -> Arc<Workers> {
        Arc::new(Workers { desk: Mutex::default(), has_line: AtomicBool::new(false), most: Box::new(most) })
    }

    /// So many as the option says.
    pub fn of(engine: &Arc<Engine>) -> Arc<Workers> {
        let engine = Arc::clone(engine);
        Workers::new(move || configured(engine.instance().settings().running(OptionId::MaxWorkerThreads)))
    }

    /// A place, or a turn in the line; `may_wait` is false for a session that gets a place in any case.
    pub fn enter(self: &Arc<Self>, may_wait: bool) -> Result<WorkerPlace, Turn> {
        let most = (self.most)();
        let mut desk = self.desk.lock();
        if may_wait && (desk.running >= most || !desk.waiting.is_empty()) {
            let called = Arc::new(Notify::new());
            desk.waiting.push_back(Arc::clone(&called));
            self.has_line.store(true, Relaxed);
            desk.call(most);
            return Err(Turn { called, workers: Arc::clone(self) });
        }
        desk.running += 1;
        Ok(WorkerPlace(Arc::clone(self)))
    }

    /// Whether a request waits in line for a worker.
    pub fn has_line(&self) -> bool {
        self.has_line.load(Relaxed)
    }

    /// Calls those whose turn has come because the option has changed. To be called now and then.
    pub fn look(&self) {
        let desk = self.desk.lock();
        if !desk.waiting.is_empty() {
            desk.call((self.most)());
        }
    }

    /// Requests that have a place, and those in line.
    #[cfg(test)]
    fn counts(&self) -> (usize, usize) {
        let desk = self.desk.lock();
        (desk.running, desk.waiting.len())
    }
}

impl Desk {
    /// Calls those whose turn it is.
    fn call(&self, most: usize) {
        let free = most.saturating_sub(self.running);
        self.waiting.iter().take(free).for_each(|waiter| waiter.notify_one());
    }
}

impl Turn {
    /// Returns when the turn may have come.
    pub async fn called(&self) {
        self.called.notified().await;
    }

    /// The place, if the turn has come.
    pub fn take(&self) -> Option<WorkerPlace> {
        let most = (self.workers.most)();
        let mut desk = self.workers.desk.lock();
        let at = desk.waiting.iter().position(|waiter| Arc::ptr_eq(waiter, &self.called))?;
        if desk.running + at >= most {
            return None;
        }
        desk.waiting.remove(at);
        self.workers.has_line.store(!desk.waiting.is_empty(), Relaxed);
        desk.running += 1;
        Some(WorkerPlace(Arc::clone(&self.workers)))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut desk = self.workers.desk.lock();
        desk.waiting.retain(|waiter| !Arc::ptr_eq(waiter, &self.called));
        self.workers.has_line.store(!desk.waiting.is_empty(), Relaxed);
        desk.call((self.workers.most)());
    }
}

impl Drop for WorkerPlace {
    fn drop(&mut self) {
        let mut desk = self.0.desk.lock();
        desk.running -= 1;
        if !desk.waiting.is_empty() {
            desk.call((self.0.most)());
        }
    }
}

/// `max worker threads`; 0 leaves it to the processors.
fn configured(option: i64) -> usize {
    match usize::try_from(option) {
        Ok(0) | Err(_) => automatic(std::thread::available_parallelism().map_or(1, std::num::NonZero::get)),
        Ok(most) => most,
    }
}

fn automatic(processors: usize) -> usize {
    let beyond = processors.saturating_sub(AUTOMATIC_PROCESSORS);
    AUTOMATIC + beyond * if processors > MANY_PROCESSORS { PER_PROCESSOR_OF_MANY } else { PER_PROCESSOR }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn processors_decide_without_a_setting() {
        let cases = [(1, 512), (4, 512), (8, 576), (64, 1472), (128, 4480)];
        assert_eq!(cases.map(|(processors, _)| automatic(processors)), cases.map(|(_, workers)| workers));
        assert_eq!(configured(130), 130);
    }

    #[test]
    fn places_go_round_in_order_and_turns_that_are_left_call_the_next() {
        let most = Arc::new(AtomicUsize::new(2));
        let asked = Arc::clone(&most);
        let workers = Workers::new(move || asked.load(Relaxed));
        let enter = |may_wait| workers.enter(may_wait);
        let (one, two) = (enter(true).ok().expect("free"), enter(true).ok().expect("free"));
        let mut turns: VecDeque<Turn> = (0..4).map(|_| enter(true).err().expect("full")).collect();
        assert_eq!(workers.counts(), (2, 4));
        assert!(workers.has_line());
        assert!(turns.iter().all(|turn| turn.take().is_none()));
        let beyond = enter(false).ok().expect("may not wait");
        drop(one);
        assert!(turns[0].take().is_none(), "the one beyond the limit counts");
        drop(beyond);
        assert!(turns[1].take().is_none(), "not the first");
        let first = turns[0].take().expect("its turn");
        drop(two);
        drop(turns.remove(1));
        assert!(
            turns[1].take().is_some(),
            "the one before left, and a place that is taken and given back is free again"
        );
        assert_eq!(workers.counts(), (1, 1));
        most.store(1, Relaxed);
        assert!(turns[2].take().is_none(), "the option has changed");
        drop(first);
        assert!(turns[2].take().is_some());
        drop(turns);
        assert_eq!(workers.counts(), (0, 0));
        assert!(!workers.has_line());
    }
}
