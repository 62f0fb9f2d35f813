//! `sp_who` and `sp_who2`.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::names_equal;
use millpond_engine::session_shared::SessionShared;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_txn::lock::LockWait;
use millpond_types::{MaxLen, SqlType, Value};

use super::named::SYSNAME;
use millpond_views::seen_sessions;

/// `sp_who [login | spid | 'active']`
pub static SP_WHO: ProcedureDef = ProcedureDef { name: "sp_who", params: &[("@loginame", SYSNAME)], run: who };

/// `sp_who2 [login | spid | 'active']`
pub static SP_WHO2: ProcedureDef = ProcedureDef { name: "sp_who2", params: &[("@loginame", SYSNAME)], run: who2 };

const SMALLINT: SqlType = SqlType::SmallInt;

const fn nchar(len: u16) -> SqlType {
    SqlType::NChar { len }
}

const fn varchar(bytes: u16) -> SqlType {
    SqlType::varchar(bytes)
}

/// Sessions that the argument wants.
fn wanted(call: &SystemCall<'_>, def: &ProcedureDef) -> SqlResult<Vec<Arc<SessionShared>>> {
    let filter = call.arg(def, 0).cloned().unwrap_or_default();
    let mut sessions = seen_sessions(call.ctx())?;
    sessions.retain(|session| match &filter {
        Value::Null => true,
        Value::Str(word) if word.eq_ignore_ascii_case("active") => session.status.lock().request.is_some(),
        Value::Str(word) => word.parse::<u16>().map_or_else(
            |_| login_name(session).as_str().is_some_and(|name| names_equal(name, word)),
            |number| session.id.0 == number,
        ),
        number => number.as_i64() == Some(i64::from(session.id.0)),
    });
    Ok(sessions)
}

/// The session that blocks a session, by the waits of now.
fn blocker(waiting: &[LockWait], session: &SessionShared) -> Option<u16> {
    let wait = waiting.iter().find(|wait| wait.session == session.id)?;
    wait.blockers.first().map(|blocker| blocker.0)
}

/// What a session does, and its command.
fn state(session: &SessionShared, is_blocked: bool) -> (&'static str, &'static str) {
    if is_blocked {
        ("suspended", session.command.words())
    } else if session.status.lock().request.is_some() {
        ("runnable", session.command.words())
    } else {
        ("sleeping", "AWAITING COMMAND")
    }
}

/// The login that acts in a session.
fn login_name(session: &SessionShared) -> Value {
    let acting = Arc::clone(&session.status.lock().acting);
    Value::str(&acting.login_name)
}

fn database(call: &SystemCall<'_>, session: &SessionShared) -> Value {
    let id = session.status.lock().database;
    call.ctx().engine.database_name(id).map_or(Value::Null, |name| Value::str(&name))
}

fn who(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let waiting = call.ctx().engine.txns().locks().waiting();
    let rows = wanted(call, &SP_WHO)?
        .iter()
        .map(|session| {
            let blocker = blocker(&waiting, session);
            let (status, command) = state(session, blocker.is_some());
            vec![
                Value::SmallInt(session.id.0 as i16),
                Value::SmallInt(0),
                Value::str(status),
                login_name(session),
                Value::str(&session.login.host),
                Value::str(&format!("{:<5}", blocker.unwrap_or(0))),
                database(call, session),
                Value::str(command),
                Value::Int(0),
            ]
        })
        .collect();
    call.result(
        &[
            ("spid", SMALLINT),
            ("ecid", SMALLINT),
            ("status", nchar(30)),
            ("loginame", nchar(128)),
            ("hostname", nchar(128)),
            ("blk", SqlType::char(5)),
            ("dbname", nchar(128)),
            ("cmd", nchar(26)),
            ("request_id", SqlType::Int),
        ],
        rows,
    )?;
    Ok(0)
}

fn who2(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let waiting = call.ctx().engine.txns().locks().waiting();
    let rows = wanted(call, &SP_WHO2)?
        .iter()
        .map(|session| {
            let blocker = blocker(&waiting, session);
            let (status, command) = state(session, blocker.is_some());
            let (cpu_ms, last_us) = {
                let status = session.status.lock();
                (status.cpu_us / 1000, status.last_start_us)
            };
            let last = millpond_catalog::clock::datetime2_of_unix_us(last_us);
            let (_, month, day) = last.date.civil();
            let (hour, minute, second, _) = last.time.hms();
            let io = session.task.io.physical_reads.load(Relaxed);
            vec![
                Value::str(&format!("{:<5}", session.id.0)),
                Value::str(&status.to_uppercase()),
                login_name(session),
                Value::str(&session.login.host),
                Value::str(&blocker.map_or_else(|| "  .  ".to_owned(), |blocker| format!("{blocker:<5}"))),
                database(call, session),
                Value::str(command),
                Value::str(&cpu_ms.to_string()),
                Value::str(&io.to_string()),
                Value::str(&format!("{month:02}/{day:02} {hour:02}:{minute:02}:{second:02}")),
                Value::str(&session.login.program),
                Value::str(&format!("{:<5}", session.id.0)),
                Value::str("0    "),
            ]
        })
        .collect();
    let name = SqlType::NVarChar { len: MaxLen::Limited(128) };
    call.result(
        &[
            ("SPID", SqlType::char(5)),
            ("Status", varchar(30)),
            ("Login", name),
            ("HostName", name),
            ("BlkBy", SqlType::char(5)),
            ("DBName", name),
            ("Command", varchar(30)),
            ("CPUTime", varchar(20)),
            ("DiskIO", varchar(20)),
            ("LastBatch", varchar(20)),
            ("ProgramName", name),
            ("SPID", SqlType::char(5)),
            ("REQUESTID", SqlType::char(5)),
        ],
        rows,
    )?;
    Ok(0)
}
