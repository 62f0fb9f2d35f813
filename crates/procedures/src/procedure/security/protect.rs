//! `sp_helprotect`: what was granted and denied on objects and of statements, in the words of SQL Server 2000.
//!
//! What always holds: grants on schemas, types and principals are in no report; a grant on a table beside grants on its columns has a
//! row for each column that has none of its own.

use std::cmp::Reverse;

use millpond_catalog::security::{Grant, GrantState, Of, PrincipalId};
use millpond_catalog::{CatalogObject, ObjectId, names_equal};
use millpond_engine::principals::permissions::ON_COLUMNS;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use super::{measured, optional_name};
use crate::procedure::named::{SYSNAME, nvarchar, text_arg, varchar};
use millpond_views::security::{SeenInDatabase, seen_grants};

/// `sp_helprotect [object or statement] [, grantee] [, grantor] [, area]`
pub static SP_HELPROTECT: ProcedureDef = ProcedureDef {
    name: "sp_helprotect",
    params: &[
        ("@name", nvarchar(776)),
        ("@username", SYSNAME),
        ("@grantorname", SYSNAME),
        ("@permissionarea", varchar(10)),
    ],
    run: help_protect,
};

/// A row before it is shown.
struct Line<'s> {
    of_object: bool,
    owner: &'s str,
    object: &'s str,
    grant: Grant,
    /// Number of the column that it is shown for.
    column: i32,
    column_name: String,
}

/// What the arguments want.
struct Wanted {
    objects: bool,
    statements: bool,
    owner: Option<String>,
    name: Option<String>,
    grantee: Option<PrincipalId>,
    grantor: Option<PrincipalId>,
}

/// The number of a principal that is not there.
const NOBODY: PrincipalId = PrincipalId(-1);

fn help_protect(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let ctx = call.ctx();
    let Some(seen) = SeenInDatabase::of(ctx, ctx.facts.database)? else { return Ok(1) };
    let wanted = wanted(call, &seen)?;
    let grants = seen_grants(&seen);
    let mut lines = Vec::new();
    if wanted.objects {
        object_lines(&seen, &grants, &wanted, &mut lines);
    }
    if wanted.statements {
        let fits = |grant: &&Grant| {
            grant.on.of == Of::Database
                && wanted.is_of(grant)
                && wanted.owner.is_none()
                && wanted.name.as_deref().is_none_or(|name| names_equal(name, grant.permission.name))
        };
        lines.extend(grants.iter().filter(fits).map(|grant| Line {
            of_object: false,
            owner: ".",
            object: ".",
            grant: *grant,
            column: 0,
            column_name: ".".to_owned(),
        }));
    }
    if lines.is_empty() {
        return Err(SqlError::of(15_330, 1, &[]));
    }
    send(call, &seen, lines)
}

impl Wanted {
    fn is_of(&self, grant: &Grant) -> bool {
        self.grantee.is_none_or(|wanted| wanted == grant.grantee)
            && self.grantor.is_none_or(|wanted| wanted == grant.grantor)
    }
}

fn wanted(call: &SystemCall<'_>, seen: &SeenInDatabase) -> SqlResult<Wanted> {
    let def = &SP_HELPROTECT;
    let area = match call.position(def, 3).map(|position| call.args[position].value.is_some()) {
        Some(true) => text_arg(call, def, 3).unwrap_or_else(|| "?".to_owned()),
        _ => "o s".to_owned(),
    };
    let area = area.to_uppercase();
    let (objects, statements) = (area.contains('O'), area.contains('S'));
    if !objects && !statements {
        return Err(SqlError::of(15_300, 1, &[&area, &"o,s"]));
    }
    let principal = |index: usize| {
        let name = optional_name(call, def, index)?;
        Some(seen.security().named(&name).map_or(NOBODY, |principal| principal.id))
    };
    let (grantee, grantor) = (principal(1), principal(2));
    let (owner, name) = match optional_name(call, def, 0) {
        None => (None, None),
        Some(given) => {
            let parts = millpond_builtin::name_parts(&given);
            let parts = parts.ok_or_else(|| SqlError::of(15_253, 1, &[&given]))?;
            if parts.database.is_some() || parts.server.is_some() {
                return Err(SqlError::of(15_302, 1, &[]));
            }
            (parts.schema, Some(parts.object))
        }
    };
    Ok(Wanted { objects, statements, owner, name, grantee, grantor })
}

fn is_of_columns(grant: &Grant) -> bool {
    ON_COLUMNS.contains(&grant.permission.name)
}

/// Whether two grants are the same but for their column and whether they grant.
fn is_beside(one: &Grant, other: &Grant) -> bool {
    (one.on.major, one.grantee, one.grantor) == (other.on.major, other.grantee, other.grantor)
        && std::ptr::eq(one.permission, other.permission)
}

