//! `sp_helprole`, `sp_helprolemember`, `sp_helpdbfixedrole`, `sp_helpsrvrole`, `sp_helpsrvrolemember`.

use millpond_catalog::names_equal;
use millpond_catalog::security::{PrincipalId, UserKind};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::Value;

use super::{SID, fits, in_order, optional_name, sid_or_null};
use crate::procedure::named::{INT, SYSNAME, nvarchar};
use millpond_views::security::{SeenInDatabase, SeenOnServer, seen_members};

/// `sp_helprole [role]`
pub static SP_HELPROLE: ProcedureDef =
    ProcedureDef { name: "sp_helprole", params: &[("@rolename", SYSNAME)], run: help_role };

/// `sp_helprolemember [role]`
pub static SP_HELPROLEMEMBER: ProcedureDef =
    ProcedureDef { name: "sp_helprolemember", params: &[("@rolename", SYSNAME)], run: help_role_member };

/// `sp_helpdbfixedrole [role]`
pub static SP_HELPDBFIXEDROLE: ProcedureDef = ProcedureDef {
    name: "sp_helpdbfixedrole",
    params: &[("@rolename", SYSNAME)],
    run: |call| describe(call, &SP_HELPDBFIXEDROLE, "DbFixedRole", &DATABASE_ROLES),
};

/// `sp_helpsrvrole [role]`
pub static SP_HELPSRVROLE: ProcedureDef = ProcedureDef {
    name: "sp_helpsrvrole",
    params: &[("@srvrolename", SYSNAME)],
    run: |call| describe(call, &SP_HELPSRVROLE, "ServerRole", &SERVER_ROLES),
};

/// `sp_helpsrvrolemember [role]`
pub static SP_HELPSRVROLEMEMBER: ProcedureDef =
    ProcedureDef { name: "sp_helpsrvrolemember", params: &[("@srvrolename", SYSNAME)], run: help_server_role_member };

const DATABASE_ROLES: [(&str, &str); 9] = [
    ("db_owner", "DB Owners"),
    ("db_accessadmin", "DB Access Administrators"),
    ("db_securityadmin", "DB Security Administrators"),
    ("db_ddladmin", "DB DDL Administrators"),
    ("db_backupoperator", "DB Backup Operator"),
    ("db_datareader", "DB Data Reader"),
    ("db_datawriter", "DB Data Writer"),
    ("db_denydatareader", "DB Deny Data Reader"),
    ("db_denydatawriter", "DB Deny Data Writer"),
];

const SERVER_ROLES: [(&str, &str); 8] = [
    ("sysadmin", "System Administrators"),
    ("securityadmin", "Security Administrators"),
    ("serveradmin", "Server Administrators"),
    ("setupadmin", "Setup Administrators"),
    ("processadmin", "Process Administrators"),
    ("diskadmin", "Disk Administrators"),
    ("dbcreator", "Database Creators"),
    ("bulkadmin", "Bulk Insert Administrators"),
];

/// 15412
fn check_fixed(wanted: Option<&str>, known: &[(&str, &str)]) -> SqlResult<()> {
    match wanted.filter(|wanted| !known.iter().any(|(role, _)| names_equal(role, wanted))) {
        Some(unknown) => Err(SqlError::of(15_412, 1, &[&unknown])),
        None => Ok(()),
    }
}

fn describe(
    call: &mut SystemCall<'_>,
    def: &'static ProcedureDef,
    column: &str,
    known: &[(&str, &str)],
) -> SqlResult<i32> {
    let wanted = role_of(call, def);
    check_fixed(wanted.as_deref(), known)?;
    let fits = |role: &str| wanted.as_deref().is_none_or(|wanted| names_equal(role, wanted));
    let shown = known.iter().filter(|(role, _)| fits(role));
    let rows = shown.map(|(role, words)| vec![Value::str(role), Value::str(words)]).collect();
    call.result(&[(column, nvarchar(35)), ("Description", nvarchar(35))], rows)?;
    Ok(0)
}

/// The argument; an empty name is one that no role has.
fn role_of(call: &SystemCall<'_>, def: &ProcedureDef) -> Option<String> {
    let given = call.arg(def, 0).and_then(Value::as_str);
    given.map(|name| name.trim_end().to_owned())
}

fn help_role(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let wanted = optional_name(call, &SP_HELPROLE, 0);
    let ctx = call.ctx();
    let Some(seen) = SeenInDatabase::of(ctx, ctx.facts.database)? else { return Ok(1) };
    let roles = seen.principals().filter(|role| {
        role.kind != UserKind::User && wanted.as_deref().is_none_or(|wanted| names_equal(&role.name, wanted))
    });
    let rows: Vec<Vec<Value>> = roles
        .map(|role| {
            let is_application = i32::from(role.kind == UserKind::ApplicationRole);
            vec![Value::str(&role.name), Value::Int(role.id.0), Value::Int(is_application)]
        })
        .collect();
    if let (Some(wanted), true) = (&wanted, rows.is_empty()) {
        return Err(SqlError::of(15_409, 1, &[wanted]));
    }
    call.result(&[("RoleName", SYSNAME), ("RoleId", INT), ("IsAppRole", INT)], rows)?;
    Ok(0)
}

/// Direct members alone.
fn help_role_member(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let wanted = optional_name(call, &SP_HELPROLEMEMBER, 0);
    let ctx = call.ctx();
    let Some(seen) = SeenInDatabase::of(ctx, ctx.facts.database)? else { return Ok(1) };
    let is_role = seen.principals().any(|role| role.kind == UserKind::Role && fits(&role.name, wanted.as_deref()));
    if let (Some(wanted), false) = (&wanted, is_role) {
        return Err(SqlError::of(15_409, 1, &[wanted]));
    }
    let mut rows = Vec::new();
    for (role, member) in seen_members(&seen) {
        let of = |id: PrincipalId| seen.security().principal(id).filter(|one| seen.sees(one));
        let (Some(role), Some(member)) = (of(role), of(member)) else { continue };
        if fits(&role.name, wanted.as_deref()) {
            rows.push(vec![Value::str(&role.name), Value::str(&member.name), sid_or_null(member.sid.as_deref())]);
        }
    }
    in_order(&mut rows, &[0, 1]);
    call.result(&[("DbRole", SYSNAME), ("MemberName", SYSNAME), ("MemberSID", SID)], rows)?;
    Ok(0)
}

fn help_server_role_member(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let wanted = role_of(call, &SP_HELPSRVROLEMEMBER);
    check_fixed(wanted.as_deref(), &SERVER_ROLES)?;
    let seen = SeenOnServer::of(call.ctx())?;
    let mut rows = Vec::new();
    for (role, member) in seen.server.members().filter(|(role, _)| role.is_fixed_server_role()) {
        let (Some(role), Some(member)) = (seen.server.principal(role), seen.server.principal(member)) else { continue };
        if fits(&role.name, wanted.as_deref()) && seen.sees(member) {
            rows.push(vec![Value::str(&role.name), Value::str(&member.name), sid_or_null(Some(&member.sid))]);
        }
    }
    call.result(&[("ServerRole", SYSNAME), ("MemberName", SYSNAME), ("MemberSID", SID)], rows)?;
    Ok(0)
}
