//! Whose rights the statements of a session have: its login, or who it has become by EXECUTE AS.
//!
//! What always holds: a token is given only for the state of security that is there now; a session with one for an older state gets
//! another. A context of a user alone counts in its own database, and as `guest` in tempdb. A context is of one principal: when
//! that is dropped it has no rights, also where another principal or database has taken the number since.

use std::sync::Arc;

use millpond_storage::contract::DbId;
use parking_lot::Mutex;

use super::check::{DatabaseToken, Rights, ServerToken};
use super::database::DatabaseSecurity;
use super::grants::Securable;
use super::permission::{Of, Permission};
use super::principal::{DatabasePrincipal, PrincipalId, ServerPrincipal, Sid};
use super::server::ServerSecurity;

/// Databases whose tokens a context keeps.
const TOKENS_MAX: usize = 16;

/// Whose rights statements have.
#[derive(Debug)]
pub struct SecurityContext {
    /// The login; none of a user alone.
    pub login: Option<PrincipalId>,
    /// SYSTEM_USER
    pub login_name: Arc<str>,
    /// Security identifier of the login or the user.
    pub sid: Sid,
    /// EXECUTE AS USER, an application role: who it is, and in which database alone.
    user: Option<UserAlone>,
    known: Mutex<Vec<Known>>,
}

/// A user of one database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UserAlone {
    place: Place,
    id: PrincipalId,
    created_us: i64,
    kind: Alone,
}

/// How a user of one database came to be alone, which decides what other databases it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alone {
    /// EXECUTE AS USER: its own database, and tempdb as `guest`.
    Impersonated,
    /// An application role: the others as `guest`, where that may connect.
    ApplicationRole,
    /// A user with a password that has logged in, while it may connect: the others likewise.
    Contained,
}

/// A database, and which of those that ever had its number ([`DatabaseCatalog::birth`](crate::DatabaseCatalog::birth)).
pub type Place = (DbId, u64);

/// A token with the states that it was made of.
#[derive(Debug)]
struct Known {
    place: Place,
    server: Arc<ServerSecurity>,
    security: Arc<DatabaseSecurity>,
    token: Option<Arc<DatabaseToken>>,
}

impl SecurityContext {
    /// That of `sa`.
    #[must_use]
    pub fn sa() -> Arc<SecurityContext> {
        let sa = ServerSecurity::new();
        SecurityContext::of_login(sa.principal(PrincipalId::SA).expect("every server has sa"))
    }

    /// That of a login.
    #[must_use]
    pub fn of_login(login: &ServerPrincipal) -> Arc<SecurityContext> {
        Arc::new(SecurityContext {
            login: Some(login.id),
            login_name: Arc::clone(&login.name),
            sid: Arc::clone(&login.sid),
            user: None,
            known: Mutex::default(),
        })
    }

    /// That of a user alone; `login_name` is what SYSTEM_USER gives.
    #[must_use]
    pub fn of_user(place: Place, user: &DatabasePrincipal, login_name: Arc<str>) -> Arc<SecurityContext> {
        Arc::new(SecurityContext {
            login: None,
            login_name,
            sid: user.sid.clone().unwrap_or_else(|| Arc::from([])),
            user: Some(UserAlone { place, id: user.id, created_us: user.created_us, kind: Alone::Impersonated }),
            known: Mutex::default(),
        })
    }

    /// That of an application role: the names of whose session it is stay.
    #[must_use]
    pub fn of_application_role(
        place: Place,
        role: &DatabasePrincipal,
        session: &SecurityContext,
    ) -> Arc<SecurityContext> {
        Arc::new(SecurityContext {
            login: None,
            login_name: Arc::clone(&session.login_name),
            sid: Arc::clone(&session.sid),
            user: Some(UserAlone { place, id: role.id, created_us: role.created_us, kind: Alone::ApplicationRole }),
            known: Mutex::default(),
        })
    }

    /// That of a user with a password, who has logged in to its database.
    #[must_use]
    pub fn of_contained_user(place: Place, user: &DatabasePrincipal) -> Arc<SecurityContext> {
        Arc::new(SecurityContext {
            login: None,
            login_name: Arc::clone(&user.name),
            sid: user.sid.clone().unwrap_or_else(|| Arc::from([])),
            user: Some(UserAlone { place, id: user.id, created_us: user.created_us, kind: Alone::Contained }),
            known: Mutex::default(),
        })
    }

