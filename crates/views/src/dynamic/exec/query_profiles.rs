//! `sys.dm_exec_query_profiles`: what the operators of running statements have done so far; rows alone without SET STATISTICS PROFILE or
//! XML.
//!
//! What always holds: a row is of an operator over all its threads, whose number is that of the plan's XML; times are milliseconds of
//! the clock that `sys.dm_os_sys_info.ms_ticks` shows. Without VIEW SERVER STATE a session sees its own.

use std::sync::Arc;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_device::host;
use millpond_engine::account::live::{LiveOperator, LiveRun, TableReads};
use millpond_engine::account::live_statements::LiveLook;
use millpond_engine::account::running_statement::{PLAN_HANDLE, SQL_HANDLE};
use millpond_engine::context::RunContext;
use millpond_engine::metadata::is_encrypted_module;
use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;

use crate::columns::{NVarChar, VarBinary, big, int, small, text};
use crate::dynamic::sessions::seen_sessions;
use crate::dynamic::statements::handle;
use crate::dynamic::waits::task_address;
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_exec_query_profiles`.
    struct DmExecQueryProfiles {
        session_id: i16,
        request_id: i32,
        sql_handle: Option<VarBinary<64>>,
        plan_handle: Option<VarBinary<64>>,
        physical_operator_name: NVarChar<256>,
        node_id: i32,
        thread_id: i32,
        task_address: VarBinary<8>,
        row_count: Option<i64>,
        rewind_count: i64,
        rebind_count: Option<i64>,
        end_of_scan_count: i64,
        estimate_row_count: Option<i64>,
        first_active_time: Option<i64>,
        last_active_time: Option<i64>,
        open_time: Option<i64>,
        first_row_time: Option<i64>,
        last_row_time: Option<i64>,
        close_time: Option<i64>,
        elapsed_time_ms: Option<i64>,
        cpu_time_ms: Option<i64>,
        database_id: Option<i16>,
        object_id: Option<i32>,
        index_id: Option<i32>,
        scan_count: Option<i64>,
        logical_read_count: Option<i64>,
        physical_read_count: Option<i64>,
        read_ahead_count: Option<i64>,
        write_page_count: Option<i64>,
        lob_logical_read_count: Option<i64>,
        lob_physical_read_count: Option<i64>,
        lob_read_ahead_count: Option<i64>,
        segment_read_count: Option<i32>,
        segment_skip_count: Option<i32>,
        actual_read_row_count: Option<i64>,
        estimated_read_row_count: Option<i64>,
    }
}

/// `sys.dm_exec_query_profiles`
pub static DM_EXEC_QUERY_PROFILES: ViewDef = view("sys", "dm_exec_query_profiles", &ViewRows(profiles));

fn profiles(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecQueryProfiles>> {
    let mut rows = Rows::new();
    for session in seen_sessions(ctx)? {
        let Some(look) = live_of(ctx, &session) else { continue };
        let ticks = Ticks { up_ms: host::uptime_ms(), clock_us: ctx.engine.clock_us() };
        let operators = look.operators().unwrap_or_default();
        rows.extend(
            operators.iter().enumerate().map(|(node, operator)| row_of(&session, &look.run, &ticks, node, operator)),
        );
    }
    Ok(rows)
}

/// The statement of the session that keeps account, if one runs whose plan may be shown.
pub(crate) fn live_of(ctx: &RunContext, session: &SessionShared) -> Option<LiveLook> {
    let look = session.live.look().or_else(|| counting_of(ctx, session))?;
    let (object, database) = (look.run.text.object, DbId(look.run.text.database));
    (object == 0 || !is_encrypted_module(&ctx.engine, database, object)).then_some(look)
}

/// The statement that the session runs where it keeps no account: its operators count rows by themselves. None where another session
/// has bound the statement since: its plan is not the one that runs.
fn counting_of(ctx: &RunContext, session: &SessionShared) -> Option<LiveLook> {
    let started_us = session.status.lock().request.as_ref()?.start_us;
    let (text, start, end) = session.statement.now()?;
    let (plan, bound) = ctx.engine.statements().find(text.id, start)?.plan_of(session.id.0)?;
    let (clock_us, now_us) = ctx.moment();
    let elapsed_us = u64::try_from(now_us.saturating_sub(started_us)).unwrap_or(0);
    let run = LiveRun {
        profile: None,
        variables: Arc::clone(&bound.variables),
        tables: Vec::new(),
        estimated: (0.0, 0.0),
        begun_us: clock_us.saturating_sub(elapsed_us),
        text,
        place: (start, end),
    };
    Some(LiveLook { plan, bound, run })
}

/// Now, by the clock of `ms_ticks` and by the server's.
struct Ticks {
    up_ms: u64,
    clock_us: u64,
}

impl Ticks {
    fn of_clock_us(&self, us: u64) -> u64 {
        self.up_ms.saturating_sub(self.clock_us.saturating_sub(us) / 1000)
    }
}

fn row_of(
    session: &SessionShared,
    run: &LiveRun,
    ticks: &Ticks,
    node: usize,
    operator: &LiveOperator,
) -> DmExecQueryProfiles {
    let figures = operator.figures.unwrap_or_default();
    let [opened, first_row, last_row, closed] = figures.times_us.map(|us| (us > 0).then(|| big(ticks.of_clock_us(us))));
    let table = operator.reads.and_then(|(table, index)| Some((run.tables.get(table)?, index)));
    let reads = table.filter(|_| operator.reads_alone).map(|(live, _)| live.reads);
    let of_reads = |pick: fn(&TableReads) -> u64| reads.as_ref().map(|all| big(pick(all)));
    let ms = |pick: fn((u64, u64)) -> u64| operator.total_us.map(|us| big(pick(us) / 1000));
    DmExecQueryProfiles {
        session_id: small(session.id.0),
        request_id: 0,
        sql_handle: Some(handle(SQL_HANDLE, run.text.id)),
        plan_handle: Some(handle(PLAN_HANDLE, run.text.id)),
        physical_operator_name: text(&operator.physical),
        node_id: int(node),
        thread_id: 0,
        task_address: task_address(session.id),
        row_count: operator.figures.map(|own| big(own.rows)),
        rewind_count: 0,
        rebind_count: operator.figures.map(|own| big(own.executions)),
        end_of_scan_count: 0,
        estimate_row_count: operator.estimated_rows.map(|rows| big(rows.round() as u64)),
        first_active_time: opened,
        last_active_time: [closed, last_row, opened].into_iter().flatten().max(),
        open_time: opened,
        first_row_time: first_row,
        last_row_time: last_row,
        close_time: closed,
        elapsed_time_ms: ms(|(elapsed, _)| elapsed),
        cpu_time_ms: ms(|(_, cpu)| cpu),
        database_id: table.map(|(table, _)| small(table.def.database.0)),
        object_id: table.map(|(table, _)| table.object),
        index_id: table.map(|(table, index)| table.def.indexes.get(index).map_or(0, |index| int(index.id))),
        scan_count: of_reads(|all| all.scans),
        logical_read_count: of_reads(|all| all.pages[0]),
        physical_read_count: of_reads(|all| all.pages[1]),
        read_ahead_count: of_reads(|all| all.pages[2]),
        write_page_count: of_reads(|all| all.pages[3]),
        lob_logical_read_count: of_reads(|all| all.large[0]),
        lob_physical_read_count: of_reads(|all| all.large[1]),
        lob_read_ahead_count: of_reads(|all| all.large[2]),
        // There are no columnstore indexes.
        segment_read_count: table.map(|_| 0),
        segment_skip_count: table.map(|_| 0),
        // Rows that a predicate turned down are not counted.
        actual_read_row_count: None,
        estimated_read_row_count: table.map(|(live, _)| big(live.rows)),
    }
}
