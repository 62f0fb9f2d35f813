//! `sp_enumerrorlogs` and its kin: which logs there are. `sp_readerrorlog` and `xp_readerrorlog`: the lines of a log that are kept, oldest
//! first; words that the lines must have are the third and fourth argument, and `xp_readerrorlog` takes times and an order after them. Log 0
//! is the one that is written, `sp_cycle_errorlog` makes it 1. Those of the server (1) are all: the Agent (2) has none. `xp_logevent` adds a
//! line. A row is a line: the number of an error is one before its text, as in the file.

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_engine::error_log::{LogLine, LogSource};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::format::to_display;
use millpond_types::{DateTime, MaxLen, SqlType, Value};

use super::named::{INT, nvarchar};

/// Time and source before each line of a log's file, and its end.
const LINE_HEAD_BYTES: usize = 36;

const PARAMS: &[(&str, SqlType)] = &[("@p1", INT), ("@p2", INT), ("@p3", nvarchar(4000)), ("@p4", nvarchar(4000))];

/// `sp_readerrorlog [log [, 1 [, word [, word]]]]`
pub static SP_READERRORLOG: ProcedureDef =
    ProcedureDef { name: "sp_readerrorlog", params: PARAMS, run: |call| read(call, &SP_READERRORLOG) };

/// `xp_readerrorlog [log [, 1 [, word [, word [, from [, to [, order]]]]]]]`
pub static XP_READERRORLOG: ProcedureDef = ProcedureDef {
    name: "xp_readerrorlog",
    params: &[
        ("@p1", INT),
        ("@p2", INT),
        ("@p3", nvarchar(4000)),
        ("@p4", nvarchar(4000)),
        ("@p5", SqlType::DateTime),
        ("@p6", SqlType::DateTime),
        ("@p7", nvarchar(4)),
    ],
    run: |call| read(call, &XP_READERRORLOG),
};

/// `sp_enumerrorlogs [log]`
pub static SP_ENUMERRORLOGS: ProcedureDef =
    ProcedureDef { name: "sp_enumerrorlogs", params: &[("@p1", INT)], run: |call| list(call, &SP_ENUMERRORLOGS) };

/// `xp_enumerrorlogs [log]`
pub static XP_ENUMERRORLOGS: ProcedureDef =
    ProcedureDef { name: "xp_enumerrorlogs", params: &[("@p1", INT)], run: |call| list(call, &XP_ENUMERRORLOGS) };

/// `sp_cycle_errorlog`: for sysadmin.
pub static SP_CYCLE_ERRORLOG: ProcedureDef = ProcedureDef { name: "sp_cycle_errorlog", params: &[], run: cycle };

/// `xp_logevent number, message [, severity]`
pub static XP_LOGEVENT: ProcedureDef = ProcedureDef {
    name: "xp_logevent",
    params: &[("@error_number", INT), ("@message", nvarchar(4000)), ("@severity", nvarchar(20))],
    run: log_event,
};

/// Whether the session may do what the server's log is told.
fn is_sysadmin(call: &SystemCall<'_>) -> SqlResult<bool> {
    millpond_engine::security::may_on_server(call.ctx(), "CONTROL SERVER")
}

