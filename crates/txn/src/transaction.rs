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
//! - B1: whatever undoes changes does it by `go_back`, which notifies the catalog ([`Definitions`]) before any lock
//!   goes: what gets a definition's lock next finds the definition that the files have.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond_access::tree::Xsn;
use millpond_storage::ask::{Ask, IoCount};
use millpond_storage::check;
use millpond_storage::wal::CommitMode;

use crate::error::TxnError;
use crate::kind::ObjectUndo;
use crate::read::reader::LateSnapshot;
use crate::rollback::GoingBack;
use crate::session::{Savepoint, SessionWork, StatementMark, Transaction};
use crate::two_phase::{self, Disagreement};

impl SessionWork {
    /// Opens a transaction; within one it does nothing (nesting is counted above).
    pub fn begin(&mut self) {
        if self.transaction.is_none() {
            self.begun_us = Some(self.manager.instance().waits().now_us());
            self.shared.open.lock().begun_us = self.begun_us;
            self.transaction = Some(Transaction::default());
        }
    }

    /// Makes the transaction's changes final, durable first, and frees what it dropped. A transaction that changed
    /// nothing writes nothing and waits for nothing.
    ///
    /// # Errors
    /// [`TxnError::NoTransaction`]; [`TxnError::CommitFailed`], after which there is no transaction either;
    /// [`TxnError::UndoLost`] when it was undone because one of several databases could not prepare it.
    pub fn commit(&mut self, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
        self.transaction.take().ok_or(TxnError::NoTransaction)?;
        self.finish(ask, mode)
    }

    /// Undoes the transaction's changes, but for those of table variables.
    ///
    /// # Errors
    /// [`TxnError::NoTransaction`]; [`TxnError::UndoLost`], after which there is no transaction either.
    pub fn rollback(&mut self, ask: &Ask<'_>) -> Result<Vec<ObjectUndo>, TxnError> {
        self.transaction.take().ok_or(TxnError::NoTransaction)?;
        self.end_back(ask).finish()
    }

    /// Ends the transaction, or the statement that is one, as if it had not been.
    pub(crate) fn end_back(&mut self, ask: &Ask<'_>) -> GoingBack {
        let going_back = self.go_back(ask, (0, None));
        self.keep_table_changes(ask);
        self.end_undone();
        going_back
    }

    /// Sets a savepoint; several may have the same name.
    pub fn save(&mut self, name: &str) {
        let savepoint = Savepoint {
            name: name.to_owned(),
            at: self.table.stack.set_boundary(),
            locks: self.shared_work.locks.mark(),
            depth: self.depth,
        };
        self.begin();
        self.transaction.as_mut().expect("begun above").savepoints.push(savepoint);
        check!(
            self.transaction.as_ref().is_some_and(|open| open.savepoints.is_sorted_by_key(|savepoint| savepoint.at)),
            "the savepoints do not lie in the order in which they were set"
        );
    }

    /// Undoes what was changed after the last savepoint of that name, which stays, and releases what was locked since (the
    /// documentation of ROLLBACK TRANSACTION), unless a statement that began since goes on.
    ///
    /// # Errors
    /// [`TxnError::NoTransaction`], [`TxnError::NoSuchSavepoint`], [`TxnError::UndoLost`].
    pub fn rollback_to(&mut self, ask: &Ask<'_>, name: &str) -> Result<Vec<ObjectUndo>, TxnError> {
        let transaction = self.transaction.as_mut().ok_or(TxnError::NoTransaction)?;
        let found = transaction.savepoints.iter().rposition(|other| other.name == name);
        let index = found.ok_or_else(|| TxnError::NoSuchSavepoint(name.to_owned()))?;
        let Savepoint { at, locks, depth, .. } = transaction.savepoints[index];
        check!(
            at <= self.table.stack.position(),
            "savepoint '{name}' lies at {at}, and changes were undone to {}",
            self.table.stack.position()
        );
        transaction.savepoints.truncate(index + 1);
        let undone = self.go_back(ask, (at, None)).finish()?;
        if depth == self.depth {
            self.shared_work.locks.release_since(locks);
        }
        Ok(undone)
    }

    /// A statement begins; statements may be nested.
    pub fn begin_statement(&mut self) -> StatementMark {
        check!(
            self.readers.len() == self.depth as usize,
            "{} readers of {} statements",
            self.readers.len(),
            self.depth
        );
        let mark = StatementMark {
            table: self.table.stack.set_boundary(),
            local: self.local.stack.set_boundary(),
            depth: self.depth,
        };
        self.depth += 1;
        self.readers.push(None);
        mark
    }

