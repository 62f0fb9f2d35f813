//! Indexes that plans missed: `sys.dm_db_missing_index_details`, `_groups`, `_group_stats`, `_group_stats_query` and
//! `sys.dm_db_missing_index_columns`.
//!
//! What always holds: a group has one index, and numbers of both follow from the index's; an index whose table has changed is not shown,
//! nor one of a database that the session may not see. Nothing is counted for the system: what plans of its own miss is not told apart.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::missing_indexes::{ColumnUsage, MissingIndex, MissingUse};
use millpond_engine::account::running_statement::SQL_HANDLE;
use millpond_engine::context::RunContext;
use millpond_engine::metadata::is_wanted_index;
use millpond_engine::security::sees_database;
use millpond_message::error::SqlResult;
use millpond_types::{DateTime, Value};

use crate::columns::{Binary, NVarChar, Sysname, VarBinary, VarChar, big, bytes, datetime_of, small, text};
use crate::dynamic::statements::handle;
use crate::row::{Rows, ViewRows, row, table_function, view};

row! {
    /// A row of `sys.dm_db_missing_index_details`.
    struct DmDbMissingIndexDetails {
        index_handle: Option<i32>,
        database_id: Option<i16>,
        object_id: Option<i32>,
        equality_columns: Option<NVarChar<4000>>,
        inequality_columns: Option<NVarChar<4000>>,
        included_columns: Option<NVarChar<4000>>,
        statement: Option<NVarChar<4000>>,
    }
}

/// `sys.dm_db_missing_index_details`
pub static DM_DB_MISSING_INDEX_DETAILS: ViewDef = view("sys", "dm_db_missing_index_details", &ViewRows(details));

row! {
    /// A row of `sys.dm_db_missing_index_groups`.
    struct DmDbMissingIndexGroups {
        index_group_handle: Option<i32>,
        index_handle: Option<i32>,
    }
}

/// `sys.dm_db_missing_index_groups`
pub static DM_DB_MISSING_INDEX_GROUPS: ViewDef = view("sys", "dm_db_missing_index_groups", &ViewRows(groups));

row! {
    /// What plans would have done with an index.
    struct Wanted {
        user_seeks: Option<i64>,
        user_scans: Option<i64>,
        last_user_seek: Option<DateTime>,
        last_user_scan: Option<DateTime>,
        avg_total_user_cost: Option<f64>,
        avg_user_impact: Option<f64>,
        system_seeks: Option<i64>,
        system_scans: Option<i64>,
        last_system_seek: Option<DateTime>,
        last_system_scan: Option<DateTime>,
        avg_total_system_cost: Option<f64>,
        avg_system_impact: Option<f64>,
    }
}

row! {
    /// A row of `sys.dm_db_missing_index_group_stats`.
    struct DmDbMissingIndexGroupStats {
        group_handle: Option<i32>,
        unique_compiles: Option<i64>,
        wanted: Wanted,
    }
}

/// `sys.dm_db_missing_index_group_stats`
pub static DM_DB_MISSING_INDEX_GROUP_STATS: ViewDef =
    view("sys", "dm_db_missing_index_group_stats", &ViewRows(group_stats));

row! {
    /// A row of `sys.dm_db_missing_index_group_stats_query`.
    struct DmDbMissingIndexGroupStatsQuery {
        group_handle: Option<i32>,
        query_hash: Option<Binary<8>>,
        query_plan_hash: Option<Binary<8>>,
        last_sql_handle: Option<VarBinary<64>>,
        last_statement_start_offset: Option<i32>,
        last_statement_end_offset: Option<i32>,
        last_statement_sql_handle: Option<VarBinary<64>>,
        wanted: Wanted,
    }
}

/// `sys.dm_db_missing_index_group_stats_query`
pub static DM_DB_MISSING_INDEX_GROUP_STATS_QUERY: ViewDef =
    view("sys", "dm_db_missing_index_group_stats_query", &ViewRows(group_stats_query));

row! {
    /// A row of `sys.dm_db_missing_index_columns`.
    struct DmDbMissingIndexColumns {
        column_id: Option<i32>,
        column_name: Option<Sysname>,
        column_usage: Option<VarChar<20>>,
    }
}

/// `sys.dm_db_missing_index_columns(index_handle)`
pub static DM_DB_MISSING_INDEX_COLUMNS: TableFunctionDef = table_function!(
    "sys", "dm_db_missing_index_columns", [i32], optional 0, DmDbMissingIndexColumns, columns
);

/// Handles of an index, and of its group.
fn index_handle(index: &MissingIndex) -> i32 {
    index.number.saturating_mul(2).saturating_sub(1)
}

fn group_handle(index: &MissingIndex) -> i32 {
    index.number.saturating_mul(2)
}

/// The indexes that the session may see.
fn shown(ctx: &RunContext) -> SqlResult<Vec<Arc<MissingIndex>>> {
    let mut all = ctx.engine.statements().missing_indexes.all(&|index| is_wanted_index(&ctx.engine, index));
    let mut failed = None;
    all.retain(|index| {
        sees_database(ctx, index.database).unwrap_or_else(|error| {
            failed = Some(error);
            false
        })
    });
    failed.map_or(Ok(all), Err)
}

