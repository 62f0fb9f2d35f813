//! Going back: what a transaction or a statement changed is undone, the last change first.
//!
//! Each record of the session's undo stacks is taken back by one function of this file. Rows of durable trees are undone
//! with compensations in their log; a heap that cannot be made what it was is lost, and reported so.
//!
//! B1 of `transaction` holds here: [`go_back`] is the only way back, and notifies the catalog. It ends no transaction
//! and releases no lock.

use millpond_storage::check;
use std::sync::Arc;

use millpond_access::tree::Tree;
use millpond_access::{Heap, ObjectId};
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::page::header::Lsn;
use millpond_storage::wal::TxnLog;

use crate::error::TxnError;
use crate::kind::{HeapKind, ObjectUndo, is_of_session};
use crate::manager::TxnManager;
use crate::recovery::restore::{apply_fill_undo, apply_run_undo, apply_undo};
use crate::session::SessionWork;
use crate::undo::Deferred;
use crate::undo::record::UndoRecord;
use crate::undo::row_undo::{self, TreeAddress};
use crate::values;
use millpond_access::heap;
use millpond_access::tree;

/// B1: undoes what was changed since these places of the two stacks, the second only if it is given.
pub(crate) fn go_back(work: &mut SessionWork, ask: &Ask<'_>, (table, local): (u64, Option<u64>)) -> GoingBack {
    let mut going_back = GoingBack::default();
    // What is undone may be a deletion that a scan has walked over.
    work.shared_work.forget_ghosts();
    undo_until(work, ask, HeapKind::Table, table, &mut going_back);
    if let Some(local) = local {
        undo_until(work, ask, HeapKind::Variable, local, &mut going_back);
    }
    check!(
        !work.table.stack.has_records_since(table)
            && local.is_none_or(|local| !work.local.stack.has_records_since(local)),
        "B1: changes are left after the place that was gone back to"
    );
    // Those that were set after it are undone with the rest.
    if let Some(open) = &mut work.transaction {
        open.savepoints.retain(|savepoint| savepoint.at <= table);
    }
    let mut changed = std::mem::take(&mut going_back.definitions);
    if !changed.is_empty() {
        changed.sort_unstable();
        changed.dedup();
        if let Some(definitions) = work.catalog.get() {
            definitions.undone(work, ask, &changed);
        }
    }
    going_back
}

pub(crate) fn run_deferred(work: &mut SessionWork, ask: &Ask<'_>, deferred: Vec<Deferred>) {
    for waiting in deferred {
        match waiting {
            Deferred::Drop(id) => work.destroy(ask, id),
            Deferred::Release(heap, emptied) => work.manager.note_free(heap::undo::release(&heap, ask, emptied)),
            Deferred::FreeValue(value) => values::let_go(work, ask, value),
            Deferred::DropTree(0, tree) => work.manager.note_free(tree.free(ask)),
            Deferred::DropTree(number, _) => work.destroy_tree(ask, number),
        }
    }
}

/// Pops and applies the records above `position`. A page that this splits may come from the database's reserve: a
/// rollback works on a full disk.
fn undo_until(work: &mut SessionWork, ask: &Ask<'_>, kind: HeapKind, position: u64, going_back: &mut GoingBack) {
    let ask = &ask.with_reserve();
    let mut body = Vec::new();
    loop {
        let undo = work.undo_of(kind).expect("work tables have no undo");
        match undo.stack.pop(ask, position, &mut body) {
            Ok(false) => return,
            Ok(true) => apply(work, ask, kind, &body, going_back),
            Err(cause) => return lose_all(work, ask, kind, cause.into(), going_back),
        }
    }
}

