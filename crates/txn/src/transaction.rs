//! Transactions and statements: where they begin, and how they end, forward or back.
//!
//! The end of a transaction, in this order: its commit records are durable; what it dropped is freed; others see it; its
//! locks go. A lock is never released before the change that it protected is durable.
//!
//! ```text
//!   ROLLBACK ─────────────────────┐
//!   statement failed, savepoint ──┤               changed definitions
//!   session gone (abandon) ───────┼──▶ go_back ──▶ are read again ──▶ end_undone: locks go
//!   a commit that was refused ────┘
//! ```
//! - B1: whatever undoes changes does it by `rollback::go_back`, which notifies the catalog (`Definitions`) before any lock
//!   goes: what gets a definition's lock next finds the definition that the files have.
//!
//! It knows no single change: what was done is undone by `rollback`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond_access::tree::Xsn;
use millpond_storage::ask::{Ask, IoCount};
use millpond_storage::check;
use millpond_storage::wal::CommitMode;

use crate::error::TxnError;
use crate::kind::ObjectUndo;
use crate::read::reader::LateSnapshot;
use crate::rollback;
use crate::rollback::GoingBack;
use crate::session::{Savepoint, SessionWork, StatementMark, Transaction};
use crate::two_phase;
use crate::two_phase::Disagreement;

/// Opens a transaction; within one it does nothing (nesting is counted above).
pub fn begin(work: &mut SessionWork) {
    if work.transaction.is_none() {
        work.begun_us = Some(work.manager.instance().waits().now_us());
        work.shared.open.lock().begun_us = work.begun_us;
        work.transaction = Some(Transaction::default());
    }
    check!(work.begun_us.is_some(), "the transaction of session {} is open, and did not begin", work.session());
}

/// Makes the transaction's changes final, durable first, and frees what it dropped. A transaction that changed
/// nothing writes nothing and waits for nothing.
///
/// # Errors
/// [`TxnError::NoTransaction`]; [`TxnError::CommitFailed`], after which there is no transaction either;
/// [`TxnError::UndoLost`] when it was undone because one of several databases could not prepare it.
pub fn commit(work: &mut SessionWork, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
    work.transaction.take().ok_or(TxnError::NoTransaction)?;
    finish(work, ask, mode)
}

/// Undoes the transaction's changes, but for those of table variables.
///
/// # Errors
/// [`TxnError::NoTransaction`]; [`TxnError::UndoLost`], after which there is no transaction either.
pub fn rollback(work: &mut SessionWork, ask: &Ask<'_>) -> Result<Vec<ObjectUndo>, TxnError> {
    work.transaction.take().ok_or(TxnError::NoTransaction)?;
    end_back(work, ask).finish()
}

/// Ends the transaction, or the statement that is one, as if it had not been.
fn end_back(work: &mut SessionWork, ask: &Ask<'_>) -> GoingBack {
    let going_back = rollback::go_back(work, ask, (0, None));
    keep_table_changes(work, ask);
    end_undone(work);
    going_back
}

/// Sets a savepoint; several may have the same name.
pub fn save(work: &mut SessionWork, name: &str) {
    let savepoint = Savepoint {
        name: name.to_owned(),
        at: work.table.stack.set_boundary(),
        locks: work.shared_work.locks.mark(),
        depth: work.depth,
    };
    begin(work);
    work.transaction.as_mut().expect("begun above").savepoints.push(savepoint);
    check!(
        work.transaction.as_ref().is_some_and(|open| open.savepoints.is_sorted_by_key(|savepoint| savepoint.at)),
        "the savepoints do not lie in the order in which they were set"
    );
}

/// Undoes what was changed after the last savepoint of that name, which stays, and releases what was locked since (the
/// documentation of ROLLBACK TRANSACTION), unless a statement that began since goes on.
///
/// # Errors
/// [`TxnError::NoTransaction`], [`TxnError::NoSuchSavepoint`], [`TxnError::UndoLost`].
pub fn rollback_to(work: &mut SessionWork, ask: &Ask<'_>, name: &str) -> Result<Vec<ObjectUndo>, TxnError> {
    let transaction = work.transaction.as_mut().ok_or(TxnError::NoTransaction)?;
    let found = transaction.savepoints.iter().rposition(|other| other.name == name);
    let index = found.ok_or_else(|| TxnError::NoSuchSavepoint(name.to_owned()))?;
    let Savepoint { at, locks, depth, .. } = transaction.savepoints[index];
    check!(
        at <= work.table.stack.position(),
        "savepoint '{name}' lies at {at}, and changes were undone to {}",
        work.table.stack.position()
    );
    transaction.savepoints.truncate(index + 1);
    let undone = rollback::go_back(work, ask, (at, None)).finish()?;
    if depth == work.depth {
        work.shared_work.locks.release_since(locks);
    }
    Ok(undone)
}

