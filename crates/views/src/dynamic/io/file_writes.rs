//! `sys.dm_millpond_file_writes`: our own account of every write, per file and session, with its reason. Session 0 is
//! the server: the lazy writer, the checkpoint, the start.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::instance::file_report::session_writes;

use crate::columns::{NVarChar, Sysname, big, small, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_millpond_file_writes`.
    struct DmMillpondFileWrites {
        database_id: i16,
        file_id: i16,
        file_name: Sysname,
        session_id: i16,
        reason: NVarChar<20>,
        writes: i64,
        bytes_written: i64,
    }
}

/// `sys.dm_millpond_file_writes`
pub static DM_MILLPOND_FILE_WRITES: ViewDef = view("sys", "dm_millpond_file_writes", &ViewRows(rows));

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmMillpondFileWrites>> {
    let instance = ctx.engine.instance();
    let mut rows = Rows::new();
    for file in instance.database_reports().into_iter().flat_map(|database| instance.files(database.id)) {
        for (session, reasons) in session_writes(instance, file.db, file.file) {
            for count in reasons {
                rows.push(DmMillpondFileWrites {
                    database_id: small(file.db.0),
                    file_id: small(file.file.0),
                    file_name: text(&file.name),
                    session_id: small(session.0),
                    reason: text(count.reason.name()),
                    writes: big(count.writes),
                    bytes_written: big(count.bytes),
                });
            }
        }
    }
    Ok(rows)
}