    /// The statement succeeded. At the end of the outermost one its undo goes, unless a transaction keeps it.
    ///
    /// # Errors
    /// [`TxnError::CommitFailed`] when it was the commit too.
    pub fn end_statement(&mut self, ask: &Ask<'_>, mark: StatementMark) -> Result<(), TxnError> {
        self.leave(mark);
        self.settle(ask)
    }

    pub(crate) fn leave(&mut self, mark: StatementMark) {
        check!(mark.depth < self.depth, "a statement of depth {} ends at depth {}", mark.depth, self.depth);
        self.depth = mark.depth;
        self.readers.truncate(mark.depth as usize);
        check!(
            self.readers.len() == self.depth as usize,
            "{} readers of {} statements",
            self.readers.len(),
            self.depth
        );
    }

    /// The statement failed: its changes are undone, those of table variables too.
    ///
    /// # Errors
    /// [`TxnError::UndoLost`]; the statement is over all the same.
    pub fn abort_statement(&mut self, ask: &Ask<'_>, mark: StatementMark) -> Result<Vec<ObjectUndo>, TxnError> {
        let going_back = self.go_back(ask, (mark.table, Some(mark.local)));
        self.leave(mark);
        if self.depth == 0 && self.transaction.is_none() {
            // Nothing is left of it: it ends as a rollback, not as a commit.
            self.keep_table_changes(ask);
            self.end_undone();
        }
        let settled = self.settle(ask);
        going_back.finish().and_then(|undone| settled.map(|()| undone))
    }

    /// Outside of statements, makes final what nothing can undo any more (S3), and drops forgotten work tables.
    #[inline]
    pub(crate) fn settle(&mut self, ask: &Ask<'_>) -> Result<(), TxnError> {
        if self.depth > 0 {
            return Ok(());
        }
        check!(self.readers.is_empty(), "{} readers outlive their statements", self.readers.len());
        self.keep_variable_changes(ask);
        let mut result = Ok(());
        if self.transaction.is_none() {
            result = self.finish(ask, self.commit_mode());
        }
        if self.objects.has_work() {
            for id in self.objects.forgotten_work() {
                self.destroy(ask, id);
            }
        }
        if !self.trees.is_empty() {
            for number in self.trees.forgotten_work() {
                self.destroy_tree(ask, number);
            }
        }
        result
    }

    /// Commits: durable, then seen, then unlocked.
    #[inline]
    pub(crate) fn finish(&mut self, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
        let result = if self.databases.is_empty() { Ok(()) } else { self.commit_databases(ask, mode) };
        self.keep_table_changes(ask);
        self.end_transaction();
        result
    }

    pub(crate) fn commit_databases(&mut self, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
        let result = match two_phase::is_shared(&self.databases) {
            true => self.commit_shared(ask),
            false => self.commit_single(ask, mode),
        };
        let ghosts = std::mem::take(&mut self.ghosts);
        if !ghosts.is_empty() {
            self.shared_work.forget_ghosts();
            self.manager.cleaner().add(self.xsn(), ghosts);
        }
        result
    }

    pub(crate) fn commit_single(&mut self, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
        check!(
            !two_phase::is_shared(&self.databases),
            "T1: a transaction over several databases is committed one by one"
        );
        for work in self.databases.drain(..) {
            if let Some(wal) = work.wal {
                let mode = self.manager.begin_commit(work.db, mode);
                wal.commit(ask, work.log, mode).map_err(|cause| TxnError::CommitFailed { db: work.db, cause })?;
            }
        }
        Ok(())
    }

    /// A transaction over several databases is durable in all of them or in none.
    pub(crate) fn commit_shared(&mut self, ask: &Ask<'_>) -> Result<(), TxnError> {
        let failed = |(db, cause)| TxnError::CommitFailed { db, cause };
        match two_phase::agree(ask, &mut self.databases) {
            Ok(()) => self.manager.finish_agreed(ask, std::mem::take(&mut self.databases)).map_err(failed),
            Err(Disagreement::Refused(db, cause)) => {
                let GoingBack { undone, lost, .. } = self.go_back(ask, (0, None));
                self.end_logs_undone();
                Err(TxnError::UndoLost { objects: lost, undone, cause: Box::new(failed((db, cause))) })
            }
            Err(Disagreement::Unknown(db, cause)) => {
                // Only a recovery of all of them tells.
                for work in self.databases.drain(..).filter(|work| work.log.has_records()) {
                    if let Some(wal) = work.wal {
                        wal.close_broken(&format!("whether a transaction is committed is not known: {cause}"));
                    }
                }
                Err(failed((db, cause)))
            }
        }
    }

