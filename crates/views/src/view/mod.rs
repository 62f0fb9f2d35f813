//! System views: one small file each, its columns and one function that turns a report into rows. Nothing is locked,
//! nothing is remembered; units are converted here and nowhere below.

pub(crate) mod catalog;
mod collations;
mod columns;
mod configurations;
pub(crate) mod dynamic;
mod narrow;
mod time_zones;

pub(crate) use dynamic::describe::{DESCRIBED, described_row};

pub(crate) use catalog::system::{base_object, view_of};

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
    &dynamic::buffers::DM_OS_BUFFER_DESCRIPTORS,
    &configurations::CONFIGURATIONS,
    &dynamic::counters::DM_OS_PERFORMANCE_COUNTERS,
    &catalog::databases::DATABASES,
    &time_zones::TIME_ZONE_INFO,
    &dynamic::extension::DM_MILLPOND_BUFFER_POOL_EXTENSION,
    &dynamic::extension::DM_MILLPOND_TABLE_TIERS,
    &dynamic::extension::DM_OS_BUFFER_POOL_EXTENSION_CONFIGURATION,
    &dynamic::file_tiers::DM_MILLPOND_FILE_TIERS,
    &dynamic::file_writes::DM_MILLPOND_FILE_WRITES,
    &dynamic::volume_io::DM_MILLPOND_VOLUME_IO,
    &catalog::files::DATABASE_FILES,
    &catalog::files::MASTER_FILES,
    &dynamic::governor::DM_RESOURCE_GOVERNOR_WORKLOAD_GROUPS,
    &dynamic::governor::RESOURCE_GOVERNOR_CONFIGURATION,
    &dynamic::governor::RESOURCE_GOVERNOR_WORKLOAD_GROUPS,
    &dynamic::statements::DM_EXEC_CACHED_PLANS,
    &dynamic::requests::DM_EXEC_CONNECTIONS,
    &dynamic::statements::DM_EXEC_PROCEDURE_STATS,
    &dynamic::grants::DM_EXEC_QUERY_MEMORY_GRANTS,
    &dynamic::grants::DM_EXEC_QUERY_RESOURCE_SEMAPHORES,
    &dynamic::statements::DM_EXEC_QUERY_STATS,
    &dynamic::requests::DM_EXEC_REQUESTS,
    &dynamic::sessions::DM_EXEC_SESSIONS,
    &dynamic::memory::DM_DB_XTP_MEMORY_CONSUMERS,
    &dynamic::memory::DM_DB_XTP_TABLE_MEMORY_STATS,
    &dynamic::memory::DM_MILLPOND_MEMORY_VARIABLES,
    &dynamic::memory::DM_XTP_SYSTEM_MEMORY_CONSUMERS,
    &dynamic::space::DM_DB_FILE_SPACE_USAGE,
    &dynamic::space::DM_DB_SESSION_SPACE_USAGE,
    &dynamic::space::DM_DB_TASK_SPACE_USAGE,
    &dynamic::log::DM_DB_LOG_SPACE_USAGE,
    &dynamic::transactions::DM_TRAN_ACTIVE_SNAPSHOT_DATABASE_TRANSACTIONS,
    &dynamic::transactions::DM_TRAN_ACTIVE_TRANSACTIONS,
    &dynamic::transactions::DM_TRAN_DATABASE_TRANSACTIONS,
    &dynamic::transactions::DM_TRAN_LOCKS,
    &dynamic::transactions::DM_TRAN_SESSION_TRANSACTIONS,
    &dynamic::transactions::DM_TRAN_VERSION_STORE_SPACE_USAGE,
    &dynamic::waits::DM_OS_WAITING_TASKS,
    &dynamic::waits::DM_OS_WAIT_STATS,
    &catalog::objects::OBJECTS,
    &catalog::objects::ALL_OBJECTS,
    &catalog::objects::SYSTEM_OBJECTS,
    &catalog::objects::TABLES,
    &catalog::objects::USER_VIEWS,
    &catalog::objects::ALL_VIEWS,
    &catalog::objects::PROCEDURES,
    &catalog::objects::SEQUENCES,
    &catalog::objects::SYNONYMS,
    &catalog::table_columns::COLUMNS,
    &catalog::table_columns::ALL_COLUMNS,
    &catalog::table_columns::SYSTEM_COLUMNS,
    &catalog::table_columns::IDENTITY_COLUMNS,
    &catalog::table_columns::COMPUTED_COLUMNS,
    &catalog::types::TYPES,
    &catalog::types::TABLE_TYPES,
    &catalog::indexes::INDEXES,
    &catalog::indexes::INDEX_COLUMNS,
    &catalog::statistics::STATS,
    &catalog::statistics::STATS_COLUMNS,
    &catalog::indexes::PARTITIONS,
    &catalog::indexes::ALLOCATION_UNITS,
    &catalog::indexes::DM_DB_PARTITION_STATS,
    &catalog::indexes::DATA_SPACES,
    &catalog::indexes::FILEGROUPS,
    &catalog::constraints::KEY_CONSTRAINTS,
    &catalog::constraints::FOREIGN_KEYS,
    &catalog::constraints::FOREIGN_KEY_COLUMNS,
    &catalog::constraints::CHECK_CONSTRAINTS,
    &catalog::constraints::DEFAULT_CONSTRAINTS,
    &catalog::modules::SQL_MODULES,
    &catalog::modules::ALL_SQL_MODULES,
    &catalog::modules::PARAMETERS,
    &catalog::modules::ALL_PARAMETERS,
    &catalog::modules::TRIGGERS,
    &catalog::principals::SCHEMAS,
    &catalog::principals::DATABASE_PRINCIPALS,
    &catalog::principals::DATABASE_ROLE_MEMBERS,
    &catalog::principals::SERVER_PRINCIPALS,
    &catalog::principals::EXTENDED_PROPERTIES,
    &catalog::compatibility::SYSOBJECTS,
    &catalog::compatibility::SYSCOLUMNS,
    &catalog::compatibility::SYSINDEXES,
    &catalog::compatibility::SYSDATABASES,
    &catalog::compatibility::SYSTYPES,
    &catalog::compatibility::SYSUSERS,
    &catalog::compatibility_keys::SYSCONSTRAINTS,
    &catalog::compatibility_keys::SYSFOREIGNKEYS,
    &catalog::compatibility_keys::SYSREFERENCES,
    &catalog::compatibility_keys::SYSFILES,
    &catalog::information_tables::SCHEMATA,
    &catalog::information_tables::TABLES,
    &catalog::information_tables::COLUMNS,
    &catalog::information_tables::VIEWS,
    &catalog::information_tables::ROUTINES,
    &catalog::information_tables::PARAMETERS,
    &catalog::information_tables::SEQUENCES,
    &catalog::information_tables::DOMAINS,
    &catalog::information_keys::TABLE_CONSTRAINTS,
    &catalog::information_keys::CHECK_CONSTRAINTS,
    &catalog::information_keys::REFERENTIAL_CONSTRAINTS,
    &catalog::information_keys::KEY_COLUMN_USAGE,
    &catalog::information_keys::CONSTRAINT_COLUMN_USAGE,
    &catalog::information_keys::CONSTRAINT_TABLE_USAGE,
    &catalog::messages::MESSAGES,
    // At the end: the numbers of objects are those of their places.
    &catalog::objects::SYSTEM_VIEWS,
    &catalog::nothing::XML_SCHEMA_COLLECTIONS,
    &catalog::nothing::ASSEMBLIES,
    &catalog::nothing::ASSEMBLY_FILES,
    &catalog::nothing::ASSEMBLY_MODULES,
    &catalog::nothing::ASSEMBLY_REFERENCES,
    &catalog::nothing::ASSEMBLY_TYPES,
    &catalog::nothing::MODULE_ASSEMBLY_USAGES,
    &catalog::nothing::SERVER_ASSEMBLY_MODULES,
    &catalog::nothing::TRUSTED_ASSEMBLIES,
    &catalog::nothing::TYPE_ASSEMBLY_USAGES,
    &catalog::nothing::DM_CLR_APPDOMAINS,
    &catalog::nothing::DM_CLR_LOADED_ASSEMBLIES,
    &catalog::nothing::DM_CLR_TASKS,
    &catalog::nothing::AVAILABILITY_DATABASES_CLUSTER,
    &catalog::nothing::AVAILABILITY_GROUP_LISTENER_IP_ADDRESSES,
    &catalog::nothing::AVAILABILITY_GROUP_LISTENERS,
    &catalog::nothing::AVAILABILITY_GROUPS,
    &catalog::nothing::AVAILABILITY_GROUPS_CLUSTER,
    &catalog::nothing::AVAILABILITY_READ_ONLY_ROUTING_LISTS,
    &catalog::nothing::DATABASE_MIRRORING_ENDPOINTS,
    &catalog::nothing::DATABASE_MIRRORING_WITNESSES,
    &catalog::nothing::DM_DB_MIRRORING_AUTO_PAGE_REPAIR,
    &catalog::nothing::DM_DB_MIRRORING_CONNECTIONS,
    &catalog::nothing::DM_HADR_AVAILABILITY_GROUP_STATES,
    &catalog::nothing::DM_HADR_AVAILABILITY_REPLICA_CLUSTER_NODES,
    &catalog::nothing::DM_HADR_AVAILABILITY_REPLICA_CLUSTER_STATES,
    &catalog::nothing::DM_HADR_CLUSTER,
    &catalog::nothing::DM_HADR_CLUSTER_MEMBERS,
    &catalog::nothing::DM_HADR_CLUSTER_NETWORKS,
    &catalog::nothing::DM_HADR_DATABASE_REPLICA_CLUSTER_STATES,
    &catalog::nothing::DM_HADR_DATABASE_REPLICA_STATES,
    &catalog::nothing::DM_OS_CLUSTER_NODES,
    &catalog::nothing::DM_IO_CLUSTER_SHARED_DRIVES,
    &catalog::nothing::AVAILABILITY_REPLICAS,
    &catalog::nothing::DM_HADR_AVAILABILITY_REPLICA_STATES,
    &catalog::nothing::CONVERSATION_ENDPOINTS,
    &catalog::nothing::CONVERSATION_GROUPS,
    &catalog::nothing::CONVERSATION_PRIORITIES,
    &catalog::nothing::EVENT_NOTIFICATIONS,
    &catalog::nothing::REMOTE_SERVICE_BINDINGS,
    &catalog::nothing::SERVER_EVENT_NOTIFICATIONS,
    &catalog::nothing::SERVICE_BROKER_ENDPOINTS,
    &catalog::nothing::SERVICE_QUEUE_USAGES,
    &catalog::nothing::SERVICE_QUEUES,
    &catalog::nothing::SERVICES,
    &catalog::nothing::TRANSMISSION_QUEUE,
    &catalog::nothing::DM_BROKER_ACTIVATED_TASKS,
    &catalog::nothing::DM_BROKER_CONNECTIONS,
    &catalog::nothing::DM_BROKER_QUEUE_MONITORS,
    &catalog::nothing::DM_QN_SUBSCRIPTIONS,
    &catalog::nothing::FULLTEXT_CATALOGS,
    &catalog::nothing::FULLTEXT_INDEX_CATALOG_USAGES,
    &catalog::nothing::FULLTEXT_INDEX_COLUMNS,
    &catalog::nothing::FULLTEXT_INDEX_FRAGMENTS,
    &catalog::nothing::FULLTEXT_INDEXES,
    &catalog::nothing::FULLTEXT_STOPLISTS,
    &catalog::nothing::FULLTEXT_STOPWORDS,
    &catalog::nothing::REGISTERED_SEARCH_PROPERTIES,
    &catalog::nothing::REGISTERED_SEARCH_PROPERTY_LISTS,
    &catalog::nothing::DM_FTS_ACTIVE_CATALOGS,
    &catalog::nothing::DM_FTS_INDEX_POPULATION,
    &catalog::nothing::ASYMMETRIC_KEYS,
    &catalog::nothing::CERTIFICATES,
    &catalog::nothing::COLUMN_ENCRYPTION_KEY_VALUES,
    &catalog::nothing::COLUMN_ENCRYPTION_KEYS,
    &catalog::nothing::COLUMN_MASTER_KEYS,
    &catalog::nothing::CREDENTIALS,
    &catalog::nothing::CRYPT_PROPERTIES,
    &catalog::nothing::CRYPTOGRAPHIC_PROVIDERS,
    &catalog::nothing::DATABASE_AUDIT_SPECIFICATION_DETAILS,
    &catalog::nothing::DATABASE_AUDIT_SPECIFICATIONS,
    &catalog::nothing::DATABASE_CREDENTIALS,
    &catalog::nothing::DATABASE_SCOPED_CREDENTIALS,
    &catalog::nothing::KEY_ENCRYPTIONS,
    &catalog::nothing::MASKED_COLUMNS,
    &catalog::nothing::OPENKEYS,
    &catalog::nothing::SECURITY_POLICIES,
    &catalog::nothing::SECURITY_PREDICATES,
    &catalog::nothing::SENSITIVITY_CLASSIFICATIONS,
    &catalog::nothing::SERVER_AUDIT_SPECIFICATION_DETAILS,
    &catalog::nothing::SERVER_AUDIT_SPECIFICATIONS,
    &catalog::nothing::SERVER_AUDITS,
    &catalog::nothing::SERVER_FILE_AUDITS,
    &catalog::nothing::SYMMETRIC_KEYS,
    &catalog::nothing::DM_DATABASE_ENCRYPTION_KEYS,
    &catalog::nothing::DM_SERVER_AUDIT_STATUS,
    &catalog::nothing::PARTITION_FUNCTIONS,
    &catalog::nothing::PARTITION_PARAMETERS,
    &catalog::nothing::PARTITION_RANGE_VALUES,
    &catalog::nothing::PARTITION_SCHEMES,
    &catalog::nothing::CHANGE_TRACKING_DATABASES,
    &catalog::nothing::CHANGE_TRACKING_TABLES,
    &catalog::nothing::COLUMN_XML_SCHEMA_COLLECTION_USAGES,
    &catalog::nothing::EDGE_CONSTRAINT_CLAUSES,
    &catalog::nothing::EDGE_CONSTRAINTS,
    &catalog::nothing::EXTERNAL_DATA_SOURCES,
    &catalog::nothing::EXTERNAL_FILE_FORMATS,
    &catalog::nothing::EXTERNAL_TABLES,
    &catalog::nothing::FILETABLES,
    &catalog::nothing::FILETABLE_SYSTEM_DEFINED_OBJECTS,
    &catalog::nothing::FUNCTION_ORDER_COLUMNS,
    &catalog::nothing::HASH_INDEXES,
    &catalog::nothing::INDEX_RESUMABLE_OPERATIONS,
    &catalog::nothing::LINKED_LOGINS,
    &catalog::nothing::NUMBERED_PROCEDURE_PARAMETERS,
    &catalog::nothing::NUMBERED_PROCEDURES,
    &catalog::nothing::PARAMETER_XML_SCHEMA_COLLECTION_USAGES,
    &catalog::nothing::PERIODS,
    &catalog::nothing::PLAN_GUIDES,
    &catalog::nothing::REMOTE_DATA_ARCHIVE_DATABASES,
    &catalog::nothing::REMOTE_DATA_ARCHIVE_TABLES,
    &catalog::nothing::REMOTE_LOGINS,
    &catalog::nothing::SELECTIVE_XML_INDEX_PATHS,
    &catalog::nothing::SPATIAL_INDEX_TESSELLATIONS,
    &catalog::nothing::SPATIAL_INDEXES,
    &catalog::nothing::XML_INDEXES,
    &catalog::nothing::DM_REPL_ARTICLES,
    &catalog::nothing::DM_SERVER_MEMORY_DUMPS,
    &catalog::nothing::DM_CDC_ERRORS,
    &catalog::nothing::DM_CDC_LOG_SCAN_SESSIONS,
];

