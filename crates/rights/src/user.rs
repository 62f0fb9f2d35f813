//! CREATE, ALTER and DROP USER and APPLICATION ROLE.

use std::sync::Arc;

use millpond_catalog::CatalogObject;
use millpond_catalog::dictionary::SecurityChange;
use millpond_catalog::security::{
    Authentication, DatabasePrincipal, DatabaseToken, Grant, Of, Permission, PrincipalId, Rights, Securable, Sid,
    UserKind,
};
use millpond_engine::password;
use millpond_engine::security::{is_contained, own_sid, server_of_statement};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Principal, PrincipalChange, PrincipalOption, PrincipalSource};

use crate::Work;
use crate::login::{language_of, stored};
use crate::{InDatabase, cannot, no_permission};

/// The length of a security identifier that is no login's.
const OWN_SID_BYTES: usize = 28;

pub(super) fn user(work: &mut Work<'_>, statement: &Principal) -> SqlResult<()> {
    let at = InDatabase::open(work)?;
    let PrincipalChange::Options { source, options, .. } = &statement.change else { return Err(no_permission()) };
    if statement.alter {
        return alter(work, &at, &statement.name, options, UserKind::User);
    }
    if !at.may("ALTER ANY USER") {
        return Err(no_permission());
    }
    let name = statement.name.as_str();
    check_name(&at, name)?;
    let new = new_principal(work, &at, name, UserKind::User);
    let has_password = options.iter().any(|option| matches!(option, PrincipalOption::Password { .. }));
    check_options(work, source.as_ref(), options, has_password)?;
    let new = match source {
        Some(PrincipalSource::WithoutLogin) => DatabasePrincipal { sid: Some(own_sid()?), ..new },
        None if has_password => {
            DatabasePrincipal { sid: Some(own_sid()?), authentication: Authentication::Database, ..new }
        }
        source => {
            let login = match source {
                Some(PrincipalSource::Login(login)) => login.as_str(),
                _ => name,
            };
            let sid = sid_of_login(work, &at, login, None)?;
            DatabasePrincipal { sid: Some(sid), authentication: Authentication::Instance, ..new }
        }
    };
    let user = with_options(work, &at, DatabasePrincipal { default_schema: Some(Arc::from("dbo")), ..new }, options)?;
    let connect = Grant::of_database("CONNECT", user.id);
    at.change(work, &[SecurityChange::PutUser(user), SecurityChange::PutGrant(connect)])
}

/// What a new user may have said of it: a password and what goes with it in a contained database alone, and not beside a login.
///
/// # Errors
/// 33233, 33234, 33235, 33236
fn check_options(
    work: &Work<'_>,
    source: Option<&PrincipalSource>,
    options: &[PrincipalOption],
    has_password: bool,
) -> SqlResult<()> {
    let is_contained = is_contained(&work.ctx.engine, work.ctx.facts.database);
    for option in options {
        let name = match option {
            PrincipalOption::Password { .. } => "PASSWORD",
            PrincipalOption::Sid(_) => "SID",
            PrincipalOption::DefaultLanguage(_) if !is_contained => return Err(SqlError::of(33_236, 1, &[])),
            _ => continue,
        };
        match source {
            Some(PrincipalSource::WithoutLogin) => return Err(SqlError::of(33_235, 1, &[&name])),
            Some(_) => return Err(SqlError::of(33_234, 1, &[&name])),
            None if !has_password => return Err(SqlError::of(33_234, 1, &[&name])),
            None if !is_contained => return Err(SqlError::of(33_233, 1, &[])),
            None => {}
        }
    }
    Ok(())
}

pub(super) fn application_role(work: &mut Work<'_>, statement: &Principal) -> SqlResult<()> {
    let at = InDatabase::open(work)?;
    let PrincipalChange::Options { options, .. } = &statement.change else { return Err(no_permission()) };
    if statement.alter {
        return alter(work, &at, &statement.name, options, UserKind::ApplicationRole);
    }
    if !at.may("ALTER ANY APPLICATION ROLE") {
        return Err(no_permission());
    }
    let name = statement.name.as_str();
    check_name(&at, name)?;
    let new = new_principal(work, &at, name, UserKind::ApplicationRole);
    let new = DatabasePrincipal { sid: Some(own_sid()?), default_schema: Some(Arc::from("dbo")), ..new };
    let role = with_options(work, &at, new, options)?;
    if role.password_hash.is_none() {
        return Err(message::syntax_near(name));
    }
    at.change(work, &[SecurityChange::PutUser(role)])
}

