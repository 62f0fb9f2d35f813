//! What a statement reads rows of trees with, at its isolation level: one row by its key in `row`, ranges in `scan`.
//!
//! A reader is made per statement and shared by the threads of its plan. What always holds:
//! - R1: rows of tempdb belong to their session, but for those of tables in its catalog: they are read as they are.
//! - R2: a reader of versions takes no row locks and waits for no session.
//! - R3: no lock is waited for while a page is latched: the latch goes first, then the row is read again.
//! - R4: of the threads that share a reader one at a time asks for locks for which it may wait.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use millpond_access::tree::{RowTag, Tree, Xsn};
use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{DbId, SessionId};
use parking_lot::Mutex;

use crate::error::TxnError;
use crate::kind::is_of_session;
use crate::lock::{Got, KeyHash, LockMode, LockOwner, RangeStripe, RowPlace};
use crate::manager::TxnManager;
use crate::read::isolation::{Isolation, ReadHint, TableLock, Way};
use crate::version::ghost_runs::GhostRuns;
use crate::version::snapshot::Snapshot;

/// By database and tree, with where inserts are noted for them.
pub(crate) type RunsByTree = HashMap<(DbId, u64), (RangeStripe, Arc<GhostRuns>)>;

/// What a session's readers and its changes share.
#[derive(Debug)]
pub(crate) struct WorkShared {
    pub manager: Arc<TxnManager>,
    pub session: SessionId,
    pub locks: LockOwner,
    /// Number of the transaction; 0 before its first change.
    pub xsn: AtomicU64,
    /// What scans of the transaction have walked over (`ghost_runs`), by tree.
    pub ghost_runs: Mutex<RunsByTree>,
}

impl WorkShared {
    #[inline]
    pub(crate) fn own(&self, xsn: Xsn) -> bool {
        xsn.0 == self.xsn.load(Ordering::Relaxed)
    }
}

impl WorkShared {
    /// The transaction's runs of ghosts in a tree, if it remembers any.
    pub(crate) fn ghost_runs(&self, place: RowPlace) -> Option<Arc<GhostRuns>> {
        self.ghost_runs.lock().get(&(place.db, place.hobt)).map(|(_, runs)| Arc::clone(runs))
    }

    /// As [`WorkShared::ghost_runs`]; from now on it does.
    pub(crate) fn remember_ghosts(&self, place: RowPlace) -> Arc<GhostRuns> {
        let all = &mut *self.ghost_runs.lock();
        let (_, runs) = all.entry((place.db, place.hobt)).or_insert_with(|| {
            let (stripe, runs) = (RangeStripe::of(place), Arc::new(GhostRuns::new(place.db, place.hobt)));
            self.manager.ranges().remember(stripe, &runs);
            (stripe, runs)
        });
        Arc::clone(runs)
    }

    /// The transaction's deletions are undone, some or all, or it ends.
    #[cold]
    pub(crate) fn forget_ghosts(&self) {
        for (_, (stripe, runs)) in self.ghost_runs.lock().drain() {
            runs.end();
            self.manager.ranges().forget(stripe, &runs);
        }
    }

    /// Whether the session has the table of a tree exclusively.
    pub(crate) fn has_table_locked(&self, tree: &Tree) -> bool {
        let place = place_of(tree);
        self.locks.object_mode(place.db, place.object).is_some_and(|mode| mode.covers(LockMode::X))
    }

    /// Whether the session has a row, or the table around it, exclusively.
    pub(crate) fn has_locked(&self, tree: &Tree, key: &[u8]) -> bool {
        let has_row =
            self.locks.row_mode(place_of(tree), KeyHash::of(key)).is_some_and(|mode| mode.row_part() == LockMode::X);
        has_row || self.has_table_locked(tree)
    }
}

/// A snapshot that is taken when it is first needed.
pub(crate) type LateSnapshot = Arc<OnceLock<Arc<Snapshot>>>;

/// Reads for one statement.
#[derive(Debug)]
pub struct Reader {
    pub(crate) shared: Arc<WorkShared>,
    pub(crate) isolation: Isolation,
    pub(crate) timeout_ms: Option<u32>,
    statement: LateSnapshot,
    transaction: LateSnapshot,
    /// R4
    pub(crate) waits: Mutex<()>,
}

/// Whether a tree is of one session alone: one of tempdb that is not of a table in tempdb's catalog.
#[inline]
pub(crate) fn is_temporary(tree: &Tree) -> bool {
    is_of_session(tree.ctx().handle.db, tree.ids().object_id)
}

pub(crate) fn place_of(tree: &Tree) -> RowPlace {
    let ids = tree.ids();
    RowPlace { db: tree.ctx().handle.db, object: ids.object_id, hobt: ids.hobt }
}

impl Reader {
    pub(crate) fn new(
        shared: &Arc<WorkShared>,
        isolation: Isolation,
        timeout_ms: Option<u32>,
        transaction: &LateSnapshot,
    ) -> Reader {
        Reader {
            shared: Arc::clone(shared),
            isolation,
            timeout_ms,
            statement: LateSnapshot::default(),
            transaction: Arc::clone(transaction),
            waits: Mutex::default(),
        }
    }

