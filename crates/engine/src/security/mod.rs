//! Who a session is in a database, and what it may do there.
//!
//! What always holds: an answer is of the security that is committed, or of the session's own transaction: a state that the context
//! has not met yet is taken when no other transaction has it changed (`settle`). Nothing is asked of `sa`.

use std::sync::Arc;

use millpond_catalog::security::{
    Authentication, Containers, DatabasePrincipal, DatabaseToken, Of, Permission, PrincipalId, Rights, Securable,
    SecurityContext, ServerSecurity, ServerToken,
};
use millpond_catalog::{DatabaseObjects, ObjectId, SchemaId};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ExecuteContext;

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
        let objects = Some(&*self.objects as &dyn Containers);
        Rights { server: &self.server, security: self.objects.security(), objects, token: &self.token }
    }

    /// Whether it has a permission of the database as a whole.
    #[must_use]
    pub fn may(&self, permission: &str) -> bool {
        self.rights().may(Permission::known(Of::Database, permission), Securable::DATABASE)
    }

    /// Whether it may become a user.
    #[must_use]
    pub fn may_impersonate(&self, user: PrincipalId) -> bool {
        let impersonate = Permission::known(Of::User, "IMPERSONATE");
        self.token.is(user) || self.rights().may(impersonate, Securable::new(Of::User, user.0))
    }
}

/// The session's login; none for a user without one.
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

/// The default schema of whose rights these are, in a database: `dbo` where it has none, or one that is not there.
///
/// # Errors
/// Those of a database that cannot be read.
pub fn default_schema(engine: &Engine, context: &SecurityContext, database: DbId) -> SqlResult<SchemaId> {
    if context.is_sa() {
        return Ok(SchemaId::DBO);
    }
    let Some(access) = Access::of(engine, context, database)? else { return Ok(SchemaId::DBO) };
    let user = access.objects.security().principal(access.token.user);
    let schema = user.and_then(|user| user.default_schema.as_deref());
    let found = schema.and_then(|schema| access.objects.schema(schema));
    Ok(found.map_or(SchemaId::DBO, |schema| schema.id))
}

/// The context of a user alone.
///
/// # Errors
/// 15517 for a user whose login is gone, but for one that never had one.
pub fn context_of_user(engine: &Engine, database: DbId, user: &DatabasePrincipal) -> SqlResult<Arc<SecurityContext>> {
    let server = server(engine)?;
    let login = user.sid.as_ref().and_then(|sid| server.of_sid(sid));
    let login_name = match login {
        Some(login) => Arc::clone(&login.name),
        None if user.authentication == Authentication::Instance && user.id != PrincipalId::GUEST => {
            return Err(SqlError::of(15_517, 1, &[&user.name]));
        }
        None => Arc::from(shown_sid(user.sid.as_deref().unwrap_or_default())),
    };
    Ok(SecurityContext::of_user(database, user, login_name))
}

/// `S-1-9-3-…`: what SYSTEM_USER gives of a user without a login.
fn shown_sid(sid: &[u8]) -> String {
    let Some((head, parts)) = sid.split_at_checked(8) else { return String::new() };
    let parts = parts.chunks_exact(4).map(|part| u32::from_le_bytes([part[0], part[1], part[2], part[3]]).to_string());
    let parts: Vec<String> = parts.collect();
    format!("S-{}-{}-{}", head[0], head[7], parts.join("-"))
}

/// The context that a module runs in, where it is not its caller's.
///
/// # Errors
/// 15517 for a user that is not there any more.
pub fn context_of_module(
    engine: &Engine,
    database: DbId,
    module: ObjectId,
    written: &ExecuteContext,
) -> SqlResult<Option<Arc<SecurityContext>>> {
    let objects = engine.databases().dictionary(database)?.catalog().objects();
    let security = objects.security();
    let owner = || {
        let schema = objects.get(module).map_or(SchemaId::DBO, |object| object.schema().id);
        security.principal(security.object_owner(module.0, schema.0))
    };
    let user = match written {
        ExecuteContext::Caller => return Ok(None),
        ExecuteContext::User(name) => security.named(name).ok_or_else(|| SqlError::of(15_517, 1, &[name]))?,
        ExecuteContext::Login(name) => return Err(SqlError::of(15_406, 1, &[name])),
        // Only `dbo` makes modules AS SELF.
        ExecuteContext::Creator | ExecuteContext::Owner => owner().ok_or_else(|| SqlError::of(15_517, 1, &[&"dbo"]))?,
    };
    context_of_user(engine, database, user).map(Some)
}
