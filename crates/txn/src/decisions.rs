//! Decisions over transactions of several databases that cannot be forgotten yet.
//!
//! What always holds: a decision that is here is durable in its coordinator's log, and open there.

use millpond_storage::check;
use millpond_storage::wal::{Coordinator, TxnLog};
use parking_lot::Mutex;

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
pub(crate) struct Decisions(Mutex<Vec<Decision>>);

impl Decisions {
    pub(crate) fn push(&self, decision: Decision) {
        assert!(decision.log.has_records(), "a decision that is in no log");
        check!(!self.has(decision.coordinator), "a transaction is decided twice");
        self.0.lock().push(decision);
    }

    pub(crate) fn has(&self, coordinator: Coordinator) -> bool {
        self.0.lock().iter().any(|decision| decision.coordinator == coordinator)
    }

    /// Takes those that are `wanted`.
    pub(crate) fn take(&self, wanted: impl Fn(&Decision) -> bool) -> Vec<Decision> {
        self.0.lock().extract_if(.., |decision| wanted(decision)).collect()
    }
}