fn cycle(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    if !is_sysadmin(call)? {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    let (engine, session) = (&call.ctx().engine, call.ctx().facts.session);
    let say = |text: &str| {
        let line = LogLine::plain(engine.now_us().1, LogSource::Session(session), text.to_owned());
        engine.error_log().add(line);
    };
    say("Attempting to cycle error log. This is an informational message only; no user action is required.");
    engine.error_log().cycle();
    say("The error log has been reinitialized. See the previous log for older entries.");
    Ok(0)
}

/// Numbers of messages that may be logged: those of users.
const NUMBERS: std::ops::RangeInclusive<i64> = 50_001..=i32::MAX as i64;

fn log_event(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &XP_LOGEVENT;
    if !is_sysadmin(call)? {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    let number = call.arg(def, 0).and_then(Value::as_i64).filter(|number| NUMBERS.contains(number));
    let text = call.arg(def, 1).and_then(Value::as_str).map(str::to_owned);
    let severity = match call.arg(def, 2).and_then(Value::as_str).map(str::to_ascii_uppercase).as_deref() {
        None | Some("INFORMATIONAL") => Some(10),
        Some("WARNING") => Some(13),
        Some("ERROR") => Some(16),
        Some(_) => None,
    };
    let (Some(number), Some(text), Some(severity)) = (number, text, severity) else {
        return Err(SqlError::of(15_600, 1, &[&def.name]));
    };
    let (local_us, number) = (call.ctx().engine.now_us().1, i32::try_from(number).unwrap_or(i32::MAX));
    let (database, source) = (call.ctx().facts.database, LogSource::Session(call.ctx().facts.session));
    call.ctx().engine.error_log().add(LogLine { local_us, number, severity, state: 1, text, database, source });
    Ok(0)
}

/// The logs that there are, the one that is written first.
fn list(call: &mut SystemCall<'_>, def: &ProcedureDef) -> SqlResult<i32> {
    let is_servers = call.arg(def, 0).and_then(Value::as_i64).unwrap_or(1) == 1;
    let log = call.ctx().engine.error_log();
    let logs = (0..log.count()).filter(|_| is_servers).map(|number| (number, log.lines_of(number)));
    let row = |(number, lines): (usize, Vec<LogLine>)| {
        let last_us = lines.last()?.local_us;
        let when = to_display(&Value::DateTime2(datetime2_of_unix_us(last_us)), &SqlType::DateTime2 { scale: 0 });
        let texts = lines.iter().flat_map(LogLine::texts);
        let size_bytes: usize = texts.map(|text| LINE_HEAD_BYTES + text.len()).sum();
        let whole = |number: usize| Value::Int(i32::try_from(number).unwrap_or(i32::MAX));
        Some(vec![whole(number), Value::str(when.get(..19).unwrap_or(&when)), whole(size_bytes)])
    };
    let rows = logs.filter_map(row).collect();
    let columns = [("Archive #", INT), ("Date", nvarchar(30)), ("Log File Size (Byte)", INT)];
    call.result(&columns, rows)?;
    Ok(0)
}

fn read(call: &mut SystemCall<'_>, def: &ProcedureDef) -> SqlResult<i32> {
    // Of `sp_readerrorlog` there are four.
    let arg = |at: usize| if at < def.params.len() { call.arg(def, at) } else { None };
    let number = |at: usize, default: i64| arg(at).and_then(Value::as_i64).unwrap_or(default);
    let word = |at: usize| match arg(at) {
        Some(Value::Str(word)) => word.to_lowercase().to_string(),
        _ => String::new(),
    };
    let (wanted, words) = (usize::try_from(number(0, 0)).ok().filter(|_| number(1, 1) == 1), [word(2), word(3)]);
    let time = |at: usize| match arg(at) {
        Some(Value::DateTime(time)) => Some(*time),
        _ => None,
    };
    let (from, to, is_descending) = (time(4), time(5), word(6) == "desc");
    let lines = wanted.map(|log| call.ctx().engine.error_log().lines_of(log)).unwrap_or_default();
    let mut rows = Vec::new();
    for line in &lines {
        let when = DateTime::from_datetime2(datetime2_of_unix_us(line.local_us));
        if from.is_some_and(|from| when.is_none_or(|when| when < from))
            || to.is_some_and(|to| when.is_none_or(|when| when > to))
        {
            continue;
        }
        let texts = line
            .texts()
            .into_iter()
            .filter(|text| words.iter().all(|word| text.to_lowercase().contains(word.as_str())));
        let source = line.source.to_string();
        rows.extend(
            texts.map(|text| vec![when.map_or(Value::Null, Value::DateTime), Value::str(&source), Value::str(&text)]),
        );
    }
    if is_descending {
        rows.reverse();
    }
    let text = SqlType::NVarChar { len: MaxLen::Max };
    let process = SqlType::NVarChar { len: MaxLen::Limited(50) };
    call.result(&[("LogDate", SqlType::DateTime), ("ProcessInfo", process), ("Text", text)], rows)?;
    Ok(0)
}
