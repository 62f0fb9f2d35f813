//! DBCC SQLPERF: log space, and counters back to zero.

use millpond_storage::contract::DbId;
use millpond_storage::file_header::FileKind;
use millpond_types::{MaxLen, SqlType, Value};

use crate::error::{SqlError, SqlResult};
use crate::system_call::{DbccDef, SystemCall};

/// `DBCC SQLPERF (LOGSPACE)`, `DBCC SQLPERF ('sys.dm_os_wait_stats', CLEAR)`
pub static SQLPERF: DbccDef = DbccDef { name: "SQLPERF", run };

fn run(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let word = |index: usize| match call.positional(index) {
        Some(Value::Str(word)) => word.as_str().to_lowercase(),
        _ => String::new(),
    };
    match (word(0).as_str(), word(1).as_str()) {
        ("logspace", "") => log_space(call),
        ("sys.dm_os_wait_stats", "clear") => {
            call.ctx.engine.instance().waits().clear();
            Ok(())
        }
        ("sys.dm_os_latch_stats", "clear") => Ok(()),
        _ => {
            Err(SqlError::new(2571, 16, 1, "DBCC SQLPERF takes LOGSPACE, or the name of a statistics view and CLEAR."))
        }
    }
}

fn log_space(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let instance = call.ctx.engine.instance();
    let tempdb_used_bytes = instance.report().log.used_bytes;
    let rows = instance
        .databases()
        .into_iter()
        .map(|database| {
            let files = instance.files(database.id);
            let pages: u64 =
                files.iter().filter(|file| file.kind == FileKind::Log).map(|file| u64::from(file.size_pages)).sum();
            let size_bytes = (pages * 8192) as f64;
            let used_bytes = if database.id == DbId::TEMPDB { tempdb_used_bytes as f64 } else { 0.0 };
            let used_percent = if size_bytes > 0.0 { 100.0 * used_bytes / size_bytes } else { 0.0 };
            vec![
                Value::str(&database.name),
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
