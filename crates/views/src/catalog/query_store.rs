//! Query Store: its views, and its options as ALTER DATABASE … SET QUERY_STORE left them.
//!
//! What always holds: nothing is captured (docs/compatibility.md), so the actual state is OFF whatever the wanted one is, and the
//! views of queries, plans and runs have no rows.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::database::options::DatabaseFlag;
use millpond_types::DateTimeOffset;

use crate::catalog::nothing::nothing;
use crate::columns::{Binary, NVarChar, NVarCharMax, VarBinary, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.database_query_store_options`.
    struct DatabaseQueryStoreOptions {
        desired_state: i16,
        desired_state_desc: Option<NVarChar<60>>,
        actual_state: i16,
        actual_state_desc: Option<NVarChar<60>>,
        readonly_reason: Option<i32>,
        current_storage_size_mb: Option<i64>,
        flush_interval_seconds: Option<i64>,
        interval_length_minutes: Option<i64>,
        max_storage_size_mb: Option<i64>,
        stale_query_threshold_days: Option<i64>,
        max_plans_per_query: Option<i64>,
        query_capture_mode: i16,
        query_capture_mode_desc: Option<NVarChar<60>>,
        capture_policy_execution_count: Option<i32>,
        capture_policy_total_compile_cpu_time_ms: Option<i64>,
        capture_policy_total_execution_cpu_time_ms: Option<i64>,
        capture_policy_stale_threshold_hours: Option<i32>,
        size_based_cleanup_mode: i16,
        size_based_cleanup_mode_desc: Option<NVarChar<60>>,
        wait_stats_capture_mode: i16,
        wait_stats_capture_mode_desc: Option<NVarChar<60>>,
        actual_state_additional_info: Option<NVarChar<4000>>,
    }
}

/// `sys.database_query_store_options`: what a new database has, but for the wanted state.
pub static DATABASE_QUERY_STORE_OPTIONS: ViewDef = view("sys", "database_query_store_options", &ViewRows(options));

row! {
    /// A row of `sys.database_automatic_tuning_options`.
    struct DatabaseAutomaticTuningOptions {
        name: Option<NVarChar<128>>,
        desired_state: Option<i16>,
        desired_state_desc: Option<NVarChar<60>>,
        actual_state: Option<i16>,
        actual_state_desc: Option<NVarChar<60>>,
        reason: Option<i16>,
        reason_desc: Option<NVarChar<60>>,
    }
}

/// `sys.database_automatic_tuning_options`
pub static DATABASE_AUTOMATIC_TUNING_OPTIONS: ViewDef =
    view("sys", "database_automatic_tuning_options", &ViewRows(tuning));

fn options(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DatabaseQueryStoreOptions>> {
    let found = ctx.engine.instance().database(database.database);
    let is_wanted = found.is_some_and(|database| database.options().is_on(DatabaseFlag::QueryStore));
    Ok(Rows::one(DatabaseQueryStoreOptions {
        desired_state: if is_wanted { 2 } else { 0 },
        desired_state_desc: Some(text(if is_wanted { "READ_WRITE" } else { "OFF" })),
        actual_state: 0,
        actual_state_desc: Some(text("OFF")),
        readonly_reason: Some(0),
        current_storage_size_mb: Some(0),
        flush_interval_seconds: Some(900),
        interval_length_minutes: Some(60),
        max_storage_size_mb: Some(1000),
        stale_query_threshold_days: Some(30),
        max_plans_per_query: Some(200),
        query_capture_mode: 2,
        query_capture_mode_desc: Some(text("AUTO")),
        capture_policy_execution_count: None,
        capture_policy_total_compile_cpu_time_ms: None,
        capture_policy_total_execution_cpu_time_ms: None,
        capture_policy_stale_threshold_hours: None,
        size_based_cleanup_mode: 1,
        size_based_cleanup_mode_desc: Some(text("AUTO")),
        wait_stats_capture_mode: 1,
        wait_stats_capture_mode_desc: Some(text("ON")),
        actual_state_additional_info: Some(text("")),
    }))
}

fn tuning(_ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DatabaseAutomaticTuningOptions>> {
    Ok(Rows::one(DatabaseAutomaticTuningOptions {
        name: Some(text("FORCE_LAST_GOOD_PLAN")),
        desired_state: Some(0),
        desired_state_desc: Some(text("OFF")),
        actual_state: Some(0),
        actual_state_desc: Some(text("OFF")),
        reason: Some(2),
        reason_desc: Some(text("QUERY_STORE_OFF")),
    }))
}

nothing! {
    QUERY_CONTEXT_SETTINGS QueryContextSettings "query_context_settings" { context_settings_id: i64,
        set_options: VarBinary<8>, language_id: i16, date_format: i16, date_first: u8, status: VarBinary<2>,
        required_cursor_options: i32, acceptable_cursor_options: i32, merge_action_type: i16, default_schema_id: i32,
        is_replication_specific: bool, is_contained: VarBinary<1>, }
    QUERY_STORE_PLAN QueryStorePlan "query_store_plan" { plan_id: i64, query_id: i64, plan_group_id: i64,
        engine_version: NVarChar<32>, compatibility_level: i16, query_plan_hash: Binary<8>, query_plan: NVarCharMax,
        is_online_index_plan: bool, is_trivial_plan: bool, is_parallel_plan: bool, is_forced_plan: bool,
        is_natively_compiled: bool, force_failure_count: i64, last_force_failure_reason: i32,
        last_force_failure_reason_desc: NVarChar<128>, count_compiles: i64,
        initial_compile_start_time: DateTimeOffset, last_compile_start_time: DateTimeOffset,
        last_execution_time: DateTimeOffset, avg_compile_duration: f64, last_compile_duration: i64,
        plan_forcing_type: i32, plan_forcing_type_desc: NVarChar<60>, }
    QUERY_STORE_QUERY QueryStoreQuery "query_store_query" { query_id: i64, query_text_id: i64,
        context_settings_id: i64, object_id: i64, batch_sql_handle: VarBinary<64>, query_hash: Binary<8>,
        is_internal_query: bool, query_parameterization_type: u8, query_parameterization_type_desc: NVarChar<60>,
        initial_compile_start_time: DateTimeOffset, last_compile_start_time: DateTimeOffset,
        last_execution_time: DateTimeOffset, last_compile_batch_sql_handle: VarBinary<64>,
        last_compile_batch_offset_start: i64, last_compile_batch_offset_end: i64, count_compiles: i64,
        avg_compile_duration: f64, last_compile_duration: i64, avg_bind_duration: f64, last_bind_duration: i64,
        avg_bind_cpu_time: f64, last_bind_cpu_time: i64, avg_optimize_duration: f64, last_optimize_duration: i64,
        avg_optimize_cpu_time: f64, last_optimize_cpu_time: i64, avg_compile_memory_kb: f64,
        last_compile_memory_kb: i64, max_compile_memory_kb: i64, is_clouddb_internal_query: bool, }
    QUERY_STORE_QUERY_TEXT QueryStoreQueryText "query_store_query_text" { query_text_id: i64,
        query_sql_text: NVarCharMax, statement_sql_handle: VarBinary<64>, is_part_of_encrypted_module: bool,
        has_restricted_text: bool, }
    QUERY_STORE_RUNTIME_STATS QueryStoreRuntimeStats "query_store_runtime_stats" { runtime_stats_id: i64,
        plan_id: i64, runtime_stats_interval_id: i64, execution_type: u8, execution_type_desc: NVarChar<128>,
        first_execution_time: DateTimeOffset, last_execution_time: DateTimeOffset, count_executions: i64,
        avg_duration: f64, last_duration: i64, min_duration: i64, max_duration: i64, stdev_duration: f64,
        avg_cpu_time: f64, last_cpu_time: i64, min_cpu_time: i64, max_cpu_time: i64, stdev_cpu_time: f64,
        avg_logical_io_reads: f64, last_logical_io_reads: i64, min_logical_io_reads: i64, max_logical_io_reads: i64,
        stdev_logical_io_reads: f64, avg_logical_io_writes: f64, last_logical_io_writes: i64,
        min_logical_io_writes: i64, max_logical_io_writes: i64, stdev_logical_io_writes: f64,
        avg_physical_io_reads: f64, last_physical_io_reads: i64, min_physical_io_reads: i64,
        max_physical_io_reads: i64, stdev_physical_io_reads: f64, avg_clr_time: f64, last_clr_time: i64,
        min_clr_time: i64, max_clr_time: i64, stdev_clr_time: f64, avg_dop: f64, last_dop: i64, min_dop: i64,
        max_dop: i64, stdev_dop: f64, avg_query_max_used_memory: f64, last_query_max_used_memory: i64,
        min_query_max_used_memory: i64, max_query_max_used_memory: i64, stdev_query_max_used_memory: f64,
        avg_rowcount: f64, last_rowcount: i64, min_rowcount: i64, max_rowcount: i64, stdev_rowcount: f64,
        avg_log_bytes_used: f64, last_log_bytes_used: i64, min_log_bytes_used: i64, max_log_bytes_used: i64,
        stdev_log_bytes_used: f64, avg_tempdb_space_used: f64, last_tempdb_space_used: i64,
        min_tempdb_space_used: i64, max_tempdb_space_used: i64, stdev_tempdb_space_used: f64,
        avg_page_server_io_reads: f64, last_page_server_io_reads: i64, min_page_server_io_reads: i64,
        max_page_server_io_reads: i64, stdev_page_server_io_reads: f64, }
    QUERY_STORE_RUNTIME_STATS_INTERVAL QueryStoreRuntimeStatsInterval "query_store_runtime_stats_interval" {
        runtime_stats_interval_id: i64, start_time: DateTimeOffset, end_time: DateTimeOffset, comment: NVarChar<32>,
        }
    QUERY_STORE_WAIT_STATS QueryStoreWaitStats "query_store_wait_stats" { wait_stats_id: i64, plan_id: i64,
        runtime_stats_interval_id: i64, wait_category: u8, wait_category_desc: NVarChar<128>, execution_type: u8,
        execution_type_desc: NVarChar<128>, total_query_wait_time_ms: i64, avg_query_wait_time_ms: f64,
        last_query_wait_time_ms: i64, min_query_wait_time_ms: i64, max_query_wait_time_ms: i64,
        stdev_query_wait_time_ms: f64, }
}
