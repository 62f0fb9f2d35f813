//! Tempdb space by session and by request, as `sys.dm_db_session_space_usage` and `sys.dm_db_task_space_usage` show it.

use millpond_storage::check;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};

use millpond_access::{Heap, ObjectId, SpaceQuota, SpaceUse};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::space::Owner;
use millpond_storage::wal::TxnId;
use parking_lot::Mutex;

use crate::governor::{DEFAULT_GROUP, Governor, Membership, WorkloadGroup};
use crate::kind::HeapKind;

impl HeapKind {
    /// What the space of such a heap is called.
    #[must_use]
    pub fn owner(self) -> Owner {
        match self {
            HeapKind::Table | HeapKind::Variable => Owner::User,
            HeapKind::Work => Owner::Internal,
        }
    }
}

/// Pages allocated and given back; IAM pages do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpaceCount {
    /// Tables and table variables: pages allocated.
    pub user_alloc: u64,
    /// Tables and table variables: pages given back.
    pub user_dealloc: u64,
    /// Work tables: pages allocated.
    pub internal_alloc: u64,
    /// Work tables: pages given back.
    pub internal_dealloc: u64,
}

impl SpaceCount {
    fn since(self, before: SpaceCount) -> SpaceCount {
        check!(
            before.user_alloc <= self.user_alloc && before.user_dealloc <= self.user_dealloc,
            "a request began with {before:?}, and there are {self:?}"
        );
        check!(
            before.internal_alloc <= self.internal_alloc && before.internal_dealloc <= self.internal_dealloc,
            "a request began with {before:?}, and there are {self:?}"
        );
        SpaceCount {
            user_alloc: self.user_alloc - before.user_alloc,
            user_dealloc: self.user_dealloc - before.user_dealloc,
            internal_alloc: self.internal_alloc - before.internal_alloc,
            internal_dealloc: self.internal_dealloc - before.internal_dealloc,
        }
    }
}

/// Space of one session.
#[derive(Clone, Debug)]
pub struct SessionSpace {
    /// Session.
    pub session: SessionId,
    /// Its workload group.
    pub group: u32,
    /// Pages that it has in tempdb now, and the most that it had at once.
    pub pages: u64,
    /// See `pages`.
    pub peak_pages: u64,
    /// Of finished requests.
    pub finished: SpaceCount,
    /// Of the running request; `None` when none runs.
    pub task: Option<SpaceCount>,
    /// Its heaps that are not dropped.
    pub heaps: Vec<(HeapKind, Arc<Heap>)>,
}

/// A transaction that is open, for `sys.dm_tran_active_transactions` and others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionRow {
    /// Its session.
    pub session: SessionId,
    /// When it began, by the clock of the waits, microseconds; `None` for a statement of its own.
    pub begun_us: Option<u64>,
    /// Whether BEGIN TRANSACTION opened it.
    pub is_user: bool,
    /// Its number among those that snapshots know; 0 before its first change.
    pub xsn: u64,
    /// The databases that it changed, with its number in the log of each.
    pub databases: Vec<(DbId, TxnId)>,
}

/// Bits of a transaction's number that are not its session's.
const MARK_BITS: u32 = 40;

impl TransactionRow {
    /// Its number, one while it is open: of its session and of when it began, or of its number among those that snapshots know.
    #[must_use]
    pub fn id(&self) -> i64 {
        TransactionRow::id_of(self.session, self.begun_us.unwrap_or(self.xsn))
    }

    /// The number of what a session began then.
    #[must_use]
    pub fn id_of(session: SessionId, mark: u64) -> i64 {
        let mark = mark & ((1 << MARK_BITS) - 1);
        i64::from(session.0) << MARK_BITS | mark.cast_signed()
    }
}

/// What others may know of a session's transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenWork {
    pub begun_us: Option<u64>,
    pub xsn: u64,
    pub databases: Vec<(DbId, TxnId)>,
}

/// The space that a session has in tempdb: one account for its own work and for nested work.
#[derive(Debug)]
struct SpaceAccount {
    quota: Arc<SpaceQuota>,
    group: Mutex<Membership>,
    user: Arc<SpaceUse>,
    internal: Arc<SpaceUse>,
    /// The counts when the running request began.
    task_base: Mutex<Option<SpaceCount>>,
    heaps: Mutex<Vec<(ObjectId, HeapKind, Weak<Heap>)>>,
}

/// What a session shows of itself to others.
#[derive(Debug)]
pub(crate) struct SessionShared {
    pub session: SessionId,
    space: Arc<SpaceAccount>,
    /// Nested work, which a statement does beside the session's own: it uses the session's account.
    is_inside: bool,
    pub open: Mutex<OpenWork>,
}

