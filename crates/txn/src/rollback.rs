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

use millpond_storage::check;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond_access::tree::{Tree, Xsn};
use millpond_access::{Heap, ObjectId};
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::page::header::Lsn;
use millpond_storage::wal::{CommitMode, TxnLog};

use crate::error::TxnError;
use crate::kind::{HeapKind, ObjectUndo};
use crate::manager::TxnManager;
use crate::read::reader::LateSnapshot;
use crate::recovery::restore::{apply_fill_undo, apply_run_undo, apply_undo};
use crate::session::{Savepoint, SessionWork, StatementMark, Transaction};
use crate::two_phase::{self, Disagreement};
use crate::undo::Deferred;
use crate::undo::record::UndoRecord;
use crate::undo::row_undo::{self, TreeAddress};

impl SessionWork {
    /// Whether a transaction of the user is open.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

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
    fn end_back(&mut self, ask: &Ask<'_>) -> GoingBack {
        let going_back = self.go_back(ask, (0, None));
        self.keep_table_changes(ask);
        self.end_undone();
        going_back
    }

    /// B1: undoes what was changed since these places of the two stacks, the second only if it is given.
    fn go_back(&mut self, ask: &Ask<'_>, (table, local): (u64, Option<u64>)) -> GoingBack {
        let mut going_back = GoingBack::default();
        // What is undone may be a deletion that a scan has walked over.
        self.shared_work.forget_ghosts();
        self.undo_until(ask, HeapKind::Table, table, &mut going_back);
        if let Some(local) = local {
            self.undo_until(ask, HeapKind::Variable, local, &mut going_back);
        }
        check!(
            !self.table.stack.has_records_since(table)
                && local.is_none_or(|local| !self.local.stack.has_records_since(local)),
            "B1: changes are left behind the place that was gone back to"
        );
        // Those that were set after it are undone with the rest.
        if let Some(open) = &mut self.transaction {
            open.savepoints.retain(|savepoint| savepoint.at <= table);
        }
        let mut changed = std::mem::take(&mut going_back.definitions);
        if !changed.is_empty() {
            changed.sort_unstable();
            changed.dedup();
            if let Some(definitions) = self.catalog.get() {
                definitions.undone(self, ask, &changed);
            }
        }
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

    /// Whether nothing is open, and the end of a statement would have nothing to do: no statement runs, no transaction is
    /// open (S3), nothing can be undone, no lock is held, and no work table may have been forgotten.
    #[inline]
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.depth == 0
            && self.transaction.is_none()
            && self.databases.is_empty()
            && !self.table.stack.has_records_since(0)
            && !self.local.stack.has_records_since(0)
            && !self.objects.has_work()
            && self.trees.is_empty()
            && self.begun_us.is_none()
            && !self.changed_definitions
            && self.transaction_snapshot.get().is_none()
            && self.xsn() == Xsn(0)
            && self.shared_work.locks.is_free_of_transaction()
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

    fn leave(&mut self, mark: StatementMark) {
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
    fn finish(&mut self, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
        let result = if self.databases.is_empty() { Ok(()) } else { self.commit_databases(ask, mode) };
        self.keep_table_changes(ask);
        self.end_transaction();
        result
    }

    fn commit_databases(&mut self, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
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

    fn commit_single(&mut self, ask: &Ask<'_>, mode: CommitMode) -> Result<(), TxnError> {
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
    fn commit_shared(&mut self, ask: &Ask<'_>) -> Result<(), TxnError> {
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
    fn end_undone(&mut self) {
        self.end_logs_undone();
        self.end_transaction();
    }

    fn end_logs_undone(&mut self) {
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
    fn end_transaction(&mut self) {
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
    fn keep_table_changes(&mut self, ask: &Ask<'_>) {
        if let Some(deferred) = self.table.clear() {
            self.run_deferred(ask, deferred);
        }
    }

    #[inline]
    fn keep_variable_changes(&mut self, ask: &Ask<'_>) {
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

    fn run_deferred(&mut self, ask: &Ask<'_>, deferred: Vec<Deferred>) {
        for waiting in deferred {
            match waiting {
                Deferred::Drop(id) => self.destroy(ask, id),
                Deferred::Release(heap, emptied) => self.manager.note_free(heap.release(ask, emptied)),
                Deferred::FreeValue(value) => self.let_go(ask, value),
                Deferred::DropTree(0, tree) => self.manager.note_free(tree.free(ask)),
                Deferred::DropTree(number, _) => self.destroy_tree(ask, number),
            }
        }
    }

    /// Pops and applies the records above `position`. A page that this splits may come from the database's reserve: a
    /// rollback works on a full disk.
    fn undo_until(&mut self, ask: &Ask<'_>, kind: HeapKind, position: u64, going_back: &mut GoingBack) {
        let ask = &ask.with_reserve();
        let mut body = Vec::new();
        loop {
            let undo = self.undo_of(kind).expect("work tables have no undo");
            match undo.stack.pop(ask, position, &mut body) {
                Ok(false) => return,
                Ok(true) => self.apply(ask, kind, &body, going_back),
                Err(cause) => return self.lose_all(ask, kind, cause.into(), going_back),
            }
        }
    }

    fn apply(&mut self, ask: &Ask<'_>, kind: HeapKind, body: &[u8], going_back: &mut GoingBack) {
        let record = UndoRecord::decode(body).expect("the stack gives back what was pushed");
        match record {
            UndoRecord::Slot { object, rid, undo } => {
                self.apply_to_rows(ask, object, going_back, |heap| Ok(heap.restore(ask, rid, undo)?));
            }
            UndoRecord::Tail { object, mark } => {
                self.apply_to_rows(ask, object, going_back, |heap| Ok(heap.cut(ask, &mark)?));
            }
            UndoRecord::Created(object) => {
                // A lost heap is gone already, and reported as lost.
                if self.objects.get_mut(object).is_some() {
                    check!(
                        self.objects.get_mut(object).is_some_and(|entry| !entry.dropped),
                        "undo of heap {object} is out of order: it is made after it was dropped"
                    );
                    self.destroy(ask, object);
                    going_back.undone.push(ObjectUndo::Created(object));
                }
            }
            UndoRecord::Dropped(object) => self.take_back_drop(kind, object, going_back),
            UndoRecord::Truncated(object) => self.refill(ask, kind, object, going_back),
            UndoRecord::Row { db: DbId::TEMPDB, undo, .. } => self.undo_temporary_row(ask, undo, going_back),
            UndoRecord::Row { db, prev, undo } => self.undo_row(ask, db, prev, undo, going_back),
            UndoRecord::Rows { db, prev, own, undo } => self.undo_rows(ask, db, (own, prev), undo, going_back),
            UndoRecord::FillBegun { db, undo } => {
                let undo = row_undo::decode_fill(db, undo).expect("the stack gives back what was pushed");
                if let Some(work) = self.databases.iter_mut().find(|work| work.db == db) {
                    // What cannot be given back is found by the sweep after the next unclean start.
                    self.manager.note_free(work.changed_tree(undo.tree.place).reclaim(ask).map(drop));
                }
            }
            UndoRecord::Filled { db, prev, undo } => {
                let undo = row_undo::decode_fill(db, undo).expect("the stack gives back what was pushed");
                self.undo_durable(db, undo.tree, prev, going_back, |manager, tree, log, next| {
                    apply_fill_undo(ask, manager, tree, log, next, &undo)
                });
            }
            UndoRecord::TreeMade(number) => {
                check!(
                    self.trees.get_mut(number).is_none_or(|own| !own.is_dropped),
                    "undo of tree {number} is out of order: it is made after it was dropped"
                );
                self.destroy_tree(ask, number);
            }
            UndoRecord::TreeDropped(number) => {
                let deferred = self.undo_of(kind).and_then(|undo| undo.pop_deferred());
                assert!(
                    matches!(deferred, Some(Deferred::DropTree(other, _)) if other == number),
                    "another than tree {number} waits"
                );
                if let Some(own) = self.trees.get_mut(number) {
                    assert!(own.is_dropped, "the drop of tree {number} is taken back, and it is not dropped");
                    own.is_dropped = false;
                }
            }
            UndoRecord::ValueMade => self.undo_made_value(ask, kind),
            UndoRecord::ValueDropped => self.undo_dropped_value(kind),
            UndoRecord::Catalog { db, object } => going_back.definitions.push((db, object)),
        }
    }

    fn undo_temporary_row(&mut self, ask: &Ask<'_>, undo: &[u8], going_back: &mut GoingBack) {
        let undo = row_undo::decode(DbId::TEMPDB, undo).expect("the stack gives back what was pushed");
        let number = undo.tree.ids.hobt as u32;
        // A tree that is lost already needs no undo.
        let Some(own) = self.trees.get_mut(number) else { return };
        check!(!own.is_dropped, "undo of tree {number} is out of order: it is dropped");
        let tree = Arc::clone(&own.tree);
        if let Err(cause) = apply_undo(ask, &self.manager, &tree, &mut TxnLog::without_log(), None, &undo) {
            self.destroy_tree(ask, number);
            going_back.lost.push(ObjectId(tree.ids().object_id));
            going_back.cause.get_or_insert(cause);
        }
    }

    /// Undoes a change of a durable row.
    fn undo_row(&mut self, ask: &Ask<'_>, db: DbId, prev: Lsn, undo: &[u8], going_back: &mut GoingBack) {
        let undo = row_undo::decode(db, undo).expect("the stack gives back what was pushed");
        self.undo_durable(db, undo.tree, prev, going_back, |manager, tree, log, next| {
            apply_undo(ask, manager, tree, log, next, &undo)
        });
    }

    /// As [`SessionWork::undo_row`] for a run of entries.
    fn undo_rows(&mut self, ask: &Ask<'_>, db: DbId, (own, prev): (Lsn, Lsn), undo: &[u8], going_back: &mut GoingBack) {
        let undo = row_undo::decode_run(db, undo).expect("the stack gives back what was pushed");
        self.undo_durable(db, undo.tree, prev, going_back, |manager, tree, log, next| {
            apply_run_undo(ask, manager, tree, log, (own, next), &undo)
        });
    }

    /// Undoes a change of a durable tree; the record `prev` is undone next. What cannot be undone now is undone by recovery:
    /// the database is closed for that.
    fn undo_durable(
        &mut self,
        db: DbId,
        address: TreeAddress,
        prev: Lsn,
        going_back: &mut GoingBack,
        undo: impl FnOnce(&TxnManager, &Arc<Tree>, &mut TxnLog, Option<Lsn>) -> Result<(), TxnError>,
    ) {
        let Some(work) = self.databases.iter_mut().find(|work| work.db == db) else { return };
        let tree = work.changed_tree(address.place);
        let next = (prev != Lsn::default()).then_some(prev);
        check!(
            work.wal.is_none() || next < work.log.last,
            "undo goes on at {next:?}, and the transaction's last record is at {:?}",
            work.log.last
        );
        if let Err(cause) = undo(&self.manager, &tree, &mut work.log, next) {
            if let Some(wal) = &work.wal {
                wal.close_broken(&format!("a rollback failed: {cause}"));
            }
            going_back.cause.get_or_insert(cause);
        }
    }

    fn apply_to_rows(
        &mut self,
        ask: &Ask<'_>,
        object: ObjectId,
        going_back: &mut GoingBack,
        apply: impl FnOnce(&Heap) -> Result<(), TxnError>,
    ) {
        let Some(entry) = self.objects.get_mut(object) else {
            return;
        };
        check!(!entry.dropped, "undo of heap {object} is out of order: it is dropped");
        entry.tail_marked_at = 0;
        if let Err(cause) = apply(&entry.heap) {
            self.lose(ask, object, cause, going_back);
        }
    }

    fn take_back_drop(&mut self, kind: HeapKind, object: ObjectId, going_back: &mut GoingBack) {
        let deferred = self.undo_of(kind).and_then(|undo| undo.pop_deferred());
        assert!(matches!(deferred, Some(Deferred::Drop(id)) if id == object), "another than heap {object} waits to go");
        let Some(entry) = self.objects.get_mut(object) else {
            return;
        };
        assert!(entry.dropped, "the drop of heap {object} is taken back, and it is not dropped");
        entry.dropped = false;
        entry.heap.set_dropped(false);
        self.shared.add_heap(&entry.heap, entry.kind);
        going_back.undone.push(ObjectUndo::Dropped(object));
    }

    fn refill(&mut self, ask: &Ask<'_>, kind: HeapKind, object: ObjectId, going_back: &mut GoingBack) {
        let deferred = self.undo_of(kind).and_then(|undo| undo.pop_deferred());
        let Some(Deferred::Release(heap, emptied)) = deferred else { unreachable!("one per record of a truncation") };
        assert!(heap.object_id() == object, "heap {} is filled again in place of {object}", heap.object_id());
        let Some(entry) = self.objects.get_mut(object) else {
            // The heap was lost; its former rows go too.
            self.manager.note_free(heap.release(ask, emptied));
            return;
        };
        check!(Arc::ptr_eq(&entry.heap, &heap), "another heap than the one that was emptied has the number {object}");
        entry.tail_marked_at = 0;
        self.manager.note_free(heap.refill(ask, emptied));
        going_back.undone.push(ObjectUndo::Truncated(object));
    }

    /// Gives up a heap that cannot be made what it was.
    fn lose(&mut self, ask: &Ask<'_>, object: ObjectId, cause: TxnError, going_back: &mut GoingBack) {
        self.destroy(ask, object);
        going_back.lost.push(object);
        going_back.cause.get_or_insert(cause);
    }

    /// Gives up all heaps that the rest of the stack may be about: the rest cannot be read.
    fn lose_all(&mut self, ask: &Ask<'_>, kind: HeapKind, cause: TxnError, going_back: &mut GoingBack) {
        for work in self.databases.iter().filter(|_| kind == HeapKind::Table) {
            if let Some(wal) = &work.wal {
                wal.close_broken(&format!("a rollback failed: {cause}"));
            }
        }
        for number in self.trees.temporary(Some(kind)) {
            self.destroy_tree(ask, number);
        }
        for id in self.objects.ids_of(kind) {
            self.destroy(ask, id);
            going_back.lost.push(id);
        }
        going_back.cause.get_or_insert(cause);
        let undo = self.undo_of(kind).expect("work tables have no undo");
        let deferred = undo.clear().unwrap_or_default();
        self.run_deferred(ask, deferred);
    }
}

/// What a rollback did and what it could not do.
#[derive(Default)]
struct GoingBack {
    undone: Vec<ObjectUndo>,
    /// Objects of databases whose definitions were changed.
    definitions: Vec<(DbId, u32)>,
    lost: Vec<ObjectId>,
    cause: Option<TxnError>,
}

impl GoingBack {
    fn finish(self) -> Result<Vec<ObjectUndo>, TxnError> {
        match self.cause {
            None => Ok(self.undone),
            Some(cause) => Err(TxnError::UndoLost { objects: self.lost, undone: self.undone, cause: Box::new(cause) }),
        }
    }
}
