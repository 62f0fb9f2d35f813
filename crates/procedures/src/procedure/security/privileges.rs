//! `sp_table_privileges` and `sp_column_privileges`, which ODBC's SQLTablePrivileges and SQLColumnPrivileges call: what the owner of a
//! table has, and what was granted.

use millpond_catalog::security::{GrantState, Of, Securable};
use millpond_catalog::{CatalogObject, names_equal};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use super::{in_order, missing};
use crate::procedure::named::{SYSNAME, fits, foreign_qualifier, nvarchar, text_arg, varchar};
use millpond_views::security::{SeenInDatabase, seen_grants};

/// `sp_table_privileges table [, owner] [, qualifier] [, pattern]`
pub static SP_TABLE_PRIVILEGES: ProcedureDef = ProcedureDef {
    name: "sp_table_privileges",
    params: &[
        ("@table_name", nvarchar(384)),
        ("@table_owner", nvarchar(384)),
        ("@table_qualifier", SYSNAME),
        ("@fUsePattern", SqlType::Bit),
    ],
    run: table_privileges,
};

/// `sp_column_privileges table [, owner] [, qualifier] [, column]`
pub static SP_COLUMN_PRIVILEGES: ProcedureDef = ProcedureDef {
    name: "sp_column_privileges",
    params: &[
        ("@table_name", SYSNAME),
        ("@table_owner", SYSNAME),
        ("@table_qualifier", SYSNAME),
        ("@column_name", nvarchar(384)),
    ],
    run: column_privileges,
};

const ON_TABLES: [&str; 5] = ["DELETE", "INSERT", "REFERENCES", "SELECT", "UPDATE"];
const ON_COLUMNS: [&str; 4] = ["INSERT", "REFERENCES", "SELECT", "UPDATE"];

/// A privilege: column, grantor, grantee, what, whether it may be granted.
type Privilege = (Option<i32>, String, String, &'static str, bool);

/// A table or view with what there is on it.
type OfObject = (CatalogObject, Vec<Privilege>);

/// The tables and views that are meant, with the privileges on them.
fn privileges(call: &SystemCall<'_>, def: &'static ProcedureDef, is_pattern: bool) -> SqlResult<Option<Vec<OfObject>>> {
    let name = text_arg(call, def, 0).ok_or_else(|| missing(def, 0))?;
    let (owner, ctx) = (text_arg(call, def, 1), call.ctx());
    if text_arg(call, def, 2).is_some_and(|database| !names_equal(&database, &ctx.facts.database_name)) {
        return Err(foreign_qualifier());
    }
    let Some(seen) = SeenInDatabase::of(ctx, ctx.facts.database)? else { return Ok(None) };
    let is_meant = |shown: &str, wanted: Option<&str>| match is_pattern {
        true => fits(shown, wanted),
        false => wanted.is_none_or(|wanted| names_equal(shown, wanted)),
    };
    let meant = seen.0.objects.iter().filter(|object| {
        matches!(object.code(), "U" | "V")
            && is_meant(object.name(), Some(&name))
            && is_meant(&object.schema().name, owner.as_deref())
            && seen.0.rights().may_see(Securable::object(object.id().0))
    });
    let found = meant.map(|object| (object.clone(), of_object(&seen, object))).collect();
    Ok(Some(found))
}

fn of_object(seen: &SeenInDatabase, object: &CatalogObject) -> Vec<Privilege> {
    let security = seen.security();
    let id = object.id().0;
    let name = |id| security.principal(id).map_or_else(String::new, |principal| principal.name.to_string());
    let owner = name(security.object_owner(id, object.schema().id.0));
    let mut all: Vec<Privilege> =
        ON_TABLES.iter().map(|what| (None, owner.clone(), owner.clone(), *what, true)).collect();
    let grants = seen_grants(seen).into_iter().filter(|grant| grant.on.of == Of::Object && grant.on.major == id);
    for grant in grants.filter(|grant| grant.state != GrantState::Deny) {
        let Some(what) = ON_TABLES.into_iter().find(|what| *what == grant.permission.name) else { continue };
        let column = (grant.on.minor != 0).then_some(grant.on.minor);
        let is_grantable = grant.state == GrantState::GrantWithOption;
        all.push((column, name(grant.grantor), name(grant.grantee), what, is_grantable));
    }
    all
}

fn yes(holds: bool) -> Value {
    Value::str(if holds { "YES" } else { "NO" })
}

fn table_privileges(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_TABLE_PRIVILEGES;
    let is_pattern = !matches!(call.arg(def, 3), Some(Value::Bit(false)));
    let Some(found) = privileges(call, def, is_pattern)? else { return Ok(1) };
    let database = Value::str(&call.ctx().facts.database_name);
    let mut rows = Vec::new();
    for (object, privileges) in &found {
        for (_, grantor, grantee, what, is_grantable) in privileges.iter().filter(|privilege| privilege.0.is_none()) {
            rows.push(vec![
                database.clone(),
                Value::str(&object.schema().name),
                Value::str(object.name()),
                Value::str(grantor),
                Value::str(grantee),
                Value::str(what),
                yes(*is_grantable),
            ]);
        }
    }
    in_order(&mut rows, &[0, 1, 2, 5, 3, 4]);
    call.result(
        &[
            ("TABLE_QUALIFIER", SYSNAME),
            ("TABLE_OWNER", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("GRANTOR", SYSNAME),
            ("GRANTEE", SYSNAME),
            ("PRIVILEGE", varchar(32)),
            ("IS_GRANTABLE", varchar(3)),
        ],
        rows,
    )?;
    Ok(0)
}

/// What is on the table is on each of its columns.
fn column_privileges(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_COLUMN_PRIVILEGES;
    let wanted = text_arg(call, def, 3);
    let Some(found) = privileges(call, def, false)? else { return Ok(1) };
    let database = Value::str(&call.ctx().facts.database_name);
    let mut rows = Vec::new();
    for (object, privileges) in &found {
        for (number, name) in object.columns() {
            let of_it = privileges.iter().filter(|(of, _, _, what, _)| {
                of.is_none_or(|of| of == number) && ON_COLUMNS.contains(what) && fits(name, wanted.as_deref())
            });
            rows.extend(of_it.map(|(_, grantor, grantee, what, is_grantable)| {
                vec![
                    database.clone(),
                    Value::str(&object.schema().name),
                    Value::str(object.name()),
                    Value::str(name),
                    Value::str(grantor),
                    Value::str(grantee),
                    Value::str(what),
                    yes(*is_grantable),
                ]
            }));
        }
    }
    in_order(&mut rows, &[0, 1, 2, 3, 6, 4, 5]);
    // What is granted on the table and on the column is one row.
    rows.dedup();
    call.result(
        &[
            ("TABLE_QUALIFIER", SYSNAME),
            ("TABLE_OWNER", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("COLUMN_NAME", SYSNAME),
            ("GRANTOR", SYSNAME),
            ("GRANTEE", SYSNAME),
            ("PRIVILEGE", varchar(32)),
            ("IS_GRANTABLE", varchar(3)),
        ],
        rows,
    )?;
    Ok(0)
}
