//! A database that a session has for itself, for what no other may see half done: OFFLINE, RESTORE, DROP, DETACH and their kin.
//!
//! ```text
//!   Alone::of ──▶ newcomers wait (txn/src/lock/closing.rs) ──▶ others() leave, are ended, or are a reason to refuse
//!             ──▶ shut(): definitions are forgotten, and nobody opens them ──▶ files close ──▶ dropped: newcomers find what is there now
//! ```
//! What always holds: once `others` has said that nobody is in the database, nobody comes in before this is dropped: by USE or a
//! login ([`enter`] waits), by a lock, or by reading the definitions, which are refused with 952 while they are shut. The
//! engine's own changes are made under one lock that `shut` takes, so none is in the middle.

use std::sync::Arc;
use std::time::Duration;

use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_storage::ask::{Ask, IoCount};
use millpond_storage::contract::{DbId, SessionId};
use millpond_txn::lock::ClosedDatabase;
use millpond_txn::{LockMode, Resource, SessionWork, TxnError};

use crate::context::RunContext;
use crate::engine::Engine;
use crate::session_shared::SessionShared;

/// How often it is looked whether another session that has the database for itself has given it back.
const LOOK: Duration = Duration::from_millis(5);

/// A database that a session has for itself until this is dropped.
pub struct Alone {
    engine: Arc<Engine>,
    db: DbId,
    session: SessionId,
    is_shut: bool,
    _closed: ClosedDatabase,
}

impl Alone {
    /// Waits for another session that has it for itself.
    ///
    /// # Errors
    /// Of a cancellation meanwhile.
    pub fn of(ctx: &RunContext, db: DbId) -> SqlResult<Alone> {
        let (engine, session) = (Arc::clone(&ctx.engine), ctx.session.id);
        loop {
            let known = Arc::downgrade(&engine);
            // The engine's own sessions are in no list: they are stopped by `shut`.
            let may_pass = move |session: SessionId| {
                let Some(engine) = known.upgrade() else { return true };
                engine.session(session.0).is_none_or(|session| session.status.lock().database == db)
            };
            if let Some(closed) = engine.txns().locks().closed().close(db, session, may_pass) {
                return Ok(Alone { engine, db, session, is_shut: false, _closed: closed });
            }
            if ctx.task.is_cancelled() {
                return Err(message::cancelled());
            }
            std::thread::sleep(LOOK);
        }
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> DbId {
        self.db
    }

    /// The other sessions that are in it.
    #[must_use]
    pub fn others(&self) -> Vec<Arc<SessionShared>> {
        others_in(&self.engine, self.session, self.db)
    }

    /// Forgets the definitions, and lets nobody open them until they are [opened](Alone::open) or this is dropped.
    pub fn shut(&mut self) {
        self.is_shut = true;
        self.engine.databases().shut(self.db);
    }

    /// The definitions may be opened, anew.
    pub fn open(&mut self) {
        if std::mem::take(&mut self.is_shut) {
            self.engine.databases().open_again(self.db);
        }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.open();
    }
}

/// Others see that a session is in a database from here on; where one has it for itself, after that.
///
/// # Errors
/// 1222, and of a cancellation meanwhile.
pub fn enter(engine: &Engine, session: &SessionShared, db: DbId, timeout_ms: Option<u32>) -> SqlResult<()> {
    if session.status.lock().database == db {
        return Ok(());
    }
    let (task, io) = (Arc::clone(&session.task), IoCount::default());
    let (ask, closed) = (Ask::new(&task, &io), engine.txns().locks().closed());
    loop {
        closed
            .wait_until_open(&ask, db, session.id, timeout_ms)
            .map_err(|error| message::of_txn(TxnError::from(error), Place { schema: "", object: "", database: "" }))?;
        let before = std::mem::replace(&mut session.status.lock().database, db);
        if !closed.has_another(db, session.id) {
            return Ok(());
        }
        session.status.lock().database = before;
    }
}

/// Does something to a whole database, as a backup and a snapshot do, of which its objects have no locks: whoever closes the database
/// meanwhile finds the session in it.
///
/// # Errors
/// 1222, and of a cancellation while another has the database for itself.
pub fn using<T>(ctx: &RunContext, work: &mut SessionWork, db: DbId, act: impl FnOnce() -> T) -> SqlResult<T> {
    let resource = Resource::database(db);
    let locked = work.lock_metadata(&ctx.ask_other(), resource, LockMode::S);
    locked.map_err(|error| message::of_txn(error, Place { schema: "", object: "", database: "" }))?;
    let done = act();
    work.unlock_metadata(resource);
    Ok(done)
}

/// Other sessions that have a database as their current one, a statement or transaction that reads it, or a transaction that changed
/// it; those that are being ended and have changed nothing do not count.
#[must_use]
pub fn others_in(engine: &Engine, own: SessionId, db: DbId) -> Vec<Arc<SessionShared>> {
    let open = engine.txns().transactions();
    let has_changed = |session: SessionId| {
        open.iter().any(|row| row.session == session && row.databases.iter().any(|(changed, _)| *changed == db))
    };
    let reading = engine.txns().locks().sessions_in(db);
    let mut sessions = engine.sessions();
    sessions.retain(|session| {
        let status = session.status.lock();
        let is_idle = status.request.is_none();
        let uses = status.database == db || reading.contains(&session.id);
        drop(status);
        let is_in = uses && !(session.is_killed() && is_idle);
        session.id != own && (is_in || has_changed(session.id))
    });
    sessions
}
