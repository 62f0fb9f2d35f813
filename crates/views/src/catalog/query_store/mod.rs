//! Query Store: its options and state, and in files of their own the queries and plans that it has, and their runs.
//!
//! What always holds: a view shows what is in memory, which is what the next write puts into the database. Times are UTC.

mod queries;
mod runs;

use millpond_catalog::Within;
use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::query_store::options::{CaptureMode, StoreState};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::DateTimeOffset;

use crate::columns::{NVarChar, big, int, text};
use crate::row::{Rows, ViewRows, row, view};

pub use queries::{QUERY_CONTEXT_SETTINGS, QUERY_STORE_PLAN, QUERY_STORE_QUERY, QUERY_STORE_QUERY_TEXT};
pub use runs::{QUERY_STORE_RUNTIME_STATS, QUERY_STORE_RUNTIME_STATS_INTERVAL, QUERY_STORE_WAIT_STATS};

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

/// `sys.database_query_store_options`
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

/// The size that a store takes, in whole megabytes.
const MB: u64 = 1 << 20;

fn options(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DatabaseQueryStoreOptions>> {
    let store = ctx.engine.databases().query_store(database.database)?;
    let report = store.report(ctx.engine.txns().is_read_only(database.database));
    let options = report.options;
    let policy = (options.mode == CaptureMode::Custom).then_some(options.policy);
    Ok(Rows::one(DatabaseQueryStoreOptions {
        desired_state: report.desired as i16,
        desired_state_desc: Some(text(report.desired.name())),
        actual_state: report.actual as i16,
        actual_state_desc: Some(text(report.actual.name())),
        readonly_reason: Some(report.reason),
        current_storage_size_mb: Some(big(report.bytes / MB)),
        flush_interval_seconds: Some(big(options.flush_s)),
        interval_length_minutes: Some(big(options.interval_min)),
        max_storage_size_mb: Some(big(options.max_mb)),
        stale_query_threshold_days: Some(big(options.stale_days)),
        max_plans_per_query: Some(big(options.max_plans)),
        query_capture_mode: options.mode as i16,
        query_capture_mode_desc: Some(text(options.mode.name())),
        capture_policy_execution_count: policy.map(|policy| int(policy.executions)),
        capture_policy_total_compile_cpu_time_ms: policy.map(|policy| big(policy.compile_cpu_ms)),
        capture_policy_total_execution_cpu_time_ms: policy.map(|policy| big(policy.execution_cpu_ms)),
        capture_policy_stale_threshold_hours: policy.map(|policy| int(policy.stale_hours)),
        size_based_cleanup_mode: i16::from(options.cleans_by_size),
        size_based_cleanup_mode_desc: Some(text(if options.cleans_by_size { "AUTO" } else { "OFF" })),
        wait_stats_capture_mode: i16::from(options.captures_waits),
        wait_stats_capture_mode_desc: Some(text(if options.captures_waits { "ON" } else { "OFF" })),
        actual_state_additional_info: Some(text("")),
    }))
}

/// No plan is forced by itself.
fn tuning(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DatabaseAutomaticTuningOptions>> {
    let store = ctx.engine.databases().query_store(database.database)?;
    let is_off = store.report(false).desired == StoreState::Off;
    Ok(Rows::one(DatabaseAutomaticTuningOptions {
        name: Some(text("FORCE_LAST_GOOD_PLAN")),
        desired_state: Some(0),
        desired_state_desc: Some(text("OFF")),
        actual_state: Some(0),
        actual_state_desc: Some(text("OFF")),
        reason: is_off.then_some(2),
        reason_desc: is_off.then(|| text("QUERY_STORE_OFF")),
    }))
}

/// A time of a store (µs of UTC since 1970); none where it is 0.
fn moment(us: i64) -> Option<DateTimeOffset> {
    if us == 0 { None } else { DateTimeOffset::from_utc(datetime2_of_unix_us(us), 0) }
}
