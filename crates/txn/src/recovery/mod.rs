//! Changes undone: one of them, all of a transaction that a crash left open, and the space that it leaves without an
//! owner.

pub(crate) mod reclaim;
pub(crate) mod recover;
pub(crate) mod restore;
