//! A session's work in tempdb: its heaps, its transaction, its statements, and the undo of all of them.
//!
//! ```text
//!                 begin          save        statement            rollback_to        commit
//!   transaction ────┼──────────────┼──────┬──────────────┬─────────────┼───────────────┼────▶ time
//!   table stack     0 ── records ──▲──────▲── records ───┘             back to ▲       cleared, drops happen
//!   local stack                           ▲── records ───┘ cleared at the end of the outermost statement
//! ```
//!
//! What always holds:
//! - S1: undo of tables lies in `table`, undo of table variables in `local`: a ROLLBACK of the user leaves these alone.
//! - S2: what was dropped or truncated keeps its space until the stack that would bring it back is cleared.
//! - S3: without a transaction, the end of the outermost statement is the commit.
//! - S4: at most one heap of the session has its tail pinned: the one that was inserted into last.
//!
//! It knows no names, no columns and no SQL.

use std::sync::Arc;

use millpond_access::{Ctx, Heap, ObjectId};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;

use crate::error::TxnError;
use crate::kind::HeapKind;
use crate::manager::TxnManager;
use crate::objects::{Entry, Objects};
use crate::record::UndoRecord;
use crate::undo::Undo;
use crate::usage::SessionShared;

/// Where a statement began.
#[must_use = "the statement ends with end_statement or abort_statement"]
#[derive(Clone, Copy, Debug)]
pub struct StatementMark {
    pub(crate) table: u64,
    pub(crate) local: u64,
    pub(crate) depth: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Transaction {
    /// Names and places in the table stack, oldest first.
    pub savepoints: Vec<(String, u64)>,
}

/// The work of one session. Dropping it drops all of its objects.
#[derive(Debug)]
pub struct SessionWork {
    pub(crate) manager: Arc<TxnManager>,
    pub(crate) task: Arc<Task>,
    pub(crate) shared: Arc<SessionShared>,
    pub(crate) objects: Objects,
    /// S1
    pub(crate) table: Undo,
    /// S1
    pub(crate) local: Undo,
    pub(crate) transaction: Option<Transaction>,
    /// Statements begun and not ended.
    pub(crate) depth: u32,
}

impl SessionWork {
    pub(crate) fn open(manager: &Arc<TxnManager>, session: SessionId, task: Arc<Task>) -> SessionWork {
        let shared = Arc::new(SessionShared::new(session));
        manager.register(&shared);
        SessionWork {
            manager: Arc::clone(manager),
            task,
            shared,
            objects: Objects::default(),
            table: Undo::new(manager.log()),
            local: Undo::new(manager.log()),
            transaction: None,
            depth: 0,
        }
    }

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
        let kind = self.objects.live(id)?.kind;
        let Some(undo) = self.undo_of(kind) else {
            self.destroy(ask, id);
            return Ok(());
        };
        undo.stack.reserve(ask)?;
        undo.push_drop(id);
        self.objects.get_mut(id).expect("live above").dropped = true;
        heap.set_dropped(true);
        self.shared.remove_heap(id);
        self.settle(ask);
        Ok(())
    }

    /// Takes all rows out of a heap; its space is free when nothing can bring them back any more.
    ///
    /// # Errors
    /// [`TxnError`]
    pub fn truncate_heap(&mut self, ask: &Ask<'_>, heap: &Arc<Heap>) -> Result<(), TxnError> {
        let id = heap.object_id();
        let kind = self.objects.live(id)?.kind;
        let Some(undo) = self.undo_of(kind) else {
            self.manager.note_free(heap.release(ask, heap.empty_out()));
            return Ok(());
        };
        undo.stack.reserve(ask)?;
        undo.push_truncate(heap, heap.empty_out());
        self.objects.get_mut(id).expect("live above").tail_marked_at = 0;
        self.settle(ask);
        Ok(())
    }

    /// The undo that heaps of `kind` have.
    pub(crate) fn undo_of(&mut self, kind: HeapKind) -> Option<&mut Undo> {
        match kind {
            HeapKind::Table => Some(&mut self.table),
            HeapKind::Variable => Some(&mut self.local),
            HeapKind::Work => None,
        }
    }

    /// Gives a heap's space back for good.
    pub(crate) fn destroy(&mut self, ask: &Ask<'_>, id: ObjectId) {
        if let Some(entry) = self.objects.remove(id) {
            self.shared.remove_heap(id);
            self.manager.note_free(entry.heap.destroy(ask));
        }
    }

    /// A request begins: its space is counted from zero.
    pub fn begin_task(&mut self) {
        self.shared.begin_task();
    }

    /// The request is over: its space is added to the session's.
    pub fn end_task(&mut self) {
        self.shared.end_task();
        self.objects.unpin();
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.shared.session
    }

    /// Bytes of undo that the open transaction holds, in memory and in the log.
    #[must_use]
    pub fn undo_bytes(&self) -> u64 {
        self.table.stack.bytes() + self.local.stack.bytes()
    }
}

impl Drop for SessionWork {
    fn drop(&mut self) {
        let (task, nobody) = (Arc::clone(&self.task), IoCount::default());
        let ask = Ask::new(&task, &nobody);
        self.transaction = None;
        self.depth = 0;
        self.forget_undo(&ask);
        for id in self.objects.ids() {
            self.destroy(&ask, id);
        }
        self.manager.unregister(&self.shared);
    }
}

impl TxnManager {
    /// Work of a session; `task` is who it asks as.
    #[must_use]
    pub fn open_session(self: &Arc<Self>, session: SessionId, task: Arc<Task>) -> SessionWork {
        SessionWork::open(self, session, task)
    }
}
