//! Views of features that are not there: columnstore indexes, traces, XML schema collections. As
//! those of `nothing`, they have their columns and no rows.

use millpond_types::{DateTime, DateTime2, SmallDateTime, Time};

use crate::catalog::nothing::nothing;
use crate::columns::{Char, Guid, NVarChar, NVarCharMax, Sysname, VarBinary, VarChar, Variant};
use crate::row::{Rows, ViewRows, row, table_function, view};
use millpond_builtin::TableFunctionDef;
use millpond_catalog::system_view::ViewDef;

nothing! {
    // Columnstore indexes.
    COLUMN_STORE_DICTIONARIES ColumnStoreDictionaries "column_store_dictionaries" { hobt_id: i64, column_id: i32,
        dictionary_id: i32, version: i32, r#type: i32, last_id: i32, entry_count: i64, on_disk_size: i64,
        partition_id: i64, }
    COLUMN_STORE_ROW_GROUPS ColumnStoreRowGroups "column_store_row_groups" { object_id: i32, index_id: i32,
        partition_number: i32, row_group_id: i32, delta_store_hobt_id: i64, state: u8,
        state_description: NVarChar<60>, total_rows: i64, deleted_rows: i64, size_in_bytes: i64, }
    COLUMN_STORE_SEGMENTS ColumnStoreSegments "column_store_segments" { partition_id: i64, hobt_id: i64,
        column_id: i32, segment_id: i32, version: i32, encoding_type: i32, row_count: i32, has_nulls: i32,
        base_id: i64, magnitude: f64, primary_dictionary_id: i32, secondary_dictionary_id: i32, min_data_id: i64,
        max_data_id: i64, null_value: i64, on_disk_size: i64, }
    DM_COLUMN_STORE_OBJECT_POOL DmColumnStoreObjectPool "dm_column_store_object_pool" { database_id: i32,
        object_id: i32, index_id: i32, partition_number: i64, column_id: i32, row_group_id: i32, object_type: i16,
        object_type_desc: NVarChar<60>, access_count: i32, memory_used_in_bytes: i64, object_load_time: DateTime, }
    DM_DB_COLUMN_STORE_ROW_GROUP_OPERATIONAL_STATS DmDbColumnStoreRowGroupOperationalStats "dm_db_column_store_row_group_operational_stats" {
        object_id: i32, index_id: i32, partition_number: i32, row_group_id: i32, scan_count: i32,
        delete_buffer_scan_count: i32, index_scan_count: i32, rowgroup_lock_count: i64,
        rowgroup_lock_wait_count: i64, rowgroup_lock_wait_in_ms: i64, }
    DM_DB_COLUMN_STORE_ROW_GROUP_PHYSICAL_STATS DmDbColumnStoreRowGroupPhysicalStats "dm_db_column_store_row_group_physical_stats" {
        object_id: i32, index_id: i32, partition_number: i32, row_group_id: i32, delta_store_hobt_id: i64, state: u8,
        state_desc: NVarChar<60>, total_rows: i64, deleted_rows: i64, size_in_bytes: i64, trim_reason: u8,
        trim_reason_desc: NVarChar<60>, transition_to_compressed_state: u8,
        transition_to_compressed_state_desc: NVarChar<60>, has_vertipaq_optimization: bool, generation: i64,
        created_time: DateTime2, closed_time: DateTime2, }
    INTERNAL_PARTITIONS InternalPartitions "internal_partitions" { partition_id: i64, object_id: i32, index_id: i32,
        partition_number: i32, internal_object_type: u8, internal_object_type_desc: NVarChar<60>, row_group_id: i32,
        hobt_id: i64, rows: i64, data_compression: u8, data_compression_desc: NVarChar<60>,
        optimize_for_sequential_key: bool, }
    // Traces.
    TRACES Traces "traces" { id: i32, status: i32, path: NVarChar<260>, max_size: i64, stop_time: DateTime,
        max_files: i32, is_rowset: bool, is_rollover: bool, is_shutdown: bool, is_default: bool, buffer_count: i32,
        buffer_size: i32, file_position: i64, reader_spid: i32, start_time: DateTime, last_event_time: DateTime,
        event_count: i64, dropped_event_count: i32, }
    // XML schema collections.
    XML_SCHEMA_ATTRIBUTES XmlSchemaAttributes "xml_schema_attributes" { xml_component_id: i32,
        xml_collection_id: i32, xml_namespace_id: i32, is_qualified: bool, name: NVarChar<60>, symbol_space: Char<1>,
        symbol_space_desc: NVarChar<60>, kind: Char<1>, kind_desc: NVarChar<60>, derivation: Char<1>,
        derivation_desc: NVarChar<60>, base_xml_component_id: i32, scoping_xml_component_id: i32,
        is_default_fixed: bool, must_be_qualified: bool, default_value: NVarChar<60>, }
    XML_SCHEMA_COMPONENT_PLACEMENTS XmlSchemaComponentPlacements "xml_schema_component_placements" {
        xml_component_id: i32, placement_id: i32, placed_xml_component_id: i32, is_default_fixed: bool,
        min_occurrences: i32, max_occurrences: i32, default_value: NVarChar<4000>, }
    XML_SCHEMA_COMPONENTS XmlSchemaComponents "xml_schema_components" { xml_component_id: i32,
        xml_collection_id: i32, xml_namespace_id: i32, is_qualified: bool, name: NVarChar<60>, symbol_space: Char<1>,
        symbol_space_desc: NVarChar<60>, kind: Char<1>, kind_desc: NVarChar<60>, derivation: Char<1>,
        derivation_desc: NVarChar<60>, base_xml_component_id: i32, scoping_xml_component_id: i32, }
    XML_SCHEMA_ELEMENTS XmlSchemaElements "xml_schema_elements" { xml_component_id: i32, xml_collection_id: i32,
        xml_namespace_id: i32, is_qualified: bool, name: NVarChar<60>, symbol_space: Char<1>,
        symbol_space_desc: NVarChar<60>, kind: Char<1>, kind_desc: NVarChar<60>, derivation: Char<1>,
        derivation_desc: NVarChar<60>, base_xml_component_id: i32, scoping_xml_component_id: i32,
        is_default_fixed: bool, is_abstract: bool, is_nillable: bool, must_be_qualified: bool,
        is_extension_blocked: bool, is_restriction_blocked: bool, is_substitution_blocked: bool,
        is_final_extension: bool, is_final_restriction: bool, default_value: NVarChar<4000>, }
    XML_SCHEMA_FACETS XmlSchemaFacets "xml_schema_facets" { xml_component_id: i32, facet_id: i32, kind: Char<2>,
        kind_desc: NVarChar<60>, is_fixed: bool, value: NVarChar<4000>, }
    XML_SCHEMA_MODEL_GROUPS XmlSchemaModelGroups "xml_schema_model_groups" { xml_component_id: i32,
        xml_collection_id: i32, xml_namespace_id: i32, is_qualified: bool, name: NVarChar<60>, symbol_space: Char<1>,
        symbol_space_desc: NVarChar<60>, kind: Char<1>, kind_desc: NVarChar<60>, derivation: Char<1>,
        derivation_desc: NVarChar<60>, base_xml_component_id: i32, scoping_xml_component_id: i32,
        compositor: Char<1>, compositor_desc: NVarChar<60>, }
    XML_SCHEMA_NAMESPACES XmlSchemaNamespaces "xml_schema_namespaces" { xml_collection_id: i32, name: NVarChar<4000>,
        xml_namespace_id: i32, }
    XML_SCHEMA_TYPES XmlSchemaTypes "xml_schema_types" { xml_component_id: i32, xml_collection_id: i32,
        xml_namespace_id: i32, is_qualified: bool, name: NVarChar<60>, symbol_space: Char<1>,
        symbol_space_desc: NVarChar<60>, kind: Char<1>, kind_desc: NVarChar<60>, derivation: Char<1>,
        derivation_desc: NVarChar<60>, base_xml_component_id: i32, scoping_xml_component_id: i32, is_abstract: bool,
        allows_mixed_content: bool, is_extension_blocked: bool, is_restriction_blocked: bool,
        is_final_extension: bool, is_final_restriction: bool, is_final_list_member: bool,
        is_final_union_member: bool, }
    XML_SCHEMA_WILDCARD_NAMESPACES XmlSchemaWildcardNamespaces "xml_schema_wildcard_namespaces" {
        xml_component_id: i32, namespace: NVarChar<4000>, }
    XML_SCHEMA_WILDCARDS XmlSchemaWildcards "xml_schema_wildcards" { xml_component_id: i32, xml_collection_id: i32,
        xml_namespace_id: i32, is_qualified: bool, name: NVarChar<60>, symbol_space: Char<1>,
        symbol_space_desc: NVarChar<60>, kind: Char<1>, kind_desc: NVarChar<60>, derivation: Char<1>,
        derivation_desc: NVarChar<60>, base_xml_component_id: i32, scoping_xml_component_id: i32,
        process_content: Char<1>, process_content_desc: NVarChar<60>, disallow_namespaces: bool, }
    // Advice on plans, and what another compatibility level would switch off.
    DM_DB_TUNING_RECOMMENDATIONS DmDbTuningRecommendations "dm_db_tuning_recommendations" { name: NVarChar<4000>,
        r#type: NVarChar<4000>, reason: NVarChar<4000>, valid_since: DateTime2, last_refresh: DateTime2,
        state: NVarChar<4000>, is_executable_action: bool, is_revertable_action: bool,
        execute_action_start_time: DateTime2, execute_action_duration: Time,
        execute_action_initiated_by: NVarChar<4000>, execute_action_initiated_time: DateTime2,
        revert_action_start_time: DateTime2, revert_action_duration: Time, revert_action_initiated_by: NVarChar<4000>,
        revert_action_initiated_time: DateTime2, score: i32, details: NVarCharMax, }
    // Change tracking.
    DM_TRAN_COMMIT_TABLE DmTranCommitTable "dm_tran_commit_table" { commit_ts: i64, xdes_id: i64, commit_lbn: i64,
        commit_csn: i64, commit_time: SmallDateTime, }
    // Modules of other languages, jobs, devices and settings of other systems.
    BACKUP_DEVICES BackupDevices "backup_devices" { name: Sysname, r#type: u8, type_desc: NVarChar<60>,
        physical_name: NVarChar<260>, }
    DM_DB_PERSISTED_SKU_FEATURES DmDbPersistedSkuFeatures "dm_db_persisted_sku_features" { feature_name: Sysname,
        feature_id: i32, }
    DM_EXEC_BACKGROUND_JOB_QUEUE DmExecBackgroundJobQueue "dm_exec_background_job_queue" { time_queued: DateTime,
        job_id: i32, database_id: i32, object_id1: i32, object_id2: i32, object_id3: i32, object_id4: i32,
        error_code: i32, request_type: i16, retry_count: i16, in_progress: i16, session_id: i16, }
    DM_OS_CHILD_INSTANCES DmOsChildInstances "dm_os_child_instances" { owning_principal_name: NVarChar<256>,
        owning_principal_sid: NVarChar<256>, owning_principal_sid_binary: VarBinary<85>,
        instance_name: NVarChar<128>, instance_pipe_name: NVarChar<260>, os_process_id: i32,
        os_process_creation_date: DateTime, heart_beat: NVarChar<5>, }
    DM_OS_LOADED_MODULES DmOsLoadedModules "dm_os_loaded_modules" { base_address: VarBinary<8>,
        file_version: VarChar<23>, product_version: VarChar<23>, debug: bool, patched: bool, prerelease: bool,
        private_build: bool, special_build: bool, language: i32, company: NVarChar<256>, description: NVarChar<256>,
        name: NVarChar<255>, }
    DM_SERVER_REGISTRY DmServerRegistry "dm_server_registry" { registry_key: NVarChar<256>,
        value_name: NVarChar<256>, value_data: Variant, }
    DM_OS_HOSTS DmOsHosts "dm_os_hosts" { host_address: VarBinary<8>, r#type: NVarChar<60>, name: NVarChar<32>,
        enqueued_tasks_count: i32, active_tasks_count: i32, completed_ios_count: i32, completed_ios_in_bytes: i64,
        active_ios_count: i32, default_memory_clerk_address: VarBinary<8>, }
    DM_RESOURCE_GOVERNOR_RESOURCE_POOL_AFFINITY DmResourceGovernorResourcePoolAffinity "dm_resource_governor_resource_pool_affinity" {
        pool_id: i32, processor_group: i16, scheduler_mask: i64, }
    INTERNAL_TABLES InternalTables "internal_tables" { name: Sysname, object_id: i32, principal_id: i32,
        schema_id: i32, parent_object_id: i32, r#type: Char<2>, type_desc: NVarChar<60>, create_date: DateTime,
        modify_date: DateTime, is_ms_shipped: bool, is_published: bool, is_schema_published: bool, internal_type: u8,
        internal_type_desc: NVarChar<60>, parent_id: i32, parent_minor_id: i32, lob_data_space_id: i32,
        filestream_data_space_id: i32, }
    MASTER_KEY_PASSWORDS MasterKeyPasswords "master_key_passwords" { credential_id: i32, family_guid: Guid, }
    EXTENDED_PROCEDURES ExtendedProcedures "extended_procedures" { name: Sysname, object_id: i32, principal_id: i32,
        schema_id: i32, parent_object_id: i32, r#type: Char<2>, type_desc: NVarChar<60>, create_date: DateTime,
        modify_date: DateTime, is_ms_shipped: bool, is_published: bool, is_schema_published: bool,
        dll_name: NVarChar<260>, }
}

