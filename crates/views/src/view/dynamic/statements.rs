//! `sys.dm_exec_query_stats`, `sys.dm_exec_procedure_stats`, `sys.dm_exec_cached_plans`, `sys.dm_exec_sql_text`.
//!
//! A handle is four bytes that tell its kind and the number of the text. Memory that plans take is not counted: the
//! size of a plan is that of its text.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{SystemColumn, Within};
use millpond_engine::context::RunContext;
use millpond_engine::parsed::tree_bytes;
use millpond_engine::statement_stats::StatementStats;
use millpond_message::error::SqlResult;
use millpond_types::{MaxLen, SqlType, Value};

use crate::view::ViewRows;
use crate::view::columns::{
    BIGINT, BIT, DATETIME, INT, SMALLINT, big, bit, col, int, joined, moment, null, nvarchar, text, varbinary,
};

const SQL_HANDLE: u8 = 2;
const PLAN_HANDLE: u8 = 6;
const HASH: SqlType = SqlType::Binary { len: 8 };
const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Max };

/// What is not counted (pages that a statement makes dirty), or does not happen (code of the CLR).
const UNCOUNTED: [u64; 4] = [0; 4];

/// What each execution took.
const MEASURED: [SystemColumn; 20] = [
    col("total_worker_time", BIGINT),
    col("last_worker_time", BIGINT),
    col("min_worker_time", BIGINT),
    col("max_worker_time", BIGINT),
    col("total_physical_reads", BIGINT),
    col("last_physical_reads", BIGINT),
    col("min_physical_reads", BIGINT),
    col("max_physical_reads", BIGINT),
    col("total_logical_writes", BIGINT),
    col("last_logical_writes", BIGINT),
    col("min_logical_writes", BIGINT),
    col("max_logical_writes", BIGINT),
    col("total_logical_reads", BIGINT),
    col("last_logical_reads", BIGINT),
    col("min_logical_reads", BIGINT),
    col("max_logical_reads", BIGINT),
    col("total_elapsed_time", BIGINT),
    col("last_elapsed_time", BIGINT),
    col("min_elapsed_time", BIGINT),
    col("max_elapsed_time", BIGINT),
];

/// What it waited for (columns of ours): see [`millpond_engine::verdict`].
const WAITED: [SystemColumn; 13] = [
    col("total_tempdb_wait_time", BIGINT),
    col("last_tempdb_wait_time", BIGINT),
    col("min_tempdb_wait_time", BIGINT),
    col("max_tempdb_wait_time", BIGINT),
    col("total_data_wait_time", BIGINT),
    col("last_data_wait_time", BIGINT),
    col("min_data_wait_time", BIGINT),
    col("max_data_wait_time", BIGINT),
    col("total_memory_wait_time", BIGINT),
    col("last_memory_wait_time", BIGINT),
    col("min_memory_wait_time", BIGINT),
    col("max_memory_wait_time", BIGINT),
    col("last_verdict", nvarchar(16)),
];

const QUERY_COLUMNS: [SystemColumn; 63] = joined(ORIGINAL_COLUMNS, WAITED);

const ORIGINAL_COLUMNS: [SystemColumn; 50] = joined(
    joined::<8, 20, 28>(
        [
            col("sql_handle", varbinary(64)),
            col("statement_start_offset", INT),
            col("statement_end_offset", INT),
            col("plan_generation_num", BIGINT),
            col("plan_handle", varbinary(64)),
            col("creation_time", DATETIME),
            col("last_execution_time", DATETIME),
            col("execution_count", BIGINT),
        ],
        MEASURED,
    ),
    [
        col("total_clr_time", BIGINT),
        col("last_clr_time", BIGINT),
        col("min_clr_time", BIGINT),
        col("max_clr_time", BIGINT),
        col("query_hash", HASH),
        col("query_plan_hash", HASH),
        col("total_rows", BIGINT),
        col("last_rows", BIGINT),
        col("min_rows", BIGINT),
        col("max_rows", BIGINT),
        col("total_grant_kb", BIGINT),
        col("last_grant_kb", BIGINT),
        col("min_grant_kb", BIGINT),
        col("max_grant_kb", BIGINT),
        col("total_used_grant_kb", BIGINT),
        col("last_used_grant_kb", BIGINT),
        col("min_used_grant_kb", BIGINT),
        col("max_used_grant_kb", BIGINT),
        col("total_spills", BIGINT),
        col("last_spills", BIGINT),
        col("min_spills", BIGINT),
        col("max_spills", BIGINT),
    ],
);

