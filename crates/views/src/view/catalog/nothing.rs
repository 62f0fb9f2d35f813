//! Views over what this version does not have: they have their columns, and no rows, which is the truth. Scripts and tools ask
//! them whatever a server is used for.
//!
//! It does not know why: what is not there is refused where it is made (`message::absent`, docs/compatibility.md).

use millpond_types::{MaxLen, SqlType, Value};

use super::super::columns::{
    BIGINT, BIT, DATETIME, FLOAT, GUID, INT, NVARCHAR_MAX, REAL, SMALLINT, SYSNAME, TINYINT, char2, col, int, moment,
    null, nvarchar, text, varbinary, varchar,
};
use super::super::{ViewDef, ViewRows};

const CHAR1: SqlType = SqlType::char(1);
const VARBINARY_MAX: SqlType = SqlType::VarBinary { len: MaxLen::Max };

/// `static name { column type, … } …`: the views, and the list of them.
macro_rules! nothing {
    ($($view:ident $name:literal { $($column:literal $sql:expr,)* })*) => {
        $(
            #[doc = concat!("`sys.", $name, "`: none.")]
            pub static $view: ViewDef = ViewDef {
                schema: "sys",
                name: $name,
                columns: &[$(null($column, $sql)),*],
                rows: &ViewRows(|_, _| Ok(Vec::new())),
            };
        )*
    };
}

