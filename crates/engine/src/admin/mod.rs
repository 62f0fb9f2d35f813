//! What statements that administer databases share: having one alone, its options, the history of its backups.

pub mod alone;
pub mod backup_options;
pub mod backup_rows;
pub mod claims;
pub mod database_options;
