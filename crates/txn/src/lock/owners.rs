//! All sessions that own locks, by their groups.

use millpond_storage::check;
use std::sync::Arc;

use millpond_storage::contract::SessionId;

use super::wait::{OwnerShared, Waiter};

/// The sessions, each in the slot of its group.
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
        let shared = OwnerShared::new(group, session);
        assert!(self.slots[group as usize].is_none(), "session {session} gets the locks of another owner");
        self.slots[group as usize] = Some(Arc::clone(&shared));
        shared
    }

    /// The owner has no locks any more.
    pub(super) fn unregister(&mut self, group: u32) {
        assert!(self.slots[group as usize].is_some(), "an owner leaves twice");
        check!(
            self.get(group).is_some_and(|owner| owner.has_no_requests()),
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

    /// The owners of a session: more than one where work of it is nested.
    pub(super) fn of_session(&self, session: SessionId) -> impl Iterator<Item = &Arc<OwnerShared>> {
        self.slots.iter().flatten().filter(move |owner| owner.session == session)
    }

    /// Shows the requests of a session that wait still.
    pub(super) fn for_requests_of(&self, group: u32, show: impl FnMut(&Arc<Waiter>)) {
        if let Some(owner) = self.get(group) {
            owner.for_requests(show);
        }
    }

    /// All requests that wait still.
    pub(super) fn requests(&self) -> Vec<Arc<Waiter>> {
        let mut all = Vec::new();
        (0..self.slots.len() as u32)
            .for_each(|group| self.for_requests_of(group, |waiter| all.push(Arc::clone(waiter))));
        all
    }
}
