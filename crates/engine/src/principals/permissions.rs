//! Which permissions the session has: on a securable, as `fn_my_permissions` lists them, and as the bits of PERMISSIONS.
//!
//! What always holds: a permission is listed when HAS_PERMS_BY_NAME says 1 of it; what is not there, or must not be known to the
//! session, has none.

use millpond_builtin::name_parts;
use millpond_catalog::run::metadata::NameParts;
use millpond_catalog::security::{Of, PERMISSIONS, Permission, Rights, Securable};
use millpond_catalog::{CatalogObject, ModuleKind, ObjectId};
use millpond_storage::contract::DbId;

use crate::context::RunContext;
use crate::security::{self, Access};

/// A permission that the session has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Name of a column; empty for the securable as a whole.
    pub column: String,
    /// The permission.
    pub permission: &'static str,
}

/// Permissions that a column can have.
pub const ON_COLUMNS: [&str; 3] = ["SELECT", "UPDATE", "REFERENCES"];

/// All that the session has on a securable; none of what is not there.
#[must_use]
pub fn held(ctx: &RunContext, of: Of, name: Option<&str>) -> Vec<Held> {
    if of.is_of_server() { held_on_server(ctx, of, name) } else { held_in_database(ctx, of, name).unwrap_or_default() }
}

fn whole(permission: &'static Permission) -> Held {
    Held { column: String::new(), permission: permission.name }
}

pub(super) fn all_of(of: Of) -> impl Iterator<Item = &'static Permission> {
    PERMISSIONS.iter().filter(move |permission| permission.of == of)
}

fn held_on_server(ctx: &RunContext, of: Of, name: Option<&str>) -> Vec<Held> {
    let Ok((server, Some(token))) = security::server_token(ctx) else { return Vec::new() };
    let on = match of {
        Of::Server => Some(Securable::SERVER),
        Of::Login | Of::ServerRole => name
            .and_then(|name| server.named(name))
            .filter(|found| found.is_role == (of == Of::ServerRole))
            .map(|found| Securable::new(of, found.id.0)),
        _ => None,
    };
    let Some(on) = on else { return Vec::new() };
    all_of(of).filter(|permission| token.may(&server, permission, on)).map(whole).collect()
}

fn held_in_database(ctx: &RunContext, of: Of, name: Option<&str>) -> Option<Vec<Held>> {
    let (parts, database) = located(ctx, of, name)?;
    let access = ctx.in_database(database).ok()??;
    let on = securable(&access, of, &parts)?;
    let rights = access.rights();
    let object = if of == Of::Object { access.objects.get(ObjectId(on.major)) } else { None };
    let fits = |permission: &&'static Permission| object.is_none_or(|object| fits(object, permission.name));
    let mut all: Vec<Held> =
        all_of(of).filter(fits).filter(|permission| rights.may(permission, on)).map(whole).collect();
    for (number, column) in object.into_iter().flat_map(CatalogObject::columns) {
        let held = ON_COLUMNS.map(|name| Permission::known(Of::Object, name)).into_iter().filter(fits);
        let held = held.filter(|permission| rights.may(permission, on.column(number)));
        all.extend(held.map(|permission| Held { column: column.to_owned(), permission: permission.name }));
    }
    Some(all)
}

/// The parts of a securable's name, and the database that it is in; without a name the current database.
pub(crate) fn located(ctx: &RunContext, of: Of, name: Option<&str>) -> Option<(NameParts, DbId)> {
    let parts = match name {
        None if of == Of::Database => NameParts { object: ctx.facts.database_name.to_string(), ..NameParts::default() },
        name => name_parts(name?)?,
    };
    let database = match (of, &parts.database) {
        (Of::Database, _) => ctx.engine.database_id(&parts.object)?,
        (_, Some(database)) => ctx.engine.database_id(database)?,
        _ => ctx.facts.database,
    };
    Some((parts, database))
}

/// What is named in a database, when the session may know of it.
pub(crate) fn securable(access: &Access, of: Of, parts: &NameParts) -> Option<Securable> {
    let (last, security) = (parts.object.as_str(), &access.security);
    let schema = || access.objects.schema(parts.schema.as_deref().unwrap_or("dbo")).map(|schema| schema.id);
    let major = match of {
        Of::Database => return Some(Securable::DATABASE),
        Of::Schema => access.objects.schema(last)?.id.0,
        Of::Object => access.objects.find(schema()?, last)?.id().0,
        Of::Type => access.objects.user_type(schema()?, last)?.id,
        Of::User | Of::Role | Of::ApplicationRole => security.named(last)?.id.0,
        _ => return None,
    };
    let on = Securable::new(of, major);
    access.rights().may_see(on).then_some(on)
}

