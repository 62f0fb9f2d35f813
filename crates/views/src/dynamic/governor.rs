//! `sys.resource_governor_workload_groups`, `sys.resource_governor_configuration` and
//! `sys.dm_resource_governor_workload_groups`: groups as configured, and as they run.

use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::governor::configured_groups;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::DateTime;

use crate::columns::{Sysname, big, datetime_of, int, text};
use crate::dynamic::grants::POOL_ID;
use crate::dynamic::pools::INTERNAL_POOL_ID;
use crate::dynamic::sessions::Groups;
use crate::row::{Rows, ViewRows, row, view};

/// The one of processes outside, of which there are none.
const EXTERNAL_POOL: i32 = 2;
/// What a new group of SQL Server has.
const IMPORTANCE: &str = "Medium";
const GRANT_PERCENT: i32 = 25;

row! {
    /// A row of `sys.resource_governor_workload_groups`.
    struct ResourceGovernorWorkloadGroups {
        group_id: i32,
        name: Sysname,
        importance: Sysname,
        request_max_memory_grant_percent: i32,
        request_max_cpu_time_sec: i32,
        request_memory_grant_timeout_sec: i32,
        max_dop: i32,
        group_max_requests: i32,
        pool_id: i32,
        external_pool_id: i32,
        group_max_tempdb_data_mb: Option<f64>,
        group_max_tempdb_data_percent: Option<f64>,
        request_max_memory_grant_percent_numeric: f64,
    }
}

/// `sys.resource_governor_workload_groups`: of tempdb alone a group says something; all else is as a new group has it.
pub static RESOURCE_GOVERNOR_WORKLOAD_GROUPS: ViewDef =
    view("sys", "resource_governor_workload_groups", &ViewRows(configured));

row! {
    /// A row of `sys.resource_governor_configuration`.
    struct ResourceGovernorConfiguration {
        classifier_function_id: i32,
        is_enabled: bool,
        max_outstanding_io_per_volume: i32,
    }
}

/// `sys.resource_governor_configuration`
pub static RESOURCE_GOVERNOR_CONFIGURATION: ViewDef =
    view("sys", "resource_governor_configuration", &ViewRows(configuration));

row! {
    /// A row of `sys.resource_governor_external_resource_pools`.
    struct ResourceGovernorExternalResourcePools {
        external_pool_id: i32,
        name: Sysname,
        max_cpu_percent: i32,
        max_memory_percent: i32,
        max_processes: i32,
        version: i64,
    }
}

/// `sys.resource_governor_external_resource_pools`: the default one, for processes that there are none of.
pub static RESOURCE_GOVERNOR_EXTERNAL_RESOURCE_POOLS: ViewDef =
    view("sys", "resource_governor_external_resource_pools", &ViewRows(external_pools));

