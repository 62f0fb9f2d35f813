//! CREATE, ALTER and DROP ROLE and SERVER ROLE, and their members.

use std::sync::Arc;

use millpond_catalog::dictionary::SecurityChange;
use millpond_catalog::security::{
    Authentication, DatabasePrincipal, Of, Permission, PrincipalId, Securable, ServerPrincipal, UserKind,
};
use millpond_engine::security::random_bytes;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{Principal, PrincipalChange, PrincipalOption};

use crate::Work;
use crate::user::{check_name, check_owns_nothing};
use crate::{InDatabase, OnServer, cannot, no_permission};

pub(super) fn role(work: &mut Work<'_>, statement: &Principal) -> SqlResult<()> {
    let at = InDatabase::open(work)?;
    let name = statement.name.as_str();
    match &statement.change {
        PrincipalChange::AddMember(member) => change_member(work, &at, (name, member), true),
        PrincipalChange::DropMember(member) => change_member(work, &at, (name, member), false),
        PrincipalChange::Options { owner, options, .. } if !statement.alter => {
            let [] = options[..] else { return Err(message::syntax_near("WITH")) };
            create(work, &at, name, owner.as_deref())
        }
        PrincipalChange::Options { options, .. } => rename(work, &at, name, options),
        _ => Err(no_permission()),
    }
}

fn create(work: &mut Work<'_>, at: &InDatabase, name: &str, owner: Option<&str>) -> SqlResult<()> {
    if !at.may("CREATE ROLE") {
        return Err(no_permission());
    }
    check_name(at, name)?;
    let security = at.security();
    let owner = match owner {
        None => at.user(),
        Some(owner) => security.named(owner).ok_or_else(|| cannot("find", "principal", owner))?.id,
    };
    let now_us = work.ctx.engine.now_us().1;
    let role = DatabasePrincipal {
        id: security.free_id(),
        name: Arc::from(name),
        kind: UserKind::Role,
        sid: None,
        default_schema: None,
        default_language: None,
        owner: Some(owner),
        authentication: Authentication::None,
        password_hash: None,
        created_us: now_us,
        modified_us: now_us,
    };
    at.change(work, &[SecurityChange::PutUser(role)])
}

/// A role that the session may change.
fn open(at: &InDatabase, verb: &str, name: &str) -> SqlResult<Arc<DatabasePrincipal>> {
    let found = at.security().named(name).filter(|role| role.kind == UserKind::Role);
    let role = found.ok_or_else(|| cannot(verb, "role", name))?;
    let may = match role.id {
        PrincipalId::PUBLIC => return Err(SqlError::of(15_081, 1, &[])),
        // Members of db_owner alone change those of fixed roles.
        id if id.is_fixed_role() => at.may("CONTROL"),
        id => at.rights().may(Permission::known(Of::Role, "ALTER"), Securable::new(Of::Role, id.0)),
    };
    if may { Ok(Arc::clone(role)) } else { Err(cannot(verb, "role", name)) }
}

/// Whether it is a role that the database came with, which has no row of its own.
fn is_kept(at: &InDatabase, role: PrincipalId) -> bool {
    role.is_fixed_role() || at.dictionary.database() == DbId::MSDB && role.is_msdb_role()
}

fn rename(work: &mut Work<'_>, at: &InDatabase, name: &str, options: &[PrincipalOption]) -> SqlResult<()> {
    let role = open(at, "alter", name)?;
    if is_kept(at, role.id) {
        return Err(SqlError::of(15_150, 1, &[&"alter", &"role", &name]));
    }
    let [PrincipalOption::Name(new)] = options else { return Err(message::syntax_near("WITH")) };
    if at.security().named(new).is_some_and(|other| other.id != role.id) {
        return Err(SqlError::of(15_023, 1, &[new]));
    }
    let modified_us = work.ctx.engine.now_us().1;
    let role = DatabasePrincipal { name: Arc::from(new.as_str()), modified_us, ..(*role).clone() };
    at.change(work, &[SecurityChange::PutUser(role)])
}

/// ADD MEMBER and DROP MEMBER.
fn change_member(work: &mut Work<'_>, at: &InDatabase, (role, member): (&str, &str), adds: bool) -> SqlResult<()> {
    let verb = if adds { "add" } else { "drop" };
    let role = open(at, "alter", role)?;
    let security = at.security();
    let member = security.named(member).ok_or_else(|| cannot(verb, "principal", member))?;
    if member.id.0 <= PrincipalId::SYS.0 && member.id != PrincipalId::GUEST {
        return Err(SqlError::of(15_405, 1, &[&member.name]));
    }
    if adds && (member.id.is_fixed_role() || member.id == role.id || security.is_member(role.id, member.id)) {
        return Err(SqlError::of(15_413, 1, &[]));
    }
    let (role, member) = (role.id, member.id);
    if !adds && is_kept(at, role) && is_kept(at, member) {
        return Err(message::missing("DROP MEMBER of a role that msdb came with"));
    }
    let change = match adds {
        true => SecurityChange::PutMember { of_server: false, role, member },
        false => SecurityChange::DropMember { of_server: false, role, member },
    };
    at.change(work, &[change])
}

