//! `sys.master_files` and `sys.database_files`. Recovery LSNs are NULL: nothing is restored yet.

use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{SystemColumn, Within};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::file::file_header::FileKind;
use millpond_storage::file::growth::Growth;
use millpond_storage::file::report::FileReport;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{
    BIT, DATETIME, GUID, INT, LSN, SYSNAME, TINYINT, bit, col, int, null, nvarchar, text, tiny,
};

/// Pages of 2 TB: the limit that a log file has when none is set.
const LOG_PAGES_MAX: i32 = 268_435_456;

const FILE_COLUMNS: [SystemColumn; 29] = [
    col("file_id", INT),
    null("file_guid", GUID),
    col("type", TINYINT),
    null("type_desc", nvarchar(60)),
    col("data_space_id", INT),
    col("name", SYSNAME),
    col("physical_name", nvarchar(260)),
    null("state", TINYINT),
    null("state_desc", nvarchar(60)),
    col("size", INT),
    col("max_size", INT),
    col("growth", INT),
    col("is_media_read_only", BIT),
    col("is_read_only", BIT),
    col("is_sparse", BIT),
    col("is_percent_growth", BIT),
    col("is_name_reserved", BIT),
    null("create_lsn", LSN),
    null("drop_lsn", LSN),
    null("read_only_lsn", LSN),
    null("read_write_lsn", LSN),
    null("differential_base_lsn", LSN),
    null("differential_base_guid", GUID),
    null("differential_base_time", DATETIME),
    null("redo_start_lsn", LSN),
    null("redo_start_fork_guid", GUID),
    null("redo_target_lsn", LSN),
    null("redo_target_fork_guid", GUID),
    null("backup_lsn", LSN),
];

const MASTER_COLUMNS: [SystemColumn; 31] = {
    let mut columns = [col("database_id", INT); 31];
    let mut index = 0;
    while index < FILE_COLUMNS.len() {
        columns[index + 1] = FILE_COLUMNS[index];
        index += 1;
    }
    columns[30] = null("credential_id", INT);
    columns
};

/// `sys.database_files`
pub static DATABASE_FILES: ViewDef =
    ViewDef { schema: "sys", name: "database_files", columns: &FILE_COLUMNS, rows: &ViewRows(database_rows) };

/// `sys.master_files`; a file of tempdb that moves at the next start shows its new place and its configured size.
pub static MASTER_FILES: ViewDef =
    ViewDef { schema: "sys", name: "master_files", columns: &MASTER_COLUMNS, rows: &ViewRows(master_rows) };

fn database_rows(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let files = ctx.engine.instance().files(database.database);
    Ok(files.iter().map(|file| file_row(file, &file.physical_name, file.size_pages)).collect())
}

fn master_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let instance = ctx.engine.instance();
    let files = instance.databases().into_iter().flat_map(|database| instance.files(database.id));
    let rows = files.map(|file| {
        let mut row = vec![int(file.db.0)];
        row.extend(file_row(&file, &file.next_physical_name, file.configured_pages));
        row.push(Value::Null);
        row
    });
    Ok(rows.collect())
}

fn file_row(file: &FileReport, place: &str, size_pages: u32) -> Vec<Value> {
    let is_log = file.kind == FileKind::Log;
    let (growth, is_percent) = match file.growth {
        Growth::Pages(pages) => (pages, false),
        Growth::Percent(percent) => (percent, true),
    };
    let max_size = match file.max_pages {
        _ if growth == 0 => Value::Int(0),
        Some(pages) => int(pages),
        None if is_log => Value::Int(LOG_PAGES_MAX),
        None => Value::Int(-1),
    };
    let mut row = vec![
        int(file.file.0),
        Value::Guid(file.guid),
        tiny(u8::from(is_log)),
        text(if is_log { "LOG" } else { "ROWS" }),
        Value::Int(i32::from(!is_log)),
        text(&file.name),
        text(place),
        tiny(0),
        text("ONLINE"),
        int(size_pages),
        max_size,
        int(growth),
        bit(false),
        bit(false),
        bit(false),
        bit(is_percent),
        bit(false),
    ];
    row.resize(FILE_COLUMNS.len(), Value::Null);
    row
}
