//! The trees of a table and the counters that belong to its rows: the part of a table that is not its definition.
//! Shared by all sessions; a change of the definition that leaves a tree alone takes it over.

use std::sync::atomic::AtomicI64;

/// The trees of a table with its counters.
#[derive(Debug, Default)]
pub struct TableTrees {
    /// The next identity value.
    pub identity: AtomicI64,
    /// The next row number of a heap, or uniquifier of a clustered index that is not unique.
    pub next_row: AtomicI64,
}
