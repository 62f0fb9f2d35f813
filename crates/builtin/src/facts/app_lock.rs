//! APPLOCK_MODE and APPLOCK_TEST, and what they share with the procedures: names of modes, the resource of a name.

use millpond_catalog::names_equal;
use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::{DbId, SessionId};
use millpond_txn::lock::{LockMode, LockScope, LockStatus, Resource};
use millpond_types::{SqlType, Value};

use crate::FunctionDef;
use crate::args::{nullable, nvarchar};
use crate::define::fixed;

/// The number of the principal `public`, the only one whose locks there are.
const PUBLIC: u32 = 0;

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    fixed(
        "APPLOCK_MODE",
        (3, 3),
        |_| nullable(vec![nvarchar(255); 3], nvarchar(32)),
        |ctx, args, _, _| {
            let [Some(principal), Some(name), Some(owner)] = [0, 1, 2].map(|at| args[at].as_str()) else {
                return Ok(Value::Null);
            };
            let scope = scope_of(ctx, principal, owner)?;
            let resource = application(ctx.facts().database, name);
            let rows = ctx.catalog().locks();
            let held = rows.iter().find(|row| {
                let own = row.session == SessionId(ctx.facts().session)
                    && row.scope == scope
                    && row.status == LockStatus::Grant;
                own && row.resource == resource
            });
            Ok(Value::str(held.map_or("NoLock", |row| name_of(row.mode))))
        },
    ),
    fixed(
        "APPLOCK_TEST",
        (4, 4),
        |_| nullable(vec![nvarchar(255); 4], SqlType::SmallInt),
        |ctx, args, _, _| {
            let [Some(principal), Some(name), Some(mode), Some(owner)] = [0, 1, 2, 3].map(|at| args[at].as_str())
            else {
                return Ok(Value::Null);
            };
            scope_of(ctx, principal, owner)?;
            let mode = mode_of(mode).ok_or_else(|| invalid_parameter("@LockMode"))?;
            let resource = application(ctx.facts().database, name);
            let rows = ctx.catalog().locks();
            let others =
                rows.iter().filter(|row| row.resource == resource && row.session != SessionId(ctx.facts().session));
            let free = others.into_iter().all(|row| mode.is_compatible(row.mode));
            Ok(Value::SmallInt(i16::from(free)))
        },
    ),
];

/// What the lock of a name is on.
pub fn application(database: DbId, name: &str) -> Resource {
    Resource::application(database, PUBLIC, name)
}

/// A mode that applications may ask for.
pub fn mode_of(name: &str) -> Option<LockMode> {
    let known = [
        ("Shared", LockMode::S),
        ("Update", LockMode::U),
        ("IntentShared", LockMode::IS),
        ("IntentExclusive", LockMode::IX),
        ("Exclusive", LockMode::X),
    ];
    known.into_iter().find(|(known, _)| names_equal(known, name.trim())).map(|(_, mode)| mode)
}

fn name_of(mode: LockMode) -> &'static str {
    match mode {
        LockMode::S => "Shared",
        LockMode::U => "Update",
        LockMode::IS => "IntentShared",
        LockMode::IX => "IntentExclusive",
        LockMode::SIX => "SharedIntentExclusive",
        LockMode::UIX => "UpdateIntentExclusive",
        LockMode::X => "Exclusive",
        _ => "NoLock",
    }
}

/// The owner that a name means: 'Transaction' or 'Session'.
///
/// # Errors
/// 1202 for another principal than public, 1224 for another owner, 3918 for a transaction where there is none.
pub fn scope_of(ctx: &dyn Run, principal: &str, owner: &str) -> SqlResult<LockScope> {
    if !["public", "dbo"].iter().any(|known| names_equal(known, principal.trim())) {
        return Err(SqlError::of(1202, 1, &[&principal]));
    }
    if names_equal(owner.trim(), "session") {
        return Ok(LockScope::Session);
    }
    if !names_equal(owner.trim(), "transaction") {
        return Err(invalid_parameter("@LockOwner"));
    }
    if ctx.facts().tran_count == 0 {
        return Err(SqlError::of(3918, 1, &[]));
    }
    Ok(LockScope::Transaction)
}

/// 1224
pub fn invalid_parameter(parameter: &str) -> SqlError {
    SqlError::of(1224, 1, &[&parameter])
}
