//! The search for a circle of waits, and the choice of its victim.
//!
//! ```text
//!   begin of a wait ──▶ is another session waiting for its own? ──▶ circle: breadth first, shard by shard
//!                                                             │
//!                     victim ◀── all members' shards locked: does each wait for the next, now?
//! ```
//! What always holds:
//! - D1: a circle comes into being only when a wait begins, or when a session that waits gets another lock: the search
//!   begins at that session. A request is counted in its session, stands in its queue, and those it waits for know that
//!   they are in the way, before its shard is free again; its search comes after that. So of the waits of a circle the one
//!   that was counted last is a search that sees all of them.
//! - D2: a victim is chosen only while all shards of the circle are locked and each member waits for the next: what the
//!   report says was true at one point in time.
//! - D3: a session that is granted a lock waits for no search.
//! - D4: a wait of a session that is in no other's way starts no search. A request that stands after it was counted
//!   later: if that closed a circle, it is the later one's to find. So a crowd before one resource searches nothing,
//!   however long its queue.
//! - D5: the listener is told while no member of the circle has been woken, and nothing of the manager is locked: it may look
//!   at the sessions, and at the locks.

use millpond_storage::check;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::deadlock_report::{DeadlockMember, DeadlockReport};
use super::mode::LockMode;
use super::resource::Resource;
use super::wait::{Granted, Waiter};
use super::{LockManager, OwnerId};

/// What a search has come by: what was looked at for one request is not looked at again for the next of the same queue.
#[derive(Default)]
pub(super) struct Visited {
    groups: HashSet<u32>,
    /// Grants that conflict with this mode.
    grants: HashSet<(Resource, LockMode)>,
    /// Requests of queues, by address: those before them are visited too.
    queued: HashSet<usize>,
}

impl Visited {
    /// Whether a queue was walked from this request on, or from one after it.
    pub(super) fn walked(&self, waiter: &Waiter) -> bool {
        self.queued.contains(&std::ptr::from_ref(waiter).addr())
    }

    pub(super) fn note_walked(&mut self, waiter: &Waiter) {
        self.queued.insert(std::ptr::from_ref(waiter).addr());
    }

    /// Whether this is the first request for the resource that asks for whom a mode waits.
    pub(super) fn first_for(&mut self, resource: Resource, mode: LockMode) -> bool {
        self.grants.insert((resource, mode))
    }
}

/// A circle that was broken: who is to be woken.
struct Broken {
    report: Arc<DeadlockReport>,
    victim: Arc<Waiter>,
    granted: Granted,
}

impl LockManager {
    /// While the session `start` is in a circle, chooses a victim and wakes it (D1).
    #[cold]
    pub(super) fn break_circles(&self, start: u32) {
        let mut broken = Vec::new();
        let one_at_a_time = self.search.lock();
        self.counters.searches.fetch_add(1, Relaxed);
        while let Some(circle) = self.circle(start) {
            broken.extend(self.break_circle(&circle));
        }
        drop(one_at_a_time);
        if let Some(listener) = self.listener.get() {
            broken.iter().for_each(|one| (listener.0)(&one.report));
        }
        for one in broken {
            one.victim.wake();
            one.granted.wake();
        }
    }

    /// A circle through the session `start`, as short as any: the request of each member, in order.
    fn circle(&self, start: u32) -> Option<Vec<Arc<Waiter>>> {
        let mut visited = Visited { groups: HashSet::from([start]), ..Visited::default() };
        // The request, and the place of the one that waits for its session.
        let mut reached: Vec<(usize, Arc<Waiter>)> = Vec::new();
        let add_start = |waiter: &Arc<Waiter>| reached.push((usize::MAX, Arc::clone(waiter)));
        self.owners.read().for_requests_of(start, add_start);
        let (mut at, mut next) = (0, Vec::new());
        while let Some((_, waiter)) = reached.get(at).cloned() {
            next.clear();
            if let Some(head) = self.shard(&waiter.resource).lock().get(&waiter.resource) {
                head.reach(&waiter, start, &mut visited, &mut next);
            }
            if next.contains(&start) {
                let path = path_to(&reached, at);
                check!(path[0].owner.group() == start, "D1: a circle does not begin at the session that closed it");
                return Some(path);
            }
            let owners = self.owners.read();
            for group in next.drain(..).filter(|group| visited.groups.insert(*group)) {
                owners.for_requests_of(group, |waiter| reached.push((at, Arc::clone(waiter))));
            }
            at += 1;
        }
        None
    }

