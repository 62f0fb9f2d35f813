//! How the transactions of an instance begin: its databases are recovered, its cleaner starts, and sessions open.

use std::sync::Arc;

use millpond_storage::ask::Task;
use millpond_storage::contract::SessionId;
use millpond_storage::instance::Instance;

use crate::cleaner;
use crate::manager::TxnManager;
use crate::recovery::recover;
use crate::session::SessionWork;

impl TxnManager {
    /// The manager of an open instance.
    #[must_use]
    pub fn new(instance: Arc<Instance>) -> Arc<TxnManager> {
        let manager = TxnManager::assemble(instance);
        recover::recover_all(&manager);
        cleaner::start(&manager);
        manager
    }

    /// Work of a session; `task` is who it asks as.
    #[must_use]
    pub fn open_session(self: &Arc<Self>, session: SessionId, task: Arc<Task>) -> SessionWork {
        SessionWork::open(self, session, task)
    }
}
