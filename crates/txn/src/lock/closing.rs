//! Databases that a session has for itself: ALTER DATABASE … SET OFFLINE, RESTORE, DROP and their kin.
//!
//! ```text
//!   closer:    note the database ──▶ who has locks in it? (under each shard's lock) ──▶ nobody: close its files
//!   newcomer:  lock granted (under its shard's lock) ──▶ is the database noted? ──▶ give the lock back, wait (`closing_wait.rs`),
//!              try again
//! ```
//! What always holds:
//! - Z2: of a closer and a newcomer one sees the other: the closer notes the database before it looks, the newcomer looks after it
//!   has a lock. Locks of rows are taken under their object's (`owner.rs`, O1), so the object's lock is looked after.
//! - Z3: who is in a database already, by a lock or because the closer's caller says so, gets further locks there: the closer waits
//!   for it or ends it, and it must be able to come to its end.
//! - Z4: a database is noted once at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use millpond_storage::check;
use millpond_storage::contract::{DbId, SessionId};
use parking_lot::Mutex;

use super::closing_wait::Waiting;

/// Whether a session may go on in a database that another has for itself.
type MayPass = Arc<dyn Fn(SessionId) -> bool + Send + Sync>;

struct Noted {
    db: DbId,
    closer: SessionId,
    may_pass: MayPass,
}

/// The databases that sessions have for themselves.
pub struct ClosedDatabases {
    count: AtomicUsize,
    noted: Mutex<Vec<Noted>>,
    /// Waits about them, which are in no queue.
    pub(super) waiting: Mutex<Vec<Arc<Waiting>>>,
}

impl std::fmt::Debug for ClosedDatabases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClosedDatabases").field("count", &self.count).finish()
    }
}

/// A database that a session has for itself, until this is dropped.
#[derive(Debug)]
pub struct ClosedDatabase {
    among: Arc<ClosedDatabases>,
    db: DbId,
}

impl Drop for ClosedDatabase {
    fn drop(&mut self) {
        let mut noted = self.among.noted.lock();
        let before = noted.len();
        noted.retain(|one| one.db != self.db);
        assert!(noted.len() + 1 == before, "Z4: database {} is given back, and was not noted once", self.db);
        self.among.count.store(noted.len(), SeqCst);
    }
}

impl ClosedDatabases {
    pub(super) fn new() -> Arc<ClosedDatabases> {
        Arc::new(ClosedDatabases { count: AtomicUsize::new(0), noted: Mutex::default(), waiting: Mutex::default() })
    }

    /// From now on sessions that are not in the database get no lock there; `may_pass` says of others than the closer who is in it
    /// all the same. `None`: another session has it for itself (Z4).
    #[must_use]
    pub fn close(
        self: &Arc<Self>,
        db: DbId,
        closer: SessionId,
        may_pass: impl Fn(SessionId) -> bool + Send + Sync + 'static,
    ) -> Option<ClosedDatabase> {
        assert!(db.0 > 0, "a session wants a database for itself, and its number is that of none");
        let mut noted = self.noted.lock();
        if noted.iter().any(|one| one.db == db) {
            return None;
        }
        noted.push(Noted { db, closer, may_pass: Arc::new(may_pass) });
        self.count.store(noted.len(), SeqCst);
        check!(self.any(), "Z2: database {db} is noted, and newcomers do not look");
        drop(noted);
        Some(ClosedDatabase { among: Arc::clone(self), db })
    }

    /// Whether another session has the database for itself.
    #[must_use]
    pub fn has_another(&self, db: DbId, session: SessionId) -> bool {
        self.any() && self.noted.lock().iter().any(|one| one.db == db && one.closer != session)
    }

    /// The session that has the database for itself.
    #[must_use]
    pub fn closer_of(&self, db: DbId) -> Option<SessionId> {
        self.noted.lock().iter().find(|one| one.db == db).map(|one| one.closer)
    }

    /// Whether any session has a database for itself.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.count.load(SeqCst) > 0
    }

    /// Whether another has the database for itself, and may not be passed by this session (Z3).
    #[cold]
    #[must_use]
    pub fn keeps_out(&self, db: DbId, session: SessionId) -> bool {
        let noted = self.noted.lock();
        let closed = noted.iter().find(|one| one.db == db && one.closer != session);
        let may_pass = closed.map(|one| Arc::clone(&one.may_pass));
        drop(noted);
        may_pass.is_some_and(|may_pass| !may_pass(session))
    }
}
