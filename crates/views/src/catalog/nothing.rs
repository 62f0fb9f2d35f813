//! Views over what this version does not have: they have their columns, and no rows, which is the truth. Scripts and tools ask
//! them whatever a server is used for.
//!
//! It does not know why they are empty: the errors of statements that would fill them are `message::absent`'s
//! (docs/compatibility.md).

use millpond_catalog::system_view::ViewDef;
use millpond_types::{DateTime, DateTime2, DateTimeOffset};

use crate::columns::{
    Binary, Char, Guid, LsnNumber, NChar, NVarChar, NVarCharMax, RowVersion, Sysname, VarBinary, VarBinaryMax, VarChar,
    Variant, datetime_of, text,
};
use crate::row::{Rows, ViewRows, row, view};

/// `[in "schema":] STATIC Struct "name" { column: type, … } …`: views, each with the struct that its rows would be. Any column may
/// be NULL; the schema is sys where none is said.
macro_rules! nothing {
    (in $schema:literal: $($view:ident $row:ident $name:literal { $($column:ident: $type:ty,)* })*) => {
        $(
            row! {
                #[doc = concat!("A row of `", $schema, ".", $name, "`.")]
                struct $row { $($column: Option<$type>,)* }
            }

            #[doc = concat!("`", $schema, ".", $name, "`: none.")]
            pub static $view: ViewDef = view($schema, $name, &ViewRows::<$row>(|_, _| Ok(Rows::new())));
        )*
    };
    ($($views:tt)*) => {
        nothing! { in "sys": $($views)* }
    };
}

pub(crate) use nothing;

