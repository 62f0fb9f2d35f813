//! A database that a session has for itself, for what no other may see half done: OFFLINE, RESTORE, DROP, DETACH and their kin, and
//! the making of one.
//!
//! ```text
//!   Alone::of ──▶ newcomers wait (txn/src/lock/closing.rs) ──▶ others() leave, are ended, or are a reason to refuse
//!             ──▶ shut(): definitions are forgotten, and nobody opens them ──▶ files close ──▶ dropped: newcomers find what is there now
//!   Alone::made, before anybody can find it ──▶ undone what was open, definitions opened ──▶ dropped
//! ```
//! What always holds: once `others` has said that nobody is in the database, nobody comes in before this is dropped: by USE, a
//! login or a module (`crate::stay`), by a lock, or by reading the definitions, which are refused with 952 while they are shut. The
//! engine's own changes are made under one lock that `shut` takes, so none is in the middle.

use std::sync::Arc;

use millpond_storage::contract::{DbId, SessionId};
use millpond_txn::lock::{ClosedDatabase, DatabaseWait, LockError, LockMode, wait_while};

use crate::context::RunContext;
use crate::engine::Engine;
use crate::session_shared::SessionShared;

/// A database that a session has for itself until this is dropped.
pub struct Alone {
    engine: Arc<Engine>,
    db: DbId,
    session: SessionId,
    is_shut: bool,
    _closed: ClosedDatabase,
}

impl Alone {
    /// Now, or not at all: another session has it for itself.
    #[must_use]
    pub fn at_once(ctx: &RunContext, db: DbId) -> Option<Alone> {
        let (engine, session) = (Arc::clone(&ctx.engine), ctx.session.id);
        let known = Arc::downgrade(&engine);
        // The engine's own sessions are in no list: they are stopped by `shut`.
        let may_pass = move |session: SessionId| {
            let Some(engine) = known.upgrade() else { return true };
            engine.session(session.0).is_none_or(|session| session.status.lock().is_in(db))
        };
        let closed = engine.txns().locks().closed().close(db, session, may_pass)?;
        Some(Alone { engine, db, session, is_shut: false, _closed: closed })
    }

    /// Waits for another session that has it for itself.
    ///
    /// # Errors
    /// Those of a wait for a lock.
    pub fn of(ctx: &RunContext, db: DbId, timeout_ms: Option<u32>) -> Result<Alone, LockError> {
        loop {
            if let Some(alone) = Alone::at_once(ctx, db) {
                return Ok(alone);
            }
            let closed = Arc::clone(ctx.engine.txns().locks().closed());
            wait_as_closer(ctx, db, timeout_ms, move || closed.closer_of(db).into_iter().collect())?;
        }
    }

    /// A database that is being made: said of its number before anybody can find it.
    ///
    /// # Panics
    /// When it is another session's already.
    #[must_use]
    pub fn made(ctx: &RunContext, db: DbId) -> Alone {
        let mut alone = Alone::at_once(ctx, db).expect("nobody knows the number of a database that is being made");
        alone.is_shut = true;
        ctx.engine.databases().shut_new(db);
        alone
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

    /// Waits until no other session is in it.
    ///
    /// # Errors
    /// Those of a wait for a lock.
    pub fn wait_for_others(&self, ctx: &RunContext, timeout_ms: Option<u32>) -> Result<(), LockError> {
        let (engine, own, db) = (Arc::downgrade(&self.engine), self.session, self.db);
        let others = move || {
            let others = engine.upgrade().map_or_else(Vec::new, |engine| others_in(&engine, own, db));
            others.into_iter().map(|other| other.id).collect()
        };
        wait_as_closer(ctx, self.db, timeout_ms, others)
    }

    /// Waits until the transactions have ended that have changed it.
    ///
    /// # Errors
    /// Those of a wait for a lock.
    pub fn wait_for_transactions(&self, ctx: &RunContext) -> Result<(), LockError> {
        let (engine, db) = (Arc::downgrade(&self.engine), self.db);
        let changing = move || {
            let open = engine.upgrade().map_or_else(Vec::new, |engine| engine.txns().transactions());
            let of_database =
                open.into_iter().flat_map(|row| row.databases.into_iter().map(move |of| (row.session, of)));
            of_database.filter(|(_, (changed, _))| *changed == db).collect::<Vec<_>>()
        };
        let first = changing();
        let still =
            move || changing().into_iter().filter(|one| first.contains(one)).map(|(session, _)| session).collect();
        wait_as_closer(ctx, self.db, None, still)
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

fn wait_as_closer(
    ctx: &RunContext,
    db: DbId,
    timeout_ms: Option<u32>,
    in_the_way: impl Fn() -> Vec<SessionId> + Send + Sync + 'static,
) -> Result<(), LockError> {
    let wait = DatabaseWait { session: ctx.session.id, db, mode: LockMode::X };
    wait_while(ctx.engine.txns().locks(), &ctx.ask_other(), wait, timeout_ms, in_the_way)
}

/// Other sessions that have a database as their current one or an outer scope's, a module or a statement of it, a statement or transaction that reads it, or a transaction that changed
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
        let uses = status.is_in(db) || reading.contains(&session.id);
        drop(status);
        let is_in = uses && !(session.is_killed() && is_idle);
        session.id != own && (is_in || has_changed(session.id))
    });
    sessions
}