fn alter(
    work: &mut Work<'_>,
    at: &InDatabase,
    name: &str,
    options: &[PrincipalOption],
    kind: UserKind,
) -> SqlResult<()> {
    let (of, words) = match kind {
        UserKind::ApplicationRole => (Of::ApplicationRole, "application role"),
        _ => (Of::User, "user"),
    };
    let found = at.security().named(name).filter(|user| user.kind == kind);
    let may = |user: &DatabasePrincipal| {
        let on = Securable::new(of, user.id.0);
        at.rights().may(Permission::known(of, "ALTER"), on) || changes_own(at, user, options)
    };
    let Some(user) = found.filter(|user| may(user)) else { return Err(cannot("alter", words, name)) };
    if matches!(user.id, PrincipalId::DBO | PrincipalId::INFORMATION_SCHEMA | PrincipalId::SYS | PrincipalId::GUEST) {
        return Err(SqlError::of(15_150, 1, &[&"alter", &words, &name]));
    }
    check_old_password(user, options)?;
    check_remapped(at, user, options)?;
    let modified_us = work.ctx.engine.now_us().1;
    let changed = with_options(work, at, DatabasePrincipal { modified_us, ..(**user).clone() }, options)?;
    at.change(work, &[SecurityChange::PutUser(changed)])
}

/// Who has a password may change it, and the own language, where nothing else is changed with it.
fn changes_own(at: &InDatabase, user: &DatabasePrincipal, options: &[PrincipalOption]) -> bool {
    let gives_old = options.iter().any(|option| matches!(option, PrincipalOption::OldPassword(_)));
    let is_own = |option: &PrincipalOption| match option {
        PrincipalOption::Password { .. } => gives_old,
        PrincipalOption::OldPassword(_) | PrincipalOption::DefaultLanguage(_) => true,
        _ => false,
    };
    at.user() == user.id && user.authentication == Authentication::Database && options.iter().all(is_own)
}

/// 15151 where OLD_PASSWORD is not the user's.
fn check_old_password(user: &DatabasePrincipal, options: &[PrincipalOption]) -> SqlResult<()> {
    let old = options.iter().find_map(|option| match option {
        PrincipalOption::OldPassword(old) => Some(old),
        _ => None,
    });
    let hash = user.password_hash.as_deref();
    match old {
        Some(old) if user.kind == UserKind::User && !hash.is_some_and(|hash| password::fits(old, hash)) => {
            Err(cannot("alter", "user", &user.name))
        }
        _ => Ok(()),
    }
}

/// CONTROL on the database is needed to give a user to another login, and to rename one that has it.
///
/// # Errors
/// 33016 for a user WITHOUT LOGIN, 15151.
fn check_remapped(at: &InDatabase, user: &DatabasePrincipal, options: &[PrincipalOption]) -> SqlResult<()> {
    let control = Permission::known(Of::Database, "CONTROL");
    let token = DatabaseToken::new(at.security(), user.id, None);
    let has_control = || Rights { token: &token, ..at.rights() }.may(control, Securable::DATABASE);
    for option in options {
        let needs_control = match option {
            PrincipalOption::Login(_) => true,
            PrincipalOption::Name(_) => has_control(),
            _ => false,
        };
        if needs_control && !at.may("CONTROL") {
            return Err(cannot("alter", "user", &user.name));
        }
        if matches!(option, PrincipalOption::Login(_)) && user.authentication != Authentication::Instance {
            return Err(SqlError::of(33_016, 1, &[]));
        }
    }
    Ok(())
}

fn with_options(
    work: &Work<'_>,
    at: &InDatabase,
    mut user: DatabasePrincipal,
    options: &[PrincipalOption],
) -> SqlResult<DatabasePrincipal> {
    for option in options {
        match option {
            PrincipalOption::DefaultSchema(schema) => {
                user.default_schema = Some(Arc::from(schema.as_deref().unwrap_or("dbo")));
            }
            PrincipalOption::Name(name) => {
                if at.security().named(name).is_some_and(|other| other.id != user.id) {
                    return Err(SqlError::of(15_023, 1, &[name]));
                }
                user.name = Arc::from(name.as_str());
            }
            PrincipalOption::Login(login) if user.kind == UserKind::User => {
                user.sid = Some(sid_of_login(work, at, login, Some(user.id))?);
                user.authentication = Authentication::Instance;
            }
            PrincipalOption::Sid(sid) => {
                if sid.len() != OWN_SID_BYTES {
                    return Err(SqlError::of(15_021, 1, &[&"SID"]));
                }
                if at.security().of_sid(sid).is_some_and(|other| other.id != user.id) {
                    return Err(SqlError::of(15_433, 1, &[]));
                }
                user.sid = Some(Arc::from(sid.as_slice()));
            }
            PrincipalOption::Password { must_change: true, .. } | PrincipalOption::Password { unlock: true, .. } => {
                return Err(message::syntax_near("PASSWORD"));
            }
            PrincipalOption::Password { value, .. }
                if user.kind == UserKind::ApplicationRole || user.authentication == Authentication::Database =>
            {
                user.password_hash = Some(Arc::from(stored(value, &user.name, true)?));
            }
            PrincipalOption::OldPassword(_) if user.authentication == Authentication::Database => {}
            PrincipalOption::Password { .. } | PrincipalOption::OldPassword(_) => {
                return Err(SqlError::of(33_234, 1, &[&"PASSWORD"]));
            }
            PrincipalOption::DefaultLanguage(_) if !is_contained(&work.ctx.engine, work.ctx.facts.database) => {
                return Err(SqlError::of(33_236, 1, &[]));
            }
            PrincipalOption::DefaultLanguage(language) => {
                let language = language.as_deref().map(language_of).transpose()?;
                user.default_language = language.map(Arc::from);
            }
            // Nothing is encrypted here.
            PrincipalOption::AllowEncryptedValueModifications(_) => {}
            _ => return Err(message::syntax_near("WITH")),
        }
    }
    Ok(user)
}