    /// The transaction's changes are undone, as far as they can be.
    pub(crate) fn end_undone(&mut self) {
        self.end_logs_undone();
        self.end_transaction();
    }

    pub(crate) fn end_logs_undone(&mut self) {
        for work in self.databases.drain(..) {
            if let Some(wal) = work.wal {
                wal.end_rollback(work.log);
            }
        }
        if !self.ghosts.is_empty() {
            self.shared_work.forget_ghosts();
            self.ghosts.clear();
        }
    }

    /// Others see what the transaction did from now on, and may lock what it had locked.
    #[inline]
    pub(crate) fn end_transaction(&mut self) {
        let xsn = self.xsn();
        assert!(
            self.databases.is_empty(),
            "locks go, and {} databases have the transaction open",
            self.databases.len()
        );
        check!(!self.table.stack.has_records_since(0), "locks go, and changes can still be undone");
        check!(self.transaction.is_none(), "locks go, and the user's transaction is open");
        check!(self.ghosts.is_empty(), "{} deletions of a transaction that is over are left", self.ghosts.len());
        if xsn != Xsn(0) || self.begun_us.is_some() {
            let open = &mut *self.shared.open.lock();
            (open.begun_us, open.xsn) = (None, 0);
            open.databases.clear();
        }
        if xsn != Xsn(0) {
            self.manager.sequence().end(xsn);
            self.shared_work.xsn.store(0, Ordering::Relaxed);
            self.manager.cleaner().note_end();
        }
        if self.transaction_snapshot.get().is_some() {
            self.transaction_snapshot = LateSnapshot::default();
        }
        self.begun_us = None;
        self.changed_definitions = false;
        self.trees.forget_durable();
        self.shared_work.locks.release_transaction();
        check!(self.shared_work.locks.lock_count() == 0, "a transaction is over, and has locks");
    }

    #[inline]
    pub(crate) fn keep_table_changes(&mut self, ask: &Ask<'_>) {
        if let Some(deferred) = self.table.clear() {
            self.run_deferred(ask, deferred);
        }
    }

    #[inline]
    pub(crate) fn keep_variable_changes(&mut self, ask: &Ask<'_>) {
        if let Some(deferred) = self.local.clear() {
            self.run_deferred(ask, deferred);
        }
    }

    /// The session ends: what it did in durable databases is undone, its own objects go anyhow.
    pub(crate) fn abandon(&mut self, ask: &Ask<'_>) {
        self.transaction = None;
        self.readers.clear();
        if self.databases.is_empty() && !self.changed_definitions {
            self.keep_table_changes(ask);
            self.end_undone();
        } else {
            self.end_back(ask);
        }
        self.keep_variable_changes(ask);
        check!(!self.local.stack.has_records_since(0), "a session is gone, and changes can still be undone");
    }

    pub(crate) fn check_nothing_is_left(&self) {
        check!(
            self.databases.is_empty() && self.ghosts.is_empty(),
            "the transaction of session {} is left open",
            self.session()
        );
        check!(
            self.objects.ids().is_empty() && self.trees.is_empty(),
            "heaps or trees of session {} are left after its end",
            self.session()
        );
        check!(self.shared_work.ghost_runs.lock().is_empty(), "G3: runs of ghosts of a session that is gone are left");
        check!(self.undo_bytes() == 0, "undo of session {} is left, and nobody will use it", self.session());
        check!(!self.shared.has_tables(), "T2: tables of session {} are left in tempdb", self.session());
    }
}

impl Drop for SessionWork {
    fn drop(&mut self) {
        let (task, nobody) = (Arc::clone(&self.task), IoCount::default());
        let ask = Ask::new(&task, &nobody);
        self.depth = 0;
        self.abandon(&ask);
        for number in self.trees.temporary(None) {
            self.destroy_tree(&ask, number);
        }
        for id in self.objects.ids() {
            self.destroy(&ask, id);
        }
        // A statement that ended in a panic may leave anything, and a second panic would end the process.
        if !std::thread::panicking() {
            self.check_nothing_is_left();
        }
        self.manager.unregister(&self.shared);
    }
}
