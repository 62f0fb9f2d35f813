//! `sp_addapprole`, `sp_dropapprole`, `sp_approlepassword`; `sp_setapprole` and `sp_unsetapprole`, which make the session an application
//! role and end that.

use millpond_builtin::bracketed;
use millpond_catalog::security::UserKind;
use millpond_engine::password;
use millpond_engine::security::access;
use millpond_engine::security::application_role::{set, unset};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::format::hex;
use millpond_types::{MaxLen, SqlType, Value};

use super::users::{has_empty_schema, has_schema, then_schema};
use super::{check_name, check_no_transaction, missing, name};
use crate::procedure::named::{SYSNAME, text_arg, varchar};

const COOKIE: SqlType = SqlType::VarBinary { len: MaxLen::Limited(8000) };

/// `sp_addapprole role, password`: a schema of the role's name is made with it.
pub static SP_ADDAPPROLE: ProcedureDef = ProcedureDef {
    name: "sp_addapprole",
    params: &[("@rolename", SYSNAME), ("@password", SYSNAME)],
    run: |call| {
        let def = &SP_ADDAPPROLE;
        check_no_transaction(call, def)?;
        let (role, hash) = (name(call, def, 0)?, hash_of(call, def)?);
        check_name(&role)?;
        if has_schema(call, &role)? {
            return Err(SqlError::of(15_023, 1, &[&role]));
        }
        let shown = bracketed(&role);
        call.then(format!("CREATE APPLICATION ROLE {shown} WITH PASSWORD = {hash} HASHED, DEFAULT_SCHEMA = {shown}"));
        then_schema(call, &role);
        Ok(0)
    },
};

/// `sp_dropapprole role`
pub static SP_DROPAPPROLE: ProcedureDef = ProcedureDef {
    name: "sp_dropapprole",
    params: &[("@rolename", SYSNAME)],
    run: |call| {
        let def = &SP_DROPAPPROLE;
        check_no_transaction(call, def)?;
        let role = name(call, def, 0)?;
        let ctx = call.ctx();
        let here = access(ctx, ctx.facts.database)?;
        let id = here.security.named(&role).filter(|found| found.kind == UserKind::ApplicationRole).map(|role| role.id);
        let id = id.ok_or_else(|| SqlError::of(15_014, 1, &[&role]))?;
        if has_empty_schema(&here.objects, &role, id) {
            call.then(format!("DROP SCHEMA {}", bracketed(&role)));
        }
        call.then(format!("DROP APPLICATION ROLE {}", bracketed(&role)));
        Ok(0)
    },
};

/// `sp_approlepassword role, password`
pub static SP_APPROLEPASSWORD: ProcedureDef = ProcedureDef {
    name: "sp_approlepassword",
    params: &[("@rolename", SYSNAME), ("@newpwd", SYSNAME)],
    run: |call| {
        let def = &SP_APPROLEPASSWORD;
        check_no_transaction(call, def)?;
        let (role, hash) = (name(call, def, 0)?, hash_of(call, def)?);
        call.then(format!("ALTER APPLICATION ROLE {} WITH PASSWORD = {hash} HASHED", bracketed(&role)));
        Ok(0)
    },
};

/// `sp_setapprole role, password [, encrypt] [, create_cookie] [, cookie OUTPUT]`
pub static SP_SETAPPROLE: ProcedureDef = ProcedureDef {
    name: "sp_setapprole",
    params: &[
        ("@rolename", SYSNAME),
        ("@password", SYSNAME),
        ("@encrypt", varchar(10)),
        ("@fcreatecookie", SqlType::Bit),
        ("@cookie", COOKIE),
    ],
    run: set_role,
};

/// `sp_unsetapprole cookie`
pub static SP_UNSETAPPROLE: ProcedureDef = ProcedureDef {
    name: "sp_unsetapprole",
    params: &[("@cookie", COOKIE)],
    run: |call| {
        let cookie = call.arg(&SP_UNSETAPPROLE, 0).ok_or_else(|| missing(&SP_UNSETAPPROLE, 0))?;
        let acting = unset(call.ctx(), cookie.as_bytes().unwrap_or_default())?;
        call.then_become(acting);
        Ok(0)
    },
};

/// The hash of the password, the second argument: what these procedures set is not asked for its complexity.
fn hash_of(call: &SystemCall<'_>, def: &'static ProcedureDef) -> SqlResult<String> {
    let given = call.arg(def, 1).ok_or_else(|| missing(def, 1))?;
    let text = given.as_str().filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| SqlError::of(15_021, 1, &[&def.params[1].0]))?;
    let hash = password::hash(text).map_err(|cause| SqlError::of(8630, 1, &[&cause]))?;
    Ok(hex(hash.as_bytes()))
}

fn set_role(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_SETAPPROLE;
    check_no_transaction(call, def)?;
    for index in 0..2 {
        call.arg(def, index).ok_or_else(|| missing(def, index))?;
    }
    let (Some(role), Some(given)) = (text_arg(call, def, 0), text_arg(call, def, 1)) else {
        return Err(SqlError::of(2762, 1, &[]));
    };
    match text_arg(call, def, 2).unwrap_or_else(|| "none".to_owned()).to_ascii_lowercase().as_str() {
        "none" => {}
        "odbc" => return Err(message::missing("sp_setapprole with @encrypt = 'odbc'")),
        _ => return Err(SqlError::of(2762, 1, &[])),
    }
    let wants_cookie = matches!(call.arg(def, 3), Some(Value::Bit(true)));
    let (acting, cookie) = set(call.ctx(), &role, &given, wants_cookie)?;
    let position = call.position(def, 4).filter(|position| call.args[*position].output);
    if let (Some(position), Some(cookie)) = (position, cookie) {
        call.outputs.push((position, Value::Binary(cookie.to_vec().into())));
    }
    call.then_become(acting);
    Ok(0)
}
