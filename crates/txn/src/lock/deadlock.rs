//! The search for a circle of waits, and the choice of its victim.
//!
//! ```text
//!   begin of a wait ──▶ may anybody wait for this session? ──▶ circle: breadth first, shard by shard
//!                                                               │
//!                       victim ◀── all members' shards locked: does each wait for the next, now?
//! ```
//! What always holds:
//! - D1: a circle comes into being only when a wait begins, or when a session that waits gets another lock: the search
//!   begins at that session. Searches go one after the other, so of two waits that close a circle at once the later search
//!   sees both.
//! - D2: a victim is chosen only while all shards of the circle are locked and each member waits for the next: what the
//!   report says was true at one moment.
//! - D3: who is granted a lock waits for no search.

use millpond_storage::check;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::deadlock_report::{DeadlockMember, DeadlockReport};
use super::mode::LockMode;
use super::resource::Resource;
use super::wait::Waiter;
use super::{LockManager, OwnerId};

/// Up to so many resources that are waited for, each is asked first whether the session is in anybody's way.
const ASKED_MAX: usize = 256;

/// The requests that wait, by session. One leaves it a moment after its wait has ended.
#[derive(Debug, Default)]
pub(super) struct Waits {
    by_group: HashMap<u32, Vec<Arc<Waiter>>>,
    /// How many wait for each resource.
    resources: HashMap<Resource, u32>,
}

impl Waits {
    pub(super) fn add(&mut self, waiter: &Arc<Waiter>) {
        self.by_group.entry(waiter.owner.group()).or_default().push(Arc::clone(waiter));
        *self.resources.entry(waiter.resource).or_default() += 1;
    }

    pub(super) fn remove(&mut self, waiter: &Arc<Waiter>) {
        let group = waiter.owner.group();
        let Some(waits) = self.by_group.get_mut(&group) else { return };
        waits.retain(|other| !Arc::ptr_eq(other, waiter));
        if waits.is_empty() {
            self.by_group.remove(&group);
        }
        if let Some(count) = self.resources.get_mut(&waiter.resource) {
            assert!(*count > 0, "{} waits for a resource that nobody waits for", waiter.session);
            *count -= 1;
            if *count == 0 {
                self.resources.remove(&waiter.resource);
            }
        }
    }

    pub(super) fn all(&self) -> Vec<Arc<Waiter>> {
        self.by_group.values().flatten().filter(|waiter| waiter.is_waiting()).cloned().collect()
    }

    pub(super) fn count(&self) -> usize {
        self.by_group.values().map(Vec::len).sum()
    }

    fn of(&self, group: u32) -> impl Iterator<Item = &Arc<Waiter>> {
        self.by_group.get(&group).into_iter().flatten().filter(|waiter| waiter.is_waiting())
    }
}

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
    /// Whether a queue was walked from this request on, or from one behind it.
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

impl LockManager {
    /// While the session `start` is in a circle, chooses a victim and wakes it (D1).
    #[cold]
    pub(super) fn break_circles(&self, start: u32) {
        let _one_at_a_time = self.search.lock();
        if !self.may_be_waited_for(start) {
            return;
        }
        while let Some(circle) = self.circle(start) {
            self.break_circle(&circle);
        }
    }

    /// False when it is sure that nobody waits for the session.
    fn may_be_waited_for(&self, group: u32) -> bool {
        let (own, resources): (Vec<_>, Vec<_>) = {
            let waits = self.waiting.lock();
            if waits.resources.len() > ASKED_MAX {
                return true;
            }
            (waits.of(group).cloned().collect(), waits.resources.keys().copied().collect())
        };
        // Threads of one session that wait beside each other are rare enough.
        own.len() > 1
            || resources.iter().any(|resource| {
                let table = self.shard(resource).lock();
                table.get(resource).is_some_and(|head| head.is_held_by(group))
                    || own.iter().any(|waiter| {
                        waiter.resource == *resource && table.get(resource).is_some_and(|head| !head.is_last(waiter))
                    })
            })
    }

