//! Transactions and statements: where they begin, and how they end, forward or back.

use millpond_access::{Heap, ObjectId};
use millpond_storage::ask::Ask;

use crate::error::TxnError;
use crate::kind::{HeapKind, ObjectUndo};
use crate::record::UndoRecord;
use crate::session::{SessionWork, StatementMark};
use crate::undo::Deferred;

impl SessionWork {
    /// Whether a transaction of the user is open.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// Opens a transaction; within one it does nothing (who counts nesting is above).
    pub fn begin(&mut self) {
        self.transaction.get_or_insert_default();
    }

    /// Makes the transaction's changes final and frees what it dropped.
    ///
    /// # Errors
    /// [`TxnError::NoTransaction`].
    pub fn commit(&mut self, ask: &Ask<'_>) -> Result<(), TxnError> {
        self.transaction.take().ok_or(TxnError::NoTransaction)?;
        self.keep_table_changes(ask);
        Ok(())
    }

    /// Undoes the transaction's changes, but for those of table variables.
    ///
    /// # Errors
    /// [`TxnError::NoTransaction`]; [`TxnError::UndoLost`], after which there is no transaction either.
    pub fn rollback(&mut self, ask: &Ask<'_>) -> Result<Vec<ObjectUndo>, TxnError> {
        self.transaction.take().ok_or(TxnError::NoTransaction)?;
        let mut going_back = GoingBack::default();
        self.undo_until(ask, HeapKind::Table, 0, &mut going_back);
        self.keep_table_changes(ask);
        going_back.finish()
    }

    /// Sets a savepoint; several may have the same name.
    pub fn save(&mut self, name: &str) {
        let at = self.table.stack.set_boundary();
        self.transaction.get_or_insert_default().savepoints.push((name.to_owned(), at));
    }

    /// Undoes what was changed after the last savepoint of that name, which stays.
    ///
    /// # Errors
    /// [`TxnError::NoTransaction`], [`TxnError::NoSuchSavepoint`], [`TxnError::UndoLost`].
    pub fn rollback_to(&mut self, ask: &Ask<'_>, name: &str) -> Result<Vec<ObjectUndo>, TxnError> {
        let transaction = self.transaction.as_mut().ok_or(TxnError::NoTransaction)?;
        let found = transaction.savepoints.iter().rposition(|(other, _)| other == name);
        let index = found.ok_or_else(|| TxnError::NoSuchSavepoint(name.to_owned()))?;
        let at = transaction.savepoints[index].1;
        transaction.savepoints.truncate(index + 1);
        let mut going_back = GoingBack::default();
        self.undo_until(ask, HeapKind::Table, at, &mut going_back);
        going_back.finish()
    }

    /// A statement begins; statements may be nested.
    pub fn begin_statement(&mut self) -> StatementMark {
        let mark = StatementMark {
            table: self.table.stack.set_boundary(),
            local: self.local.stack.set_boundary(),
            depth: self.depth,
        };
        self.depth += 1;
        mark
    }

    /// The statement succeeded. At the end of the outermost one its undo goes, unless a transaction keeps it.
    ///
    /// # Errors
    /// None at present; the face leaves room for a commit that fails.
    pub fn end_statement(&mut self, ask: &Ask<'_>, mark: StatementMark) -> Result<(), TxnError> {
        self.depth = mark.depth;
        self.settle(ask);
        Ok(())
    }

    /// The statement failed: its changes are undone, those of table variables too.
    ///
    /// # Errors
    /// [`TxnError::UndoLost`]; the statement is over all the same.
    pub fn abort_statement(&mut self, ask: &Ask<'_>, mark: StatementMark) -> Result<Vec<ObjectUndo>, TxnError> {
        let mut going_back = GoingBack::default();
        self.undo_until(ask, HeapKind::Table, mark.table, &mut going_back);
        self.undo_until(ask, HeapKind::Variable, mark.local, &mut going_back);
        self.depth = mark.depth;
        self.settle(ask);
        going_back.finish()
    }

    /// Outside of statements, makes final what nothing can undo any more (S3), and drops forgotten work tables.
    #[inline]
    pub(crate) fn settle(&mut self, ask: &Ask<'_>) {
        if self.depth > 0 {
            return;
        }
        self.keep_variable_changes(ask);
        if self.transaction.is_none() {
            self.keep_table_changes(ask);
        }
        if self.objects.has_work() {
            for id in self.objects.forgotten_work() {
                self.destroy(ask, id);
            }
        }
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

    /// Ends all undo without going back: the session ends.
    pub(crate) fn forget_undo(&mut self, ask: &Ask<'_>) {
        self.keep_variable_changes(ask);
        self.keep_table_changes(ask);
    }

    fn run_deferred(&mut self, ask: &Ask<'_>, deferred: Vec<Deferred>) {
        for waiting in deferred {
            match waiting {
                Deferred::Drop(id) => self.destroy(ask, id),
                Deferred::Release(heap, emptied) => self.manager.note_free(heap.release(ask, emptied)),
            }
        }
    }

    /// Pops and applies the records above `position`.
    fn undo_until(&mut self, ask: &Ask<'_>, kind: HeapKind, position: u64, going_back: &mut GoingBack) {
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
                    self.destroy(ask, object);
                    going_back.undone.push(ObjectUndo::Created(object));
                }
            }
            UndoRecord::Dropped(object) => self.take_back_drop(kind, object, going_back),
            UndoRecord::Truncated(object) => self.refill(ask, kind, object, going_back),
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
        entry.tail_marked_at = 0;
        if let Err(cause) = apply(&entry.heap) {
            self.lose(ask, object, cause, going_back);
        }
    }

    fn take_back_drop(&mut self, kind: HeapKind, object: ObjectId, going_back: &mut GoingBack) {
        let deferred = self.undo_of(kind).and_then(|undo| undo.pop_deferred());
        debug_assert!(matches!(deferred, Some(Deferred::Drop(id)) if id == object));
        let Some(entry) = self.objects.get_mut(object) else {
            return;
        };
        entry.dropped = false;
        entry.heap.set_dropped(false);
        self.shared.add_heap(&entry.heap, entry.kind);
        going_back.undone.push(ObjectUndo::Dropped(object));
    }

    fn refill(&mut self, ask: &Ask<'_>, kind: HeapKind, object: ObjectId, going_back: &mut GoingBack) {
        let deferred = self.undo_of(kind).and_then(|undo| undo.pop_deferred());
        let Some(Deferred::Release(heap, emptied)) = deferred else { unreachable!("one per record of a truncation") };
        debug_assert_eq!(heap.object_id(), object);
        let Some(entry) = self.objects.get_mut(object) else {
            // The heap was lost; its former rows go too.
            self.manager.note_free(heap.release(ask, emptied));
            return;
        };
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
