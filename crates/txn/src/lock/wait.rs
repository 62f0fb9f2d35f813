//! One request that waits: its state, and the thread that is to be woken.
//!
//! ```text
//!   Waiting ──grant (release, timeout of another)──▶ Granted
//!      └──────deadlock search chose its session────▶ Victim
//! ```
//! The state leaves `Waiting` once, under the lock of the resource's shard; whoever takes it out of the queue decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::Thread;

use millpond_storage::contract::SessionId;
use parking_lot::Mutex;

use super::deadlock_report::DeadlockReport;
use super::grant::{Got, OwnerId};
use super::mode::LockMode;
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
    pub session: SessionId,
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
        session: SessionId,
        resource: Resource,
        mode: LockMode,
        is_conversion: bool,
        since_us: u64,
    ) -> Arc<Waiter> {
        Arc::new(Waiter {
            owner,
            session,
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
        if self.is_waiting() { None } else { self.outcome.lock().clone() }
    }

    pub(super) fn grant(&self, got: Got) {
        self.decide(Outcome::Granted(got));
    }

    pub(super) fn sacrifice(&self, report: Arc<DeadlockReport>) {
        self.decide(Outcome::Victim(report));
    }

    fn decide(&self, outcome: Outcome) {
        *self.outcome.lock() = Some(outcome);
        self.state.store(DONE, Ordering::Release);
        self.thread.unpark();
    }
}
