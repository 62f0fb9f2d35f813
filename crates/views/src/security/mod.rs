//! Views and functions of security: who there is, who is in what, what was granted.
//!
//! ```text
//!   seen (which principals the session may know) ◀── logins, users, grants, tokens, old
//! ```
//! What always holds: a row is shown when the session may see the principal that it is about, as the manual says of each view; a
//! password's hash is shown to CONTROL SERVER alone.

pub(crate) mod builtin;
pub(crate) mod grants;
pub(crate) mod logins;
pub(crate) mod old;
pub(crate) mod seen;
pub(crate) mod tokens;
pub(crate) mod users;

pub use grants::in_database as seen_grants;
pub use seen::{SeenInDatabase, SeenOnServer};
pub use users::seen_members;
