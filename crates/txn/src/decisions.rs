//! Decisions over transactions of several databases that cannot be forgotten yet.
//!
//! What always holds: a decision that is here is durable in its coordinator's log, and open there.

use millpond_storage::check;
use millpond_storage::wal::{Coordinator, TxnLog};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};

/// A transaction that a database decided to commit and that others may not know of yet.
#[derive(Debug)]
pub(crate) struct Decision {
    pub(crate) coordinator: Coordinator,
    /// The coordinator's part.
    pub(crate) log: TxnLog,
    /// GUIDs of the others.
    pub(crate) participants: Vec<[u8; 16]>,
}

/// The decisions of all open databases.
#[derive(Debug, Default)]
pub(crate) struct Decisions {
    list: Mutex<Vec<Decision>>,
    /// Held for reading by a commit of several databases, from its first part to its last.
    agreeing: RwLock<()>,
}

impl Decisions {
    pub(crate) fn push(&self, decision: Decision) {
        assert!(decision.log.has_records(), "a decision that is in no log");
        check!(!self.has(decision.coordinator), "a transaction is decided twice");
        self.list.lock().push(decision);
    }

    /// While this lives some databases may know of a commit that others have prepared for.
    pub(crate) fn agree(&self) -> RwLockReadGuard<'_, ()> {
        self.agreeing.read()
    }

    /// Does `work` at a moment when all databases know of the same commits, but for those that are on the list.
    pub(crate) fn between(&self, work: &mut dyn FnMut()) {
        let _none = self.agreeing.write();
        check!(self.agreeing.try_read().is_none(), "a commit of several databases is under way between two of them");
        work();
    }

    pub(crate) fn has(&self, coordinator: Coordinator) -> bool {
        self.list.lock().iter().any(|decision| decision.coordinator == coordinator)
    }

    /// Takes those that are `wanted`.
    pub(crate) fn take(&self, wanted: impl Fn(&Decision) -> bool) -> Vec<Decision> {
        self.list.lock().extract_if(.., |decision| wanted(decision)).collect()
    }
}
