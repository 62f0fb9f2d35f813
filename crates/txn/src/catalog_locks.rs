//! A session that reads definitions waits for those that change them.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_storage::ask::Ask;

use crate::error::TxnError;
use crate::lock::{LockMode, Resource};
use crate::read::reader::WorkShared;

/// The locks of a session as readers of definitions ask for them: they wait, and keep nothing.
#[derive(Clone, Debug)]
pub struct CatalogLocks(Arc<WorkShared>);

impl CatalogLocks {
    /// The number of the session's transaction; 0 before its first change.
    #[must_use]
    pub fn transaction_number(&self) -> u64 {
        self.0.xsn.load(Relaxed)
    }

    pub(crate) fn new(work: &Arc<WorkShared>) -> CatalogLocks {
        CatalogLocks(Arc::clone(work))
    }

    /// Whether no other session changes the part of the catalog that `resource` stands for.
    #[must_use]
    pub fn is_settled(&self, resource: &Resource) -> bool {
        self.0.locks.is_free(resource, LockMode::SchS)
    }

    /// Waits until no other session changes it.
    ///
    /// # Errors
    /// [`TxnError::Deadlock`], [`TxnError::LockTimeout`], [`TxnError::Cancelled`].
    pub fn settle(&self, ask: &Ask<'_>, resource: Resource, timeout_ms: Option<u32>) -> Result<(), TxnError> {
        Ok(self.0.locks.pass(ask, resource, LockMode::SchS, timeout_ms)?)
    }
}
