//! What msdb has from the first and no row says: its roles, the server's own procedures, and that the roles may execute them.
//!
//! What always holds: it is there whenever the definitions are, whatever was rolled back; it is not changed by statements
//! ([`check_kept`]), while what is granted, denied or said of it beside that are rows like those of any object. A row of the
//! same name goes before it.
//!
//! It does not know what the procedures do.

use std::sync::Arc;

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;

use super::Dictionary;
use crate::security::{
    Authentication, DatabasePrincipal, DatabaseSecurity, Grant, GrantState, MSDB_ROLES, Of, Permission, PrincipalId,
    Securable, UserKind, is_same,
};
use crate::{CatalogObject, ModuleDef, ObjectId};

/// A procedure of a database that came with the server, and the role whose members may execute it.
#[derive(Clone, Debug)]
pub struct ShippedModule {
    /// Its definition.
    pub def: Arc<ModuleDef>,
    /// The name of the role.
    pub role: &'static str,
}

/// All such procedures of a database.
pub type ShippedModules = fn(DbId) -> Vec<ShippedModule>;

/// The definition of one that came with the server, where no row took its name.
pub(super) fn definition(dictionary: &Dictionary, id: ObjectId) -> Option<CatalogObject> {
    let modules = if id.is_server_text() { (dictionary.shipped)(dictionary.database()) } else { Vec::new() };
    modules.into_iter().find(|module| module.def.id == id).map(|module| CatalogObject::Module(module.def))
}

/// Puts the procedures among the definitions that the rows made.
pub(super) fn put(dictionary: &Dictionary) {
    let modules = (dictionary.shipped)(dictionary.database());
    if modules.is_empty() {
        return;
    }
    dictionary.catalog.change(|objects| {
        for module in modules {
            if objects.find(module.def.schema.id, &module.def.name).is_none() {
                objects.put(CatalogObject::Module(module.def));
            }
        }
    });
}

/// Puts the roles, and what they may execute, beside the principals and members of the rows; rows of permissions come after it.
pub(super) fn put_security(dictionary: &Dictionary, security: &mut DatabaseSecurity) {
    if dictionary.database() != DbId::MSDB {
        return;
    }
    let mut made = Vec::new();
    for (id, name, _) in MSDB_ROLES {
        if security.named(name).is_none() {
            security.put_principal(Arc::new(role(id, name)));
            made.push(name);
        }
    }
    let id_of = |security: &DatabaseSecurity, name: &str| security.named(name).map(|role| role.id);
    for (_, name, of) in MSDB_ROLES.into_iter().filter(|(_, name, _)| made.contains(name)) {
        if let (Some(of), Some(member)) = (of.and_then(|of| id_of(security, of)), id_of(security, name)) {
            security.put_member(of, member);
        }
    }
    for grant in grants(dictionary, security) {
        security.put_grant(grant);
    }
}

/// Whether a grant is one that no row says.
#[must_use]
pub fn is_shipped_grant(dictionary: &Dictionary, security: &DatabaseSecurity, grant: &Grant) -> bool {
    ObjectId(grant.on.major).is_server_text() && grants(dictionary, security).any(|shipped| is_same(&shipped, grant))
}

fn grants(dictionary: &Dictionary, security: &DatabaseSecurity) -> impl Iterator<Item = Grant> + use<> {
    let roles: Vec<_> = MSDB_ROLES.iter().filter_map(|(_, name, _)| Some((*name, security.named(name)?.id))).collect();
    (dictionary.shipped)(dictionary.database()).into_iter().filter_map(move |module| {
        let (_, grantee) = roles.iter().find(|(name, _)| *name == module.role)?;
        Some(Grant {
            on: Securable::object(module.def.id.0),
            grantee: *grantee,
            grantor: PrincipalId::DBO,
            permission: Permission::known(Of::Object, "EXECUTE"),
            state: GrantState::Grant,
        })
    })
}

/// Refuses a change of what came with the server, which has no row to be changed.
pub(super) fn check_kept(id: ObjectId) -> SqlResult<()> {
    if id.is_server_text() { Err(message::missing("A change of a procedure that msdb came with")) } else { Ok(()) }
}

fn role(id: i32, name: &str) -> DatabasePrincipal {
    DatabasePrincipal {
        id: PrincipalId(id),
        name: Arc::from(name),
        kind: UserKind::Role,
        sid: None,
        default_schema: None,
        default_language: None,
        owner: Some(PrincipalId::DBO),
        authentication: Authentication::None,
        password_hash: None,
        created_us: 0,
        modified_us: 0,
    }
}
