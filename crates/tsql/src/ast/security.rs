//! Principals and permissions.

use super::dml::ExecuteContext;
use super::name::{Ident, ObjectName};
use super::query::Expr;

/// `CREATE|ALTER USER|LOGIN|ROLE name …`
#[derive(Clone, Debug)]
pub struct Principal {
    /// ALTER
    pub alter: bool,
    /// Kind.
    pub kind: PrincipalKind,
    /// Name; CURRENT of ALTER USER too.
    pub name: Ident,
    /// What is said of it.
    pub change: PrincipalChange,
    /// The words after the name as written.
    pub clauses: String,
}

/// What CREATE and ALTER say of a principal.
#[derive(Clone, Debug)]
pub enum PrincipalChange {
    /// Where it comes from, and WITH.
    Options {
        /// FOR LOGIN, WITHOUT LOGIN, FROM WINDOWS, …
        source: Option<PrincipalSource>,
        /// AUTHORIZATION
        owner: Option<Ident>,
        /// WITH
        options: Vec<PrincipalOption>,
    },
    /// ADD MEMBER
    AddMember(Ident),
    /// DROP MEMBER
    DropMember(Ident),
    /// ENABLE
    Enable,
    /// DISABLE
    Disable,
    /// ADD CREDENTIAL, DROP CREDENTIAL
    Credential,
}

/// Where a principal comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrincipalSource {
    /// `FOR LOGIN name`
    Login(Ident),
    /// WITHOUT LOGIN
    WithoutLogin,
    /// What there is no other than by name: `WINDOWS`, `CERTIFICATE`, `ASYMMETRIC KEY`, `EXTERNAL PROVIDER`
    Absent(&'static str),
}

/// An item of WITH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrincipalOption {
    /// PASSWORD, with the words after it
    Password {
        /// The password, or its hash.
        value: PasswordValue,
        /// MUST_CHANGE
        must_change: bool,
        /// UNLOCK
        unlock: bool,
    },
    /// OLD_PASSWORD
    OldPassword(String),
    /// SID
    Sid(Vec<u8>),
    /// DEFAULT_DATABASE
    DefaultDatabase(Ident),
    /// DEFAULT_LANGUAGE; none for NONE
    DefaultLanguage(Option<Ident>),
    /// CHECK_POLICY
    CheckPolicy(bool),
    /// CHECK_EXPIRATION
    CheckExpiration(bool),
    /// NAME
    Name(Ident),
    /// DEFAULT_SCHEMA; none for NULL
    DefaultSchema(Option<Ident>),
    /// LOGIN
    Login(Ident),
    /// CREDENTIAL, NO CREDENTIAL
    Credential,
    /// ALLOW_ENCRYPTED_VALUE_MODIFICATIONS
    AllowEncryptedValueModifications(bool),
}

/// A password as it is given.
#[derive(Clone, PartialEq, Eq)]
pub enum PasswordValue {
    /// In the clear.
    Text(String),
    /// `0x… HASHED`
    Hash(Vec<u8>),
}

impl std::fmt::Debug for PasswordValue {
    /// A password stands in no log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PasswordValue::Text(_) => "Text(…)",
            PasswordValue::Hash(_) => "Hash(…)",
        })
    }
}

/// Kinds of principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrincipalKind {
    /// USER
    User,
    /// LOGIN
    Login,
    /// ROLE
    Role,
    /// SERVER ROLE
    ServerRole,
    /// APPLICATION ROLE
    ApplicationRole,
}

/// GRANT, DENY, REVOKE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionVerb {
    /// GRANT
    Grant,
    /// DENY
    Deny,
    /// REVOKE
    Revoke,
}

/// `GRANT|DENY|REVOKE permission, … [ON object] TO|FROM principal, … …`
#[derive(Clone, Debug)]
pub struct Permission {
    /// Which.
    pub verb: PermissionVerb,
    /// `REVOKE GRANT OPTION FOR`, `WITH GRANT OPTION`
    pub grant_option: bool,
    /// Permissions.
    pub permissions: Vec<PermissionItem>,
    /// ON
    pub securable: Option<Securable>,
    /// TO, FROM; `public` too.
    pub principals: Vec<Ident>,
    /// CASCADE
    pub cascade: bool,
    /// AS
    pub grantor: Option<Ident>,
}

/// One permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionItem {
    /// Upper-case words: `SELECT`, `VIEW SERVER STATE`, `ALL PRIVILEGES`.
    pub words: String,
    /// Columns; empty = all.
    pub columns: Vec<Ident>,
}

/// `[class ::] name [(columns)]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Securable {
    /// Upper-case words before `::`: `OBJECT`, `SCHEMA`, `APPLICATION ROLE`.
    pub class: Option<String>,
    /// Name.
    pub name: ObjectName,
    /// Columns; empty = all.
    pub columns: Vec<Ident>,
}

/// `EXECUTE AS context [WITH NO REVERT | COOKIE INTO @v]`
#[derive(Clone, Debug)]
pub struct ExecuteAs {
    /// Whose rights.
    pub context: ExecuteContext,
    /// WITH NO REVERT
    pub no_revert: bool,
    /// `WITH COOKIE INTO @v`
    pub cookie: Option<Ident>,
}

/// `SETUSER ['user' [WITH NORESET]]`
#[derive(Clone, Debug)]
pub struct SetUser {
    /// A text or a variable; none goes back.
    pub user: Option<Expr>,
    /// WITH NORESET: there is no way back.
    pub no_reset: bool,
}

/// `REVERT [WITH COOKIE = @v]`
#[derive(Clone, Debug)]
pub struct Revert {
    /// Cookie.
    pub cookie: Option<Expr>,
}
