//! `sp_change_users_login`: users whose login is gone, as after a database came from another server.

use millpond_builtin::{bracketed, unicode_literal};
use millpond_catalog::names_equal;
use millpond_catalog::security::{Authentication, DatabasePrincipal, PrincipalId, ServerSecurity, UserKind};
use millpond_engine::security::{access, is_sysadmin, server_of_statement};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_types::Value;
use millpond_types::format::hex;

use super::{SID, given, optional_name, sid_or_null};
use crate::procedure::named::{SYSNAME, text_arg, varchar};

/// `sp_change_users_login action [, user] [, login] [, password]`
pub static SP_CHANGE_USERS_LOGIN: ProcedureDef = ProcedureDef {
    name: "sp_change_users_login",
    params: &[("@Action", varchar(10)), ("@UserNamePattern", SYSNAME), ("@LoginName", SYSNAME), ("@Password", SYSNAME)],
    run: change_users_login,
};

/// Names that no user and no login given here may have.
const FORBIDDEN_USERS: [&str; 4] = ["dbo", "guest", "INFORMATION_SCHEMA", "sys"];

fn change_users_login(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_CHANGE_USERS_LOGIN;
    if call.run.facts().tran_count > 0 {
        return Err(SqlError::of(15_289, 1, &[]));
    }
    let action = given(call, def, 0)?.unwrap_or_default();
    let ctx = call.ctx();
    let token = access(ctx, ctx.facts.database)?.token;
    if !token.is_dbo() && !token.is(PrincipalId::DB_OWNER) {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    let (user, login) = (optional_name(call, def, 1), optional_name(call, def, 2));
    let password = text_arg(call, def, 3);
    match (action.to_ascii_uppercase().as_str(), user, login, password) {
        ("REPORT", None, None, None) => report(call),
        ("UPDATE_ONE", Some(user), Some(login), None) => update_one(call, &user, &login),
        ("AUTO_FIX", Some(user), None, password) => auto_fix(call, &user, password.as_deref()),
        ("REPORT" | "UPDATE_ONE" | "AUTO_FIX", ..) => Err(SqlError::of(15_600, 1, &[&"sys.sp_change_users_login"])),
        _ => Err(SqlError::of(15_286, 1, &[&action])),
    }
}

/// Whether a user is for a login that is not there; those without one never had any.
fn is_orphan(server: &ServerSecurity, user: &DatabasePrincipal) -> bool {
    user.kind == UserKind::User
        && user.authentication == Authentication::Instance
        && user.id > PrincipalId::SYS
        && user.sid.as_ref().is_some_and(|sid| server.of_sid(sid).is_none())
}

fn report(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let ctx = call.ctx();
    let (server, here) = (server_of_statement(ctx)?, access(ctx, ctx.facts.database)?);
    let mut orphans: Vec<_> = here.security.principals().filter(|user| is_orphan(&server, user)).collect();
    orphans.sort_by_key(|user| user.name.to_lowercase());
    let rows = orphans.iter().map(|user| vec![Value::str(&user.name), sid_or_null(user.sid.as_deref())]).collect();
    call.result(&[("UserName", SYSNAME), ("UserSID", SID)], rows)?;
    Ok(0)
}

/// 15287 and 15291: a user that may be linked.
fn find_user(call: &SystemCall<'_>, name: &str) -> SqlResult<std::sync::Arc<DatabasePrincipal>> {
    if FORBIDDEN_USERS.iter().any(|forbidden| names_equal(forbidden, name)) {
        return Err(SqlError::of(15_287, 1, &[&name]));
    }
    let ctx = call.ctx();
    let here = access(ctx, ctx.facts.database)?;
    let found = here.security.named(name).filter(|user| user.authentication == Authentication::Instance);
    found.cloned().ok_or_else(|| SqlError::of(15_291, 1, &[&"User", &name]))
}

fn update_one(call: &mut SystemCall<'_>, user: &str, login: &str) -> SqlResult<i32> {
    if names_equal(login, "sa") {
        return Err(SqlError::of(15_287, 1, &[&login]));
    }
    find_user(call, user)?;
    if server_of_statement(call.ctx())?.named(login).is_none_or(|login| login.is_role) {
        return Err(SqlError::of(15_291, 1, &[&"Login", &login]));
    }
    call.then(link(user, login));
    Ok(0)
}

fn link(user: &str, login: &str) -> String {
    format!("ALTER USER {} WITH LOGIN = {}", bracketed(user), bracketed(login))
}

/// The login of the user's name; a new one with the user's security identifier where there is none.
fn auto_fix(call: &mut SystemCall<'_>, name: &str, password: Option<&str>) -> SqlResult<i32> {
    if !is_sysadmin(call.ctx())? {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    let user = find_user(call, name)?;
    let known = server_of_statement(call.ctx())?;
    let (updated, added) = match known.named(name).filter(|login| !login.is_role) {
        Some(login) => {
            call.inform(15_292, &[&name]);
            let is_other = user.sid.as_ref() != Some(&login.sid);
            if is_other {
                call.then(link(name, &login.name));
            }
            (i32::from(is_other), 0)
        }
        None => {
            let Some(password) = password else {
                return Err(SqlError::of(15_600, 1, &[&"sys.sp_change_users_login"]));
            };
            call.inform(15_293, &[&name]);
            let sid = hex(user.sid.as_deref().unwrap_or_default());
            call.then(format!(
                "CREATE LOGIN {} WITH PASSWORD = {}, SID = {sid}, CHECK_EXPIRATION = OFF, CHECK_POLICY = OFF",
                bracketed(name),
                unicode_literal(password)
            ));
            (0, 1)
        }
    };
    call.then_tell(Message::of(15_295, &[&updated]));
    call.then_tell(Message::of(15_294, &[&added]));
    Ok(0)
}
