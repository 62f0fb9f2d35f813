//! The search for a circle of waits.
//!
//! A circle comes into being only when a wait begins, so the search begins there, under the one lock of all waits. Who
//! waits keeps its locks, so an edge between two that wait stays while they wait: what is found shard by shard is a
//! circle at one moment.

use std::collections::HashMap;
use std::sync::Arc;

use super::wait::Waiter;

/// The requests that wait, by session.
#[derive(Debug, Default)]
pub(super) struct Graph {
    waits: HashMap<u32, Vec<Arc<Waiter>>>,
}

impl Graph {
    pub(super) fn add(&mut self, waiter: &Arc<Waiter>) {
        self.waits.entry(waiter.owner.group()).or_default().push(Arc::clone(waiter));
    }

    pub(super) fn remove(&mut self, waiter: &Arc<Waiter>) {
        let group = waiter.owner.group();
        if let Some(waits) = self.waits.get_mut(&group) {
            waits.retain(|other| !Arc::ptr_eq(other, waiter));
            if waits.is_empty() {
                self.waits.remove(&group);
            }
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Waiter>> {
        self.waits.values().flatten().filter(|waiter| waiter.is_waiting())
    }

    /// A circle through the session `start`: the request of each member, in order.
    pub(super) fn circle(
        &self,
        start: u32,
        mut blockers: impl FnMut(&Waiter, &mut Vec<u32>),
    ) -> Option<Vec<Arc<Waiter>>> {
        let mut path: Vec<Arc<Waiter>> = Vec::new();
        // (depth in the path, request): a depth first search without recursion.
        let mut open: Vec<(usize, Arc<Waiter>)> = self.requests(start).map(|waiter| (0, waiter)).collect();
        let mut seen = std::collections::HashSet::from([start]);
        let mut next = Vec::new();
        while let Some((depth, waiter)) = open.pop() {
            path.truncate(depth);
            path.push(Arc::clone(&waiter));
            next.clear();
            blockers(&waiter, &mut next);
            if next.contains(&start) {
                return Some(path);
            }
            for group in next.drain(..).filter(|group| seen.insert(*group)) {
                open.extend(self.requests(group).map(|waiter| (depth + 1, waiter)));
            }
        }
        None
    }

    fn requests(&self, group: u32) -> impl Iterator<Item = Arc<Waiter>> + '_ {
        self.waits.get(&group).into_iter().flatten().filter(|waiter| waiter.is_waiting()).cloned()
    }
}
