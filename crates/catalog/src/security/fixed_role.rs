//! What fixed roles may do: permissions that stand in no row, because no statement can revoke them.
//!
//! Sources: "Permissions of fixed database roles" and "Permissions of fixed server roles". What a role may do beyond these (grant what it
//! does not have itself, as `db_securityadmin`) is asked where it is done.

use super::grants::GrantState;
use super::permission::{Of, Permission};
use super::principal::PrincipalId;

/// Role of a database, what of its database it was granted (`true`) or denied.
const DATABASE_ROLES: [(i32, bool, &[&str]); 9] = [
    (16_384, true, &["CONTROL"]),
    (16_385, true, &["ALTER ANY USER", "CREATE SCHEMA", "CONNECT"]),
    (16_386, true, &["ALTER ANY APPLICATION ROLE", "ALTER ANY ROLE", "CREATE SCHEMA", "VIEW DEFINITION"]),
    (
        16_387,
        true,
        &[
            "ALTER ANY ASSEMBLY",
            "ALTER ANY CERTIFICATE",
            "ALTER ANY CONTRACT",
            "ALTER ANY DATABASE DDL TRIGGER",
            "ALTER ANY DATABASE EVENT NOTIFICATION",
            "ALTER ANY DATASPACE",
            "ALTER ANY FULLTEXT CATALOG",
            "ALTER ANY MESSAGE TYPE",
            "ALTER ANY REMOTE SERVICE BINDING",
            "ALTER ANY ROUTE",
            "ALTER ANY SCHEMA",
            "ALTER ANY SERVICE",
            "ALTER ANY SYMMETRIC KEY",
            "CHECKPOINT",
            "CREATE AGGREGATE",
            "CREATE DEFAULT",
            "CREATE FUNCTION",
            "CREATE PROCEDURE",
            "CREATE QUEUE",
            "CREATE RULE",
            "CREATE SYNONYM",
            "CREATE TABLE",
            "CREATE TYPE",
            "CREATE VIEW",
            "CREATE XML SCHEMA COLLECTION",
            "REFERENCES",
        ],
    ),
    (16_389, true, &["BACKUP DATABASE", "BACKUP LOG", "CHECKPOINT"]),
    (16_390, true, &["SELECT"]),
    (16_391, true, &["INSERT", "UPDATE", "DELETE"]),
    (16_392, false, &["SELECT"]),
    (16_393, false, &["INSERT", "UPDATE", "DELETE"]),
];

/// Role of the server, what of the server it was granted.
const SERVER_ROLES: [(i32, &[&str]); 9] = [
    (2, &["VIEW ANY DATABASE"]),
    (3, &["CONTROL SERVER"]),
    (4, &["ALTER ANY LOGIN"]),
    (
        5,
        &[
            "ALTER ANY ENDPOINT",
            "ALTER RESOURCES",
            "ALTER SERVER STATE",
            "ALTER SETTINGS",
            "SHUTDOWN",
            "VIEW SERVER STATE",
        ],
    ),
    (6, &["ALTER ANY LINKED SERVER"]),
    (7, &["ALTER ANY CONNECTION", "ALTER SERVER STATE"]),
    (8, &["ALTER RESOURCES"]),
    (9, &["ALTER ANY DATABASE", "CREATE ANY DATABASE"]),
    (10, &["ADMINISTER BULK OPERATIONS"]),
];

/// What a fixed role says of a permission on its database or on the server.
pub(super) fn said(role: PrincipalId, permission: &Permission) -> Option<GrantState> {
    match permission.of {
        Of::Database => DATABASE_ROLES
            .iter()
            .find(|(id, _, names)| *id == role.0 && names.contains(&permission.name))
            .map(|(_, is_granted, _)| match is_granted {
                true => granted(permission),
                false => GrantState::Deny,
            }),
        Of::Server => SERVER_ROLES
            .iter()
            .find(|(id, names)| *id == role.0 && names.contains(&permission.name))
            .map(|_| granted(permission)),
        _ => None,
    }
}

/// What a role may do its members may not hand on, but for the three that are documented as granted with the option to.
fn granted(permission: &Permission) -> GrantState {
    match permission.name {
        "CONTROL" | "CONTROL SERVER" | "CONNECT" => GrantState::GrantWithOption,
        _ => GrantState::Grant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permission_of_a_role_is_one() {
        for name in DATABASE_ROLES.iter().flat_map(|(_, _, names)| names.iter()) {
            assert_eq!(Permission::known(Of::Database, name).name, *name);
        }
        for name in SERVER_ROLES.iter().flat_map(|(_, names)| names.iter()) {
            assert_eq!(Permission::known(Of::Server, name).name, *name);
        }
    }
}