const PROCEDURE_COLUMNS: [SystemColumn; 33] = joined(
    joined::<9, 20, 29>(
        [
            col("database_id", INT),
            col("object_id", INT),
            col("type", SqlType::char(2)),
            col("type_desc", nvarchar(60)),
            col("sql_handle", varbinary(64)),
            col("plan_handle", varbinary(64)),
            col("cached_time", DATETIME),
            col("last_execution_time", DATETIME),
            col("execution_count", BIGINT),
        ],
        MEASURED,
    ),
    [col("total_spills", BIGINT), col("last_spills", BIGINT), col("min_spills", BIGINT), col("max_spills", BIGINT)],
);

/// `sys.dm_exec_query_stats`
pub static DM_EXEC_QUERY_STATS: ViewDef =
    ViewDef { schema: "sys", name: "dm_exec_query_stats", columns: &QUERY_COLUMNS, rows: &ViewRows(query_stats) };

/// `sys.dm_exec_procedure_stats`
pub static DM_EXEC_PROCEDURE_STATS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_exec_procedure_stats",
    columns: &PROCEDURE_COLUMNS,
    rows: &ViewRows(procedure_stats),
};

/// `sys.dm_exec_cached_plans`
pub static DM_EXEC_CACHED_PLANS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_exec_cached_plans",
    columns: &[
        col("bucketid", INT),
        col("refcounts", INT),
        col("usecounts", INT),
        col("size_in_bytes", INT),
        col("cacheobjtype", nvarchar(17)),
        col("objtype", nvarchar(16)),
        col("plan_handle", varbinary(64)),
        col("pool_id", INT),
    ],
    rows: &ViewRows(cached_plans),
};

/// `sys.dm_exec_sql_text(handle)`
pub static DM_EXEC_SQL_TEXT: TableFunctionDef = TableFunctionDef {
    schema: "sys",
    name: "dm_exec_sql_text",
    params: &[varbinary(64)],
    optional: 0,
    columns: &[
        null("dbid", SMALLINT),
        null("objectid", INT),
        null("number", SMALLINT),
        col("encrypted", BIT),
        null("text", TEXT),
    ],
    rows: |run, args| sql_text(RunContext::of(run), args),
};

fn handle(kind: u8, text_id: u64) -> Value {
    let mut bytes = vec![kind, 0, 0, 0];
    bytes.extend(text_id.to_be_bytes());
    Value::Binary(bytes.into())
}

fn text_of_handle(handle: &Value) -> Option<u64> {
    let Value::Binary(bytes) = handle else { return None };
    let (kind, id) = bytes.split_first_chunk::<4>()?;
    let known = matches!(kind, [SQL_HANDLE | PLAN_HANDLE, 0, 0, 0]);
    known.then_some(u64::from_be_bytes(id.try_into().ok()?))
}

/// A place in a text as SQL Server counts it: bytes of UTF-16.
fn offset(stats: &StatementStats, at: u32) -> Value {
    let before = stats.text.get(..at as usize).map_or(0, |text| text.encode_utf16().count());
    int(before * 2)
}

fn query_stats(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let statements = ctx.engine.statements().all();
    let counted = statements.iter().filter(|stats| stats.executions.load(Relaxed) > 0 && !stats.is_procedure());
    Ok(counted.map(|stats| stats_row(stats)).collect())
}

