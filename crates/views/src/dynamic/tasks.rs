//! Who works: `sys.dm_os_tasks`, `dm_os_workers`, `dm_os_nodes`, `dm_os_memory_nodes`.
//!
//! What always holds: a session has a worker as long as it is there, and a task while a request of it runs; both belong to the
//! scheduler that its number falls to (`host`). Addresses are numbers made of the session's, the same in all views. All processors
//! and all memory are one node. What only a scheduler of the server's own could count (switches, quanta) is 0.

use std::sync::Arc;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_device::{host, machine};
use millpond_engine::context::RunContext;
use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use millpond_storage::contract::{PAGE_BYTES, SessionId};
use millpond_storage::wait::WaitType;

use crate::columns::{NVarChar, VarBinary, big, bytes, int, small, text};
use crate::dynamic::host::{is_of_disk, scheduler_address, scheduler_of};
use crate::dynamic::sessions::seen_sessions;
use crate::dynamic::waits::{current_wait, task_address};
use crate::row::{Rows, ViewRows, row, view};

const PAGE_KB: u64 = PAGE_BYTES as u64 / 1024;
/// What distinguishes addresses of workers from those of tasks.
const WORKERS_AT: u64 = 2 << 32;

row! {
    /// A row of `sys.dm_os_tasks`.
    struct DmOsTasks {
        task_address: VarBinary<8>,
        task_state: Option<NVarChar<60>>,
        context_switches_count: Option<i32>,
        pending_io_count: Option<i32>,
        pending_io_byte_count: Option<i64>,
        pending_io_byte_average: Option<i32>,
        scheduler_id: i32,
        session_id: Option<i16>,
        exec_context_id: Option<i32>,
        request_id: Option<i32>,
        worker_address: Option<VarBinary<8>>,
        host_address: VarBinary<8>,
        parent_task_address: Option<VarBinary<8>>,
    }
}

/// `sys.dm_os_tasks`: the running requests.
pub static DM_OS_TASKS: ViewDef = view("sys", "dm_os_tasks", &ViewRows(tasks));

row! {
    /// A row of `sys.dm_os_workers`.
    struct DmOsWorkers {
        worker_address: VarBinary<8>,
        status: i32,
        is_preemptive: bool,
        is_fiber: bool,
        is_sick: bool,
        is_in_cc_exception: bool,
        is_fatal_exception: bool,
        is_inside_catch: bool,
        is_in_polling_io_completion_routine: bool,
        context_switch_count: i32,
        pending_io_count: i32,
        pending_io_byte_count: i64,
        pending_io_byte_average: i32,
        wait_started_ms_ticks: i64,
        wait_resumed_ms_ticks: i64,
        task_bound_ms_ticks: i64,
        worker_created_ms_ticks: i64,
        exception_num: i32,
        exception_severity: i32,
        exception_address: Option<VarBinary<8>>,
        affinity: i64,
        state: Option<NVarChar<60>>,
        start_quantum: i64,
        end_quantum: i64,
        last_wait_type: Option<NVarChar<60>>,
        return_code: i32,
        quantum_used: i64,
        max_quantum: i64,
        boost_count: i32,
        tasks_processed_count: i32,
        fiber_address: Option<VarBinary<8>>,
        task_address: Option<VarBinary<8>>,
        memory_object_address: Option<VarBinary<8>>,
        thread_address: Option<VarBinary<8>>,
        signal_worker_address: Option<VarBinary<8>>,
        scheduler_address: VarBinary<8>,
        processor_group: i16,
    }
}

/// `sys.dm_os_workers`: those of the sessions.
pub static DM_OS_WORKERS: ViewDef = view("sys", "dm_os_workers", &ViewRows(workers));

row! {
    /// A row of `sys.dm_os_nodes`.
    struct DmOsNodes {
        node_id: i16,
        node_state_desc: NVarChar<256>,
        memory_object_address: VarBinary<8>,
        memory_clerk_address: VarBinary<8>,
        io_completion_worker_address: Option<VarBinary<8>>,
        memory_node_id: i16,
        cpu_affinity_mask: i64,
        online_scheduler_count: i16,
        idle_scheduler_count: i16,
        active_worker_count: i32,
        avg_load_balance: i32,
        timer_task_affinity_mask: i64,
        permanent_task_affinity_mask: i64,
        resource_monitor_state: bool,
        online_scheduler_mask: i64,
        processor_group: i16,
        cpu_count: i32,
    }
}

/// `sys.dm_os_nodes`
pub static DM_OS_NODES: ViewDef = view("sys", "dm_os_nodes", &ViewRows(nodes));

row! {
    /// A row of `sys.dm_os_memory_nodes`.
    struct DmOsMemoryNodes {
        memory_node_id: i16,
        virtual_address_space_reserved_kb: i64,
        virtual_address_space_committed_kb: i64,
        locked_page_allocations_kb: i64,
        pages_kb: i64,
        shared_memory_reserved_kb: i64,
        shared_memory_committed_kb: i64,
        cpu_affinity_mask: i64,
        online_scheduler_mask: i64,
        processor_group: i16,
        foreign_committed_kb: i64,
        target_kb: i64,
    }
}

/// `sys.dm_os_memory_nodes`
pub static DM_OS_MEMORY_NODES: ViewDef = view("sys", "dm_os_memory_nodes", &ViewRows(memory_nodes));

fn worker_address(session: SessionId) -> VarBinary<8> {
    bytes(&(WORKERS_AT + u64::from(session.0)).to_be_bytes())
}

/// What a session's task does: it runs, or waits for something.
struct Doing {
    is_busy: bool,
    waits_for: Option<(WaitType, u64)>,
}

