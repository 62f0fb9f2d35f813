//! `sys.dm_millpond_file_writes`: our own account of every write, per file and session, with its reason. Session 0 is
//! the server: the lazy writer, the checkpoint, the start.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, SMALLINT, SYSNAME, big, col, nvarchar, small, text};

/// `sys.dm_millpond_file_writes`
pub static DM_MILLPOND_FILE_WRITES: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_millpond_file_writes",
    columns: &[
        col("database_id", SMALLINT),
        col("file_id", SMALLINT),
        col("file_name", SYSNAME),
        col("session_id", SMALLINT),
        col("reason", nvarchar(20)),
        col("writes", BIGINT),
        col("bytes_written", BIGINT),
    ],
    rows: &ViewRows(rows),
};

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let instance = ctx.engine.instance();
    let mut rows = Vec::new();
    for file in instance.databases().into_iter().flat_map(|database| instance.files(database.id)) {
        for (session, reasons) in &file.session_writes {
            for count in reasons {
                rows.push(vec![
                    small(file.db.0),
                    small(file.file.0),
                    text(&file.name),
                    small(session.0),
                    text(count.reason.name()),
                    big(count.writes),
                    big(count.bytes),
                ]);
            }
        }
    }
    Ok(rows)
}
