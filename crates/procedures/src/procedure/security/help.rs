//! `sp_helplogins`, `sp_helpuser`, `sp_validatelogins`: logins and users with what belongs to them.

use std::sync::Arc;

use millpond_catalog::names_equal;
use millpond_catalog::security::{DatabasePrincipal, DatabaseSecurity, PrincipalId, ServerPrincipal, UserKind};
use millpond_engine::security::Access;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use super::{SID, fits, measured, optional_name, sid_or_null, text_or_null};
use crate::procedure::named::{INT, SYSNAME, nvarchar};
use millpond_views::security::{SeenInDatabase, SeenOnServer};

/// `sp_helplogins [login]`
pub static SP_HELPLOGINS: ProcedureDef =
    ProcedureDef { name: "sp_helplogins", params: &[("@LoginNamePattern", SYSNAME)], run: help_logins };

/// `sp_helpuser [user or role]`
pub static SP_HELPUSER: ProcedureDef =
    ProcedureDef { name: "sp_helpuser", params: &[("@name_in_db", SYSNAME)], run: help_user };

/// `sp_validatelogins`: accounts of Windows that are gone; none ever was a login here.
pub static SP_VALIDATELOGINS: ProcedureDef = ProcedureDef {
    name: "sp_validatelogins",
    params: &[],
    run: |call| {
        check_security_admin(&SeenOnServer::of(call.ctx())?)?;
        call.result(&[("SID", SID), ("NT Login", SYSNAME)], Vec::new())?;
        Ok(0)
    },
};

/// 15247
fn check_security_admin(seen: &SeenOnServer) -> SqlResult<()> {
    let is_one = seen.token.as_ref().is_some_and(|token| token.is_sysadmin() || token.is(PrincipalId::SECURITY_ADMIN));
    if is_one { Ok(()) } else { Err(SqlError::of(15_247, 1, &[])) }
}

fn help_logins(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let seen = SeenOnServer::of(call.ctx())?;
    check_security_admin(&seen)?;
    let wanted = optional_name(call, &SP_HELPLOGINS, 0);
    let mut logins: Vec<&Arc<ServerPrincipal>> =
        seen.principals().filter(|login| !login.is_role && fits(&login.name, wanted.as_deref())).collect();
    if let (Some(wanted), true) = (&wanted, logins.is_empty()) {
        return Err(SqlError::of(15_007, 1, &[wanted]));
    }
    logins.sort_by_key(|login| login.name.to_lowercase());
    let users = users_of(call, &logins)?;
    let has_user = |login: &ServerPrincipal| users.iter().any(|row| row[0].as_str() == Some(&login.name));
    let rows = logins.iter().map(|login| {
        vec![
            Value::str(&login.name),
            sid_or_null(Some(&login.sid)),
            Value::str(&login.default_database),
            Value::str(&login.default_language),
            Value::str(if has_user(login) { "yes  " } else { "NO   " }),
            Value::str("no     "),
        ]
    });
    let rows = rows.collect();
    call.result(
        &[
            ("LoginName", SYSNAME),
            ("SID", SID),
            ("DefDBName", SYSNAME),
            ("DefLangName", SYSNAME),
            ("AUser", SqlType::char(5)),
            ("ARemote", SqlType::char(7)),
        ],
        rows,
    )?;
    call.result(
        &[("LoginName", SYSNAME), ("DBName", SYSNAME), ("UserName", SYSNAME), ("UserOrAlias", SqlType::char(8))],
        users,
    )?;
    Ok(0)
}

