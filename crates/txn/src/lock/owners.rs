//! The sessions that own locks, as others see them: what a victim would cost, what they wait for, and whether they are in
//! anybody's way.
//!
//! What always holds: a session is in the way (O4) from before the first request that waits for a lock of it, in either
//! scope, until all its locks of that scope are gone. It may be said of a session that is in nobody's way any more; of one
//! that is in somebody's way it is said always.

use millpond_storage::check;
use std::sync::Arc;
use std::sync::atomic::{AtomicI8, AtomicU8, AtomicU32, AtomicU64, Ordering::SeqCst};

use millpond_storage::contract::SessionId;
use parking_lot::Mutex;

use super::grant::OwnerId;
use super::wait::Waiter;

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
    /// The same. One leaves it a moment after its wait has ended.
    requests: Mutex<Vec<Arc<Waiter>>>,
    /// Bits of scopes ([`OwnerId::scope_bit`], O4).
    in_the_way: AtomicU8,
}

impl OwnerShared {
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
        assert!(before > 0, "session {} ends a wait that nobody counted", self.session);
    }

    /// Somebody waits, or is about to wait, for a lock of the session. To be said while the lock's shard is locked.
    pub(super) fn note_in_the_way(&self, owner: OwnerId) {
        // Many wait for one: they read what the first of them wrote.
        if self.in_the_way.load(SeqCst) & owner.scope_bit() == 0 {
            self.in_the_way.fetch_or(owner.scope_bit(), SeqCst);
        }
    }

    /// Whether anybody may wait for the session.
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

/// All of them, by their groups.
#[derive(Debug, Default)]
pub(super) struct Owners {
    slots: Vec<Option<Arc<OwnerShared>>>,
    free: Vec<u32>,
}

impl Owners {
    pub(super) fn register(&mut self, session: SessionId) -> Arc<OwnerShared> {
        let group = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        let shared = Arc::new(OwnerShared {
            group,
            session,
            priority: AtomicI8::new(0),
            log_bytes: AtomicU64::new(0),
            waits: AtomicU32::new(0),
            requests: Mutex::default(),
            in_the_way: AtomicU8::new(0),
        });
        assert!(self.slots[group as usize].is_none(), "session {session} gets the locks of another owner");
        self.slots[group as usize] = Some(Arc::clone(&shared));
        shared
    }

    /// The owner has no locks any more.
    pub(super) fn unregister(&mut self, group: u32) {
        assert!(self.slots[group as usize].is_some(), "an owner leaves twice");
        check!(
            self.get(group).is_some_and(|owner| owner.requests.lock().is_empty() && owner.waits.load(SeqCst) == 0),
            "D1: an owner leaves that waits for a lock"
        );
        self.slots[group as usize] = None;
        self.free.push(group);
    }

    pub(super) fn get(&self, group: u32) -> Option<&Arc<OwnerShared>> {
        self.slots.get(group as usize).and_then(Option::as_ref)
    }

    pub(super) fn session_of(&self, group: u32) -> SessionId {
        self.get(group).map_or(SessionId(0), |owner| owner.session)
    }

    /// Shows the requests of a session that wait still.
    pub(super) fn for_requests_of(&self, group: u32, show: impl FnMut(&Arc<Waiter>)) {
        let Some(owner) = self.get(group) else { return };
        owner.requests.lock().iter().filter(|waiter| waiter.is_waiting()).for_each(show);
    }

    /// All requests that wait still.
    pub(super) fn requests(&self) -> Vec<Arc<Waiter>> {
        let mut all = Vec::new();
        (0..self.slots.len() as u32)
            .for_each(|group| self.for_requests_of(group, |waiter| all.push(Arc::clone(waiter))));
        all
    }
}
