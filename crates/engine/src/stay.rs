//! Who comes into a database: by USE and a login, for the time of a module or of a scope, and with a name in a statement.
//!
//! What always holds: S1: who comes in is seen by whoever closes the database, or waits for it: either looks after the other is
//! noted (`Alone::others`, `ClosedDatabases::has_another`). S2: who is in it already, by a scope around or by a lock, is not kept
//! out: the closer waits for it. S3: a [`Stay`] is noted with the registered session, whichever nested one it is of. S4: of two
//! sessions that come into a SINGLE_USER database at once at most one is let in, since each is noted before it looks for the other.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_storage::ask::{Ask, IoCount};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::options::UserAccess;
use millpond_txn::lock::{LockError, wait_until_open};
use millpond_txn::{LockMode, Resource, SessionWork, TxnError, cleaner};

use crate::context::RunContext;
use crate::engine::Engine;
use crate::security;
use crate::session_shared::SessionShared;

/// What a database is closed for is heard as a lock's wait.
///
/// # Errors
/// 1222, 1205, and of a cancellation.
pub fn heard<T>(waited: Result<T, LockError>) -> SqlResult<T> {
    waited.map_err(|error| message::of_txn(TxnError::from(error), Place { schema: "", object: "", database: "" }))
}

/// Number of the error that a database is shut.
const IN_TRANSITION: i32 = 952;

/// A session is in a database until this is dropped, whatever its current one is.
pub struct Stay {
    session: Arc<SessionShared>,
    db: DbId,
}

impl Stay {
    /// The database is the current one again.
    pub fn come_back(&self) {
        self.session.status.lock().database = self.db;
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let is_noted = leave(&self.session, self.db);
        assert!(is_noted, "S1: a stay in database {} ends that was not noted", self.db);
    }
}

/// Takes one stay back; false when there is none.
fn leave(session: &SessionShared, db: DbId) -> bool {
    let stays = &mut session.status.lock().stays;
    let at = stays.iter().rposition(|other| *other == db);
    at.map(|at| stays.remove(at)).is_some()
}

/// The session is in its current database on, when a text inside makes another one current.
#[must_use]
pub fn stay_in_current(session: &Arc<SessionShared>) -> Stay {
    let mut status = session.status.lock();
    let db = status.database;
    status.stays.push(db);
    drop(status);
    Stay { session: Arc::clone(session), db }
}

/// The session comes into a database for a while.
///
/// # Errors
/// Those of [`enter`].
pub fn stay(engine: &Engine, session: &SessionShared, db: DbId, timeout_ms: Option<u32>) -> SqlResult<Option<Stay>> {
    // Nested sessions are those of functions; one that is not registered is the engine's own.
    let Some(session) = engine.session(session.id.0) else { return Ok(None) };
    let note = |session: &SessionShared| session.status.lock().stays.push(db);
    come_in(engine, &session, db, timeout_ms, note, |session| _ = leave(session, db))?;
    Ok(Some(Stay { session, db }))
}

/// The same for what a statement does.
///
/// # Errors
/// Those of [`enter`].
pub fn stay_for(ctx: &RunContext, db: DbId) -> SqlResult<Option<Stay>> {
    stay(&ctx.engine, &ctx.session, db, timeout_of(ctx))
}

/// Others see that a session is in a database from here on; where one has it for itself, after that.
///
/// # Errors
/// 1222, 1205, and of a cancellation meanwhile; 924 for a SINGLE_USER database that another session is in.
pub fn enter(engine: &Engine, session: &SessionShared, db: DbId, timeout_ms: Option<u32>) -> SqlResult<()> {
    let before = session.status.lock().database;
    let set = |session: &SessionShared, to: DbId| session.status.lock().database = to;
    come_in(engine, session, db, timeout_ms, |session| set(session, db), |session| set(session, before))
}

/// S1
fn come_in(
    engine: &Engine,
    session: &SessionShared,
    db: DbId,
    timeout_ms: Option<u32>,
    note: impl Fn(&SessionShared),
    undo: impl Fn(&SessionShared),
) -> SqlResult<()> {
    let closed = engine.txns().locks().closed();
    loop {
        let is_in = is_in(engine, session, db);
        note(session);
        if is_in || !closed.has_another(db, session.id) {
            let let_in = if is_in { Ok(()) } else { check_single(engine, session.id, db) };
            return let_in.inspect_err(|_| undo(session));
        }
        undo(session);
        wait(engine, session, db, timeout_ms)?;
    }
}

