//! GRANT, DENY and REVOKE.
//!
//! ```text
//!   words, class::name ─▶ targets: permission × securable ─▶ may the session grant it? ─▶ a row for each grantee
//! ```
//! What always holds: all of a statement is stored or nothing. A DENY takes the GRANT of the same grantor away and the other way
//! round; on a table either takes those on its columns.

use millpond_catalog::dictionary::{SecurityChange, is_shipped_grant};
use millpond_catalog::security::{
    Containers, DatabaseToken, Grant, GrantState, Grants, Of, Permission, PrincipalId, Rights, Securable, UserKind,
};
use millpond_catalog::{CatalogObject, ModuleKind};
use millpond_engine::settled;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast;
use millpond_tsql::ast::PermissionVerb;

use crate::Work;
use crate::securable::{find_securable, kind_words};
use crate::{InDatabase, OnServer, cannot};

/// A permission on a securable.
type Target = (&'static Permission, Securable);

/// What ALL stands for.
const ALL_ON_DATABASE: [&str; 9] = [
    "BACKUP DATABASE",
    "BACKUP LOG",
    "CREATE DATABASE",
    "CREATE DEFAULT",
    "CREATE FUNCTION",
    "CREATE PROCEDURE",
    "CREATE RULE",
    "CREATE TABLE",
    "CREATE VIEW",
];

/// Permissions on any object.
const ON_ANY_OBJECT: [&str; 4] = ["ALTER", "CONTROL", "TAKE OWNERSHIP", "VIEW DEFINITION"];
const ON_ROWS: [&str; 5] = ["DELETE", "INSERT", "REFERENCES", "SELECT", "UPDATE"];

/// `GRANT|DENY|REVOKE permission [, …] [ON [class::]securable] TO|FROM principal [, …]`
///
/// # Errors
/// 15151, 4613 and their kin; 1222, 1205.
pub fn permission(work: &mut Work<'_>, statement: &ast::Permission) -> SqlResult<()> {
    let of = match &statement.securable {
        None => scope_of_words(statement)?,
        Some(securable) => class_of(securable.class.as_deref())?,
    };
    if of.is_of_server() { on_server(work, statement, of) } else { in_database(work, statement, of) }
}

/// Without ON: all permissions are the database's or all are the server's.
fn scope_of_words(statement: &ast::Permission) -> SqlResult<Of> {
    let mut found = None;
    for item in &statement.permissions {
        let name = full_name(&item.words);
        let of = [Of::Database, Of::Server].into_iter().find(|of| Permission::find(*of, name).is_some());
        let of = if is_all(&item.words) { Some(Of::Database) } else { of };
        let of = of.ok_or_else(|| message::syntax_near(&item.words))?;
        if *found.get_or_insert(of) != of {
            return Err(SqlError::of(4620, 1, &[]));
        }
    }
    Ok(found.unwrap_or(Of::Database))
}

fn class_of(words: Option<&str>) -> SqlResult<Of> {
    let Some(words) = words else { return Ok(Of::Object) };
    let of = Of::named(words).ok_or_else(|| message::syntax_near(words))?;
    match of {
        Of::Database
        | Of::Object
        | Of::Schema
        | Of::User
        | Of::Role
        | Of::ApplicationRole
        | Of::Type
        | Of::Login
        | Of::ServerRole
        | Of::Server => Ok(of),
        _ => Err(message::missing(&format!("GRANT ON {}", of.name()))),
    }
}

fn full_name(words: &str) -> &str {
    match words {
        "EXEC" => "EXECUTE",
        "CREATE PROC" => "CREATE PROCEDURE",
        words => words,
    }
}

fn is_all(words: &str) -> bool {
    matches!(words, "ALL" | "ALL PRIVILEGES")
}

fn on_server(work: &mut Work<'_>, statement: &ast::Permission, of: Of) -> SqlResult<()> {
    if work.ctx.facts.database != DbId::MASTER {
        return Err(SqlError::of(4621, 1, &[]));
    }
    let on = OnServer::open(work)?;
    let find = |name: &str, kind: &str| on.server.named(name).cloned().ok_or_else(|| cannot("find", kind, name));
    let securable = match &statement.securable {
        Some(securable) if of != Of::Server => {
            let kind = if of == Of::Login { "login" } else { "server role" };
            let principal = find(securable.name.last(), kind)?;
            if principal.is_role != (of == Of::ServerRole) {
                return Err(cannot("find", kind, securable.name.last()));
            }
            Securable::new(of, principal.id.0)
        }
        _ => Securable::SERVER,
    };
    let mut targets: Vec<Target> = Vec::new();
    for item in &statement.permissions {
        let found = Permission::find(of, full_name(&item.words)).ok_or_else(|| not_compatible(of, &item.words))?;
        targets.push((found, securable));
    }
    let own = on.token.as_ref().map(|token| token.login);
    let is_security_admin = on.token.as_ref().is_some_and(|token| token.is(PrincipalId::SECURITY_ADMIN));
    for (permission, securable) in &targets {
        let may = on.token.as_ref().is_some_and(|token| token.may_grant(&on.server, permission, *securable));
        let may_as_admin = is_security_admin && *securable == Securable::SERVER && permission.name != "CONTROL SERVER";
        if !may && !may_as_admin {
            return Err(SqlError::of(4613, 1, &[]));
        }
    }
    let grantor = match (&on.token, &statement.grantor) {
        (Some(token), Some(name)) => {
            let grantor = on.server.named(name).filter(|grantor| token.is(grantor.id) || token.is_sysadmin());
            grantor.ok_or_else(|| SqlError::of(4618, 1, &[name]))?.id
        }
        // Whom the server belongs to, it stands for; all others say it in their own name.
        (Some(token), None) if !token.is_sysadmin() && !is_security_admin => token.login,
        _ => PrincipalId::SA,
    };
    let mut changes = Vec::new();
    for name in &statement.principals {
        let grantee = find(name, "login")?;
        if grantee.id == PrincipalId::SA || Some(grantee.id) == own {
            return Err(SqlError::of(4624, 1, &[]));
        }
        if grantee.id.is_fixed_server_role() {
            return Err(SqlError::of(4617, 1, &[]));
        }
        changes.extend(changes_for(statement, &targets, on.server.grants(), (grantee.id, grantor))?);
    }
    on.change(work, &changes)
}

fn in_database(work: &mut Work<'_>, statement: &ast::Permission, of: Of) -> SqlResult<()> {
    let securable = match &statement.securable {
        Some(securable) if of == Of::Object => Some(find_object(work, securable)?),
        _ => None,
    };
    let at = InDatabase::open(work)?;
    let (securable, object) = match (securable, &statement.securable) {
        (Some(object), _) => (Securable::object(object.id().0), Some(object)),
        (None, Some(securable)) => (find_securable(work, &at, of, &securable.name)?, None),
        (None, None) => (Securable::DATABASE, None),
    };
    if !at.rights().may_see(securable) && securable != Securable::DATABASE {
        return Err(cannot("find", kind_words(of), statement.securable.as_ref().map_or("", |one| one.name.last())));
    }
    let targets = targets_of(statement, of, securable, object.as_ref())?;
    let grantor = grantor_of(&at, statement, securable)?;
    let own = own_token(&at, statement, securable, grantor);
    let rights = Rights { token: &own, ..at.rights() };
    for (permission, on) in &targets {
        let may_as_admin = at.access.token.is(PrincipalId::DB_SECURITY_ADMIN);
        if !rights.may_grant(permission, *on) && !may_as_admin {
            return Err(match on.of {
                Of::Object => cannot("find", "object", statement.securable.as_ref().map_or("", |one| one.name.last())),
                _ => SqlError::of(4613, 1, &[]),
            });
        }
    }
    let owner = at.rights().owner(securable).filter(|_| securable != Securable::DATABASE);
    let mut changes = Vec::new();
    for name in &statement.principals {
        let security = at.security();
        let grantee = security.named(name).ok_or_else(|| cannot("find", "user", name))?;
        let is_special = matches!(grantee.id, PrincipalId::DBO | PrincipalId::INFORMATION_SCHEMA | PrincipalId::SYS);
        if is_special || Some(grantee.id) == owner || grantee.id == at.user() {
            return Err(SqlError::of(4624, 1, &[]));
        }
        if grantee.id.is_fixed_role() {
            return Err(SqlError::of(4617, 1, &[]));
        }
        let connects = targets.iter().any(|(permission, on)| on.of == Of::Database && permission.name == "CONNECT");
        if connects && grantee.kind != UserKind::User {
            return Err(SqlError::of(4627, 1, &[]));
        }
        let is_shipped = |(permission, on): &Target| {
            let said = Grant { on: *on, grantee: grantee.id, grantor, permission, state: GrantState::Grant };
            is_shipped_grant(&at.dictionary, security, &said)
        };
        if statement.verb == PermissionVerb::Revoke && targets.iter().any(is_shipped) {
            return Err(message::missing("REVOKE of a permission that a role of msdb came with"));
        }
        changes.extend(changes_for(statement, &targets, security.grants(), (grantee.id, grantor))?);
    }
    at.change(work, &changes)
}

/// Whose rights count for a GRANT: those of AS; else the session's without those of roles of users, which count only by AS. An owner
/// grants by itself.
fn own_token(at: &InDatabase, statement: &ast::Permission, on: Securable, grantor: PrincipalId) -> DatabaseToken {
    let token = &at.access.token;
    if token.is_dbo() {
        return DatabaseToken::clone(token);
    }
    if statement.grantor.is_some() {
        return DatabaseToken::new(at.security(), grantor, token.server.clone());
    }
    let of_schema = at.objects().schema_of_object(on.major).filter(|_| on.of == Of::Object);
    let owners = [at.rights().owner(on), of_schema.map(|schema| at.security().schema_owner(schema.0))];
    let counts = |id: &PrincipalId| {
        *id == token.user || *id == PrincipalId::PUBLIC || id.is_fixed_role() || owners.contains(&Some(*id))
    };
    let identities = token.identities.iter().copied().filter(counts).collect();
    DatabaseToken { user: token.user, identities, server: token.server.clone() }
}

/// Who grants: AS, which the session has to be; else who owns the securable, as SQL Server writes it down for members of
/// db_owner; else the session's user, which has the permission with the option to grant it.
fn grantor_of(at: &InDatabase, statement: &ast::Permission, on: Securable) -> SqlResult<PrincipalId> {
    let token = &at.access.token;
    if let Some(name) = &statement.grantor {
        let grantor = at.security().named(name).ok_or_else(|| SqlError::of(4618, 1, &[name]))?;
        return match token.is(grantor.id) || token.is_dbo() {
            true => Ok(grantor.id),
            false => Err(SqlError::of(4618, 1, &[name])),
        };
    }
    let is_owner = token.is_dbo() || token.is(PrincipalId::DB_OWNER) || token.is(PrincipalId::DB_SECURITY_ADMIN);
    let owner = at.rights().owner(on).unwrap_or(PrincipalId::DBO);
    Ok(if is_owner || token.is(owner) { owner } else { at.user() })
}

fn targets_of(
    statement: &ast::Permission,
    of: Of,
    securable: Securable,
    object: Option<&CatalogObject>,
) -> SqlResult<Vec<Target>> {
    let mut targets: Vec<Target> = Vec::new();
    for item in &statement.permissions {
        if is_all(&item.words) {
            let names: &[&str] = match (of, object) {
                (Of::Database, _) => &ALL_ON_DATABASE,
                (Of::Object, Some(object)) => fitting(object),
                _ => return Err(SqlError::of(4623, 1, &[])),
            };
            targets.extend(names.iter().map(|name| (Permission::known(of, name), securable)));
            continue;
        }
        let name = full_name(&item.words);
        let permission = Permission::find(of, name).ok_or_else(|| not_compatible(of, &item.words))?;
        // It stands beside SELECT, and ALL does not mean it.
        let asked = if name == "UNMASK" { "SELECT" } else { name };
        let is_fitting = |object: &CatalogObject| fitting(object).contains(&asked) || ON_ANY_OBJECT.contains(&asked);
        if object.is_some_and(|object| !is_fitting(object)) {
            return Err(SqlError::of(4606, 1, &[&name]));
        }
        let columns = match &statement.securable {
            Some(securable) if !securable.columns.is_empty() => &securable.columns,
            _ => &item.columns,
        };
        if columns.is_empty() {
            targets.push((permission, securable));
            continue;
        }
        let Some(object) = object.filter(|_| matches!(name, "SELECT" | "UPDATE" | "REFERENCES" | "UNMASK")) else {
            return Err(SqlError::of(4606, 1, &[&name]));
        };
        for column in columns {
            let number = object.column_number(column).ok_or_else(|| SqlError::of(4615, 1, &[column]))?;
            targets.push((permission, securable.column(number)));
        }
    }
    Ok(targets)
}

/// A word that is no permission at all is a mistake of syntax; one of another class does not fit.
fn not_compatible(of: Of, words: &str) -> SqlError {
    match Of::all().any(|other| other != of && Permission::find(other, full_name(words)).is_some()) {
        true => SqlError::of(4606, 1, &[&words]),
        false => message::syntax_near(words.split(' ').next().unwrap_or(words)),
    }
}

/// What ALL means on an object, and what is a permission on it beside those on any.
fn fitting(object: &CatalogObject) -> &'static [&'static str] {
    match object {
        CatalogObject::Table(..) | CatalogObject::Synonym(_) => &ON_ROWS,
        CatalogObject::Sequence(_) => &["REFERENCES", "UPDATE"],
        CatalogObject::Module(def) => match def.kind {
            ModuleKind::View | ModuleKind::InlineFunction | ModuleKind::TableFunction => &ON_ROWS,
            ModuleKind::ScalarFunction => &["EXECUTE", "REFERENCES"],
            ModuleKind::Procedure => &["EXECUTE"],
            ModuleKind::Trigger | ModuleKind::Default | ModuleKind::Rule => &[],
        },
    }
}

