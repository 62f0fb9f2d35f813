//! `sp_addrole`, `sp_droprole`, `sp_addrolemember`, `sp_droprolemember`, `sp_addsrvrolemember`, `sp_dropsrvrolemember`.

use millpond_builtin::bracketed;
use millpond_catalog::security::UserKind;
use millpond_engine::security::{access, server_of_statement};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};

use super::users::{has_empty_schema, has_schema, then_schema};
use super::{check_name, check_no_transaction, given, name, no_name, optional_name};
use crate::procedure::named::SYSNAME;

/// `sp_addrole role [, owner]`: a schema of the role's name is made with it.
pub static SP_ADDROLE: ProcedureDef = ProcedureDef {
    name: "sp_addrole",
    params: &[("@rolename", SYSNAME), ("@ownername", SYSNAME)],
    run: |call| {
        check_no_transaction(call, &SP_ADDROLE)?;
        let role = name(call, &SP_ADDROLE, 0)?;
        check_name(&role)?;
        let owner = optional_name(call, &SP_ADDROLE, 1);
        let owner = owner.map_or_else(String::new, |owner| format!(" AUTHORIZATION {}", bracketed(&owner)));
        let has_schema = has_schema(call, &role)?;
        call.then(format!("CREATE ROLE {}{owner}", bracketed(&role)));
        if !has_schema {
            then_schema(call, &role);
        }
        Ok(0)
    },
};

/// `sp_droprole role`
pub static SP_DROPROLE: ProcedureDef = ProcedureDef {
    name: "sp_droprole",
    params: &[("@rolename", SYSNAME)],
    run: |call| {
        check_no_transaction(call, &SP_DROPROLE)?;
        let role = name(call, &SP_DROPROLE, 0)?;
        let ctx = call.ctx();
        let here = access(ctx, ctx.facts.database)?;
        let found = here.security.named(&role).filter(|found| found.kind == UserKind::Role);
        // A role with members stays, and its schema too.
        let is_empty = |id| !here.security.members().any(|(of, _)| of == id);
        if found.is_some_and(|found| is_empty(found.id) && has_empty_schema(&here.objects, &role, found.id)) {
            call.then(format!("DROP SCHEMA {}", bracketed(&role)));
        }
        call.then(format!("DROP ROLE {}", bracketed(&role)));
        Ok(0)
    },
};

/// `sp_addrolemember role, member`
pub static SP_ADDROLEMEMBER: ProcedureDef = ProcedureDef {
    name: "sp_addrolemember",
    params: &[("@rolename", SYSNAME), ("@membername", SYSNAME)],
    run: |call| {
        let (role, member) = role_and_member(call, &SP_ADDROLEMEMBER)?;
        let ctx = call.ctx();
        if access(ctx, ctx.facts.database)?.security.named(&member).is_none() {
            return Err(SqlError::of(15_410, 1, &[&member]));
        }
        call.then(format!("ALTER ROLE {} ADD MEMBER {}", bracketed(&role), bracketed(&member)));
        Ok(0)
    },
};

/// `sp_droprolemember role, member`
pub static SP_DROPROLEMEMBER: ProcedureDef = ProcedureDef {
    name: "sp_droprolemember",
    params: &[("@rolename", SYSNAME), ("@membername", SYSNAME)],
    run: |call| {
        let (role, member) = role_and_member(call, &SP_DROPROLEMEMBER)?;
        call.then(format!("ALTER ROLE {} DROP MEMBER {}", bracketed(&role), bracketed(&member)));
        Ok(0)
    },
};

/// `sp_addsrvrolemember login, role`
pub static SP_ADDSRVROLEMEMBER: ProcedureDef = ProcedureDef {
    name: "sp_addsrvrolemember",
    params: &[("@loginame", SYSNAME), ("@rolename", SYSNAME)],
    run: |call| server_member(call, &SP_ADDSRVROLEMEMBER, "ADD"),
};

/// `sp_dropsrvrolemember login, role`
pub static SP_DROPSRVROLEMEMBER: ProcedureDef = ProcedureDef {
    name: "sp_dropsrvrolemember",
    params: &[("@loginame", SYSNAME), ("@rolename", SYSNAME)],
    run: |call| server_member(call, &SP_DROPSRVROLEMEMBER, "DROP"),
};

/// Both have to be given before either is looked at.
fn role_and_member(call: &SystemCall<'_>, def: &'static ProcedureDef) -> SqlResult<(String, String)> {
    let (role, member) = (given(call, def, 0)?, given(call, def, 1)?);
    let name = |given: Option<String>| given.filter(|name| !name.is_empty()).ok_or_else(no_name);
    Ok((name(role)?, name(member)?))
}

/// Fixed roles of the server alone.
fn server_member(call: &mut SystemCall<'_>, def: &'static ProcedureDef, verb: &str) -> SqlResult<i32> {
    check_no_transaction(call, def)?;
    let login = name(call, def, 0)?;
    let role = optional_name(call, def, 1).ok_or_else(|| SqlError::of(15_431, 1, &[]))?;
    let known = server_of_statement(call.ctx())?;
    if !known.named(&role).is_some_and(|role| role.id.is_fixed_server_role()) {
        return Err(SqlError::of(15_402, 1, &[&role]));
    }
    if known.named(&login).is_none_or(|login| login.is_role) {
        return Err(SqlError::of(15_007, 1, &[&login]));
    }
    call.then(format!("ALTER SERVER ROLE {} {verb} MEMBER {}", bracketed(&role), bracketed(&login)));
    Ok(0)
}
