//! Requests that wait, and the sessions whose they are, as others see both: a request's state and the thread that is to be
//! woken; what a session would cost as a victim, what it waits for, and whether another session waits for it.
//!
//! ```text
//!   Waiting ──grant (release, timeout of another)──▶ Granted
//!      └──────deadlock search chose its session────▶ Victim
//! ```
//! The state leaves `Waiting` once, under the lock of the resource's shard; what takes it out of the queue decides. Its
//! thread is woken after that, when the shard is free: it may run at once on another processor, and would run into it.
//!
//! What always holds: a session is in the way (O4) from before the first request that waits for a lock of it, in either
//! scope, until all its locks of that scope are gone. It may be said of a session that is in no other's way any more;
//! of one that another waits for it is said always.

use millpond_storage::check;
use std::sync::Arc;
use std::sync::atomic::{AtomicI8, AtomicU8, AtomicU32, AtomicU64, Ordering, Ordering::SeqCst};
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
        check!(outcome.is_some(), "a request is decided without an outcome");
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

/// What others may know of a session that owns locks.
#[derive(Debug)]
pub(crate) struct OwnerShared {
    pub group: u32,
    pub session: SessionId,
    /// DEADLOCK_PRIORITY
    pub priority: AtomicI8,
    /// Log of its transaction: what it costs to choose it as a victim.
    pub log_bytes: AtomicU64,
    /// Its requests that wait: more than one only when threads of it run beside each other.
    pub waits: AtomicU32,
    /// The same. One leaves it shortly after its wait has ended.
    requests: Mutex<Vec<Arc<Waiter>>>,
    /// Bits of scopes ([`OwnerId::scope_bit`], O4).
    in_the_way: AtomicU8,
}

impl OwnerShared {
    pub(super) fn new(group: u32, session: SessionId) -> Arc<OwnerShared> {
        Arc::new(OwnerShared {
            group,
            session,
            priority: AtomicI8::new(0),
            log_bytes: AtomicU64::new(0),
            waits: AtomicU32::new(0),
            requests: Mutex::default(),
            in_the_way: AtomicU8::new(0),
        })
    }

    /// A request is about to wait; whether another one of the session waits already.
    pub(super) fn begin_request(&self, waiter: &Arc<Waiter>) -> bool {
        self.requests.lock().push(Arc::clone(waiter));
        self.waits.fetch_add(1, SeqCst) > 0
    }

    /// A request waits no more.
    pub(super) fn end_request(&self, waiter: &Arc<Waiter>) {
        check!(
            self.requests.lock().iter().any(|other| Arc::ptr_eq(other, waiter)),
            "D1: session {} ends a wait that no search has seen",
            self.session
        );
        self.requests.lock().retain(|other| !Arc::ptr_eq(other, waiter));
        let before = self.waits.fetch_sub(1, SeqCst);
        assert!(before > 0, "session {} ends a wait that was not counted", self.session);
    }

    /// Shows the requests that wait still.
    pub(super) fn for_requests(&self, show: impl FnMut(&Arc<Waiter>)) {
        self.requests.lock().iter().filter(|waiter| waiter.is_waiting()).for_each(show);
    }

    /// Whether no request waits.
    pub(super) fn has_no_requests(&self) -> bool {
        self.requests.lock().is_empty() && self.waits.load(SeqCst) == 0
    }

    /// Somebody waits, or is about to wait, for a lock of the session. To be said while the lock's shard is locked.
    pub(super) fn note_in_the_way(&self, owner: OwnerId) {
        // Many wait for one: they read what the first of them wrote.
        if self.in_the_way.load(SeqCst) & owner.scope_bit() == 0 {
            self.in_the_way.fetch_or(owner.scope_bit(), SeqCst);
        }
    }

    /// Whether another session may wait for the session.
    #[inline]
    pub(super) fn is_in_the_way(&self) -> bool {
        self.in_the_way.load(SeqCst) != 0
    }

    /// All locks of the owner's scope are gone. No other thread of the session may be taking one of that scope meanwhile.
    #[inline]
    pub(super) fn note_gone(&self, owner: OwnerId) {
        if self.in_the_way.load(SeqCst) & owner.scope_bit() != 0 {
            self.in_the_way.fetch_and(!owner.scope_bit(), SeqCst);
        }
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
