//! Whether somebody may do something: a token of who it is, against what was granted.
//!
//! ```text
//!   sysadmin, dbo ──▶ yes          owner of the securable ──▶ yes
//!   else: grants on the securable and on all that contains it (`grants`), with those of fixed roles (`fixed_role`)
//! ```
//! What always holds: a token is what the rows said when it was made; it carries the state that it was made of, and is made anew
//! when that is another. A token of a user alone (EXECUTE AS USER, application roles) has no identity on the server, and
//! nothing that the server grants or denies counts for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::database::DatabaseSecurity;
use super::fixed_role;
use super::grants::{GrantState, Securable, strongest};
use super::permission::{Of, PERMISSIONS, Permission};
use super::principal::PrincipalId;
use super::server::ServerSecurity;
use crate::schema::SchemaId;

/// Who somebody is on the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerToken {
    /// The login.
    pub login: PrincipalId,
    /// It and all its roles.
    pub identities: BTreeSet<PrincipalId>,
}

impl ServerToken {
    /// The token of a login.
    #[must_use]
    pub fn new(server: &ServerSecurity, login: PrincipalId) -> ServerToken {
        ServerToken { login, identities: server.identities(login) }
    }

    /// Whether nothing is asked of it.
    #[must_use]
    pub fn is_sysadmin(&self) -> bool {
        self.is(PrincipalId::SYSADMIN)
    }

    /// Whether a principal is one of its identities.
    #[must_use]
    pub fn is(&self, principal: PrincipalId) -> bool {
        self.identities.contains(&principal)
    }

    /// Whether it has a permission on a securable of the server.
    #[must_use]
    pub fn may(&self, server: &ServerSecurity, permission: &'static Permission, on: Securable) -> bool {
        self.is_sysadmin() || self.said(server, permission, on).is_some_and(GrantState::allows)
    }

    /// As [`ServerToken::may`], and whether it may grant it to others.
    #[must_use]
    pub fn may_grant(&self, server: &ServerSecurity, permission: &'static Permission, on: Securable) -> bool {
        self.is_sysadmin() || self.said(server, permission, on) == Some(GrantState::GrantWithOption)
    }

    /// Whether it may act as a login: itself, or with IMPERSONATE on it.
    #[must_use]
    pub fn may_impersonate(&self, server: &ServerSecurity, login: PrincipalId) -> bool {
        let impersonate = Permission::known(Of::Login, "IMPERSONATE");
        self.login == login || self.may(server, impersonate, Securable::new(Of::Login, login.0))
    }

    fn said(&self, server: &ServerSecurity, permission: &'static Permission, on: Securable) -> Option<GrantState> {
        if on.of != Of::Server
            && server.principal(PrincipalId(on.major)).is_some_and(|one| one.owner == Some(self.login))
        {
            return Some(GrantState::GrantWithOption);
        }
        strongest(permission.covered_by().iter().filter_map(|covering| {
            let place = if covering.of == Of::Server { Securable::SERVER } else { on };
            let control = is_control(covering).then_some(GrantState::GrantWithOption);
            of_rows_and_roles(&self.identities, covering, |all| server.grants().said(all, place, covering))
                .map(|state| if state == GrantState::Grant { control.unwrap_or(state) } else { state })
        }))
    }
}

/// Who somebody is in one database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseToken {
    /// The user.
    pub user: PrincipalId,
    /// It and all its roles.
    pub identities: BTreeSet<PrincipalId>,
    /// The login; none for a user without one.
    pub server: Option<Arc<ServerToken>>,
}

impl DatabaseToken {
    /// The token of a user.
    #[must_use]
    pub fn new(database: &DatabaseSecurity, user: PrincipalId, server: Option<Arc<ServerToken>>) -> DatabaseToken {
        DatabaseToken { user, identities: database.identities(user), server }
    }

    /// Whether nothing of its database is asked of it.
    #[must_use]
    pub fn is_dbo(&self) -> bool {
        self.user == PrincipalId::DBO || self.server.as_ref().is_some_and(|server| server.is_sysadmin())
    }

    /// Whether a principal is one of its identities.
    #[must_use]
    pub fn is(&self, principal: PrincipalId) -> bool {
        self.identities.contains(&principal)
    }
}

/// What is in which schema.
pub trait Containers {
    /// The schema of an object.
    fn schema_of_object(&self, id: i32) -> Option<SchemaId>;
    /// The schema of a type.
    fn schema_of_type(&self, id: i32) -> Option<SchemaId>;
    /// The table that a trigger stands on; none of any other object.
    fn table_of_trigger(&self, id: i32) -> Option<i32>;
}

/// All that an answer depends on.
#[derive(Clone, Copy)]
pub struct Rights<'a> {
    /// What the server says.
    pub server: &'a ServerSecurity,
    /// What the database says.
    pub security: &'a DatabaseSecurity,
    /// Its definitions: what is in which schema. Without them nothing is asked but of the database as a whole.
    pub objects: Option<&'a dyn Containers>,
    /// Who asks.
    pub token: &'a DatabaseToken,
}

