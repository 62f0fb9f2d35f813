//! `sys.resource_governor_workload_groups`, `sys.resource_governor_configuration` and
//! `sys.dm_resource_governor_workload_groups`: groups as configured, and as they run.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::governor::configured_groups;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;

use crate::columns::{Sysname, big, int, text};
use crate::row::{Rows, ViewRows, row, view};

/// The one resource pool.
const DEFAULT_POOL: i32 = 2;

row! {
    /// A row of `sys.resource_governor_workload_groups`.
    struct ResourceGovernorWorkloadGroups {
        group_id: i32,
        name: Sysname,
        pool_id: i32,
        group_max_tempdb_data_mb: Option<f64>,
        group_max_tempdb_data_percent: Option<f64>,
    }
}

/// `sys.resource_governor_workload_groups`: the columns that mean something here.
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
    /// A row of `sys.dm_resource_governor_workload_groups`.
    struct DmResourceGovernorWorkloadGroups {
        group_id: i32,
        name: Sysname,
        pool_id: i32,
        session_count: i32,
        group_max_tempdb_data_mb: Option<f64>,
        tempdb_data_space_kb: i64,
        peak_tempdb_data_space_kb: i64,
        total_tempdb_data_limit_violation_count: i64,
    }
}

/// `sys.dm_resource_governor_workload_groups`: the columns that mean something here.
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
    Ok([(1, "internal"), (DEFAULT_POOL, "default")].map(pool).into_iter().collect())
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
            pool_id: DEFAULT_POOL,
            group_max_tempdb_data_mb: max,
            group_max_tempdb_data_percent: None,
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
    let rows = ctx.engine.txns().governor().groups().into_iter().map(|group| {
        let quota = group.quota();
        let max = quota.limit_pages().map(|pages| pages as f64 / 128.0);
        DmResourceGovernorWorkloadGroups {
            group_id: int(group.id),
            name: text(&group.name),
            pool_id: DEFAULT_POOL,
            session_count: int(group.session_count()),
            group_max_tempdb_data_mb: max,
            tempdb_data_space_kb: big(quota.used_pages() * PAGE_KB),
            peak_tempdb_data_space_kb: big(quota.peak_pages() * PAGE_KB),
            total_tempdb_data_limit_violation_count: big(quota.refusals()),
        }
    });
    Ok(rows.collect())
}