impl SessionShared {
    pub(crate) fn new(session: SessionId, governor: &Governor) -> SessionShared {
        let group = Membership::of(&governor.group(DEFAULT_GROUP).expect("it cannot be dropped"));
        let quota = governor.session_quota();
        let used = || Arc::new(SpaceUse::under(vec![Arc::clone(&quota), group.quota()]));
        let space = SpaceAccount {
            user: used(),
            internal: used(),
            quota: Arc::clone(&quota),
            group: Mutex::new(group),
            task_base: Mutex::default(),
            heaps: Mutex::default(),
        };
        SessionShared { session, space: Arc::new(space), is_inside: false, open: Mutex::default() }
    }

    /// Nested work of a statement of this session: it has a transaction of its own, which no view shows.
    pub(crate) fn inside(&self) -> SessionShared {
        check!(!self.is_inside, "nested work of session {} is taken for the session's own", self.session);
        let space = Arc::clone(&self.space);
        SessionShared { session: self.session, space, is_inside: true, open: Mutex::default() }
    }

    /// The open transaction: one that was begun, or a statement that has changed something.
    pub(crate) fn transaction(&self) -> Option<TransactionRow> {
        let open = self.open.lock().clone();
        let is_user = open.begun_us.is_some();
        check!(
            open.xsn != 0 || open.databases.is_empty(),
            "N1: the transaction of session {} changed databases without a number",
            self.session
        );
        (is_user || open.xsn != 0).then_some(TransactionRow {
            session: self.session,
            begun_us: open.begun_us,
            is_user,
            xsn: open.xsn,
            databases: open.databases,
        })
    }

    pub(crate) fn workload_group(&self) -> Arc<WorkloadGroup> {
        Arc::clone(self.space.group.lock().group())
    }

    pub(crate) fn join(&self, group: &Arc<WorkloadGroup>) {
        let mut held = self.space.group.lock();
        let joined = Membership::of(group);
        for account in [&self.space.user, &self.space.internal] {
            account.move_under(vec![Arc::clone(&self.space.quota), joined.quota()]);
        }
        *held = joined;
    }

    pub(crate) fn quota(&self) -> &SpaceQuota {
        &self.space.quota
    }

    pub(crate) fn usage_of(&self, kind: HeapKind) -> &Arc<SpaceUse> {
        match kind.owner() {
            Owner::User => &self.space.user,
            _ => &self.space.internal,
        }
    }

    pub(crate) fn add_heap(&self, heap: &Arc<Heap>, kind: HeapKind) {
        check!(
            self.space.heaps.lock().iter().all(|(id, ..)| *id != heap.object_id()),
            "heap {} is shown twice",
            heap.object_id()
        );
        self.space.heaps.lock().push((heap.object_id(), kind, Arc::downgrade(heap)));
    }

    pub(crate) fn remove_heap(&self, id: ObjectId) {
        let heaps = &mut *self.space.heaps.lock();
        if let Some(at) = heaps.iter().rposition(|(other, ..)| *other == id) {
            heaps.swap_remove(at);
        }
    }

    fn total(&self) -> SpaceCount {
        SpaceCount {
            user_alloc: self.space.user.alloc_pages.load(Relaxed),
            user_dealloc: self.space.user.dealloc_pages.load(Relaxed),
            internal_alloc: self.space.internal.alloc_pages.load(Relaxed),
            internal_dealloc: self.space.internal.dealloc_pages.load(Relaxed),
        }
    }

    /// Whether the session's tables or table variables still have pages. Nested work does not know which of them are its own, so
    /// the end of the session checks for it.
    pub(crate) fn leaves_tables(&self) -> bool {
        let total = self.total();
        !self.is_inside && total.user_alloc != total.user_dealloc
    }

    pub(crate) fn begin_task(&self) {
        check!(!self.is_inside, "a request of session {} begins in nested work", self.session);
        check!(self.space.task_base.lock().is_none(), "a request of session {} begins in another one", self.session);
        *self.space.task_base.lock() = Some(self.total());
    }

    pub(crate) fn end_task(&self) {
        check!(self.space.task_base.lock().is_some(), "a request of session {} ends twice", self.session);
        *self.space.task_base.lock() = None;
    }

    pub(crate) fn report(&self) -> SessionSpace {
        let base = *self.space.task_base.lock();
        let total = self.total();
        let heaps =
            self.space.heaps.lock().iter().filter_map(|(_, kind, heap)| Some((*kind, heap.upgrade()?))).collect();
        SessionSpace {
            session: self.session,
            group: self.space.group.lock().group().id,
            pages: self.space.quota.used_pages(),
            peak_pages: self.space.quota.peak_pages(),
            finished: base.unwrap_or(total),
            task: base.map(|base| total.since(base)),
            heaps,
        }
    }
}