fn apply(work: &mut SessionWork, ask: &Ask<'_>, kind: HeapKind, body: &[u8], going_back: &mut GoingBack) {
    let record = UndoRecord::decode(body).expect("the stack gives back what was pushed");
    match record {
        UndoRecord::Slot { object, rid, undo } => {
            apply_to_rows(work, ask, object, going_back, |heap| Ok(heap::undo::restore(heap, ask, rid, undo)?));
        }
        UndoRecord::Tail { object, mark } => {
            apply_to_rows(work, ask, object, going_back, |heap| Ok(heap::undo::cut(heap, ask, &mark)?));
        }
        UndoRecord::Created(object) => {
            // A lost heap is gone already, and reported as lost.
            if work.objects.get_mut(object).is_some() {
                check!(
                    work.objects.get_mut(object).is_some_and(|entry| !entry.dropped),
                    "undo of heap {object} is out of order: it is made after it was dropped"
                );
                work.destroy(ask, object);
                going_back.undone.push(ObjectUndo::Created(object));
            }
        }
        UndoRecord::Dropped(object) => take_back_drop(work, kind, object, going_back),
        UndoRecord::Truncated(object) => refill(work, ask, kind, object, going_back),
        UndoRecord::Row { db: DbId::TEMPDB, prev, undo } => undo_row_of_tempdb(work, ask, prev, undo, going_back),
        UndoRecord::Row { db, prev, undo } => undo_row(work, ask, db, prev, undo, going_back),
        UndoRecord::Rows { db, prev, own, undo } => undo_rows(work, ask, db, (own, prev), undo, going_back),
        UndoRecord::FillBegun { db, undo } => {
            let undo = row_undo::decode_fill(db, undo).expect("the stack gives back what was pushed");
            if let Some(entered) = work.databases.iter_mut().find(|entered| entered.db == db) {
                // What cannot be given back is found by the sweep after the next unclean start.
                work.manager
                    .note_free(tree::reclaim::reclaim_pages(&entered.changed_tree(undo.tree.place), ask).map(drop));
            }
        }
        UndoRecord::Filled { db, prev, undo } => {
            let undo = row_undo::decode_fill(db, undo).expect("the stack gives back what was pushed");
            undo_durable(work, db, undo.tree, prev, going_back, |manager, tree, log, next| {
                apply_fill_undo(ask, manager, tree, log, next, &undo)
            });
        }
        UndoRecord::TreeMade(number) => {
            check!(
                work.trees.get_mut(number).is_none_or(|own| !own.is_dropped),
                "undo of tree {number} is out of order: it is made after it was dropped"
            );
            work.destroy_tree(ask, number);
        }
        UndoRecord::TreeDropped(number) => {
            let deferred = work.undo_of(kind).and_then(|undo| undo.pop_deferred());
            assert!(
                matches!(deferred, Some(Deferred::DropTree(other, _)) if other == number),
                "another than tree {number} waits"
            );
            if let Some(own) = work.trees.get_mut(number) {
                assert!(own.is_dropped, "the drop of tree {number} is taken back, and it is not dropped");
                own.is_dropped = false;
            }
        }
        UndoRecord::ValueMade => values::undo_made_value(work, ask, kind),
        UndoRecord::ValueDropped => values::undo_dropped_value(work, kind),
        UndoRecord::Catalog { db, object } => going_back.definitions.push((db, object)),
    }
}

/// Undoes a change of a row of tempdb: of the session's own tree, or of one that others see.
fn undo_row_of_tempdb(work: &mut SessionWork, ask: &Ask<'_>, prev: Lsn, body: &[u8], going_back: &mut GoingBack) {
    let undo = row_undo::decode(DbId::TEMPDB, body).expect("the stack gives back what was pushed");
    assert!(undo.tree.ids.object_id != 0, "a row of tempdb is undone that is of no object");
    if !is_of_session(DbId::TEMPDB, undo.tree.ids.object_id) {
        return undo_row(work, ask, DbId::TEMPDB, prev, body, going_back);
    }
    let number = undo.tree.ids.hobt as u32;
    // A tree that is lost already needs no undo.
    let Some(own) = work.trees.get_mut(number) else { return };
    check!(!own.is_dropped, "undo of tree {number} is out of order: it is dropped");
    let tree = Arc::clone(&own.tree);
    if let Err(cause) = apply_undo(ask, &work.manager, &tree, &mut TxnLog::without_log(), None, &undo) {
        work.destroy_tree(ask, number);
        going_back.lost.push(ObjectId(tree.ids().object_id));
        going_back.cause.get_or_insert(cause);
    }
}

/// Undoes a change of a durable row.
fn undo_row(work: &mut SessionWork, ask: &Ask<'_>, db: DbId, prev: Lsn, undo: &[u8], going_back: &mut GoingBack) {
    let undo = row_undo::decode(db, undo).expect("the stack gives back what was pushed");
    undo_durable(work, db, undo.tree, prev, going_back, |manager, tree, log, next| {
        apply_undo(ask, manager, tree, log, next, &undo)
    });
}

/// As [`undo_row`] for a run of entries.
fn undo_rows(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    db: DbId,
    (own, prev): (Lsn, Lsn),
    undo: &[u8],
    going_back: &mut GoingBack,
) {
    let undo = row_undo::decode_run(db, undo).expect("the stack gives back what was pushed");
    undo_durable(work, db, undo.tree, prev, going_back, |manager, tree, log, next| {
        apply_run_undo(ask, manager, tree, log, (own, next), &undo)
    });
}

