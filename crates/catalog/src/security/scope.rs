//! What the security of the server and that of a database have in common: principals, who is a member of what, what was granted.
//!
//! What always holds: names and numbers agree; every principal is in the scope's `public`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

use super::grants::{Grant, Grants};
use super::permission::Of;
use super::principal::PrincipalId;
use crate::name::name_key;

/// A principal of the server or of a database.
pub trait Principal {
    /// Role `public` of the scope.
    const PUBLIC: PrincipalId;
    /// First number of those that are made.
    const FIRST: i32;
    /// A class whose number ([`Of::number`]) all classes of such principals share.
    const CLASS: Of;
    /// What the scope has beside its principals and grants.
    type Rest: Clone + Debug;

    /// Number.
    fn id(&self) -> PrincipalId;
    /// Name.
    fn name(&self) -> &str;
}

/// Security of the server or of one database.
#[derive(Clone, Debug)]
pub struct Security<P: Principal> {
    principals: BTreeMap<PrincipalId, Arc<P>>,
    names: HashMap<Vec<u8>, PrincipalId>,
    /// Role, member.
    members: BTreeSet<(PrincipalId, PrincipalId)>,
    grants: Grants,
    pub(super) rest: P::Rest,
}

impl<P: Principal> Security<P> {
    /// Without principals.
    pub(super) fn empty(rest: P::Rest) -> Security<P> {
        Security {
            principals: BTreeMap::new(),
            names: HashMap::new(),
            members: BTreeSet::new(),
            grants: Grants::default(),
            rest,
        }
    }

    /// All principals, by their numbers.
    pub fn principals(&self) -> impl Iterator<Item = &Arc<P>> {
        self.principals.values()
    }

    /// The principal of that number.
    #[must_use]
    pub fn principal(&self, id: PrincipalId) -> Option<&Arc<P>> {
        self.principals.get(&id)
    }

    /// The principal of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arc<P>> {
        self.principals.get(self.names.get(&name_key(name))?)
    }

    /// A number that no principal has.
    #[must_use]
    pub fn free_id(&self) -> PrincipalId {
        let free = |id: &i32| !self.principals.contains_key(&PrincipalId(*id));
        PrincipalId((P::FIRST..i32::MAX).find(free).expect("fewer principals than numbers"))
    }

    /// Makes a principal, or puts it in the place of the one of its number.
    pub fn put_principal(&mut self, principal: Arc<P>) {
        let id = principal.id();
        if let Some(old) = self.principals.get(&id) {
            self.names.remove(&name_key(old.name()));
        }
        self.names.insert(name_key(principal.name()), id);
        self.principals.insert(id, principal);
    }

    /// Removes a principal with its memberships and all that was granted to it or on it.
    pub fn remove_principal(&mut self, id: PrincipalId) {
        if let Some(old) = self.principals.remove(&id) {
            self.names.remove(&name_key(old.name()));
        }
        self.members.retain(|(role, member)| *role != id && *member != id);
        let is_on_it = |grant: &Grant| grant.on.of.number() == P::CLASS.number() && grant.on.major == id.0;
        self.grants.remove(|grant| grant.grantee == id || is_on_it(grant));
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
        let mut all = BTreeSet::from([of]);
        let mut left = vec![of];
        while let Some(next) = left.pop() {
            let roles = self.members.iter().filter(|(_, member)| *member == next).map(|(role, _)| *role);
            left.extend(roles.filter(|role| all.insert(*role)).collect::<Vec<_>>());
        }
        all.insert(P::PUBLIC);
        all
    }

    /// Whether a principal is in a role, by whatever way.
    #[must_use]
    pub fn is_member(&self, member: PrincipalId, role: PrincipalId) -> bool {
        role == P::PUBLIC || member != role && self.identities(member).contains(&role)
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
