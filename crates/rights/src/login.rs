//! CREATE, ALTER and DROP LOGIN.
//!
//! Permissions as documented: ALTER ANY LOGIN; of a login in `sysadmin` or with CONTROL SERVER that permission; everybody may change the own password with
//! OLD_PASSWORD, the own default database and language.

use std::sync::Arc;

use millpond_catalog::dictionary::SecurityChange;
use millpond_catalog::security::{Grant, Of, Permission, PrincipalId, Securable, ServerPrincipal, ServerToken, Sid};
use millpond_catalog::{ObjectId, Schema, names_equal};
use millpond_engine::password;
use millpond_engine::security::random_bytes;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::settings::options::OptionId;
use millpond_tsql::ast::{PasswordValue, Principal, PrincipalChange, PrincipalOption};
use millpond_types::temporal::Language;

use crate::Work;
use crate::{OnServer, cannot, failed, no_permission};

pub(super) fn login(work: &mut Work<'_>, statement: &Principal) -> SqlResult<()> {
    let on = OnServer::open(work)?;
    if statement.alter { alter(work, &on, statement) } else { create(work, &on, statement) }
}

fn create(work: &mut Work<'_>, on: &OnServer, statement: &Principal) -> SqlResult<()> {
    if !on.may("ALTER ANY LOGIN") {
        return Err(no_permission());
    }
    let name = statement.name.as_str();
    if name.contains('\\') {
        return Err(SqlError::of(15_006, 1, &[&name]));
    }
    if on.server.named(name).is_some() {
        return Err(SqlError::of(15_025, 1, &[&name]));
    }
    let now_us = work.ctx.engine.now_us().1;
    let new = ServerPrincipal {
        id: on.server.free_id(),
        name: Arc::from(name),
        is_role: false,
        sid: Arc::from(random_bytes::<16>()?),
        is_disabled: false,
        default_database: Arc::from("master"),
        default_language: server_language(work),
        owner: None,
        password_hash: None,
        checks_policy: true,
        checks_expiration: false,
        must_change: false,
        password_set_us: now_us,
        created_us: now_us,
        modified_us: now_us,
    };
    let PrincipalChange::Options { options, .. } = &statement.change else { return Err(no_permission()) };
    if !options.iter().any(|option| matches!(option, PrincipalOption::Password { .. })) {
        return Err(message::syntax_near(name));
    }
    let login = with_options(work, on, new, options)?;
    let connect = Grant::of_server("CONNECT SQL", login.id);
    on.change(work, &[SecurityChange::PutLogin(login), SecurityChange::PutGrant(connect)])
}

fn alter(work: &mut Work<'_>, on: &OnServer, statement: &Principal) -> SqlResult<()> {
    let name = statement.name.as_str();
    let is_own = |id: PrincipalId| on.token.as_ref().is_some_and(|token| token.login == id);
    let found = on.server.named(name).filter(|login| !login.is_role);
    let Some(login) = found.filter(|login| {
        is_own(login.id) || on.may_on(Permission::known(Of::Login, "ALTER"), Securable::new(Of::Login, login.id.0))
    }) else {
        return Err(cannot("alter", "login", name));
    };
    let login = (**login).clone();
    let is_powerful = is_powerful(on, login.id);
    let is_free = on.may("ALTER ANY LOGIN") && (!is_powerful || on.may("CONTROL SERVER"));
    let changed = match &statement.change {
        PrincipalChange::Enable | PrincipalChange::Disable if !is_free => return Err(no_permission()),
        PrincipalChange::Enable => ServerPrincipal { is_disabled: false, ..login },
        PrincipalChange::Disable => ServerPrincipal { is_disabled: true, ..login },
        PrincipalChange::Options { options, .. } => {
            check_own(&login, options, is_free)?;
            with_options(work, on, login, options)?
        }
        _ => return Err(no_permission()),
    };
    let now_us = work.ctx.engine.now_us().1;
    if let PrincipalChange::Options { options, .. } = &statement.change {
        check_unlocked(work, &changed, options, now_us)?;
    }
    let (id, is_open) = (changed.id, !changed.checks_policy || unlocks(&statement.change));
    on.change(work, &[SecurityChange::PutLogin(ServerPrincipal { modified_us: now_us, ..changed })])?;
    if is_open {
        work.ctx.engine.logins().forget(id);
    }
    Ok(())
}

fn unlocks(change: &PrincipalChange) -> bool {
    let PrincipalChange::Options { options, .. } = change else { return false };
    options.iter().any(|option| matches!(option, PrincipalOption::Password { unlock: true, .. }))
}