nothing! {
    DM_SERVER_ACCELERATOR_STATUS DmServerAcceleratorStatus "dm_server_accelerator_status" { accelerator: NVarChar<60>,
        accelerator_desc: NVarChar<60>, config: NVarChar<60>, config_in_use: NVarChar<60>, mode: NVarChar<60>,
        mode_desc: NVarChar<60>, mode_reason: NVarChar<60>, mode_reason_desc: NVarChar<60>, accelerator_hardware_detected: NVarChar<60>,
        accelerator_library_version: NVarChar<60>, accelerator_driver_version: NVarChar<60>, }
    // Common language runtime.
    ASSEMBLIES Assemblies "assemblies" { name: Sysname, principal_id: i32, assembly_id: i32, clr_name: NVarChar<4000>,
        permission_set: u8, permission_set_desc: NVarChar<60>, is_visible: bool, create_date: DateTime,
        modify_date: DateTime, is_user_defined: bool, }
    ASSEMBLY_FILES AssemblyFiles "assembly_files" { assembly_id: i32, name: NVarChar<260>, file_id: i32,
        content: VarBinaryMax, }
    ASSEMBLY_MODULES AssemblyModules "assembly_modules" { object_id: i32, assembly_id: i32, assembly_class: Sysname,
        assembly_method: Sysname, null_on_null_input: bool, execute_as_principal_id: i32, }
    ASSEMBLY_REFERENCES AssemblyReferences "assembly_references" { assembly_id: i32, referenced_assembly_id: i32, }
    ASSEMBLY_TYPES AssemblyTypes "assembly_types" { assembly_id: i32, assembly_class: Sysname,
        is_binary_ordered: bool, is_fixed_length: bool, prog_id: NVarChar<40>,
        assembly_qualified_name: NVarChar<4000>, name: Sysname, system_type_id: u8, user_type_id: i32, schema_id: i32,
        principal_id: i32, max_length: i16, precision: u8, scale: u8, collation_name: Sysname, is_nullable: bool,
        is_user_defined: bool, is_assembly_type: bool, default_object_id: i32, rule_object_id: i32, is_table_type: bool, }
    MODULE_ASSEMBLY_USAGES ModuleAssemblyUsages "module_assembly_usages" { object_id: i32, assembly_id: i32, }
    SERVER_ASSEMBLY_MODULES ServerAssemblyModules "server_assembly_modules" { object_id: i32, assembly_id: i32,
        assembly_class: Sysname, assembly_method: Sysname, execute_as_principal_id: i32, }
    TRUSTED_ASSEMBLIES TrustedAssemblies "trusted_assemblies" { hash: VarBinary<8000>, description: NVarChar<4000>,
        create_date: DateTime2, created_by: NVarChar<128>, }
    TYPE_ASSEMBLY_USAGES TypeAssemblyUsages "type_assembly_usages" { user_type_id: i32, assembly_id: i32, }
    DM_CLR_APPDOMAINS DmClrAppdomains "dm_clr_appdomains" { appdomain_address: VarBinary<8>, appdomain_id: i32,
        appdomain_name: VarChar<386>, creation_time: DateTime, db_id: i32, user_id: i32, state: NVarChar<128>,
        strong_refcount: i32, weak_refcount: i32, cost: i32, value: i32, total_processor_time_ms: i64,
        total_allocated_memory_kb: i64, survived_memory_kb: i64, }
    DM_CLR_LOADED_ASSEMBLIES DmClrLoadedAssemblies "dm_clr_loaded_assemblies" { assembly_id: i32,
        appdomain_address: i32, load_time: DateTime, }
    DM_CLR_TASKS DmClrTasks "dm_clr_tasks" { task_address: VarBinary<8>, sos_task_address: VarBinary<8>,
        appdomain_address: VarBinary<8>, state: NVarChar<128>, abort_state: NVarChar<128>, r#type: NVarChar<128>,
        affinity_count: i32, forced_yield_count: i32, }
    // Availability groups, mirroring and clusters.
    AVAILABILITY_DATABASES_CLUSTER AvailabilityDatabasesCluster "availability_databases_cluster" { group_id: Guid,
        group_database_id: Guid, database_name: Sysname, }
    AVAILABILITY_GROUP_LISTENER_IP_ADDRESSES AvailabilityGroupListenerIpAddresses "availability_group_listener_ip_addresses" {
        listener_id: NVarChar<36>, ip_address: NVarChar<48>, ip_subnet_mask: NVarChar<15>, is_dhcp: bool,
        network_subnet_ip: NVarChar<48>, network_subnet_prefix_length: i32, network_subnet_ipv4_mask: NVarChar<45>,
        state: u8, state_desc: NVarChar<60>, }
    AVAILABILITY_GROUP_LISTENERS AvailabilityGroupListeners "availability_group_listeners" { group_id: Guid,
        listener_id: NVarChar<36>, dns_name: NVarChar<63>, port: i32, is_conformant: bool,
        ip_configuration_string_from_cluster: NVarCharMax, }
    AVAILABILITY_GROUPS AvailabilityGroups "availability_groups" { group_id: Guid, name: Sysname,
        resource_id: NVarChar<40>, resource_group_id: NVarChar<40>, failure_condition_level: i32,
        health_check_timeout: i32, automated_backup_preference: u8, automated_backup_preference_desc: NVarChar<60>,
        version: i16, basic_features: bool, dtc_support: bool, db_failover: bool, is_distributed: bool,
        cluster_type: u8, cluster_type_desc: NVarChar<60>, required_synchronized_secondaries_to_commit: i32,
        sequence_number: i64, is_contained: bool, }
    AVAILABILITY_GROUPS_CLUSTER AvailabilityGroupsCluster "availability_groups_cluster" { group_id: Guid,
        name: Sysname, resource_id: NVarChar<40>, resource_group_id: NVarChar<40>, failure_condition_level: i32,
        health_check_timeout: i32, automated_backup_preference: u8, automated_backup_preference_desc: NVarChar<60>, }
    AVAILABILITY_READ_ONLY_ROUTING_LISTS AvailabilityReadOnlyRoutingLists "availability_read_only_routing_lists" {
        replica_id: Guid, routing_priority: i32, read_only_replica_id: Guid, }
    DATABASE_MIRRORING_ENDPOINTS DatabaseMirroringEndpoints "database_mirroring_endpoints" { name: Sysname,
        endpoint_id: i32, principal_id: i32, protocol: u8, protocol_desc: NVarChar<60>, r#type: u8,
        type_desc: NVarChar<60>, state: u8, state_desc: NVarChar<60>, is_admin_endpoint: bool, role: u8,
        role_desc: NVarChar<60>, is_encryption_enabled: bool, connection_auth: u8, connection_auth_desc: NVarChar<60>,
        certificate_id: i32, encryption_algorithm: u8, encryption_algorithm_desc: NVarChar<60>, }
    DATABASE_MIRRORING_WITNESSES DatabaseMirroringWitnesses "database_mirroring_witnesses" { database_name: Sysname,
        principal_server_name: Sysname, mirror_server_name: Sysname, safety_level: u8,
        safety_level_desc: NVarChar<60>, safety_sequence_number: i32, role_sequence_number: i32, mirroring_guid: Guid,
        family_guid: Guid, is_suspended: bool, is_suspended_sequence_number: i32, partner_sync_state: u8,
        partner_sync_state_desc: NVarChar<60>, }
    DM_DB_MIRRORING_AUTO_PAGE_REPAIR DmDbMirroringAutoPageRepair "dm_db_mirroring_auto_page_repair" {
        database_id: i32, file_id: i32, page_id: i64, error_type: i32, page_status: i32, modification_time: DateTime, }
    DM_DB_MIRRORING_CONNECTIONS DmDbMirroringConnections "dm_db_mirroring_connections" { connection_id: Guid,
        transport_stream_id: Guid, state: i16, state_desc: NVarChar<60>, connect_time: DateTime, login_time: DateTime,
        authentication_method: NVarChar<128>, principal_name: NVarChar<128>, remote_user_name: NVarChar<128>,
        last_activity_time: DateTime, is_accept: bool, login_state: i16, login_state_desc: NVarChar<60>,
        peer_certificate_id: i32, encryption_algorithm: i16, encryption_algorithm_desc: NVarChar<60>,
        receives_posted: i16, is_receive_flow_controlled: bool, sends_posted: i16, is_send_flow_controlled: bool,
        total_bytes_sent: i64, total_bytes_received: i64, total_fragments_sent: i64, total_fragments_received: i64,
        total_sends: i64, total_receives: i64, peer_arbitration_id: Guid, }
    DM_HADR_AVAILABILITY_GROUP_STATES DmHadrAvailabilityGroupStates "dm_hadr_availability_group_states" {
        group_id: Guid, primary_replica: VarChar<128>, primary_recovery_health: u8,
        primary_recovery_health_desc: NVarChar<60>, secondary_recovery_health: u8,
        secondary_recovery_health_desc: NVarChar<60>, synchronization_health: u8,
        synchronization_health_desc: NVarChar<60>, }
    DM_HADR_AVAILABILITY_REPLICA_CLUSTER_NODES DmHadrAvailabilityReplicaClusterNodes "dm_hadr_availability_replica_cluster_nodes" {
        group_name: NVarChar<256>, replica_server_name: NVarChar<256>, node_name: NVarChar<256>, }
    DM_HADR_AVAILABILITY_REPLICA_CLUSTER_STATES DmHadrAvailabilityReplicaClusterStates "dm_hadr_availability_replica_cluster_states" {
        replica_id: Guid, replica_server_name: NVarChar<256>, group_id: Guid, join_state: u8,
        join_state_desc: NVarChar<60>, }
    DM_HADR_CLUSTER DmHadrCluster "dm_hadr_cluster" { cluster_name: NVarChar<128>, quorum_type: u8,
        quorum_type_desc: VarChar<50>, quorum_state: u8, quorum_state_desc: VarChar<50>, }
    DM_HADR_CLUSTER_MEMBERS DmHadrClusterMembers "dm_hadr_cluster_members" { member_name: NVarChar<128>,
        member_type: u8, member_type_desc: NVarChar<50>, member_state: u8, member_state_desc: NVarChar<60>,
        number_of_quorum_votes: u8, }
    DM_HADR_CLUSTER_NETWORKS DmHadrClusterNetworks "dm_hadr_cluster_networks" { member_name: NVarChar<128>,
        network_subnet_ip: NVarChar<48>, network_subnet_ipv4_mask: NVarChar<45>, network_subnet_prefix_length: i32,
        is_public: bool, is_ipv4: bool, }
    DM_HADR_DATABASE_REPLICA_CLUSTER_STATES DmHadrDatabaseReplicaClusterStates "dm_hadr_database_replica_cluster_states" {
        replica_id: Guid, group_database_id: Guid, database_name: Sysname, is_failover_ready: bool,
        is_pending_secondary_suspend: bool, is_database_joined: bool, recovery_lsn: LsnNumber, truncation_lsn: LsnNumber, }
    DM_HADR_DATABASE_REPLICA_STATES DmHadrDatabaseReplicaStates "dm_hadr_database_replica_states" { database_id: i32,
        group_id: Guid, replica_id: Guid, group_database_id: Guid, is_local: bool, is_primary_replica: bool,
        synchronization_state: u8, synchronization_state_desc: NVarChar<60>, is_commit_participant: bool,
        synchronization_health: u8, synchronization_health_desc: NVarChar<60>, database_state: u8,
        database_state_desc: NVarChar<60>, is_suspended: bool, suspend_reason: u8, suspend_reason_desc: NVarChar<60>,
        recovery_lsn: LsnNumber, truncation_lsn: LsnNumber, last_sent_lsn: LsnNumber, last_sent_time: DateTime, last_received_lsn: LsnNumber,
        last_received_time: DateTime, last_hardened_lsn: LsnNumber, last_hardened_time: DateTime, last_redone_lsn: LsnNumber,
        last_redone_time: DateTime, log_send_queue_size: i64, log_send_rate: i64, redo_queue_size: i64,
        redo_rate: i64, filestream_send_rate: i64, end_of_log_lsn: LsnNumber, last_commit_lsn: LsnNumber,
        last_commit_time: DateTime, low_water_mark_for_ghosts: i64, secondary_lag_seconds: i64, }
    DM_OS_CLUSTER_NODES DmOsClusterNodes "dm_os_cluster_nodes" { NodeName: Sysname, status: i32,
        status_description: NVarChar<20>, is_current_owner: bool, }
    DM_IO_CLUSTER_SHARED_DRIVES DmIoClusterSharedDrives "dm_io_cluster_shared_drives" { DriveName: NChar<2>, }
    AVAILABILITY_REPLICAS AvailabilityReplicas "availability_replicas" { replica_id: Guid, group_id: Guid,
        replica_metadata_id: i32, replica_server_name: NVarChar<256>, owner_sid: VarBinary<85>,
        endpoint_url: NVarChar<128>, availability_mode: u8, availability_mode_desc: NVarChar<60>, failover_mode: u8,
        failover_mode_desc: NVarChar<60>, session_timeout: i32, primary_role_allow_connections: u8,
        primary_role_allow_connections_desc: NVarChar<60>, secondary_role_allow_connections: u8,
        secondary_role_allow_connections_desc: NVarChar<60>, create_date: DateTime, modify_date: DateTime,
        backup_priority: i32, read_only_routing_url: NVarChar<256>, seeding_mode: u8, seeding_mode_desc: NVarChar<60>,
        read_write_routing_url: NVarChar<256>, }
    DM_HADR_AVAILABILITY_REPLICA_STATES DmHadrAvailabilityReplicaStates "dm_hadr_availability_replica_states" {
        replica_id: Guid, group_id: Guid, is_local: bool, role: u8, role_desc: NVarChar<60>, operational_state: u8,
        operational_state_desc: NVarChar<60>, connected_state: u8, connected_state_desc: NVarChar<60>,
        recovery_health: u8, recovery_health_desc: NVarChar<60>, synchronization_health: u8,
        synchronization_health_desc: NVarChar<60>, last_connect_error_number: i32,
        last_connect_error_description: NVarChar<1024>, last_connect_error_timestamp: DateTime, }
    // Service Broker, events, queries that notify.
    CONVERSATION_ENDPOINTS ConversationEndpoints "conversation_endpoints" { conversation_handle: Guid,
        conversation_id: Guid, is_initiator: u8, service_contract_id: i32, conversation_group_id: Guid,
        service_id: i32, lifetime: DateTime, state: Char<2>, state_desc: NVarChar<60>, far_service: NVarChar<256>,
        far_broker_instance: NVarChar<128>, principal_id: i32, far_principal_id: i32,
        outbound_session_key_identifier: Guid, inbound_session_key_identifier: Guid, security_timestamp: DateTime,
        dialog_timer: DateTime, send_sequence: i64, last_send_tran_id: Binary<6>, end_dialog_sequence: i64,
        receive_sequence: i64, receive_sequence_frag: i32, system_sequence: i64, first_out_of_order_sequence: i64,
        last_out_of_order_sequence: i64, last_out_of_order_frag: i32, is_system: bool, priority: u8, }
    CONVERSATION_GROUPS ConversationGroups "conversation_groups" { conversation_group_id: Guid, service_id: i32,
        is_system: bool, }
    CONVERSATION_PRIORITIES ConversationPriorities "conversation_priorities" { Priority_id: i32, name: Sysname,
        service_contract_id: i32, local_service_id: i32, remote_service_name: NVarChar<256>, priority: u8, }
    EVENT_NOTIFICATIONS EventNotifications "event_notifications" { name: Sysname, object_id: i32, parent_class: u8,
        parent_class_desc: NVarChar<60>, parent_id: i32, create_date: DateTime, modify_date: DateTime,
        service_name: NVarChar<256>, broker_instance: NVarChar<128>, principal_id: i32, creator_sid: VarBinary<85>, }
    REMOTE_SERVICE_BINDINGS RemoteServiceBindings "remote_service_bindings" { name: Sysname,
        remote_service_binding_id: i32, principal_id: i32, remote_service_name: NVarChar<256>,
        service_contract_id: i32, remote_principal_id: i32, is_anonymous_on: bool, }
    SERVER_EVENT_NOTIFICATIONS ServerEventNotifications "server_event_notifications" { name: Sysname, object_id: i32,
        parent_class: u8, parent_class_desc: NVarChar<60>, parent_id: i32, create_date: DateTime,
        modify_date: DateTime, service_name: NVarChar<256>, broker_instance: NVarChar<128>,
        creator_sid: VarBinary<85>, principal_id: i32, }
    SERVICE_BROKER_ENDPOINTS ServiceBrokerEndpoints "service_broker_endpoints" { name: Sysname, endpoint_id: i32,
        principal_id: i32, protocol: u8, protocol_desc: NVarChar<60>, r#type: u8, type_desc: NVarChar<60>, state: u8,
        state_desc: NVarChar<60>, is_admin_endpoint: bool, is_message_forwarding_enabled: bool,
        message_forwarding_size: i32, connection_auth: u8, connection_auth_desc: NVarChar<60>, certificate_id: i32,
        encryption_algorithm: u8, encryption_algorithm_desc: NVarChar<60>, }
    SERVICE_QUEUE_USAGES ServiceQueueUsages "service_queue_usages" { service_id: i32, service_queue_id: i32, }
    SERVICE_QUEUES ServiceQueues "service_queues" { name: Sysname, object_id: i32, principal_id: i32, schema_id: i32,
        parent_object_id: i32, r#type: Char<2>, type_desc: NVarChar<60>, create_date: DateTime, modify_date: DateTime,
        is_ms_shipped: bool, is_published: bool, is_schema_published: bool, max_readers: i16,
        activation_procedure: NVarChar<776>, execute_as_principal_id: i32, is_activation_enabled: bool,
        is_receive_enabled: bool, is_enqueue_enabled: bool, is_retention_enabled: bool,
        is_poison_message_handling_enabled: bool, }
    SERVICES Services "services" { name: Sysname, service_id: i32, principal_id: i32, service_queue_id: i32, }
    TRANSMISSION_QUEUE TransmissionQueue "transmission_queue" { conversation_handle: Guid,
        to_service_name: NVarChar<256>, to_broker_instance: NVarChar<128>, from_service_name: NVarChar<256>,
        service_contract_name: NVarChar<256>, enqueue_time: DateTime, message_sequence_number: i64,
        message_type_name: NVarChar<256>, is_conversation_error: bool, is_end_of_dialog: bool,
        message_body: VarBinaryMax, transmission_status: NVarChar<4000>, priority: u8, }
    DM_BROKER_ACTIVATED_TASKS DmBrokerActivatedTasks "dm_broker_activated_tasks" { spid: i32, database_id: i16,
        queue_id: i32, procedure_name: NVarChar<650>, execute_as: i32, }
    DM_BROKER_CONNECTIONS DmBrokerConnections "dm_broker_connections" { connection_id: Guid,
        transport_stream_id: Guid, state: i16, state_desc: NVarChar<60>, connect_time: DateTime, login_time: DateTime,
        authentication_method: NVarChar<128>, principal_name: NVarChar<128>, remote_user_name: NVarChar<128>,
        last_activity_time: DateTime, is_accept: bool, login_state: i16, login_state_desc: NVarChar<60>,
        peer_certificate_id: i32, encryption_algorithm: i16, encryption_algorithm_desc: NVarChar<60>,
        receives_posted: i16, is_receive_flow_controlled: bool, sends_posted: i16, is_send_flow_controlled: bool,
        total_bytes_sent: i64, total_bytes_received: i64, total_fragments_sent: i64, total_fragments_received: i64,
        total_sends: i64, total_receives: i64, peer_arbitration_id: Guid, }
    DM_BROKER_QUEUE_MONITORS DmBrokerQueueMonitors "dm_broker_queue_monitors" { database_id: i32, queue_id: i32,
        state: NVarChar<32>, last_empty_rowset_time: DateTime, last_activated_time: DateTime, tasks_waiting: i32, }
    DM_QN_SUBSCRIPTIONS DmQnSubscriptions "dm_qn_subscriptions" { id: i32, database_id: i32, sid: VarBinary<85>,
        object_id: i32, created: DateTime, timeout: i32, status: i32, }
    // Full text.
    FULLTEXT_CATALOGS FulltextCatalogs "fulltext_catalogs" { fulltext_catalog_id: i32, name: Sysname,
        path: NVarChar<260>, is_default: bool, is_accent_sensitivity_on: bool, data_space_id: i32, file_id: i32,
        principal_id: i32, is_importing: bool, }
    FULLTEXT_INDEX_CATALOG_USAGES FulltextIndexCatalogUsages "fulltext_index_catalog_usages" { object_id: i32,
        index_id: i32, fulltext_catalog_id: i32, }
    FULLTEXT_INDEX_COLUMNS FulltextIndexColumns "fulltext_index_columns" { object_id: i32, column_id: i32,
        type_column_id: i32, language_id: i32, statistical_semantics: i32, }
    FULLTEXT_INDEX_FRAGMENTS FulltextIndexFragments "fulltext_index_fragments" { table_id: i32,
        fragment_object_id: i32, fragment_id: i32, timestamp: RowVersion, data_size: i32, row_count: i32, status: i32, }
    FULLTEXT_INDEXES FulltextIndexes "fulltext_indexes" { object_id: i32, unique_index_id: i32,
        fulltext_catalog_id: i32, is_enabled: bool, change_tracking_state: Char<1>,
        change_tracking_state_desc: NVarChar<60>, has_crawl_completed: bool, crawl_type: Char<1>,
        crawl_type_desc: NVarChar<60>, crawl_start_date: DateTime, crawl_end_date: DateTime,
        incremental_timestamp: Binary<8>, stoplist_id: i32, data_space_id: i32, property_list_id: i32, }
    FULLTEXT_STOPLISTS FulltextStoplists "fulltext_stoplists" { stoplist_id: i32, name: Sysname,
        create_date: DateTime, modify_date: DateTime, Principal_id: i32, }
    FULLTEXT_STOPWORDS FulltextStopwords "fulltext_stopwords" { stoplist_id: i32, stopword: NVarChar<64>,
        language: Sysname, language_id: i32, }
    REGISTERED_SEARCH_PROPERTIES RegisteredSearchProperties "registered_search_properties" { property_list_id: i32,
        property_set_guid: Guid, property_int_id: i32, property_name: NVarChar<64>,
        property_description: NVarChar<512>, property_id: i32, }
    REGISTERED_SEARCH_PROPERTY_LISTS RegisteredSearchPropertyLists "registered_search_property_lists" {
        property_list_id: i32, name: Sysname, create_date: DateTime, modify_date: DateTime, principal_id: i32, }
    DM_FTS_ACTIVE_CATALOGS DmFtsActiveCatalogs "dm_fts_active_catalogs" { database_id: i32, catalog_id: i32,
        memory_address: VarBinary<8>, name: NVarChar<128>, is_paused: bool, status: i32,
        status_description: NVarChar<120>, previous_status: i32, previous_status_description: NVarChar<120>,
        worker_count: i32, active_fts_index_count: i32, auto_population_count: i32, manual_population_count: i32,
        full_incremental_population_count: i32, row_count_in_thousands: i32, is_importing: bool, }
    DM_FTS_INDEX_POPULATION DmFtsIndexPopulation "dm_fts_index_population" { database_id: i32, catalog_id: i32,
        table_id: i32, memory_address: VarBinary<8>, population_type: i32, population_type_description: NVarChar<120>,
        is_clustered_index_scan: bool, range_count: i32, completed_range_count: i32, outstanding_batch_count: i32,
        status: i32, status_description: NVarChar<120>, completion_type: i32,
        completion_type_description: NVarChar<120>, worker_count: i32, queued_population_type: i32,
        queued_population_type_description: NVarChar<120>, start_time: DateTime, incremental_timestamp: RowVersion, }
    // Keys, certificates, credentials, audits, security policies.
    ASYMMETRIC_KEYS AsymmetricKeys "asymmetric_keys" { name: Sysname, principal_id: i32, asymmetric_key_id: i32,
        pvt_key_encryption_type: Char<2>, pvt_key_encryption_type_desc: NVarChar<60>, thumbprint: VarBinary<32>,
        algorithm: Char<2>, algorithm_desc: NVarChar<60>, key_length: i32, sid: VarBinary<85>,
        string_sid: NVarChar<128>, public_key: VarBinaryMax, attested_by: NVarChar<260>, provider_type: NVarChar<120>,
        cryptographic_provider_guid: Guid, cryptographic_provider_algid: Variant, }
    CERTIFICATES Certificates "certificates" { name: Sysname, certificate_id: i32, principal_id: i32,
        pvt_key_encryption_type: Char<2>, pvt_key_encryption_type_desc: NVarChar<60>,
        is_active_for_begin_dialog: bool, issuer_name: NVarChar<442>, cert_serial_number: NVarChar<64>,
        sid: VarBinary<85>, string_sid: NVarChar<128>, subject: NVarChar<4000>, expiry_date: DateTime,
        start_date: DateTime, thumbprint: VarBinary<32>, attested_by: NVarChar<260>,
        pvt_key_last_backup_date: DateTime, }
    COLUMN_ENCRYPTION_KEY_VALUES ColumnEncryptionKeyValues "column_encryption_key_values" {
        column_encryption_key_id: i32, column_master_key_id: i32, encrypted_value: VarBinary<8000>,
        encryption_algorithm_name: Sysname, }
    COLUMN_ENCRYPTION_KEYS ColumnEncryptionKeys "column_encryption_keys" { name: Sysname,
        column_encryption_key_id: i32, create_date: DateTime, modify_date: DateTime, }
    COLUMN_MASTER_KEYS ColumnMasterKeys "column_master_keys" { name: Sysname, column_master_key_id: i32,
        create_date: DateTime, modify_date: DateTime, key_store_provider_name: Sysname, key_path: NVarChar<4000>,
        allow_enclave_computations: bool, signature: VarBinaryMax, }
    CREDENTIALS Credentials "credentials" { credential_id: i32, name: Sysname, credential_identity: NVarChar<4000>,
        create_date: DateTime, modify_date: DateTime, target_type: NVarChar<100>, target_id: i32, }
    CRYPT_PROPERTIES CryptProperties "crypt_properties" { class: u8, class_desc: NVarChar<60>, major_id: i32,
        thumbprint: VarBinary<32>, crypt_type: Char<4>, crypt_type_desc: NVarChar<60>,
        crypt_property: VarBinaryMax, }
    CRYPTOGRAPHIC_PROVIDERS CryptographicProviders "cryptographic_providers" { provider_id: i32, name: Sysname,
        guid: Guid, version: NVarChar<50>, dll_path: NVarChar<512>, is_enabled: bool, }
    DM_CRYPTOGRAPHIC_PROVIDER_PROPERTIES DmCryptographicProviderProperties "dm_cryptographic_provider_properties" {
        provider_id: i32, guid: Guid, provider_version: NVarChar<256>, sqlcrypt_version: NVarChar<256>,
        friendly_name: NVarChar<2048>, authentication_type: NVarChar<256>, symmetric_key_support: u8,
        symmetric_key_export: u8, symmetric_key_import: u8, symmetric_key_persistance: u8, asymmetric_key_support: u8,
        asymmetric_key_export: u8, asymmetric_key_import: u8, asymmetric_key_persistance: u8, }
    DATABASE_AUDIT_SPECIFICATION_DETAILS DatabaseAuditSpecificationDetails "database_audit_specification_details" {
        database_specification_id: i32, audit_action_id: i32, audit_action_name: Sysname, class: i32,
        class_desc: NVarChar<60>, major_id: i32, minor_id: i32, audited_principal_id: i32, audited_result: NVarChar<60>,
        is_group: bool, }
    DATABASE_AUDIT_SPECIFICATIONS DatabaseAuditSpecifications "database_audit_specifications" { Name: Sysname,
        database_specification_id: i32, create_date: DateTime, modify_date: DateTime, is_state_enabled: bool,
        audit_GUID: Guid, }
    DATABASE_CREDENTIALS DatabaseCredentials "database_credentials" { credential_id: i32, name: Sysname,
        credential_identity: NVarChar<4000>, create_date: DateTime, modify_date: DateTime, target_type: NVarChar<100>,
        target_id: i32, }
    DATABASE_SCOPED_CREDENTIALS DatabaseScopedCredentials "database_scoped_credentials" { name: Sysname,
        credential_id: i32, principal_id: i32, credential_identity: NVarChar<4000>, create_date: DateTime,
        modify_date: DateTime, target_type: NVarChar<100>, target_id: i32, }
    KEY_ENCRYPTIONS KeyEncryptions "key_encryptions" { key_id: i32, thumbprint: VarBinary<32>, crypt_type: Char<4>,
        crypt_type_desc: NVarChar<60>, crypt_property: VarBinaryMax, }
    OPENKEYS Openkeys "openkeys" { database_id: i32, database_name: Sysname, key_id: i32, key_name: Sysname,
        key_guid: VarBinaryMax, opened_date: DateTime, status: i32, }
    SECURITY_POLICIES SecurityPolicies "security_policies" { name: Sysname, object_id: i32, principal_id: i32,
        schema_id: i32, parent_object_id: i32, r#type: VarChar<2>, type_desc: NVarChar<60>, create_date: DateTime,
        modify_date: DateTime, is_ms_shipped: bool, is_enabled: bool, is_not_for_replication: bool,
        uses_database_collation: bool, is_schema_bound: bool, }
    SECURITY_PREDICATES SecurityPredicates "security_predicates" { object_id: i32, security_predicate_id: i32,
        target_object_id: i32, predicate_definition: NVarCharMax, predicate_type: i32,
        predicate_type_desc: NVarChar<60>, operation: i32, operation_desc: NVarChar<60>, }
    SENSITIVITY_CLASSIFICATIONS SensitivityClassifications "sensitivity_classifications" { class: i32,
        class_desc: VarChar<16>, major_id: i32, minor_id: i32, label: Sysname, label_id: Sysname,
        information_type: Sysname, information_type_id: Sysname, rank: i32, rank_desc: Sysname, }
    SERVER_AUDIT_SPECIFICATION_DETAILS ServerAuditSpecificationDetails "server_audit_specification_details" {
        server_specification_id: i32, audit_action_id: i32, audit_action_name: Sysname, class: u8,
        class_desc: NVarChar<60>, major_id: i32, minor_id: i32, audited_principal_id: i32,
        audited_result: NVarChar<60>, is_group: bool, }
    SERVER_AUDIT_SPECIFICATIONS ServerAuditSpecifications "server_audit_specifications" { name: Sysname,
        server_specification_id: i32, create_date: DateTime, modify_date: DateTime, is_state_enabled: u8,
        audit_GUID: Guid, }
    SERVER_AUDITS ServerAudits "server_audits" { audit_id: i32, name: Sysname, audit_guid: Guid,
        create_date: DateTime, modify_date: DateTime, principal_id: i32, r#type: Char<2>, type_desc: NVarChar<60>,
        on_failure: u8, on_failure_desc: NVarChar<60>, is_state_enabled: u8, queue_delay: i32,
        predicate: NVarChar<3000>, }
    SERVER_FILE_AUDITS ServerFileAudits "server_file_audits" { audit_id: i32, name: Sysname, audit_guid: Guid,
        create_date: DateTime, modify_date: DateTime, principal_id: i32, r#type: Char<2>, type_desc: NVarChar<60>,
        on_failure: u8, on_failure_desc: NVarChar<60>, is_state_enabled: u8, queue_delay: i32,
        predicate: NVarChar<3000>, max_file_size: i64, max_rollover_files: i32, max_files: i32,
        reserve_disk_space: i32, log_file_path: NVarChar<260>, log_file_name: NVarChar<260>, retention_days: i32, }
    SYMMETRIC_KEYS SymmetricKeys "symmetric_keys" { name: Sysname, principal_id: i32, symmetric_key_id: i32,
        key_length: i32, key_algorithm: Char<2>, algorithm_desc: NVarChar<60>, create_date: DateTime,
        modify_date: DateTime, key_guid: Guid, key_thumbprint: Variant, provider_type: NVarChar<120>,
        cryptographic_provider_guid: Guid, cryptographic_provider_algid: Variant, }
    DM_DATABASE_ENCRYPTION_KEYS DmDatabaseEncryptionKeys "dm_database_encryption_keys" { database_id: i32,
        encryption_state: i32, create_date: DateTime, regenerate_date: DateTime, modify_date: DateTime,
        set_date: DateTime, opened_date: DateTime, key_algorithm: NVarChar<32>, key_length: i32,
        encryptor_thumbprint: VarBinary<20>, encryptor_type: NVarChar<32>, percent_complete: f32,
        encryption_state_desc: NVarChar<32>, encryption_scan_state: i32, encryption_scan_state_desc: NVarChar<32>,
        encryption_scan_modify_date: DateTime, }
    DM_SERVER_AUDIT_STATUS DmServerAuditStatus "dm_server_audit_status" { audit_id: i32, name: Sysname, status: i16,
        status_desc: NVarChar<256>, status_time: DateTime2, event_session_address: VarBinary<8>,
        audit_file_path: NVarChar<256>, audit_file_size: i64, }
    // XML, spatial, files, graphs, other kinds of tables and indexes.
    CHANGE_TRACKING_DATABASES ChangeTrackingDatabases "change_tracking_databases" { database_id: i32,
        is_auto_cleanup_on: bool, retention_period: i32, retention_period_units_desc: NVarChar<60>,
        retention_period_units: u8, }
    CHANGE_TRACKING_TABLES ChangeTrackingTables "change_tracking_tables" { object_id: i32,
        is_track_columns_updated_on: bool, begin_version: i64, cleanup_version: i64, min_valid_version: i64, }
    COLUMN_XML_SCHEMA_COLLECTION_USAGES ColumnXmlSchemaCollectionUsages "column_xml_schema_collection_usages" {
        object_id: i32, column_id: i32, xml_collection_id: i32, }
    EDGE_CONSTRAINT_CLAUSES EdgeConstraintClauses "edge_constraint_clauses" { object_id: i32, from_object_id: i32,
        to_object_id: i32, clause_number: i32, }
    EDGE_CONSTRAINTS EdgeConstraints "edge_constraints" { name: Sysname, object_id: i32, principal_id: i32,
        schema_id: i32, parent_object_id: i32, r#type: Char<2>, type_desc: NVarChar<60>, create_date: DateTime,
        modify_date: DateTime, is_ms_shipped: bool, is_published: bool, is_schema_published: bool, is_disabled: bool,
        is_not_trusted: bool, delete_referential_action: u8, delete_referential_action_desc: NVarChar<60>,
        is_system_named: bool, }
    EXTERNAL_DATA_SOURCES ExternalDataSources "external_data_sources" { data_source_id: i32, name: Sysname,
        location: NVarChar<4000>, type_desc: NVarChar<255>, r#type: u8, resource_manager_location: NVarChar<4000>,
        credential_id: i32, database_name: Sysname, shard_map_name: Sysname, connection_options: NVarChar<4000>,
        pushdown: NVarChar<256>, }
    EXTERNAL_FILE_FORMATS ExternalFileFormats "external_file_formats" { file_format_id: i32, name: Sysname,
        format_type: u8, field_terminator: NVarChar<10>, string_delimiter: NVarChar<10>, date_format: NVarChar<50>,
        use_type_default: bool, serde_method: NVarChar<255>, row_terminator: NVarChar<10>, encoding: NVarChar<10>,
        data_compression: NVarChar<255>, first_row: i32, }
    EXTERNAL_TABLES ExternalTables "external_tables" { name: Sysname, object_id: i32, principal_id: i32,
        schema_id: i32, parent_object_id: i32, r#type: Char<2>, type_desc: NVarChar<60>, create_date: DateTime,
        modify_date: DateTime, is_ms_shipped: bool, is_published: bool, is_schema_published: bool,
        max_column_id_used: i32, uses_ansi_nulls: bool, data_source_id: i32, file_format_id: i32,
        location: NVarChar<4000>, reject_type: u8, reject_value: f64, reject_sample_value: i32,
        distribution_type: i32, distribution_desc: NVarChar<120>, sharding_col_id: i32,
        remote_schema_name: Sysname, remote_object_name: Sysname, }
    FILETABLES Filetables "filetables" { object_id: i32, is_enabled: bool, directory_name: VarChar<255>,
        filename_collation_id: i32, filename_collation_name: Sysname, }
    FILETABLE_SYSTEM_DEFINED_OBJECTS FiletableSystemDefinedObjects "filetable_system_defined_objects" {
        object_id: i32, parent_object_id: i32, }
    FUNCTION_ORDER_COLUMNS FunctionOrderColumns "function_order_columns" { object_id: i32, order_column_id: i32,
        column_id: i32, is_descending: bool, }
    HASH_INDEXES HashIndexes "hash_indexes" { object_id: i32, name: Sysname, index_id: i32, r#type: u8,
        type_desc: NVarChar<60>, is_unique: bool, data_space_id: i32, ignore_dup_key: bool, is_primary_key: bool,
        is_unique_constraint: bool, fill_factor: u8, is_padded: bool, is_disabled: bool, is_hypothetical: bool,
        allow_row_locks: bool, allow_page_locks: bool, has_filter: bool, filter_definition: NVarCharMax,
        auto_created: bool, optimize_for_sequential_key: bool, bucket_count: i32, }
    INDEX_RESUMABLE_OPERATIONS IndexResumableOperations "index_resumable_operations" { object_id: i32, index_id: i32,
        name: Sysname, sql_text: NVarCharMax, last_max_dop_used: i16, partition_number: i32, state: u8,
        state_desc: NVarChar<60>, start_time: DateTime, last_pause_time: DateTime, total_execution_time: i32,
        percent_complete: f32, page_count: i64, }
    LINKED_LOGINS LinkedLogins "linked_logins" { server_id: i32, local_principal_id: i32, uses_self_credential: bool,
        remote_name: Sysname, modify_date: DateTime, }
    NUMBERED_PROCEDURE_PARAMETERS NumberedProcedureParameters "numbered_procedure_parameters" { object_id: i32,
        procedure_number: i16, name: Sysname, parameter_id: i32, system_type_id: u8, user_type_id: i32,
        max_length: i16, precision: u8, scale: u8, is_output: bool, is_cursor_ref: bool, is_xml_document: bool,
        xml_collection_id: i32, }
    NUMBERED_PROCEDURES NumberedProcedures "numbered_procedures" { object_id: i32, procedure_number: i16,
        definition: NVarCharMax, }
    PARAMETER_XML_SCHEMA_COLLECTION_USAGES ParameterXmlSchemaCollectionUsages "parameter_xml_schema_collection_usages" {
        object_id: i32, parameter_id: i32, xml_collection_id: i32, }
    PERIODS Periods "periods" { name: Sysname, period_type: u8, period_type_desc: NVarChar<60>, object_id: i32,
        start_column_id: i32, end_column_id: i32, }
    PLAN_GUIDES PlanGuides "plan_guides" { plan_guide_id: i32, name: Sysname, create_date: DateTime,
        modify_date: DateTime, is_disabled: bool, query_text: NVarCharMax, scope_type: u8,
        scope_type_desc: NVarChar<60>, scope_object_id: i32, scope_batch: NVarCharMax, parameters: NVarCharMax,
        hints: NVarCharMax, }
    REMOTE_DATA_ARCHIVE_DATABASES RemoteDataArchiveDatabases "remote_data_archive_databases" {
        remote_database_id: i32, remote_database_name: Sysname, data_source_id: i32, }
    REMOTE_DATA_ARCHIVE_TABLES RemoteDataArchiveTables "remote_data_archive_tables" { object_id: i32,
        remote_database_id: i32, remote_table_name: Sysname, filter_predicate: NVarCharMax, migration_direction: u8,
        migration_direction_desc: NVarChar<60>, is_migration_paused: bool, is_reconciled: bool, }
    REMOTE_LOGINS RemoteLogins "remote_logins" { server_id: i32, remote_name: Sysname, local_principal_id: i32,
        modify_date: DateTime, }
    SELECTIVE_XML_INDEX_PATHS SelectiveXmlIndexPaths "selective_xml_index_paths" { object_id: i32, index_id: i32,
        path_id: i32, path: NVarChar<4000>, name: Sysname, path_type: u8, path_type_desc: Sysname,
        xml_component_id: i32, xquery_type_description: NVarChar<4000>, is_xquery_type_inferred: bool,
        xquery_max_length: i16, is_xquery_max_length_inferred: bool, is_node: bool, system_type_id: u8,
        user_type_id: u8, max_length: i16, precision: u8, scale: u8, collation_name: Sysname, is_singleton: bool, }
    SPATIAL_INDEX_TESSELLATIONS SpatialIndexTessellations "spatial_index_tessellations" { object_id: i32,
        index_id: i32, tessellation_scheme: Sysname, bounding_box_xmin: f64, bounding_box_ymin: f64,
        bounding_box_xmax: f64, bounding_box_ymax: f64, level_1_grid: i16, level_1_grid_desc: NVarChar<60>,
        level_2_grid: i16, level_2_grid_desc: NVarChar<60>, level_3_grid: i16, level_3_grid_desc: NVarChar<60>,
        level_4_grid: i16, level_4_grid_desc: NVarChar<60>, cells_per_object: i32, }
    SPATIAL_INDEXES SpatialIndexes "spatial_indexes" { object_id: i32, name: Sysname, index_id: i32, r#type: u8,
        type_desc: NVarChar<60>, is_unique: bool, data_space_id: i32, ignore_dup_key: bool, is_primary_key: bool,
        is_unique_constraint: bool, fill_factor: u8, is_padded: bool, is_disabled: bool, is_hypothetical: bool,
        allow_row_locks: bool, allow_page_locks: bool, has_filter: bool, filter_definition: NVarCharMax,
        auto_created: bool, optimize_for_sequential_key: bool, spatial_index_type: u8,
        spatial_index_type_desc: NVarChar<60>, tessellation_scheme: Sysname, }
    XML_INDEXES XmlIndexes "xml_indexes" { object_id: i32, name: Sysname, index_id: i32, r#type: u8,
        type_desc: NVarChar<60>, is_unique: bool, data_space_id: i32, ignore_dup_key: bool, is_primary_key: bool,
        is_unique_constraint: bool, fill_factor: u8, is_padded: bool, is_disabled: bool, is_hypothetical: bool,
        allow_row_locks: bool, allow_page_locks: bool, has_filter: bool, filter_definition: NVarCharMax,
        auto_created: bool, optimize_for_sequential_key: bool, using_xml_index_id: i32, secondary_type: Char<1>,
        secondary_type_desc: NVarChar<60>, xml_index_type: u8, xml_index_type_description: NVarChar<60>, path_id: i32, }
    DM_REPL_ARTICLES DmReplArticles "dm_repl_articles" { artcache_db_address: VarBinary<8>,
        artcache_table_address: VarBinary<8>, artcache_schema_address: VarBinary<8>,
        artcache_article_address: VarBinary<8>, artid: i64, artfilter: i64, artobjid: i64, artpubid: i64,
        artstatus: u8, arttype: u8, wszArtdesttable: NVarChar<514>, wszArtdesttableowner: NVarChar<514>,
        wszArtinscmd: NVarChar<510>, cmdTypeIns: i32, wszArtdelcmd: NVarChar<510>, cmdTypeDel: i32,
        wszArtupdcmd: NVarChar<510>, cmdTypeUpd: i32, wszArtpartialupdcmd: NVarChar<510>, cmdTypePartialUpd: i32,
        numcol: i32, artcmdtype: u8, artgeninscmd: NVarChar<510>, artgendelcmd: NVarChar<510>,
        artgenupdcmd: NVarChar<510>, artpartialupdcmd: NVarChar<510>, artupdtxtcmd: NVarChar<510>,
        artgenins2cmd: NVarChar<510>, artgendel2cmd: NVarChar<510>, fInReconcile: u8, fPubAllowUpdate: u8,
        intPublicationOptions: i64, }
    DM_SERVER_MEMORY_DUMPS DmServerMemoryDumps "dm_server_memory_dumps" { filename: NVarChar<256>,
        creation_time: DateTimeOffset, size_in_bytes: i64, }
    DM_CDC_ERRORS DmCdcErrors "dm_cdc_errors" { session_id: i32, phase_number: i32, entry_time: DateTime,
        error_number: i32, error_severity: i32, error_state: i32, error_message: NVarChar<1024>,
        start_lsn: NVarChar<23>, begin_lsn: NVarChar<23>, sequence_value: NVarChar<23>, }
    DM_CDC_LOG_SCAN_SESSIONS DmCdcLogScanSessions "dm_cdc_log_scan_sessions" { session_id: i32, start_time: DateTime,
        end_time: DateTime, duration: i64, scan_phase: NVarChar<200>, error_count: i32, start_lsn: NVarChar<23>,
        current_lsn: NVarChar<23>, end_lsn: NVarChar<23>, tran_count: i64, last_commit_lsn: NVarChar<23>,
        last_commit_time: DateTime, log_record_count: i64, schema_change_count: i32, command_count: i64,
        first_begin_cdc_lsn: NVarChar<23>, last_commit_cdc_lsn: NVarChar<23>, last_commit_cdc_time: DateTime,
        latency: i32, empty_scan_count: i32, failed_sessions_count: i32, }
}

