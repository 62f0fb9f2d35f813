//! What statements that administer databases share: having one alone, whom one lets in, its options, the history of its backups, the end of a session.

pub mod access;
pub mod alone;
pub mod backup_lists;
pub mod backup_options;
pub mod backup_rows;
pub mod checked;
pub mod claims;
pub mod copied;
pub mod database_options;
pub mod file_spec;
pub mod kill;
