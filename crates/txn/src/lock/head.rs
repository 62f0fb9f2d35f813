//! One locked resource: which sessions have it, and which wait for it in which order.
//!
//! What always holds: a head has at least one grant; conversions stand before new requests; a new request is granted
//! only when no request waits (L1); a conversion is granted when it is compatible with the grants of others (L2).
//! A request leaves the queue with its outcome, in one step: what `is_waiting` is in the queue (L3).
//! Grants of one session never conflict with each other: the group is the session.

use millpond_storage::check;
use std::collections::VecDeque;
use std::sync::Arc;

use super::deadlock::Visited;
use super::grant::{Got, OwnerId};
use super::mode::LockMode;
use super::wait::{Granted, Waiter};

#[derive(Clone, Copy, Debug)]
pub(super) struct Grant {
    pub owner: OwnerId,
    pub mode: LockMode,
}

#[derive(Debug)]
pub(super) struct Head {
    first: Grant,
    rest: Option<Box<Rest>>,
}

#[derive(Debug, Default)]
struct Rest {
    granted: Vec<Grant>,
    waiting: VecDeque<Arc<Waiter>>,
}

impl Head {
    pub(super) fn new(owner: OwnerId, mode: LockMode) -> Head {
        Head { first: Grant { owner, mode }, rest: None }
    }

    pub(super) fn grants(&self) -> impl Iterator<Item = Grant> + '_ {
        std::iter::once(self.first).chain(self.rest.iter().flat_map(|rest| rest.granted.iter().copied()))
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = &Arc<Waiter>> {
        self.rest.iter().flat_map(|rest| rest.waiting.iter())
    }

    /// Whether a request stands in the queue.
    pub(super) fn has_in_queue(&self, waiter: &Arc<Waiter>) -> bool {
        self.waiting().any(|other| Arc::ptr_eq(other, waiter))
    }