/// A statement begins; statements may be nested.
pub fn begin_statement(work: &mut SessionWork) -> StatementMark {
    check!(work.readers.len() == work.depth as usize, "{} readers of {} statements", work.readers.len(), work.depth);
    let mark = StatementMark {
        table: work.table.stack.set_boundary(),
        local: work.local.stack.set_boundary(),
        depth: work.depth,
    };
    work.depth += 1;
    work.readers.push(None);
    mark
}

/// The statement succeeded. At the end of the outermost one its undo goes, unless a transaction keeps it.
///
/// # Errors
/// [`TxnError::CommitFailed`] when it was the commit too.
pub fn end_statement(work: &mut SessionWork, ask: &Ask<'_>, mark: StatementMark) -> Result<(), TxnError> {
    leave(work, mark);
    settle(work, ask)
}

fn leave(work: &mut SessionWork, mark: StatementMark) {
    check!(mark.depth < work.depth, "a statement of depth {} ends at depth {}", mark.depth, work.depth);
    work.depth = mark.depth;
    work.readers.truncate(mark.depth as usize);
    check!(work.readers.len() == work.depth as usize, "{} readers of {} statements", work.readers.len(), work.depth);
}

/// The statement failed: its changes are undone, those of table variables too.
///
/// # Errors
/// [`TxnError::UndoLost`]; the statement is over all the same.
pub fn abort_statement(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    mark: StatementMark,
) -> Result<Vec<ObjectUndo>, TxnError> {
    let going_back = rollback::go_back(work, ask, (mark.table, Some(mark.local)));
    leave(work, mark);
    if work.depth == 0 && work.transaction.is_none() {
        // Nothing is left of it: it ends as a rollback, not as a commit.
        keep_table_changes(work, ask);
        end_undone(work);
    }
    let settled = settle(work, ask);
    going_back.finish().and_then(|undone| settled.map(|()| undone))
}

/// Outside of statements, makes final what nothing can undo any more (S3), and drops forgotten work tables.
#[inline]
pub(crate) fn settle(work: &mut SessionWork, ask: &Ask<'_>) -> Result<(), TxnError> {
    if work.depth > 0 {
        return Ok(());
    }
    check!(work.readers.is_empty(), "{} readers outlive their statements", work.readers.len());
    keep_variable_changes(work, ask);
    let mut result = Ok(());
    if work.transaction.is_none() {
        result = finish(work, ask, work.commit_mode());
    }
    if work.objects.has_work() {
        for id in work.objects.forgotten_work() {
            work.destroy(ask, id);
        }
    }
    if !work.trees.is_empty() {
        for number in work.trees.forgotten_work() {
            work.destroy_tree(ask, number);
        }
    }
    result
}

/// Commits: durable, then seen, then unlocked.
#[inline]
fn finish(work: &mut SessionWork, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
    let result = if work.databases.is_empty() { Ok(()) } else { commit_databases(work, ask, mode) };
    keep_table_changes(work, ask);
    end_transaction(work);
    result
}

fn commit_databases(work: &mut SessionWork, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
    let result = match two_phase::is_shared(&work.databases) {
        true => commit_shared(work, ask),
        false => commit_single(work, ask, mode),
    };
    let ghosts = std::mem::take(&mut work.ghosts);
    if !ghosts.is_empty() {
        work.shared_work.forget_ghosts();
        work.manager.cleaner().add(work.xsn(), ghosts);
    }
    result
}

fn commit_single(work: &mut SessionWork, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
    check!(!two_phase::is_shared(&work.databases), "T1: a transaction over several databases is committed one by one");
    for entered in work.databases.drain(..) {
        if let Some(wal) = entered.wal {
            let mode = work.manager.databases().begin_commit(entered.db, mode);
            wal.commit(ask, entered.log, mode).map_err(|cause| TxnError::CommitFailed { db: entered.db, cause })?;
        }
    }
    Ok(())
}

