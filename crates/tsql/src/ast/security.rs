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
    /// The words after the name as written.
    pub clauses: String,
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

/// `REVERT [WITH COOKIE = @v]`
#[derive(Clone, Debug)]
pub struct Revert {
    /// Cookie.
    pub cookie: Option<Expr>,
}
