//! A stack of undo records and the objects that wait for its end: dropped heaps, emptied heaps.

pub(crate) mod record;
pub(crate) mod row_undo;
pub(crate) mod undo_stack;

use millpond_storage::check;
use std::sync::Arc;

use millpond_access::tree::Tree;
use millpond_access::{Emptied, Heap, Journal, ObjectId, Rid, SlotUndo, TailMark};
use millpond_storage::ask::Ask;
use millpond_storage::tempdb::undo_log::LogError;

use crate::undo::record::UndoRecord;
use crate::undo::undo_stack::{SharedLog, UndoStack};
use crate::version::loose_value::LooseValue;

/// What happens when the stack is cleared, unless its record is popped before.
#[derive(Debug)]
pub(crate) enum Deferred {
    Drop(ObjectId),
    Release(Arc<Heap>, Emptied),
    /// A tree of the session (its number), or one of a durable database (0).
    DropTree(u32, Arc<Tree>),
    /// A large value that its row let go.
    FreeValue(LooseValue),
}

#[derive(Debug)]
pub(crate) struct Undo {
    pub stack: UndoStack,
    /// One for each record of a drop (of a table, a tree, a value) or a truncation, in the same order.
    deferred: Vec<Deferred>,
    /// One for each record of a value that was written, in the same order.
    made: Vec<LooseValue>,
}

impl Undo {
    pub(crate) fn new(log: &Arc<SharedLog>) -> Undo {
        Undo { stack: UndoStack::new(log), deferred: Vec::new(), made: Vec::new() }
    }

    /// Notes a drop; the caller has reserved.
    pub(crate) fn push_drop(&mut self, id: ObjectId) {
        self.stack.push(&UndoRecord::Dropped(id));
        self.deferred.push(Deferred::Drop(id));
    }

    /// Notes a truncation; the caller has reserved.
    pub(crate) fn push_truncate(&mut self, heap: &Arc<Heap>, emptied: Emptied) {
        self.stack.push(&UndoRecord::Truncated(heap.object_id()));
        self.deferred.push(Deferred::Release(Arc::clone(heap), emptied));
    }

    /// Notes that a tree is dropped; the caller has reserved.
    pub(crate) fn push_drop_tree(&mut self, number: u32, tree: &Arc<Tree>) {
        self.stack.push(&UndoRecord::TreeDropped(number));
        self.deferred.push(Deferred::DropTree(number, Arc::clone(tree)));
    }

    /// Notes that a value was written; the caller has reserved.
    pub(crate) fn push_made(&mut self, value: LooseValue) {
        self.stack.push(&UndoRecord::ValueMade);
        self.made.push(value);
    }

    /// Notes that a row let a value go; the caller has reserved.
    pub(crate) fn push_drop_value(&mut self, value: LooseValue) {
        self.stack.push(&UndoRecord::ValueDropped);
        self.deferred.push(Deferred::FreeValue(value));
    }

    /// The values that rows let go.
    pub(crate) fn let_go(&self) -> impl Iterator<Item = &LooseValue> {
        self.deferred.iter().filter_map(|deferred| match deferred {
            Deferred::FreeValue(value) => Some(value),
            _ => None,
        })
    }

    pub(crate) fn pop_made(&mut self) -> Option<LooseValue> {
        check!(!self.made.is_empty(), "L1: the writing of a value is undone, and none was written");
        self.made.pop()
    }

    pub(crate) fn pop_deferred(&mut self) -> Option<Deferred> {
        check!(!self.deferred.is_empty(), "S2: a drop is taken back, and nothing waits to go");
        self.deferred.pop()
    }

    /// Forgets the undo; returns what is to happen now, if anything.
    #[inline]
    pub(crate) fn clear(&mut self) -> Option<Vec<Deferred>> {
        check!(
            self.stack.has_records_since(0) || self.deferred.is_empty() && self.made.is_empty(),
            "S2: {} objects and {} values wait, and no record says so",
            self.deferred.len(),
            self.made.len()
        );
        // What waits has a record.
        if !self.stack.has_records_since(0) {
            return None;
        }
        self.stack.clear();
        // They are their rows' now.
        self.made.clear();
        (!self.deferred.is_empty()).then(|| std::mem::take(&mut self.deferred))
    }
}

/// The journal of one heap: its records go on the stack.
pub(crate) struct Recorder<'a> {
    pub stack: &'a mut UndoStack,
    pub object: ObjectId,
    /// [`crate::objects::Entry::tail_marked_at`]
    pub tail_marked_at: &'a mut u64,
}

impl Journal for Recorder<'_> {
    #[inline]
    fn reserve(&mut self, ask: &Ask<'_>) -> Result<(), LogError> {
        self.stack.reserve(ask)
    }

    #[inline]
    fn wants_tail(&self) -> bool {
        check!(*self.tail_marked_at <= self.stack.position(), "a tail mark lies ahead of the stack");
        *self.tail_marked_at < self.stack.boundary()
    }

    fn tail(&mut self, ask: &Ask<'_>, mark: TailMark) -> Result<(), LogError> {
        self.stack.reserve(ask)?;
        *self.tail_marked_at = self.stack.position();
        self.stack.push(&UndoRecord::Tail { object: self.object, mark });
        Ok(())
    }

    fn slot(&mut self, rid: Rid, undo: SlotUndo<'_>) {
        self.stack.push(&UndoRecord::Slot { object: self.object, rid, undo });
        *self.tail_marked_at = 0;
    }
}
