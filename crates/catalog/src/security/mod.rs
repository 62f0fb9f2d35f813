//! Who there is and what they may do.
//!
//! ```text
//!   principal ◀── scope (who there is, members, grants) ◀── database, server ◀── check (a token against them)
//!   context (whose rights a session's statements have) ──makes tokens──▶ check
//!   permission (what can be granted) ◀── grants ◀──────────────────────────────────┘
//! ```
//! It knows no statements and no sessions: which permission a statement needs, and who a session is, others say.

mod check;
mod context;
mod database;
mod fixed_role;
mod grants;
mod need;
mod permission;
mod principal;
mod scope;
mod server;

pub use check::{Containers, DatabaseToken, Rights, ServerToken};
pub use context::{Place, SecurityContext};
pub use database::DatabaseSecurity;
pub(crate) use grants::is_same;
pub use grants::{Grant, GrantState, Grants, Securable};
pub use need::{Access, Need};
pub use permission::{Of, PERMISSIONS, Permission};
pub use principal::{
    Authentication, DatabasePrincipal, FIRST_DATABASE_PRINCIPAL, FIRST_SERVER_PRINCIPAL, MSDB_ROLES, PrincipalId,
    ServerPrincipal, Sid, UserKind, fixed_roles,
};
pub use scope::{Principal, Security};
pub use server::ServerSecurity;

#[cfg(test)]
mod check_tests;
