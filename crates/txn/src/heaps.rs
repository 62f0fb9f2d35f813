//! Temporary heaps come and go with a session's work.
//!
//! What was dropped or truncated keeps its space until nothing can bring it back (S2 of `session`).

use std::sync::Arc;

use millpond_access::{Ctx, Heap};
use millpond_storage::ask::Ask;
use millpond_storage::check;

use crate::error::TxnError;
use crate::kind::HeapKind;
use crate::manager::TxnManager;
use crate::objects::Entry;
use crate::session::SessionWork;
use crate::undo::record::UndoRecord;

impl SessionWork {
    /// Creates a heap without rows.
    ///
    /// # Errors
    /// [`TxnError::Log`].
    pub fn create_heap(&mut self, ask: &Ask<'_>, kind: HeapKind) -> Result<Arc<Heap>, TxnError> {
        let id = self.manager.next_object_id();
        if let Some(undo) = self.undo_of(kind) {
            undo.stack.reserve(ask)?;
            undo.stack.push(&UndoRecord::Created(id));
        }
        let ctx = Ctx {
            db: TxnManager::DB,
            pool: Arc::clone(self.manager.instance().pool()),
            space: Arc::clone(self.manager.instance().tempdb_space()),
            owner: kind.owner(),
            usage: Arc::clone(self.shared.usage_of(kind)),
        };
        let heap = Heap::create(&ctx, id);
        self.objects.add(Entry::new(Arc::clone(&heap), kind));
        self.shared.add_heap(&heap, kind);
        Ok(heap)
    }

    /// Drops a heap: at once when it is a work table, else when nothing can bring it back any more.
    ///
    /// # Errors
    /// [`TxnError`]
    pub fn drop_heap(&mut self, ask: &Ask<'_>, heap: &Arc<Heap>) -> Result<(), TxnError> {
        let id = heap.object_id();
        let entry = self.objects.live(id)?;
        check!(Arc::ptr_eq(&entry.heap, heap), "S2: another heap of the number {id} is dropped");
        let kind = entry.kind;
        let Some(undo) = self.undo_of(kind) else {
            self.destroy(ask, id);
            return Ok(());
        };
        undo.stack.reserve(ask)?;
        undo.push_drop(id);
        self.objects.get_mut(id).expect("live above").dropped = true;
        heap.set_dropped(true);
        self.shared.remove_heap(id);
        self.settle(ask)
    }

    /// Takes all rows out of a heap; its space is free when nothing can bring them back any more.
    ///
    /// # Errors
    /// [`TxnError`]
    pub fn truncate_heap(&mut self, ask: &Ask<'_>, heap: &Arc<Heap>) -> Result<(), TxnError> {
        let id = heap.object_id();
        let entry = self.objects.live(id)?;
        check!(Arc::ptr_eq(&entry.heap, heap), "S2: another heap of the number {id} is emptied");
        let kind = entry.kind;
        let Some(undo) = self.undo_of(kind) else {
            self.manager.note_free(heap.release(ask, heap.empty_out()));
            return Ok(());
        };
        undo.stack.reserve(ask)?;
        undo.push_truncate(heap, heap.empty_out());
        self.objects.get_mut(id).expect("live above").tail_marked_at = 0;
        self.settle(ask)
    }
}
