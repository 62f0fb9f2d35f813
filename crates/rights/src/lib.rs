//! What each statement needs before it runs, and the statements on principals and permissions.
//!
//! ```text
//!   principal: login, user, role ─┐
//!   grant ────────────────────────┼─▶ Work ─▶ catalog::dictionary::change_security (rows and state, under one lock to the
//!   owner ────────────────────────┘           end of the transaction)
//!
//!   statements: which right a kind of statement needs ─┐
//!   needs: what a statement over rows was bound to ────┼─▶ engine::security (rights of the session's context) ─▶ 229 and its kin
//!   new_object: the place of an object that is made ───┘
//! ```
//! What always holds: a statement that is refused has changed nothing; a session that may not see a principal gets the same
//! error as when there is none (15151). It knows no batch and no session: its caller begins and ends transactions.

pub mod containment;
pub mod grant;
pub mod impersonate;
mod login;
pub mod needs;
pub mod new_object;
pub mod owner;
pub mod principal;
mod role;
mod securable;
pub mod statements;
mod user;
mod work;

use millpond_message::error::SqlError;

pub use work::Work;
use work::{InDatabase, OnServer};

/// 15151: what is named is not there, or must not be known to the session.
#[must_use]
pub fn cannot(verb: &str, kind: &str, name: &str) -> SqlError {
    SqlError::of(15_151, 1, &[&verb, &kind, &name])
}

/// 15247
fn no_permission() -> SqlError {
    SqlError::of(15_247, 1, &[])
}

/// 8630: what needs random numbers or a hash found none.
fn failed(cause: &dyn std::fmt::Display) -> SqlError {
    SqlError::of(8630, 1, &[&cause])
}