fn new_principal(work: &Work<'_>, at: &InDatabase, name: &str, kind: UserKind) -> DatabasePrincipal {
    let now_us = work.ctx.engine.now_us().1;
    DatabasePrincipal {
        id: at.security().free_id(),
        name: Arc::from(name),
        kind,
        sid: None,
        default_schema: None,
        default_language: None,
        owner: None,
        authentication: Authentication::None,
        password_hash: None,
        created_us: now_us,
        modified_us: now_us,
    }
}

/// 15023
pub(super) fn check_name(at: &InDatabase, name: &str) -> SqlResult<()> {
    match at.security().named(name) {
        Some(_) => Err(SqlError::of(15_023, 1, &[&name])),
        None => Ok(()),
    }
}

/// The security identifier of a login that no other user of the database is for.
fn sid_of_login(work: &Work<'_>, at: &InDatabase, name: &str, own: Option<PrincipalId>) -> SqlResult<Sid> {
    let server = server_of_statement(work.ctx)?;
    let login = server.named(name).filter(|login| !login.is_role);
    let login = login.ok_or_else(|| SqlError::of(15_007, 1, &[&name]))?;
    if login.id == PrincipalId::SA {
        return Err(SqlError::of(15_405, 1, &[&name]));
    }
    match at.security().of_sid(&login.sid) {
        Some(user) if Some(user.id) != own => Err(SqlError::of(15_063, 1, &[])),
        _ => Ok(Arc::clone(&login.sid)),
    }
}

pub(super) fn drop_user(work: &mut Work<'_>, name: &str, words: &str, if_exists: bool) -> SqlResult<()> {
    let at = InDatabase::open(work)?;
    let (kind, permission) = match words {
        "user" => (UserKind::User, "ALTER ANY USER"),
        _ => (UserKind::ApplicationRole, "ALTER ANY APPLICATION ROLE"),
    };
    let found = at.security().named(name).filter(|user| user.kind == kind).cloned();
    if found.is_none() && if_exists {
        return Ok(());
    }
    let Some(user) = found.filter(|_| at.may(permission)) else { return Err(cannot("drop", words, name)) };
    if user.id.0 < millpond_catalog::security::FIRST_DATABASE_PRINCIPAL {
        return Err(SqlError::of(15_150, 1, &[&"drop", &words, &name]));
    }
    check_owns_nothing(&at, user.id)?;
    let runs_so = |object: &CatalogObject| matches!(object, CatalogObject::Module(def) if def.runs_as == Some(user.id));
    if at.objects().iter().any(runs_so) {
        return Err(SqlError::of(15_136, 1, &[]));
    }
    let granted = |grant: &Grant| grant.grantor == user.id && grant.grantee != user.id;
    if at.security().grants().iter().any(granted) {
        return Err(SqlError::of(15_284, 1, &[]));
    }
    at.change(work, &[SecurityChange::DropUser(user.id)])
}

/// 15138: a principal that owns something stays.
pub(super) fn check_owns_nothing(at: &InDatabase, id: PrincipalId) -> SqlResult<()> {
    let security = at.security();
    let owned = security.owners().find(|(_, _, owner)| *owner == id).map(|(class, ..)| match class {
        3 => "schema",
        6 => "data type",
        _ => "object",
    });
    let role = security.principals().any(|role| role.owner == Some(id)).then_some("database role");
    match owned.or(role) {
        Some(kind) => Err(SqlError::of(15_138, 1, &[&kind])),
        None => Ok(()),
    }
}