/// The users and roles of logins in every database, ordered by login, database and name; 15622 for a database that the session may
/// not use.
fn users_of(call: &mut SystemCall<'_>, logins: &[&Arc<ServerPrincipal>]) -> SqlResult<Vec<Vec<Value>>> {
    let databases = call.ctx().engine.instance().all_databases();
    let mut found: Vec<[String; 4]> = Vec::new();
    for database in databases {
        let name = database.name().to_string();
        let ctx = call.ctx();
        let access = Access::of_statement(ctx, database.id());
        let Ok(Some(access)) = access else {
            call.inform(15_622, &[&name]);
            continue;
        };
        let security = &access.security;
        for login in logins {
            let Some(user) = security.of_sid(&login.sid) else { continue };
            let row = |of: &str, what: &str| [login.name.to_string(), name.clone(), of.to_owned(), what.to_owned()];
            found.push(row(&user.name, "User    "));
            found.extend(roles_of(security, user.id).map(|role| row(&role.name, "MemberOf")));
        }
    }
    found.sort_by_key(|[login, database, of, _]| (login.to_lowercase(), database.to_lowercase(), of.to_lowercase()));
    Ok(found.into_iter().map(|row| row.iter().map(|cell| Value::str(cell)).collect()).collect())
}

/// The roles that a principal is directly in.
fn roles_of(security: &DatabaseSecurity, member: PrincipalId) -> impl Iterator<Item = &Arc<DatabasePrincipal>> {
    let roles = security.members().filter(move |(_, of)| *of == member);
    roles.filter_map(|(role, _)| security.principal(role))
}

fn help_user(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let wanted = optional_name(call, &SP_HELPUSER, 0);
    let ctx = call.ctx();
    let Some(seen) = SeenInDatabase::of(ctx, ctx.facts.database)? else { return Ok(1) };
    let server = SeenOnServer::of(ctx)?.server;
    let mut users: Vec<&Arc<DatabasePrincipal>> =
        seen.principals().filter(|user| user.kind != UserKind::Role && fits(&user.name, wanted.as_deref())).collect();
    users.sort_by_key(|user| user.name.to_lowercase());
    if let (Some(wanted), true) = (&wanted, users.is_empty()) {
        let role = seen.principals().find(|role| role.kind == UserKind::Role && names_equal(&role.name, wanted));
        let Some(role) = role else { return Err(SqlError::of(15_198, 1, &[wanted])) };
        return help_role_members(call, &seen, role);
    }
    let mut rows = Vec::new();
    for user in users {
        let login = user.sid.as_ref().and_then(|sid| server.of_sid(sid));
        let row = |role: &str| {
            vec![
                Value::str(&user.name),
                Value::str(role),
                text_or_null(login.map(|login| &*login.name)),
                text_or_null(login.map(|login| &*login.default_database)),
                text_or_null(user.default_schema.as_deref()),
                Value::str(&format!("{:<10}", user.id.0)),
                sid_or_null(user.sid.as_deref()),
            ]
        };
        let before = rows.len();
        rows.extend(roles_of(seen.security(), user.id).map(|role| row(&role.name)));
        if rows.len() == before {
            rows.push(row("public"));
        }
    }
    let width = |column: usize, floor: u16| measured(rows.iter().map(|row| &row[column]), floor, 256);
    let columns = [
        ("UserName", width(0, 8)),
        ("RoleName", width(1, 9)),
        ("LoginName", width(2, 9)),
        ("DefDBName", width(3, 9)),
        ("DefSchemaName", width(4, 9)),
        ("UserID", SqlType::char(10)),
        ("SID", SID),
    ];
    call.result(&columns, rows)?;
    Ok(0)
}

fn help_role_members(call: &mut SystemCall<'_>, seen: &SeenInDatabase, role: &DatabasePrincipal) -> SqlResult<i32> {
    let cut = |name: &str| Value::from(name.chars().take(25).collect::<String>());
    let members = seen.security().members().filter(|(of, _)| *of == role.id);
    let members = members.filter_map(|(_, member)| seen.security().principal(member));
    let rows =
        members.map(|member| vec![cut(&role.name), Value::Int(role.id.0), cut(&member.name), Value::Int(member.id.0)]);
    let rows = rows.collect();
    call.result(
        &[("Role_name", nvarchar(25)), ("Role_id", INT), ("Users_in_role", nvarchar(25)), ("Userid", INT)],
        rows,
    )?;
    Ok(0)
}
