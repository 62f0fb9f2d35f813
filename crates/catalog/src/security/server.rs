//! Security of the server: logins, roles, who is a member of what, what was granted. Its rows are in master.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::database::closure;
use super::grants::{Grant, Grants, Securable};
use super::permission::Of;
use super::principal::{FIRST_SERVER_PRINCIPAL, FIXED_SERVER_ROLES, PrincipalId, ServerPrincipal};
use crate::name::name_key;

/// Security of the server.
#[derive(Clone, Debug)]
pub struct ServerSecurity {
    principals: BTreeMap<PrincipalId, Arc<ServerPrincipal>>,
    names: HashMap<Vec<u8>, PrincipalId>,
    /// Role, member.
    members: BTreeSet<(PrincipalId, PrincipalId)>,
    grants: Grants,
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
        let mut security = ServerSecurity {
            principals: BTreeMap::new(),
            names: HashMap::new(),
            members: BTreeSet::from([(PrincipalId::SYSADMIN, PrincipalId::SA)]),
            grants: Grants::default(),
        };
        security.put_principal(Arc::new(fixed(PrincipalId::SA, "sa", false)));
        for (id, name) in FIXED_SERVER_ROLES {
            security.put_principal(Arc::new(fixed(PrincipalId(id), name, true)));
        }
        security
    }

    /// All principals, by their numbers.
    pub fn principals(&self) -> impl Iterator<Item = &Arc<ServerPrincipal>> {
        self.principals.values()
    }

    /// The principal of that number.
    #[must_use]
    pub fn principal(&self, id: PrincipalId) -> Option<&Arc<ServerPrincipal>> {
        self.principals.get(&id)
    }

    /// The principal of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arc<ServerPrincipal>> {
        self.principals.get(self.names.get(&name_key(name))?)
    }

    /// The principal with that security identifier.
    #[must_use]
    pub fn of_sid(&self, sid: &[u8]) -> Option<&Arc<ServerPrincipal>> {
        self.principals().find(|one| *one.sid == *sid)
    }

    /// A number that no principal has.
    #[must_use]
    pub fn free_id(&self) -> PrincipalId {
        let free = |id: &i32| !self.principals.contains_key(&PrincipalId(*id));
        PrincipalId((FIRST_SERVER_PRINCIPAL..i32::MAX).find(free).expect("fewer principals than numbers"))
    }

    /// Makes a principal, or puts it in the place of the one of its number.
    pub fn put_principal(&mut self, principal: Arc<ServerPrincipal>) {
        if let Some(old) = self.principals.get(&principal.id) {
            self.names.remove(&name_key(&old.name));
        }
        self.names.insert(name_key(&principal.name), principal.id);
        self.principals.insert(principal.id, principal);
    }

    /// Removes a principal with its memberships and all that was granted to it.
    pub fn remove_principal(&mut self, id: PrincipalId) {
        if let Some(old) = self.principals.remove(&id) {
            self.names.remove(&name_key(&old.name));
        }
        self.members.retain(|(role, member)| *role != id && *member != id);
        let is_of_it = |on: &Securable| on.of.number() == Of::Login.number() && on.major == id.0;
        self.grants.remove(|grant| grant.grantee == id || is_of_it(&grant.on));
    }

    /// All memberships: role, member.
    pub fn members(&self) -> impl Iterator<Item = (PrincipalId, PrincipalId)> {
        self.members.iter().copied()
    }

    /// Makes a principal a member of a role.
    pub fn put_member(&mut self, role: PrincipalId, member: PrincipalId) {
        self.members.insert((role, member));
    }

    /// Ends a membership.
    pub fn remove_member(&mut self, role: PrincipalId, member: PrincipalId) {
        self.members.remove(&(role, member));
    }

    /// The principal itself, `public`, and every role that it is in, by whatever way.
    #[must_use]
    pub fn identities(&self, of: PrincipalId) -> BTreeSet<PrincipalId> {
        let mut all = closure(&self.members, of);
        all.insert(PrincipalId::SERVER_PUBLIC);
        all
    }

    /// Whether a principal is in a role, by whatever way.
    #[must_use]
    pub fn is_member(&self, member: PrincipalId, role: PrincipalId) -> bool {
        role == PrincipalId::SERVER_PUBLIC || (member != role && closure(&self.members, member).contains(&role))
    }

    /// What was granted.
    #[must_use]
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// Grants or denies.
    pub fn put_grant(&mut self, grant: Grant) {
        self.grants.put(grant);
    }

    /// Removes the grants for which `is_gone` says so.
    pub fn remove_grants(&mut self, is_gone: impl Fn(&Grant) -> bool) {
        self.grants.remove(is_gone);
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
