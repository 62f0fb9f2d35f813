//! `sys.dm_resource_governor_resource_pools`: the one pool that all queries are in, with the memory that it gives them, and the server's
//! own, which has no queries. What is limited by groups is in `governor`.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::DateTime;

use crate::columns::{Sysname, big, datetime_of, int, text};
use crate::dynamic::grants::{POOL_ID, kb};
use crate::dynamic::io::file_io::files;
use crate::row::{Rows, ViewRows, row, view};

/// The pool of the server itself.
pub(crate) const INTERNAL_POOL_ID: i32 = 1;

row! {
    /// A row of `sys.dm_resource_governor_resource_pools`.
    struct DmResourceGovernorResourcePools {
        pool_id: i32,
        name: Sysname,
        statistics_start_time: DateTime,
        total_cpu_usage_ms: i64,
        cache_memory_kb: i64,
        compile_memory_kb: i64,
        used_memgrant_kb: i64,
        total_memgrant_count: i64,
        total_memgrant_timeout_count: i64,
        active_memgrant_count: i32,
        active_memgrant_kb: i64,
        memgrant_waiter_count: i32,
        max_memory_kb: i64,
        used_memory_kb: i64,
        target_memory_kb: i64,
        out_of_memory_count: i64,
        min_cpu_percent: i32,
        max_cpu_percent: i32,
        min_memory_percent: i32,
        max_memory_percent: i32,
        cap_cpu_percent: i32,
        min_iops_per_volume: Option<i32>,
        max_iops_per_volume: Option<i32>,
        read_io_queued_total: Option<i32>,
        read_io_issued_total: Option<i32>,
        read_io_completed_total: i32,
        read_io_throttled_total: Option<i32>,
        read_bytes_total: i64,
        read_io_stall_total_ms: i64,
        read_io_stall_queued_ms: Option<i64>,
        write_io_queued_total: Option<i32>,
        write_io_issued_total: Option<i32>,
        write_io_completed_total: i32,
        write_io_throttled_total: Option<i32>,
        write_bytes_total: i64,
        write_io_stall_total_ms: i64,
        write_io_stall_queued_ms: Option<i64>,
        io_issue_violations_total: Option<i32>,
        io_issue_delay_total_ms: Option<i64>,
    }
}

/// `sys.dm_resource_governor_resource_pools`
pub static DM_RESOURCE_GOVERNOR_RESOURCE_POOLS: ViewDef =
    view("sys", "dm_resource_governor_resource_pools", &ViewRows(pools));

fn pools(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmResourceGovernorResourcePools>> {
    let report = ctx.engine.workspace().report();
    let memory = report.granted.iter().map(|entry| entry.report());
    let (granted, used) =
        memory.fold((0, 0), |(granted, used), entry| (granted + entry.granted_bytes, used + entry.used_bytes));
    let instance = ctx.engine.instance();
    let io = files(ctx, &[]).iter().fold([0_u64; 6], |sum, file| {
        let io = &file.io;
        let own = [io.reads, io.read_bytes, io.read_stall_us, io.writes, io.write_bytes, io.write_stall_us];
        std::array::from_fn(|at| sum[at] + own[at])
    });
    let [reads, read_bytes, read_stall_us, writes, write_bytes, write_stall_us] = io;
    let cpu_us: u64 =
        ctx.engine.sessions().iter().map(|session| session.status.lock().cpu_us + session.cpu.running_us()).sum();
    let started = datetime_of(instance.start_time().local_us());
    let of_queries = DmResourceGovernorResourcePools {
        total_cpu_usage_ms: big(cpu_us / 1000),
        used_memgrant_kb: kb(used),
        total_memgrant_timeout_count: big(report.timeouts),
        active_memgrant_count: int(report.granted.len()),
        active_memgrant_kb: kb(granted),
        memgrant_waiter_count: int(report.waiting.len()),
        max_memory_kb: kb(report.limit_bytes),
        used_memory_kb: kb(report.used_bytes),
        target_memory_kb: kb(report.limit_bytes),
        read_io_completed_total: int(reads),
        read_bytes_total: big(read_bytes),
        read_io_stall_total_ms: big(read_stall_us / 1000),
        write_io_completed_total: int(writes),
        write_bytes_total: big(write_bytes),
        write_io_stall_total_ms: big(write_stall_us / 1000),
        ..unused(POOL_ID, "default", started)
    };
    Ok([unused(INTERNAL_POOL_ID, "internal", started), of_queries].into_iter().collect())
}

/// A pool without limits that nothing was done in.
fn unused(pool_id: i32, name: &str, started: DateTime) -> DmResourceGovernorResourcePools {
    DmResourceGovernorResourcePools {
        pool_id,
        name: text(name),
        statistics_start_time: started,
        total_cpu_usage_ms: 0,
        cache_memory_kb: 0,
        compile_memory_kb: 0,
        used_memgrant_kb: 0,
        total_memgrant_count: 0,
        total_memgrant_timeout_count: 0,
        active_memgrant_count: 0,
        active_memgrant_kb: 0,
        memgrant_waiter_count: 0,
        max_memory_kb: 0,
        used_memory_kb: 0,
        target_memory_kb: 0,
        out_of_memory_count: 0,
        min_cpu_percent: 0,
        max_cpu_percent: 100,
        min_memory_percent: 0,
        max_memory_percent: 100,
        cap_cpu_percent: 100,
        min_iops_per_volume: Some(0),
        max_iops_per_volume: Some(i32::MAX),
        read_io_queued_total: None,
        read_io_issued_total: None,
        read_io_completed_total: 0,
        read_io_throttled_total: None,
        read_bytes_total: 0,
        read_io_stall_total_ms: 0,
        read_io_stall_queued_ms: None,
        write_io_queued_total: None,
        write_io_issued_total: None,
        write_io_completed_total: 0,
        write_io_throttled_total: None,
        write_bytes_total: 0,
        write_io_stall_total_ms: 0,
        write_io_stall_queued_ms: None,
        io_issue_violations_total: None,
        io_issue_delay_total_ms: None,
    }
}
