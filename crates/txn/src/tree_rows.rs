//! Changes of rows in trees: under locks, with versions for readers beside it, with undo in the session's stack and, in
//! a durable database, in its log.
//!
//! ```text
//!   X lock of the key ──▶ leaf latched: old version to the store, undo prepared ──▶ one log record ──▶ undo stack
//! ```
//!
//! What always holds:
//! - C1: a transaction that changes a row of a durable database has it locked with X to the end of its transaction.
//! - C2: the version store has the old bytes before the new ones are there.
//! - C3: an insert sees every range lock that a reader took before it read the gap (`lock::range`).
//! - C4: undo is in the stack for every change that happened and for no other.
//! - C5: a row is never shorter on its page than it was when its transaction began, to its end: undo needs no room, neither
//!   on the page nor, for a split, in the log.

use millpond_storage::check;
use std::cell::RefCell;
use std::sync::Arc;

use millpond_access::AccessError;
use millpond_access::tree::{Change, LeafRow, RowTag, Tree, VersionPtr, Writer, Xsn};
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::page::header::Lsn;
use millpond_storage::wal::{self, DatabaseHandle, Mtr, TxnLog};

use crate::error::TxnError;
use crate::kind::HeapKind;
use crate::lock::{Got, KeyHash, LockMode, RangeStripe, RowPlace};
use crate::manager::TxnManager;
use crate::read::counted;
use crate::read::isolation::Isolation;
use crate::read::reader::{is_temporary, place_of};
use crate::read::row;
use crate::read::row::newest;
use crate::session::SessionWork;
use crate::undo::record::UndoRecord;
use crate::undo::row_undo::{self, ROW_UNDO_HEAD_BYTES, TreeAddress};
use crate::undo::undo_stack::UndoStack;
use crate::version::version_store::{NONE, Version};
use millpond_access::tree;

/// Log that the undo of one change may take beside what the tree reserves.
const UNDO_BYTES_MAX: usize = millpond_access::ROW_BYTES_MAX + ROW_UNDO_HEAD_BYTES;

/// Why a change was not made in one attempt.
pub(crate) enum ChangeConflict {
    Txn(TxnError),
    /// A range lock was taken since the gap was looked at.
    RangesChanged,
}

impl From<AccessError> for ChangeConflict {
    fn from(cause: AccessError) -> ChangeConflict {
        ChangeConflict::Txn(cause.into())
    }
}

/// Ends the mini-transaction of a change with its undo.
pub(crate) struct ChangeWriter<'w> {
    pub manager: &'w TxnManager,
    pub stripe: RangeStripe,
    pub log: &'w mut TxnLog,
    pub undo: &'w RefCell<Vec<u8>>,
    pub is_done: bool,
}

impl Writer for ChangeWriter<'_> {
    fn begin<'a>(
        &mut self,
        db: &'a DatabaseHandle,
        ask: &Ask<'a>,
        reserve_bytes: usize,
    ) -> Result<Mtr<'a>, wal::LogError> {
        Mtr::begin(db, ask, reserve_bytes + UNDO_BYTES_MAX)
    }

    fn commit(&mut self, mtr: Mtr<'_>) {
        check!(!self.undo.borrow().is_empty(), "C4: a change is logged without its undo");
        check!(!self.is_done, "C4: one change is logged twice");
        mtr.commit_change(self.log, &self.undo.borrow());
        self.is_done = true;
    }

    fn keeps_room(&self) -> bool {
        true
    }

    fn may_purge(&self, tag: &RowTag) -> bool {
        self.manager.may_purge(tag, self.stripe)
    }
}

/// Ends the mini-transaction of a change that undoes another one.
pub(crate) struct UndoWriter<'w> {
    pub manager: &'w TxnManager,
    pub stripe: RangeStripe,
    pub log: &'w mut TxnLog,
    /// The record that is undone next.
    pub next: Option<Lsn>,
    pub is_done: bool,
}

impl Writer for UndoWriter<'_> {
    fn begin<'a>(&mut self, db: &'a DatabaseHandle, ask: &Ask<'a>, _: usize) -> Result<Mtr<'a>, wal::LogError> {
        Mtr::begin_undo(db, ask)
    }

    fn commit(&mut self, mtr: Mtr<'_>) {
        check!(
            self.next.is_none_or(|next| self.log.last.is_none_or(|last| next < last)),
            "undo goes on at {:?}, and the transaction's last record is at {:?}",
            self.next,
            self.log.last
        );
        mtr.commit_clr(self.log, self.next);
        self.is_done = true;
    }

    fn may_purge(&self, tag: &RowTag) -> bool {
        self.manager.may_purge(tag, self.stripe)
    }
}

