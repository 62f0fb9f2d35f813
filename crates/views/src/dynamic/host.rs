//! The machine, its system and this process: `sys.dm_os_sys_info`, `dm_os_host_info`, `dm_os_windows_info`, `dm_os_sys_memory`,
//! `dm_os_process_memory`, `dm_os_schedulers`, `dm_os_file_exists`.
//!
//! What always holds: memory is what the process may use (`device::machine`), not what the machine has. Statements run on threads
//! of the system, which schedules them: a scheduler here is a processor, its tasks are the running requests of the sessions whose
//! numbers fall to it, and what only a scheduler of the server's own could count (switches, yields) is 0.

use std::path::Path;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_device::{host, machine};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::{PAGE_BYTES, SessionId};
use millpond_storage::settings::options::OptionId;
use millpond_storage::wait::WaitType;
use millpond_types::{DateTime, Value};

use crate::columns::{NVarChar, VarBinary, VarChar, big, bytes, datetime_of, int, small, text};
use crate::dynamic::waits::current_wait;
use crate::row::{Rows, ViewRows, row, table_function, view};

row! {
    /// A row of `sys.dm_os_file_exists`.
    struct DmOsFileExists {
        file_exists: i32,
        file_is_a_directory: i32,
        parent_directory_exists: i32,
    }
}

/// `sys.dm_os_file_exists(file_or_directory)`
pub static DM_OS_FILE_EXISTS: TableFunctionDef =
    table_function!("sys", "dm_os_file_exists", [NVarChar<4000>], optional 0, DmOsFileExists, file_exists);

/// What is at a path: a file, a folder, and whether the folder that it would be in is there.
#[must_use]
pub fn what_is_at(path: &str) -> (bool, bool, bool) {
    let path = Path::new(path);
    (path.is_file(), path.is_dir(), path.parent().is_some_and(Path::is_dir))
}

fn file_exists(_: &RunContext, args: &[Value]) -> SqlResult<Rows<DmOsFileExists>> {
    let Some(path) = args.first().and_then(Value::as_str) else { return Ok(Rows::new()) };
    let (is_file, is_folder, has_parent) = what_is_at(path);
    Ok(Rows::one(DmOsFileExists {
        file_exists: i32::from(is_file),
        file_is_a_directory: i32::from(is_folder),
        parent_directory_exists: i32::from(has_parent),
    }))
}

const KB: u64 = 1024;
/// Address space of a process on a processor of 64 bits.
const ADDRESS_SPACE_BYTES: u64 = 1 << 47;

row! {
    /// A row of `sys.dm_os_sys_info`.
    struct DmOsSysInfo {
        cpu_ticks: i64,
        ms_ticks: i64,
        cpu_count: i32,
        hyperthread_ratio: i32,
        physical_memory_kb: i64,
        virtual_memory_kb: i64,
        committed_kb: i64,
        committed_target_kb: i64,
        visible_target_kb: i64,
        stack_size_in_bytes: i32,
        os_quantum: i64,
        os_error_mode: i32,
        os_priority_class: Option<i32>,
        max_workers_count: i32,
        scheduler_count: i32,
        scheduler_total_count: i32,
        deadlock_monitor_serial_number: i32,
        sqlserver_start_time_ms_ticks: i64,
        sqlserver_start_time: DateTime,
        affinity_type: i32,
        affinity_type_desc: VarChar<60>,
        process_kernel_time_ms: i64,
        process_user_time_ms: i64,
        time_source: i32,
        time_source_desc: NVarChar<60>,
        virtual_machine_type: i32,
        virtual_machine_type_desc: NVarChar<60>,
        softnuma_configuration: i32,
        softnuma_configuration_desc: NVarChar<60>,
        process_physical_affinity: NVarChar<3072>,
        sql_memory_model: i32,
        sql_memory_model_desc: NVarChar<120>,
        socket_count: i32,
        cores_per_socket: i32,
        numa_node_count: i32,
        container_type: i32,
        container_type_desc: NVarChar<60>,
    }
}

/// `sys.dm_os_sys_info`
pub static DM_OS_SYS_INFO: ViewDef = view("sys", "dm_os_sys_info", &ViewRows(sys_info));

