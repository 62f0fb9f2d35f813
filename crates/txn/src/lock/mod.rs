//! Locks: which session may do what with databases, objects, keys and names, and which waits for which.
//!
//! ```text
//!   LockOwner (a session) ──▶ LockManager ── shard ──▶ Head of a resource: grants, queue
//!                                  └── session in the way ──▶ circle ──▶ victim
//! ```
//!
//! Order of the locks inside: an owner's list, the search, the shards in their order, the list of owners, the requests of
//! an owner. Only the search has more than one shard at once. A request that is granted at once touches the owner's list and
//! one shard only. Threads are woken when no shard is locked.
//!
//! It knows no trees, no rows and no snapshots.

mod closing;
mod closing_wait;
mod deadlock;
mod deadlock_report;
mod grant;
mod head;
mod mode;
mod owner;
mod owners;
mod range;
mod resource;
mod wait;

use millpond_storage::check;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::wait::{WaitGuard, WaitStats};
use parking_lot::{Mutex, RwLock};

use grant::OwnerId;
use head::Head;
use owners::Owners;
use resource::WordHasher;
use wait::{Outcome, OwnerShared, Waiter};

pub use closing::{ClosedDatabase, ClosedDatabases};
pub use closing_wait::{DatabaseWait, wait_until_open, wait_while};
pub use deadlock_report::{DeadlockMember, DeadlockReport};
pub(crate) use grant::Got;
pub use mode::LockMode;
pub use owner::{LockMark, LockOwner, LockScope};
pub(crate) use range::{RangeStripe, Ranges};
pub use resource::{KeyHash, Resource, ResourceKind, RowPlace};

/// Parts of the lock table, each with a lock of its own.
const SHARDS: usize = 64;
/// Locks that an instance may have: 1204 beyond. A lock takes some 64 bytes here and in its owner's list.
const LOCKS_MAX: usize = 16 << 20;
/// Deadlocks that are remembered.
const DEADLOCKS_KEPT: usize = 64;

type Table = HashMap<Resource, Head, BuildHasherDefault<WordHasher>>;

/// A lock that was not given.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LockError {
    /// The session was chosen to end a circle of waits; its transaction is to be rolled back (1205).
    #[error("deadlock victim")]
    Deadlock(Arc<DeadlockReport>),
    /// The time allowed for waits is over (1222).
    #[error("lock request for {mode} on {resource} timed out")]
    Timeout {
        /// What was asked for.
        resource: Resource,
        /// In which mode.
        mode: LockMode,
    },
    /// The task was cancelled while it waited.
    #[error("cancelled")]
    Cancelled,
    /// There are too many locks (1204).
    #[error("no more locks")]
    TooMany,
}

/// How a request ended, for `sys.dm_tran_locks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockStatus {
    /// Granted.
    Grant,
    /// Waits; its owner has a weaker mode.
    Convert,
    /// Waits.
    Wait,
}

/// A row of `sys.dm_tran_locks`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockRow {
    /// What.
    pub resource: Resource,
    /// The name of an application lock.
    pub name: Option<String>,
    /// In which mode.
    pub mode: LockMode,
    /// Granted or waiting.
    pub status: LockStatus,
    /// Session.
    pub session: SessionId,
    /// For how long.
    pub scope: LockScope,
}

/// A request that waits, for `sys.dm_os_waiting_tasks`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockWait {
    /// Who waits.
    pub session: SessionId,
    /// For what.
    pub resource: Resource,
    /// In which mode.
    pub mode: LockMode,
    /// When it began, by the clock of the waits.
    pub since_us: u64,
    /// How long.
    pub wait_us: u64,
    /// The sessions that it waits for.
    pub blockers: Vec<SessionId>,
}

/// What was counted since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockCounts {
    /// Requests that waited.
    pub waits: u64,
    /// Requests that ran out of time.
    pub timeouts: u64,
    /// Deadlocks.
    pub deadlocks: u64,
    /// Row locks that became one lock of their object.
    pub escalations: u64,
}

