//! Whose rights EXECUTE AS gives: a login or a user that the session may impersonate.
//!
//! What always holds: who may not impersonate somebody gets the same answer as for somebody who is not there.

use std::sync::Arc;

use millpond_catalog::security::{PrincipalId, SecurityContext, UserKind};
use millpond_engine::context::RunContext;
use millpond_engine::security::{Access, access, context_of_user, login_of_new, server_token};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{ExecuteContext, ModuleOption};

/// The context of the login or user that is named; none of CALLER and its kin.
///
/// # Errors
/// 15406, 15517, 916
pub fn named_context(ctx: &RunContext, named: &ExecuteContext) -> SqlResult<Option<Arc<SecurityContext>>> {
    match named {
        ExecuteContext::Login(name) => as_login(ctx, name).map(Some),
        ExecuteContext::User(name) => as_user(ctx, ctx.facts.database, name).map(Some),
        _ => Ok(None),
    }
}

/// 15406: another login, when the session may impersonate it.
fn as_login(ctx: &RunContext, name: &str) -> SqlResult<Arc<SecurityContext>> {
    let refused = || SqlError::of(15_406, 1, &[&name]);
    let (server, token) = server_token(ctx)?;
    let login = server.named(name).filter(|login| !login.is_role && !login.is_disabled).ok_or_else(refused)?;
    if !token.as_ref().is_some_and(|token| token.may_impersonate(&server, login.id)) {
        return Err(refused());
    }
    let context = SecurityContext::of_login(login);
    // A login that cannot be where the session is cannot act there.
    let own = ctx.locks.transaction_number();
    match Access::of(&ctx.engine, own, &context, ctx.facts.database)? {
        Some(_) => Ok(context),
        None => Err(SqlError::of(916, 2, &[&name, &ctx.facts.database_name])),
    }
}

/// 15517: a user of a database, when the session may impersonate it.
fn as_user(ctx: &RunContext, database: DbId, name: &str) -> SqlResult<Arc<SecurityContext>> {
    let refused = || SqlError::of(15_517, 1, &[&name]);
    let own = ctx.locks.transaction_number();
    let access = Access::of_statement(ctx, database)?.ok_or_else(refused)?;
    let user = access.security.named(name).filter(|user| user.kind == UserKind::User).ok_or_else(refused)?;
    if !access.may_impersonate(user.id) || matches!(user.id, PrincipalId::INFORMATION_SCHEMA | PrincipalId::SYS) {
        return Err(refused());
    }
    context_of_user(&ctx.engine, own, database, user)
}

/// The user that EXECUTE AS of a module that is made or altered now names, of a trigger of the server the login: SELF is who does it.
///
/// # Errors
/// 15517 for a name that no user has, 15406 for one that no login has; 916.
pub fn principal_of_new(
    ctx: &RunContext,
    (database, is_of_server): (DbId, bool),
    options: &[ModuleOption],
) -> SqlResult<Option<PrincipalId>> {
    let written = options.iter().find_map(|option| match option {
        ModuleOption::ExecuteAs(context @ (ExecuteContext::User(_) | ExecuteContext::Creator)) => Some(context),
        _ => None,
    });
    let Some(written) = written else { return Ok(None) };
    if is_of_server {
        return login_of_new(ctx, written);
    }
    let access = access(ctx, database)?;
    let ExecuteContext::User(name) = written else { return Ok(Some(access.token.user)) };
    let user = access.security.named(name).filter(|user| user.kind == UserKind::User);
    user.map(|user| Some(user.id)).ok_or_else(|| SqlError::of(15_517, 1, &[name]))
}