fn procedure_stats(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let statements = ctx.engine.statements().all();
    let called = statements.iter().filter(|stats| stats.executions.load(Relaxed) > 0 && stats.is_procedure());
    Ok(called.map(|stats| procedure_row(stats)).collect())
}

/// The values of [`MEASURED`].
fn measured(stats: &StatementStats) -> impl Iterator<Item = Value> {
    let before = [stats.worker_us.read(), stats.physical_reads.read()];
    let behind = [stats.logical_reads.read(), stats.elapsed_us.read()];
    before.into_iter().chain([UNCOUNTED]).chain(behind).flatten().map(big)
}

fn procedure_row(stats: &StatementStats) -> Vec<Value> {
    let mut row = vec![
        int(stats.database),
        int(stats.object),
        text("P "),
        text("SQL_STORED_PROCEDURE"),
        handle(SQL_HANDLE, stats.text_id),
        handle(PLAN_HANDLE, stats.text_id),
        moment(stats.created_us),
        moment(stats.last_us.load(Relaxed)),
        big(stats.executions.load(Relaxed)),
    ];
    row.extend(measured(stats));
    row.extend(stats.spilled_pages.read().map(big));
    row
}

fn stats_row(stats: &StatementStats) -> Vec<Value> {
    // Statements of one text at one place are one query.
    let hash = stats.text_id.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(stats.start);
    let hash = Value::Binary(hash.to_be_bytes().to_vec().into());
    let mut row = vec![
        handle(SQL_HANDLE, stats.text_id),
        offset(stats, stats.start),
        offset(stats, stats.end),
        big(1i64),
        handle(PLAN_HANDLE, stats.text_id),
        moment(stats.created_us),
        moment(stats.last_us.load(Relaxed)),
        big(stats.executions.load(Relaxed)),
    ];
    row.extend(measured(stats));
    row.extend(UNCOUNTED.map(big));
    row.extend([hash.clone(), hash]);
    let measures = [&stats.rows, &stats.grant_kb, &stats.used_grant_kb, &stats.spilled_pages];
    let waits = [&stats.tempdb_wait_us, &stats.data_wait_us, &stats.memory_wait_us];
    row.extend(measures.into_iter().chain(waits).flat_map(|measure| measure.read().map(big)));
    row.push(text(stats.last_verdict().name()));
    row
}

fn cached_plans(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut texts: BTreeMap<u64, (Arc<StatementStats>, u64)> = BTreeMap::new();
    for stats in ctx.engine.statements().all() {
        let uses = stats.executions.load(Relaxed);
        let known = texts.entry(stats.text_id).or_insert_with(|| (stats, 0));
        known.1 = known.1.max(uses);
    }
    let rows = texts.into_iter().map(|(id, (stats, uses))| {
        let kind = if stats.object == 0 { "Adhoc" } else { "Proc" };
        let bucket = i32::try_from(id % 40_009).unwrap_or(0);
        let size = i32::try_from(tree_bytes(stats.text.len())).unwrap_or(i32::MAX);
        vec![
            int(bucket),
            int(Arc::strong_count(&stats)),
            int(uses),
            int(size),
            text("Compiled Plan"),
            text(kind),
            handle(PLAN_HANDLE, id),
            int(2),
        ]
    });
    Ok(rows.collect())
}

fn sql_text(ctx: &RunContext, args: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
    let Some(wanted) = text_of_handle(&args[0]) else { return Ok(Vec::new()) };
    let found = ctx.engine.statements().all().into_iter().find(|stats| stats.text_id == wanted);
    let rows = found.map(|stats| {
        let object = if stats.object == 0 { Value::Null } else { int(stats.object) };
        vec![Value::SmallInt(stats.database.cast_signed()), object, Value::Null, bit(false), text(&stats.text)]
    });
    Ok(rows.into_iter().collect())
}