row! {
    /// A row of `sys.dm_os_host_info`.
    struct DmOsHostInfo {
        host_platform: NVarChar<256>,
        host_distribution: NVarChar<256>,
        host_release: NVarChar<256>,
        host_service_pack_level: NVarChar<256>,
        host_sku: Option<i32>,
        os_language_version: i32,
        host_architecture: NVarChar<256>,
    }
}

/// `sys.dm_os_host_info`
pub static DM_OS_HOST_INFO: ViewDef = view("sys", "dm_os_host_info", &ViewRows(host_info));

row! {
    /// A row of `sys.dm_os_windows_info`.
    struct DmOsWindowsInfo {
        windows_release: NVarChar<256>,
        windows_service_pack_level: NVarChar<256>,
        windows_sku: Option<i32>,
        os_language_version: i32,
    }
}

/// `sys.dm_os_windows_info`: none where the system is another.
pub static DM_OS_WINDOWS_INFO: ViewDef = view("sys", "dm_os_windows_info", &ViewRows(windows_info));

row! {
    /// A row of `sys.dm_os_sys_memory`.
    struct DmOsSysMemory {
        total_physical_memory_kb: i64,
        available_physical_memory_kb: i64,
        total_page_file_kb: i64,
        available_page_file_kb: i64,
        system_cache_kb: i64,
        kernel_paged_pool_kb: i64,
        kernel_nonpaged_pool_kb: i64,
        system_high_memory_signal_state: bool,
        system_low_memory_signal_state: bool,
        system_memory_state_desc: NVarChar<256>,
    }
}

/// `sys.dm_os_sys_memory`
pub static DM_OS_SYS_MEMORY: ViewDef = view("sys", "dm_os_sys_memory", &ViewRows(sys_memory));

row! {
    /// A row of `sys.dm_os_process_memory`.
    struct DmOsProcessMemory {
        physical_memory_in_use_kb: i64,
        large_page_allocations_kb: i64,
        locked_page_allocations_kb: i64,
        total_virtual_address_space_kb: i64,
        virtual_address_space_reserved_kb: i64,
        virtual_address_space_committed_kb: i64,
        virtual_address_space_available_kb: i64,
        page_fault_count: i64,
        memory_utilization_percentage: i32,
        available_commit_limit_kb: i64,
        process_physical_memory_low: bool,
        process_virtual_memory_low: bool,
    }
}

/// `sys.dm_os_process_memory`
pub static DM_OS_PROCESS_MEMORY: ViewDef = view("sys", "dm_os_process_memory", &ViewRows(process_memory));

row! {
    /// A row of `sys.dm_os_schedulers`.
    struct DmOsSchedulers {
        scheduler_address: VarBinary<8>,
        parent_node_id: i32,
        scheduler_id: i32,
        cpu_id: i16,
        status: NVarChar<60>,
        is_online: bool,
        is_idle: bool,
        preemptive_switches_count: i32,
        context_switches_count: i32,
        idle_switches_count: i32,
        current_tasks_count: i32,
        runnable_tasks_count: i32,
        current_workers_count: i32,
        active_workers_count: i32,
        work_queue_count: i64,
        pending_disk_io_count: i32,
        load_factor: i32,
        yield_count: i32,
        last_timer_activity: i64,
        failed_to_create_worker: bool,
        active_worker_address: Option<VarBinary<8>>,
        memory_object_address: Option<VarBinary<8>>,
        task_memory_object_address: Option<VarBinary<8>>,
        quantum_length_us: i64,
        total_cpu_usage_ms: i64,
        total_cpu_idle_capped_ms: i64,
        total_scheduler_delay_ms: i64,
        ideal_workers_limit: i32,
    }
}

/// `sys.dm_os_schedulers`
pub static DM_OS_SCHEDULERS: ViewDef = view("sys", "dm_os_schedulers", &ViewRows(schedulers));

