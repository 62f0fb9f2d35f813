//! `sp_migrate_user_to_contained`: a user for a login becomes one with the login's password.

use millpond_builtin::bracketed;
use millpond_catalog::dictionary::{SecurityChange, change_security};
use millpond_catalog::names_equal;
use millpond_catalog::security::{Authentication, DatabasePrincipal, PrincipalId, UserKind};
use millpond_engine::context::RunContext;
use millpond_engine::security::{access, is_contained, may_on_server, own_sid, server_of_statement};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};

use super::name;
use crate::procedure::named::SYSNAME;

/// `sp_migrate_user_to_contained user, copy_login_name|keep_name, disable_login|do_not_disable_login`
pub static SP_MIGRATE_USER_TO_CONTAINED: ProcedureDef = ProcedureDef {
    name: "sp_migrate_user_to_contained",
    params: &[("@username", SYSNAME), ("@rename", SYSNAME), ("@disablelogin", SYSNAME)],
    run: migrate,
};

fn migrate(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_MIGRATE_USER_TO_CONTAINED;
    let (name, renames) = (name(call, def, 0)?, one_of(call, 1, "copy_login_name", "keep_name")?);
    let disables = one_of(call, 2, "disable_login", "do_not_disable_login")?;
    let ctx = call.ctx();
    if !may_on_server(ctx, "CONTROL SERVER")? {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    if !is_contained(&ctx.engine, ctx.facts.database) {
        return Err(SqlError::of(12_819, 1, &[]));
    }
    let here = access(ctx, ctx.facts.database)?;
    let user = here.security.named(&name).ok_or_else(|| SqlError::of(15_008, 1, &[&name]))?;
    let is_of_login = user.kind == UserKind::User && user.authentication == Authentication::Instance;
    if !is_of_login || user.id <= PrincipalId::SYS {
        return Err(SqlError::of(12_820, 1, &[]));
    }
    let server = server_of_statement(ctx)?;
    let login = user.sid.as_ref().and_then(|sid| server.of_sid(sid)).filter(|login| !login.is_role);
    let login = login.ok_or_else(|| SqlError::of(12_823, 1, &[&user.name]))?;
    let new_name = if renames { &login.name } else { &user.name };
    if !names_equal(new_name, &user.name) && here.security.named(new_name).is_some() {
        return Err(SqlError::of(15_023, 1, &[new_name]));
    }
    let changed = DatabasePrincipal {
        name: std::sync::Arc::clone(new_name),
        sid: Some(own_sid()?),
        authentication: Authentication::Database,
        password_hash: login.password_hash.clone(),
        default_language: Some(std::sync::Arc::clone(&login.default_language)),
        modified_us: ctx.engine.now_us().1,
        ..(**user).clone()
    };
    let (login, database) = (login.name.to_string(), ctx.facts.database);
    call.then_change(move |run, io| {
        let dictionary = RunContext::of(run).engine.databases().dictionary(database)?;
        change_security(&dictionary, io, &[SecurityChange::PutUser(changed)])
    });
    if disables {
        call.then(format!("ALTER LOGIN {} DISABLE", bracketed(&login)));
    }
    Ok(0)
}

/// Whether an argument is the first of two words.
///
/// # Errors
/// 15600 where it is neither.
fn one_of(call: &SystemCall<'_>, index: usize, first: &str, second: &str) -> SqlResult<bool> {
    let def = &SP_MIGRATE_USER_TO_CONTAINED;
    let given = name(call, def, index)?;
    match (given.eq_ignore_ascii_case(first), given.eq_ignore_ascii_case(second)) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => Err(SqlError::of(15_600, 1, &[&"sys.sp_migrate_user_to_contained"])),
    }
}