    /// A circle through the session `start`, as short as any: the request of each member, in order.
    fn circle(&self, start: u32) -> Option<Vec<Arc<Waiter>>> {
        let mut visited = Visited { groups: HashSet::from([start]), ..Visited::default() };
        // The request, and the place of the one that waits for its session.
        let mut reached: Vec<(usize, Arc<Waiter>)> = Vec::new();
        reached.extend(self.waiting.lock().of(start).map(|waiter| (usize::MAX, Arc::clone(waiter))));
        let (mut at, mut next) = (0, Vec::new());
        while let Some((_, waiter)) = reached.get(at).cloned() {
            next.clear();
            if let Some(head) = self.shard(&waiter.resource).lock().get(&waiter.resource) {
                head.reach(&waiter, start, &mut visited, &mut next);
            }
            if next.contains(&start) {
                return Some(path_to(&reached, at));
            }
            let waits = self.waiting.lock();
            for group in next.drain(..).filter(|group| visited.groups.insert(*group)) {
                reached.extend(waits.of(group).map(|waiter| (at, Arc::clone(waiter))));
            }
            at += 1;
        }
        None
    }

    /// D2. What is no circle any more is left alone.
    fn break_circle(&self, circle: &[Arc<Waiter>]) {
        assert!(!circle.is_empty(), "D2: a circle has members");
        check!(self.search.is_locked(), "D1: searches go one after the other");
        let mut places: Vec<usize> = circle.iter().map(|waiter| Self::shard_at(&waiter.resource)).collect();
        places.sort_unstable();
        places.dedup();
        let mut tables: Vec<_> = places.iter().map(|place| self.shards[*place].lock()).collect();
        let table_of = |resource: &Resource| places.binary_search(&Self::shard_at(resource)).expect("locked above");
        let mut members = Vec::with_capacity(circle.len());
        for (at, waiter) in circle.iter().enumerate() {
            let next = circle[(at + 1) % circle.len()].owner.group();
            let Some(head) = tables[table_of(&waiter.resource)].get(&waiter.resource) else { return };
            let mut blockers = Vec::new();
            head.blockers(waiter, &mut blockers);
            if !blockers.contains(&next) {
                return;
            }
            let others = |owner: OwnerId| owner.group() != waiter.owner.group();
            let grants = head.grants().filter(|grant| others(grant.owner)).map(|grant| (grant.owner, grant.mode));
            members.push(self.member(waiter, head.mode_of(waiter.owner), grants.collect(), &head.ahead_of(waiter)));
        }
        // The least priority, then the least log; among equals who closed the circle.
        let victim = (0..members.len()).min_by_key(|&at| (members[at].priority, members[at].log_bytes));
        let victim = victim.expect("a circle has members");
        assert!(members.len() == circle.len(), "D2: {} of {} members wait for the next", members.len(), circle.len());
        let report = Arc::new(DeadlockReport { victim: members[victim].session, members });
        self.remember(&report);
        let waiter = &circle[victim];
        if let Some(head) = tables[table_of(&waiter.resource)].get_mut(&waiter.resource)
            && head.dequeue(waiter)
        {
            waiter.sacrifice(report);
            head.wake();
        }
    }

    fn member(
        &self,
        waiter: &Waiter,
        has: Option<LockMode>,
        grants: Vec<(OwnerId, LockMode)>,
        ahead: &[OwnerId],
    ) -> DeadlockMember {
        let owners = self.owners.read();
        let shared_of = |group: u32| owners.slots.get(group as usize).and_then(Option::as_ref);
        let session_of = |owner: OwnerId| shared_of(owner.group()).map_or(super::SessionId(0), |shared| shared.session);
        let shared = shared_of(waiter.owner.group());
        DeadlockMember {
            session: waiter.session,
            resource: waiter.resource,
            mode: waiter.mode,
            has,
            is_conversion: waiter.is_conversion,
            owners: grants.into_iter().map(|(owner, mode)| (session_of(owner), mode)).collect(),
            ahead: ahead.iter().map(|owner| session_of(*owner)).collect(),
            wait_us: self.waits.now_us().saturating_sub(waiter.since_us),
            log_bytes: shared.map_or(0, |shared| shared.log_bytes.load(Relaxed)),
            priority: shared.map_or(0, |shared| shared.priority.load(Relaxed)),
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
