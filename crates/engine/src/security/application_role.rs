//! Application roles: whose password puts them in the place of who the session is, until it ends or gives the cookie back.
//!
//! What always holds: the session stays what it was for ORIGINAL_LOGIN and SUSER_SNAME, and has nothing of the rights of its login
//! and its user. REVERT does not end an application role, nor does `sp_unsetapprole` end what EXECUTE AS has set.

use std::sync::Arc;

use millpond_catalog::run::facts::{Acting, Impersonation};
use millpond_catalog::security::{SecurityContext, UserKind};
use millpond_message::error::{SqlError, SqlResult};

use super::{random_bytes, seen};
use crate::context::RunContext;
use crate::password;

/// The length of a cookie, as SQL Server's is.
const COOKIE_BYTES: usize = 50;

/// The session becomes an application role of its database; with a cookie, if one is wanted.
///
/// # Errors
/// 15422 in a module or a text of one, and where EXECUTE AS is in force; 15161 for a name or a password that is wrong.
pub fn set(ctx: &RunContext, name: &str, given: &str, wants_cookie: bool) -> SqlResult<(Acting, Option<Arc<[u8]>>)> {
    let facts = &ctx.facts;
    let is_another = facts.impersonation.is_some() && !facts.security.is_application_role();
    if facts.nest_level > 0 || is_another {
        return Err(SqlError::of(15_422, 1, &[]));
    }
    let here = seen(&ctx.engine, ctx.locks.transaction_number(), facts.database)?;
    let role = here.security.named(name).filter(|role| role.kind == UserKind::ApplicationRole);
    let hash = role.and_then(|role| role.password_hash.as_deref());
    let role = role.filter(|_| hash.is_some_and(|hash| password::fits(given, hash)));
    let role = role.ok_or_else(|| SqlError::of(15_161, 1, &[&name]))?;
    let cookie = wants_cookie.then(random_bytes::<COOKIE_BYTES>).transpose()?.map(Arc::<[u8]>::from);
    let before = Impersonation {
        context: Arc::clone(&facts.security),
        level: facts.nest_level,
        database: facts.database,
        is_final: !wants_cookie,
        of_setuser: false,
        cookie: cookie.clone(),
        before: facts.impersonation.clone(),
    };
    let security = SecurityContext::of_application_role(here.place, role, &facts.security);
    Ok((Acting { security, impersonation: Some(Arc::new(before)) }, cookie))
}

/// The session is again what it was before.
///
/// # Errors
/// 15592 where it is no application role, or one whose cookie is another.
pub fn unset(ctx: &RunContext, cookie: &[u8]) -> SqlResult<Acting> {
    let facts = &ctx.facts;
    let set = facts.impersonation.as_ref().filter(|_| facts.security.is_application_role());
    let set = set.filter(|set| set.cookie.as_deref().is_some_and(|wanted| password::is_same(wanted, cookie)));
    let set = set.ok_or_else(|| SqlError::of(15_592, 1, &[]))?;
    Ok(Acting { security: Arc::clone(&set.context), impersonation: set.before.clone() })
}
