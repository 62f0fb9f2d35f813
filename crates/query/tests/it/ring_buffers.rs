//! `sys.dm_os_ring_buffers` by a clock that is turned by hand: a record for each minute, as queries of the history of processors read it.

use std::sync::Arc;
use std::time::Duration;

use millpond_device::ManualClock;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;

use crate::harness::{run, session};

/// As the published queries ask: minutes with the processors' percent, the last one first.
const HISTORY: &str = "set nocount on
    declare @ts_now bigint = (select ms_ticks from sys.dm_os_sys_info with (nolock))
    select top (256) y.record_id - max(y.record_id) over () as record,
        iif(SQLProcessUtilization between 0 and 100 and SystemIdle between 0 and 100
            and 100 - SystemIdle - SQLProcessUtilization >= 0, 1, 0) as percent_add_up,
        iif(dateadd(ms, -1 * (@ts_now - [timestamp]), getdate()) <= dateadd(second, 1, getdate()), 1, 0) as is_past, y.times
    from (select record.value('(./Record/@id)[1]', 'int') as record_id,
            record.value('(./Record/SchedulerMonitorEvent/SystemHealth/SystemIdle)[1]', 'int') as SystemIdle,
            record.value('(./Record/SchedulerMonitorEvent/SystemHealth/ProcessUtilization)[1]', 'int') as SQLProcessUtilization,
            iif(record.value('(./Record/SchedulerMonitorEvent/SystemHealth/UserModeTime)[1]', 'bigint') >= 0
                and record.value('(./Record/SchedulerMonitorEvent/SystemHealth/KernelModeTime)[1]', 'bigint') >= 0
                and record.value('(./Record/SchedulerMonitorEvent/SystemHealth/PageFaults)[1]', 'bigint') >= 0
                and record.value('(./Record/SchedulerMonitorEvent/SystemHealth/WorkingSetDelta)[1]', 'bigint') is not null
                and record.value('(./Record/SchedulerMonitorEvent/SystemHealth/MemoryUtilization)[1]', 'int') between 1 and 100
                and record.value('(./Record/@type)[1]', 'varchar(40)') = 'RING_BUFFER_SCHEDULER_MONITOR'
                and record.value('(./Record/@time)[1]', 'bigint') = [timestamp], 1, 0) as times, [timestamp]
        from (select [timestamp], convert(xml, record) as record from sys.dm_os_ring_buffers with (nolock)
            where ring_buffer_type = N'RING_BUFFER_SCHEDULER_MONITOR' and record like N'%<SystemHealth>%') as x) as y
    order by record_id desc";

#[test]
fn each_minute_has_a_record_and_the_last_256_are_kept() {
    let clock = Arc::new(ManualClock::default());
    let config =
        InstanceConfig { max_memory_bytes: Some(64 << 20), ..InstanceConfig::new(None, Arc::clone(&clock) as Arc<_>) };
    let instance = Instance::open(config).expect("an instance in memory opens");
    let engine = millpond_procedures::registry::new_engine(TxnManager::new(instance));
    let mut one = session(&engine);
    let count = "set nocount on select count(*) as n from sys.dm_os_ring_buffers";
    assert_eq!(run(&mut one, count), "[n:int]\n0\n", "nothing has passed");
    let records = || engine.instance().health().records();
    // The thread that looks does so when it is woken, or twice a second.
    for _ in 0..20_000 {
        if records().len() >= 2 {
            break;
        }
        clock.advance_us(60_000_000);
        run(&mut one, "dbcc traceon (3505, -1) with no_infomsgs dbcc traceoff (3505, -1) with no_infomsgs");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(records().len() >= 2, "{:?}", records());
    let told = run(&mut one, HISTORY);
    assert!(
        told.starts_with(
            "[record:int | percent_add_up:int | is_past:int | times:int]\n0 | 1 | 1 | 1\n-1 | 1 | 1 | 1\n"
        ),
        "{told}"
    );
}