pub(crate) fn address_of(tree: &Tree) -> TreeAddress {
    TreeAddress { place: tree.place(), ids: tree.ids() }
}

/// What is to become of a row.
#[derive(Clone, Copy)]
enum RowOp<'p> {
    Insert(&'p [u8]),
    Update(&'p [u8]),
    Delete,
}

impl<'p> RowOp<'p> {
    /// Whether the row that is there allows it.
    fn check(self, found: Option<&LeafRow<'_>>) -> Result<(), TxnError> {
        let is_live = found.is_some_and(|row| !row.is_ghost);
        match self {
            RowOp::Insert(_) if is_live => Err(TxnError::Duplicate),
            RowOp::Update(_) | RowOp::Delete if !is_live => Err(TxnError::NoSuchRow),
            _ => Ok(()),
        }
    }

    /// The change of a durable row. A ghost and a row that keeps room for what it was (C5) always have their tag, so that
    /// it is known when ghost and room may go.
    fn change(self, key: &[u8], found: Option<&LeafRow<'_>>, tag: RowTag, is_versioned: bool) -> Change<'p> {
        match self {
            RowOp::Insert(payload) | RowOp::Update(payload) => {
                let plain = LeafRow { key, payload, is_ghost: false, tag: None, pad_bytes: 0 };
                let is_shorter = found.is_some_and(|row| row.record_bytes() > plain.record_bytes());
                Change::Put { payload, is_ghost: false, tag: (is_versioned || is_shorter).then_some(tag) }
            }
            RowOp::Delete => Change::Mark { is_ghost: true, tag: Some(tag) },
        }
    }

    /// The change of a temporary row.
    fn plain(self) -> Change<'p> {
        match self {
            RowOp::Insert(payload) | RowOp::Update(payload) => Change::Put { payload, is_ghost: false, tag: None },
            RowOp::Delete => Change::Remove,
        }
    }
}

/// What a gap was when an insert looked at it.
#[derive(Clone, Copy)]
struct Gap {
    epoch: Option<u64>,
    /// The lock on the key after it, to be given back.
    lock: Option<(KeyHash, Got)>,
}

/// Adds a row.
///
/// # Errors
/// [`TxnError::Duplicate`], [`TxnError::SnapshotConflict`]; others after which the statement is to be aborted.
pub fn insert(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    key: &[u8],
    payload: &[u8],
) -> Result<(), TxnError> {
    if is_temporary(tree) {
        return change_temporary(work, ask, tree, key, RowOp::Insert(payload));
    }
    let at = work.prepare(ask, tree)?;
    let place = place_of(tree);
    lock_row(work, ask, tree, KeyHash::of(key), LockMode::X)?;
    loop {
        let gap = look_at_gap(work, ask, tree, place, key)?;
        let done = change(work, ask, at, tree, key, RowOp::Insert(payload), gap.epoch);
        if let Some((hash, got)) = gap.lock {
            work.shared_work.locks.unlock_row(place, hash, got);
        }
        match done {
            Ok(()) => return Ok(()),
            Err(ChangeConflict::RangesChanged) => {}
            Err(ChangeConflict::Txn(cause)) => return Err(cause),
        }
    }
}

/// Replaces the payload of a row that the caller has read.
///
/// # Errors
/// [`TxnError::NoSuchRow`], [`TxnError::SnapshotConflict`]; others after which the statement is to be aborted.
pub fn update(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    key: &[u8],
    payload: &[u8],
) -> Result<(), TxnError> {
    change_row(work, ask, tree, key, RowOp::Update(payload))
}

/// Deletes a row that the caller has read.
///
/// # Errors
/// As [`update`].
pub fn delete(work: &mut SessionWork, ask: &Ask<'_>, tree: &Arc<Tree>, key: &[u8]) -> Result<(), TxnError> {
    change_row(work, ask, tree, key, RowOp::Delete)?;
    if !is_temporary(tree) {
        work.note_ghost(tree, key);
    }
    Ok(())
}

fn change_row(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    key: &[u8],
    op: RowOp<'_>,
) -> Result<(), TxnError> {
    if is_temporary(tree) {
        return change_temporary(work, ask, tree, key, op);
    }
    let at = work.prepare(ask, tree)?;
    lock_row(work, ask, tree, KeyHash::of(key), LockMode::X)?;
    change(work, ask, at, tree, key, op, None).map_err(|refused| match refused {
        ChangeConflict::Txn(cause) => cause,
        ChangeConflict::RangesChanged => unreachable!("only inserts look at ranges"),
    })
}

/// Locks a row with U, so that no other session changes it before this session does, and reads its newest committed
/// payload; false when there is no such row (any more). A row that the statement does not change after all is given
/// back with [`crate::Reader::release_row`].
///
/// # Errors
/// [`TxnError`]
pub fn lock_for_update(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    key: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, TxnError> {
    if is_temporary(tree) {
        return newest(ask, tree, key, out);
    }
    let (place, hash) = (place_of(tree), KeyHash::of(key));
    if work.isolation() == Isolation::Snapshot {
        // From before the wait: a transaction that commits during it is in conflict.
        work.reader().snapshot(true);
    }
    let got = lock_row(work, ask, tree, hash, LockMode::U)?;
    if work.isolation() == Isolation::Snapshot {
        row::check_conflict(&work.reader(), ask, tree, key)?;
    }
    let is_there = newest(ask, tree, key, out)?;
    if !is_there {
        work.shared_work.locks.unlock_row(place, hash, got);
    }
    Ok(is_there)
}

pub(crate) fn lock_row(
    work: &SessionWork,
    ask: &Ask<'_>,
    tree: &Tree,
    hash: KeyHash,
    mode: LockMode,
) -> Result<Got, TxnError> {
    Ok(counted::lock_row(&work.shared_work.locks, ask, tree, hash, mode, work.lock_timeout_ms())?)
}

/// C3: waits for readers that have the gap locked, and inherits the lock when the session itself has it.
fn look_at_gap(
    work: &SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    place: RowPlace,
    key: &[u8],
) -> Result<Gap, TxnError> {
    let ranges = work.manager.ranges();
    let stripe = RangeStripe::of(place);
    if ranges.is_empty(stripe) {
        return Ok(Gap { epoch: None, lock: None });
    }
    let locks = &work.shared_work.locks;
    let mut inherits = true;
    loop {
        let epoch = ranges.epoch(stripe);
        let next = tree::read::next_key(tree, ask, key)?.map_or(KeyHash::END, |next| KeyHash::of(&next));
        let own_range = locks.row_mode(place, next).is_some_and(LockMode::is_range);
        let own = KeyHash::of(key);
        if inherits && own_range && !locks.row_mode(place, own).is_some_and(LockMode::is_range) {
            // Under a lock of the whole object there is nothing to inherit: no row is locked, and no other session
            // comes near.
            inherits = lock_row(work, ask, tree, own, LockMode::RangeXX)? != Got::Had;
            continue;
        }
        let got = lock_row(work, ask, tree, next, LockMode::RangeIN)?;
        return Ok(Gap { epoch: Some(epoch), lock: Some((next, got)) });
    }
}

/// One change of a durable row that is locked.
fn change(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    at: usize,
    tree: &Arc<Tree>,
    key: &[u8],
    op: RowOp<'_>,
    epoch: Option<u64>,
) -> Result<(), ChangeConflict> {
    check!(!is_temporary(tree), "a temporary row is changed as one of a durable database");
    work.table.stack.reserve(ask).map_err(|cause| ChangeConflict::Txn(cause.into()))?;
    let snapshot = (work.isolation() == Isolation::Snapshot).then(|| Arc::clone(work.reader().snapshot(true)));
    let manager = Arc::clone(&work.manager);
    let shared = Arc::clone(&work.shared_work);
    let xsn = work.xsn();
    let db = &mut work.databases[at];
    let (db_id, is_versioned, prev) = (db.db, db.is_versioned, db.log.last);
    let address = address_of(tree);
    let place = place_of(tree);
    let stripe = RangeStripe::of(place);
    let undo = RefCell::new(std::mem::take(&mut work.undo_buffer));
    assert!(xsn != Xsn(0), "N1: a transaction changes database {db_id} without a number");
    check!(shared.has_locked(tree, key), "C1: a row of database {db_id} is changed, and is not locked with X");
    let mut version: Option<VersionPtr> = None;
    let mut writer = ChangeWriter { manager: &manager, stripe, log: &mut db.log, undo: &undo, is_done: false };
    let result = tree::modify::change_entry(tree, ask, &mut writer, key, &mut |found: Option<LeafRow<'_>>| {
        op.check(found.as_ref()).map_err(ChangeConflict::Txn)?;
        if matches!(op, RowOp::Insert(_)) && (epoch.is_some() || !manager.ranges().is_quiet(stripe)) {
            let ranges = manager.ranges();
            if !epoch.map_or_else(|| ranges.is_empty(stripe), |epoch| ranges.epoch(stripe) == epoch) {
                return Err(ChangeConflict::RangesChanged);
            }
            ranges.note_insert(stripe, place, key);
        }
        if let (Some(snapshot), Some(tag)) = (&snapshot, found.and_then(|row| row.tag))
            && !snapshot.sees(tag.xsn)
            && !shared.own(tag.xsn)
        {
            return Err(ChangeConflict::Txn(row::conflict(tree)));
        }
        let older = match version {
            Some(version) => version,
            None => *version.insert(keep_version(&manager, ask, db_id, xsn, is_versioned, found.as_ref())),
        };
        let undo = &mut *undo.borrow_mut();
        undo.clear();
        row_undo::encode(undo, &address, key, found.as_ref());
        Ok(op.change(key, found.as_ref(), RowTag { xsn, version: older }, is_versioned))
    });
    let is_done = writer.is_done;
    let undo = undo.into_inner();
    if is_done {
        work.report_log_bytes();
        check!(
            work.databases[at].has_logged_since(prev),
            "L2: a change of database {db_id} does not lie after the one before"
        );
        // C4
        let prev = prev.unwrap_or_default();
        work.table.stack.push(&UndoRecord::Row { db: db_id, prev, undo: &undo });
    }
    check!(is_done || result.is_err(), "C4: a row of database {db_id} is changed, and nothing can undo it");
    work.undo_buffer = undo;
    result
}

/// A change of a row that belongs to the session alone.
fn change_temporary(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    key: &[u8],
    op: RowOp<'_>,
) -> Result<(), TxnError> {
    let kind = work.trees.live(tree)?;
    let stack: Option<&mut UndoStack> = match kind {
        HeapKind::Table => Some(&mut work.table.stack),
        HeapKind::Variable => Some(&mut work.local.stack),
        HeapKind::Work => None,
    };
    let undo = RefCell::new(std::mem::take(&mut work.undo_buffer));
    let result = change_plain(ask, &work.manager, tree, key, op, &undo, stack);
    work.undo_buffer = undo.into_inner();
    result
}

fn change_plain(
    ask: &Ask<'_>,
    manager: &TxnManager,
    tree: &Arc<Tree>,
    key: &[u8],
    op: RowOp<'_>,
    undo: &RefCell<Vec<u8>>,
    mut stack: Option<&mut UndoStack>,
) -> Result<(), TxnError> {
    if let Some(stack) = &mut stack {
        stack.reserve(ask)?;
    }
    let address = address_of(tree);
    let mut log = TxnLog::without_log();
    assert!(is_temporary(tree), "a tree of database {} is changed without a log", tree.ctx().handle.db);
    let stripe = RangeStripe::of(place_of(tree));
    let mut writer = ChangeWriter { manager, stripe, log: &mut log, undo, is_done: false };
    let result = tree::modify::change_entry(tree, ask, &mut writer, key, &mut |found: Option<LeafRow<'_>>| {
        op.check(found.as_ref())?;
        let undo = &mut *undo.borrow_mut();
        undo.clear();
        row_undo::encode(undo, &address, key, found.as_ref());
        check!(
            found.is_none_or(|row| row.tag.is_none() && !row.is_ghost),
            "R1: a row of a temporary tree has the marks of those that several see"
        );
        Ok::<_, TxnError>(op.plain())
    });
    if let (Some(stack), true) = (stack, writer.is_done) {
        stack.push(&UndoRecord::Row { db: DbId::TEMPDB, prev: Lsn::default(), undo: &undo.borrow() });
    }
    result
}

/// C2: what the row was goes to the version store, unless no snapshot can read it.
fn keep_version(
    manager: &TxnManager,
    ask: &Ask<'_>,
    db: DbId,
    xsn: Xsn,
    is_versioned: bool,
    found: Option<&LeafRow<'_>>,
) -> VersionPtr {
    let Some(row) = found.filter(|_| is_versioned) else { return NONE };
    match row.tag {
        // Only its own transaction saw the row like this.
        Some(tag) if tag.xsn == xsn => tag.version,
        // Every snapshot knows that it is gone.
        Some(tag) if row.is_ghost && tag.xsn < manager.sequence().horizon() => NONE,
        tag => manager.keep_version(ask, db, xsn, Version { is_ghost: row.is_ghost, tag }, row.payload),
    }
}