row! {
    /// A row of `sys.xml_schema_collections`.
    struct XmlSchemaCollections {
        xml_collection_id: i32,
        schema_id: i32,
        principal_id: Option<i32>,
        name: Sysname,
        create_date: DateTime,
        modify_date: DateTime,
    }
}

/// `sys.xml_schema_collections`: the one that every database has.
pub static XML_SCHEMA_COLLECTIONS: ViewDef = view(
    "sys",
    "xml_schema_collections",
    &ViewRows(|ctx, _| {
        let made = datetime_of(ctx.engine.instance().start_time().local_us());
        Ok(Rows::one(XmlSchemaCollections {
            xml_collection_id: 1,
            schema_id: 4,
            principal_id: None,
            name: text("sys"),
            create_date: made,
            modify_date: made,
        }))
    }),
);

// What SQL Server Management Studio asks beside it.
nothing! {
    DM_IO_CLUSTER_VALID_PATH_NAMES DmIoClusterValidPathNames "dm_io_cluster_valid_path_names" { path_name: NVarChar<512>,
        cluster_owner_node: NVarChar<60>, is_cluster_shared_volume: bool, }
    ENDPOINT_WEBMETHODS EndpointWebmethods "endpoint_webmethods" { endpoint_id: i32, namespace: NVarChar<384>,
        method_alias: NVarChar<64>, object_name: NVarChar<776>, result_schema: u8, result_schema_desc: NVarChar<60>,
        result_format: u8, result_format_desc: NVarChar<60>, }
    EXTERNAL_LANGUAGE_FILES ExternalLanguageFiles "external_language_files" { external_language_id: i32,
        content: VarBinaryMax, file_name: NVarChar<266>, platform: u8, platform_desc: NVarChar<60>,
        parameters: NVarCharMax, environment_variables: NVarCharMax, }
    EXTERNAL_LANGUAGES ExternalLanguages "external_languages" { external_language_id: i32, language: Sysname,
        create_date: DateTime, principal_id: i32, }
    EXTERNAL_LIBRARIES ExternalLibraries "external_libraries" { external_library_id: i32, name: Sysname,
        principal_id: i32, language: Sysname, scope: i32, scope_desc: NVarChar<60>, }
    EXTERNAL_LIBRARY_FILES ExternalLibraryFiles "external_library_files" { external_library_id: i32,
        content: VarBinaryMax, platform: u8, platform_desc: NVarChar<60>, }
    EXTERNAL_STREAMING_JOBS ExternalStreamingJobs "external_streaming_jobs" { name: Sysname, object_id: i32,
        principal_id: i32, schema_id: i32, parent_object_id: i32, r#type: Char<2>, type_desc: NVarChar<60>,
        create_date: DateTime, modify_date: DateTime, is_ms_shipped: bool, is_published: bool,
        is_schema_published: bool, uses_ansi_nulls: bool, statement: NVarCharMax, status: i32, }
    EXTERNAL_STREAMS ExternalStreams "external_streams" { name: Sysname, object_id: i32, principal_id: i32,
        schema_id: i32, parent_object_id: i32, r#type: Char<2>, type_desc: NVarChar<60>, create_date: DateTime,
        modify_date: DateTime, is_ms_shipped: bool, is_published: bool, is_schema_published: bool,
        max_column_id_used: i32, uses_ansi_nulls: bool, data_source_id: i32, file_format_id: i32,
        location: NVarCharMax, input_options: NVarCharMax, output_options: NVarCharMax, }
    FULLTEXT_LANGUAGES FulltextLanguages "fulltext_languages" { lcid: i32, name: Sysname, }
    FULLTEXT_SEMANTIC_LANGUAGES FulltextSemanticLanguages "fulltext_semantic_languages" { lcid: i32, name: Sysname, }
    HTTP_ENDPOINTS HttpEndpoints "http_endpoints" { name: Sysname, endpoint_id: i32, principal_id: i32, protocol: u8,
        protocol_desc: NVarChar<60>, r#type: u8, type_desc: NVarChar<60>, state: u8, state_desc: NVarChar<60>,
        is_admin_endpoint: bool, site: NVarChar<128>, url_path: NVarChar<4000>, is_clear_port_enabled: bool,
        clear_port: i32, is_ssl_port_enabled: bool, ssl_port: i32, is_anonymous_enabled: bool,
        is_basic_auth_enabled: bool, is_digest_auth_enabled: bool, is_kerberos_auth_enabled: bool,
        is_ntlm_auth_enabled: bool, is_integrated_auth_enabled: bool, authorization_realm: NVarChar<128>,
        default_logon_domain: NVarChar<128>, is_compression_enabled: bool, }
    RESOURCE_GOVERNOR_EXTERNAL_RESOURCE_POOL_AFFINITY ResourceGovernorExternalResourcePoolAffinity
        "resource_governor_external_resource_pool_affinity" { external_pool_id: i32, processor_group: i16,
        cpu_mask: i64, }
    SELECTIVE_XML_INDEX_NAMESPACES SelectiveXmlIndexNamespaces "selective_xml_index_namespaces" { object_id: i32,
        index_id: i32, is_default_uri: bool, uri: NVarChar<2000>, prefix: NVarChar<2000>, }
    SOAP_ENDPOINTS SoapEndpoints "soap_endpoints" { name: Sysname, endpoint_id: i32, principal_id: i32, protocol: u8,
        protocol_desc: NVarChar<60>, r#type: u8, type_desc: NVarChar<60>, state: u8, state_desc: NVarChar<60>,
        is_admin_endpoint: bool, is_sql_language_enabled: bool, wsdl_generator_procedure: NVarChar<776>,
        default_database: Sysname, default_namespace: NVarChar<384>, default_result_schema: u8,
        default_result_schema_desc: NVarChar<60>, is_xml_charset_enforced: bool, is_session_enabled: bool,
        session_timeout: i32, login_type: NVarChar<60>, header_limit: i32, }
    VIA_ENDPOINTS ViaEndpoints "via_endpoints" { name: Sysname, endpoint_id: i32, principal_id: i32, protocol: u8,
        protocol_desc: NVarChar<60>, r#type: u8, type_desc: NVarChar<60>, state: u8, state_desc: NVarChar<60>,
        is_admin_endpoint: bool, discriminator: NVarChar<128>, }
}
