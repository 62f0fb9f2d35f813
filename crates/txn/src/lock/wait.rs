//! One request that waits: its state, and the thread that is to be woken.
//!
//! ```text
//!   Waiting ──grant (release, timeout of another)──▶ Granted
//!      └──────deadlock search chose its session────▶ Victim
//! ```
//! The state leaves `Waiting` once, under the lock of the resource's shard; whoever takes it out of the queue decides. Its
//! thread is woken after that, when the shard is free: it may run at once on another processor, and would run into it.

use millpond_storage::check;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::Thread;

use parking_lot::Mutex;

use super::deadlock_report::DeadlockReport;
use super::grant::{Got, OwnerId};
use super::mode::LockMode;
use super::owners::OwnerShared;
use super::resource::Resource;

#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Granted(Got),
    Victim(Arc<DeadlockReport>),
}

const WAITING: u8 = 0;
const DONE: u8 = 1;

#[derive(Debug)]
pub(crate) struct Waiter {
    pub owner: OwnerId,
    pub who: Arc<OwnerShared>,
    pub resource: Resource,
    /// The mode asked for.
    pub mode: LockMode,
    pub is_conversion: bool,
    /// When it began, by the clock of the waits.
    pub since_us: u64,
    thread: Thread,
    state: AtomicU8,
    outcome: Mutex<Option<Outcome>>,
}

impl Waiter {
    pub(super) fn new(
        owner: OwnerId,
        who: &Arc<OwnerShared>,
        resource: Resource,
        mode: LockMode,
        is_conversion: bool,
        since_us: u64,
    ) -> Arc<Waiter> {
        Arc::new(Waiter {
            owner,
            who: Arc::clone(who),
            resource,
            mode,
            is_conversion,
            since_us,
            thread: std::thread::current(),
            state: AtomicU8::new(WAITING),
            outcome: Mutex::new(None),
        })
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.state.load(Ordering::Acquire) == WAITING
    }

    pub(super) fn outcome(&self) -> Option<Outcome> {
        if self.is_waiting() {
            return None;
        }
        let outcome = self.outcome.lock().clone();
        check!(outcome.is_some(), "a request is decided, and nobody says how");
        outcome
    }

    pub(super) fn grant(&self, got: Got) {
        self.decide(Outcome::Granted(got));
    }

    pub(super) fn sacrifice(&self, report: Arc<DeadlockReport>) {
        self.decide(Outcome::Victim(report));
    }

    pub(super) fn wake(&self) {
        self.thread.unpark();
    }

    fn decide(&self, outcome: Outcome) {
        assert!(self.is_waiting(), "L3: a request is decided twice");
        *self.outcome.lock() = Some(outcome);
        self.state.store(DONE, Ordering::Release);
    }
}

/// Requests that were granted, whose threads sleep still.
#[must_use = "they sleep until they are woken"]
#[derive(Debug, Default)]
pub(super) struct Granted(pub Vec<(Arc<Waiter>, Got)>);

impl Granted {
    /// To be called when no shard is locked.
    #[inline]
    pub(super) fn wake(self) {
        self.0.iter().for_each(|(waiter, _)| waiter.wake());
    }
}
