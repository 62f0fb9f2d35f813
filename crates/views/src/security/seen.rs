//! Which logins, roles and users the session may see.
//!
//! What always holds: each sees itself, its roles, `sa`, `dbo` and their kin, and what comes with every server and database; all others
//! by any permission on them, which those on the server (ALTER ANY LOGIN, VIEW ANY DEFINITION) or the database (ALTER ANY USER, ALTER
//! ANY ROLE, VIEW DEFINITION) cover.

use std::sync::Arc;

use millpond_catalog::security::{
    DatabasePrincipal, DatabaseSecurity, Of, PERMISSIONS, Permission, PrincipalId, Securable, ServerPrincipal,
    ServerSecurity, ServerToken,
};
use millpond_engine::context::RunContext;
use millpond_engine::security::{Access, server_token};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;

/// Security of the server as the session may see it.
pub struct SeenOnServer {
    /// All of it.
    pub server: Arc<ServerSecurity>,
    /// The session's login; none for a user without one.
    pub token: Option<ServerToken>,
    own_sid: Arc<[u8]>,
}

impl SeenOnServer {
    /// By the session whose statement asks.
    pub fn of(ctx: &RunContext) -> SqlResult<SeenOnServer> {
        let (server, token) = server_token(ctx)?;
        Ok(SeenOnServer { server, token, own_sid: Arc::clone(&ctx.facts.security.sid) })
    }

    /// Whether the session has a permission on the server.
    pub fn may(&self, permission: &str) -> bool {
        let permission = Permission::known(Of::Server, permission);
        self.token.as_ref().is_some_and(|token| token.may(&self.server, permission, Securable::SERVER))
    }

    /// Whether it may see a login or role.
    pub fn sees(&self, principal: &ServerPrincipal) -> bool {
        let id = principal.id;
        if id <= PrincipalId::SERVER_PUBLIC || id.is_fixed_server_role() || principal.sid == self.own_sid {
            return true;
        }
        let of = if principal.is_role { Of::ServerRole } else { Of::Login };
        let may = |token: &ServerToken| {
            let mut all = PERMISSIONS.iter().filter(|permission| permission.of == of);
            token.is(id) || all.any(|permission| token.may(&self.server, permission, Securable::new(of, id.0)))
        };
        self.token.as_ref().is_some_and(may)
    }

    /// Whether it may see the one of that number.
    pub fn sees_id(&self, id: PrincipalId) -> bool {
        self.server.principal(id).is_some_and(|principal| self.sees(principal))
    }

    /// All that it may see, by their numbers.
    pub fn principals(&self) -> impl Iterator<Item = &Arc<ServerPrincipal>> {
        self.server.principals().filter(|principal| self.sees(principal))
    }
}

/// Security of a database as the session may see it.
pub struct SeenInDatabase(pub Access);

impl SeenInDatabase {
    /// By the session whose statement asks; nothing where it has no access.
    pub fn of(ctx: &RunContext, database: DbId) -> SqlResult<Option<SeenInDatabase>> {
        Ok(Access::of_statement(ctx, database)?.map(SeenInDatabase))
    }

    /// All of it.
    pub fn security(&self) -> &DatabaseSecurity {
        &self.0.security
    }

    /// Whether the session has a permission on the database.
    pub fn may(&self, permission: &str) -> bool {
        self.0.may(permission)
    }

    /// Whether it may see a user or role.
    pub fn sees(&self, principal: &DatabasePrincipal) -> bool {
        let id = principal.id;
        id <= PrincipalId::SYS
            || id.is_fixed_role()
            || self.0.token.is(id)
            || self.0.rights().may_see(Securable::new(principal.kind.class(), id.0))
    }

    /// Whether it may see the one of that number.
    pub fn sees_id(&self, id: PrincipalId) -> bool {
        self.security().principal(id).is_some_and(|principal| self.sees(principal))
    }

    /// All that it may see, by their numbers.
    pub fn principals(&self) -> impl Iterator<Item = &Arc<DatabasePrincipal>> {
        self.security().principals().filter(|principal| self.sees(principal))
    }
}
