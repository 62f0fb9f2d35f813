//! `sys.resource_governor_workload_groups`, `sys.resource_governor_configuration` and
//! `sys.dm_resource_governor_workload_groups`: groups as configured, and as they run.

use millpond_builtin::object_name;
use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::governor::configured_groups;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, BIT, FLOAT, INT, SYSNAME, big, bit, col, int, null, text};

/// The one resource pool.
const DEFAULT_POOL: i32 = 2;

/// `sys.resource_governor_workload_groups`: the columns that mean something here.
pub static RESOURCE_GOVERNOR_WORKLOAD_GROUPS: ViewDef = ViewDef {
    schema: "sys",
    name: "resource_governor_workload_groups",
    columns: &[
        col("group_id", INT),
        col("name", SYSNAME),
        col("pool_id", INT),
        null("group_max_tempdb_data_mb", FLOAT),
        null("group_max_tempdb_data_percent", FLOAT),
    ],
    rows: &ViewRows(configured),
};

/// `sys.resource_governor_configuration`
pub static RESOURCE_GOVERNOR_CONFIGURATION: ViewDef = ViewDef {
    schema: "sys",
    name: "resource_governor_configuration",
    columns: &[col("classifier_function_id", INT), col("is_enabled", BIT)],
    rows: &ViewRows(configuration),
};

/// `sys.dm_resource_governor_workload_groups`: the columns that mean something here.
pub static DM_RESOURCE_GOVERNOR_WORKLOAD_GROUPS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_resource_governor_workload_groups",
    columns: &[
        col("group_id", INT),
        col("name", SYSNAME),
        col("pool_id", INT),
        col("session_count", INT),
        null("group_max_tempdb_data_mb", FLOAT),
        col("tempdb_data_space_kb", BIGINT),
        col("peak_tempdb_data_space_kb", BIGINT),
        col("total_tempdb_data_limit_violation_count", BIGINT),
    ],
    rows: &ViewRows(running),
};

fn configured(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = configured_groups(ctx.engine.instance()).into_iter().map(|group| {
        let max = group.tempdb_data_max_mb.map_or(Value::Null, Value::Float);
        vec![int(group.id), text(&group.name), Value::Int(DEFAULT_POOL), max, Value::Null]
    });
    Ok(rows.collect())
}

fn configuration(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let stored = ctx.engine.instance().settings().governor();
    let function = stored.classifier.as_ref().and_then(|(schema, name)| {
        let objects = ctx.engine.databases().dictionary(DbId::MASTER).ok()?.catalog().objects();
        let name = object_name(&format!("[{schema}].[{}]", name.replace(']', "]]")))?;
        let schema = objects.schema(&name.parts[0])?.id;
        objects.find(schema, name.parts.last()?).map(|object| object.id().0)
    });
    Ok(vec![vec![Value::Int(function.unwrap_or(0)), bit(!stored.is_disabled)]])
}

fn running(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    const PAGE_KB: u64 = 8;
    let rows = ctx.engine.txns().governor().groups().into_iter().map(|group| {
        let quota = group.quota();
        let max = quota.limit_pages().map_or(Value::Null, |pages| Value::Float(pages as f64 / 128.0));
        vec![
            int(group.id),
            text(&group.name),
            Value::Int(DEFAULT_POOL),
            int(group.session_count()),
            max,
            big(quota.used_pages() * PAGE_KB),
            big(quota.peak_pages() * PAGE_KB),
            big(quota.refusals()),
        ]
    });
    Ok(rows.collect())
}
