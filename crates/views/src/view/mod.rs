//! System views: one small file each, a struct that is its row (`row.rs`) and one function that turns a report into rows.
//! Nothing is locked, nothing is remembered; units are converted here and nowhere below.

pub(crate) mod catalog;
mod collations;
mod columns;
mod configurations;
pub(crate) mod dynamic;
mod languages;
mod narrow;
#[cfg(test)]
mod pinned;
mod property;
pub(crate) mod row;
pub(crate) mod security;
mod time_zones;

pub(crate) use dynamic::describe::{Described, described_row};

pub(crate) use catalog::system::{base_object, view_of};
pub(crate) use dynamic::input_buffer::input_of;
pub(crate) use dynamic::sessions::seen_sessions;
pub(crate) use dynamic::statements::kept_texts;
pub(crate) use property::target::{Levels, Lookup, levels_of};

use millpond_builtin::TableFunctionDef;
use millpond_catalog::system_view::ViewDef;
use millpond_storage::contract::DbId;

/// All views, each with its number (`object_id`), -1000 and below. A new one comes at the end and has the next number below; one that
/// was given stays, because users see it.
pub static VIEWS: &[(i32, &ViewDef)] = &[
    (-1000, &dynamic::buffers::DM_OS_BUFFER_DESCRIPTORS),
    (-1001, &configurations::CONFIGURATIONS),
    (-1002, &dynamic::counters::DM_OS_PERFORMANCE_COUNTERS),
    (-1003, &catalog::databases::DATABASES),
    (-1004, &time_zones::TIME_ZONE_INFO),
    (-1005, &dynamic::extension::DM_MILLPOND_BUFFER_POOL_EXTENSION),
    (-1006, &dynamic::extension::DM_MILLPOND_TABLE_TIERS),
    (-1007, &dynamic::extension::DM_OS_BUFFER_POOL_EXTENSION_CONFIGURATION),
    (-1008, &dynamic::file_tiers::DM_MILLPOND_FILE_TIERS),
    (-1009, &dynamic::file_writes::DM_MILLPOND_FILE_WRITES),
    (-1010, &dynamic::volume_io::DM_MILLPOND_VOLUME_IO),
    (-1011, &catalog::files::DATABASE_FILES),
    (-1012, &catalog::files::MASTER_FILES),
    (-1013, &dynamic::governor::DM_RESOURCE_GOVERNOR_WORKLOAD_GROUPS),
    (-1014, &dynamic::governor::RESOURCE_GOVERNOR_CONFIGURATION),
    (-1015, &dynamic::governor::RESOURCE_GOVERNOR_WORKLOAD_GROUPS),
    (-1016, &dynamic::statements::DM_EXEC_CACHED_PLANS),
    (-1017, &dynamic::requests::DM_EXEC_CONNECTIONS),
    (-1018, &dynamic::statements::DM_EXEC_PROCEDURE_STATS),
    (-1019, &dynamic::grants::DM_EXEC_QUERY_MEMORY_GRANTS),
    (-1020, &dynamic::grants::DM_EXEC_QUERY_RESOURCE_SEMAPHORES),
    (-1021, &dynamic::statements::DM_EXEC_QUERY_STATS),
    (-1022, &dynamic::requests::DM_EXEC_REQUESTS),
    (-1023, &dynamic::sessions::DM_EXEC_SESSIONS),
    (-1024, &dynamic::memory::DM_DB_XTP_MEMORY_CONSUMERS),
    (-1025, &dynamic::memory::DM_DB_XTP_TABLE_MEMORY_STATS),
    (-1026, &dynamic::memory::DM_MILLPOND_MEMORY_VARIABLES),
    (-1027, &dynamic::memory::DM_XTP_SYSTEM_MEMORY_CONSUMERS),
    (-1028, &dynamic::space::DM_DB_FILE_SPACE_USAGE),
    (-1029, &dynamic::space::DM_DB_SESSION_SPACE_USAGE),
    (-1030, &dynamic::space::DM_DB_TASK_SPACE_USAGE),
    (-1031, &dynamic::log::DM_DB_LOG_SPACE_USAGE),
    (-1032, &dynamic::transactions::DM_TRAN_ACTIVE_SNAPSHOT_DATABASE_TRANSACTIONS),
    (-1033, &dynamic::transactions::DM_TRAN_ACTIVE_TRANSACTIONS),
    (-1034, &dynamic::transactions::DM_TRAN_DATABASE_TRANSACTIONS),
    (-1035, &dynamic::transactions::DM_TRAN_LOCKS),
    (-1036, &dynamic::transactions::DM_TRAN_SESSION_TRANSACTIONS),
    (-1037, &dynamic::transactions::DM_TRAN_VERSION_STORE_SPACE_USAGE),
    (-1038, &dynamic::waits::DM_OS_WAITING_TASKS),
    (-1039, &dynamic::waits::DM_OS_WAIT_STATS),
    (-1040, &catalog::objects::OBJECTS),
    (-1041, &catalog::objects::ALL_OBJECTS),
    (-1042, &catalog::objects::SYSTEM_OBJECTS),
    (-1043, &catalog::objects::TABLES),
    (-1044, &catalog::objects::USER_VIEWS),
    (-1045, &catalog::objects::ALL_VIEWS),
    (-1046, &catalog::objects::PROCEDURES),
    (-1047, &catalog::objects::SEQUENCES),
    (-1048, &catalog::objects::SYNONYMS),
    (-1049, &catalog::table_columns::COLUMNS),
    (-1050, &catalog::table_columns::ALL_COLUMNS),
    (-1051, &catalog::table_columns::SYSTEM_COLUMNS),
    (-1052, &catalog::table_columns::IDENTITY_COLUMNS),
    (-1053, &catalog::table_columns::COMPUTED_COLUMNS),
    (-1054, &catalog::types::TYPES),
    (-1055, &catalog::types::TABLE_TYPES),
    (-1056, &catalog::indexes::INDEXES),
    (-1057, &catalog::indexes::INDEX_COLUMNS),
    (-1058, &catalog::statistics::STATS),
    (-1059, &catalog::statistics::STATS_COLUMNS),
    (-1060, &catalog::indexes::PARTITIONS),
    (-1061, &catalog::indexes::ALLOCATION_UNITS),
    (-1062, &catalog::indexes::DM_DB_PARTITION_STATS),
    (-1063, &catalog::data_spaces::DATA_SPACES),
    (-1064, &catalog::data_spaces::FILEGROUPS),
    (-1065, &catalog::constraints::KEY_CONSTRAINTS),
    (-1066, &catalog::constraints::FOREIGN_KEYS),
    (-1067, &catalog::constraints::FOREIGN_KEY_COLUMNS),
    (-1068, &catalog::constraints::CHECK_CONSTRAINTS),
    (-1069, &catalog::constraints::DEFAULT_CONSTRAINTS),
    (-1070, &catalog::modules::SQL_MODULES),
    (-1071, &catalog::modules::ALL_SQL_MODULES),
    (-1072, &catalog::modules::PARAMETERS),
    (-1073, &catalog::modules::ALL_PARAMETERS),
    (-1074, &catalog::triggers::TRIGGERS),
    (-1075, &security::users::SCHEMAS),
    (-1076, &security::users::DATABASE_PRINCIPALS),
    (-1077, &security::users::DATABASE_ROLE_MEMBERS),
    (-1078, &security::logins::SERVER_PRINCIPALS),
    (-1079, &property::listed::EXTENDED_PROPERTIES),
    (-1080, &catalog::compatibility::SYSOBJECTS),
    (-1081, &catalog::compatibility::SYSCOLUMNS),
    (-1082, &catalog::compatibility::SYSINDEXES),
    (-1083, &catalog::compatibility::SYSDATABASES),
    (-1084, &catalog::compatibility::SYSTYPES),
    (-1085, &security::old::SYSUSERS),
    (-1086, &catalog::compatibility_keys::SYSCONSTRAINTS),
    (-1087, &catalog::compatibility_keys::SYSFOREIGNKEYS),
    (-1088, &catalog::compatibility_keys::SYSREFERENCES),
    (-1089, &catalog::compatibility_keys::SYSFILES),
    (-1090, &catalog::information_tables::SCHEMATA),
    (-1091, &catalog::information_tables::TABLES),
    (-1092, &catalog::information_tables::COLUMNS),
    (-1093, &catalog::information_tables::VIEWS),
    (-1094, &catalog::information_tables::ROUTINES),
    (-1095, &catalog::information_tables::PARAMETERS),
    (-1096, &catalog::information_tables::SEQUENCES),
    (-1097, &catalog::information_tables::DOMAINS),
    (-1098, &catalog::information_keys::TABLE_CONSTRAINTS),
    (-1099, &catalog::information_keys::CHECK_CONSTRAINTS),
    (-1100, &catalog::information_keys::REFERENTIAL_CONSTRAINTS),
    (-1101, &catalog::information_keys::KEY_COLUMN_USAGE),
    (-1102, &catalog::information_keys::CONSTRAINT_COLUMN_USAGE),
    (-1103, &catalog::information_keys::CONSTRAINT_TABLE_USAGE),
    (-1104, &catalog::messages::MESSAGES),
    (-1105, &catalog::objects::SYSTEM_VIEWS),
    (-1106, &catalog::nothing::XML_SCHEMA_COLLECTIONS),
    (-1107, &catalog::nothing::ASSEMBLIES),
    (-1108, &catalog::nothing::ASSEMBLY_FILES),
    (-1109, &catalog::nothing::ASSEMBLY_MODULES),
    (-1110, &catalog::nothing::ASSEMBLY_REFERENCES),
    (-1111, &catalog::nothing::ASSEMBLY_TYPES),
    (-1112, &catalog::nothing::MODULE_ASSEMBLY_USAGES),
    (-1113, &catalog::nothing::SERVER_ASSEMBLY_MODULES),
    (-1114, &catalog::nothing::TRUSTED_ASSEMBLIES),
    (-1115, &catalog::nothing::TYPE_ASSEMBLY_USAGES),
    (-1116, &catalog::nothing::DM_CLR_APPDOMAINS),
    (-1117, &catalog::nothing::DM_CLR_LOADED_ASSEMBLIES),
    (-1118, &catalog::nothing::DM_CLR_TASKS),
    (-1119, &catalog::nothing::AVAILABILITY_DATABASES_CLUSTER),
    (-1120, &catalog::nothing::AVAILABILITY_GROUP_LISTENER_IP_ADDRESSES),
    (-1121, &catalog::nothing::AVAILABILITY_GROUP_LISTENERS),
    (-1122, &catalog::nothing::AVAILABILITY_GROUPS),
    (-1123, &catalog::nothing::AVAILABILITY_GROUPS_CLUSTER),
    (-1124, &catalog::nothing::AVAILABILITY_READ_ONLY_ROUTING_LISTS),
    (-1125, &catalog::nothing::DATABASE_MIRRORING_ENDPOINTS),
    (-1126, &catalog::nothing::DATABASE_MIRRORING_WITNESSES),
    (-1127, &catalog::nothing::DM_DB_MIRRORING_AUTO_PAGE_REPAIR),
    (-1128, &catalog::nothing::DM_DB_MIRRORING_CONNECTIONS),
    (-1129, &catalog::nothing::DM_HADR_AVAILABILITY_GROUP_STATES),
    (-1130, &catalog::nothing::DM_HADR_AVAILABILITY_REPLICA_CLUSTER_NODES),
    (-1131, &catalog::nothing::DM_HADR_AVAILABILITY_REPLICA_CLUSTER_STATES),
    (-1132, &catalog::nothing::DM_HADR_CLUSTER),
    (-1133, &catalog::nothing::DM_HADR_CLUSTER_MEMBERS),
    (-1134, &catalog::nothing::DM_HADR_CLUSTER_NETWORKS),
    (-1135, &catalog::nothing::DM_HADR_DATABASE_REPLICA_CLUSTER_STATES),
    (-1136, &catalog::nothing::DM_HADR_DATABASE_REPLICA_STATES),
    (-1137, &catalog::nothing::DM_OS_CLUSTER_NODES),
    (-1138, &catalog::nothing::DM_IO_CLUSTER_SHARED_DRIVES),
    (-1139, &catalog::nothing::AVAILABILITY_REPLICAS),
    (-1140, &catalog::nothing::DM_HADR_AVAILABILITY_REPLICA_STATES),
    (-1141, &catalog::nothing::CONVERSATION_ENDPOINTS),
    (-1142, &catalog::nothing::CONVERSATION_GROUPS),
    (-1143, &catalog::nothing::CONVERSATION_PRIORITIES),
    (-1144, &catalog::nothing::EVENT_NOTIFICATIONS),
    (-1145, &catalog::nothing::REMOTE_SERVICE_BINDINGS),
    (-1146, &catalog::nothing::SERVER_EVENT_NOTIFICATIONS),
    (-1147, &catalog::nothing::SERVICE_BROKER_ENDPOINTS),
    (-1148, &catalog::nothing::SERVICE_QUEUE_USAGES),
    (-1149, &catalog::nothing::SERVICE_QUEUES),
    (-1150, &catalog::nothing::SERVICES),
    (-1151, &catalog::nothing::TRANSMISSION_QUEUE),
    (-1152, &catalog::nothing::DM_BROKER_ACTIVATED_TASKS),
    (-1153, &catalog::nothing::DM_BROKER_CONNECTIONS),
    (-1154, &catalog::nothing::DM_BROKER_QUEUE_MONITORS),
    (-1155, &catalog::nothing::DM_QN_SUBSCRIPTIONS),
    (-1156, &catalog::nothing::FULLTEXT_CATALOGS),
    (-1157, &catalog::nothing::FULLTEXT_INDEX_CATALOG_USAGES),
    (-1158, &catalog::nothing::FULLTEXT_INDEX_COLUMNS),
    (-1159, &catalog::nothing::FULLTEXT_INDEX_FRAGMENTS),
    (-1160, &catalog::nothing::FULLTEXT_INDEXES),
    (-1161, &catalog::nothing::FULLTEXT_STOPLISTS),
    (-1162, &catalog::nothing::FULLTEXT_STOPWORDS),
    (-1163, &catalog::nothing::REGISTERED_SEARCH_PROPERTIES),
    (-1164, &catalog::nothing::REGISTERED_SEARCH_PROPERTY_LISTS),
    (-1165, &catalog::nothing::DM_FTS_ACTIVE_CATALOGS),
    (-1166, &catalog::nothing::DM_FTS_INDEX_POPULATION),
    (-1167, &catalog::nothing::ASYMMETRIC_KEYS),
    (-1168, &catalog::nothing::CERTIFICATES),
    (-1169, &catalog::nothing::COLUMN_ENCRYPTION_KEY_VALUES),
    (-1170, &catalog::nothing::COLUMN_ENCRYPTION_KEYS),
    (-1171, &catalog::nothing::COLUMN_MASTER_KEYS),
    (-1172, &catalog::nothing::CREDENTIALS),
    (-1173, &catalog::nothing::CRYPT_PROPERTIES),
    (-1174, &catalog::nothing::CRYPTOGRAPHIC_PROVIDERS),
    (-1175, &catalog::nothing::DATABASE_AUDIT_SPECIFICATION_DETAILS),
    (-1176, &catalog::nothing::DATABASE_AUDIT_SPECIFICATIONS),
    (-1177, &catalog::nothing::DATABASE_CREDENTIALS),
    (-1178, &catalog::nothing::DATABASE_SCOPED_CREDENTIALS),
    (-1179, &catalog::nothing::KEY_ENCRYPTIONS),
    (-1180, &catalog::table_columns::MASKED_COLUMNS),
    (-1181, &catalog::nothing::OPENKEYS),
    (-1182, &catalog::nothing::SECURITY_POLICIES),
    (-1183, &catalog::nothing::SECURITY_PREDICATES),
    (-1184, &catalog::nothing::SENSITIVITY_CLASSIFICATIONS),
    (-1185, &catalog::nothing::SERVER_AUDIT_SPECIFICATION_DETAILS),
    (-1186, &catalog::nothing::SERVER_AUDIT_SPECIFICATIONS),
    (-1187, &catalog::nothing::SERVER_AUDITS),
    (-1188, &catalog::nothing::SERVER_FILE_AUDITS),
    (-1189, &catalog::nothing::SYMMETRIC_KEYS),
    (-1190, &catalog::nothing::DM_DATABASE_ENCRYPTION_KEYS),
    (-1191, &catalog::nothing::DM_SERVER_AUDIT_STATUS),
    (-1192, &catalog::data_spaces::PARTITION_FUNCTIONS),
    (-1193, &catalog::data_spaces::PARTITION_PARAMETERS),
    (-1194, &catalog::data_spaces::PARTITION_RANGE_VALUES),
    (-1195, &catalog::data_spaces::PARTITION_SCHEMES),
    (-1196, &catalog::nothing::CHANGE_TRACKING_DATABASES),
    (-1197, &catalog::nothing::CHANGE_TRACKING_TABLES),
    (-1198, &catalog::nothing::COLUMN_XML_SCHEMA_COLLECTION_USAGES),
    (-1199, &catalog::nothing::EDGE_CONSTRAINT_CLAUSES),
    (-1200, &catalog::nothing::EDGE_CONSTRAINTS),
    (-1201, &catalog::nothing::EXTERNAL_DATA_SOURCES),
    (-1202, &catalog::nothing::EXTERNAL_FILE_FORMATS),
    (-1203, &catalog::nothing::EXTERNAL_TABLES),
    (-1204, &catalog::nothing::FILETABLES),
    (-1205, &catalog::nothing::FILETABLE_SYSTEM_DEFINED_OBJECTS),
    (-1206, &catalog::nothing::FUNCTION_ORDER_COLUMNS),
    (-1207, &catalog::nothing::HASH_INDEXES),
    (-1208, &catalog::nothing::INDEX_RESUMABLE_OPERATIONS),
    (-1209, &catalog::nothing::LINKED_LOGINS),
    (-1210, &catalog::nothing::NUMBERED_PROCEDURE_PARAMETERS),
    (-1211, &catalog::nothing::NUMBERED_PROCEDURES),
    (-1212, &catalog::nothing::PARAMETER_XML_SCHEMA_COLLECTION_USAGES),
    (-1213, &catalog::nothing::PERIODS),
    (-1214, &catalog::nothing::PLAN_GUIDES),
    (-1215, &catalog::nothing::REMOTE_DATA_ARCHIVE_DATABASES),
    (-1216, &catalog::nothing::REMOTE_DATA_ARCHIVE_TABLES),
    (-1217, &catalog::nothing::REMOTE_LOGINS),
    (-1218, &catalog::nothing::SELECTIVE_XML_INDEX_PATHS),
    (-1219, &catalog::nothing::SPATIAL_INDEX_TESSELLATIONS),
    (-1220, &catalog::nothing::SPATIAL_INDEXES),
    (-1221, &catalog::nothing::XML_INDEXES),
    (-1222, &catalog::nothing::DM_REPL_ARTICLES),
    (-1223, &catalog::nothing::DM_SERVER_MEMORY_DUMPS),
    (-1224, &catalog::nothing::DM_CDC_ERRORS),
    (-1225, &catalog::nothing::DM_CDC_LOG_SCAN_SESSIONS),
    (-1226, &security::logins::SQL_LOGINS),
    (-1227, &security::logins::SERVER_ROLE_MEMBERS),
    (-1228, &security::grants::SERVER_PERMISSIONS),
    (-1229, &security::grants::DATABASE_PERMISSIONS),
    (-1230, &security::tokens::LOGIN_TOKEN),
    (-1231, &security::tokens::USER_TOKEN),
    (-1232, &security::old::SYSLOGINS),
    (-1233, &security::old::SYSMEMBERS),
    (-1234, &security::old::SYSPROTECTS),
    (-1235, &security::privileges::TABLE_PRIVILEGES),
    (-1236, &security::privileges::COLUMN_PRIVILEGES),
    (-1237, &catalog::triggers::TRIGGER_EVENTS),
    (-1238, &catalog::triggers::TRIGGER_EVENT_TYPES),
    (-1239, &catalog::triggers::SERVER_TRIGGERS),
    (-1240, &catalog::triggers::SERVER_TRIGGER_EVENTS),
    (-1241, &catalog::triggers::SERVER_SQL_MODULES),
    (-1242, &catalog::data_spaces::DESTINATION_DATA_SPACES),
    (-1243, &languages::SYSLANGUAGES),
    (-1244, &catalog::scoped_configurations::DATABASE_SCOPED_CONFIGURATIONS),
];

