//! What principals were granted and denied, and whether that lets somebody do something.
//!
//! ```text
//!   required permission on a securable
//!        │ all that cover it, on the securable and on what contains it
//!        ▼
//!   rows of any identity of the token ── a DENY among them ─▶ no
//!        │                            └─ else a GRANT ──────▶ yes ── neither ─▶ no
//!        ▼
//!   a column: its own rows decide first; a GRANT on a column stands against a DENY on its table
//! ```
//! What always holds: an answer depends on the token, the rows and the securable alone. Ownership, `sysadmin` and ownership
//! chains are the caller's business (`check`).

use std::collections::{BTreeSet, HashMap};

use super::permission::{Of, Permission};
use super::principal::PrincipalId;

/// What a row of `sys.database_permissions` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantState {
    /// GRANT
    Grant,
    /// GRANT … WITH GRANT OPTION
    GrantWithOption,
    /// DENY
    Deny,
}

impl GrantState {
    /// `sys.database_permissions.state` and `state_desc`.
    #[must_use]
    pub fn shown(self) -> (&'static str, &'static str) {
        match self {
            GrantState::Grant => ("G", "GRANT"),
            GrantState::GrantWithOption => ("W", "GRANT_WITH_GRANT_OPTION"),
            GrantState::Deny => ("D", "DENY"),
        }
    }

    /// Whether it gives a permission.
    #[must_use]
    pub fn allows(self) -> bool {
        self != GrantState::Deny
    }

    /// That of a letter.
    #[must_use]
    pub fn of_letter(letter: &str) -> Option<GrantState> {
        let all = [GrantState::Grant, GrantState::GrantWithOption, GrantState::Deny];
        all.into_iter().find(|state| state.shown().0 == letter)
    }
}

/// A thing that permissions are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Securable {
    /// Its class.
    pub of: Of,
    /// Its number; 0 for the database and the server.
    pub major: i32,
    /// Number of a column, or 0.
    pub minor: i32,
}

impl Securable {
    /// The database in which somebody is.
    pub const DATABASE: Securable = Securable { of: Of::Database, major: 0, minor: 0 };
    /// The server.
    pub const SERVER: Securable = Securable { of: Of::Server, major: 0, minor: 0 };

    /// A thing of a class.
    #[must_use]
    pub fn new(of: Of, major: i32) -> Securable {
        Securable { of, major, minor: 0 }
    }

    /// A table, view, module, sequence or synonym.
    #[must_use]
    pub fn object(id: i32) -> Securable {
        Securable::new(Of::Object, id)
    }

    /// A column of it.
    #[must_use]
    pub fn column(self, id: i32) -> Securable {
        Securable { minor: id, ..self }
    }
}

/// A granted or denied permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// On what.
    pub on: Securable,
    /// To whom.
    pub grantee: PrincipalId,
    /// By whom.
    pub grantor: PrincipalId,
    /// Which.
    pub permission: &'static Permission,
    /// Granted or denied.
    pub state: GrantState,
}

impl Grant {
    /// A permission of the current database that its owner grants.
    ///
    /// # Panics
    /// When there is no such permission.
    #[must_use]
    pub fn of_database(permission: &str, grantee: PrincipalId) -> Grant {
        let permission = Permission::known(Of::Database, permission);
        let state = GrantState::Grant;
        Grant { on: Securable::DATABASE, grantee, grantor: PrincipalId::DBO, permission, state }
    }

    /// A permission of the server that `sa` grants.
    ///
    /// # Panics
    /// When there is no such permission.
    #[must_use]
    pub fn of_server(permission: &str, grantee: PrincipalId) -> Grant {
        let permission = Permission::known(Of::Server, permission);
        let state = GrantState::Grant;
        Grant { on: Securable::SERVER, grantee, grantor: PrincipalId::SA, permission, state }
    }
}

/// A securable of no more grants is gone through; of more, those of each grantee are looked up.
const LISTED_MAX: usize = 8;

/// The grants on a securable.
#[derive(Clone, Debug, Default)]
struct OfSecurable {
    grants: Vec<Grant>,
    /// Places of each grantee's; nothing while there are no more than [`LISTED_MAX`].
    of_grantee: HashMap<PrincipalId, Vec<usize>>,
}

impl OfSecurable {
    /// Those of a grantee, and maybe others.
    fn near(&self, grantee: PrincipalId) -> impl Iterator<Item = (usize, &Grant)> {
        let all = if self.of_grantee.is_empty() { 0..self.grants.len() } else { 0..0 };
        let its = self.of_grantee.get(&grantee).into_iter().flatten().copied();
        all.chain(its).map(|place| (place, &self.grants[place]))
    }

    fn put(&mut self, grant: Grant) {
        let known = self.near(grant.grantee).find(|(_, known)| is_same(known, &grant)).map(|(place, _)| place);
        if let Some(place) = known {
            self.grants[place] = grant;
            return;
        }
        self.grants.push(grant);
        match self.of_grantee.is_empty() {
            true => self.index(),
            false => self.of_grantee.entry(grant.grantee).or_default().push(self.grants.len() - 1),
        }
    }

