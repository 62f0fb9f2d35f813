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
use crate::draw;
use crate::engine::Engine;
use crate::security::is_administrator;
use crate::session_shared::SessionShared;
use crate::stay::others_in;

/// As long as a session may take to end after its client has.
const LEAVING_MS: u32 = 200;

/// A database that a session has for itself until this is dropped.
pub struct Alone {
    engine: Arc<Engine>,
    db: DbId,
    session: SessionId,
    is_shut: bool,
    /// Sessions of its administrators are not in the way.
    spares_administrators: bool,
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
        Some(Alone { engine, db, session, is_shut: false, spares_administrators: false, _closed: closed })
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

    /// Once no other session is in it; `None` while one stays. One that is about to end is waited for: that of a client which has just
    /// closed its connection.
    #[must_use]
    pub fn once_left(ctx: &RunContext, db: DbId) -> Option<Alone> {
        let alone = Alone::of(ctx, db, Some(LEAVING_MS)).ok()?;
        alone.wait_for_others(ctx, Some(LEAVING_MS)).ok()?;
        Some(alone)
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

    /// RESTRICTED_USER: its administrators may be in it too.
    pub fn spare_administrators(&mut self) {
        self.spares_administrators = true;
    }

    /// The other sessions that are in it.
    #[must_use]
    pub fn others(&self) -> Vec<Arc<SessionShared>> {
        in_the_way(&self.engine, self.session, self.db, self.spares_administrators)
    }

    /// Waits until no other session is in it.
    ///
    /// # Errors
    /// Those of a wait for a lock.
    pub fn wait_for_others(&self, ctx: &RunContext, timeout_ms: Option<u32>) -> Result<(), LockError> {
        let (engine, own, db) = (Arc::downgrade(&self.engine), self.session, self.db);
        let spares = self.spares_administrators;
        let others = move || {
            let others = engine.upgrade().map_or_else(Vec::new, |engine| in_the_way(&engine, own, db, spares));
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

    /// Forgets the definitions of a database that stays open.
    pub fn forget(&self) {
        self.give_back();
        self.engine.databases().forget(self.db);
    }

    /// Numbers that tables have reserved go on where they are; where that cannot be written they are passed over, as after a crash.
    pub fn give_back(&self) {
        if let Some(dictionary) = self.engine.databases().known(self.db) {
            let _ = draw::release_in(self.engine.databases(), &dictionary);
        }
    }

    /// Forgets the definitions, and lets nobody open them until they are [opened](Alone::open) or this is dropped.
    pub fn shut(&mut self) {
        self.give_back();
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

fn in_the_way(engine: &Engine, own: SessionId, db: DbId, spares_administrators: bool) -> Vec<Arc<SessionShared>> {
    let mut others = others_in(engine, own, db);
    if spares_administrators {
        others.retain(|session| !is_administrator(engine, session, db));
    }
    others
}
