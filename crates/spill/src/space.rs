//! Where a statement spills, and the account of it.
//!
//! What always holds: each run goes back when the last reader or writer of it does; the first failure of the space is kept,
//! because DataFusion hands errors of files on as text.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use millpond_access::{AccessError, Ctx, ObjectId, Run};
use millpond_storage::ask::{Ask, IoCount, Task};
use parking_lot::Mutex;

/// Runs have numbers of their own, above those of tables.
const FIRST_RUN: u32 = 0xC000_0000;

/// What an operator spills for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A sort, the sorted groups of an aggregate's last step, a side of a join without keys, or a spool: a worktable.
    Sort,
    /// A hash join or an aggregate: a workfile.
    Hash,
}

impl Use {
    /// By the words with which operators ask for a file.
    pub(crate) fn of(description: &str) -> Use {
        if ["Sort", "MultiLevelMerge", "Loop", "Spool"].iter().any(|word| description.starts_with(word)) {
            Use::Sort
        } else {
            Use::Hash
        }
    }
}

/// Counters of one use.
#[derive(Debug, Default)]
pub struct SpillCount {
    /// Runs made.
    pub runs: AtomicU64,
    /// Bytes spilled.
    pub written_bytes: AtomicU64,
    /// Bytes read back.
    pub read_bytes: AtomicU64,
    /// Pages of both.
    pub io: IoCount,
}

/// What was spilled and read back.
#[derive(Debug, Default)]
pub struct SpillAccount {
    /// By sorts, and by joins without keys.
    pub sorts: SpillCount,
    /// By hash joins and aggregates.
    pub hashes: SpillCount,
}

impl SpillAccount {
    /// Bytes spilled by all.
    #[must_use]
    pub fn written_bytes(&self) -> u64 {
        self.sorts.written_bytes.load(Relaxed) + self.hashes.written_bytes.load(Relaxed)
    }

    pub(crate) fn of(&self, usage: Use) -> &SpillCount {
        match usage {
            Use::Sort => &self.sorts,
            Use::Hash => &self.hashes,
        }
    }
}

/// Where one statement spills.
pub struct SpillSpace {
    ctx: Ctx,
    task: Arc<Task>,
    account: Arc<SpillAccount>,
    next_run: AtomicU32,
    failure: Mutex<Option<AccessError>>,
}

impl std::fmt::Debug for SpillSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SpillSpace({} bytes written)", self.account.written_bytes())
    }
}

impl SpillSpace {
    /// Space of `ctx`; pages are charged to `task` and to `account`, and `task` can cancel.
    #[must_use]
    pub fn new(ctx: Ctx, task: Arc<Task>, account: Arc<SpillAccount>) -> Arc<SpillSpace> {
        let next_run = AtomicU32::new(FIRST_RUN);
        Arc::new(SpillSpace { ctx, task, account, next_run, failure: Mutex::default() })
    }

    /// What was spilled.
    #[must_use]
    pub fn account(&self) -> &Arc<SpillAccount> {
        &self.account
    }

    /// Why the space first failed, if it did: the cause of whatever error came out of the plan.
    #[must_use]
    pub fn take_failure(&self) -> Option<AccessError> {
        self.failure.lock().take()
    }

    pub(crate) fn note_failure(&self, failure: &AccessError) {
        self.failure.lock().get_or_insert_with(|| failure.clone());
    }

    pub(crate) fn create_run(&self, usage: Use) -> Arc<Run> {
        self.account.of(usage).runs.fetch_add(1, Relaxed);
        let id = ObjectId(self.next_run.fetch_add(1, Relaxed) | FIRST_RUN);
        Arc::new(Run::create(&self.ctx, id, Arc::clone(&self.task)))
    }

    pub(crate) fn ask(&self, usage: Use) -> Ask<'_> {
        Ask::new(&self.task, &self.account.of(usage).io)
    }
}
