//! What can go wrong with a session's work.

use millpond_access::{AccessError, ObjectId};
use millpond_storage::undo_log::LogError;

use crate::kind::ObjectUndo;

/// An operation that did not happen.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TxnError {
    /// A heap refused.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The undo could not be kept (9002).
    #[error(transparent)]
    Log(#[from] LogError),
    /// COMMIT or ROLLBACK without a transaction (3902, 3903).
    #[error("no transaction is open")]
    NoTransaction,
    /// ROLLBACK to a name that no savepoint has (6401).
    #[error("no savepoint '{0}'")]
    NoSuchSavepoint(String),
    /// The heap is not one of this session, or is dropped.
    #[error("object {0} is not an object of this session")]
    NoSuchObject(ObjectId),
    /// Undo failed for some heaps; they are dropped, everything else was undone.
    #[error("undo failed, objects are lost: {cause}")]
    UndoLost {
        /// The heaps that are gone.
        objects: Vec<ObjectId>,
        /// What the caller's catalog must undo beside.
        undone: Vec<ObjectUndo>,
        /// The first failure.
        cause: Box<TxnError>,
    },
}
