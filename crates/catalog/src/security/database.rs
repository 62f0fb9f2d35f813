//! Security of one database: its principals, who is a member of what, what was granted, who owns what.
//!
//! What always holds: names and numbers agree; a member of a role is there. It is part of one state of the definitions of
//! a database (`DatabaseObjects`), so a reader sees all of it as it was at one point in time.

use std::collections::HashMap;
use std::sync::Arc;

use super::grants::Grant;
use super::permission::Of;
use super::principal::{
    Authentication, DatabasePrincipal, FIRST_DATABASE_PRINCIPAL, FIXED_DATABASE_PRINCIPALS, PrincipalId, Sid, UserKind,
};
use super::scope::{Principal, Security};

/// Security of one database.
pub type DatabaseSecurity = Security<DatabasePrincipal>;

/// Who owns what.
#[derive(Clone, Debug)]
pub struct Owners {
    /// Owners by number of class and securable, where they are not those that follow from the rest.
    said: HashMap<(i32, i32), PrincipalId>,
    /// Security identifier of the login that owns the database.
    database_sid: Sid,
}

impl Principal for DatabasePrincipal {
    const PUBLIC: PrincipalId = PrincipalId::PUBLIC;
    const FIRST: i32 = FIRST_DATABASE_PRINCIPAL;
    const CLASS: Of = Of::User;
    type Rest = Owners;

    fn id(&self) -> PrincipalId {
        self.id
    }

    fn name(&self) -> &str {
        &self.name
    }
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
        let mut security = Security::empty(Owners { said: HashMap::new(), database_sid: Arc::from([1]) });
        security.put_member(PrincipalId::DB_OWNER, PrincipalId::DBO);
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
                default_language: None,
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
        security.put_grant(Grant::of_database("CONNECT", PrincipalId::DBO));
        security
    }

    /// The user with that security identifier, `dbo` for the owner of the database.
    #[must_use]
    pub fn of_sid(&self, sid: &[u8]) -> Option<&Arc<DatabasePrincipal>> {
        if *self.rest.database_sid == *sid {
            return self.principal(PrincipalId::DBO);
        }
        self.principals().find(|one| one.id != PrincipalId::DBO && one.sid.as_deref().is_some_and(|its| its == sid))
    }

    /// All owners that were said: number of class, number of the securable, owner.
    pub fn owners(&self) -> impl Iterator<Item = (i32, i32, PrincipalId)> {
        self.rest.said.iter().map(|((class, major), owner)| (*class, *major, *owner))
    }

    /// The owner that was said of a securable.
    #[must_use]
    pub fn said_owner(&self, of: Of, major: i32) -> Option<PrincipalId> {
        self.rest.said.get(&(of.number(), major)).copied()
    }

    /// Says who owns a securable; `None`: who follows from the rest.
    pub fn put_owner(&mut self, class: i32, major: i32, owner: Option<PrincipalId>) {
        match owner {
            Some(owner) => self.rest.said.insert((class, major), owner),
            None => self.rest.said.remove(&(class, major)),
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
        &self.rest.database_sid
    }

    /// Another login owns the database: it is `dbo` from now on.
    pub fn set_owner_sid(&mut self, sid: Sid) {
        if let Some(dbo) = self.principal(PrincipalId::DBO) {
            let dbo = DatabasePrincipal { sid: Some(Arc::clone(&sid)), ..(**dbo).clone() };
            self.put_principal(Arc::new(dbo));
        }
        self.rest.database_sid = sid;
    }

    /// What an object that is gone leaves: grants and owners.
    pub fn forget(&mut self, of: Of, major: i32) {
        self.rest.said.remove(&(of.number(), major));
        self.remove_grants(|grant| grant.on.of.number() == of.number() && grant.on.major == major);
    }
}
