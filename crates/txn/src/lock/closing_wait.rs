//! Waits about databases that sessions have for themselves: of newcomers for the one that has it, of a closer for those that are in
//! it, of a closer for another. They are of sessions and in no queue, so they have a search of their own.
//!
//! ```text
//!   wait ──▶ noted ──▶ look: nobody in the way? done
//!              └─ now and then: a circle through this session, of these waits and of those for locks?
//!                    ──▶ read again: all the same waits? ──▶ is this one the victim? 1205
//! ```
//! What always holds:
//! - Z5: a wait is shown among the others ([`LockManager::waiting`]) from its first look to its end.
//! - Z6: a circle is believed when it is read twice with the same waits: nobody who waits gives anything back, so between the
//!   two readings all of them waited. One without a wait of this file is `deadlock.rs`' to find.
//! - Z7: the victim is a member whose wait is of this file, the same for each member that searches: the least priority, the least log,
//!   the latest. Where others go by another circle and choose each other, one gives up all the same after a while.
//!
//! It does not know who is in a database: the caller says so.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::wait::WaitGuard;

use super::deadlock_report::{DeadlockMember, DeadlockReport};
use super::mode::LockMode;
use super::resource::{Resource, ResourceKind};
use super::{LockError, LockManager, LockStatus, LockWait};

/// How often it is looked whether somebody is still in the way.
const LOOK: Duration = Duration::from_millis(5);
/// How many looks lie between two searches.
const LOOKS_PER_SEARCH: u32 = 10;
/// A circle that so many searches found is broken by whoever finds it (Z7).
const SEARCHES_MAX: u32 = 40;

/// Who is in the way; nobody: the wait is over.
type InTheWay = Arc<dyn Fn() -> Vec<SessionId> + Send + Sync>;

/// A wait of a session about a database.
pub(super) struct Waiting {
    session: SessionId,
    resource: Resource,
    mode: LockMode,
    since_us: u64,
    in_the_way: InTheWay,
}

impl Waiting {
    /// As it is now.
    fn row(&self, now_us: u64) -> LockWait {
        LockWait {
            session: self.session,
            resource: self.resource,
            mode: self.mode,
            since_us: self.since_us,
            wait_us: now_us.saturating_sub(self.since_us),
            blockers: (self.in_the_way)(),
        }
    }
}

/// Takes a wait from the list however it ends.
struct Shown<'l> {
    locks: &'l LockManager,
    waiting: Arc<Waiting>,
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        let mut waiting = self.locks.closed().waiting.lock();
        let before = waiting.len();
        waiting.retain(|other| !Arc::ptr_eq(other, &self.waiting));
        check!(waiting.len() + 1 == before, "Z5: a wait of session {} was not shown", self.waiting.session);
    }
}

/// What a session waits about: the database, and the mode in which it would have it (S for a newcomer, X for a closer).
#[derive(Clone, Copy, Debug)]
pub struct DatabaseWait {
    /// Who waits.
    pub session: SessionId,
    /// For what.
    pub db: DbId,
    /// As what.
    pub mode: LockMode,
}

/// The waits of this file as the views show them (Z5).
pub(super) fn rows(locks: &LockManager) -> Vec<LockWait> {
    let waiting = locks.closed().waiting.lock().clone();
    let now_us = locks.waits.now_us();
    waiting.iter().map(|one| one.row(now_us)).collect()
}