nothing! {
    // Common language runtime.
    ASSEMBLIES "assemblies" { "name" SYSNAME, "principal_id" INT, "assembly_id" INT, "clr_name" nvarchar(4000),
        "permission_set" TINYINT, "permission_set_desc" nvarchar(60), "is_visible" BIT, "create_date" DATETIME,
        "modify_date" DATETIME, "is_user_defined" BIT, }
    ASSEMBLY_FILES "assembly_files" { "assembly_id" INT, "name" nvarchar(260), "file_id" INT, "content" VARBINARY_MAX, }
    ASSEMBLY_MODULES "assembly_modules" { "object_id" INT, "assembly_id" INT, "assembly_class" SYSNAME,
        "assembly_method" SYSNAME, "null_on_null_input" BIT, "execute_as_principal_id" INT, }
    ASSEMBLY_REFERENCES "assembly_references" { "assembly_id" INT, "referenced_assembly_id" INT, }
    ASSEMBLY_TYPES "assembly_types" { "assembly_id" INT, "assembly_class" SYSNAME, "is_binary_ordered" BIT,
        "is_fixed_length" BIT, "prog_id" nvarchar(40), "assembly_qualified_name" nvarchar(4000), }
    MODULE_ASSEMBLY_USAGES "module_assembly_usages" { "object_id" INT, "assembly_id" INT, }
    SERVER_ASSEMBLY_MODULES "server_assembly_modules" { "object_id" INT, "assembly_id" INT, "assembly_class" SYSNAME,
        "assembly_method" SYSNAME, "execute_as_principal_id" INT, }
    TRUSTED_ASSEMBLIES "trusted_assemblies" { "hash" varbinary(8000), "description" nvarchar(4000),
        "create_date" SqlType::DateTime2 { scale: 7 }, "created_by" nvarchar(128), }
    TYPE_ASSEMBLY_USAGES "type_assembly_usages" { "user_type_id" INT, "assembly_id" INT, }
    DM_CLR_APPDOMAINS "dm_clr_appdomains" { "appdomain_address" varbinary(8), "appdomain_id" INT,
        "appdomain_name" varchar(386), "creation_time" DATETIME, "db_id" INT, "user_id" INT, "state" nvarchar(128),
        "strong_refcount" INT, "weak_refcount" INT, "cost" INT, "value" INT, "total_processor_time_ms" BIGINT,
        "total_allocated_memory_kb" BIGINT, "survived_memory_kb" BIGINT, }
    DM_CLR_LOADED_ASSEMBLIES "dm_clr_loaded_assemblies" { "assembly_id" INT, "appdomain_address" INT,
        "load_time" DATETIME, }
    DM_CLR_TASKS "dm_clr_tasks" { "task_address" varbinary(8), "sos_task_address" varbinary(8),
        "appdomain_address" varbinary(8), "state" nvarchar(128), "abort_state" nvarchar(128), "type" nvarchar(128),
        "affinity_count" INT, "forced_yield_count" INT, }
    // Availability groups, mirroring and clusters.
    AVAILABILITY_DATABASES_CLUSTER "availability_databases_cluster" { "group_id" GUID, "group_database_id" GUID,
        "database_name" SYSNAME, }
    AVAILABILITY_GROUP_LISTENER_IP_ADDRESSES "availability_group_listener_ip_addresses" { "listener_id" nvarchar(36),
        "ip_address" nvarchar(48), "ip_subnet_mask" nvarchar(15), "is_dhcp" BIT, "network_subnet_ip" nvarchar(48),
        "network_subnet_prefix_length" INT, "network_subnet_ipv4_mask" nvarchar(45), "state" TINYINT,
        "state_desc" nvarchar(60), }
    AVAILABILITY_GROUP_LISTENERS "availability_group_listeners" { "group_id" GUID, "listener_id" nvarchar(36),
        "dns_name" nvarchar(63), "port" INT, "is_conformant" BIT, "ip_configuration_string_from_cluster" NVARCHAR_MAX, }
    AVAILABILITY_GROUPS "availability_groups" { "group_id" GUID, "name" SYSNAME, "resource_id" nvarchar(40),
        "resource_group_id" nvarchar(40), "failure_condition_level" INT, "health_check_timeout" INT,
        "automated_backup_preference" TINYINT, "automated_backup_preference_desc" nvarchar(60), "version" SMALLINT,
        "basic_features" BIT, "dtc_support" BIT, "db_failover" BIT, "is_distributed" BIT, "cluster_type" TINYINT,
        "cluster_type_desc" nvarchar(60), "required_synchronized_secondaries_to_commit" INT, "sequence_number" BIGINT,
        "is_contained" BIT, }
    AVAILABILITY_GROUPS_CLUSTER "availability_groups_cluster" { "group_id" GUID, "name" SYSNAME,
        "resource_id" nvarchar(40), "resource_group_id" nvarchar(40), "failure_condition_level" INT,
        "health_check_timeout" INT, "automated_backup_preference" TINYINT,
        "automated_backup_preference_desc" nvarchar(60), }
    AVAILABILITY_READ_ONLY_ROUTING_LISTS "availability_read_only_routing_lists" { "replica_id" GUID,
        "routing_priority" INT, "read_only_replica_id" GUID, }
    DATABASE_MIRRORING_ENDPOINTS "database_mirroring_endpoints" { "name" SYSNAME, "endpoint_id" INT,
        "principal_id" INT, "protocol" TINYINT, "protocol_desc" nvarchar(60), "type" TINYINT,
        "type_desc" nvarchar(60), "state" TINYINT, "state_desc" nvarchar(60), "is_admin_endpoint" BIT, "role" TINYINT,
        "role_desc" nvarchar(60), "is_encryption_enabled" BIT, "connection_auth" TINYINT,
        "connection_auth_desc" nvarchar(60), "certificate_id" INT, "encryption_algorithm" TINYINT,
        "encryption_algorithm_desc" nvarchar(60), }
    DATABASE_MIRRORING_WITNESSES "database_mirroring_witnesses" { "database_name" SYSNAME,
        "principal_server_name" SYSNAME, "mirror_server_name" SYSNAME, "safety_level" TINYINT,
        "safety_level_desc" nvarchar(60), "safety_sequence_number" INT, "role_sequence_number" INT,
        "mirroring_guid" GUID, "family_guid" GUID, "is_suspended" BIT, "is_suspended_sequence_number" INT,
        "partner_sync_state" TINYINT, "partner_sync_state_desc" nvarchar(60), }
    DM_DB_MIRRORING_AUTO_PAGE_REPAIR "dm_db_mirroring_auto_page_repair" { "database_id" INT, "file_id" INT,
        "page_id" BIGINT, "error_type" INT, "page_status" INT, "modification_time" DATETIME, }
    DM_DB_MIRRORING_CONNECTIONS "dm_db_mirroring_connections" { "connection_id" GUID, "transport_stream_id" GUID,
        "state" SMALLINT, "state_desc" nvarchar(60), "connect_time" DATETIME, "login_time" DATETIME,
        "authentication_method" nvarchar(128), "principal_name" nvarchar(128), "remote_user_name" nvarchar(128),
        "last_activity_time" DATETIME, "is_accept" BIT, "login_state" SMALLINT, "login_state_desc" nvarchar(60),
        "peer_certificate_id" INT, "encryption_algorithm" SMALLINT, "encryption_algorithm_desc" nvarchar(60),
        "receives_posted" SMALLINT, "is_receive_flow_controlled" BIT, "sends_posted" SMALLINT,
        "is_send_flow_controlled" BIT, "total_bytes_sent" BIGINT, "total_bytes_received" BIGINT,
        "total_fragments_sent" BIGINT, "total_fragments_received" BIGINT, "total_sends" BIGINT,
        "total_receives" BIGINT, "peer_arbitration_id" GUID, }
    DM_HADR_AVAILABILITY_GROUP_STATES "dm_hadr_availability_group_states" { "group_id" GUID,
        "primary_replica" varchar(128), "primary_recovery_health" TINYINT,
        "primary_recovery_health_desc" nvarchar(60), "secondary_recovery_health" TINYINT,
        "secondary_recovery_health_desc" nvarchar(60), "synchronization_health" TINYINT,
        "synchronization_health_desc" nvarchar(60), }
    DM_HADR_AVAILABILITY_REPLICA_CLUSTER_NODES "dm_hadr_availability_replica_cluster_nodes" {
        "group_name" nvarchar(256), "replica_server_name" nvarchar(256), "node_name" nvarchar(256), }
    DM_HADR_AVAILABILITY_REPLICA_CLUSTER_STATES "dm_hadr_availability_replica_cluster_states" { "replica_id" GUID,
        "replica_server_name" nvarchar(256), "group_id" GUID, "join_state" TINYINT, "join_state_desc" nvarchar(60), }
    DM_HADR_CLUSTER "dm_hadr_cluster" { "cluster_name" nvarchar(128), "quorum_type" TINYINT,
        "quorum_type_desc" varchar(50), "quorum_state" TINYINT, "quorum_state_desc" varchar(50), }
    DM_HADR_CLUSTER_MEMBERS "dm_hadr_cluster_members" { "member_name" nvarchar(128), "member_type" TINYINT,
        "member_type_desc" nvarchar(50), "member_state" TINYINT, "member_state_desc" nvarchar(60),
        "number_of_quorum_votes" TINYINT, }
    DM_HADR_CLUSTER_NETWORKS "dm_hadr_cluster_networks" { "member_name" nvarchar(128),
        "network_subnet_ip" nvarchar(48), "network_subnet_ipv4_mask" nvarchar(45), "network_subnet_prefix_length" INT,
        "is_public" BIT, "is_ipv4" BIT, }
    DM_HADR_DATABASE_REPLICA_CLUSTER_STATES "dm_hadr_database_replica_cluster_states" { "replica_id" GUID,
        "group_database_id" GUID, "database_name" SYSNAME, "is_failover_ready" BIT,
        "is_pending_secondary_suspend" BIT, "is_database_joined" BIT, "recovery_lsn" SqlType::numeric(25, 0),
        "truncation_lsn" SqlType::numeric(25, 0), }
    DM_HADR_DATABASE_REPLICA_STATES "dm_hadr_database_replica_states" { "database_id" INT, "group_id" GUID,
        "replica_id" GUID, "group_database_id" GUID, "is_local" BIT, "is_primary_replica" BIT,
        "synchronization_state" TINYINT, "synchronization_state_desc" nvarchar(60), "is_commit_participant" BIT,
        "synchronization_health" TINYINT, "synchronization_health_desc" nvarchar(60), "database_state" TINYINT,
        "database_state_desc" nvarchar(60), "is_suspended" BIT, "suspend_reason" TINYINT,
        "suspend_reason_desc" nvarchar(60), "recovery_lsn" SqlType::numeric(25, 0),
        "truncation_lsn" SqlType::numeric(25, 0), "last_sent_lsn" SqlType::numeric(25, 0), "last_sent_time" DATETIME,
        "last_received_lsn" SqlType::numeric(25, 0), "last_received_time" DATETIME,
        "last_hardened_lsn" SqlType::numeric(25, 0), "last_hardened_time" DATETIME,
        "last_redone_lsn" SqlType::numeric(25, 0), "last_redone_time" DATETIME, "log_send_queue_size" BIGINT,
        "log_send_rate" BIGINT, "redo_queue_size" BIGINT, "redo_rate" BIGINT, "filestream_send_rate" BIGINT,
        "end_of_log_lsn" SqlType::numeric(25, 0), "last_commit_lsn" SqlType::numeric(25, 0),
        "last_commit_time" DATETIME, "low_water_mark_for_ghosts" BIGINT, "secondary_lag_seconds" BIGINT, }
    DM_OS_CLUSTER_NODES "dm_os_cluster_nodes" { "NodeName" SYSNAME, "status" INT, "status_description" nvarchar(20),
        "is_current_owner" BIT, }
    DM_IO_CLUSTER_SHARED_DRIVES "dm_io_cluster_shared_drives" { "DriveName" SqlType::NChar { len: 2 }, }
    AVAILABILITY_REPLICAS "availability_replicas" { "replica_id" GUID, "group_id" GUID, "replica_metadata_id" INT,
        "replica_server_name" nvarchar(256), "owner_sid" varbinary(85), "endpoint_url" nvarchar(128),
        "availability_mode" TINYINT, "availability_mode_desc" nvarchar(60), "failover_mode" TINYINT,
        "failover_mode_desc" nvarchar(60), "session_timeout" INT, "primary_role_allow_connections" TINYINT,
        "primary_role_allow_connections_desc" nvarchar(60), "secondary_role_allow_connections" TINYINT,
        "secondary_role_allow_connections_desc" nvarchar(60), "create_date" DATETIME, "modify_date" DATETIME,
        "backup_priority" INT, "read_only_routing_url" nvarchar(256), "seeding_mode" TINYINT,
        "seeding_mode_desc" nvarchar(60), "read_write_routing_url" nvarchar(256), }
    DM_HADR_AVAILABILITY_REPLICA_STATES "dm_hadr_availability_replica_states" { "replica_id" GUID, "group_id" GUID,
        "is_local" BIT, "role" TINYINT, "role_desc" nvarchar(60), "operational_state" TINYINT,
        "operational_state_desc" nvarchar(60), "connected_state" TINYINT, "connected_state_desc" nvarchar(60),
        "recovery_health" TINYINT, "recovery_health_desc" nvarchar(60), "synchronization_health" TINYINT,
        "synchronization_health_desc" nvarchar(60), "last_connect_error_number" INT,
        "last_connect_error_description" nvarchar(1024), "last_connect_error_timestamp" DATETIME, }
    // Service Broker, events, queries that notify.
    CONVERSATION_ENDPOINTS "conversation_endpoints" { "conversation_handle" GUID, "conversation_id" GUID,
        "is_initiator" TINYINT, "service_contract_id" INT, "conversation_group_id" GUID, "service_id" INT,
        "lifetime" DATETIME, "state" char2(), "state_desc" nvarchar(60), "far_service" nvarchar(256),
        "far_broker_instance" nvarchar(128), "principal_id" INT, "far_principal_id" INT,
        "outbound_session_key_identifier" GUID, "inbound_session_key_identifier" GUID, "security_timestamp" DATETIME,
        "dialog_timer" DATETIME, "send_sequence" BIGINT, "last_send_tran_id" SqlType::Binary { len: 6 },
        "end_dialog_sequence" BIGINT, "receive_sequence" BIGINT, "receive_sequence_frag" INT,
        "system_sequence" BIGINT, "first_out_of_order_sequence" BIGINT, "last_out_of_order_sequence" BIGINT,
        "last_out_of_order_frag" INT, "is_system" BIT, "priority" TINYINT, }
    CONVERSATION_GROUPS "conversation_groups" { "conversation_group_id" GUID, "service_id" INT, "is_system" BIT, }
    CONVERSATION_PRIORITIES "conversation_priorities" { "Priority_id" INT, "name" SYSNAME, "service_contract_id" INT,
        "local_service_id" INT, "remote_service_name" nvarchar(256), "priority" TINYINT, }
    EVENT_NOTIFICATIONS "event_notifications" { "name" SYSNAME, "object_id" INT, "parent_class" TINYINT,
        "parent_class_desc" nvarchar(60), "parent_id" INT, "create_date" DATETIME, "modify_date" DATETIME,
        "service_name" nvarchar(256), "broker_instance" nvarchar(128), "principal_id" INT,
        "creator_sid" varbinary(85), }
    REMOTE_SERVICE_BINDINGS "remote_service_bindings" { "name" SYSNAME, "remote_service_binding_id" INT,
        "principal_id" INT, "remote_service_name" nvarchar(256), "service_contract_id" INT, "remote_principal_id" INT,
        "is_anonymous_on" BIT, }
    SERVER_EVENT_NOTIFICATIONS "server_event_notifications" { "name" SYSNAME, "object_id" INT, "parent_class" TINYINT,
        "parent_class_desc" nvarchar(60), "parent_id" INT, "create_date" DATETIME, "modify_date" DATETIME,
        "service_name" nvarchar(256), "broker_instance" nvarchar(128), "creator_sid" varbinary(85),
        "principal_id" INT, }
    SERVICE_BROKER_ENDPOINTS "service_broker_endpoints" { "name" SYSNAME, "endpoint_id" INT, "principal_id" INT,
        "protocol" TINYINT, "protocol_desc" nvarchar(60), "type" TINYINT, "type_desc" nvarchar(60), "state" TINYINT,
        "state_desc" nvarchar(60), "is_admin_endpoint" BIT, "is_message_forwarding_enabled" BIT,
        "message_forwarding_size" INT, "connection_auth" TINYINT, "connection_auth_desc" nvarchar(60),
        "certificate_id" INT, "encryption_algorithm" TINYINT, "encryption_algorithm_desc" nvarchar(60), }
    SERVICE_QUEUE_USAGES "service_queue_usages" { "service_id" INT, "service_queue_id" INT, }
    SERVICE_QUEUES "service_queues" { "name" SYSNAME, "object_id" INT, "principal_id" INT, "schema_id" INT,
        "parent_object_id" INT, "type" char2(), "type_desc" nvarchar(60), "create_date" DATETIME,
        "modify_date" DATETIME, "is_ms_shipped" BIT, "is_published" BIT, "is_schema_published" BIT,
        "max_readers" SMALLINT, "activation_procedure" nvarchar(776), "execute_as_principal_id" INT,
        "is_activation_enabled" BIT, "is_receive_enabled" BIT, "is_enqueue_enabled" BIT, "is_retention_enabled" BIT,
        "is_poison_message_handling_enabled" BIT, }
    SERVICES "services" { "name" SYSNAME, "service_id" INT, "principal_id" INT, "service_queue_id" INT, }
    TRANSMISSION_QUEUE "transmission_queue" { "conversation_handle" GUID, "to_service_name" nvarchar(256),
        "to_broker_instance" nvarchar(128), "from_service_name" nvarchar(256), "service_contract_name" nvarchar(256),
        "enqueue_time" DATETIME, "message_sequence_number" BIGINT, "message_type_name" nvarchar(256),
        "is_conversation_error" BIT, "is_end_of_dialog" BIT, "message_body" VARBINARY_MAX,
        "transmission_status" nvarchar(4000), "priority" TINYINT, }
    DM_BROKER_ACTIVATED_TASKS "dm_broker_activated_tasks" { "spid" INT, "database_id" SMALLINT, "queue_id" INT,
        "procedure_name" nvarchar(650), "execute_as" INT, }
    DM_BROKER_CONNECTIONS "dm_broker_connections" { "connection_id" GUID, "transport_stream_id" GUID,
        "state" SMALLINT, "state_desc" nvarchar(60), "connect_time" DATETIME, "login_time" DATETIME,
        "authentication_method" nvarchar(128), "principal_name" nvarchar(128), "remote_user_name" nvarchar(128),
        "last_activity_time" DATETIME, "is_accept" BIT, "login_state" SMALLINT, "login_state_desc" nvarchar(60),
        "peer_certificate_id" INT, "encryption_algorithm" SMALLINT, "encryption_algorithm_desc" nvarchar(60),
        "receives_posted" SMALLINT, "is_receive_flow_controlled" BIT, "sends_posted" SMALLINT,
        "is_send_flow_controlled" BIT, "total_bytes_sent" BIGINT, "total_bytes_received" BIGINT,
        "total_fragments_sent" BIGINT, "total_fragments_received" BIGINT, "total_sends" BIGINT,
        "total_receives" BIGINT, "peer_arbitration_id" GUID, }
    DM_BROKER_QUEUE_MONITORS "dm_broker_queue_monitors" { "database_id" INT, "queue_id" INT, "state" nvarchar(32),
        "last_empty_rowset_time" DATETIME, "last_activated_time" DATETIME, "tasks_waiting" INT, }
    DM_QN_SUBSCRIPTIONS "dm_qn_subscriptions" { "id" INT, "database_id" INT, "sid" varbinary(85), "object_id" INT,
        "created" DATETIME, "timeout" INT, "status" INT, }
    // Full text.
    FULLTEXT_CATALOGS "fulltext_catalogs" { "fulltext_catalog_id" INT, "name" SYSNAME, "path" nvarchar(260),
        "is_default" BIT, "is_accent_sensitivity_on" BIT, "data_space_id" INT, "file_id" INT, "principal_id" INT,
        "is_importing" BIT, }
    FULLTEXT_INDEX_CATALOG_USAGES "fulltext_index_catalog_usages" { "object_id" INT, "index_id" INT,
        "fulltext_catalog_id" INT, }
    FULLTEXT_INDEX_COLUMNS "fulltext_index_columns" { "object_id" INT, "column_id" INT, "type_column_id" INT,
        "language_id" INT, "statistical_semantics" INT, }
    FULLTEXT_INDEX_FRAGMENTS "fulltext_index_fragments" { "table_id" INT, "fragment_object_id" INT, "fragment_id" INT,
        "timestamp" SqlType::RowVersion, "data_size" INT, "row_count" INT, "status" INT, }
    FULLTEXT_INDEXES "fulltext_indexes" { "object_id" INT, "unique_index_id" INT, "fulltext_catalog_id" INT,
        "is_enabled" BIT, "change_tracking_state" CHAR1, "change_tracking_state_desc" nvarchar(60),
        "has_crawl_completed" BIT, "crawl_type" CHAR1, "crawl_type_desc" nvarchar(60), "crawl_start_date" DATETIME,
        "crawl_end_date" DATETIME, "incremental_timestamp" SqlType::Binary { len: 8 }, "stoplist_id" INT,
        "data_space_id" INT, "property_list_id" INT, }
    FULLTEXT_STOPLISTS "fulltext_stoplists" { "stoplist_id" INT, "name" SYSNAME, "create_date" DATETIME,
        "modify_date" DATETIME, "Principal_id" INT, }
    FULLTEXT_STOPWORDS "fulltext_stopwords" { "stoplist_id" INT, "Stoppwort" nvarchar(64), "language" SYSNAME,
        "language_id" INT, }
    REGISTERED_SEARCH_PROPERTIES "registered_search_properties" { "property_list_id" INT, "property_set_guid" GUID,
        "property_int_id" INT, "property_name" nvarchar(64), "property_description" nvarchar(512), "property_id" INT, }
    REGISTERED_SEARCH_PROPERTY_LISTS "registered_search_property_lists" { "property_list_id" INT, "name" SYSNAME,
        "create_date" DATETIME, "modify_date" DATETIME, "principal_id" INT, }
    DM_FTS_ACTIVE_CATALOGS "dm_fts_active_catalogs" { "database_id" INT, "catalog_id" INT,
        "memory_address" varbinary(8), "name" nvarchar(128), "is_paused" BIT, "status" INT,
        "status_description" nvarchar(120), "previous_status" INT, "previous_status_description" nvarchar(120),
        "worker_count" INT, "active_fts_index_count" INT, "auto_population_count" INT, "manual_population_count" INT,
        "full_incremental_population_count" INT, "row_count_in_thousands" INT, "is_importing" BIT, }
    DM_FTS_INDEX_POPULATION "dm_fts_index_population" { "database_id" INT, "catalog_id" INT, "table_id" INT,
        "memory_address" varbinary(8), "population_type" INT, "population_type_description" nvarchar(120),
        "is_clustered_index_scan" BIT, "range_count" INT, "completed_range_count" INT, "outstanding_batch_count" INT,
        "status" INT, "status_description" nvarchar(120), "completion_type" INT,
        "completion_type_description" nvarchar(120), "worker_count" INT, "queued_population_type" INT,
        "queued_population_type_description" nvarchar(120), "start_time" DATETIME,
        "incremental_timestamp" SqlType::RowVersion, }
    // Keys, certificates, credentials, audits, security policies.
    ASYMMETRIC_KEYS "asymmetric_keys" { "name" SYSNAME, "principal_id" INT, "asymmetric_key_id" INT,
        "pvt_key_encryption_type" char2(), "pvt_key_encryption_type_desc" nvarchar(60), "Fingerabdruck" varbinary(32),
        "projiziert" char2(), "algorithm_desc" nvarchar(60), "key_length" INT, "sid" varbinary(85),
        "string_sid" nvarchar(128), "public_key" VARBINARY_MAX, "attested_by" nvarchar(260),
        "provider_type" nvarchar(120), "cryptographic_provider_guid" GUID,
        "cryptographic_provider_algid" SqlType::Variant, }
    CERTIFICATES "certificates" { "name" SYSNAME, "certificate_id" INT, "principal_id" INT,
        "pvt_key_encryption_type" char2(), "pvt_key_encryption_type_desc" nvarchar(60),
        "is_active_for_begin_dialog" BIT, "issuer_name" nvarchar(442), "cert_serial_number" nvarchar(64),
        "sid" varbinary(85), "string_sid" nvarchar(128), "subject" nvarchar(4000), "expiry_date" DATETIME,
        "start_date" DATETIME, "Fingerabdruck" varbinary(32), "attested_by" nvarchar(260),
        "pvt_key_last_backup_date" DATETIME, }
    COLUMN_ENCRYPTION_KEY_VALUES "column_encryption_key_values" { "column_encryption_key_id" INT,
        "column_master_key_id" INT, "encrypted_value" varbinary(8000), "encryption_algorithm_name" SYSNAME, }
    COLUMN_ENCRYPTION_KEYS "column_encryption_keys" { "name" SYSNAME, "column_encryption_key_id" INT,
        "create_date" DATETIME, "modify_date" DATETIME, }
    COLUMN_MASTER_KEYS "column_master_keys" { "name" SYSNAME, "column_master_key_id" INT, "create_date" DATETIME,
        "modify_date" DATETIME, "key_store_provider_name" SYSNAME, "key_path" nvarchar(4000),
        "allow_enclave_computations" BIT, "Signatur" VARBINARY_MAX, }
    CREDENTIALS "credentials" { "credential_id" INT, "name" SYSNAME, "credential_identity" nvarchar(4000),
        "create_date" DATETIME, "modify_date" DATETIME, "target_type" nvarchar(100), "target_id" INT, }
    CRYPT_PROPERTIES "crypt_properties" { "class" TINYINT, "class_desc" nvarchar(60), "major_id" INT,
        "Fingerabdruck" varbinary(32), "crypt_type" SqlType::char(4), "crypt_type_desc" nvarchar(60),
        "crypt_property" VARBINARY_MAX, }
    CRYPTOGRAPHIC_PROVIDERS "cryptographic_providers" { "provider_id" INT, "name" SYSNAME, "guid" GUID,
        "version" nvarchar(50), "dll_path" nvarchar(512), "is_enabled" BIT, }
    DATABASE_AUDIT_SPECIFICATION_DETAILS "database_audit_specification_details" { "database_specification_id" INT,
        "audit_action_id" INT, "audit_action_name" SYSNAME, "Klasse" INT, "class_" nvarchar(60), "major_id" INT,
        "minor_id" INT, "audited_principal_id" INT, "audited_result" nvarchar(60), "is_group" BIT, }
    DATABASE_AUDIT_SPECIFICATIONS "database_audit_specifications" { "Name" SYSNAME, "database_specification_id" INT,
        "create_date" DATETIME, "modified_date" DATETIME, "is_state_enabled" BIT, "audit_GUID" GUID, }
    DATABASE_CREDENTIALS "database_credentials" { "credential_id" INT, "name" SYSNAME,
        "credential_identity" nvarchar(4000), "create_date" DATETIME, "modify_date" DATETIME,
        "target_type" nvarchar(100), "target_id" INT, }
    DATABASE_SCOPED_CREDENTIALS "database_scoped_credentials" { "name" SYSNAME, "credential_id" INT,
        "principal_id" INT, "credential_identity" nvarchar(4000), "create_date" DATETIME, "modify_date" DATETIME,
        "target_type" nvarchar(100), "target_id" INT, }
    KEY_ENCRYPTIONS "key_encryptions" { "key_id" INT, "thumbprint" varbinary(32), "crypt_type" SqlType::char(4),
        "crypt_type_desc" nvarchar(60), "crypt_property" VARBINARY_MAX, }
    MASKED_COLUMNS "masked_columns" { "object_id" INT, "name" SYSNAME, "column_id" INT, "system_type_id" TINYINT,
        "user_type_id" INT, "max_length" SMALLINT, "precision" TINYINT, "scale" TINYINT, "collation_name" SYSNAME,
        "is_nullable" BIT, "is_ansi_padded" BIT, "is_rowguidcol" BIT, "is_identity" BIT, "is_computed" BIT,
        "is_filestream" BIT, "is_replicated" BIT, "is_non_sql_subscribed" BIT, "is_merge_published" BIT,
        "is_dts_replicated" BIT, "is_xml_document" BIT, "xml_collection_id" INT, "default_object_id" INT,
        "rule_object_id" INT, "is_sparse" BIT, "is_column_set" BIT, "generated_always_type" TINYINT,
        "generated_always_type_desc" nvarchar(60), "encryption_type" INT, "encryption_type_desc" nvarchar(64),
        "encryption_algorithm_name" SYSNAME, "column_encryption_key_id" INT,
        "column_encryption_key_database_name" SYSNAME, "is_hidden" BIT, "is_masked" BIT,
        "masking_function" nvarchar(4000), }
    OPENKEYS "openkeys" { "database_id" INT, "database_name" SYSNAME, "key_id" INT, "key_name" SYSNAME,
        "key_guid" VARBINARY_MAX, "opened_date" DATETIME, "status" INT, }
    SECURITY_POLICIES "security_policies" { "name" SYSNAME, "object_id" INT, "principal_id" INT, "schema_id" INT,
        "parent_object_id" INT, "type" varchar(2), "type_desc" nvarchar(60), "create_date" DATETIME,
        "modify_date" DATETIME, "is_ms_shipped" BIT, "is_enabled" BIT, "is_not_for_replication" BIT,
        "uses_database_collation" BIT, "is_schemabinding_enabled" BIT, }
    SECURITY_PREDICATES "security_predicates" { "object_id" INT, "security_predicate_id" INT, "target_object_id" INT,
        "predicate_definition" NVARCHAR_MAX, "predicate_type" INT, "predicate_type_desc" nvarchar(60),
        "operation" INT, "operation_desc" nvarchar(60), }
    SENSITIVITY_CLASSIFICATIONS "sensitivity_classifications" { "class" INT, "class_desc" varchar(16), "major_id" INT,
        "minor_id" INT, "label" SYSNAME, "label_id" SYSNAME, "information_type" SYSNAME,
        "information_type_id" SYSNAME, "rank" INT, "rank_desc" SYSNAME, }
    SERVER_AUDIT_SPECIFICATION_DETAILS "server_audit_specification_details" { "server_specification_id" INT,
        "audit_action_id" INT, "audit_action_name" SYSNAME, "class" TINYINT, "class_desc" nvarchar(60),
        "major_id" INT, "minor_id" INT, "audited_principal_id" INT, "audited_result" nvarchar(60), "is_group" BIT, }
    SERVER_AUDIT_SPECIFICATIONS "server_audit_specifications" { "name" SYSNAME, "server_specification_id" INT,
        "create_date" DATETIME, "modified_date" DATETIME, "is_state_enabled" TINYINT, "audit_GUID" GUID, }
    SERVER_AUDITS "server_audits" { "audit_id" INT, "name" SYSNAME, "audit_guid" GUID, "create_date" DATETIME,
        "modify_date" DATETIME, "principal_id" INT, "type" char2(), "type_desc" nvarchar(60), "on_failure" TINYINT,
        "on_failure_desc" nvarchar(60), "is_state_enabled" TINYINT, "queue_delay" INT, "predicate" nvarchar(3000), }
    SERVER_FILE_AUDITS "server_file_audits" { "audit_id" INT, "name" SYSNAME, "audit_guid" GUID,
        "create_date" DATETIME, "modify_date" DATETIME, "principal_id" INT, "type" char2(), "type_desc" nvarchar(60),
        "on_failure" TINYINT, "on_failure_desc" nvarchar(60), "is_state_enabled" TINYINT, "queue_delay" INT,
        "predicate" nvarchar(8000), "max_file_size" BIGINT, "max_rollover_files" INT, "max_files" INT,
        "reserved_disk_space" INT, "log_file_path" nvarchar(260), "log_file_name" nvarchar(260), }
    SYMMETRIC_KEYS "symmetric_keys" { "name" SYSNAME, "principal_id" INT, "symmetric_key_id" INT, "key_length" INT,
        "key_algorithm" char2(), "algorithm_desc" nvarchar(60), "create_date" DATETIME, "modify_date" DATETIME,
        "key_guid" GUID, "key_thumbprint" SqlType::Variant, "provider_type" nvarchar(120),
        "cryptographic_provider_guid" GUID, "cryptographic_provider_algid" SqlType::Variant, }
    DM_DATABASE_ENCRYPTION_KEYS "dm_database_encryption_keys" { "database_id" INT, "encryption_state" INT,
        "create_date" DATETIME, "regenerate_date" DATETIME, "modify_date" DATETIME, "set_date" DATETIME,
        "opened_date" DATETIME, "key_algorithm" nvarchar(32), "key_length" INT, "encryptor_thumbprint" varbinary(20),
        "encryptor_type" nvarchar(32), "percent_complete" REAL, "encryption_state_desc" nvarchar(32),
        "encryption_scan_state" INT, "encryption_scan_state_desc" nvarchar(32),
        "encryption_scan_modify_date" DATETIME, }
    DM_SERVER_AUDIT_STATUS "dm_server_audit_status" { "audit_id" INT, "name" SYSNAME, "status" SMALLINT,
        "status_desc" nvarchar(256), "status_time" SqlType::DateTime2 { scale: 7 },
        "event_session_address" varbinary(8), "audit_file_path" nvarchar(256), "audit_file_size" BIGINT, }
    // Partitions.
    PARTITION_FUNCTIONS "partition_functions" { "name" SYSNAME, "function_id" INT, "type" char2(),
        "type_desc" nvarchar(60), "fanout" INT, "boundary_value_on_right" BIT, "is_system" BIT,
        "create_date" DATETIME, "modify_date" DATETIME, }
    PARTITION_PARAMETERS "partition_parameters" { "function_id" INT, "parameter_id" INT, "system_type_id" TINYINT,
        "max_length" SMALLINT, "precision" TINYINT, "scale" TINYINT, "collation_name" SYSNAME, "user_type_id" INT, }
    PARTITION_RANGE_VALUES "partition_range_values" { "function_id" INT, "boundary_id" INT, "parameter_id" INT,
        "value" SqlType::Variant, }
    PARTITION_SCHEMES "partition_schemes" { "name" SYSNAME, "data_space_id" INT, "type" char2(),
        "type_desc" nvarchar(60), "is_default" BIT, "is_system" BIT, "function_id" INT, }
    // XML, spatial, files, graphs, other kinds of tables and indexes.
    CHANGE_TRACKING_DATABASES "change_tracking_databases" { "database_id" INT, "is_auto_cleanup_on" BIT,
        "retention_period" INT, "retention_period_units_desc" nvarchar(60), "retention_period_units" TINYINT, }
    CHANGE_TRACKING_TABLES "change_tracking_tables" { "object_id" INT, "is_track_columns_updated_on" BIT,
        "begin_version" BIGINT, "cleanup_version" BIGINT, "min_valid_version" BIGINT, }
    COLUMN_XML_SCHEMA_COLLECTION_USAGES "column_xml_schema_collection_usages" { "object_id" INT, "column_id" INT,
        "xml_collection_id" INT, }
    EDGE_CONSTRAINT_CLAUSES "edge_constraint_clauses" { "object_id" INT, "from_object_id" INT, "to_object_id" INT,
        "clause_number" INT, }
    EDGE_CONSTRAINTS "edge_constraints" { "name" SYSNAME, "object_id" INT, "principal_id" INT, "schema_id" INT,
        "parent_object_id" INT, "type" char2(), "type_desc" nvarchar(60), "create_date" DATETIME,
        "modify_date" DATETIME, "is_ms_shipped" BIT, "is_published" BIT, "is_schema_published" BIT, "is_disabled" BIT,
        "is_not_trusted" BIT, "delete_referential_action" TINYINT, "delete_referential_action_desc" nvarchar(60),
        "is_system_named" BIT, }
    EXTERNAL_DATA_SOURCES "external_data_sources" { "data_source_id" INT, "name" SYSNAME, "location" nvarchar(4000),
        "type_desc" nvarchar(255), "type" TINYINT, "resource_manager_location" nvarchar(4000), "credential_id" INT,
        "database_name" SYSNAME, "shard_map_name" SYSNAME, }
    EXTERNAL_FILE_FORMATS "external_file_formats" { "file_format_id" INT, "name" SYSNAME, "format_type" TINYINT,
        "field_terminator" nvarchar(10), "string_delimiter" nvarchar(10), "date_format" nvarchar(50),
        "use_type_default" BIT, "serde_method" nvarchar(255), "row_terminator" nvarchar(10), "encoding" nvarchar(10),
        "data_compression" nvarchar(255), }
    EXTERNAL_TABLES "external_tables" { "name" SYSNAME, "object_id" INT, "principal_id" INT, "schema_id" INT,
        "parent_object_id" INT, "type" char2(), "type_desc" nvarchar(60), "create_date" DATETIME,
        "modify_date" DATETIME, "is_ms_shipped" BIT, "is_published" BIT, "is_schema_published" BIT,
        "max_column_id_used" INT, "uses_ansi_nulls" BIT, "data_source_id" INT, "file_format_id" INT,
        "location" nvarchar(4000), "reject_type" TINYINT, "reject_value" FLOAT, "reject_sample_value" INT,
        "distribution_type" INT, "distribution_desc" nvarchar(120), "sharding_column_id" INT,
        "remote_schema_name" SYSNAME, "remote_object_name" SYSNAME, }
    FILETABLES "filetables" { "object_id" INT, "is_enabled" BIT, "directory_name" varchar(255),
        "filename_collation_id" INT, "filename_collation_name" SYSNAME, }
    FILETABLE_SYSTEM_DEFINED_OBJECTS "filetable_system_defined_objects" { "object_id" INT, "parent_object_id" INT, }
    FUNCTION_ORDER_COLUMNS "function_order_columns" { "object_id" INT, "order_column_id" INT, "column_id" INT,
        "is_descending" BIT, }
    HASH_INDEXES "hash_indexes" { "object_id" INT, "name" SYSNAME, "index_id" INT, "type" TINYINT,
        "type_desc" nvarchar(60), "is_unique" BIT, "data_space_id" INT, "ignore_dup_key" BIT, "is_primary_key" BIT,
        "is_unique_constraint" BIT, "fill_factor" TINYINT, "is_padded" BIT, "is_disabled" BIT, "is_hypothetical" BIT,
        "allow_row_locks" BIT, "allow_page_locks" BIT, "has_filter" BIT, "filter_definition" NVARCHAR_MAX,
        "auto_created" BIT, "optimize_for_sequential_key" BIT, "bucket_count" INT, }
    INDEX_RESUMABLE_OPERATIONS "index_resumable_operations" { "object_id" INT, "index_id" INT, "name" SYSNAME,
        "sql_text" NVARCHAR_MAX, "last_max_dop" SMALLINT, "partition_number" INT, "state" TINYINT,
        "state_desc" nvarchar(60), "start_time" DATETIME, "last_pause_time" DATETIME, "total_execution_time" INT,
        "percent_complete" REAL, "page_count" BIGINT, }
    LINKED_LOGINS "linked_logins" { "server_id" INT, "local_principal_id" INT, "uses_self_credential" BIT,
        "remote_name" SYSNAME, "modify_date" DATETIME, }
    NUMBERED_PROCEDURE_PARAMETERS "numbered_procedure_parameters" { "object_id" INT, "procedure_number" SMALLINT,
        "name" SYSNAME, "parameter_id" INT, "system_type_id" TINYINT, "user_type_id" INT, "max_length" SMALLINT,
        "precision" TINYINT, "scale" TINYINT, "is_output" BIT, "is_cursor_ref" BIT, }
    NUMBERED_PROCEDURES "numbered_procedures" { "object_id" INT, "procedure_number" SMALLINT,
        "Definition" NVARCHAR_MAX, }
    PARAMETER_XML_SCHEMA_COLLECTION_USAGES "parameter_xml_schema_collection_usages" { "object_id" INT,
        "parameter_id" INT, "xml_collection_id" INT, }
    PERIODS "periods" { "name" SYSNAME, "period_type" TINYINT, "period_type_desc" nvarchar(60), "object_id" INT,
        "start_column_id" INT, "end_column_id" INT, }
    PLAN_GUIDES "plan_guides" { "plan_guide_id" INT, "name" SYSNAME, "create_date" DATETIME, "modify_date" DATETIME,
        "is_disabled" BIT, "query_text" NVARCHAR_MAX, "scope_type" TINYINT, "scope_type_desc" nvarchar(60),
        "scope_object_id" INT, "scope_batch" NVARCHAR_MAX, "parameters" NVARCHAR_MAX, "entgegen" NVARCHAR_MAX, }
    REMOTE_DATA_ARCHIVE_DATABASES "remote_data_archive_databases" { "remote_database_id" INT,
        "remote_database_name" SYSNAME, "data_source_id" INT, }
    REMOTE_DATA_ARCHIVE_TABLES "remote_data_archive_tables" { "object_id" INT, "remote_database_id" INT,
        "remote_table_name" SYSNAME, "filter_predicate" NVARCHAR_MAX, "migration_direction" TINYINT,
        "migration_direction_desc" nvarchar(60), "is_migration_paused" BIT, "is_reconciled" BIT, }
    REMOTE_LOGINS "remote_logins" { "server_id" INT, "remote_name" SYSNAME, "local_principal_id" INT,
        "modify_date" DATETIME, }
    SELECTIVE_XML_INDEX_PATHS "selective_xml_index_paths" { "object_id" INT, "index_id" INT, "path_id" INT,
        "path" nvarchar(4000), "name" SYSNAME, "path_type" TINYINT, "path_type_desc" SYSNAME, "xml_component_id" INT,
        "xquery_type_description" nvarchar(4000), "is_xquery_type_inferred" BIT, "xquery_max_length" SMALLINT,
        "is_xquery_max_length_inferred" BIT, "is_node" BIT, "system_type_id" TINYINT, "user_type_id" TINYINT,
        "max_length" SMALLINT, "precision" TINYINT, "scale" TINYINT, "collation_name" SYSNAME, "is_singleton" BIT, }
    SPATIAL_INDEX_TESSELLATIONS "spatial_index_tessellations" { "object_id" INT, "index_id" INT,
        "tessellation_scheme" SYSNAME, "bounding_box_xmin" FLOAT, "bounding_box_ymin" FLOAT,
        "bounding_box_xmax" FLOAT, "bounding_box_ymax" FLOAT, "level_1_grid" SMALLINT,
        "level_1_grid_desc" nvarchar(60), "level_2_grid" SMALLINT, "level_2_grid_desc" nvarchar(60),
        "level_3_grid" SMALLINT, "level_3_grid_desc" nvarchar(60), "level_4_grid" SMALLINT,
        "level_4_grid_desc" nvarchar(60), "cells_per_object" INT, }
    SPATIAL_INDEXES "spatial_indexes" { "object_id" INT, "name" SYSNAME, "index_id" INT, "type" TINYINT,
        "type_desc" nvarchar(60), "is_unique" BIT, "data_space_id" INT, "ignore_dup_key" BIT, "is_primary_key" BIT,
        "is_unique_constraint" BIT, "fill_factor" TINYINT, "is_padded" BIT, "is_disabled" BIT, "is_hypothetical" BIT,
        "allow_row_locks" BIT, "allow_page_locks" BIT, "has_filter" BIT, "filter_definition" NVARCHAR_MAX,
        "auto_created" BIT, "optimize_for_sequential_key" BIT, "spatial_index_type" TINYINT,
        "spatial_index_type_desc" nvarchar(60), "tessellation_scheme" SYSNAME, }
    XML_INDEXES "xml_indexes" { "object_id" INT, "name" SYSNAME, "index_id" INT, "type" TINYINT,
        "type_desc" nvarchar(60), "is_unique" BIT, "data_space_id" INT, "ignore_dup_key" BIT, "is_primary_key" BIT,
        "is_unique_constraint" BIT, "fill_factor" TINYINT, "is_padded" BIT, "is_disabled" BIT, "is_hypothetical" BIT,
        "allow_row_locks" BIT, "allow_page_locks" BIT, "has_filter" BIT, "filter_definition" NVARCHAR_MAX,
        "auto_created" BIT, "optimize_for_sequential_key" BIT, "using_xml_index_id" INT, "secondary_type" CHAR1,
        "secondary_type_desc" nvarchar(60), "xml_index_type" TINYINT, "xml_index_type_description" nvarchar(60),
        "path_id" INT, }
    DM_REPL_ARTICLES "dm_repl_articles" { "artcache_db_address" varbinary(8), "artcache_table_address" varbinary(8),
        "artcache_schema_address" varbinary(8), "artcache_article_address" varbinary(8), "artid" BIGINT,
        "artfilter" BIGINT, "artobjid" BIGINT, "artpubid" BIGINT, "artstatus" TINYINT, "arttype" TINYINT,
        "wszArtdesttable" nvarchar(514), "wszArtdesttableowner" nvarchar(514), "wszArtinscmd" nvarchar(510),
        "cmdTypeIns" INT, "wszArtdelcmd" nvarchar(510), "cmdTypeDel" INT, "wszArtupdcmd" nvarchar(510),
        "cmdTypeUpd" INT, "wszArtpartialupdcmd" nvarchar(510), "cmdTypePartialUpd" INT, "numcol" INT,
        "artcmdtype" TINYINT, "artgeninscmd" nvarchar(510), "artgendelcmd" nvarchar(510),
        "artgenupdcmd" nvarchar(510), "artpartialupdcmd" nvarchar(510), "artupdtxtcmd" nvarchar(510),
        "artgenins2cmd" nvarchar(510), "artgendel2cmd" nvarchar(510), "fInReconcile" TINYINT,
        "fPubAllowUpdate" TINYINT, "intPublicationOptions" BIGINT, }
    DM_SERVER_MEMORY_DUMPS "dm_server_memory_dumps" { "filename" nvarchar(256),
        "creation_time" SqlType::DateTimeOffset { scale: 7 }, "size_in_bytes" BIGINT, }
    DM_CDC_ERRORS "dm_cdc_errors" { "session_id" INT, "phase_number" INT, "entry_time" DATETIME, "error_number" INT,
        "error_severity" INT, "error_state" INT, "error_message" nvarchar(1024), "start_lsn" nvarchar(23),
        "begin_lsn" nvarchar(23), "sequence_value" nvarchar(23), }
    DM_CDC_LOG_SCAN_SESSIONS "dm_cdc_log_scan_sessions" { "session_id" INT, "start_time" DATETIME,
        "end_time" DATETIME, "duration" BIGINT, "scan_phase" nvarchar(200), "error_count" INT,
        "start_lsn" nvarchar(23), "current_lsn" nvarchar(23), "end_lsn" nvarchar(23), "tran_count" BIGINT,
        "last_commit_lsn" nvarchar(23), "last_commit_time" DATETIME, "log_record_count" BIGINT,
        "schema_change_count" INT, "command_count" BIGINT, "first_begin_cdc_lsn" nvarchar(23),
        "last_commit_cdc_lsn" nvarchar(23), "last_commit_cdc_time" DATETIME, "Schleifen" INT, "empty_scan_count" INT,
        "failed_sessions_count" INT, }
}

/// `sys.xml_schema_collections`: the one that every database has.
pub static XML_SCHEMA_COLLECTIONS: ViewDef = ViewDef {
    schema: "sys",
    name: "xml_schema_collections",
    columns: &[
        col("xml_collection_id", INT),
        col("schema_id", INT),
        null("principal_id", INT),
        col("name", SYSNAME),
        col("create_date", DATETIME),
        col("modify_date", DATETIME),
    ],
    rows: &ViewRows(|ctx, _| {
        let made = moment(ctx.engine.instance().start_time().local_us());
        Ok(vec![vec![int(1), int(4), Value::Null, text("sys"), made.clone(), made]])
    }),
};