/// All table-valued functions, each with its number, -5000 and below; as for views.
pub static FUNCTIONS: &[(i32, &TableFunctionDef)] = &[
    (-5000, &collations::FN_HELPCOLLATIONS),
    (-5001, &dynamic::file_io::DM_IO_VIRTUAL_FILE_STATS),
    (-5002, &dynamic::file_io::FN_VIRTUALFILESTATS),
    (-5003, &dynamic::volume_io::DM_OS_VOLUME_STATS),
    (-5004, &dynamic::describe::DM_EXEC_DESCRIBE_FIRST_RESULT_SET),
    (-5005, &dynamic::log::DM_DB_LOG_INFO),
    (-5006, &dynamic::log::DM_DB_LOG_STATS),
    (-5007, &dynamic::physical::DM_DB_INDEX_PHYSICAL_STATS),
    (-5008, &dynamic::statements::DM_EXEC_SQL_TEXT),
    (-5009, &catalog::statistics::DM_DB_STATS_HISTOGRAM),
    (-5010, &catalog::statistics::DM_DB_STATS_PROPERTIES),
    (-5011, &security::builtin::FN_BUILTIN_PERMISSIONS),
    (-5012, &security::builtin::FN_MY_PERMISSIONS),
    (-5013, &property::listed::FN_LISTEXTENDEDPROPERTY),
    (-5014, &dynamic::input_buffer::DM_EXEC_INPUT_BUFFER),
];

/// The view of that name; without a schema and under `dbo` only the views of SQL Server 2000 are found.
#[must_use]
pub fn find(schema: &str, name: &str) -> Option<&'static ViewDef> {
    if schema.is_empty() || schema.eq_ignore_ascii_case("dbo") {
        return catalog::compatibility::ALL
            .iter()
            .chain(catalog::compatibility_keys::ALL)
            .chain(security::old::ALL)
            .copied()
            .find(|view| view.name.eq_ignore_ascii_case(name));
    }
    let mut views = VIEWS.iter().map(|(_, view)| *view);
    views.find(|view| view.name.eq_ignore_ascii_case(name) && view.schema.eq_ignore_ascii_case(schema))
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
    FUNCTIONS.iter().map(|(_, function)| *function).find(|function| {
        let schema_fits = function.schema.is_empty() && (schema.is_empty() || schema.eq_ignore_ascii_case("sys"));
        function.name.eq_ignore_ascii_case(name) && (schema_fits || schema.eq_ignore_ascii_case(function.schema))
    })
}
