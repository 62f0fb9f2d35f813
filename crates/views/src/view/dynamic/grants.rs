//! Memory of queries: `sys.dm_exec_query_memory_grants`, `sys.dm_exec_query_resource_semaphores`.

use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::memory::grant::Entry;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{
    BIGINT, BIT, DATETIME, FLOAT, INT, SMALLINT, big, bit, col, int, moment, null, small, varbinary,
};

/// The default pool.
const POOL_ID: i32 = 2;

/// `sys.dm_exec_query_memory_grants`: statements that have memory or wait for some; small ones are not there.
pub static DM_EXEC_QUERY_MEMORY_GRANTS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_exec_query_memory_grants",
    columns: &[
        col("session_id", SMALLINT),
        col("request_id", INT),
        col("scheduler_id", INT),
        col("dop", SMALLINT),
        col("request_time", DATETIME),
        null("grant_time", DATETIME),
        col("requested_memory_kb", BIGINT),
        null("granted_memory_kb", BIGINT),
        col("required_memory_kb", BIGINT),
        null("used_memory_kb", BIGINT),
        null("max_used_memory_kb", BIGINT),
        col("query_cost", FLOAT),
        col("timeout_sec", INT),
        col("resource_semaphore_id", SMALLINT),
        null("queue_id", SMALLINT),
        null("wait_order", INT),
        null("is_next_candidate", BIT),
        null("wait_time_ms", BIGINT),
        null("plan_handle", varbinary(64)),
        null("sql_handle", varbinary(64)),
        col("group_id", INT),
        col("pool_id", INT),
        col("is_small", BIT),
        col("ideal_memory_kb", BIGINT),
    ],
    rows: &ViewRows(grants),
};

/// `sys.dm_exec_query_resource_semaphores`: all of that memory, and how many wait for it.
pub static DM_EXEC_QUERY_RESOURCE_SEMAPHORES: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_exec_query_resource_semaphores",
    columns: &[
        col("resource_semaphore_id", SMALLINT),
        col("target_memory_kb", BIGINT),
        col("max_target_memory_kb", BIGINT),
        col("total_memory_kb", BIGINT),
        col("available_memory_kb", BIGINT),
        col("granted_memory_kb", BIGINT),
        col("used_memory_kb", BIGINT),
        col("grantee_count", INT),
        col("waiter_count", INT),
        col("timeout_error_count", BIGINT),
        null("forced_grant_count", BIGINT),
        col("pool_id", INT),
    ],
    rows: &ViewRows(semaphores),
};

fn kb(bytes: usize) -> Value {
    big((bytes / 1024) as u64)
}

fn grants(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let report = ctx.engine.workspace().report();
    let having = report.granted.iter().map(|entry| grant_row(ctx, entry, None));
    let waiting = report.waiting.iter().enumerate().map(|(place, entry)| grant_row(ctx, entry, Some(place)));
    Ok(having.chain(waiting).collect())
}

/// `place`: in the line of those who wait.
fn grant_row(ctx: &RunContext, entry: &Entry, place: Option<usize>) -> Vec<Value> {
    let (now_us, clock_us) = (ctx.engine.now_us().1, ctx.engine.clock_us());
    let at = |us: u64| moment(now_us - clock_us.saturating_sub(us) as i64);
    let (memory, granted_us) = (entry.report(), entry.granted_us.load(Relaxed));
    let if_granted = |value: Value| if place.is_none() { value } else { Value::Null };
    let if_waiting = |value: Value| if place.is_some() { value } else { Value::Null };
    let waited_ms = clock_us.saturating_sub(entry.requested_us) / 1000;
    vec![
        small(entry.session.0),
        int(0),
        int(0),
        small(1u16),
        at(entry.requested_us),
        if_granted(at(granted_us)),
        kb(entry.ideal_bytes),
        if_granted(kb(memory.granted_bytes)),
        kb(entry.required_bytes),
        if_granted(kb(memory.used_bytes)),
        if_granted(kb(memory.max_used_bytes)),
        Value::Float(0.0),
        int(entry.timeout_s as i32),
        small(0u16),
        if_waiting(small(0u16)),
        if_waiting(int(place.unwrap_or(0) as i32)),
        if_waiting(bit(place == Some(0))),
        if_waiting(big(waited_ms)),
        Value::Null,
        Value::Null,
        int(POOL_ID),
        int(POOL_ID),
        bit(false),
        kb(entry.ideal_bytes),
    ]
}

fn semaphores(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let report = ctx.engine.workspace().report();
    let granted: usize = report.granted.iter().map(|entry| entry.report().granted_bytes).sum();
    Ok(vec![vec![
        small(0u16),
        kb(report.limit_bytes),
        kb(report.limit_bytes),
        kb(report.limit_bytes),
        kb(report.limit_bytes.saturating_sub(report.used_bytes)),
        kb(granted),
        kb(report.used_bytes),
        int(report.granted.len() as i32),
        int(report.waiting.len() as i32),
        big(report.timeouts),
        Value::Null,
        int(POOL_ID),
    ]])
}