fn external_pools(_ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ResourceGovernorExternalResourcePools>> {
    Ok(Rows::one(ResourceGovernorExternalResourcePools {
        external_pool_id: EXTERNAL_POOL,
        name: text("default"),
        max_cpu_percent: 100,
        max_memory_percent: 20,
        max_processes: 0,
        version: 1,
    }))
}

row! {
    /// A row of `sys.dm_resource_governor_workload_groups`.
    struct DmResourceGovernorWorkloadGroups {
        group_id: i32,
        name: Sysname,
        pool_id: i32,
        external_pool_id: i32,
        statistics_start_time: DateTime,
        total_request_count: i64,
        total_queued_request_count: i64,
        active_request_count: i32,
        queued_request_count: i32,
        total_cpu_limit_violation_count: i64,
        total_cpu_usage_ms: i64,
        max_request_cpu_time_ms: i64,
        blocked_task_count: i32,
        total_lock_wait_count: i64,
        total_lock_wait_time_ms: i64,
        total_query_optimization_count: i64,
        total_suboptimal_plan_generation_count: i64,
        total_reduced_memgrant_count: i64,
        max_request_grant_memory_kb: i64,
        active_parallel_thread_count: i64,
        importance: Sysname,
        request_max_memory_grant_percent: i32,
        request_max_cpu_time_sec: i32,
        request_memory_grant_timeout_sec: i32,
        group_max_requests: i32,
        max_dop: i32,
        effective_max_dop: i32,
        total_cpu_usage_preemptive_ms: i64,
        request_max_memory_grant_percent_numeric: f64,
        session_count: i32,
        group_max_tempdb_data_mb: Option<f64>,
        tempdb_data_space_kb: i64,
        peak_tempdb_data_space_kb: i64,
        total_tempdb_data_limit_violation_count: i64,
    }
}

/// `sys.dm_resource_governor_workload_groups`: sessions and pages of tempdb are counted by group, requests and their time are not.
pub static DM_RESOURCE_GOVERNOR_WORKLOAD_GROUPS: ViewDef =
    view("sys", "dm_resource_governor_workload_groups", &ViewRows(running));

row! {
    /// A row of `sys.resource_governor_resource_pools`.
    struct ResourceGovernorResourcePools {
        pool_id: i32,
        name: Sysname,
        min_cpu_percent: i32,
        max_cpu_percent: i32,
        min_memory_percent: i32,
        max_memory_percent: i32,
        cap_cpu_percent: i32,
        min_iops_per_volume: i32,
        max_iops_per_volume: i32,
    }
}

/// `sys.resource_governor_resource_pools`: all groups are in `default`, which has no limits; `internal` is the server's.
pub static RESOURCE_GOVERNOR_RESOURCE_POOLS: ViewDef =
    view("sys", "resource_governor_resource_pools", &ViewRows(pools));

row! {
    /// A row of `sys.dm_resource_governor_configuration`.
    struct DmResourceGovernorConfiguration {
        classifier_function_id: i32,
        is_reconfiguration_pending: bool,
        max_outstanding_io_per_volume: i32,
    }
}

/// `sys.dm_resource_governor_configuration`: what is configured holds at once here.
pub static DM_RESOURCE_GOVERNOR_CONFIGURATION: ViewDef =
    view("sys", "dm_resource_governor_configuration", &ViewRows(running_configuration));

fn pools(_ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ResourceGovernorResourcePools>> {
    let pool = |(pool_id, name): (i32, &str)| ResourceGovernorResourcePools {
        pool_id,
        name: text(name),
        min_cpu_percent: 0,
        max_cpu_percent: 100,
        min_memory_percent: 0,
        max_memory_percent: 100,
        cap_cpu_percent: 100,
        min_iops_per_volume: 0,
        max_iops_per_volume: 0,
    };
    Ok([(INTERNAL_POOL_ID, "internal"), (POOL_ID, "default")].map(pool).into_iter().collect())
}

fn running_configuration(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmResourceGovernorConfiguration>> {
    Ok(Rows::one(DmResourceGovernorConfiguration {
        classifier_function_id: classifier_id(ctx).unwrap_or(0),
        is_reconfiguration_pending: false,
        max_outstanding_io_per_volume: 0,
    }))
}

/// The number of the classifier function.
fn classifier_id(ctx: &RunContext) -> Option<i32> {
    let stored = ctx.engine.instance().settings().governor();
    let (schema, name) = stored.classifier.as_ref()?;
    let objects = ctx.engine.databases().dictionary(DbId::MASTER).ok()?.catalog().objects();
    objects.find(objects.schema(schema)?.id, name).map(|object| object.id().0)
}

fn configured(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ResourceGovernorWorkloadGroups>> {
    let rows = configured_groups(ctx.engine.instance()).into_iter().map(|group| {
        let max = group.tempdb_data_max_mb;
        ResourceGovernorWorkloadGroups {
            group_id: int(group.id),
            name: text(&group.name),
            importance: text(IMPORTANCE),
            request_max_memory_grant_percent: GRANT_PERCENT,
            request_max_cpu_time_sec: 0,
            request_memory_grant_timeout_sec: 0,
            max_dop: 0,
            group_max_requests: 0,
            pool_id: POOL_ID,
            external_pool_id: EXTERNAL_POOL,
            group_max_tempdb_data_mb: max,
            group_max_tempdb_data_percent: None,
            request_max_memory_grant_percent_numeric: f64::from(GRANT_PERCENT),
        }
    });
    Ok(rows.collect())
}

fn configuration(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ResourceGovernorConfiguration>> {
    let stored = ctx.engine.instance().settings().governor();
    Ok(Rows::one(ResourceGovernorConfiguration {
        classifier_function_id: classifier_id(ctx).unwrap_or(0),
        is_enabled: !stored.is_disabled,
        max_outstanding_io_per_volume: 0,
    }))
}

fn running(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmResourceGovernorWorkloadGroups>> {
    const PAGE_KB: u64 = 8;
    let started = datetime_of(ctx.engine.instance().start_time().local_us());
    let (of_sessions, sessions) = (Groups::of(ctx), ctx.engine.sessions());
    let waiting = ctx.engine.txns().locks().waiting();
    let rows = ctx.engine.txns().governor().groups().into_iter().map(|group| {
        let members = sessions.iter().filter(|session| of_sessions.group(session.id) == int(group.id));
        let (mut active, mut blocked, mut workers) = (0_u32, 0_u32, 0_u32);
        for session in members {
            active += u32::from(session.status.lock().request.is_some());
            blocked += u32::from(waiting.iter().any(|wait| wait.session == session.id));
            workers += session.workers.load(Relaxed);
        }
        let quota = group.quota();
        let max = quota.limit_pages().map(|pages| pages as f64 / 128.0);
        DmResourceGovernorWorkloadGroups {
            group_id: int(group.id),
            name: text(&group.name),
            pool_id: POOL_ID,
            external_pool_id: EXTERNAL_POOL,
            statistics_start_time: started,
            total_request_count: 0,
            total_queued_request_count: 0,
            active_request_count: int(active),
            queued_request_count: 0,
            total_cpu_limit_violation_count: 0,
            total_cpu_usage_ms: 0,
            max_request_cpu_time_ms: 0,
            blocked_task_count: int(blocked),
            total_lock_wait_count: 0,
            total_lock_wait_time_ms: 0,
            total_query_optimization_count: 0,
            total_suboptimal_plan_generation_count: 0,
            total_reduced_memgrant_count: 0,
            max_request_grant_memory_kb: 0,
            active_parallel_thread_count: big(u64::from(workers)),
            importance: text(IMPORTANCE),
            request_max_memory_grant_percent: GRANT_PERCENT,
            request_max_cpu_time_sec: 0,
            request_memory_grant_timeout_sec: 0,
            group_max_requests: 0,
            max_dop: 0,
            effective_max_dop: 0,
            total_cpu_usage_preemptive_ms: 0,
            request_max_memory_grant_percent_numeric: f64::from(GRANT_PERCENT),
            session_count: int(group.session_count()),
            group_max_tempdb_data_mb: max,
            tempdb_data_space_kb: big(quota.used_pages() * PAGE_KB),
            peak_tempdb_data_space_kb: big(quota.peak_pages() * PAGE_KB),
            total_tempdb_data_limit_violation_count: big(quota.refusals()),
        }
    });
    Ok(rows.collect())
}