#[derive(Debug, Default)]
struct Counters {
    waits: AtomicU64,
    timeouts: AtomicU64,
    deadlocks: AtomicU64,
    escalations: AtomicU64,
    /// Searches for a circle.
    searches: AtomicU64,
}

/// The locks of an instance.
#[derive(Debug)]
pub struct LockManager {
    shards: Vec<Mutex<Table>>,
    /// One search at a time.
    search: Mutex<()>,
    owners: RwLock<Owners>,
    names: Mutex<HashMap<Resource, String>>,
    /// Objects whose row locks do not escalate.
    disabled: RwLock<HashSet<(DbId, u32)>>,
    pub(crate) ranges: Ranges,
    deadlocks: Mutex<VecDeque<Arc<DeadlockReport>>>,
    listener: OnceLock<Listener>,
    closed: Arc<ClosedDatabases>,
    counters: Counters,
    waits: Arc<WaitStats>,
}

/// What is told of each deadlock.
struct Listener(Box<dyn Fn(&DeadlockReport) + Send + Sync>);

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Listener")
    }
}

impl LockManager {
    /// No locks.
    #[must_use]
    pub fn new(waits: Arc<WaitStats>) -> Arc<LockManager> {
        Arc::new(LockManager {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            search: Mutex::default(),
            owners: RwLock::default(),
            names: Mutex::default(),
            disabled: RwLock::default(),
            ranges: Ranges::default(),
            deadlocks: Mutex::default(),
            listener: OnceLock::new(),
            closed: ClosedDatabases::new(),
            counters: Counters::default(),
            waits,
        })
    }

    #[inline]
    fn shard_at(resource: &Resource) -> usize {
        (resource.hash64() >> 40) as usize % SHARDS
    }

    #[inline]
    fn shard(&self, resource: &Resource) -> &Mutex<Table> {
        &self.shards[Self::shard_at(resource)]
    }

    fn register(&self, session: SessionId) -> Arc<OwnerShared> {
        self.owners.write().register(session)
    }

    fn unregister(&self, group: u32) {
        self.owners.write().unregister(group);
    }

    /// Grants at once, or says that it cannot.
    #[inline]
    fn try_acquire(&self, owner: OwnerId, resource: Resource, mode: LockMode) -> Result<Option<Got>, LockError> {
        let table = &mut *self.shard(&resource).lock();
        if table.len() >= LOCKS_MAX / SHARDS {
            return Err(LockError::TooMany);
        }
        match table.entry(resource) {
            Entry::Vacant(free) => {
                free.insert(Head::new(owner, mode));
                Ok(Some(Got::New))
            }
            Entry::Occupied(mut head) => Ok(self.try_grant(head.get_mut(), owner, mode)),
        }
    }

    /// As [`Head::try_grant`]; an owner that gets what others wait for is in their way (O4).
    #[inline]
    fn try_grant(&self, head: &mut Head, owner: OwnerId, mode: LockMode) -> Option<Got> {
        let got = head.try_grant(owner, mode);
        if got.is_some() && head.has_waiters() {
            self.note_in_the_way(std::iter::once(owner));
        }
        got
    }

    #[cold]
    fn note_in_the_way(&self, owners: impl Iterator<Item = OwnerId>) {
        let all = self.owners.read();
        for owner in owners {
            let shared = all.get(owner.group()).expect("who has a lock is registered");
            shared.note_in_the_way(owner);
        }
    }