impl Rights<'_> {
    /// Whether the token has a permission on a securable of the database or on the server. Of a table without a column: on the
    /// table as a whole.
    #[must_use]
    pub fn may(&self, permission: &'static Permission, on: Securable) -> bool {
        self.token.is_dbo() && !on.of.is_of_server() || self.said(permission, on).is_some_and(GrantState::allows)
    }

    /// As [`Rights::may`], and whether it may grant it to others.
    #[must_use]
    pub fn may_grant(&self, permission: &'static Permission, on: Securable) -> bool {
        self.token.is_dbo() || self.said(permission, on) == Some(GrantState::GrantWithOption)
    }

    /// Whether the token has a permission on a table or on any of its columns: what statements that name no column need.
    #[must_use]
    pub fn may_any_column(&self, permission: &'static Permission, object: i32) -> bool {
        if self.may(permission, Securable::object(object)) {
            return true;
        }
        let of_it = self.security.grants().on(Of::Object, object).map(|grant| grant.on.minor);
        let columns: BTreeSet<i32> = of_it.filter(|minor| *minor != 0).collect();
        columns.into_iter().any(|column| {
            let on = Securable::object(object).column(column);
            self.security.grants().said(&self.token.identities, on, permission).is_some_and(GrantState::allows)
        })
    }

    /// Whether metadata of a securable is visible: any permission on it is enough, unless VIEW DEFINITION is denied.
    #[must_use]
    pub fn may_see(&self, on: Securable) -> bool {
        if self.token.is_dbo() || self.owns(on) {
            return true;
        }
        let view = Permission::known(on.of, "VIEW DEFINITION");
        if self.said(view, on) == Some(GrantState::Deny) {
            return false;
        }
        let mut own = self.security.grants().on(on.of, on.major);
        own.any(|grant| grant.state.allows() && self.token.is(grant.grantee))
            || PERMISSIONS.iter().any(|permission| permission.of == on.of && self.may(permission, on))
    }

    /// Whether one of the token's identities owns the securable.
    #[must_use]
    pub fn owns(&self, on: Securable) -> bool {
        self.owner(on).is_some_and(|owner| self.token.is(owner))
    }

    /// Owner of a securable of the database.
    #[must_use]
    pub fn owner(&self, on: Securable) -> Option<PrincipalId> {
        let security = self.security;
        match on.of {
            Of::Database => Some(PrincipalId::DBO),
            Of::Schema => Some(security.schema_owner(on.major)),
            // A trigger is its table's owner's.
            Of::Object => match self.objects?.table_of_trigger(on.major) {
                Some(table) => self.owner(Securable::object(table)),
                None => Some(security.object_owner(on.major, self.schema_of(on)?.0)),
            },
            Of::Type => {
                let said = security.said_owner(Of::Type, on.major);
                Some(said.unwrap_or(security.schema_owner(self.schema_of(on)?.0)))
            }
            Of::Role => security.principal(PrincipalId(on.major))?.owner,
            _ => None,
        }
    }

    fn schema_of(&self, on: Securable) -> Option<SchemaId> {
        match on.of {
            Of::Object => self.objects?.schema_of_object(on.major),
            Of::Type => self.objects?.schema_of_type(on.major),
            _ => None,
        }
    }

    /// What contains a securable, or it itself, of the class of a permission that covers.
    fn place(&self, on: Securable, of: Of) -> Option<Securable> {
        match of {
            _ if of == on.of => Some(Securable { minor: 0, ..on }),
            Of::Server => Some(Securable::SERVER),
            Of::Database => Some(Securable::DATABASE),
            Of::Schema => self.schema_of(on).map(|schema| Securable::new(Of::Schema, schema.0)),
            _ => None,
        }
    }

    fn said(&self, permission: &'static Permission, on: Securable) -> Option<GrantState> {
        if self.owns(on) {
            return Some(GrantState::GrantWithOption);
        }
        let own = || self.security.grants().said(&self.token.identities, on, permission);
        let of_column = if on.minor == 0 { None } else { own() };
        of_column.or_else(|| {
            let of_all = if permission.name == "SELECT" { self.said_of_all_securables() } else { None };
            strongest(permission.covered_by().iter().filter_map(|covering| self.said_by(covering, on)).chain(of_all))
        })
    }

    /// SELECT ALL USER SECURABLES, which covers SELECT in every database and stands in no list of permissions above it.
    fn said_of_all_securables(&self) -> Option<GrantState> {
        let all = Permission::known(Of::Server, "SELECT ALL USER SECURABLES");
        let server = self.token.server.as_ref()?;
        self.server.grants().said(&server.identities, Securable::SERVER, all).map(|state| match state {
            GrantState::Deny => GrantState::Deny,
            _ => GrantState::Grant,
        })
    }

    /// What rows and roles say of one permission that covers the wanted one.
    fn said_by(&self, covering: &'static Permission, on: Securable) -> Option<GrantState> {
        let state = if covering.of == Of::Server {
            let server = self.token.server.as_ref()?;
            let said = |all: &BTreeSet<PrincipalId>| self.server.grants().said(all, Securable::SERVER, covering);
            of_rows_and_roles(&server.identities, covering, said)
        } else {
            let place = self.place(on, covering.of)?;
            if place != on && is_control(covering) && self.owns(place) {
                return Some(GrantState::GrantWithOption);
            }
            let said = |all: &BTreeSet<PrincipalId>| self.security.grants().said(all, place, covering);
            of_rows_and_roles(&self.token.identities, covering, said)
        }?;
        // Who has CONTROL may grant all that it covers.
        Some(match state {
            GrantState::Grant if is_control(covering) => GrantState::GrantWithOption,
            state => state,
        })
    }
}

fn is_control(permission: &Permission) -> bool {
    permission.covering.is_none()
}

/// What rows say to any of the identities, and what the fixed roles among them say.
fn of_rows_and_roles(
    identities: &BTreeSet<PrincipalId>,
    permission: &'static Permission,
    rows: impl Fn(&BTreeSet<PrincipalId>) -> Option<GrantState>,
) -> Option<GrantState> {
    let of_roles = identities.iter().filter_map(|identity| fixed_role::said(*identity, permission));
    strongest(of_roles.chain(rows(identities)))
}