/// Whether a permission means something for an object of its kind.
fn fits(object: &CatalogObject, permission: &str) -> bool {
    let (has_rows, is_table, is_called) = match object {
        CatalogObject::Table(..) => (true, true, false),
        CatalogObject::Synonym(_) => (true, false, false),
        CatalogObject::Sequence(_) => return matches!(permission, "REFERENCES" | "UPDATE") || on_any(permission),
        CatalogObject::Module(def) => match def.kind {
            ModuleKind::View | ModuleKind::InlineFunction | ModuleKind::TableFunction => (true, false, false),
            ModuleKind::ScalarFunction => return matches!(permission, "EXECUTE" | "REFERENCES") || on_any(permission),
            _ => (false, false, true),
        },
    };
    match permission {
        "SELECT" | "UPDATE" | "INSERT" | "DELETE" | "REFERENCES" => has_rows,
        "VIEW CHANGE TRACKING" => is_table,
        "EXECUTE" => is_called,
        permission => on_any(permission),
    }
}

fn on_any(permission: &str) -> bool {
    matches!(permission, "ALTER" | "CONTROL" | "TAKE OWNERSHIP" | "VIEW DEFINITION")
}

/// PERMISSIONS without an argument: bits of statements.
const STATEMENTS: [(&str, i32); 8] = [
    ("CREATE DATABASE", 0x1),
    ("CREATE TABLE", 0x2),
    ("CREATE PROCEDURE", 0x4),
    ("CREATE VIEW", 0x8),
    ("CREATE RULE", 0x10),
    ("CREATE DEFAULT", 0x20),
    ("BACKUP DATABASE", 0x40),
    ("BACKUP LOG", 0x80),
];

/// Bits on an object as a whole; of SELECT, UPDATE and REFERENCES those of the column too.
const ON_OBJECTS: [(&str, i32); 6] =
    [("SELECT", 0x1), ("UPDATE", 0x2), ("REFERENCES", 0x4), ("INSERT", 0x8), ("DELETE", 0x10), ("EXECUTE", 0x20)];

/// Bits of any column: those of all columns, so much further left.
const ANY_COLUMN: i32 = 12;

/// What the session may do, in the low half, and what it may grant, in the high one.
pub(crate) fn bits(ctx: &RunContext, object: Option<i32>, column: Option<&str>) -> Option<i32> {
    let access = ctx.own()?;
    let rights = access.rights();
    let Some(number) = object else {
        // Only in master databases are made.
        let is_master = ctx.facts.database == DbId::MASTER;
        let all = STATEMENTS.into_iter().filter(|(name, _)| is_master || *name != "CREATE DATABASE");
        return Some(all.fold(0, |bits, (name, bit)| {
            bits | both(&rights, Permission::known(Of::Database, name), Securable::DATABASE, bit)
        }));
    };
    let found = access.objects.get(ObjectId(number))?;
    let on = Securable::object(number);
    let fitting = ON_OBJECTS.into_iter().filter(|(name, _)| fits(found, name));
    if let Some(column) = column {
        let on = on.column(found.column_number(column)?);
        return Some(
            fitting
                .filter(|(name, _)| ON_COLUMNS.contains(name))
                .fold(0, |bits, (name, bit)| bits | both(&rights, Permission::known(Of::Object, name), on, bit)),
        );
    }
    let columns: Vec<i32> = found.columns().map(|(number, _)| number).collect();
    Some(fitting.fold(0, |bits, (name, bit)| {
        let permission = Permission::known(Of::Object, name);
        if !ON_COLUMNS.contains(&name) || columns.is_empty() {
            return bits | both(&rights, permission, on, bit);
        }
        let of_column = |number: i32| both(&rights, permission, on.column(number), bit);
        let each = columns.iter().map(|number| of_column(*number));
        let (all, any) = each.fold((-1, 0), |(all, any), one| (all & one, any | one));
        bits | all | any << ANY_COLUMN
    }))
}

/// The bit, and in the high half the same when the permission may be granted.
fn both(rights: &Rights<'_>, permission: &'static Permission, on: Securable, bit: i32) -> i32 {
    let may = if rights.may(permission, on) { bit } else { 0 };
    if rights.may_grant(permission, on) { may | bit << 16 } else { may }
}