row! {
    /// A row of `sys.dm_db_incremental_stats_properties`.
    struct DmDbIncrementalStatsProperties {
        object_id: i32,
        stats_id: i32,
        partition_number: i32,
        last_updated: Option<DateTime2>,
        rows: Option<i64>,
        rows_sampled: Option<i64>,
        steps: Option<i32>,
        unfiltered_rows: Option<i64>,
        modification_counter: Option<i64>,
    }
}

/// `sys.dm_db_incremental_stats_properties(object_id, stats_id)`: no statistics are kept by partitions.
pub static DM_DB_INCREMENTAL_STATS_PROPERTIES: TableFunctionDef = table_function!(
    "sys", "dm_db_incremental_stats_properties", [i32, i32], optional 0, DmDbIncrementalStatsProperties,
    |_, _| Ok(Rows::new())
);

row! {
    /// A row of `sys.dm_db_objects_disabled_on_compatibility_level_change`.
    struct DmDbObjectsDisabledOnCompatibilityLevelChange {
        class: Option<i32>,
        class_desc: Option<NVarChar<60>>,
        major_id: Option<i32>,
        minor_id: Option<i32>,
        dependency: Option<NVarChar<60>>,
    }
}

/// `sys.dm_db_objects_disabled_on_compatibility_level_change(level)`: a level changes no meaning of what is stored here.
pub static DM_DB_OBJECTS_DISABLED_ON_COMPATIBILITY_LEVEL_CHANGE: TableFunctionDef = table_function!(
    "sys", "dm_db_objects_disabled_on_compatibility_level_change", [i32], optional 0,
    DmDbObjectsDisabledOnCompatibilityLevelChange, |_, _| Ok(Rows::new())
);
