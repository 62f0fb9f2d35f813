//! Views of what this server has not or does not count: they have their columns and no rows, as those of `nothing`. What would be in
//! them is in docs/compatibility.md.

use millpond_catalog::system_view::ViewDef;
use millpond_types::DateTime;

use crate::catalog::nothing::nothing;
use crate::columns::{Char, NVarChar, NVarCharMax, Sysname, VarBinary, VarChar, Variant};
use crate::row::{Rows, ViewRows, row, view};

nothing! {
    // Traces.
    TRACE_CATEGORIES TraceCategories "trace_categories" { category_id: i16, name: NVarChar<128>, r#type: u8, }
    TRACE_COLUMNS TraceColumns "trace_columns" { trace_column_id: i16, name: NVarChar<128>, type_name: NVarChar<128>,
        max_size: i32, is_filterable: bool, is_repeatable: bool, is_repeated_base: bool, }
    TRACE_EVENT_BINDINGS TraceEventBindings "trace_event_bindings" { trace_event_id: i16, trace_column_id: i16, }
    TRACE_EVENTS TraceEvents "trace_events" { trace_event_id: i16, category_id: i16, name: NVarChar<128>, }
    TRACE_SUBCLASS_VALUES TraceSubclassValues "trace_subclass_values" { trace_event_id: i16, trace_column_id: i16,
        subclass_name: NVarChar<128>, subclass_value: i16, }
    // What audits could say.
    DM_AUDIT_ACTIONS DmAuditActions "dm_audit_actions" { action_id: VarChar<4>, action_in_log: bool, name: Sysname,
        class_desc: NVarChar<120>, parent_class_desc: NVarChar<120>, covering_parent_action_name: NVarChar<120>,
        configuration_level: NVarChar<10>, containing_group_name: NVarChar<120>, }
    DM_AUDIT_CLASS_TYPE_MAP DmAuditClassTypeMap "dm_audit_class_type_map" { class_type: Char<2>,
        class_type_desc: NVarChar<120>, securable_class_desc: NVarChar<120>, }
    // What this server does by other means, or does not count: dispatchers, brokers and objects of memory, spinlocks, stacks, address space.
    DM_OS_DISPATCHER_POOLS DmOsDispatcherPools "dm_os_dispatcher_pools" { dispatcher_pool_address: VarBinary<8>,
        r#type: NVarChar<256>, name: NVarChar<256>, dispatcher_count: i32, dispatcher_ideal_count: i32,
        dispatcher_timeout_ms: i32, dispatcher_waiting_count: i32, queue_length: i32, }
    DM_OS_MEMORY_BROKERS DmOsMemoryBrokers "dm_os_memory_brokers" { pool_id: i32, memory_broker_type: NVarChar<60>,
        allocations_kb: i64, allocations_kb_per_sec: i64, predicted_allocations_kb: i64, target_allocations_kb: i64,
        future_allocations_kb: i64, overall_limit_kb: i64, last_notification: NVarChar<60>, }
    DM_OS_MEMORY_CACHE_CLOCK_HANDS DmOsMemoryCacheClockHands "dm_os_memory_cache_clock_hands" {
        cache_address: VarBinary<8>, name: NVarChar<256>, r#type: NVarChar<60>, clock_hand: NVarChar<60>,
        clock_status: NVarChar<60>, rounds_count: i64, removed_all_rounds_count: i64, updated_last_round_count: i64,
        removed_last_round_count: i64, last_tick_time: i64, round_start_time: i64, last_round_start_time: i64, }
    DM_OS_MEMORY_CACHE_ENTRIES DmOsMemoryCacheEntries "dm_os_memory_cache_entries" { cache_address: VarBinary<8>,
        name: NVarChar<256>, r#type: VarChar<60>, entry_address: VarBinary<8>, entry_data_address: VarBinary<8>,
        in_use_count: i32, is_dirty: bool, disk_ios_count: i32, context_switches_count: i32, original_cost: i32,
        current_cost: i32, memory_object_address: VarBinary<8>, pages_allocated_count: i64, pages_kb: i64,
        entry_data: NVarChar<2048>, pool_id: i32, }
    DM_OS_MEMORY_CACHE_HASH_TABLES DmOsMemoryCacheHashTables "dm_os_memory_cache_hash_tables" {
        cache_address: VarBinary<8>, name: NVarChar<256>, r#type: NVarChar<60>, table_level: i32, buckets_count: i32,
        buckets_in_use_count: i32, buckets_min_length: i32, buckets_max_length: i32, buckets_avg_length: i32,
        buckets_max_length_ever: i32, hits_count: i64, misses_count: i64, buckets_avg_scan_hit_length: i32,
        buckets_avg_scan_miss_length: i32, }
    DM_OS_MEMORY_OBJECTS DmOsMemoryObjects "dm_os_memory_objects" { memory_object_address: VarBinary<8>,
        parent_address: VarBinary<8>, pages_allocated_count: i32, pages_in_bytes: i64, creation_options: i32,
        bytes_used: i64, r#type: NVarChar<60>, name: VarChar<128>, memory_node_id: i16, creation_time: DateTime,
        max_pages_allocated_count: i32, page_size_in_bytes: i32, max_pages_in_bytes: i64,
        page_allocator_address: VarBinary<8>, creation_stack_address: VarBinary<8>, sequence_num: i32,
        partition_type: i32, contention_factor: f32, waiting_tasks_count: i64, exclusive_access_count: i64, }
    DM_OS_MEMORY_POOLS DmOsMemoryPools "dm_os_memory_pools" { memory_pool_address: VarBinary<8>, pool_id: i32,
        r#type: NVarChar<60>, name: NVarChar<256>, max_free_entries_count: i64, free_entries_count: i64,
        removed_in_all_rounds_count: i64, }
    DM_OS_SERVER_DIAGNOSTICS_LOG_CONFIGURATIONS DmOsServerDiagnosticsLogConfigurations "dm_os_server_diagnostics_log_configurations" {
        is_enabled: bool, max_size: i32, max_files: i32, path: NVarChar<260>, }
    DM_OS_SPINLOCK_STATS DmOsSpinlockStats "dm_os_spinlock_stats" { name: NVarChar<256>, collisions: i64, spins: i64,
        spins_per_collision: f32, sleep_time: i64, backoffs: i32, }
    DM_OS_STACKS DmOsStacks "dm_os_stacks" { stack_address: VarBinary<8>, frame_index: i32,
        frame_address: VarBinary<8>, }
    DM_OS_VIRTUAL_ADDRESS_DUMP DmOsVirtualAddressDump "dm_os_virtual_address_dump" {
        region_base_address: VarBinary<8>, region_allocation_base_address: VarBinary<8>,
        region_allocation_protection: VarBinary<8>, region_size_in_bytes: i64, region_state: VarBinary<8>,
        region_current_protection: VarBinary<8>, region_type: VarBinary<8>, }
    DM_RESOURCE_GOVERNOR_RESOURCE_POOL_VOLUMES DmResourceGovernorResourcePoolVolumes "dm_resource_governor_resource_pool_volumes" {
        pool_id: i32, volume_name: Sysname, read_io_queued_total: i32, read_io_issued_total: i32,
        read_ios_completed_total: i32, read_ios_throttled_total: i32, read_bytes_total: i64,
        read_io_stall_total_ms: i64, read_io_stall_queued_ms: i64, write_io_queued_total: i32,
        write_io_issued_total: i32, write_io_completed_total: i32, write_io_throttled_total: i32,
        write_bytes_total: i64, write_io_stall_total_ms: i64, write_io_stall_queued_ms: i64,
        io_issue_violations_total: i32, io_issue_delay_total_ms: i64, }
    // The optimizer, jobs beside statements.
    DM_EXEC_BACKGROUND_JOB_QUEUE_STATS DmExecBackgroundJobQueueStats "dm_exec_background_job_queue_stats" {
        queue_max_len: i32, enqueued_count: i32, started_count: i32, ended_count: i32, failed_lock_count: i32,
        failed_other_count: i32, failed_giveup_count: i32, enqueue_failed_full_count: i32,
        enqueue_failed_duplicate_count: i32, elapsed_avg_ms: i32, elapsed_max_ms: i32, }
    DM_EXEC_QUERY_OPTIMIZER_INFO DmExecQueryOptimizerInfo "dm_exec_query_optimizer_info" { counter: NVarChar<4000>,
        occurrence: i64, value: f64, }
    DM_EXEC_QUERY_OPTIMIZER_MEMORY_GATEWAYS DmExecQueryOptimizerMemoryGateways "dm_exec_query_optimizer_memory_gateways" {
        pool_id: i32, name: Sysname, max_count: i32, active_count: i32, waiter_count: i32, threshold_factor: i64,
        threshold: i64, is_active: bool, }
    DM_EXEC_QUERY_PARALLEL_WORKERS DmExecQueryParallelWorkers "dm_exec_query_parallel_workers" { node_id: i32,
        scheduler_count: i32, max_worker_count: i32, reserved_worker_count: i32, free_worker_count: i32,
        used_worker_count: i32, }
    DM_IO_PENDING_IO_REQUESTS DmIoPendingIoRequests "dm_io_pending_io_requests" {
        io_completion_request_address: VarBinary<8>, io_type: NVarChar<60>, io_pending_ms_ticks: i64,
        io_pending: i32, io_completion_routine_address: VarBinary<8>, io_user_data_address: VarBinary<8>,
        scheduler_address: VarBinary<8>, io_handle: VarBinary<8>, io_offset: i64, io_handle_path: NVarChar<256>, }
    DM_DB_UNCONTAINED_ENTITIES DmDbUncontainedEntities "dm_db_uncontained_entities" { class: i32,
        class_desc: NVarChar<120>, major_id: i32, statement_line_number: i32, statement_offset_begin: i32,
        statement_offset_end: i32, statement_type: NVarChar<512>, feature_name: NVarChar<256>,
        feature_type_name: NVarChar<256>, }
    // Query Store of other replicas.
    QUERY_STORE_REPLICAS QueryStoreReplicas "query_store_replicas" { replica_group_id: i64, role_id: u8,
        replica_name: NVarCharMax, }
    QUERY_STORE_PLAN_FORCING_LOCATIONS QueryStorePlanForcingLocations "query_store_plan_forcing_locations" {
        plan_forcing_location_id: i64, query_id: i64, plan_id: i64, replica_group_id: i64, }
    // Languages of other programs, indexes that only memory has.
    DM_DB_EXTERNAL_LANGUAGE_STATS DmDbExternalLanguageStats "dm_db_external_language_stats" {
        external_language_id: i32, is_installed: bool, }
    DM_DB_XTP_INDEX_STATS DmDbXtpIndexStats "dm_db_xtp_index_stats" { object_id: i64, xtp_object_id: i64,
        index_id: i64, scans_started: i64, scans_retries: i64, rows_returned: i64, rows_touched: i64,
        rows_expiring: i64, rows_expired: i64, rows_expired_removed: i64, phantom_scans_started: i64,
        phantom_scans_retries: i64, phantom_rows_touched: i64, phantom_expiring_rows_encountered: i64,
        phantom_expired_rows_encountered: i64, phantom_expired_removed_rows_encountered: i64,
        phantom_expired_rows_removed: i64, object_address: VarBinary<8>, }
    // What the server itself brings of these.
    SYSTEM_COMPONENTS_SURFACE_AREA_CONFIGURATION SystemComponentsSurfaceAreaConfiguration "system_components_surface_area_configuration" {
        component_name: Sysname, database_name: Sysname, schema_name: Sysname, object_name: Sysname, state: u8,
        r#type: Char<2>, type_desc: NVarChar<60>, }
    SYSTEM_PARAMETERS SystemParameters "system_parameters" { object_id: i32, name: Sysname, parameter_id: i32,
        system_type_id: u8, user_type_id: i32, max_length: i16, precision: u8, scale: u8, is_output: bool,
        is_cursor_ref: bool, has_default_value: bool, is_xml_document: bool, default_value: Variant,
        xml_collection_id: i32, }
    SYSTEM_SQL_MODULES SystemSqlModules "system_sql_modules" { object_id: i32, definition: NVarCharMax,
        uses_ansi_nulls: bool, uses_quoted_identifier: bool, is_schema_bound: bool, uses_database_collation: bool,
        is_recompiled: bool, null_on_null_input: bool, execute_as_principal_id: i32, }
}