    /// Waits until the lock is granted, `timeout_ms` are over (`None`: without end), the task is cancelled, or the
    /// session is a deadlock's victim.
    #[cold]
    fn wait_for(
        &self,
        ask: &Ask<'_>,
        who: &Arc<OwnerShared>,
        owner: OwnerId,
        resource: Resource,
        mode: LockMode,
        timeout_ms: Option<u32>,
    ) -> Result<Got, LockError> {
        if timeout_ms == Some(0) {
            self.counters.timeouts.fetch_add(1, Relaxed);
            return Err(LockError::Timeout { resource, mode });
        }
        let waiter = match self.begin_wait(who, owner, resource, mode) {
            Ok(waiter) => waiter,
            Err(got) => {
                self.note_got(who, got);
                return Ok(got);
            }
        };
        self.counters.waits.fetch_add(1, Relaxed);
        let guard = WaitGuard::begin_for(&self.waits, ask, mode.wait_type(), resource.to_string());
        let result = self.park(ask, &waiter, timeout_ms);
        drop(guard);
        who.end_request(&waiter);
        check!(
            self.shard(&resource).lock().get(&resource).is_none_or(|head| !head.has_in_queue(&waiter)),
            "L3: a request for {resource} is over, and stands in its queue"
        );
        match result {
            Err(LockError::Timeout { .. }) => _ = self.counters.timeouts.fetch_add(1, Relaxed),
            Ok(got) => {
                check!(
                    self.mode_of(owner, &resource).is_some_and(|has| has.covers(mode)),
                    "L3: {resource} was granted in {mode}, and is not held"
                );
                self.note_got(who, got);
            }
            Err(_) => {}
        }
        result
    }

    /// A session got a lock: where another thread of it waits, that may have closed a circle.
    #[inline]
    fn note_got(&self, who: &OwnerShared, got: Got) {
        if got != Got::Had && who.waits.load(SeqCst) > 0 {
            self.break_circles(who.group);
        }
    }

    /// Puts a request into the queue and looks for a circle; `Err`: it could be granted meanwhile.
    fn begin_wait(
        &self,
        who: &Arc<OwnerShared>,
        owner: OwnerId,
        resource: Resource,
        mode: LockMode,
    ) -> Result<Arc<Waiter>, Got> {
        assert!(who.group == owner.group(), "session {} waits in the name of another owner", who.session);
        let (waiter, has_others) = {
            let table = &mut *self.shard(&resource).lock();
            match table.entry(resource) {
                Entry::Vacant(free) => {
                    free.insert(Head::new(owner, mode));
                    return Err(Got::New);
                }
                Entry::Occupied(mut head) => {
                    let head = head.get_mut();
                    if let Some(got) = self.try_grant(head, owner, mode) {
                        return Err(got);
                    }
                    let is_conversion = head.is_conversion(owner);
                    let since_us = self.waits.now_us();
                    let waiter = Waiter::new(owner, who, resource, mode, is_conversion, since_us);
                    // In this order, while the shard is locked: D1 depends on it.
                    let others = head.grants().map(|grant| grant.owner).filter(|other| other.group() != owner.group());
                    self.note_in_the_way(others);
                    let has_others = who.begin_request(&waiter);
                    head.enqueue(Arc::clone(&waiter));
                    (waiter, has_others)
                }
            }
        };
        if has_others || who.is_in_the_way() {
            self.break_circles(owner.group());
        }
        Ok(waiter)
    }

    fn park(&self, ask: &Ask<'_>, waiter: &Arc<Waiter>, timeout_ms: Option<u32>) -> Result<Got, LockError> {
        let _wakes = ask.task.wake_on_cancel();
        let deadline_us = timeout_ms.map(|ms| waiter.since_us + u64::from(ms) * 1000);
        loop {
            match waiter.outcome() {
                Some(Outcome::Granted(got)) => return Ok(got),
                Some(Outcome::Victim(report)) => return Err(LockError::Deadlock(report)),
                None => {}
            }
            if ask.task.is_cancelled() {
                return self.give_up(waiter, LockError::Cancelled);
            }
            match deadline_us.map(|deadline| deadline.saturating_sub(self.waits.now_us())) {
                Some(0) => {
                    let error = LockError::Timeout { resource: waiter.resource, mode: waiter.mode };
                    return self.give_up(waiter, error);
                }
                Some(left_us) => std::thread::park_timeout(Duration::from_micros(left_us)),
                None => std::thread::park(),
            }
        }
    }