    fn remove(&mut self, is_gone: impl Fn(&Grant) -> bool) {
        let before = self.grants.len();
        self.grants.retain(|grant| !is_gone(grant));
        if self.grants.len() < before {
            self.index();
        }
    }

    fn index(&mut self) {
        self.of_grantee.clear();
        if self.grants.len() > LISTED_MAX {
            for (place, grant) in self.grants.iter().enumerate() {
                self.of_grantee.entry(grant.grantee).or_default().push(place);
            }
        }
    }
}

/// All grants of a database, or of the server.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    by_securable: HashMap<(i32, i32), OfSecurable>,
}

impl Grants {
    /// All, those of one securable beside each other.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.by_securable.values().flat_map(|of_securable| &of_securable.grants)
    }

    /// Those on a securable, its columns' too.
    pub fn on(&self, of: Of, major: i32) -> impl Iterator<Item = &Grant> + Clone {
        self.by_securable.get(&(of.number(), major)).into_iter().flat_map(|of_securable| &of_securable.grants)
    }

    /// Puts a grant in the place of that of the same securable, permission, grantee and grantor.
    pub fn put(&mut self, grant: Grant) {
        self.by_securable.entry((grant.on.of.number(), grant.on.major)).or_default().put(grant);
    }

    /// Removes the grants for which `is_gone` says so.
    pub fn remove(&mut self, is_gone: impl Fn(&Grant) -> bool) {
        self.by_securable.values_mut().for_each(|of_securable| of_securable.remove(&is_gone));
        self.by_securable.retain(|_, of_securable| !of_securable.grants.is_empty());
    }

    /// What was said of a permission to any of these identities, on the securable alone: a DENY before a GRANT.
    #[must_use]
    pub fn said(
        &self,
        identities: &BTreeSet<PrincipalId>,
        on: Securable,
        permission: &Permission,
    ) -> Option<GrantState> {
        let of_securable = self.by_securable.get(&(on.of.number(), on.major))?;
        let of_identity = |identity: &PrincipalId| {
            let identity = *identity;
            let near = of_securable.near(identity).map(|(_, grant)| grant);
            near.filter(move |grant| {
                grant.grantee == identity && grant.on.minor == on.minor && std::ptr::eq(grant.permission, permission)
            })
        };
        strongest(identities.iter().flat_map(of_identity).map(|grant| grant.state))
    }
}

pub(crate) fn is_same(one: &Grant, other: &Grant) -> bool {
    (one.on, one.grantee, one.grantor) == (other.on, other.grantee, other.grantor)
        && std::ptr::eq(one.permission, other.permission)
}

/// A DENY before a GRANT with the option before a GRANT.
pub(super) fn strongest(states: impl Iterator<Item = GrantState>) -> Option<GrantState> {
    states.max_by_key(|state| match state {
        GrantState::Grant => 0,
        GrantState::GrantWithOption => 1,
        GrantState::Deny => 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many grants on one securable are found, replaced and removed as few are.
    #[test]
    fn many_grants_on_a_securable_are_as_few() {
        let permission = |name: &str| Permission::known(Of::Database, name);
        let (select, insert) = (permission("SELECT"), permission("INSERT"));
        let grant = |grantee: i32, permission: &'static Permission, state: GrantState| {
            let (grantee, grantor) = (PrincipalId(grantee), PrincipalId::DBO);
            Grant { on: Securable::DATABASE, grantee, grantor, permission, state }
        };
        let mut grants = Grants::default();
        for count in 1..=3 * LISTED_MAX as i32 {
            grants.put(grant(100 + count, select, GrantState::Grant));
            grants.put(grant(100 + count, insert, GrantState::GrantWithOption));
            // The same again takes the place of the first.
            grants.put(grant(101, select, if count % 2 == 0 { GrantState::Grant } else { GrantState::Deny }));
            assert_eq!(grants.iter().count(), 2 * count as usize);
            let said = |grantees: &[i32], permission: &'static Permission| {
                let identities = grantees.iter().map(|id| PrincipalId(*id)).collect();
                grants.said(&identities, Securable::DATABASE, permission)
            };
            let expected = if count % 2 == 0 { GrantState::Grant } else { GrantState::Deny };
            assert_eq!(said(&[101], select), Some(expected));
            assert_eq!(said(&[100 + count, 7], insert), Some(GrantState::GrantWithOption));
            assert_eq!(said(&[100], select), None);
            assert_eq!(said(&[101 + count], select), None);
        }
        grants.remove(|grant| grant.grantee.0 % 2 == 0 || std::ptr::eq(grant.permission, insert));
        assert_eq!(grants.iter().count(), 3 * LISTED_MAX / 2);
        let said = |id: i32| grants.said(&BTreeSet::from([PrincipalId(id)]), Securable::DATABASE, select);
        assert_eq!((said(102), said(103)), (None, Some(GrantState::Grant)));
        grants.remove(|_| true);
        assert_eq!(grants.iter().count(), 0);
    }
}
