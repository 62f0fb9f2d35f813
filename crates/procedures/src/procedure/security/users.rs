//! `sp_adduser`, `sp_grantdbaccess`, `sp_dropuser`, `sp_revokedbaccess`. A user that is made here has a schema of its name, which goes with
//! it while it is empty.

use millpond_builtin::bracketed;
use millpond_catalog::security::{Of, PrincipalId, UserKind};
use millpond_catalog::{DatabaseObjects, names_equal};
use millpond_engine::security::{access, server_of_statement};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_types::Value;

use super::{check_name, check_no_transaction, name, optional_name};
use crate::procedure::named::SYSNAME;

/// `sp_adduser login [, user] [, role]`
pub static SP_ADDUSER: ProcedureDef = ProcedureDef {
    name: "sp_adduser",
    params: &[("@loginame", SYSNAME), ("@name_in_db", SYSNAME), ("@grpname", SYSNAME)],
    run: add_user,
};

/// `sp_grantdbaccess login [, user [OUTPUT]]`
pub static SP_GRANTDBACCESS: ProcedureDef = ProcedureDef {
    name: "sp_grantdbaccess",
    params: &[("@loginame", SYSNAME), ("@name_in_db", SYSNAME)],
    run: |call| {
        check_no_transaction(call, &SP_GRANTDBACCESS)?;
        let login = name(call, &SP_GRANTDBACCESS, 0)?;
        let user = grant_access(call, &SP_GRANTDBACCESS, &login)?;
        let position = call.position(&SP_GRANTDBACCESS, 1).filter(|position| call.args[*position].output);
        call.outputs.extend(position.map(|position| (position, Value::str(&user))));
        Ok(0)
    },
};

/// `sp_dropuser user`
pub static SP_DROPUSER: ProcedureDef = ProcedureDef {
    name: "sp_dropuser",
    params: &[("@name_in_db", SYSNAME)],
    run: |call| drop_user(call, &SP_DROPUSER),
};

/// `sp_revokedbaccess user`
pub static SP_REVOKEDBACCESS: ProcedureDef = ProcedureDef {
    name: "sp_revokedbaccess",
    params: &[("@name_in_db", SYSNAME)],
    run: |call| drop_user(call, &SP_REVOKEDBACCESS),
};

const GUEST: &str = "guest";

fn add_user(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_ADDUSER;
    check_no_transaction(call, def)?;
    let login = name(call, def, 0)?;
    if names_equal(&login, GUEST) {
        call.then("GRANT CONNECT TO guest".to_owned());
        return Ok(0);
    }
    let is_login = server_of_statement(call.ctx())?.named(&login).is_some_and(|login| !login.is_role);
    if !is_login {
        return Err(SqlError::of(15_007, 1, &[&login]));
    }
    let ctx = call.ctx();
    let here = access(ctx, ctx.facts.database)?;
    let role = optional_name(call, def, 2);
    if let Some(role) = &role
        && !here.security.named(role).is_some_and(|found| found.kind == UserKind::Role)
    {
        return Err(SqlError::of(15_014, 1, &[role]));
    }
    if !here.token.is_dbo() {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    let user = grant_access(call, def, &login)?;
    if let Some(role) = role.filter(|role| !names_equal(role, "public")) {
        call.then(format!("ALTER ROLE {} ADD MEMBER {}", bracketed(&role), bracketed(&user)));
    }
    Ok(0)
}

/// The user of a login, with its schema; gives its name.
fn grant_access(call: &mut SystemCall<'_>, def: &'static ProcedureDef, login: &str) -> SqlResult<String> {
    let user = optional_name(call, def, 1).unwrap_or_else(|| login.to_owned());
    check_name(&user)?;
    let (shown, has_schema) = (bracketed(&user), has_schema(call, &user)?);
    call.then(format!("CREATE USER {shown} FOR LOGIN {} WITH DEFAULT_SCHEMA = {shown}", bracketed(login)));
    if !has_schema {
        then_schema(call, &user);
    }
    Ok(user)
}

pub(super) fn has_schema(call: &SystemCall<'_>, name: &str) -> SqlResult<bool> {
    let ctx = call.ctx();
    Ok(access(ctx, ctx.facts.database)?.objects.schema(name).is_some())
}

/// Leaves a schema of a principal's name to be made, which that principal owns.
pub(super) fn then_schema(call: &mut SystemCall<'_>, name: &str) {
    let shown = bracketed(name);
    call.then(format!("CREATE SCHEMA {shown}"));
    call.then(format!("ALTER AUTHORIZATION ON SCHEMA::{shown} TO {shown}"));
}

/// Whether there is a schema of the principal's name that is its own and empty.
pub(super) fn has_empty_schema(objects: &DatabaseObjects, name: &str, owner: PrincipalId) -> bool {
    let Some(schema) = objects.schema(name) else { return false };
    objects.security().said_owner(Of::Schema, schema.id.0) == Some(owner)
        && !objects.iter().any(|object| object.schema().id == schema.id)
        && !objects.user_types().any(|ty| ty.schema.id == schema.id)
}

fn drop_user(call: &mut SystemCall<'_>, def: &'static ProcedureDef) -> SqlResult<i32> {
    check_no_transaction(call, def)?;
    let user = name(call, def, 0)?;
    let ctx = call.ctx();
    let (database, here) = (ctx.facts.database, access(ctx, ctx.facts.database)?);
    if names_equal(&user, GUEST) {
        if matches!(database, DbId::MASTER | DbId::TEMPDB) {
            return Err(SqlError::of(15_182, 1, &[]));
        }
        call.then("REVOKE CONNECT FROM guest".to_owned());
        return Ok(0);
    }
    let found = here.security.named(&user).filter(|found| found.kind == UserKind::User);
    let id = found.ok_or_else(|| SqlError::of(15_008, 1, &[&user]))?.id;
    if has_empty_schema(&here.objects, &user, id) {
        call.then(format!("DROP SCHEMA {}", bracketed(&user)));
    }
    call.then(format!("DROP USER {}", bracketed(&user)));
    Ok(0)
}
