//! `sys.dm_os_wait_stats` and `sys.dm_os_waiting_tasks`.

use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use millpond_storage::contract::{PageId, SessionId};
use millpond_storage::wait::WaitType;
use millpond_txn::lock::LockWait;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, INT, SMALLINT, big, col, null, nvarchar, small, text, varbinary};

/// `sys.dm_os_wait_stats`: one row per known type, also when nothing has waited.
pub static DM_OS_WAIT_STATS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_os_wait_stats",
    columns: &[
        col("wait_type", nvarchar(60)),
        col("waiting_tasks_count", BIGINT),
        col("wait_time_ms", BIGINT),
        col("max_wait_time_ms", BIGINT),
        col("signal_wait_time_ms", BIGINT),
    ],
    rows: &ViewRows(wait_stats),
};

/// `sys.dm_os_waiting_tasks`
pub static DM_OS_WAITING_TASKS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_os_waiting_tasks",
    columns: &[
        null("waiting_task_address", varbinary(8)),
        null("session_id", SMALLINT),
        null("exec_context_id", INT),
        null("wait_duration_ms", BIGINT),
        null("wait_type", nvarchar(60)),
        null("resource_address", varbinary(8)),
        null("blocking_task_address", varbinary(8)),
        null("blocking_session_id", SMALLINT),
        null("blocking_exec_context_id", INT),
        null("resource_description", nvarchar(3072)),
    ],
    rows: &ViewRows(waiting_tasks),
};

fn wait_stats(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = ctx.engine.instance().waits().report().into_iter().map(|wait| {
        vec![
            text(wait.wait_type.name()),
            big(wait.waits),
            big(wait.wait_us / 1000),
            big(wait.max_us / 1000),
            big(wait.signal_us / 1000),
        ]
    });
    Ok(rows.collect())
}

/// What a session waits for now: type, since when in microseconds, resource.
pub(in crate::view) fn current_wait(ctx: &RunContext, session: &SessionShared) -> Option<(WaitType, u64, String)> {
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
fn waiting_tasks(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows: Vec<_> = ctx.engine.txns().locks().waiting().iter().flat_map(lock_waits).collect();
    rows.extend(other_waits(ctx));
    Ok(rows)
}

fn lock_waits(wait: &LockWait) -> Vec<Vec<Value>> {
    let description = wait.resource.waiting_description(wait.mode);
    let row = |blocker: &SessionId| {
        vec![
            Value::Null,
            small(wait.session.0),
            Value::Int(0),
            big(wait.wait_us / 1000),
            text(wait.mode.wait_type().name()),
            Value::Null,
            Value::Null,
            small(blocker.0),
            Value::Null,
            text(&description),
        ]
    };
    wait.blockers.iter().map(row).collect()
}

fn other_waits(ctx: &RunContext) -> Vec<Vec<Value>> {
    let sessions = ctx.engine.sessions();
    let rows = sessions.iter().filter_map(|session| {
        let (wait_type, waited_us, resource) = current_wait(ctx, session)?;
        if wait_type.name().starts_with("LCK_M_") {
            return None;
        }
        let resource = if resource.is_empty() { Value::Null } else { text(&resource) };
        Some(vec![
            Value::Null,
            small(session.id.0),
            Value::Int(0),
            big(waited_us / 1000),
            text(wait_type.name()),
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
            resource,
        ])
    });
    rows.collect()
}
