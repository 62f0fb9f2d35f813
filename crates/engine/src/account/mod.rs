//! The account of statements: what each spent, what it waited for, what its operators did.

pub mod batch_times;
pub mod bottleneck;
pub mod command;
pub mod cpu;
pub mod cursor_accounts;
pub mod database_names;
pub(crate) mod index_uses;
pub mod kept_plan;
pub mod live;
pub mod live_statements;
pub mod missing_indexes;
pub mod profile;
pub mod query_store;
pub mod recording;
pub mod running_statement;
pub mod statement_stats;
pub mod traffic;
pub mod work;