/// 15113: who is locked out does not change the own password.
fn check_unlocked(work: &Work<'_>, login: &ServerPrincipal, options: &[PrincipalOption], now_us: i64) -> SqlResult<()> {
    let is_own = options.iter().any(|option| matches!(option, PrincipalOption::OldPassword(_)));
    match is_own && work.ctx.engine.logins().is_locked(login, now_us) {
        true => Err(SqlError::of(15_113, 1, &[])),
        false => Ok(()),
    }
}

/// A login in `sysadmin`, or one that has CONTROL SERVER by itself or by a role.
fn is_powerful(on: &OnServer, login: PrincipalId) -> bool {
    let control = Permission::known(Of::Server, "CONTROL SERVER");
    ServerToken::new(&on.server, login).may(&on.server, control, Securable::SERVER)
}

/// What may be changed without ALTER ANY LOGIN; with OLD_PASSWORD the password, which has to be right.
fn check_own(login: &ServerPrincipal, options: &[PrincipalOption], is_free: bool) -> SqlResult<()> {
    let old = options.iter().find_map(|option| match option {
        PrincipalOption::OldPassword(old) => Some(old),
        _ => None,
    });
    if let Some(old) = old
        && !login.password_hash.as_ref().is_some_and(|hash| password::fits(old, hash))
    {
        return Err(SqlError::of(15_151, 1, &[&"alter", &"login", &login.name]));
    }
    let is_allowed = |option: &PrincipalOption| match option {
        PrincipalOption::Password { must_change, unlock, .. } => old.is_some() && !must_change && !unlock,
        PrincipalOption::OldPassword(_) | PrincipalOption::DefaultDatabase(_) | PrincipalOption::DefaultLanguage(_) => {
            true
        }
        _ => false,
    };
    if is_free || options.iter().all(is_allowed) { Ok(()) } else { Err(no_permission()) }
}

fn with_options(
    work: &Work<'_>,
    on: &OnServer,
    login: ServerPrincipal,
    options: &[PrincipalOption],
) -> SqlResult<ServerPrincipal> {
    let mut new = login.clone();
    // The policy that holds for a new password is that of the same statement.
    for option in options {
        match option {
            PrincipalOption::CheckPolicy(checks) => new.checks_policy = *checks,
            PrincipalOption::CheckExpiration(checks) => new.checks_expiration = *checks,
            _ => {}
        }
    }
    if !new.checks_policy && options.contains(&PrincipalOption::CheckPolicy(false)) && !login.must_change {
        // Without a policy nothing expires.
        if options.contains(&PrincipalOption::CheckExpiration(true)) {
            return Err(SqlError::of(15_122, 1, &[]));
        }
        new.checks_expiration = false;
    }
    if new.checks_expiration && !new.checks_policy {
        return Err(SqlError::of(15_122, 1, &[]));
    }
    for option in options {
        match option {
            PrincipalOption::Password { value, must_change, .. } => {
                new.password_hash = Some(Arc::from(stored(value, &new.name, new.checks_policy)?));
                new.password_set_us = work.ctx.engine.now_us().1;
                if *must_change && !(new.checks_expiration && new.checks_policy) {
                    return Err(SqlError::of(15_099, 1, &[]));
                }
                new.must_change = *must_change;
            }
            PrincipalOption::Sid(sid) => new.sid = sid_of(on, sid)?,
            PrincipalOption::DefaultDatabase(name) => {
                work.ctx.engine.database_id(name).ok_or_else(|| SqlError::of(15_010, 1, &[name]))?;
                new.default_database = Arc::from(name.as_str());
            }
            PrincipalOption::DefaultLanguage(language) => {
                new.default_language = match language {
                    None => server_language(work),
                    Some(name) => Arc::from(language_of(name)?),
                };
            }
            PrincipalOption::Name(name) => {
                if on.server.named(name).is_some_and(|other| other.id != new.id) {
                    return Err(SqlError::of(15_025, 1, &[name]));
                }
                new.name = Arc::from(name.as_str());
            }
            PrincipalOption::Credential => return Err(message::missing("CREDENTIAL of a login")),
            PrincipalOption::OldPassword(_) | PrincipalOption::CheckPolicy(_) | PrincipalOption::CheckExpiration(_) => {
            }
            PrincipalOption::DefaultSchema(_)
            | PrincipalOption::Login(_)
            | PrincipalOption::AllowEncryptedValueModifications(_) => return Err(message::syntax_near("WITH")),
        }
    }
    if new.must_change && !(new.checks_policy && new.checks_expiration) {
        return Err(SqlError::of(15_128, 1, &[]));
    }
    Ok(new)
}

