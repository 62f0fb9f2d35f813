//! Security of one database: its principals, who is a member of what, what was granted, who owns what.
//!
//! What always holds: names and numbers agree; a member of a role is there. It is part of one state of the definitions of
//! a database (`DatabaseObjects`), so a reader sees all of it as it was at one point in time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::grants::{Grant, GrantState, Grants, Securable};
use super::permission::{Of, Permission};
use super::principal::{
    Authentication, DatabasePrincipal, FIRST_DATABASE_PRINCIPAL, FIXED_DATABASE_PRINCIPALS, PrincipalId, Sid, UserKind,
};
use crate::name::name_key;

/// Security of one database.
#[derive(Clone, Debug)]
pub struct DatabaseSecurity {
    principals: BTreeMap<PrincipalId, Arc<DatabasePrincipal>>,
    names: HashMap<Vec<u8>, PrincipalId>,
    /// Role, member.
    members: BTreeSet<(PrincipalId, PrincipalId)>,
    grants: Grants,
    /// Owners by number of class and securable, where they are not those that follow from the rest.
    owners: HashMap<(i32, i32), PrincipalId>,
    /// Security identifier of the login that owns the database.
    owner_sid: Sid,
}

impl Default for DatabaseSecurity {
    fn default() -> Self {
        Self::new()
    }
}

impl DatabaseSecurity {
    /// That of a new database: the fixed principals, owned by `sa`.
    #[must_use]
    pub fn new() -> DatabaseSecurity {
        let mut security = DatabaseSecurity {
            principals: BTreeMap::new(),
            names: HashMap::new(),
            members: BTreeSet::from([(PrincipalId::DB_OWNER, PrincipalId::DBO)]),
            grants: Grants::default(),
            owners: HashMap::new(),
            owner_sid: Arc::from([1]),
        };
        for (id, name, kind, schema) in FIXED_DATABASE_PRINCIPALS {
            security.put_principal(Arc::new(DatabasePrincipal {
                id: PrincipalId(id),
                name: Arc::from(name),
                kind,
                sid: match PrincipalId(id) {
                    PrincipalId::DBO => Some(Arc::from([1])),
                    PrincipalId::GUEST => Some(Arc::from([0])),
                    _ => None,
                },
                default_schema: schema.map(Arc::from),
                owner: (kind == UserKind::Role).then_some(PrincipalId::DBO),
                authentication: match PrincipalId(id) {
                    PrincipalId::DBO => Authentication::Instance,
                    _ => Authentication::None,
                },
                password_hash: None,
                created_us: 0,
                modified_us: 0,
            }));
        }
        security.put_grant(Grant {
            on: Securable::DATABASE,
            grantee: PrincipalId::DBO,
            grantor: PrincipalId::DBO,
            permission: Permission::known(Of::Database, "CONNECT"),
            state: GrantState::Grant,
        });
        security
    }

    /// All principals, by their numbers.
    pub fn principals(&self) -> impl Iterator<Item = &Arc<DatabasePrincipal>> {
        self.principals.values()
    }

    /// The principal of that number.
    #[must_use]
    pub fn principal(&self, id: PrincipalId) -> Option<&Arc<DatabasePrincipal>> {
        self.principals.get(&id)
    }

    /// The principal of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arc<DatabasePrincipal>> {
        self.principals.get(self.names.get(&name_key(name))?)
    }

    /// The user with that security identifier, `dbo` for the owner of the database.
    #[must_use]
    pub fn of_sid(&self, sid: &[u8]) -> Option<&Arc<DatabasePrincipal>> {
        if *self.owner_sid == *sid {
            return self.principal(PrincipalId::DBO);
        }
        self.principals().find(|one| one.id != PrincipalId::DBO && one.sid.as_deref().is_some_and(|its| its == sid))
    }

    /// A number that no principal has.
    #[must_use]
    pub fn free_id(&self) -> PrincipalId {
        let free = |id: &i32| !self.principals.contains_key(&PrincipalId(*id));
        PrincipalId((FIRST_DATABASE_PRINCIPAL..i32::MAX).find(free).expect("fewer principals than numbers"))
    }

    /// Makes a principal, or puts it in the place of the one of its number.
    pub fn put_principal(&mut self, principal: Arc<DatabasePrincipal>) {
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
        let is_of_it = |on: &Securable| on.of.number() == Of::User.number() && on.major == id.0;
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
        all.insert(PrincipalId::PUBLIC);
        all
    }

    /// Whether a principal is in a role, by whatever way.
    #[must_use]
    pub fn is_member(&self, member: PrincipalId, role: PrincipalId) -> bool {
        role == PrincipalId::PUBLIC || (member != role && closure(&self.members, member).contains(&role))
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

    /// All owners that were said: number of class, number of the securable, owner.
    pub fn owners(&self) -> impl Iterator<Item = (i32, i32, PrincipalId)> {
        self.owners.iter().map(|((class, major), owner)| (*class, *major, *owner))
    }

    /// The owner that was said of a securable.
    #[must_use]
    pub fn said_owner(&self, of: Of, major: i32) -> Option<PrincipalId> {
        self.owners.get(&(of.number(), major)).copied()
    }

    /// Says who owns a securable; `None`: who follows from the rest.
    pub fn put_owner(&mut self, class: i32, major: i32, owner: Option<PrincipalId>) {
        match owner {
            Some(owner) => self.owners.insert((class, major), owner),
            None => self.owners.remove(&(class, major)),
        };
    }

    /// Owner of a schema.
    #[must_use]
    pub fn schema_owner(&self, schema: i32) -> PrincipalId {
        let said = self.said_owner(Of::Schema, schema);
        said.unwrap_or(PrincipalId(if PrincipalId(schema).is_fixed_role() || (1..=4).contains(&schema) {
            schema
        } else {
            1
        }))
    }

    /// Owner of an object in a schema.
    #[must_use]
    pub fn object_owner(&self, object: i32, schema: i32) -> PrincipalId {
        self.said_owner(Of::Object, object).unwrap_or_else(|| self.schema_owner(schema))
    }

    /// Security identifier of the login that owns the database.
    #[must_use]
    pub fn owner_sid(&self) -> &Sid {
        &self.owner_sid
    }

    /// Another login owns the database: it is `dbo` from now on.
    pub fn set_owner_sid(&mut self, sid: Sid) {
        if let Some(dbo) = self.principals.get(&PrincipalId::DBO) {
            let dbo = DatabasePrincipal { sid: Some(Arc::clone(&sid)), ..(**dbo).clone() };
            self.principals.insert(PrincipalId::DBO, Arc::new(dbo));
        }
        self.owner_sid = sid;
    }

    /// What an object that is gone leaves: grants and owners.
    pub fn forget(&mut self, of: Of, major: i32) {
        self.owners.remove(&(of.number(), major));
        self.grants.remove(|grant| grant.on.of.number() == of.number() && grant.on.major == major);
    }
}

/// Where memberships lead from one principal, itself too.
pub(super) fn closure(members: &BTreeSet<(PrincipalId, PrincipalId)>, of: PrincipalId) -> BTreeSet<PrincipalId> {
    let mut all = BTreeSet::from([of]);
    let mut left = vec![of];
    while let Some(next) = left.pop() {
        let roles = members.iter().filter(|(_, member)| *member == next).map(|(role, _)| *role);
        left.extend(roles.filter(|role| all.insert(*role)).collect::<Vec<_>>());
    }
    all
}
