//! Who uses a database: sessions that stand in it, and whether it can be had alone.

use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::Database;
use millpond_storage::database::alter_error::AlterDatabaseError;
use millpond_storage::database::create::drop_database;
use millpond_txn::recovery;

use crate::exec::admin::databases;
use crate::exec::batch::BatchRun;

/// A database that was made, attached or restored: what was open in it is undone, its definitions are read anew.
pub(in crate::exec) fn opened(run: &mut BatchRun<'_>, database: &Database) -> SqlResult<()> {
    let engine = &run.ctx.engine;
    engine.databases().forget(database.id());
    if database.handle().is_err() {
        return Ok(());
    }
    let ask = run.ctx.ask_other();
    recovery::recover::recover_database(engine.txns(), &ask, database).map_err(|cause| {
        let name = database.name();
        SqlError::of(
            3414,
            1,
            &[&name, &cause, &"Diagnose the recovery errors and fix them, or restore from a known good backup"],
        )
    })?;
    engine.databases().dictionary(database.id()).map(drop)
}

/// Drops a database that no session is in; no session has its definitions in memory then.
pub(in crate::exec) fn drop_unused(run: &BatchRun<'_>, id: DbId) -> Result<(), AlterDatabaseError> {
    run.ctx.engine.databases().forget(id);
    let dropped = drop_database(databases(&run.ctx), id);
    run.ctx.engine.databases().forget(id);
    dropped
}

/// Sessions that have a database as their current one; this one too.
pub(in crate::exec) fn users_of(run: &BatchRun<'_>, id: DbId) -> usize {
    others_in(run, id).len() + usize::from(run.ctx.facts.database == id)
}

/// Other sessions that have a database as their current one, a statement or transaction that reads it, or a transaction that changed
/// it; those that are being ended and have changed nothing do not count.
pub(in crate::exec) fn others_in(
    run: &BatchRun<'_>,
    id: DbId,
) -> Vec<std::sync::Arc<millpond_engine::session_shared::SessionShared>> {
    let own = run.ctx.session.id;
    let open = run.ctx.engine.txns().transactions();
    let has_changed = |session: SessionId| {
        open.iter().any(|row| row.session == session && row.databases.iter().any(|(db, _)| *db == id))
    };
    let reading = run.ctx.engine.txns().locks().sessions_in(id);
    let mut sessions = run.ctx.engine.sessions();
    sessions.retain(|session| {
        let uses = session.status.lock().database == id || reading.contains(&session.id);
        let is_in = uses && !(session.is_killed() && is_idle(session));
        session.id != own && (is_in || has_changed(session.id))
    });
    sessions
}

pub(in crate::exec) fn is_idle(session: &millpond_engine::session_shared::SessionShared) -> bool {
    session.status.lock().request.is_none()
}
