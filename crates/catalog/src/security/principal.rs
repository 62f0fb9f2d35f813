//! Who can be named: logins and roles of the server, users and roles of a database.
//!
//! What always holds: fixed principals have the numbers and security identifiers that they have in SQL Server; numbers of others
//! are given from [`FIRST_DATABASE_PRINCIPAL`] and [`FIRST_SERVER_PRINCIPAL`], and none twice while its rows are there.
//!
//! It knows no passwords but as hashes, and not what anybody may do (`grants`).

use std::sync::Arc;

use super::permission::Of;

/// Number of a principal: of the server (`sys.server_principals`) or of a database (`sys.database_principals`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrincipalId(pub i32);

impl PrincipalId {
    /// Login `sa`.
    pub const SA: PrincipalId = PrincipalId(1);
    /// Role `public` of the server.
    pub const SERVER_PUBLIC: PrincipalId = PrincipalId(2);
    /// Role `sysadmin`.
    pub const SYSADMIN: PrincipalId = PrincipalId(3);
    /// The server role of those who make databases.
    pub const DBCREATOR: PrincipalId = PrincipalId(9);
    /// Role `securityadmin`.
    pub const SECURITY_ADMIN: PrincipalId = PrincipalId(4);
    /// The server role serveradmin.
    pub const SERVER_ADMIN: PrincipalId = PrincipalId(5);
    /// Role `public` of a database.
    pub const PUBLIC: PrincipalId = PrincipalId(0);
    /// User `dbo`.
    pub const DBO: PrincipalId = PrincipalId(1);
    /// User `guest`.
    pub const GUEST: PrincipalId = PrincipalId(2);
    /// User `INFORMATION_SCHEMA`.
    pub const INFORMATION_SCHEMA: PrincipalId = PrincipalId(3);
    /// User `sys`.
    pub const SYS: PrincipalId = PrincipalId(4);
    /// Role `db_owner`.
    pub const DB_OWNER: PrincipalId = PrincipalId(16_384);
    /// Role `db_securityadmin`.
    pub const DB_SECURITY_ADMIN: PrincipalId = PrincipalId(16_386);

    /// Whether it is a role that every database has, but for `public`.
    #[must_use]
    pub fn is_fixed_role(self) -> bool {
        (16_384..16_400).contains(&self.0)
    }

    /// Whether it is one of [`MSDB_ROLES`], in msdb.
    #[must_use]
    pub fn is_msdb_role(self) -> bool {
        MSDB_ROLES.iter().any(|(id, ..)| *id == self.0)
    }

    /// Whether it is a role that every server has, but for `public`.
    #[must_use]
    pub fn is_fixed_server_role(self) -> bool {
        (3..=10).contains(&self.0)
    }
}

/// First number of users and roles that are made in a database.
pub const FIRST_DATABASE_PRINCIPAL: i32 = 5;
/// First number of logins and roles that are made on the server.
pub const FIRST_SERVER_PRINCIPAL: i32 = 257;

/// A security identifier: 16 bytes for logins, 1 for `sa`.
pub type Sid = Arc<[u8]>;

/// Kinds of principals of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserKind {
    /// For a login, without one, or with a password of its own.
    User,
    /// Role
    Role,
    /// Application role
    ApplicationRole,
}

impl UserKind {
    /// `sys.database_principals.type`
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            UserKind::User => "S",
            UserKind::Role => "R",
            UserKind::ApplicationRole => "A",
        }
    }

    /// That of a letter.
    #[must_use]
    pub fn of_letter(letter: &str) -> Option<UserKind> {
        [UserKind::User, UserKind::Role, UserKind::ApplicationRole].into_iter().find(|kind| kind.letter() == letter)
    }

    /// The class of securables that such principals are.
    #[must_use]
    pub fn class(self) -> Of {
        match self {
            UserKind::User => Of::User,
            UserKind::Role => Of::Role,
            UserKind::ApplicationRole => Of::ApplicationRole,
        }
    }

    /// `sys.database_principals.type_desc`
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            UserKind::User => "SQL_USER",
            UserKind::Role => "DATABASE_ROLE",
            UserKind::ApplicationRole => "APPLICATION_ROLE",
        }
    }
}

/// How a user proves who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authentication {
    /// Not at all: WITHOUT LOGIN, roles.
    None,
    /// By its login.
    Instance,
    /// By a password of its own.
    Database,
}

impl Authentication {
    /// `sys.database_principals.authentication_type` and its description.
    #[must_use]
    pub fn shown(self) -> (i32, &'static str) {
        match self {
            Authentication::None => (0, "NONE"),
            Authentication::Instance => (1, "INSTANCE"),
            Authentication::Database => (2, "DATABASE"),
        }
    }