    /// Under SNAPSHOT, takes the transaction's snapshot now if it is not taken yet: before the statement waits for anything.
    pub fn begin_snapshot(&self) {
        if self.isolation == Isolation::Snapshot {
            self.snapshot(true);
        }
    }

    /// Whether a change that is not versioned, by the transaction of that number, lies before all that is read: always but
    /// under SNAPSHOT, whose snapshot is taken now if it is not yet.
    #[must_use]
    pub fn sees_change_of(&self, transaction: u64) -> bool {
        let xsn = Xsn(transaction);
        self.isolation != Isolation::Snapshot || self.shared.own(xsn) || self.snapshot(true).sees(xsn)
    }

    /// The session's level.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Locks the definition of an object that a function reads, in the name of the session that called it; whether it
    /// had no lock of it before.
    ///
    /// # Errors
    /// [`TxnError`]
    pub fn lock_definition(&self, ask: &Ask<'_>, db: DbId, object: u32) -> Result<bool, TxnError> {
        let locks = &self.shared.locks;
        let had = locks.object_mode(db, object).is_some();
        locks.lock_object(ask, db, object, LockMode::SchS, self.timeout_ms)?;
        Ok(!had)
    }

    /// Gives back the lock of [`Reader::lock_definition`], unless more came to it.
    pub fn release_definition(&self, db: DbId, object: u32) {
        if self.shared.locks.object_mode(db, object) == Some(LockMode::SchS) {
            self.shared.locks.unlock_object(db, object);
        }
    }

    pub(crate) fn snapshot(&self, of_transaction: bool) -> &Arc<Snapshot> {
        let late = if of_transaction { &self.transaction } else { &self.statement };
        late.get_or_init(|| self.shared.manager.take_snapshot(self.shared.session, of_transaction))
    }

    /// How the rows of a tree are read.
    pub(crate) fn way(&self, tree: &Tree, hint: &ReadHint) -> Result<Way, TxnError> {
        if is_temporary(tree) {
            return Ok(Way::Newest); // R1
        }
        let db = tree.ctx().handle.db;
        let (versioning, is_fixed) = self.shared.manager.databases().reading(db);
        if is_fixed && !hint.finds_changes {
            return Ok(Way::Unlocked);
        }
        let way = Way::of(self.isolation, hint, versioning.read_committed);
        check!(
            !hint.finds_changes || !matches!(way, Way::Newest | Way::Versions { of_transaction: false }),
            "rows that are to be changed are not read as they are committed now"
        );
        if way == (Way::Versions { of_transaction: true }) && !versioning.snapshot {
            return Err(TxnError::SnapshotNotAllowed(db));
        }
        Ok(way)
    }

    /// Whether rows of a tree are read without locks that stay, so that several threads may read it for this reader.
    ///
    /// # Errors
    /// [`TxnError::SnapshotNotAllowed`]
    pub fn keeps_no_locks(&self, tree: &Tree, hint: &ReadHint) -> Result<bool, TxnError> {
        Ok(matches!(self.way(tree, hint)?, Way::Newest | Way::Versions { .. } | Way::Unlocked))
    }

    pub(crate) fn timeout(&self, hint: &ReadHint) -> Option<u32> {
        if hint.no_wait { Some(0) } else { self.timeout_ms }
    }

    /// The lock of the table that a read needs before it locks rows.
    pub(crate) fn lock_table(&self, ask: &Ask<'_>, tree: &Tree, hint: &ReadHint, way: Way) -> Result<(), TxnError> {
        let _alone = self.waits.lock(); // R4
        check!(!is_temporary(tree), "R1: a table of tempdb is locked for its only session");
        let (place, timeout) = (place_of(tree), self.timeout(hint));
        let mode = match (hint.table, way) {
            (TableLock::Exclusive, _) => LockMode::X,
            (_, Way::Newest | Way::Versions { .. }) => return Ok(()),
            (TableLock::Shared, _) => LockMode::S,
            (TableLock::Rows, Way::Unlocked) => LockMode::IS,
            (TableLock::Rows, Way::Locked { mode } | Way::Ranges { mode }) => mode.intent(),
        };
        Ok(self.shared.locks.lock_object(ask, place.db, place.object, mode, timeout)?)
    }

    /// Whether a snapshot sees what a tag says.
    #[inline]
    pub(crate) fn sees(&self, snapshot: &Snapshot, tag: Option<RowTag>) -> bool {
        tag.is_none_or(|tag| snapshot.sees(tag.xsn) || self.shared.own(tag.xsn))
    }

    /// Gives back the U lock on a row that a scan with UPDLOCK read and the statement does not change after all.
    pub fn release_row(&self, tree: &Tree, key: &[u8]) {
        if !is_temporary(tree) {
            self.shared.locks.unlock_update(place_of(tree), KeyHash::of(key));
        }
    }

    pub(crate) fn unlock(&self, place: RowPlace, hash: KeyHash, got: Got) {
        self.shared.locks.unlock_row(place, hash, got);
    }

    /// From now on to the end of the reader, values that rows point to are not freed (L2): to be called before the rows are
    /// read.
    pub fn hold_values(&self) {
        let _ = self.snapshot(false);
    }
}