    /// D2. What is no circle any more is left alone.
    fn break_circle(&self, circle: &[Arc<Waiter>]) -> Option<Broken> {
        assert!(!circle.is_empty(), "D2: a circle has members");
        check!(self.search.is_locked(), "D1: searches go one after the other");
        check!(
            circle
                .iter()
                .enumerate()
                .all(|(at, one)| circle[..at].iter().all(|other| other.owner.group() != one.owner.group())),
            "D2: a session is twice in a circle"
        );
        let mut places: Vec<usize> = circle.iter().map(|waiter| Self::shard_at(&waiter.resource)).collect();
        places.sort_unstable();
        places.dedup();
        let mut tables: Vec<_> = places.iter().map(|place| self.shards[*place].lock()).collect();
        let table_of = |resource: &Resource| places.binary_search(&Self::shard_at(resource)).expect("locked above");
        let mut members = Vec::with_capacity(circle.len());
        for (at, waiter) in circle.iter().enumerate() {
            let next = circle[(at + 1) % circle.len()].owner.group();
            let head = tables[table_of(&waiter.resource)].get(&waiter.resource)?;
            let mut blockers = Vec::new();
            head.blockers(waiter, &mut blockers);
            if !blockers.contains(&next) {
                return None;
            }
            let others = |owner: OwnerId| owner.group() != waiter.owner.group();
            let grants = head.grants().filter(|grant| others(grant.owner)).map(|grant| (grant.owner, grant.mode));
            members.push(self.member(waiter, head.mode_of(waiter.owner), grants.collect(), &head.ahead_of(waiter)));
        }
        // The least priority, then the least log; among equals the one that closed the circle.
        let victim = (0..members.len()).min_by_key(|&at| (members[at].priority, members[at].log_bytes));
        let victim = victim.expect("a circle has members");
        assert!(members.len() == circle.len(), "D2: {} of {} members wait for the next", members.len(), circle.len());
        let report = Arc::new(DeadlockReport { victim: members[victim].session, members });
        self.remember(&report);
        let waiter = &circle[victim];
        assert!(waiter.is_waiting(), "D2: the victim waits no more");
        let head = tables[table_of(&waiter.resource)].get_mut(&waiter.resource)?;
        if !head.dequeue(waiter) {
            return None;
        }
        waiter.sacrifice(Arc::clone(&report));
        Some(Broken { report, victim: Arc::clone(waiter), granted: head.wake() })
    }

    fn member(
        &self,
        waiter: &Waiter,
        has: Option<LockMode>,
        grants: Vec<(OwnerId, LockMode)>,
        ahead: &[OwnerId],
    ) -> DeadlockMember {
        let owners = self.owners.read();
        let session_of = |owner: OwnerId| owners.session_of(owner.group());
        DeadlockMember {
            session: waiter.who.session,
            resource: waiter.resource,
            mode: waiter.mode,
            has,
            is_conversion: waiter.is_conversion,
            owners: grants.into_iter().map(|(owner, mode)| (session_of(owner), mode)).collect(),
            ahead: ahead.iter().map(|owner| session_of(*owner)).collect(),
            wait_us: self.waits.now_us().saturating_sub(waiter.since_us),
            log_bytes: waiter.who.log_bytes.load(Relaxed),
            priority: waiter.who.priority.load(Relaxed),
        }
    }
}

/// The requests from the beginning of a search to the one at `at`.
fn path_to(reached: &[(usize, Arc<Waiter>)], mut at: usize) -> Vec<Arc<Waiter>> {
    let mut path = Vec::new();
    while let Some((before, waiter)) = reached.get(at) {
        path.push(Arc::clone(waiter));
        at = *before;
    }
    path.reverse();
    path
}
