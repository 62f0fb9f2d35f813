//! Changes undone: one of them, all of a transaction that a crash left open, and the space that it leaves without an
//! owner.

pub mod reclaim;
pub mod recover;
pub(crate) mod restore;