fn object_lines<'s>(seen: &'s SeenInDatabase, grants: &[Grant], wanted: &Wanted, lines: &mut Vec<Line<'s>>) {
    let on_objects: Vec<&Grant> = grants.iter().filter(|grant| grant.on.of == Of::Object).collect();
    for grant in on_objects.iter().copied().filter(|grant| wanted.is_of(grant)) {
        let Some(object) = seen.0.objects.get(ObjectId(grant.on.major)) else { continue };
        let (owner, name) = (&*object.schema().name, object.name());
        let fits = wanted.owner.as_deref().is_none_or(|wanted| names_equal(wanted, owner))
            && wanted.name.as_deref().is_none_or(|wanted| names_equal(wanted, name));
        if !fits {
            continue;
        }
        let line = |column: i32, column_name: String| Line {
            of_object: true,
            owner,
            object: name,
            grant: *grant,
            column,
            column_name,
        };
        let beside = |number: Option<i32>| {
            on_objects.iter().any(|other| {
                is_beside(grant, other) && number.map_or(other.on.minor != 0, |number| other.on.minor == number)
            })
        };
        let column_name = match (is_of_columns(grant), grant.on.minor) {
            (false, _) => ".".to_owned(),
            (true, 0) => whole_name(object, beside(None)).to_owned(),
            (true, number) => object.column_name(number).unwrap_or(".").to_owned(),
        };
        lines.push(line(grant.on.minor, column_name));
        if is_of_columns(grant) && grant.on.minor == 0 && beside(None) {
            let others = object.columns().filter(|(number, _)| !beside(Some(*number)));
            lines.extend(others.map(|(number, name)| line(number, name.to_owned())));
        }
    }
}

/// What stands for the columns of an object: those that come later are granted with a table.
fn whole_name(object: &CatalogObject, has_columns_apart: bool) -> &'static str {
    match (matches!(object, CatalogObject::Table(..)), has_columns_apart) {
        (true, false) => "(All+New)",
        (true, true) => "(New)",
        (false, false) => "(All)",
        (false, true) => ".",
    }
}

/// Permissions that SQL Server 2000 had are written as it wrote them.
fn action(permission: &str) -> String {
    const OLD: [&str; 14] = [
        "BACKUP DATABASE",
        "CREATE DATABASE",
        "CREATE DEFAULT",
        "CREATE FUNCTION",
        "CREATE PROCEDURE",
        "CREATE RULE",
        "CREATE TABLE",
        "CREATE VIEW",
        "DELETE",
        "EXECUTE",
        "INSERT",
        "REFERENCES",
        "SELECT",
        "UPDATE",
    ];
    if permission == "BACKUP LOG" {
        return "Backup Transaction".to_owned();
    }
    if !OLD.contains(&permission) {
        return permission.to_owned();
    }
    let word = |word: &str| {
        let (first, rest) = word.split_at(1);
        format!("{first}{}", rest.to_lowercase())
    };
    permission.split(' ').map(word).collect::<Vec<String>>().join(" ")
}

fn send(call: &mut SystemCall<'_>, seen: &SeenInDatabase, mut lines: Vec<Line<'_>>) -> SqlResult<i32> {
    let name = |id: PrincipalId| {
        let found = seen.security().principal(id);
        found.map_or_else(|| id.0.to_string(), |principal| principal.name.to_string())
    };
    let state = |grant: &Grant| match grant.state {
        GrantState::Deny => "Deny",
        GrantState::Grant => "Grant",
        GrantState::GrantWithOption => "Grant_WGO",
    };
    lines.sort_by_cached_key(|line| {
        let lower = |text: &str| text.to_lowercase();
        let who = (lower(&name(line.grant.grantee)), lower(&name(line.grant.grantor)));
        let what = (state(&line.grant), lower(&action(line.grant.permission.name)), line.column);
        (Reverse(line.of_object), lower(line.owner), lower(line.object), who, what)
    });
    let rows: Vec<Vec<Value>> = lines
        .iter()
        .map(|line| {
            vec![
                Value::str(line.owner),
                Value::str(line.object),
                Value::str(&name(line.grant.grantee)),
                Value::str(&name(line.grant.grantor)),
                Value::str(&format!("{:<10}", state(&line.grant))),
                Value::str(&action(line.grant.permission.name)),
                Value::str(&line.column_name),
            ]
        })
        .collect();
    let width = |column: usize, most: u16| measured(rows.iter().map(|row| &row[column]), 1, most);
    let columns = [
        ("Owner", width(0, 128)),
        ("Object", width(1, 128)),
        ("Grantee", width(2, 128)),
        ("Grantor", width(3, 128)),
        ("ProtectType", SqlType::char(10)),
        ("Action", width(5, 60)),
        ("Column", width(6, 128)),
    ];
    call.result(&columns, rows)?;
    Ok(0)
}
