//! How the transactions of an instance begin: its databases are recovered, its cleaner starts, and sessions open.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use millpond_storage::ask::Task;
use millpond_storage::contract::SessionId;
use millpond_storage::instance::Instance;
use parking_lot::Mutex;

use crate::databases::Databases;
use crate::decisions::Decisions;
use crate::governor::Governor;
use crate::lock::LockManager;
use crate::manager::TxnManager;
use crate::session::SessionWork;
use crate::undo::undo_stack::SharedLog;
use crate::version::ghosts::Cleaner;
use crate::version::snapshot::Sequence;
use crate::version::version_store::VersionStore;

impl TxnManager {
    /// The manager of an open instance.
    #[must_use]
    pub fn new(instance: Arc<Instance>) -> Arc<TxnManager> {
        let log = Arc::new(SharedLog::new(Arc::clone(instance.undo_log())));
        let manager = Arc::new(TxnManager {
            log,
            sessions: Mutex::default(),
            next_object: AtomicU32::new(0),
            failed_frees: AtomicU64::new(0),
            locks: LockManager::new(Arc::clone(instance.waits())),
            sequence: Sequence::new(),
            versions: VersionStore::new(Arc::clone(&instance)),
            databases: Databases::default(),
            trees: Mutex::default(),
            cleaner: Cleaner::default(),
            failed_recoveries: Mutex::default(),
            decisions: Decisions::default(),
            governor: Governor::new(),
            instance,
        });
        manager.recover_all();
        manager.start_cleaner();
        manager
    }

    /// Work of a session; `task` is who it asks as.
    #[must_use]
    pub fn open_session(self: &Arc<Self>, session: SessionId, task: Arc<Task>) -> SessionWork {
        SessionWork::open(self, session, task)
    }
}
