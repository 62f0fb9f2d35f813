//! `sys.dm_os_wait_stats`, `sys.dm_exec_session_wait_stats` and `sys.dm_os_waiting_tasks`.

use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use millpond_storage::contract::{PageId, SessionId};
use millpond_storage::wait::WaitType;
use millpond_txn::lock::LockWait;

use crate::columns::{NVarChar, VarBinary, big, bytes, small, text};
use crate::dynamic::sessions::seen_sessions;
use crate::dynamic::tran::transactions::lock_address;
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_os_wait_stats`.
    struct DmOsWaitStats {
        wait_type: NVarChar<60>,
        waiting_tasks_count: i64,
        wait_time_ms: i64,
        max_wait_time_ms: i64,
        signal_wait_time_ms: i64,
    }
}

/// `sys.dm_os_wait_stats`: one row per known type, also when nothing has waited.
pub static DM_OS_WAIT_STATS: ViewDef = view("sys", "dm_os_wait_stats", &ViewRows(wait_stats));

row! {
    /// A row of `sys.dm_exec_session_wait_stats`.
    struct DmExecSessionWaitStats {
        session_id: i16,
        wait_type: NVarChar<60>,
        waiting_tasks_count: i64,
        wait_time_ms: i64,
        max_wait_time_ms: i64,
        signal_wait_time_ms: i64,
    }
}

/// `sys.dm_exec_session_wait_stats`: the finished waits of each session since its login, or since its connection was reset.
pub static DM_EXEC_SESSION_WAIT_STATS: ViewDef = view("sys", "dm_exec_session_wait_stats", &ViewRows(session_waits));

row! {
    /// A row of `sys.dm_os_waiting_tasks`.
    struct DmOsWaitingTasks {
        waiting_task_address: Option<VarBinary<8>>,
        session_id: Option<i16>,
        exec_context_id: Option<i32>,
        wait_duration_ms: Option<i64>,
        wait_type: Option<NVarChar<60>>,
        resource_address: Option<VarBinary<8>>,
        blocking_task_address: Option<VarBinary<8>>,
        blocking_session_id: Option<i16>,
        blocking_exec_context_id: Option<i32>,
        resource_description: Option<NVarChar<3072>>,
    }
}

/// `sys.dm_os_waiting_tasks`
pub static DM_OS_WAITING_TASKS: ViewDef = view("sys", "dm_os_waiting_tasks", &ViewRows(waiting_tasks));

fn wait_stats(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsWaitStats>> {
    let rows = ctx.engine.instance().waits().report().into_iter().map(|wait| DmOsWaitStats {
        wait_type: text(wait.wait_type.name()),
        waiting_tasks_count: big(wait.waits),
        wait_time_ms: big(wait.wait_us / 1000),
        max_wait_time_ms: big(wait.max_us / 1000),
        signal_wait_time_ms: big(wait.signal_us / 1000),
    });
    Ok(rows.collect())
}

fn session_waits(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecSessionWaitStats>> {
    let mut rows = Rows::new();
    for session in seen_sessions(ctx)? {
        rows.extend(session.task.waits_by_type.report().into_iter().filter_map(|waits| {
            Some(DmExecSessionWaitStats {
                session_id: small(session.id.0),
                wait_type: text(WaitType::from_task_field(waits.number + 1)?.name()),
                waiting_tasks_count: big(waits.waits),
                wait_time_ms: big(waits.wait_us / 1000),
                max_wait_time_ms: big(waits.max_us / 1000),
                signal_wait_time_ms: big(waits.signal_us / 1000),
            })
        }));
    }
    Ok(rows)
}

/// What distinguishes addresses of tasks from other numbers of sessions.
const TASKS_AT: u64 = 1 << 32;

/// Where the task of a session's request is.
pub(crate) fn task_address(session: SessionId) -> VarBinary<8> {
    bytes(&(TASKS_AT + u64::from(session.0)).to_be_bytes())
}

/// What a session waits for now: type, since when in microseconds, resource.
pub(crate) fn current_wait(ctx: &RunContext, session: &SessionShared) -> Option<(WaitType, u64, String)> {
    let wait_type = WaitType::from_task_field(session.task.wait_type.load(Relaxed))?;
    let start_us = session.task.wait_start_us.load(Relaxed);
    let waited_us = ctx.engine.instance().waits().now_us().saturating_sub(start_us);
    let resource = match session.task.wait_resource.load(Relaxed) {
        0 => String::new(),
        page => PageId::from_bits(page).to_string(),
    };
    Some((wait_type, waited_us, resource))
}

/// One row per blocker of a task that waits for a lock, one row for any other task that waits.
fn waiting_tasks(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsWaitingTasks>> {
    let mut rows: Rows<_> = ctx.engine.txns().locks().waiting().iter().flat_map(lock_waits).collect();
    rows.extend(other_waits(ctx));
    Ok(rows)
}

fn lock_waits(wait: &LockWait) -> Vec<DmOsWaitingTasks> {
    let description = wait.resource.waiting_description(wait.mode);
    let address = lock_address(wait.session, &wait.resource);
    let row = |blocker: &SessionId| DmOsWaitingTasks {
        waiting_task_address: Some(task_address(wait.session)),
        session_id: Some(small(wait.session.0)),
        exec_context_id: Some(0),
        wait_duration_ms: Some(big(wait.wait_us / 1000)),
        wait_type: Some(text(wait.mode.wait_type().name())),
        resource_address: Some(address.clone()),
        blocking_task_address: Some(task_address(*blocker)),
        blocking_session_id: Some(small(blocker.0)),
        blocking_exec_context_id: None,
        resource_description: Some(text(&description)),
    };
    wait.blockers.iter().map(row).collect()
}

fn other_waits(ctx: &RunContext) -> Vec<DmOsWaitingTasks> {
    let sessions = ctx.engine.sessions();
    let rows = sessions.iter().filter_map(|session| {
        let (wait_type, waited_us, resource) = current_wait(ctx, session)?;
        if wait_type.name().starts_with("LCK_M_") {
            return None;
        }
        let resource = (!resource.is_empty()).then(|| text(&resource));
        Some(DmOsWaitingTasks {
            waiting_task_address: Some(task_address(session.id)),
            session_id: Some(small(session.id.0)),
            exec_context_id: Some(0),
            wait_duration_ms: Some(big(waited_us / 1000)),
            wait_type: Some(text(wait_type.name())),
            resource_address: None,
            blocking_task_address: None,
            blocking_session_id: None,
            blocking_exec_context_id: None,
            resource_description: resource,
        })
    });
    rows.collect()
}
