//! What the sessions' work shares: the instance, the log of undo, object numbers, and the list of sessions.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use millpond_access::{AccessError, ObjectId};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::instance::Instance;
use millpond_storage::options::OptionId;
use parking_lot::Mutex;

use crate::undo_stack::SharedLog;
use crate::usage::{SessionShared, SessionSpace};

/// The transactions of an instance.
#[derive(Debug)]
pub struct TxnManager {
    instance: Arc<Instance>,
    log: Arc<SharedLog>,
    sessions: Mutex<HashMap<SessionId, Arc<SessionShared>>>,
    next_object: AtomicU32,
    failed_frees: AtomicU64,
}

impl TxnManager {
    /// Where temporary objects live.
    pub(crate) const DB: DbId = DbId::TEMPDB;

    /// The manager of an open instance.
    #[must_use]
    pub fn new(instance: Arc<Instance>) -> Arc<TxnManager> {
        let log = Arc::new(SharedLog::new(Arc::clone(instance.undo_log())));
        Arc::new(TxnManager {
            instance,
            log,
            sessions: Mutex::default(),
            next_object: AtomicU32::new(0),
            failed_frees: AtomicU64::new(0),
        })
    }

    /// Storage.
    #[must_use]
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Space of each session, in order of their numbers.
    #[must_use]
    pub fn report(&self) -> Vec<SessionSpace> {
        let sessions: Vec<_> = self.sessions.lock().values().cloned().collect();
        let mut report: Vec<_> = sessions.iter().map(|session| session.report()).collect();
        report.sort_by_key(|space| space.session);
        report
    }

    /// Whether bulk loads write their pages at once: the old behaviour, and what it costs.
    pub(crate) fn writes_eagerly(&self) -> bool {
        self.instance.settings().is_on(OptionId::TempdbEagerWrites)
    }

    /// Times that a map page could not be had when space was given back. The space is free all the same; the map pages
    /// of tempdb are made anew at the next start.
    #[must_use]
    pub fn failed_frees(&self) -> u64 {
        self.failed_frees.load(Relaxed)
    }

    pub(crate) fn note_free(&self, freed: Result<(), AccessError>) {
        if freed.is_err() {
            self.failed_frees.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn log(&self) -> &Arc<SharedLog> {
        &self.log
    }

    /// Numbers of temporary objects are negative as `int`; they start over after two thousand million.
    pub(crate) fn next_object_id(&self) -> ObjectId {
        ObjectId(self.next_object.fetch_add(1, Relaxed) | 1 << 31)
    }

    pub(crate) fn register(&self, session: &Arc<SessionShared>) {
        self.sessions.lock().insert(session.session, Arc::clone(session));
    }

    pub(crate) fn unregister(&self, session: &Arc<SessionShared>) {
        let sessions = &mut *self.sessions.lock();
        // The number may have been given to another session meanwhile.
        if sessions.get(&session.session).is_some_and(|found| Arc::ptr_eq(found, session)) {
            sessions.remove(&session.session);
        }
    }
}
