//! What waits are for: the categories of `millpond_history`, and what only a sample of requests knows of one.

pub use millpond_history::category::{Category, category};

/// Whether a request that waits on this waits for an allocation in tempdb, or for one of its system tables: a page of
/// database 2 in memory.
pub fn is_tempdb_latch(wait_type: &str, resource: &str) -> bool {
    wait_type.starts_with("PAGELATCH_") && resource.trim_start().starts_with("2:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latch_of_tempdb_is_one_of_a_page_of_database_2() {
        assert!(is_tempdb_latch("PAGELATCH_UP", "2:1:1"));
        assert!(!is_tempdb_latch("PAGELATCH_UP", "22:1:1"));
        assert!(!is_tempdb_latch("PAGEIOLATCH_SH", "2:1:1"));
    }
}
