//! Catalog views: what databases hold, by name and number.

pub mod base_objects;
pub(crate) mod broker;
pub(crate) mod constraints;
pub(crate) mod data_spaces;
pub(crate) mod databases;
pub(crate) mod dependencies;
pub(crate) mod files;
pub(crate) mod indexes;
pub(crate) mod messages;
pub(crate) mod modules;
pub(crate) mod nothing;
pub(crate) mod nothing_counted;
pub(crate) mod nothing_recorded;
pub(crate) mod objects;
pub(crate) mod query_store;
pub(crate) mod scoped_configurations;
pub(crate) mod servers;
pub mod spt_values;
pub(crate) mod statistics;
pub mod system;
pub(crate) mod table_columns;
pub(crate) mod triggers;
pub(crate) mod types;
