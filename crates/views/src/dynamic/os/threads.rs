//! `sys.dm_os_threads`: the threads of the process, as the system counts them.
//!
//! What always holds: threads belong to no worker and no scheduler (a session runs on whichever is free), so these columns are NULL. Where
//! a thread's code and stack are is not asked.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_device::host;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::DateTime;

use crate::columns::{VarBinary, big, bytes, datetime_of, int};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_os_threads`.
    struct DmOsThreads {
        thread_address: VarBinary<8>,
        started_by_sqlservr: Option<bool>,
        os_thread_id: Option<i32>,
        status: Option<i32>,
        instruction_address: Option<VarBinary<8>>,
        creation_time: Option<DateTime>,
        kernel_time: Option<i64>,
        usermode_time: Option<i64>,
        stack_base_address: Option<VarBinary<8>>,
        stack_end_address: Option<VarBinary<8>>,
        stack_bytes_committed: Option<i32>,
        stack_bytes_used: Option<i32>,
        affinity: Option<i64>,
        priority: Option<i32>,
        Locale: Option<i32>,
        Token: Option<VarBinary<8>>,
        is_impersonating: Option<i32>,
        is_waiting_on_loader_lock: Option<i32>,
        fiber_data: Option<VarBinary<8>>,
        thread_handle: Option<VarBinary<8>>,
        event_handle: Option<VarBinary<8>>,
        scheduler_address: Option<VarBinary<8>>,
        worker_address: Option<VarBinary<8>>,
        fiber_context_address: Option<VarBinary<8>>,
        self_address: Option<VarBinary<8>>,
        processor_group: Option<i16>,
    }
}

/// `sys.dm_os_threads`
pub static DM_OS_THREADS: ViewDef = view("sys", "dm_os_threads", &ViewRows(threads));

/// What distinguishes addresses of threads from others.
const THREADS_AT: u64 = 4 << 40;

fn threads(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<DmOsThreads>> {
    let (now_us, up_ms) = (ctx.engine.now_us().1, host::uptime_ms());
    let row = |thread: host::Thread| {
        let address = (THREADS_AT + u64::from(thread.id)).to_be_bytes();
        let age_ms = up_ms.saturating_sub(thread.started_ms);
        DmOsThreads {
            thread_address: bytes(&address),
            started_by_sqlservr: Some(true),
            os_thread_id: Some(int(thread.id)),
            status: Some(0),
            instruction_address: None,
            creation_time: Some(datetime_of(now_us.saturating_sub_unsigned(age_ms * 1000))),
            kernel_time: Some(big(thread.kernel_ms)),
            usermode_time: Some(big(thread.user_ms)),
            stack_base_address: None,
            stack_end_address: None,
            stack_bytes_committed: None,
            stack_bytes_used: None,
            affinity: Some(thread.processors.cast_signed()),
            priority: Some(thread.priority),
            Locale: None,
            Token: None,
            is_impersonating: Some(0),
            is_waiting_on_loader_lock: Some(0),
            fiber_data: None,
            thread_handle: None,
            event_handle: None,
            scheduler_address: None,
            worker_address: None,
            fiber_context_address: None,
            self_address: Some(bytes(&address)),
            processor_group: Some(0),
        }
    };
    Ok(host::threads().into_iter().map(row).collect())
}