    /// The database that has found out who it is: master, but for a user with a password.
    #[must_use]
    pub fn authenticating_database(&self) -> DbId {
        self.user.filter(|user| user.kind == Alone::Contained).map_or(DbId::MASTER, |user| user.place.0)
    }

    /// Whether it is an application role.
    #[must_use]
    pub fn is_application_role(&self) -> bool {
        self.user.is_some_and(|user| user.kind == Alone::ApplicationRole)
    }

    /// Whether it is `sa`, of whom nothing is ever asked.
    #[inline]
    #[must_use]
    pub fn is_sa(&self) -> bool {
        self.login == Some(PrincipalId::SA)
    }

    /// The login; none for a user without one, and of a login that was dropped.
    #[must_use]
    pub fn server_token(&self, server: &ServerSecurity) -> Option<ServerToken> {
        let login = server.principal(self.login?).filter(|login| login.sid == self.sid)?;
        Some(ServerToken::new(server, login.id))
    }

    /// Who it is in a database; `None` where it has no access.
    #[must_use]
    pub fn token(
        &self,
        place: Place,
        server: &Arc<ServerSecurity>,
        security: &Arc<DatabaseSecurity>,
    ) -> Option<Arc<DatabaseToken>> {
        let mut known = self.known.lock();
        let is_now = |one: &Known| Arc::ptr_eq(&one.server, server) && Arc::ptr_eq(&one.security, security);
        if let Some(one) = known.iter().find(|one| one.place == place && is_now(one)) {
            return one.token.clone();
        }
        let token = self.new_token(place, server, security).map(Arc::new);
        known.retain(|one| one.place.0 != place.0);
        if known.len() == TOKENS_MAX {
            known.remove(0);
        }
        let (server, security) = (Arc::clone(server), Arc::clone(security));
        known.push(Known { place, server, security, token: token.clone() });
        token
    }

    fn new_token(&self, place: Place, server: &ServerSecurity, security: &DatabaseSecurity) -> Option<DatabaseToken> {
        if let Some(own) = self.user {
            let user = match place.0 {
                _ if own.place == place => security.principal(own.id).filter(|user| self.is_still(own, user)),
                DbId::TEMPDB => security.principal(PrincipalId::GUEST),
                _ if own.kind != Alone::Impersonated => {
                    return connected(server, security, DatabaseToken::new(security, PrincipalId::GUEST, None));
                }
                _ => None,
            };
            let token = DatabaseToken::new(security, user?.id, None);
            return if own.kind == Alone::Contained { connected(server, security, token) } else { Some(token) };
        }
        let login = Arc::new(self.server_token(server)?);
        if login.is_sysadmin() {
            return Some(DatabaseToken::new(security, PrincipalId::DBO, Some(login)));
        }
        let connect = Permission::known(Of::Database, "CONNECT");
        let user = security.of_sid(&self.sid).map_or(PrincipalId::GUEST, |user| user.id);
        let token = DatabaseToken::new(security, user, Some(Arc::clone(&login)));
        let rights = Rights { server, security, objects: None, token: &token };
        let may_connect = rights.may(connect, Securable::DATABASE)
            || login.may(server, Permission::known(Of::Server, "CONNECT ANY DATABASE"), Securable::SERVER);
        may_connect.then_some(token)
    }

    /// Whether a user is the one that the context was made of. The owner of a database may change: `dbo` stays.
    fn is_still(&self, own: UserAlone, user: &DatabasePrincipal) -> bool {
        let has_sid = || user.sid.as_deref().unwrap_or_default() == &*self.sid;
        let is_role = own.kind == Alone::ApplicationRole;
        user.created_us == own.created_us && (is_role || user.id == PrincipalId::DBO || has_sid())
    }
}

/// A token that may connect.
fn connected(server: &ServerSecurity, security: &DatabaseSecurity, token: DatabaseToken) -> Option<DatabaseToken> {
    let rights = Rights { server, security, objects: None, token: &token };
    let may_connect = rights.may(Permission::known(Of::Database, "CONNECT"), Securable::DATABASE);
    may_connect.then_some(token)
}