/// Undoes a change of a durable tree; the record `prev` is undone next. What cannot be undone now is undone by recovery:
/// the database is closed for that.
fn undo_durable(
    work: &mut SessionWork,
    db: DbId,
    address: TreeAddress,
    prev: Lsn,
    going_back: &mut GoingBack,
    undo: impl FnOnce(&TxnManager, &Arc<Tree>, &mut TxnLog, Option<Lsn>) -> Result<(), TxnError>,
) {
    let Some(entered) = work.databases.iter_mut().find(|entered| entered.db == db) else { return };
    let tree = entered.changed_tree(address.place);
    let next = (prev != Lsn::default()).then_some(prev);
    check!(
        entered.wal.is_none() || next < entered.log.last,
        "undo goes on at {next:?}, and the transaction's last record is at {:?}",
        entered.log.last
    );
    if let Err(cause) = undo(&work.manager, &tree, &mut entered.log, next) {
        if let Some(wal) = &entered.wal {
            wal.close_broken(&format!("a rollback failed: {cause}"));
        }
        going_back.cause.get_or_insert(cause);
    }
}

fn apply_to_rows(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    object: ObjectId,
    going_back: &mut GoingBack,
    apply: impl FnOnce(&Heap) -> Result<(), TxnError>,
) {
    let Some(entry) = work.objects.get_mut(object) else {
        return;
    };
    check!(!entry.dropped, "undo of heap {object} is out of order: it is dropped");
    entry.tail_marked_at = 0;
    if let Err(cause) = apply(&entry.heap) {
        lose(work, ask, object, cause, going_back);
    }
}

fn take_back_drop(work: &mut SessionWork, kind: HeapKind, object: ObjectId, going_back: &mut GoingBack) {
    let deferred = work.undo_of(kind).and_then(|undo| undo.pop_deferred());
    assert!(matches!(deferred, Some(Deferred::Drop(id)) if id == object), "another than heap {object} waits to go");
    let Some(entry) = work.objects.get_mut(object) else {
        return;
    };
    assert!(entry.dropped, "the drop of heap {object} is taken back, and it is not dropped");
    entry.dropped = false;
    entry.heap.set_dropped(false);
    work.shared.add_heap(&entry.heap, entry.kind);
    going_back.undone.push(ObjectUndo::Dropped(object));
}

fn refill(work: &mut SessionWork, ask: &Ask<'_>, kind: HeapKind, object: ObjectId, going_back: &mut GoingBack) {
    let deferred = work.undo_of(kind).and_then(|undo| undo.pop_deferred());
    let Some(Deferred::Release(heap, emptied)) = deferred else { unreachable!("one per record of a truncation") };
    assert!(heap.object_id() == object, "heap {} is filled again in place of {object}", heap.object_id());
    let Some(entry) = work.objects.get_mut(object) else {
        // The heap was lost; its former rows go too.
        work.manager.note_free(heap::undo::release(&heap, ask, emptied));
        return;
    };
    check!(Arc::ptr_eq(&entry.heap, &heap), "another heap than the one that was emptied has the number {object}");
    entry.tail_marked_at = 0;
    work.manager.note_free(heap::undo::refill(&heap, ask, emptied));
    going_back.undone.push(ObjectUndo::Truncated(object));
}

/// Gives up a heap that cannot be made what it was.
fn lose(work: &mut SessionWork, ask: &Ask<'_>, object: ObjectId, cause: TxnError, going_back: &mut GoingBack) {
    work.destroy(ask, object);
    going_back.lost.push(object);
    going_back.cause.get_or_insert(cause);
}

/// Gives up all heaps that the rest of the stack may be about: the rest cannot be read.
fn lose_all(work: &mut SessionWork, ask: &Ask<'_>, kind: HeapKind, cause: TxnError, going_back: &mut GoingBack) {
    for entered in work.databases.iter().filter(|_| kind == HeapKind::Table) {
        if let Some(wal) = &entered.wal {
            wal.close_broken(&format!("a rollback failed: {cause}"));
        }
    }
    for number in work.trees.temporary(Some(kind)) {
        work.destroy_tree(ask, number);
    }
    for id in work.objects.ids_of(kind) {
        work.destroy(ask, id);
        going_back.lost.push(id);
    }
    going_back.cause.get_or_insert(cause);
    let undo = work.undo_of(kind).expect("work tables have no undo");
    let deferred = undo.clear().unwrap_or_default();
    run_deferred(work, ask, deferred);
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