/// A transaction over several databases is durable in all of them or in none.
fn commit_shared(work: &mut SessionWork, ask: &Ask<'_>) -> Result<(), TxnError> {
    let failed = |(db, cause)| TxnError::CommitFailed { db, cause };
    let manager = Arc::clone(&work.manager);
    let _agreeing = manager.decisions().agree();
    match two_phase::agree(ask, &mut work.databases) {
        Ok(()) => two_phase::finish_agreed(&work.manager, ask, std::mem::take(&mut work.databases)).map_err(failed),
        Err(Disagreement::Refused(db, cause)) => {
            let GoingBack { undone, lost, .. } = rollback::go_back(work, ask, (0, None));
            end_logs_undone(work);
            Err(TxnError::UndoLost { objects: lost, undone, cause: Box::new(failed((db, cause))) })
        }
        Err(Disagreement::Unknown(db, cause)) => {
            // Only a recovery of all of them finds out.
            for entered in work.databases.drain(..).filter(|entered| entered.log.has_records()) {
                if let Some(wal) = entered.wal {
                    wal.close_broken(&format!("whether a transaction is committed is not known: {cause}"));
                }
            }
            Err(failed((db, cause)))
        }
    }
}

/// The transaction's changes are undone, as far as they can be.
fn end_undone(work: &mut SessionWork) {
    end_logs_undone(work);
    end_transaction(work);
}

fn end_logs_undone(work: &mut SessionWork) {
    for entered in work.databases.drain(..) {
        if let Some(wal) = entered.wal {
            wal.end_rollback(entered.log);
        }
    }
    if !work.ghosts.is_empty() {
        work.shared_work.forget_ghosts();
        work.ghosts.clear();
    }
}

/// Others see what the transaction did from now on, and may lock what it had locked.
#[inline]
fn end_transaction(work: &mut SessionWork) {
    let xsn = work.xsn();
    assert!(work.databases.is_empty(), "locks go, and {} databases have the transaction open", work.databases.len());
    check!(!work.table.stack.has_records_since(0), "locks go, and changes can still be undone");
    check!(work.transaction.is_none(), "locks go, and the user's transaction is open");
    check!(work.ghosts.is_empty(), "{} deletions of a transaction that is over are left", work.ghosts.len());
    if xsn != Xsn(0) || work.begun_us.is_some() {
        let open = &mut *work.shared.open.lock();
        (open.begun_us, open.xsn) = (None, 0);
        open.databases.clear();
    }
    if xsn != Xsn(0) {
        work.manager.sequence().end(xsn);
        work.shared_work.xsn.store(0, Ordering::Relaxed);
        work.manager.cleaner().note_end();
    }
    if work.transaction_snapshot.get().is_some() {
        work.transaction_snapshot = LateSnapshot::default();
    }
    work.begun_us = None;
    work.changed_definitions = false;
    work.trees.forget_durable();
    work.shared_work.locks.release_transaction();
    check!(work.shared_work.locks.lock_count() == 0, "a transaction is over, and has locks");
}

#[inline]
fn keep_table_changes(work: &mut SessionWork, ask: &Ask<'_>) {
    if let Some(deferred) = work.table.clear() {
        rollback::run_deferred(work, ask, deferred);
    }
}

#[inline]
fn keep_variable_changes(work: &mut SessionWork, ask: &Ask<'_>) {
    if let Some(deferred) = work.local.clear() {
        rollback::run_deferred(work, ask, deferred);
    }
}

/// The session ends: what it did in durable databases is undone, its own objects go anyhow.
fn abandon(work: &mut SessionWork, ask: &Ask<'_>) {
    work.transaction = None;
    work.readers.clear();
    if work.databases.is_empty() && !work.changed_definitions {
        keep_table_changes(work, ask);
        end_undone(work);
    } else {
        end_back(work, ask);
    }
    keep_variable_changes(work, ask);
    check!(!work.local.stack.has_records_since(0), "a session is gone, and changes can still be undone");
}

fn check_nothing_is_left(work: &SessionWork) {
    check!(
        work.databases.is_empty() && work.ghosts.is_empty(),
        "the transaction of session {} is left open",
        work.session()
    );
    check!(
        work.objects.ids().is_empty() && work.trees.is_empty(),
        "heaps or trees of session {} are left after its end",
        work.session()
    );
    check!(work.shared_work.ghost_runs.lock().is_empty(), "G3: runs of ghosts of a session that is gone are left");
    check!(work.undo_bytes() == 0, "undo of session {} is left, and nothing will use it", work.session());
    check!(!work.shared.leaves_tables(), "T2: tables of session {} are left in tempdb", work.session());
}

impl Drop for SessionWork {
    fn drop(&mut self) {
        let (task, uncounted) = (Arc::clone(&self.task), IoCount::default());
        let ask = Ask::new(&task, &uncounted);
        self.depth = 0;
        abandon(self, &ask);
        for number in self.trees.temporary(None) {
            self.destroy_tree(&ask, number);
        }
        for id in self.objects.ids() {
            self.destroy(&ask, id);
        }
        // A statement that ended in a panic may leave anything, and a second panic would end the process.
        if !std::thread::panicking() {
            check_nothing_is_left(self);
        }
        self.manager.unregister(&self.shared);
    }
}