/// The language of logins that name none: the option `default language`.
fn server_language(work: &Work<'_>) -> Arc<str> {
    let number = work.ctx.engine.instance().settings().running(OptionId::DefaultLanguage);
    let language = Language::all().find(|language| i64::from(language.number()) == number);
    Arc::from(language.unwrap_or_default().facts().name)
}

/// A language by its name, its alias or the number of its locale.
///
/// # Errors
/// 15033 for one that is not there.
pub(super) fn language_of(name: &str) -> SqlResult<&'static str> {
    let by_number = || name.parse().ok().and_then(Language::of_lcid);
    let language = Language::named(name).or_else(by_number);
    language.map(|language| language.facts().name).ok_or_else(|| SqlError::of(15_033, 1, &[&name]))
}

/// The password of a login, a user or an application role as it is stored. A hash is asked for nothing: it is of a login
/// that was elsewhere, or of `sp_addapprole`.
pub(super) fn stored(value: &PasswordValue, name: &str, checks_policy: bool) -> SqlResult<String> {
    match value {
        PasswordValue::Hash(bytes) => password::of_bytes(bytes).ok_or_else(|| SqlError::of(15_021, 1, &[&"PASSWORD"])),
        PasswordValue::Text(text) => {
            if checks_policy {
                check_policy(text, name)?;
            }
            password::hash(text).map_err(|cause| failed(&cause))
        }
    }
}

/// 15116 and 15118: what CHECK_POLICY asks of a password.
fn check_policy(text: &str, name: &str) -> SqlResult<()> {
    if text.chars().count() < 8 {
        return Err(SqlError::of(15_116, 1, &[]));
    }
    if !password::is_complex(text, name) || names_equal(text, name) {
        return Err(SqlError::of(15_118, 1, &[]));
    }
    Ok(())
}

fn sid_of(on: &OnServer, sid: &[u8]) -> SqlResult<Sid> {
    if sid.len() != 16 {
        return Err(SqlError::of(15_419, 1, &[]));
    }
    if on.server.of_sid(sid).is_some() {
        return Err(SqlError::of(15_433, 1, &[]));
    }
    Ok(Arc::from(sid))
}

pub(super) fn drop_login(work: &mut Work<'_>, name: &str) -> SqlResult<()> {
    let on = OnServer::open(work)?;
    let found = on.server.named(name).filter(|login| !login.is_role);
    let Some(login) = found.filter(|_| on.may("ALTER ANY LOGIN")).cloned() else {
        return Err(cannot("drop", "login", name));
    };
    if login.id == PrincipalId::SA {
        return Err(SqlError::of(15_150, 1, &[&"drop", &"login", &name]));
    }
    if is_powerful(&on, login.id) && !on.may("CONTROL SERVER") {
        return Err(no_permission());
    }
    if on.server.principals().any(|role| role.owner == Some(login.id)) {
        return Err(SqlError::of(15_141, 1, &[&"server role"]));
    }
    if on.server.grants().iter().any(|grant| grant.grantor == login.id && grant.grantee != login.id) {
        return Err(SqlError::of(15_173, 1, &[&name]));
    }
    let is_its = |session: &std::sync::Arc<millpond_engine::session_shared::SessionShared>| {
        names_equal(&session.login.login, &login.name)
    };
    if work.ctx.engine.sessions().iter().any(is_its) {
        return Err(SqlError::of(15_434, 1, &[&name]));
    }
    let own = Schema::of_triggers(true).id;
    let master = work.ctx.engine.databases().dictionary(DbId::MASTER)?.catalog().objects();
    if master.triggers_of(ObjectId(0)).any(|def| def.schema.id == own && def.runs_as == Some(login.id)) {
        return Err(SqlError::of(15_186, 1, &[]));
    }
    for database in work.ctx.engine.instance().databases().all_databases() {
        let Ok(dictionary) = work.ctx.engine.databases().dictionary(database.id()) else { continue };
        if **dictionary.catalog().objects().security().owner_sid() == *login.sid {
            return Err(SqlError::of(15_174, 1, &[&name]));
        }
    }
    on.change(work, &[SecurityChange::DropLogin(login.id)])?;
    work.ctx.engine.logins().forget(login.id);
    Ok(())
}