    pub(super) fn has_waiters(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| !rest.waiting.is_empty())
    }

    pub(super) fn mode_of(&self, owner: OwnerId) -> Option<LockMode> {
        self.grants().find(|grant| grant.owner == owner).map(|grant| grant.mode)
    }

    fn own(&mut self, owner: OwnerId) -> Option<&mut Grant> {
        if self.first.owner == owner {
            return Some(&mut self.first);
        }
        self.rest.as_mut()?.granted.iter_mut().find(|grant| grant.owner == owner)
    }

    fn is_free_for(&self, owner: OwnerId, mode: LockMode) -> bool {
        self.grants().all(|grant| grant.owner.group() == owner.group() || grant.mode.is_compatible(mode))
    }

    /// Whether the session has the resource already, in whatever scope: its requests go before those of others.
    pub(super) fn is_conversion(&self, owner: OwnerId) -> bool {
        self.grants().any(|grant| grant.owner.group() == owner.group())
    }

    /// Grants at once or not at all.
    pub(super) fn try_grant(&mut self, owner: OwnerId, mode: LockMode) -> Option<Got> {
        let before = self.mode_of(owner);
        let target = before.map_or(mode, |before| before.join(mode));
        if before == Some(target) {
            return Some(Got::Had);
        }
        if self.has_waiters() && !self.is_conversion(owner) || !self.is_free_for(owner, target) {
            return None;
        }
        self.set(owner, target);
        self.invariants();
        Some(before.map_or(Got::New, Got::Converted))
    }

    fn set(&mut self, owner: OwnerId, mode: LockMode) {
        check!(self.is_free_for(owner, mode), "L2: {mode} is granted beside what conflicts with it");
        match self.own(owner) {
            Some(grant) => grant.mode = mode,
            None => self.rest.get_or_insert_default().granted.push(Grant { owner, mode }),
        }
    }

    pub(super) fn enqueue(&mut self, waiter: Arc<Waiter>) {
        check!(waiter.is_waiting(), "L3: a request comes into the queue with its outcome");
        check!(
            self.has_waiters() || !self.is_free_for(waiter.owner, self.target_of(&waiter)),
            "L1: a request waits, and nothing is in its way"
        );
        let waiting = &mut self.rest.get_or_insert_default().waiting;
        check!(!waiting.iter().any(|other| Arc::ptr_eq(other, &waiter)), "L3: a request stands in the queue once");
        let after = match waiter.is_conversion {
            true => waiting.iter().take_while(|other| other.is_conversion).count(),
            false => waiting.len(),
        };
        check!(
            waiting.iter().skip(after).all(|other| !waiter.is_conversion || !other.is_conversion),
            "conversions stand before new requests"
        );
        waiting.insert(after, waiter);
        self.invariants();
    }

    /// Takes a waiter out of the queue; false when it is not there (any more).
    pub(super) fn dequeue(&mut self, waiter: &Arc<Waiter>) -> bool {
        let Some(rest) = &mut self.rest else { return false };
        let found = rest.waiting.iter().position(|other| Arc::ptr_eq(other, waiter));
        let was_there = found.is_some_and(|at| rest.waiting.remove(at).is_some());
        check!(!self.waiting().any(|other| Arc::ptr_eq(other, waiter)), "L3: a request left the queue and is in it");
        was_there
    }

    /// Takes an owner's grant away and grants what it held up; `None`: no session has the resource any more.
    pub(super) fn release(&mut self, owner: OwnerId) -> Option<Granted> {
        let is_first = self.first.owner == owner;
        let Some(rest) = &mut self.rest else { return (!is_first).then(Granted::default) };
        let mut granted = Granted::default();
        if is_first {
            match rest.granted.pop() {
                Some(next) => self.first = next,
                None => granted.0.push((self.promote()?, Got::New)),
            }
        } else if let Some(at) = rest.granted.iter().position(|grant| grant.owner == owner) {
            rest.granted.swap_remove(at);
        }
        Some(self.wake_with(granted))
    }

    /// The last grant is gone: the first waiter takes its place, if there is one.
    fn promote(&mut self) -> Option<Arc<Waiter>> {
        check!(
            self.rest.as_ref().is_none_or(|rest| rest.granted.is_empty()),
            "L2: the first of a queue gets what others have"
        );
        let waiter = self.rest.as_mut()?.waiting.pop_front()?;
        self.first = Grant { owner: waiter.owner, mode: waiter.mode };
        Some(waiter)
    }

    /// Weakens an owner's grant.
    pub(super) fn downgrade(&mut self, owner: OwnerId, mode: LockMode) {
        check!(self.mode_of(owner).is_some(), "a lock is weakened that its owner has not");
        if let Some(grant) = self.own(owner) {
            check!(grant.mode.covers(mode), "a lock in {} is weakened to {mode}", grant.mode);
            grant.mode = mode;
        }
    }

    /// Grants what can be granted now (L1, L2).
    pub(super) fn wake(&mut self) -> Granted {
        self.wake_with(Granted::default())
    }

    fn wake_with(&mut self, mut granted: Granted) -> Granted {
        let mut at = 0;
        let mut is_blocked = false;
        while let Some(waiter) = self.rest.as_ref().and_then(|rest| rest.waiting.get(at)).cloned() {
            let before = self.mode_of(waiter.owner);
            let target = before.map_or(waiter.mode, |before| before.join(waiter.mode));
            if is_blocked && !waiter.is_conversion {
                break;
            }
            if self.is_free_for(waiter.owner, target) {
                self.rest.as_mut().expect("it has the waiter").waiting.remove(at);
                self.set(waiter.owner, target);
                granted.0.push((waiter, before.map_or(Got::New, Got::Converted)));
            } else {
                is_blocked = true;
                at += 1;
            }
        }
        if self.rest.as_ref().is_some_and(|rest| rest.granted.is_empty() && rest.waiting.is_empty()) {
            self.rest = None;
        }
        // An owner that goes on with the lock must know that others wait for it (O4).
        let is_waited_for = self.has_waiters();
        for (waiter, got) in &granted.0 {
            assert!(waiter.is_waiting(), "L3: a request in the queue has its outcome already");
            if is_waited_for {
                waiter.who.note_in_the_way(waiter.owner);
            }
            waiter.grant(*got);
        }
        check!(
            self.waiting().next().is_none_or(|first| !self.is_free_for(first.owner, self.target_of(first))),
            "L1: the first request waits, and nothing is in its way"
        );
        self.invariants();
        granted
    }

    /// What holds whenever a resource is let go; of very many grants the first ones are asked.
    fn invariants(&self) {
        let few = || self.grants().take(32).enumerate();
        check!(
            few().all(|(at, one)| few().take(at).all(|(_, other)| other.owner != one.owner)),
            "an owner has a resource twice"
        );
        check!(
            few().all(|(at, one)| few()
                .take(at)
                .all(|(_, other)| { other.owner.group() == one.owner.group() || other.mode.is_compatible(one.mode) })),
            "L2: two sessions have a resource in modes that conflict"
        );
        check!(
            self.waiting().skip_while(|waiter| waiter.is_conversion).all(|waiter| !waiter.is_conversion),
            "a conversion stands after a new request"
        );
        check!(self.waiting().all(|waiter| waiter.is_waiting()), "L3: a request in the queue has its outcome");
    }

    /// What the request comes to with what its owner has.
    fn target_of(&self, waiter: &Waiter) -> LockMode {
        self.mode_of(waiter.owner).map_or(waiter.mode, |before| before.join(waiter.mode))
    }

    /// The sessions that `waiter` waits for: those that have what it cannot stand beside, and, for a new request, those
    /// that stand before it. None when it waits no more.
    pub(super) fn blockers(&self, waiter: &Waiter, blockers: &mut Vec<u32>) {
        if !waiter.is_waiting() {
            return;
        }
        let (group, target) = (waiter.owner.group(), self.target_of(waiter));
        let granted = self.grants().filter(|grant| grant.owner.group() != group && !grant.mode.is_compatible(target));
        blockers.extend(granted.map(|grant| grant.owner.group()));
        blockers.extend(self.ahead_of(waiter).iter().map(|owner| owner.group()));
    }

    /// The other sessions' requests that a new request waits for because they stand before it.
    pub(super) fn ahead_of(&self, waiter: &Waiter) -> Vec<OwnerId> {
        if waiter.is_conversion {
            return Vec::new();
        }
        let ahead = self.waiting().take_while(|other| !std::ptr::eq(&***other, waiter));
        ahead.map(|other| other.owner).filter(|other| other.group() != waiter.owner.group()).collect()
    }

    /// As [`Head::blockers`] for a search that began at the session `start`: what the search has come by on its way is
    /// left out, but for `start` itself. A search that comes to all requests of a queue walks the queue once.
    pub(super) fn reach(&self, waiter: &Waiter, start: u32, visited: &mut Visited, blockers: &mut Vec<u32>) {
        if !waiter.is_waiting() {
            return;
        }
        let (group, target) = (waiter.owner.group(), self.target_of(waiter));
        // The grants of `start` itself are left out for its own requests, so these count for no other.
        if group == start || visited.first_for(waiter.resource, target) {
            let others = self.grants().filter(|grant| grant.owner.group() != group);
            blockers.extend(others.filter(|grant| !grant.mode.is_compatible(target)).map(|grant| grant.owner.group()));
        }
        if waiter.is_conversion || visited.walked(waiter) {
            return;
        }
        let waiting = self.rest.as_ref().map(|rest| &rest.waiting);
        let Some(at) = self.waiting().position(|other| std::ptr::eq(&**other, waiter)) else { return };
        for other in waiting.into_iter().flat_map(|waiting| waiting.range(..at)).rev() {
            if other.owner.group() == start {
                blockers.extend((group != start).then_some(start));
            } else if visited.walked(other) {
                break;
            } else {
                visited.note_walked(other);
                blockers.push(other.owner.group());
            }
        }
    }
}