impl Doing {
    fn of(ctx: &RunContext, session: &SessionShared) -> Doing {
        let is_busy = session.status.lock().request.is_some();
        let waits_for = current_wait(ctx, session).map(|(kind, waited_us, _)| (kind, waited_us));
        Doing { is_busy, waits_for }
    }

    fn waits_for_disk(&self) -> bool {
        self.waits_for.is_some_and(|(kind, _)| is_of_disk(kind))
    }

    fn state(&self) -> &'static str {
        if self.waits_for.is_some() { "SUSPENDED" } else { "RUNNING" }
    }
}

fn tasks(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsTasks>> {
    let row = |session: &Arc<SessionShared>| {
        let doing = Doing::of(ctx, session);
        doing.is_busy.then(|| DmOsTasks {
            task_address: task_address(session.id),
            task_state: Some(text(doing.state())),
            context_switches_count: Some(0),
            pending_io_count: Some(i32::from(doing.waits_for_disk())),
            pending_io_byte_count: Some(0),
            pending_io_byte_average: Some(0),
            scheduler_id: int(scheduler_of(session.id)),
            session_id: Some(small(session.id.0)),
            exec_context_id: Some(0),
            request_id: Some(0),
            worker_address: Some(worker_address(session.id)),
            host_address: bytes(&[0; 8]),
            parent_task_address: None,
        })
    };
    Ok(seen_sessions(ctx)?.iter().filter_map(row).collect())
}

fn workers(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsWorkers>> {
    let now_ms = host::uptime_ms();
    let local_now_us = ctx.engine.now_us().1;
    let row = |session: &Arc<SessionShared>| {
        let doing = Doing::of(ctx, session);
        let age_ms = u64::try_from((local_now_us - session.login_us) / 1000).unwrap_or(0);
        let created_ms = now_ms.saturating_sub(age_ms);
        let since_ms = doing.waits_for.map_or(0, |(_, waited_us)| now_ms.saturating_sub(waited_us / 1000));
        DmOsWorkers {
            worker_address: worker_address(session.id),
            status: 0,
            is_preemptive: false,
            is_fiber: false,
            is_sick: false,
            is_in_cc_exception: false,
            is_fatal_exception: false,
            is_inside_catch: false,
            is_in_polling_io_completion_routine: false,
            context_switch_count: 0,
            pending_io_count: i32::from(doing.waits_for_disk()),
            pending_io_byte_count: 0,
            pending_io_byte_average: 0,
            wait_started_ms_ticks: big(since_ms),
            wait_resumed_ms_ticks: 0,
            task_bound_ms_ticks: big(created_ms),
            worker_created_ms_ticks: big(created_ms),
            exception_num: 0,
            exception_severity: 0,
            exception_address: None,
            affinity: 1 << scheduler_of(session.id).min(62),
            state: Some(text(if doing.is_busy { doing.state() } else { "SUSPENDED" })),
            start_quantum: 0,
            end_quantum: 0,
            last_wait_type: Some(text(doing.waits_for.map_or("MISCELLANEOUS", |(kind, _)| kind.name()))),
            return_code: 0,
            quantum_used: 0,
            max_quantum: 4,
            boost_count: 0,
            tasks_processed_count: 0,
            fiber_address: None,
            task_address: doing.is_busy.then(|| task_address(session.id)),
            memory_object_address: None,
            thread_address: None,
            signal_worker_address: None,
            scheduler_address: scheduler_address(scheduler_of(session.id)),
            processor_group: 0,
        }
    };
    Ok(seen_sessions(ctx)?.iter().map(row).collect())
}

/// A bit for each processor.
fn all_processors() -> i64 {
    match machine::processors() {
        count @ ..63 => (1 << count) - 1,
        _ => i64::MAX,
    }
}

fn nodes(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsNodes>> {
    let sessions = ctx.engine.sessions();
    let count = machine::processors();
    let mut busy = vec![0_u32; count];
    for session in &sessions {
        busy[scheduler_of(session.id)] += u32::from(session.status.lock().request.is_some());
    }
    Ok(Rows::one(DmOsNodes {
        node_id: 0,
        node_state_desc: text("ONLINE"),
        memory_object_address: bytes(&[0; 8]),
        memory_clerk_address: bytes(&[0; 8]),
        io_completion_worker_address: None,
        memory_node_id: 0,
        cpu_affinity_mask: all_processors(),
        online_scheduler_count: small(count),
        idle_scheduler_count: small(busy.iter().filter(|tasks| **tasks == 0).count()),
        active_worker_count: int(busy.iter().sum::<u32>()),
        avg_load_balance: int(busy.iter().sum::<u32>() as usize / count.max(1)),
        timer_task_affinity_mask: all_processors(),
        permanent_task_affinity_mask: 0,
        resource_monitor_state: true,
        online_scheduler_mask: all_processors(),
        processor_group: 0,
        cpu_count: int(count),
    }))
}

fn memory_nodes(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsMemoryNodes>> {
    let pool = ctx.engine.instance().pool().report();
    let (used, memory) = (host::process_use(), machine::memory());
    Ok(Rows::one(DmOsMemoryNodes {
        memory_node_id: 0,
        virtual_address_space_reserved_kb: big(used.virtual_bytes / 1024),
        virtual_address_space_committed_kb: big((memory.resident_bytes + used.swapped_bytes) / 1024),
        locked_page_allocations_kb: big(used.locked_bytes / 1024),
        pages_kb: big(pool.total * PAGE_KB),
        shared_memory_reserved_kb: 0,
        shared_memory_committed_kb: 0,
        cpu_affinity_mask: all_processors(),
        online_scheduler_mask: all_processors(),
        processor_group: 0,
        foreign_committed_kb: 0,
        target_kb: big(pool.target * PAGE_KB),
    }))
}