/// All table-valued functions.
pub static FUNCTIONS: &[&TableFunctionDef] = &[
    &collations::FN_HELPCOLLATIONS,
    &dynamic::file_io::DM_IO_VIRTUAL_FILE_STATS,
    &dynamic::file_io::FN_VIRTUALFILESTATS,
    &dynamic::volume_io::DM_OS_VOLUME_STATS,
    &dynamic::describe::DM_EXEC_DESCRIBE_FIRST_RESULT_SET,
    &dynamic::log::DM_DB_LOG_INFO,
    &dynamic::log::DM_DB_LOG_STATS,
    &dynamic::physical::DM_DB_INDEX_PHYSICAL_STATS,
    &dynamic::statements::DM_EXEC_SQL_TEXT,
    &catalog::statistics::DM_DB_STATS_HISTOGRAM,
    &catalog::statistics::DM_DB_STATS_PROPERTIES,
];

/// The view of that name; without a schema and under `dbo` only the views of SQL Server 2000 are found.
#[must_use]
pub fn find(schema: &str, name: &str) -> Option<&'static ViewDef> {
    if schema.is_empty() || schema.eq_ignore_ascii_case("dbo") {
        return catalog::compatibility::ALL
            .iter()
            .chain(catalog::compatibility_keys::ALL)
            .copied()
            .find(|view| view.name.eq_ignore_ascii_case(name));
    }
    VIEWS.iter().copied().find(|view| view.name.eq_ignore_ascii_case(name) && view.schema.eq_ignore_ascii_case(schema))
}

/// The view of that name in a database: `master` has one of its own.
#[must_use]
pub fn find_in(database: DbId, schema: &str, name: &str) -> Option<&'static ViewDef> {
    let own = &catalog::spt_values::SPT_VALUES;
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
