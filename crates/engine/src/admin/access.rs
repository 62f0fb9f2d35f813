//! Whom a database lets in: who has a user there, and by the option RESTRICTED_USER its administrators alone (SINGLE_USER is
//! `crate::stay`).
//!
//! What always holds: who comes in is asked where a database becomes the current one (a login, USE, the reset of a pooled connection)
//! and where a statement of another database names it; who is in already is not put out by this.

use millpond_catalog::security::SecurityContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseOptions;

use crate::databases::renew_names;
use crate::engine::Engine;
use crate::security::{Access, is_for_others};

/// Whether a context is let into a database, in a session whose transaction has the number `own` (0: none): it has a user there, and
/// the database is not for others alone.
///
/// # Errors
/// Those of a database that cannot be read.
pub fn may_enter(engine: &Engine, own: u64, context: &SecurityContext, db: DbId) -> SqlResult<bool> {
    if context.is_sa() {
        return Ok(true);
    }
    let access = Access::of(engine, own, context, db)?;
    Ok(access.is_some_and(|access| !is_for_others(engine, &access, db)))
}

/// Refuses a database as the current one.
///
/// # Errors
/// 942 and others for one that is not online, 916 for a context that is not let in; those of reading it.
pub fn check_current(engine: &Engine, own: u64, context: &SecurityContext, db: DbId, name: &str) -> SqlResult<()> {
    if let Some(database) = engine.instance().database(db) {
        database.check_online().map_err(|cause| message::of_unavailable(&cause))?;
    }
    if !may_enter(engine, own, context, db)? {
        return Err(SqlError::of(916, 1, &[&context.login_name, &name]));
    }
    // A database that cannot be read cannot be used.
    engine.databases().dictionary(db).map(drop)
}

/// Options of a database have changed: what its name means is asked anew by every statement, where it lets others in now.
pub fn note_changed(engine: &Engine, before: &DatabaseOptions, now: &DatabaseOptions) {
    if before.access != now.access {
        renew_names(engine.databases());
    }
}