    /// That of a number.
    #[must_use]
    pub fn of_number(number: i32) -> Option<Authentication> {
        let all = [Authentication::None, Authentication::Instance, Authentication::Database];
        all.into_iter().find(|one| one.shown().0 == number)
    }
}

/// A user or role of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabasePrincipal {
    /// Number.
    pub id: PrincipalId,
    /// Name.
    pub name: Arc<str>,
    /// Kind.
    pub kind: UserKind,
    /// Security identifier: that of its login, or one of its own.
    pub sid: Option<Sid>,
    /// DEFAULT_SCHEMA, which need not be there; none of roles.
    pub default_schema: Option<Arc<str>>,
    /// DEFAULT_LANGUAGE of a user with a password.
    pub default_language: Option<Arc<str>>,
    /// AUTHORIZATION of roles.
    pub owner: Option<PrincipalId>,
    /// How it proves who it is.
    pub authentication: Authentication,
    /// Hash of the password of a contained user or an application role.
    pub password_hash: Option<Arc<str>>,
    /// Local time, microseconds since 1970.
    pub created_us: i64,
    /// Likewise.
    pub modified_us: i64,
}

/// A login or role of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerPrincipal {
    /// Number.
    pub id: PrincipalId,
    /// Name.
    pub name: Arc<str>,
    /// Whether it is a role.
    pub is_role: bool,
    /// Security identifier.
    pub sid: Sid,
    /// DISABLE
    pub is_disabled: bool,
    /// DEFAULT_DATABASE, which need not be there.
    pub default_database: Arc<str>,
    /// DEFAULT_LANGUAGE
    pub default_language: Arc<str>,
    /// AUTHORIZATION of roles.
    pub owner: Option<PrincipalId>,
    /// Hash of the password; none of roles and of `sa`, whose password is the server's configuration until ALTER LOGIN changes it.
    pub password_hash: Option<Arc<str>>,
    /// CHECK_POLICY
    pub checks_policy: bool,
    /// CHECK_EXPIRATION
    pub checks_expiration: bool,
    /// MUST_CHANGE: the next login has to change the password.
    pub must_change: bool,
    /// When the password was set, local time, microseconds since 1970.
    pub password_set_us: i64,
    /// Local time, microseconds since 1970.
    pub created_us: i64,
    /// Likewise.
    pub modified_us: i64,
}

/// Users and roles that every database has: number, name, kind, default schema.
pub const FIXED_DATABASE_PRINCIPALS: [(i32, &str, UserKind, Option<&str>); 14] = [
    (0, "public", UserKind::Role, None),
    (1, "dbo", UserKind::User, Some("dbo")),
    (2, "guest", UserKind::User, Some("guest")),
    (3, "INFORMATION_SCHEMA", UserKind::User, None),
    (4, "sys", UserKind::User, None),
    (16_384, "db_owner", UserKind::Role, None),
    (16_385, "db_accessadmin", UserKind::Role, None),
    (16_386, "db_securityadmin", UserKind::Role, None),
    (16_387, "db_ddladmin", UserKind::Role, None),
    (16_389, "db_backupoperator", UserKind::Role, None),
    (16_390, "db_datareader", UserKind::Role, None),
    (16_391, "db_datawriter", UserKind::Role, None),
    (16_392, "db_denydatareader", UserKind::Role, None),
    (16_393, "db_denydatawriter", UserKind::Role, None),
];

/// Roles that msdb has from the first: number, name, and the role that it is a member of.
pub const MSDB_ROLES: [(i32, &str, Option<&str>); 4] = [
    (16_400, "SQLAgentUserRole", None),
    (16_401, "SQLAgentReaderRole", Some("SQLAgentUserRole")),
    (16_402, "SQLAgentOperatorRole", Some("SQLAgentReaderRole")),
    (16_403, "DatabaseMailUserRole", None),
];

/// Roles that every server has, with their numbers.
pub const FIXED_SERVER_ROLES: [(i32, &str); 9] = [
    (2, "public"),
    (3, "sysadmin"),
    (4, "securityadmin"),
    (5, "serveradmin"),
    (6, "setupadmin"),
    (7, "processadmin"),
    (8, "diskadmin"),
    (9, "dbcreator"),
    (10, "bulkadmin"),
];

/// The roles that every database has but `public`: each owns a schema of its name.
pub fn fixed_roles() -> impl Iterator<Item = (&'static str, i32)> {
    let all = FIXED_DATABASE_PRINCIPALS.into_iter();
    all.filter(|(id, ..)| PrincipalId(*id).is_fixed_role()).map(|(id, name, ..)| (name, id))
}
