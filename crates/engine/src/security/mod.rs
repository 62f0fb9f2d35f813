//! Who a session is in a database, and what it may do there.
//!
//! What always holds: an answer is of the security that is committed, or of the session's own transaction: while another changes it,
//! what there was before counts, and nothing waits (`seen`). Nothing is asked of `sa`.

pub mod application_role;
pub mod redaction;

use std::sync::Arc;

use millpond_catalog::security::{
    Authentication, Containers, DatabasePrincipal, DatabaseSecurity, DatabaseToken, Of, Permission, Place, PrincipalId,
    Rights, Securable, SecurityContext, ServerSecurity, ServerToken, Sid, UserKind,
};
use millpond_catalog::{CatalogObject, DatabaseObjects, ModuleDef, ObjectId, Schema, SchemaId};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::{DatabaseFlag, UserAccess};
use millpond_storage::settings::options::OptionId;
use millpond_tsql::ast::ExecuteContext;

use crate::context::RunContext;
use crate::engine::Engine;
use crate::session_shared::SessionShared;

/// The definitions of a database with the security that a session sees of it.
struct Seen {
    place: Place,
    objects: Arc<DatabaseObjects>,
    security: Arc<DatabaseSecurity>,
    server: Arc<ServerSecurity>,
    /// Another session's transaction has it changed.
    is_changing: bool,
}

/// What the session whose transaction has the number `own` (0: none) sees: what another transaction that is open has changed is
/// as it was before.
fn seen(engine: &Engine, own: u64, database: DbId) -> SqlResult<Seen> {
    let dictionary = engine.databases().dictionary(database)?;
    let catalog = dictionary.catalog();
    let place = (database, catalog.birth());
    loop {
        let objects = catalog.objects();
        let other = objects.security_before().filter(|before| before.transaction != own);
        if let Some(before) = other.filter(|before| engine.txns().is_open(before.transaction)) {
            let (security, server) = (Arc::clone(&before.security), Arc::clone(&before.server));
            return Ok(Seen { place, objects, security, server, is_changing: true });
        }
        // A transaction that has ended since the objects were taken may have taken back what they say.
        if other.is_none() || Arc::ptr_eq(&objects, &catalog.objects()) {
            let (security, server) = (Arc::clone(objects.security()), Arc::clone(objects.server()));
            return Ok(Seen { place, objects, security, server, is_changing: false });
        }
    }
}

/// Logins and roles of the server, as the session sees them whose transaction has the number `own`; 0 for none.
///
/// # Errors
/// Those of a master that cannot be read.
pub fn server(engine: &Engine, own: u64) -> SqlResult<Arc<ServerSecurity>> {
    Ok(seen(engine, own, DbId::MASTER)?.server)
}

/// Logins and roles of the server, as the statement's session sees them.
///
/// # Errors
/// Those of a master that cannot be read.
pub fn server_of_statement(ctx: &RunContext) -> SqlResult<Arc<ServerSecurity>> {
    server(&ctx.engine, ctx.locks.transaction_number())
}

