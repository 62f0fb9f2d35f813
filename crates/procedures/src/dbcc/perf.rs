//! DBCC SQLPERF: log space, and counters back to zero.

use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{MaxLen, SqlType, Value};

/// `DBCC SQLPERF (LOGSPACE)`, `DBCC SQLPERF ('sys.dm_os_wait_stats', CLEAR)`
pub static SQLPERF: DbccDef = DbccDef {
    name: "SQLPERF",
    syntax: "( LOGSPACE | '\"sys.dm_os_latch_stats\" , CLEAR' | '\"sys.dm_os_wait_stats\" , CLEAR' )
    [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 1..=2, options: &["NO_INFOMSGS"] },
    run,
};

fn run(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let word = |index: usize| match call.positional(index) {
        Some(Value::Str(word)) => word.as_str().to_lowercase(),
        _ => String::new(),
    };
    match (word(0).as_str(), word(1).as_str()) {
        ("logspace", "") => log_space(call),
        ("sys.dm_os_wait_stats", "clear") => {
            call.ctx().engine.instance().waits().clear();
            Ok(())
        }
        ("sys.dm_os_latch_stats", "clear") => {
            call.ctx().engine.instance().waits().clear_latches();
            Ok(())
        }
        _ => Err(SqlError::of(2560, 9, &[&1])),
    }
}

fn log_space(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let logs = call.ctx().engine.instance().log_usage();
    let rows = logs
        .into_iter()
        .map(|log| {
            let (size_bytes, used_bytes) = (log.total_bytes as f64, log.used_bytes as f64);
            let used_percent = if size_bytes > 0.0 { 100.0 * used_bytes / size_bytes } else { 0.0 };
            vec![
                Value::str(&log.name),
                Value::Real((size_bytes / 1_048_576.0) as f32),
                Value::Real(used_percent as f32),
                Value::Int(0),
            ]
        })
        .collect();
    let name = SqlType::NVarChar { len: MaxLen::Limited(128) };
    call.result(
        &[
            ("Database Name", name),
            ("Log Size (MB)", SqlType::Real),
            ("Log Space Used (%)", SqlType::Real),
            ("Status", SqlType::Int),
        ],
        rows,
    )
}
