//! Temporary heaps come and go with a session's work.
//!
//! What was dropped or truncated keeps its space until nothing can bring it back (S2 of `session`). Changes of their rows are in `heap_rows`.

use std::sync::Arc;

use millpond_access::{Ctx, Heap};
use millpond_storage::ask::Ask;
use millpond_storage::check;

use crate::error::TxnError;
use crate::kind::HeapKind;
use crate::manager::TxnManager;
use crate::objects::Entry;
use crate::session::SessionWork;
use crate::transaction;
use crate::undo::record::UndoRecord;
use millpond_access::heap;

/// Creates a heap without rows.
///
/// # Errors
/// [`TxnError::Log`].
pub fn create_heap(work: &mut SessionWork, ask: &Ask<'_>, kind: HeapKind) -> Result<Arc<Heap>, TxnError> {
    let id = work.manager.next_object_id();
    if let Some(undo) = work.undo_of(kind) {
        undo.stack.reserve(ask)?;
        undo.stack.push(&UndoRecord::Created(id));
    }
    let ctx = Ctx {
        db: TxnManager::DB,
        pool: Arc::clone(work.manager.instance().pool()),
        space: Arc::clone(work.manager.instance().tempdb_space()),
        owner: kind.owner(),
        usage: Arc::clone(work.shared.usage_of(kind)),
    };
    let heap = Heap::create(&ctx, id);
    work.objects.add(Entry::new(Arc::clone(&heap), kind));
    work.shared.add_heap(&heap, kind);
    Ok(heap)
}

/// Drops a heap: at once when it is a work table, else when nothing can bring it back any more.
///
/// # Errors
/// [`TxnError`]
pub fn drop_heap(work: &mut SessionWork, ask: &Ask<'_>, heap: &Arc<Heap>) -> Result<(), TxnError> {
    let id = heap.object_id();
    let entry = work.objects.live(id)?;
    check!(Arc::ptr_eq(&entry.heap, heap), "S2: another heap of the number {id} is dropped");
    let kind = entry.kind;
    let Some(undo) = work.undo_of(kind) else {
        work.destroy(ask, id);
        return Ok(());
    };
    undo.stack.reserve(ask)?;
    undo.push_drop(id);
    work.objects.get_mut(id).expect("live above").dropped = true;
    heap.set_dropped(true);
    work.shared.remove_heap(id);
    transaction::settle(work, ask)
}

/// Takes all rows out of a heap; its space is free when nothing can bring them back any more.
///
/// # Errors
/// [`TxnError`]
pub fn truncate_heap(work: &mut SessionWork, ask: &Ask<'_>, heap: &Arc<Heap>) -> Result<(), TxnError> {
    let id = heap.object_id();
    let entry = work.objects.live(id)?;
    check!(Arc::ptr_eq(&entry.heap, heap), "S2: another heap of the number {id} is emptied");
    let kind = entry.kind;
    let Some(undo) = work.undo_of(kind) else {
        work.manager.note_free(heap::undo::release(heap, ask, heap::undo::empty_out(heap)));
        return Ok(());
    };
    undo.stack.reserve(ask)?;
    undo.push_truncate(heap, heap::undo::empty_out(heap));
    work.objects.get_mut(id).expect("live above").tail_marked_at = 0;
    transaction::settle(work, ask)
}
