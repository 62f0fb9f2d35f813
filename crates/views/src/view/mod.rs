//! System views: one small file each, its columns and one function that turns a report into rows. Nothing is locked,
//! nothing is remembered; units are converted here and nowhere below.

mod base_objects;
mod buffers;
mod collations;
mod columns;
mod compatibility;
mod compatibility_keys;
mod configurations;
mod constraints;
mod counters;
mod databases;
mod describe;
mod extension;
mod file_io;
mod file_tiers;
mod file_writes;
mod files;
mod governor;
mod grants;
mod indexes;
mod information_keys;
mod information_tables;
mod log;
mod memory;
mod modules;
mod narrow;
mod objects;
mod physical;
mod principals;
mod requests;
mod sessions;
mod space;
mod spt_values;
mod statements;
mod statistics;
mod system;
mod table_columns;
mod time_zones;
mod transactions;
mod types;
mod volume_io;
mod waits;

pub(crate) use describe::{DESCRIBED, described_row};

pub(crate) use system::{base_object, numbers as system_numbers, objects as system_objects, view_of};

use millpond_builtin::TableFunctionDef;
use millpond_catalog::Within;
use millpond_catalog::run::Run;
use millpond_catalog::system_view::{Leads, ViewDef, ViewSource};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::Value;

/// The rows of a view by a function of this module.
pub(crate) struct ViewRows(pub fn(&RunContext, Within<'_>) -> SqlResult<Vec<Vec<Value>>>);

impl ViewSource for ViewRows {
    fn rows(&self, run: &dyn Run, within: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
        (self.0)(RunContext::of(run), within)
    }
}

/// The same of a view whose rows are of objects that some columns lead to.
pub(crate) struct LedViewRows(pub Leads, pub fn(&RunContext, Within<'_>) -> SqlResult<Vec<Vec<Value>>>);

impl ViewSource for LedViewRows {
    fn rows(&self, run: &dyn Run, within: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
        (self.1)(RunContext::of(run), within)
    }

    fn leads(&self) -> Leads {
        self.0
    }
}

/// All views.
pub static VIEWS: &[&ViewDef] = &[
    &buffers::DM_OS_BUFFER_DESCRIPTORS,
    &configurations::CONFIGURATIONS,
    &counters::DM_OS_PERFORMANCE_COUNTERS,
    &databases::DATABASES,
    &time_zones::TIME_ZONE_INFO,
    &extension::DM_MILLPOND_BUFFER_POOL_EXTENSION,
    &extension::DM_MILLPOND_TABLE_TIERS,
    &extension::DM_OS_BUFFER_POOL_EXTENSION_CONFIGURATION,
    &file_tiers::DM_MILLPOND_FILE_TIERS,
    &file_writes::DM_MILLPOND_FILE_WRITES,
    &volume_io::DM_MILLPOND_VOLUME_IO,
    &files::DATABASE_FILES,
    &files::MASTER_FILES,
    &governor::DM_RESOURCE_GOVERNOR_WORKLOAD_GROUPS,
    &governor::RESOURCE_GOVERNOR_CONFIGURATION,
    &governor::RESOURCE_GOVERNOR_WORKLOAD_GROUPS,
    &statements::DM_EXEC_CACHED_PLANS,
    &requests::DM_EXEC_CONNECTIONS,
    &statements::DM_EXEC_PROCEDURE_STATS,
    &grants::DM_EXEC_QUERY_MEMORY_GRANTS,
    &grants::DM_EXEC_QUERY_RESOURCE_SEMAPHORES,
    &statements::DM_EXEC_QUERY_STATS,
    &requests::DM_EXEC_REQUESTS,
    &sessions::DM_EXEC_SESSIONS,
    &memory::DM_DB_XTP_MEMORY_CONSUMERS,
    &memory::DM_DB_XTP_TABLE_MEMORY_STATS,
    &memory::DM_MILLPOND_MEMORY_VARIABLES,
    &memory::DM_XTP_SYSTEM_MEMORY_CONSUMERS,
    &space::DM_DB_FILE_SPACE_USAGE,
    &space::DM_DB_SESSION_SPACE_USAGE,
    &space::DM_DB_TASK_SPACE_USAGE,
    &log::DM_DB_LOG_SPACE_USAGE,
    &transactions::DM_TRAN_ACTIVE_SNAPSHOT_DATABASE_TRANSACTIONS,
    &transactions::DM_TRAN_ACTIVE_TRANSACTIONS,
    &transactions::DM_TRAN_DATABASE_TRANSACTIONS,
    &transactions::DM_TRAN_LOCKS,
    &transactions::DM_TRAN_SESSION_TRANSACTIONS,
    &transactions::DM_TRAN_VERSION_STORE_SPACE_USAGE,
    &waits::DM_OS_WAITING_TASKS,
    &waits::DM_OS_WAIT_STATS,
    &objects::OBJECTS,
    &objects::ALL_OBJECTS,
    &objects::SYSTEM_OBJECTS,
    &objects::TABLES,
    &objects::USER_VIEWS,
    &objects::ALL_VIEWS,
    &objects::PROCEDURES,
    &objects::SEQUENCES,
    &objects::SYNONYMS,
    &table_columns::COLUMNS,
    &table_columns::ALL_COLUMNS,
    &table_columns::SYSTEM_COLUMNS,
    &table_columns::IDENTITY_COLUMNS,
    &table_columns::COMPUTED_COLUMNS,
    &types::TYPES,
    &types::TABLE_TYPES,
    &indexes::INDEXES,
    &indexes::INDEX_COLUMNS,
    &statistics::STATS,
    &statistics::STATS_COLUMNS,
    &indexes::PARTITIONS,
    &indexes::ALLOCATION_UNITS,
    &indexes::DM_DB_PARTITION_STATS,
    &indexes::DATA_SPACES,
    &indexes::FILEGROUPS,
    &constraints::KEY_CONSTRAINTS,
    &constraints::FOREIGN_KEYS,
    &constraints::FOREIGN_KEY_COLUMNS,
    &constraints::CHECK_CONSTRAINTS,
    &constraints::DEFAULT_CONSTRAINTS,
    &modules::SQL_MODULES,
    &modules::ALL_SQL_MODULES,
    &modules::PARAMETERS,
    &modules::ALL_PARAMETERS,
    &modules::TRIGGERS,
    &principals::SCHEMAS,
    &principals::DATABASE_PRINCIPALS,
    &principals::DATABASE_ROLE_MEMBERS,
    &principals::SERVER_PRINCIPALS,
    &principals::EXTENDED_PROPERTIES,
    &compatibility::SYSOBJECTS,
    &compatibility::SYSCOLUMNS,
    &compatibility::SYSINDEXES,
    &compatibility::SYSDATABASES,
    &compatibility::SYSTYPES,
    &compatibility::SYSUSERS,
    &compatibility_keys::SYSCONSTRAINTS,
    &compatibility_keys::SYSFOREIGNKEYS,
    &compatibility_keys::SYSREFERENCES,
    &compatibility_keys::SYSFILES,
    &information_tables::SCHEMATA,
    &information_tables::TABLES,
    &information_tables::COLUMNS,
    &information_tables::VIEWS,
    &information_tables::ROUTINES,
    &information_tables::PARAMETERS,
    &information_tables::SEQUENCES,
    &information_tables::DOMAINS,
    &information_keys::TABLE_CONSTRAINTS,
    &information_keys::CHECK_CONSTRAINTS,
    &information_keys::REFERENTIAL_CONSTRAINTS,
    &information_keys::KEY_COLUMN_USAGE,
    &information_keys::CONSTRAINT_COLUMN_USAGE,
    &information_keys::CONSTRAINT_TABLE_USAGE,
];

/// All table-valued functions.
pub static FUNCTIONS: &[&TableFunctionDef] = &[
    &collations::FN_HELPCOLLATIONS,
    &file_io::DM_IO_VIRTUAL_FILE_STATS,
    &file_io::FN_VIRTUALFILESTATS,
    &volume_io::DM_OS_VOLUME_STATS,
    &describe::DM_EXEC_DESCRIBE_FIRST_RESULT_SET,
    &log::DM_DB_LOG_INFO,
    &log::DM_DB_LOG_STATS,
    &physical::DM_DB_INDEX_PHYSICAL_STATS,
    &statements::DM_EXEC_SQL_TEXT,
    &statistics::DM_DB_STATS_HISTOGRAM,
    &statistics::DM_DB_STATS_PROPERTIES,
];

/// The view of that name; without a schema and under `dbo` only the views of SQL Server 2000 are found.
#[must_use]
pub fn find(schema: &str, name: &str) -> Option<&'static ViewDef> {
    if schema.is_empty() || schema.eq_ignore_ascii_case("dbo") {
        return compatibility::ALL
            .iter()
            .chain(compatibility_keys::ALL)
            .copied()
            .find(|view| view.name.eq_ignore_ascii_case(name));
    }
    VIEWS.iter().copied().find(|view| view.name.eq_ignore_ascii_case(name) && view.schema.eq_ignore_ascii_case(schema))
}

/// The view of that name in a database: `master` has one of its own.
#[must_use]
pub fn find_in(database: DbId, schema: &str, name: &str) -> Option<&'static ViewDef> {
    let own = &spt_values::SPT_VALUES;
    let is_own = database == DbId::MASTER
        && (schema.is_empty() || schema.eq_ignore_ascii_case(own.schema))
        && name.eq_ignore_ascii_case(own.name);
    if is_own { Some(own) } else { find(schema, name) }
}

/// The table-valued function of that name; `::fn_x` and `sys.fn_x` mean the same.
#[must_use]
pub fn find_function(schema: &str, name: &str) -> Option<&'static TableFunctionDef> {
    FUNCTIONS.iter().copied().find(|function| {
        let schema_fits = function.schema.is_empty() && (schema.is_empty() || schema.eq_ignore_ascii_case("sys"));
        function.name.eq_ignore_ascii_case(name) && (schema_fits || schema.eq_ignore_ascii_case(function.schema))
    })
}
