//! What a heap is to its session, and what a rollback does to it.

use millpond_access::ObjectId;
use millpond_storage::contract::DbId;

/// What kind of object a heap is: which rollback undoes it, and what its space is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeapKind {
    /// A temporary table: transactional.
    Table,
    /// A table variable: undone with its statement, not with the user's transaction.
    Variable,
    /// A work table: never undone; dropped at the end of the outermost statement when nothing else holds it.
    Work,
}

/// What a rollback did to the session's objects: what the caller's catalog must forget or take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectUndo {
    /// Its creation was undone: it is gone.
    Created(ObjectId),
    /// Its drop was undone: it is there again.
    Dropped(ObjectId),
    /// Its truncation was undone: its rows are there again.
    Truncated(ObjectId),
}

/// From here on up lie the numbers of objects of one session in tempdb; below them are those of its catalog.
pub(crate) const OWN_OBJECTS: u32 = 1 << 31;

/// Whether an object is of one session alone: one of tempdb that is not in tempdb's catalog.
#[inline]
pub(crate) fn is_of_session(db: DbId, object: u32) -> bool {
    db == DbId::TEMPDB && object >= OWN_OBJECTS
}
