//! Transactions and locks, and what snapshots of them read.

pub(crate) mod snapshots;
pub(crate) mod transactions;
pub(crate) mod versions;