/// Waits until nobody is in the way, `timeout_ms` are over (`None`: without end), the task is cancelled, or the session is
/// chosen to end a circle of waits.
///
/// # Errors
/// [`LockError::Timeout`], [`LockError::Cancelled`], [`LockError::Deadlock`].
#[cold]
pub fn wait_while(
    locks: &LockManager,
    ask: &Ask<'_>,
    wait: DatabaseWait,
    timeout_ms: Option<u32>,
    in_the_way: impl Fn() -> Vec<SessionId> + Send + Sync + 'static,
) -> Result<(), LockError> {
    if in_the_way().is_empty() {
        return Ok(());
    }
    check!(wait.session.0 > 0, "who waits for database {} is no session", wait.db);
    assert!(
        matches!(wait.mode, LockMode::S | LockMode::X),
        "a session waits for database {} as neither a newcomer nor a closer",
        wait.db
    );
    let (resource, mode) = (Resource::database(wait.db), wait.mode);
    let since_us = locks.waits.now_us();
    let in_the_way: InTheWay = Arc::new(in_the_way);
    let waiting = Arc::new(Waiting { session: wait.session, resource, mode, since_us, in_the_way });
    locks.closed().waiting.lock().push(Arc::clone(&waiting));
    let shown = Shown { locks, waiting };
    let _account = WaitGuard::begin_for(&locks.waits, ask, mode.wait_type(), resource.to_string());
    let until_us = timeout_ms.map(|ms| since_us + u64::from(ms) * 1000);
    let (mut looks, mut found) = (0_u32, 0_u32);
    while !(shown.waiting.in_the_way)().is_empty() {
        if ask.task.is_cancelled() {
            return Err(LockError::Cancelled);
        }
        if until_us.is_some_and(|until_us| locks.waits.now_us() >= until_us) {
            locks.counters.timeouts.fetch_add(1, Relaxed);
            return Err(LockError::Timeout { resource, mode });
        }
        looks += 1;
        if looks.is_multiple_of(LOOKS_PER_SEARCH)
            && let Some(circle) = circle_of(locks, &shown.waiting)
        {
            found += 1;
            if victim_of(locks, &circle) == wait.session || found == SEARCHES_MAX {
                return Err(LockError::Deadlock(sacrifice(locks, wait.session, circle)));
            }
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// Waits until nobody else has a database for itself; as long as for a lock of it.
///
/// # Errors
/// Those of [`wait_while`].
#[cold]
pub fn wait_until_open(
    locks: &LockManager,
    ask: &Ask<'_>,
    db: DbId,
    session: SessionId,
    timeout_ms: Option<u32>,
) -> Result<(), LockError> {
    let closed = Arc::clone(locks.closed());
    let in_the_way = move || closed.closer_of(db).filter(|closer| *closer != session).into_iter().collect();
    wait_while(locks, ask, DatabaseWait { session, db, mode: LockMode::S }, timeout_ms, in_the_way)
}

/// A circle through a wait, the shortest (Z6).
fn circle_of(locks: &LockManager, own: &Waiting) -> Option<Vec<LockWait>> {
    let first = locks.waiting();
    let start = first.iter().position(|wait| is_same(wait, (own.session, own.resource, own.since_us)))?;
    // Each wait that was come to, and the place of the one whose session it keeps waiting.
    let (mut reached, mut seen, mut at) = (vec![(start, usize::MAX)], HashSet::new(), 0);
    let path = loop {
        let (wait, _) = *reached.get(at)?;
        let wait = &first[wait];
        if wait.blockers.contains(&own.session) {
            break path_to(&reached, at);
        }
        for blocker in wait.blockers.iter().filter(|blocker| seen.insert(**blocker)) {
            let of_blocker = first.iter().enumerate().filter(|(_, other)| other.session == *blocker);
            reached.extend(of_blocker.map(|(index, _)| (index, at)));
        }
        at += 1;
    };
    check!(path.first() == Some(&start), "Z6: a circle does not begin at the wait that looks for it");
    let circle: Vec<&LockWait> = path.into_iter().map(|index| &first[index]).collect();
    let second = locks.waiting();
    let stands = |at: usize| {
        let (wait, next) = (circle[at], circle[(at + 1) % circle.len()].session);
        let same = |other: &&LockWait| is_same(other, (wait.session, wait.resource, wait.since_us));
        second.iter().find(same).is_some_and(|still| still.blockers.contains(&next))
    };
    (0..circle.len()).all(stands).then(|| circle.into_iter().cloned().collect())
}

fn is_same(wait: &LockWait, (session, resource, since_us): (SessionId, Resource, u64)) -> bool {
    (wait.session, wait.resource, wait.since_us) == (session, resource, since_us)
}

fn path_to(reached: &[(usize, usize)], mut at: usize) -> Vec<usize> {
    let mut path = Vec::new();
    while let Some((wait, before)) = reached.get(at) {
        path.push(*wait);
        at = *before;
    }
    path.reverse();
    path
}

/// DEADLOCK_PRIORITY and log of a session.
fn cost_of(locks: &LockManager, session: SessionId) -> (i8, u64) {
    let owners = locks.owners.read();
    let costs = owners.of_session(session).map(|owner| (owner.priority.load(Relaxed), owner.log_bytes.load(Relaxed)));
    costs.reduce(|most, one| (most.0.max(one.0), most.1.max(one.1))).unwrap_or_default()
}

/// Z7
fn victim_of(locks: &LockManager, circle: &[LockWait]) -> SessionId {
    let of_databases = circle.iter().filter(|wait| wait.resource.kind() == ResourceKind::Database);
    let cost = |wait: &&LockWait| (cost_of(locks, wait.session), std::cmp::Reverse(wait.since_us), wait.session.0);
    of_databases.min_by_key(cost).expect("the search began at a wait for a database").session
}

/// The circle is ended by the session: it is counted, kept and told like any other.
fn sacrifice(locks: &LockManager, victim: SessionId, circle: Vec<LockWait>) -> Arc<DeadlockReport> {
    check!(
        circle.iter().any(|wait| wait.session == victim && wait.resource.kind() == ResourceKind::Database),
        "Z7: the victim does not wait for a database"
    );
    check!(
        circle.iter().enumerate().all(|(at, one)| circle[..at].iter().all(|other| other.session != one.session)),
        "Z6: a session is twice in a circle"
    );
    let all = locks.report();
    let member = |wait: LockWait| {
        let (priority, log_bytes) = cost_of(locks, wait.session);
        let is_of_lock = |resource: &Resource| *resource == wait.resource && resource.kind() != ResourceKind::Database;
        let granted = all.iter().filter(|row| is_of_lock(&row.resource) && row.status == LockStatus::Grant);
        let mut owners: Vec<_> =
            granted.filter(|row| row.session != wait.session).map(|row| (row.session, row.mode)).collect();
        if wait.resource.kind() == ResourceKind::Database {
            let theirs = if wait.mode == LockMode::S { LockMode::X } else { LockMode::S };
            owners.extend(wait.blockers.iter().map(|session| (*session, theirs)));
        }
        DeadlockMember {
            session: wait.session,
            resource: wait.resource,
            mode: wait.mode,
            has: None,
            is_conversion: false,
            owners,
            ahead: Vec::new(),
            wait_us: wait.wait_us,
            log_bytes,
            priority,
        }
    };
    let report = Arc::new(DeadlockReport { victim, members: circle.into_iter().map(member).collect() });
    locks.remember(&report);
    if let Some(listener) = locks.listener.get() {
        (listener.0)(&report);
    }
    report
}