/// Whether no other session's transaction has the security of the server or of one of these databases changed: what is found out
/// now about rights holds until the definitions change again.
///
/// # Errors
/// Those of a database that cannot be read.
pub fn is_settled(ctx: &RunContext, databases: impl Iterator<Item = DbId>) -> SqlResult<bool> {
    let own = ctx.locks.transaction_number();
    for database in databases.chain([DbId::MASTER]) {
        if seen(&ctx.engine, own, database)?.is_changing {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Who a context is in a database, with what its answers depend on; `None` where it has no access.
pub struct Access {
    /// Logins and roles.
    pub server: Arc<ServerSecurity>,
    /// Definitions of the database.
    pub objects: Arc<DatabaseObjects>,
    /// Its users and roles, and what was granted.
    pub security: Arc<DatabaseSecurity>,
    /// Who it is.
    pub token: Arc<DatabaseToken>,
}

impl Access {
    /// Of a context in a database, in a session whose transaction has the number `own`; 0 for none.
    ///
    /// # Errors
    /// Those of a database that cannot be read.
    pub fn of(engine: &Engine, own: u64, context: &SecurityContext, database: DbId) -> SqlResult<Option<Access>> {
        let server = server(engine, own)?;
        let Seen { place, objects, security, .. } = seen(engine, own, database)?;
        let token = context.token(place, &server, &security);
        Ok(token.map(|token| Access { server, objects, security, token }))
    }

    /// Of the context that a statement has.
    ///
    /// # Errors
    /// Those of a database that cannot be read.
    pub fn of_statement(ctx: &RunContext, database: DbId) -> SqlResult<Option<Access>> {
        Access::of(&ctx.engine, ctx.locks.transaction_number(), &ctx.facts.security, database)
    }

    /// What it may do.
    #[must_use]
    pub fn rights(&self) -> Rights<'_> {
        let objects = Some(&*self.objects as &dyn Containers);
        Rights { server: &self.server, security: &self.security, objects, token: &self.token }
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

/// Whether a database has this option of access.
pub(crate) fn has_option(engine: &Engine, database: DbId, access: UserAccess) -> bool {
    engine.instance().database(database).is_some_and(|database| database.options().access == access)
}

/// Whether somebody with this access is one of those for whom a RESTRICTED_USER database is: `db_owner`, `dbcreator`, `sysadmin`.
fn administers(access: &Access) -> bool {
    let token = &access.token;
    let creates = |server: &ServerToken| server.is(PrincipalId::DBCREATOR);
    token.is_dbo() || token.is(PrincipalId::DB_OWNER) || token.server.as_deref().is_some_and(creates)
}

/// Whether a database is for its administrators alone, and this is none of them.
#[must_use]
pub fn is_for_others(engine: &Engine, access: &Access, database: DbId) -> bool {
    has_option(engine, database, UserAccess::Restricted) && !administers(access)
}

/// Whether a session's login is one of the administrators of a database.
pub(crate) fn is_administrator(engine: &Engine, session: &SessionShared, database: DbId) -> bool {
    let login = Arc::clone(&session.status.lock().original);
    login.is_sa() || matches!(Access::of(engine, 0, &login, database), Ok(Some(access)) if administers(&access))
}

/// The session's login; none for a user without one.
///
/// # Errors
/// Those of a master that cannot be read.
pub fn server_token(ctx: &RunContext) -> SqlResult<(Arc<ServerSecurity>, Option<ServerToken>)> {
    let server = server_of_statement(ctx)?;
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

/// Whether the session knows of a database: its own, master, tempdb and those that its login owns; all by VIEW ANY DATABASE, which
/// everybody has until it is denied.
///
/// # Errors
/// Those of a master that cannot be read.
pub fn sees_database(ctx: &RunContext, id: DbId) -> SqlResult<bool> {
    if ctx.facts.security.is_sa() || matches!(id, DbId::MASTER | DbId::TEMPDB) || id == ctx.facts.database {
        return Ok(true);
    }
    for permission in ["VIEW ANY DATABASE", "ALTER ANY DATABASE", "CREATE ANY DATABASE"] {
        if may_on_server(ctx, permission)? {
            return Ok(true);
        }
    }
    Ok(owns_database(ctx, id))
}

/// Whether the session's login owns a database; of one that is not available nothing is known.
#[must_use]
pub fn owns_database(ctx: &RunContext, id: DbId) -> bool {
    let dictionary = ctx.engine.databases().dictionary(id).ok();
    dictionary
        .is_some_and(|dictionary| *dictionary.catalog().objects().security().owner_sid() == ctx.facts.security.sid)
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
    let access = Access::of_statement(ctx, database)?;
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
    let access = Access::of_statement(ctx, database)?;
    Ok(access.is_some_and(|access| access.rights().may_see(on)))
}

/// Who the session is in a database.
///
/// # Errors
/// 916 where it has no access, and those of a database that cannot be read.
pub fn access(ctx: &RunContext, database: DbId) -> SqlResult<Access> {
    Access::of_statement(ctx, database)?.ok_or_else(|| no_access(ctx, database))
}

/// Refuses a database that is named where the session has no access to it, whatever it has of that name.
///
/// # Errors
/// Those of [`access`].
pub fn check_access(ctx: &RunContext, database: DbId) -> SqlResult<()> {
    if ctx.facts.security.is_sa() || database == ctx.facts.database {
        return Ok(());
    }
    let access = access(ctx, database)?;
    if is_for_others(&ctx.engine, &access, database) { Err(no_access(ctx, database)) } else { Ok(()) }
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
pub fn default_schema(engine: &Engine, own: u64, context: &SecurityContext, database: DbId) -> SqlResult<SchemaId> {
    if context.is_sa() {
        return Ok(SchemaId::DBO);
    }
    let Some(access) = Access::of(engine, own, context, database)? else { return Ok(SchemaId::DBO) };
    let user = access.security.principal(access.token.user);
    let schema = user.and_then(|user| user.default_schema.as_deref());
    let found = schema.and_then(|schema| access.objects.schema(schema));
    Ok(found.map_or(SchemaId::DBO, |schema| schema.id))
}

/// The context of a user alone.
///
/// # Errors
/// 15517 for a user whose login is gone, but for one that never had one; those of a database that cannot be read.
pub fn context_of_user(
    engine: &Engine,
    own: u64,
    database: DbId,
    user: &DatabasePrincipal,
) -> SqlResult<Arc<SecurityContext>> {
    let server = server(engine, own)?;
    let place = seen(engine, own, database)?.place;
    let login = user.sid.as_ref().and_then(|sid| server.of_sid(sid));
    let login_name = match login {
        Some(login) => Arc::clone(&login.name),
        None if user.authentication == Authentication::Instance && user.id != PrincipalId::GUEST => {
            return Err(SqlError::of(15_517, 1, &[&user.name]));
        }
        None => Arc::from(shown_sid(user.sid.as_deref().unwrap_or_default())),
    };
    Ok(SecurityContext::of_user(place, user, login_name))
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
/// 15517 for a user that is not there any more, for an owner that is a role, and for a module AS SELF of an old file.
pub fn context_of_module(
    engine: &Engine,
    own: u64,
    database: DbId,
    module: &ModuleDef,
    written: &ExecuteContext,
) -> SqlResult<Option<Arc<SecurityContext>>> {
    if is_of_server(module) && !matches!(written, ExecuteContext::Caller | ExecuteContext::Owner) {
        return context_of_server_trigger(engine, own, module, written).map(Some);
    }
    let Seen { objects, security, .. } = seen(engine, own, database)?;
    let none = |name: &str| SqlError::of(15_517, 1, &[&name]);
    let user = match (written, module.runs_as) {
        (ExecuteContext::Caller, _) => return Ok(None),
        (ExecuteContext::Login(name), _) => return Err(SqlError::of(15_406, 1, &[name])),
        (ExecuteContext::User(_) | ExecuteContext::Creator, Some(user)) => security.principal(user),
        // Of an old file.
        (ExecuteContext::User(name), None) => security.named(name),
        (ExecuteContext::Creator, None) => None,
        (ExecuteContext::Owner, _) => security.principal(owner_of_module(&objects, &security, module)),
    };
    let name = || match written {
        ExecuteContext::User(name) => name.as_str(),
        ExecuteContext::Owner => "OWNER",
        _ => "SELF",
    };
    let user = user.filter(|user| user.kind == UserKind::User).ok_or_else(|| none(name()))?;
    context_of_user(engine, own, database, user).map(Some)
}

/// Whether a database is there and contained.
#[must_use]
pub fn is_contained(engine: &Engine, database: DbId) -> bool {
    let known = engine.instance().database(database);
    known.is_some_and(|known| known.options().is_on(DatabaseFlag::PartiallyContained))
}

/// The user with a password of a contained database who logs in there, if the server lets such users in.
///
/// # Errors
/// Those of a database that cannot be read.
pub fn contained_user(
    engine: &Engine,
    database: DbId,
    name: &str,
) -> SqlResult<Option<(Place, Arc<DatabasePrincipal>)>> {
    let is_on = engine.instance().settings().is_on(OptionId::ContainedDatabaseAuthentication);
    if !(is_on && is_contained(engine, database)) {
        return Ok(None);
    }
    let Seen { place, security, .. } = seen(engine, 0, database)?;
    let user = security.named(name).filter(|user| user.authentication == Authentication::Database);
    Ok(user.map(|user| (place, Arc::clone(user))))
}

/// A security identifier that is no login's: `S-1-9-3-…`
///
/// # Errors
/// Those of [`random_bytes`].
pub fn own_sid() -> SqlResult<Sid> {
    let head = [1, 5, 0, 0, 0, 0, 0, 9, 3, 0, 0, 0];
    Ok(head.into_iter().chain(random_bytes::<16>()?).collect())
}

/// Bytes that cannot be guessed.
///
/// # Errors
/// 8630: the operating system gives none.
pub fn random_bytes<const N: usize>() -> SqlResult<[u8; N]> {
    let mut bytes = [0; N];
    let none = |cause| SqlError::of(8630, 1, &[&format_args!("no random numbers: {cause}")]);
    getrandom::fill(&mut bytes).map_err(none)?;
    Ok(bytes)
}

/// Whether the server has a trigger that may be one of logins.
///
/// # Errors
/// Those of a master that cannot be read.
pub fn watches_logins(engine: &Engine) -> SqlResult<bool> {
    let objects = engine.databases().dictionary(DbId::MASTER)?.catalog().objects();
    Ok(objects.triggers_of(ObjectId(0)).any(|def| is_of_server(def) && !def.is_disabled))
}

/// Whether it is a trigger of the server, whose EXECUTE AS names a login.
fn is_of_server(module: &ModuleDef) -> bool {
    module.schema.id == Schema::of_triggers(true).id
}

/// The login that a trigger of the server runs as.
///
/// # Errors
/// 15406 for a login that is not there any more.
fn context_of_server_trigger(
    engine: &Engine,
    own: u64,
    module: &ModuleDef,
    written: &ExecuteContext,
) -> SqlResult<Arc<SecurityContext>> {
    let server = server(engine, own)?;
    let login = module.runs_as.and_then(|login| server.principal(login)).filter(|login| !login.is_role);
    let name = || match written {
        ExecuteContext::User(name) => name.as_str(),
        _ => "SELF",
    };
    login.map(|login| SecurityContext::of_login(login)).ok_or_else(|| SqlError::of(15_406, 1, &[&name()]))
}

/// The login that EXECUTE AS of a trigger of the server names, which the session may impersonate; SELF is its own.
///
/// # Errors
/// 15406
pub fn login_of_new(ctx: &RunContext, written: &ExecuteContext) -> SqlResult<Option<PrincipalId>> {
    let (server, token) = server_token(ctx)?;
    let name = match written {
        ExecuteContext::Creator => return Ok(token.map(|token| token.login)),
        ExecuteContext::User(name) => name,
        _ => return Ok(None),
    };
    let login = server.named(name).filter(|login| !login.is_role);
    let may = |id: PrincipalId| token.as_ref().is_some_and(|token| token.may_impersonate(&server, id));
    let found = login.map(|login| login.id).filter(|id| may(*id));
    found.map(Some).ok_or_else(|| SqlError::of(15_406, 1, &[name]))
}

/// The owner of a module, of a trigger that of its table.
#[must_use]
pub fn owner_of_module(objects: &DatabaseObjects, security: &DatabaseSecurity, module: &ModuleDef) -> PrincipalId {
    match objects.get(module.parent) {
        Some(CatalogObject::Table(table, _)) => security.object_owner(table.id.0, table.schema.id.0),
        Some(CatalogObject::Module(view)) => security.object_owner(view.id.0, view.schema.id.0),
        _ => security.object_owner(module.id.0, module.schema.id.0),
    }
}
