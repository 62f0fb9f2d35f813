//! `sp_changedbowner` and `sp_changeobjectowner`.

use millpond_builtin::bracketed;
use millpond_engine::security::access;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_storage::contract::DbId;

use super::name;
use crate::procedure::named::{SYSNAME, nvarchar, varchar};

/// `sp_changedbowner login [, map]`: what is to happen with aliases is not asked, because there are none.
pub static SP_CHANGEDBOWNER: ProcedureDef = ProcedureDef {
    name: "sp_changedbowner",
    params: &[("@loginame", SYSNAME), ("@map", varchar(5))],
    run: |call| {
        let login = name(call, &SP_CHANGEDBOWNER, 0)?;
        let facts = &call.ctx().facts;
        // master and tempdb are refused by the statement.
        if facts.database == DbId(3) {
            return Err(SqlError::of(15_109, 1, &[]));
        }
        let text =
            format!("ALTER AUTHORIZATION ON DATABASE::{} TO {}", bracketed(&facts.database_name), bracketed(&login));
        call.then(text);
        Ok(0)
    },
};

/// `sp_changeobjectowner object, owner`: the object moves into the schema of the owner's name.
pub static SP_CHANGEOBJECTOWNER: ProcedureDef = ProcedureDef {
    name: "sp_changeobjectowner",
    params: &[("@objname", nvarchar(776)), ("@newowner", SYSNAME)],
    run: change_object_owner,
};

fn change_object_owner(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_CHANGEOBJECTOWNER;
    let (object, owner) = (name(call, def, 0)?, name(call, def, 1)?);
    let none = || SqlError::of(15_001, 1, &[&object]);
    let parts = millpond_builtin::name_parts(&object).ok_or_else(none)?;
    let ctx = call.ctx();
    let is_elsewhere = |database: &String| ctx.engine.database_id(database) != Some(ctx.facts.database);
    if parts.server.is_some() || parts.database.as_ref().is_some_and(is_elsewhere) {
        return Err(none());
    }
    let here = access(ctx, ctx.facts.database)?;
    let schema = parts.schema.as_deref().unwrap_or("dbo");
    let found = here.objects.schema(schema).and_then(|schema| here.objects.find(schema.id, &parts.object));
    if found.is_none_or(|found| found.code() == "TR") {
        return Err(none());
    }
    let has_owner = here.security.named(&owner).is_some() && here.objects.schema(&owner).is_some();
    if !has_owner {
        return Err(SqlError::of(15_411, 1, &[&owner]));
    }
    call.then(format!(
        "ALTER SCHEMA {} TRANSFER {}.{}",
        bracketed(&owner),
        bracketed(schema),
        bracketed(&parts.object)
    ));
    call.then_tell(Message::of(15_477, &[]));
    Ok(0)
}