fn find_object(work: &mut Work<'_>, securable: &ast::Securable) -> SqlResult<CatalogObject> {
    let name = &securable.name;
    if settled::part(name, 2)
        .is_some_and(|database| work.ctx.engine.database_id(database) != Some(work.ctx.facts.database))
    {
        return Err(SqlError::of(4610, 1, &[]));
    }
    settled::find_object(work.ctx, name)?.ok_or_else(|| cannot("find", "object", name.last()))
}

/// What the statement changes for one grantee.
fn changes_for(
    statement: &ast::Permission,
    targets: &[Target],
    known: &Grants,
    (grantee, grantor): (PrincipalId, PrincipalId),
) -> SqlResult<Vec<SecurityChange>> {
    let mut changes = Vec::new();
    for (permission, on) in targets {
        let of_grantee = known.on(on.of, on.major).filter(|grant| {
            std::ptr::eq(grant.permission, *permission) && grant.grantee == grantee && grant.grantor == grantor
        });
        let had = of_grantee.clone().find(|grant| grant.on == *on);
        // What is said of a table is said of its columns.
        let of_columns = of_grantee.filter(|grant| on.minor == 0 && grant.on.minor != 0);
        let of_columns: Vec<SecurityChange> = of_columns.map(|grant| SecurityChange::DropGrant(*grant)).collect();
        let passed_on = passed_on(known, permission, *on, grantee);
        let loses_option = had.is_some_and(|grant| grant.state == GrantState::GrantWithOption);
        let takes = statement.verb != PermissionVerb::Grant;
        if takes && loses_option && !statement.cascade {
            return Err(SqlError::of(4611, 1, &[]));
        }
        if takes && statement.cascade {
            changes.extend(passed_on.into_iter().map(SecurityChange::DropGrant));
        }
        let state = match statement.verb {
            PermissionVerb::Deny => GrantState::Deny,
            PermissionVerb::Grant if statement.grant_option => GrantState::GrantWithOption,
            PermissionVerb::Grant if loses_option => continue,
            PermissionVerb::Grant => GrantState::Grant,
            PermissionVerb::Revoke => {
                match had {
                    Some(grant) if statement.grant_option && grant.state == GrantState::GrantWithOption => {
                        changes.push(SecurityChange::PutGrant(Grant { state: GrantState::Grant, ..*grant }));
                    }
                    Some(grant) => changes.push(SecurityChange::DropGrant(*grant)),
                    None => {}
                }
                changes.extend(of_columns);
                continue;
            }
        };
        changes.extend(of_columns);
        changes.push(SecurityChange::PutGrant(Grant { on: *on, grantee, grantor, permission, state }));
    }
    Ok(changes)
}

/// What somebody granted to others, and these to others again.
fn passed_on(known: &Grants, permission: &'static Permission, on: Securable, from: PrincipalId) -> Vec<Grant> {
    let (mut found, mut left) = (Vec::<Grant>::new(), vec![from]);
    while let Some(grantor) = left.pop() {
        // What was granted on a table may have been handed on for a column of it.
        let is_on_it = |grant: &&Grant| on.minor == 0 || grant.on.minor == on.minor;
        for grant in known.on(on.of, on.major).filter(is_on_it).filter(|grant| grant.grantor == grantor) {
            if std::ptr::eq(grant.permission, permission) && !found.contains(grant) {
                found.push(*grant);
                left.push(grant.grantee);
            }
        }
    }
    found
}
