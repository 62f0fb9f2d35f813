//! `sp_enumerrorlogs` and its kin: which logs there are. `sp_readerrorlog` and `xp_readerrorlog`: the lines of the error log that are kept, oldest first. There is one log (0),
//! the server's (1); words that the lines must have are the third and fourth argument.

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_engine::error_log::LogLine;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
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

/// The logs that there are: the server's one; of the Agent (2) there is none.
fn list(call: &mut SystemCall<'_>, def: &ProcedureDef) -> SqlResult<i32> {
    let is_servers = call.arg(def, 0).and_then(Value::as_i64).unwrap_or(1) == 1;
    let lines = call.ctx().engine.error_log().lines();
    let size_bytes: usize = lines.iter().map(|line| line.text.len()).sum();
    let row = lines.last().filter(|_| is_servers).map(|last| {
        let when = to_display(&Value::DateTime2(datetime2_of_unix_us(last.local_us)), &SqlType::DateTime2 { scale: 0 });
        let size = i32::try_from(size_bytes).unwrap_or(i32::MAX);
        vec![Value::Int(0), Value::str(when.get(..19).unwrap_or(&when)), Value::Int(size)]
    });
    let columns = [("Archive #", INT), ("Date", nvarchar(30)), ("Log File Size (Byte)", INT)];
    call.result(&columns, row.into_iter().collect())?;
    Ok(0)
}

fn read(call: &mut SystemCall<'_>, def: &ProcedureDef) -> SqlResult<i32> {
    let number = |at: usize, default: i64| call.arg(def, at).and_then(Value::as_i64).unwrap_or(default);
    let word = |at: usize| match call.arg(def, at) {
        Some(Value::Str(word)) => word.to_lowercase().to_string(),
        _ => String::new(),
    };
    let (is_there, words) = (number(0, 0) == 0 && number(1, 1) == 1, [word(2), word(3)]);
    let lines = if is_there { call.ctx().engine.error_log().lines() } else { Vec::new() };
    let has_words = |line: &LogLine| words.iter().all(|word| line.text.to_lowercase().contains(word.as_str()));
    let row = |line: &LogLine| {
        let when = DateTime::from_datetime2(datetime2_of_unix_us(line.local_us)).map_or(Value::Null, Value::DateTime);
        let text = match line.number {
            0 => line.text.clone(),
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
