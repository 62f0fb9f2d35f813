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

use millpond_access::tree::Tree;
use millpond_access::{Heap, ObjectId};
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::page::header::Lsn;
use millpond_storage::wal::TxnLog;

use crate::error::TxnError;
use crate::kind::{HeapKind, ObjectUndo};
use crate::manager::TxnManager;
use crate::recovery::restore::{apply_fill_undo, apply_run_undo, apply_undo};
use crate::session::SessionWork;
use crate::undo::Deferred;
use crate::undo::record::UndoRecord;
use crate::undo::row_undo::{self, TreeAddress};

impl SessionWork {
    /// B1: undoes what was changed since these places of the two stacks, the second only if it is given.
    pub(crate) fn go_back(&mut self, ask: &Ask<'_>, (table, local): (u64, Option<u64>)) -> GoingBack {
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

    pub(crate) fn run_deferred(&mut self, ask: &Ask<'_>, deferred: Vec<Deferred>) {
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
pub(crate) struct GoingBack {
    pub undone: Vec<ObjectUndo>,
    /// Objects of databases whose definitions were changed.
    pub definitions: Vec<(DbId, u32)>,
    pub lost: Vec<ObjectId>,
    pub cause: Option<TxnError>,
}

impl GoingBack {
    pub(crate) fn finish(self) -> Result<Vec<ObjectUndo>, TxnError> {
        match self.cause {
            None => Ok(self.undone),
            Some(cause) => Err(TxnError::UndoLost { objects: self.lost, undone: self.undone, cause: Box::new(cause) }),
        }
    }
}
