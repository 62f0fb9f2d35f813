//! What a session made: its heaps here, found by number; its trees in `own_trees`.

pub(crate) mod own_trees;

use millpond_storage::check;
use std::collections::HashMap;
use std::sync::Arc;

use millpond_access::{Heap, ObjectId};

use crate::error::TxnError;
use crate::kind::HeapKind;

/// A heap of the session.
#[derive(Debug)]
pub(crate) struct Entry {
    pub heap: Arc<Heap>,
    pub kind: HeapKind,
    /// Dropped, but a rollback can bring it back.
    pub dropped: bool,
    /// Where in its stack the heap's last tail mark lies; of use while it is at or above the stack's boundary, and no
    /// other record of the heap is above it. 0: there is none.
    pub tail_marked_at: u64,
}

impl Entry {
    pub(crate) fn new(heap: Arc<Heap>, kind: HeapKind) -> Entry {
        Entry { heap, kind, dropped: false, tail_marked_at: 0 }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Objects {
    entries: Vec<Entry>,
    index: HashMap<ObjectId, usize>,
    /// The heap that was inserted into last: the only one with a pinned tail (S4).
    hot: usize,
    work_tables: usize,
}

impl Objects {
    pub(crate) fn add(&mut self, entry: Entry) {
        self.work_tables += usize::from(entry.kind == HeapKind::Work);
        let known = self.index.insert(entry.heap.object_id(), self.entries.len());
        assert!(known.is_none(), "two heaps of the number {}", entry.heap.object_id());
        self.entries.push(entry);
        check!(self.is_sound(), "the numbers of the heaps do not lead to them");
    }

    pub(crate) fn remove(&mut self, id: ObjectId) -> Option<Entry> {
        let at = self.index.remove(&id)?;
        let entry = self.entries.swap_remove(at);
        assert!(entry.heap.object_id() == id, "heap {id} is found at the place of {}", entry.heap.object_id());
        self.work_tables -= usize::from(entry.kind == HeapKind::Work);
        if let Some(moved) = self.entries.get(at) {
            self.index.insert(moved.heap.object_id(), at);
        }
        if self.hot == self.entries.len() {
            self.hot = at;
        } else if self.hot == at {
            self.hot = usize::MAX;
        }
        check!(self.is_sound(), "the numbers of the heaps do not lead to them");
        Some(entry)
    }

    /// Whether each number leads to its heap, and the work tables are counted.
    fn is_sound(&self) -> bool {
        self.index.len() == self.entries.len()
            && self
                .index
                .iter()
                .all(|(id, at)| self.entries.get(*at).is_some_and(|entry| entry.heap.object_id() == *id))
            && self.work_tables == self.entries.iter().filter(|entry| entry.kind == HeapKind::Work).count()
    }

    pub(crate) fn get_mut(&mut self, id: ObjectId) -> Option<&mut Entry> {
        let at = *self.index.get(&id)?;
        check!(
            self.entries.get(at).is_some_and(|entry| entry.heap.object_id() == id),
            "another heap is found for {id}"
        );
        self.entries.get_mut(at)
    }

    /// The entry of a heap that is not dropped.
    pub(crate) fn live(&mut self, id: ObjectId) -> Result<&mut Entry, TxnError> {
        self.get_mut(id).filter(|entry| !entry.dropped).ok_or(TxnError::NoSuchObject(id))
    }

    /// As [`Objects::live`], for an insert: the heap becomes the one whose tail is pinned.
    #[inline]
    pub(crate) fn live_hot(&mut self, id: ObjectId) -> Result<&mut Entry, TxnError> {
        let is_hot = self.entries.get(self.hot).is_some_and(|entry| entry.heap.object_id() == id && !entry.dropped);
        if !is_hot {
            self.live(id)?;
            self.unpin();
            self.hot = self.index[&id];
        }
        check!(self.entries[self.hot].heap.object_id() == id, "S4: the pinned tail is another heap's");
        Ok(&mut self.entries[self.hot])
    }

    /// Unpins the tail that is pinned.
    pub(crate) fn unpin(&mut self) {
        if let Some(entry) = self.entries.get(self.hot) {
            entry.heap.unpin();
        }
        self.hot = usize::MAX;
    }

    pub(crate) fn ids(&self) -> Vec<ObjectId> {
        self.index.keys().copied().collect()
    }

    pub(crate) fn ids_of(&self, kind: HeapKind) -> Vec<ObjectId> {
        self.entries.iter().filter(|entry| entry.kind == kind).map(|entry| entry.heap.object_id()).collect()
    }

    pub(crate) fn has_work(&self) -> bool {
        self.work_tables > 0
    }

    /// Work tables that only the session holds.
    pub(crate) fn forgotten_work(&self) -> Vec<ObjectId> {
        let forgotten = |entry: &&Entry| entry.kind == HeapKind::Work && Arc::strong_count(&entry.heap) == 1;
        self.entries.iter().filter(forgotten).map(|entry| entry.heap.object_id()).collect()
    }
}
