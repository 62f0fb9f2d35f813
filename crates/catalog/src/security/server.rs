//! Security of the server: logins, roles, who is a member of what, what was granted. Its rows are in master.

use std::sync::Arc;

use super::permission::Of;
use super::principal::{FIRST_SERVER_PRINCIPAL, FIXED_SERVER_ROLES, PrincipalId, ServerPrincipal};
use super::scope::{Principal, Security};

/// Security of the server.
pub type ServerSecurity = Security<ServerPrincipal>;

impl Principal for ServerPrincipal {
    const PUBLIC: PrincipalId = PrincipalId::SERVER_PUBLIC;
    const FIRST: i32 = FIRST_SERVER_PRINCIPAL;
    const CLASS: Of = Of::Login;
    type Rest = ();

    fn id(&self) -> PrincipalId {
        self.id
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl Default for ServerSecurity {
    fn default() -> Self {
        Self::new()
    }
}

impl ServerSecurity {
    /// That of a new server: `sa` and the fixed roles.
    #[must_use]
    pub fn new() -> ServerSecurity {
        let mut security = Security::empty(());
        security.put_member(PrincipalId::SYSADMIN, PrincipalId::SA);
        security.put_principal(Arc::new(fixed(PrincipalId::SA, "sa", false)));
        for (id, name) in FIXED_SERVER_ROLES {
            security.put_principal(Arc::new(fixed(PrincipalId(id), name, true)));
        }
        security
    }

    /// The principal with that security identifier.
    #[must_use]
    pub fn of_sid(&self, sid: &[u8]) -> Option<&Arc<ServerPrincipal>> {
        self.principals().find(|one| *one.sid == *sid)
    }
}

/// A principal that every server has.
fn fixed(id: PrincipalId, name: &str, is_role: bool) -> ServerPrincipal {
    ServerPrincipal {
        id,
        name: Arc::from(name),
        is_role,
        sid: Arc::from([id.0 as u8]),
        is_disabled: false,
        default_database: Arc::from("master"),
        default_language: Arc::from("us_english"),
        owner: is_role.then_some(PrincipalId::SA),
        password_hash: None,
        checks_policy: !is_role,
        checks_expiration: false,
        must_change: false,
        password_set_us: 0,
        created_us: 0,
        modified_us: 0,
    }
}
