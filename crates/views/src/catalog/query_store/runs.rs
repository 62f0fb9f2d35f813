//! What queries have cost: `sys.query_store_runtime_stats`, `sys.query_store_runtime_stats_interval` and `sys.query_store_wait_stats`.
//!
//! What always holds: each row is of one plan, one interval and one way to end; times of waits are shown in milliseconds, others in
//! microseconds, memory and tempdb in pages of 8 KB.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::query_store::entries::{RunKey, Runs};
use millpond_engine::account::query_store::measures::{Metric, Tally};
use millpond_engine::account::query_store::waits::CATEGORIES;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::DateTimeOffset;

use super::moment;
use crate::columns::{NVarChar, big, text};
use crate::row::{Rows, ViewRows, row, view};

/// `Struct { avg, last, min, max, stdev }`: a measure of executions, of a tally and how many values it has.
macro_rules! measures {
    ($($measure:ident { $avg:ident, $last:ident, $min:ident, $max:ident, $stdev:ident })*) => {
        $(
            row! {
                struct $measure {
                    $avg: Option<f64>,
                    $last: Option<i64>,
                    $min: Option<i64>,
                    $max: Option<i64>,
                    $stdev: Option<f64>,
                }
            }

            impl From<(&Tally, u64)> for $measure {
                fn from((tally, count): (&Tally, u64)) -> Self {
                    Self {
                        $avg: Some(tally.average(count)),
                        $last: Some(big(tally.last)),
                        $min: Some(big(tally.min)),
                        $max: Some(big(tally.max)),
                        $stdev: Some(tally.deviation(count)),
                    }
                }
            }
        )*
    };
}

measures! {
    Duration { avg_duration, last_duration, min_duration, max_duration, stdev_duration }
    CpuTime { avg_cpu_time, last_cpu_time, min_cpu_time, max_cpu_time, stdev_cpu_time }
    LogicalIoReads { avg_logical_io_reads, last_logical_io_reads, min_logical_io_reads, max_logical_io_reads, stdev_logical_io_reads }
    LogicalIoWrites { avg_logical_io_writes, last_logical_io_writes, min_logical_io_writes, max_logical_io_writes, stdev_logical_io_writes }
    PhysicalIoReads { avg_physical_io_reads, last_physical_io_reads, min_physical_io_reads, max_physical_io_reads, stdev_physical_io_reads }
    ClrTime { avg_clr_time, last_clr_time, min_clr_time, max_clr_time, stdev_clr_time }
    DegreeOfParallelism { avg_dop, last_dop, min_dop, max_dop, stdev_dop }
    QueryMaxUsedMemory { avg_query_max_used_memory, last_query_max_used_memory, min_query_max_used_memory, max_query_max_used_memory, stdev_query_max_used_memory }
    Rowcount { avg_rowcount, last_rowcount, min_rowcount, max_rowcount, stdev_rowcount }
    LogBytesUsed { avg_log_bytes_used, last_log_bytes_used, min_log_bytes_used, max_log_bytes_used, stdev_log_bytes_used }
    TempdbSpaceUsed { avg_tempdb_space_used, last_tempdb_space_used, min_tempdb_space_used, max_tempdb_space_used, stdev_tempdb_space_used }
    PageServerIoReads { avg_page_server_io_reads, last_page_server_io_reads, min_page_server_io_reads, max_page_server_io_reads, stdev_page_server_io_reads }
}

/// The group of the one replica that there is.
const REPLICA_GROUP: i64 = 1;

row! {
    /// A row of `sys.query_store_runtime_stats`. There is no code of the CLR, and there are no page servers.
    struct QueryStoreRuntimeStats {
        runtime_stats_id: Option<i64>,
        plan_id: Option<i64>,
        runtime_stats_interval_id: Option<i64>,
        execution_type: Option<u8>,
        execution_type_desc: Option<NVarChar<128>>,
        first_execution_time: Option<DateTimeOffset>,
        last_execution_time: Option<DateTimeOffset>,
        count_executions: Option<i64>,
        duration: Duration,
        cpu_time: CpuTime,
        logical_io_reads: LogicalIoReads,
        logical_io_writes: LogicalIoWrites,
        physical_io_reads: PhysicalIoReads,
        clr_time: ClrTime,
        dop: DegreeOfParallelism,
        query_max_used_memory: QueryMaxUsedMemory,
        rowcount: Rowcount,
        log_bytes_used: LogBytesUsed,
        tempdb_space_used: TempdbSpaceUsed,
        page_server_io_reads: PageServerIoReads,
        replica_group_id: Option<i64>,
    }
}

/// `sys.query_store_runtime_stats`
pub static QUERY_STORE_RUNTIME_STATS: ViewDef = view("sys", "query_store_runtime_stats", &ViewRows(runs));

