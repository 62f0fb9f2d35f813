//! Who a session is in a database, and what it may do there.
//!
//! What always holds: an answer is of the security that is committed, or of the session's own transaction: a state that the context
//! has not met yet is taken when no other transaction has it changed (`settle`). Nothing is asked of `sa`.

use std::sync::Arc;

use millpond_catalog::DatabaseObjects;
use millpond_catalog::security::{
    DatabaseToken, Of, Permission, PrincipalId, Rights, Securable, SecurityContext, ServerSecurity, ServerToken,
};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;

use crate::context::RunContext;
use crate::engine::Engine;

/// Logins and roles of the server.
///
/// # Errors
/// Those of a master that cannot be read.
pub fn server(engine: &Engine) -> SqlResult<Arc<ServerSecurity>> {
    Ok(Arc::clone(engine.databases().dictionary(DbId::MASTER)?.catalog().objects().server()))
}

/// Who a context is in a database, with what its answers depend on; `None` where it has no access.
pub struct Access {
    /// Logins and roles.
    pub server: Arc<ServerSecurity>,
    /// Definitions of the database.
    pub objects: Arc<DatabaseObjects>,
    /// Who it is.
    pub token: Arc<DatabaseToken>,
}

impl Access {
    /// Of a context in a database.
    ///
    /// # Errors
    /// Those of a database that cannot be read.
    pub fn of(engine: &Engine, context: &SecurityContext, database: DbId) -> SqlResult<Option<Access>> {
        let server = server(engine)?;
        let objects = engine.databases().dictionary(database)?.catalog().objects();
        let token = context.token(database, &server, objects.security());
        Ok(token.map(|token| Access { server, objects, token }))
    }

    /// What it may do.
    #[must_use]
    pub fn rights(&self) -> Rights<'_> {
        let objects = Some(&*self.objects);
        Rights { server: &self.server, security: self.objects.security(), objects, token: &self.token }
    }
}

/// Who the session is on the server; nobody for a user alone.
///
/// # Errors
/// Those of a master that cannot be read.
pub fn server_token(ctx: &RunContext) -> SqlResult<(Arc<ServerSecurity>, Option<ServerToken>)> {
    let server = server(&ctx.engine)?;
    let token = ctx.facts.security.server_token(&server);
    Ok((server, token))
}

/// Whether the session has a permission on the server.
///
/// # Errors
/// Those of a master that cannot be read.
pub fn may_on_server(ctx: &RunContext, permission: &str) -> SqlResult<bool> {
    if ctx.facts.security.is_sa() {
        return Ok(true);
    }
    let (server, token) = server_token(ctx)?;
    let permission = Permission::known(Of::Server, permission);
    Ok(token.is_some_and(|token| token.may(&server, permission, Securable::SERVER)))
}

/// Whether the session is in `sysadmin`.
///
/// # Errors
/// Those of a master that cannot be read.
pub fn is_sysadmin(ctx: &RunContext) -> SqlResult<bool> {
    if ctx.facts.security.is_sa() {
        return Ok(true);
    }
    Ok(server_token(ctx)?.1.is_some_and(|token| token.is_sysadmin()))
}

/// Whether the session has a permission on a securable of a database; no access is none.
///
/// # Errors
/// Those of a database that cannot be read.
pub fn may(ctx: &RunContext, database: DbId, permission: &str, on: Securable) -> SqlResult<bool> {
    if ctx.facts.security.is_sa() {
        return Ok(true);
    }
    let access = Access::of(&ctx.engine, &ctx.facts.security, database)?;
    Ok(access.is_some_and(|access| access.rights().may(Permission::known(on.of, permission), on)))
}

/// Whether metadata of a securable is visible to the session.
///
/// # Errors
/// Those of a database that cannot be read.
pub fn may_see(ctx: &RunContext, database: DbId, on: Securable) -> SqlResult<bool> {
    if ctx.facts.security.is_sa() {
        return Ok(true);
    }
    let access = Access::of(&ctx.engine, &ctx.facts.security, database)?;
    Ok(access.is_some_and(|access| access.rights().may_see(on)))
}

/// Who the session is in a database.
///
/// # Errors
/// 916 where it has no access, and those of a database that cannot be read.
pub fn access(ctx: &RunContext, database: DbId) -> SqlResult<Access> {
    Access::of(&ctx.engine, &ctx.facts.security, database)?.ok_or_else(|| no_access(ctx, database))
}

/// 916
#[must_use]
pub fn no_access(ctx: &RunContext, database: DbId) -> SqlError {
    let name = ctx.engine.database_name(database).unwrap_or_default();
    SqlError::of(916, 1, &[&ctx.facts.security.login_name, &name])
}

/// The user that the session is in its current database.
///
/// # Errors
/// 916, and those of a database that cannot be read.
pub fn user(ctx: &RunContext) -> SqlResult<PrincipalId> {
    if ctx.facts.security.is_sa() {
        return Ok(PrincipalId::DBO);
    }
    Ok(access(ctx, ctx.facts.database)?.token.user)
}

/// 229: `permission` on an object is missing.
#[must_use]
pub fn denied_on_object(permission: &str, object: &str, database: &str, schema: &str) -> SqlError {
    SqlError::of(229, 5, &[&permission, &object, &database, &schema])
}