fn wait(engine: &Engine, session: &SessionShared, db: DbId, timeout_ms: Option<u32>) -> SqlResult<()> {
    let (task, io) = (Arc::clone(&session.task), IoCount::default());
    heard(wait_until_open(engine.txns().locks(), &Ask::new(&task, &io), db, session.id, timeout_ms))
}

/// S2
fn is_in(engine: &Engine, session: &SessionShared, db: DbId) -> bool {
    let locks = engine.txns().locks();
    session.status.lock().is_in(db)
        || locks.closed().has_another(db, session.id) && locks.sessions_in(db).contains(&session.id)
}

/// 924: the database is for one session at a time, and another one is in it.
fn check_single(engine: &Engine, own: SessionId, db: DbId) -> SqlResult<()> {
    let is_taken = security::has_option(engine, db, UserAccess::Single) && !others_in(engine, own, db).is_empty();
    match is_taken {
        true => Err(message::single_user(&engine.database_name(db).unwrap_or_default())),
        false => Ok(()),
    }
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

/// Whether nothing is under way in a database: no other session has a request there, no transaction has changed it, and nothing of it
/// waits to be removed.
#[must_use]
pub fn is_quiet(engine: &Engine, own: SessionId, db: DbId) -> bool {
    let is_changed =
        || engine.txns().transactions().iter().any(|row| row.databases.iter().any(|(changed, _)| *changed == db));
    others_in(engine, own, db).iter().all(|session| session.status.lock().request.is_none())
        && !is_changed()
        && !cleaner::waits_in(engine.txns(), db)
}

/// A statement names something of a database: it comes in before it reads what the name means, and is in it to its end
/// ([`SessionShared::end_statement`]). What is compiled ahead reads only.
///
/// # Errors
/// Those of [`enter`].
pub fn wait_to_name(ctx: &RunContext, db: DbId) -> SqlResult<()> {
    if db == ctx.facts.database {
        return Ok(());
    }
    let level = ctx.facts.nest_level;
    let Some(session) = ctx.engine.session(ctx.session.id.0) else { return Ok(()) };
    let is_noted = session.status.lock().named.contains(&(level, db));
    if is_noted {
        return Ok(());
    }
    if ctx.is_ahead {
        let closed = ctx.engine.txns().locks().closed();
        let may_read = !closed.has_another(db, session.id) || is_in(&ctx.engine, &session, db);
        return if may_read { Ok(()) } else { wait(&ctx.engine, &session, db, timeout_of(ctx)) };
    }
    let note = |session: &SessionShared| {
        session.status.lock().named.push((level, db));
        session.has_named.store(true, Relaxed);
    };
    let undo = |session: &SessionShared| session.status.lock().named.retain(|named| *named != (level, db));
    come_in(&ctx.engine, &session, db, timeout_of(ctx), note, undo)
}

/// Code that is kept reads something of a database: as if its name were read now, though not whether the session has a user there.
///
/// # Errors
/// Those of [`wait_to_name`]; 916 where the database is RESTRICTED_USER and the session none of its administrators.
pub fn name_again(ctx: &RunContext, db: DbId) -> SqlResult<()> {
    if db == ctx.facts.database {
        return Ok(());
    }
    wait_to_name(ctx, db)?;
    if security::has_option(&ctx.engine, db, UserAccess::Restricted) { security::check_access(ctx, db) } else { Ok(()) }
}

/// A statement was refused because a database is shut (952): waits for it, and says whether it may be tried again.
///
/// # Errors
/// Those of [`enter`].
pub fn wait_for_shut(ctx: &RunContext, refusal: &SqlError) -> SqlResult<bool> {
    if refusal.number != IN_TRANSITION {
        return Ok(false);
    }
    let closed = ctx.engine.txns().locks().closed();
    let is_meant = |name: &str| refusal.text.contains(&format!("'{name}'"));
    for database in ctx.engine.instance().all_databases() {
        if closed.has_another(database.id(), ctx.session.id) && is_meant(&database.name()) {
            wait_to_name(ctx, database.id())?;
        }
    }
    Ok(true)
}

fn timeout_of(ctx: &RunContext) -> Option<u32> {
    // What is compiled before the run waits when it runs.
    if ctx.is_ahead {
        return Some(0);
    }
    u32::try_from(ctx.facts.settings.lock_timeout).ok()
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