/// `[a], [b]`; none where there are none.
fn listed(index: &MissingIndex, usage: ColumnUsage) -> Option<NVarChar<4000>> {
    let list = index.listed(usage);
    (!list.is_empty()).then(|| text(&list.chars().take(4000).collect::<String>()))
}

fn details(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmDbMissingIndexDetails>> {
    let one = |index: &Arc<MissingIndex>| DmDbMissingIndexDetails {
        index_handle: Some(index_handle(index)),
        database_id: Some(small(index.database.0)),
        object_id: Some(index.object.0),
        equality_columns: listed(index, ColumnUsage::Equality),
        inequality_columns: listed(index, ColumnUsage::Inequality),
        included_columns: listed(index, ColumnUsage::Include),
        statement: Some(text(&index.table_name())),
    };
    Ok(shown(ctx)?.iter().map(one).collect())
}

fn groups(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmDbMissingIndexGroups>> {
    let one = |index: &Arc<MissingIndex>| DmDbMissingIndexGroups {
        index_group_handle: Some(group_handle(index)),
        index_handle: Some(index_handle(index)),
    };
    Ok(shown(ctx)?.iter().map(one).collect())
}

/// The figures of some statements; averages are by executions.
fn wanted(ctx: &RunContext, uses: &[Arc<MissingUse>]) -> Wanted {
    let (clock_us, now_us) = (ctx.engine.clock_us(), ctx.engine.now_us().1);
    let began_us = now_us.saturating_sub_unsigned(clock_us);
    let seeks: u64 = uses.iter().map(|of| of.seeks.load(Relaxed)).sum();
    let last_us = uses.iter().map(|of| of.last_us.load(Relaxed)).max().unwrap_or(0);
    let average = |figure: fn(&MissingUse) -> f64| {
        // Plans that have not run yet are as good as each other.
        let weight = |of: &MissingUse| if seeks == 0 { 1.0 } else { of.seeks.load(Relaxed) as f64 };
        let all: f64 = uses.iter().map(|of| weight(of)).sum();
        let sum: f64 = uses.iter().map(|of| weight(of) * figure(of)).sum();
        if all > 0.0 { sum / all } else { 0.0 }
    };
    Wanted {
        user_seeks: Some(big(seeks)),
        user_scans: Some(0),
        last_user_seek: (seeks > 0).then(|| datetime_of(began_us.saturating_add_unsigned(last_us))),
        last_user_scan: None,
        avg_total_user_cost: Some(average(MissingUse::cost)),
        avg_user_impact: Some((average(MissingUse::impact) * 100.0).round() / 100.0),
        system_seeks: Some(0),
        system_scans: Some(0),
        last_system_seek: None,
        last_system_scan: None,
        avg_total_system_cost: Some(0.0),
        avg_system_impact: Some(0.0),
    }
}

fn group_stats(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmDbMissingIndexGroupStats>> {
    let one = |index: &Arc<MissingIndex>| DmDbMissingIndexGroupStats {
        group_handle: Some(group_handle(index)),
        unique_compiles: Some(big(index.compiles.load(Relaxed))),
        wanted: wanted(ctx, &index.uses()),
    };
    Ok(shown(ctx)?.iter().map(one).collect())
}

/// One row for all texts of one shape; it has the one that ran last.
fn group_stats_query(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmDbMissingIndexGroupStatsQuery>> {
    let mut rows = Rows::new();
    for index in shown(ctx)? {
        let mut by_hash: BTreeMap<u64, Vec<Arc<MissingUse>>> = BTreeMap::new();
        for of in index.uses() {
            by_hash.entry(of.place.hash).or_default().push(of);
        }
        for (hash, uses) in by_hash {
            let Some(last) = uses.iter().max_by_key(|of| of.last_us.load(Relaxed)) else { continue };
            let (place, hash) = (last.place, hash.to_be_bytes());
            rows.push(DmDbMissingIndexGroupStatsQuery {
                group_handle: Some(group_handle(&index)),
                query_hash: Some(bytes(&hash)),
                query_plan_hash: Some(bytes(&hash)),
                last_sql_handle: Some(handle(SQL_HANDLE, place.text)),
                last_statement_start_offset: Some(place.offsets.0),
                last_statement_end_offset: Some(place.offsets.1),
                last_statement_sql_handle: None,
                wanted: wanted(ctx, &uses),
            });
        }
    }
    Ok(rows)
}

fn columns(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmDbMissingIndexColumns>> {
    let wanted = args[0].as_i64();
    let found = shown(ctx)?.into_iter().find(|index| Some(i64::from(index_handle(index))) == wanted);
    let one = |(usage, id, name): &(ColumnUsage, i32, String)| DmDbMissingIndexColumns {
        column_id: Some(*id),
        column_name: Some(text(name)),
        column_usage: Some(text(usage.name())),
    };
    Ok(found.iter().flat_map(|index| &index.columns).map(one).collect())
}
