//! Whose login it is, whether the password is right, and whether the account may log in.
//!
//! ```text
//!   name, database ─▶ a user with a password of the database, if it is contained; else a login
//!        ─▶ locked? 18486 ─▶ password? 18456 ─▶ expired, to be changed? 18487, 18488, unless the client changes it now
//! ```
//! What always holds: a contained database that has a user of the name decides alone: there is no second try as a login. The
//! client hears why only where its password was right, or its account is locked; the error log has the reason and its state.

use std::net::SocketAddr;
use std::sync::Arc;

use millpond_catalog::security::{
    DatabasePrincipal, Of, Permission, Place, Securable, SecurityContext, ServerPrincipal, ServerSecurity, ServerToken,
};
use millpond_engine::admin::access::may_enter;
use millpond_engine::security::contained_user;
use millpond_message::INFORMATION_MAX;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Message, Nowhere, OnlyMessages};
use millpond_query::session::Session;
use millpond_tds::login::Login7;
use millpond_tsql::print::{bracketed, unicode_literal};

use crate::password::Secret;
use crate::shared::Shared;

/// Who logs in.
pub(crate) enum Account {
    /// A login of the server.
    Login(Arc<ServerPrincipal>),
    /// A user with a password of the database that the login names.
    User(Place, Arc<DatabasePrincipal>),
}

/// Why a login failed, for the error log: the state that SQL Server gives, and its words.
pub(crate) struct Reason(pub u8, pub String);

impl Account {
    /// Whom a login names.
    ///
    /// # Errors
    /// Those of a database that cannot be read.
    pub(crate) fn find(shared: &Shared, server: &ServerSecurity, login: &Login7) -> SqlResult<Option<Account>> {
        if let Some(database) = shared.engine.database_id(&login.database)
            && let Some((place, user)) = contained_user(&shared.engine, database, &login.user)?
        {
            return Ok(Some(Account::User(place, user)));
        }
        let found = server.named(&login.user).filter(|principal| !principal.is_role);
        Ok(found.cloned().map(Account::Login))
    }

    /// What its password is compared with.
    pub(crate) fn secret(&self) -> Secret {
        match self {
            Account::Login(login) => Secret::of_login(login),
            Account::User(place, user) => Secret::of_user(*place, user),
        }
    }

    /// 18486, whatever the password.
    ///
    /// # Errors
    /// 18486
    pub(crate) fn check_lock(&self, shared: &Shared) -> SqlResult<()> {
        match self {
            Account::Login(login) if shared.engine.logins().is_locked(login, shared.engine.now_us().1) => {
                Err(SqlError::of(18_486, 1, &[&login.name]))
            }
            _ => Ok(()),
        }
    }

    /// The password was wrong, or right.
    pub(crate) fn note(&self, shared: &Shared, is_right: bool) {
        let Account::Login(login) = self else { return };
        match is_right {
            true => shared.engine.logins().succeed(login.id),
            false => shared.engine.logins().fail(login, shared.engine.now_us().1),
        }
    }

    /// Whether one whose password was right may connect; `changes` says that the client brings another password.
    ///
    /// # Errors
    /// 18470 for one that is disabled, 18487 and 18488 for one whose password has expired or has to be changed, 18456 without the
    /// right to connect.
    pub(crate) fn admit(&self, shared: &Shared, server: &ServerSecurity, changes: bool) -> SqlResult<()> {
        match self {
            Account::User(place, user) => {
                let context = self.context();
                match may_enter(&shared.engine, 0, &context, place.0)? {
                    true => Ok(()),
                    false => Err(SqlError::of(18_456, 1, &[&user.name])),
                }
            }
            Account::Login(login) => {
                if login.is_disabled {
                    return Err(SqlError::of(18_470, 1, &[&login.name]));
                }
                let days_left = shared.engine.logins().days_left(login, shared.engine.now_us().1);
                if login.must_change && !changes {
                    return Err(SqlError::of(18_488, 1, &[&login.name]));
                }
                if days_left == Some(0) && !changes {
                    return Err(SqlError::of(18_487, 1, &[&login.name]));
                }
                let connect = Permission::known(Of::Server, "CONNECT SQL");
                match ServerToken::new(server, login.id).may(server, connect, Securable::SERVER) {
                    true => Ok(()),
                    false => Err(SqlError::of(18_456, 1, &[&login.name])),
                }
            }
        }
    }

    /// Whose rights the session has.
    pub(crate) fn context(&self) -> Arc<SecurityContext> {
        match self {
            Account::Login(login) => SecurityContext::of_login(login),
            Account::User(place, user) => SecurityContext::of_contained_user(*place, user),
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Account::Login(login) => &login.name,
            Account::User(_, user) => &user.name,
        }
    }

    /// The language of sessions that want none.
    pub(crate) fn language(&self) -> &str {
        match self {
            Account::Login(login) => &login.default_language,
            Account::User(_, user) => user.default_language.as_deref().unwrap_or("us_english"),
        }
    }

    /// Why a wrong password is one.
    pub(crate) fn wrong_password(found: Option<&Account>, database: &str) -> Reason {
        match found {
            None => Reason(5, "Could not find a login matching the name provided.".into()),
            Some(Account::Login(login)) if login.is_disabled => {
                let text = "An error occurred while evaluating the password; the account is disabled.";
                Reason(7, text.into())
            }
            Some(Account::Login(_)) => Reason(8, "Password did not match that for the login provided.".into()),
            Some(Account::User(..)) => {
                Reason(65, format!("Password did not match that for the user provided. [Database: '{database}']"))
            }
        }
    }
}

/// A login that failed, as the error log has it.
pub(crate) fn log_failure(shared: &Shared, user: &str, peer: SocketAddr, Reason(state, words): Reason) {
    let error = SqlError::of(18_456, state, &[&user]);
    let text = format!("{} Reason: {words} [CLIENT: {}]", error.text, peer.ip().to_canonical());
    shared.engine.log_error(SqlError { text, ..error });
}

/// Gives the account of a new session the password that its client brings.
///
/// # Errors
/// 18464, 18466 for one that the policy does not take, 18471 without the right, 18468 for what else goes wrong.
pub(crate) fn change_password(session: &mut Session, account: &Account, old: &str, new: &str) -> SqlResult<()> {
    let (shown, new, old) = (bracketed(account.name()), unicode_literal(new), unicode_literal(old));
    let text = match account {
        // The password of sa may be that of the configuration, which ALTER LOGIN does not know.
        Account::Login(login) if login.password_hash.is_none() => format!("ALTER LOGIN {shown} WITH PASSWORD = {new}"),
        Account::Login(_) => format!("ALTER LOGIN {shown} WITH PASSWORD = {new} OLD_PASSWORD = {old}"),
        Account::User(place, _) => {
            let database = session.engine().database_name(place.0).unwrap_or_default();
            session.use_database(&database, &mut Nowhere)?;
            format!("ALTER USER {shown} WITH PASSWORD = {new} OLD_PASSWORD = {old}")
        }
    };
    let mut first_error = None;
    session.run_batch(
        &text,
        &mut OnlyMessages(|message: &Message| {
            if message.severity > INFORMATION_MAX {
                first_error.get_or_insert(message.number);
            }
        }),
    );
    let name = account.name();
    match first_error {
        None => Ok(()),
        Some(15_116) => Err(SqlError::of(18_464, 1, &[&name])),
        Some(15_118) => Err(SqlError::of(18_466, 1, &[&name])),
        Some(15_151 | 15_247) => Err(SqlError::of(18_471, 1, &[&name])),
        Some(_) => Err(SqlError::of(18_468, 1, &[&name])),
    }
}
