//! Workload groups: which sessions belong together, and how much of tempdb's data space they may have.
//!
//! ```text
//!   session ──▶ its own quota (all sessions have the same bound)
//!          └──▶ its group's quota: internal 1, default 2, others from 256
//! ```
//!
//! What always holds: a session is in one group; its tables, table variables and work tables count for it, the version
//! store for no group. A bound that is lowered takes nothing away: it refuses growth.
//!
//! It knows no SQL and does not keep the definitions: the layer that stores them sets them up at start.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_access::SpaceQuota;
use millpond_storage::contract::PAGE_BYTES;
use parking_lot::RwLock;

/// Number of the group of sessions that are in no other.
pub const DEFAULT_GROUP: u32 = 2;
/// Number of the server's own group.
const INTERNAL_GROUP: u32 = 1;
/// First number of groups of users.
const FIRST_GROUP: u32 = 256;

/// A workload group.
#[derive(Debug)]
pub struct WorkloadGroup {
    /// Number.
    pub id: u32,
    /// Name.
    pub name: String,
    quota: Arc<SpaceQuota>,
    sessions: AtomicU64,
}

impl WorkloadGroup {
    fn new(id: u32, name: &str) -> Arc<WorkloadGroup> {
        let (name, quota) = (name.to_owned(), SpaceQuota::new(name));
        Arc::new(WorkloadGroup { id, name, quota, sessions: AtomicU64::new(0) })
    }

    /// Its share of tempdb.
    #[must_use]
    pub fn quota(&self) -> &SpaceQuota {
        &self.quota
    }

    /// Sessions in it.
    #[must_use]
    pub fn session_count(&self) -> u64 {
        self.sessions.load(Relaxed)
    }
}

/// The groups of a server.
#[derive(Debug)]
pub struct Governor {
    groups: RwLock<BTreeMap<u32, Arc<WorkloadGroup>>>,
    session_limit_pages: AtomicU64,
}

impl Governor {
    pub(crate) fn new() -> Governor {
        let groups = [WorkloadGroup::new(INTERNAL_GROUP, "internal"), WorkloadGroup::new(DEFAULT_GROUP, "default")];
        Governor {
            groups: RwLock::new(groups.into_iter().map(|group| (group.id, group)).collect()),
            session_limit_pages: AtomicU64::new(u64::MAX),
        }
    }

    /// All groups in order of their numbers.
    #[must_use]
    pub fn groups(&self) -> Vec<Arc<WorkloadGroup>> {
        self.groups.read().values().cloned().collect()
    }

    /// The group of a number.
    #[must_use]
    pub fn group(&self, id: u32) -> Option<Arc<WorkloadGroup>> {
        self.groups.read().get(&id).cloned()
    }

    /// Makes the group of that number, or the next free one without a number; one that is there stays as it is.
    pub fn add_group(&self, id: Option<u32>, name: &str) -> Arc<WorkloadGroup> {
        let mut groups = self.groups.write();
        let next = groups.keys().next_back().map_or(FIRST_GROUP, |last| (last + 1).max(FIRST_GROUP));
        let id = id.unwrap_or(next);
        let group = groups.entry(id).or_insert_with(|| WorkloadGroup::new(id, name));
        assert!(group.id == id, "group {} is found under the number {id}", group.id);
        Arc::clone(group)
    }

    /// Takes a group out. Sessions in it stay until they end.
    pub fn remove_group(&self, id: u32) {
        assert!(id >= FIRST_GROUP, "group {id} is the server's own");
        self.groups.write().remove(&id);
    }

    /// What each session may have of tempdb.
    pub(crate) fn set_session_limit_pages(&self, limit: Option<u64>) {
        self.session_limit_pages.store(limit.unwrap_or(u64::MAX), Relaxed);
    }

    /// A quota for a session of its own.
    pub(crate) fn session_quota(&self) -> Arc<SpaceQuota> {
        let quota = SpaceQuota::new("session");
        let limit = self.session_limit_pages.load(Relaxed);
        quota.set_limit_pages(Some(limit).filter(|limit| *limit != u64::MAX));
        quota
    }
}

/// Pages of so many megabytes.
#[must_use]
pub fn pages_of_mb(megabytes: f64) -> u64 {
    (megabytes * f64::from(1 << 20) / PAGE_BYTES as f64) as u64
}

/// A session's place in its group; leaving it is dropping this.
#[derive(Debug)]
pub(crate) struct Membership(Arc<WorkloadGroup>);

impl Membership {
    pub fn of(group: &Arc<WorkloadGroup>) -> Membership {
        group.sessions.fetch_add(1, Relaxed);
        Membership(Arc::clone(group))
    }

    pub fn group(&self) -> &Arc<WorkloadGroup> {
        &self.0
    }

    pub fn quota(&self) -> Arc<SpaceQuota> {
        Arc::clone(&self.0.quota)
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let before = self.0.sessions.fetch_sub(1, Relaxed);
        assert!(before > 0, "a session leaves group {} that is not in it", self.0.id);
    }
}