    /// Leaves the queue; a decision that came first stands.
    fn give_up(&self, waiter: &Arc<Waiter>, error: LockError) -> Result<Got, LockError> {
        if self.dequeue(waiter) {
            assert!(waiter.outcome().is_none(), "L3: a request left the queue in vain, and was decided");
            return Err(error);
        }
        match waiter.outcome() {
            Some(Outcome::Granted(got)) => Ok(got),
            Some(Outcome::Victim(report)) => Err(LockError::Deadlock(report)),
            None => unreachable!("who takes a waiter out of the queue decides about it under the shard's lock"),
        }
    }

    /// Takes a waiter out of its queue and grants what it held up.
    fn dequeue(&self, waiter: &Arc<Waiter>) -> bool {
        let mut table = self.shard(&waiter.resource).lock();
        let Some(head) = table.get_mut(&waiter.resource) else { return false };
        let was_there = head.dequeue(waiter);
        let granted = head.wake();
        drop(table);
        granted.wake();
        was_there
    }

    fn remember(&self, report: &Arc<DeadlockReport>) {
        self.counters.deadlocks.fetch_add(1, Relaxed);
        let kept = &mut *self.deadlocks.lock();
        if kept.len() == DEADLOCKS_KEPT {
            kept.pop_front();
        }
        assert!(
            report.members.iter().any(|member| member.session == report.victim),
            "D2: the victim was in the circle"
        );
        kept.push_back(Arc::clone(report));
    }

    #[inline]
    fn release(&self, owner: OwnerId, resource: &Resource) {
        let mut table = self.shard(resource).lock();
        check!(table.contains_key(resource), "{resource} is released, and no owner has it");
        let Some(head) = table.get_mut(resource) else { return };
        check!(head.mode_of(owner).is_some(), "{resource} is released by one who does not have it");
        match head.release(owner) {
            Some(granted) => {
                drop(table);
                granted.wake();
            }
            None => _ = table.remove(resource),
        }
    }

    fn downgrade(&self, owner: OwnerId, resource: &Resource, mode: LockMode) {
        let mut table = self.shard(resource).lock();
        let Some(head) = table.get_mut(resource) else { return };
        check!(
            head.mode_of(owner).is_some_and(|has| has.covers(mode)),
            "{resource} is to be held in {mode}, which is more than its owner has"
        );
        head.downgrade(owner, mode);
        let granted = head.wake();
        drop(table);
        granted.wake();
    }

    /// Whether no other session has the resource in a mode that conflicts with `mode`. Nothing is taken.
    #[inline]
    fn is_free(&self, group: u32, resource: &Resource, mode: LockMode) -> bool {
        match self.shard(resource).lock().get(resource) {
            Some(head) => head.grants().all(|grant| grant.owner.group() == group || grant.mode.is_compatible(mode)),
            None => true,
        }
    }

    /// Whether an owner has, or waits for, a lock on the resource.
    pub(crate) fn is_locked(&self, resource: &Resource) -> bool {
        self.shard(resource).lock().contains_key(resource)
    }

    fn mode_of(&self, owner: OwnerId, resource: &Resource) -> Option<LockMode> {
        self.shard(resource).lock().get(resource).and_then(|head| head.mode_of(owner))
    }

    /// ALTER TABLE … SET (LOCK_ESCALATION = …): whether many row locks of the object become one of the object.
    pub fn set_escalation(&self, db: DbId, object: u32, is_enabled: bool) {
        let disabled = &mut *self.disabled.write();
        if is_enabled {
            disabled.remove(&(db, object));
        } else {
            disabled.insert((db, object));
        }
    }

    /// A database is opened or gone: nothing is known of its objects.
    pub fn forget_escalation(&self, db: DbId) {
        self.disabled.write().retain(|(of, _)| *of != db);
    }

    /// Remembers what an application lock is called.
    fn name(&self, resource: Resource, name: &str) {
        assert!(resource.kind() == ResourceKind::Application, "{resource} is no name of applications");
        let names = &mut *self.names.lock();
        if names.len() >= 4096 {
            names.retain(|resource, _| self.shard(resource).lock().contains_key(resource));
        }
        names.insert(resource, name.to_owned());
    }

