//! Query Store: what queries of a database have cost, by plan and interval, kept in the database itself.
//!
//! ```text
//!   statement ──capture──▶ QueryStore ◀──administer── ALTER DATABASE, sp_query_store_…   (both in crate::capture)
//!                             │  contents: entries, options, cleaning        ▲
//!                             ▼                                              │ views
//!                    stores: records ──▶ dictionary of the database (kept_records)
//! ```
//! What always holds: with no store on anywhere a statement asks one flag, without a lock ([`stores::QueryStores::any_on`]); a store is read
//! when its database is first worked in or asked, and stays in memory until the database is closed. What is in memory and not written
//! yet is lost with the process: at most what came since the last DATA_FLUSH_INTERVAL_SECONDS.

pub(crate) mod contents;
pub mod context_settings;
pub mod entries;
pub mod measures;
mod memory;
pub mod options;
pub mod place;
mod records;
pub mod store;
pub mod stores;
pub mod waits;