row! {
    /// A row of `sys.query_store_runtime_stats_interval`.
    struct QueryStoreRuntimeStatsInterval {
        runtime_stats_interval_id: Option<i64>,
        start_time: Option<DateTimeOffset>,
        end_time: Option<DateTimeOffset>,
        comment: Option<NVarChar<32>>,
    }
}

/// `sys.query_store_runtime_stats_interval`
pub static QUERY_STORE_RUNTIME_STATS_INTERVAL: ViewDef =
    view("sys", "query_store_runtime_stats_interval", &ViewRows(intervals));

row! {
    /// A row of `sys.query_store_wait_stats`.
    struct QueryStoreWaitStats {
        wait_stats_id: Option<i64>,
        plan_id: Option<i64>,
        runtime_stats_interval_id: Option<i64>,
        wait_category: Option<u8>,
        wait_category_desc: Option<NVarChar<128>>,
        execution_type: Option<u8>,
        execution_type_desc: Option<NVarChar<128>>,
        total_query_wait_time_ms: Option<i64>,
        avg_query_wait_time_ms: Option<f64>,
        last_query_wait_time_ms: Option<i64>,
        min_query_wait_time_ms: Option<i64>,
        max_query_wait_time_ms: Option<i64>,
        stdev_query_wait_time_ms: Option<f64>,
        replica_group_id: Option<i64>,
    }
}

/// `sys.query_store_wait_stats`
pub static QUERY_STORE_WAIT_STATS: ViewDef = view("sys", "query_store_wait_stats", &ViewRows(waits));

fn runs(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<QueryStoreRuntimeStats>> {
    let store = ctx.engine.databases().query_store(database.database)?;
    Ok(store.runs().iter().map(|(key, runs)| runs_row(key, runs)).collect())
}

fn runs_row((plan, interval, kind): &RunKey, runs: &Runs) -> QueryStoreRuntimeStats {
    let count = runs.count;
    let measure = |metric: Metric| (&runs.tallies[metric as usize], count);
    QueryStoreRuntimeStats {
        runtime_stats_id: Some(runs.id),
        plan_id: Some(*plan),
        runtime_stats_interval_id: Some(*interval),
        execution_type: Some(*kind as u8),
        execution_type_desc: Some(text(kind.name())),
        first_execution_time: moment(runs.first_us),
        last_execution_time: moment(runs.last_us),
        count_executions: Some(big(count)),
        duration: measure(Metric::Duration).into(),
        cpu_time: measure(Metric::Cpu).into(),
        logical_io_reads: measure(Metric::LogicalReads).into(),
        logical_io_writes: measure(Metric::LogicalWrites).into(),
        physical_io_reads: measure(Metric::PhysicalReads).into(),
        clr_time: (&Tally::default(), count).into(),
        dop: measure(Metric::Dop).into(),
        query_max_used_memory: measure(Metric::Memory).into(),
        rowcount: measure(Metric::Rows).into(),
        log_bytes_used: measure(Metric::LogBytes).into(),
        tempdb_space_used: measure(Metric::Tempdb).into(),
        page_server_io_reads: (&Tally::default(), count).into(),
        replica_group_id: Some(REPLICA_GROUP),
    }
}

fn intervals(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<QueryStoreRuntimeStatsInterval>> {
    let store = ctx.engine.databases().query_store(database.database)?;
    let rows = store.intervals().into_iter().map(|interval| QueryStoreRuntimeStatsInterval {
        runtime_stats_interval_id: Some(interval.id),
        start_time: moment(interval.start_us),
        end_time: moment(interval.end_us),
        comment: None,
    });
    Ok(rows.collect())
}

fn waits(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<QueryStoreWaitStats>> {
    let store = ctx.engine.databases().query_store(database.database)?;
    let mut rows = Rows::new();
    for ((plan, interval, kind), runs) in store.runs() {
        for (category, (id, tally)) in &runs.waits {
            let ms = |us: u64| Some(big(us / 1000));
            rows.push(QueryStoreWaitStats {
                wait_stats_id: Some(*id),
                plan_id: Some(plan),
                runtime_stats_interval_id: Some(interval),
                wait_category: Some(*category),
                wait_category_desc: CATEGORIES.get(usize::from(*category)).map(|name| text(name)),
                execution_type: Some(kind as u8),
                execution_type_desc: Some(text(kind.name())),
                total_query_wait_time_ms: ms(tally.total),
                avg_query_wait_time_ms: Some(tally.average(runs.count) / 1000.0),
                last_query_wait_time_ms: ms(tally.last),
                min_query_wait_time_ms: ms(tally.min),
                max_query_wait_time_ms: ms(tally.max),
                stdev_query_wait_time_ms: Some(tally.deviation(runs.count) / 1000.0),
                replica_group_id: Some(REPLICA_GROUP),
            });
        }
    }
    Ok(rows)
}
