//! Memory of queries: `sys.dm_exec_query_memory_grants`, `sys.dm_exec_query_resource_semaphores`.

use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::running_statement::{PLAN_HANDLE, SQL_HANDLE};
use millpond_engine::context::RunContext;
use millpond_engine::memory::grant::Entry;
use millpond_message::error::SqlResult;
use millpond_types::DateTime;

use crate::columns::{VarBinary, big, datetime_of, int, small};
use crate::dynamic::host::scheduler_of;
use crate::dynamic::sessions::Groups;
use crate::dynamic::statements::handle;
use crate::row::{Rows, ViewRows, row, view};

/// The default pool.
pub(crate) const POOL_ID: i32 = 2;

row! {
    /// A row of `sys.dm_exec_query_memory_grants`.
    struct DmExecQueryMemoryGrants {
        session_id: i16,
        request_id: i32,
        scheduler_id: i32,
        dop: i16,
        request_time: DateTime,
        grant_time: Option<DateTime>,
        requested_memory_kb: i64,
        granted_memory_kb: Option<i64>,
        required_memory_kb: i64,
        used_memory_kb: Option<i64>,
        max_used_memory_kb: Option<i64>,
        query_cost: f64,
        timeout_sec: i32,
        resource_semaphore_id: i16,
        queue_id: Option<i16>,
        wait_order: Option<i32>,
        is_next_candidate: Option<bool>,
        wait_time_ms: Option<i64>,
        plan_handle: Option<VarBinary<64>>,
        sql_handle: Option<VarBinary<64>>,
        group_id: i32,
        pool_id: i32,
        is_small: bool,
        ideal_memory_kb: i64,
        reserved_worker_count: Option<i64>,
        used_worker_count: Option<i64>,
        max_used_worker_count: Option<i64>,
        reserved_node_bitmap: Option<i64>,
    }
}

/// `sys.dm_exec_query_memory_grants`: statements that have memory or wait for some; small ones are not there.
pub static DM_EXEC_QUERY_MEMORY_GRANTS: ViewDef = view("sys", "dm_exec_query_memory_grants", &ViewRows(grants));

row! {
    /// A row of `sys.dm_exec_query_resource_semaphores`.
    struct DmExecQueryResourceSemaphores {
        resource_semaphore_id: i16,
        target_memory_kb: i64,
        max_target_memory_kb: i64,
        total_memory_kb: i64,
        available_memory_kb: i64,
        granted_memory_kb: i64,
        used_memory_kb: i64,
        grantee_count: i32,
        waiter_count: i32,
        timeout_error_count: i64,
        forced_grant_count: Option<i64>,
        pool_id: i32,
    }
}

/// `sys.dm_exec_query_resource_semaphores`: all of that memory, and how many wait for it.
pub static DM_EXEC_QUERY_RESOURCE_SEMAPHORES: ViewDef =
    view("sys", "dm_exec_query_resource_semaphores", &ViewRows(semaphores));

pub(crate) fn kb(bytes: usize) -> i64 {
    big((bytes / 1024) as u64)
}

fn grants(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecQueryMemoryGrants>> {
    let report = ctx.engine.workspace().report();
    let groups = Groups::of(ctx);
    let having = report.granted.iter().map(|entry| grant_row(ctx, (entry, &groups), None));
    let waiting = report.waiting.iter().enumerate();
    let waiting = waiting.map(|(place, entry)| grant_row(ctx, (entry, &groups), Some(place)));
    Ok(having.chain(waiting).collect())
}

/// `place`: in the line of requests that wait.
fn grant_row(ctx: &RunContext, (entry, groups): (&Entry, &Groups), place: Option<usize>) -> DmExecQueryMemoryGrants {
    let (now_us, clock_us) = (ctx.engine.now_us().1, ctx.engine.clock_us());
    let at = |us: u64| datetime_of(now_us - clock_us.saturating_sub(us) as i64);
    let (memory, granted_us) = (entry.report(), entry.granted_us.load(Relaxed));
    let if_granted = |kb: i64| place.is_none().then_some(kb);
    let session = ctx.engine.session(entry.session.0);
    let workers = session.as_ref().map_or(0, |session| session.workers.load(Relaxed));
    let if_parallel = (workers > 0).then_some(i64::from(workers));
    let text_id = session.and_then(|session| session.statement.now()).map(|(text, ..)| text.id);
    let waited_ms = clock_us.saturating_sub(entry.requested_us) / 1000;
    DmExecQueryMemoryGrants {
        session_id: small(entry.session.0),
        request_id: 0,
        scheduler_id: int(scheduler_of(entry.session)),
        dop: small(workers.max(1)),
        request_time: at(entry.requested_us),
        grant_time: place.is_none().then(|| at(granted_us)),
        requested_memory_kb: kb(entry.ideal_bytes),
        granted_memory_kb: if_granted(kb(memory.granted_bytes)),
        required_memory_kb: kb(entry.required_bytes),
        used_memory_kb: if_granted(kb(memory.used_bytes)),
        max_used_memory_kb: if_granted(kb(memory.max_used_bytes)),
        query_cost: 0.0,
        timeout_sec: entry.timeout_s as i32,
        resource_semaphore_id: 0,
        queue_id: place.map(|_| 0),
        wait_order: place.map(int),
        is_next_candidate: place.map(|place| place == 0),
        wait_time_ms: place.map(|_| big(waited_ms)),
        plan_handle: text_id.map(|id| handle(PLAN_HANDLE, id)),
        sql_handle: text_id.map(|id| handle(SQL_HANDLE, id)),
        group_id: groups.group(entry.session),
        pool_id: POOL_ID,
        is_small: false,
        ideal_memory_kb: kb(entry.ideal_bytes),
        reserved_worker_count: if_parallel,
        used_worker_count: if_parallel,
        max_used_worker_count: if_parallel,
        reserved_node_bitmap: None,
    }
}

fn semaphores(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecQueryResourceSemaphores>> {
    let report = ctx.engine.workspace().report();
    let granted: usize = report.granted.iter().map(|entry| entry.report().granted_bytes).sum();
    Ok(Rows::one(DmExecQueryResourceSemaphores {
        resource_semaphore_id: 0,
        target_memory_kb: kb(report.limit_bytes),
        max_target_memory_kb: kb(report.limit_bytes),
        total_memory_kb: kb(report.limit_bytes),
        available_memory_kb: kb(report.limit_bytes.saturating_sub(report.used_bytes)),
        granted_memory_kb: kb(granted),
        used_memory_kb: kb(report.used_bytes),
        grantee_count: int(report.granted.len()),
        waiter_count: int(report.waiting.len()),
        timeout_error_count: big(report.timeouts),
        forced_grant_count: None,
        pool_id: POOL_ID,
    }))
}