pub(super) fn drop_role(work: &mut Work<'_>, name: &str, if_exists: bool) -> SqlResult<()> {
    let at = InDatabase::open(work)?;
    if if_exists && !at.security().named(name).is_some_and(|role| role.kind == UserKind::Role) {
        return Ok(());
    }
    let role = open(&at, "drop", name)?;
    if is_kept(&at, role.id) {
        return Err(SqlError::of(15_150, 1, &[&"drop", &"role", &name]));
    }
    if at.security().members().any(|(of, _)| of == role.id) {
        return Err(SqlError::of(15_144, 1, &[]));
    }
    check_owns_nothing(&at, role.id)?;
    at.change(work, &[SecurityChange::DropUser(role.id)])
}

pub(super) fn server_role(work: &mut Work<'_>, statement: &Principal) -> SqlResult<()> {
    let on = OnServer::open(work)?;
    let name = statement.name.as_str();
    match &statement.change {
        PrincipalChange::AddMember(member) => change_server_member(work, &on, (name, member), true),
        PrincipalChange::DropMember(member) => change_server_member(work, &on, (name, member), false),
        PrincipalChange::Options { owner, options, .. } if !statement.alter => {
            let [] = options[..] else { return Err(message::syntax_near("WITH")) };
            create_server_role(work, &on, name, owner.as_deref())
        }
        PrincipalChange::Options { options, .. } => {
            let role = open_server_role(&on, "alter", name)?;
            if role.id.is_fixed_server_role() {
                return Err(SqlError::of(15_150, 1, &[&"alter", &"server role", &name]));
            }
            let [PrincipalOption::Name(new)] = &options[..] else { return Err(message::syntax_near("WITH")) };
            if on.server.named(new).is_some_and(|other| other.id != role.id) {
                return Err(SqlError::of(15_025, 1, &[new]));
            }
            let modified_us = work.ctx.engine.now_us().1;
            let role = ServerPrincipal { name: Arc::from(new.as_str()), modified_us, ..(*role).clone() };
            on.change(work, &[SecurityChange::PutLogin(role)])
        }
        _ => Err(no_permission()),
    }
}

fn create_server_role(work: &mut Work<'_>, on: &OnServer, name: &str, owner: Option<&str>) -> SqlResult<()> {
    if !on.may("CREATE SERVER ROLE") {
        return Err(no_permission());
    }
    if on.server.named(name).is_some() {
        return Err(SqlError::of(15_025, 1, &[&name]));
    }
    let own = on.token.as_ref().map_or(PrincipalId::SA, |token| token.login);
    let owner = match owner {
        None => own,
        Some(owner) => on.server.named(owner).ok_or_else(|| cannot("find", "login", owner))?.id,
    };
    let sa = on.server.principal(PrincipalId::SA).expect("every server has sa");
    let now_us = work.ctx.engine.now_us().1;
    let role = ServerPrincipal {
        id: on.server.free_id(),
        name: Arc::from(name),
        is_role: true,
        sid: Arc::from(random_bytes::<16>()?),
        is_disabled: false,
        owner: Some(owner),
        password_hash: None,
        checks_policy: false,
        checks_expiration: false,
        must_change: false,
        created_us: now_us,
        modified_us: now_us,
        ..(**sa).clone()
    };
    on.change(work, &[SecurityChange::PutLogin(role)])
}

fn open_server_role(on: &OnServer, verb: &str, name: &str) -> SqlResult<Arc<ServerPrincipal>> {
    let found = on.server.named(name).filter(|role| role.is_role);
    let role = found.ok_or_else(|| cannot(verb, "server role", name))?;
    let token = on.token.as_ref();
    let may = match role.id {
        PrincipalId::SERVER_PUBLIC => return Err(SqlError::of(15_081, 1, &[])),
        // Members of a fixed role change its members.
        id if id.is_fixed_server_role() => token.is_some_and(|token| token.is_sysadmin() || token.is(id)),
        id => on.may_on(Permission::known(Of::ServerRole, "ALTER"), Securable::new(Of::ServerRole, id.0)),
    };
    if may { Ok(Arc::clone(role)) } else { Err(cannot(verb, "server role", name)) }
}

fn change_server_member(work: &mut Work<'_>, on: &OnServer, (role, member): (&str, &str), adds: bool) -> SqlResult<()> {
    let verb = if adds { "add" } else { "drop" };
    let role = open_server_role(on, "alter", role)?;
    let member = on.server.named(member).ok_or_else(|| cannot(verb, "principal", member))?;
    if member.id == PrincipalId::SA || member.id == PrincipalId::SERVER_PUBLIC {
        return Err(SqlError::of(15_405, 1, &[&member.name]));
    }
    let is_circle = member.id == role.id || on.server.is_member(role.id, member.id);
    if adds && (member.id.is_fixed_server_role() || is_circle) {
        return Err(SqlError::of(15_413, 1, &[]));
    }
    let (role, member) = (role.id, member.id);
    let change = match adds {
        true => SecurityChange::PutMember { of_server: true, role, member },
        false => SecurityChange::DropMember { of_server: true, role, member },
    };
    on.change(work, &[change])
}

pub(super) fn drop_server_role(work: &mut Work<'_>, name: &str) -> SqlResult<()> {
    let on = OnServer::open(work)?;
    let role = open_server_role(&on, "drop", name)?;
    if role.id.is_fixed_server_role() {
        return Err(SqlError::of(15_150, 1, &[&"drop", &"server role", &name]));
    }
    if on.server.members().any(|(of, _)| of == role.id) {
        return Err(SqlError::of(15_144, 1, &[]));
    }
    on.change(work, &[SecurityChange::DropLogin(role.id)])
}
