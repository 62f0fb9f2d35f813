//! `sysprocesses`: sessions and what they do, as SQL Server 2000 showed them.

use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::running_statement::{SQL_HANDLE, handle_bytes};
use millpond_engine::context::RunContext;
use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use millpond_storage::wait::WaitType;
use millpond_txn::lock::LockWait;
use millpond_types::DateTime;

use crate::columns::{Binary, NChar, big, bytes, datetime_of, int, small, wide};
use crate::dynamic::requests::user_of;
use crate::dynamic::sessions::seen_sessions;
use crate::dynamic::statements::offset;
use crate::dynamic::waits::current_wait;
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sysprocesses`.
    struct Sysprocesses {
        spid: i16,
        kpid: i16,
        blocked: i16,
        waittype: Binary<2>,
        waittime: i64,
        lastwaittype: NChar<32>,
        waitresource: NChar<256>,
        dbid: i16,
        uid: Option<i16>,
        cpu: i32,
        physical_io: i64,
        memusage: i32,
        login_time: DateTime,
        last_batch: DateTime,
        ecid: i16,
        open_tran: i16,
        status: NChar<30>,
        sid: Binary<86>,
        hostname: NChar<128>,
        program_name: NChar<128>,
        hostprocess: NChar<10>,
        cmd: NChar<26>,
        nt_domain: NChar<128>,
        nt_username: NChar<128>,
        net_address: NChar<12>,
        net_library: NChar<12>,
        loginame: NChar<128>,
        context_info: Binary<128>,
        sql_handle: Binary<20>,
        stmt_start: i32,
        stmt_end: i32,
        request_id: i32,
        page_resource: Option<Binary<8>>,
    }
}

/// `sysprocesses`
pub static SYSPROCESSES: ViewDef = view("sys", "sysprocesses", &ViewRows(rows));

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<Sysprocesses>> {
    let waiting = ctx.engine.txns().locks().waiting();
    Ok(seen_sessions(ctx)?.iter().map(|session| process(ctx, session, &waiting)).collect())
}

/// Bytes in a column of so many, zeros behind them.
fn filled<const N: u16>(value: &[u8]) -> Binary<N> {
    let mut whole = value[..value.len().min(usize::from(N))].to_vec();
    whole.resize(usize::from(N), 0);
    bytes(&whole)
}

fn process(ctx: &RunContext, session: &SessionShared, waiting: &[LockWait]) -> Sysprocesses {
    let status = session.status.lock().clone();
    let login = &session.login;
    let lock = waiting.iter().find(|wait| wait.session == session.id);
    let wait = current_wait(ctx, session);
    let last_wait = WaitType::from_task_field(session.task.last_wait_type.load(Relaxed));
    let running = session.statement.now().filter(|_| status.request.is_some());
    let io = &session.task.io;
    let reads = io.physical_reads.load(Relaxed) + io.read_ahead_reads.load(Relaxed);
    let state = match (&wait, &status.request) {
        (Some(_), Some(_)) => "suspended",
        (None, Some(_)) => "runnable",
        _ => "sleeping",
    };
    let resource = match (lock, &wait) {
        (Some(lock), _) => lock.resource.to_string(),
        (None, Some((_, _, resource))) => resource.clone(),
        (None, None) => String::new(),
    };
    let number = session.task.wait_type.load(Relaxed);
    Sysprocesses {
        spid: small(session.id.0),
        kpid: 0,
        blocked: small(lock.and_then(|lock| lock.blockers.first()).map_or(0, |blocker| blocker.0)),
        waittype: filled(&u16::try_from(number).unwrap_or(u16::MAX).to_be_bytes()),
        waittime: wait.as_ref().map_or(0, |(_, us, _)| big(us / 1000)),
        lastwaittype: wide(last_wait.map_or("MISCELLANEOUS", WaitType::name)),
        waitresource: wide(&resource),
        dbid: small(status.database.0),
        uid: Some(small(user_of(ctx, &status))),
        cpu: int((status.cpu_us + session.cpu.running_us()) / 1000),
        physical_io: big(reads + session.task.writes.total()),
        memusage: 0,
        login_time: datetime_of(session.login_us),
        last_batch: datetime_of(status.last_start_us),
        ecid: 0,
        open_tran: small(session.tran_count.load(Relaxed)),
        status: wide(state),
        sid: filled(&status.acting.sid),
        hostname: wide(&login.host),
        program_name: wide(&login.program),
        hostprocess: wide(&login.host_process_id.to_string()),
        cmd: wide(if status.request.is_some() { session.command.words() } else { "AWAITING COMMAND" }),
        nt_domain: wide(""),
        nt_username: wide(""),
        net_address: wide(""),
        net_library: wide(if login.client_address.is_empty() { "" } else { "TCP/IP" }),
        loginame: wide(&status.acting.login_name),
        context_info: filled(session.context_info.lock().as_deref().unwrap_or_default()),
        sql_handle: filled(&running.as_ref().map_or_else(Vec::new, |(text, ..)| handle_bytes(SQL_HANDLE, text.id))),
        stmt_start: running.as_ref().map_or(0, |(text, start, _)| offset(&text.text, *start)),
        stmt_end: running.as_ref().map_or(0, |(text, _, end)| offset(&text.text, *end)),
        request_id: 0,
        page_resource: None,
    }
}
