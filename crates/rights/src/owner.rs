//! ALTER AUTHORIZATION, and AUTHORIZATION of CREATE SCHEMA.

use std::sync::Arc;

use millpond_catalog::SchemaId;
use millpond_catalog::dictionary::{SecurityChange, change_security, claim_security};
use millpond_catalog::security::{Of, Permission, PrincipalId, Securable, Sid, UserKind};
use millpond_engine::security::server_of_statement;
use millpond_engine::settled;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;

use crate::Work;
use crate::securable::{find_securable, kind_words};
use crate::{InDatabase, OnServer, cannot};

/// `ALTER AUTHORIZATION ON [class::]name TO owner|SCHEMA OWNER`
pub fn alter_authorization(
    work: &mut Work<'_>,
    class: Option<&str>,
    object: &ObjectName,
    owner: Option<&str>,
) -> SqlResult<()> {
    let of =
        class.map_or(Some(Of::Object), Of::named).ok_or_else(|| message::syntax_near(class.unwrap_or_default()))?;
    match of {
        Of::Database => of_database(work, object.last(), owner.unwrap_or_default()),
        Of::Object | Of::Schema | Of::Type | Of::Role => in_database(work, of, object, owner),
        Of::ServerRole => of_server_role(work, object.last(), owner.unwrap_or_default()),
        _ => Err(message::missing(&format!("ALTER AUTHORIZATION ON {}", of.name()))),
    }
}

fn in_database(work: &mut Work<'_>, of: Of, object: &ObjectName, owner: Option<&str>) -> SqlResult<()> {
    let last = object.last();
    let found =
        if of == Of::Object { settled::find_object(work.ctx, object)?.map(|object| object.id().0) } else { None };
    let at = InDatabase::open(work)?;
    let on = match of {
        Of::Object => found.map(Securable::object),
        of => Some(find_securable(work, &at, of, object)?),
    };
    let may = |on: &Securable| at.rights().may(Permission::known(of, "TAKE OWNERSHIP"), *on);
    let Some(on) = on.filter(may) else { return Err(cannot("find", kind_words(of), last)) };
    let owner = match owner {
        None => None,
        Some(name) => Some(find_owner(&at, name)?),
    };
    let change = match (of, owner) {
        (Of::Schema, _) if (1..=4).contains(&on.major) || PrincipalId(on.major).is_fixed_role() => {
            return Err(SqlError::of(15_150, 1, &[&"alter", &"schema", &last]));
        }
        (Of::Role, owner) => {
            let role = at.security().principal(PrincipalId(on.major)).expect("found above");
            let owner = owner.or(role.owner);
            SecurityChange::PutUser(millpond_catalog::security::DatabasePrincipal { owner, ..(**role).clone() })
        }
        (of, owner) => SecurityChange::Owner { of, major: on.major, owner },
    };
    // What was granted by the old owner goes with it.
    let grants = at.security().grants();
    let gone = grants.on(of, on.major).map(|grant| SecurityChange::DropGrant(*grant));
    let changes: Vec<SecurityChange> = gone.chain([change]).collect();
    at.change(work, &changes)
}

/// Who owns a schema that is made: the named principal, else the user that makes it.
pub fn own_schema(work: &mut Work<'_>, schema: SchemaId, owner: Option<&str>) -> SqlResult<()> {
    if owner.is_none() && work.ctx.facts.security.is_sa() {
        return Ok(());
    }
    let at = InDatabase::open(work)?;
    let owner = match owner {
        None => at.user(),
        Some(name) => find_owner(&at, name)?,
    };
    if owner == PrincipalId::DBO {
        return Ok(());
    }
    at.change(work, &[SecurityChange::Owner { of: Of::Schema, major: schema.0, owner: Some(owner) }])
}

/// The login with this sid owns a database that was made.
///
/// # Errors
/// 1222, 1205
pub fn own_database(work: &mut Work<'_>, id: DbId, sid: &Sid) -> SqlResult<()> {
    let dictionary = work.ctx.engine.databases().dictionary(id)?;
    let change = [SecurityChange::OwnerSid(Arc::clone(sid))];
    work.with_io(|io| change_security(&dictionary, io, &change))
}

/// The principal that becomes an owner: the session itself, or one that it may impersonate, or a role that it is in.
pub(crate) fn find_owner(at: &InDatabase, name: &str) -> SqlResult<PrincipalId> {
    let none = || cannot("find", "principal", name);
    let owner = at.security().named(name).ok_or_else(none)?;
    let may = match owner.kind {
        UserKind::Role => {
            let alter = Permission::known(Of::Role, "ALTER");
            at.access.token.is(owner.id) || at.rights().may(alter, Securable::new(Of::Role, owner.id.0))
        }
        _ => at.access.may_impersonate(owner.id),
    };
    if may { Ok(owner.id) } else { Err(none()) }
}

fn of_database(work: &mut Work<'_>, name: &str, owner: &str) -> SqlResult<()> {
    let none = || cannot("find", "database", name);
    let id = work.ctx.engine.database_id(name).ok_or_else(none)?;
    if matches!(id, DbId::MASTER | DbId::TEMPDB) {
        return Err(SqlError::of(15_109, 1, &[]));
    }
    if !millpond_engine::security::may(work.ctx, id, "TAKE OWNERSHIP", Securable::DATABASE)? {
        return Err(none());
    }
    let login = server_of_statement(work.ctx)?.named(owner).filter(|login| !login.is_role).cloned();
    let login = login.ok_or_else(|| cannot("find", "principal", owner))?;
    let own = work.ctx.facts.security.login == Some(login.id);
    if !own && !millpond_engine::security::is_sysadmin(work.ctx)? {
        return Err(cannot("find", "principal", owner));
    }
    let dictionary = work.ctx.engine.databases().dictionary(id)?;
    work.with_io(|io| claim_security(&dictionary, io))?;
    let objects_now = dictionary.catalog().objects();
    if objects_now.security().of_sid(&login.sid).is_some_and(|user| user.id != PrincipalId::DBO) {
        return Err(SqlError::of(15_110, 1, &[]));
    }
    let change = [SecurityChange::OwnerSid(Arc::clone(&login.sid))];
    work.with_io(|io| change_security(&dictionary, io, &change))
}

fn of_server_role(work: &mut Work<'_>, name: &str, owner: &str) -> SqlResult<()> {
    let on = OnServer::open(work)?;
    let found = on.server.named(name).filter(|role| role.is_role && !role.id.is_fixed_server_role());
    let may = |id: PrincipalId| {
        on.may_on(Permission::known(Of::ServerRole, "TAKE OWNERSHIP"), Securable::new(Of::ServerRole, id.0))
    };
    let Some(role) = found.filter(|role| may(role.id)) else { return Err(cannot("find", "server role", name)) };
    let owner = on.server.named(owner).ok_or_else(|| cannot("find", "principal", owner))?.id;
    let role = millpond_catalog::security::ServerPrincipal { owner: Some(owner), ..(**role).clone() };
    on.change(work, &[SecurityChange::PutLogin(role)])
}