    /// All locks and all waiting requests: each part of the table as it was at some point in time.
    #[must_use]
    pub fn report(&self) -> Vec<LockRow> {
        let mut rows = Vec::new();
        for shard in &self.shards {
            for (resource, head) in &*shard.lock() {
                rows.extend(head.grants().map(|grant| (*resource, grant.owner, grant.mode, LockStatus::Grant)));
                rows.extend(head.waiting().map(|waiter| {
                    let status = if waiter.is_conversion { LockStatus::Convert } else { LockStatus::Wait };
                    (*resource, waiter.owner, waiter.mode, status)
                }));
            }
        }
        let row = |(resource, owner, mode, status): (Resource, OwnerId, LockMode, LockStatus)| LockRow {
            resource,
            name: self.names.lock().get(&resource).cloned(),
            mode,
            status,
            session: self.owners.read().session_of(owner.group()),
            scope: LockScope::of(owner),
        };
        rows.into_iter().map(row).collect()
    }

    /// Sessions that have or want a lock of something in a database: those whose statements and transactions read it, too.
    #[must_use]
    pub fn sessions_in(&self, db: DbId) -> HashSet<SessionId> {
        assert!(db.0 > 0, "who is in a database is asked, and its number is that of none");
        let mut owners = HashSet::new();
        for shard in &self.shards {
            for (_, head) in shard.lock().iter().filter(|(resource, _)| resource.db() == db) {
                owners.extend(head.grants().map(|grant| grant.owner.group()));
                owners.extend(head.waiting().map(|waiter| waiter.owner.group()));
            }
        }
        owners.into_iter().map(|group| self.owners.read().session_of(group)).collect()
    }

    /// The requests that wait, and the waits for databases that others have for themselves, with those they wait for: each as it was at some point in time.
    #[must_use]
    pub fn waiting(&self) -> Vec<LockWait> {
        let waiters = self.owners.read().requests();
        let row = |waiter: &Arc<Waiter>| {
            let mut groups = Vec::new();
            if let Some(head) = self.shard(&waiter.resource).lock().get(&waiter.resource) {
                head.blockers(waiter, &mut groups);
            }
            groups.sort_unstable();
            groups.dedup();
            LockWait {
                session: waiter.who.session,
                resource: waiter.resource,
                mode: waiter.mode,
                since_us: waiter.since_us,
                wait_us: self.waits.now_us().saturating_sub(waiter.since_us),
                blockers: groups.into_iter().map(|group| self.owners.read().session_of(group)).collect(),
            }
        };
        waiters.iter().map(row).chain(closing_wait::rows(self)).collect()
    }

    /// How many requests wait.
    #[must_use]
    pub fn waiting_count(&self) -> usize {
        self.owners.read().requests().len()
    }

    /// The databases that sessions have for themselves.
    #[must_use]
    pub fn closed(&self) -> &Arc<ClosedDatabases> {
        &self.closed
    }

    /// From now on `listener` is told of each deadlock, before anybody who is in it is woken (D5). The first one stays.
    pub fn listen_to_deadlocks(&self, listener: impl Fn(&DeadlockReport) + Send + Sync + 'static) {
        let _ = self.listener.set(Listener(Box::new(listener)));
    }

    /// The last deadlocks, oldest first.
    #[must_use]
    pub fn deadlocks(&self) -> Vec<Arc<DeadlockReport>> {
        self.deadlocks.lock().iter().cloned().collect()
    }

    /// Counts since the start.
    #[must_use]
    pub fn counts(&self) -> LockCounts {
        let counters = &self.counters;
        LockCounts {
            waits: counters.waits.load(Relaxed),
            timeouts: counters.timeouts.load(Relaxed),
            deadlocks: counters.deadlocks.load(Relaxed),
            escalations: counters.escalations.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod circle_tests;
#[cfg(test)]
mod tests;