fn sys_info(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsSysInfo>> {
    let (packages, used, memory) = (host::packages(), host::process_use(), machine::memory());
    let (uptime_ms, instance) = (host::uptime_ms(), ctx.engine.instance());
    let pool = instance.pool().report();
    let page_kb = PAGE_BYTES as u64 / KB;
    let running_ms = ctx.engine.clock_us() / 1000;
    let cpus = machine::processors();
    let is_contained =
        std::path::Path::new("/.dockerenv").exists() || std::path::Path::new("/run/.containerenv").exists();
    Ok(Rows::one(DmOsSysInfo {
        // A tick of this clock is a nanosecond, so that readers who divide by the milliseconds find a million.
        cpu_ticks: big(uptime_ms * 1_000_000),
        ms_ticks: big(uptime_ms),
        cpu_count: int(cpus),
        hyperthread_ratio: int(packages.threads_per_socket),
        physical_memory_kb: big(memory.total_bytes / KB),
        virtual_memory_kb: big(machine::address_space_bytes().unwrap_or(ADDRESS_SPACE_BYTES) / KB),
        committed_kb: big(pool.total * page_kb + ctx.engine.workspace().used_bytes() as u64 / KB),
        committed_target_kb: big(pool.target * page_kb),
        visible_target_kb: big(pool.target * page_kb),
        // That of threads of Rust's library.
        stack_size_in_bytes: 2 << 20,
        os_quantum: 4,
        os_error_mode: 0,
        os_priority_class: Some(32),
        max_workers_count: workers_max(ctx),
        scheduler_count: int(cpus),
        scheduler_total_count: int(cpus),
        deadlock_monitor_serial_number: 0,
        sqlserver_start_time_ms_ticks: big(uptime_ms.saturating_sub(running_ms)),
        sqlserver_start_time: datetime_of(instance.start_time().local_us()),
        affinity_type: 2,
        affinity_type_desc: text("AUTO"),
        process_kernel_time_ms: big(used.kernel_ms),
        process_user_time_ms: big(used.user_ms),
        time_source: 0,
        time_source_desc: text("QUERY_PERFORMANCE_COUNTER"),
        virtual_machine_type: i32::from(packages.is_virtual),
        virtual_machine_type_desc: text(if packages.is_virtual { "HYPERVISOR" } else { "NONE" }),
        softnuma_configuration: 0,
        softnuma_configuration_desc: text("OFF"),
        process_physical_affinity: text(""),
        sql_memory_model: 1,
        sql_memory_model_desc: text("CONVENTIONAL"),
        socket_count: int(packages.sockets),
        cores_per_socket: int(packages.cores_per_socket),
        numa_node_count: int(packages.numa_nodes),
        container_type: i32::from(is_contained),
        container_type_desc: text(if is_contained { "LINUX CONTAINER" } else { "NONE" }),
    }))
}

/// What `max worker threads` says, and for 0 what SQL Server makes of the processors.
fn workers_max(ctx: &RunContext) -> i32 {
    match ctx.engine.instance().settings().running(OptionId::MaxWorkerThreads) {
        0 => 512 + int(machine::processors().saturating_sub(4)) * 16,
        set => int(set),
    }
}

fn host_info(_ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsHostInfo>> {
    let named = host::distribution();
    let (platform, architecture) = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", architecture) => ("Linux", architecture),
        ("windows", architecture) => ("Windows", architecture),
        (other, architecture) => (other, architecture),
    };
    Ok(Rows::one(DmOsHostInfo {
        host_platform: text(platform),
        host_distribution: text(&named.name),
        host_release: text(&named.release),
        host_service_pack_level: text(""),
        host_sku: None,
        os_language_version: 0,
        host_architecture: text(match architecture {
            "x86_64" => "X64",
            "aarch64" => "ARM64",
            other => other,
        }),
    }))
}

fn windows_info(_ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsWindowsInfo>> {
    Ok(Rows::new())
}

/// Free memory above and below which the system is said to have much or little, in parts of all.
const HIGH: f64 = 0.25;
const LOW: f64 = 0.05;

fn sys_memory(_ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsSysMemory>> {
    let (system, memory) = (host::system_memory(), machine::memory());
    let free = memory.available_bytes as f64 / memory.total_bytes.max(1) as f64;
    let (is_high, is_low) = (free > HIGH, free < LOW);
    Ok(Rows::one(DmOsSysMemory {
        total_physical_memory_kb: big(memory.total_bytes / KB),
        available_physical_memory_kb: big(memory.available_bytes / KB),
        total_page_file_kb: big((memory.total_bytes + memory.swap_total_bytes) / KB),
        available_page_file_kb: big((memory.available_bytes + memory.swap_free_bytes) / KB),
        system_cache_kb: big(system.file_cache_bytes / KB),
        kernel_paged_pool_kb: big(system.reclaimable_bytes / KB),
        kernel_nonpaged_pool_kb: big(system.unreclaimable_bytes / KB),
        system_high_memory_signal_state: is_high,
        system_low_memory_signal_state: is_low,
        system_memory_state_desc: text(match (is_high, is_low) {
            (true, _) => "Available physical memory is high",
            (_, true) => "Available physical memory is low",
            _ => "Physical memory usage is steady",
        }),
    }))
}

fn process_memory(_ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsProcessMemory>> {
    let (used, memory) = (host::process_use(), machine::memory());
    let space = machine::address_space_bytes().unwrap_or(ADDRESS_SPACE_BYTES);
    let committed = memory.resident_bytes + used.swapped_bytes;
    let left = machine::address_space_left_bytes().unwrap_or(space - used.virtual_bytes.min(space));
    let is_low = |left: u64, all: u64| (left as f64) < all as f64 * LOW;
    Ok(Rows::one(DmOsProcessMemory {
        physical_memory_in_use_kb: big(memory.resident_bytes / KB),
        large_page_allocations_kb: 0,
        locked_page_allocations_kb: big(used.locked_bytes / KB),
        total_virtual_address_space_kb: big(space / KB),
        virtual_address_space_reserved_kb: big(used.virtual_bytes / KB),
        virtual_address_space_committed_kb: big(committed / KB),
        virtual_address_space_available_kb: big(left / KB),
        page_fault_count: big(used.page_faults),
        memory_utilization_percentage: int(memory.resident_bytes * 100 / committed.max(1)),
        available_commit_limit_kb: big((memory.available_bytes + memory.swap_free_bytes) / KB),
        process_physical_memory_low: is_low(memory.available_bytes, memory.total_bytes),
        process_virtual_memory_low: is_low(left, space),
    }))
}

fn schedulers(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsSchedulers>> {
    let count = machine::processors();
    let (mut workers, mut tasks, mut cpu_us, mut io) =
        (vec![0_u32; count], vec![0_u32; count], vec![0_u64; count], vec![0_u32; count]);
    for session in ctx.engine.sessions() {
        let at = scheduler_of(session.id);
        let status = session.status.lock().clone();
        workers[at] += 1;
        cpu_us[at] += status.cpu_us + session.cpu.running_us();
        if status.request.is_some() {
            tasks[at] += 1;
            let waits_for_disk = current_wait(ctx, &session).is_some_and(|(kind, ..)| is_of_disk(kind));
            io[at] += u32::from(waits_for_disk);
        }
    }
    let limit = workers_max(ctx) / int(count).max(1);
    let now_ms = big(host::uptime_ms());
    let waiting = |at: usize| io[at].min(tasks[at]);
    let row = |at: usize| DmOsSchedulers {
        scheduler_address: scheduler_address(at),
        parent_node_id: 0,
        scheduler_id: int(at),
        cpu_id: small(at),
        status: text("VISIBLE ONLINE"),
        is_online: true,
        is_idle: tasks[at] == 0,
        preemptive_switches_count: 0,
        context_switches_count: 0,
        idle_switches_count: 0,
        current_tasks_count: int(tasks[at]),
        runnable_tasks_count: 0,
        current_workers_count: int(workers[at]),
        active_workers_count: int(tasks[at]),
        work_queue_count: 0,
        pending_disk_io_count: int(waiting(at)),
        load_factor: int(tasks[at]),
        yield_count: 0,
        last_timer_activity: now_ms,
        failed_to_create_worker: false,
        active_worker_address: None,
        memory_object_address: None,
        task_memory_object_address: None,
        quantum_length_us: 4000,
        total_cpu_usage_ms: big(cpu_us[at] / 1000),
        total_cpu_idle_capped_ms: 0,
        total_scheduler_delay_ms: 0,
        ideal_workers_limit: limit,
    };
    Ok((0..count).map(row).collect())
}

/// The scheduler that a session's work belongs to.
pub(super) fn scheduler_of(session: SessionId) -> usize {
    usize::from(session.0) % machine::processors()
}

/// Where a scheduler is.
pub(super) fn scheduler_address(at: usize) -> VarBinary<8> {
    bytes(&(at as u64).to_be_bytes())
}

pub(super) fn is_of_disk(kind: WaitType) -> bool {
    ["PAGEIOLATCH", "IO_COMPLETION", "WRITELOG", "ASYNC_IO"].iter().any(|name| kind.name().starts_with(name))
}
