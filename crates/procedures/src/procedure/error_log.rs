//! `sp_enumerrorlogs` and its kin: which logs there are. `sp_readerrorlog` and `xp_readerrorlog`: the lines of a log that are kept, oldest
//! first; words that the lines must have are the third and fourth argument. Log 0 is the one that is written, `sp_cycle_errorlog` makes
//! it 1. Those of the server (1) are all: the Agent (2) has none. `xp_logevent` adds a line.

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_engine::error_log::LogLine;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::INFORMATION_MAX;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::format::to_display;
use millpond_types::{DateTime, MaxLen, SqlType, Value};

use super::named::{INT, nvarchar};

const PARAMS: &[(&str, SqlType)] = &[("@p1", INT), ("@p2", INT), ("@p3", nvarchar(4000)), ("@p4", nvarchar(4000))];

/// `sp_readerrorlog [log [, 1 [, word [, word]]]]`
pub static SP_READERRORLOG: ProcedureDef =
    ProcedureDef { name: "sp_readerrorlog", params: PARAMS, run: |call| read(call, &SP_READERRORLOG) };

/// `xp_readerrorlog [log [, 1 [, word [, word]]]]`
pub static XP_READERRORLOG: ProcedureDef =
    ProcedureDef { name: "xp_readerrorlog", params: PARAMS, run: |call| read(call, &XP_READERRORLOG) };

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
    call.ctx().engine.error_log().cycle();
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
    let database = call.ctx().facts.database;
    call.ctx().engine.error_log().add(LogLine { local_us, number, severity, state: 1, text, database });
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
        let size_bytes: usize = lines.iter().map(|line| line.text.len()).sum();
        let whole = |number: usize| Value::Int(i32::try_from(number).unwrap_or(i32::MAX));
        Some(vec![whole(number), Value::str(when.get(..19).unwrap_or(&when)), whole(size_bytes)])
    };
    let rows = logs.filter_map(row).collect();
    let columns = [("Archive #", INT), ("Date", nvarchar(30)), ("Log File Size (Byte)", INT)];
    call.result(&columns, rows)?;
    Ok(0)
}

fn read(call: &mut SystemCall<'_>, def: &ProcedureDef) -> SqlResult<i32> {
    let number = |at: usize, default: i64| call.arg(def, at).and_then(Value::as_i64).unwrap_or(default);
    let word = |at: usize| match call.arg(def, at) {
        Some(Value::Str(word)) => word.to_lowercase().to_string(),
        _ => String::new(),
    };
    let (wanted, words) = (usize::try_from(number(0, 0)).ok().filter(|_| number(1, 1) == 1), [word(2), word(3)]);
    let lines = wanted.map(|log| call.ctx().engine.error_log().lines_of(log)).unwrap_or_default();
    let has_words = |line: &LogLine| words.iter().all(|word| line.text.to_lowercase().contains(word.as_str()));
    let row = |line: &LogLine| {
        let when = DateTime::from_datetime2(datetime2_of_unix_us(line.local_us)).map_or(Value::Null, Value::DateTime);
        // What only informs has no head.
        let text = match line.number {
            0 => line.text.clone(),
            _ if line.severity <= INFORMATION_MAX => line.text.clone(),
            number => format!("Error: {number}, Severity: {}, State: {}. {}", line.severity, line.state, line.text),
        };
        vec![when, Value::str("Server"), Value::str(&text)]
    };
    let rows = lines.iter().filter(|line| has_words(line)).map(row).collect();
    let text = SqlType::NVarChar { len: MaxLen::Max };
    let process = SqlType::NVarChar { len: MaxLen::Limited(50) };
    call.result(&[("LogDate", SqlType::DateTime), ("ProcessInfo", process), ("Text", text)], rows)?;
    Ok(0)
}
