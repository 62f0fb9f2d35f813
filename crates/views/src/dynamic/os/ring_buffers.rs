//! `sys.dm_os_ring_buffers`: what the process and the machine did in each minute, as `RING_BUFFER_SCHEDULER_MONITOR` has it.
//!
//! What always holds: a record's time is by the clock of `sys.dm_os_sys_info.ms_ticks`, and its text has the elements that tools ask for
//! in the order that SQL Server writes them in. Other rings are not there.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_device::health::HealthRecord;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;

use crate::columns::{NVarChar, VarBinary, big, bytes, text};
use crate::row::{Rows, ViewRows, row, view};

/// The only ring.
const SCHEDULER_MONITOR: &str = "RING_BUFFER_SCHEDULER_MONITOR";
/// What it has for an address.
const RING_AT: u64 = 5 << 40;
/// Units of the times in a record, of 100 ns, in a millisecond.
const UNITS_PER_MS: u64 = 10_000;

row! {
    /// A row of `sys.dm_os_ring_buffers`.
    struct DmOsRingBuffers {
        ring_buffer_address: Option<VarBinary<8>>,
        ring_buffer_type: Option<NVarChar<60>>,
        timestamp: Option<i64>,
        record: Option<NVarChar<3072>>,
    }
}

/// `sys.dm_os_ring_buffers`
pub static DM_OS_RING_BUFFERS: ViewDef = view("sys", "dm_os_ring_buffers", &ViewRows(ring_buffers));

fn ring_buffers(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsRingBuffers>> {
    let one = |record: HealthRecord| DmOsRingBuffers {
        ring_buffer_address: Some(bytes(&RING_AT.to_be_bytes())),
        ring_buffer_type: Some(text(SCHEDULER_MONITOR)),
        timestamp: Some(big(record.uptime_ms)),
        record: Some(text(&event(&record))),
    };
    Ok(ctx.engine.instance().health().records().into_iter().map(one).collect())
}

fn event(record: &HealthRecord) -> String {
    let HealthRecord { number, uptime_ms, process_percent, idle_percent, page_faults, .. } = record;
    let [user, kernel] = [record.user_ms, record.kernel_ms].map(|ms| ms * UNITS_PER_MS);
    let (delta, resident) = (record.resident_delta_bytes, record.resident_percent);
    format!(
        "<Record id = \"{number}\" type =\"{SCHEDULER_MONITOR}\" time =\"{uptime_ms}\"><SchedulerMonitorEvent><SystemHealth>\
         <ProcessUtilization>{process_percent}</ProcessUtilization><SystemIdle>{idle_percent}</SystemIdle>\
         <UserModeTime>{user}</UserModeTime><KernelModeTime>{kernel}</KernelModeTime><PageFaults>{page_faults}</PageFaults>\
         <WorkingSetDelta>{delta}</WorkingSetDelta><MemoryUtilization>{resident}</MemoryUtilization>\
         </SystemHealth></SchedulerMonitorEvent></Record>"
    )
}
